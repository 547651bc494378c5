#include "report/timeline.h"

#include "base/guard.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "format/perfetto.h"
#include "report/detail.h"
#include "report/figures.h"
#include "report/phase_plans.h"
#include "report/timeline_counters.h"

enum track_kind {
    TRACK_NONE,
    TRACK_COMPUTE,
    TRACK_COMMUNICATION,
    TRACK_RECEIVE,
    TRACK_SENT,    /* messages of collectives, */
    TRACK_ARRIVED, /* at both ends */
    TRACK_MEMORY,
    TRACK_PROCESSOR,
};

static const char *const track_names[] = {
    [TRACK_NONE] = "",
    [TRACK_COMPUTE] = "compute",
    [TRACK_COMMUNICATION] = "communication",
    [TRACK_RECEIVE] = "receive",
    [TRACK_SENT] = "messages sent",
    [TRACK_ARRIVED] = "messages received",
    [TRACK_MEMORY] = "memory",
    [TRACK_PROCESSOR] = "processor",
};

static enum track_kind track_of(const struct nadi_trace *t, uint32_t node)
{
    if (nadi_trace_pauses(t, node))
        return TRACK_NONE;
    if (t->flags[node] & NADI_NODE_IS_CPU)
        return TRACK_PROCESSOR;
    switch ((enum nadi_node_type)t->type[node]) {
    case NADI_NODE_COMP:
        return TRACK_COMPUTE;
    case NADI_NODE_COLL:
    case NADI_NODE_SEND:
        return TRACK_COMMUNICATION;
    case NADI_NODE_RECV:
        return TRACK_RECEIVE;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return TRACK_MEMORY;
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return TRACK_NONE;
}

const char *nadi_timeline_track(const struct nadi_trace *t, uint32_t node)
{
    return track_names[track_of(t, node)];
}

struct shown {           /* a span or a message inside the limits, sorted by rank, track, time */
    uint32_t rank, span; /* of a message its place among those recorded */
    uint64_t start_ns, end_ns;
    enum track_kind track;
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *x, const void *y)
{
    const struct shown *a = x, *b = y;
    int order = compare(a->rank, b->rank);
    if (!order)
        order = compare((uint64_t)a->track, (uint64_t)b->track);
    if (!order)
        order = compare(a->start_ns, b->start_ns);
    if (!order)
        order = compare(a->end_ns, b->end_ns);
    return order ? order : compare(a->span, b->span);
}

struct row { /* of a track: when its last slice ends */
    uint64_t end_ns, uuid;
};

struct rows { /* binary heap by end_ns, then uuid */
    struct row *items;
    size_t count, capacity;
};

static bool before(const struct row *a, const struct row *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->uuid < b->uuid;
}

struct drawing {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct nadi_pftrace trace;
    struct nadi_map64 flows; /* rank << 32 | node -> flow whose both ends are shown */
    struct rows rows;        /* of the track being drawn */
    struct nadi_phase_plans plans;
    uint64_t process;
};

static uint64_t node_key(uint32_t rank, uint32_t node)
{
    return (uint64_t)rank << 32 | node;
}

/* The row whose slices ended longest ago if it is free by then, else a new one. */
static uint64_t row_for(struct drawing *d, const struct shown *s)
{
    struct row row = {.end_ns = s->end_ns};
    if (d->rows.count && d->rows.items[0].end_ns <= s->start_ns) {
        row.uuid = d->rows.items[0].uuid;
        NADI_HEAP_DROP(&d->rows, before);
    } else
        row.uuid =
            nadi_pftrace_track(&d->trace, d->process, track_names[s->track], (uint32_t)s->track);
    NADI_HEAP_PUSH(&d->rows, row, before);
    return row.uuid;
}

static const char *category_of(const struct nadi_trace *t, uint32_t node)
{
    if (t->type[node] == NADI_NODE_COLL)
        return nadi_collective_name((enum nadi_collective_kind)t->collective[node]);
    return nadi_node_type_name((enum nadi_node_type)t->type[node]);
}

static uint32_t peer_of(const struct nadi_inputs *in, uint32_t rank, uint32_t written)
{
    return in->relative_peers ? nadi_relative_peer(rank, written, in->rank_count) : written;
}

static void arguments(struct drawing *d, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = d->in->traces[rank];
    struct nadi_pftrace *p = &d->trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    nadi_pftrace_arg_u64(p, "node", t->id[node]);
    if (t->flags[node] & NADI_NODE_HAS_BYTES)
        nadi_pftrace_arg_u64(p, "bytes", t->bytes[node]);
    if (t->flags[node] & NADI_NODE_HAS_OPS)
        nadi_pftrace_arg_u64(p, "ops", t->ops[node]);
    if (!comm)
        return;
    if (comm->group != NADI_NONE)
        nadi_pftrace_arg_text(p, "group", nadi_trace_string(t, comm->group));
    if (t->type[node] == NADI_NODE_SEND && (t->flags[node] & NADI_NODE_HAS_DST))
        nadi_pftrace_arg_u64(p, "to rank", peer_of(d->in, rank, comm->dst));
    if (t->type[node] == NADI_NODE_RECV && (t->flags[node] & NADI_NODE_HAS_SRC))
        nadi_pftrace_arg_u64(p, "from rank", peer_of(d->in, rank, comm->src));
    if (t->flags[node] & NADI_NODE_HAS_TAG)
        nadi_pftrace_arg_u64(p, "tag", comm->tag);
}

/* The phases of a collective, within its slice, as the critical path has them. */
static void draw_phases(struct drawing *d, const struct shown *s, uint64_t row,
                        const struct nadi_phase_plan *plan)
{
    const uint64_t length = s->end_ns - s->start_ns;
    char name[64];
    double share = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct nadi_why_phase *p = &d->plans.rows.items[plan->first + i];
        const uint64_t from = nadi_count_round(share * (double)length);
        share += p->share;
        const uint64_t to = nadi_min_u64(nadi_count_round(share * (double)length), length);
        if (from >= to)
            continue;
        if (p->dim == NADI_NONE)
            snprintf(name, sizeof(name), "about: %s", p->algorithm);
        else
            snprintf(name, sizeof(name), "about: %s, dimension %u", p->algorithm, p->dim);
        nadi_pftrace_slice(&d->trace, row, s->start_ns + from, "phase", name);
        nadi_pftrace_arg_u64(&d->trace, "messages a rank and chunk", p->messages);
        nadi_pftrace_arg_u64(&d->trace, "bytes a message", p->message_bytes);
        nadi_pftrace_slice_end(&d->trace, row, s->start_ns + to);
    }
}

static void draw_inside(struct drawing *d, const struct shown *s, uint64_t row, uint32_t number)
{
    const struct nadi_phase_plan *plan = &d->plans.list.items[number];
    nadi_pftrace_arg_u64(&d->trace, "chunks", plan->chunks);
    if (plan->count > 1)
        draw_phases(d, s, row, plan);
    else
        nadi_pftrace_arg_text(&d->trace, "algorithm", d->plans.rows.items[plan->first].algorithm);
}

/* One end of a message; both ends have the flow's number. */
static void draw_message(struct drawing *d, const struct shown *s)
{
    const struct nadi_message_entry *m = &d->r->logged[s->span];
    const uint64_t row = row_for(d, s), flow = (uint64_t)s->span + d->r->flow_count + 1;
    const bool sent = s->track == TRACK_SENT;
    char name[32];
    snprintf(name, sizeof(name), sent ? "to rank %u" : "from rank %u", sent ? m->dst : m->src);
    nadi_pftrace_slice(&d->trace, row, s->start_ns, "message", name);
    nadi_pftrace_arg_u64(&d->trace, "bytes", m->bytes);
    if (m->waited_ns)
        nadi_pftrace_arg_u64(&d->trace, "held up by others, ns", m->waited_ns);
    if (m->queued_ns)
        nadi_pftrace_arg_u64(&d->trace, "behind its pair's, ns", m->queued_ns);
    if (sent)
        nadi_pftrace_flow_begin(&d->trace, flow);
    nadi_pftrace_slice_end(&d->trace, row, s->end_ns);
    if (!sent)
        nadi_pftrace_flow_end(&d->trace, flow);
}

static void draw(struct drawing *d, const struct shown *s)
{
    const struct nadi_trace *t = d->in->traces[s->rank];
    uint32_t node = d->r->spans[s->span].node;
    uint32_t flow = nadi_map64_find(&d->flows, node_key(s->rank, node));
    const uint64_t row = row_for(d, s);
    const uint32_t plan = nadi_phase_plan_of(&d->plans, s->rank, node, s->end_ns - s->start_ns);
    const char *category = category_of(t, node), *name = nadi_trace_name(t, node);
    nadi_pftrace_slice(&d->trace, row, s->start_ns, category, name[0] ? name : category);
    arguments(d, s->rank, node);
    if (flow != NADI_NONE && t->type[node] == NADI_NODE_SEND)
        nadi_pftrace_flow_begin(&d->trace, (uint64_t)flow + 1);
    if (plan != NADI_NONE)
        draw_inside(d, s, row, plan);
    nadi_pftrace_slice_end(&d->trace, row, s->end_ns);
    if (flow != NADI_NONE && t->type[node] == NADI_NODE_RECV)
        nadi_pftrace_flow_end(&d->trace, (uint64_t)flow + 1);
}

/* What happened to the cluster: a process after the ranks, a slice an entry of the events file. */
static void draw_events(struct drawing *d, const struct nadi_report_options *o)
{
    const struct nadi_events *ev = d->in->events;
    const uint64_t to_ns = o->timeline_to_ns ? o->timeline_to_ns : UINT64_MAX;
    uint64_t process = 0;
    for (size_t i = 0; ev && i < ev->row_count; i++) {
        const struct nadi_event_row *row = &ev->rows[i];
        const uint64_t from = nadi_time_to_ns(row->at);
        const uint64_t until = nadi_min_u64(nadi_time_to_ns(row->until), d->r->end_ns);
        if (from > until || from > to_ns || until < o->timeline_from_ns)
            continue;
        if (!process)
            process = nadi_pftrace_process(&d->trace, d->in->rank_count, "events");
        const uint64_t track = nadi_pftrace_track(&d->trace, process, row->kind, (uint32_t)i);
        nadi_pftrace_slice(&d->trace, track, from, row->kind, row->text);
        nadi_pftrace_slice_end(&d->trace, track, until);
    }
}

static bool rank_shown(const struct nadi_report_options *o, uint32_t rank)
{
    return nadi_detail_rank(o->timeline_detail, rank) &&
           (!o->timeline_limit_ranks ||
            (rank >= o->timeline_first_rank && rank <= o->timeline_last_rank));
}

static struct shown *select_spans(const struct nadi_inputs *in, const struct nadi_result *r,
                                  const struct nadi_report_options *o, size_t *count)
{
    uint64_t to_ns = o->timeline_to_ns ? o->timeline_to_ns : UINT64_MAX;
    size_t some;
    const uint32_t *messages = nadi_detail_messages(o->timeline_detail, &some);
    const size_t message_count = messages ? some : r->logged_count;
    struct shown *list = NADI_NEW(struct shown, r->span_count + 2 * message_count);
    *count = 0;
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *s = &r->spans[i];
        (void)nadi_guard_look();
        enum track_kind track = track_of(in->traces[s->rank], s->node);
        if (track == TRACK_NONE || !rank_shown(o, s->rank) ||
            !nadi_detail_span(o->timeline_detail, r, i) || s->end_ns < o->timeline_from_ns ||
            s->start_ns > to_ns)
            continue;
        list[(*count)++] = (struct shown){s->rank, (uint32_t)i, s->start_ns, s->end_ns, track};
    }
    for (size_t i = 0; i < message_count; i++) {
        const uint32_t place = messages ? messages[i] : (uint32_t)i;
        (void)nadi_guard_look();
        const struct nadi_message_entry *m = &r->logged[place];
        const uint64_t start = nadi_time_to_ns(m->sent), end = nadi_time_to_ns(m->arrived);
        if (!m->op || end < o->timeline_from_ns || start > to_ns)
            continue;
        if (rank_shown(o, m->src))
            list[(*count)++] = (struct shown){m->src, place, start, end, TRACK_SENT};
        if (rank_shown(o, m->dst))
            list[(*count)++] = (struct shown){m->dst, place, start, end, TRACK_ARRIVED};
    }
    qsort(list, *count, sizeof(*list), by_place);
    return list;
}

static void select_flows(struct drawing *d, const struct nadi_report_options *o)
{
    nadi_map64_init(&d->flows, 2 * d->r->flow_count);
    for (size_t i = 0; i < d->r->flow_count; i++) {
        const struct nadi_flow *f = &d->r->flows[i];
        (void)nadi_guard_look();
        if (!rank_shown(o, f->src) || !rank_shown(o, f->dst))
            continue;
        nadi_map64_put(&d->flows, node_key(f->src, f->send_node), (uint32_t)i, NULL);
        nadi_map64_put(&d->flows, node_key(f->dst, f->recv_node), (uint32_t)i, NULL);
    }
}

void nadi_timeline_write(const struct nadi_inputs *in, const struct nadi_result *r,
                         const struct nadi_report_options *o, struct nadi_str *out)
{
    size_t count;
    struct shown *list = select_spans(in, r, o, &count);
    struct drawing d = {.in = in, .r = r};
    char name[32];
    select_flows(&d, o);
    nadi_phase_plans_init(&d.plans, in);
    nadi_pftrace_begin(&d.trace, out);
    for (size_t i = 0; i < count; i++) {
        bool new_rank = i == 0 || list[i].rank != list[i - 1].rank;
        if (new_rank) {
            snprintf(name, sizeof(name), "rank %u", list[i].rank);
            d.process = nadi_pftrace_process(&d.trace, list[i].rank, name);
        }
        if (new_rank || list[i].track != list[i - 1].track)
            d.rows.count = 0;
        if (list[i].track == TRACK_SENT || list[i].track == TRACK_ARRIVED)
            draw_message(&d, &list[i]);
        else
            draw(&d, &list[i]);
    }
    draw_events(&d, o);
    nadi_timeline_counters(in, r, &d.trace);
    nadi_pftrace_finish(&d.trace);
    nadi_map64_release(&d.flows);
    nadi_phase_plans_release(&d.plans);
    nadi_mem_free(d.rows.items);
    nadi_mem_free(list);
}
