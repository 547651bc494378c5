/* check_times: how long computations take that say how much they do and not how long.
 *
 * Front ends of compilers, and models written by hand, give num_ops and tensor_size alone. Without
 * the roofline such a node takes 1 ns, as in the reference: the job would be one without
 * computation. So where no node with operations has a duration, those nodes take the time of the
 * roofline, though nobody asked for it, and others keep theirs; without the numbers that it needs
 * the job is refused. Where some do have one, durations were measured, and 0 is one of them. */
#include "inputs/check.h"
#include "inputs/trace_folder.h"

struct untimed {
    uint64_t nodes;
    uint32_t trace, node; /* the first one */
};

/* False: none is, or durations were measured. */
static bool find(const struct nadi_inputs *in, struct untimed *u)
{
    *u = (struct untimed){0};
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t node = 0; node < t->node_count; node++) {
            if (nadi_is_untimed(t, node)) {
                if (u->nodes++ == 0) {
                    u->trace = i;
                    u->node = node;
                }
            } else if (t->type[node] == NADI_NODE_COMP && t->ops[node] > 0 &&
                       !(t->flags[node] & NADI_NODE_IS_CPU))
                return false;
        }
    }
    return u->nodes > 0;
}

static struct nadi_place place_of(const struct nadi_load *l, const struct untimed *u)
{
    const struct nadi_trace *t = l->in->owned[u->trace];
    uint32_t rank = 0;
    while (rank + 1 < l->in->rank_count && l->in->traces[rank] != t)
        rank++;
    return nadi_trace_place(t, rank, u->node, &l->in->arena);
}

/* Kernels that the roofline, where it is asked for, skips in the reference: work in no time. */
static bool check_skipped(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    struct untimed u = {0};
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t node = 0; node < t->node_count; node++) {
            if (t->type[node] != NADI_NODE_COMP || t->ops[node] == 0 || t->bytes[node] > 0 ||
                t->flags[node] & NADI_NODE_IS_CPU)
                continue;
            if (u.nodes++ == 0) {
                u.trace = i;
                u.node = node;
            }
        }
    }
    if (u.nodes == 0)
        return true;
    const char *have = u.nodes == 1 ? " has" : "s have";
    if (!l->in->options.compat)
        return nadi_error(
            l->diags, "node/no-bytes", place_of(l, &u),
            "give them a tensor_size, or leave 'roofline-enabled' out: then num_ops alone say how "
            "long kernels without a duration take; under the reference's program names they take "
            "no time",
            "%" PRIu64 " compute node%s num_ops and tensor_size 0, of which 'roofline-enabled' "
            "makes nothing",
            u.nodes, have);
    nadi_warning(l->diags, "node/no-bytes", place_of(l, &u), "give them a tensor_size",
                 "%" PRIu64 " compute node%s num_ops and tensor_size 0: by 'roofline-enabled' each "
                 "takes no time, as in the reference",
                 u.nodes, have);
    return true;
}

bool nadi_check_times(struct nadi_load *l)
{
    struct nadi_system_config *s = &l->in->system;
    struct untimed u;
    if (s->roofline)
        return check_skipped(l);
    if (!find(l->in, &u))
        return true;
    const char *are = u.nodes == 1 ? "compute node has" : "compute nodes have";
    if (l->no_roofline || l->in->options.compat) {
        nadi_warning(l->diags, "node/no-duration", place_of(l, &u),
                     "set 'roofline-enabled' to 1, with 'peak-perf' and 'local-mem-bw'",
                     "%" PRIu64 " %s num_ops and no duration: each takes 1 ns", u.nodes, are);
        return true;
    }
    if (s->peak_perf <= 0 || s->local_mem_bw <= 0)
        return nadi_error(l->diags, "node/no-duration", place_of(l, &u),
                          "give 'peak-perf' (TFLOP/s) and 'local-mem-bw' (GB/s) in the system file "
                          "for the roofline; with 'roofline-enabled' 0 each takes 1 ns",
                          "%" PRIu64 " %s num_ops and no duration, and the system has no %s",
                          u.nodes, are, s->peak_perf <= 0 ? "'peak-perf'" : "'local-mem-bw'");
    s->roofline = s->only_untimed = true;
    nadi_note(l->diags, "node/no-duration", place_of(l, &u), NULL,
              "%" PRIu64 " %s num_ops and no duration: the roofline of 'peak-perf' and "
              "'local-mem-bw' says how long",
              u.nodes, are);
    return true;
}
