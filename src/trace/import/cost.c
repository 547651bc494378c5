#include "trace/import/cost.h"

#include "trace/import/operands.h"

enum formula {
    ELEMENTWISE = 0,
    MM,     /* a x b */
    ADDMM,  /* bias, a x b */
    LINEAR, /* a x b^T */
    BMM,
    BADDBMM,
    CONVOLUTION, /* input, weight */
    TRANSPOSED,
    CONVOLUTION_BACKWARD, /* gradient, input, weight */
    CONVOLUTION_BACKWARD_ONE,
    ATTENTION,
    ATTENTION_BACKWARD,
    NORM,
    NORM_BACKWARD,
    SOFTMAX,
    SOFTMAX_BACKWARD,
    REDUCTION,
};

static const struct {
    const char *name;
    enum formula formula;
} formulas[] = {
    /* sorted by name */
    {"aten::_cudnn_attention_backward", ATTENTION_BACKWARD},
    {"aten::_cudnn_attention_forward", ATTENTION},
    {"aten::_efficient_attention_backward", ATTENTION_BACKWARD},
    {"aten::_efficient_attention_forward", ATTENTION},
    {"aten::_flash_attention_backward", ATTENTION_BACKWARD},
    {"aten::_flash_attention_forward", ATTENTION},
    {"aten::_fused_rms_norm", NORM},
    {"aten::_fused_rms_norm_backward", NORM_BACKWARD},
    {"aten::_log_softmax", SOFTMAX},
    {"aten::_log_softmax_backward_data", SOFTMAX_BACKWARD},
    {"aten::_scaled_dot_product_cudnn_attention", ATTENTION},
    {"aten::_scaled_dot_product_cudnn_attention_backward", ATTENTION_BACKWARD},
    {"aten::_scaled_dot_product_efficient_attention", ATTENTION},
    {"aten::_scaled_dot_product_efficient_attention_backward", ATTENTION_BACKWARD},
    {"aten::_scaled_dot_product_flash_attention", ATTENTION},
    {"aten::_scaled_dot_product_flash_attention_backward", ATTENTION_BACKWARD},
    {"aten::_scaled_mm", MM},
    {"aten::_softmax", SOFTMAX},
    {"aten::_softmax_backward_data", SOFTMAX_BACKWARD},
    {"aten::addbmm", BADDBMM},
    {"aten::addmm", ADDMM},
    {"aten::addmm_", ADDMM},
    {"aten::addmv", ADDMM},
    {"aten::baddbmm", BADDBMM},
    {"aten::batch_norm", NORM},
    {"aten::batch_norm_backward", NORM_BACKWARD},
    {"aten::bmm", BMM},
    {"aten::conv1d", CONVOLUTION},
    {"aten::conv2d", CONVOLUTION},
    {"aten::conv3d", CONVOLUTION},
    {"aten::conv_transpose1d", TRANSPOSED},
    {"aten::conv_transpose2d", TRANSPOSED},
    {"aten::conv_transpose3d", TRANSPOSED},
    {"aten::convolution", CONVOLUTION},
    {"aten::convolution_backward", CONVOLUTION_BACKWARD},
    {"aten::cudnn_batch_norm", NORM},
    {"aten::cudnn_batch_norm_backward", NORM_BACKWARD},
    {"aten::cudnn_convolution", CONVOLUTION},
    {"aten::cudnn_convolution_add_relu", CONVOLUTION},
    {"aten::cudnn_convolution_backward", CONVOLUTION_BACKWARD},
    {"aten::cudnn_convolution_backward_input", CONVOLUTION_BACKWARD_ONE},
    {"aten::cudnn_convolution_backward_weight", CONVOLUTION_BACKWARD_ONE},
    {"aten::cudnn_convolution_relu", CONVOLUTION},
    {"aten::cudnn_convolution_transpose", TRANSPOSED},
    {"aten::dot", MM},
    {"aten::group_norm", NORM},
    {"aten::layer_norm", NORM},
    {"aten::linear", LINEAR},
    {"aten::linear_backward", LINEAR},
    {"aten::matmul", BMM},
    {"aten::mean", REDUCTION},
    {"aten::miopen_batch_norm", NORM},
    {"aten::miopen_batch_norm_backward", NORM_BACKWARD},
    {"aten::miopen_convolution", CONVOLUTION},
    {"aten::mkldnn_convolution", CONVOLUTION},
    {"aten::mm", MM},
    {"aten::mv", MM},
    {"aten::native_batch_norm", NORM},
    {"aten::native_batch_norm_backward", NORM_BACKWARD},
    {"aten::native_group_norm", NORM},
    {"aten::native_group_norm_backward", NORM_BACKWARD},
    {"aten::native_layer_norm", NORM},
    {"aten::native_layer_norm_backward", NORM_BACKWARD},
    {"aten::norm", REDUCTION},
    {"aten::sum", REDUCTION},
    {"flash_attn::_flash_attn_backward", ATTENTION_BACKWARD},
    {"flash_attn::_flash_attn_forward", ATTENTION},
};

static enum formula find_formula(const char *name)
{
    size_t low = 0, high = sizeof(formulas) / sizeof(formulas[0]);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(formulas[middle].name, name);
        if (order == 0)
            return formulas[middle].formula;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ELEMENTWISE;
}

bool nadi_cost_has_formula(const char *operator)
{
    return find_formula(operator) != ELEMENTWISE;
}

const char *nadi_cost_name(enum nadi_cost_kind kind)
{
    static const char *const names[NADI_COST_KINDS] = {
        "unknown", "matmul",    "convolution", "attention", "norm",
        "softmax", "reduction", "elementwise", "copy",
    };
    return kind < NADI_COST_KINDS ? names[kind] : "unknown";
}

uint64_t nadi_cost_type_bytes(struct nadi_view type)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {
        {"float", 4},
        {"Float", 4},
        {"c10::Half", 2},
        {"Half", 2},
        {"c10::BFloat16", 2},
        {"BFloat16", 2},
        {"double", 8},
        {"Double", 8},
        {"long int", 8},
        {"long", 8},
        {"Long", 8},
        {"int", 4},
        {"Int", 4},
        {"bool", 1},
        {"Bool", 1},
        {"unsigned char", 1},
        {"Byte", 1},
        {"signed char", 1},
        {"Char", 1},
        {"short", 2},
        {"short int", 2},
        {"Short", 2},
        {"c10::complex<float>", 8},
        {"ComplexFloat", 8},
        {"c10::complex<double>", 16},
        {"ComplexDouble", 16},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (nadi_view_is(type, types[i].name, strlen(types[i].name)))
            return types[i].bytes;
    return nadi_view_has(type, "Float8") ? 1 : 0;
}

static double last(const struct nadi_operand *o, unsigned from_end)
{
    return o->rank > from_end && o->rank <= NADI_DIMENSIONS
               ? (double)o->dims[o->rank - 1 - from_end]
               : 1;
}

/* Operands a at `at` and b behind it; b's column count is its last size, or its last but one when
 * it is transposed. */
static double matmul_ops(const struct nadi_operands *in, unsigned at, bool transposed)
{
    if (in->count < at + 2)
        return 0;
    const struct nadi_operand *a = &in->items[at], *b = &in->items[at + 1];
    double columns = b->rank < 2 ? 1 : transposed ? last(b, 1) : last(b, 0);
    return 2 * (double)a->elements * columns;
}

/* Where the attention operators have their flag for a causal mask. */
static bool is_causal(const char *name, const struct nadi_operands *in)
{
    if (strstr(name, "efficient") || strstr(name, "cudnn"))
        return in->flags[6];
    return in->flags[strcmp(name, "aten::_flash_attention_forward") == 0 ? 8 : 4];
}

/* Elements that a convolution makes; where only its inputs are known, as if its stride were 1. */
static double convolved(const struct nadi_operands *in, const struct nadi_operands *out)
{
    if (out->count || in->count < 2 || in->items[0].rank < 2 || !in->items[0].dims[1])
        return (double)(out->count ? out->items[0].elements : 0);
    return (double)in->items[0].elements / (double)in->items[0].dims[1] *
           (double)in->items[1].dims[0];
}

/* Per output element one multiply-add for each weight of its channel. */
static double convolution_ops(double per_element_of, const struct nadi_operand *weight)
{
    double channels = weight->rank ? (double)weight->dims[0] : 1;
    return channels > 0 ? 2 * per_element_of * (double)weight->elements / channels : 0;
}

static double attention_ops(const struct nadi_operands *in, unsigned at, bool causal)
{
    if (in->count < at + 2 || in->items[at].rank < 3)
        return 0;
    const struct nadi_operand *q = &in->items[at], *k = &in->items[at + 1];
    double width = last(q, 0);
    double heads_and_batch =
        k->rank == 4 && q->rank == 4 ? (double)k->dims[0] * (double)k->dims[1] : (double)k->dims[0];
    double keys =
        width > 0 && heads_and_batch > 0 ? (double)k->elements / last(k, 0) / heads_and_batch : 0;
    return 4 * (double)q->elements * keys * (causal ? 0.5 : 1);
}

static double flops(enum formula formula, const char *name, const struct nadi_operands *in,
                    const struct nadi_operands *out)
{
    double largest = (double)nadi_max_u64(in->largest, out->largest);
    double read = (double)in->largest;
    double made = (double)(out->count ? out->items[0].elements : 0);
    switch (formula) {
    case MM:
        return matmul_ops(in, 0, false);
    case BMM:
        return matmul_ops(in, 0, false);
    case ADDMM:
    case BADDBMM:
        return matmul_ops(in, 1, false) + made;
    case LINEAR:
        return matmul_ops(in, 0, true) + made;
    case CONVOLUTION:
        return in->count < 2 ? 0 : convolution_ops(convolved(in, out), &in->items[1]);
    case TRANSPOSED:
        return in->count < 2 ? 0 : convolution_ops((double)in->items[0].elements, &in->items[1]);
    case CONVOLUTION_BACKWARD:
        return in->count < 3 ? 0
                             : convolution_ops((double)in->items[0].elements, &in->items[2]) *
                                   (out->count > 1 ? 2 : 1);
    case CONVOLUTION_BACKWARD_ONE:
        return in->count < 2 ? 0 : convolution_ops((double)in->items[0].elements, &in->items[1]);
    case ATTENTION:
        return attention_ops(in, 0, is_causal(name, in));
    case ATTENTION_BACKWARD:
        return 2.5 * attention_ops(in, 1, false);
    case NORM:
        return 8 * read;
    case NORM_BACKWARD:
        return 12 * read;
    case SOFTMAX:
        return 5 * read;
    case SOFTMAX_BACKWARD:
        return 4 * read;
    case REDUCTION:
        return read;
    case ELEMENTWISE:
        return largest;
    }
    return largest;
}

static enum nadi_cost_kind kind_of(enum formula formula)
{
    switch (formula) {
    case MM:
    case BMM:
    case ADDMM:
    case BADDBMM:
    case LINEAR:
        return NADI_COST_MATMUL;
    case CONVOLUTION:
    case TRANSPOSED:
    case CONVOLUTION_BACKWARD:
    case CONVOLUTION_BACKWARD_ONE:
        return NADI_COST_CONVOLUTION;
    case ATTENTION:
    case ATTENTION_BACKWARD:
        return NADI_COST_ATTENTION;
    case NORM:
    case NORM_BACKWARD:
        return NADI_COST_NORM;
    case SOFTMAX:
    case SOFTMAX_BACKWARD:
        return NADI_COST_SOFTMAX;
    case REDUCTION:
        return NADI_COST_REDUCTION;
    case ELEMENTWISE:
        break;
    }
    return NADI_COST_ELEMENTWISE;
}

static struct nadi_cost compute(const char *name, const struct nadi_operands *in,
                                const struct nadi_operands *out)
{
    enum formula formula = find_formula(name);
    struct nadi_cost cost = {0};
    if (!in->count && !out->count)
        return cost;
    double ops = flops(formula, name, in, out);
    if (ops < 1) { /* shapes that the formula cannot use */
        formula = ELEMENTWISE;
        ops = flops(formula, name, in, out);
    }
    cost.kind = kind_of(formula);
    cost.ops = ops < 1.8e19 ? (uint64_t)ops : UINT64_MAX;
    if (__builtin_add_overflow(in->bytes, out->bytes, &cost.bytes))
        cost.bytes = UINT64_MAX;
    return cost;
}

static void read_io(const struct nadi_host *h, const struct nadi_host_node *n,
                    const struct nadi_host_io *io, struct nadi_operands *o)
{
    nadi_operands_read(o, nadi_host_part(h, n, io->values), nadi_host_part(h, n, io->shapes),
                       nadi_host_part(h, n, io->types));
}

struct nadi_cost nadi_cost_of_node(const struct nadi_host *h, const struct nadi_host_node *node)
{
    struct nadi_operands in, out;
    read_io(h, node, &node->inputs, &in);
    read_io(h, node, &node->outputs, &out);
    return compute(nadi_names_get(&h->names, node->name), &in, &out);
}

static struct nadi_view name_view(const struct nadi_kineto *k, uint32_t name)
{
    if (name == NADI_NONE)
        return (struct nadi_view){0};
    return (struct nadi_view){.at = nadi_names_get(&k->names, name),
                              .bytes = (uint32_t)nadi_names_bytes(&k->names, name)};
}

struct nadi_cost nadi_cost_of_event(const struct nadi_kineto *k, const struct nadi_event *event)
{
    struct nadi_operands in, out = {0};
    if (event->detail == NADI_NONE)
        return (struct nadi_cost){0};
    const struct nadi_event_detail *d = &k->details.items[event->detail];
    nadi_operands_read(&in, (struct nadi_view){0}, name_view(k, d->dims), name_view(k, d->types));
    struct nadi_cost cost = compute(nadi_names_get(&k->names, event->name), &in, &out);
    uint64_t written = in.count ? in.items[0].bytes : 0; /* as large as the first one read */
    if (__builtin_add_overflow(cost.bytes, written, &cost.bytes))
        cost.bytes = UINT64_MAX;
    return cost;
}

uint64_t nadi_cost_tensor_bytes(const struct nadi_host *h, const struct nadi_host_node *node,
                                const struct nadi_host_io *io)
{
    struct nadi_operands o;
    read_io(h, node, io, &o);
    return o.bytes;
}

uint64_t nadi_cost_event_bytes(const struct nadi_kineto *k, const struct nadi_event *event)
{
    struct nadi_operands o;
    if (event->detail == NADI_NONE)
        return 0;
    const struct nadi_event_detail *d = &k->details.items[event->detail];
    nadi_operands_read(&o, (struct nadi_view){0}, name_view(k, d->dims), name_view(k, d->types));
    return o.bytes;
}
