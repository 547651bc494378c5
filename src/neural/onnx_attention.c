/* onnx_attention: products of activations become heads: softmax(q k' / sqrt wide) v. */
#include <math.h>

#include "neural/onnx_make.h"

/* Heads in front of the last two axes, which are positions and channels, in either order. */
static bool is_heads(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v,
                     uint32_t positions, uint32_t channels)
{
    const size_t all = nadi_nn_positions(&m->nn->layers[v->layer]);
    const struct nadi_onnx_axis *p = &v->axes[positions], *c = &v->axes[channels];
    if (nadi_onnx_axis_size(p) != all || nadi_onnx_axis_size(c) < 1)
        return false;
    for (uint32_t i = 0; i < v->rank; i++)
        for (uint32_t k = 0; k < v->axes[i].count; k++) {
            const struct nadi_onnx_atom *atom = &v->axes[i].atoms[k];
            const bool first = i == 0 && k == 0;
            if ((atom->kind == NADI_ONNX_BATCH) != first ||
                (atom->kind == NADI_ONNX_POSITION) != (i == positions) ||
                (i == positions && atom->stride != 1))
                return false;
        }
    return v->axes[0].count > 0;
}

static uint64_t heads_of(const struct nadi_onnx_view *v)
{
    uint64_t heads = 1;
    for (uint32_t i = 0; i + 2 < v->rank; i++)
        heads *= nadi_onnx_axis_size(&v->axes[i]);
    return heads;
}

/* The same heads on the same axes, of whatever layers. */
static bool same_heads(const struct nadi_onnx_view *a, const struct nadi_onnx_view *b)
{
    for (uint32_t i = 0; i + 2 < a->rank && a->rank == b->rank; i++)
        if (nadi_onnx_axis_size(&a->axes[i]) != nadi_onnx_axis_size(&b->axes[i]))
            return false;
    return a->rank == b->rank;
}

static bool score(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                  const struct nadi_onnx_value *q, const struct nadi_onnx_value *k)
{
    const uint32_t last = q->view.rank - 1;
    if (q->view.rank < 3 || !same_heads(&q->view, &k->view) ||
        !is_heads(m, &q->view, last - 1, last) || !is_heads(m, &k->view, last, last - 1) ||
        nadi_onnx_axis_size(&q->view.axes[last]) != nadi_onnx_axis_size(&k->view.axes[last - 1]))
        return nadi_onnx_refuse(m, n, "of activations only queries times keys are read, by heads");
    const struct nadi_onnx_value scores = {
        .form = NADI_ONNX_SCORES, .view = q->view, .keys = k->view, .scale = 1};
    return nadi_onnx_give(m, n, 0, &scores);
}

/* Queries are scaled where the scores are not those of heads. */
static bool attend(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                   const struct nadi_onnx_value *shares, const struct nadi_onnx_value *values)
{
    struct nadi_onnx_view q = shares->view, k = shares->keys, v = values->view;
    const uint32_t last = q.rank - 1;
    const double wide = (double)nadi_onnx_axis_size(&q.axes[last]);
    const double scale = shares->scale * q.scale * k.scale * sqrt(wide);
    if (!same_heads(&q, &v) || !is_heads(m, &v, last - 1, last) ||
        nadi_onnx_axis_size(&v.axes[last]) != nadi_onnx_axis_size(&q.axes[last]))
        return nadi_onnx_refuse(m, n, "shares are only read times values, by the same heads");
    q.scale = fabs(scale - 1) < 1e-5 ? 1 : scale;
    k.scale = 1;
    if (!nadi_onnx_settle(m, n, &q) || !nadi_onnx_settle(m, n, &k) || !nadi_onnx_settle(m, n, &v) ||
        !nadi_onnx_add(m, n,
                       (struct nadi_nn_layer){.kind = NADI_NN_ATTENTION,
                                              .inputs = {q.layer, k.layer, v.layer},
                                              .input_count = 3,
                                              .heads = (uint32_t)heads_of(&q),
                                              .causal = shares->causal,
                                              .mask = shares->mask,
                                              .mask_heads = shares->mask_heads},
                       false))
        return false;
    if (shares->mask && !nadi_nn_mask_is_good(&m->nn->layers[m->nn->count - 1]))
        return nadi_onnx_refuse(m, n, "a mask hides all from a position");
    v.layer = m->nn->count - 1;
    return nadi_onnx_give_view(m, n, &v);
}

bool nadi_onnx_multiply(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                        struct nadi_onnx_value *a, struct nadi_onnx_value *b)
{
    if (a->form == NADI_ONNX_VIEW && b->form == NADI_ONNX_VIEW)
        return score(m, n, a, b);
    if (a->form == NADI_ONNX_SHARES && b->form == NADI_ONNX_VIEW)
        return attend(m, n, a, b);
    return nadi_onnx_refuse(m, n,
                            "of activations only queries times keys, and shares times "
                            "values, are read");
}

/* A mask as nn.h has it, from one whose axes are 1 or those of the scores; NULL: it is none. */
static float *spread_mask(struct nadi_onnx_maker *m, const struct nadi_onnx_view *scores,
                          const struct nadi_nn_tensor *mask, uint32_t *heads)
{
    const uint64_t t = nadi_nn_positions(&m->nn->layers[scores->layer]), all = heads_of(scores);
    uint64_t dims[NADI_TENSOR_MOST_DIMS + 2] = {1, 1}, before = 1;
    if (!mask || mask->rank < 1 || mask->rank > scores->rank)
        return NULL;
    for (uint32_t i = 0; i < mask->rank; i++)
        dims[2 + i] = mask->dims[i];
    const uint64_t *rows = &dims[mask->rank], *columns = rows + 1;
    for (uint32_t i = 0; i + 2 < mask->rank; i++)
        before *= mask->dims[i];
    if ((*rows != 1 && *rows != t) || (*columns != 1 && *columns != t) ||
        (before != 1 && before != all))
        return NULL;
    *heads = (uint32_t)before;
    float *to = NADI_ARENA_NEW(&m->nn->arena, float, before *t *t + 1);
    for (uint64_t i = 0; i < before * t * t; i++) {
        const uint64_t head = i / (t * t), row = i / t % t, column = i % t;
        const float x = mask->values[(head * *rows + (*rows > 1 ? row : 0)) * *columns +
                                     (*columns > 1 ? column : 0)];
        to[i] = x > NADI_NN_HIDDEN ? x : -1e30F;
        if (!(x < INFINITY))
            return NULL;
    }
    return to;
}

/* Does it hide later positions and change nothing else, or nothing at all? */
static bool is_causal(const float *mask, uint32_t heads, uint64_t t, bool *hides)
{
    uint64_t hidden = 0;
    for (uint64_t i = 0; i < heads * t * t; i++) {
        const bool gone = mask[i] <= NADI_NN_HIDDEN, later = i % t > i / t % t;
        if ((gone && !later) || (!gone && fabsf(mask[i]) > 0))
            return false;
        hidden += gone;
    }
    *hides = hidden > 0;
    return !hidden || hidden == heads * (t * (t - 1) / 2);
}

bool nadi_onnx_mask(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *scores, const struct nadi_nn_tensor *given)
{
    const uint64_t t = nadi_nn_positions(&m->nn->layers[scores->view.layer]);
    struct nadi_onnx_value to = *scores;
    uint32_t heads = 1;
    bool hides = false;
    float *mask = spread_mask(m, &scores->view, given, &heads);
    if (!mask)
        return nadi_onnx_refuse(m, n,
                                "a mask is a constant whose axes are 1 or those of the scores");
    if (is_causal(mask, heads, t, &hides))
        to.causal |= hides;
    else if (to.mask)
        return nadi_onnx_refuse(m, n, "of two masks one may only hide later positions");
    else {
        to.mask = mask;
        to.mask_heads = heads;
    }
    return nadi_onnx_give(m, n, 0, &to);
}

bool nadi_onnx_softmax(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_value *from)
{
    struct nadi_onnx_value to = *from;
    const uint32_t rank = from->view.rank;
    int64_t axis = nadi_onnx_whole(n, "axis", m->g->opset && m->g->opset < 13 ? 1 : -1);
    axis += axis < 0 ? rank : 0;
    if (from->form == NADI_ONNX_SCORES && axis == rank - 1) {
        to.form = NADI_ONNX_SHARES;
        return nadi_onnx_give(m, n, 0, &to);
    }
    if (from->form != NADI_ONNX_VIEW || axis < 1 || axis >= rank)
        return nadi_onnx_refuse(m, n, "only over the channels, or of scores");
    if (!nadi_onnx_settle(m, n, &to.view))
        return false;
    if (!nadi_onnx_is_channels(m, &to.view, (uint32_t)axis))
        return nadi_onnx_refuse(m, n, "only over the channels, or of scores");
    if (!nadi_onnx_add(m, n,
                       (struct nadi_nn_layer){
                           .kind = NADI_NN_SOFTMAX, .inputs = {to.view.layer}, .input_count = 1},
                       false))
        return false;
    to.view.layer = m->nn->count - 1;
    return nadi_onnx_give_view(m, n, &to.view);
}
