/* sensitivity: what another bandwidth, latency, compute rate, ... would do to the end of the run.
 *
 * Two figures for each parameter p with value v:
 *   path     d(end)/d(p), from the critical path alone: its computes, memory accesses, messages and
 *            collectives are timed anew with p a little better, everything else stays
 *   again    the whole run simulated again with p 0.1 % and 10 % better: what becomes critical next
 *            is in it
 * The first is not to be had where messages share links by rules of their own (graphs, flow,
 * packet), and an estimate where the members of a collective on the path start apart or its
 * messages wait for others; the derivative is then that of the run simulated again, and `by` says
 * so: 0.1 % better or, where the model counts whole nanoseconds and they would be much of so small
 * a gain, 10 %. Better is more for rates, less for times. Figures are ns; gain is end(now) -
 * end(better). */
#ifndef NADI_WHY_SENSITIVITY_H
#define NADI_WHY_SENSITIVITY_H

#include "why/why.h"

enum nadi_parameter {
    NADI_PARAMETER_BANDWIDTH,      /* of a dimension */
    NADI_PARAMETER_LATENCY,        /* of a dimension */
    NADI_PARAMETER_LINK_BANDWIDTH, /* of a class of links (why/links.h), in networks of nodes and */
    NADI_PARAMETER_LINK_LATENCY,   /* links */
    NADI_PARAMETER_TIER_BANDWIDTH, /* of a memory tier, both ways, and of its link
                                      (nadi_tiers_link_set) */
    NADI_PARAMETER_TIER_LINK,      /* of links of the memory file */
    NADI_PARAMETER_FORWARDING,     /* of nodes that forward only so much in all */
    NADI_PARAMETER_COMPUTE_RATE,
    NADI_PARAMETER_LOCAL_MEMORY, /* bandwidth: roofline and reductions */
    NADI_PARAMETER_REMOTE_MEMORY,
    NADI_PARAMETER_REMOTE_LATENCY,
    NADI_PARAMETER_ENDPOINT_DELAY,
    NADI_PARAMETER_CHUNKS,        /* preferred-dataset-splits: half and twice as many */
    NADI_PARAMETER_ACTIVE_CHUNKS, /* active-chunks-per-dimension: likewise */
    NADI_PARAMETERS
};

struct nadi_sensitivity {
    enum nadi_parameter parameter;
    uint32_t dim;            /* of a dimension, or of a class of links; else NADI_NONE */
    const char *name;        /* "bandwidth of dimension 0" */
    const char *unit;        /* "GB/s", "ns", "TFLOP/s", "chunks" */
    double value;            /* in that unit */
    bool has_path;           /* not of chunks */
    double path_ns_per_unit; /* d(end)/d(p) */
    const char *by; /* "path", "path, estimated", "simulation", "simulation, 10 %"; NULL: none */
    double ns_per_unit;        /* d(end)/d(p) by that */
    double path_gain_ns;       /* of +0.1 %, by it */
    bool has_small, has_large; /* simulated again */
    int64_t gain_small_ns;     /* +0.1 %; chunks: twice as many */
    int64_t gain_large_ns;     /* +10 %; chunks: half as many */
    const char *next; /* what grew most on the path after +10 %, or has most of it; or NULL */
};

/* The dimension that the parameter is of; NADI_NONE: of none. */
static inline uint32_t nadi_sensitivity_dim(const struct nadi_sensitivity *s)
{
    return s->parameter == NADI_PARAMETER_BANDWIDTH || s->parameter == NADI_PARAMETER_LATENCY
               ? s->dim
               : NADI_NONE;
}

struct nadi_bound_part { /* no run of these inputs ends before; ns */
    const char *name;    /* "compute", "bandwidth of dimension 0", "latency", "memory" */
    uint64_t ns;
};

struct nadi_sensitivities {
    struct nadi_arena arena;
    struct nadi_sensitivity *items; /* largest gain first */
    size_t count;
    struct nadi_bound_part *bounds; /* largest first */
    size_t bound_count;
    bool path_is_exact;  /* else the path's figures are estimates: see above */
    const char *why_not; /* the run was not simulated again: a sentence, or NULL */
};

/* Of a run that is done, with `why` of it. Simulates on up to `threads` threads; nothing is run
 * again where that would be more than about MOST_EVENTS events. The same inputs give the same
 * figures. The caller releases it. */
void nadi_sensitivities_find(const struct nadi_inputs *in, const struct nadi_result *r,
                             const struct nadi_why *why, unsigned threads,
                             struct nadi_sensitivities *out);
void nadi_sensitivities_release(struct nadi_sensitivities *s);

#endif
