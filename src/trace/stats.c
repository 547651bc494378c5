#include "trace/stats.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "trace/strings.h"

void nadi_stats_init(struct nadi_stats *s)
{
    *s = (struct nadi_stats){0};
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++)
        nadi_strmap_init(&s->tables[t].index);
}

void nadi_stats_release(struct nadi_stats *s)
{
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++) {
        nadi_strmap_release(&s->tables[t].index);
        nadi_mem_free(s->tables[t].items);
    }
    nadi_mem_free(s->ranks.items);
    *s = (struct nadi_stats){0};
}

const char *nadi_stats_table_name(enum nadi_stats_table table)
{
    static const char *const names[NADI_STATS_TABLES] = {"types", "operators", "groups", "lanes",
                                                         "path"};
    return names[table];
}

/* --- tables ------------------------------------------------------------------------------------
 */

/* A node of that many ranks. */
static void count(struct nadi_stats_rows *rows, uint32_t ranks, const char *name, size_t length,
                  uint64_t ns, uint64_t bytes)
{
    const char *kept;
    const uint32_t at = nadi_strmap_put(&rows->index, name, length, (uint32_t)rows->count, &kept);
    if (at == rows->count) {
        const struct nadi_stats_row row = {.name = kept};
        NADI_PUSH(rows, row);
    }
    struct nadi_stats_row *row = &rows->items[at];
    row->nodes += ranks;
    row->ns = nadi_count_add(row->ns, nadi_count_mul(ns, ranks));
    row->bytes = nadi_count_add(row->bytes, nadi_count_mul(bytes, ranks));
}

static uint64_t bytes_of(const struct nadi_full_node *n)
{
    const bool is_comm = n->type >= NADI_NODE_SEND && n->type <= NADI_NODE_COLL;
    const int64_t bytes = nadi_full_integer(n, is_comm ? "comm_size" : "tensor_size", 0);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void count_type(struct nadi_stats *s, const struct nadi_full_node *n,
                       const struct nadi_trace_stream *stream, uint64_t ns, uint64_t bytes)
{
    struct nadi_str name = NADI_STR_INIT;
    if (n->type < NADI_NODE_TYPES)
        nadi_str_add(&name, nadi_node_type_name((enum nadi_node_type)n->type));
    else
        nadi_str_printf(&name, "type %u", n->type);
    if (n->type == NADI_NODE_COLL)
        nadi_str_printf(&name, " %s",
                        nadi_collective_name((enum nadi_collective_kind)nadi_min_u64(
                            (uint64_t)nadi_full_integer(n, "comm_type", 0), 99)));
    if (stream->kind == NADI_STREAM_HOST)
        nadi_str_add(&name, " on the host");
    count(&s->tables[NADI_STATS_TYPES], s->weight, name.text, name.length, ns, bytes);
    nadi_str_release(&name);
}

static void count_group(struct nadi_stats *s, const struct nadi_full_node *n, uint64_t ns,
                        uint64_t bytes)
{
    struct nadi_str name = NADI_STR_INIT;
    struct nadi_named_attr attr;
    if (n->type == NADI_NODE_COLL) {
        if (nadi_full_attr(n, "pg_name", &attr) && nadi_attr_is_text(&attr.value) &&
            attr.value.bytes) {
            char quoted[96];
            nadi_trace_quote(quoted, sizeof quoted, attr.value.data, attr.value.bytes);
            nadi_str_printf(&name, "group%s", quoted);
        } else {
            nadi_str_add(&name, nadi_full_attr(n, "involved_dim", &attr) ? "some dimensions"
                                                                         : "all ranks");
        }
        nadi_str_printf(&name, " %s",
                        nadi_collective_name((enum nadi_collective_kind)nadi_min_u64(
                            (uint64_t)nadi_full_integer(n, "comm_type", 0), 99)));
    } else {
        const bool is_send = n->type == NADI_NODE_SEND;
        const int64_t peer = nadi_full_integer(n, is_send ? "comm_dst" : "comm_src", -1);
        nadi_str_printf(&name, "%s ", is_send ? "to" : "from");
        nadi_str_printf(&name, s->relative ? "the rank at %+" PRId64 : "rank %" PRId64, peer);
    }
    count(&s->tables[NADI_STATS_GROUPS], s->weight, name.text, name.length, ns, bytes);
    nadi_str_release(&name);
}

static void count_stream(struct nadi_stats *s, const struct nadi_trace_stream *stream, uint64_t ns,
                         uint64_t bytes)
{
    char name[64];
    int length;
    if (stream->kind == NADI_STREAM_HOST)
        length = snprintf(name, sizeof name, "host thread %" PRId64, stream->number);
    else if (stream->numbered)
        length = snprintf(name, sizeof name, "stream %" PRId64 " (%s)", stream->number,
                          nadi_stream_kind_name(stream->kind));
    else
        length = snprintf(name, sizeof name, "%s", nadi_stream_kind_name(stream->kind));
    count(&s->tables[NADI_STATS_STREAMS], s->weight, name, (size_t)length, ns, bytes);
}

/* By operator: what an import cut into "aten::mm" and "aten::mm (goes on)" is one. */
static void count_name(struct nadi_stats_rows *rows, uint32_t ranks, const struct nadi_full_node *n,
                       uint64_t ns, uint64_t bytes)
{
    static const char rest[] = " (goes on)";
    const size_t cut = sizeof(rest) - 1;
    size_t length = n->name_bytes;
    if (length > cut && memcmp(n->name + length - cut, rest, cut) == 0)
        length -= cut;
    if (length)
        count(rows, ranks, (const char *)n->name, length, ns, bytes);
    else
        count(rows, ranks, "(no name)", strlen("(no name)"), ns, bytes);
}

static void count_nodes(struct nadi_stats *s, const struct nadi_full *f)
{
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        const uint64_t ns = nadi_full_duration_ns(n), bytes = bytes_of(n);
        (void)nadi_guard_look();
        const struct nadi_trace_stream stream = nadi_trace_stream_of(n);
        count_type(s, n, &stream, ns, bytes);
        count_name(&s->tables[NADI_STATS_OPERATORS], s->weight, n, ns, bytes);
        if (stream.kind == NADI_STREAM_COMM)
            count_group(s, n, ns, bytes);
        if (stream.kind != NADI_STREAM_NONE)
            count_stream(s, &stream, ns, bytes);
    }
}

/* --- where the time goes -----------------------------------------------------------------------
 */

struct edge { /* a node begins or ends */
    uint64_t at;
    enum nadi_stream_kind kind;
    int change;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The interval from..to, in which `active` run, into the twentieths of the span. */
static void fill_buckets(struct nadi_stats *s, uint64_t span, uint64_t from, uint64_t to,
                         const uint32_t active[NADI_STREAM_KINDS])
{
    const double width = (double)span / NADI_STATS_BUCKETS;
    double running = 0;
    for (unsigned k = 0; k < NADI_STREAM_NONE; k++)
        running += active[k];
    for (unsigned b = (unsigned)((double)from / width); b < NADI_STATS_BUCKETS; b++) {
        const double low = (double)b * width, high = low + width;
        if (low >= (double)to)
            break;
        const double begin = (double)from > low ? (double)from : low;
        const double end = (double)to < high ? (double)to : high;
        if (end <= begin)
            continue;
        const double part = s->weight * ((end - begin) / width);
        s->parallelism[b] += running * part;
        s->comm_share[b] += active[NADI_STREAM_COMM] ? part : 0;
    }
}

static void add_interval(struct nadi_stats_rank *r, uint64_t ns,
                         const uint32_t active[NADI_STREAM_KINDS])
{
    const bool computes = active[NADI_STREAM_DEVICE] > 0,
               communicates = active[NADI_STREAM_COMM] > 0;
    r->comm += communicates ? ns : 0;
    if (computes)
        r->compute += ns;
    else if (communicates)
        r->exposed_comm += ns;
    else if (active[NADI_STREAM_MEMORY])
        r->memory += ns;
    else if (active[NADI_STREAM_HOST])
        r->host += ns;
    else
        r->idle += ns;
}

static void break_down(struct nadi_stats *s, struct nadi_stats_rank *r, const struct nadi_full *f,
                       const struct nadi_trace_times *t)
{
    struct edge *edges = NADI_NEW(struct edge, 2 * f->node_count);
    uint32_t active[NADI_STREAM_KINDS] = {0};
    size_t count_of = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < f->node_count; i++) {
        const enum nadi_stream_kind kind = nadi_trace_stream_of(&f->nodes[i]).kind;
        if (kind == NADI_STREAM_NONE || t->end[i] == t->start[i])
            continue;
        edges[count_of++] = (struct edge){t->start[i], kind, 1};
        edges[count_of++] = (struct edge){t->end[i], kind, -1};
    }
    if (count_of)
        qsort(edges, count_of, sizeof(*edges), by_time);
    for (size_t i = 0; i < count_of; i++) {
        if (edges[i].at > at) {
            add_interval(r, edges[i].at - at, active);
            fill_buckets(s, t->span, at, edges[i].at, active);
            at = edges[i].at;
        }
        active[edges[i].kind] += (uint32_t)edges[i].change;
    }
    r->idle += t->span - at;
    nadi_mem_free(edges);
}

/* --- ranks -------------------------------------------------------------------------------------
 */

/* The path table is that of the rank with the longest path. */
static void take_path(struct nadi_stats *s, const struct nadi_full *f,
                      const struct nadi_trace_times *t)
{
    struct nadi_stats_rows *rows = &s->tables[NADI_STATS_PATH];
    if (s->ranks.count && t->critical_ns <= s->path_ns)
        return;
    nadi_strmap_release(&rows->index);
    nadi_strmap_init(&rows->index);
    rows->count = 0;
    for (size_t i = 0; i < t->critical_count; i++) {
        const struct nadi_full_node *n = &f->nodes[t->critical[i]];
        count_name(rows, 1, n, nadi_full_duration_ns(n), bytes_of(n));
    }
    s->path_ns = t->critical_ns;
}

bool nadi_stats_add(struct nadi_stats *s, const struct nadi_full *f, const uint32_t *ranks,
                    uint32_t rank_count, struct nadi_diags *diags)
{
    struct nadi_links links;
    struct nadi_trace_times times;
    const bool ok = nadi_links_view(&links, f, diags);
    s->weight = rank_count;
    if (ok) {
        nadi_times_make(&times, f, &links);
        count_nodes(s, f);
        struct nadi_stats_rank r = {
            .nodes = f->node_count,
            .deps = f->dep_ids.count,
            .span = times.span,
            .critical_ns = times.critical_ns,
            .critical_nodes = times.critical_count,
            .recorded = times.recorded,
        };
        break_down(s, &r, f, &times);
        take_path(s, f, &times);
        for (uint32_t i = 0; i < rank_count; i++) {
            r.rank = ranks[i];
            NADI_PUSH(&s->ranks, r);
        }
        nadi_times_release(&times);
    }
    nadi_links_release(&links);
    return ok;
}

static int by_weight(const void *a, const void *b)
{
    const struct nadi_stats_row *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->name, y->name);
}

void nadi_stats_finish(struct nadi_stats *s)
{
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++) {
        if (s->tables[t].count)
            qsort(s->tables[t].items, s->tables[t].count, sizeof(*s->tables[t].items), by_weight);
    }
    for (unsigned b = 0; b < NADI_STATS_BUCKETS && s->ranks.count; b++)
        s->comm_share[b] /= (double)s->ranks.count;
}
