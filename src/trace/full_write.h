/* full_write: nodes of a full trace written again, with some of their fields changed.
 *
 * What a patch does not name is copied as it stands, byte for byte: unknown fields, attributes that
 * nobody here reads, unusual encodings. Without a patch the message is copied whole. O(bytes). */
#ifndef NADI_TRACE_FULL_WRITE_H
#define NADI_TRACE_FULL_WRITE_H

#include "base/str.h"
#include "format/out.h"
#include "trace/full.h"

enum nadi_attr_patch_kind {
    NADI_ATTR_PATCH_NONE,
    NADI_ATTR_PATCH_DROP,
    NADI_ATTR_PATCH_INTEGER,
    NADI_ATTR_PATCH_TEXT,
};

struct nadi_attr_patch { /* an attribute of that name; its other members are kept */
    const char *name, *text;
    uint64_t bits; /* INTEGER; keeps the attribute's kind where that is a plain integer */
    enum nadi_attr_patch_kind kind;
    uint32_t member; /* INTEGER: kind of an attribute that is new; 0: never add one */
};

struct nadi_node_patch {
    const uint64_t *data_deps, *ctrl_deps;
    size_t data_count, ctrl_count;
    uint64_t id, duration_micros;
    const struct nadi_attr_patch *attrs;
    const char *name; /* or NULL */
    size_t attr_count;
    bool deps, has_id, has_duration; /* which of the above are meant */
    bool drop_inputs;                /* the field, not an attribute */
};

void nadi_full_write_metadata(struct nadi_out *sink, const struct nadi_full *f);
/* scratch keeps its memory from call to call; patch may be NULL. */
void nadi_full_write_node(struct nadi_out *sink, struct nadi_str *scratch,
                          const struct nadi_full_node *n, const struct nadi_node_patch *patch);

#endif
