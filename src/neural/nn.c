#include "neural/nn.h"

#include "base/mem.h"

static const struct {
    const char *name;
    uint32_t least, most; /* inputs */
} kinds[NADI_NN_KINDS] = {
    [NADI_NN_DENSE] = {"dense", 1, 1},
    [NADI_NN_CONV] = {"conv", 1, 1},
    [NADI_NN_ADD] = {"add", 1, NADI_NN_MOST_INPUTS},
    [NADI_NN_CONCAT] = {"concat", 1, NADI_NN_MOST_INPUTS},
    [NADI_NN_GATE] = {"gate", 2, 2},
    [NADI_NN_MAX_POOL] = {"max-pool", 1, 1},
    [NADI_NN_MEAN_POOL] = {"mean-pool", 1, 1},
    [NADI_NN_FLATTEN] = {"flatten", 1, 1},
    [NADI_NN_NORM] = {"norm", 1, 1},
    [NADI_NN_SOFTMAX] = {"softmax", 1, 1},
    [NADI_NN_ATTENTION] = {"attention", 3, 3},
    [NADI_NN_INPUT] = {"input", 0, 0},
};

enum { MOST_VALUES = 1 << 28 }; /* of an output, or of weights */

const char *nadi_nn_kind_name(enum nadi_nn_kind kind)
{
    return kinds[kind].name;
}

void nadi_nn_init(struct nadi_nn *nn)
{
    *nn = (struct nadi_nn){.count = 0};
    nadi_arena_init(&nn->arena);
    nn->layers = NADI_ARENA_ZNEW(&nn->arena, struct nadi_nn_layer, NADI_NN_MOST_LAYERS);
}

void nadi_nn_release(struct nadi_nn *nn)
{
    nadi_arena_release(&nn->arena);
}

size_t nadi_nn_fan_in(const struct nadi_nn *nn, const struct nadi_nn_layer *l)
{
    const size_t channels = nn->layers[l->inputs[0]].channels;
    return l->kind == NADI_NN_DENSE ? channels : channels / l->groups * l->kernel[0] * l->kernel[1];
}

size_t nadi_nn_weight_count(const struct nadi_nn *nn, const struct nadi_nn_layer *l)
{
    return nadi_nn_mixes(l->kind)    ? l->channels * nadi_nn_fan_in(nn, l)
           : l->kind == NADI_NN_NORM ? l->channels
                                     : 0;
}

size_t nadi_nn_bias_count(const struct nadi_nn_layer *l)
{
    return l->bias ? l->channels : 0;
}

size_t nadi_nn_mask_count(const struct nadi_nn_layer *l)
{
    return l->mask ? l->mask_heads * nadi_nn_positions(l) * nadi_nn_positions(l) : 0;
}

bool nadi_nn_mask_is_good(const struct nadi_nn_layer *l)
{
    const size_t t = nadi_nn_positions(l);
    for (size_t row = 0; row < l->mask_heads * t; row++) {
        bool sees = false;
        for (size_t u = 0; u < t && (!l->causal || u <= row % t); u++)
            sees |= l->mask[row * t + u] > NADI_NN_HIDDEN;
        if (!sees)
            return false;
    }
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool wrong(const struct nadi_nn_layer *l, const char *hint, struct nadi_diags *diags,
                  const char *what)
{
    return nadi_error(diags, "net/shape", l->place, hint, "layer '%s' (%s): %s", l->name,
                      kinds[l->kind].name, what);
}

static bool slide(struct nadi_nn_layer *l, const struct nadi_nn_layer *in, struct nadi_diags *diags)
{
    const uint32_t size[2] = {in->height, in->width};
    uint32_t out[2];
    for (int d = 0; d < 2; d++) {
        if (l->kernel[d] == 0)
            l->kernel[d] = size[d];
        const uint64_t padded = size[d] + 2ULL * l->padding;
        if (l->kernel[d] > padded || l->padding >= l->kernel[d])
            return wrong(l, "a kernel is larger than the padding, and lies in the padded input",
                         diags, "its kernel does not fit its input");
        out[d] = (uint32_t)((padded - l->kernel[d]) / l->stride) + 1;
    }
    l->height = out[0];
    l->width = out[1];
    return true;
}

static bool set_mixing(struct nadi_nn_layer *l, const struct nadi_nn_layer *in,
                       struct nadi_diags *diags)
{
    if (l->kind == NADI_NN_CONV) {
        if (in->channels % l->groups || l->channels % l->groups)
            return wrong(l, NULL, diags, "its groups do not divide its channels");
        if (!slide(l, in, diags))
            return false;
    } else {
        l->height = in->height;
        l->width = in->width;
    }
    if (l->channels == 0 || l->channels % l->unit)
        return wrong(l, NULL, diags, "its outputs are no multiple of its unit");
    return true;
}

static bool same_shape(const struct nadi_nn *nn, const struct nadi_nn_layer *l, bool channels)
{
    const struct nadi_nn_layer *a = &nn->layers[l->inputs[0]];
    for (uint32_t i = 1; i < l->input_count; i++) {
        const struct nadi_nn_layer *b = &nn->layers[l->inputs[i]];
        if (a->height != b->height || a->width != b->width ||
            (channels && a->channels != b->channels))
            return false;
    }
    return true;
}

static bool set_joined(const struct nadi_nn *nn, struct nadi_nn_layer *l, struct nadi_diags *diags)
{
    const struct nadi_nn_layer *in = &nn->layers[l->inputs[0]];
    const bool parts = l->kind == NADI_NN_CONCAT || l->kind == NADI_NN_GATE;
    uint64_t channels = in->channels;
    if (!same_shape(nn, l, !parts))
        return wrong(l, NULL, diags, "its inputs differ in shape");
    for (uint32_t i = 1; l->kind == NADI_NN_CONCAT && i < l->input_count; i++)
        channels += nn->layers[l->inputs[i]].channels;
    if (channels > MOST_VALUES)
        return wrong(l, NULL, diags, "it has too many channels");
    if (l->kind == NADI_NN_GATE) {
        const uint32_t gates = nn->layers[l->inputs[1]].channels;
        if (channels % gates)
            return wrong(l, NULL, diags, "its gates do not divide the channels");
        l->unit = (uint32_t)channels / gates;
    }
    if (l->kind == NADI_NN_ATTENTION && (l->heads == 0 || channels % l->heads))
        return wrong(l, "give `heads`", diags, "its heads do not divide the channels");
    l->channels = (uint32_t)channels;
    l->height = in->height;
    l->width = in->width;
    return true;
}

static bool set_shape(const struct nadi_nn *nn, struct nadi_nn_layer *l, struct nadi_diags *diags)
{
    const struct nadi_nn_layer *in = &nn->layers[l->inputs[0]];
    switch (l->kind) {
    case NADI_NN_INPUT:
        return true;
    case NADI_NN_DENSE:
    case NADI_NN_CONV:
        return set_mixing(l, in, diags);
    case NADI_NN_MAX_POOL:
    case NADI_NN_MEAN_POOL:
        l->channels = in->channels;
        return slide(l, in, diags);
    case NADI_NN_FLATTEN:
        if ((uint64_t)in->channels * nadi_nn_positions(in) > MOST_VALUES)
            return wrong(l, NULL, diags, "it has too many channels");
        l->channels = in->channels * in->height * in->width;
        l->height = l->width = 1;
        return true;
    case NADI_NN_ADD:
    case NADI_NN_CONCAT:
    case NADI_NN_GATE:
    case NADI_NN_NORM:
    case NADI_NN_SOFTMAX:
    case NADI_NN_ATTENTION:
        return set_joined(nn, l, diags);
    case NADI_NN_KINDS:
        break;
    }
    NADI_BUG("a layer of no kind");
}

static bool is_too_large(const struct nadi_nn *nn, const struct nadi_nn_layer *l)
{
    uint64_t values = l->channels;
    return __builtin_mul_overflow(values, l->height, &values) || values > MOST_VALUES ||
           __builtin_mul_overflow(values, l->width, &values) || values > MOST_VALUES ||
           (nadi_nn_mixes(l->kind) &&
            (nadi_nn_fan_in(nn, l) > MOST_VALUES || nadi_nn_weight_count(nn, l) > MOST_VALUES));
}

struct nadi_nn_layer *nadi_nn_add(struct nadi_nn *nn, const struct nadi_nn_layer *layer,
                                  struct nadi_diags *diags)
{
    struct nadi_nn_layer l = *layer;
    l.stride = l.stride ? l.stride : 1;
    l.groups = l.groups ? l.groups : 1;
    l.unit = l.unit ? l.unit : 1;
    l.name = nadi_arena_strdup(&nn->arena, layer->name);
    for (uint32_t i = 0; i < nn->count; i++)
        if (strcmp(nn->layers[i].name, l.name) == 0) {
            (void)wrong(&l, "give each layer a name of its own", diags,
                        "there are two of the name");
            return NULL;
        }
    if (nn->count == NADI_NN_MOST_LAYERS) {
        (void)wrong(&l, NULL, diags, "there are more than 4096 layers");
        return NULL;
    }
    if (l.input_count < kinds[l.kind].least || l.input_count > kinds[l.kind].most) {
        (void)nadi_error(diags, "net/inputs", l.place, NULL,
                         "layer '%s' (%s) has %u inputs; %u to %u are possible", l.name,
                         kinds[l.kind].name, l.input_count, kinds[l.kind].least,
                         kinds[l.kind].most);
        return NULL;
    }
    if (!set_shape(nn, &l, diags))
        return NULL;
    if (is_too_large(nn, &l)) {
        (void)wrong(&l, NULL, diags, "more than 2^28 values");
        return NULL;
    }
    nn->layers[nn->count] = l;
    return &nn->layers[nn->count++];
}

struct nadi_nn_layer *nadi_nn_add_weighted(struct nadi_nn *nn, const struct nadi_nn_layer *layer,
                                           struct nadi_diags *diags)
{
    struct nadi_nn_layer *l = nadi_nn_add(nn, layer, diags);
    if (!l)
        return NULL;
    l->weights_name = nadi_arena_printf(&nn->arena, "%s.weight", l->name);
    l->bias_name = nadi_arena_printf(&nn->arena, "%s.bias", l->name);
    l->weights = NADI_ARENA_ZNEW(&nn->arena, float, nadi_nn_weight_count(nn, l));
    l->bias = NADI_ARENA_ZNEW(&nn->arena, float, l->channels);
    return l;
}

static float *copy_floats(struct nadi_arena *arena, const float *from, size_t count)
{
    if (!from)
        return NULL;
    float *to = NADI_ARENA_NEW(arena, float, count ? count : 1);
    memcpy(to, from, count * sizeof(*to));
    return to;
}

void nadi_nn_copy(struct nadi_nn *to, const struct nadi_nn *from)
{
    nadi_nn_init(to);
    for (uint32_t i = 0; i < from->count; i++) {
        const struct nadi_nn_layer *l = &from->layers[i];
        to->layers[i] = *l;
        to->layers[i].name = nadi_arena_strdup(&to->arena, l->name);
        to->layers[i].weights_name =
            l->weights_name ? nadi_arena_strdup(&to->arena, l->weights_name) : NULL;
        to->layers[i].bias_name = l->bias_name ? nadi_arena_strdup(&to->arena, l->bias_name) : NULL;
        to->layers[i].weights = copy_floats(&to->arena, l->weights, nadi_nn_weight_count(from, l));
        to->layers[i].bias = copy_floats(&to->arena, l->bias, nadi_nn_bias_count(l));
        to->layers[i].mask = copy_floats(&to->arena, l->mask, nadi_nn_mask_count(l));
        to->layers[i].mask_name = l->mask_name ? nadi_arena_strdup(&to->arena, l->mask_name) : NULL;
    }
    to->count = from->count;
    to->threads = from->threads;
    to->by_position = from->by_position;
}
