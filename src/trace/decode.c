#include "trace/decode.h"

#include "base/mem.h"
#include "trace/mem.h"
#include "trace/trace.h"

uint64_t nadi_message_offset(const struct nadi_frame *m, const uint8_t *at)
{
    return m->data_offset + (uint64_t)(at - m->data);
}

const char *nadi_attr_key_name(enum nadi_attr_key key)
{
    static const char *const names[NADI_ATTR_KEYS] = {
        [NADI_ATTR_IS_CPU] = "is_cpu_op",
        [NADI_ATTR_IS_IDLE] = "is_idle",
        [NADI_ATTR_NUM_OPS] = "num_ops",
        [NADI_ATTR_TENSOR_SIZE] = "tensor_size",
        [NADI_ATTR_COMM_TYPE] = "comm_type",
        [NADI_ATTR_COMM_SIZE] = "comm_size",
        [NADI_ATTR_COMM_PRIORITY] = "comm_priority",
        [NADI_ATTR_COMM_SRC] = "comm_src",
        [NADI_ATTR_COMM_DST] = "comm_dst",
        [NADI_ATTR_COMM_TAG] = "comm_tag",
        [NADI_ATTR_GROUP] = "pg_name",
        [NADI_ATTR_INVOLVED] = "involved_dim",
        [NADI_ATTR_INPUTS] = "inputs",
        [NADI_ATTR_OUTPUTS] = "outputs",
        [NADI_ATTR_NANOS] = "duration_nanos",
        [NADI_ATTR_SIZES] = "comm_sizes",
        [NADI_ATTR_SPLITS] = "in_split_size",
        [NADI_ATTR_MEM_OP] = NADI_MEM_ATTR_OP,
        [NADI_ATTR_MEM_ROLE] = NADI_MEM_ATTR_ROLE,
        [NADI_ATTR_MEM_SRC] = NADI_MEM_ATTR_SRC,
        [NADI_ATTR_MEM_DST] = NADI_MEM_ATTR_DST,
        [NADI_ATTR_MEM_BYTES] = NADI_MEM_ATTR_BYTES,
        [NADI_ATTR_MEM_BLOCK] = NADI_MEM_ATTR_BLOCK,
        [NADI_ATTR_MEM_REUSE] = NADI_MEM_ATTR_REUSE,
    };
    return names[key];
}

const char *nadi_attr_member_name(uint32_t member)
{
    return member == NADI_MEMBER_NONE ? "no value" : nadi_member_of(member)->name;
}

static bool is_of_class(const struct nadi_attr *a, uint32_t classes)
{
    if (a->member == NADI_MEMBER_NONE)
        return false;
    const struct nadi_member *member = nadi_member_of(a->member);
    return !member->is_list && (classes >> member->value_class & 1);
}

bool nadi_attr_is_integer(const struct nadi_attr *a)
{
    return is_of_class(a,
                       1u << NADI_VALUE_SIGNED | 1u << NADI_VALUE_UNSIGNED | 1u << NADI_VALUE_BOOL);
}

bool nadi_attr_is_negative(const struct nadi_attr *a)
{
    return (int64_t)a->bits < 0 && is_of_class(a, 1u << NADI_VALUE_SIGNED);
}

bool nadi_attr_is_text(const struct nadi_attr *a)
{
    return a->member == NADI_MEMBER_STRING || a->member == NADI_MEMBER_BYTES;
}

static const char *wire_type_name(uint32_t type)
{
    static const char *const names[] = {"varint",          "64-bit value",   "length and bytes",
                                        "start of group",  "end of group",   "32-bit value",
                                        "reserved type 6", "reserved type 7"};
    return names[type & 7];
}

/* "message 3 at byte 70: <what>" at the byte `at`. */
static bool bad_message(const struct nadi_frame *m, const uint8_t *at, const char *what)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = nadi_message_offset(m, at);
    return nadi_error(m->diags, "trace/bad-message", place,
                      "the file is damaged here, or was written with another schema than Chakra's",
                      "message %" PRIu64 " at byte %" PRIu64 ": %s", m->number, m->offset, what);
}

/* What nadi_wire_next refused. */
static bool bad_field(const struct nadi_frame *m, const struct nadi_wire_field *f,
                      enum nadi_wire_result result)
{
    char text[96];
    if (result == NADI_WIRE_BAD_TYPE) {
        snprintf(text, sizeof text, "field %u has wire type %u (%s)", f->number, f->type,
                 wire_type_name(f->type));
        return bad_message(m, f->at, text);
    }
    return bad_message(m, f->at,
                       result == NADI_WIRE_CUT ? "ends inside a field"
                                               : "has a field whose number is not allowed");
}

static bool wrong_type(const struct nadi_frame *m, const struct nadi_wire_field *f,
                       const char *name, uint32_t wanted)
{
    char text[160];
    snprintf(text, sizeof text, "%s (field %u) is stored as a %s where a %s is wanted", name,
             f->number, wire_type_name(f->type), wire_type_name(wanted));
    return bad_message(m, f->at, text);
}

static bool old_schema(const struct nadi_frame *m, const uint8_t *at, const char *sign)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = nadi_message_offset(m, at);
    return nadi_error(m->diags, "trace/old-schema", place, NADI_OLD_SCHEMA_HINT,
                      "message %" PRIu64 " at byte %" PRIu64
                      " is a node of an old Chakra schema (0.0.1 to 0.0.3): %s",
                      m->number, m->offset, sign);
}

static enum nadi_attr_key key_of(const uint8_t *name, size_t bytes)
{
#define IS(text, key)                                                                              \
    if (memcmp(name, text, sizeof(text) - 1) == 0)                                                 \
    return key
    switch (bytes) {
    case 6:
        IS("inputs", NADI_ATTR_INPUTS);
        break;
    case 7:
        IS("num_ops", NADI_ATTR_NUM_OPS);
        IS("outputs", NADI_ATTR_OUTPUTS);
        IS("pg_name", NADI_ATTR_GROUP);
        IS("is_idle", NADI_ATTR_IS_IDLE);
        break;
    case 8:
        IS("comm_src", NADI_ATTR_COMM_SRC);
        IS("comm_dst", NADI_ATTR_COMM_DST);
        IS("comm_tag", NADI_ATTR_COMM_TAG);
        break;
    case 9:
        IS("is_cpu_op", NADI_ATTR_IS_CPU);
        IS("comm_type", NADI_ATTR_COMM_TYPE);
        IS("comm_size", NADI_ATTR_COMM_SIZE);
        break;
    case 10:
        IS("comm_sizes", NADI_ATTR_SIZES);
        break;
    case 11:
        IS("tensor_size", NADI_ATTR_TENSOR_SIZE);
        break;
    case 12:
        IS("involved_dim", NADI_ATTR_INVOLVED);
        break;
    case 13:
        IS("comm_priority", NADI_ATTR_COMM_PRIORITY);
        IS("in_split_size", NADI_ATTR_SPLITS);
        break;
    case 14:
        IS("duration_nanos", NADI_ATTR_NANOS);
        break;
    case 16:
        IS(NADI_MEM_ATTR_BYTES, NADI_ATTR_MEM_BYTES);
        break;
    case 17:
        IS(NADI_MEM_ATTR_OP, NADI_ATTR_MEM_OP);
        break;
    case 19:
        IS(NADI_MEM_ATTR_ROLE, NADI_ATTR_MEM_ROLE);
        IS(NADI_MEM_ATTR_SRC, NADI_ATTR_MEM_SRC);
        IS(NADI_MEM_ATTR_DST, NADI_ATTR_MEM_DST);
        IS(NADI_MEM_ATTR_BLOCK, NADI_ATTR_MEM_BLOCK);
        break;
    case 20:
        IS(NADI_MEM_ATTR_REUSE, NADI_ATTR_MEM_REUSE);
        break;
    default:
        break;
    }
#undef IS
    return NADI_ATTR_KEYS;
}

/* One AttributeProto: its name and the winning member. */
static bool decode_attr(const struct nadi_frame *m, const struct nadi_wire_field *whole,
                        struct nadi_attr *a, enum nadi_attr_key *key)
{
    struct nadi_wire_cursor w = nadi_wire_of(whole->data, whole->bytes);
    struct nadi_wire_field f;
    enum nadi_wire_result result;
    *a = (struct nadi_attr){.at = whole->at};
    *key = NADI_ATTR_KEYS;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number == NADI_CHAKRA_ATTR_NAME) {
            if (f.type != NADI_WIRE_BYTES)
                return wrong_type(m, &f, "an attribute's name", NADI_WIRE_BYTES);
            *key = key_of(f.data, f.bytes);
        } else if (f.number == NADI_CHAKRA_ATTR_DOC && f.type == NADI_WIRE_VARINT) {
            return old_schema(m, f.at, "an attribute has a type number instead of a text");
        } else if (f.number >= NADI_MEMBER_FIRST && f.number <= NADI_MEMBER_LAST) {
            const struct nadi_member *member = nadi_member_of(f.number);
            if (f.type != nadi_member_wire(member))
                return wrong_type(m, &f, member->name, nadi_member_wire(member));
            a->member = f.number;
            if (f.type == NADI_WIRE_BYTES) {
                a->data = f.data;
                a->bytes = f.bytes;
            } else {
                a->bits = nadi_member_widen(member, f.bits);
            }
        }
    }
    return result == NADI_WIRE_END || bad_field(m, &f, result);
}

/* A repeated uint64: packed or one value. */
static bool add_deps(const struct nadi_frame *m, const struct nadi_wire_field *f, const char *name,
                     struct nadi_u64_list *list)
{
    if (f->type == NADI_WIRE_VARINT) {
        NADI_PUSH(list, f->bits);
        return true;
    }
    if (f->type != NADI_WIRE_BYTES)
        return wrong_type(m, f, name, NADI_WIRE_BYTES);
    struct nadi_wire_cursor w = nadi_wire_of(f->data, f->bytes);
    NADI_RESERVE(list, list->count + f->bytes);
    while (w.at < w.end) {
        if (!nadi_wire_varint(&w, &list->items[list->count++]))
            return bad_message(m, w.at, "a packed list of dependencies ends inside a number");
    }
    return true;
}

/* IOInfo: only `values` is of use, for METADATA nodes. */
static bool decode_io_info(const struct nadi_frame *m, const struct nadi_wire_field *whole,
                           struct nadi_raw_node *node)
{
    struct nadi_wire_cursor w = nadi_wire_of(whole->data, whole->bytes);
    struct nadi_wire_field f;
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number != NADI_CHAKRA_VALUES)
            continue;
        if (f.type != NADI_WIRE_BYTES)
            return wrong_type(m, &f, "inputs.values", NADI_WIRE_BYTES);
        node->values = f.data;
        node->values_bytes = f.bytes;
    }
    return result == NADI_WIRE_END || bad_field(m, &f, result);
}

static bool is_same(const struct nadi_attr *a, const struct nadi_attr *b)
{
    return a->member == b->member && a->bits == b->bits && a->bytes == b->bytes &&
           (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

static bool add_attr(const struct nadi_frame *m, const struct nadi_wire_field *f,
                     struct nadi_raw_node *node)
{
    struct nadi_attr a;
    enum nadi_attr_key key;
    if (!decode_attr(m, f, &a, &key))
        return false;
    if (key == NADI_ATTR_KEYS)
        return true;
    if (node->seen >> key & 1) {
        if (NADI_UNLIKELY(!is_same(&node->attr[key], &a)))
            node->twice |= 1u << key;
        return true;
    }
    node->seen |= 1u << key;
    node->attr[key] = a;
    return true;
}

enum { OLD_ATTR = 11 };

/* Field 11 of an old Node is an attribute: a name, then a type number. */
static bool is_old_attribute(const struct nadi_wire_field *whole)
{
    struct nadi_wire_cursor w = nadi_wire_of(whole->data, whole->bytes);
    struct nadi_wire_field name, type;
    return nadi_wire_next(&w, &name) == NADI_WIRE_FIELD && name.number == 1 &&
           name.type == NADI_WIRE_BYTES && nadi_wire_next(&w, &type) == NADI_WIRE_FIELD &&
           type.number == 2 && type.type == NADI_WIRE_VARINT;
}

static bool decode_field(const struct nadi_frame *m, const struct nadi_wire_field *f,
                         struct nadi_raw_node *node)
{
    if (f->number > NADI_CHAKRA_ATTR) {
        if (f->number == OLD_ATTR && f->type == NADI_WIRE_BYTES && is_old_attribute(f))
            return old_schema(m, f->at, "its attributes are in field 11");
        return true;
    }
    const struct nadi_chakra_field *field = &nadi_chakra_node.fields[f->number];
    if (field->form == NADI_CHAKRA_FORM_IDS)
        return add_deps(m, f, field->name,
                        f->number == NADI_CHAKRA_CTRL_DEPS ? &node->ctrl_deps : &node->data_deps);
    if (f->type != nadi_chakra_wire(field)) {
        if ((f->number == NADI_CHAKRA_START || f->number == NADI_CHAKRA_DURATION) &&
            f->type == NADI_WIRE_BYTES)
            return old_schema(m, f->at, "fields 6 and 7 are texts");
        return wrong_type(m, f, field->name, nadi_chakra_wire(field));
    }
    switch (f->number) {
    case NADI_CHAKRA_ID:
        node->id = f->bits;
        return true;
    case NADI_CHAKRA_NAME:
        node->name = f->data;
        node->name_bytes = f->bytes;
        return true;
    case NADI_CHAKRA_TYPE:
        node->type = f->bits;
        return true;
    case NADI_CHAKRA_START:
        node->start_micros = f->bits;
        return true;
    case NADI_CHAKRA_DURATION:
        node->duration_micros = f->bits;
        return true;
    case NADI_CHAKRA_INPUTS:
        return decode_io_info(m, f, node);
    case NADI_CHAKRA_ATTR:
        return add_attr(m, f, node);
    default: /* outputs */
        return true;
    }
}

bool nadi_decode_node(const struct nadi_frame *m, struct nadi_raw_node *node)
{
    struct nadi_wire_cursor w = nadi_wire_of(m->data, m->bytes);
    struct nadi_wire_field f;
    enum nadi_wire_result result;
    node->id = node->type = node->start_micros = node->duration_micros = 0;
    node->name = node->values = NULL;
    node->name_bytes = node->values_bytes = 0;
    node->seen = node->twice = 0;
    node->data_deps.count = node->ctrl_deps.count = 0;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (NADI_UNLIKELY(!decode_field(m, &f, node)))
            return false;
    }
    return result == NADI_WIRE_END || bad_field(m, &f, result);
}

void nadi_raw_node_release(struct nadi_raw_node *node)
{
    nadi_mem_free(node->data_deps.items);
    nadi_mem_free(node->ctrl_deps.items);
    *node = (struct nadi_raw_node){0};
}

bool nadi_decode_is_order(const uint8_t *data, size_t bytes)
{
    static const char order[] = "\x0a\x11" NADI_ORDER_ATTR "\xea\x01\x0c" NADI_ORDER_GIVEN;
    return bytes == sizeof(order) - 1 && memcmp(data, order, bytes) == 0;
}

enum attr_look { LOOK_ATTR, LOOK_OLD, LOOK_OTHER };

/* Does field 2 of a first message hold an attribute? A Node's field 2 is its name. */
static enum attr_look look_at_attr(const struct nadi_wire_field *whole,
                                   struct nadi_raw_metadata *out)
{
    struct nadi_wire_cursor w = nadi_wire_of(whole->data, whole->bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    bool is_schema = false, any = false;
    out->concurrent |= nadi_decode_is_order(whole->data, whole->bytes);
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        any = true;
        if (f.number == 1 && f.type == NADI_WIRE_BYTES) {
            is_schema = f.bytes == 6 && memcmp(f.data, "schema", 6) == 0;
        } else if (f.number == 2 && f.type == NADI_WIRE_VARINT) {
            return LOOK_OLD;
        } else if (f.number >= NADI_MEMBER_FIRST && f.number <= NADI_MEMBER_LAST &&
                   f.type != nadi_member_wire(nadi_member_of(f.number))) {
            return LOOK_OTHER;
        } else if (f.number == NADI_MEMBER_STRING && is_schema) {
            out->schema = f.data;
            out->schema_bytes = f.bytes;
        }
    }
    return result == NADI_WIRE_END && (any || whole->bytes == 0) ? LOOK_ATTR : LOOK_OTHER;
}

enum nadi_first_message nadi_decode_first(const struct nadi_frame *m, struct nadi_raw_metadata *out)
{
    struct nadi_wire_cursor w = nadi_wire_of(m->data, m->bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    bool node = false, old = false, attr = false, other_attr = false;
    *out = (struct nadi_raw_metadata){0};
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number == 1 && f.type == NADI_WIRE_BYTES) {
            out->version = f.data;
            out->version_bytes = f.bytes;
        } else if (f.number == 2 && f.type == NADI_WIRE_BYTES) {
            enum attr_look look = look_at_attr(&f, out);
            attr = true;
            old = old || look == LOOK_OLD;
            other_attr = other_attr || look == LOOK_OTHER;
        } else if (f.number == OLD_ATTR && f.type == NADI_WIRE_BYTES && is_old_attribute(&f)) {
            old = true;
        } else if ((f.number <= 7 && f.type == NADI_WIRE_VARINT && f.number != 2) ||
                   (f.number == 10 && f.type == NADI_WIRE_BYTES)) {
            node = true;
        } else if (f.number <= 2) {
            return NADI_FIRST_UNKNOWN;
        }
    }
    bool cut = m->cut && result != NADI_WIRE_BAD_NUMBER && result != NADI_WIRE_BAD_TYPE;
    if (result != NADI_WIRE_END && !cut)
        return NADI_FIRST_UNKNOWN;
    if (old)
        return NADI_FIRST_OLD_SCHEMA;
    if (node)
        return out->version ? NADI_FIRST_UNKNOWN : NADI_FIRST_NODE;
    bool begins_well = m->bytes && (m->data[0] == 0x0a || m->data[0] == 0x12);
    bool evidence = out->version || attr || (cut ? begins_well : m->bytes == 0);
    return evidence && !other_attr ? NADI_FIRST_METADATA : NADI_FIRST_UNKNOWN;
}
