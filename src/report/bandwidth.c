/* bandwidth: collectives in the terms of nccl-tests, one by one and by class. */
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "report/figures.h"

#include <math.h>

/* The implementation list that the system file has for the kind; NULL where it has none. */
static const struct nadi_implementation *implementation_of(const struct nadi_inputs *in,
                                                           enum nadi_collective_kind kind)
{
    enum nadi_native_kind native;
    return nadi_native_kind_of(kind, &native) && nadi_native_takes_dims(native)
               ? &in->system.native[native]
               : NULL;
}

/* Ranks among which data really moves: the product of the dimensions that take part. */
static uint32_t participants(const struct nadi_inputs *in, const struct nadi_collective_result *c)
{
    const struct nadi_topology *t = &in->topology;
    uint32_t size = c->group < in->groups.count ? in->groups.items[c->group].size : c->ranks;
    const struct nadi_implementation *list = implementation_of(in, c->kind);
    if (size != t->npu_count || !list || list->count == 0 || list->custom ||
        in->system.attached_count > 0)
        return size;
    const struct nadi_trace *trace = c->rank < in->rank_count ? in->traces[c->rank] : NULL;
    const struct nadi_trace_comm *comm = trace ? nadi_trace_comm(trace, c->node) : NULL;
    uint32_t involved = comm && in->groups.items[c->group].is_world ? comm->involved : UINT32_MAX;
    uint64_t n = 1;
    for (uint32_t d = 0; d < t->dim_count && d < list->count && n < size; d++) {
        if (involved >> d & 1)
            n *= list->dims[d].flat ? size : t->dims[d].npus;
        if (list->dims[d].flat)
            break;
    }
    return (uint32_t)nadi_min_u64(n, size);
}

struct nadi_bandwidth nadi_bandwidth_of(const struct nadi_inputs *in,
                                        const struct nadi_collective_result *c)
{
    struct nadi_bandwidth b = {.ranks = participants(in, c), .bytes = (double)c->bytes};
    double n = b.ranks ? (double)b.ranks : 1;
    if (c->kind == NADI_ALL_GATHER || c->kind == NADI_GATHER)
        b.bytes *= n;
    b.algorithm = b.bus = (double)NAN;
    if (c->complete && c->end_ns > c->start_ns) {
        b.algorithm = b.bytes / (double)(c->end_ns - c->start_ns) * 1e9;
        b.bus = b.algorithm * nadi_collective_bus_factor(c->kind, n);
    }
    return b;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const struct nadi_collective_class *a, const struct nadi_collective_class *b)
{
    int order = compare((uint64_t)a->kind, (uint64_t)b->kind);
    if (!order)
        order = compare(a->group_ranks, b->group_ranks);
    if (!order)
        order = compare(a->ranks, b->ranks);
    if (!order)
        order = compare(a->bytes, b->bytes);
    return order;
}

static int by_time(const void *x, const void *y)
{
    const struct nadi_collective_class *a = x, *b = y;
    if (a->rank_ns < b->rank_ns || a->rank_ns > b->rank_ns)
        return a->rank_ns < b->rank_ns ? 1 : -1;
    return by_key(a, b);
}

static void merge(struct nadi_collective_class *a, const struct nadi_collective_class *b)
{
    a->count += b->count;
    a->duration_ns = nadi_count_add(a->duration_ns, b->duration_ns);
    a->rank_ns += b->rank_ns;
    a->bus_min = fmin(a->bus_min, b->bus_min);
    a->bus_max = fmax(a->bus_max, b->bus_max);
}

/* Mean rates are the class's bytes over its summed durations, so that they agree with the total. */
static void finish(struct nadi_collective_class *c)
{
    double n = c->ranks ? (double)c->ranks : 1, size = (double)c->bytes;
    if (c->kind == NADI_ALL_GATHER || c->kind == NADI_GATHER)
        size *= n;
    c->algorithm_mean = c->bus_mean = (double)NAN;
    if (c->duration_ns) {
        c->algorithm_mean = size * (double)c->count / (double)c->duration_ns * 1e9;
        c->bus_mean = c->algorithm_mean * nadi_collective_bus_factor(c->kind, n);
    }
}

/* Adds to its class, a new one if there is none yet. */
static void count_in(struct nadi_collective_class *classes, size_t *count,
                     struct nadi_map64 *places, const struct nadi_collective_class *one)
{
    const uint64_t words[] = {(uint64_t)one->kind, one->group_ranks, one->ranks, one->bytes};
    uint64_t key = nadi_hash_words(words, sizeof(words) / sizeof(*words));
    bool added;
    uint32_t place = *nadi_map64_put(places, key, (uint32_t)*count, &added);
    while (!added && by_key(&classes[place], one) != 0) /* another has its hash */
        place = *nadi_map64_put(places, ++key, (uint32_t)*count, &added);
    if (added)
        classes[(*count)++] = *one;
    else
        merge(&classes[place], one);
}

struct nadi_collective_class *nadi_collective_classes(const struct nadi_inputs *in,
                                                      const struct nadi_result *r, size_t *count)
{
    struct nadi_collective_class *classes =
        NADI_NEW(struct nadi_collective_class, r->collective_count);
    struct nadi_map64 places;
    *count = 0;
    nadi_map64_init(&places, 0);
    for (size_t i = 0; i < r->collective_count; i++) {
        const struct nadi_collective_result *c = &r->collectives[i];
        if (!c->complete)
            continue;
        const struct nadi_bandwidth b = nadi_bandwidth_of(in, c);
        const uint64_t duration = c->end_ns - c->start_ns;
        const struct nadi_collective_class one = {
            .kind = c->kind,
            .group_ranks = c->ranks,
            .ranks = b.ranks,
            .bytes = c->bytes,
            .count = c->copies,
            .duration_ns = nadi_count_mul(duration, c->copies),
            .rank_ns = (double)duration * (double)c->ranks * (double)c->copies,
            .bus_min = b.bus,
            .bus_max = b.bus,
        };
        count_in(classes, count, &places, &one);
    }
    const double working = nadi_ranks_working(r);
    for (size_t i = 0; i < *count; i++) {
        classes[i].per_rank_ns = classes[i].rank_ns / working;
        finish(&classes[i]);
    }
    if (*count)
        qsort(classes, *count, sizeof(*classes), by_time);
    nadi_map64_release(&places);
    return classes;
}
