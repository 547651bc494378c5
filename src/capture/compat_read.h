/* compat_read: a linked trace, reduced to what the published converter makes of it.
 *
 * The text is read through a window; of each node the operands and attributes are encoded at once
 * as they will stand in the Chakra trace. Kernels repeat those of their operator byte for byte:
 * they are recognised by that and share what was made of it. A node costs about 90 bytes and,
 * unless it shares them, its own. */
#ifndef NADI_CAPTURE_COMPAT_READ_H
#define NADI_CAPTURE_COMPAT_READ_H

#include "capture/names.h"
#include "format/json_file.h"
#include "trace/chakra.h"
#include "trace/trace.h"

enum nadi_compat_flag {
    NADI_COMPAT_DEVICE = 1 << 0,    /* has "cat" */
    NADI_COMPAT_METADATA = 1 << 1,  /* a process group's initialisation */
    NADI_COMPAT_THREAD = 1 << 2,    /* root of a thread */
    NADI_COMPAT_WAITS = 1 << 3,     /* inter_thread_dep is there */
    NADI_COMPAT_NCCL = 1 << 4,      /* a kernel of the communication library */
    NADI_COMPAT_SEND_RECV = 1 << 5, /* ... that the operator above tells more of */
    NADI_COMPAT_HAS_RF = 1 << 6,
    NADI_COMPAT_KEPT = 1 << 7,    /* is a node of the graph */
    NADI_COMPAT_NEEDED = 1 << 8,  /* has a data dependency or is one */
    NADI_COMPAT_VISITED = 1 << 9, /* by the walk over the call tree */
};

struct nadi_compat_node {
    uint64_t id, parent_id, waits_for;
    uint64_t duration_us, comm_bytes;
    uint64_t at;    /* in body: operands and those attributes that kernels share */
    uint64_t place; /* in the text: the order of the file */
    int64_t stream;
    uint32_t body_bytes;
    uint32_t name, group; /* numbers of names; group may be NADI_NONE */
    uint32_t parent;      /* index or NADI_NONE */
    uint32_t before;      /* the data dependency on the node visited before, or NADI_NONE */
    uint32_t wait;        /* the data dependency on another thread, or NADI_NONE */
    uint16_t flags;       /* enum nadi_compat_flag */
};

struct nadi_compat_repeat { /* the last node that was read in full: what the next may repeat */
    struct nadi_str text;   /* its inputs, outputs and attributes, as they are written */
    struct {
        uint32_t at, bytes;
    } part[3], values, types; /* of text */
    struct nadi_compat_node node;
    uint32_t group; /* of its attributes */
    bool has_group;
    bool whole; /* all three are there */
};

struct nadi_compat_number { /* of the metadata */
    bool given;
    uint64_t value;
};

struct nadi_compat_trace {
    struct nadi_names names;
    struct nadi_str body, scratch;
    struct nadi_compat_repeat last;
    struct {
        struct nadi_compat_node *items; /* ascending by id */
        size_t count, capacity;
    } nodes;
    uint32_t schema, time; /* numbers of names, or NADI_NONE */
    struct nadi_compat_number pid, start_ts, finish_ts;
    uint32_t duplicates; /* nodes dropped for their id */
    struct nadi_text *text;
};

/* False with an error; release all the same. */
bool nadi_compat_read(struct nadi_compat_trace *t, struct nadi_text *text,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_compat_release(struct nadi_compat_trace *t);

/* Index of the node with this id, or NADI_NONE. O(log nodes). */
uint32_t nadi_compat_index(const struct nadi_compat_trace *t, uint64_t id);

#endif
