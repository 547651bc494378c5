/* lower_bound_inside: what lower_bound.c and lower_bound_phase.c share. Nothing else includes it.
 */
#ifndef NADI_BOUND_LOWER_BOUND_INSIDE_H
#define NADI_BOUND_LOWER_BOUND_INSIDE_H

#include "bound/cut.h"
#include "bound/lower_bound.h"
#include "collective/plan.h"

enum { MEMO_BITS = 8 };

struct memo { /* of one collective: group, kind, dimensions, size */
    bool valid;
    uint32_t group, involved;
    enum nadi_native_kind kind;
    uint64_t bytes;
    struct nadi_lower_bound bound;
};

struct family {       /* groups of one name, one for each rank */
    uint32_t example; /* one of them; NADI_NONE: they differ in size */
    bool whole;       /* each consists of the ranks that mean it */
};

struct nadi_lower_bounds {
    const struct nadi_inputs *in;
    double comm_scale;
    uint32_t *group_dims; /* by group: bit d: its members differ in dimension d; 0: not known */
    struct family *families;
    struct nadi_lower_bound_graph *graph; /* NULL: the dimensions say how long a route is */
    struct nadi_bound_cut *cut;           /* or NULL */
    double
        round_ns; /* the fullest channel's, of a byte from every rank to the next; 0: not known */
    struct nadi_bound_leaving *leaving; /* by group and family, where there is a cut; or NULL */
    struct memo memo[1 << MEMO_BITS];
};

/* Bytes as they are carried: under rendezvous sizes pass through 32 bits, as in the reference; the
 * least they can become. */
uint64_t nadi_lower_bound_carried(const struct nadi_lower_bounds *f, uint64_t bytes);
/* Idle network, `hops` links of dimension d. */
uint64_t nadi_lower_bound_path_ns(const struct nadi_lower_bounds *f, uint32_t d, uint32_t hops,
                                  uint64_t bytes);
/* What a message carries for nothing over a graph. */
uint64_t nadi_lower_bound_spared(const struct nadi_lower_bounds *f);
/* The quickest route between two members that differ in some of the dimensions (bits). */
uint64_t nadi_lower_bound_quickest_ns(const struct nadi_lower_bounds *f, uint32_t dims,
                                      uint64_t bytes);
/* Those in which ranks differ; in which members of the group do. */
uint32_t nadi_lower_bound_all_dims(const struct nadi_topology *t);
uint32_t nadi_lower_bound_group_dims(struct nadi_lower_bounds *f, uint32_t group);

/* lower_bound_phase.c: one chunk's phase; `world`: members are ranks. */
struct nadi_lower_bound nadi_lower_bound_phase(struct nadi_lower_bounds *f,
                                               const struct nadi_phase *p, uint32_t group,
                                               bool world);

#endif
