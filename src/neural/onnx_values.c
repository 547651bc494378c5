/* onnx_values: operators on each value: sums, factors, activations. */
#include <math.h>

#include "neural/onnx_make.h"

static bool is_number(const struct nadi_nn_tensor *c, double number)
{
    return c && c->count == 1 && fabs((double)c->values[0] / number - 1) < 1e-4;
}

/* ---- Add ------------------------------------------------------------------------------------- */

static bool add_layers(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_view a, struct nadi_onnx_view b)
{
    if (!nadi_onnx_settle(m, n, &a) || !nadi_onnx_settle(m, n, &b))
        return false;
    if (!nadi_onnx_same_axes(&a, &b))
        return nadi_onnx_refuse(m, n, "its inputs differ in their axes");
    if (!nadi_onnx_add(m, n,
                       (struct nadi_nn_layer){
                           .kind = NADI_NN_ADD, .inputs = {a.layer, b.layer}, .input_count = 2},
                       false))
        return false;
    a.layer = m->nn->count - 1;
    return nadi_onnx_give_view(m, n, &a);
}

/* Has the constant a number for each channel, or one for all? */
static bool is_bias(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v,
                    const struct nadi_nn_tensor *c)
{
    uint32_t axis = 0;
    while (axis < v->rank && !nadi_onnx_is_channels(m, v, axis))
        axis++;
    if (c->count == 1)
        return true;
    const uint32_t behind = v->rank - axis; /* axes from that of the channels on */
    return axis < v->rank && c->rank >= behind && c->rank <= v->rank &&
           c->count == m->nn->layers[v->layer].channels && c->dims[c->rank - behind] == c->count;
}

static bool add_constant(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                         struct nadi_onnx_view v, const struct nadi_nn_tensor *c)
{
    if (!nadi_onnx_settle(m, n, &v))
        return false;
    struct nadi_nn_layer *l = &m->nn->layers[v.layer];
    if (!nadi_nn_mixes(l->kind) || !nadi_onnx_is_open(m, v.layer) || !is_bias(m, &v, c))
        return nadi_onnx_refuse(m, n, "a constant is only read as the bias of the layer before");
    for (uint32_t i = 0; i < l->channels; i++)
        l->bias[i] += c->values[c->count > 1 ? i : 0];
    return nadi_onnx_give_view(m, n, &v);
}

bool nadi_onnx_plus(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    struct nadi_onnx_value *other =
        n->input_count == 2 ? nadi_onnx_value_of(m, n->inputs[1]) : NULL;
    struct nadi_onnx_value *one = from ? from : other;
    const struct nadi_nn_tensor *c = nadi_onnx_constant(m, n, from ? 1 : 0);
    if (n->input_count != 2 || !one || (!c && !(from && other)))
        return nadi_onnx_refuse(m, n, "its inputs are not there");
    if (from && other) {
        if (from->form != NADI_ONNX_VIEW || other->form != NADI_ONNX_VIEW)
            return nadi_onnx_refuse(m, n, "of scores and the like only masks are added");
        return add_layers(m, n, from->view, other->view);
    }
    if (one->form == NADI_ONNX_SCORES)
        return nadi_onnx_mask(m, n, one, c);
    if (one->form == NADI_ONNX_ERF && is_number(c, 1)) {
        struct nadi_onnx_value to = *one;
        to.form = NADI_ONNX_ERF_1;
        return nadi_onnx_give(m, n, 0, &to);
    }
    if (one->form != NADI_ONNX_VIEW)
        return nadi_onnx_refuse(m, n, "a constant is only read as the bias of the layer before");
    return add_constant(m, n, one->view, c);
}

/* ---- activations ----------------------------------------------------------------------------- */

static bool activate(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                     const struct nadi_onnx_value *from, enum nadi_nn_activation activation)
{
    const struct nadi_onnx_attribute *approximate = nadi_onnx_attribute(n, "approximate");
    struct nadi_onnx_view v = from->view;
    if (approximate && approximate->text && strcmp(approximate->text, "none") != 0)
        return nadi_onnx_refuse(m, n, "only without approximation");
    if (!nadi_onnx_is_whole(m, &v) && !nadi_onnx_settle(m, n, &v))
        return false;
    if (nadi_onnx_is_open(m, v.layer))
        m->nn->layers[v.layer].activation = activation;
    else {
        if (!nadi_onnx_add(m, n,
                           (struct nadi_nn_layer){.kind = NADI_NN_ADD,
                                                  .inputs = {v.layer},
                                                  .input_count = 1,
                                                  .activation = activation},
                           false))
            return false;
        v.layer = m->nn->count - 1;
    }
    return nadi_onnx_give_view(m, n, &v);
}

static bool activate_view(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                          const struct nadi_onnx_value *from, enum nadi_nn_activation activation)
{
    return from->form == NADI_ONNX_VIEW ? activate(m, n, from, activation)
                                        : nadi_onnx_refuse(m, n, "only of activations");
}

bool nadi_onnx_relu(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    return activate_view(m, n, from, NADI_NN_RELU);
}

bool nadi_onnx_gelu(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    return activate_view(m, n, from, NADI_NN_GELU);
}

bool nadi_onnx_tanh(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *from)
{
    return activate_view(m, n, from, NADI_NN_TANH);
}

bool nadi_onnx_sigmoid(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_value *from)
{
    return activate_view(m, n, from, NADI_NN_SIGMOID);
}

/* ---- Mul, Div, Erf --------------------------------------------------------------------------- */

/* x / sqrt 2 becomes the first step of x (1 + erf(x / sqrt 2)) / 2. */
bool nadi_onnx_erf(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                   struct nadi_onnx_value *from)
{
    struct nadi_onnx_value to = *from;
    if (from->form != NADI_ONNX_VIEW || fabs(from->view.scale * sqrt(2) - 1) > 1e-4)
        return nadi_onnx_refuse(m, n, "only as a part of a gelu");
    to.form = NADI_ONNX_ERF;
    to.view.scale = 1;
    return nadi_onnx_give(m, n, 0, &to);
}

/* Of x, or of x / 2, with 1 + erf(x / sqrt 2). */
static bool finish_gelu(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                        const struct nadi_onnx_value *x, const struct nadi_onnx_value *erf)
{
    struct nadi_onnx_value to = *erf;
    if (x->form != NADI_ONNX_VIEW || x->view.layer != erf->view.layer ||
        x->view.offset != erf->view.offset || !nadi_onnx_same_axes(&x->view, &erf->view))
        return nadi_onnx_refuse(m, n, "only as a part of a gelu");
    to.form = NADI_ONNX_TWICE_GELU;
    to.scale = x->view.scale;
    return fabs(to.scale - 0.5) < 1e-4 ? activate(m, n, &to, NADI_NN_GELU)
                                       : nadi_onnx_give(m, n, 0, &to);
}

bool nadi_onnx_scale(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                     struct nadi_onnx_value *from)
{
    const bool divides = strcmp(n->op, "Div") == 0;
    struct nadi_onnx_value *other =
        n->input_count == 2 ? nadi_onnx_value_of(m, n->inputs[1]) : NULL;
    const struct nadi_nn_tensor *c = nadi_onnx_constant(m, n, from ? 1 : 0);
    if (from && other && !divides && from->form == NADI_ONNX_ERF_1)
        return finish_gelu(m, n, other, from);
    if (from && other && !divides && other->form == NADI_ONNX_ERF_1)
        return finish_gelu(m, n, from, other);
    struct nadi_onnx_value *one = from ? from : other;
    const double number = c && c->count == 1 ? (double)c->values[0] : 0;
    if (!one || (from && other) || (divides && !from) || !(fabs(number) > 0) || !isfinite(number))
        return nadi_onnx_refuse(m, n, "only activations and one constant number are read");
    struct nadi_onnx_value to = *one;
    const double factor = divides ? 1 / number : number;
    if (one->form == NADI_ONNX_TWICE_GELU && fabs(one->scale * factor - 0.5) < 1e-4)
        return activate(m, n, one, NADI_NN_GELU);
    if (one->form == NADI_ONNX_VIEW)
        to.view.scale *= factor;
    else if (one->form == NADI_ONNX_SCORES && one->mask)
        return nadi_onnx_refuse(m, n, "scores are only scaled before a mask is added");
    else if (one->form == NADI_ONNX_SCORES)
        to.scale *= factor;
    else
        return nadi_onnx_refuse(m, n, "only activations and scores are scaled");
    return nadi_onnx_give(m, n, 0, &to);
}
