#include "report/phase_plans.h"

#include "base/mem.h"

void nadi_phase_plans_init(struct nadi_phase_plans *p, const struct nadi_inputs *in)
{
    *p = (struct nadi_phase_plans){.in = in};
    nadi_map64_init(&p->plans, 0);
}

void nadi_phase_plans_release(struct nadi_phase_plans *p)
{
    nadi_map64_release(&p->plans);
    nadi_mem_free(p->list.items);
    nadi_mem_free(p->rows.items);
}

static void make(struct nadi_phase_plans *p, struct nadi_phase_plan *plan, uint32_t rank,
                 uint32_t node, uint64_t ns)
{
    struct nadi_why_phase phases[NADI_WHY_PHASES];
    plan->first = p->rows.count;
    plan->count = nadi_why_phases(p->in, rank, node, ns, &plan->chunks, phases);
    for (uint32_t i = 0; i < plan->count; i++)
        NADI_PUSH(&p->rows, phases[i]);
}

uint32_t nadi_phase_plan_of(struct nadi_phase_plans *p, uint32_t rank, uint32_t node, uint64_t ns)
{
    const struct nadi_trace *t = p->in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const struct nadi_group *group =
        t->type[node] == NADI_NODE_COLL && comm && !p->in->system.replay_only
            ? nadi_inputs_group(p->in, t, node, rank)
            : NULL;
    if (!group)
        return NADI_NONE;
    struct nadi_phase_plan plan = {.key = {(uint64_t)(group - p->in->groups.items),
                                           t->collective[node], t->bytes[node], comm->involved,
                                           comm->size_count > 0, ns == 0}};
    for (uint64_t hash = nadi_hash_words(plan.key, 6);; hash++) {
        bool added;
        const uint32_t number = *nadi_map64_put(&p->plans, hash, (uint32_t)p->list.count, &added);
        if (added) {
            make(p, &plan, rank, node, ns);
            NADI_PUSH(&p->list, plan);
        } else if (memcmp(p->list.items[number].key, plan.key, sizeof(plan.key)) != 0)
            continue; /* another has its hash */
        return p->list.items[number].count ? number : NADI_NONE;
    }
}
