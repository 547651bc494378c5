/* device: the work of a profile's accelerators: what launched it, on which stream it ran.
 *
 * A runtime call and its work have one correlation; a graph launched at once has many works. Work
 * whose call is not in the profile falls back on its external id, which names an operator. Works
 * lie by stream in order of start. If a share of works seems to begin before it was launched, the
 * device's clock was behind the processor's and all its times are moved (`skew_ns`). */
#ifndef NADI_CAPTURE_DEVICE_H
#define NADI_CAPTURE_DEVICE_H

#include "base/map.h"
#include "capture/timeline.h"

enum nadi_work_kind {
    NADI_WORK_KERNEL = 1,
    NADI_WORK_COPY,
    NADI_WORK_SET,
    NADI_WORK_COMM, /* a kernel of a communication library, or launched by its operator */
};

enum nadi_orphan { /* why work has no launching slice */
                   NADI_ORPHAN_NOT = 0,
                   NADI_ORPHAN_NO_CORRELATION, /* it has none, and no external id helps */
                   NADI_ORPHAN_NO_CALL,        /* the profile has no call with its correlation */
                   NADI_ORPHAN_NO_OPERATOR, /* the call was made where no operator ran, before any
                                             * or on a thread without */
                   NADI_ORPHAN_REASONS
};

struct nadi_device_work {
    int64_t from, to;
    int64_t launched;     /* when its call began; without a call: the operator that its external
                           * id names, or its own start */
    uint32_t event, call; /* events; call: NADI_NONE if unknown */
    uint32_t op;          /* index into the timeline's ops, or NADI_NONE */
    uint32_t slice;       /* of the timeline, that must be over before; or NADI_NONE */
    uint32_t stream;      /* index into streams */
    uint8_t kind;         /* enum nadi_work_kind */
    uint8_t orphan;       /* enum nadi_orphan */
};

struct nadi_stream {
    int64_t number;
    int32_t device;
    uint32_t first, count; /* its works */
};

struct nadi_capture_device {
    const struct nadi_kineto *kineto;
    struct nadi_device_work *works; /* by stream, then by start */
    uint32_t work_count;
    struct nadi_stream *streams;
    uint32_t stream_count;
    uint32_t *by_launch;       /* works of each stream in order of launch, same ranges */
    uint32_t *work_of;         /* by event: its work, or NADI_NONE */
    struct nadi_map64 call_of; /* correlation -> runtime event */
    struct nadi_map64 sync_of; /* correlation -> cuda_sync event */
    int64_t *launch_end;       /* by event: for the timeline */
    bool *waits;               /* by event: for the timeline */
    int64_t skew_ns;
    uint64_t early; /* works that began before their launch */
};

/* Before the timeline: works, streams, launches. */
void nadi_device_build(struct nadi_capture_device *d, const struct nadi_kineto *k);
/* After it: the op and slice of each work. */
void nadi_device_attach(struct nadi_capture_device *d, const struct nadi_timeline *t);
void nadi_device_release(struct nadi_capture_device *d);

/* The last work of a stream that was launched before `at` / ended by `at`; NADI_NONE if none. */
uint32_t nadi_device_last_launched(const struct nadi_capture_device *d, uint32_t stream,
                                   int64_t at);
uint32_t nadi_device_last_ended(const struct nadi_capture_device *d, uint32_t stream, int64_t at);
/* The stream with this number on this device (-1: any), or NADI_NONE. */
uint32_t nadi_device_stream(const struct nadi_capture_device *d, int32_t device, int64_t number);

#endif
