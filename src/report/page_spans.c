#include "report/page_spans.h"

#include "base/mem.h"
#include "base/search.h"
#include "format/json_write.h"
#include "report/page.h"
#include "why/why.h"

enum { TRACKS = 5 };

static const char *const tracks[TRACKS] = {"compute", "communication", "receive", "memory",
                                           "processor"};

struct span {
    uint64_t start_ns, end_ns, slack_ns;
    uint32_t rank, op;
    uint8_t track;
};

struct op { /* ascending by (trace, node) */
    uint64_t node;
    uint32_t trace;
};

struct spans {
    struct {
        struct op *items;
        size_t count, capacity;
    } ops;
    struct {
        struct span *items;
        size_t count, capacity;
    } list;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } ranks; /* shown, ascending */
};

static void put_number(struct nadi_str *out, uint64_t value)
{
    while (value >= 0x80) {
        nadi_str_add_char(out, (char)(value & 0x7f) | (char)0x80);
        value >>= 7;
    }
    nadi_str_add_char(out, (char)value);
}

static void put_signed(struct nadi_str *out, int64_t value)
{
    put_number(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

/* ---- ops ----------------------------------------------------------------------------------- */

static const char *cause_of(const char *type, const char *name, const char *collective,
                            const char *group, bool has_group)
{
    bool message = strstr(type, "SEND") || strstr(type, "RECV");
    if (strcmp(type, "COMP_NODE") == 0)
        return nadi_cause_name(NADI_CAUSE_COMPUTE);
    if (nadi_str_starts(type, "MEM_"))
        return nadi_cause_name(NADI_CAUSE_MEMORY);
    if (!message && strcmp(type, "COMM_COLL_NODE") != 0)
        return nadi_cause_name(NADI_CAUSE_PROCESSOR);
    return nadi_cause_name(nadi_cause_of_name(has_group ? group : NULL, name, message,
                                              strcmp(collective, "ALL_TO_ALL") == 0));
}

static bool read_ops(struct spans *s, struct nadi_database *db, struct nadi_str *json,
                     struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q =
        nadi_query_open(db,
                        "select trace, node, name, type, collective, group_name, bytes, flop, "
                        "plan from ops order by trace, node",
                        diags);
    if (!q)
        return false;
    nadi_str_add(json, "{\"columns\":[\"name\",\"type\",\"collective\",\"group_name\",\"bytes\","
                       "\"flop\",\"cause\",\"node\",\"plan\"],\"rows\":[");
    while (nadi_query_next(q, &failed, diags)) {
        struct op op = {.trace = (uint32_t)nadi_query_u64(q, 0), .node = nadi_query_u64(q, 1)};
        const char *type = nadi_query_text(q, 3);
        nadi_str_add(json, s->ops.count ? ",[" : "[");
        for (int i = 2; i < 6; i++) {
            nadi_query_add_json(q, i, json);
            nadi_str_add_char(json, ',');
        }
        nadi_str_printf(json, "%" PRIu64 ",%" PRIu64 ",", nadi_query_u64(q, 6),
                        nadi_query_u64(q, 7));
        const char *cause = cause_of(type, nadi_query_text(q, 2), nadi_query_text(q, 4),
                                     nadi_query_text(q, 5), !nadi_query_is_null(q, 5));
        nadi_json_add_text(json, cause, strlen(cause));
        nadi_str_printf(json, ",%" PRIu64 ",", op.node);
        nadi_query_add_json(q, 8, json);
        nadi_str_add_char(json, ']');
        NADI_PUSH(&s->ops, op);
    }
    nadi_str_add(json, "]}");
    nadi_query_close(q);
    return !failed;
}

static uint32_t find_op(const struct spans *s, uint32_t trace, uint64_t node)
{
    const struct op *all = s->ops.items;
    NADI_BISECT(size_t, at, 0, s->ops.count, i,
                all[i].trace < trace || (all[i].trace == trace && all[i].node < node));
    return (uint32_t)at;
}

/* ---- spans --------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static uint8_t track_of(const char *name)
{
    uint8_t i = 0;
    while (i < TRACKS && strcmp(tracks[i], name) != 0)
        i++;
    return i;
}

static bool read_spans(struct spans *s, struct nadi_database *db, const char *shown,
                       struct nadi_diags *diags)
{
    struct nadi_str sql = NADI_STR_INIT;
    bool failed = false;
    nadi_str_printf(&sql, "select rank, trace from ranks where rank in %s order by rank", shown);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    nadi_str_release(&sql);
    struct {
        uint32_t *items;
        size_t count, capacity;
    } trace_of = {0}; /* by rank; NADI_NONE: not shown */
    while (q && nadi_query_next(q, &failed, diags)) {
        uint32_t rank = (uint32_t)nadi_query_u64(q, 0);
        while (trace_of.count <= rank)
            NADI_PUSH(&trace_of, NADI_NONE);
        trace_of.items[rank] = (uint32_t)nadi_query_u64(q, 1);
        NADI_PUSH(&s->ranks, rank);
    }
    nadi_query_close(q);
    nadi_str_printf(&sql,
                    "select rank, node, track, start_ns, end_ns, slack_ns from spans where rank "
                    "in %s",
                    shown);
    q = q && !failed ? nadi_query_open(db, nadi_str_get(&sql), diags) : NULL;
    nadi_str_release(&sql);
    bool ok = q != NULL;
    while (q && nadi_query_next(q, &failed, diags)) {
        uint32_t rank = (uint32_t)nadi_query_u64(q, 0);
        struct span x = {.rank = rank, .track = track_of(nadi_query_text(q, 2))};
        if (rank >= trace_of.count || trace_of.items[rank] == NADI_NONE || x.track == TRACKS)
            continue;
        x.op = find_op(s, trace_of.items[rank], nadi_query_u64(q, 1));
        x.start_ns = nadi_query_u64(q, 3);
        x.end_ns = nadi_query_u64(q, 4);
        x.slack_ns = nadi_query_is_null(q, 5) ? 0 : nadi_query_u64(q, 5) + 1;
        NADI_PUSH(&s->list, x);
    }
    nadi_query_close(q);
    nadi_mem_free(trace_of.items);
    if (s->list.count)
        qsort(s->list.items, s->list.count, sizeof(*s->list.items), by_place);
    return ok && !failed;
}

static void put_spans(const struct spans *s, struct nadi_str *blob)
{
    size_t at = 0;
    for (size_t r = 0; r < s->ranks.count; r++)
        for (uint32_t track = 0; track < TRACKS; track++) {
            size_t end = at;
            while (end < s->list.count && s->list.items[end].rank == s->ranks.items[r] &&
                   s->list.items[end].track == track)
                end++;
            put_number(blob, end - at);
            int64_t op = 0, time = 0;
            for (; at < end; at++) {
                const struct span *x = &s->list.items[at];
                put_signed(blob, (int64_t)x->op - op);
                put_signed(blob, (int64_t)x->start_ns - time);
                put_number(blob, x->end_ns - x->start_ns);
                put_number(blob, x->slack_ns);
                op = x->op;
                time = (int64_t)x->end_ns;
            }
        }
}

static bool put_messages(struct nadi_database *db, const char *shown, struct nadi_str *blob,
                         struct nadi_diags *diags)
{
    struct nadi_str sql = NADI_STR_INIT, rows = NADI_STR_INIT;
    uint64_t count = 0;
    int64_t time = 0;
    bool failed = false;
    nadi_str_printf(&sql,
                    "select source, destination, send_ns, arrive_ns from point_to_point where "
                    "source in %s and destination in %s order by send_ns, source limit %d",
                    shown, shown, NADI_PAGE_MESSAGES);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    while (q && nadi_query_next(q, &failed, diags)) {
        uint64_t sent = nadi_query_u64(q, 2);
        put_number(&rows, nadi_query_u64(q, 0));
        put_number(&rows, nadi_query_u64(q, 1));
        put_signed(&rows, (int64_t)sent - time);
        put_number(&rows, nadi_query_u64(q, 3) - sent);
        time = (int64_t)sent;
        count++;
    }
    put_number(blob, count);
    nadi_str_add_bytes(blob, nadi_str_get(&rows), rows.length);
    bool ok = q && !failed;
    nadi_query_close(q);
    nadi_str_release(&sql);
    nadi_str_release(&rows);
    return ok;
}

/* Messages of collectives: the group as its number among the names in order. */
static bool put_inner_messages(struct nadi_database *db, const char *shown, struct nadi_str *blob,
                               struct nadi_diags *diags)
{
    struct nadi_str sql = NADI_STR_INIT, rows = NADI_STR_INIT;
    uint64_t count = 0;
    int64_t time = 0;
    bool failed = false;
    nadi_str_printf(&sql,
                    "select source, destination, send_ns, arrive_ns, bytes, dense_rank() over "
                    "(order by group_name) - 1, sequence, waited_ns, queued_ns from messages where "
                    "source in %s or destination in %s order by send_ns, source limit %d",
                    shown, shown, NADI_PAGE_MESSAGES);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    while (q && nadi_query_next(q, &failed, diags)) {
        const uint64_t sent = nadi_query_u64(q, 2);
        put_number(&rows, nadi_query_u64(q, 0));
        put_number(&rows, nadi_query_u64(q, 1));
        put_signed(&rows, (int64_t)sent - time);
        put_number(&rows, nadi_query_u64(q, 3) - sent);
        for (int i = 4; i < 9; i++)
            put_number(&rows, nadi_query_u64(q, i));
        time = (int64_t)sent;
        count++;
    }
    put_number(blob, count);
    nadi_str_add_bytes(blob, nadi_str_get(&rows), rows.length);
    const bool ok = q && !failed;
    nadi_query_close(q);
    nadi_str_release(&sql);
    nadi_str_release(&rows);
    return ok;
}

bool nadi_page_put_spans(struct nadi_database *db, const char *shown, struct nadi_str *json,
                         struct nadi_str *blob, struct nadi_diags *diags)
{
    struct spans s = {0};
    bool ok = read_ops(&s, db, json, diags) && read_spans(&s, db, shown, diags);
    if (ok)
        put_spans(&s, blob);
    ok = ok && put_messages(db, shown, blob, diags) && put_inner_messages(db, shown, blob, diags);
    nadi_mem_free(s.ops.items);
    nadi_mem_free(s.list.items);
    nadi_mem_free(s.ranks.items);
    return ok;
}
