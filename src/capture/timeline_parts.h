/* timeline_parts: the steps that make a timeline. Private to it. */
#ifndef NADI_CAPTURE_TIMELINE_PARTS_H
#define NADI_CAPTURE_TIMELINE_PARTS_H

#include "capture/timeline.h"

enum nadi_cut_kind {
    NADI_CUT_LAUNCH, /* at `at`: the launch `event` returns */
    NADI_CUT_WAIT,   /* from `at` to `to`: the call `event` blocks */
    NADI_CUT_FORK,   /* at `at`: burst `burst` of another thread begins */
    NADI_CUT_JOIN,   /* from `at` to `to`: waits for it */
};

struct nadi_cut { /* in a thread's time */
    int64_t at, to;
    uint32_t thread;
    uint32_t event;
    uint32_t burst;
    uint8_t kind; /* enum nadi_cut_kind */
};

struct nadi_burst {
    int64_t from, to;
    uint32_t thread;
    uint32_t first_op, end_op; /* its ops */
    uint32_t first_slice, last_slice;
    uint32_t fork, join; /* slices of the other thread, or NADI_NONE */
};

struct nadi_timeline_plan {
    struct nadi_timeline *timeline;
    const struct nadi_timeline_calls *calls;
    struct {
        struct nadi_cut *items; /* sorted by thread and time */
        size_t count, capacity;
    } cuts;
    struct {
        struct nadi_burst *items; /* by thread, then by time; the primary thread is one burst */
        size_t count, capacity;
    } bursts;
    int64_t *points;     /* moments at which a thread is seen to act, by thread, sorted */
    size_t *point_start; /* threads + 1 entries */
};

/* Threads, their operators and how they nest. */
void nadi_timeline_nest(struct nadi_timeline *t, const struct nadi_timeline_calls *calls);
/* Bursts, and the cuts that launches, waits and bursts of other threads make. */
void nadi_timeline_find_bursts(struct nadi_timeline_plan *plan);
/* Slices, and what bursts hang on. */
void nadi_timeline_cut(struct nadi_timeline_plan *plan);
/* Own times: each instant counts once. */
void nadi_timeline_share(struct nadi_timeline *t);

#endif
