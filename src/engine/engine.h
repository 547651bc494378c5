/* engine: the clock and the event queue. It does not know what an event means.
 *
 * Order: by time; within one time first scheduled, first run, except that all events of one actor
 * at one time run together at the place of the first of them (an actor is an NPU with its own timer
 * list; the rule is the reference's and visible in ties). Events without an actor (NADI_NONE) are
 * not grouped. Events for the present time scheduled while it runs go to its end, or to their
 * actor's group if that has not ended.
 *
 * Structure: one FIFO list per distinct pending time. A small cache finds the newest list of a
 * time; a 4-ary heap orders lists by (time, creation). A cache miss opens a second list for the
 * same time, which is correct because the older one is never appended to again. Scheduling and
 * running are O(1) per event plus O(log lists) per list; simulations in lockstep have few lists.
 * Event records are recycled: nothing is allocated per event once the pool has grown to the largest
 * number pending.
 *
 * Times are picoseconds and must not lie in the past. */
#ifndef NADI_ENGINE_ENGINE_H
#define NADI_ENGINE_ENGINE_H

#include "base/time.h"

struct nadi_event {
    uint32_t next;    /* the engine's */
    uint32_t actor;   /* NADI_NONE: no actor */
    uint32_t kind;    /* from nadi_engine_add_kind */
    uint32_t a, b, c; /* the scheduler's own */
};

/* `event` is a copy; the handler may schedule freely. */
typedef void nadi_event_fn(void *context, const struct nadi_event *event);

struct nadi_lineage_cause;
struct nadi_engine;
struct nadi_lineage;
struct nadi_sequence;

struct nadi_engine *nadi_engine_create(uint32_t actor_count) NADI_MUST_USE;
void nadi_engine_destroy(struct nadi_engine *e); /* NULL is allowed */

/* One kind for each cause. */
uint32_t nadi_engine_add_kind(struct nadi_engine *e, nadi_event_fn *handler, void *context);
/* `expect` may be called, with the kind's context, for an event that is likely the first of the
 * next step: to prefetch what its handler will use, without changing anything. */
void nadi_engine_expect(struct nadi_engine *e, uint32_t kind, nadi_event_fn *expect);

nadi_time nadi_engine_now(const struct nadi_engine *e);
int64_t nadi_engine_now_ns(const struct nadi_engine *e); /* whole ns */
/* at >= now. NADI_TIME_NEVER: such an event is never run, and stays pending. */
void nadi_engine_schedule(struct nadi_engine *e, nadi_time at, uint32_t actor, uint32_t kind,
                          uint32_t a, uint32_t b, uint32_t c);
/* now + the delay; NADI_TIME_NEVER beyond the clock's range. */
nadi_time nadi_engine_after(const struct nadi_engine *e, nadi_time delay);
nadi_time nadi_engine_after_ns(const struct nadi_engine *e, uint64_t ns);

/* Runs until at least `max_events` more events were handled, perhaps in the middle of a time step,
 * a model yields, the queue is empty, or the next time would exceed `until`. True while events
 * remain that are not beyond `until`; the next call continues with them. */
bool nadi_engine_run(struct nadi_engine *e, uint64_t max_events, nadi_time until);
/* For a model, while it handles an event that took long: nadi_engine_run returns after it, however
 * few events were handled, so that its caller can look whether to go on. */
void nadi_engine_yield(struct nadi_engine *e);
/* Shall the run end? Asked by work that takes long within one event (nadi_engine_must_end). */
typedef bool nadi_engine_end_fn(void *context);
void nadi_engine_set_end(struct nadi_engine *e, nadi_engine_end_fn *asked, void *context);
/* True: work may break off where it is, since nothing more is run: nadi_engine_run returns after
 * the event, and true. It stays so. A clock may be read: to be called a hundred times a second. */
bool nadi_engine_must_end(struct nadi_engine *e);
/* The run returns when the present time step is done, or, between two, the next; once, as the next
 * call of nadi_engine_paused says. */
void nadi_engine_pause(struct nadi_engine *e);
bool nadi_engine_paused(struct nadi_engine *e);
/* Between two time steps: calls `visit` for what is pending, in the order in which it will run, but
 * not for a follower's pump; `index` names the event to engine/sequence.h and to a follower.
 * O(pending log pending). */
typedef void nadi_pending_fn(void *context, nadi_time at, uint32_t index, struct nadi_event *event);
void nadi_engine_visit(struct nadi_engine *e, nadi_pending_fn *visit, void *context);
/* Between two time steps: the clock and all that is pending move on by this time, which they have
 * room for. What is never run stays so. */
void nadi_engine_fast_forward(struct nadi_engine *e, nadi_time by);

/* While an event is handled: nothing is run that comes after the present instant. */
void nadi_engine_finish(struct nadi_engine *e);
bool nadi_engine_finished(const struct nadi_engine *e);

/* For a model, while it handles an event: stops the run because the model cannot continue. The
 * first reason counts. */
void nadi_engine_halt(struct nadi_engine *e, const char *format, ...) NADI_PRINTF(2, 3);
/* The same where it never could: the inputs ask for what the model does not do. */
void nadi_engine_refuse(struct nadi_engine *e, const char *format, ...) NADI_PRINTF(2, 3);
const char *nadi_engine_halted(const struct nadi_engine *e); /* why; NULL: it was not */
bool nadi_engine_refused(const struct nadi_engine *e);       /* so it was halted */

/* For one model with an event queue of its own, whose events must run in one order with the
 * engine's. It handles them inside events of its own kind, the pump. */
struct nadi_engine_follower {
    void *context;
    uint32_t pump; /* kind for which the two functions are not called */
    /* An event was scheduled; `event` names it until it has run. */
    void (*scheduled)(void *context, uint32_t event, nadi_time at);
    /* It is about to run, alone or as the first of its actor's group. */
    void (*reached)(void *context, uint32_t event);
    /* The clock and all that is pending have moved on by this time. NULL: they never do. */
    void (*moved)(void *context, nadi_time by);
};

void nadi_engine_follow(struct nadi_engine *e, const struct nadi_engine_follower *follower);
/* While an event is handled: the time up to which nothing else of the engine will happen. */
nadi_time nadi_engine_horizon(const struct nadi_engine *e);
/* Likewise: is nothing else due at the present time? */
bool nadi_engine_is_last(const struct nadi_engine *e);
/* Handles an event at once, inside the present one; now <= at <= horizon, to which the clock
 * moves. */
void nadi_engine_call(struct nadi_engine *e, nadi_time at, uint32_t kind, uint32_t a, uint32_t b,
                      uint32_t c);
/* Handles an event in the place of the present one, `event`, which counts as this one. */
void nadi_engine_pass(struct nadi_engine *e, const struct nadi_event *event, uint32_t kind,
                      uint32_t a, uint32_t b, uint32_t c);
/* The model's own events count as handled. Of less than 0: some do not, like the pump. */
void nadi_engine_count(struct nadi_engine *e, int64_t events);

/* Before anything is scheduled: the order of events is followed by engine/sequence.h. */
void nadi_engine_set_sequence(struct nadi_engine *e, struct nadi_sequence *sequence);
struct nadi_sequence *nadi_engine_sequence(const struct nadi_engine *e); /* NULL: none is */

/* Likewise: of several engines that run side by side, this one has a part of the actors. */
void nadi_engine_set_lineage(struct nadi_engine *e, struct nadi_lineage *lineage);
struct nadi_lineage *nadi_engine_lineage(const struct nadi_engine *e); /* NULL: none */
/* An event of no actor that another part has scheduled; of each part in the order in which it
 * did, and before the time is reached. */
void nadi_engine_deliver(struct nadi_engine *e, nadi_time at, struct nadi_lineage_cause cause,
                         uint32_t kind, uint32_t a, uint32_t b, uint32_t c);
/* Of the earliest event that is pending; NADI_TIME_NEVER: none is. */
nadi_time nadi_engine_next_time(const struct nadi_engine *e);
/* When both have run as parts: the clock and the number of events are those of both. */
void nadi_engine_join(struct nadi_engine *e, const struct nadi_engine *other);

uint64_t nadi_engine_events(const struct nadi_engine *e); /* handled so far */
bool nadi_engine_pending(const struct nadi_engine *e);

#endif
