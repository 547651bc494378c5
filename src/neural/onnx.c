#include "neural/onnx.h"

#include <math.h>

#include "base/mem.h"
#include "neural/onnx_inside.h"

struct maker {
    struct nadi_nn *nn;
    const struct nadi_onnx_graph *g;
    const char *path;
    struct nadi_diags *diags;
    const char **value; /* of each layer: what the file calls its output */
    bool *flat;         /* of each layer: (batch, features) */
};

static struct nadi_place place_of(const struct maker *m, const struct nadi_onnx_node *n)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.node = n->name[0] ? n->name : n->output;
    return place;
}

static bool refuse(const struct maker *m, const struct nadi_onnx_node *n, const char *what)
{
    return nadi_error(m->diags, "onnx/operator", place_of(m, n),
                      "save the weights as .npz and describe the layers instead", "%s: %s", n->op,
                      what);
}

static uint32_t layer_of(const struct maker *m, const char *value)
{
    for (uint32_t i = m->nn->count; i-- > 0;)
        if (strcmp(m->value[i], value) == 0)
            return i;
    return NADI_NONE;
}

static const struct nadi_nn_tensor *constant(const struct maker *m, const struct nadi_onnx_node *n,
                                             uint32_t input)
{
    return input < n->input_count ? nadi_tensors_find(&m->g->constants, n->inputs[input]) : NULL;
}

static const struct nadi_onnx_attribute *attribute(const struct nadi_onnx_node *n, const char *name)
{
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (strcmp(n->attributes[i].name, name) == 0)
            return &n->attributes[i];
    return NULL;
}

static int64_t whole(const struct nadi_onnx_node *n, const char *name, int64_t otherwise)
{
    const struct nadi_onnx_attribute *a = attribute(n, name);
    return a ? a->whole : otherwise;
}

static double real(const struct nadi_onnx_node *n, const char *name, double otherwise)
{
    const struct nadi_onnx_attribute *a = attribute(n, name);
    return a ? a->real : otherwise;
}

/* How many nodes read a value; the graph's output counts as one more. */
static uint32_t uses(const struct maker *m, const char *value)
{
    uint32_t count = m->g->output && strcmp(m->g->output, value) == 0;
    for (size_t i = 0; i < m->g->nodes.count; i++)
        for (uint32_t k = 0; k < m->g->nodes.items[i].input_count; k++)
            count += strcmp(m->g->nodes.items[i].inputs[k], value) == 0;
    return count;
}

/* May the layer be changed instead of having another one behind it? */
static bool is_open(const struct maker *m, uint32_t layer)
{
    return m->nn->layers[layer].activation == NADI_NN_PLAIN && uses(m, m->value[layer]) == 1;
}

static struct nadi_nn_layer *add(struct maker *m, const struct nadi_onnx_node *n,
                                 struct nadi_nn_layer l, bool weighted, bool flat)
{
    l.name = n->output;
    l.place = place_of(m, n);
    struct nadi_nn_layer *added =
        weighted ? nadi_nn_add_weighted(m->nn, &l, m->diags) : nadi_nn_add(m->nn, &l, m->diags);
    if (added) {
        m->value[m->nn->count - 1] = n->output;
        m->flat[m->nn->count - 1] = flat;
    }
    return added;
}

static bool take_bias(const struct maker *m, const struct nadi_onnx_node *n,
                      struct nadi_nn_layer *l, const struct nadi_nn_tensor *bias)
{
    if (bias && bias->count != l->channels)
        return refuse(m, n, "its bias does not have one number for each output");
    for (uint32_t c = 0; bias && c < l->channels; c++)
        l->bias[c] += bias->values[c];
    return true;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool gemm(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const bool is_gemm = strcmp(n->op, "Gemm") == 0;
    const bool transposed = is_gemm && whole(n, "transB", 0);
    const struct nadi_nn_tensor *w = constant(m, n, 1), *bias = constant(m, n, 2);
    if (!w || w->rank != 2 || !m->flat[from])
        return refuse(m, n, "only features times a constant matrix are read");
    if (is_gemm && (fabs(real(n, "alpha", 1) - 1) > 0 || fabs(real(n, "beta", 1) - 1) > 0 ||
                    whole(n, "transA", 0) || (n->input_count > 2 && !bias)))
        return refuse(m, n, "only with alpha and beta of 1, transA of 0 and a constant C");
    const uint64_t outputs = w->dims[transposed ? 0 : 1], inputs = w->dims[transposed ? 1 : 0];
    if (inputs != m->nn->layers[from].channels || outputs > UINT32_MAX)
        return refuse(m, n, "its matrix does not fit its input");
    struct nadi_nn_layer *l = add(m, n,
                                  (struct nadi_nn_layer){.kind = NADI_NN_DENSE,
                                                         .inputs = {from},
                                                         .input_count = 1,
                                                         .channels = (uint32_t)outputs},
                                  true, true);
    for (uint64_t j = 0; l && j < outputs; j++)
        for (uint64_t i = 0; i < inputs; i++)
            l->weights[j * inputs + i] = w->values[transposed ? j * inputs + i : i * outputs + j];
    return l && take_bias(m, n, l, bias);
}

/* Window, step and padding, which must be alike on all sides. */
static bool window(const struct maker *m, const struct nadi_onnx_node *n, struct nadi_nn_layer *l)
{
    const struct nadi_onnx_attribute *strides = attribute(n, "strides"),
                                     *pads = attribute(n, "pads"),
                                     *dilations = attribute(n, "dilations"),
                                     *automatic = attribute(n, "auto_pad");
    int64_t step = 1, padding = 0;
    if (automatic && automatic->text && strcmp(automatic->text, "NOTSET") != 0)
        return refuse(m, n, "auto_pad is not read; say pads");
    for (uint32_t i = 0; dilations && i < dilations->int_count; i++)
        if (dilations->ints[i] != 1)
            return refuse(m, n, "only without dilation");
    for (uint32_t i = 0; strides && i < strides->int_count; i++) {
        if (i && strides->ints[i] != step)
            return refuse(m, n, "only with the same stride in both directions");
        step = strides->ints[i];
    }
    for (uint32_t i = 0; pads && i < pads->int_count; i++) {
        if (i && pads->ints[i] != padding)
            return refuse(m, n, "only with the same padding on all sides");
        padding = pads->ints[i];
    }
    if (step < 1 || step > 65536 || padding < 0 || padding > 65536 || whole(n, "ceil_mode", 0))
        return refuse(m, n, "a stride, padding or ceil_mode that is not read");
    l->stride = (uint32_t)step;
    l->padding = (uint32_t)padding;
    return true;
}

static bool conv(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const struct nadi_nn_tensor *w = constant(m, n, 1), *bias = constant(m, n, 2);
    const int64_t groups = whole(n, "group", 1);
    struct nadi_nn_layer l = {.kind = NADI_NN_CONV, .inputs = {from}, .input_count = 1};
    if (!w || w->rank != 4 || m->flat[from] || w->dims[0] > UINT32_MAX || w->dims[2] > 65536 ||
        w->dims[3] > 65536 || !w->count || groups < 1 || groups > UINT32_MAX ||
        (n->input_count > 2 && !bias))
        return refuse(m, n, "only of images, with a constant kernel");
    if (w->dims[1] * (uint64_t)groups != m->nn->layers[from].channels)
        return refuse(m, n, "its kernel does not fit its input");
    l.channels = (uint32_t)w->dims[0];
    l.kernel[0] = (uint32_t)w->dims[2];
    l.kernel[1] = (uint32_t)w->dims[3];
    l.groups = (uint32_t)groups;
    if (!window(m, n, &l))
        return false;
    struct nadi_nn_layer *added = add(m, n, l, true, false);
    if (!added)
        return false;
    memcpy(added->weights, w->values, w->count * sizeof(float));
    return take_bias(m, n, added, bias);
}

static bool pool(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const bool all = strcmp(n->op, "GlobalAveragePool") == 0, max = strcmp(n->op, "MaxPool") == 0;
    const struct nadi_onnx_attribute *kernel = attribute(n, "kernel_shape");
    struct nadi_nn_layer l = {
        .kind = max ? NADI_NN_MAX_POOL : NADI_NN_MEAN_POOL, .inputs = {from}, .input_count = 1};
    for (uint32_t i = 0; !all && kernel && i < 2 && i < kernel->int_count; i++)
        l.kernel[i] =
            kernel->ints[i] > 0 && kernel->ints[i] <= 65536 ? (uint32_t)kernel->ints[i] : 0;
    if (m->flat[from] ||
        (!all && (!kernel || kernel->int_count != 2 || !l.kernel[0] || !l.kernel[1])))
        return refuse(m, n, "only of images, with a window");
    return window(m, n, &l) &&
           (max || !l.padding || refuse(m, n, "a mean with padding is not read")) &&
           add(m, n, l, false, false);
}

/* Scale and shift of each channel: in the layer before, or as a convolution of one's own. */
static bool batch_norm(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const struct nadi_nn_tensor *in[5] = {NULL};
    struct nadi_nn_layer *l = &m->nn->layers[from];
    const uint32_t channels = l->channels;
    for (uint32_t i = 1; i < 5; i++) {
        in[i] = constant(m, n, i);
        if (!in[i] || in[i]->count != channels)
            return refuse(m, n, "only with constants for each channel");
    }
    const bool folded = nadi_nn_mixes(l->kind) && is_open(m, from);
    const size_t fan = folded ? nadi_nn_fan_in(m->nn, l) : 1;
    if (!folded)
        l = add(m, n,
                (struct nadi_nn_layer){.kind = NADI_NN_CONV,
                                       .inputs = {from},
                                       .input_count = 1,
                                       .channels = channels,
                                       .kernel = {1, 1},
                                       .groups = channels},
                true, m->flat[from]);
    for (uint32_t c = 0; l && c < channels; c++) {
        const double scale =
            (double)in[1]->values[c] / sqrt((double)in[4]->values[c] + real(n, "epsilon", 1e-5));
        for (size_t i = 0; i < fan; i++)
            l->weights[c * fan + i] =
                (float)((folded ? (double)l->weights[c * fan + i] : 1) * scale);
        l->bias[c] = (float)(((double)l->bias[c] - (double)in[3]->values[c]) * scale +
                             (double)in[2]->values[c]);
    }
    if (folded)
        m->value[from] = n->output;
    return l != NULL;
}

static bool layer_norm(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const struct nadi_nn_tensor *gain = constant(m, n, 1), *shift = constant(m, n, 2);
    const int64_t axis = whole(n, "axis", -1);
    if (!m->flat[from] || (axis != -1 && axis != 1) || !gain ||
        gain->count != m->nn->layers[from].channels ||
        (n->input_count > 2 && (!shift || shift->count != gain->count)))
        return refuse(m, n, "only over the features, with constants for each");
    struct nadi_nn_layer *l = add(m, n,
                                  (struct nadi_nn_layer){.kind = NADI_NN_NORM,
                                                         .inputs = {from},
                                                         .input_count = 1,
                                                         .epsilon = real(n, "epsilon", 1e-5)},
                                  true, true);
    for (uint32_t c = 0; l && c < l->channels; c++) {
        l->weights[c] = gain->values[c];
        l->bias[c] = shift ? shift->values[c] : 0;
    }
    return l != NULL;
}

static bool plus(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const uint32_t other = n->input_count == 2 ? layer_of(m, n->inputs[1]) : NADI_NONE;
    const uint32_t one = from == NADI_NONE ? other : from;
    const struct nadi_nn_tensor *c = constant(m, n, from == NADI_NONE ? 0 : 1);
    if (from != NADI_NONE && other != NADI_NONE)
        return add(
            m, n,
            (struct nadi_nn_layer){.kind = NADI_NN_ADD, .inputs = {from, other}, .input_count = 2},
            false, m->flat[from]);
    if (one == NADI_NONE || !c)
        return refuse(m, n, "its inputs are not there");
    struct nadi_nn_layer *l = &m->nn->layers[one];
    const uint32_t axis = m->flat[one] ? 1 : 3; /* of the channels, from the last one */
    if (!nadi_nn_mixes(l->kind) || !is_open(m, one) || c->count != l->channels ||
        (c->count > 1 && (c->rank < axis || c->dims[c->rank - axis] != c->count)))
        return refuse(m, n, "a constant is only read as the bias of the layer before");
    m->value[one] = n->output;
    return take_bias(m, n, l, c);
}

static bool activate(struct maker *m, const struct nadi_onnx_node *n, uint32_t from,
                     enum nadi_nn_activation activation)
{
    const struct nadi_onnx_attribute *approximate = attribute(n, "approximate");
    if (approximate && approximate->text && strcmp(approximate->text, "none") != 0)
        return refuse(m, n, "only without approximation");
    if (from && is_open(m, from)) {
        m->nn->layers[from].activation = activation;
        m->value[from] = n->output;
        return true;
    }
    return add(
        m, n,
        (struct nadi_nn_layer){
            .kind = NADI_NN_ADD, .inputs = {from}, .input_count = 1, .activation = activation},
        false, m->flat[from]);
}

/* To (batch, features), or nothing at all. */
static bool reshape(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const struct nadi_nn_layer *l = &m->nn->layers[from];
    const struct nadi_nn_tensor *shape = constant(m, n, 1);
    const double features = (double)l->channels * (double)nadi_nn_positions(l);
    const bool flattens = strcmp(n->op, "Flatten") == 0 && whole(n, "axis", 1) == 1;
    const bool reshapes =
        strcmp(n->op, "Reshape") == 0 && shape && shape->count == 2 &&
        (shape->values[1] < 0 || fabs((double)shape->values[1] - features) < 0.5) &&
        shape->values[0] < 2;
    if (!flattens && !reshapes)
        return refuse(m, n, "only to a batch of features");
    return add(m, n,
               (struct nadi_nn_layer){.kind = NADI_NN_FLATTEN, .inputs = {from}, .input_count = 1},
               false, true);
}

static bool transpose(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const struct nadi_onnx_attribute *order = attribute(n, "perm");
    for (uint32_t i = 0; order && i < order->int_count; i++)
        if (order->ints[i] != i)
            order = NULL;
    if (!order)
        return refuse(m, n, "axes that change places are not read");
    return add(m, n,
               (struct nadi_nn_layer){.kind = NADI_NN_ADD, .inputs = {from}, .input_count = 1},
               false, m->flat[from]);
}

static bool softmax(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    const int64_t axis = whole(n, "axis", -1);
    if (axis != 1 && !(axis == -1 && m->flat[from]))
        return refuse(m, n, "only over the channels");
    return add(m, n,
               (struct nadi_nn_layer){.kind = NADI_NN_SOFTMAX, .inputs = {from}, .input_count = 1},
               false, m->flat[from]);
}

static bool relu(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    return activate(m, n, from, NADI_NN_RELU);
}

static bool gelu(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    return activate(m, n, from, NADI_NN_GELU);
}

static bool hyperbolic(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    return activate(m, n, from, NADI_NN_TANH);
}

static bool sigmoid(struct maker *m, const struct nadi_onnx_node *n, uint32_t from)
{
    return activate(m, n, from, NADI_NN_SIGMOID);
}

static const struct {
    const char *op;
    bool (*make)(struct maker *, const struct nadi_onnx_node *, uint32_t from);
} operators[] = {
    {"Gemm", gemm},
    {"MatMul", gemm},
    {"Conv", conv},
    {"Add", plus},
    {"Relu", relu},
    {"Gelu", gelu},
    {"Tanh", hyperbolic},
    {"Sigmoid", sigmoid},
    {"BatchNormalization", batch_norm},
    {"LayerNormalization", layer_norm},
    {"Softmax", softmax},
    {"Reshape", reshape},
    {"Flatten", reshape},
    {"Transpose", transpose},
    {"MaxPool", pool},
    {"AveragePool", pool},
    {"GlobalAveragePool", pool},
};

/* ---- the network ----------------------------------------------------------------------------- */

static bool make_node(struct maker *m, const struct nadi_onnx_node *n)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (strcmp(operators[i].op, n->op) != 0)
            continue;
        const uint32_t from = n->input_count ? layer_of(m, n->inputs[0]) : NADI_NONE;
        if (!n->output || (from == NADI_NONE && operators[i].make != plus))
            return refuse(m, n, "its input is not there yet, or is a constant");
        return operators[i].make(m, n, from);
    }
    return refuse(m, n, "no layer does this");
}

static bool make_input(struct maker *m)
{
    const struct nadi_onnx_graph *g = m->g;
    struct nadi_nn_layer in = {.name = "input", .kind = NADI_NN_INPUT, .height = 1, .width = 1};
    in.place = NADI_IN_FILE(m->path);
    bool known = g->rank == 2 || g->rank == 4;
    for (uint32_t i = 1; i < g->rank; i++)
        known &= g->dims[i] > 0 && g->dims[i] <= 1 << 24;
    if (!known)
        return nadi_error(m->diags, "onnx/input", in.place, NULL,
                          "input '%s' is neither (batch, features) nor (batch, channels, height, "
                          "width) of known sizes",
                          g->input);
    in.channels = (uint32_t)g->dims[1];
    if (g->rank == 4) {
        in.height = (uint32_t)g->dims[2];
        in.width = (uint32_t)g->dims[3];
    }
    m->value[0] = g->input;
    m->flat[0] = g->rank == 2;
    return nadi_nn_add(m->nn, &in, m->diags);
}

static bool make_all(struct maker *m)
{
    if (!make_input(m))
        return false;
    for (size_t i = 0; i < m->g->nodes.count; i++)
        if (!make_node(m, &m->g->nodes.items[i]))
            return false;
    if (m->nn->count < 2 || !m->g->output || layer_of(m, m->g->output) != m->nn->count - 1)
        return nadi_error(m->diags, "onnx/output", NADI_IN_FILE(m->path), NULL,
                          "the first output is not what the last node computes");
    for (uint32_t i = 0; i < m->nn->count; i++) { /* they outlive the file */
        m->nn->layers[i].place = NADI_NOWHERE;
    }
    return true;
}

bool nadi_onnx_parse(struct nadi_nn *nn, const char *path, const void *data, size_t bytes,
                     struct nadi_diags *diags)
{
    struct nadi_onnx_graph g;
    struct maker m = {.nn = nn, .g = &g, .path = path, .diags = diags};
    nadi_nn_init(nn);
    m.value = NADI_ZNEW(const char *, NADI_NN_MOST_LAYERS);
    m.flat = NADI_ZNEW(bool, NADI_NN_MOST_LAYERS);
    const bool ok = nadi_onnx_read_graph(&g, path, data, bytes, diags) && make_all(&m);
    nadi_onnx_release_graph(&g);
    nadi_mem_free(m.value);
    nadi_mem_free(m.flat);
    if (!ok)
        nadi_nn_release(nn);
    return ok;
}
