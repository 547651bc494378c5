/* assignments: which queue, direction and tree each phase of a member's stream gets, in turn
 * (system-network spec section 6.4). */
#include "executor/internal.h"

/* The next queue of a pool (spec 6.4); only with more than one queue a dimension. */
static uint16_t deal_queue(struct nadi_system *s, uint32_t rank, const struct nadi_phase *p)
{
    uint32_t q = s->config->queues_per_dim, half = q / 2;
    size_t at = ((size_t)rank * s->setup.topology->dim_count + p->dim) * NADI_POOLS + p->pool;
    uint32_t queue = s->pools[at], next = queue + 1;
    bool anticlockwise = p->pool == NADI_POOL_LAST || (p->pool == NADI_POOL_ANY && queue >= half);
    if (p->pool == NADI_POOL_FIRST)
        next = next >= half ? 0 : next;
    else if (next >= q)
        next = p->pool == NADI_POOL_LAST ? half : 0;
    s->pools[at] = (uint16_t)next;
    return (uint16_t)(queue | (anticlockwise ? ASSIGNED_ANTICLOCKWISE : 0));
}

void nadi_system_take_over(struct nadi_system *s, uint32_t actor, const struct nadi_system *before,
                           uint32_t before_actor)
{
    size_t row = (size_t)s->setup.topology->dim_count * NADI_POOLS;
    if (s->pools)
        memcpy(s->pools + actor * row, before->pools + before_actor * row, row * sizeof(*s->pools));
}

static uint16_t deal_tree(struct nadi_system *s, uint32_t rank, const struct nadi_phase *p,
                          enum nadi_collective_kind kind)
{
    uint32_t dims = s->setup.topology->dim_count;
    if (!s->trees)
        s->trees = NADI_ARENA_ZNEW(&s->arena, uint8_t,
                                   (size_t)s->actor_count * dims * NADI_COLLECTIVE_KINDS);
    uint8_t *next = &s->trees[((size_t)rank * dims + p->dim) * NADI_COLLECTIVE_KINDS + kind];
    uint16_t assignment = *next ? ASSIGNED_MIN_TREE : 0;
    *next ^= 1;
    return assignment;
}

bool nadi_assignments_needed(const struct nadi_system *s, const struct nadi_plan *plan)
{
    for (uint32_t p = 0; p < plan->phase_count; p++)
        if (plan->phases[p].algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            return true;
    return s->config->queues_per_dim > 1;
}

void nadi_assignments_deal(struct nadi_system *s, struct stream *stream, uint32_t rank,
                           uint32_t member)
{
    const struct operation *op = &s->operations.items[stream->operation];
    const struct nadi_plan *plan = op->plan;
    uint16_t *assignments = stream->assignments + (size_t)member * plan->phase_count;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct nadi_phase *p = &stream->phases[i];
        assignments[i] = s->config->queues_per_dim > 1 ? deal_queue(s, rank, p)
                         : p->pool == NADI_POOL_LAST   ? ASSIGNED_ANTICLOCKWISE
                                                       : 0;
        if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            assignments[i] |= deal_tree(s, rank, p, op->view.kind);
    }
}
