/* sequence: the order of the events of an instant where one actor is simulated for many.
 *
 * Shifts of a network map the actor that is simulated to each of its likes, and its events to
 * theirs. Events of one instant run in the order in which they were scheduled, and likes of the one
 * are interleaved with likes of the other: NPU 0 begins before NPU 1, so what NPU 1 has sent to
 * NPU 2 comes before what NPU 2 sends itself, but what the last NPU has sent to NPU 0 comes after
 * what NPU 0 sends. One that is simulated cannot stand for both. This module knows where it does.
 *
 * All events descend from the start, where actors begin in order. A block is the events of one
 * instant that descend from it over the same instants: in it likes are ordered by their root, the
 * actor that they descend from, and events of one root by the order in which they were scheduled.
 * Blocks follow each other everywhere, as their parents do. So two events of one object (an actor
 * or a link) are in one order everywhere if they are of different blocks, or of one root, as seen
 * from the object. Else they are in conflict: the root of what follows from either is unknown, and
 * gets a token of its own: descendants of one token are still in a known order.
 *
 * Events of an actor that run together at the place of its first (engine.h) are of the first one's
 * block and root, unless two of them are in conflict.
 *
 * Cost: O(1) an event. */
#ifndef NADI_ENGINE_SEQUENCE_H
#define NADI_ENGINE_SEQUENCE_H

#include "engine/engine.h"

struct nadi_sequence;

struct nadi_sequence *nadi_sequence_create(uint32_t actors, uint32_t links) NADI_MUST_USE;
void nadi_sequence_destroy(struct nadi_sequence *s); /* NULL is allowed */

/* Before the engine runs: what is scheduled from now on descends from this actor. */
void nadi_sequence_begin_actor(struct nadi_sequence *s, uint32_t actor);

/* Where the root of the running event lies, seen from the event's object: a shift, as the caller
 * counts them. 0: there, as for all actors at the start. */
uint32_t nadi_sequence_root(const struct nadi_sequence *s);
/* The next event that is scheduled belongs to this actor (NADI_NONE: to a link), from which the
 * root is seen at `root`; `scattered`: it lies elsewhere from each like. Without a call it belongs
 * to the engine's actor, or to the object of the running event. */
void nadi_sequence_aim(struct nadi_sequence *s, uint32_t actor, uint32_t root, bool scattered);
/* The running event tells another actor, from which its root is seen at `root`; then it goes on
 * with its own. Undecided, if something else of its block and another root happens to that actor in
 * this instant. */
void nadi_sequence_turn(struct nadi_sequence *s, uint32_t actor, uint32_t root);
void nadi_sequence_turn_back(struct nadi_sequence *s);
/* The running event does something to a link, from which its root is seen at `root`: undecided, if
 * in another order with another one of this instant than its likes do. */
void nadi_sequence_touch(struct nadi_sequence *s, uint32_t link, uint32_t root);
/* What the running event schedules from now on might as well follow from another one of its instant
 * and actor: nothing is known of its order. */
void nadi_sequence_scatter(struct nadi_sequence *s);
/* Is the running event in a known order with all others of its actor and instant, so far? */
bool nadi_sequence_certain(const struct nadi_sequence *s);
/* An order was needed that is not known: why; NULL: none was. */
const char *nadi_sequence_undecided(const struct nadi_sequence *s);

struct nadi_sequence_label { /* of a pending event: what its order among others follows from */
    uint64_t block;
    uint32_t token, shift;
};
struct nadi_sequence_label nadi_sequence_label(const struct nadi_sequence *s, uint32_t event);

/* For the engine: an event was scheduled, `now`: into the step that runs; a step begins with these
 * events, in the order in which they were scheduled; an event is about to run, `continues`: in the
 * group of the actor that ran last. */
void nadi_sequence_scheduled(struct nadi_sequence *s, uint32_t event, uint32_t actor, bool now);
void nadi_sequence_step(struct nadi_sequence *s, const struct nadi_event *events, uint32_t head);
void nadi_sequence_reached(struct nadi_sequence *s, uint32_t event, bool continues);

#endif
