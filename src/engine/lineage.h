/* lineage: one order of events for several engines that run side by side, each with the actors of
 * one part.
 *
 * One engine with all actors would run the events of an instant in the order in which they were
 * scheduled. So an event keeps its cause: when it was scheduled, by which part, and its number
 * among all that this part has scheduled. Of two causes the earlier one comes first. Of one instant
 * and one part they come by number. Of one instant and two parts they come as the turns do in which
 * it was done; a turn is an event, or events of an actor that run together (engine.h), and it comes
 * when its first event does, by the cause of that; and so on. The first turns of all are the actors
 * at the start, in their order. nadi_lineage_settle follows this for all turns that parts had since
 * it was called last, the earliest first: the causes of each are settled before it, but for those
 * of the same part and instant, which come before it there: this is what a merge needs.
 *
 * A part sees only its own events, and those that others sent it. What it sees is in the order of
 * the one engine, by induction over turns: what a part schedules is in its list in the order of
 * causes; lists that come from other parts are merged into its own by their causes when their
 * instant begins; and events of an actor, which run together at the place of the first, are all in
 * one part.
 *
 * Cost: 40 bytes written for an event, and a binary search for two causes of one instant and two
 * parts. Memory: 16 bytes for each change from part to part in the order of an instant, until
 * nadi_lineage_forget. */
#ifndef NADI_ENGINE_LINEAGE_H
#define NADI_ENGINE_LINEAGE_H

#include "base/time.h"

enum { NADI_LINEAGE_PARTS = 64, NADI_LINEAGE_BITS = 56, NADI_LINEAGE_ACTOR_BITS = 32 };

struct nadi_lineage_cause { /* an event */
    nadi_time at;           /* -1: the start */
    uint64_t number; /* above NADI_LINEAGE_BITS the part, below its number; at the start the actor
                        and, in its lowest NADI_LINEAGE_ACTOR_BITS, the actor's number */
};

struct nadi_lineage_turn { /* of a part since it was settled last */
    struct nadi_lineage_cause cause;
    uint64_t first; /* number of what it schedules first */
};

struct nadi_lineage_step { /* an instant of a part, likewise */
    nadi_time at;
    size_t first; /* its first turn, among those */
};

struct nadi_lineage_place { /* from this number on, in an instant that parts have in common */
    uint64_t number, place;
};

struct nadi_lineage { /* of one part */
    uint32_t part, part_count;
    struct nadi_lineage *const *all; /* by part; not changed while parts run */
    struct nadi_lineage_cause next;  /* of what is scheduled next */
    struct {
        struct nadi_lineage_cause *items; /* by pending event */
        size_t count, capacity;
    } causes;
    struct {
        struct nadi_lineage_turn *items;
        size_t count, capacity;
    } turns;
    struct {
        struct nadi_lineage_step *items;
        size_t count, capacity;
    } steps;
    struct {
        struct nadi_lineage_place *items;
        size_t count, capacity;
    } places;
};

static inline uint32_t nadi_cause_part(struct nadi_lineage_cause c)
{
    return (uint32_t)(c.number >> NADI_LINEAGE_BITS);
}

void nadi_lineage_init(struct nadi_lineage *l, struct nadi_lineage *const *all, uint32_t part,
                       uint32_t part_count);
void nadi_lineage_release(struct nadi_lineage *l);
/* Before the engine runs: what is scheduled from now on descends from this actor. */
void nadi_lineage_begin_actor(struct nadi_lineage *l, uint32_t actor);

/* Does the one come before the other? Both are settled or of one part, or of different instants. */
bool nadi_lineage_before(const struct nadi_lineage *l, struct nadi_lineage_cause a,
                         struct nadi_lineage_cause b);
/* The cause of what the running turn sends to another part, in the order of what it schedules. */
static inline struct nadi_lineage_cause nadi_lineage_take(struct nadi_lineage *l)
{
    const struct nadi_lineage_cause cause = l->next;
    l->next.number++;
    return cause;
}

/* While no part runs: the order of all turns since the last time. All parts had run all that was to
 * happen before some time, and nothing else. */
void nadi_lineage_settle(struct nadi_lineage *const *all, uint32_t part_count);
/* No cause of the part before this one is asked for any more. */
void nadi_lineage_forget(struct nadi_lineage *l, uint64_t number);

/* For the engine: an event has this cause; it was scheduled by the running turn; an instant begins;
 * a turn does, with this event. */
void nadi_lineage_caused(struct nadi_lineage *l, uint32_t event, struct nadi_lineage_cause cause);
static inline void nadi_lineage_scheduled(struct nadi_lineage *l, uint32_t event)
{
    nadi_lineage_caused(l, event, nadi_lineage_take(l));
}
void nadi_lineage_step(struct nadi_lineage *l, nadi_time at);
void nadi_lineage_turn(struct nadi_lineage *l, uint32_t event);

#endif
