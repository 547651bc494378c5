/* comm_groups: the process groups of the transfers of a step, on a given network.
 *
 * Each axis of communication (model/op.h) has one group per rank. The members of an axis's groups
 * may lie in several dimensions of a known network, as data-parallel replicas within and across
 * servers do. Then a transfer goes dimension by dimension, as in communication libraries: an
 * all-reduce is a reduce-scatter within the servers, an all-reduce of the rest across them, and
 * an all-gather within the servers. Each such level is a family of groups. A group of all ranks
 * needs no levels: the simulation takes it through the dimensions.
 *
 * An all-to-all goes over all levels at once, also among all ranks: members send to all others, a
 * message over its way through the dimensions, and what crosses one of them is that level's
 * all-to-all of all bytes. A cluster that names an algorithm for all-to-alls has it instead: of all
 * ranks as it is, else level by level.
 *
 * Groups of one axis are communicators of their own, as in frameworks, also where another axis has
 * the same members: messages of one do not wait for those of the other. A schedule that pairs two
 * passes has two communicators for what they both send: which of the two is first differs between
 * ranks, and a communicator wants one order.
 *
 * With `chunked` a group that fills several dimensions needs none either for all-reduces, -gathers
 * and reduce-scatters: all ranks issue one collective, in which those dimensions take part, and its
 * chunks are pipelined through them.
 *
 * Where members do not form a box of the network's dimensions (a degree that does not fill a
 * server), the axis stays one flat group, whose rings go by node: collective/nodes.h. */
#ifndef NADI_MODEL_COMM_GROUPS_H
#define NADI_MODEL_COMM_GROUPS_H

#include "model/ranks.h"
#include "platform/topology.h"
#include "trace/trace.h"

enum { NADI_COMM_GROUP_LEVELS = 4 };
enum { NADI_COMM_HALVES = 2 }; /* of two paired passes */

struct nadi_comm_group {
    uint32_t size;   /* of the axis's groups; 1: no communication */
    uint32_t levels; /* 1: one flat group */
    uint32_t level_size[NADI_COMM_GROUP_LEVELS];
    /* Of the bytes of an all-to-all those that cross the level; 0: all. */
    double level_share[NADI_COMM_GROUP_LEVELS];
    /* Of the families, of a pass and of what it is paired with; "": no communication. */
    char name[NADI_COMM_HALVES][NADI_COMM_GROUP_LEVELS][16];
    bool exchange; /* its all-to-alls go over all levels at once */
    uint32_t dims; /* chunked: bit d: dimension d takes part; 0: it has levels only */
};

struct nadi_comm_groups {
    struct nadi_comm_group axes[NADI_AXES];
};

/* What a trace's node calls it; a ring pass has the hops of an all-gather. */
enum nadi_collective_kind nadi_transfer_collective(enum nadi_transfer_kind kind);

/* One transfer as the library does it: a collective on each level, one after another. */
enum { NADI_COMM_STEPS = 2 * NADI_COMM_GROUP_LEVELS };
struct nadi_comm_step {
    uint32_t level;
    enum nadi_transfer_kind kind;
    uint64_t bytes;
    bool chunked; /* no level: of all ranks, in the group's dims */
};
/* As many as there are; 0: nothing to do. */
uint32_t nadi_comm_group_steps(const struct nadi_comm_group *group, const struct nadi_transfer *t,
                               struct nadi_comm_step steps[NADI_COMM_STEPS]);

struct nadi_comm_rules {
    const struct nadi_topology *topology; /* NULL: there is none */
    bool chunked;                         /* all ranks run one graph, on the whole network */
    bool named_exchange;                  /* the cluster names the algorithm of all-to-alls */
    bool paired;                          /* the schedule pairs passes */
};

/* O(axes x ranks x dimensions). */
void nadi_comm_groups_init(struct nadi_comm_groups *w, const struct nadi_grid *g,
                           const struct nadi_comm_rules *rules);

/* Adds a family for each level of each axis. */
void nadi_comm_groups_add(const struct nadi_comm_groups *w, const struct nadi_grid *g,
                          struct nadi_groups *groups);

/* group_of[rank] and members of the groups of one level, for writers: calls back once per group,
 * with members ascending. */
typedef void nadi_comm_group_visit(void *context, const uint32_t *members, uint32_t count);
void nadi_comm_group_each(const struct nadi_comm_groups *w, const struct nadi_grid *g,
                          enum nadi_axis axis, uint32_t level, nadi_comm_group_visit *visit,
                          void *context);

#endif
