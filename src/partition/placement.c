#include "partition/placement.h"

#include <math.h>

#include "base/join.h"
#include "base/mem.h"

/* ---- classes --------------------------------------------------------------------------------- */

struct tie {
    const struct nadi_nn *nn;
    const struct nadi_placement *p;
    uint32_t *parent;
    const uint8_t *everywhere; /* channels */
};

static void tie_to(struct tie *t, uint32_t layer, uint32_t channel, uint32_t input, uint32_t from)
{
    const uint32_t source = t->p->first[t->nn->layers[layer].inputs[input]] + from;
    if (!t->everywhere[source])
        nadi_join(t->parent, t->p->first[layer] + channel, source);
}

static void tie_channel(struct tie *t, uint32_t layer, uint32_t c)
{
    const struct nadi_nn_layer *l = &t->nn->layers[layer];
    uint32_t n = 0, rest = c;
    switch (l->kind) {
    case NADI_NN_DENSE:
    case NADI_NN_CONV:
        nadi_join(t->parent, t->p->first[layer] + c, t->p->first[layer] + c - c % l->unit);
        break;
    case NADI_NN_GATE:
        tie_to(t, layer, c, 0, c);
        tie_to(t, layer, c, 1, c / l->unit);
        break;
    case NADI_NN_CONCAT:
        while (rest >= t->nn->layers[l->inputs[n]].channels)
            rest -= t->nn->layers[l->inputs[n++]].channels;
        tie_to(t, layer, c, n, rest);
        break;
    case NADI_NN_FLATTEN:
        tie_to(t, layer, c, 0, c / (uint32_t)nadi_nn_positions(&t->nn->layers[l->inputs[0]]));
        break;
    case NADI_NN_ATTENTION:
        rest = c - c % (l->channels / l->heads);
        nadi_join(t->parent, t->p->first[layer] + c, t->p->first[layer] + rest);
        for (; n < 3; n++)
            tie_to(t, layer, c, n, c);
        break;
    case NADI_NN_ADD:
    case NADI_NN_MAX_POOL:
    case NADI_NN_MEAN_POOL:
    case NADI_NN_NORM:
    case NADI_NN_SOFTMAX:
        for (; n < l->input_count; n++)
            tie_to(t, layer, c, n, c);
        break;
    case NADI_NN_INPUT:
    case NADI_NN_KINDS:
        break;
    }
}

/* Channels of layers that only see what lies everywhere lie everywhere. */
static void spread(const struct nadi_nn *nn, const struct nadi_placement *p, uint8_t *everywhere)
{
    for (uint32_t i = 0; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        bool all = i == 0 || !nadi_nn_mixes(l->kind);
        for (uint32_t n = 0; n < l->input_count; n++)
            all &= everywhere[p->first[l->inputs[n]]];
        memset(everywhere + p->first[i], all, l->channels);
    }
}

static void number_classes(struct nadi_placement *p, uint32_t *parent, const uint8_t *everywhere)
{
    const uint32_t channels = p->first[p->layers];
    for (uint32_t i = 0; i < channels; i++) {
        const uint32_t root = nadi_joined(parent, i);
        p->class_of[i] = root == i ? p->class_count++ : p->class_of[root];
    }
    p->space_of = NADI_NEW(uint32_t, p->class_count + 1);
    p->worker = NADI_NEW(uint32_t, p->class_count + 1);
    p->everywhere = NADI_ZNEW(uint8_t, p->class_count + 1);
    for (uint32_t i = 0; i < p->class_count; i++)
        p->worker[i] = NADI_NONE;
    for (uint32_t i = 0; i < channels; i++)
        p->everywhere[p->class_of[i]] = everywhere[i];
}

/* Layers that share a class share a space. */
static void find_spaces(struct nadi_placement *p, const struct nadi_nn *nn)
{
    uint32_t *parent = NADI_NEW(uint32_t, p->layers + 1);
    for (uint32_t i = 0; i < p->class_count; i++)
        p->space_of[i] = NADI_NONE;
    for (uint32_t i = 0; i < p->layers; i++) {
        parent[i] = i;
        if (i > 0 && !nadi_nn_mixes(nn->layers[i].kind))
            continue;
        for (uint32_t c = 0; c < nn->layers[i].channels; c++) {
            uint32_t *space = &p->space_of[nadi_placement_class(p, i, c)];
            if (*space == NADI_NONE)
                *space = i;
            nadi_join(parent, i, *space);
        }
    }
    for (uint32_t i = 0; i < p->class_count; i++)
        if (p->space_of[i] != NADI_NONE)
            p->space_of[i] = nadi_joined(parent, p->space_of[i]);
    nadi_mem_free(parent);
}

void nadi_placement_init(struct nadi_placement *p, const struct nadi_nn *nn, uint32_t workers,
                         enum nadi_input_place input)
{
    *p = (struct nadi_placement){.workers = workers, .layers = nn->count};
    p->first = NADI_NEW(uint32_t, nn->count + 1);
    p->first[0] = 0;
    for (uint32_t i = 0; i < nn->count; i++)
        p->first[i + 1] = p->first[i] + nn->layers[i].channels;
    const uint32_t channels = p->first[nn->count];
    p->class_of = NADI_NEW(uint32_t, channels + 1);
    uint32_t *parent = NADI_NEW(uint32_t, channels + 1);
    uint8_t *everywhere = NADI_ZNEW(uint8_t, channels + 1);
    if (input == NADI_INPUT_EVERYWHERE) {
        memset(everywhere, 1, nn->layers[0].channels);
        spread(nn, p, everywhere);
    }
    struct tie tie = {nn, p, parent, everywhere};
    for (uint32_t i = 0; i < channels; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < nn->count; i++)
        for (uint32_t c = 0; c < nn->layers[i].channels; c++)
            if (!everywhere[p->first[i] + c])
                tie_channel(&tie, i, c);
    number_classes(p, parent, everywhere);
    find_spaces(p, nn);
    const uint32_t inputs = nn->layers[0].channels;
    for (uint32_t c = 0; input == NADI_INPUT_BLOCKS && c < inputs; c++)
        p->worker[nadi_placement_class(p, 0, c)] = (uint32_t)((uint64_t)c * workers / inputs);
    nadi_mem_free(parent);
    nadi_mem_free(everywhere);
}

void nadi_placement_release(struct nadi_placement *p)
{
    nadi_mem_free(p->first);
    nadi_mem_free(p->class_of);
    nadi_mem_free(p->space_of);
    nadi_mem_free(p->worker);
    nadi_mem_free(p->everywhere);
    nadi_mem_free(p->summed);
}

/* ---- shares ---------------------------------------------------------------------------------- */

void nadi_placement_capacities(const struct nadi_placement *p, uint32_t count, const double *shares,
                               uint32_t *capacity)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->workers; k++)
        sum += shares ? shares[k] : 1;
    for (uint32_t k = 0; k < p->workers; k++)
        capacity[k] = (uint32_t)ceil((shares ? shares[k] : 1) / sum * count - 1e-9);
}

static uint32_t fill_space(struct nadi_placement *p, uint32_t space, const double *shares,
                           uint32_t *capacity)
{
    uint32_t count = 0, k = 0, used = 0;
    for (uint32_t i = 0; i < p->class_count; i++)
        count += p->space_of[i] == space && p->worker[i] == NADI_NONE && !p->everywhere[i];
    nadi_placement_capacities(p, count, shares, capacity);
    for (uint32_t i = 0; i < p->class_count; i++) {
        if (p->space_of[i] != space || p->worker[i] != NADI_NONE || p->everywhere[i])
            continue;
        while (used == capacity[k]) {
            k++;
            used = 0;
        }
        p->worker[i] = k;
        used++;
    }
    return count;
}

void nadi_placement_fill(struct nadi_placement *p, const struct nadi_nn *nn, const double *shares)
{
    uint32_t *capacity = NADI_NEW(uint32_t, p->workers);
    for (uint32_t i = 0; i < nn->count; i++)
        (void)fill_space(p, i, shares, capacity);
    nadi_mem_free(capacity);
}

void nadi_placement_gather(struct nadi_placement *p, uint32_t worker)
{
    for (uint32_t i = 0; i < p->class_count; i++)
        if (p->worker[i] == NADI_NONE && !p->everywhere[i])
            p->worker[i] = worker;
}
