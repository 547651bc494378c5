/* job: what a front end makes of another tool's file: nodes by rank, and their process groups,
 * written as Chakra traces and a groups file.
 *
 *   uint64_t id = nadi_front_add(job, rank, &node, deps, dep_count);
 *
 * Ids of a rank count from 1; dependencies name earlier ones, and 0 among them is left out. Groups
 * of the same ranks in the same order share a name: a number from 1 on; all ranks are no group.
 * Texts are copied. O(nodes + dependencies). */
#ifndef NADI_FRONTEND_JOB_H
#define NADI_FRONTEND_JOB_H

#include "base/arena.h"
#include "base/collective.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "trace/decode.h"

enum { NADI_FRONT_RANKS = 1 << 16 }; /* at most */

enum nadi_front_kind {
    NADI_FRONT_COMPUTE,
    NADI_FRONT_COLLECTIVE,
    NADI_FRONT_SEND,
    NADI_FRONT_RECV,
};

struct nadi_front_node {
    const char *name;
    enum nadi_front_kind kind;
    enum nadi_collective_kind collective;
    bool host;           /* compute of the processor */
    bool idle;           /* compute that is none: a pause of ns */
    uint64_t ns;         /* compute: 0: from its operations and bytes */
    uint64_t ops, bytes; /* bytes: of the transfer, too */
    uint32_t group;      /* of nadi_front_group */
    uint32_t peer, tag;
    uint32_t stream; /* 1 + that of the device on which it ran; 0: not said */
};

struct nadi_front_rank {
    struct {
        struct nadi_front_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } deps, starts; /* starts: by node, into deps */
};

struct nadi_front_group {
    uint32_t *members;
    uint32_t count;
};

struct nadi_front_job {
    struct nadi_arena arena;
    struct nadi_strmap names; /* of groups, by their members */
    struct nadi_front_rank *ranks;
    uint32_t rank_count;
    struct {
        struct nadi_front_group *items; /* 0: all ranks */
        size_t count, capacity;
    } groups;
    bool concurrent;   /* what runs at once on an accelerator the dependencies say */
    uint64_t left_out; /* events that are no work */
    uint64_t unsized;  /* communication whose size the file does not say: compute of its time */
};

void nadi_front_init(struct nadi_front_job *job, uint32_t rank_count);
void nadi_front_release(struct nadi_front_job *job);
/* More ranks, when a file has them. */
void nadi_front_grow(struct nadi_front_job *job, uint32_t rank_count);

uint32_t nadi_front_group(struct nadi_front_job *job, const uint32_t *members, uint32_t count);
uint64_t nadi_front_add(struct nadi_front_job *job, uint32_t rank,
                        const struct nadi_front_node *node, const uint64_t *deps, size_t dep_count);

/* Writes PREFIX.<rank>.et and, where there are groups, PREFIX.groups.json. */
bool nadi_front_save(const struct nadi_front_job *job, const char *prefix,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
