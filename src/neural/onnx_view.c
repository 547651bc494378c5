/* onnx_view: axes of values, taken apart and put together. */
#include <math.h>

#include "neural/onnx_make.h"

struct list { /* atoms of a whole value */
    struct nadi_onnx_atom atoms[NADI_ONNX_MOST_ATOMS * NADI_ONNX_MOST_INTS];
    uint32_t count;
};

/* ---- axes ------------------------------------------------------------------------------------ */

/* Behind the others; one with the last where they go on from each other. False: too many. */
static bool push(struct nadi_onnx_axis *axis, struct nadi_onnx_atom atom)
{
    struct nadi_onnx_atom *last = axis->count ? &axis->atoms[axis->count - 1] : NULL;
    if (atom.kind != NADI_ONNX_BATCH && atom.size == 1)
        return true;
    if (last && last->kind == atom.kind && atom.kind != NADI_ONNX_BATCH &&
        last->stride == (uint64_t)atom.stride * atom.size) {
        last->size *= atom.size;
        last->stride = atom.stride;
        return true;
    }
    if (axis->count == NADI_ONNX_MOST_ATOMS)
        return false;
    axis->atoms[axis->count++] = atom;
    return true;
}

static struct nadi_onnx_axis axis_of(enum nadi_onnx_atom_kind kind, uint32_t size, uint32_t stride)
{
    struct nadi_onnx_axis axis = {.count = 0};
    (void)push(&axis, (struct nadi_onnx_atom){kind, size, stride});
    return axis;
}

static bool same_axis(const struct nadi_onnx_axis *a, const struct nadi_onnx_axis *b)
{
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++)
        if (a->atoms[i].kind != b->atoms[i].kind || a->atoms[i].size != b->atoms[i].size ||
            a->atoms[i].stride != b->atoms[i].stride)
            return false;
    return a->count == b->count;
}

uint64_t nadi_onnx_axis_size(const struct nadi_onnx_axis *axis)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < axis->count; i++)
        size *= axis->atoms[i].size;
    return size;
}

struct nadi_onnx_view nadi_onnx_features(const struct nadi_nn *nn, uint32_t layer)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    struct nadi_onnx_view v = {.layer = layer, .scale = 1};
    v.axes[v.rank++] = axis_of(NADI_ONNX_BATCH, 1, 1);
    if (nadi_nn_positions(l) > 1)
        v.axes[v.rank++] = axis_of(NADI_ONNX_POSITION, (uint32_t)nadi_nn_positions(l), 1);
    v.axes[v.rank++] = axis_of(NADI_ONNX_CHANNEL, l->channels, 1);
    return v;
}

struct nadi_onnx_view nadi_onnx_image(const struct nadi_nn *nn, uint32_t layer)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    return (struct nadi_onnx_view){.layer = layer,
                                   .scale = 1,
                                   .axes = {axis_of(NADI_ONNX_BATCH, 1, 1),
                                            axis_of(NADI_ONNX_CHANNEL, l->channels, 1),
                                            axis_of(NADI_ONNX_POSITION, l->height, l->width),
                                            axis_of(NADI_ONNX_POSITION, l->width, 1)},
                                   .rank = 4};
}

bool nadi_onnx_is_channels(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v,
                           uint32_t axis)
{
    const struct nadi_onnx_axis all =
        axis_of(NADI_ONNX_CHANNEL, m->nn->layers[v->layer].channels, 1);
    return axis < v->rank && same_axis(&v->axes[axis], &all);
}

bool nadi_onnx_same_axes(const struct nadi_onnx_view *a, const struct nadi_onnx_view *b)
{
    for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++)
        if (!same_axis(&a->axes[i], &b->axes[i]))
            return false;
    return a->rank == b->rank;
}

bool nadi_onnx_is_image(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v)
{
    const struct nadi_onnx_view image = nadi_onnx_image(m->nn, v->layer);
    return nadi_onnx_is_whole(m, v) && nadi_onnx_same_axes(&image, v);
}

/* ---- channels -------------------------------------------------------------------------------- */

static uint64_t channels_of(const struct nadi_onnx_view *v)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < v->rank; i++)
        for (uint32_t k = 0; k < v->axes[i].count; k++)
            if (v->axes[i].atoms[k].kind == NADI_ONNX_CHANNEL)
                count *= v->axes[i].atoms[k].size;
    return count;
}

bool nadi_onnx_is_whole(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v)
{
    return v->offset == 0 && fabs(v->scale - 1) <= 0 &&
           channels_of(v) == m->nn->layers[v->layer].channels;
}

/* Atoms of channels in the order in which the view has them, the fastest last. */
static uint32_t channel_atoms(struct nadi_onnx_view *v, struct nadi_onnx_atom **atoms)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->rank; i++)
        for (uint32_t k = 0; k < v->axes[i].count; k++)
            if (v->axes[i].atoms[k].kind == NADI_ONNX_CHANNEL)
                atoms[count++] = &v->axes[i].atoms[k];
    return count;
}

static bool in_order(struct nadi_onnx_atom *const *atoms, uint32_t count)
{
    uint32_t stride = 1;
    for (uint32_t i = count; i-- > 0; stride *= atoms[i]->size)
        if (atoms[i]->stride != stride)
            return false;
    return true;
}

static uint32_t source_of(struct nadi_onnx_atom *const *atoms, uint32_t count, uint32_t channel)
{
    uint32_t source = 0;
    for (uint32_t i = count; i-- > 0; channel /= atoms[i]->size)
        source += channel % atoms[i]->size * atoms[i]->stride;
    return source;
}

bool nadi_onnx_settle(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_view *v)
{
    struct nadi_onnx_atom *atoms[NADI_ONNX_MOST_ATOMS * NADI_ONNX_MOST_INTS];
    const uint32_t count = channel_atoms(v, atoms);
    const struct nadi_nn_layer from = m->nn->layers[v->layer];
    if (nadi_onnx_is_whole(m, v) && in_order(atoms, count))
        return true;
    if (from.kind != NADI_NN_DENSE || (from.activation != NADI_NN_PLAIN && fabs(v->scale - 1) > 0))
        return nadi_onnx_refuse(m, n,
                                "a part, another order or a multiple of channels is read "
                                "only of what a matrix gave");
    const uint32_t channels = (uint32_t)channels_of(v);
    const size_t fan = nadi_nn_fan_in(m->nn, &from);
    struct nadi_nn_layer l = {.name =
                                  nadi_arena_printf(&m->nn->arena, "%s.%u", from.name, ++m->made),
                              .place = nadi_onnx_place(m, n),
                              .kind = NADI_NN_DENSE,
                              .activation = from.activation,
                              .inputs = {from.inputs[0]},
                              .input_count = 1,
                              .channels = channels};
    struct nadi_nn_layer *added = nadi_nn_add_weighted(m->nn, &l, m->diags);
    for (uint32_t c = 0; added && c < channels; c++) {
        const uint32_t source = v->offset + source_of(atoms, count, c);
        for (size_t i = 0; i < fan; i++)
            added->weights[c * fan + i] =
                (float)((double)from.weights[source * fan + i] * v->scale);
        added->bias[c] = (float)((double)from.bias[source] * v->scale);
    }
    uint32_t stride = 1;
    for (uint32_t i = count; i-- > 0; stride *= atoms[i]->size)
        atoms[i]->stride = stride;
    v->layer = m->nn->count - 1;
    v->offset = 0;
    v->scale = 1;
    return added != NULL;
}

void nadi_onnx_set_last(const struct nadi_onnx_maker *m, struct nadi_onnx_view *v, uint32_t layer)
{
    v->layer = layer;
    v->axes[v->rank - 1] = axis_of(NADI_ONNX_CHANNEL, m->nn->layers[layer].channels, 1);
}

/* ---- Reshape, Flatten ------------------------------------------------------------------------ */

static void all_atoms(const struct nadi_onnx_view *v, struct list *all)
{
    all->count = 0;
    for (uint32_t i = 0; i < v->rank; i++)
        for (uint32_t k = 0; k < v->axes[i].count; k++)
            all->atoms[all->count++] = v->axes[i].atoms[k];
}

/* The last values of the list as an axis of so many; false: they do not fall apart that way. */
static bool take_axis(struct list *all, uint64_t size, struct nadi_onnx_axis *axis)
{
    struct nadi_onnx_atom taken[NADI_ONNX_MOST_ATOMS];
    uint32_t count = 0;
    for (uint64_t need = size; need > 1;) {
        struct nadi_onnx_atom *last = all->count ? &all->atoms[all->count - 1] : NULL;
        if (!last || last->kind == NADI_ONNX_BATCH || count == NADI_ONNX_MOST_ATOMS)
            return false;
        if (need % last->size == 0) {
            taken[count++] = *last;
            need /= last->size;
            all->count--;
        } else if (last->size % need == 0) {
            taken[count++] = (struct nadi_onnx_atom){last->kind, (uint32_t)need, last->stride};
            last->size /= (uint32_t)need;
            last->stride *= (uint32_t)need;
            need = 1;
        } else
            return false;
    }
    *axis = (struct nadi_onnx_axis){.count = 0};
    while (count > 0)
        if (!push(axis, taken[--count]))
            return false;
    return true;
}

/* What is left, with the batch, as the first axis. size: as the file says it; 0 or less: any. */
static bool take_first(const struct nadi_onnx_maker *m, const struct list *all, int64_t size,
                       struct nadi_onnx_axis *axis)
{
    uint64_t values = m->g->dims[0] ? m->g->dims[0] : 1;
    *axis = (struct nadi_onnx_axis){.count = 0};
    for (uint32_t i = 0; i < all->count; i++) {
        if (!push(axis, all->atoms[i]))
            return false;
        values *= all->atoms[i].size;
    }
    return size < 0 || (uint64_t)size == values || (size <= 1 && axis->count == 1);
}

/* A dimension of -1 is what the others leave. */
static bool infer(const struct nadi_onnx_view *v, int64_t *dims, uint32_t rank)
{
    uint64_t values = 1, known = 1;
    uint32_t open = NADI_NONE;
    for (uint32_t i = 0; i < v->rank; i++)
        values *= nadi_onnx_axis_size(&v->axes[i]);
    for (uint32_t i = 1; i < rank; i++) {
        if (dims[i] == 0)
            dims[i] = i < v->rank ? (int64_t)nadi_onnx_axis_size(&v->axes[i]) : -2;
        if (dims[i] < -1 || dims[i] > UINT32_MAX || (dims[i] == -1 && open != NADI_NONE))
            return false;
        if (dims[i] == -1)
            open = i;
        else if (__builtin_mul_overflow(known, (uint64_t)dims[i], &known))
            return false;
    }
    if (open == NADI_NONE)
        return true;
    if (dims[0] < 0 || known == 0 || values % known)
        return false;
    dims[open] = (int64_t)(values / known);
    return true;
}

static bool reshape_to(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v,
                       int64_t *dims, uint32_t rank, struct nadi_onnx_view *to)
{
    struct list all;
    all_atoms(v, &all);
    *to = *v;
    to->rank = rank;
    if (!all.count || all.atoms[0].kind != NADI_ONNX_BATCH || !infer(v, dims, rank))
        return false;
    for (uint32_t i = rank; i-- > 1;)
        if (!take_axis(&all, (uint64_t)dims[i], &to->axes[i]))
            return false;
    return take_first(m, &all, dims[0], &to->axes[0]);
}

/* Are these channels and their positions, one axis of features? */
static bool is_flat(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v)
{
    const size_t positions = nadi_nn_positions(&m->nn->layers[v->layer]);
    const struct nadi_onnx_axis batch = axis_of(NADI_ONNX_BATCH, 1, 1);
    struct nadi_onnx_axis axis = axis_of(NADI_ONNX_CHANNEL, m->nn->layers[v->layer].channels, 1);
    return push(&axis, (struct nadi_onnx_atom){NADI_ONNX_POSITION, (uint32_t)positions, 1}) &&
           v->rank == 2 && positions > 1 && same_axis(&v->axes[0], &batch) &&
           same_axis(&v->axes[1], &axis);
}

bool nadi_onnx_reshape(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_value *from)
{
    const struct nadi_nn_tensor *shape = nadi_onnx_constant(m, n, 1);
    const bool flattens = strcmp(n->op, "Flatten") == 0;
    int64_t dims[NADI_ONNX_MOST_INTS] = {0, -1};
    uint32_t rank = 2;
    struct nadi_onnx_view to;
    if (from->form != NADI_ONNX_VIEW || (flattens && nadi_onnx_whole(n, "axis", 1) != 1) ||
        (!flattens && (!shape || shape->count < 1 || shape->count > NADI_ONNX_MOST_INTS)) ||
        nadi_onnx_whole(n, "allowzero", 0))
        return nadi_onnx_refuse(m, n, "only of activations, to a constant shape");
    for (uint32_t i = 0; !flattens && i < shape->count; i++) {
        if (!(fabsf(shape->values[i]) <= 1 << 24))
            return nadi_onnx_refuse(m, n, "only of activations, to a constant shape");
        dims[i] = (int64_t)shape->values[i];
    }
    if (!flattens)
        rank = (uint32_t)shape->count;
    if (!reshape_to(m, &from->view, dims, rank, &to))
        return nadi_onnx_refuse(m, n, "its shape does not fit, or takes the batch apart");
    if (!is_flat(m, &to))
        return nadi_onnx_give_view(m, n, &to);
    if (!nadi_onnx_settle(m, n, &to) ||
        !nadi_onnx_add(
            m, n,
            (struct nadi_nn_layer){.kind = NADI_NN_FLATTEN, .inputs = {to.layer}, .input_count = 1},
            false))
        return false;
    to = nadi_onnx_features(m->nn, m->nn->count - 1);
    return nadi_onnx_give_view(m, n, &to);
}

bool nadi_onnx_transpose(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                         struct nadi_onnx_value *from)
{
    const struct nadi_onnx_attribute *order = nadi_onnx_attribute(n, "perm");
    struct nadi_onnx_view to = from->view;
    if (from->form != NADI_ONNX_VIEW || (order && order->int_count != to.rank))
        return nadi_onnx_refuse(m, n, "only of activations, with a place for each axis");
    for (uint32_t i = 0, seen = 0; i < to.rank; i++) {
        const int64_t axis = order ? order->ints[i] : to.rank - 1 - i;
        if (axis < 0 || axis >= to.rank || seen >> axis & 1)
            return nadi_onnx_refuse(m, n, "its axes are no order of those of its input");
        seen |= 1U << axis;
        to.axes[i] = from->view.axes[axis];
    }
    return nadi_onnx_give_view(m, n, &to);
}

/* ---- parts of channels ----------------------------------------------------------------------- */

/* Values from..from + count of an axis. */
static bool cut_axis(struct nadi_onnx_view *v, uint32_t axis, uint64_t from, uint64_t count)
{
    struct nadi_onnx_axis *a = &v->axes[axis];
    const uint64_t size = nadi_onnx_axis_size(a);
    if (a->count != 1 || a->atoms[0].kind != NADI_ONNX_CHANNEL || !count || from + count > size)
        return false;
    v->offset += (uint32_t)from * a->atoms[0].stride;
    *a = axis_of(NADI_ONNX_CHANNEL, (uint32_t)count, a->atoms[0].stride);
    return true;
}

static bool find_axis(const struct nadi_onnx_node *n, const struct nadi_onnx_view *v,
                      uint32_t *axis)
{
    int64_t given = nadi_onnx_whole(n, "axis", 0);
    given += given < 0 ? v->rank : 0;
    *axis = (uint32_t)given;
    return given >= 0 && given < v->rank;
}

bool nadi_onnx_split(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                     struct nadi_onnx_value *from)
{
    const struct nadi_nn_tensor *sizes = nadi_onnx_constant(m, n, 1);
    const struct nadi_onnx_attribute *listed = nadi_onnx_attribute(n, "split");
    uint32_t axis;
    if (from->form != NADI_ONNX_VIEW || !find_axis(n, &from->view, &axis) ||
        (n->input_count > 1 && n->inputs[1][0] && !sizes) ||
        (sizes && sizes->count != n->output_count) ||
        (listed && listed->int_count != n->output_count))
        return nadi_onnx_refuse(m, n, "only of activations, into constant parts");
    const uint64_t size = nadi_onnx_axis_size(&from->view.axes[axis]);
    const uint64_t even = (size + n->output_count - 1) / n->output_count;
    uint64_t at = 0;
    m->closed[from->view.layer] = true;
    for (uint32_t i = 0; i < n->output_count; i++) {
        struct nadi_onnx_value part = *from;
        const double given = sizes    ? (double)sizes->values[i]
                             : listed ? (double)listed->ints[i]
                                      : (double)nadi_min_u64(even, size - at);
        if (!(given >= 1) || given > (double)(size - at) ||
            !cut_axis(&part.view, axis, at, (uint64_t)given))
            return nadi_onnx_refuse(m, n,
                                    "only channels are taken apart, into as many as there "
                                    "are");
        at += (uint64_t)given;
        if (!nadi_onnx_give(m, n, i, &part))
            return false;
    }
    return at == size || nadi_onnx_refuse(m, n, "its parts are not all channels");
}

bool nadi_onnx_gather(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_value *from)
{
    const struct nadi_nn_tensor *index = nadi_onnx_constant(m, n, 1);
    struct nadi_onnx_view to = from->view;
    uint32_t axis;
    if (from->form != NADI_ONNX_VIEW || !find_axis(n, &to, &axis) || !index || index->count != 1 ||
        index->rank > 1)
        return nadi_onnx_refuse(m, n, "only one place of activations, which is a constant");
    const double size = (double)nadi_onnx_axis_size(&to.axes[axis]);
    const double at = (double)index->values[0] + (index->values[0] < 0 ? size : 0);
    m->closed[to.layer] = true;
    if (!(at >= 0 && at < size) || !cut_axis(&to, axis, (uint64_t)at, 1))
        return nadi_onnx_refuse(m, n, "only a part of the channels that is there");
    if (index->rank == 0) {
        to.rank--;
        memmove(&to.axes[axis], &to.axes[axis + 1], (to.rank - axis) * sizeof(to.axes[0]));
    }
    return nadi_onnx_give_view(m, n, &to);
}
