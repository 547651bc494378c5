#include "neural/onnx.h"

#include <math.h>

#include "base/mem.h"
#include "neural/onnx_make.h"

struct nadi_place nadi_onnx_place(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.node = n->name[0] ? n->name : n->outputs[0];
    return place;
}

bool nadi_onnx_refuse(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      const char *what)
{
    return nadi_error(m->diags, "onnx/operator", nadi_onnx_place(m, n),
                      "save the weights as .npz and describe the layers instead", "%s: %s", n->op,
                      what);
}

struct nadi_onnx_value *nadi_onnx_value_of(const struct nadi_onnx_maker *m, const char *name)
{
    for (size_t i = m->values.count; i-- > 0;)
        if (strcmp(m->values.items[i].name, name) == 0)
            return &m->values.items[i];
    return NULL;
}

const struct nadi_nn_tensor *nadi_onnx_constant(const struct nadi_onnx_maker *m,
                                                const struct nadi_onnx_node *n, uint32_t input)
{
    return input < n->input_count ? nadi_tensors_find(&m->g->constants, n->inputs[input]) : NULL;
}

const struct nadi_onnx_attribute *nadi_onnx_attribute(const struct nadi_onnx_node *n,
                                                      const char *name)
{
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (strcmp(n->attributes[i].name, name) == 0)
            return &n->attributes[i];
    return NULL;
}

int64_t nadi_onnx_whole(const struct nadi_onnx_node *n, const char *name, int64_t otherwise)
{
    const struct nadi_onnx_attribute *a = nadi_onnx_attribute(n, name);
    return a ? a->whole : otherwise;
}

double nadi_onnx_real(const struct nadi_onnx_node *n, const char *name, double otherwise)
{
    const struct nadi_onnx_attribute *a = nadi_onnx_attribute(n, name);
    return a ? a->real : otherwise;
}

/* How many nodes read a value; the graph's output counts as one more. */
static uint32_t uses(const struct nadi_onnx_maker *m, const char *value)
{
    uint32_t count = m->g->output && strcmp(m->g->output, value) == 0;
    for (size_t i = 0; i < m->g->nodes.count; i++)
        for (uint32_t k = 0; k < m->g->nodes.items[i].input_count; k++)
            count += strcmp(m->g->nodes.items[i].inputs[k], value) == 0;
    return count;
}

bool nadi_onnx_is_open(const struct nadi_onnx_maker *m, uint32_t layer)
{
    return layer > 0 && m->nn->layers[layer].activation == NADI_NN_PLAIN && !m->closed[layer];
}

bool nadi_onnx_give(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n, uint32_t output,
                    const struct nadi_onnx_value *value)
{
    struct nadi_onnx_value to = *value;
    to.name = n->outputs[output];
    if (nadi_onnx_value_of(m, to.name) || nadi_tensors_find(&m->g->constants, to.name))
        return nadi_onnx_refuse(m, n, "another node has an output of the same name");
    if (uses(m, to.name) != 1)
        m->closed[to.view.layer] = true;
    NADI_PUSH(&m->values, to);
    return true;
}

bool nadi_onnx_give_view(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                         const struct nadi_onnx_view *view)
{
    return nadi_onnx_give(m, n, 0,
                          &(struct nadi_onnx_value){.form = NADI_ONNX_VIEW, .view = *view});
}

struct nadi_nn_layer *nadi_onnx_add(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                                    struct nadi_nn_layer l, bool weighted)
{
    l.name = n->outputs[0];
    l.place = nadi_onnx_place(m, n);
    return weighted ? nadi_nn_add_weighted(m->nn, &l, m->diags) : nadi_nn_add(m->nn, &l, m->diags);
}

/* ---- operators ------------------------------------------------------------------------------- */

static const struct {
    const char *op;
    nadi_onnx_make_fn *make;
    bool constant_first; /* its first input may be one */
} operators[] = {
    {"Gemm", nadi_onnx_matrix, true},
    {"MatMul", nadi_onnx_matrix, true},
    {"Conv", nadi_onnx_conv, false},
    {"Add", nadi_onnx_plus, true},
    {"Mul", nadi_onnx_scale, true},
    {"Div", nadi_onnx_scale, true},
    {"Relu", nadi_onnx_relu, false},
    {"Gelu", nadi_onnx_gelu, false},
    {"Erf", nadi_onnx_erf, false},
    {"Tanh", nadi_onnx_tanh, false},
    {"Sigmoid", nadi_onnx_sigmoid, false},
    {"BatchNormalization", nadi_onnx_batch_norm, false},
    {"LayerNormalization", nadi_onnx_layer_norm, false},
    {"Softmax", nadi_onnx_softmax, false},
    {"Reshape", nadi_onnx_reshape, false},
    {"Flatten", nadi_onnx_reshape, false},
    {"Transpose", nadi_onnx_transpose, false},
    {"Split", nadi_onnx_split, false},
    {"Gather", nadi_onnx_gather, false},
    {"MaxPool", nadi_onnx_pool, false},
    {"AveragePool", nadi_onnx_pool, false},
    {"GlobalAveragePool", nadi_onnx_pool, false},
};

static bool make_node(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (strcmp(operators[i].op, n->op) != 0)
            continue;
        struct nadi_onnx_value from;
        const struct nadi_onnx_value *first =
            n->input_count ? nadi_onnx_value_of(m, n->inputs[0]) : NULL;
        if (first)
            from = *first; /* the list of values may move */
        if (!n->output_count || (!first && !operators[i].constant_first))
            return nadi_onnx_refuse(m, n, "its input is not there yet, or is a constant");
        return operators[i].make(m, n, first ? &from : NULL);
    }
    return nadi_onnx_refuse(m, n, "no layer does this");
}

/* ---- the network ----------------------------------------------------------------------------- */

static bool make_input(struct nadi_onnx_maker *m)
{
    const struct nadi_onnx_graph *g = m->g;
    struct nadi_nn_layer in = {.name = "input", .kind = NADI_NN_INPUT, .height = 1, .width = 1};
    in.place = NADI_IN_FILE(m->path);
    bool known = g->rank >= 2 && g->rank <= 4;
    for (uint32_t i = 1; i < g->rank; i++)
        known &= g->dims[i] > 0 && g->dims[i] <= 1 << 24;
    if (!known)
        return nadi_error(m->diags, "onnx/input", in.place, NULL,
                          "input '%s' is neither (batch, features), (batch, positions, features) "
                          "nor (batch, channels, height, width) of known sizes",
                          g->input);
    in.channels = (uint32_t)g->dims[g->rank == 3 ? 2 : 1];
    if (g->rank > 2)
        in.height = (uint32_t)g->dims[g->rank == 3 ? 1 : 2];
    if (g->rank == 4)
        in.width = (uint32_t)g->dims[3];
    m->nn->by_position = g->rank == 3;
    if (!nadi_nn_add(m->nn, &in, m->diags))
        return false;
    struct nadi_onnx_value value = {.name = g->input, .form = NADI_ONNX_VIEW};
    value.view = g->rank == 4 ? nadi_onnx_image(m->nn, 0) : nadi_onnx_features(m->nn, 0);
    if (g->rank == 3 && value.view.rank == 2) /* one position has an axis, too */
        value.view.axes[value.view.rank++] = value.view.axes[1], value.view.axes[1].count = 0;
    NADI_PUSH(&m->values, value);
    return true;
}

/* Layers that the output does not need are left out: a matrix that was taken apart, say. */
static void drop_unread(struct nadi_nn *nn, uint32_t output)
{
    uint32_t *place = NADI_ZNEW(uint32_t, nn->count), count = 0;
    place[0] = place[output] = 1;
    for (uint32_t i = output; i > 0; i--)
        for (uint32_t k = 0; place[i] && k < nn->layers[i].input_count; k++)
            place[nn->layers[i].inputs[k]] = 1;
    for (uint32_t i = 0; i <= output; i++) {
        if (!place[i])
            continue;
        nn->layers[count] = nn->layers[i];
        for (uint32_t k = 0; k < nn->layers[count].input_count; k++)
            nn->layers[count].inputs[k] = place[nn->layers[count].inputs[k]];
        place[i] = count++;
    }
    nn->count = count;
    nadi_mem_free(place);
}

static bool make_output(struct nadi_onnx_maker *m)
{
    const struct nadi_onnx_value *value = m->g->output ? nadi_onnx_value_of(m, m->g->output) : NULL;
    struct nadi_onnx_node last = {.op = "the output", .name = ""};
    if (!value || value->form != NADI_ONNX_VIEW || value->view.layer == 0)
        return nadi_error(m->diags, "onnx/output", NADI_IN_FILE(m->path), NULL,
                          "the first output is nothing that a layer gives");
    struct nadi_onnx_view v = value->view;
    last.outputs[0] = m->g->output;
    if (!nadi_onnx_settle(m, &last, &v))
        return false;
    drop_unread(m->nn, v.layer);
    return true;
}

/* Infinite numbers are for masks. */
static bool check_weights(const struct nadi_onnx_maker *m)
{
    for (uint32_t i = 1; i < m->nn->count; i++) {
        const struct nadi_nn_layer *l = &m->nn->layers[i];
        bool finite = true;
        for (size_t k = 0; l->weights && k < nadi_nn_weight_count(m->nn, l); k++)
            finite &= isfinite(l->weights[k]) != 0;
        for (size_t k = 0; k < nadi_nn_bias_count(l); k++)
            finite &= isfinite(l->bias[k]) != 0;
        if (!finite)
            return nadi_error(m->diags, "onnx/tensor", l->place, NULL,
                              "the weights of '%s' are not finite", l->name);
    }
    return true;
}

static bool make_all(struct nadi_onnx_maker *m)
{
    if (!make_input(m))
        return false;
    for (size_t i = 0; i < m->g->nodes.count; i++)
        if (!make_node(m, &m->g->nodes.items[i]))
            return false;
    if (!make_output(m) || !check_weights(m))
        return false;
    for (uint32_t i = 0; i < m->nn->count; i++) /* they outlive the file */
        m->nn->layers[i].place = NADI_NOWHERE;
    return true;
}

bool nadi_onnx_parse(struct nadi_nn *nn, const char *path, const void *data, size_t bytes,
                     struct nadi_diags *diags)
{
    struct nadi_onnx_graph g;
    struct nadi_onnx_maker m = {.nn = nn, .g = &g, .path = path, .diags = diags};
    nadi_nn_init(nn);
    m.closed = NADI_ZNEW(bool, NADI_NN_MOST_LAYERS);
    const bool ok = nadi_onnx_read_graph(&g, path, data, bytes, diags) && make_all(&m);
    nadi_onnx_release_graph(&g);
    nadi_mem_free(m.values.items);
    nadi_mem_free(m.closed);
    if (!ok)
        nadi_nn_release(nn);
    return ok;
}
