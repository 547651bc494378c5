/* columns_messages: what is inside collectives, and the messages of a run. */
#include "base/time.h"
#include "report/columns.h"
#include "report/figures.h"

/* ---- phases of collectives ----------------------------------------------------------------- */

#define PLAN(member)  NADI_MEMBER(nadi_phase_plan, member)
#define PHASE(member) NADI_MORE(nadi_why_phase, member)

NADI_GETTER(plan_number, item, nadi_phase_plan, plan,
            nadi_cell_u64((uint64_t)(plan - row->of->phases->list.items)));

static const struct nadi_column phase_columns[] = {
    {"plan", 1, NADI_GET(U64, plan_number), .meaning = "number of the plan, as in `ops`"},
    {"phase", 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "number of the phase, from 0"},
    {"dimension", 1, NADI_INDEX(nadi_why_phase, dim), .of_more = true,
     .meaning = "dimension of the network"},
    {"algorithm", 1, PHASE(algorithm), .meaning = "algorithm"},
    {"chunks", 1, PLAN(chunks), .meaning = "chunks of the collective"},
    {"messages", 1, PHASE(messages), .meaning = "messages that each rank sends for a chunk"},
    {"message_bytes", 1, PHASE(message_bytes), .meaning = "size of one"},
    {"share", 1, PHASE(share), .unit = "0 to 1",
     .meaning = "share of the collective's time, about: as in the critical path"},
};

static void put_phases(struct nadi_rows *rows)
{
    const struct nadi_phase_plans *p = rows->of->phases;
    for (size_t i = 0; i < p->list.count; i++)
        for (uint32_t k = 0; k < p->list.items[i].count; k++)
            nadi_rows_put(
                rows, &(struct nadi_result_row){.item = &p->list.items[i],
                                                .more = &p->rows.items[p->list.items[i].first + k],
                                                .index = k});
}

const struct nadi_result_view nadi_view_phases = {
    NADI_VIEW_DATABASE,
    "phases",
    "a phase of what every chunk of a collective does, whatever the executor",
    NADI_COLUMNS(phase_columns),
    1,
    .put = put_phases,
    .title = "Phases of collectives"};

/* ---- messages of collectives --------------------------------------------------------------- */

#define MESSAGE(member) NADI_MEMBER(nadi_message_entry, member)

NADI_GETTER(message_group, more, nadi_collective_result, c,
            nadi_cell_text(nadi_group_label(row->of->in, c->group)));
NADI_GETTER(sent, item, nadi_message_entry, m, nadi_cell_u64(nadi_time_to_ns(m->sent)));
NADI_GETTER(arrived, item, nadi_message_entry, m, nadi_cell_u64(nadi_time_to_ns(m->arrived)));

static const struct nadi_column message_columns[] = {
    {"group_name", 1, NADI_GET(TEXT, message_group), .meaning = "as in `collectives`"},
    {"sequence", 1, NADI_MORE(nadi_collective_result, sequence), .meaning = "likewise"},
    {"source", 1, MESSAGE(src), .meaning = "rank that sends"},
    {"destination", 1, MESSAGE(dst), .meaning = "rank that receives"},
    {"bytes", 1, MESSAGE(bytes), .meaning = "its size"},
    {"send_ns", 1, NADI_GET(U64, sent), .meaning = "when it was sent"},
    {"arrive_ns", 1, NADI_GET(U64, arrived), .meaning = "when its last byte arrived"},
    {"waited_ns", 1, MESSAGE(waited_ns), .meaning = "time that others held it up"},
    {"queued_ns", 1, MESSAGE(queued_ns),
     .meaning = "time behind earlier messages of its pair that nothing held up"},
    {"link", 1, NADI_INDEX(nadi_message_entry, link), .meaning = "where it was held up longest"},
};

static void put_messages(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    size_t some;
    const uint32_t *list = nadi_detail_messages(rows->of->detail, &some);
    const size_t count = list ? some : r->logged_count;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_message_entry *m = &r->logged[list ? list[i] : i];
        if (m->op)
            nadi_rows_put(rows,
                          &(struct nadi_result_row){.item = m, .more = &r->collectives[m->op - 1]});
    }
}

const struct nadi_result_view nadi_view_messages = {
    NADI_VIEW_DATABASE,
    "messages",
    "a message of a collective, where the network recorded its messages",
    NADI_COLUMNS(message_columns),
    1,
    .put = put_messages,
    .title = "Messages of collectives"};

/* ---- all messages together ----------------------------------------------------------------- */

#define COMPLETIONS(member) NADI_MEMBER(nadi_completions, member)

static const struct nadi_column completion_columns[] = {
    {"size", 1, .key = 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "number of the class"},
    {"least_bytes", 1, COMPLETIONS(least_bytes), .meaning = "smallest size in it"},
    {"below_bytes", 1, COMPLETIONS(below_bytes), .meaning = "smallest size above it"},
    {"messages", 1, COMPLETIONS(messages), .meaning = "messages in it"},
    {"p50_ns", 1, COMPLETIONS(p50_ns),
     .meaning = "median time from sending to the arrival of the last byte, with what the message "
                "waited behind earlier ones of its pair"},
    {"p90_ns", 1, COMPLETIONS(p90_ns), .meaning = "90th percentile"},
    {"p99_ns", 1, COMPLETIONS(p99_ns), .meaning = "99th percentile"},
    {"max_ns", 1, COMPLETIONS(max_ns), .meaning = "the most"},
};

static void put_completions(struct nadi_rows *rows)
{
    const struct nadi_traffic *t = rows->of->traffic;
    for (uint32_t i = 0; i < t->size_count; i++)
        nadi_rows_item(rows, &t->sizes[i], i);
}

const struct nadi_result_view nadi_view_completions = {
    NADI_VIEW_DATABASE,
    "completions",
    "a class of messages by size, in steps of 4, where the network recorded its messages",
    NADI_COLUMNS(completion_columns),
    1,
    .put = put_completions,
    .title = "How long messages took"};

struct in_flight {
    double start_ns, end_ns, bytes, messages;
};

#define IN_FLIGHT(member) NADI_MEMBER(in_flight, member)

static const struct nadi_column in_flight_columns[] = {
    {"bucket", 1, .key = 1, NADI_GET(U64, nadi_cell_row_number),
     .meaning = "number of the span of time"},
    {"start_ns", 1, IN_FLIGHT(start_ns), .meaning = "where it begins"},
    {"end_ns", 1, IN_FLIGHT(end_ns), .meaning = "where it ends"},
    {"bytes", 1, IN_FLIGHT(bytes), .meaning = "bytes on their way, mean over the span"},
    {"messages", 1, IN_FLIGHT(messages), .unit = "messages",
     .meaning = "messages on their way, likewise"},
};

static void put_in_flight(struct nadi_rows *rows)
{
    const struct nadi_traffic *t = rows->of->traffic;
    for (uint32_t b = 0; b < t->bucket_count; b++) {
        const struct in_flight span = {b * t->bucket_ns, (b + 1) * t->bucket_ns,
                                       t->in_flight_bytes[b], t->in_flight[b]};
        nadi_rows_item(rows, &span, b);
    }
}

const struct nadi_result_view nadi_view_in_flight = {
    NADI_VIEW_DATABASE,
    "in_flight",
    "one of 256 equal spans of time, where the network recorded its messages",
    NADI_COLUMNS(in_flight_columns),
    1,
    .put = put_in_flight,
    .title = "Messages in flight"};

NADI_ROW_GETTER(unknown, nadi_cell_text("messages"));

static const struct nadi_column not_known_columns[] = {
    {"what", 1, NADI_GET(TEXT, unknown), .meaning = "`messages`"},
    {"because", 1, NADI_MEMBER(nadi_traffic, why_not), .meaning = "why"},
};

static void put_not_known(struct nadi_rows *rows)
{
    if (rows->of->traffic->why_not)
        nadi_rows_item(rows, rows->of->traffic, 0);
}

const struct nadi_result_view nadi_view_not_known = {NADI_VIEW_DATABASE,
                                                     "not_known",
                                                     "what this run did not record",
                                                     NADI_COLUMNS(not_known_columns),
                                                     1,
                                                     .put = put_not_known,
                                                     .title = "What is not known"};
