#include "support/drawn_trace.h"

#include "base/mem.h"
#include "support/between.h"
#include "support/wire_put.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MOST_ATTRS = 14, MOST_DEPS = 6 };

static const uint32_t scalars[] = {
    NADI_MEMBER_DOUBLE,  NADI_MEMBER_FLOAT,   NADI_MEMBER_INT32,    NADI_MEMBER_INT64,
    NADI_MEMBER_UINT32,  NADI_MEMBER_UINT64,  NADI_MEMBER_SINT32,   NADI_MEMBER_SINT64,
    NADI_MEMBER_FIXED32, NADI_MEMBER_FIXED64, NADI_MEMBER_SFIXED32, NADI_MEMBER_SFIXED64,
    NADI_MEMBER_BOOL,    NADI_MEMBER_STRING,  NADI_MEMBER_BYTES,
};
enum { SCALARS = sizeof(scalars) / sizeof(scalars[0]), FIRST_INTEGER = 2, INTEGERS = 11 };

static uint64_t draw_bits(struct nadi_rng *r)
{
    return nadi_rng_u64(r) >> nadi_rng_below(r, 64);
}

static const char *draw_text(struct nadi_rng *r, struct nadi_arena *arena)
{
    static const char *const odd[] = {"", "0", "group \xc3\xa9\xe2\x82\xac", "a\tb", "twelve"};
    if (nadi_rng_below(r, 3) == 0)
        return odd[nadi_rng_below(r, 5)];
    return nadi_arena_printf(arena, "text.%" PRIu64, nadi_rng_below(r, 1000));
}

static struct nadi_write_value draw_value(struct nadi_rng *r, struct nadi_arena *arena)
{
    const char *text = draw_text(r, arena);
    return (struct nadi_write_value){.bits = draw_bits(r),
                                     .real = (double)rng_between(r, -1000, 1000) / 8,
                                     .text = text,
                                     .text_bytes = strlen(text)};
}

static struct nadi_write_attr draw_list(struct nadi_rng *r, struct nadi_arena *arena,
                                        uint32_t scalar)
{
    size_t count = nadi_rng_below(r, 5);
    struct nadi_write_value *list = NADI_ARENA_ZNEW(arena, struct nadi_write_value, count);
    for (size_t i = 0; i < count; i++)
        list[i] = draw_value(r, arena);
    return (struct nadi_write_attr){.member = scalar + 1, .list = list, .count = count};
}

/* Any kind at all, for names that nobody reads. */
static struct nadi_write_attr draw_any(struct nadi_rng *r, struct nadi_arena *arena)
{
    uint32_t scalar = scalars[nadi_rng_below(r, SCALARS)];
    switch (nadi_rng_below(r, 5)) {
    case 0:
        return draw_list(r, arena, scalar);
    case 1:
        return (struct nadi_write_attr){0};
    default:
        return (struct nadi_write_attr){.member = scalar, .value = draw_value(r, arena)};
    }
}

static struct nadi_write_attr draw_integer(struct nadi_rng *r, struct nadi_arena *arena)
{
    return (struct nadi_write_attr){.member = scalars[FIRST_INTEGER + nadi_rng_below(r, INTEGERS)],
                                    .value = draw_value(r, arena)};
}

/* 0 or more in every width. */
static struct nadi_write_attr draw_size(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_attr a = draw_integer(r, arena);
    a.value.bits &=
        nadi_rng_below(r, 2) && (a.member == NADI_MEMBER_INT64 || a.member == NADI_MEMBER_UINT64 ||
                                 a.member == NADI_MEMBER_SINT64)
            ? (uint64_t)INT64_MAX
            : (uint64_t)INT32_MAX;
    return a;
}

static struct nadi_write_attr draw_u32(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_attr a = draw_integer(r, arena);
    a.value.bits = nadi_rng_below(r, 2) ? (uint64_t)rng_between(r, INT32_MIN, INT32_MAX)
                                        : (uint32_t)a.value.bits;
    bool is_unsigned = a.member == NADI_MEMBER_UINT64 || a.member == NADI_MEMBER_FIXED64;
    if (is_unsigned)
        a.value.bits &= UINT32_MAX;
    return a;
}

/* A readable attribute for the type, or any attribute that it does not read. */
static struct nadi_write_attr draw_attr(struct nadi_rng *r, struct nadi_arena *arena, uint32_t type)
{
    static const char *const names[] = {"is_cpu_op", "num_ops",  "tensor_size",   "comm_type",
                                        "comm_size", "comm_src", "comm_dst",      "comm_tag",
                                        "pg_name",   "inputs",   "comm_priority", "involved_dim",
                                        "outputs",   "num_op",   "comm_sized",    ""};
    const char *name = names[nadi_rng_below(r, sizeof(names) / sizeof(names[0]))];
    bool comm = type >= NADI_NODE_SEND, coll = type == NADI_NODE_COLL;
    struct nadi_write_attr a = draw_any(r, arena);
    if (strcmp(name, "is_cpu_op") == 0)
        a = draw_integer(r, arena);
    else if (strcmp(name, "num_ops") == 0 && type == NADI_NODE_COMP)
        a = draw_size(r, arena);
    else if (strcmp(name, "tensor_size") == 0 && type >= NADI_NODE_MEM_LOAD && !comm)
        a = draw_size(r, arena);
    else if (strcmp(name, "comm_size") == 0 && comm)
        a = draw_size(r, arena);
    else if (strcmp(name, "comm_type") == 0 && coll) {
        a = draw_integer(r, arena);
        a.value.bits %= NADI_COLLECTIVE_KINDS;
    } else if (strcmp(name, "comm_type") == 0 && type >= NADI_NODE_MEM_LOAD && !comm)
        name = "comm_typed"; /* of a memory node it is one of two: unit.trace has them */
    else if (strcmp(name, "comm_priority") == 0 && coll)
        a = draw_u32(r, arena);
    else if (strncmp(name, "comm_", 5) == 0 && strlen(name) == 8 && comm)
        a = draw_u32(r, arena);
    else if (strcmp(name, "pg_name") == 0 && coll) {
        a.member = nadi_rng_below(r, 2) ? NADI_MEMBER_STRING : NADI_MEMBER_BYTES;
        a.value = draw_value(r, arena);
    } else if (strcmp(name, "involved_dim") == 0 && coll)
        a = draw_list(r, arena, NADI_MEMBER_BOOL);
    a.name = name;
    return a;
}

/* Fields that no schema of today knows, in every wire type. */
static void put_unknown(struct nadi_rng *r, struct nadi_str *message)
{
    uint32_t number = (uint32_t)rng_between(r, 40, 5000);
    switch (nadi_rng_below(r, 5)) {
    case 0:
        wire_put_number(message, number, nadi_rng_u64(r));
        break;
    case 1:
        wire_put_text(message, number, "unknown");
        break;
    case 2:
        wire_put_fixed(message, number, nadi_rng_u64(r), 8);
        break;
    case 3:
        wire_put_fixed(message, number, nadi_rng_u64(r), 4);
        break;
    default:
        break;
    }
}

/* An attribute that no writer would make: unknown fields, a comment, two members of the oneof, the
 * name in the middle. */
static void put_odd_attr(struct nadi_rng *r, struct nadi_str *message)
{
    struct nadi_str attr = NADI_STR_INIT;
    wire_put_number(&attr, NADI_MEMBER_INT64, draw_bits(r) >> 1);
    put_unknown(r, &attr);
    wire_put_text(&attr, 1, nadi_rng_below(r, 2) ? "num_ops" : "tensor_size");
    wire_put_text(&attr, 2, "a comment");
    static const uint32_t longer[] = {NADI_MEMBER_UINT32, NADI_MEMBER_UINT64, NADI_MEMBER_BOOL};
    switch (nadi_rng_below(r, 3)) {
    case 0:
        wire_put_fixed(&attr, NADI_MEMBER_FIXED32, draw_bits(r), 4);
        break;
    case 1:
        wire_put_number(&attr, NADI_MEMBER_SINT64, draw_bits(r) >> 1 << 1); /* 0 or more */
        break;
    default: /* more bits than the type has */
        wire_put_number(&attr, longer[nadi_rng_below(r, 3)], draw_bits(r));
        break;
    }
    wire_put_message(message, 10, &attr);
    nadi_str_release(&attr);
}

static void draw_ids(struct nadi_rng *r, struct drawn_trace *d)
{
    uint64_t step = UINT64_C(1) << nadi_rng_below(r, 50);
    uint64_t id = nadi_rng_below(r, 3) ? nadi_rng_below(r, 100) : nadi_rng_u64(r) >> 1;
    d->nodes = nadi_rng_below(r, DRAWN_MOST_NODES) + 1;
    for (size_t i = 0; i < d->nodes; i++) {
        d->ids[i] = id;
        id += 1 + nadi_rng_below(r, step);
    }
}

/* Dependencies on nodes before it in the list of ids: no cycle. */
static size_t draw_deps(struct nadi_rng *r, const struct drawn_trace *d, size_t node,
                        uint64_t *deps)
{
    size_t count = node ? nadi_rng_below(r, MOST_DEPS) : 0;
    for (size_t i = 0; i < count; i++)
        deps[i] = d->ids[nadi_rng_below(r, node)];
    return count;
}

static void put_node(struct nadi_rng *r, struct drawn_trace *d, size_t i)
{
    uint64_t data[MOST_DEPS], ctrl[MOST_DEPS];
    struct nadi_write_attr attrs[MOST_ATTRS];
    uint32_t type = (uint32_t)nadi_rng_below(r, NADI_NODE_TYPES);
    struct nadi_write_node node = {.id = d->ids[i],
                                   .name = draw_text(r, &d->arena),
                                   .type = type,
                                   .start_time_micros = nadi_rng_u64(r),
                                   .duration_micros = draw_bits(r) / 1000,
                                   .data_deps = data,
                                   .ctrl_deps = ctrl,
                                   .attrs = attrs};
    node.data_dep_count = draw_deps(r, d, i, data);
    node.ctrl_dep_count = draw_deps(r, d, i, ctrl);
    if (nadi_rng_below(r, 4) == 0) {
        node.inputs.values = draw_text(r, &d->arena);
        node.outputs.shapes = draw_text(r, &d->arena);
    }
    node.attr_count = nadi_rng_below(r, MOST_ATTRS + 1);
    for (size_t k = 0; k < node.attr_count; k++)
        attrs[k] = draw_attr(r, &d->arena, type);
    /* Written as a file of its own, so that fields can be added before and after. */
    struct nadi_str frame = NADI_STR_INIT, message = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&frame, NADI_CODING_PLAIN);
    nadi_trace_writer_node(w, &node);
    assert_true(nadi_trace_writer_close(w, &diags));
    size_t header = 0;
    while ((unsigned char)frame.text[header++] >= 0x80)
        ;
    put_unknown(r, &message);
    if (type == NADI_NODE_COMP && nadi_rng_below(r, 3) == 0)
        put_odd_attr(r, &message);
    if (i && nadi_rng_below(r, 3) == 0)
        wire_put_number(&message, 4, d->ids[nadi_rng_below(r, i)]); /* not packed */
    nadi_str_add_bytes(&message, frame.text + header, frame.length - header);
    if (i && nadi_rng_below(r, 3) == 0)
        wire_put_number(&message, 5, d->ids[nadi_rng_below(r, i)]);
    put_unknown(r, &message);
    wire_put_frame(&d->file, &message);
    nadi_str_release(&frame);
    nadi_str_release(&message);
    nadi_diags_release(&diags);
}

void drawn_trace(struct nadi_rng *r, struct drawn_trace *d)
{
    size_t order[DRAWN_MOST_NODES];
    *d = (struct drawn_trace){0};
    nadi_arena_init(&d->arena);
    draw_ids(r, d);
    wire_put_hex(&d->file, "030a0178");
    for (size_t i = 0; i < d->nodes; i++)
        order[i] = i;
    if (nadi_rng_below(r, 2)) {
        for (size_t i = d->nodes; i > 1; i--) {
            size_t k = nadi_rng_below(r, i), swap = order[k];
            order[k] = order[i - 1];
            order[i - 1] = swap;
        }
    }
    for (size_t i = 0; i < d->nodes; i++)
        put_node(r, d, order[i]);
}
