#include "capture/chakra_write.h"

#include "base/search.h"
#include "capture/repr.h"
#include "format/out.h"
#include "trace/chakra.h"
#include "trace/frames.h"

struct writer {
    const struct nadi_chakra_sources *s;
    const struct nadi_kineto *k;
    struct nadi_out *out;
    struct nadi_str node, scratch;
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
    NADI_BISECT(uint32_t, after, 1, t->thread_count, i, t->threads[i].first_slice <= slice);
    return after - 1;
}

static void put_text_attr(struct writer *w, const char *name, const char *text)
{
    nadi_chakra_put_attr_text(&w->node, NADI_CHAKRA_ATTR, name, text, strlen(text));
}

static void put_int_attr(struct writer *w, const char *name, int64_t number)
{
    nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, name, NADI_MEMBER_INT64, (uint64_t)number);
}

static void put_name(struct writer *w, const struct nadi_built_node *n)
{
    const struct nadi_timeline *t = w->s->timeline;
    struct nadi_str *s = &w->scratch;
    nadi_str_clear(s);
    if (n->is_delay) {
        const char *delay = n->work != NADI_NONE ? "device delay" : "idle thread";
        nadi_wire_add_text(&w->node, NADI_CHAKRA_NAME, delay);
        return;
    }
    if (n->slice == NADI_NONE) {
        const char *name = n->work != NADI_NONE
                               ? event_name(w, w->s->device->works[n->work].event)
                               : event_name(w, event_of_op(w, w->s->comm->parts.items[n->part].op));
        nadi_wire_add_text(&w->node, NADI_CHAKRA_NAME, name);
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
    nadi_wire_add(s, name, strlen(name));
    nadi_wire_add(s, suffix, strlen(suffix));
    nadi_wire_add_message(&w->node, NADI_CHAKRA_NAME, s);
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
    if (parent != NADI_NONE && parent < node)
        nadi_wire_add_packed(&w->node, NADI_CHAKRA_CTRL_DEPS, &(uint64_t){(uint64_t)parent + 1}, 1);
    for (uint32_t i = first; i < g->dep_start[node + 1]; i++)
        bytes += nadi_varint_size((uint64_t)g->deps[i] + 1);
    if (!bytes)
        return;
    nadi_wire_add_tag(&w->node, NADI_CHAKRA_DATA_DEPS, NADI_WIRE_BYTES);
    nadi_wire_add_varint(&w->node, bytes);
    for (uint32_t i = first; i < g->dep_start[node + 1]; i++)
        nadi_wire_add_varint(&w->node, (uint64_t)g->deps[i] + 1);
}

/* IOInfo as Python prints the lists; a list that cannot be read is left out. */
static void put_io(struct writer *w, const struct nadi_host_node *n, const struct nadi_host_io *io,
                   uint32_t field)
{
    const struct nadi_part parts[] = {io->values, io->shapes, io->types};
    struct nadi_str *s = &w->scratch;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_clear(s);
    for (unsigned i = 0; i < 3; i++) {
        if (!parts[i].bytes)
            continue;
        struct nadi_view v = nadi_host_part(w->s->host, n, parts[i]);
        struct nadi_pull scan = nadi_pull_of(v.at, v.bytes);
        nadi_str_clear(&text);
        if (nadi_repr(&scan, &text))
            nadi_wire_add_message(s, i + NADI_CHAKRA_VALUES, &text);
    }
    nadi_wire_add_message(&w->node, field, s);
    nadi_str_release(&text);
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
    const struct nadi_kineto_event *e = &w->k->events.items[event_of_op(w, op)];
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
    const struct nadi_device_work *work = &w->s->device->works[n->work];
    const struct nadi_kineto_event *e = &w->k->events.items[work->event];
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
    nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "tensor_size", NADI_MEMBER_UINT64,
                         cost->bytes);
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
            nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "comm_root", NADI_MEMBER_INT32,
                                 p->peer);
    } else if (p->peer != NADI_NONE) {
        bool sends = p->type == NADI_NODE_SEND;
        nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "comm_src", NADI_MEMBER_INT32,
                             sends ? w->s->rank : p->peer);
        nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "comm_dst", NADI_MEMBER_INT32,
                             sends ? p->peer : w->s->rank);
        nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "comm_tag", NADI_MEMBER_INT32, number);
    }
    snprintf(text, sizeof(text), "%" PRIu32, number);
    put_text_attr(w, "pg_name", text);
    if (g && g->description != NADI_NONE)
        put_text_attr(w, "pg_desc", nadi_names_get(&w->s->book->names, g->description));
}

static void put_node(struct writer *w, uint32_t index)
{
    const struct nadi_built_node *n = &w->s->graph->nodes.items[index];
    nadi_str_clear(&w->node);
    nadi_chakra_put_number(&w->node, NADI_CHAKRA_ID, (uint64_t)index + 1);
    put_name(w, n);
    nadi_chakra_put_number(&w->node, NADI_CHAKRA_TYPE, type_of(w, n));
    put_deps(w, index);
    if (!n->is_delay) /* its time was gathered from several places */
        nadi_chakra_put_number(&w->node, NADI_CHAKRA_START,
                               n->from > 0 ? (uint64_t)n->from / 1000 : 0);
    nadi_chakra_put_number(&w->node, NADI_CHAKRA_DURATION, (uint64_t)n->dur / 1000);
    bool head =
        n->slice != NADI_NONE && w->s->timeline->slices.items[n->slice].kind == NADI_SLICE_HEAD;
    const struct nadi_host_node *host =
        head ? host_node(w, w->s->timeline->slices.items[n->slice].op) : NULL;
    if (host) {
        put_io(w, host, &host->inputs, NADI_CHAKRA_INPUTS);
        put_io(w, host, &host->outputs, NADI_CHAKRA_OUTPUTS);
    }
    nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "is_cpu_op", NADI_MEMBER_BOOL,
                         n->slice != NADI_NONE);
    nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "duration_nanos", NADI_MEMBER_UINT64,
                         (uint64_t)n->dur);
    if (n->is_delay) { /* next to nothing for a roofline, which knows no idle time */
        put_text_attr(w, "piece", "delay");
        put_int_attr(w, "num_ops", 1);
        nadi_chakra_put_attr(&w->node, NADI_CHAKRA_ATTR, "tensor_size", NADI_MEMBER_UINT64, 1);
    }
    if (n->slice != NADI_NONE)
        put_slice(w, n);
    if (n->work != NADI_NONE)
        put_work(w, n);
    if (n->part != NADI_NONE && w->s->comm->parts.items[n->part].type != NADI_NODE_COMP)
        put_part(w, &w->s->comm->parts.items[n->part]);
    nadi_frame_write(w->out, w->node.text, w->node.length);
}

static void put_metadata_text(struct writer *w, const char *name, struct nadi_view text)
{
    if (text.at)
        nadi_chakra_put_attr_text(&w->node, NADI_CHAKRA_METADATA_ATTR, name, text.at, text.bytes);
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
    nadi_str_clear(&w->node);
    nadi_wire_add_text(&w->node, NADI_CHAKRA_VERSION, version);
    for (size_t i = 0; w->s->host && i < sizeof(copied) / sizeof(copied[0]); i++)
        put_metadata_text(w, copied[i], unquoted(nadi_host_member(w->s->host, copied[i])));
    put_metadata_text(w, "generator",
                      (struct nadi_view){.at = generator, .bytes = sizeof(generator) - 1});
    put_metadata_text(
        w, NADI_ORDER_ATTR,
        (struct nadi_view){.at = NADI_ORDER_GIVEN, .bytes = sizeof(NADI_ORDER_GIVEN) - 1});
    nadi_chakra_put_attr(&w->node, NADI_CHAKRA_METADATA_ATTR, "rank", NADI_MEMBER_INT64,
                         w->s->rank);
    nadi_frame_write(w->out, w->node.text, w->node.length);
}

void nadi_chakra_write(struct nadi_out *out, const struct nadi_chakra_sources *sources)
{
    struct writer w = {.s = sources, .k = sources->timeline->kineto, .out = out};
    put_metadata(&w);
    for (uint32_t i = 0; i < sources->graph->nodes.count; i++)
        put_node(&w, i);
    nadi_str_release(&w.node);
    nadi_str_release(&w.scratch);
}
