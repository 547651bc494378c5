#include "capture/chakra_write.h"

#include "base/str.h"
#include "capture/encode.h"
#include "capture/repr.h"
#include "capture/sink.h"

struct writer {
    const struct nadi_chakra_sources *s;
    const struct nadi_kineto *k;
    struct nadi_sink *out;
    struct nadi_bytes node, scratch;
};

static const char *event_name(const struct writer *w, uint32_t event)
{
    return nadi_names_get(&w->k->names, w->k->events.items[event].name);
}

static uint32_t event_of_op(const struct writer *w, uint32_t op)
{
    return w->s->timeline->ops[op].event;
}

static uint32_t thread_of_slice(const struct writer *w, uint32_t slice)
{
    const struct nadi_timeline *t = w->s->timeline;
    uint32_t low = 0, high = t->thread_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->threads[middle].first_slice <= slice)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void put_text_attr(struct writer *w, const char *name, const char *text)
{
    nadi_encode_attr_text(&w->node, name, text, strlen(text));
}

static void put_int_attr(struct writer *w, const char *name, int64_t number)
{
    nadi_encode_attr(&w->node, name, NADI_VALUE_INT64, (uint64_t)number);
}

static void put_name(struct writer *w, const struct nadi_built_node *n)
{
    const struct nadi_timeline *t = w->s->timeline;
    struct nadi_bytes *s = &w->scratch;
    s->count = 0;
    if (n->is_delay) {
        const char *delay = n->work != NADI_NONE ? "device delay" : "idle thread";
        nadi_encode_bytes(&w->node, NADI_FIELD_NAME, delay, strlen(delay));
        return;
    }
    if (n->slice == NADI_NONE) {
        const char *name = n->work != NADI_NONE
                               ? event_name(w, w->s->device->works[n->work].event)
                               : event_name(w, event_of_op(w, w->s->comm->parts.items[n->part].op));
        nadi_encode_bytes(&w->node, NADI_FIELD_NAME, name, strlen(name));
        return;
    }
    const struct nadi_time_slice *p = &t->slices.items[n->slice];
    const char *name =
        p->op == NADI_NONE ? "between operators" : event_name(w, event_of_op(w, p->op));
    const char *suffix = "";
    if (p->kind == NADI_SLICE_WAIT) {
        name = event_name(w, p->call);
    } else if (p->kind == NADI_SLICE_REST) {
        suffix = " (goes on)";
    } else if (p->kind == NADI_SLICE_JOIN) {
        name = "wait for thread ";
        suffix =
            p->after == NADI_NONE
                ? ""
                : nadi_names_get(&w->k->threads, t->threads[thread_of_slice(w, p->after)].name);
    }
    nadi_bytes_add(s, name, strlen(name));
    nadi_bytes_add(s, suffix, strlen(suffix));
    nadi_encode_bytes(&w->node, NADI_FIELD_NAME, s->items, s->count);
}

static uint32_t type_of(const struct writer *w, const struct nadi_built_node *n)
{
    return n->part == NADI_NONE ? NADI_NODE_COMP : w->s->comm->parts.items[n->part].type;
}

static void put_deps(struct writer *w, uint32_t node)
{
    const struct nadi_built_graph *g = w->s->graph;
    uint32_t parent = g->nodes.items[node].parent, first = g->dep_start[node];
    size_t bytes = 0;
    if (parent != NADI_NONE && parent < node) {
        nadi_bytes_varint(&w->node, NADI_FIELD_CTRL_DEPS);
        nadi_bytes_varint(&w->node, nadi_varint_size((uint64_t)parent + 1));
        nadi_bytes_varint(&w->node, (uint64_t)parent + 1);
    }
    for (uint32_t i = first; i < g->dep_start[node + 1]; i++)
        bytes += nadi_varint_size((uint64_t)g->deps[i] + 1);
    if (!bytes)
        return;
    nadi_bytes_varint(&w->node, NADI_FIELD_DATA_DEPS);
    nadi_bytes_varint(&w->node, bytes);
    for (uint32_t i = first; i < g->dep_start[node + 1]; i++)
        nadi_bytes_varint(&w->node, (uint64_t)g->deps[i] + 1);
}

/* IOInfo as Python prints the lists; a list that cannot be read is left out. */
static void put_io(struct writer *w, const struct nadi_host_node *n, const struct nadi_host_io *io,
                   unsigned field)
{
    const struct nadi_part parts[] = {io->values, io->shapes, io->types};
    struct nadi_bytes *s = &w->scratch;
    struct nadi_bytes text = {0};
    s->count = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!parts[i].bytes)
            continue;
        struct nadi_view v = nadi_host_part(w->s->host, n, parts[i]);
        struct nadi_pull scan = nadi_pull_of(v.at, v.bytes);
        text.count = 0;
        if (nadi_repr(&scan, &text))
            nadi_encode_bytes(s, (i + 1) << 3 | 2, text.items, text.count);
    }
    nadi_encode_bytes(&w->node, field, s->items, s->count);
    nadi_mem_free(text.items);
}

static const struct nadi_host_node *host_node(const struct writer *w, uint32_t op)
{
    uint32_t node = w->s->match ? w->s->match->node_of[event_of_op(w, op)] : NADI_NONE;
    return node == NADI_NONE ? NULL : &w->s->host->nodes.items[node];
}

static void put_thread(struct writer *w, uint32_t thread)
{
    const char *name = nadi_names_get(&w->k->threads, w->s->timeline->threads[thread].name);
    int64_t tid;
    if (nadi_str_to_i64(name, &tid))
        put_int_attr(w, "tid", tid);
    else
        put_text_attr(w, "thread", name);
}

static void put_operator(struct writer *w, uint32_t op)
{
    const struct nadi_host_node *n = host_node(w, op);
    const struct nadi_event *e = &w->k->events.items[event_of_op(w, op)];
    if (n && n->flags & NADI_HOST_HAS_RF)
        put_int_attr(w, "rf_id", n->rf_id);
    else if (e->rf_id > 0)
        put_int_attr(w, "rf_id", e->rf_id);
    if (n && n->flags & NADI_HOST_HAS_SCHEMA)
        put_text_attr(w, "op_schema", nadi_names_get(&w->s->host->names, n->schema));
}

static void put_slice(struct writer *w, const struct nadi_built_node *n)
{
    static const char *const kinds[] = {
        [NADI_SLICE_REST] = "rest",
        [NADI_SLICE_GAP] = "gap",
        [NADI_SLICE_WAIT] = "wait",
        [NADI_SLICE_JOIN] = "join",
    };
    const struct nadi_time_slice *p = &w->s->timeline->slices.items[n->slice];
    put_thread(w, thread_of_slice(w, n->slice));
    if (p->kind == NADI_SLICE_HEAD)
        put_operator(w, p->op);
    else
        put_text_attr(w, "piece", kinds[p->kind]);
}

static void put_work(struct writer *w, const struct nadi_built_node *n)
{
    const struct nadi_work *work = &w->s->device->works[n->work];
    const struct nadi_event *e = &w->k->events.items[work->event];
    const struct nadi_stream *stream = &w->s->device->streams[work->stream];
    if (stream->number >= 0)
        put_int_attr(w, "stream", stream->number);
    if (stream->device >= 0)
        put_int_attr(w, "device", stream->device);
    if (n->is_delay)
        return;
    if (e->correlation >= 0)
        put_int_attr(w, "correlation", e->correlation);
    if (work->op != NADI_NONE)
        put_text_attr(w, "op", event_name(w, event_of_op(w, work->op)));
    const struct nadi_work_cost *cost = &w->s->costs->items[n->work];
    if (!cost->kind)
        return;
    put_int_attr(w, "num_ops", (int64_t)nadi_min_u64(cost->ops, INT64_MAX));
    nadi_encode_attr(&w->node, "tensor_size", NADI_VALUE_UINT64, cost->bytes);
    put_text_attr(w, "cost", cost->kind);
}

static void put_part(struct writer *w, const struct nadi_comm_part *p)
{
    const struct nadi_book_group *g =
        p->group == NADI_NONE ? NULL : &w->s->book->groups.items[p->group];
    uint32_t number = g ? g->number : 0;
    char text[16];
    put_int_attr(w, "comm_size", (int64_t)nadi_min_u64(p->bytes, INT64_MAX));
    if (p->type == NADI_NODE_COLL) {
        put_int_attr(w, "comm_type", p->kind);
        if (p->splits)
            put_text_attr(w, "in_split_size", p->splits);
        if (p->peer != NADI_NONE)
            nadi_encode_attr(&w->node, "comm_root", NADI_VALUE_INT32, p->peer);
    } else if (p->peer != NADI_NONE) {
        bool sends = p->type == NADI_NODE_SEND;
        nadi_encode_attr(&w->node, "comm_src", NADI_VALUE_INT32, sends ? w->s->rank : p->peer);
        nadi_encode_attr(&w->node, "comm_dst", NADI_VALUE_INT32, sends ? p->peer : w->s->rank);
        nadi_encode_attr(&w->node, "comm_tag", NADI_VALUE_INT32, number);
    }
    snprintf(text, sizeof(text), "%" PRIu32, number);
    put_text_attr(w, "pg_name", text);
    if (g && g->description != NADI_NONE)
        put_text_attr(w, "pg_desc", nadi_names_get(&w->s->book->names, g->description));
}

static void put_node(struct writer *w, uint32_t index)
{
    const struct nadi_built_node *n = &w->s->graph->nodes.items[index];
    w->node.count = 0;
    nadi_encode_number(&w->node, NADI_FIELD_ID, (uint64_t)index + 1);
    put_name(w, n);
    nadi_encode_number(&w->node, NADI_FIELD_TYPE, type_of(w, n));
    put_deps(w, index);
    if (!n->is_delay) /* its time was gathered from several places */
        nadi_encode_number(&w->node, NADI_FIELD_START, n->from > 0 ? (uint64_t)n->from / 1000 : 0);
    nadi_encode_number(&w->node, NADI_FIELD_DURATION, (uint64_t)n->dur / 1000);
    bool head =
        n->slice != NADI_NONE && w->s->timeline->slices.items[n->slice].kind == NADI_SLICE_HEAD;
    const struct nadi_host_node *host =
        head ? host_node(w, w->s->timeline->slices.items[n->slice].op) : NULL;
    if (host) {
        put_io(w, host, &host->inputs, NADI_FIELD_INPUTS);
        put_io(w, host, &host->outputs, NADI_FIELD_OUTPUTS);
    }
    nadi_encode_attr(&w->node, "is_cpu_op", NADI_VALUE_BOOL, n->slice != NADI_NONE);
    nadi_encode_attr(&w->node, "duration_nanos", NADI_VALUE_UINT64, (uint64_t)n->dur);
    if (n->is_delay) { /* next to nothing for a roofline, which knows no idle time */
        put_text_attr(w, "piece", "delay");
        put_int_attr(w, "num_ops", 1);
        nadi_encode_attr(&w->node, "tensor_size", NADI_VALUE_UINT64, 1);
    }
    if (n->slice != NADI_NONE)
        put_slice(w, n);
    if (n->work != NADI_NONE)
        put_work(w, n);
    if (n->part != NADI_NONE && w->s->comm->parts.items[n->part].type != NADI_NODE_COMP)
        put_part(w, &w->s->comm->parts.items[n->part]);
    char length[NADI_VARINT_BYTES];
    nadi_sink_bytes(w->out, length, (size_t)(nadi_varint_put(length, w->node.count) - length));
    nadi_sink_bytes(w->out, w->node.items, w->node.count);
}

/* An attribute of the metadata has field number 2 instead of a node's 10. */
static void put_metadata_attr(struct writer *w, size_t at)
{
    w->node.items[at] = 2 << 3 | 2;
}

static void put_metadata_text(struct writer *w, const char *name, struct nadi_view text)
{
    size_t at = w->node.count;
    if (!text.at)
        return;
    nadi_encode_attr_text(&w->node, name, text.at, text.bytes);
    put_metadata_attr(w, at);
}

static struct nadi_view unquoted(struct nadi_view v)
{
    if (v.at && v.bytes >= 2 && v.at[0] == '"') {
        v.at++;
        v.bytes -= 2;
    }
    return v;
}

static void put_metadata(struct writer *w)
{
    static const char version[] = "1.0.0", generator[] = "nadi " NADI_VERSION;
    static const char *const copied[] = {"schema", "pid", "time", "start_ts", "finish_ts"};
    w->node.count = 0;
    nadi_encode_bytes(&w->node, 1 << 3 | 2, version, sizeof(version) - 1);
    for (size_t i = 0; w->s->host && i < sizeof(copied) / sizeof(copied[0]); i++)
        put_metadata_text(w, copied[i], unquoted(nadi_host_member(w->s->host, copied[i])));
    put_metadata_text(w, "generator",
                      (struct nadi_view){.at = generator, .bytes = sizeof(generator) - 1});
    put_metadata_text(
        w, NADI_ORDER_ATTR,
        (struct nadi_view){.at = NADI_ORDER_GIVEN, .bytes = sizeof(NADI_ORDER_GIVEN) - 1});
    size_t at = w->node.count;
    nadi_encode_attr(&w->node, "rank", NADI_VALUE_INT64, w->s->rank);
    put_metadata_attr(w, at);
    char length[NADI_VARINT_BYTES];
    nadi_sink_bytes(w->out, length, (size_t)(nadi_varint_put(length, w->node.count) - length));
    nadi_sink_bytes(w->out, w->node.items, w->node.count);
}

void nadi_chakra_write(struct nadi_sink *out, const struct nadi_chakra_sources *sources)
{
    struct writer w = {.s = sources, .k = sources->timeline->kineto, .out = out};
    put_metadata(&w);
    for (uint32_t i = 0; i < sources->graph->nodes.count; i++)
        put_node(&w, i);
    nadi_mem_free(w.node.items);
    nadi_mem_free(w.scratch.items);
}
