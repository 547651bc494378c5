/* decode: one message of a trace to its fields, nothing interpreted yet.
 *
 * Unknown fields are skipped. Of the attributes only those the simulator knows are kept, the first
 * of each name; of the members of an attribute's oneof the last on the wire wins. Results point
 * into the message. Faults are added to the message's diags with the byte offset. */
#ifndef NADI_TRACE_DECODE_H
#define NADI_TRACE_DECODE_H

#include "base/base.h"
#include "trace/chakra.h"
#include "trace/frames.h"

#define NADI_OLD_SCHEMA_HINT                                                                       \
    "schemas 0.0.1 to 0.0.3 number their fields differently; convert the trace with the Chakra "   \
    "tools of today (schema 0.0.4 and later)"

enum nadi_attr_key {
    NADI_ATTR_IS_CPU,
    NADI_ATTR_IS_IDLE,
    NADI_ATTR_NUM_OPS,
    NADI_ATTR_TENSOR_SIZE,
    NADI_ATTR_COMM_TYPE,
    NADI_ATTR_COMM_SIZE,
    NADI_ATTR_COMM_PRIORITY,
    NADI_ATTR_COMM_SRC,
    NADI_ATTR_COMM_DST,
    NADI_ATTR_COMM_TAG,
    NADI_ATTR_GROUP,
    NADI_ATTR_INVOLVED,
    NADI_ATTR_INPUTS,
    NADI_ATTR_OUTPUTS,
    NADI_ATTR_NANOS,
    NADI_ATTR_SIZES,
    NADI_ATTR_SPLITS,
    NADI_ATTR_MEM_OP, /* chakra.mem.*: in the order of trace/mem.h */
    NADI_ATTR_MEM_ROLE,
    NADI_ATTR_MEM_SRC,
    NADI_ATTR_MEM_DST,
    NADI_ATTR_MEM_BYTES,
    NADI_ATTR_MEM_BLOCK,
    NADI_ATTR_MEM_REUSE,
    NADI_ATTR_KEYS, /* how many; also "a name that nobody here reads" */
};

struct nadi_attr {
    const uint8_t *at;   /* first byte of the attribute, for messages */
    const uint8_t *data; /* of strings, bytes and lists */
    size_t bytes;
    uint64_t bits;   /* of numbers: as the C type of the member, sign-extended to 64 bits */
    uint32_t member; /* enum nadi_attr_member */
};

struct nadi_u64_list {
    uint64_t *items;
    size_t count, capacity;
};

struct nadi_raw_node { /* reused from node to node: keeps the memory of its lists */
    uint64_t id;
    uint64_t type;
    uint64_t start_micros, duration_micros;
    const uint8_t *name;
    size_t name_bytes;
    const uint8_t *values; /* inputs.values */
    size_t values_bytes;
    uint32_t seen;  /* bit k: attr[k] is set */
    uint32_t twice; /* bit k: and there again with another value; the first is kept */
    struct nadi_attr attr[NADI_ATTR_KEYS];
    struct nadi_u64_list data_deps, ctrl_deps;
};

void nadi_raw_node_release(struct nadi_raw_node *node);

/* False when the message is no Node; one error was added. */
bool nadi_decode_node(const struct nadi_frame *m, struct nadi_raw_node *node) NADI_MUST_USE;

/* Is an attribute of the metadata this one, and nothing else? */
bool nadi_decode_is_order(const uint8_t *data, size_t bytes);

struct nadi_raw_metadata {
    const uint8_t *version, *schema; /* field `version`; attribute `schema` */
    size_t version_bytes, schema_bytes;
    bool concurrent; /* attribute `accelerator_order` is "dependencies" */
};

enum nadi_first_message { /* what the first message of a file looks like */
                          NADI_FIRST_METADATA,
                          NADI_FIRST_NODE,       /* a Node: the metadata are missing */
                          NADI_FIRST_OLD_SCHEMA, /* of 0.0.1 to 0.0.3 */
                          NADI_FIRST_UNKNOWN,    /* not one of ours */
};

/* Looks at a first message, whole or cut; adds no diagnostics. `out` is set for METADATA only. */
enum nadi_first_message nadi_decode_first(const struct nadi_frame *m,
                                          struct nadi_raw_metadata *out);

/* "comm_size"; "uint64_val". */
const char *nadi_attr_key_name(enum nadi_attr_key key);
const char *nadi_attr_member_name(uint32_t member);

/* True for the integer and bool members. */
bool nadi_attr_is_integer(const struct nadi_attr *a);
/* True when the member is signed and its value below 0. */
bool nadi_attr_is_negative(const struct nadi_attr *a);
/* True for string_val and bytes_val. */
bool nadi_attr_is_text(const struct nadi_attr *a);

/* Offset in the file of a byte of the message. */
uint64_t nadi_message_offset(const struct nadi_frame *m, const uint8_t *at);

#endif
