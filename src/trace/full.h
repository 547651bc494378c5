/* full: one trace file with everything that is in it, for tools that must lose nothing.
 *
 * A node is its message as stored, unknown fields and all, with the fields that every tool needs
 * decoded beside it; nodes stand in file order. What a tool changes is written anew by
 * full_write.h, the rest is copied. Unlike nadi_trace, a graph with faults (double ids, cycles,
 * dependencies on nothing) can be held, so that it can be examined and repaired.
 *
 * Memory: the inflated file and about 90 bytes a node. Ownership: all of it belongs to the file. */
#ifndef NADI_TRACE_FULL_H
#define NADI_TRACE_FULL_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "trace/attr.h"
#include "trace/decode.h"
#include "trace/trace.h"

struct nadi_full_node {
    uint64_t id;
    uint64_t offset; /* of its frame in the inflated file */
    uint64_t start_micros, duration_micros;
    const uint8_t *data; /* the message */
    const uint8_t *name; /* in it; not terminated */
    uint32_t bytes, name_bytes;
    uint32_t type;                 /* enum nadi_node_type, or a number beyond it */
    uint32_t data_deps, ctrl_deps; /* how many */
    uint64_t first_dep;            /* in the file's dep_ids: data dependencies, then control */
};

struct nadi_full {
    struct nadi_arena arena;
    const char *path;
    const uint8_t *metadata; /* the GlobalMetadata message */
    size_t metadata_bytes;
    struct nadi_full_node *nodes;
    size_t node_count, node_capacity;
    struct nadi_u64_list dep_ids;
    uint64_t first_micros, last_micros; /* of nodes with a start above 0: the first one, the latest
                                           end; UINT64_MAX and 0 without any */
    struct nadi_raw_node raw;           /* scratch of the reader */
};

/* Reads a file ("-": standard input). NULL with errors when it is damaged: framing, wire format,
 * the metadata. Faults of the graph are not looked for. O(bytes). */
struct nadi_full *nadi_full_read(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
struct nadi_full *nadi_full_parse(const char *path, const void *data, size_t bytes,
                                  struct nadi_diags *diags) NADI_MUST_USE;
void nadi_full_destroy(struct nadi_full *f); /* NULL is allowed */

/* For readers of their own: an empty file; then its messages. add returns false with an error. */
struct nadi_full *nadi_full_create(const char *path) NADI_MUST_USE;
void nadi_full_set_metadata(struct nadi_full *f, const struct nadi_frame *m);
bool nadi_full_add(struct nadi_full *f, const struct nadi_frame *m) NADI_MUST_USE;

/* Is it known when the node starts? A file does not tell a start at 0 from none: a node that takes
 * time and waits for nothing starts at 0 if that is a time of the others' clock: not if it lies far
 * before the first of them, more than 16 times what they and the node take. */
static inline bool nadi_full_has_start(const struct nadi_full *f, const struct nadi_full_node *n)
{
    return n->start_micros ||
           (n->duration_micros && !n->data_deps && !n->ctrl_deps &&
            f->first_micros <= f->last_micros &&
            f->first_micros / 16 <= f->last_micros - f->first_micros + n->duration_micros);
}

/* Dependency ids of a node: data_deps of them, then ctrl_deps. */
static inline const uint64_t *nadi_full_deps(const struct nadi_full *f,
                                             const struct nadi_full_node *n)
{
    return f->dep_ids.items + n->first_dep;
}

/* Attributes, by walking the node's message. O(its bytes). */
bool nadi_full_attr(const struct nadi_full_node *n, const char *name, struct nadi_named_attr *attr);
/* Integer or bool; `absent` when there is none or it is of another kind. */
int64_t nadi_full_integer(const struct nadi_full_node *n, const char *name, int64_t absent);

/* Place of a node for messages; text in `arena`. rank may be NADI_NONE. */
struct nadi_place nadi_full_place(const struct nadi_full *f, uint32_t rank, size_t node,
                                  struct nadi_arena *arena);

#endif
