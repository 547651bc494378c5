/* host: a PyTorch execution trace, the operators that a process called.
 *
 * Schemas 1.0.1 (flat nodes with "parent") to 1.1.1-chakra.1.0.0 (nodes with "ctrl_deps" and a list
 * of attributes), and linked traces, whose nodes carry times and kernels besides. Nodes lie in
 * ascending order of id; of nodes with one id the last in the file stays. The bytes of each node
 * stay reachable in the text, which is whole and belongs to the trace. About 200 bytes a node, and
 * the text. Errors: no JSON, no nodes, a node without id or name, an unknown schema. */
#ifndef NADI_CAPTURE_HOST_H
#define NADI_CAPTURE_HOST_H

#include "capture/names.h"
#include "format/json_file.h"

enum nadi_host_layout {
    NADI_HOST_FLAT = 1, /* 1.0.1 */
    NADI_HOST_ATTRS,    /* 1.0.2 and later */
};

enum nadi_host_flag {
    NADI_HOST_HAS_RF = 1 << 0,
    NADI_HOST_IS_PROCESS = 1 << 1, /* root of the process */
    NADI_HOST_IS_THREAD = 1 << 2,  /* root of a thread */
    NADI_HOST_IS_GROUPS = 1 << 3,  /* "## process_group:init ##" */
    NADI_HOST_HAS_SCHEMA = 1 << 4, /* op_schema is not empty */
    NADI_HOST_HAS_TIME = 1 << 5,   /* linked: ts_ns and dur_ns are there */
    NADI_HOST_IS_EVENT = 1 << 6,   /* linked: an event under an operator, "cat" says what */
};

struct nadi_part {      /* bytes of a node's text */
    uint32_t at, bytes; /* bytes 0: not there */
};

struct nadi_host_io { /* each a JSON list */
    struct nadi_part values, shapes, types;
};

struct nadi_host_comm { /* what record_param_comms says from schema 1.1.0 on */
    uint32_t collective, dtype, group, group_description; /* numbers of names, or NADI_NONE */
    uint32_t in_splits;                                   /* likewise: a list as text */
    int64_t in_elements, out_elements, group_size, first_rank, rank_stride; /* -1: not there */
    int64_t peer, sequence;
};

struct nadi_host_event { /* what linking adds */
    int64_t ts_ns, dur_ns;
    int64_t stream, device, correlation, bytes; /* -1: not there */
    int64_t thread;
    uint32_t category; /* number of a name, or NADI_NONE */
    uint32_t group;
};

struct nadi_host_node {
    uint64_t id, parent_id;
    uint64_t text; /* offset of its opening brace in the text */
    int64_t rf_id, fw_parent, seq_id, scope, tid, fw_tid;
    uint32_t text_bytes;
    uint32_t name, schema; /* numbers of names; schema may be NADI_NONE */
    uint32_t parent;       /* index, or NADI_NONE: not in the file, or itself */
    uint32_t flags;        /* enum nadi_host_flag */
    uint32_t comm, event;  /* indices into comms and events, or NADI_NONE */
    struct nadi_part id_part, parent_part, name_part; /* values; the name with its quotes */
    struct nadi_host_io inputs, outputs;
};

struct nadi_host_member { /* of the document, other than the nodes */
    uint64_t key_at, value_at;
    uint32_t key_bytes, value_bytes;
};

struct nadi_host {
    struct nadi_text text;
    struct nadi_names names;
    enum nadi_host_layout layout;
    uint32_t duplicates;   /* nodes dropped for their id */
    uint64_t duplicate_id; /* one such id */
    struct {
        struct nadi_host_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        struct nadi_host_comm *items;
        size_t count, capacity;
    } comms;
    struct {
        struct nadi_host_event *items;
        size_t count, capacity;
    } events;
    struct {
        struct nadi_host_member *items;
        size_t count, capacity;
    } members;
};

/* Takes over `text`, which is whole. False with an error; release all the same. */
bool nadi_host_read(struct nadi_host *h, struct nadi_text *text,
                    struct nadi_diags *diags) NADI_MUST_USE;
/* Ids that several nodes have: an error, or a warning with `force`. */
bool nadi_host_check_ids(const struct nadi_host *h, const char *path, bool force,
                         struct nadi_diags *diags) NADI_MUST_USE;
void nadi_host_release(struct nadi_host *h);

/* Index of the node with this id, or NADI_NONE. O(log nodes). */
uint32_t nadi_host_find(const struct nadi_host *h, uint64_t id);

/* The value of a member of the document; at is NULL when it has none. */
struct nadi_view nadi_host_member(const struct nadi_host *h, const char *key);

static inline const char *nadi_host_name(const struct nadi_host *h, uint32_t node)
{
    return nadi_names_get(&h->names, h->nodes.items[node].name);
}

static inline struct nadi_view
nadi_host_part(const struct nadi_host *h, const struct nadi_host_node *node, struct nadi_part part)
{
    return (struct nadi_view){.at = h->text.buffer + node->text + part.at, .bytes = part.bytes};
}

#endif
