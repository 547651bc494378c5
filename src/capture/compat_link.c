#include "capture/compat_link.h"

#include "base/mem.h"

#include <math.h>

static const double group_pause_us = 1000;

double nadi_compat_micros(int64_t ns)
{
    static const int64_t exact = INT64_C(1) << 53;
    if (ns > -exact && ns < exact)
        return (double)ns / 1000.0; /* both are exact, so the quotient is correctly rounded */
    /* The quotient with binary places and a sticky one below them, at least 54 bits and it, rounded
     * once. */
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int places = magnitude >> 62 ? 9 : 10;
    uint64_t rest = (magnitude % 1000) << places;
    uint64_t quotient = (magnitude / 1000) << places | rest / 1000;
    double micros = ldexp((double)(quotient << 1 | (rest % 1000 != 0)), -places - 1);
    return ns < 0 ? -micros : micros;
}

static const char *const launches[] = {
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyToSymbol",
    "hipLaunchKernel",
    "hipExtLaunchKernel",
    "hipModuleLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipMemcpyWithStream",
    "hipMemcpyAsync",
    "cudaLaunchCooperativeKernel",
};

struct by_time { /* events in order of time; equal times in order of the file */
    double ts;
    uint32_t event;
};

static int compare_time(const void *a, const void *b)
{
    const struct by_time *x = a, *y = b;
    if (x->ts < y->ts || x->ts > y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static void sort_by_time(struct by_time *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i - 1].ts > items[i].ts) {
            qsort(items, count, sizeof(*items), compare_time);
            return;
        }
}

/* One byte per name of the profile: what the linker asks of it. */
enum name_flag {
    NAME_IS_LAUNCH = 1 << 0,
    NAME_IS_STEP = 1 << 1, /* contains ProfilerStep */
    NAME_IS_NCCL = 1 << 2,
    NAME_IS_COALESCED = 1 << 3,
};

static uint8_t *flag_names(const struct nadi_kineto *k)
{
    uint8_t *flags = NADI_ZNEW(uint8_t, k->names.count);
    for (uint32_t n = 0; n < k->names.count; n++) {
        const char *name = nadi_names_get(&k->names, n);
        if (strstr(name, "ProfilerStep"))
            flags[n] |= NAME_IS_STEP;
        if (strstr(name, "nccl"))
            flags[n] |= NAME_IS_NCCL;
        if (strstr(name, "nccl:coalesced"))
            flags[n] |= NAME_IS_COALESCED;
        for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
            if (strcmp(name, launches[i]) == 0)
                flags[n] |= NAME_IS_LAUNCH;
    }
    return flags;
}

static void collect_ops(struct nadi_compat_link *l, const uint8_t *flags)
{
    const struct nadi_kineto *k = l->kineto;
    struct by_time *order = NADI_NEW(struct by_time, k->events.count);
    size_t count = 0;
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (nadi_event_is_operator(e) && !(flags[e->name] & NAME_IS_STEP))
            order[count++] = (struct by_time){nadi_compat_micros(e->ts_ns), i};
    }
    sort_by_time(order, count);
    l->ops = NADI_NEW(struct nadi_compat_op, count);
    l->op_count = count;
    nadi_map64_init(&l->op_of_rf, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[order[i].event];
        double dur = nadi_compat_micros(e->dur_ns);
        l->ops[i] = (struct nadi_compat_op){.ts = order[i].ts,
                                            .dur = dur,
                                            .exclusive = dur,
                                            .external_id = e->external_id,
                                            .rf_id = e->rf_id,
                                            .event = order[i].event,
                                            .thread = e->thread};
        *nadi_map64_put(&l->op_of_rf, (uint64_t)e->rf_id, i, NULL) = i;
    }
    nadi_mem_free(order);
}

/* Ops of each thread one after another, in order of time; starts has threads + 1 entries. */
static uint32_t *by_thread(const struct nadi_compat_link *l, size_t **starts)
{
    size_t threads = l->kineto->threads.count;
    size_t *at = NADI_ZNEW(size_t, threads + 1);
    uint32_t *ops = NADI_NEW(uint32_t, l->op_count);
    for (size_t i = 0; i < l->op_count; i++)
        at[l->ops[i].thread + 1]++;
    for (size_t t = 0; t < threads; t++)
        at[t + 1] += at[t];
    size_t *next = NADI_NEW(size_t, threads + 1);
    memcpy(next, at, (threads + 1) * sizeof(*at));
    for (uint32_t i = 0; i < l->op_count; i++)
        ops[next[l->ops[i].thread]++] = i;
    nadi_mem_free(next);
    *starts = at;
    return ops;
}

/* Among ops of one thread that begin together the shorter comes first: a parent that begins with
 * its child does not see it. */
static void order_equal_starts(struct nadi_compat_op *all, uint32_t *ops, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            const struct nadi_compat_op *a = &all[ops[j - 1]], *b = &all[ops[j]];
            if (a->ts < b->ts || a->dur <= b->dur)
                break;
            uint32_t swap = ops[j];
            ops[j] = ops[j - 1];
            ops[j - 1] = swap;
        }
}

static bool exclusive_times(struct nadi_compat_link *l, const uint32_t *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct nadi_compat_op *op = &l->ops[ops[i]];
        double end = op->ts + op->dur, from = 0, to = 0, left = op->dur;
        bool open = false;
        for (size_t j = i + 1; j < count; j++) {
            const struct nadi_compat_op *child = &l->ops[ops[j]];
            double child_end = child->ts + child->dur;
            if (child_end <= end) {
                if (open && child->ts <= to) {
                    to = child_end > to ? child_end : to;
                } else {
                    left -= to - from;
                    from = child->ts;
                    to = child_end;
                    open = true;
                }
            }
            if (child->ts >= end)
                break;
        }
        op->exclusive = left - (to - from);
        if (op->exclusive < 0)
            return false;
    }
    return true;
}

/* The op of another thread that began last before ops[at]; of several at one time, that of the
 * thread which appeared first. NADI_NONE if none. */
static uint32_t latest_elsewhere(const struct nadi_compat_link *l, const uint32_t *elsewhere,
                                 const uint32_t *first_seen, uint32_t at)
{
    uint32_t thread = l->ops[at].thread, i = at;
    double ts = l->ops[at].ts;
    while (i > 0 && l->ops[i - 1].ts >= ts)
        i--;
    if (i == 0)
        return NADI_NONE;
    i--;
    if (l->ops[i].thread == thread)
        i = elsewhere[i];
    if (i == NADI_NONE)
        return NADI_NONE;
    uint32_t best = i;
    for (uint32_t j = i; j > 0 && l->ops[j - 1].ts >= l->ops[i].ts; j--) {
        uint32_t other = l->ops[j - 1].thread;
        if (other != thread && first_seen[other] < first_seen[l->ops[best].thread])
            best = j - 1;
    }
    return best;
}

static void group_waits(struct nadi_compat_link *l, const uint32_t *ops, size_t count,
                        const uint32_t *elsewhere, const uint32_t *first_seen)
{
    double end = 0;
    uint32_t cause = NADI_NONE;
    for (size_t i = 0; i < count; i++) {
        struct nadi_compat_op *op = &l->ops[ops[i]];
        if (i == 0 || op->ts - end > group_pause_us)
            cause = latest_elsewhere(l, elsewhere, first_seen, ops[i]);
        op->waits = cause != NADI_NONE;
        if (op->waits)
            op->waits_for = l->ops[cause].rf_id;
        end = op->ts + op->dur;
    }
}

static bool thread_times(struct nadi_compat_link *l, const char *path, struct nadi_diags *diags)
{
    size_t threads = l->kineto->threads.count, *starts;
    uint32_t *ops = by_thread(l, &starts);
    uint32_t *elsewhere =
        NADI_NEW(uint32_t, l->op_count); /* the last op before of another thread */
    uint32_t *first_seen = NADI_NEW(uint32_t, threads);
    bool good = true;
    for (size_t t = 0; t < threads; t++)
        first_seen[t] = starts[t] < starts[t + 1] ? ops[starts[t]] : NADI_NONE;
    for (uint32_t i = 0; i < l->op_count; i++)
        elsewhere[i] = i == 0                                     ? NADI_NONE
                       : l->ops[i - 1].thread != l->ops[i].thread ? i - 1
                                                                  : elsewhere[i - 1];
    for (size_t t = 0; t < threads; t++) {
        size_t count = starts[t + 1] - starts[t];
        group_waits(l, ops + starts[t], count, elsewhere, first_seen);
        order_equal_starts(l->ops, ops + starts[t], count);
        good &= exclusive_times(l, ops + starts[t], count);
    }
    nadi_mem_free(first_seen);
    nadi_mem_free(elsewhere);
    nadi_mem_free(ops);
    nadi_mem_free(starts);
    if (!good)
        return nadi_error(diags, "capture/overlap", NADI_IN_FILE(path),
                          "import it without --compat 1.0.0",
                          "operators of one thread overlap so that one has a negative time");
    return true;
}

struct query { /* a device event and its launch */
    struct by_time launch;
    uint32_t device; /* event */
};

static int compare_query(const void *a, const void *b)
{
    const struct query *x = a, *y = b;
    int by_launch = x->launch.ts < y->launch.ts ? -1 : x->launch.ts > y->launch.ts;
    return by_launch ? by_launch : x->device < y->device ? -1 : x->device > y->device;
}

static bool map_launches(const struct nadi_compat_link *l, const uint8_t *flags,
                         struct nadi_map64 *launch_of, const char *path, struct nadi_diags *diags)
{
    const struct nadi_kineto *k = l->kineto;
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        bool added;
        if (e->kind != NADI_EVENT_RUNTIME || !(flags[e->name] & NAME_IS_LAUNCH))
            continue;
        nadi_map64_put(launch_of, (uint64_t)e->correlation, i, &added);
        if (!added)
            return nadi_error(diags, "capture/duplicate-correlation", NADI_IN_FILE(path),
                              "import it without --compat 1.0.0",
                              "two launches have the correlation %" PRId64, e->correlation);
    }
    return true;
}

static bool collect_queries(struct nadi_compat_link *l, const uint8_t *flags,
                            struct query **queries, size_t *count, const char *path,
                            struct nadi_diags *diags)
{
    const struct nadi_kineto *k = l->kineto;
    struct nadi_map64 launch_of;
    *count = 0;
    *queries = NADI_NEW(struct query, k->events.count);
    nadi_map64_init(&launch_of, k->events.count / 4);
    bool good = map_launches(l, flags, &launch_of, path, diags);
    for (uint32_t i = 0; good && i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (e->kind != NADI_EVENT_KERNEL && e->kind != NADI_EVENT_MEMCPY)
            continue;
        l->device_total++;
        uint32_t launch = nadi_map64_find(&launch_of, (uint64_t)e->correlation);
        if (launch != NADI_NONE)
            (*queries)[(*count)++] =
                (struct query){{nadi_compat_micros(k->events.items[launch].ts_ns), launch}, i};
    }
    nadi_map64_release(&launch_of);
    qsort(*queries, *count, sizeof(**queries), compare_query);
    return good;
}

static uint64_t op_key(uint32_t thread, int64_t external_id)
{
    return (uint64_t)external_id ^ (uint64_t)thread << 48;
}

/* The ops before a moment, found by thread and external id. */
struct recent {
    struct nadi_map64 by_key; /* (thread, external id) -> last op */
    uint32_t *same_key;       /* by op: the one before with its key */
    uint32_t *same_thread;    /* by op: the one before of its thread */
    uint32_t *last_of_thread;
};

static void recent_add(struct recent *r, const struct nadi_compat_op *ops, uint32_t i)
{
    bool added;
    uint32_t *last =
        nadi_map64_put(&r->by_key, op_key(ops[i].thread, ops[i].external_id), i, &added);
    r->same_key[i] = added ? NADI_NONE : *last;
    *last = i;
    r->same_thread[i] = r->last_of_thread[ops[i].thread];
    r->last_of_thread[ops[i].thread] = i;
}

static uint32_t recent_find(const struct nadi_compat_link *l, const struct recent *r,
                            const uint8_t *flags, const struct query *q)
{
    const struct nadi_kineto_event *events = l->kineto->events.items;
    const struct nadi_kineto_event *device = &events[q->device];
    uint32_t thread = events[q->launch.event].thread;
    bool pick = flags[device->name] & NAME_IS_NCCL;
    uint32_t i = nadi_map64_find(&r->by_key, op_key(thread, device->external_id));
    while (i != NADI_NONE && pick && flags[events[l->ops[i].event].name] & NAME_IS_COALESCED)
        i = r->same_key[i];
    if (i != NADI_NONE)
        return i;
    i = r->last_of_thread[thread];
    while (i != NADI_NONE && pick && flags[events[l->ops[i].event].name] & NAME_IS_COALESCED)
        i = r->same_thread[i];
    return i;
}

/* For each device event, in order of query, the op it belongs to. */
static void find_owners(struct nadi_compat_link *l, const uint8_t *flags,
                        const struct query *queries, size_t count, uint32_t *owner)
{
    size_t threads = l->kineto->threads.count;
    struct recent r = {.same_key = NADI_NEW(uint32_t, l->op_count),
                       .same_thread = NADI_NEW(uint32_t, l->op_count),
                       .last_of_thread = NADI_NEW(uint32_t, threads)};
    nadi_map64_init(&r.by_key, l->op_count);
    for (size_t t = 0; t < threads; t++)
        r.last_of_thread[t] = NADI_NONE;
    uint32_t begun = 0;
    for (size_t i = 0; i < count; i++) {
        while (begun < l->op_count && l->ops[begun].ts < queries[i].launch.ts)
            recent_add(&r, l->ops, begun++);
        owner[queries[i].device] = recent_find(l, &r, flags, &queries[i]);
    }
    nadi_map64_release(&r.by_key);
    nadi_mem_free(r.same_key);
    nadi_mem_free(r.same_thread);
    nadi_mem_free(r.last_of_thread);
}

/* Chains device events by the external id of their op, in order of time. */
static void chain_devices(struct nadi_compat_link *l, const uint32_t *owner)
{
    const struct nadi_kineto *k = l->kineto;
    struct by_time *order = NADI_NEW(struct by_time, k->events.count);
    size_t count = 0;
    for (uint32_t i = 0; i < k->events.count; i++)
        if (owner[i] != NADI_NONE)
            order[count++] = (struct by_time){nadi_compat_micros(k->events.items[i].ts_ns), i};
    sort_by_time(order, count);
    nadi_map64_init(&l->device_of, count);
    l->next_device = NADI_NEW(uint32_t, k->events.count);
    l->device_linked = count;
    for (size_t i = count; i-- > 0;) {
        uint32_t event = order[i].event;
        bool added;
        uint64_t external_id = (uint64_t)l->ops[owner[event]].external_id;
        uint32_t *first = nadi_map64_put(&l->device_of, external_id, event, &added);
        l->next_device[event] = added ? NADI_NONE : *first;
        *first = event;
    }
    nadi_mem_free(order);
}

static bool link_devices(struct nadi_compat_link *l, const uint8_t *flags, const char *path,
                         struct nadi_diags *diags)
{
    size_t events = l->kineto->events.count, count;
    struct query *queries;
    bool good = collect_queries(l, flags, &queries, &count, path, diags);
    if (good) {
        uint32_t *owner = NADI_NEW(uint32_t, events);
        for (size_t i = 0; i < events; i++)
            owner[i] = NADI_NONE;
        find_owners(l, flags, queries, count, owner);
        chain_devices(l, owner);
        nadi_mem_free(owner);
    }
    nadi_mem_free(queries);
    return good;
}

bool nadi_compat_link(struct nadi_compat_link *l, const struct nadi_kineto *k, const char *path,
                      struct nadi_diags *diags)
{
    *l = (struct nadi_compat_link){.kineto = k};
    uint8_t *flags = flag_names(k);
    collect_ops(l, flags);
    bool good = thread_times(l, path, diags) && link_devices(l, flags, path, diags);
    nadi_mem_free(flags);
    return good;
}

void nadi_compat_link_release(struct nadi_compat_link *l)
{
    nadi_map64_release(&l->op_of_rf);
    nadi_map64_release(&l->device_of);
    nadi_mem_free(l->ops);
    nadi_mem_free(l->next_device);
    *l = (struct nadi_compat_link){0};
}

const struct nadi_compat_op *nadi_compat_op_of(const struct nadi_compat_link *l,
                                               const struct nadi_host_node *node)
{
    if (!(node->flags & NADI_HOST_HAS_RF))
        return NULL;
    uint32_t op = nadi_map64_find(&l->op_of_rf, (uint64_t)node->rf_id);
    return op == NADI_NONE ? NULL : &l->ops[op];
}
