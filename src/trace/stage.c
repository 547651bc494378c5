#include "trace/stage_inside.h"

#include "base/mem.h"
#include "base/str.h"
#include "format/wire.h"
#include "trace/mem.h"
#include "trace/strings.h"

enum { FIRST_NODES = 64 };

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
    return nadi_stage_bad_list(s, m, key, "trace/io-list", what,
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
    struct nadi_place place = nadi_stage_place(m, &s->raw, NULL, buffer);
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
        return nadi_stage_wrong_kind(s, m, key, "a string or an integer", NADI_ERROR) != FOUND_BAD;
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
        return nadi_stage_wrong_kind(s, m, key, "a string", NADI_ERROR) != FOUND_BAD;
    for (uint8_t w = 0; words[w]; w++)
        if (strlen(words[w]) == a->bytes && memcmp(words[w], a->data, a->bytes) == 0) {
            *word = w;
            return true;
        }
    struct nadi_str all = NADI_STR_INIT;
    for (uint32_t w = 0; words[w]; w++)
        nadi_str_printf(&all, "%s%s", w ? ", " : "allowed: ", words[w]);
    nadi_trace_quote(shown, sizeof shown, a->data, a->bytes);
    (void)nadi_error(m->diags, "trace/mem-word", nadi_stage_place(m, &s->raw, a->at, buffer),
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
    const enum found found = nadi_stage_size(s, m, NADI_ATTR_MEM_BYTES, NADI_ERROR, &bytes);
    if (found != FOUND)
        return found != FOUND_BAD;
    if (t->flags[n] & NADI_NODE_HAS_BYTES && t->bytes[n] != bytes) {
        char buffer[ROOM_FOR_LABEL];
        return nadi_error(m->diags, "trace/mem-bytes",
                          nadi_stage_place(m, &s->raw, s->raw.attr[NADI_ATTR_MEM_BYTES].at, buffer),
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
    const enum found found = nadi_stage_integer(s, m, NADI_ATTR_COMM_TYPE, NADI_ERROR, &given);
    const bool all_to_all = given == (uint64_t)NADI_ALL_TO_ALL;
    if (found == FOUND && given != (uint64_t)kind && !all_to_all)
        return nadi_error(m->diags, "node/memory-collective",
                          nadi_stage_place(m, &s->raw, s->raw.attr[NADI_ATTR_COMM_TYPE].at, buffer),
                          "leave comm_type out, or write what the switches of a memory pool do",
                          "comm_type of a %s is %d (%s) or 6 (ALL_TO_ALL), found %" PRIu64,
                          kind == NADI_ALL_GATHER ? "MEM_LOAD" : "MEM_STORE", (int)kind,
                          nadi_collective_name(kind), given);
    if (found == FOUND) {
        t->collective[n] = (uint8_t)given;
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
        if (nadi_stage_size(s, m, NADI_ATTR_NUM_OPS, NADI_WARNING, &t->ops[n]) == FOUND)
            t->flags[n] |= NADI_NODE_HAS_OPS;
        if (nadi_stage_size(s, m, NADI_ATTR_TENSOR_SIZE, NADI_WARNING, &t->bytes[n]) == FOUND)
            t->flags[n] |= NADI_NODE_HAS_BYTES;
        return true;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE: {
        enum found found = nadi_stage_size(s, m, NADI_ATTR_TENSOR_SIZE, NADI_ERROR, &t->bytes[n]);
        t->flags[n] |= (uint8_t)(found == FOUND ? NADI_NODE_HAS_BYTES : 0);
        return found != FOUND_BAD && add_memory_kind(s, m, n) && add_mem(s, m, n);
    }
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return nadi_stage_add_comm(s, m, n);
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

/* Tools take the first one, as the reference does, or the last. */
static void warn_of_second(const struct nadi_stage *s, const struct nadi_frame *m)
{
    char buffer[ROOM_FOR_LABEL];
    const enum nadi_attr_key key = (enum nadi_attr_key)__builtin_ctz(s->raw.twice);
    nadi_warning(m->diags, "trace/attribute-twice",
                 nadi_stage_place(m, &s->raw, s->raw.attr[key].at, buffer), "write it once",
                 "attribute \"%s\" is there twice, with different values: the first counts",
                 nadi_attr_key_name(key));
}

static bool check_limits(const struct nadi_stage *s, const struct nadi_frame *m)
{
    char buffer[ROOM_FOR_LABEL];
    if (s->trace->node_count >= s->node_limit)
        return nadi_error(m->diags, "trace/too-large", nadi_stage_place(m, &s->raw, NULL, buffer),
                          "split the trace", "more than %" PRIu32 " nodes in one file",
                          s->node_limit);
    if (s->raw.type >= NADI_NODE_TYPES)
        return bad_type(s, m);
    if (s->raw.duration_micros > UINT64_MAX / 1000)
        return nadi_error(m->diags, "trace/overflow", nadi_stage_place(m, &s->raw, NULL, buffer),
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
        nadi_stage_size(s, m, NADI_ATTR_NANOS, NADI_WARNING, &exact) != FOUND)
        return s->raw.duration_micros * 1000;
    if (exact / 1000 == s->raw.duration_micros)
        return exact;
    nadi_warning(m->diags, "trace/duration", nadi_stage_place(m, &s->raw, NULL, buffer),
                 "change or remove both together",
                 "duration_nanos %" PRIu64 " does not fit duration_micros %" PRIu64
                 ", which is used",
                 exact, s->raw.duration_micros);
    return s->raw.duration_micros * 1000;
}

bool nadi_stage_add(struct nadi_stage *s, const struct nadi_frame *m)
{
    struct nadi_trace *t = s->trace;
    uint64_t cpu = 0, idle = 0;
    if (!nadi_decode_node(m, &s->raw))
        return false;
    if (NADI_UNLIKELY(s->raw.twice))
        warn_of_second(s, m);
    if (!check_limits(s, m))
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
    enum found found = nadi_stage_integer(s, m, NADI_ATTR_IS_CPU, NADI_ERROR, &cpu);
    t->flags[n] = found == FOUND && cpu ? NADI_NODE_IS_CPU : 0;
    if (s->raw.type == NADI_NODE_COMP &&
        nadi_stage_integer(s, m, NADI_ATTR_IS_IDLE, NADI_WARNING, &idle) == FOUND && idle)
        t->flags[n] = NADI_NODE_IS_CPU | NADI_NODE_PAUSES;
    if (found == FOUND_BAD || !add_by_type(s, m, n) || !add_all_io(s, m, n) || !add_deps(s, m) ||
        !nadi_trace_strings_add(&s->strings, m, s->raw.name, s->raw.name_bytes, &t->name[n]))
        return false;
    if (n && s->raw.id <= s->last_id)
        s->ascending = false;
    s->last_id = s->raw.id;
    t->node_count = n + 1;
    return true;
}
