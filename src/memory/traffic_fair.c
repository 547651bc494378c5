/* traffic_fair: requests as flows that share the servers of their paths. */
#include "memory/traffic_inside.h"

static void need_settling(struct nadi_mem_traffic *t)
{
    if (t->settling)
        return;
    t->settling = true;
    nadi_engine_schedule(t->engine, nadi_engine_now(t->engine), NADI_NONE, t->kind_settle, 0, 0, 0);
}

/* ---- demands ------------------------------------------------------------------------------- */

/* A free demand with room for so many links. */
static uint32_t *free_demands(struct nadi_mem_traffic *t, uint32_t hops)
{
    return &t->free_demand[hops > NADI_MOST_TIER_SERVERS ? NADI_MOST_TIER_SERVERS + 1 : hops];
}

static uint32_t take_demand(struct nadi_mem_traffic *t, uint32_t hops)
{
    uint32_t *list = free_demands(t, hops);
    const uint32_t free = *list;
    if (free != NADI_NONE) {
        *list = t->next_demand[free];
        return free;
    }
    const uint32_t demand = nadi_share_add(t->share);
    NADI_PUSH(&t->owner, NADI_NONE);
    if (t->owner.count > t->next_capacity)
        t->next_demand = nadi_mem_grow(t->next_demand, &t->next_capacity, t->owner.count,
                                       sizeof(*t->next_demand));
    return demand;
}

static void give_demand(struct nadi_mem_traffic *t, uint32_t demand)
{
    uint32_t *list = free_demands(t, nadi_share_hops(t->share, demand));
    nadi_share_set_weight(t->share, demand, 0);
    t->next_demand[demand] = *list;
    *list = demand;
}

/* ---- rates --------------------------------------------------------------------------------- */

/* What was carried since the level was found; what was lost goes to the server that held it then.
 */
static void advance(struct nadi_mem_traffic *t, struct request *q, nadi_time now)
{
    const double ns = nadi_time_in_ns(now - q->since);
    q->since = now;
    if (ns <= 0 || q->level <= 0)
        return;
    q->left -= q->level * ns;
    const uint32_t by = q->held_by;
    const double lost = ns * (1 - q->level / q->rate);
    if (by == NADI_NONE || lost <= 0)
        return;
    t->servers[by].lost_ns += lost;
    if (q->waited_for != by && lost > q->lost_ns) {
        q->waited_for = by;
        q->lost_ns = lost;
    } else if (q->waited_for == by) {
        q->lost_ns += lost;
    }
}

static void schedule_pump(struct nadi_mem_traffic *t)
{
    if (t->heap.count == 0)
        return;
    const nadi_time at = t->requests.items[t->heap.items[0]].end;
    if (at >= t->pump_at || nadi_time_is_never(at))
        return;
    t->pump_at = at;
    nadi_engine_schedule(t->engine, at, NADI_NONE, t->kind_pump, 0, 0, 0);
}

static void on_settle(void *context, const struct nadi_event *event)
{
    struct nadi_mem_traffic *t = context;
    const nadi_time now = nadi_engine_now(t->engine);
    const uint32_t *demands;
    (void)event;
    t->settling = false;
    const size_t count = nadi_share_solve(t->share, &demands);
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = t->owner.items[demands[i]];
        struct request *q = &t->requests.items[index];
        advance(t, q, now);
        q->level = nadi_share_level(t->share, demands[i]);
        q->held_by = nadi_share_held_by(t->share, demands[i]);
        const double ps = q->left > 0 ? q->left / q->level * 1e3 : 0;
        nadi_traffic_set_end(t, index, nadi_time_add(now, nadi_time_round(ps)));
    }
    schedule_pump(t);
}

static void on_begin(void *context, const struct nadi_event *event)
{
    struct nadi_mem_traffic *t = context;
    struct request *q = &t->requests.items[event->a];
    const nadi_time now = nadi_engine_now(t->engine);
    q->since = now;
    if (q->demand == NADI_NONE) { /* nothing to carry, or nothing that limits it */
        nadi_traffic_part_ends(t, event->a);
        return;
    }
    nadi_share_set_weight(t->share, q->demand, 1);
    need_settling(t);
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct nadi_mem_traffic *t = context;
    const nadi_time now = nadi_engine_now(t->engine);
    (void)event;
    if (t->pump_at == now)
        t->pump_at = NADI_TIME_NEVER;
    t->ended.count = 0;
    while (t->heap.count && t->requests.items[t->heap.items[0]].end <= now) {
        const uint32_t request = t->heap.items[0];
        nadi_traffic_take_out(t, request);
        NADI_PUSH(&t->ended, request);
    }
    for (size_t i = 0; i < t->ended.count; i++) {
        struct request *q = &t->requests.items[t->ended.items[i]];
        advance(t, q, now);
        give_demand(t, q->demand);
        q->demand = NADI_NONE;
        nadi_traffic_part_ends(t, t->ended.items[i]);
    }
    if (t->ended.count)
        need_settling(t);
    schedule_pump(t);
}

void nadi_traffic_fair_begin(struct nadi_mem_traffic *t, uint32_t request,
                             const struct nadi_tier_path *path, const uint32_t *servers)
{
    struct request *q = &t->requests.items[request];
    if (path->count && path->bytes) {
        q->demand = take_demand(t, path->count);
        t->owner.items[q->demand] = request;
        nadi_share_set_links(t->share, q->demand, servers ? servers : path->servers, path->count,
                             (double)INFINITY);
    }
    q->rate = path->rate;
    q->left = (double)path->bytes;
    q->level = 0;
    q->held_by = NADI_NONE;
    const nadi_time at = nadi_engine_after(t->engine, nadi_time_of_ns(path->latency_ns));
    nadi_engine_schedule(t->engine, at, NADI_NONE, t->kind_begin, request, 0, 0);
}

void nadi_traffic_fair_init(struct nadi_mem_traffic *t)
{
    const struct nadi_tier_layout *l = &t->layout;
    double *rate = NADI_NEW(double, l->server_count);
    for (uint32_t s = 0; s < l->server_count; s++)
        rate[s] = l->rate[s] / (t->setup.users ? t->setup.users[s] : 1);
    t->share = nadi_share_create(l->server_count, rate);
    nadi_mem_free(rate);
    for (uint32_t h = 0; h <= NADI_MOST_TIER_SERVERS + 1; h++)
        t->free_demand[h] = NADI_NONE;
    t->pump_at = NADI_TIME_NEVER;
    t->kind_begin = nadi_engine_add_kind(t->engine, on_begin, t);
    t->kind_settle = nadi_engine_add_kind(t->engine, on_settle, t);
    t->kind_pump = nadi_engine_add_kind(t->engine, on_pump, t);
}
