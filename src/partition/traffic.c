#include "partition/traffic.h"

#include "base/mem.h"

/* Which workers read each channel of a layer. needs: channels x workers */
static void mark_mixing(const struct nadi_nn *nn, const struct nadi_placement *p, uint32_t layer,
                        uint8_t *needs)
{
    const struct nadi_nn_layer *l = &nn->layers[layer], *in = &nn->layers[l->inputs[0]];
    const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const uint32_t per_group = in->channels / groups, rows = l->channels / groups;
    const size_t fan = nadi_nn_fan_in(nn, l), kernel = fan / per_group;
    for (uint32_t j = 0; j < l->channels; j++) {
        const uint32_t k = nadi_placement_of(p, layer, j);
        for (size_t i = 0; i < fan; i++) {
            const float w = l->weights[j * fan + i];
            if (w > 0 || w < 0)
                needs[(j / rows * per_group + i / kernel) * p->workers + k] = 1;
        }
    }
}

static void mark_all(const struct nadi_placement *p, uint32_t layer, uint32_t channels,
                     uint8_t *needs)
{
    for (uint32_t j = 0; j < channels; j++)
        for (uint32_t c = 0; c < channels; c++)
            if (nadi_placement_of(p, layer, j) != NADI_NONE)
                needs[c * p->workers + nadi_placement_of(p, layer, j)] = 1;
}

static void mark_needs(const struct nadi_nn *nn, const struct nadi_placement *p, uint32_t source,
                       uint8_t *needs)
{
    const uint32_t channels = nn->layers[source].channels;
    memset(needs, 0, (size_t)channels * p->workers);
    for (uint32_t i = source + 1; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        if (nadi_nn_mixes(l->kind) && l->inputs[0] == source)
            mark_mixing(nn, p, i, needs);
        if (l->kind == NADI_NN_SOFTMAX && l->inputs[0] == source)
            mark_all(p, i, channels, needs);
    }
    for (uint32_t c = 0; source + 1 == nn->count && c < channels; c++)
        needs[c * p->workers] = 1;
}

static void add_transfers(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                          const struct nadi_placement *p, uint32_t layer, const uint8_t *needs,
                          uint32_t element_bytes)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    uint64_t *pairs = t->pair_bytes + (size_t)layer * t->workers * t->workers;
    for (uint32_t c = 0; c < l->channels; c++) {
        const uint32_t from = nadi_placement_of(p, layer, c);
        for (uint32_t k = 0; k < t->workers && from != NADI_NONE; k++)
            if (k != from && needs[c * t->workers + k]) {
                NADI_PUSH(t, ((struct nadi_channel_transfer){layer, c, from, k}));
                pairs[from * t->workers + k] += nadi_nn_positions(l) * element_bytes;
                t->layers[layer].transfers++;
            }
    }
    for (uint32_t i = 0; i < t->workers * t->workers; i++) {
        t->layers[layer].bytes += pairs[i];
        t->layers[layer].messages += pairs[i] > 0;
    }
}

uint32_t nadi_traffic_summing(const struct nadi_nn *nn, const struct nadi_placement *p,
                              uint32_t layer, uint8_t *takes_part)
{
    uint32_t first = NADI_NONE;
    memset(takes_part, 0, p->workers);
    for (uint32_t c = 0; c < nn->layers[layer].channels; c++) {
        const uint32_t k = nadi_placement_of(p, layer, c);
        if (k != NADI_NONE)
            takes_part[k] = 1;
    }
    for (uint32_t k = p->workers; k-- > 0;)
        if (takes_part[k])
            first = k;
    return first;
}

static void add_sums(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                     const struct nadi_placement *p, uint32_t layer)
{
    struct nadi_layer_traffic *l = &t->layers[layer];
    uint8_t *part = NADI_NEW(uint8_t, t->workers);
    const uint32_t first = nadi_traffic_summing(nn, p, layer, part);
    for (uint32_t k = 0; k < t->workers; k++)
        if (part[k] && k != first)
            l->sum_messages += 2;
    l->sum_bytes = l->sum_messages * NADI_SUM_BYTES * nadi_nn_positions(&nn->layers[layer]);
    l->messages += l->sum_messages;
    l->bytes += l->sum_bytes;
    nadi_mem_free(part);
}

static void add_work(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                     const struct nadi_placement *p, uint32_t layer)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const size_t fan = nadi_nn_fan_in(nn, l), positions = nadi_nn_positions(l);
    for (uint32_t j = 0; j < l->channels; j++) {
        const uint32_t k = nadi_placement_of(p, layer, j);
        uint64_t weights = 0;
        for (size_t i = 0; i < fan; i++)
            weights += l->weights[j * fan + i] > 0 || l->weights[j * fan + i] < 0;
        t->layers[layer].weights += weights;
        t->layers[layer].macs += weights * positions;
        t->weights[k] += weights;
        t->macs[k] += weights * positions;
    }
}

void nadi_traffic_of(const struct nadi_nn *nn, const struct nadi_placement *p,
                     uint32_t element_bytes, struct nadi_placed_traffic *t)
{
    uint32_t widest = 1;
    *t = (struct nadi_placed_traffic){.workers = p->workers, .layer_count = nn->count};
    t->layers = NADI_ZNEW(struct nadi_layer_traffic, nn->count);
    t->macs = NADI_ZNEW(uint64_t, p->workers);
    t->weights = NADI_ZNEW(uint64_t, p->workers);
    t->pair_bytes = NADI_ZNEW(uint64_t, (size_t)nn->count * p->workers * p->workers);
    for (uint32_t i = 0; i < nn->count; i++)
        widest = nn->layers[i].channels > widest ? nn->layers[i].channels : widest;
    uint8_t *needs = NADI_NEW(uint8_t, (size_t)widest * p->workers);
    for (uint32_t i = 0; i < nn->count; i++) {
        mark_needs(nn, p, i, needs);
        add_transfers(t, nn, p, i, needs, element_bytes);
        if (nn->layers[i].kind == NADI_NN_NORM)
            add_sums(t, nn, p, i);
        if (nadi_nn_mixes(nn->layers[i].kind))
            add_work(t, nn, p, i);
        t->all.transfers += t->layers[i].transfers;
        t->all.messages += t->layers[i].messages;
        t->all.bytes += t->layers[i].bytes;
        t->all.sum_messages += t->layers[i].sum_messages;
        t->all.sum_bytes += t->layers[i].sum_bytes;
        t->all.macs += t->layers[i].macs;
        t->all.weights += t->layers[i].weights;
    }
    nadi_mem_free(needs);
}

void nadi_traffic_release(struct nadi_placed_traffic *t)
{
    nadi_mem_free(t->items);
    nadi_mem_free(t->layers);
    nadi_mem_free(t->macs);
    nadi_mem_free(t->weights);
    nadi_mem_free(t->pair_bytes);
}

double nadi_traffic_imbalance(const uint64_t *of_worker, uint32_t workers)
{
    double sum = 0, most = 0;
    for (uint32_t k = 0; k < workers; k++) {
        sum += (double)of_worker[k];
        most = (double)of_worker[k] > most ? (double)of_worker[k] : most;
    }
    return sum > 0 ? most / (sum / workers) : 1;
}
