/* operations: collectives of groups, made by the first call of a member, with the plan that all
 * follow. */
#include "executor/internal.h"

void nadi_operations_open_group(struct nadi_system *s, uint32_t group)
{
    const struct nadi_group *g = &s->setup.groups->items[group];
    const struct nadi_fold *f = s->setup.fold;
    struct group_state *state = &s->groups[group];
    state->single = f && f->single[group];
    state->actor = f ? f->actor_of[nadi_group_member(g, 0)] : NADI_NONE;
    state->copies = f ? f->copies[group] : 1;
    state->members = state->single ? 1 : g->size;
    state->here = nadi_parcel_members_here(s, g, state->members);
    state->sequence = NADI_ZNEW(uint32_t, state->members);
    NADI_PUSH(&s->groups_used, group);
    state->made = s->setup.keyed ? NADI_ZNEW(uint32_t, state->members) : NULL;
    if (g->size == s->rank_count)
        return;
    state->position = NADI_NEW(uint32_t, g->size);
    for (uint32_t i = 0; i < g->size; i++)
        state->position[nadi_group_sorted_position(g, g->members[i])] = i;
}

static uint32_t root_member(const struct nadi_system *s, const struct nadi_collective_call *call)
{
    const struct nadi_group *g = &s->setup.groups->items[call->group];
    if (call->kind == NADI_BARRIER || call->kind == NADI_ALL_TO_ALL)
        return 0; /* have none; rank 0 need not be a member */
    return g->size == s->rank_count ? call->root : nadi_group_position(g, call->root);
}

static struct nadi_plan_request request_of(const struct nadi_system *s,
                                           const struct nadi_collective_call *call)
{
    enum nadi_native_kind native;
    if (!nadi_native_kind_of(call->kind, &native))
        NADI_BUG("collective kind %d has no native algorithm", (int)call->kind);
    if (call->sizes)
        native = NADI_NATIVE_ALL_TO_ALL_V;
    struct nadi_plan_request request =
        nadi_system_plan_request(s->config, s->setup.topology, s->setup.groups, call->group, native,
                                 call->bytes, call->involved);
    if (call->sizes) /* members may have different sizes, but all have as many chunks */
        request.bytes = request.splits;
    request.root = root_member(s, call);
    return request;
}

static const struct plan_key *find_plan(struct nadi_system *s,
                                        const struct nadi_collective_call *call)
{
    const struct nadi_plan_request request = request_of(s, call);
    uint32_t *const latest = &s->groups[call->group].plans;
    for (uint32_t i = *latest; i > 0; i = s->plans.items[i - 1].before) {
        const struct plan_key *k = &s->plans.items[i - 1];
        if (k->kind == request.kind && k->bytes == request.bytes && k->involved == call->involved &&
            k->root == call->root)
            return k;
    }
    struct nadi_plan *plan = NADI_ARENA_NEW(&s->arena, struct nadi_plan, 1);
    if (!nadi_plan_make(&request, plan))
        return NULL;
    struct plan_key key = {.kind = request.kind,
                           .involved = call->involved,
                           .root = call->root,
                           .bytes = request.bytes,
                           .plan = plan,
                           .before = *latest};
    if (s->setup.phases)
        key.infos = NADI_ARENA_ZNEW(&s->arena, struct phase_info, (size_t)plan->phase_count * 2);
    NADI_PUSH(&s->plans, key);
    *latest = (uint32_t)s->plans.count;
    return &s->plans.items[s->plans.count - 1];
}

const struct nadi_plan *nadi_operations_plan(struct nadi_system *s,
                                             const struct nadi_collective_call *call)
{
    const struct plan_key *key = find_plan(s, call);
    return key ? key->plan : NULL;
}

/* The chunks' own orders of dimensions; NULL: the plan's. */
static const struct nadi_phase **order_chunks(struct nadi_system *s,
                                              const struct nadi_collective_call *call,
                                              const struct nadi_plan *plan, uint32_t *chunks)
{
    if (!s->schedules || !plan)
        return NULL;
    const struct nadi_plan_request request = request_of(s, call);
    return nadi_schedules_chunks(s, &request, plan, chunks);
}

/* NULL: too large. */
static struct operation *make_operation(struct nadi_system *s,
                                        const struct nadi_collective_call *call, uint32_t sequence)
{
    struct group_state *g = &s->groups[call->group];
    const struct plan_key *key = call->custom ? NULL : find_plan(s, call);
    if (!call->custom && !key)
        return NULL;
    const struct nadi_plan *plan = key ? key->plan : NULL;
    uint32_t size = g->members;
    uint32_t chunks = plan ? plan->chunk_count : 1;
    const struct nadi_phase **ordered = order_chunks(s, call, plan, &chunks);
    NADI_RESERVE(&s->operations, s->operations.count + 1);
    struct operation *op = &s->operations.items[s->operations.count];
    *op = (struct operation){
        .view = {.group = call->group,
                 .sequence = sequence,
                 .chunks = chunks,
                 .kind = call->kind,
                 .bytes = call->bytes,
                 .members = size,
                 .copies = g->copies},
        .plan = plan,
        .infos = key ? key->infos : NULL,
        .custom = call->custom,
        .ordered = ordered,
        .here = g->here,
        .involved = call->involved,
        .root = call->root,
        .in_a_row = nadi_phases_in_a_row(s, call, plan),
        .nodes = NADI_NEW(uint32_t, 2 * (size_t)size + chunks),
        .variant = NADI_NONE,
        .first_stream = s->setup.keyed ? NADI_NEW(uint32_t, size) : NULL,
    };
    op->priorities = s->issued ? NADI_NEW(int64_t, size) : NULL;
    if (s->config->active_of_each && chunks > 1 && !op->in_a_row) {
        op->queues = NADI_NEW(struct queue, (size_t)size * s->queues_per_rank);
        nadi_queues_init(op->queues, (size_t)size * s->queues_per_rank);
        op->orders = nadi_schedules_orders(s);
    }
    if (call->sizes)
        op->sizes = NADI_ZNEW(uint64_t, (size_t)size * size);
    op->left = op->nodes + size;
    op->streams = op->left + size;
    memset(op->nodes, 0xff, size * sizeof(*op->nodes));
    memset(op->left, 0, size * sizeof(*op->left));
    memset(op->streams, 0xff, chunks * sizeof(*op->streams));
    s->operations.count++;
    s->open++;
    return op;
}

/* In parts, messages of a group's later operations may come before those of earlier ones. */
static void name_operation(const struct nadi_system *s, struct group_state *g, uint32_t sequence,
                           const struct operation *op)
{
    while (g->operations.count <= sequence)
        NADI_PUSH(&g->operations, NADI_NONE);
    g->operations.items[sequence] = (uint32_t)(op - s->operations.items);
}

uint32_t nadi_operations_abroad(struct nadi_system *s, const struct nadi_collective_call *call,
                                uint32_t sequence)
{
    struct group_state *g = &s->groups[call->group];
    if (!g->sequence)
        nadi_operations_open_group(s, call->group);
    if (sequence < g->operations.count && g->operations.items[sequence] != NADI_NONE)
        return nadi_matching_find(s, g->operations.items[sequence], call);
    const struct operation *op = make_operation(s, call, sequence);
    NADI_ASSERT(op); /* it was made where the message comes from */
    name_operation(s, g, sequence, op);
    return g->operations.items[sequence];
}

/* Puts an operation in the place of another that the member does not agree with. */
static void add_variant(struct nadi_system *s, uint32_t first, struct operation *op)
{
    struct operation *of = &s->operations.items[first];
    op->variant = of->variant;
    op->view.split = of->view.split = true;
    of->variant = (uint32_t)(op - s->operations.items);
}

struct operation *nadi_operations_find(struct nadi_system *s,
                                       const struct nadi_collective_call *call, uint32_t member)
{
    struct group_state *g = &s->groups[call->group];
    const uint32_t sequence = g->sequence[member];
    const bool first =
        sequence >= g->operations.count || g->operations.items[sequence] == NADI_NONE;
    if (!first) {
        const uint32_t found = nadi_matching_find(s, g->operations.items[sequence], call);
        if (found != NADI_NONE)
            return &s->operations.items[found];
        if (s->mismatch.found)
            return NULL;
    }
    struct operation *op = make_operation(s, call, sequence);
    if (!op)
        s->mismatch = (struct nadi_mismatch){.found = true,
                                             .too_large = true,
                                             .rank = call->rank,
                                             .node = call->node,
                                             .kind = call->kind,
                                             .bytes = call->bytes};
    else if (first)
        name_operation(s, g, sequence, op);
    else
        add_variant(s, g->operations.items[sequence], op);
    return op;
}

void nadi_operations_free(struct operation *op)
{
    nadi_mem_free(op->nodes);
    nadi_mem_free(op->priorities);
    nadi_mem_free(op->sizes);
    nadi_mem_free(op->ordered);
    nadi_mem_free(op->queues);
    if (!op->untold) {
        nadi_schedules_free_orders(op->orders);
        op->orders = NULL;
    }
    nadi_mem_free(op->first_stream);
    op->nodes = op->left = op->streams = op->first_stream = NULL;
    op->priorities = NULL;
    op->sizes = NULL;
    op->ordered = NULL;
    op->queues = NULL;
}

void nadi_operations_forget(struct nadi_system *s)
{
    for (size_t i = 0; i < s->operations.count; i++) {
        s->operations.items[i].untold = false;
        nadi_operations_free(&s->operations.items[i]);
    }
    nadi_mem_free(s->operations.items);
    s->operations.items = NULL;
    s->operations.count = s->operations.capacity = 0;
}
