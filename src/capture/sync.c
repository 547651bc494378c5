#include "capture/sync.h"

#include "base/mem.h"
#include "base/search.h"

struct finder {
    struct nadi_sync *s;
    struct nadi_timeline *t;
    const struct nadi_capture_device *d;
    const struct nadi_kineto *k;
};

static const char *name_of(const struct finder *f, uint32_t event)
{
    return nadi_names_get(&f->k->names, f->k->events.items[event].name);
}

static void add(struct nadi_sync_edges *edges, uint32_t node, uint32_t work)
{
    struct nadi_sync_edge e = {node, work};
    if (work != NADI_NONE)
        NADI_PUSH(edges, e);
}

/* The cuda_sync event of a runtime call, or NULL. */
static const struct nadi_kineto_event *said_by(const struct finder *f, uint32_t call)
{
    int64_t correlation = f->k->events.items[call].correlation;
    uint32_t event =
        correlation < 0 ? NADI_NONE : nadi_map64_find(&f->d->sync_of, (uint64_t)correlation);
    return event == NADI_NONE ? NULL : &f->k->events.items[event];
}

/* The work that an event, recorded by the call with this correlation on a stream, stands for. */
static uint32_t recorded_work(const struct finder *f, int32_t device, int64_t stream,
                              int64_t record_correlation)
{
    if (stream < 0 || record_correlation < 0)
        return NADI_NONE;
    uint32_t call = nadi_map64_find(&f->d->call_of, (uint64_t)record_correlation);
    uint32_t on = nadi_device_stream(f->d, device, stream);
    if (call == NADI_NONE || on == NADI_NONE)
        return NADI_NONE;
    return nadi_device_last_launched(f->d, on, f->k->events.items[call].ts_ns);
}

static const struct nadi_event_detail *detail_of(const struct finder *f,
                                                 const struct nadi_kineto_event *e)
{
    return e->detail == NADI_NONE ? NULL : &f->k->details.items[e->detail];
}

static void wait_for_all(struct finder *f, uint32_t slice, int64_t before)
{
    for (uint32_t s = 0; s < f->d->stream_count; s++)
        add(&f->s->waits, slice, nadi_device_last_launched(f->d, s, before));
}

/* The work whose end let the call return: the last that ended before it did, of those that were
 * launched before it began. NADI_NONE when nothing ended while it blocked. */
static uint32_t seen_end(const struct finder *f, const struct nadi_time_slice *p)
{
    uint32_t best = NADI_NONE;
    for (uint32_t s = 0; s < f->d->stream_count; s++) {
        uint32_t work = nadi_device_last_ended(f->d, s, p->to + NADI_CLOCK_SLIP_NS);
        if (work == NADI_NONE || f->d->works[work].to <= p->from ||
            f->d->works[work].launched > p->from)
            continue;
        if (best == NADI_NONE || f->d->works[work].to > f->d->works[best].to)
            best = work;
    }
    return best;
}

/* The copy that a blocking call made itself. */
static bool wait_for_own(struct finder *f, uint32_t slice, uint32_t call)
{
    if (f->d->launch_end[call] == NADI_NO_TIME)
        return false;
    for (uint32_t s = 0; s < f->d->stream_count; s++) {
        uint32_t work = nadi_device_last_launched(f->d, s, f->k->events.items[call].ts_ns + 1);
        if (work != NADI_NONE && f->d->works[work].call == call)
            add(&f->s->waits, slice, work);
    }
    return true;
}

static bool wait_as_said(struct finder *f, uint32_t slice, uint32_t call)
{
    const struct nadi_kineto_event *sync = said_by(f, call);
    if (!sync)
        return false;
    const struct nadi_event_detail *detail = detail_of(f, sync);
    int64_t before = f->k->events.items[call].ts_ns;
    if (sync->stream >= 0) {
        uint32_t stream = nadi_device_stream(f->d, sync->device, sync->stream);
        if (stream != NADI_NONE)
            add(&f->s->waits, slice, nadi_device_last_launched(f->d, stream, before));
        return true;
    }
    if (detail && detail->wait_stream >= 0 && detail->record_correlation >= 0) {
        add(&f->s->waits, slice,
            recorded_work(f, sync->device, detail->wait_stream, detail->record_correlation));
        return true;
    }
    return false;
}

static void find_wait(struct finder *f, uint32_t slice)
{
    const struct nadi_time_slice *p = &f->t->slices.items[slice];
    const char *name = name_of(f, p->call);
    if (wait_for_own(f, slice, p->call) || wait_as_said(f, slice, p->call))
        return;
    if (strstr(name, "Device") || strstr(name, "Ctx") || strstr(name, "Context"))
        wait_for_all(f, slice, f->k->events.items[p->call].ts_ns);
    else
        add(&f->s->waits, slice, seen_end(f, p));
}

/* What is left of a wait once the work is done. Edges to work that ended after the call returned
 * are the profile's mistake and go. */
static void settle_waits(struct finder *f)
{
    struct nadi_sync_edges *edges = &f->s->waits;
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++) {
        struct nadi_time_slice *p = &f->t->slices.items[edges->items[i].node];
        int64_t end = f->d->works[edges->items[i].work].to;
        if (end > p->to + NADI_CLOCK_SLIP_NS)
            continue;
        int64_t left = end > p->to ? 0 : p->to - (end > p->from ? end : p->from);
        p->own = left < p->own ? left : p->own;
        edges->items[kept++] = edges->items[i];
    }
    edges->count = kept;
}

static void find_waits(struct finder *f)
{
    for (uint32_t i = 0; i < f->t->slices.count; i++) {
        struct nadi_time_slice *p = &f->t->slices.items[i];
        if (p->kind != NADI_SLICE_WAIT)
            continue;
        p->own = p->to - p->from;
        find_wait(f, i);
    }
    settle_waits(f);
}

/* The works that a thread launches and the events it makes streams wait for, in order of time. */
struct act {
    int64_t at;
    uint32_t thread;
    uint32_t event; /* of the call */
    uint32_t work;  /* the first it launched, or NADI_NONE: it is a wait */
};

static int compare_acts(const void *a, const void *b)
{
    const struct act *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return x->work < y->work ? -1 : x->work > y->work;
}

static struct act *collect_acts(const struct finder *f, size_t *count)
{
    const struct nadi_kineto *k = f->k;
    bool *is_wait = NADI_NEW(bool, k->names.count);
    for (uint32_t n = 0; n < k->names.count; n++)
        is_wait[n] = strstr(nadi_names_get(&k->names, n), "StreamWaitEvent") != NULL;
    size_t room = f->d->work_count;
    for (size_t i = 0; i < k->events.count; i++)
        room += nadi_event_is_runtime(&k->events.items[i]) && is_wait[k->events.items[i].name];
    struct act *acts = NADI_NEW(struct act, room);
    *count = 0;
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (nadi_event_is_runtime(e) && is_wait[e->name])
            acts[(*count)++] = (struct act){e->ts_ns, e->thread, i, NADI_NONE};
    }
    for (uint32_t w = 0; w < f->d->work_count; w++) {
        const struct nadi_device_work *work = &f->d->works[w];
        if (work->call != NADI_NONE)
            acts[(*count)++] =
                (struct act){work->launched, k->events.items[work->call].thread, work->call, w};
    }
    nadi_mem_free(is_wait);
    qsort(acts, *count, sizeof(*acts), compare_acts);
    return acts;
}

static bool possible(const struct finder *f, uint32_t from, uint32_t to)
{
    return from != NADI_NONE && from != to &&
           f->d->works[from].to <= f->d->works[to].from + NADI_CLOCK_SLIP_NS &&
           f->d->works[from].from < f->d->works[to].from;
}

static void infer(struct finder *f, uint32_t work, uint32_t on)
{
    if (!possible(f, on, work) || f->d->works[on].stream == f->d->works[work].stream)
        return;
    add(&f->s->streams, work, on);
    f->s->inferred++;
}

/* The next work on a stream that any thread launched after `at`: the one behind the last before. */
static uint32_t next_launched(const struct nadi_capture_device *d, uint32_t stream, int64_t at)
{
    const struct nadi_stream *s = &d->streams[stream];
    NADI_BISECT(uint32_t, low, 0, s->count, i, d->works[d->by_launch[s->first + i]].launched < at);
    return low < s->count ? d->by_launch[s->first + low] : NADI_NONE;
}

/* A wait between streams that the profile spells out. */
static bool stream_wait_as_said(struct finder *f, uint32_t call)
{
    const struct nadi_kineto_event *sync = said_by(f, call);
    const struct nadi_event_detail *detail = sync ? detail_of(f, sync) : NULL;
    if (!detail || sync->stream < 0 || detail->wait_stream < 0)
        return false;
    uint32_t stream = nadi_device_stream(f->d, sync->device, sync->stream);
    uint32_t on = recorded_work(f, sync->device, detail->wait_stream, detail->record_correlation);
    if (stream == NADI_NONE)
        return true;
    uint32_t work = next_launched(f->d, stream, f->k->events.items[call].ts_ns);
    if (work != NADI_NONE && possible(f, on, work)) {
        add(&f->s->streams, work, on);
        f->s->said++;
    }
    return true;
}

static void find_stream_waits(struct finder *f)
{
    size_t count;
    struct act *acts = collect_acts(f, &count);
    uint32_t compute = NADI_NONE;  /* what the thread launched last that is no communication */
    int64_t waited = NADI_NO_TIME; /* an unexplained wait since its last launch */
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || acts[i].thread != acts[i - 1].thread) {
            compute = NADI_NONE;
            waited = NADI_NO_TIME;
        }
        if (acts[i].work == NADI_NONE) {
            if (!stream_wait_as_said(f, acts[i].event))
                waited = acts[i].at;
            continue;
        }
        bool comm = f->d->works[acts[i].work].kind == NADI_WORK_COMM;
        if (comm)
            infer(f, acts[i].work, compute);
        for (uint32_t s = 0; waited != NADI_NO_TIME && !comm && s < f->d->stream_count; s++) {
            uint32_t on = nadi_device_last_launched(f->d, s, waited);
            if (on != NADI_NONE && f->d->works[on].kind == NADI_WORK_COMM)
                infer(f, acts[i].work, on);
        }
        waited = NADI_NO_TIME;
        compute = comm ? compute : acts[i].work;
    }
    nadi_mem_free(acts);
}

static int compare_edges(const void *a, const void *b)
{
    const struct nadi_sync_edge *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->work < y->work ? -1 : x->work > y->work;
}

void nadi_sync_find(struct nadi_sync *s, struct nadi_timeline *t,
                    const struct nadi_capture_device *d)
{
    *s = (struct nadi_sync){0};
    struct finder f = {s, t, d, d->kineto};
    find_waits(&f);
    find_stream_waits(&f);
    if (s->waits.count)
        qsort(s->waits.items, s->waits.count, sizeof(*s->waits.items), compare_edges);
    if (s->streams.count)
        qsort(s->streams.items, s->streams.count, sizeof(*s->streams.items), compare_edges);
}

void nadi_sync_release(struct nadi_sync *s)
{
    nadi_mem_free(s->waits.items);
    nadi_mem_free(s->streams.items);
    *s = (struct nadi_sync){0};
}

size_t nadi_sync_first(const struct nadi_sync_edges *edges, uint32_t node)
{
    NADI_BISECT(size_t, low, 0, edges->count, i, edges->items[i].node < node);
    return low;
}
