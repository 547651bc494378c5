/* comm: what the communication kernels of a capture do: which collective, how many bytes, with
 * whom.
 *
 * Sources, the first that knows wins: the arguments of the kernel in the profile, those of the
 * record_param_comms operator above it (profile, attributes of its node, its inputs), the names of
 * the operators and annotations around its launch, the kernel's name. A kernel that makes several
 * sends and receives at once (nccl:coalesced) has a part for each. Processor-only captures have no
 * kernels; there the operator itself is the collective. Sizes are bytes that a rank gives: for an
 * all-gather its shard. */
#ifndef NADI_CAPTURE_COMM_H
#define NADI_CAPTURE_COMM_H

#include "capture/comm_names.h"
#include "capture/device.h"
#include "capture/groups.h"
#include "capture/match.h"
#include "trace/trace.h"

struct nadi_comm_part {
    uint32_t work;  /* of the device; NADI_NONE: the operator `op` itself */
    uint32_t op;    /* of the timeline, or NADI_NONE */
    uint32_t group; /* index into the book, or NADI_NONE: unknown */
    uint32_t peer;  /* SEND, RECV, the root of COLL: rank in the job, or NADI_NONE: unknown */
    uint64_t bytes;
    const char *splits; /* of an uneven all-to-all: elements to each member, "[1, 2]"; or NULL */
    uint8_t type;       /* NADI_NODE_COLL, SEND, RECV; COMP: nothing could be found out */
    uint8_t kind;       /* enum nadi_collective_kind, of COLL */
};

struct nadi_comm {
    struct {
        struct nadi_comm_part *items; /* ascending by work, those of operators last */
        size_t count, capacity;
    } parts;
    uint64_t unknown; /* parts of type COMP */
};

struct nadi_comm_sources {
    const struct nadi_timeline *timeline;
    const struct nadi_capture_device *device;
    const struct nadi_host *host;   /* may be NULL */
    const struct nadi_match *match; /* NULL with it */
    const struct nadi_group_book *book;
};

void nadi_comm_find(struct nadi_comm *c, const struct nadi_comm_sources *sources);
void nadi_comm_release(struct nadi_comm *c);

#endif
