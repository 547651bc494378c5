#include "support/random_trace.h"
#include "support/between.h"

#include "base/mem.h"
#include "trace/attr.h"

#include <math.h>

enum { MOST_NODES = 40, MOST_ATTRS = 8, MOST_DEPS = 5 };

static uint64_t draw_bits(struct nadi_rng *r)
{
    const uint64_t bits = nadi_rng_u64(r);
    return bits >> nadi_rng_below(r, 64);
}

static const char *draw_text(struct nadi_rng *r, struct nadi_arena *arena)
{
    static const char *const odd[] = {"", "a\tb\n\"c\"\\d/\x01\x1f\x7f", "\xc3\xa9t\xc3\xa9",
                                      "\xf0\x9f\x98\x80 \xe2\x82\xac",
                                      "[[4, 5, 0, 64, 4, 'cuda:0']]"};
    const uint64_t which = nadi_rng_below(r, 9);
    if (which < sizeof(odd) / sizeof(odd[0]))
        return odd[which];
    char *text = nadi_arena_alloc(arena, 200, 1);
    const size_t length = nadi_rng_below(r, 199);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('!' + nadi_rng_below(r, 90));
    text[length] = '\0';
    return text;
}

static double draw_real(struct nadi_rng *r)
{
    static const double odd[] = {0.0, -0.0, 1e-310, 0.1, 1e22, 3.0};
    const uint64_t which = nadi_rng_below(r, 12);
    if (which < 6)
        return odd[which];
    if (which < 8)
        return which == 6 ? (double)INFINITY : -(double)INFINITY;
    double value;
    const uint64_t bits = nadi_rng_u64(r);
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? 1.5 : value;
}

static struct nadi_write_value draw_value(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_value v = {.text = draw_text(r, arena)};
    v.text_bytes = strlen(v.text);
    v.bits = draw_bits(r);
    v.real = draw_real(r);
    return v;
}

static struct nadi_write_attr draw_attr(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_attr a = {.name = draw_text(r, arena)};
    a.member = (uint32_t)rng_between(r, NADI_MEMBER_FIRST - 1, NADI_MEMBER_LAST);
    if (a.member < NADI_MEMBER_FIRST) {
        a.member = 0;
    } else if (nadi_member_of(a.member)->is_list) {
        a.count = nadi_rng_below(r, 5);
        struct nadi_write_value *list = NADI_ARENA_NEW(arena, struct nadi_write_value, a.count);
        for (size_t i = 0; i < a.count; i++)
            list[i] = draw_value(r, arena);
        a.list = list;
    } else {
        a.value = draw_value(r, arena);
    }
    return a;
}

static struct nadi_write_attr *draw_attrs(struct nadi_rng *r, struct nadi_arena *arena,
                                          size_t *count)
{
    *count = nadi_rng_below(r, MOST_ATTRS + 1);
    struct nadi_write_attr *attrs = NADI_ARENA_NEW(arena, struct nadi_write_attr, *count);
    for (size_t i = 0; i < *count; i++)
        attrs[i] = draw_attr(r, arena);
    return attrs;
}

static const uint64_t *draw_deps(struct nadi_rng *r, struct nadi_arena *arena, size_t *count)
{
    *count = nadi_rng_below(r, MOST_DEPS + 1);
    uint64_t *deps = NADI_ARENA_NEW(arena, uint64_t, *count);
    for (size_t i = 0; i < *count; i++)
        deps[i] = draw_bits(r);
    return deps;
}

static struct nadi_write_io draw_io(struct nadi_rng *r, struct nadi_arena *arena)
{
    struct nadi_write_io io = {0};
    if (nadi_rng_below(r, 2) == 0)
        return io;
    io.values = draw_text(r, arena);
    io.shapes = nadi_rng_below(r, 2) ? draw_text(r, arena) : NULL;
    io.types = draw_text(r, arena);
    return io;
}

static void write_any_node(struct nadi_rng *r, struct nadi_trace_writer *w)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    struct nadi_write_node n = {.id = draw_bits(r)};
    n.name = draw_text(r, &arena);
    n.type = (uint32_t)nadi_rng_below(r, 11);
    n.start_time_micros = nadi_rng_below(r, 2) ? draw_bits(r) : 0;
    n.duration_micros = nadi_rng_below(r, 2) ? draw_bits(r) : 0;
    n.data_deps = draw_deps(r, &arena, &n.data_dep_count);
    n.ctrl_deps = draw_deps(r, &arena, &n.ctrl_dep_count);
    n.inputs = draw_io(r, &arena);
    n.outputs = draw_io(r, &arena);
    n.attrs = draw_attrs(r, &arena, &n.attr_count);
    nadi_trace_writer_node(w, &n);
    nadi_arena_release(&arena);
}

static void close_writer(struct nadi_trace_writer *w)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_trace_writer_close(w, &diags));
    nadi_diags_release(&diags);
}

void random_trace_any(struct nadi_rng *r, struct nadi_str *file)
{
    struct nadi_trace_writer *w = nadi_trace_writer_memory(file, NADI_CODING_PLAIN);
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    struct nadi_write_metadata metadata = {.version = "0.0.4"};
    metadata.attrs = draw_attrs(r, &arena, &metadata.attr_count);
    nadi_trace_writer_metadata(w, &metadata);
    for (uint64_t left = nadi_rng_below(r, MOST_NODES) + 1; left; left--)
        write_any_node(r, w);
    close_writer(w);
    nadi_arena_release(&arena);
}

/* --- fleets ------------------------------------------------------------------------------------
 */

struct slot { /* what all ranks do at the same place of their traces */
    uint32_t type;
    uint64_t bytes, kind, tag;
    uint32_t src, dst;
};

static void write_slot(struct nadi_rng *r, struct nadi_trace_writer *w, const struct slot *s,
                       uint32_t rank, uint64_t id, bool times)
{
    static const char *const names[] = {"aten::mm", "secret_layer.3/attention", "ncclDevKernel",
                                        "step \xc3\xa9"};
    uint64_t data[3], ctrl[2];
    struct nadi_write_attr attrs[6];
    char name[64];
    struct nadi_write_node n = {
        .id = id, .name = name, .type = s->type, .data_deps = data, .ctrl_deps = ctrl};
    snprintf(name, sizeof name, "%s %" PRIu64, names[nadi_rng_below(r, 4)], id);
    for (uint64_t left = nadi_rng_below(r, 4); left && id > 1; left--)
        data[n.data_dep_count++] = nadi_rng_below(r, id - 1) + 1;
    for (uint64_t left = nadi_rng_below(r, 3); left && id > 1; left--)
        ctrl[n.ctrl_dep_count++] = nadi_rng_below(r, id - 1) + 1;
    n.attrs = attrs;
    if (s->type == NADI_NODE_SEND || s->type == NADI_NODE_RECV) {
        n.type = rank == s->src ? NADI_NODE_SEND : rank == s->dst ? NADI_NODE_RECV : NADI_NODE_COMP;
        attrs[n.attr_count++] = nadi_write_int32("comm_tag", (int32_t)s->tag);
        attrs[n.attr_count++] = nadi_write_int32("comm_src", (int32_t)s->src);
        attrs[n.attr_count++] = nadi_write_int32("comm_dst", (int32_t)s->dst);
        attrs[n.attr_count++] = nadi_write_int64("comm_size", (int64_t)s->bytes);
    } else if (s->type == NADI_NODE_COLL) {
        attrs[n.attr_count++] = nadi_write_int64("comm_type", (int64_t)s->kind);
        attrs[n.attr_count++] = nadi_write_int64("comm_size", (int64_t)s->bytes);
    }
    if (n.type == NADI_NODE_METADATA)
        n.duration_micros = nadi_rng_below(r, 300); /* which no simulation waits for */
    if (n.type == NADI_NODE_COMP) {
        n.duration_micros = nadi_rng_below(r, 300);
        attrs[n.attr_count++] = nadi_write_bool("is_cpu_op", nadi_rng_below(r, 3) == 0);
    }
    n.start_time_micros = times ? 1000 + id * 400 : 0;
    nadi_trace_writer_node(w, &n);
}

static struct slot draw_slot(struct nadi_rng *r, const struct random_simulable *how, uint64_t tag)
{
    const uint32_t ranks = how->ranks;
    static const uint64_t kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER,
                                     NADI_ALL_TO_ALL};
    struct slot s = {.type = NADI_NODE_COMP, .tag = tag};
    const uint64_t which = nadi_rng_below(r, 6);
    s.bytes = (nadi_rng_below(r, 1000) + 1) * 1024;
    s.kind = kinds[nadi_rng_below(r, 4)];
    if (which == 0)
        s.type = NADI_NODE_COLL;
    else if (which == 1 && ranks > 1 && !how->alike)
        s.type = NADI_NODE_SEND;
    else if (which < 4 && how->metadata)
        s.type = NADI_NODE_METADATA;
    s.src = (uint32_t)nadi_rng_below(r, ranks);
    s.dst = (s.src + 1 + (uint32_t)nadi_rng_below(r, ranks > 1 ? ranks - 1 : 1)) % ranks;
    return s;
}

void random_trace_fleet(struct nadi_rng *r, const struct random_simulable *options,
                        struct nadi_str *files)
{
    const uint64_t count = nadi_rng_below(r, options->most_nodes) + 1;
    struct slot *slots = NADI_NEW(struct slot, count);
    for (uint64_t i = 0; i < count; i++)
        slots[i] = draw_slot(r, options, i);
    if (options->metadata) /* something is left without them */
        slots[0].type = NADI_NODE_COMP;
    const struct nadi_rng begin = *r;
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        if (options->alike)
            *r = begin;
        struct nadi_trace_writer *w = nadi_trace_writer_memory(&files[rank], NADI_CODING_PLAIN);
        nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
        for (uint64_t i = 0; i < count; i++)
            write_slot(r, w, &slots[i], rank, i + 1, options->times);
        close_writer(w);
    }
    nadi_mem_free(slots);
}
