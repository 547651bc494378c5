#include "partition/workload.h"

#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "trace/build.h"

/* Messages of a layer: outputs, a norm's sums or parts of outputs, what sums add up to. */
enum { PARTS = 3 };

struct writer {
    const struct nadi_nn *nn;
    const struct nadi_placement *p;
    const struct nadi_placed_traffic *t;
    const struct nadi_partition_workload *w;
    struct nadi_trace_build *build; /* of each worker */
    uint64_t *computed;             /* of each worker and layer: its last node; 0: none */
    uint64_t *last;                 /* of each worker: its last compute node */
    struct {
        uint64_t *items;
        size_t count, capacity;
    } * received;   /* of each worker and layer: receives of its outputs */
    uint64_t *macs; /* of the layer, of each worker */
    size_t pair;    /* the next one of the traffic */
};

static size_t at(const struct writer *w, uint32_t worker, uint32_t layer)
{
    return (size_t)worker * w->nn->count + layer;
}

static uint64_t send(struct writer *w, uint32_t layer, uint32_t from, uint32_t to, uint32_t part,
                     uint64_t bytes, uint64_t after)
{
    const char *name = w->nn->layers[layer].name;
    const uint32_t tag = layer * PARTS + part;
    (void)nadi_trace_build_message(&w->build[from], name, NADI_NODE_SEND, to, tag, bytes, &after,
                                   1);
    return nadi_trace_build_message(&w->build[to], name, NADI_NODE_RECV, from, tag, bytes, NULL, 0);
}

/* What the layer's computation waits for: what the worker has or gets of its inputs. */
static void gather_inputs(const struct writer *w, uint32_t k, uint32_t layer, struct nadi_str *out)
{
    const struct nadi_nn_layer *l = &w->nn->layers[layer];
    nadi_str_clear(out);
    if (w->last[k])
        nadi_str_add_bytes(out, &w->last[k], sizeof(uint64_t));
    for (uint32_t n = 0; n < l->input_count; n++) {
        const size_t from = at(w, k, l->inputs[n]);
        if (w->computed[from] && w->computed[from] != w->last[k])
            nadi_str_add_bytes(out, &w->computed[from], sizeof(uint64_t));
        for (size_t i = 0; i < w->received[from].count; i++)
            nadi_str_add_bytes(out, &w->received[from].items[i], sizeof(uint64_t));
    }
}

static void find_macs(struct writer *w, uint32_t layer)
{
    const struct nadi_nn_layer *l = &w->nn->layers[layer];
    const uint32_t workers = w->p->workers;
    for (uint32_t k = 0; k < workers; k++)
        w->macs[k] = w->t->layer_macs[(size_t)layer * workers + k] * w->w->batch;
    for (uint32_t j = 0; !nadi_nn_mixes(l->kind) && j < l->channels; j++) {
        const uint32_t owner = nadi_placement_of(w->p, layer, j);
        for (uint32_t k = 0; k < workers; k++)
            if (owner == NADI_NONE || owner == k) /* without weights: one operation a value */
                w->macs[k] += nadi_nn_positions(l) * w->w->batch;
    }
}

static void compute(struct writer *w, uint32_t k, uint32_t layer, struct nadi_str *deps)
{
    const double ns = (double)w->macs[k] / w->w->macs_per_s * 1e9;
    gather_inputs(w, k, layer, deps);
    const size_t count = deps->length / sizeof(uint64_t);
    if (!w->macs[k] && layer > 0)
        return;
    w->computed[at(w, k, layer)] = nadi_trace_build_compute(
        &w->build[k], w->nn->layers[layer].name, layer ? nadi_ns_trunc(ceil(ns)) : 0,
        layer ? 2 * w->macs[k] : 0, 0, (const uint64_t *)(const void *)deps->text, count);
    w->last[k] = w->computed[at(w, k, layer)];
}

/* The next pair of a layer and kind; NULL: there are no more. */
static const struct nadi_pair_traffic *next_pair(struct writer *w, uint32_t layer, bool sums)
{
    const struct nadi_pair_traffic *p = &w->t->pairs.items[w->pair];
    if (w->pair == w->t->pairs.count || p->layer != layer || p->sums != sums)
        return NULL;
    w->pair++;
    return p;
}

/* The sums of a norm: to the first worker and back. Who takes part goes on when it has them. */
static void exchange_sums(struct writer *w, uint32_t layer)
{
    uint8_t *part = NADI_NEW(uint8_t, w->p->workers);
    const uint32_t first = nadi_traffic_summing(w->nn, w->p, layer, part);
    const uint64_t bytes = NADI_SUM_BYTES * nadi_nn_positions(&w->nn->layers[layer]) * w->w->batch;
    struct nadi_str all = NADI_STR_INIT;
    for (uint32_t k = 0; k < w->p->workers; k++)
        if (part[k] && k != first) {
            const uint64_t got = send(w, layer, k, first, 1, bytes, w->last[k]);
            nadi_str_add_bytes(&all, &got, sizeof(got));
        }
    if (all.length) {
        nadi_str_add_bytes(&all, &w->last[first], sizeof(uint64_t));
        w->last[first] = nadi_trace_build_compute(&w->build[first], w->nn->layers[layer].name, 0, 0,
                                                  0, (const uint64_t *)(const void *)all.text,
                                                  all.length / sizeof(uint64_t));
        for (uint32_t k = 0; k < w->p->workers; k++)
            if (part[k] && k != first) {
                const uint64_t got = send(w, layer, first, k, 2, bytes, w->last[first]);
                const uint64_t both[] = {got, w->last[k]};
                w->last[k] = nadi_trace_build_compute(&w->build[k], w->nn->layers[layer].name, 0, 0,
                                                      0, both, 2);
            }
    }
    nadi_str_release(&all);
    nadi_mem_free(part);
}

/* Parts of outputs that other workers own, which add them up: one operation a value. */
static void exchange_parts(struct writer *w, uint32_t layer)
{
    const uint32_t workers = w->p->workers;
    struct nadi_str *got = NADI_ZNEW(struct nadi_str, workers);
    const struct nadi_pair_traffic *p;
    while (p = next_pair(w, layer, true), p) {
        const uint64_t one = send(w, layer, p->from, p->to, 1, p->bytes * w->w->batch,
                                  w->computed[at(w, p->from, layer)]);
        nadi_str_add_bytes(&got[p->to], &one, sizeof(one));
    }
    for (uint32_t k = 0; k < workers; k++) {
        uint64_t values = 0;
        for (uint32_t c = 0; c < w->nn->layers[layer].channels; c++)
            if (nadi_placement_of(w->p, layer, c) == k)
                values += nadi_nn_positions(&w->nn->layers[layer]);
        const uint64_t adds = values * (got[k].length / sizeof(uint64_t)) * w->w->batch;
        if (adds) {
            if (w->last[k])
                nadi_str_add_bytes(&got[k], &w->last[k], sizeof(uint64_t));
            w->last[k] = w->computed[at(w, k, layer)] = nadi_trace_build_compute(
                &w->build[k], w->nn->layers[layer].name,
                nadi_ns_trunc(ceil((double)adds / w->w->macs_per_s * 1e9)), adds, 0,
                (const uint64_t *)(const void *)got[k].text, got[k].length / sizeof(uint64_t));
        }
        nadi_str_release(&got[k]);
    }
    nadi_mem_free(got);
}

static void send_outputs(struct writer *w, uint32_t layer)
{
    const struct nadi_pair_traffic *p;
    while (p = next_pair(w, layer, false), p) {
        const uint64_t got = send(w, layer, p->from, p->to, 0, p->bytes * w->w->batch,
                                  w->computed[at(w, p->from, layer)]);
        NADI_PUSH(&w->received[at(w, p->to, layer)], got);
    }
}

static void build(struct writer *w)
{
    struct nadi_str deps = NADI_STR_INIT;
    for (uint32_t i = 0; i < w->nn->count; i++) {
        if (w->nn->layers[i].kind == NADI_NN_NORM)
            exchange_sums(w, i);
        find_macs(w, i);
        for (uint32_t k = 0; k < w->p->workers; k++)
            compute(w, k, i, &deps);
        if (nadi_nn_mixes(w->nn->layers[i].kind))
            exchange_parts(w, i);
        while (next_pair(w, i, true)) /* a norm's, which were sent before */
            continue;
        send_outputs(w, i);
    }
    nadi_str_release(&deps);
}

bool nadi_partition_write_traces(const struct nadi_nn *nn, const struct nadi_placement *p,
                                 const struct nadi_placed_traffic *t,
                                 const struct nadi_partition_workload *workload, const char *prefix,
                                 struct nadi_diags *diags)
{
    const size_t count = (size_t)p->workers * nn->count;
    struct writer w = {.nn = nn, .p = p, .t = t, .w = workload};
    struct nadi_str path = NADI_STR_INIT;
    bool ok = true;
    w.build = NADI_ZNEW(struct nadi_trace_build, p->workers);
    w.computed = NADI_ZNEW(uint64_t, count);
    w.last = NADI_ZNEW(uint64_t, p->workers);
    w.received = nadi_mem_zalloc(count, sizeof(*w.received));
    w.macs = NADI_ZNEW(uint64_t, p->workers);
    for (uint32_t k = 0; k < p->workers; k++)
        nadi_trace_build_init(&w.build[k], "partition");
    build(&w);
    for (uint32_t k = 0; k < p->workers; k++) {
        struct nadi_trace *trace = nadi_trace_build_finish(&w.build[k]);
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s.%u.et", prefix, k);
        ok = ok && nadi_trace_save(trace, nadi_str_get(&path), NADI_CODING_PLAIN, NULL, diags);
        nadi_trace_destroy(trace);
    }
    for (size_t i = 0; i < count; i++)
        nadi_mem_free(w.received[i].items);
    nadi_mem_free(w.build);
    nadi_mem_free(w.computed);
    nadi_mem_free(w.last);
    nadi_mem_free(w.received);
    nadi_mem_free(w.macs);
    nadi_str_release(&path);
    return ok;
}
