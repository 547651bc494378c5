/* profile: works with their times, as profilers record them, to nodes with dependencies.
 *
 * A work waits for the one before it on its stream, and of every other stream for the last work
 * that had ended when it began; `-done` waits for what its `-start` began. What then is left
 * between the end of all of these, or of none the rank's first start, and its start is a node of
 * its own before it, "gap", which is idle time. So a replay of the recorded times gives them back,
 * and other times move what waited for them. Works that are collectives get their time from the
 * simulated network. O(works x streams). */
#ifndef NADI_FRONTEND_PROFILE_H
#define NADI_FRONTEND_PROFILE_H

#include "frontend/job.h"

struct nadi_front_work {
    struct nadi_front_node node; /* kind, size, group; ns: its time */
    int64_t start_ns;
    uint64_t pair; /* of a start and its done; 0: neither */
    uint32_t rank, stream;
    bool is_done;
};

struct nadi_profile {
    struct {
        struct nadi_front_work *items;
        size_t count, capacity;
    } works;
};

/* An XLA instruction as "%all-reduce.1 = f32[8]{0} all-reduce(%x), replica_groups={{0,1}}", or its
 * name alone; fills kind, size and group of the work on its rank. */
void nadi_profile_hlo(struct nadi_front_job *job, struct nadi_front_work *w, const char *text);

/* Adds the nodes of all ranks; job->concurrent is set. */
void nadi_profile_finish(struct nadi_profile *p, struct nadi_front_job *job);
void nadi_profile_release(struct nadi_profile *p);

#endif
