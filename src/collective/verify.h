/* verify: moves real blocks through a program and says whether its collective comes out right.
 *
 * Every member holds, for each block, the set of members whose part is in it. A message carries
 * these sets; adding the same part twice, or replacing, is seen at the end: each member must hold
 * every block that the kind wants from it, made of exactly the right parts. On the way the time on
 * a network without contention is computed: alpha a message, beta a byte sent, gamma a byte
 * reduced or worked on by a local step (a switch that stores takes a fixed time). Tables
 * (collective/table.h) are followed slot by slot: what lies where is remembered with the block that
 * it is.
 *
 * O(steps + blocks moved * n / 64); memory n * blocks * n / 8 bytes for kinds that add, n * blocks
 * bits for the others. */
#ifndef NADI_COLLECTIVE_VERIFY_H
#define NADI_COLLECTIVE_VERIFY_H

#include "collective/program.h"

enum nadi_verify_result {
    NADI_VERIFY_OK,
    NADI_VERIFY_STUCK,    /* member's queue waits at `step` for a message that never comes */
    NADI_VERIFY_LEFTOVER, /* a message to member on `queue` is never received */
    NADI_VERIFY_MISSING,  /* member lacks `contributor`'s part of `block` at the end */
    NADI_VERIFY_TWICE,    /* `contributor`'s part was added twice to `block` */
    NADI_VERIFY_MIXED,    /* `block` was added to block `contributor` */
    NADI_VERIFY_EMPTY,    /* something was added to slot `contributor`, which holds nothing */
    NADI_VERIFY_SHAPE,    /* a message of `block` blocks comes where `contributor` are taken */
    NADI_VERIFY_SIZE,     /* too large to check */
};

struct nadi_verify_outcome {
    enum nadi_verify_result result;
    uint32_t member, queue, step, block, contributor;
    double seconds;         /* until the last member has ended */
    uint64_t messages;      /* sent by all */
    uint64_t bytes;         /* sent by all */
    uint64_t largest_bytes; /* sent by the member that sends most */
};

struct nadi_verify_machine { /* seconds; 0: free */
    double alpha, beta, gamma;
    double store;   /* of a switch that stores and forwards, to add up */
    bool backwards; /* a member's queues are tried from the last: may show a wait that is missing */
};

struct nadi_verify_outcome nadi_verify(const struct nadi_program *p,
                                       const struct nadi_verify_machine *machine);

/* One sentence about what is wrong, in `arena`. */
const char *nadi_verify_text(const struct nadi_program *p, const struct nadi_verify_outcome *o,
                             struct nadi_arena *arena);

#endif
