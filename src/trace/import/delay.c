#include "trace/import/delay.h"

#include "base/mem.h"

struct finder {
    struct nadi_delays *delays;
    struct nadi_sync *sync;
    struct nadi_sync_edges explained;
    const struct nadi_timeline *t;
    const struct nadi_device *d;
    int64_t resolution_ns;
};

struct ready {
    int64_t at;
    bool by_device; /* work held it up rather than its launch */
};

static struct ready ready_at(const struct finder *f, uint32_t w)
{
    const struct nadi_work *works = f->d->works, *work = &works[w];
    struct ready r = {NADI_NO_TIME, false};
    if (work->piece != NADI_NONE)
        r.at = f->t->pieces.items[work->piece].to;
    if (w > f->d->streams[work->stream].first && works[w - 1].to > r.at)
        r = (struct ready){works[w - 1].to, true};
    const struct nadi_sync_edges *edges = &f->sync->streams;
    for (size_t i = nadi_sync_first(edges, w); i < edges->count && edges->items[i].node == w; i++)
        if (works[edges->items[i].work].to > r.at)
            r = (struct ready){works[edges->items[i].work].to, true};
    return r;
}

/* The last work of another stream that ended just before this one began, after it was ready. */
static uint32_t explain(const struct finder *f, uint32_t w, int64_t ready)
{
    const struct nadi_work *works = f->d->works, *work = &works[w];
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

/* How long no other stream of the device worked from `from` to `to`: less each stream's share, at
 * least nothing. Communication does not count, it runs beside everything. */
static int64_t idle_between(const struct finder *f, uint32_t w, int64_t from, int64_t to)
{
    const struct nadi_work *works = f->d->works;
    int64_t idle = to - from;
    for (uint32_t s = 0; s < f->d->stream_count; s++) {
        const struct nadi_stream *stream = &f->d->streams[s];
        if (s == works[w].stream || stream->device != f->d->streams[works[w].stream].device)
            continue;
        uint32_t before = nadi_device_last_ended(f->d, s, from);
        uint32_t i = before == NADI_NONE ? stream->first : before + 1;
        for (; i < stream->first + stream->count && works[i].from < to; i++) {
            if (works[i].kind == NADI_WORK_COMM)
                continue;
            int64_t begin = works[i].from > from ? works[i].from : from;
            idle -= (works[i].to < to ? works[i].to : to) - begin;
        }
    }
    return idle > 0 ? idle : 0;
}

static int64_t delay_of(struct finder *f, uint32_t w)
{
    const struct nadi_work *work = &f->d->works[w];
    struct ready r = ready_at(f, w);
    if (r.at == NADI_NO_TIME || work->from <= r.at)
        return 0;
    f->delays->from[w] = r.at;
    if (work->from - r.at > NADI_LATENCY_NS) {
        uint32_t on = explain(f, w, r.at);
        if (on == NADI_NONE) {
            int64_t idle = idle_between(f, w, r.at, work->from);
            f->delays->unexplained += idle > NADI_LATENCY_NS;
            f->delays->unexplained_ns += idle > NADI_LATENCY_NS ? idle : 0;
            return idle;
        }
        struct nadi_sync_edge e = {w, on};
        NADI_PUSH(&f->explained, e);
        f->sync->inferred++;
        r = (struct ready){f->d->works[on].to, true};
        f->delays->from[w] = r.at;
    }
    return r.by_device ? work->from - r.at : idle_between(f, w, r.at, work->from);
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

void nadi_delays_find(struct nadi_delays *delays, struct nadi_sync *sync,
                      const struct nadi_timeline *t, const struct nadi_device *d,
                      int64_t resolution_ns)
{
    *delays = (struct nadi_delays){.ns = NADI_ZNEW(int64_t, d->work_count),
                                   .from = NADI_ZNEW(int64_t, d->work_count)};
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
