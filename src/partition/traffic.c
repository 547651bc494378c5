#include "partition/traffic.h"

#include "base/mem.h"

struct scratch {
    uint8_t *needs;  /* channels x workers */
    uint64_t *pairs; /* workers x workers, of one layer: 0 in between */
    uint64_t *of_worker;
    uint32_t element_bytes;
};

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
        if (nadi_nn_mixes(l->kind) && l->inputs[0] == source && !(p->summed && p->summed[i]))
            mark_mixing(nn, p, i, needs);
        if (l->kind == NADI_NN_SOFTMAX && l->inputs[0] == source)
            mark_all(p, i, channels, needs);
    }
    for (uint32_t c = 0; source + 1 == nn->count && c < channels; c++)
        needs[c * p->workers] = 1;
}

/* Pairs of workers with bytes between them, which are then 0 again. */
static void take_pairs(struct nadi_placed_traffic *t, uint32_t layer, bool sums, uint64_t *bytes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->workers * t->workers; i++)
        if (bytes[i]) {
            NADI_PUSH(&t->pairs, ((struct nadi_pair_traffic){layer, i / t->workers, i % t->workers,
                                                             sums, bytes[i]}));
            t->layers[layer].bytes += bytes[i];
            t->layers[layer].sum_bytes += sums ? bytes[i] : 0;
            bytes[i] = 0;
            count++;
        }
    t->layers[layer].messages += count;
    t->layers[layer].sum_messages += sums ? count : 0;
}

static void add_transfers(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                          const struct nadi_placement *p, uint32_t layer, struct scratch *s)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    for (uint32_t c = 0; c < l->channels; c++) {
        const uint32_t from = nadi_placement_of(p, layer, c);
        for (uint32_t k = 0; k < t->workers && from != NADI_NONE; k++)
            if (k != from && s->needs[c * t->workers + k]) {
                NADI_PUSH(t, ((struct nadi_channel_transfer){layer, c, from, k}));
                s->pairs[from * t->workers + k] += nadi_nn_positions(l) * s->element_bytes;
                t->layers[layer].transfers++;
            }
    }
    take_pairs(t, layer, false, s->pairs);
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
                     const struct nadi_placement *p, uint32_t layer, struct scratch *s)
{
    const uint64_t bytes = NADI_SUM_BYTES * nadi_nn_positions(&nn->layers[layer]);
    uint8_t *part = NADI_NEW(uint8_t, t->workers);
    const uint32_t first = nadi_traffic_summing(nn, p, layer, part);
    for (uint32_t k = 0; k < t->workers; k++)
        if (part[k] && k != first)
            s->pairs[k * t->workers + first] = s->pairs[first * t->workers + k] = bytes;
    take_pairs(t, layer, true, s->pairs);
    nadi_mem_free(part);
}

static void add_weights(struct nadi_placed_traffic *t, uint32_t layer, uint32_t worker,
                        uint64_t weights, uint64_t positions)
{
    t->layers[layer].weights += weights;
    t->layers[layer].macs += weights * positions;
    t->weights[worker] += weights;
    t->macs[worker] += weights * positions;
    t->layer_macs[(size_t)layer * t->workers + worker] += weights * positions;
}

/* Of an output channel: weights whose inputs each worker has; its own are those that lie
 * everywhere. */
static void count_by_input(const struct nadi_nn *nn, const struct nadi_placement *p, uint32_t layer,
                           uint32_t channel, uint64_t *of_worker)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const uint32_t inputs = nn->layers[l->inputs[0]].channels / groups;
    const size_t fan = nadi_nn_fan_in(nn, l), kernel = fan / inputs;
    const uint32_t first = channel / (l->channels / groups) * inputs;
    memset(of_worker, 0, p->workers * sizeof(*of_worker));
    for (size_t i = 0; i < fan; i++) {
        const float w = l->weights[channel * fan + i];
        const uint32_t has = nadi_placement_of(p, l->inputs[0], first + (uint32_t)(i / kernel));
        if (w > 0 || w < 0)
            of_worker[has == NADI_NONE ? nadi_placement_of(p, layer, channel) : has]++;
    }
}

static void add_work(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                     const struct nadi_placement *p, uint32_t layer)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const size_t fan = nadi_nn_fan_in(nn, l), positions = nadi_nn_positions(l);
    for (uint32_t j = 0; j < l->channels; j++) {
        uint64_t weights = 0;
        for (size_t i = 0; i < fan; i++)
            weights += l->weights[j * fan + i] > 0 || l->weights[j * fan + i] < 0;
        add_weights(t, layer, nadi_placement_of(p, layer, j), weights, positions);
    }
}

static void add_parts(struct nadi_placed_traffic *t, const struct nadi_nn *nn,
                      const struct nadi_placement *p, uint32_t layer, struct scratch *s)
{
    const size_t positions = nadi_nn_positions(&nn->layers[layer]);
    for (uint32_t j = 0; j < nn->layers[layer].channels; j++) {
        const uint32_t to = nadi_placement_of(p, layer, j);
        count_by_input(nn, p, layer, j, s->of_worker);
        for (uint32_t k = 0; k < t->workers; k++) {
            add_weights(t, layer, k, s->of_worker[k], positions);
            if (k != to && s->of_worker[k]) {
                s->pairs[k * t->workers + to] += positions * s->element_bytes;
                t->layers[layer].transfers++;
            }
        }
    }
    take_pairs(t, layer, true, s->pairs);
}

static void add_up(struct nadi_layer_traffic *all, const struct nadi_layer_traffic *one)
{
    all->transfers += one->transfers;
    all->messages += one->messages;
    all->bytes += one->bytes;
    all->sum_messages += one->sum_messages;
    all->sum_bytes += one->sum_bytes;
    all->macs += one->macs;
    all->weights += one->weights;
}

void nadi_traffic_of(const struct nadi_nn *nn, const struct nadi_placement *p,
                     uint32_t element_bytes, struct nadi_placed_traffic *t)
{
    uint32_t widest = 1;
    *t = (struct nadi_placed_traffic){.workers = p->workers, .layer_count = nn->count};
    t->layers = NADI_ZNEW(struct nadi_layer_traffic, nn->count);
    t->macs = NADI_ZNEW(uint64_t, p->workers);
    t->weights = NADI_ZNEW(uint64_t, p->workers);
    t->layer_macs = NADI_ZNEW(uint64_t, (size_t)nn->count * p->workers);
    for (uint32_t i = 0; i < nn->count; i++)
        widest = nn->layers[i].channels > widest ? nn->layers[i].channels : widest;
    struct scratch s = {.needs = NADI_NEW(uint8_t, (size_t)widest * p->workers),
                        .pairs = NADI_ZNEW(uint64_t, (size_t)p->workers * p->workers),
                        .of_worker = NADI_NEW(uint64_t, p->workers),
                        .element_bytes = element_bytes};
    for (uint32_t i = 0; i < nn->count; i++) {
        if (nn->layers[i].kind == NADI_NN_NORM)
            add_sums(t, nn, p, i, &s);
        if (p->summed && p->summed[i])
            add_parts(t, nn, p, i, &s);
        else if (nadi_nn_mixes(nn->layers[i].kind))
            add_work(t, nn, p, i);
        mark_needs(nn, p, i, s.needs);
        add_transfers(t, nn, p, i, &s);
        add_up(&t->all, &t->layers[i]);
    }
    nadi_mem_free(s.needs);
    nadi_mem_free(s.pairs);
    nadi_mem_free(s.of_worker);
}

void nadi_traffic_release(struct nadi_placed_traffic *t)
{
    nadi_mem_free(t->items);
    nadi_mem_free(t->layers);
    nadi_mem_free(t->macs);
    nadi_mem_free(t->weights);
    nadi_mem_free(t->layer_macs);
    nadi_mem_free(t->pairs.items);
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
