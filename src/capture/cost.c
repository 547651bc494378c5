#include "capture/cost.h"

#include "base/time.h"
#include "capture/cost_formula.h"
#include "capture/operands.h"

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

/* Elements that a convolution makes; where only its inputs are known, as if it were padded to keep
 * their size before its stride. */
static double convolved(const struct nadi_operands *in, const struct nadi_operands *out,
                        unsigned stride)
{
    if (out->count || in->count < 2 || in->items[0].rank < 2 || !in->items[0].dims[1])
        return (double)(out->count ? out->items[0].elements : 0);
    const int64_t step = in->numbers[stride];
    return (double)in->items[0].elements / (double)in->items[0].dims[1] *
           (double)in->items[1].dims[0] / (step > 1 ? (double)step : 1);
}

/* Per output element one multiply-add for each weight of its channel. */
static double convolution_ops(double per_element_of, const struct nadi_operand *weight)
{
    double channels = weight->rank ? (double)weight->dims[0] : 1;
    return channels > 0 ? 2 * per_element_of * (double)weight->elements / channels : 0;
}

/* Gradients of input and weight that were asked for: both where it is not known. */
static double gradients(const struct nadi_operands *out)
{
    enum { SMALLEST = 3 }; /* dimensions; the bias has one */
    double count = 0;
    for (unsigned i = 0; i < out->count; i++)
        count += out->items[i].rank >= SMALLEST;
    return count > 0 ? count : out->count ? 1 : 2;
}

/* Keys that each query meets. The scaled_dot_product operators have (.., sequence, width), those
 * below them (batch, sequence, head, width) or (sequence, head, width). */
static double keys_of(const char *name, const struct nadi_operand *k)
{
    if (strstr(name, "scaled_dot_product"))
        return last(k, 1);
    return (double)k->dims[k->rank == 3 ? 0 : 1];
}

static double attention_ops(const struct nadi_formula_row *row, const struct nadi_operands *in,
                            unsigned at)
{
    if (in->count < at + 2 || in->items[at + 1].rank < 3)
        return 0;
    const bool causal = row->argument && in->numbers[row->argument] > 0;
    return 4 * (double)in->items[at].elements * keys_of(row->name, &in->items[at + 1]) *
           (causal ? 0.5 : 1);
}

static double flops(const struct nadi_formula_row *row, const struct nadi_operands *in,
                    const struct nadi_operands *out)
{
    double largest = (double)nadi_max_u64(in->largest, out->largest);
    double read = (double)in->largest;
    double made = (double)(out->count ? out->items[0].elements : 0);
    switch (row->formula) {
    case NADI_FORMULA_MM:
    case NADI_FORMULA_BMM:
        return matmul_ops(in, 0, false);
    case NADI_FORMULA_ADDMM:
    case NADI_FORMULA_BADDBMM:
        return matmul_ops(in, 1, false) + made;
    case NADI_FORMULA_LINEAR:
        return matmul_ops(in, 0, true) + made;
    case NADI_FORMULA_CONVOLUTION:
        return in->count < 2 ? 0
                             : convolution_ops(convolved(in, out, row->argument), &in->items[1]);
    case NADI_FORMULA_TRANSPOSED:
    case NADI_FORMULA_CONVOLUTION_BACKWARD_ONE:
        return in->count < 2 ? 0 : convolution_ops((double)in->items[0].elements, &in->items[1]);
    case NADI_FORMULA_CONVOLUTION_BACKWARD:
        return in->count < 3
                   ? 0
                   : convolution_ops((double)in->items[0].elements, &in->items[2]) * gradients(out);
    case NADI_FORMULA_ATTENTION:
        return attention_ops(row, in, 0);
    case NADI_FORMULA_ATTENTION_BACKWARD:
        return 2.5 * attention_ops(row, in, 1);
    case NADI_FORMULA_NORM:
        return 8 * read;
    case NADI_FORMULA_NORM_BACKWARD:
        return 12 * read;
    case NADI_FORMULA_SOFTMAX:
        return 5 * read;
    case NADI_FORMULA_SOFTMAX_BACKWARD:
        return 4 * read;
    case NADI_FORMULA_REDUCTION:
        return read;
    case NADI_FORMULA_GATHER:
        return made > 0 ? made : read;
    case NADI_FORMULA_SCATTER_INTO:
        return in->count > 1 ? (double)in->items[in->count - 1].elements : read;
    case NADI_FORMULA_FILL:
    case NADI_FORMULA_COPY:
    case NADI_FORMULA_ELEMENTWISE:
        return largest;
    }
    return largest;
}

static enum nadi_cost_kind kind_of(enum nadi_formula formula)
{
    switch (formula) {
    case NADI_FORMULA_MM:
    case NADI_FORMULA_BMM:
    case NADI_FORMULA_ADDMM:
    case NADI_FORMULA_BADDBMM:
    case NADI_FORMULA_LINEAR:
        return NADI_COST_MATMUL;
    case NADI_FORMULA_CONVOLUTION:
    case NADI_FORMULA_TRANSPOSED:
    case NADI_FORMULA_CONVOLUTION_BACKWARD:
    case NADI_FORMULA_CONVOLUTION_BACKWARD_ONE:
        return NADI_COST_CONVOLUTION;
    case NADI_FORMULA_ATTENTION:
    case NADI_FORMULA_ATTENTION_BACKWARD:
        return NADI_COST_ATTENTION;
    case NADI_FORMULA_NORM:
    case NADI_FORMULA_NORM_BACKWARD:
        return NADI_COST_NORM;
    case NADI_FORMULA_SOFTMAX:
    case NADI_FORMULA_SOFTMAX_BACKWARD:
        return NADI_COST_SOFTMAX;
    case NADI_FORMULA_REDUCTION:
        return NADI_COST_REDUCTION;
    case NADI_FORMULA_COPY:
    case NADI_FORMULA_FILL:
    case NADI_FORMULA_GATHER:
    case NADI_FORMULA_SCATTER_INTO:
        return NADI_COST_COPY;
    case NADI_FORMULA_ELEMENTWISE:
        break;
    }
    return NADI_COST_ELEMENTWISE;
}

static uint64_t twice(uint64_t bytes)
{
    return nadi_count_add(bytes, bytes);
}

/* All that is read and written, but for operators that touch parts of their tensors. Without
 * outputs what is made is taken to be as large as the first input. */
static uint64_t traffic(enum nadi_formula formula, const struct nadi_operands *in,
                        const struct nadi_operands *out)
{
    const uint64_t first = in->count ? in->items[0].bytes : 0;
    const uint64_t last_in = in->count ? in->items[in->count - 1].bytes : 0;
    const uint64_t made = out->count ? out->bytes : first;
    if (formula == NADI_FORMULA_FILL)
        return made;
    if (formula == NADI_FORMULA_COPY)
        return in->count > 1 ? nadi_count_add(last_in, made) : twice(made);
    if (formula == NADI_FORMULA_GATHER && out->count)
        return nadi_count_add(twice(made), in->bytes - first);
    if (formula == NADI_FORMULA_SCATTER_INTO && in->count > 1)
        return nadi_count_add(nadi_count_add(twice(last_in), last_in), in->bytes - first - last_in);
    return nadi_count_add(in->bytes, made);
}

static struct nadi_cost compute(const char *name, const struct nadi_operands *in,
                                const struct nadi_operands *out)
{
    static const struct nadi_formula_row fallback = {"", NADI_FORMULA_ELEMENTWISE, 0};
    const struct nadi_formula_row *row = nadi_formula_find(name);
    struct nadi_cost cost = {0};
    if (!in->count && !out->count)
        return cost;
    double ops = flops(row, in, out);
    if (ops < 1) { /* shapes that the formula cannot use */
        row = &fallback;
        ops = flops(row, in, out);
    }
    cost.kind = kind_of(row->formula);
    cost.ops = ops < 1.8e19 ? nadi_count_trunc(ops) : UINT64_MAX;
    cost.bytes = traffic(row->formula, in, out);
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

struct nadi_cost nadi_cost_of_event(const struct nadi_kineto *k,
                                    const struct nadi_kineto_event *event)
{
    struct nadi_operands in, out = {0};
    if (event->detail == NADI_NONE)
        return (struct nadi_cost){0};
    const struct nadi_event_detail *d = &k->details.items[event->detail];
    nadi_operands_read(&in, (struct nadi_view){0}, name_view(k, d->dims), name_view(k, d->types));
    nadi_operands_add_concrete(&in, name_view(k, d->concrete));
    return compute(nadi_names_get(&k->names, event->name), &in, &out);
}

uint64_t nadi_cost_tensor_bytes(const struct nadi_host *h, const struct nadi_host_node *node,
                                const struct nadi_host_io *io)
{
    struct nadi_operands o;
    read_io(h, node, io, &o);
    return o.bytes;
}

uint64_t nadi_cost_event_bytes(const struct nadi_kineto *k, const struct nadi_kineto_event *event)
{
    struct nadi_operands o;
    if (event->detail == NADI_NONE)
        return 0;
    const struct nadi_event_detail *d = &k->details.items[event->detail];
    nadi_operands_read(&o, (struct nadi_view){0}, name_view(k, d->dims), name_view(k, d->types));
    return o.bytes;
}
