#include "capture/device.h"

#include "base/mem.h"
#include "base/search.h"
#include "capture/comm_names.h"

static uint8_t kind_of(const struct nadi_kineto *k, const struct nadi_kineto_event *e,
                       const uint8_t *comm_names)
{
    if (e->kind == NADI_EVENT_MEMCPY)
        return NADI_WORK_COPY;
    if (e->kind == NADI_EVENT_MEMSET)
        return NADI_WORK_SET;
    bool collective = e->detail != NADI_NONE && k->details.items[e->detail].collective != NADI_NONE;
    return comm_names[e->name] || collective ? NADI_WORK_COMM : NADI_WORK_KERNEL;
}

static bool blocks(const char *call)
{
    return strstr(call, "Synchronize") != NULL;
}

/* Copies after which the call returns: to pageable memory, or from or to the host by a call that is
 * not asynchronous. */
static bool copy_blocks(const char *call, const char *copy)
{
    bool to_host =
        strstr(copy, "DtoH") || strstr(copy, "Device -> Pageable") || strstr(copy, "DeviceToHost");
    if (strstr(call, "Async"))
        return to_host && strstr(copy, "Pageable");
    return strstr(call, "emcpy") &&
           (to_host || strstr(copy, "HtoD") || strstr(copy, "HostToDevice"));
}

static void map_calls(struct nadi_capture_device *d)
{
    const struct nadi_kineto *k = d->kineto;
    nadi_map64_init(&d->call_of, k->events.count / 4);
    nadi_map64_init(&d->sync_of, 16);
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (e->correlation <= 0) /* 0 is what some profilers write for none */
            continue;
        if (nadi_event_is_runtime(e))
            nadi_map64_put(&d->call_of, (uint64_t)e->correlation, i, NULL);
        else if (e->kind == NADI_EVENT_SYNC)
            nadi_map64_put(&d->sync_of, (uint64_t)e->correlation, i, NULL);
    }
}

/* The operators that external ids name, for work whose call is not known. */
static void map_operators(const struct nadi_kineto *k, struct nadi_map64 *operator_of)
{
    nadi_map64_init(operator_of, 64);
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (nadi_event_is_operator(e) && e->external_id > 0)
            nadi_map64_put(operator_of, (uint64_t)e->external_id, i, NULL);
    }
}

static void guess_launches(struct nadi_capture_device *d)
{
    const struct nadi_kineto *k = d->kineto;
    struct nadi_map64 operator_of;
    uint32_t unknown = 0;
    for (uint32_t w = 0; w < d->work_count; w++)
        unknown += d->works[w].call == NADI_NONE;
    if (!unknown)
        return;
    map_operators(k, &operator_of);
    for (uint32_t w = 0; w < d->work_count; w++) {
        struct nadi_device_work *work = &d->works[w];
        const int64_t external = k->events.items[work->event].external_id;
        if (work->call != NADI_NONE || external <= 0)
            continue;
        const uint32_t op = nadi_map64_find(&operator_of, (uint64_t)external);
        if (op != NADI_NONE && k->events.items[op].ts_ns < work->from)
            work->launched = k->events.items[op].ts_ns;
    }
    nadi_map64_release(&operator_of);
}

static void collect_works(struct nadi_capture_device *d)
{
    const struct nadi_kineto *k = d->kineto;
    uint8_t *comm_names = NADI_NEW(uint8_t, k->names.count);
    for (uint32_t n = 0; n < k->names.count; n++)
        comm_names[n] = nadi_comm_kernel_of(nadi_names_get(&k->names, n)) == NADI_KERNEL_COMM;
    d->works = NADI_NEW(struct nadi_device_work, k->events.count);
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (!nadi_event_is_device(e))
            continue;
        uint32_t call = e->correlation <= 0
                            ? NADI_NONE
                            : nadi_map64_find(&d->call_of, (uint64_t)e->correlation);
        d->works[d->work_count++] = (struct nadi_device_work){
            .from = e->ts_ns,
            .to = e->ts_ns + e->dur_ns,
            .launched = call == NADI_NONE ? e->ts_ns : k->events.items[call].ts_ns,
            .event = i,
            .call = call,
            .op = NADI_NONE,
            .slice = NADI_NONE,
            .kind = kind_of(k, e, comm_names),
        };
    }
    nadi_mem_free(comm_names);
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* A device whose clock is behind shows work that begins before its launch. One work in a hundred is
 * taken for a slip of its own, more for the clock. */
static void correct_clock(struct nadi_capture_device *d)
{
    int64_t *ahead = NADI_NEW(int64_t, d->work_count);
    size_t count = 0;
    for (uint32_t i = 0; i < d->work_count; i++)
        if (d->works[i].from < d->works[i].launched)
            ahead[count++] = d->works[i].launched - d->works[i].from;
    d->early = count;
    if (count && count * 100 > d->work_count) {
        qsort(ahead, count, sizeof(*ahead), compare_numbers);
        size_t slips = d->work_count / 100;
        d->skew_ns = ahead[count - 1 - nadi_min_u64(slips, count - 1)];
        for (uint32_t i = 0; i < d->work_count; i++) {
            struct nadi_device_work *w = &d->works[i];
            w->from += d->skew_ns;
            w->to += d->skew_ns;
            if (w->call == NADI_NONE)
                w->launched += d->skew_ns;
        }
    }
    nadi_mem_free(ahead);
}

struct place { /* where a work belongs */
    int64_t number;
    int64_t from, to;
    int32_t device;
    uint32_t work;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->work < y->work ? -1 : x->work > y->work;
}

/* Streams without a number go by the profile's row, which is one a stream. */
static int64_t stream_number(const struct nadi_kineto_event *e)
{
    return e->stream >= 0 ? e->stream : INT64_MIN / 2 + (int64_t)e->thread;
}

static void sort_works(struct nadi_capture_device *d)
{
    const struct nadi_kineto *k = d->kineto;
    struct place *places = NADI_NEW(struct place, d->work_count);
    struct nadi_device_work *sorted = NADI_NEW(struct nadi_device_work, d->work_count);
    for (uint32_t i = 0; i < d->work_count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[d->works[i].event];
        places[i] =
            (struct place){stream_number(e), d->works[i].from, d->works[i].to, e->device, i};
    }
    qsort(places, d->work_count, sizeof(*places), compare_places);
    d->streams = NADI_NEW(struct nadi_stream, d->work_count + 1);
    d->work_of = NADI_NEW(uint32_t, k->events.count);
    memset(d->work_of, 0xff, k->events.count * sizeof(*d->work_of));
    for (uint32_t i = 0; i < d->work_count; i++) {
        const struct place *p = &places[i];
        struct nadi_stream *last = d->stream_count ? &d->streams[d->stream_count - 1] : NULL;
        if (!last || last->device != p->device || last->number != p->number) {
            last = &d->streams[d->stream_count++];
            *last = (struct nadi_stream){p->number, p->device, i, 0};
        }
        last->count++;
        sorted[i] = d->works[p->work];
        sorted[i].stream = d->stream_count - 1;
        d->work_of[sorted[i].event] = i;
    }
    nadi_mem_free(places);
    nadi_mem_free(d->works);
    d->works = sorted;
}

struct launch {
    int64_t launched;
    uint32_t work;
};

static int compare_launches(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    if (x->launched != y->launched)
        return x->launched < y->launched ? -1 : 1;
    return x->work < y->work ? -1 : x->work > y->work;
}

static void order_launches(struct nadi_capture_device *d)
{
    struct launch *launches = NADI_NEW(struct launch, d->work_count);
    d->by_launch = NADI_NEW(uint32_t, d->work_count);
    for (uint32_t i = 0; i < d->work_count; i++)
        launches[i] = (struct launch){d->works[i].launched, i};
    for (uint32_t s = 0; s < d->stream_count; s++)
        qsort(launches + d->streams[s].first, d->streams[s].count, sizeof(*launches),
              compare_launches);
    for (uint32_t i = 0; i < d->work_count; i++)
        d->by_launch[i] = launches[i].work;
    nadi_mem_free(launches);
}

/* What was launched may begin before the call returns: the call's slice ends then. */
static void find_calls(struct nadi_capture_device *d)
{
    const struct nadi_kineto *k = d->kineto;
    bool *blocking = NADI_NEW(bool, k->names.count);
    for (uint32_t n = 0; n < k->names.count; n++)
        blocking[n] = blocks(nadi_names_get(&k->names, n));
    d->launch_end = NADI_NEW(int64_t, k->events.count);
    d->waits = NADI_NEW(bool, k->events.count);
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        d->launch_end[i] = NADI_NO_TIME;
        d->waits[i] = nadi_event_is_runtime(e) && blocking[e->name];
    }
    for (uint32_t i = 0; i < d->work_count; i++) {
        const struct nadi_device_work *w = &d->works[i];
        if (w->call == NADI_NONE)
            continue;
        const struct nadi_kineto_event *call = &k->events.items[w->call];
        int64_t *end = &d->launch_end[w->call];
        int64_t latest = call->ts_ns + call->dur_ns;
        int64_t at = w->from < latest ? w->from : latest;
        at = at > call->ts_ns ? at : call->ts_ns;
        *end = *end == NADI_NO_TIME || at < *end ? at : *end;
        if (w->kind == NADI_WORK_COPY &&
            copy_blocks(nadi_names_get(&k->names, call->name),
                        nadi_names_get(&k->names, k->events.items[w->event].name)))
            d->waits[w->call] = true;
    }
    nadi_mem_free(blocking);
}

void nadi_device_build(struct nadi_capture_device *d, const struct nadi_kineto *k)
{
    *d = (struct nadi_capture_device){.kineto = k};
    map_calls(d);
    collect_works(d);
    correct_clock(d);
    guess_launches(d);
    sort_works(d);
    order_launches(d);
    find_calls(d);
}

void nadi_device_release(struct nadi_capture_device *d)
{
    nadi_mem_free(d->works);
    nadi_mem_free(d->streams);
    nadi_mem_free(d->by_launch);
    nadi_mem_free(d->work_of);
    nadi_mem_free(d->launch_end);
    nadi_mem_free(d->waits);
    nadi_map64_release(&d->call_of);
    nadi_map64_release(&d->sync_of);
    *d = (struct nadi_capture_device){0};
}

/* The operator that an external id names. */
static void map_external(const struct nadi_timeline *t, struct nadi_map64 *op_of)
{
    nadi_map64_init(op_of, t->op_count);
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct nadi_kineto_event *e = &t->kineto->events.items[t->ops[i].event];
        if (nadi_event_is_operator(e) && e->external_id > 0)
            nadi_map64_put(op_of, (uint64_t)e->external_id, i, NULL);
    }
}

/* A kernel that an operator of communication launches, but for the copies that it makes. */
static bool is_launched_by_comm(const struct nadi_capture_device *d, const struct nadi_timeline *t,
                                const struct nadi_device_work *w)
{
    const struct nadi_kineto *k = d->kineto;
    if (w->kind != NADI_WORK_KERNEL || w->op == NADI_NONE)
        return false;
    const uint32_t name = k->events.items[t->ops[w->op].event].name;
    const enum nadi_comm_operation operation = nadi_comm_enclosing(nadi_names_get(&k->names, name));
    const char *kernel = nadi_names_get(&k->names, k->events.items[w->event].name);
    return operation != NADI_OPERATION_UNKNOWN && operation != NADI_OPERATION_NOT_ANY &&
           nadi_comm_kernel_of(kernel) != NADI_KERNEL_COMPUTE;
}

void nadi_device_attach(struct nadi_capture_device *d, const struct nadi_timeline *t)
{
    const struct nadi_kineto *k = d->kineto;
    struct nadi_map64 op_of;
    map_external(t, &op_of);
    for (uint32_t i = 0; i < d->work_count; i++) {
        struct nadi_device_work *w = &d->works[i];
        int64_t external_id = k->events.items[w->event].external_id;
        uint32_t named =
            external_id > 0 ? nadi_map64_find(&op_of, (uint64_t)external_id) : NADI_NONE;
        if (w->call != NADI_NONE) {
            uint32_t thread = nadi_timeline_thread(t, k->events.items[w->call].thread);
            w->slice = t->launch_slice[w->call];
            if (thread != NADI_NONE)
                w->op = nadi_timeline_op_at(t, thread, w->launched);
            if (w->op == NADI_NONE)
                w->op = named;
        } else if (named != NADI_NONE) {
            w->op = named;
        }
        if (is_launched_by_comm(d, t, w))
            w->kind = NADI_WORK_COMM;
        if (w->slice == NADI_NONE && w->op != NADI_NONE)
            w->slice = t->ops[w->op].head;
        if (w->slice != NADI_NONE)
            continue;
        w->orphan = w->call != NADI_NONE                         ? NADI_ORPHAN_NO_OPERATOR
                    : k->events.items[w->event].correlation <= 0 ? NADI_ORPHAN_NO_CORRELATION
                                                                 : NADI_ORPHAN_NO_CALL;
    }
    nadi_map64_release(&op_of);
}

uint32_t nadi_device_last_launched(const struct nadi_capture_device *d, uint32_t stream, int64_t at)
{
    const struct nadi_stream *s = &d->streams[stream];
    NADI_BISECT(uint32_t, low, 0, s->count, i, d->works[d->by_launch[s->first + i]].launched < at);
    return low ? d->by_launch[s->first + low - 1] : NADI_NONE;
}

uint32_t nadi_device_last_ended(const struct nadi_capture_device *d, uint32_t stream, int64_t at)
{
    const struct nadi_stream *s = &d->streams[stream];
    /* works of one stream end in the order in which they begin */
    NADI_BISECT(uint32_t, ended, 0, s->count, i, d->works[s->first + i].to <= at);
    return ended ? s->first + ended - 1 : NADI_NONE;
}

uint32_t nadi_device_stream(const struct nadi_capture_device *d, int32_t device, int64_t number)
{
    for (uint32_t s = 0; s < d->stream_count; s++)
        if (d->streams[s].number == number && (device < 0 || d->streams[s].device == device))
            return s;
    return NADI_NONE;
}
