/* make_order: what waits for other ranks, one after the other.
 *
 * Ranks issue what is ready, so that collectives and messages which do not depend on each other are
 * issued in an order that durations decide: another one on another rank, and both wait forever.
 * What was drawn is in an order in which all ranks come to their end; each node that waits for
 * others depends on the last one, if it does not already. */
#include "base/mem.h"
#include "learned/make.h"

static bool is_ordered(const struct nadi_learned_family *f, const struct nadi_made_node *n,
                       uint32_t staged)
{
    const struct nadi_learned_symbol *x = &f->symbols.items[n->symbol];
    const bool message = x->type == NADI_NODE_SEND || x->type == NADI_NODE_RECV;
    return x->type == NADI_NODE_COLL ? f->ordered || (x->role & staged) : f->ordered && message;
}

static void order_stage(const struct nadi_learned_family *f, struct nadi_made_stage *stage,
                        uint32_t staged)
{
    const size_t count = stage->nodes.count;
    uint32_t *latest = NADI_ZNEW(uint32_t, count), last = 0; /* ids */
    struct nadi_made_stage kept = {.nodes = stage->nodes};
    for (size_t n = 0; n < count; n++) {
        struct nadi_made_node *node = &stage->nodes.items[n];
        const uint32_t first = (uint32_t)kept.deps.count;
        for (uint32_t d = 0; d < node->dep_count; d++) {
            const uint64_t id = stage->deps.items[node->dep_start + d];
            const uint32_t before = latest[id - 1];
            latest[n] = before > latest[n] ? before : latest[n];
            NADI_PUSH(&kept.deps, id);
        }
        if (is_ordered(f, node, staged)) {
            const uint64_t id = last;
            if (last && latest[n] != last)
                NADI_PUSH(&kept.deps, id);
            last = latest[n] = (uint32_t)n + 1;
        }
        node->dep_start = first;
        node->dep_count = (uint32_t)kept.deps.count - first;
    }
    nadi_mem_free(stage->deps.items);
    nadi_mem_free(latest);
    *stage = kept;
}

void nadi_make_order(struct nadi_made_job *job)
{
    uint32_t staged = 0;
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        staged |= job->family->staged[a] ? UINT32_C(1) << a : 0;
    for (uint32_t s = 0; s < job->stage_count; s++)
        order_stage(job->family, &job->stages[s], staged);
}
