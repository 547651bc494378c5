/* write: a Chakra execution trace written node by node.
 *
 *   struct nadi_trace_writer *w = nadi_trace_writer_open(path, NADI_CODING_PLAIN, diags);
 *   nadi_trace_writer_metadata(w, &metadata);      first, once
 *   nadi_trace_writer_node(w, &node);              as often as wished, any order of ids
 *   bool ok = nadi_trace_writer_close(w, diags);   errors of all calls come out here
 *
 * Nothing is checked about the graph: what the reader refuses can be written, for tests. The caller
 * keeps what it passes. Repeated numbers are packed. O(bytes). */
#ifndef NADI_TRACE_WRITE_H
#define NADI_TRACE_WRITE_H

#include "base/base.h"
#include "format/out.h"
#include "trace/decode.h"
#include "trace/trace.h"

struct nadi_write_value { /* the one that fits the member is read */
    uint64_t bits;        /* integers and bool; signed ones as two's complement of 64 bits */
    double real;          /* DOUBLE, FLOAT */
    const char *text;     /* STRING, BYTES */
    size_t text_bytes;    /* BYTES only; strings end at their terminator */
};

struct nadi_write_attr {
    const char *name;
    uint32_t member; /* enum nadi_attr_member, or that plus 1 for a list; 0: no value at all */
    struct nadi_write_value value;       /* scalars */
    const struct nadi_write_value *list; /* lists */
    size_t count;
};

struct nadi_write_io { /* IOInfo; NULL texts are left out */
    const char *values, *shapes, *types;
};

struct nadi_write_node {
    uint64_t id;
    const char *name; /* may be NULL */
    uint32_t type;    /* enum nadi_node_type, or any other number */
    uint64_t start_time_micros, duration_micros;
    const uint64_t *data_deps, *ctrl_deps;
    size_t data_dep_count, ctrl_dep_count;
    struct nadi_write_io inputs, outputs;
    const struct nadi_write_attr *attrs;
    size_t attr_count;
};

struct nadi_write_metadata {
    const char *version; /* may be NULL */
    const struct nadi_write_attr *attrs;
    size_t attr_count;
};

struct nadi_trace_writer;

struct nadi_trace_writer *nadi_trace_writer_open(const char *path, enum nadi_coding coding,
                                                 struct nadi_diags *diags) NADI_MUST_USE;
struct nadi_trace_writer *nadi_trace_writer_memory(struct nadi_str *out,
                                                   enum nadi_coding coding) NADI_MUST_USE;
void nadi_trace_writer_metadata(struct nadi_trace_writer *w,
                                const struct nadi_write_metadata *metadata);
void nadi_trace_writer_node(struct nadi_trace_writer *w, const struct nadi_write_node *node);
bool nadi_trace_writer_close(struct nadi_trace_writer *w, struct nadi_diags *diags) NADI_MUST_USE;

/* The attributes that generators need, in the kinds that are usual. */
struct nadi_write_attr nadi_write_bool(const char *name, bool value);
struct nadi_write_attr nadi_write_int32(const char *name, int32_t value);
struct nadi_write_attr nadi_write_int64(const char *name, int64_t value);
struct nadi_write_attr nadi_write_uint64(const char *name, uint64_t value);
struct nadi_write_attr nadi_write_string(const char *name, const char *value);

#endif
