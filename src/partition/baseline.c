#include "partition/baseline.h"

#include "base/mem.h"

const char *nadi_baseline_name(enum nadi_baseline kind)
{
    static const char *const names[NADI_BASELINES] = {"direct", "one worker", "tensor", "magnitude",
                                                      "graph"};
    return names[kind];
}

bool nadi_baseline_keeps_weights(enum nadi_baseline kind)
{
    return kind == NADI_BASELINE_DIRECT || kind == NADI_BASELINE_ONE ||
           kind == NADI_BASELINE_TENSOR;
}

struct ranked { /* a transfer, or part of one: of a layer that reads it */
    double energy;
    uint64_t bytes;
    uint32_t layer, channel, worker;
};

static int by_energy(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->energy < y->energy || x->energy > y->energy)
        return x->energy < y->energy ? -1 : 1;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

struct list {
    struct ranked *items;
    size_t count, capacity;
};

/* Squares of a channel's weights on each worker, as shares of the layer's. */
static void rank_layer(const struct nadi_partitioned *r, uint32_t layer, uint32_t element_bytes,
                       struct list *list)
{
    const struct nadi_nn_layer *l = &r->nn.layers[layer], *in = &r->nn.layers[l->inputs[0]];
    const uint32_t workers = r->placement.workers, groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const size_t fan = nadi_nn_fan_in(&r->nn, l), inputs = in->channels / groups;
    const size_t kernel = fan / inputs;
    double *energy = NADI_ZNEW(double, (size_t)in->channels *workers), all = 0;
    for (uint32_t j = 0; j < l->channels; j++)
        for (size_t i = 0; i < fan; i++) {
            const double w = (double)l->weights[j * fan + i];
            const size_t c = j / (l->channels / groups) * inputs + i / kernel;
            energy[c * workers + nadi_placement_of(&r->placement, layer, j)] += w * w;
            all += w * w;
        }
    for (uint32_t c = 0; c < in->channels; c++)
        for (uint32_t k = 0; k < workers; k++) {
            const uint32_t owner = nadi_placement_of(&r->placement, l->inputs[0], c);
            if (owner != NADI_NONE && owner != k && energy[c * workers + k] > 0)
                NADI_PUSH(list,
                          ((struct ranked){energy[c * workers + k] / all,
                                           nadi_nn_positions(in) * element_bytes, layer, c, k}));
        }
    nadi_mem_free(energy);
}

static void drop(struct nadi_partitioned *r, const struct ranked *one)
{
    const struct nadi_nn_layer *l = &r->nn.layers[one->layer];
    const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const size_t fan = nadi_nn_fan_in(&r->nn, l);
    const size_t inputs = r->nn.layers[l->inputs[0]].channels / groups, kernel = fan / inputs;
    for (uint32_t j = 0; j < l->channels; j++)
        if (nadi_placement_of(&r->placement, one->layer, j) == one->worker &&
            j / (l->channels / groups) == one->channel / inputs)
            memset(l->weights + j * fan + one->channel % inputs * kernel, 0,
                   kernel * sizeof(float));
}

/* Layers that read the same get its channels once, or send parts of their outputs: what is less. */
static void sum_rows(const struct nadi_nn *nn, struct nadi_placement *p)
{
    uint64_t *parts = NADI_ZNEW(uint64_t, nn->count);
    p->summed = NADI_ZNEW(uint8_t, nn->count);
    for (uint32_t i = 1; i < nn->count; i++)
        if (nadi_nn_mixes(nn->layers[i].kind))
            parts[nn->layers[i].inputs[0]] +=
                nn->layers[i].channels * nadi_nn_positions(&nn->layers[i]);
    for (uint32_t i = 1; i < nn->count; i++) {
        const uint32_t source = nn->layers[i].inputs[0];
        uint64_t values = 0;
        for (uint32_t c = 0; c < nn->layers[source].channels; c++)
            if (nadi_placement_of(p, source, c) != NADI_NONE)
                values += nadi_nn_positions(&nn->layers[source]);
        p->summed[i] = nadi_nn_mixes(nn->layers[i].kind) && parts[source] <= values;
    }
    nadi_mem_free(parts);
}

static void prune(const struct nadi_partition *p, uint64_t bytes, struct nadi_partitioned *r)
{
    struct list list = {NULL, 0, 0};
    size_t done = 0;
    for (uint32_t i = 1; i < r->nn.count; i++)
        if (nadi_nn_mixes(r->nn.layers[i].kind))
            rank_layer(r, i, p->element_bytes, &list);
    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), by_energy);
    while (r->traffic.all.bytes > bytes && done < list.count) {
        uint64_t more = r->traffic.all.bytes - bytes;
        do { /* a transfer that several layers read ends with the last of them */
            drop(r, &list.items[done]);
            more -= nadi_min_u64(more, list.items[done].bytes);
        } while (++done < list.count && more > 0);
        nadi_traffic_release(&r->traffic);
        nadi_traffic_of(&r->nn, &r->placement, p->element_bytes, &r->traffic);
    }
    nadi_mem_free(list.items);
}

void nadi_baseline_run(const struct nadi_partition *p, const struct nadi_nn *nn,
                       enum nadi_baseline kind, uint64_t bytes, struct nadi_partitioned *result)
{
    *result =
        (struct nadi_partitioned){.layers = NADI_ZNEW(struct nadi_partition_layer, nn->count)};
    nadi_nn_copy(&result->nn, nn);
    nadi_placement_init(&result->placement, nn, p->workers, p->input);
    if (kind == NADI_BASELINE_ONE)
        nadi_placement_gather(&result->placement, 0);
    else if (kind == NADI_BASELINE_GRAPH)
        nadi_graph_place(nn, p->graph, p->shares, &result->placement);
    else
        nadi_placement_fill(&result->placement, nn, p->shares);
    if (kind == NADI_BASELINE_TENSOR)
        sum_rows(nn, &result->placement);
    nadi_traffic_of(&result->nn, &result->placement, p->element_bytes, &result->traffic);
    if (!nadi_baseline_keeps_weights(kind))
        prune(p, bytes, result);
}

void nadi_baseline_search(const struct nadi_partition *p, const struct nadi_nn *nn,
                          enum nadi_baseline kind, const struct nadi_nn_samples *chosen,
                          double least, struct nadi_partitioned *result)
{
    struct nadi_partitioned other;
    nadi_baseline_run(p, nn, kind, UINT64_MAX, result);
    const uint64_t all = result->traffic.all.bytes;
    for (uint64_t low = 0; result->traffic.all.bytes > low + nadi_max_u64(all / 100, 1);) {
        const uint64_t middle = low + (result->traffic.all.bytes - low) / 2;
        nadi_baseline_run(p, nn, kind, middle, &other);
        const bool good = nadi_nn_accuracy(&other.nn, chosen) >= least;
        if (!good || other.traffic.all.bytes > middle) /* or nothing more can go */
            low = middle;
        if (good) {
            nadi_partitioned_release(result);
            *result = other;
        } else
            nadi_partitioned_release(&other);
    }
}
