/* phases: the phase executor. The members of a phase gather; when the last of a ring has started,
 * the ends of all of them are computed (phase_solver.c) and become events.
 *
 * An end is announced at the time when the message executor would start the participant's last
 * timer, so that it takes its place among the rank's other timers of the same tick. */
#include "executor/internal.h"
#include "executor/phase_row.h"

enum { TABLE_LIMIT = 128 }; /* largest small group whose distances are all compared */

static const struct nadi_group *group_of(const struct nadi_system *s, const struct gathering *g)
{
    const struct operation *op = &s->operations.items[s->streams.items[g->stream].operation];
    return &s->setup.groups->items[op->view.group];
}

static struct group_state *state_of(const struct nadi_system *s, const struct gathering *g)
{
    const struct operation *op = &s->operations.items[s->streams.items[g->stream].operation];
    return &s->groups[op->view.group];
}

/* ---- what is known of a phase in advance --------------------------------------------------- */

static uint32_t rank_at(const struct nadi_system *s, const struct nadi_group *g,
                        const struct nadi_phase *p, uint32_t ring, uint32_t local)
{
    uint32_t base = ring / p->stride * (p->stride * p->n) + ring % p->stride;
    uint32_t member = base + local * p->stride;
    return g->size == s->rank_count ? member : nadi_group_member(g, member);
}

/* Marks the clockwise distances that the phase's messages go, either way. */
static void mark_distances(const struct nadi_phase *p, bool *used)
{
    for (uint32_t k = 0; k < nadi_phase_different_steps(p); k++) {
        const uint32_t to = nadi_phase_destination(p, 0, k, true);
        used[to] = used[p->n - to] = true;
    }
}

/* The routes of the distances that are used, if they are the same from every place; false: not so.
 */
static bool find_same_routes(struct nadi_system *s, const struct nadi_group *g,
                             const struct nadi_phase *p, bool symmetric, const bool *used,
                             uint32_t *routes)
{
    for (uint32_t d = 1; d < p->n; d++) {
        if (!used[d])
            continue;
        routes[d] = nadi_network_route(s->network, rank_at(s, g, p, 0, 0), rank_at(s, g, p, 0, d));
        for (uint32_t i = 1; !symmetric && i < p->n; i++) {
            uint32_t to = i + d < p->n ? i + d : i + d - p->n;
            if (nadi_network_route(s->network, rank_at(s, g, p, 0, i), rank_at(s, g, p, 0, to)) !=
                routes[d])
                return false;
        }
    }
    return true;
}

/* The route of each distance, if it is the same from every place. On dimensions that look the same
 * from everywhere it is, by symmetry; in small groups and on meshes it is looked up. */
static void find_routes(struct nadi_system *s, const struct nadi_group *g,
                        const struct nadi_phase *p, struct phase_info *info)
{
    bool symmetric = !p->local && nadi_topology_alike(s->setup.topology);
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE ||
        (!symmetric && p->algorithm == NADI_ALGORITHM_DIRECT && p->n > TABLE_LIMIT))
        return;
    uint32_t *routes = NADI_ARENA_ZNEW(&s->arena, uint32_t, p->n);
    bool *used = NADI_ZNEW(bool, (size_t)p->n + 1);
    mark_distances(p, used);
    if (find_same_routes(s, g, p, symmetric, used, routes))
        info->routes = routes;
    nadi_mem_free(used);
}

static struct nadi_phase_solver solver_of(const struct nadi_system *s, const struct nadi_phase *p,
                                          const struct phase_info *info, bool clockwise,
                                          bool max_tree)
{
    return (struct nadi_phase_solver){
        .phase = p,
        .n = p->n,
        .clockwise = clockwise,
        .max_tree = max_tree,
        .rendezvous = s->config->rendezvous,
        .endpoint_ns = (int64_t)nadi_phase_endpoint_ns(p, s->config->endpoint_delay_ns),
        .reduce_ns = info->reduce_ns,
        .local_mem_bw = s->config->local_mem_bw,
        .network = s->network,
        .routes = info->routes,
    };
}

static struct phase_info *get_info(struct nadi_system *s, uint32_t stream, uint32_t phase,
                                   bool clockwise)
{
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    struct phase_info *info = &op->infos[2 * phase + clockwise];
    if (info->known)
        return info;
    const struct nadi_phase *p = &op->plan->phases[phase];
    info->known = true;
    info->reduce_ns = nadi_ns_signed(nadi_reduce_ns(s->config->local_mem_bw, p->message_bytes));
    find_routes(s, &s->setup.groups->items[op->view.group], p, info);
    if (!info->routes)
        return info;
    struct nadi_phase_solver m = solver_of(s, p, info, clockwise, true);
    info->has_lockstep = nadi_phase_solver_lockstep(&m, &info->lockstep_ns);
    info->ends_alike = nadi_phase_solver_ends_alike(p);
    info->last_endpoint_ns = m.endpoint_ns;
    info->last_reduction_ns = nadi_phase_solver_last_reduction(&m, 0);
    return info;
}

/* ---- counting messages --------------------------------------------------------------------- */

static void count_message(struct nadi_system *s, uint32_t route, uint32_t route_back,
                          uint64_t bytes, uint64_t messages)
{
    if (s->config->rendezvous) {
        bytes = (uint64_t)(int64_t)(int32_t)(uint32_t)bytes;
        nadi_unaware_count(s->network, route_back, CONTROL_BYTES, messages);
    }
    nadi_unaware_count(s->network, route, bytes, messages);
}

/* The messages of one ring, `copies` times. */
static void count_ring(struct nadi_system *s, const struct nadi_phase_solver *m, uint64_t copies)
{
    const struct nadi_phase *p = m->phase;
    uint32_t places = m->routes ? 1 : p->n;
    uint64_t each = m->routes ? nadi_count_mul(copies, p->n) : copies;
    for (uint32_t i = 0; i < places; i++) {
        const uint32_t steps = nadi_phase_different_steps(p);
        for (uint32_t k = 0; k < steps; k++) {
            uint32_t to = nadi_phase_destination(p, i, k, m->clockwise);
            const uint64_t messages = nadi_count_mul(each, p->sends / steps);
            count_message(s, nadi_phase_solver_route(m, i, to), nadi_phase_solver_route(m, to, i),
                          nadi_phase_bytes(p, k), messages);
        }
    }
}

static void count_tree(struct nadi_system *s, const struct nadi_phase_solver *m, uint64_t copies)
{
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t parent = nadi_phase_solver_tree_parent(m, i);
        if (parent == NADI_NONE)
            continue;
        uint32_t up = nadi_phase_solver_route(m, i, parent),
                 down = nadi_phase_solver_route(m, parent, i);
        count_message(s, up, down, m->phase->bytes, copies);
        count_message(s, down, up, m->phase->bytes, copies);
    }
}

static void count(struct nadi_system *s, const struct nadi_phase_solver *m, uint64_t copies)
{
    if (m->phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        count_tree(s, m, copies);
    else
        count_ring(s, m, copies);
}

/* ---- gatherings ---------------------------------------------------------------------------- */

static void take_memory(struct nadi_system *s, struct gathering *g, uint32_t members)
{
    uint32_t rings = members / g->phase->n;
    g->bytes = (size_t)members * (sizeof(*g->start) + sizeof(*g->order)) +
               (size_t)rings * (sizeof(*g->behind) + sizeof(*g->absent));
    for (size_t i = s->spare_gatherings.count; i-- > 0;) {
        if (s->spare_gatherings.items[i].bytes == g->bytes) {
            g->start = s->spare_gatherings.items[i].start;
            s->spare_gatherings.items[i] = s->spare_gatherings.items[--s->spare_gatherings.count];
            break;
        }
    }
    if (!g->start)
        g->start = nadi_mem_alloc(g->bytes, 1);
    g->behind = (uint64_t *)(void *)(g->start + members);
    g->order = (uint32_t *)(void *)(g->behind + rings);
    g->absent = g->order + members;
    for (uint32_t r = 0; r < rings; r++) {
        g->behind[r] = 0;
        g->absent[r] = g->phase->n;
    }
}

static uint32_t make_gathering(struct nadi_system *s, uint32_t stream, uint32_t phase,
                               uint32_t member)
{
    uint32_t index, assignment = nadi_streams_assignment(s, stream, phase, member);
    bool clockwise = !(assignment & ASSIGNED_ANTICLOCKWISE);
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    struct phase_info *info = get_info(s, stream, phase, clockwise);
    NADI_POOL_TAKE(&s->gatherings, stream, index);
    struct gathering *g = &s->gatherings.items[index];
    *g = (struct gathering){
        .phase = &op->plan->phases[phase],
        .info = info,
        .stream = stream,
        .phase_index = phase,
        .members_left = op->view.members,
        .times = op->in_a_row ? op->view.chunks : 1,
        .clockwise = clockwise,
        .max_tree = !(assignment & ASSIGNED_MIN_TREE),
        .first_ns = nadi_engine_now_ns(s->engine),
        .serial = ++s->gatherings_made,
    };
    if (!state_of(s, g)->single)
        take_memory(s, g, op->view.members);
    s->streams.items[stream].blocks[phase] = index;
    return index;
}

static void free_ended(struct nadi_system *s)
{
    for (size_t i = 0; i < s->ended_gatherings.count; i++) {
        uint32_t index = s->ended_gatherings.items[i];
        struct gathering *g = &s->gatherings.items[index];
        if (g->start)
            NADI_PUSH(&s->spare_gatherings, *g);
        g->start = NULL;
        NADI_POOL_GIVE(&s->gatherings, stream, index);
    }
    s->ended_gatherings.count = 0;
}

/* All members have ended. What is known of it may still be asked for at this instant. */
static void end_gathering(struct nadi_system *s, uint32_t index)
{
    const struct gathering *g = &s->gatherings.items[index];
    s->streams.items[g->stream].blocks[g->phase_index] = NADI_NONE;
    if (s->ended_at != nadi_engine_now(s->engine))
        free_ended(s);
    s->ended_at = nadi_engine_now(s->engine);
    NADI_PUSH(&s->ended_gatherings, index);
}

/* ---- ends ---------------------------------------------------------------------------------- */

static uint32_t actor_of(const struct nadi_system *s, const struct gathering *g, uint32_t member)
{
    const struct group_state *state = state_of(s, g);
    if (state->single)
        return state->actor;
    const struct nadi_group *group = group_of(s, g);
    uint32_t rank = group->size == s->rank_count ? member : nadi_group_member(group, member);
    return s->setup.fold ? s->setup.fold->actor_of[rank] : rank;
}

struct last_timers { /* of a member, ns; reduction -1: none */
    int64_t endpoint, reduction;
};

static struct last_timers last_timers_of(const struct nadi_system *s, const struct gathering *g,
                                         uint32_t member)
{
    if (NADI_LIKELY(g->info->ends_alike))
        return (struct last_timers){g->info->last_endpoint_ns, g->info->last_reduction_ns};
    struct nadi_phase_solver m = solver_of(s, g->phase, g->info, g->clockwise, g->max_tree);
    return (struct last_timers){
        .endpoint = m.endpoint_ns,
        .reduction = nadi_phase_solver_last_reduction(&m, nadi_phase_local(g->phase, member)),
    };
}

/* Is the member's end that of its node, and the node the only one in flight? Then there is no other
 * timer for it to come before or behind. Only where ranks go their own ways: else it would come
 * before the ends of others in one instant, and collectives would be told in another order. */
static bool ends_alone(const struct nadi_system *s, const struct gathering *g, uint32_t actor)
{
    return s->setup.fold && s->setup.fold->each && s->setup.only &&
           s->operations.items[s->streams.items[g->stream].operation].in_a_row &&
           s->setup.only(s->setup.context, actor);
}

enum step { LAST_MESSAGE, LAST_ENDPOINT }; /* what `ending` stands for: it starts the next timer */

static void schedule_end(struct nadi_system *s, uint32_t index, uint32_t member, int64_t end_ns)
{
    const struct gathering *g = &s->gatherings.items[index];
    uint32_t actor = actor_of(s, g, member);
    if (NADI_UNLIKELY(nadi_ns_is_beyond((uint64_t)end_ns))) {
        nadi_engine_schedule(s->engine, NADI_TIME_NEVER, actor, s->kind_ended, index, member, 0);
        return;
    }
    struct last_timers last = last_timers_of(s, g, member);
    int64_t message_ns = end_ns - last.endpoint - nadi_max_i64(last.reduction, 0);
    if (message_ns < nadi_engine_now_ns(s->engine)) {
        s->undecided = nadi_phase_row_early;
        return;
    }
    if (ends_alone(s, g, actor)) {
        s->events_spared += last.reduction >= 0 ? 2 : 1;
        nadi_engine_schedule(s->engine, nadi_time_from_ns((uint64_t)end_ns), actor, s->kind_ended,
                             index, member, 0);
    } else
        nadi_engine_schedule(s->engine, nadi_time_from_ns((uint64_t)message_ns), actor,
                             s->kind_ending, index, member, LAST_MESSAGE);
}

static void on_ending(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct last_timers last = last_timers_of(s, &s->gatherings.items[event->a], event->b);
    bool reduces = event->c == LAST_MESSAGE && last.reduction >= 0;
    int64_t delay = event->c == LAST_MESSAGE ? last.endpoint : last.reduction;
    nadi_engine_schedule(s->engine, nadi_engine_after_ns(s->engine, (uint64_t)delay), event->actor,
                         reduces ? s->kind_ending : s->kind_ended, event->a, event->b,
                         LAST_ENDPOINT);
}

static void on_ended(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    uint32_t index = event->a, member = event->b;
    struct gathering *g = &s->gatherings.items[index];
    uint32_t stream = g->stream, phase = g->phase_index;
    struct last_timers last = last_timers_of(s, g, member);
    s->last_lag = last.reduction >= 0 ? last.reduction : last.endpoint;
    s->last_ended = index;
    if (--g->members_left == 0)
        end_gathering(s, index);
    nadi_streams_phase_ended(s, stream, phase, member);
    s->last_lag = -1;
    s->last_ended = NADI_NONE;
}

static uint32_t ring_of(const struct nadi_phase *p, uint32_t member)
{
    return member / (p->stride * p->n) * p->stride + member % p->stride;
}

/* Of two equal phases that started in all places at the same times, one always before the other,
 * each event of the one has its like in the other at the same time, and comes before it: events
 * that are handled in order schedule others in order, and the timers of a rank at one time run
 * together, so that no message comes between them. */
bool nadi_phases_in_step(struct nadi_system *s, uint32_t first, uint32_t second, uint32_t member)
{
    if (first == NADI_NONE)
        return false;
    const struct gathering *a = &s->gatherings.items[first];
    struct gathering *b = &s->gatherings.items[second];
    const struct nadi_phase *p = b->phase;
    if (a->phase != p || a->clockwise != b->clockwise || a->max_tree != b->max_tree)
        return false;
    if (!b->start)
        return a->first_ns == b->first_ns;
    uint32_t ring = ring_of(p, member);
    if (b->behind[ring] == a->serial)
        return true;
    uint32_t at = ring / p->stride * (p->stride * p->n) + ring % p->stride;
    for (uint32_t i = 0; i < p->n; i++, at += p->stride)
        if (a->start[at] != b->start[at] || b->order[at] - a->order[at] > UINT32_MAX / 2)
            return false;
    b->behind[ring] = a->serial;
    return true;
}

/* ---- starts -------------------------------------------------------------------------------- */

bool nadi_phases_in_a_row(const struct nadi_system *s, const struct nadi_collective_call *call,
                          const struct nadi_plan *plan)
{
    /* They enter one queue together, which runs one at a time, first come, first served; and the
     * ends of all but the last one have no effect on anything else. */
    return s->setup.until > 0 && plan && plan->phase_count == 1 && !plan->has_tail &&
           !call->sizes && !s->issued && !s->schedules && !s->sequence && s->active_limit == 1 &&
           !nadi_assignments_needed(s, plan) &&
           s->start_phase[plan->phases[0].algorithm] == nadi_phases_start;
}

/* Nothing happens, but so far comes the clock. */
static void on_passed(void *context, const struct nadi_event *event)
{
    (void)context;
    (void)event;
}

/* False: it is undecided. */
static bool solve_row(struct nadi_system *s, const struct gathering *g, struct nadi_phase_row *r)
{
    const struct last_timers last = last_timers_of(s, g, 0);
    r->has_lockstep = g->info->has_lockstep;
    r->lockstep_ns = g->info->lockstep_ns;
    r->last_ns = nadi_time_add(last.endpoint, nadi_max_i64(last.reduction, 0));
    r->until_ns = (int64_t)nadi_time_to_ns(s->setup.until);
    r->left = g->times;
    const char *why = nadi_phase_row_solve(r);
    if (why)
        s->undecided = why;
    else
        s->events_spared += r->places * (r->solved - 1) * (last.reduction >= 0 ? 3 : 2);
    if (!why && r->passed_ns >= 0)
        nadi_engine_schedule(s->engine, nadi_time_from_ns((uint64_t)r->passed_ns), NADI_NONE,
                             s->kind_passed, 0, 0, 0);
    return !why;
}

/* A class that stands for all members: they start together, and end together. */
static void start_single(struct nadi_system *s, uint32_t index, uint32_t member)
{
    const struct gathering *g = &s->gatherings.items[index];
    const struct nadi_group *group = group_of(s, g);
    if (!g->info->has_lockstep) {
        s->undecided = "members of a folded group may differ";
        return;
    }
    int64_t start = nadi_engine_now_ns(s->engine), end;
    struct nadi_phase_solver m = solver_of(s, g->phase, g->info, g->clockwise, g->max_tree);
    struct nadi_phase_row row = {.m = &m, .start = &start, .end = &end, .places = 1};
    if (!solve_row(s, g, &row))
        return;
    const uint64_t rings = nadi_count_mul((uint64_t)group->size / g->phase->n, row.solved);
    count(s, &m, nadi_count_mul(rings, state_of(s, g)->copies));
    schedule_end(s, index, member, end);
}

/* Members of one ring that deal themselves different directions go past each other: the message
 * executor knows how. */
static bool same_direction(const struct nadi_system *s, const struct gathering *g, uint32_t first)
{
    if (!s->streams.items[g->stream].assignments || g->phase->algorithm != NADI_ALGORITHM_DIRECT)
        return true;
    for (uint32_t i = 0; i < g->phase->n; i++) {
        uint32_t assignment =
            nadi_streams_assignment(s, g->stream, g->phase_index, first + i * g->phase->stride);
        if (!(assignment & ASSIGNED_ANTICLOCKWISE) != g->clockwise)
            return false;
    }
    return true;
}

static void evaluate(struct nadi_system *s, uint32_t index, uint32_t ring)
{
    struct gathering *g = &s->gatherings.items[index];
    const struct nadi_phase *p = g->phase;
    const struct nadi_group *group = group_of(s, g);
    uint32_t n = p->n, first = ring / p->stride * (p->stride * n) + ring % p->stride;
    NADI_RESERVE(&s->ring_space, (size_t)n * 9);
    int64_t *start = s->ring_space.items, *end = start + n, *scratch = end + n;
    uint32_t *ranks = (uint32_t *)(void *)(scratch + 6 * (size_t)n);
    struct nadi_phase_solver m = solver_of(s, p, g->info, g->clockwise, g->max_tree);
    for (uint32_t i = 0; i < n; i++) {
        start[i] = g->start[first + i * p->stride];
        if (!m.routes)
            ranks[i] = rank_at(s, group, p, ring, i);
    }
    m.ranks = ranks;
    m.start = start;
    m.end = end;
    m.scratch = scratch;
    if (!same_direction(s, g, first)) {
        s->undecided = "members of a ring run a direct algorithm in different directions";
        return;
    }
    struct nadi_phase_row row = {.m = &m, .start = start, .end = end, .places = n};
    if (!solve_row(s, g, &row))
        return;
    count(s, &m, nadi_count_mul(state_of(s, g)->copies, row.solved));
    for (uint32_t i = 0; i < n; i++)
        schedule_end(s, index, first + i * p->stride, end[i]);
}

/* The first member that starts decides for all which way round it goes. Of several that start at
 * one tick, and differ, the message executor knows which was first. */
static void note_direction(struct nadi_system *s, const struct gathering *g, uint32_t member,
                           int64_t start_ns)
{
    uint32_t assignment = nadi_streams_assignment(s, g->stream, g->phase_index, member);
    if (start_ns == g->first_ns && (g->clockwise != !(assignment & ASSIGNED_ANTICLOCKWISE) ||
                                    g->max_tree != !(assignment & ASSIGNED_MIN_TREE)))
        s->undecided = "members that would go different ways round start at the same instant";
}

void nadi_phases_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    uint32_t index = s->streams.items[stream].blocks[phase];
    if (index == NADI_NONE)
        index = make_gathering(s, stream, phase, member);
    struct gathering *g = &s->gatherings.items[index];
    if (state_of(s, g)->single) {
        start_single(s, index, member);
        return;
    }
    const struct nadi_phase *p = g->phase;
    uint32_t ring = ring_of(p, member);
    g->order[member] = s->starts++;
    g->start[member] = nadi_engine_now_ns(s->engine);
    note_direction(s, g, member, g->start[member]);
    if (--g->absent[ring] == 0)
        evaluate(s, index, ring);
}

void nadi_phases_init(struct nadi_system *s)
{
    s->gatherings.free = NADI_NONE;
    s->last_lag = -1;
    s->last_ended = NADI_NONE;
    s->ended_at = -1;
    s->kind_ending = nadi_engine_add_kind(s->engine, on_ending, s);
    s->kind_ended = nadi_engine_add_kind(s->engine, on_ended, s);
    s->kind_passed = nadi_engine_add_kind(s->engine, on_passed, s);
}

void nadi_phases_release(struct nadi_system *s)
{
    for (size_t i = 0; i < s->gatherings.count; i++)
        nadi_mem_free(s->gatherings.items[i].start);
    for (size_t i = 0; i < s->spare_gatherings.count; i++)
        nadi_mem_free(s->spare_gatherings.items[i].start);
    nadi_mem_free(s->gatherings.items);
    nadi_mem_free(s->ended_gatherings.items);
    nadi_mem_free(s->spare_gatherings.items);
    nadi_mem_free(s->ring_space.items);
}
