#include "design/step_moves.h"

#include "base/mem.h"
#include "explore/model_inputs.h"
#include "generate/v1/workload.h"
#include "model/step.h"

struct moves {
    struct nadi_split *s;
    const struct nadi_bandwidth_network *n;
    const struct nadi_study *study;
    const struct nadi_groups *groups;
    struct nadi_diags *diags;
};

/* NPUs of a group by dimension. False: it is no box of them. */
static bool shape_of(const struct moves *m, const struct nadi_group *g, uint32_t *shape)
{
    uint64_t box = 1, stride = 1;
    for (uint32_t d = 0; d < m->n->count; d++) {
        const uint32_t npus = m->n->dims[d].npus;
        bool *seen = NADI_ZNEW(bool, npus);
        shape[d] = 0;
        for (uint32_t i = 0; i < g->size; i++) {
            const uint64_t at = nadi_group_member(g, i) / stride % npus;
            shape[d] += !seen[at];
            seen[at] = true;
        }
        nadi_mem_free(seen);
        box *= shape[d];
        stride *= npus;
    }
    return box == g->size;
}

static bool kind_of(enum nadi_collective_kind kind, enum nadi_v1_comm *comm)
{
    *comm = kind == NADI_ALL_REDUCE       ? NADI_V1_ALL_REDUCE
            : kind == NADI_ALL_GATHER     ? NADI_V1_ALL_GATHER
            : kind == NADI_REDUCE_SCATTER ? NADI_V1_REDUCE_SCATTER
            : kind == NADI_ALL_TO_ALL     ? NADI_V1_ALL_TO_ALL
                                          : NADI_V1_COMM_NONE;
    return *comm != NADI_V1_COMM_NONE;
}

static bool add_collective(struct moves *m, const struct nadi_trace *t, uint32_t node)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(t, node);
    const char *name = c->group == NADI_NONE ? "" : nadi_trace_string(t, c->group);
    const struct nadi_group *g = &m->groups->items[nadi_groups_resolve(m->groups, name, 0)];
    double bytes[NADI_BANDWIDTH_DIMS] = {0}, sum = 0;
    uint32_t shape[NADI_BANDWIDTH_DIMS];
    enum nadi_v1_comm kind;
    if (!shape_of(m, g, shape))
        return nadi_error(m->diags, "optimize/group", NADI_NOWHERE,
                          "choose degrees that fill the dimensions from the inside",
                          "the group '%s' of %u ranks does not fill dimensions of the network",
                          name, g->size);
    if (!kind_of((enum nadi_collective_kind)t->collective[node], &kind) ||
        !nadi_bandwidth_bytes(m->n->count, kind, (double)t->bytes[node], shape, bytes))
        return nadi_error(m->diags, "optimize/collective", NADI_NOWHERE, NULL,
                          "'%s' is no collective of the model of bandwidths",
                          nadi_trace_name(t, node));
    for (uint32_t d = 0; d < m->n->count; d++)
        sum += bytes[d];
    if (sum > 0)
        (void)nadi_split_add_move(m->s, bytes, 1);
    return true;
}

static bool add_nodes(struct moves *m, const struct nadi_trace *t)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->node_count; i++) {
        if (t->type[i] == NADI_NODE_COLL)
            ok = add_collective(m, t, i);
        else if (t->type[i] == NADI_NODE_COMP && !(t->flags[i] & NADI_NODE_IS_CPU))
            m->s->constant_ns += (double)t->duration_ns[i];
    }
    return ok;
}

static bool fits(const struct nadi_bandwidth_network *n, const struct nadi_study *study,
                 struct nadi_diags *diags)
{
    if (!study->has_cluster)
        return nadi_error(diags, "optimize/cluster", NADI_NOWHERE, "--cluster dgx-h100",
                          "compute times need a device: the cluster's");
    if (study->plan.pp > 1)
        return nadi_error(diags, "optimize/pipeline", NADI_NOWHERE,
                          "--loop simulate divides the bandwidth of simulated pipelines",
                          "a pipeline of %u stages is no sum of transfers", study->plan.pp);
    if (study->plan.ranks != n->npus)
        return nadi_error(
            diags, "optimize/ranks", NADI_NOWHERE, "choose degrees whose product is that number",
            "the plan has %u ranks, and the network %" PRIu64 " NPUs", study->plan.ranks, n->npus);
    return true;
}

bool nadi_split_of_model(struct nadi_split *s, const struct nadi_bandwidth_network *n,
                         const struct nadi_study_setup *setup, struct nadi_diags *diags)
{
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_groups groups;
    *s = (struct nadi_split){.dims = n->count};
    bool ok = nadi_model_study(&study, setup, diags) && fits(n, &study, diags);
    if (ok) {
        /* one dimension: groups are whole, and this network's dimensions are looked up here */
        struct nadi_topology *t = &study.cluster.topology;
        *t = (struct nadi_topology){.dim_count = 1, .dims = {t->dims[0]}};
        t->dims[0].npus = study.plan.ranks;
        t->dims[0].kind = NADI_DIM_SWITCH;
        ok = nadi_topology_finish(t);
    }
    if (ok && nadi_step_init(&step, &study, diags)) {
        nadi_groups_init(&groups, study.plan.ranks);
        nadi_comm_groups_add(&step.comm_groups, &study.grid, &groups);
        struct moves m = {s, n, &study, &groups, diags};
        struct nadi_trace *t = nadi_step_trace(&step, 0);
        ok = add_nodes(&m, t);
        nadi_trace_destroy(t);
        nadi_groups_release(&groups);
        nadi_step_release(&step);
    } else if (ok) {
        nadi_step_release(&step);
        ok = false;
    }
    nadi_study_close(&study);
    return ok;
}
