/* capture_write: captures as PyTorch writes them, for tests and benches.
 *
 * The caller says what ran when; an execution trace and a Kineto profile of it are written to two
 * streams, in one of the forms that exist: any host schema, with or without record-function ids,
 * external ids, correlations, CUDA or ROCm. Times are ns. Ids count up from 1, also those of the
 * process (1) and of the threads' roots. Texts go into the JSON as they are. */
#ifndef NADI_TESTS_CAPTURE_WRITE_H
#define NADI_TESTS_CAPTURE_WRITE_H

#include "base/base.h"

enum { CAPTURE_THREADS = 8 };

struct capture_form {
    const char *schema;      /* NULL: 1.1.0-chakra.0.0.4; "1.0.1" is the flat layout */
    const char *document;    /* further members of the profile, with a comma behind them */
    int64_t rf_shift;        /* the profile's record-function ids - the trace's */
    int64_t device_clock_ns; /* added to all times of device work */
    bool no_rf, zero_rf;     /* the profile has no such ids; has only zeros */
    bool no_external, no_correlation;
    bool rocm, id_list; /* hip names; ctrl_deps is a list */
};

struct capture_op {
    const char *name;
    unsigned thread;                    /* from 0 */
    uint64_t parent;                    /* id of a node, 0: the thread's root */
    int64_t from, to;                   /* ns */
    const char *inputs[3], *outputs[3]; /* values, shapes, types as JSON lists; NULL: [] */
    const char *schema;                 /* op_schema, NULL: "" */
    const char *attrs;                  /* further attributes of the node: ", {...}" or NULL */
    const char *args;                   /* further arguments of the event: ", \"a\": 1" or NULL */
    const char *category;               /* NULL: cpu_op */
    bool host_only, device_only;
};

struct capture_work {            /* on a device */
    const char *name, *category; /* category NULL: kernel */
    int64_t stream, from, to;
    uint64_t correlation, external; /* 0: none */
    const char *args;
};

struct capture {
    FILE *host, *device;
    struct capture_form form;
    uint64_t nodes, record_functions, correlations, external; /* counted so far */
    uint64_t roots[CAPTURE_THREADS];                          /* 0: not yet written */
    bool any_node, any_event;
};

/* Either stream may be NULL. */
void capture_begin(struct capture *c, const struct capture_form *form, FILE *host, FILE *device);
/* An operator; returns the id of its node. Its external id is c->external. */
uint64_t capture_op(struct capture *c, const struct capture_op *op);
/* A runtime call; returns its correlation. */
uint64_t capture_call(struct capture *c, unsigned thread, const char *name, int64_t from,
                      int64_t to);
/* Device work. */
void capture_work(struct capture *c, const struct capture_work *work);
/* An event, a node as they are. */
void capture_event(struct capture *c, const char *json);
void capture_node(struct capture *c, const char *json);
/* Ends the documents; the streams stay open. */
void capture_end(struct capture *c);

/* Steps of a training loop on two threads with a kernel for every other operator and an all-reduce
 * for every 64th, `operators` in all; an operator of it takes what one of a real capture does: 0.8
 * kB in the trace, 0.7 kB of events in the profile. */
void capture_training(struct capture *c, uint64_t operators);

#endif
