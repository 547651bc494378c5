/* columns_ops: what the ranks did: collectives, nodes, messages; and the critical path. */
#include "base/file.h"
#include "base/mem.h"
#include "report/columns.h"
#include "report/figures.h"
#include "report/timeline.h"

#include <math.h>

/* ---- collectives --------------------------------------------------------------------------- */

enum { COLLECTIVES_FILE = 1, COLLECTIVES = 2 };

#define BOTH               (COLLECTIVES_FILE | COLLECTIVES)
#define COLLECTIVE(member) NADI_MEMBER(nadi_collective_result, member)

NADI_GETTER(collective_group, item, nadi_collective_result, c,
            nadi_cell_text(nadi_group_label(row->of->in, c->group)));
NADI_GETTER(collective_kind, item, nadi_collective_result, c,
            nadi_cell_text(nadi_collective_name(c->kind)));
NADI_GETTER(collective_name, item, nadi_collective_result, c,
            nadi_cell_text(nadi_trace_name(row->of->in->traces[c->rank], c->node)));
NADI_GETTER(collective_node, item, nadi_collective_result, c,
            nadi_cell_u64(row->of->in->traces[c->rank]->id[c->node]));
NADI_GETTER(collective_duration, item, nadi_collective_result, c,
            nadi_cell_u64(c->end_ns - c->start_ns));
NADI_GETTER(algorithm_gbps, more, nadi_bandwidth, b, nadi_cell_real(b->algorithm / 1e9));
NADI_GETTER(bus_gbps, more, nadi_bandwidth, b, nadi_cell_real(b->bus / 1e9));

static const struct nadi_column collective_columns[] = {
    {"collective", COLLECTIVES, .key = COLLECTIVES, NADI_GET(U64, nadi_cell_row_number),
     .meaning = "number of the row"},
    {"group_name", BOTH, .in_files = "group", NADI_GET(TEXT, collective_group),
     .meaning = "its process group; `world`: all ranks"},
    {"sequence", BOTH, COLLECTIVE(sequence), .meaning = "its place in the group, from 0"},
    {"kind", BOTH, NADI_GET(TEXT, collective_kind), .meaning = "`ALL_REDUCE`, ..."},
    {"name", BOTH, NADI_GET(TEXT, collective_name), .meaning = "of its node"},
    {"first_rank", BOTH, COLLECTIVE(rank), .meaning = "the first rank that issued it"},
    {"node", BOTH, NADI_GET(U64, collective_node), .meaning = "id of its node there"},
    {"ranks", BOTH, COLLECTIVE(ranks), .meaning = "members that took part"},
    {"participants", BOTH, NADI_MORE(nadi_bandwidth, ranks),
     .meaning = "of them those that exchange data"},
    {"instances", BOTH, COLLECTIVE(copies),
     .meaning = "equal collectives that the row stands for: of as many groups, or of one that "
                "follow each other"},
    {"chunks", BOTH, COLLECTIVE(chunks), .meaning = "chunks that it was cut into"},
    {"bytes", BOTH, COLLECTIVE(bytes), .meaning = "the size that the trace gives"},
    {"start_ns", BOTH, COLLECTIVE(start_ns), .meaning = "when the first member issued it"},
    {"end_ns", BOTH, COLLECTIVE(end_ns), .meaning = "when the last member completed it"},
    {"duration_ns", BOTH, NADI_GET(U64, collective_duration), .meaning = "`end_ns` - `start_ns`"},
    {"complete", BOTH, COLLECTIVE(complete), .meaning = "0 where members are missing"},
    {"nccl_bytes", BOTH, NADI_MORE(nadi_bandwidth, bytes),
     .meaning = "the size as nccl-tests counts it (of an all-gather: the output)"},
    {"algorithm_bandwidth_bytes_per_s", COLLECTIVES_FILE, NADI_MORE(nadi_bandwidth, algorithm),
     .meaning = "`nccl_bytes` divided by `duration_ns`"},
    {"bus_bandwidth_bytes_per_s", COLLECTIVES_FILE, NADI_MORE(nadi_bandwidth, bus),
     .meaning = "`algorithm_bandwidth` times 2(n-1)/n for all-reduce and (n-1)/n for all-gather, "
                "reduce-scatter "
                "and all-to-all, where n is `participants`"},
    {"algorithm_gbps", COLLECTIVES, NADI_GET(REAL, algorithm_gbps), .unit = "10^9 bytes/s",
     .meaning = "algorithm bandwidth in 10^9 bytes/s"},
    {"bus_gbps", COLLECTIVES, NADI_GET(REAL, bus_gbps), .unit = "10^9 bytes/s",
     .meaning = "bus bandwidth in 10^9 bytes/s"},
};

static void put_collectives(struct nadi_rows *rows)
{
    size_t count;
    const struct nadi_collective_result *list =
        nadi_detail_collectives(rows->of->detail, rows->of->r, &count);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_bandwidth b = nadi_bandwidth_of(rows->of->in, &list[i]);
        nadi_rows_put(rows, &(struct nadi_result_row){.item = &list[i], .more = &b, .index = i});
    }
}

const struct nadi_result_view nadi_view_collectives_csv = {
    NADI_VIEW_CSV,
    "collectives.csv",
    "a collective of a group, or like ones together",
    NADI_COLUMNS(collective_columns),
    COLLECTIVES_FILE,
    .put = put_collectives,
    .title = "Collectives"};

const struct nadi_result_view nadi_view_collectives = {
    NADI_VIEW_DATABASE, "collectives",         "likewise", NADI_COLUMNS(collective_columns),
    COLLECTIVES,        .put = put_collectives};

#define CLASS(member) NADI_MEMBER(nadi_collective_class, member)

NADI_GETTER(class_kind, item, nadi_collective_class, c,
            nadi_cell_text(nadi_collective_name(c->kind)));

static const struct nadi_column collective_class_columns[] = {
    {"kind", 1, NADI_GET(TEXT, class_kind), .meaning = "`ALL_REDUCE`, ..."},
    {"ranks", 1, CLASS(group_ranks), .meaning = "members"},
    {"participants", 1, CLASS(ranks), .meaning = "of them those that exchange data"},
    {"bytes", 1, CLASS(bytes), .meaning = "the size that the trace gives"},
    {"count", 1, CLASS(count), .meaning = "how many there are"},
    {"duration_ns", 1, CLASS(duration_ns), .meaning = "of all together"},
    {"time_per_rank_ns", 1, CLASS(per_rank_ns), .meaning = "mean over the ranks that work"},
    {"algorithm_bandwidth_bytes_per_s", 1, CLASS(algorithm_mean),
     .meaning = "mean, over the summed durations"},
    {"bus_bandwidth_bytes_per_s", 1, CLASS(bus_mean), .meaning = "likewise"},
    {"bus_bandwidth_min_bytes_per_s", 1, CLASS(bus_min), .meaning = "the least"},
    {"bus_bandwidth_max_bytes_per_s", 1, CLASS(bus_max), .meaning = "the most"},
};

const struct nadi_result_view nadi_view_collectives_json = {
    NADI_VIEW_JSON,
    "collectives.list",
    "complete collectives of equal kind, participants and size, up to 1,024",
    NADI_COLUMNS(collective_class_columns),
    1,
    .title = "Classes of collectives"};

/* ---- nodes --------------------------------------------------------------------------------- */

enum { EXECUTED = 1, SPANS = 2, OPS = 4 }; /* ops.csv; executed nodes; nodes of traces */

struct op {
    const struct nadi_trace *t;
    uint32_t trace, node;
    uint32_t plan; /* of a collective; or NADI_NONE */
};

NADI_GETTER(op_id, more, op, op, nadi_cell_u64(op->t->id[op->node]));
NADI_GETTER(op_name, more, op, op, nadi_cell_text(nadi_trace_name(op->t, op->node)));
NADI_GETTER(op_type, more, op, op,
            nadi_cell_text(nadi_node_type_name((enum nadi_node_type)op->t->type[op->node])));
NADI_GETTER(op_track, more, op, op, nadi_cell_text(nadi_timeline_track(op->t, op->node)));
NADI_GETTER(op_bytes, more, op, op, nadi_cell_u64(op->t->bytes[op->node]));
NADI_GETTER(op_flop, more, op, op, nadi_cell_u64(op->t->ops[op->node]));
NADI_GETTER(span_duration, item, nadi_span, s, nadi_cell_u64(s->end_ns - s->start_ns));

static struct nadi_cell op_collective(struct nadi_result_row *row)
{
    const struct op *op = row->more;
    if (op->t->type[op->node] != NADI_NODE_COLL)
        return nadi_cell_empty();
    return nadi_cell_text(
        nadi_collective_name((enum nadi_collective_kind)op->t->collective[op->node]));
}

static struct nadi_cell op_group(struct nadi_result_row *row)
{
    const struct op *op = row->more;
    const struct nadi_trace_comm *comm = nadi_trace_comm(op->t, op->node);
    if (!comm || comm->group == NADI_NONE)
        return nadi_cell_empty();
    return nadi_cell_text(nadi_trace_string(op->t, comm->group));
}

static struct nadi_cell slack(struct nadi_result_row *row)
{
    const struct nadi_span *s = row->item;
    const struct nadi_node_time *time = nadi_why_time(row->of->why, s->rank, s->node);
    return nadi_cell_u64(time ? time->slack_ns : UINT64_MAX);
}

#define SPAN(member) NADI_MEMBER(nadi_span, member)

static const struct nadi_column op_columns[] = {
    {"rank", EXECUTED | SPANS, SPAN(rank), .meaning = "that ran it"},
    {"trace", OPS, NADI_MORE(op, trace), .meaning = "number of its trace, of `ranks`"},
    {"node", EXECUTED | SPANS | OPS, NADI_GET(U64, op_id), .meaning = "its id in the trace"},
    {"name", EXECUTED | OPS, NADI_GET(TEXT, op_name), .meaning = "its name there"},
    {"type", EXECUTED | OPS, NADI_GET(TEXT, op_type), .meaning = "`COMP_NODE`, ..."},
    {"track", SPANS, NADI_GET(TEXT, op_track),
     .meaning = "`compute`, `communication`, `receive`, `memory`, `processor`"},
    {"collective", OPS, NADI_GET(TEXT, op_collective), .meaning = "kind of a collective"},
    {"group_name", OPS, NADI_GET(TEXT, op_group), .meaning = "its process group"},
    {"start_ns", EXECUTED | SPANS, SPAN(start_ns), .meaning = "when it was issued"},
    {"end_ns", EXECUTED | SPANS, SPAN(end_ns), .meaning = "when it was done"},
    {"duration_ns", EXECUTED, NADI_GET(U64, span_duration), .meaning = "`end_ns` - `start_ns`"},
    {"bytes", EXECUTED | OPS, NADI_GET(U64, op_bytes), .meaning = "that it moves"},
    {"flop", OPS, NADI_GET(U64, op_flop), .meaning = "operations of a compute node"},
    {"plan", OPS, NADI_INDEX(op, plan), .of_more = true,
     .meaning = "of a collective: its number in `phases`"},
    {"collective", EXECUTED, NADI_GET(TEXT, op_collective)},
    {"slack_ns", SPANS, NADI_GET(U64, slack),
     .meaning = "by how much its end may be late without moving the end of the run, or null"},
};

static void put_spans(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *s = &r->spans[i];
        const struct op op = {.t = rows->of->in->traces[s->rank], .node = s->node};
        if (!rows->db || nadi_detail_span(rows->of->detail, r, i))
            nadi_rows_put(rows, &(struct nadi_result_row){.item = s, .more = &op});
    }
}

/* By trace and node: is there a span of it? NULL: there is room for all. */
static bool **ops_shown(const struct nadi_result_data *of)
{
    const uint32_t traces = of->in->owned_count;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < traces; i++)
        nodes += of->in->owned[i]->node_count;
    if (!of->detail || nodes <= nadi_detail_spans(of->r))
        return NULL;
    bool **shown = NADI_NEW(bool *, traces);
    uint32_t *trace = NADI_NEW(uint32_t, of->in->rank_count);
    nadi_trace_numbers(of->in, trace);
    for (uint32_t i = 0; i < traces; i++)
        shown[i] = NADI_ZNEW(bool, of->in->owned[i]->node_count);
    for (size_t i = 0; i < of->r->span_count; i++)
        if (nadi_detail_span(of->detail, of->r, i))
            shown[trace[of->r->spans[i].rank]][of->r->spans[i].node] = true;
    nadi_mem_free(trace);
    return shown;
}

/* By trace: its first rank. */
static uint32_t *first_ranks(const struct nadi_inputs *in)
{
    uint32_t *first = NADI_NEW(uint32_t, in->owned_count);
    uint32_t *trace = NADI_NEW(uint32_t, in->rank_count);
    nadi_trace_numbers(in, trace);
    for (uint32_t rank = in->rank_count; rank-- > 0;)
        first[trace[rank]] = rank;
    nadi_mem_free(trace);
    return first;
}

static uint32_t plan_of(const struct nadi_result_data *of, uint32_t rank, uint32_t node)
{
    const struct nadi_node_time *time = nadi_why_time(of->why, rank, node);
    return nadi_phase_plan_of(of->phases, rank, node, time ? time->end_ns - time->start_ns : 0);
}

static void put_ops(struct nadi_rows *rows)
{
    const struct nadi_inputs *in = rows->of->in;
    bool **shown = ops_shown(rows->of);
    uint32_t *home = first_ranks(in);
    for (uint32_t i = 0; i < in->owned_count; i++) {
        for (uint32_t node = 0; node < in->owned[i]->node_count; node++) {
            struct op op = {in->owned[i], i, node, NADI_NONE};
            if (shown && !shown[i][node])
                continue;
            if (op.t->type[node] == NADI_NODE_COLL)
                op.plan = plan_of(rows->of, home[i], node);
            nadi_rows_put(rows, &(struct nadi_result_row){.more = &op});
        }
        if (shown)
            nadi_mem_free(shown[i]);
    }
    nadi_mem_free((void *)shown);
    nadi_mem_free(home);
}

const struct nadi_result_view nadi_view_ops_csv = {
    NADI_VIEW_CSV,
    "ops.csv",
    "an executed node, in order of completion: `--ops`",
    NADI_COLUMNS(op_columns),
    EXECUTED,
    .put = put_spans,
    .title = "Nodes"};

const struct nadi_result_view nadi_view_ops = {
    NADI_VIEW_DATABASE,       "ops", "a node of a trace, which many ranks may run",
    NADI_COLUMNS(op_columns), OPS,   .put = put_ops,
    .key = "trace, node"};

const struct nadi_result_view nadi_view_spans = {
    NADI_VIEW_DATABASE,       "spans", "an executed node",
    NADI_COLUMNS(op_columns), SPANS,   .put = put_spans};

/* ---- messages between two ranks ------------------------------------------------------------ */

#define FLOW(member) NADI_MEMBER(nadi_flow, member)

NADI_GETTER(send_node, item, nadi_flow, f,
            nadi_cell_u64(row->of->in->traces[f->src]->id[f->send_node]));
NADI_GETTER(receive_node, item, nadi_flow, f,
            nadi_cell_u64(row->of->in->traces[f->dst]->id[f->recv_node]));

static const struct nadi_column flow_columns[] = {
    {"source", 1, FLOW(src), .meaning = "rank that sends"},
    {"send_node", 1, NADI_GET(U64, send_node), .meaning = "id of its node"},
    {"destination", 1, FLOW(dst), .meaning = "rank that receives"},
    {"receive_node", 1, NADI_GET(U64, receive_node), .meaning = "id of its node"},
    {"send_ns", 1, FLOW(send_ns), .meaning = "when it was sent"},
    {"arrive_ns", 1, FLOW(arrive_ns), .meaning = "when it arrived"},
};

static void put_messages(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    for (size_t i = 0; i < r->flow_count; i++)
        if (nadi_detail_rank(rows->of->detail, r->flows[i].src) &&
            nadi_detail_rank(rows->of->detail, r->flows[i].dst))
            nadi_rows_item(rows, &r->flows[i], i);
}

const struct nadi_result_view nadi_view_point_to_point = {NADI_VIEW_DATABASE,
                                                          "point_to_point",
                                                          "a message between two nodes",
                                                          NADI_COLUMNS(flow_columns),
                                                          1,
                                                          .put = put_messages,
                                                          .title = "Messages between two nodes"};

/* ---- the run in five columns --------------------------------------------------------------- */

struct five { /* of the rank that finishes last */
    const char *name;
    double total_us, compute_us, exposed_us, megabytes;
};

#define FIVE(member) NADI_MEMBER(five, member)

static const struct nadi_column five_columns[] = {
    {"Name", 1, FIVE(name), .meaning = "the workload's prefix without its folder"},
    {"TotalTime(us)", 1, FIVE(total_us), .unit = "us",
     .meaning = "of the rank that finishes last, as the others: compute + exposed communication"},
    {"ComputeTime(us)", 1, FIVE(compute_us), .unit = "us", .meaning = "accelerator compute"},
    {"ExposedCommunicationTime(us)", 1, FIVE(exposed_us), .unit = "us",
     .meaning = "`exposed_comm_ns` of `ranks.csv`"},
    {"TotalMessageSize(MB)", 1, FIVE(megabytes), .unit = "10^6 bytes",
     .meaning = "what its trace asks for"},
};

static uint64_t offered_bytes(const struct nadi_trace *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->type[i] == NADI_NODE_COLL || t->type[i] == NADI_NODE_SEND)
            sum = nadi_count_add(sum, t->bytes[i]);
    return sum;
}

static void put_five(struct nadi_rows *rows)
{
    const struct nadi_inputs *in = rows->of->in;
    const struct nadi_spread finish = nadi_spread_of(rows->of->r, NADI_RANK_FINISH);
    const char *prefix = in->options.workload ? in->options.workload : "";
    if (rows->of->r->rank_count == 0)
        return;
    const struct nadi_rank_result *last = nadi_result_rank(rows->of->r, finish.max_rank);
    const struct five five = {
        .name = nadi_file_name(prefix),
        .total_us = (double)last->finish_ns / 1e3,
        .compute_us = (double)(last->finish_ns - last->exposed_comm_ns) / 1e3,
        .exposed_us = (double)last->exposed_comm_ns / 1e3,
        .megabytes = (double)offered_bytes(in->traces[finish.max_rank]) / 1e6,
    };
    nadi_rows_item(rows, &five, 0);
}

const struct nadi_result_view nadi_view_five_column_csv = {
    NADI_VIEW_CSV,
    "tutorial_result.csv",
    "the run, in the five columns of ASTRA-sim 1.0's tutorial: `--five-column`",
    NADI_COLUMNS(five_columns),
    1,
    .put = put_five,
    .title = "Five columns of ASTRA-sim 1.0"};
