/* trace: one rank's execution graph, read-only once loaded, laid out for simulation.
 *
 * Nodes are sorted ascending by id, so the order of 32-bit node indices is the order of ids, which
 * is the issue order of the simulation. Dependencies are resolved to indices, duplicates removed
 * (data dependencies first, then control, each in file order); children are the inverse, ascending.
 * Structure of arrays: about 100 bytes a node with names. Sizes are bytes, durations ns.
 * A trace has no cycle, no dangling, self or duplicate dependency target, and unique ids: the
 * reader refuses anything else. Strings are UTF-8 without control characters other than tab and
 * line ends; other bytes of the file became '?'. Ownership: everything belongs to the trace. */
#ifndef NADI_TRACE_TRACE_H
#define NADI_TRACE_TRACE_H

#include "base/arena.h"
#include "base/base.h"
#include "base/collective.h"
#include "base/diag.h"

enum nadi_node_type { /* the wire values of the Chakra schema */
                      NADI_NODE_INVALID = 0,
                      NADI_NODE_METADATA = 1,
                      NADI_NODE_MEM_LOAD = 2,
                      NADI_NODE_MEM_STORE = 3,
                      NADI_NODE_COMP = 4,
                      NADI_NODE_SEND = 5,
                      NADI_NODE_RECV = 6,
                      NADI_NODE_COLL = 7,
                      NADI_NODE_TYPES
};

enum nadi_node_flag {
    NADI_NODE_IS_CPU = 1 << 0,
    NADI_NODE_HAS_OPS = 1 << 1,   /* num_ops present */
    NADI_NODE_HAS_BYTES = 1 << 2, /* tensor_size (COMP, MEM) or comm_size (COMM) present */
    NADI_NODE_HAS_KIND = 1 << 3,  /* comm_type present; of MEM: gathered or added up on the way */
    NADI_NODE_HAS_SRC = 1 << 4,
    NADI_NODE_HAS_DST = 1 << 5,
    NADI_NODE_HAS_TAG = 1 << 6,
    NADI_NODE_PAUSES = 1 << 3, /* of COMP, with IS_CPU: time in which nothing is done (is_idle) */
    NADI_NODE_HAS_IO = 1 << 7, /* inputs and outputs present; only with NADI_TRACE_KEEP_IO */
};

struct nadi_trace_comm {    /* what only SEND, RECV and COLL nodes have */
    uint32_t src, dst, tag; /* meaningful with the HAS flags */
    uint32_t group;         /* offset into strings of pg_name, one a name; NADI_NONE when absent */
    int32_t priority;       /* comm_priority, 0 when absent */
    uint32_t involved;      /* bit d: involved_dim[d]; absent: all bits set */
    uint8_t involved_count; /* length of the list; 0 when absent */
    bool shares;            /* sizes are shares of comm_size (in_split_size), else bytes */
    uint32_t sizes;         /* of an ALL_TO_ALL: into trace->sizes, what goes to each member; */
    uint32_t size_count;    /* 0: all the same */
};

struct nadi_trace_io { /* a tensor that a node reads or writes (attributes inputs, outputs) */
    uint32_t node;
    uint32_t name; /* offset into strings */
    uint64_t bytes;
    bool is_output;
};

struct nadi_trace_mem { /* what a memory node with attributes chakra.mem.* says: trace/mem.h */
    uint32_t node;
    uint32_t src, dst; /* tiers as written: offsets into strings; 0: not given */
    uint32_t block;    /* offset into strings: what the bytes are called; 0: nothing */
    uint32_t reuse;    /* likewise, and known to all ranks under this name */
    uint8_t op, role;  /* enum nadi_mem_op, nadi_mem_role */
    uint8_t from, to;  /* tiers of the memory file (inputs fill it); NADI_MEM_NPU: the NPU */
};

/* Metadata of traces whose dependencies order everything that does not run at once on the
 * accelerator, streams too: nothing else need keep its kernels apart. */
#define NADI_ORDER_ATTR  "accelerator_order"
#define NADI_ORDER_GIVEN "dependencies"

struct nadi_trace {
    struct nadi_arena arena;
    const char *path;
    const char *schema_version; /* "" when the metadata have none */
    bool concurrent;            /* what runs at once on the accelerator the dependencies say */
    uint32_t node_count;
    uint64_t *id;
    uint64_t *duration_ns; /* duration_nanos if present, else duration_micros * 1000 */
    uint64_t *ops;         /* num_ops, FLOP */
    uint64_t *bytes;       /* tensor_size or comm_size by type */
    uint64_t *offset;      /* of the node's frame in the uncompressed file */
    uint32_t *name;        /* offset into strings */
    uint32_t *comm;        /* index into comms or NADI_NONE */
    uint32_t *file_index;  /* position among the file's nodes, from 0 */
    uint32_t *dep_start;   /* node_count + 1 entries into deps */
    uint32_t *deps;
    uint32_t *child_start; /* node_count + 1 entries into children */
    uint32_t *children;
    uint8_t *type;       /* enum nadi_node_type */
    uint8_t *collective; /* enum nadi_collective_kind, for COLL nodes */
    uint8_t *flags;      /* enum nadi_node_flag */
    struct nadi_trace_comm *comms;
    uint32_t comm_count;
    uint64_t *sizes; /* comm_sizes or in_split_size of nodes, one behind the other */
    uint32_t sizes_count;
    char *strings; /* terminated strings, offset 0 is "" */
    uint32_t strings_bytes;
    struct nadi_trace_io *io; /* ascending by node; only with NADI_TRACE_KEEP_IO */
    uint32_t io_count;
    struct nadi_trace_mem *mems; /* ascending by node; of those that have the attributes */
    uint32_t mem_count;
    bool copies_aside;       /* memory nodes take no slot: memory tiers move bytes by themselves */
    uint32_t *metadata_text; /* offsets of inputs.values of METADATA nodes, by */
    uint32_t *metadata_node; /* node index, ascending */
    uint32_t metadata_count;
    uint8_t content_hash[32]; /* SHA-256 of the file as stored */
    uint64_t file_bytes;      /* size of the file as stored */
};

static inline const char *nadi_trace_string(const struct nadi_trace *t, uint32_t offset)
{
    return t->strings + offset;
}

static inline const char *nadi_trace_name(const struct nadi_trace *t, uint32_t node)
{
    return t->strings + t->name[node];
}

/* NULL unless the node is SEND, RECV or COLL. */
static inline const struct nadi_trace_comm *nadi_trace_comm(const struct nadi_trace *t,
                                                            uint32_t node)
{
    return t->comm[node] == NADI_NONE ? NULL : &t->comms[t->comm[node]];
}

/* The first entry of `io` of the node, or of the next that has one. */
uint32_t nadi_trace_first_io(const struct nadi_trace *t, uint32_t node);

/* Is the memory node a collective in the pool's switches? */
static inline bool nadi_trace_in_switch(const struct nadi_trace *t, uint32_t node)
{
    return t->flags[node] & NADI_NODE_HAS_KIND &&
           (t->type[node] == NADI_NODE_MEM_LOAD || t->type[node] == NADI_NODE_MEM_STORE);
}

/* Is it one of data that are the same for all? Those of a load are copied, those of a store added
 * up. In an all-to-all each NPU has data of its own. */
static inline bool nadi_trace_same_for_all(const struct nadi_trace *t, uint32_t node)
{
    return nadi_trace_in_switch(t, node) && t->collective[node] != NADI_ALL_TO_ALL;
}

/* A pause that was recorded: it takes its time, occupies nothing and is no computation. */
static inline bool nadi_trace_pauses(const struct nadi_trace *t, uint32_t node)
{
    return t->type[node] == NADI_NODE_COMP && (t->flags[node] & NADI_NODE_PAUSES);
}

enum nadi_slot { /* what a node occupies while it runs */
                 NADI_SLOT_PROCESSOR,
                 NADI_SLOT_COMPUTE,
                 NADI_SLOT_COMM,
                 NADI_SLOT_NONE, /* nothing: receives, METADATA, pauses, where dependencies say it
                                    all */
                 NADI_SLOTS
};

/* replayed: nodes take the trace's durations, whatever their type; METADATA none. */
static inline enum nadi_slot nadi_trace_slot(const struct nadi_trace *t, uint32_t node,
                                             bool replayed)
{
    if (t->type[node] == NADI_NODE_METADATA || nadi_trace_pauses(t, node))
        return NADI_SLOT_NONE;
    if (t->flags[node] & NADI_NODE_IS_CPU)
        return NADI_SLOT_PROCESSOR;
    const bool compute = t->type[node] == NADI_NODE_COMP;
    const bool memory = t->type[node] == NADI_NODE_MEM_LOAD || t->type[node] == NADI_NODE_MEM_STORE;
    if (memory && t->copies_aside && !replayed)
        return NADI_SLOT_NONE;
    if (t->type[node] == NADI_NODE_RECV || (t->concurrent && (compute || replayed)))
        return NADI_SLOT_NONE;
    return compute ? NADI_SLOT_COMPUTE : NADI_SLOT_COMM;
}

enum nadi_trace_read_flag {
    NADI_TRACE_KEEP_IO = 1 << 0, /* fill io (for memory tracking) */
};

/* Reads one .et file: plain, gzip or zstd by content. NULL with at least one error otherwise.
 * O(bytes + nodes log nodes); nodes already in id order are not sorted. Thread safe for distinct
 * diags. The caller destroys the trace. */
struct nadi_trace *nadi_trace_read(const char *path, unsigned flags,
                                   struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory; `path` is used in messages only. */
struct nadi_trace *nadi_trace_parse(const char *path, const void *data, size_t bytes,
                                    unsigned flags, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_trace_release(struct nadi_trace *t); /* what it owns, not the struct itself */
void nadi_trace_destroy(struct nadi_trace *t); /* NULL is allowed */

/* "COMP_NODE": the schema's name; "unknown" beyond the table. */
const char *nadi_node_type_name(enum nadi_node_type type);

/* Place of a node for messages: file, byte offset, rank, `17 "name"`; text in `arena`. */
struct nadi_place nadi_trace_place(const struct nadi_trace *t, uint32_t rank, uint32_t node,
                                   struct nadi_arena *arena);

#endif
