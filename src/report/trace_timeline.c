#include "report/trace_timeline.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

struct span {
    struct nadi_trace_stream stream;
    uint64_t start_ps, end_ps;
    uint32_t index; /* of its node or issue */
    uint32_t track;
};

struct ends { /* of the spans open on a track, the innermost last */
    uint64_t *items;
    size_t count, capacity;
};

struct layout { /* of one rank */
    struct span *spans;
    size_t count;
    struct {
        struct ends *items;
        size_t count, capacity;
    } rows; /* of the stream being laid out */
    uint32_t tracks;
};

static void begin_event(struct nadi_trace_timeline_writer *w)
{
    if (w->has_events)
        nadi_out_literal(w->out, ",\n");
    w->has_events = true;
}

void nadi_timeline_json_begin(struct nadi_trace_timeline_writer *w, struct nadi_out *sink)
{
    w->flows = 0;
    w->has_events = false;
    w->out = sink;
    nadi_out_literal(w->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

void nadi_timeline_json_end(struct nadi_trace_timeline_writer *w)
{
    nadi_out_literal(w->out, "\n]}\n");
}

/* us: 1500.250 or, where ps count, 1500.250125. */
static void put_us(struct nadi_out *out, uint64_t ps)
{
    char text[40];
    const uint64_t rest = ps % 1000000;
    if (rest % 1000)
        snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, ps / 1000000, rest);
    else
        snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, ps / 1000000, rest / 1000);
    nadi_out_text(out, text);
}

/* {"ph":"X","pid":0,"tid":1 */
static void put_head(struct nadi_trace_timeline_writer *w, char phase, uint32_t rank,
                     uint32_t track)
{
    begin_event(w);
    nadi_out_literal(w->out, "{\"ph\":\"");
    nadi_out_char(w->out, phase);
    nadi_out_literal(w->out, "\",\"pid\":");
    nadi_out_u64(w->out, rank);
    nadi_out_literal(w->out, ",\"tid\":");
    nadi_out_u64(w->out, track);
}

static void put_label(struct nadi_trace_timeline_writer *w, uint32_t rank, uint32_t track,
                      const char *key, const char *text)
{
    put_head(w, 'M', rank, track);
    nadi_out_literal(w->out, ",\"name\":\"");
    nadi_out_text(w->out, key);
    nadi_out_literal(w->out, "\",\"args\":{\"name\":");
    nadi_out_json(w->out, text, strlen(text), NADI_JSON_UTF8);
    nadi_out_literal(w->out, "}}");
}

static void put_order(struct nadi_trace_timeline_writer *w, uint32_t rank, uint32_t track,
                      const char *key, uint32_t order)
{
    put_head(w, 'M', rank, track);
    nadi_out_literal(w->out, ",\"name\":\"");
    nadi_out_text(w->out, key);
    nadi_out_literal(w->out, "\",\"args\":{\"sort_index\":");
    nadi_out_u64(w->out, order);
    nadi_out_literal(w->out, "}}");
}

/* --- tracks ------------------------------------------------------------------------------------
 */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_stream(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    int order = compare(x->stream.kind, y->stream.kind);
    if (!order)
        order = compare(x->stream.numbered, y->stream.numbered);
    if (!order && x->stream.number != y->stream.number)
        order = x->stream.number < y->stream.number ? -1 : 1;
    if (!order)
        order = compare(x->start_ps, y->start_ps);
    if (!order)
        order = compare(y->end_ps, x->end_ps);
    return order ? order : compare(x->index, y->index);
}

static bool same_stream(const struct nadi_trace_stream *a, const struct nadi_trace_stream *b)
{
    return a->kind == b->kind && a->numbered == b->numbered && a->number == b->number;
}

/* Is there room for the span, after those that have ended or inside one that goes on? */
static bool fits(struct ends *row, const struct span *s)
{
    while (row->count && row->items[row->count - 1] <= s->start_ps)
        row->count--;
    return row->count == 0 ||
           (s->stream.kind == NADI_STREAM_HOST && row->items[row->count - 1] >= s->end_ps);
}

static void name_track(struct nadi_trace_timeline_writer *w, const struct nadi_trace_stream *stream,
                       uint32_t rank, uint32_t track, size_t row)
{
    static const char *const names[NADI_STREAM_KINDS] = {"host", "compute", "communication",
                                                         "memory", "other"};
    struct nadi_str name = NADI_STR_INIT;
    if (stream->kind == NADI_STREAM_HOST)
        nadi_str_printf(&name, "host thread %" PRId64, stream->number);
    else if (stream->numbered)
        nadi_str_printf(&name, "%s, stream %" PRId64, names[stream->kind], stream->number);
    else
        nadi_str_add(&name, names[stream->kind]);
    if (row)
        nadi_str_printf(&name, " (%zu)", row + 1);
    put_label(w, rank, track, "thread_name", nadi_str_get(&name));
    put_order(w, rank, track, "thread_sort_index", track);
    nadi_str_release(&name);
}

static void place_span(struct nadi_trace_timeline_writer *w, struct layout *l, struct span *s,
                       uint32_t rank)
{
    size_t row = 0;
    while (row < l->rows.count && !fits(&l->rows.items[row], s))
        row++;
    if (row == l->rows.count) {
        const struct ends none = {0};
        NADI_PUSH(&l->rows, none);
        name_track(w, &s->stream, rank, l->tracks + (uint32_t)row + 1, row);
    }
    struct ends *ends = &l->rows.items[row];
    if (s->end_ps > s->start_ps)
        NADI_PUSH(ends, s->end_ps);
    s->track = l->tracks + (uint32_t)row + 1;
}

static void end_stream(struct layout *l)
{
    for (size_t i = 0; i < l->rows.count; i++)
        nadi_mem_free(l->rows.items[i].items);
    l->tracks += (uint32_t)l->rows.count;
    l->rows.count = 0;
}

/* Sorts the spans and gives each a track, named on the way. */
static void lay_out(struct nadi_trace_timeline_writer *w, struct layout *l, uint32_t rank)
{
    char name[32];
    snprintf(name, sizeof name, "rank %u", rank);
    put_label(w, rank, 0, "process_name", name);
    put_order(w, rank, 0, "process_sort_index", rank);
    qsort(l->spans, l->count, sizeof(*l->spans), by_stream);
    for (size_t i = 0; i < l->count; i++) {
        if (i && !same_stream(&l->spans[i].stream, &l->spans[i - 1].stream))
            end_stream(l);
        (void)nadi_guard_look();
        place_span(w, l, &l->spans[i], rank);
    }
    end_stream(l);
    nadi_mem_free(l->rows.items);
}

static void put_slice(struct nadi_trace_timeline_writer *w, const struct span *s, uint32_t rank,
                      const void *name, size_t name_bytes, const char *category)
{
    put_head(w, 'X', rank, s->track);
    nadi_out_literal(w->out, ",\"ts\":");
    put_us(w->out, s->start_ps);
    nadi_out_literal(w->out, ",\"dur\":");
    put_us(w->out, s->end_ps - s->start_ps);
    nadi_out_literal(w->out, ",\"cat\":\"");
    nadi_out_text(w->out, category);
    nadi_out_literal(w->out, "\",\"name\":");
    if (name_bytes)
        nadi_out_json(w->out, name, name_bytes, NADI_JSON_UTF8);
    else
        nadi_out_json(w->out, category, strlen(category), NADI_JSON_UTF8);
}

/* --- a trace -----------------------------------------------------------------------------------
 */

static const char *category_of(const struct nadi_full_node *n)
{
    if (n->type == NADI_NODE_COLL)
        return nadi_collective_name((enum nadi_collective_kind)nadi_min_u64(
            (uint64_t)nadi_full_integer(n, "comm_type", 0), NADI_COLLECTIVE_KINDS));
    return nadi_node_type_name((enum nadi_node_type)nadi_min_u64(n->type, NADI_NODE_TYPES));
}

static void put_integer(struct nadi_out *out, const struct nadi_full_node *n, const char *attr,
                        const char *key)
{
    const int64_t value = nadi_full_integer(n, attr, -1);
    if (value < 0)
        return;
    nadi_out_literal(out, ",\"");
    nadi_out_text(out, key);
    nadi_out_literal(out, "\":");
    nadi_out_u64(out, (uint64_t)value);
}

static void put_arguments(struct nadi_out *out, const struct nadi_full_node *n)
{
    struct nadi_named_attr group;
    nadi_out_literal(out, ",\"args\":{\"node\":");
    nadi_out_u64(out, n->id);
    if (n->type >= NADI_NODE_SEND && n->type <= NADI_NODE_COLL)
        put_integer(out, n, "comm_size", "bytes");
    else
        put_integer(out, n, "tensor_size", "bytes");
    put_integer(out, n, "num_ops", "operations");
    if (n->type == NADI_NODE_SEND)
        put_integer(out, n, "comm_dst", "to rank");
    if (n->type == NADI_NODE_RECV)
        put_integer(out, n, "comm_src", "from rank");
    if (n->type == NADI_NODE_COLL && nadi_full_attr(n, "pg_name", &group) &&
        nadi_attr_is_text(&group.value) && group.value.bytes) {
        nadi_out_literal(out, ",\"group\":");
        nadi_out_json(out, group.value.data, group.value.bytes, NADI_JSON_UTF8);
    }
    nadi_out_literal(out, "}}");
}

static void put_flow(struct nadi_trace_timeline_writer *w, char phase, const struct span *s,
                     uint64_t at_ps, uint32_t rank)
{
    put_head(w, phase, rank, s->track);
    nadi_out_literal(w->out, ",\"ts\":");
    put_us(w->out, at_ps);
    nadi_out_literal(w->out, ",\"cat\":\"dependency\",\"name\":\"dependency\",\"id\":");
    nadi_out_u64(w->out, w->flows);
    if (phase == 'f')
        nadi_out_literal(w->out, ",\"bp\":\"e\"}");
    else
        nadi_out_literal(w->out, "}");
}

/* An arrow begins inside its span: a point on the end belongs to what follows. */
static void put_flows(struct nadi_trace_timeline_writer *w, const struct layout *l,
                      const struct nadi_links *links, uint32_t rank)
{
    uint32_t *span_of = NADI_NEW(uint32_t, links->count);
    memset(span_of, 0xff, links->count * sizeof(*span_of));
    for (size_t i = 0; i < l->count; i++)
        span_of[l->spans[i].index] = (uint32_t)i;
    for (size_t i = 0; i < l->count; i++) {
        const struct span *to = &l->spans[i];
        for (uint32_t k = links->dep_start[to->index]; k < links->dep_start[to->index + 1]; k++) {
            const uint32_t at = span_of[links->deps[k]];
            const struct span *from = at == NADI_NONE ? to : &l->spans[at];
            if (from->track == to->track || from->end_ps > to->start_ps)
                continue;
            w->flows++;
            put_flow(w, 's', from, from->end_ps - nadi_min_u64(1000, from->end_ps - from->start_ps),
                     rank);
            put_flow(w, 'f', to, to->start_ps, rank);
        }
    }
    nadi_mem_free(span_of);
}

static uint64_t to_ps(uint64_t ns)
{
    return nadi_count_mul(ns, 1000);
}

void nadi_timeline_json_trace(struct nadi_trace_timeline_writer *w, const struct nadi_full *f,
                              const struct nadi_links *links, const struct nadi_trace_times *times,
                              uint32_t rank, uint64_t offset_ns)
{
    struct layout l = {.spans = NADI_NEW(struct span, f->node_count)};
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_trace_stream stream = nadi_trace_stream_of(&f->nodes[i]);
        if (stream.kind == NADI_STREAM_NONE)
            continue;
        const uint64_t start = to_ps(times->start[i] + offset_ns);
        l.spans[l.count++] = (struct span){
            .stream = stream,
            .start_ps = start,
            .end_ps = nadi_max_u64(start, to_ps(times->end[i] + offset_ns)),
            .index = (uint32_t)i,
        };
    }
    lay_out(w, &l, rank);
    for (size_t i = 0; i < l.count; i++) {
        const struct nadi_full_node *n = &f->nodes[l.spans[i].index];
        put_slice(w, &l.spans[i], rank, n->name, n->name_bytes, category_of(n));
        put_arguments(w->out, n);
    }
    put_flows(w, &l, links, rank);
    nadi_mem_free(l.spans);
}

/* --- a log -------------------------------------------------------------------------------------
 */

static struct nadi_trace_stream stream_of_issue(const struct nadi_issue *issue)
{
    switch (issue->type) {
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return (struct nadi_trace_stream){.kind = NADI_STREAM_MEMORY};
    case NADI_NODE_COMP:
        return (struct nadi_trace_stream){.kind = NADI_STREAM_DEVICE};
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
    case NADI_NODE_COLL:
        return (struct nadi_trace_stream){.kind = NADI_STREAM_COMM};
    default:
        return (struct nadi_trace_stream){.kind = NADI_STREAM_NONE};
    }
}

/* Up to the latest time that the file can name. */
static uint64_t cycles_to_ps(uint64_t cycles, double ps_per_cycle)
{
    return nadi_count_trunc_to((double)cycles * ps_per_cycle + 0.5, UINT64_C(9000000000000000000));
}

struct by_npu {
    uint32_t npu, index;
};

static int by_npu(const void *a, const void *b)
{
    const struct by_npu *x = a, *y = b;
    return x->npu != y->npu ? compare(x->npu, y->npu) : compare(x->index, y->index);
}

static void put_npu(struct nadi_trace_timeline_writer *w, const struct nadi_issue_log *log,
                    const struct by_npu *order, size_t count, double ps_per_cycle)
{
    struct layout l = {.spans = NADI_NEW(struct span, count), .count = count};
    for (size_t i = 0; i < count; i++) {
        const struct nadi_issue *issue = &log->issues.items[order[i].index];
        l.spans[i] = (struct span){
            .stream = stream_of_issue(issue),
            .start_ps = cycles_to_ps(issue->start, ps_per_cycle),
            .end_ps = cycles_to_ps(issue->end, ps_per_cycle),
            .index = order[i].index,
        };
    }
    lay_out(w, &l, order[0].npu);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_issue *issue = &log->issues.items[l.spans[i].index];
        put_slice(w, &l.spans[i], order[0].npu, issue->name, strlen(issue->name),
                  issue->type == NADI_NONE ? "node"
                                           : nadi_node_type_name((enum nadi_node_type)issue->type));
        nadi_out_literal(w->out, ",\"args\":{\"node\":");
        nadi_out_u64(w->out, issue->id);
        if (!issue->finished)
            nadi_out_literal(w->out, ",\"unfinished\":true");
        nadi_out_literal(w->out, "}}");
    }
    nadi_mem_free(l.spans);
}

void nadi_timeline_json_log(struct nadi_trace_timeline_writer *w, const struct nadi_issue_log *log,
                            double cycles_per_us)
{
    const size_t count = log->issues.count;
    struct by_npu *order = NADI_NEW(struct by_npu, count);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct by_npu){log->issues.items[i].npu, (uint32_t)i};
    qsort(order, count, sizeof(*order), by_npu);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && order[to].npu == order[from].npu; to++)
            continue;
        put_npu(w, log, order + from, to - from, 1e6 / cycles_per_us);
    }
    nadi_mem_free(order);
}
