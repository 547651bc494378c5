/* msccl: an MSCCL algorithm in memory: what table_msccl reads from XML, and msccl_steps makes a
 * table of. Private to them. */
#ifndef NADI_COLLECTIVE_MSCCL_H
#define NADI_COLLECTIVE_MSCCL_H

#include "collective/table_inside.h"

enum nadi_msccl_type {
    NADI_MSCCL_SEND,
    NADI_MSCCL_RECV,
    NADI_MSCCL_RECV_REDUCE_COPY,
    NADI_MSCCL_RECV_COPY_SEND,
    NADI_MSCCL_RECV_REDUCE_SEND,
    NADI_MSCCL_RECV_REDUCE_COPY_SEND,
    NADI_MSCCL_COPY,
    NADI_MSCCL_REDUCE,
    NADI_MSCCL_NOP,
    NADI_MSCCL_TYPES
};

enum { NADI_MSCCL_TEMPORARY = 't' };

struct nadi_msccl_place {
    char buffer; /* i, o, s or NADI_MSCCL_TEMPORARY */
    uint32_t offset;
};

struct nadi_msccl_step {
    enum nadi_msccl_type type;
    struct nadi_msccl_place src, dst;
    uint32_t count, line;
    uint32_t dep_tb, dep_step; /* NADI_NONE: none */
};

struct nadi_msccl_block { /* a threadblock */
    uint32_t gpu, id, line;
    uint32_t send, recv, channel; /* peers; NADI_NONE: none */
    size_t first, count;          /* of steps */
    uint32_t temporary;           /* first of its slots for what rrs keeps for a moment */
};

struct nadi_msccl_gpu {
    bool there;
    uint32_t chunks[3];   /* of i, o, s */
    size_t first, blocks; /* of blocks */
    uint32_t temporaries;
};

struct nadi_msccl {
    struct nadi_table_file *f;
    struct nadi_diags *diags;
    uint32_t n, per_loop;
    struct nadi_table_shape shape;
    struct nadi_msccl_gpu *gpus;
    struct {
        struct nadi_msccl_block *items;
        size_t count, capacity;
    } blocks;
    struct {
        struct nadi_msccl_step *items;
        size_t count, capacity;
    } steps;
};

static inline struct nadi_place nadi_msccl_at(const struct nadi_msccl *r, uint32_t line)
{
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    place.line = line;
    return place;
}

static inline bool nadi_msccl_sends(enum nadi_msccl_type type)
{
    return type == NADI_MSCCL_SEND || type == NADI_MSCCL_RECV_COPY_SEND ||
           type == NADI_MSCCL_RECV_REDUCE_SEND || type == NADI_MSCCL_RECV_REDUCE_COPY_SEND;
}

/* Adds the steps to f->table. False with an error at a step's line. */
bool nadi_msccl_make(struct nadi_msccl *r) NADI_MUST_USE;

#endif
