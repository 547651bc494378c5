#include "memory/traffic_inside.h"

/* ---- instances ----------------------------------------------------------------------------- */

static struct tier_state *state_of(const struct nadi_mem_traffic *t, uint32_t tier, uint32_t npu)
{
    if (tier == NADI_NONE)
        return NULL;
    return &t->states[t->instance_first[tier] + nadi_tiers_instance(t->setup.tiers, tier, npu)];
}

static bool is_full(const struct nadi_mem_traffic *t, uint32_t tier, uint32_t npu)
{
    const struct tier_state *s = state_of(t, tier, npu);
    if (!s)
        return false;
    const uint32_t most = t->setup.tiers->tiers[tier].in_flight;
    return most && s->active >= most;
}

/* The NPUs of a request; a joint one has several, and its pool is the same for all. */
static uint32_t npus_of(const struct nadi_mem_traffic *t, const struct request *q)
{
    return q->joint == NADI_NONE ? 1 : t->joints.items[q->joint].count;
}

static uint32_t npu_of(const struct nadi_mem_traffic *t, const struct request *q, uint32_t i)
{
    return q->joint == NADI_NONE ? q->call.npu : t->joints.items[q->joint].calls[i].npu;
}

/* At this end: the instances that it touches. */
static uint32_t touched(const struct nadi_mem_traffic *t, const struct request *q, uint32_t tier)
{
    const bool pool = tier != NADI_NONE && t->setup.tiers->tiers[tier].chunk_bytes > 0;
    return pool ? 1 : npus_of(t, q);
}

/* How often its bytes pass this end's instance. */
static uint64_t passes(const struct nadi_mem_traffic *t, const struct request *q, uint32_t tier)
{
    const bool own = q->joint != NADI_NONE && !t->joints.items[q->joint].same;
    return own && touched(t, q, tier) == 1 ? npus_of(t, q) : 1;
}

/* An end without room for it; false: all have room. */
static bool find_full(const struct nadi_mem_traffic *t, const struct request *q, uint32_t *tier,
                      uint32_t *npu)
{
    const uint32_t ends[] = {q->call.from, q->call.to};
    for (uint32_t e = 0; e < 2; e++)
        for (uint32_t i = 0; i < touched(t, q, ends[e]); i++) {
            *tier = ends[e];
            *npu = npu_of(t, q, i);
            if (is_full(t, *tier, *npu))
                return true;
        }
    return false;
}

static void enter(struct nadi_mem_traffic *t, uint32_t tier, uint32_t npu, const struct request *q,
                  bool write)
{
    struct tier_state *s = state_of(t, tier, npu);
    if (!s)
        return;
    const nadi_time now = nadi_engine_now(t->engine);
    if (s->active++ == 0)
        s->since = now;
    s->use.requests++;
    s->use.wait_ns += nadi_time_in_ns(now - q->issued);
    uint64_t *bytes = write ? &s->use.in_bytes : &s->use.out_bytes;
    *bytes = nadi_count_add(*bytes, nadi_count_mul(q->bytes, passes(t, q, tier)));
}

static void enter_all(struct nadi_mem_traffic *t, const struct request *q)
{
    for (uint32_t i = 0; i < touched(t, q, q->call.from); i++)
        enter(t, q->call.from, npu_of(t, q, i), q, false);
    for (uint32_t i = 0; q->call.to != q->call.from && i < touched(t, q, q->call.to); i++)
        enter(t, q->call.to, npu_of(t, q, i), q, true);
}

static void leave(struct nadi_mem_traffic *t, uint32_t tier, uint32_t npu)
{
    struct tier_state *s = state_of(t, tier, npu);
    if (s && --s->active == 0)
        s->use.busy_ns += nadi_time_in_ns(nadi_engine_now(t->engine) - s->since);
}

/* ---- fifo ---------------------------------------------------------------------------------- */

/* All servers of the path, as early as all are free, for the whole request. */
static void take_servers(struct nadi_mem_traffic *t, uint32_t request, const uint32_t *servers,
                         uint32_t count)
{
    struct request *q = &t->requests.items[request];
    const nadi_time now = nadi_engine_now(t->engine);
    nadi_time start = now;
    uint32_t last = NADI_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (t->free_at[servers[i]] > start) {
            start = t->free_at[servers[i]];
            last = servers[i];
        }
    const nadi_time end = nadi_time_add(start, nadi_time_of_ns(q->alone_ns));
    for (uint32_t i = 0; i < count; i++)
        t->free_at[servers[i]] = end;
    q->waited_for = last;
    if (last != NADI_NONE)
        t->servers[last].lost_ns += nadi_time_in_ns(start - now);
    nadi_engine_schedule(t->engine, end, NADI_NONE, t->kind_begin, request, 0, 0);
}

static void on_served(void *context, const struct nadi_event *event)
{
    nadi_traffic_part_ends(context, event->a);
}

/* ---- a request's life ---------------------------------------------------------------------- */

static void start(struct nadi_mem_traffic *t, uint32_t request)
{
    struct request *q = &t->requests.items[request];
    struct nadi_tier_path path;
    if (q->joint == NADI_NONE)
        nadi_tier_path_find(&t->layout, q->call.npu, q->call.from, q->call.to, q->call.bytes,
                            &path);
    else
        nadi_traffic_joint_path(t, &t->joints.items[q->joint], &path);
    const uint32_t *servers = q->joint == NADI_NONE ? path.servers : t->wide.items;
    q->bytes = path.bytes;
    q->began = nadi_engine_now(t->engine);
    q->alone_ns = nadi_tier_path_ns(&path);
    enter_all(t, q);
    for (uint32_t i = 0; i < path.count; i++) {
        struct nadi_server_use *use = &t->servers[servers[i]];
        use->requests++;
        use->bytes = nadi_count_add(use->bytes, path.bytes);
    }
    const bool remote = path.remote && t->setup.remote && path.bytes > 0;
    q->parts = remote ? 2 : 1;
    if (t->share)
        nadi_traffic_fair_begin(t, request, &path, servers);
    else
        take_servers(t, request, servers, path.count);
    if (remote) {
        const struct nadi_traffic_call call = t->requests.items[request].call;
        t->setup.remote(t->setup.context, request, &call, path.bytes);
    }
}

/* It starts, or waits for the tier that has no room. */
static void try_start(struct nadi_mem_traffic *t, uint32_t request)
{
    struct request *q = &t->requests.items[request];
    uint32_t full, npu;
    if (!find_full(t, q, &full, &npu)) {
        start(t, request);
        return;
    }
    struct nadi_fifo *w =
        &t->states[t->instance_first[full] + nadi_tiers_instance(t->setup.tiers, full, npu)]
             .waiting;
    NADI_FIFO_PUSH(w, &t->requests, request);
}

static void let_in(struct nadi_mem_traffic *t, uint32_t tier, uint32_t npu)
{
    struct tier_state *s = state_of(t, tier, npu);
    while (s && s->waiting.head != NADI_NONE && !is_full(t, tier, npu)) {
        uint32_t first;
        NADI_FIFO_POP(&s->waiting, &t->requests, first);
        try_start(t, first);
    }
}

/* In an event of the NPU's own: what it then asks for comes after what others asked before. */
static void on_done(void *context, const struct nadi_event *event)
{
    struct nadi_mem_traffic *t = context;
    struct request *q = &t->requests.items[event->a];
    struct joint_request *j = q->joint == NADI_NONE ? NULL : &t->joints.items[q->joint];
    const struct nadi_traffic_done done = {.call = j ? j->calls[event->b] : q->call,
                                           .issued = q->issued,
                                           .began = q->began,
                                           .alone_ns = q->alone_ns,
                                           .waited_for = q->waited_for};
    if (!j || --j->left == 0) {
        if (j)
            nadi_traffic_joint_free(t, q->joint);
        NADI_POOL_GIVE(&t->requests, next, event->a);
    }
    t->setup.done(t->setup.context, &done);
}

/* The next whole ns: nodes end then, as in the network models that count in ns. */
static nadi_time whole_ns(nadi_time at)
{
    const nadi_time over = nadi_time_is_never(at) ? 0 : at % NADI_PS_PER_NS;
    return over ? nadi_time_add(at, NADI_PS_PER_NS - over) : at;
}

void nadi_traffic_part_ends(struct nadi_mem_traffic *t, uint32_t request)
{
    struct request *q = &t->requests.items[request];
    if (--q->parts)
        return;
    const struct request ended = *q; /* others may begin */
    const uint32_t ends[] = {ended.call.from, ended.call.to}, count = ends[0] == ends[1] ? 1 : 2;
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t i = 0; i < touched(t, &ended, ends[e]); i++)
            leave(t, ends[e], npu_of(t, &ended, i));
    for (uint32_t i = 0; i < npus_of(t, &ended); i++) {
        const uint32_t npu = npu_of(t, &ended, i);
        nadi_engine_schedule(t->engine, whole_ns(nadi_engine_now(t->engine)),
                             t->setup.actor ? t->setup.actor[npu] : npu, t->kind_done, request, i,
                             0);
    }
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t i = 0; i < touched(t, &ended, ends[e]); i++)
            let_in(t, ends[e], npu_of(t, &ended, i));
}

void nadi_traffic_arrived(struct nadi_mem_traffic *t, uint32_t request)
{
    nadi_traffic_part_ends(t, request);
}

static void ask(struct nadi_mem_traffic *t, const struct nadi_traffic_call *call, uint32_t joint)
{
    uint32_t index;
    NADI_POOL_TAKE(&t->requests, next, index);
    t->requests.items[index] = (struct request){
        .call = *call,
        .issued = nadi_engine_now(t->engine),
        .waited_for = NADI_NONE,
        .demand = NADI_NONE,
        .slot = NADI_NONE,
        .joint = joint,
    };
    try_start(t, index);
}

void nadi_traffic_request(struct nadi_mem_traffic *t, const struct nadi_traffic_call *call)
{
    ask(t, call, NADI_NONE);
}

void nadi_traffic_join(struct nadi_mem_traffic *t, const struct nadi_traffic_call *calls,
                       uint32_t count, bool same)
{
    uint32_t index;
    NADI_POOL_TAKE(&t->joints, next, index);
    t->joints.items[index] = (struct joint_request){.count = count, .left = count, .same = same};
    t->joints.items[index].calls = nadi_mem_copy(calls, count, sizeof(*calls));
    ask(t, calls, index);
}

/* ---- making -------------------------------------------------------------------------------- */

static void make_states(struct nadi_mem_traffic *t)
{
    const struct nadi_tiers *all = t->setup.tiers;
    uint32_t count = 0;
    t->instance_first = NADI_NEW(uint32_t, all->tier_count);
    for (uint32_t i = 0; i < all->tier_count; i++) {
        t->instance_first[i] = count;
        count += nadi_tiers_instances(all, all->tiers[i].scope);
    }
    t->states = NADI_ZNEW(struct tier_state, count);
    for (uint32_t i = 0; i < count; i++)
        t->states[i].waiting = (struct nadi_fifo){NADI_NONE, NADI_NONE};
}

struct nadi_mem_traffic *nadi_traffic_create(const struct nadi_traffic_setup *setup)
{
    struct nadi_mem_traffic *t = NADI_ZNEW(struct nadi_mem_traffic, 1);
    t->setup = *setup;
    t->engine = setup->engine;
    t->requests.free = t->joints.free = NADI_NONE;
    nadi_tier_layout_init(&t->layout, setup->tiers);
    make_states(t);
    t->servers = NADI_ZNEW(struct nadi_server_use, t->layout.server_count);
    t->kind_done = nadi_engine_add_kind(t->engine, on_done, t);
    if (setup->tiers->sharing == NADI_SHARING_FAIR) {
        nadi_traffic_fair_init(t);
        return t;
    }
    t->free_at = NADI_ZNEW(nadi_time, t->layout.server_count);
    t->kind_begin = nadi_engine_add_kind(t->engine, on_served, t);
    return t;
}

void nadi_traffic_destroy(struct nadi_mem_traffic *t)
{
    if (!t)
        return;
    nadi_tier_layout_release(&t->layout);
    nadi_share_destroy(t->share);
    nadi_mem_free(t->instance_first);
    nadi_mem_free(t->states);
    nadi_mem_free(t->servers);
    nadi_mem_free(t->free_at);
    nadi_mem_free(t->requests.items);
    for (size_t i = 0; i < t->joints.count; i++)
        nadi_mem_free(t->joints.items[i].calls);
    nadi_mem_free(t->joints.items);
    nadi_mem_free(t->wide.items);
    nadi_mem_free(t->times);
    nadi_mem_free(t->owner.items);
    nadi_mem_free(t->next_demand);
    nadi_mem_free(t->heap.items);
    nadi_mem_free(t->ended.items);
    nadi_mem_free(t);
}

/* ---- results ------------------------------------------------------------------------------- */

const struct nadi_tier_layout *nadi_traffic_layout(const struct nadi_mem_traffic *t)
{
    return &t->layout;
}

struct nadi_server_use nadi_traffic_server(const struct nadi_mem_traffic *t, uint32_t server)
{
    return t->servers[server];
}

struct nadi_tier_use nadi_traffic_tier(const struct nadi_mem_traffic *t, uint32_t tier,
                                       uint32_t instance)
{
    const struct tier_state *s = &t->states[t->instance_first[tier] + instance];
    struct nadi_tier_use use = s->use;
    if (s->active)
        use.busy_ns += nadi_time_in_ns(nadi_engine_now(t->engine) - s->since);
    return use;
}

bool nadi_traffic_endless(const struct nadi_mem_traffic *t)
{
    return t->heap.count > 0 && nadi_time_is_never(t->requests.items[t->heap.items[0]].end);
}
