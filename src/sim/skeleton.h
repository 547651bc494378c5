/* skeleton: a trace without its names, with its groups and peers replaced by numbers of first use:
 * what two ranks must share to be foldable. */
#ifndef NADI_SIM_SKELETON_H
#define NADI_SIM_SKELETON_H

#include "trace/trace.h"

struct nadi_skeleton {
    const struct nadi_trace *trace;
    uint32_t group_count; /* distinct pg_name of native collectives, in order of first use */
    uint32_t *groups;     /* offsets into the trace's strings; NADI_NONE: no name */
    uint32_t peer_count;  /* distinct comm_dst of sends and comm_src of receives */
    uint32_t *peers;
    uint64_t hash[2];
};

void nadi_skeleton_make(const struct nadi_trace *t, struct nadi_skeleton *s);
void nadi_skeleton_release(struct nadi_skeleton *s);
/* Equal but for names, groups and peers. */
bool nadi_skeleton_equal(const struct nadi_skeleton *a, const struct nadi_skeleton *b);

#endif
