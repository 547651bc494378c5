#include "trace/stage.h"

#include "base/mem.h"
#include "base/str.h"
#include "format/wire.h"
#include "trace/attr.h"
#include "trace/mem.h"
#include "trace/strings.h"

enum {
    FIRST_NODES = 64,
    ROOM_FOR_LABEL = 128,
    DIGITS_KEPT = 40, /* of a text shown in a message */
};

void nadi_stage_init(struct nadi_stage *s, struct nadi_trace *trace, unsigned flags)
{
    *s = (struct nadi_stage){
        .trace = trace, .flags = flags, .node_limit = NADI_NONE - 1, .ascending = true};
    nadi_trace_strings_init(&s->strings, trace);
}

void nadi_stage_release(struct nadi_stage *s)
{
    nadi_mem_free(s->dep_ids.items);
    nadi_raw_node_release(&s->raw);
}

/* `17 "name"` of the node being read. */
static const char *label(const struct nadi_raw_node *raw, char buffer[ROOM_FOR_LABEL])
{
    int at = snprintf(buffer, ROOM_FOR_LABEL, "%" PRIu64, raw->id);
    if (raw->name_bytes)
        nadi_trace_quote(buffer + at, (size_t)(ROOM_FOR_LABEL - at), raw->name, raw->name_bytes);
    return buffer;
}

static struct nadi_place place_of(const struct nadi_frame *m, const struct nadi_raw_node *raw,
                                  const uint8_t *at, char buffer[ROOM_FOR_LABEL])
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = at ? nadi_message_offset(m, at) : m->offset;
    place.node = label(raw, buffer);
    return place;
}

enum found { FOUND_NOT, FOUND, FOUND_BAD };

static enum found wrong_kind(const struct nadi_stage *s, const struct nadi_frame *m,
                             enum nadi_attr_key key, const char *wanted,
                             enum nadi_severity severity)
{
    char buffer[ROOM_FOR_LABEL];
    const struct nadi_attr *a = &s->raw.attr[key];
    nadi_diags_add(m->diags, severity, "trace/attribute-kind", place_of(m, &s->raw, a->at, buffer),
                   severity == NADI_ERROR ? "write the attribute with a member of the wanted kind"
                                          : "taken as absent; needed only where it is read",
                   "attribute \"%s\" holds %s where %s is wanted", nadi_attr_key_name(key),
                   nadi_attr_member_name(a->member), wanted);
    return severity == NADI_ERROR ? FOUND_BAD : FOUND_NOT;
}

/* `severity` of a wrong kind: an error where every run reads the attribute. */
static enum found get_integer(const struct nadi_stage *s, const struct nadi_frame *m,
                              enum nadi_attr_key key, enum nadi_severity severity, uint64_t *value)
{
    if (!(s->raw.seen >> key & 1))
        return FOUND_NOT;
    const struct nadi_attr *a = &s->raw.attr[key];
    if (NADI_UNLIKELY(!nadi_attr_is_integer(a)))
        return wrong_kind(s, m, key, "an integer or bool", severity);
    *value = a->bits;
    return FOUND;
}

/* A count of bytes or operations. */
static enum found get_size(const struct nadi_stage *s, const struct nadi_frame *m,
                           enum nadi_attr_key key, enum nadi_severity severity, uint64_t *value)
{
    enum found found = get_integer(s, m, key, severity, value);
    if (found == FOUND && NADI_UNLIKELY(nadi_attr_is_negative(&s->raw.attr[key]))) {
        char buffer[ROOM_FOR_LABEL];
        nadi_diags_add(m->diags, severity, "trace/attribute-range",
                       place_of(m, &s->raw, s->raw.attr[key].at, buffer),
                       severity == NADI_ERROR ? "sizes are counts of bytes, 0 or more"
                                              : "taken as absent; needed only where it is read",
                       "attribute \"%s\" is %" PRId64 ", below 0", nadi_attr_key_name(key),
                       (int64_t)*value);
        return severity == NADI_ERROR ? FOUND_BAD : FOUND_NOT;
    }
    return found;
}

/* Read as uint32: C conversion, as the reference does; loud where digits are lost. */
static enum found get_u32(const struct nadi_stage *s, const struct nadi_frame *m,
                          enum nadi_attr_key key, uint32_t *value)
{
    uint64_t wide = 0;
    enum found found = get_integer(s, m, key, NADI_ERROR, &wide);
    *value = (uint32_t)wide;
    if (found == FOUND && NADI_UNLIKELY(wide != *value) && (int64_t)wide != (int32_t)*value) {
        char buffer[ROOM_FOR_LABEL];
        nadi_warning(m->diags, "trace/attribute-range",
                     place_of(m, &s->raw, s->raw.attr[key].at, buffer),
                     "write a number that fits in 32 bits",
                     "attribute \"%s\" is %" PRIu64 "; only its low 32 bits (%" PRIu32 ") are used",
                     nadi_attr_key_name(key), wide, *value);
    }
    return found;
}

static bool get_group(struct nadi_stage *s, const struct nadi_frame *m,
                      struct nadi_trace_comm *comm)
{
    comm->group = NADI_NONE;
    if (!(s->raw.seen >> NADI_ATTR_GROUP & 1))
        return true;
    const struct nadi_attr *a = &s->raw.attr[NADI_ATTR_GROUP];
    if (!nadi_attr_is_text(a))
        return wrong_kind(s, m, NADI_ATTR_GROUP, "a string", NADI_ERROR) != FOUND_BAD;
    return nadi_trace_strings_add(&s->strings, m, a->data, a->bytes, &comm->group);
}

static bool bad_list(const struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key,
                     const char *code, const char *what, const char *hint)
{
    char buffer[ROOM_FOR_LABEL];
    return nadi_error(m->diags, code, place_of(m, &s->raw, s->raw.attr[key].at, buffer), hint,
                      "attribute \"%s\" %s", nadi_attr_key_name(key), what);
}

static void add_involved(struct nadi_trace_comm *comm, uint32_t *count, uint64_t bits)
{
    if (bits && *count < 32)
        comm->involved |= 1u << *count;
    ++*count;
}

static bool get_involved(struct nadi_stage *s, const struct nadi_frame *m,
                         struct nadi_trace_comm *comm)
{
    comm->involved = UINT32_MAX;
    comm->involved_count = 0;
    if (!(s->raw.seen >> NADI_ATTR_INVOLVED & 1))
        return true;
    const struct nadi_attr *a = &s->raw.attr[NADI_ATTR_INVOLVED];
    bool read_by_run = comm->group == NADI_NONE || s->trace->strings[comm->group] == '\0';
    if (a->member != NADI_MEMBER_BOOL_LIST)
        return wrong_kind(s, m, NADI_ATTR_INVOLVED, "a bool_list",
                          read_by_run ? NADI_ERROR : NADI_WARNING) != FOUND_BAD;
    struct nadi_wire_cursor w = nadi_wire_of(a->data, a->bytes);
    struct nadi_wire_field f;
    enum nadi_wire_result result;
    uint32_t count = 0;
    bool damaged = false;
    comm->involved = 0;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number != 1)
            continue;
        uint64_t bits;
        if (f.type == NADI_WIRE_VARINT) {
            add_involved(comm, &count, f.bits);
        } else if (f.type == NADI_WIRE_BYTES) {
            struct nadi_wire_cursor list = nadi_wire_of(f.data, f.bytes);
            while (nadi_wire_varint(&list, &bits))
                add_involved(comm, &count, bits);
            damaged = damaged || list.at < list.end;
        }
    }
    if (damaged || result != NADI_WIRE_END)
        return bad_list(s, m, NADI_ATTR_INVOLVED, "trace/bad-message", "is damaged",
                        "the file is damaged here");
    comm->involved_count = (uint8_t)nadi_min_u64(count, UINT8_MAX);
    return true;
}

static bool bad_collective(const struct nadi_stage *s, const struct nadi_frame *m, uint64_t kind)
{
    char buffer[ROOM_FOR_LABEL];
    bool below = nadi_attr_is_negative(&s->raw.attr[NADI_ATTR_COMM_TYPE]);
    return nadi_error(m->diags, "trace/collective-type",
                      place_of(m, &s->raw, s->raw.attr[NADI_ATTR_COMM_TYPE].at, buffer),
                      "allowed: 0 ALL_REDUCE, 1 REDUCE, 2 ALL_GATHER, 3 GATHER, 4 SCATTER, "
                      "5 BROADCAST, 6 ALL_TO_ALL, 7 REDUCE_SCATTER, 8 REDUCE_SCATTER_BLOCK, "
                      "9 BARRIER",
                      "comm_type %s%" PRIu64 " is no collective", below ? "-" : "",
                      below ? 0 - kind : kind);
}

/* The root of a collective that has one: comm_src where data come from it, else comm_dst. */
static bool get_root(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n,
                     struct nadi_trace_comm *comm)
{
    struct nadi_trace *t = s->trace;
    const enum nadi_collective_root root =
        nadi_collective_root((enum nadi_collective_kind)t->collective[n]);
    enum found found = FOUND_NOT;
    if (root == NADI_ROOT_FROM) {
        found = get_u32(s, m, NADI_ATTR_COMM_SRC, &comm->src);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_SRC : 0);
    } else if (root == NADI_ROOT_TO) {
        found = get_u32(s, m, NADI_ATTR_COMM_DST, &comm->dst);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_DST : 0);
    }
    return found != FOUND_BAD;
}

static bool bad_sizes(const struct nadi_stage *s, const struct nadi_frame *m,
                      enum nadi_attr_key key, const char *what)
{
    return bad_list(s, m, key, "trace/sizes", what,
                    key == NADI_ATTR_SIZES
                        ? "a list of bytes, one for each member of the group"
                        : "a list of elements, one for each member of the group");
}

static bool add_size(struct nadi_stage *s, uint64_t size)
{
    struct nadi_trace *t = s->trace;
    if (t->sizes_count == NADI_NONE - 1)
        return false;
    if (t->sizes_count == s->size_capacity)
        t->sizes = nadi_mem_grow(t->sizes, &s->size_capacity, (size_t)t->sizes_count + 1,
                                 sizeof(*t->sizes));
    t->sizes[t->sizes_count++] = size;
    return true;
}

/* "[1, 2, 3]", as captures have it. */
static bool add_sizes_of_text(struct nadi_stage *s, const struct nadi_attr *a)
{
    for (size_t i = 0; i < a->bytes;) {
        uint64_t size = 0;
        const size_t first = i;
        for (; i < a->bytes && a->data[i] >= '0' && a->data[i] <= '9'; i++) {
            if (size > (UINT64_MAX - 9) / 10)
                return false;
            size = size * 10 + (uint64_t)(a->data[i] - '0');
        }
        if (i > first && !add_size(s, size))
            return false;
        if (i == first && !strchr("[](), \t", a->data[i++]))
            return false;
    }
    return true;
}

static bool add_sizes_of_list(struct nadi_stage *s, const struct nadi_attr *a)
{
    struct nadi_attr_items items = nadi_attr_items_begin(a);
    struct nadi_attr item;
    while (nadi_attr_items_next(&items, &item))
        if ((items.member->value_class == NADI_VALUE_SIGNED && (int64_t)item.bits < 0) ||
            !add_size(s, item.bits))
            return false;
    return !items.damaged;
}

static bool is_integer_list(const struct nadi_attr *a)
{
    const struct nadi_member *member =
        a->member >= NADI_MEMBER_FIRST && a->member <= NADI_MEMBER_LAST ? nadi_member_of(a->member)
                                                                        : NULL;
    return member && member->is_list &&
           (member->value_class == NADI_VALUE_SIGNED || member->value_class == NADI_VALUE_UNSIGNED);
}

/* What an all-to-all sends to each member: bytes, or shares of comm_size as captures have them. */
static bool get_sizes(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n,
                      struct nadi_trace_comm *comm)
{
    struct nadi_trace *t = s->trace;
    const bool bytes = s->raw.seen >> NADI_ATTR_SIZES & 1;
    const enum nadi_attr_key key = bytes ? NADI_ATTR_SIZES : NADI_ATTR_SPLITS;
    if (!(s->raw.seen >> key & 1) || t->collective[n] != NADI_ALL_TO_ALL)
        return true;
    const struct nadi_attr *a = &s->raw.attr[key];
    comm->sizes = t->sizes_count;
    comm->shares = !bytes;
    if (!nadi_attr_is_text(a) && !is_integer_list(a))
        return wrong_kind(s, m, key, "a list of integers", NADI_ERROR) != FOUND_BAD;
    if (nadi_attr_is_text(a) ? !add_sizes_of_text(s, a) : !add_sizes_of_list(s, a))
        return bad_sizes(s, m, key, "is no list of sizes, 0 or more");
    comm->size_count = t->sizes_count - comm->sizes;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < comm->size_count; i++) {
        const uint64_t size = t->sizes[comm->sizes + i];
        if (size > UINT64_MAX / 2 - sum)
            return bad_sizes(s, m, key, "adds up to more than 2^63 bytes");
        sum += size;
    }
    const bool has_size = s->raw.seen >> NADI_ATTR_COMM_SIZE & 1;
    if (bytes && comm->size_count && !has_size) {
        t->bytes[n] = sum;
        t->flags[n] |= NADI_NODE_HAS_BYTES;
    } else if (bytes && comm->size_count && sum != t->bytes[n]) {
        char what[96];
        snprintf(what, sizeof what, "adds up to %" PRIu64 " bytes, but comm_size is %" PRIu64, sum,
                 t->bytes[n]);
        return bad_sizes(s, m, key, what);
    } else if (!bytes && comm->size_count && sum == 0 && t->bytes[n] > 0) {
        return bad_sizes(s, m, key, "shares out comm_size to nobody");
    }
    return true;
}

/* What only SEND, RECV and COLL nodes have. */
static bool add_comm(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    struct nadi_trace_comm comm = {.group = NADI_NONE, .involved = UINT32_MAX};
    uint32_t priority = 0;
    uint64_t kind = 0;
    enum found found[5] = {get_size(s, m, NADI_ATTR_COMM_SIZE, NADI_ERROR, &t->bytes[n])};
    if (t->type[n] == NADI_NODE_COLL) {
        found[1] = get_integer(s, m, NADI_ATTR_COMM_TYPE, NADI_ERROR, &kind);
        found[2] = get_u32(s, m, NADI_ATTR_COMM_PRIORITY, &priority);
        if (found[1] == FOUND && kind >= NADI_COLLECTIVE_KINDS)
            return bad_collective(s, m, kind);
        t->collective[n] = (uint8_t)kind;
        if (!get_group(s, m, &comm) || !get_involved(s, m, &comm) || !get_root(s, m, n, &comm) ||
            !get_sizes(s, m, n, &comm))
            return false;
    } else {
        found[1] = get_u32(s, m, NADI_ATTR_COMM_SRC, &comm.src);
        found[2] = get_u32(s, m, NADI_ATTR_COMM_DST, &comm.dst);
        found[3] = get_u32(s, m, NADI_ATTR_COMM_TAG, &comm.tag);
        t->flags[n] |= (uint8_t)((found[1] == FOUND ? NADI_NODE_HAS_SRC : 0) |
                                 (found[2] == FOUND ? NADI_NODE_HAS_DST : 0) |
                                 (found[3] == FOUND ? NADI_NODE_HAS_TAG : 0));
    }
    for (size_t i = 0; i < 4; i++) {
        if (found[i] == FOUND_BAD)
            return false;
    }
    if (found[0] == FOUND)
        t->flags[n] |= NADI_NODE_HAS_BYTES;
    if (t->type[n] == NADI_NODE_COLL && found[1] == FOUND)
        t->flags[n] |= NADI_NODE_HAS_KIND;
    comm.priority = (int32_t)priority;
    if (t->comm_count == s->comm_capacity)
        t->comms = nadi_mem_grow(t->comms, &s->comm_capacity, (size_t)t->comm_count + 1,
                                 sizeof(*t->comms));
    t->comm[n] = t->comm_count;
    t->comms[t->comm_count++] = comm;
    return true;
}

static bool add_metadata_text(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    uint32_t text;
    if (s->raw.values_bytes == 0)
        return true;
    if (!nadi_trace_strings_add(&s->strings, m, s->raw.values, s->raw.values_bytes, &text))
        return false;
    size_t capacity = s->metadata_capacity;
    if (t->metadata_count == capacity) {
        t->metadata_text = nadi_mem_grow(t->metadata_text, &capacity, (size_t)t->metadata_count + 1,
                                         sizeof(uint32_t));
        t->metadata_node = nadi_mem_realloc(t->metadata_node, capacity, sizeof(uint32_t));
        s->metadata_capacity = capacity;
    }
    t->metadata_text[t->metadata_count] = text;
    t->metadata_node[t->metadata_count++] = n;
    return true;
}

/* "1048576" or "1048576.0": the whole part of a decimal number. */
static bool decimal(const uint8_t *p, size_t bytes, uint64_t *value)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < bytes && p[i] >= '0' && p[i] <= '9'; i++) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, p[i] - (uint8_t)'0', &v))
            return false;
    }
    if (i == 0)
        return false;
    if (i < bytes && p[i] == '.') {
        for (i++; i < bytes && p[i] >= '0' && p[i] <= '9'; i++)
            ;
    }
    *value = v;
    return i == bytes;
}

static bool bad_io(const struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key,
                   const char *what)
{
    return bad_list(s, m, key, "trace/io-list", what,
                    "write pairs: tensor name, size in bytes as decimal text");
}

static bool add_tensor(struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key,
                       const struct nadi_wire_field *name, const struct nadi_wire_field *size)
{
    struct nadi_trace *t = s->trace;
    struct nadi_trace_io io = {.node = t->node_count, .is_output = key == NADI_ATTR_OUTPUTS};
    if (!decimal(size->data, size->bytes, &io.bytes)) {
        char text[2 * DIGITS_KEPT + 64], shown[DIGITS_KEPT];
        nadi_trace_quote(shown, sizeof shown, size->data, size->bytes);
        snprintf(text, sizeof text, "has a size that is no decimal number:%s", shown);
        return bad_io(s, m, key, text);
    }
    if (!nadi_trace_strings_add(&s->strings, m, name->data, name->bytes, &io.name))
        return false;
    if (t->io_count == NADI_NONE - 1)
        return bad_io(s, m, key, "goes beyond 2^32 tensors in one file");
    if (t->io_count == s->io_capacity)
        t->io = nadi_mem_grow(t->io, &s->io_capacity, (size_t)t->io_count + 1, sizeof(*t->io));
    t->io[t->io_count++] = io;
    return true;
}

static bool add_io(struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key)
{
    const struct nadi_attr *a = &s->raw.attr[key];
    if (a->member != NADI_MEMBER_STRING_LIST)
        return true; /* as the reference: nothing is recorded */
    struct nadi_wire_cursor w = nadi_wire_of(a->data, a->bytes);
    struct nadi_wire_field f, name = {0};
    bool have_name = false;
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number != 1 || f.type != NADI_WIRE_BYTES)
            continue;
        if (have_name && !add_tensor(s, m, key, &name, &f))
            return false;
        name = f;
        have_name = !have_name;
    }
    if (result != NADI_WIRE_END)
        return bad_io(s, m, key, "is damaged");
    return !have_name || bad_io(s, m, key, "has an odd number of texts");
}

static bool bad_type(const struct nadi_stage *s, const struct nadi_frame *m)
{
    char buffer[ROOM_FOR_LABEL];
    static const char *const forks[] = {"STORAGE_NODE", "BATCH_NODE", "CHECKPOINT_NODE"};
    uint64_t type = s->raw.type;
    struct nadi_place place = place_of(m, &s->raw, NULL, buffer);
    if (type >= 8 && type <= 10)
        return nadi_error(m->diags, "trace/node-type", place,
                          "leave such nodes out, or model them as MEM_LOAD_NODE, MEM_STORE_NODE "
                          "or COMP_NODE",
                          "node type %" PRIu64 " (%s) exists only in forks of the schema", type,
                          forks[type - 8]);
    return nadi_error(m->diags, "trace/node-type", place,
                      "allowed: 0 INVALID_NODE to 7 COMM_COLL_NODE",
                      "node type %" PRId64 " is not in the schema", (int64_t)type);
}

static void grow_nodes(struct nadi_stage *s)
{
    struct nadi_trace *t = s->trace;
    size_t n = s->node_capacity ? s->node_capacity * 2 : FIRST_NODES;
    s->node_capacity = n;
    t->id = nadi_mem_realloc(t->id, n, sizeof(*t->id));
    t->duration_ns = nadi_mem_realloc(t->duration_ns, n, sizeof(*t->duration_ns));
    t->ops = nadi_mem_realloc(t->ops, n, sizeof(*t->ops));
    t->bytes = nadi_mem_realloc(t->bytes, n, sizeof(*t->bytes));
    t->offset = nadi_mem_realloc(t->offset, n, sizeof(*t->offset));
    t->name = nadi_mem_realloc(t->name, n, sizeof(*t->name));
    t->comm = nadi_mem_realloc(t->comm, n, sizeof(*t->comm));
    t->dep_start = nadi_mem_realloc(t->dep_start, n + 1, sizeof(*t->dep_start));
    t->type = nadi_mem_realloc(t->type, n, sizeof(*t->type));
    t->collective = nadi_mem_realloc(t->collective, n, sizeof(*t->collective));
    t->flags = nadi_mem_realloc(t->flags, n, sizeof(*t->flags));
}

static bool add_deps(struct nadi_stage *s, const struct nadi_frame *m)
{
    const struct nadi_raw_node *raw = &s->raw;
    size_t count = raw->data_deps.count + raw->ctrl_deps.count;
    struct nadi_u64_list *all = &s->dep_ids;
    if (all->count + count > NADI_NONE - 1) {
        struct nadi_place place = NADI_IN_FILE(m->path);
        place.offset = m->offset;
        return nadi_error(m->diags, "trace/too-large", place, "split the trace",
                          "more than 2^32 dependencies in one file");
    }
    NADI_RESERVE(all, all->count + count);
    for (size_t i = 0; i < raw->data_deps.count; i++)
        all->items[all->count++] = raw->data_deps.items[i];
    for (size_t i = 0; i < raw->ctrl_deps.count; i++)
        all->items[all->count++] = raw->ctrl_deps.items[i];
    s->trace->dep_start[s->trace->node_count + 1] = (uint32_t)all->count;
    return true;
}

/* A name: a text, or a number as text. */
static bool get_name(struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key,
                     uint32_t *at)
{
    char digits[24];
    *at = 0;
    if (!(s->raw.seen >> key & 1))
        return true;
    const struct nadi_attr *a = &s->raw.attr[key];
    if (nadi_attr_is_text(a))
        return nadi_trace_strings_add(&s->strings, m, a->data, a->bytes, at);
    if (!nadi_attr_is_integer(a))
        return wrong_kind(s, m, key, "a string or an integer", NADI_ERROR) != FOUND_BAD;
    const int length = nadi_attr_is_negative(a)
                           ? snprintf(digits, sizeof digits, "%" PRId64, (int64_t)a->bits)
                           : snprintf(digits, sizeof digits, "%" PRIu64, a->bits);
    return nadi_trace_strings_add(&s->strings, m, (const uint8_t *)digits, (size_t)length, at);
}

/* One of the words of trace/mem.h; absent: left as it is. */
static bool get_word(const struct nadi_stage *s, const struct nadi_frame *m, enum nadi_attr_key key,
                     const char *const *words, uint8_t *word)
{
    char buffer[ROOM_FOR_LABEL], shown[DIGITS_KEPT];
    if (!(s->raw.seen >> key & 1))
        return true;
    const struct nadi_attr *a = &s->raw.attr[key];
    if (!nadi_attr_is_text(a))
        return wrong_kind(s, m, key, "a string", NADI_ERROR) != FOUND_BAD;
    for (uint8_t w = 0; words[w]; w++)
        if (strlen(words[w]) == a->bytes && memcmp(words[w], a->data, a->bytes) == 0) {
            *word = w;
            return true;
        }
    struct nadi_str all = NADI_STR_INIT;
    for (uint32_t w = 0; words[w]; w++)
        nadi_str_printf(&all, "%s%s", w ? ", " : "allowed: ", words[w]);
    nadi_trace_quote(shown, sizeof shown, a->data, a->bytes);
    (void)nadi_error(m->diags, "trace/mem-word", place_of(m, &s->raw, a->at, buffer),
                     nadi_str_get(&all), "attribute \"%s\" is%s, which is no word of it",
                     nadi_attr_key_name(key), shown);
    nadi_str_release(&all);
    return false;
}

/* The bytes that move: chakra.mem.bytes, which must not say otherwise than tensor_size. */
static bool get_moved(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    uint64_t bytes = 0;
    const enum found found = get_size(s, m, NADI_ATTR_MEM_BYTES, NADI_ERROR, &bytes);
    if (found != FOUND)
        return found != FOUND_BAD;
    if (t->flags[n] & NADI_NODE_HAS_BYTES && t->bytes[n] != bytes) {
        char buffer[ROOM_FOR_LABEL];
        return nadi_error(m->diags, "trace/mem-bytes",
                          place_of(m, &s->raw, s->raw.attr[NADI_ATTR_MEM_BYTES].at, buffer),
                          "give one of them, or the same in both",
                          NADI_MEM_ATTR_BYTES " is %" PRIu64 ", but tensor_size is %" PRIu64, bytes,
                          t->bytes[n]);
    }
    t->bytes[n] = bytes;
    t->flags[n] |= NADI_NODE_HAS_BYTES;
    return true;
}

/* What chakra.mem.* say of a memory node. */
static bool add_mem(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    const uint32_t any = (1u << NADI_ATTR_KEYS) - (1u << NADI_ATTR_MEM_OP);
    if (NADI_LIKELY(!(s->raw.seen & any)))
        return true;
    struct nadi_trace_mem mem = {
        .node = n,
        .op = t->type[n] == NADI_NODE_MEM_LOAD ? NADI_MEM_LOADS : NADI_MEM_STORES,
        .role = NADI_MEM_OTHER,
        .from = NADI_MEM_NPU,
        .to = NADI_MEM_NPU,
    };
    if (!get_word(s, m, NADI_ATTR_MEM_OP, nadi_mem_op_words, &mem.op) ||
        !get_word(s, m, NADI_ATTR_MEM_ROLE, nadi_mem_role_words, &mem.role) ||
        !get_name(s, m, NADI_ATTR_MEM_SRC, &mem.src) ||
        !get_name(s, m, NADI_ATTR_MEM_DST, &mem.dst) ||
        !get_name(s, m, NADI_ATTR_MEM_BLOCK, &mem.block) ||
        !get_name(s, m, NADI_ATTR_MEM_REUSE, &mem.reuse) || !get_moved(s, m, n))
        return false;
    if (t->mem_count == s->mem_capacity)
        t->mems =
            nadi_mem_grow(t->mems, &s->mem_capacity, (size_t)t->mem_count + 1, sizeof(*t->mems));
    t->mems[t->mem_count++] = mem;
    return true;
}

/* comm_type of a memory node: a collective in the switches on the way. */
static bool add_memory_kind(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    const enum nadi_collective_kind kind =
        t->type[n] == NADI_NODE_MEM_LOAD ? NADI_ALL_GATHER : NADI_REDUCE_SCATTER;
    uint64_t given = 0;
    char buffer[ROOM_FOR_LABEL];
    const enum found found = get_integer(s, m, NADI_ATTR_COMM_TYPE, NADI_ERROR, &given);
    if (found == FOUND && given != (uint64_t)kind)
        return nadi_error(m->diags, "node/memory-collective",
                          place_of(m, &s->raw, s->raw.attr[NADI_ATTR_COMM_TYPE].at, buffer),
                          "leave comm_type out, or write what the switches of a memory pool do",
                          "comm_type of a %s is %d (%s), found %" PRIu64,
                          kind == NADI_ALL_GATHER ? "MEM_LOAD" : "MEM_STORE", (int)kind,
                          nadi_collective_name(kind), given);
    if (found == FOUND) {
        t->collective[n] = (uint8_t)kind;
        t->flags[n] |= NADI_NODE_HAS_KIND;
    }
    return found != FOUND_BAD;
}

/* What depends on the type; false with an error. */
static bool add_by_type(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    switch ((enum nadi_node_type)t->type[n]) {
    case NADI_NODE_COMP:
        if (get_size(s, m, NADI_ATTR_NUM_OPS, NADI_WARNING, &t->ops[n]) == FOUND)
            t->flags[n] |= NADI_NODE_HAS_OPS;
        if (get_size(s, m, NADI_ATTR_TENSOR_SIZE, NADI_WARNING, &t->bytes[n]) == FOUND)
            t->flags[n] |= NADI_NODE_HAS_BYTES;
        return true;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE: {
        enum found found = get_size(s, m, NADI_ATTR_TENSOR_SIZE, NADI_ERROR, &t->bytes[n]);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_BYTES : 0);
        return found != FOUND_BAD && add_memory_kind(s, m, n) && add_mem(s, m, n);
    }
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return add_comm(s, m, n);
    case NADI_NODE_METADATA:
        return add_metadata_text(s, m, n);
    case NADI_NODE_INVALID:
    case NADI_NODE_TYPES:
        break;
    }
    return true;
}

static bool add_all_io(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    const uint32_t both = 1u << NADI_ATTR_INPUTS | 1u << NADI_ATTR_OUTPUTS;
    if (!(s->flags & NADI_TRACE_KEEP_IO))
        return true;
    if ((s->raw.seen & both) == both)
        s->trace->flags[n] |= NADI_NODE_HAS_IO;
    return ((s->raw.seen >> NADI_ATTR_INPUTS & 1) == 0 || add_io(s, m, NADI_ATTR_INPUTS)) &&
           ((s->raw.seen >> NADI_ATTR_OUTPUTS & 1) == 0 || add_io(s, m, NADI_ATTR_OUTPUTS));
}

static bool check_limits(const struct nadi_stage *s, const struct nadi_frame *m)
{
    char buffer[ROOM_FOR_LABEL];
    if (s->trace->node_count >= s->node_limit)
        return nadi_error(m->diags, "trace/too-large", place_of(m, &s->raw, NULL, buffer),
                          "split the trace", "more than %" PRIu32 " nodes in one file",
                          s->node_limit);
    if (s->raw.type >= NADI_NODE_TYPES)
        return bad_type(s, m);
    if (s->raw.duration_micros > UINT64_MAX / 1000)
        return nadi_error(m->diags, "trace/overflow", place_of(m, &s->raw, NULL, buffer),
                          "durations are microseconds; is the unit right?",
                          "duration_micros %" PRIu64 " is more nanoseconds than 64 bits hold",
                          s->raw.duration_micros);
    return true;
}

/* duration_nanos where it refines duration_micros, else the whole microseconds. */
static uint64_t duration_of(struct nadi_stage *s, const struct nadi_frame *m)
{
    char buffer[ROOM_FOR_LABEL];
    uint64_t exact = 0;
    if (!(s->raw.seen >> NADI_ATTR_NANOS & 1) ||
        get_size(s, m, NADI_ATTR_NANOS, NADI_WARNING, &exact) != FOUND)
        return s->raw.duration_micros * 1000;
    if (exact / 1000 == s->raw.duration_micros)
        return exact;
    nadi_warning(m->diags, "trace/duration", place_of(m, &s->raw, NULL, buffer),
                 "change or remove both together",
                 "duration_nanos %" PRIu64 " does not fit duration_micros %" PRIu64
                 ", which is used",
                 exact, s->raw.duration_micros);
    return s->raw.duration_micros * 1000;
}

bool nadi_stage_add(struct nadi_stage *s, const struct nadi_frame *m)
{
    struct nadi_trace *t = s->trace;
    uint64_t cpu = 0;
    if (!nadi_decode_node(m, &s->raw) || !check_limits(s, m))
        return false;
    uint32_t n = t->node_count;
    if (n == s->node_capacity)
        grow_nodes(s);
    if (n == 0)
        t->dep_start[0] = 0;
    t->id[n] = s->raw.id;
    t->duration_ns[n] = duration_of(s, m);
    t->ops[n] = t->bytes[n] = 0;
    t->offset[n] = m->offset;
    t->comm[n] = NADI_NONE;
    t->type[n] = (uint8_t)s->raw.type;
    t->collective[n] = 0;
    enum found found = get_integer(s, m, NADI_ATTR_IS_CPU, NADI_ERROR, &cpu);
    t->flags[n] = found == FOUND && cpu ? NADI_NODE_IS_CPU : 0;
    if (found == FOUND_BAD || !add_by_type(s, m, n) || !add_all_io(s, m, n) || !add_deps(s, m) ||
        !nadi_trace_strings_add(&s->strings, m, s->raw.name, s->raw.name_bytes, &t->name[n]))
        return false;
    if (n && s->raw.id <= s->last_id)
        s->ascending = false;
    s->last_id = s->raw.id;
    t->node_count = n + 1;
    return true;
}
