/* timeline: what each processor thread did, instant by instant.
 *
 * A thread's time is cut into slices that follow each other. A slice belongs to the innermost
 * operator that runs or to none (a gap: the program's own time between operators); or it is a wait:
 * a call that blocks until device work is done, or time in which another thread does the work
 * (backward() and the autograd thread). A slice is also cut where a launch returns, so that what
 * was launched waits for no more than that.
 *
 * The thread with the longest span is the primary one. The others work in bursts, between pauses of
 * more than NADI_PAUSE_NS that have no slices. A burst hangs on the slice of another thread that it
 * began in; if that thread did nothing until the burst was over, it waited for it.
 *
 * An NPU of a trace has one processor. Where several threads run at one time, the time counts for
 * one of them: the one whose slice began last, a gap only when no operator runs. So all the `own`
 * times together are the time in which anything ran. O(n log n + n threads). */
#ifndef NADI_CAPTURE_TIMELINE_H
#define NADI_CAPTURE_TIMELINE_H

#include "capture/kineto.h"

#define NADI_PAUSE_NS INT64_C(1000000)
#define NADI_NO_TIME  INT64_MIN

enum nadi_time_slice_kind {
    NADI_SLICE_HEAD = 1, /* the first slice of an operator */
    NADI_SLICE_REST,     /* a later one */
    NADI_SLICE_GAP,
    NADI_SLICE_WAIT, /* for device work: `call` is the runtime call */
    NADI_SLICE_JOIN, /* for a burst of another thread; has no time of its own */
};

struct nadi_time_slice {
    int64_t from, to; /* ns, as captured */
    int64_t own;      /* ns that count; of a WAIT: what is left to say for who knows the device */
    uint32_t op;      /* operator (index into ops); NADI_NONE: a gap */
    uint32_t call;    /* WAIT: event of the runtime call */
    uint32_t after;   /* a slice of another thread that this one follows, or NADI_NONE: what a burst
                       * hangs on, the end of the burst that a JOIN waited for */
    uint8_t kind;     /* enum nadi_time_slice_kind */
    bool must;        /* others hang on its end */
};

struct nadi_thread {
    uint32_t name;               /* number in the profile's threads */
    uint32_t first_op, op_count; /* of ops */
    uint32_t first_slice, slice_count;
    int64_t from, to;
};

struct nadi_timeline_op { /* an operator event and how it lies in its thread */
    int64_t from, to;
    uint32_t event, parent; /* parent: index into ops, or NADI_NONE */
    uint32_t thread;        /* index into threads */
    uint32_t head;          /* its first slice */
};

struct nadi_timeline {
    const struct nadi_kineto *kineto;
    struct nadi_thread *threads;
    struct nadi_timeline_op *ops; /* by thread, then by start, outer before inner */
    struct {
        struct nadi_time_slice *items; /* by thread, then by time */
        size_t count, capacity;
    } slices;
    uint32_t *op_of;        /* by event: its op, or NADI_NONE */
    uint32_t *launch_slice; /* by event: the slice that ends with this launch, or NADI_NONE */
    uint32_t thread_count, op_count;
    uint32_t primary; /* thread; NADI_NONE: the profile has no operators */
};

struct nadi_timeline_calls {   /* by event */
    const int64_t *launch_end; /* when what it launched could begin; NADI_NO_TIME: no launch */
    const bool *waits;         /* blocks until device work is done */
};

void nadi_timeline_build(struct nadi_timeline *t, const struct nadi_kineto *k,
                         const struct nadi_timeline_calls *calls);
void nadi_timeline_release(struct nadi_timeline *t);

/* The innermost op of a thread at this time, or NADI_NONE. O(log ops + nesting). */
uint32_t nadi_timeline_op_at(const struct nadi_timeline *t, uint32_t thread, int64_t at);
/* The thread with this number in the profile, or NADI_NONE. */
uint32_t nadi_timeline_thread(const struct nadi_timeline *t, uint32_t name);

#endif
