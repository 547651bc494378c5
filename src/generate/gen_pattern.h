/* gen_pattern: named families of jobs, with parameters and a seed, for N ranks.
 *
 *   collectives  every kind x size x group size, one after the other
 *   ring         in each round every rank sends to the one `stride` further on
 *   pairs        in each round the ranks exchange in pairs, drawn anew
 *   incast       in each round all ranks send to one
 *   all-to-all   every rank sends to every other, by their popularity: all-to-all-v, a Zipf law
 *   overlap      compute and collectives: one after the other, gradients behind the backward
 *                pass, or gathers ahead of the computation
 *   memory       load, compute, store, with loads ahead
 *   pipeline     micro-batches through stages: GPipe, or one forward, one backward
 *
 * A job is a folder: workload.<rank>.et, or workload.yml with one trace for all ranks where they
 * are alike, and a system, network, memory and groups file that it runs with. The same options and
 * seed give the same bytes. O(nodes written); pairs keep 4 bytes a rank and round. */
#ifndef NADI_GENERATE_GEN_PATTERN_H
#define NADI_GENERATE_GEN_PATTERN_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"
#include "trace/trace.h"

enum nadi_gen_family {
    NADI_GEN_COLLECTIVES,
    NADI_GEN_RING,
    NADI_GEN_PAIRS,
    NADI_GEN_INCAST,
    NADI_GEN_ALL_TO_ALL,
    NADI_GEN_OVERLAP,
    NADI_GEN_MEMORY,
    NADI_GEN_PIPELINE,
    NADI_GEN_FAMILIES
};

enum nadi_gen_overlap {
    NADI_GEN_OVERLAP_NONE,      /* compute, collective, compute, ... */
    NADI_GEN_OVERLAP_GRADIENTS, /* a collective after each compute, computing goes on */
    NADI_GEN_OVERLAP_PREFETCH,  /* a collective before each compute, `ahead` of it */
};

enum { NADI_GEN_LIST_MOST = 32 };

struct nadi_gen_pattern {
    enum nadi_gen_family family;
    uint32_t ranks;
    uint32_t rounds;     /* also layers, and micro-batches of a pipeline */
    uint64_t bytes;      /* of a message, a collective, a tensor; all-to-all: that a rank sends */
    uint64_t compute_ns; /* of a round; 0: none */
    uint64_t seed;
    uint32_t stride; /* ring */
    bool both_ways;  /* ring */
    uint32_t root;   /* incast */
    double skew;     /* all-to-all: exponent; 0: all alike */
    uint32_t ahead;  /* overlap prefetch, memory: rounds */
    const char
        *tier; /* memory: that layers lie in, by its name in memory.yml; NULL: none is named */
    const char *role; /* memory: chakra.mem.mem_role; NULL: OTHER */
    bool one_f_one_b; /* pipeline; else GPipe */
    bool manifest;    /* collectives of all ranks, ring, overlap, memory */
    enum nadi_gen_overlap overlap;
    enum nadi_collective_kind kinds[NADI_GEN_LIST_MOST]; /* collectives; overlap: the first */
    uint64_t sizes[NADI_GEN_LIST_MOST];                  /* collectives */
    uint32_t groups[NADI_GEN_LIST_MOST];                 /* collectives: ranks of a group */
    uint32_t kind_count, size_count, group_count;
    enum nadi_coding coding;
};

/* A small job of the family. */
void nadi_gen_pattern_init(struct nadi_gen_pattern *g, enum nadi_gen_family family);
const char *nadi_gen_family_name(enum nadi_gen_family family); /* "all-to-all" */

/* False with an error when an option makes no sense or a file cannot be written. */
bool nadi_gen_pattern_folder(const struct nadi_gen_pattern *g, const char *folder,
                             struct nadi_diags *diags) NADI_MUST_USE;

#endif
