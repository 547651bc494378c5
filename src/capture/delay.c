#include "capture/delay.h"

#include "base/mem.h"

struct finder {
    struct nadi_delays *delays;
    struct nadi_sync *sync;
    struct nadi_sync_edges explained;
    const struct nadi_timeline *t;
    const struct nadi_capture_device *d;
    int64_t resolution_ns;
};

/* Work that nothing holds up was launched before the capture: its place in it is all there is. */
static int64_t ready_at(const struct finder *f, uint32_t w)
{
    const struct nadi_device_work *works = f->d->works, *work = &works[w];
    int64_t at = NADI_NO_TIME;
    if (work->slice != NADI_NONE)
        at = f->t->slices.items[work->slice].to;
    if (w > f->d->streams[work->stream].first && works[w - 1].to > at)
        at = works[w - 1].to;
    const struct nadi_sync_edges *edges = &f->sync->streams;
    for (size_t i = nadi_sync_first(edges, w); i < edges->count && edges->items[i].node == w; i++)
        if (works[edges->items[i].work].to > at)
            at = works[edges->items[i].work].to;
    return at == NADI_NO_TIME ? f->delays->begin : at;
}

/* The last work of another stream that ended just before this one began, after it was ready. */
static uint32_t explain(const struct finder *f, uint32_t w, int64_t ready)
{
    const struct nadi_device_work *works = f->d->works, *work = &works[w];
    uint32_t best = NADI_NONE;
    for (uint32_t s = 0; s < f->d->stream_count; s++) {
        if (s == work->stream || f->d->streams[s].device != f->d->streams[work->stream].device)
            continue;
        uint32_t on = nadi_device_last_ended(f->d, s, work->from);
        if (on == NADI_NONE || works[on].to <= ready ||
            work->from - works[on].to > NADI_LATENCY_NS || works[on].launched > work->launched)
            continue;
        if (best == NADI_NONE || works[on].to > works[best].to)
            best = on;
    }
    return best;
}

static int64_t delay_of(struct finder *f, uint32_t w)
{
    const struct nadi_device_work *work = &f->d->works[w];
    int64_t ready = ready_at(f, w);
    if (work->from <= ready)
        return 0;
    if (work->from - ready > NADI_LATENCY_NS) {
        uint32_t on = explain(f, w, ready);
        if (on == NADI_NONE) {
            f->delays->unexplained++;
            f->delays->unexplained_ns += work->from - ready;
        } else {
            struct nadi_sync_edge e = {w, on};
            NADI_PUSH(&f->explained, e);
            f->sync->inferred++;
            ready = f->d->works[on].to;
        }
    }
    f->delays->from[w] = ready;
    return work->from - ready;
}

static int compare_edges(const void *a, const void *b)
{
    const struct nadi_sync_edge *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->work < y->work ? -1 : x->work > y->work;
}

static void keep_explanations(struct finder *f)
{
    for (size_t i = 0; i < f->explained.count; i++)
        NADI_PUSH(&f->sync->streams, f->explained.items[i]);
    if (f->explained.count)
        qsort(f->sync->streams.items, f->sync->streams.count, sizeof(*f->sync->streams.items),
              compare_edges);
    nadi_mem_free(f->explained.items);
}

static int64_t begin_of(const struct nadi_timeline *t, const struct nadi_capture_device *d)
{
    int64_t begin = INT64_MAX;
    for (size_t i = 0; i < t->slices.count; i++)
        begin = t->slices.items[i].from < begin ? t->slices.items[i].from : begin;
    for (uint32_t s = 0; s < d->stream_count; s++) {
        const int64_t from = d->works[d->streams[s].first].from;
        begin = from < begin ? from : begin;
    }
    return begin;
}

void nadi_delays_find(struct nadi_delays *delays, struct nadi_sync *sync,
                      const struct nadi_timeline *t, const struct nadi_capture_device *d,
                      int64_t resolution_ns)
{
    *delays = (struct nadi_delays){.ns = NADI_ZNEW(int64_t, d->work_count),
                                   .from = NADI_ZNEW(int64_t, d->work_count),
                                   .begin = begin_of(t, d)};
    struct finder f = {delays, sync, {0}, t, d, resolution_ns};
    for (uint32_t s = 0; s < d->stream_count; s++) {
        int64_t carried = 0;
        for (uint32_t w = d->streams[s].first; w < d->streams[s].first + d->streams[s].count; w++) {
            carried += delay_of(&f, w);
            if (carried < resolution_ns || carried == 0)
                continue;
            delays->ns[w] = carried;
            delays->kept++;
            delays->kept_ns += carried;
            carried = 0;
        }
    }
    keep_explanations(&f);
}

void nadi_delays_release(struct nadi_delays *delays)
{
    nadi_mem_free(delays->ns);
    nadi_mem_free(delays->from);
    *delays = (struct nadi_delays){0};
}
