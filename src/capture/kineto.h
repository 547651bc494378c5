/* kineto: a PyTorch profiler's timeline, reduced to what ran when.
 *
 * Of the trace events only the complete ones (ph X) of processor operators, runtime calls, device
 * work and synchronisation stay, in file order; about 80 bytes each. Times are whole ns, exact.
 * CUDA, ROCm, XPU, MTIA and processor-only profiles. The text is read through a window, so its size
 * costs no memory. Errors: no JSON, no "traceEvents". */
#ifndef NADI_CAPTURE_KINETO_H
#define NADI_CAPTURE_KINETO_H

#include "capture/names.h"
#include "format/json_file.h"

enum nadi_event_kind {
    NADI_EVENT_NONE = 0,
    NADI_EVENT_OPERATOR,      /* cpu_op */
    NADI_EVENT_ANNOTATION,    /* user_annotation */
    NADI_EVENT_RUNTIME,       /* cuda_runtime, cuda_driver */
    NADI_EVENT_RUNTIME_OTHER, /* of other devices */
    NADI_EVENT_KERNEL,
    NADI_EVENT_MEMCPY,
    NADI_EVENT_MEMSET,
    NADI_EVENT_DEVICE_OTHER, /* work of other devices */
    NADI_EVENT_SYNC,         /* cuda_sync: what a wait was for */
    NADI_EVENT_KINDS
};

/* Times beyond these are nonsense and are cut to them, so that sums of them stay in 64 bits. */
#define NADI_EVENT_TIME_MAX (INT64_C(1) << 62)
#define NADI_EVENT_DUR_MAX  (INT64_C(1) << 52) /* 52 days */

struct nadi_kineto_event {
    int64_t ts_ns, dur_ns;                           /* dur_ns is not negative */
    int64_t external_id, rf_id, correlation, stream; /* -1: not there */
    uint32_t name;                                   /* number in names */
    uint32_t thread;                                 /* number in threads */
    uint32_t detail;                                 /* index into details, or NADI_NONE */
    int32_t device;                                  /* -1: not there */
    uint8_t kind;                                    /* enum nadi_event_kind */
};

struct nadi_event_detail { /* -1 and NADI_NONE: not there */
    int64_t bytes;
    int64_t sequence, forward_thread;
    int64_t in_elements, out_elements, group_size, source, target;
    int64_t rank; /* of the group: the root, or the peer of a send or receive */
    int64_t wait_stream, record_correlation;
    uint32_t collective, dtype, group, group_description, group_ranks;
    uint32_t dims, types, concrete; /* of the operands: JSON lists */
    uint32_t in_splits;             /* of an all-to-all: elements to each, a list as text */
};

struct nadi_event_node {
    uint64_t id; /* of the host node */
    uint32_t event;
};

struct nadi_kineto_left_out {
    size_t count;   /* events */
    uint32_t first; /* name of the first */
};

struct nadi_kineto {
    struct nadi_names names, threads; /* threads: the tid as it is written */
    struct {
        struct nadi_kineto_event *items;
        size_t count, capacity;
    } events;
    struct {
        struct nadi_event_detail *items;
        size_t count, capacity;
    } details;
    struct {
        struct nadi_event_node *items;
        size_t count, capacity;
    } nodes;      /* linked traces: which event is which node of the execution trace */
    size_t total; /* all trace events of the file */
    uint32_t distributed, properties;     /* "distributedInfo", "deviceProperties", or NADI_NONE */
    struct nadi_kineto_left_out timeless; /* that have no "ts" */
    struct nadi_kineto_left_out endless;  /* that have no "dur", or one below 0 */
    size_t with_rf, with_external;        /* operators that have such an id other than 0 */
    int64_t process;                      /* pid of the first operator, -1: not there */
};

bool nadi_kineto_read(struct nadi_kineto *k, struct nadi_text *text,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_kineto_release(struct nadi_kineto *k);
/* Leaves out, with a warning, events that lie days from the others or take days: one damaged time
 * would be the time of the whole step. Before anything knows an event by its number. */
void nadi_kineto_drop_far(struct nadi_kineto *k, const char *file, struct nadi_diags *diags);

/* The same from the list of events alone, which lies in memory with zeros behind the document; for
 * linked traces. `file` is for messages. */
bool nadi_kineto_read_list(struct nadi_kineto *k, struct nadi_view list,
                           struct nadi_view distributed, const char *file,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* One more event, of a linked trace that has none of the profile's. */
void nadi_kineto_init(struct nadi_kineto *k);
uint32_t nadi_kineto_add(struct nadi_kineto *k, const struct nadi_kineto_event *event);

/* "cpu_op", "kernel", ...: the category that is read as this kind. */
const char *nadi_event_category(enum nadi_event_kind kind);
enum nadi_event_kind nadi_event_kind_of(struct nadi_view category);

static inline bool nadi_event_is_operator(const struct nadi_kineto_event *e)
{
    return e->kind == NADI_EVENT_OPERATOR || e->kind == NADI_EVENT_ANNOTATION;
}

static inline bool nadi_event_is_runtime(const struct nadi_kineto_event *e)
{
    return e->kind == NADI_EVENT_RUNTIME || e->kind == NADI_EVENT_RUNTIME_OTHER;
}

static inline bool nadi_event_is_device(const struct nadi_kineto_event *e)
{
    return e->kind >= NADI_EVENT_KERNEL && e->kind <= NADI_EVENT_DEVICE_OTHER;
}

#endif
