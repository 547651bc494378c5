/* parcel: messages of collectives between the parts of a run.
 *
 * Each part of a run has a system of its own, with the states of its ranks: an operation, a stream
 * and a block of a group that has members in several parts exists in each of them. What a message
 * says of its block in one part means the same block in another one by the operation's place among
 * those of its group, the chunk and the phase. */
#ifndef NADI_EXECUTOR_PARCEL_H
#define NADI_EXECUTOR_PARCEL_H

#include "engine/lineage.h"
#include "executor/system.h"

struct nadi_parcel_operation { /* in any part */
    uint32_t group, sequence;  /* its place, and what it is: */
    enum nadi_collective_kind kind;
    uint32_t involved, root;
    uint64_t bytes;
};

struct nadi_parcel {
    struct nadi_lineage_cause cause;
    nadi_time arrival;
    struct nadi_parcel_operation operation;
    uint32_t chunk, phase;
    uint32_t member, slot; /* whom it reaches */
};

/* Do phases of the algorithm run in parts? Others make a part's run undecided. */
bool nadi_parcel_algorithm(enum nadi_algorithm algorithm);

/* False: the message is none of a collective's native phase, and cannot go to another part. */
bool nadi_parcel_of(const struct nadi_system *s, const struct nadi_message *message,
                    struct nadi_parcel *parcel);
/* Schedules the arrival in the part of the destination. False: its ranks issue another collective
 * (nadi_system_mismatch). */
bool nadi_parcel_deliver(struct nadi_system *s, const struct nadi_parcel *parcel);

/* Members of a group that are ranks of this part, of so many actors. */
uint32_t nadi_parcel_members_here(const struct nadi_system *s, const struct nadi_group *g,
                                  uint32_t members);
struct operation;
/* A rank of this part is the first of them to issue the operation. */
void nadi_parcel_note_begin(struct nadi_system *s, const struct operation *op);

struct nadi_part_note { /* something of which the order among those of all parts matters */
    struct nadi_lineage_cause cause; /* the turn in which it happened */
    uint32_t index;
};

struct nadi_part_notes {
    struct nadi_part_note *items;
    size_t count, capacity;
};

/* Operations that ranks of this part began, since the caller emptied the list. */
struct nadi_part_notes *nadi_system_begun(struct nadi_system *s);

struct nadi_part_first { /* a chunk's phase, where all ranks keep one order (schedules.c) */
    struct nadi_parcel_operation operation;
    uint32_t index;      /* of the operation in this part */
    uint32_t dim, place; /* in the order of this dimension */
    uint32_t chunk, phase;
};

struct nadi_part_firsts {
    struct nadi_part_first *items;
    size_t count, capacity;
};

/* A rank of this part is the first of them to begin it; what the operation is is filled in. */
void nadi_parcel_note_first(struct nadi_system *s, struct nadi_part_first first);
/* While no part runs: what was noted since the last time holds for the ranks of all parts. False:
 * parts began different chunks first, and it is not known which one of all ranks did. */
bool nadi_system_agree(struct nadi_system *const *parts, uint32_t count);

struct nadi_part_operation {
    uint32_t part, operation;
};

/* When the run is over: the operations of `s`, the first of the parts, become those of all, in the
 * order in which they began: by part, those that its ranks did begin. False: of one operation ranks
 * of different parts issued different collectives. */
bool nadi_system_join(struct nadi_system *const *parts, const struct nadi_part_operation *begun,
                      size_t count);

#endif
