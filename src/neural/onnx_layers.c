/* onnx_layers: operators with layers of their own. */
#include <math.h>

#include "neural/onnx_make.h"

static bool take_bias(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_nn_layer *l, const struct nadi_nn_tensor *bias)
{
    if (bias && bias->count != l->channels && bias->count != 1)
        return nadi_onnx_refuse(m, n, "its bias does not have one number for each output");
    for (uint32_t c = 0; bias && c < l->channels; c++)
        l->bias[c] += bias->values[bias->count > 1 ? c : 0];
    return true;
}

/* The same axes of the last layer. */
static bool give_same(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      const struct nadi_onnx_view *v)
{
    struct nadi_onnx_view to = *v;
    to.layer = m->nn->count - 1;
    return nadi_onnx_give_view(m, n, &to);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static bool matrix_of(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_view *v, const struct nadi_nn_tensor *w, bool transposed)
{
    const struct nadi_nn_tensor *bias = nadi_onnx_constant(m, n, 2);
    const uint64_t outputs = w->dims[transposed ? 0 : 1], inputs = w->dims[transposed ? 1 : 0];
    if (!nadi_onnx_settle(m, n, v))
        return false;
    if (!nadi_onnx_is_channels(m, v, v->rank - 1))
        return nadi_onnx_refuse(m, n, "only features times a constant matrix are read");
    if (inputs != m->nn->layers[v->layer].channels || outputs > UINT32_MAX)
        return nadi_onnx_refuse(m, n, "its matrix does not fit its input");
    struct nadi_nn_layer *l = nadi_onnx_add(m, n,
                                            (struct nadi_nn_layer){.kind = NADI_NN_DENSE,
                                                                   .inputs = {v->layer},
                                                                   .input_count = 1,
                                                                   .channels = (uint32_t)outputs},
                                            true);
    for (uint64_t j = 0; l && j < outputs; j++)
        for (uint64_t i = 0; i < inputs; i++)
            l->weights[j * inputs + i] = w->values[transposed ? j * inputs + i : i * outputs + j];
    if (!l || !take_bias(m, n, l, bias))
        return false;
    nadi_onnx_set_last(m, v, m->nn->count - 1);
    return nadi_onnx_give_view(m, n, v);
}

bool nadi_onnx_matrix(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_value *from)
{
    const bool is_gemm = strcmp(n->op, "Gemm") == 0;
    const struct nadi_nn_tensor *w = nadi_onnx_constant(m, n, 1);
    struct nadi_onnx_value *other = n->input_count > 1 ? nadi_onnx_value_of(m, n->inputs[1]) : NULL;
    if (!is_gemm && from && other)
        return nadi_onnx_multiply(m, n, from, other);
    if (!from || from->form != NADI_ONNX_VIEW || !w || w->rank != 2 ||
        (is_gemm && from->view.rank != 2))
        return nadi_onnx_refuse(m, n, "only features times a constant matrix are read");
    if (is_gemm && (fabs(nadi_onnx_real(n, "alpha", 1) - 1) > 0 ||
                    fabs(nadi_onnx_real(n, "beta", 1) - 1) > 0 || nadi_onnx_whole(n, "transA", 0) ||
                    (n->input_count > 2 && n->inputs[2][0] && !nadi_onnx_constant(m, n, 2))))
        return nadi_onnx_refuse(m, n,
                                "only with alpha and beta of 1, transA of 0 and a constant C");
    struct nadi_onnx_view v = from->view;
    return matrix_of(m, n, &v, w, is_gemm && nadi_onnx_whole(n, "transB", 0));
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Window, step and padding, which must be alike on all sides. */
static bool window(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                   struct nadi_nn_layer *l)
{
    const struct nadi_onnx_attribute *strides = nadi_onnx_attribute(n, "strides"),
                                     *pads = nadi_onnx_attribute(n, "pads"),
                                     *dilations = nadi_onnx_attribute(n, "dilations"),
                                     *automatic = nadi_onnx_attribute(n, "auto_pad");
    int64_t step = 1, padding = 0;
    if (automatic && automatic->text && strcmp(automatic->text, "NOTSET") != 0)
        return nadi_onnx_refuse(m, n, "auto_pad is not read; say pads");
    for (uint32_t i = 0; dilations && i < dilations->int_count; i++)
        if (dilations->ints[i] != 1)
            return nadi_onnx_refuse(m, n, "only without dilation");
    for (uint32_t i = 0; strides && i < strides->int_count; i++) {
        if (i && strides->ints[i] != step)
            return nadi_onnx_refuse(m, n, "only with the same stride in both directions");
        step = strides->ints[i];
    }
    for (uint32_t i = 0; pads && i < pads->int_count; i++) {
        if (i && pads->ints[i] != padding)
            return nadi_onnx_refuse(m, n, "only with the same padding on all sides");
        padding = pads->ints[i];
    }
    if (step < 1 || step > 65536 || padding < 0 || padding > 65536 ||
        nadi_onnx_whole(n, "ceil_mode", 0))
        return nadi_onnx_refuse(m, n, "a stride, padding or ceil_mode that is not read");
    l->stride = (uint32_t)step;
    l->padding = (uint32_t)padding;
    return true;
}

bool nadi_onnx_conv(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    const struct nadi_nn_tensor *w = nadi_onnx_constant(m, n, 1),
                                *bias = nadi_onnx_constant(m, n, 2);
    const int64_t groups = nadi_onnx_whole(n, "group", 1);
    struct nadi_nn_layer l = {.kind = NADI_NN_CONV, .inputs = {from->view.layer}, .input_count = 1};
    if (from->form != NADI_ONNX_VIEW || !w || w->rank != 4 || w->dims[0] > UINT32_MAX ||
        w->dims[2] > 65536 || w->dims[3] > 65536 || !w->count || groups < 1 ||
        groups > UINT32_MAX || (n->input_count > 2 && n->inputs[2][0] && !bias) ||
        !nadi_onnx_is_image(m, &from->view))
        return nadi_onnx_refuse(m, n, "only of images, with a constant kernel");
    if (w->dims[1] * (uint64_t)groups != m->nn->layers[from->view.layer].channels)
        return nadi_onnx_refuse(m, n, "its kernel does not fit its input");
    l.channels = (uint32_t)w->dims[0];
    l.kernel[0] = (uint32_t)w->dims[2];
    l.kernel[1] = (uint32_t)w->dims[3];
    l.groups = (uint32_t)groups;
    if (!window(m, n, &l))
        return false;
    struct nadi_nn_layer *added = nadi_onnx_add(m, n, l, true);
    if (!added)
        return false;
    memcpy(added->weights, w->values, w->count * sizeof(float));
    const struct nadi_onnx_view image = nadi_onnx_image(m->nn, m->nn->count - 1);
    return take_bias(m, n, added, bias) && nadi_onnx_give_view(m, n, &image);
}

/* The mean of all positions, of images or of sequences with the channels first. */
static bool pool_all(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                     struct nadi_onnx_view v)
{
    uint64_t positions = 1;
    if (!nadi_onnx_settle(m, n, &v))
        return false;
    for (uint32_t i = 2; i < v.rank; i++)
        positions *= nadi_onnx_axis_size(&v.axes[i]);
    if (v.rank < 3 || !nadi_onnx_is_channels(m, &v, 1) ||
        positions != nadi_nn_positions(&m->nn->layers[v.layer]))
        return nadi_onnx_refuse(m, n, "only of images, with a window");
    if (!nadi_onnx_add(m, n,
                       (struct nadi_nn_layer){
                           .kind = NADI_NN_MEAN_POOL, .inputs = {v.layer}, .input_count = 1},
                       false))
        return false;
    for (uint32_t i = 2; i < v.rank; i++)
        v.axes[i].count = 0;
    return give_same(m, n, &v);
}

bool nadi_onnx_pool(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    const bool max = strcmp(n->op, "MaxPool") == 0;
    const struct nadi_onnx_attribute *kernel = nadi_onnx_attribute(n, "kernel_shape");
    struct nadi_nn_layer l = {.kind = max ? NADI_NN_MAX_POOL : NADI_NN_MEAN_POOL,
                              .inputs = {from->view.layer},
                              .input_count = 1};
    if (from->form == NADI_ONNX_VIEW && strcmp(n->op, "GlobalAveragePool") == 0)
        return pool_all(m, n, from->view);
    for (uint32_t i = 0; kernel && i < 2 && i < kernel->int_count; i++)
        l.kernel[i] =
            kernel->ints[i] > 0 && kernel->ints[i] <= 65536 ? (uint32_t)kernel->ints[i] : 0;
    if (from->form != NADI_ONNX_VIEW || !kernel || kernel->int_count != 2 || !l.kernel[0] ||
        !l.kernel[1] || !nadi_onnx_is_image(m, &from->view))
        return nadi_onnx_refuse(m, n, "only of images, with a window");
    if (!window(m, n, &l))
        return false;
    if (!max && l.padding)
        return nadi_onnx_refuse(m, n, "a mean with padding is not read");
    if (!nadi_onnx_add(m, n, l, false))
        return false;
    const struct nadi_onnx_view image = nadi_onnx_image(m->nn, m->nn->count - 1);
    return nadi_onnx_give_view(m, n, &image);
}

/* ---- norms ----------------------------------------------------------------------------------- */

static void scale_channels(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                           struct nadi_nn_layer *l, bool folded)
{
    const struct nadi_nn_tensor *in[5] = {NULL};
    const size_t fan = folded ? nadi_nn_fan_in(m->nn, l) : 1;
    for (uint32_t i = 1; i < 5; i++)
        in[i] = nadi_onnx_constant(m, n, i);
    for (uint32_t c = 0; c < l->channels; c++) {
        const double scale = (double)in[1]->values[c] /
                             sqrt((double)in[4]->values[c] + nadi_onnx_real(n, "epsilon", 1e-5));
        for (size_t i = 0; i < fan; i++)
            l->weights[c * fan + i] =
                (float)((folded ? (double)l->weights[c * fan + i] : 1) * scale);
        l->bias[c] = (float)(((double)l->bias[c] - (double)in[3]->values[c]) * scale +
                             (double)in[2]->values[c]);
    }
}

/* Scale and shift of each channel: in the layer before, or as a convolution of one's own. */
bool nadi_onnx_batch_norm(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                          struct nadi_onnx_value *from)
{
    struct nadi_onnx_view v = from->view;
    if (from->form != NADI_ONNX_VIEW || !nadi_onnx_settle(m, n, &v))
        return from->form == NADI_ONNX_VIEW ? false
                                            : nadi_onnx_refuse(m, n, "only over the channels");
    struct nadi_nn_layer *l = &m->nn->layers[v.layer];
    const uint32_t channels = l->channels;
    if (!nadi_onnx_is_channels(m, &v, 1))
        return nadi_onnx_refuse(m, n, "only over the channels");
    for (uint32_t i = 1; i < 5; i++) {
        const struct nadi_nn_tensor *t = nadi_onnx_constant(m, n, i);
        if (!t || t->count != channels)
            return nadi_onnx_refuse(m, n, "only with constants for each channel");
    }
    const bool folded = nadi_nn_mixes(l->kind) && nadi_onnx_is_open(m, v.layer);
    if (!folded)
        l = nadi_onnx_add(m, n,
                          (struct nadi_nn_layer){.kind = NADI_NN_CONV,
                                                 .inputs = {v.layer},
                                                 .input_count = 1,
                                                 .channels = channels,
                                                 .kernel = {1, 1},
                                                 .groups = channels},
                          true);
    if (!l)
        return false;
    scale_channels(m, n, l, folded);
    return folded ? nadi_onnx_give_view(m, n, &v) : give_same(m, n, &v);
}

bool nadi_onnx_layer_norm(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                          struct nadi_onnx_value *from)
{
    const struct nadi_nn_tensor *gain = nadi_onnx_constant(m, n, 1),
                                *shift = nadi_onnx_constant(m, n, 2);
    const int64_t axis = nadi_onnx_whole(n, "axis", -1);
    struct nadi_onnx_view v = from->view;
    if (from->form == NADI_ONNX_VIEW && !nadi_onnx_settle(m, n, &v))
        return false;
    if (from->form != NADI_ONNX_VIEW || (axis != -1 && axis != v.rank - 1) ||
        !nadi_onnx_is_channels(m, &v, v.rank - 1) || !gain ||
        gain->count != m->nn->layers[v.layer].channels ||
        (n->input_count > 2 && n->inputs[2][0] && (!shift || shift->count != gain->count)))
        return nadi_onnx_refuse(m, n, "only over the features, with constants for each");
    struct nadi_nn_layer *l =
        nadi_onnx_add(m, n,
                      (struct nadi_nn_layer){.kind = NADI_NN_NORM,
                                             .inputs = {v.layer},
                                             .input_count = 1,
                                             .epsilon = nadi_onnx_real(n, "epsilon", 1e-5)},
                      true);
    for (uint32_t c = 0; l && c < l->channels; c++) {
        l->weights[c] = gain->values[c];
        l->bias[c] = shift ? shift->values[c] : 0;
    }
    return l && give_same(m, n, &v);
}
