/* stage_comm: what SEND, RECV and COLL nodes have. */
#include "trace/stage_inside.h"

#include "base/mem.h"
#include "base/str.h"
#include "format/wire.h"

static bool get_group(struct nadi_stage *s, const struct nadi_frame *m,
                      struct nadi_trace_comm *comm)
{
    comm->group = NADI_NONE;
    if (!(s->raw.seen >> NADI_ATTR_GROUP & 1))
        return true;
    const struct nadi_attr *a = &s->raw.attr[NADI_ATTR_GROUP];
    if (!nadi_attr_is_text(a))
        return nadi_stage_wrong_kind(s, m, NADI_ATTR_GROUP, "a string", NADI_ERROR) != FOUND_BAD;
    return nadi_trace_strings_add(&s->strings, m, a->data, a->bytes, &comm->group);
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
        return nadi_stage_wrong_kind(s, m, NADI_ATTR_INVOLVED, "a bool_list",
                                     read_by_run ? NADI_ERROR : NADI_WARNING) != FOUND_BAD;
    struct nadi_wire_cursor w = nadi_wire_of(a->data, a->bytes);
    struct nadi_wire_field f = {0};
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
        return nadi_stage_bad_list(s, m, NADI_ATTR_INVOLVED, "trace/bad-message", "is damaged",
                                   "the file is damaged here");
    comm->involved_count = (uint8_t)nadi_min_u64(count, UINT8_MAX);
    return true;
}

static bool bad_collective(const struct nadi_stage *s, const struct nadi_frame *m, uint64_t kind)
{
    char buffer[ROOM_FOR_LABEL];
    bool below = nadi_attr_is_negative(&s->raw.attr[NADI_ATTR_COMM_TYPE]);
    return nadi_error(m->diags, "trace/collective-type",
                      nadi_stage_place(m, &s->raw, s->raw.attr[NADI_ATTR_COMM_TYPE].at, buffer),
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
        found = nadi_stage_u32(s, m, NADI_ATTR_COMM_SRC, &comm->src);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_SRC : 0);
    } else if (root == NADI_ROOT_TO) {
        found = nadi_stage_u32(s, m, NADI_ATTR_COMM_DST, &comm->dst);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_DST : 0);
    }
    return found != FOUND_BAD;
}

static bool bad_sizes(const struct nadi_stage *s, const struct nadi_frame *m,
                      enum nadi_attr_key key, const char *what)
{
    return nadi_stage_bad_list(s, m, key, "trace/sizes", what,
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
        return nadi_stage_wrong_kind(s, m, key, "a list of integers", NADI_ERROR) != FOUND_BAD;
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

bool nadi_stage_add_comm(struct nadi_stage *s, const struct nadi_frame *m, uint32_t n)
{
    struct nadi_trace *t = s->trace;
    struct nadi_trace_comm comm = {.group = NADI_NONE, .involved = UINT32_MAX};
    uint32_t priority = 0;
    uint64_t kind = 0;
    enum found found[5] = {nadi_stage_size(s, m, NADI_ATTR_COMM_SIZE, NADI_ERROR, &t->bytes[n])};
    if (t->type[n] == NADI_NODE_COLL) {
        found[1] = nadi_stage_integer(s, m, NADI_ATTR_COMM_TYPE, NADI_ERROR, &kind);
        found[2] = nadi_stage_u32(s, m, NADI_ATTR_COMM_PRIORITY, &priority);
        if (found[1] == FOUND && kind >= NADI_COLLECTIVE_KINDS)
            return bad_collective(s, m, kind);
        t->collective[n] = (uint8_t)kind;
        if (!get_group(s, m, &comm) || !get_involved(s, m, &comm) || !get_root(s, m, n, &comm) ||
            !get_sizes(s, m, n, &comm))
            return false;
    } else {
        found[1] = nadi_stage_u32(s, m, NADI_ATTR_COMM_SRC, &comm.src);
        found[2] = nadi_stage_u32(s, m, NADI_ATTR_COMM_DST, &comm.dst);
        found[3] = nadi_stage_u32(s, m, NADI_ATTR_COMM_TAG, &comm.tag);
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
