/* account: where a rank's time goes, as unions of intervals, kept up to date at each change. */
#include "workload/internal.h"

enum activity nadi_workload_activity(const struct nadi_trace *t, uint32_t node)
{
    if (nadi_trace_pauses(t, node))
        return ACTIVITY_NONE;
    bool cpu = t->flags[node] & NADI_NODE_IS_CPU;
    switch ((enum nadi_node_type)t->type[node]) {
    case NADI_NODE_COMP:
        return cpu ? ACTIVITY_CPU : ACTIVITY_COMPUTE;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return ACTIVITY_MEMORY;
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return ACTIVITY_COMM;
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return cpu ? ACTIVITY_CPU : ACTIVITY_OTHER;
}

void nadi_workload_account(struct rank_state *r, nadi_time now, enum activity activity, int change)
{
    nadi_time passed = now - r->last_change;
    struct nadi_busy_times *t = &r->view.times;
    const uint32_t *a = r->active;
    if (passed > 0) {
        if (a[ACTIVITY_COMPUTE])
            t->compute += passed;
        if (a[ACTIVITY_COMM]) {
            t->comm += passed;
            if (!a[ACTIVITY_COMPUTE])
                t->exposed_comm += passed;
        }
        if (a[ACTIVITY_MEMORY])
            t->memory += passed;
        if (a[ACTIVITY_CPU])
            t->cpu += passed;
        if (!a[ACTIVITY_COMPUTE] && !a[ACTIVITY_COMM] && !a[ACTIVITY_MEMORY] && !a[ACTIVITY_CPU] &&
            !a[ACTIVITY_OTHER])
            t->idle += passed;
    }
    r->last_change = now;
    r->active[activity] += (uint32_t)change;
}
