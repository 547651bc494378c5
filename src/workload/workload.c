#include "workload/workload.h"

#include "engine/sequence.h"
#include "workload/internal.h"

/* ---- ready nodes --------------------------------------------------------------------------- */

static enum nadi_slot make_ready(const struct nadi_workload *w, struct rank_state *r, uint32_t node)
{
    enum nadi_slot slot = nadi_workload_slot(w, r, node);
    if (r->in_pass)
        NADI_PUSH(&r->became_ready, node);
    else
        nadi_heap32_push(&r->ready[slot], node);
    return slot;
}

static bool any_ready(const struct rank_state *r)
{
    for (size_t i = 0; i < NADI_SLOTS; i++)
        if (r->ready[i].count)
            return true;
    return false;
}

static bool has_room(const struct nadi_workload *w, const struct rank_state *r, enum nadi_slot slot)
{
    const uint32_t streams = w->setup.config->comm_streams;
    return slot == NADI_SLOT_NONE ||
           r->in_use[slot] < (slot == NADI_SLOT_COMM && streams > 1 ? streams : 1);
}

/* The slot whose first ready node comes next in a pass: the smallest node that can be issued. */
static enum nadi_slot next_slot(const struct nadi_workload *w, const struct rank_state *r)
{
    enum nadi_slot best = NADI_SLOTS;
    for (enum nadi_slot i = NADI_SLOT_PROCESSOR; i < NADI_SLOTS; i++)
        if (r->ready[i].count && has_room(w, r, i) &&
            (best == NADI_SLOTS || r->ready[i].items[0] < r->ready[best].items[0]))
            best = i;
    return best;
}

/* ---- a node's life ------------------------------------------------------------------------- */

/* While a node runs, waiting_for holds its place in in_flight: its parents are done. */
static void enter_flight(struct rank_state *r, uint32_t node, nadi_time now)
{
    struct running running = {.node = node, .start = now};
    *nadi_workload_waits(r, node) = (uint32_t)r->in_flight.count;
    NADI_PUSH(&r->in_flight, running);
}

static nadi_time leave_flight(struct rank_state *r, uint32_t node)
{
    uint32_t place = *nadi_workload_waits(r, node);
    struct running left = r->in_flight.items[place];
    NADI_ASSERT(left.node == node);
    struct running moved = r->in_flight.items[--r->in_flight.count];
    r->in_flight.items[place] = moved;
    *nadi_workload_waits(r, moved.node) = place;
    *nadi_workload_waits(r, node) = NADI_NONE;
    return left.start;
}

/* A child of a node that is done, beyond all others. */
static void reach(struct rank_state *r, uint32_t node, uint32_t child)
{
    const uint32_t *parents = r->trace->dep_start + child;
    if (child <= node + NEAR)
        r->reach = child;
    else if (*nadi_workload_waits(r, child) == parents[1] - parents[0])
        NADI_PUSH(&r->far, child);
}

/* A node that waits for nothing any more. METADATA takes neither time nor a slot and is done at
 * once. */
static void ready_or_done(const struct nadi_workload *w, struct rank_state *r, uint32_t node,
                          struct readied *readied)
{
    if (r->trace->type[node] == NADI_NODE_METADATA)
        NADI_PUSH(&r->at_once, node);
    else
        readied->count[make_ready(w, r, node)]++;
}

/* The node's children wait for it no more. */
static void free_children(const struct nadi_workload *w, struct rank_state *r, uint32_t node,
                          struct readied *readied)
{
    const struct nadi_trace *t = r->trace;
    for (uint32_t i = t->child_start[node]; i < t->child_start[node + 1]; i++) {
        const uint32_t child = t->children[i];
        if (child > r->reach)
            reach(r, node, child);
        if (--*nadi_workload_waits(r, child) == 0)
            ready_or_done(w, r, child, readied);
    }
}

static void count_done(struct nadi_workload *w, uint32_t rank, uint32_t node, nadi_time start)
{
    struct rank_state *r = &w->ranks[rank];
    const nadi_time now = nadi_engine_now(w->engine);
    if (w->setup.record) {
        struct nadi_node_span span = {.rank = rank, .node = node, .start = start, .end = now};
        NADI_PUSH(&w->spans, span);
    }
    r->view.nodes_done++;
    r->view.finish = now;
    w->nodes_done++;
    w->nodes_by_type[r->trace->type[node]] += nadi_workload_weight(w, rank);
}

/* What is done at once, and what is so by that. */
static void settle_metadata(struct nadi_workload *w, uint32_t rank, struct readied *readied)
{
    struct rank_state *r = &w->ranks[rank];
    readied->through = r->at_once.count > 0;
    for (size_t i = 0; i < r->at_once.count; i++) {
        const uint32_t node = r->at_once.items[i];
        *nadi_workload_waits(r, node) = NADI_NONE;
        r->view.nodes_skipped++;
        count_done(w, rank, node, nadi_engine_now(w->engine));
        free_children(w, r, node, readied);
    }
    r->at_once.count = 0;
}

static void finish_node(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    struct rank_state *r = &w->ranks[rank];
    const enum nadi_slot slot = nadi_workload_slot(w, r, node);
    if (slot != NADI_SLOT_NONE)
        r->in_use[slot]--;
    const nadi_time start = leave_flight(r, node);
    nadi_workload_account(r, nadi_engine_now(w->engine), nadi_workload_activity(r->trace, node),
                          -1);
    if (w->setup.sharing.copying)
        nadi_workload_share_anew(w, rank);
    count_done(w, rank, node, start);
    struct readied readied = {0};
    /* is its order of events not all? */
    const bool watched = w->setup.phases || w->setup.fold || w->setup.rings;
    const bool tie = watched && !r->in_pass && nadi_workload_tie(w, rank, node, start);
    free_children(w, r, node, &readied);
    settle_metadata(w, rank, &readied);
    if (watched && !r->in_pass)
        nadi_workload_settle_tie(w, rank, node, tie, &readied);
}

static void issue_node(struct nadi_workload *w, uint32_t rank, uint32_t node, enum nadi_slot slot)
{
    struct rank_state *r = &w->ranks[rank];
    nadi_time now = nadi_engine_now(w->engine);
    if (slot != NADI_SLOT_NONE)
        r->in_use[slot]++;
    enter_flight(r, node, now);
    if (r->instant.at == now)
        r->instant.issued[slot] = true;
    nadi_workload_account(r, now, nadi_workload_activity(r->trace, node), 1);
    if (w->setup.sharing.copying)
        nadi_workload_share_anew(w, rank);
    if (nadi_workload_dispatch(w, rank, node))
        return;
    r->view.nodes_skipped++;
    finish_node(w, rank, node);
}

static void note_finish(struct nadi_workload *w, uint32_t rank)
{
    const struct nadi_part_note note = {nadi_engine_lineage(w->engine)->next, rank};
    NADI_PUSH(&w->newly_finished, note);
}

/* A message that nobody has received may still be on its way. */
static void tell_finished(const struct nadi_workload *w)
{
    const uint64_t *done = nadi_workload_nodes_by_type(w);
    if (nadi_workload_finished(w) && done[NADI_NODE_SEND] == done[NADI_NODE_RECV])
        w->setup.finished(w->setup.context);
}

/* A pass over the ready nodes (workload spec 4.4). Nodes that become ready in a pass, through nodes
 * that are skipped, wait for the next one; where nothing is in flight to cause one, it follows at
 * once, instead of never as in the reference. METADATA is no such node: the reference runs none. */
static void workload_pass(struct nadi_workload *w, uint32_t rank)
{
    struct rank_state *r = &w->ranks[rank];
    if (r->at_once.count > 0) /* the first pass: METADATA that waits for nothing */
        settle_metadata(w, rank, &(struct readied){0});
    do {
        enum nadi_slot slot;
        r->in_pass = true;
        while (!w->failed && (slot = next_slot(w, r)) != NADI_SLOTS) {
            if (w->setup.fold && nadi_workload_stops_before(w, rank, r->ready[slot].items[0])) {
                r->stopped = true;
                r->stopped_at = nadi_engine_now(w->engine);
                return;
            }
            issue_node(w, rank, nadi_heap32_pop(&r->ready[slot]), slot);
        }
        r->in_pass = false;
        for (size_t i = 0; i < r->became_ready.count; i++)
            (void)make_ready(w, r, r->became_ready.items[i]);
        r->became_ready.count = 0;
    } while (!w->failed && r->in_flight.count == 0 && any_ready(r));
    if (r->in_flight.count == 0 && !any_ready(r) && !r->view.finished &&
        r->view.nodes_done == r->view.nodes_total) {
        r->view.finished = true;
        r->view.finish = nadi_engine_now(w->engine);
        w->finish_order[w->finished_count++] = rank;
        if (NADI_UNLIKELY(w->setup.border != NULL))
            note_finish(w, rank);
        if (NADI_UNLIKELY(w->setup.finished != NULL))
            tell_finished(w);
    }
}

static void workload_node_done(struct nadi_workload *w, uint32_t rank, uint32_t node)
{
    struct rank_state *r = &w->ranks[rank];
    if (r->stopped) {
        struct late late = {nadi_engine_now(w->engine), node};
        NADI_PUSH(&r->late, late);
        return;
    }
    if (nadi_engine_now(w->engine) < r->last_change) { /* see cut.c */
        w->undecided = "a rank is met before what it had done by itself";
        return;
    }
    finish_node(w, rank, node);
    workload_pass(w, rank);
    if (w->pauses && nadi_system_idle(w->system)) {
        w->last_actor = rank;
        w->last_node = node;
        nadi_engine_pause(w->engine);
    }
}

static void node_done(void *context, uint32_t rank, uint32_t node)
{
    workload_node_done(context, rank, node);
}

static bool only_node(void *context, uint32_t rank)
{
    const struct nadi_workload *w = context;
    return w->ranks[rank].in_flight.count == 1 && !w->ranks[rank].in_pass;
}

const char *nadi_workload_undecided(const struct nadi_workload *w)
{
    return w->undecided ? w->undecided : nadi_system_undecided(w->system);
}

uint64_t nadi_workload_ties(const struct nadi_workload *w)
{
    return w->ties_settled + nadi_system_ties(w->system);
}

uint32_t nadi_workload_actor_count(const struct nadi_workload *w)
{
    return w->rank_count;
}

static void on_timer(void *context, const struct nadi_event *event)
{
    workload_node_done(context, event->actor, event->a);
}

static void expect_timer(void *context, const struct nadi_event *event)
{
    const struct nadi_workload *w = context;
    const struct rank_state *r = &w->ranks[event->actor];
    __builtin_prefetch(&r->waiting_for[event->a - r->base]);
    __builtin_prefetch(r->in_flight.items);
}

static void on_shared(void *context, const struct nadi_event *event)
{
    struct nadi_workload *w = context;
    if (nadi_workload_share_ends(w, event->actor, event->a, event->b))
        workload_node_done(w, event->actor, event->a);
}

static void on_resume(void *context, const struct nadi_event *event)
{
    workload_pass(context, event->actor);
}

/* ---- set-up and views ---------------------------------------------------------------------- */

static void init_rank(struct nadi_workload *w, uint32_t rank)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_fold *fold = w->setup.fold;
    const struct nadi_trace *t = w->setup.traces[fold ? fold->rank_of[rank] : rank];
    struct readied readied = {0};
    if (!nadi_workload_is_here(w, rank))
        return;
    w->here++;
    w->nodes_total += t->node_count;
    if (w->setup.before) {
        nadi_workload_resume_rank(w, rank);
        return;
    }
    r->trace = t;
    r->instant.at = -1;
    r->view.nodes_total = t->node_count;
    r->waiting_for = NADI_ARENA_NEW(&w->arena, uint32_t, t->node_count);
    for (uint32_t i = 0; i < t->node_count; i++) {
        r->waiting_for[i] = t->dep_start[i + 1] - t->dep_start[i];
        if (r->waiting_for[i] == 0)
            ready_or_done(w, r, i, &readied);
    }
}

struct nadi_workload *nadi_workload_create(const struct nadi_workload_setup *setup)
{
    struct nadi_workload *w = NADI_ZNEW(struct nadi_workload, 1);
    w->setup = *setup;
    w->engine = setup->engine;
    w->rank_count = setup->fold ? setup->fold->actor_count : setup->topology->npu_count;
    nadi_arena_init(&w->arena);
    struct nadi_system_setup system = {
        .config = setup->config,
        .topology = setup->topology,
        .graph = setup->graph,
        .groups = setup->groups,
        .memory = setup->memory,
        .traces = setup->traces,
        .users = setup->users,
        .engine = setup->engine,
        .network = setup->network,
        .done = node_done,
        .only = only_node,
        .context = w,
        .record_flows = setup->record,
        .phases = setup->phases,
        .until = setup->until,
        .keyed = setup->keyed,
        .fold = setup->fold,
        .border = setup->border,
        .rings = setup->rings,
    };
    w->system = nadi_system_create(&system);
    w->kind_timer = nadi_engine_add_kind(w->engine, on_timer, w);
    nadi_engine_expect(w->engine, w->kind_timer, expect_timer);
    w->kind_shared = nadi_engine_add_kind(w->engine, on_shared, w);
    w->kind_resume = nadi_engine_add_kind(w->engine, on_resume, w);
    w->ranks = NADI_ARENA_ZNEW(&w->arena, struct rank_state, w->rank_count);
    w->finish_order = NADI_ARENA_NEW(&w->arena, uint32_t, w->rank_count);
    if (setup->before)
        nadi_workload_prepare_resume(w);
    for (uint32_t rank = 0; rank < w->rank_count; rank++)
        init_rank(w, rank);
    nadi_workload_find_groups(w);
    return w;
}

void nadi_workload_destroy(struct nadi_workload *w)
{
    if (!w)
        return;
    for (uint32_t rank = 0; rank < w->rank_count; rank++) {
        struct rank_state *r = &w->ranks[rank];
        for (size_t i = 0; i < NADI_SLOTS; i++)
            nadi_mem_free(r->ready[i].items);
        nadi_mem_free(r->became_ready.items);
        nadi_mem_free(r->at_once.items);
        nadi_mem_free(r->in_flight.items);
        nadi_mem_free(r->late.items);
        nadi_mem_free(r->far.items);
    }
    nadi_system_destroy(w->system);
    nadi_mem_free(w->row.weights);
    nadi_mem_free(w->row.sizes);
    nadi_mem_free(w->spans.items);
    nadi_mem_free(w->mismatches.items);
    nadi_mem_free(w->steps);
    nadi_mem_free(w->newly_finished.items);
    nadi_arena_release(&w->arena);
    nadi_mem_free(w);
}

void nadi_workload_start(struct nadi_workload *w)
{
    if (w->setup.before) {
        nadi_workload_restart(w);
        return;
    }
    for (uint32_t rank = 0; rank < w->rank_count && !w->failed; rank++) {
        const struct nadi_perturb *p = w->setup.perturb;
        const nadi_time begins = p ? nadi_perturb_start(p, rank) : 0;
        if (!nadi_workload_is_here(w, rank))
            continue;
        if (nadi_engine_lineage(w->engine))
            nadi_lineage_begin_actor(nadi_engine_lineage(w->engine), rank);
        if (nadi_engine_sequence(w->engine))
            nadi_sequence_begin_actor(nadi_engine_sequence(w->engine), rank);
        if (begins > 0)
            nadi_engine_schedule(w->engine, begins, rank, w->kind_resume, 0, 0, 0);
        else
            workload_pass(w, rank);
    }
}

bool nadi_workload_failed(const struct nadi_workload *w)
{
    return w->failed || nadi_workload_undecided(w);
}

bool nadi_workload_finished(const struct nadi_workload *w)
{
    return w->finished_count == w->here;
}

struct nadi_part_notes *nadi_workload_newly_finished(struct nadi_workload *w)
{
    return &w->newly_finished;
}

struct nadi_system *nadi_workload_parts_system(struct nadi_workload *w)
{
    return w->system;
}

static void join(struct nadi_workload *w, struct nadi_workload *other)
{
    for (uint32_t rank = 0; rank < w->rank_count; rank++) {
        if (!nadi_workload_is_here(other, rank))
            continue;
        const struct rank_state none = w->ranks[rank];
        w->ranks[rank] = other->ranks[rank];
        other->ranks[rank] = none;
    }
    w->here += other->here;
    w->nodes_done += other->nodes_done;
    w->nodes_total += other->nodes_total;
    w->offered_bytes = nadi_count_add(w->offered_bytes, other->offered_bytes);
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        w->nodes_by_type[t] += other->nodes_by_type[t];
}

bool nadi_workload_join(struct nadi_workload *const *parts, uint32_t count,
                        const struct nadi_part_operation *begun, size_t begun_count,
                        const uint32_t *finished, uint32_t finished_count)
{
    struct nadi_workload *w = parts[0];
    struct nadi_system *systems[NADI_LINEAGE_PARTS] = {NULL};
    for (uint32_t p = 0; p < count; p++)
        systems[p] = parts[p]->system;
    const bool agree = nadi_system_join(systems, begun, begun_count);
    for (uint32_t p = 1; p < count; p++)
        join(w, parts[p]);
    w->finished_count = finished_count;
    if (finished_count)
        memcpy(w->finish_order, finished, finished_count * sizeof(*finished));
    return agree;
}

uint64_t nadi_workload_nodes_done(const struct nadi_workload *w)
{
    return w->nodes_done;
}

uint64_t nadi_workload_nodes_total(const struct nadi_workload *w)
{
    return w->nodes_total;
}

struct nadi_rank_view nadi_workload_rank(const struct nadi_workload *w, uint32_t actor,
                                         nadi_time now)
{
    struct rank_state r = w->ranks[actor];
    if (now < r.last_change)
        now = r.last_change;
    if (!r.view.finished) {
        nadi_workload_account(&r, now, ACTIVITY_OTHER, 0);
        r.view.finish = now;
    }
    return r.view;
}

const uint64_t *nadi_workload_nodes_by_type(const struct nadi_workload *w)
{
    return w->nodes_by_type;
}

uint64_t nadi_workload_offered_bytes(const struct nadi_workload *w)
{
    return w->offered_bytes;
}

const struct nadi_node_span *nadi_workload_spans(const struct nadi_workload *w, size_t *count)
{
    *count = w->spans.count;
    return w->spans.items;
}

const struct nadi_system *nadi_workload_system(const struct nadi_workload *w)
{
    return w->system;
}

const uint32_t *nadi_workload_finish_order(const struct nadi_workload *w, uint32_t *count)
{
    *count = w->finished_count;
    return w->finish_order;
}
