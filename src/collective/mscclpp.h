/* mscclpp: an MSCCL++ execution plan in memory: what table_mscclpp reads, in its newer or older
 * spelling, and mscclpp_steps makes a table of. Private to them.
 *
 * Operations name places: chunks of a buffer of the own or of another member. What an operation is
 * follows from its places: sources are added up (one: moved) into the first own destination, and
 * from there to all others; `pairwise` ones move source i to destination i instead. */
#ifndef NADI_COLLECTIVE_MSCCLPP_H
#define NADI_COLLECTIVE_MSCCLPP_H

#include "collective/table_inside.h"

/* Loads and stores through a switch go in so many: they overlap, as those of threads do. */
enum { NADI_MSCCLPP_PIECES = 4 };

enum nadi_mscclpp_type {
    NADI_MSCCLPP_NONE, /* nop, flush */
    NADI_MSCCLPP_MOVE, /* put, get, copy, reduce and their mixtures */
    NADI_MSCCLPP_SIGNAL,
    NADI_MSCCLPP_WAIT,
    NADI_MSCCLPP_BARRIER, /* of threadblocks of a member */
    NADI_MSCCLPP_ACQUIRE, /* of semaphores of a member */
    NADI_MSCCLPP_RELEASE,
};

struct nadi_mscclpp_spelling { /* what an operation is, by its name */
    const char *name;
    enum nadi_mscclpp_type type;
    bool pairwise, packets, signals; /* as in struct nadi_mscclpp_op */
    bool in_switch;                  /* some of its places are those of a group */
};

const struct nadi_mscclpp_spelling *nadi_mscclpp_find(const char *name); /* NULL if none */

struct nadi_mscclpp_place {
    uint32_t member; /* n: all of a group, through the switch */
    uint32_t group;  /* then which */
    char buffer;     /* i, o, s */
    uint32_t offset, count;
};

struct nadi_mscclpp_op {
    enum nadi_mscclpp_type type;
    uint32_t line;
    bool pairwise;           /* put, get, copy: source i to destination i */
    bool packets;            /* what goes to others announces itself; own scratch is waited for */
    bool signals;            /* then signals on its channels */
    size_t sources, targets; /* first of the plan's places */
    uint32_t source_count, target_count;
    size_t channels; /* first of the plan's channels, of the member */
    uint32_t channel_count;
    uint32_t id;     /* BARRIER, ACQUIRE, RELEASE: which */
    uint32_t blocks; /* BARRIER: of how many threadblocks; ACQUIRE: how often it need not wait */
    size_t deps;     /* first of the plan's deps: it begins after them */
    uint32_t dep_count;
};

struct nadi_mscclpp_dep { /* an operation of the same member */
    uint32_t block, op;
};

struct nadi_mscclpp_block { /* a threadblock */
    uint32_t member, id;
    size_t first, count; /* of ops */
};

struct nadi_mscclpp_channel { /* a member's end of a connection */
    uint32_t member, peer;
    uint32_t kind; /* channels of one kind between two members pair up in their order */
};

struct nadi_mscclpp_group { /* a member's end of a channel through the switch */
    uint32_t member;
    char buffer;         /* i, o, s of each of the group */
    size_t first, count; /* of the plan's group_members */
};

struct nadi_mscclpp {
    struct nadi_table_shape shape; /* scratch: the most of any member */
    struct {
        struct nadi_mscclpp_block *items;
        size_t count, capacity;
    } blocks; /* by member */
    struct {
        struct nadi_mscclpp_op *items;
        size_t count, capacity;
    } ops;
    struct {
        struct nadi_mscclpp_place *items;
        size_t count, capacity;
    } places;
    struct {
        uint32_t *items; /* of `channels` */
        size_t count, capacity;
    } used;
    struct {
        struct nadi_mscclpp_channel *items;
        size_t count, capacity;
    } channels; /* by member */
    struct {
        struct nadi_mscclpp_dep *items;
        size_t count, capacity;
    } deps;
    struct {
        struct nadi_mscclpp_group *items;
        size_t count, capacity;
    } groups; /* by member */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } group_members;
};

/* Fills f->table. False with an error at the operation's line. */
bool nadi_mscclpp_make(const struct nadi_mscclpp *plan, struct nadi_table_file *f,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
