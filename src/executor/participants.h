/* participants: who takes part in a phase whose algorithm is a step generator. Nothing outside this
 * room includes it. */
#ifndef NADI_EXECUTOR_PARTICIPANTS_H
#define NADI_EXECUTOR_PARTICIPANTS_H

#include "executor/internal.h"

/* Who takes part in a phase of a stream: the members of the operation, ring by ring, and behind
 * them the switches of each ring (collective/algorithms/in_switch.c). */
struct nadi_participants {
    const struct nadi_phase *phase;
    const struct nadi_program *program;  /* of every ring; its queues are those of all rings */
    const struct nadi_program **by_ring; /* NULL: `program` */
    const uint32_t *group;               /* ranks by member; NULL: member is rank */
    uint32_t members, all;               /* without and with switches */
    struct nadi_program *own;            /* of a collective with sizes of its own, else NULL */
    uint32_t *first_switch;              /* by ring, and the end; NULL: there are none */
};

/* Of the stream's phase; to be given back when it has ended. */
const struct nadi_participants *nadi_participants_take(struct nadi_system *s, uint32_t stream,
                                                       uint32_t phase);
void nadi_participants_give(const struct nadi_participants *c);
/* Index in the ring's program, and back. */
uint32_t nadi_participants_local(const struct nadi_participants *c, uint32_t member);
uint32_t nadi_participants_member(const struct nadi_participants *c, uint32_t member,
                                  uint32_t local);
const struct nadi_program *nadi_participants_program(const struct nadi_participants *c,
                                                     uint32_t member);
/* The message between two of them: its ends and its route. */
void nadi_participants_address(struct nadi_system *s, const struct nadi_participants *c,
                               uint32_t queue, uint32_t from, uint32_t to,
                               struct nadi_message *message);
/* Where messages never meet: after how many ns the bytes of one between two NPUs have left. */
uint64_t nadi_participants_leaving_ns(const struct nadi_system *s,
                                      const struct nadi_message *message, uint64_t bytes);
/* Time of a member for a received message: its reduction, and in a switch its latency. */
nadi_time nadi_participants_reduce_time(const struct nadi_system *s,
                                        const struct nadi_participants *c, uint32_t member,
                                        bool reduces, uint64_t bytes);
void nadi_participants_release(struct nadi_system *s);

#endif
