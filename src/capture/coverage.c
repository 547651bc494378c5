#include "capture/coverage.h"

#include "base/mem.h"
#include "base/units.h"
#include "format/json_write.h"

static void count_works(struct nadi_coverage *c, const struct nadi_capture *x)
{
    const struct nadi_kineto *k = &x->kineto;
    for (uint32_t i = 0; i < x->device.work_count; i++) {
        const struct nadi_device_work *w = &x->device.works[i];
        c->works[w->orphan]++;
        c->work_ns[w->orphan] += w->to - w->from;
        c->device_ns += w->to - w->from;
        c->comm_ns += w->kind == NADI_WORK_COMM ? w->to - w->from : 0;
        if (w->orphan != NADI_ORPHAN_NOT && c->orphans < NADI_COVERAGE_SAMPLES)
            snprintf(c->orphan[c->orphans++], sizeof(c->orphan[0]), "%s",
                     nadi_names_get(&k->names, k->events.items[w->event].name));
    }
}

static void count_slices(struct nadi_coverage *c, const struct nadi_capture *x)
{
    for (size_t i = 0; i < x->timeline.slices.count; i++) {
        const struct nadi_time_slice *p = &x->timeline.slices.items[i];
        c->own_ns += p->own;
        if (p->kind == NADI_SLICE_GAP) {
            c->gap_ns += p->own;
        } else if (p->kind == NADI_SLICE_WAIT) {
            c->waits++;
            c->waited_ns += p->to - p->from - p->own;
        } else if (p->kind == NADI_SLICE_JOIN) {
            c->joins++;
            c->joined_ns += p->to - p->from;
        }
    }
}

static void count_parts(struct nadi_coverage *c, const struct nadi_capture *x)
{
    c->comm_unknown = x->comm.unknown;
    for (size_t i = 0; i < x->comm.parts.count; i++) {
        const struct nadi_comm_part *p = &x->comm.parts.items[i];
        c->comm_bytes += p->bytes;
        c->sizeless += p->type != NADI_NODE_COMP && p->bytes == 0 &&
                       !(p->type == NADI_NODE_COLL && p->kind == NADI_BARRIER);
        c->collectives += p->type == NADI_NODE_COLL;
        c->sends += p->type == NADI_NODE_SEND;
        c->receives += p->type == NADI_NODE_RECV;
        c->peers_unknown +=
            (p->type == NADI_NODE_SEND || p->type == NADI_NODE_RECV) && p->peer == NADI_NONE;
    }
}

/* Is a work compute in the trace though its name, or what launched it, speaks of communication? */
static bool is_like(const struct nadi_capture *x, uint32_t work)
{
    const struct nadi_kineto *k = &x->kineto;
    const struct nadi_device_work *w = &x->device.works[work];
    if (w->kind != NADI_WORK_KERNEL)
        return false;
    return nadi_comm_kernel_of(nadi_names_get(&k->names, k->events.items[w->event].name)) ==
           NADI_KERNEL_LIKE;
}

static int by_time(const void *a, const void *b)
{
    const struct nadi_coverage_like *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* By name: the time and number of kernels that look like communication and are compute. */
static void count_likes(struct nadi_coverage *c, const struct nadi_capture *x)
{
    const struct nadi_kineto *k = &x->kineto;
    struct {
        struct nadi_coverage_like *items;
        size_t count, capacity;
    } likes = {0};
    uint32_t *place = NADI_ZNEW(uint32_t, k->names.count); /* by name: in likes, from 1 */
    bool *like = NADI_ZNEW(bool, x->device.work_count);
    for (uint32_t w = 0; w < x->device.work_count; w++)
        like[w] = is_like(x, w);
    for (size_t i = 0; i < x->comm.parts.count; i++) {
        const struct nadi_comm_part *p = &x->comm.parts.items[i];
        if (p->work == NADI_NONE || p->type != NADI_NODE_COMP)
            continue;
        like[p->work] = true;
        c->comm_ns -= x->device.works[p->work].to - x->device.works[p->work].from;
    }
    for (uint32_t w = 0; w < x->device.work_count; w++) {
        const struct nadi_device_work *work = &x->device.works[w];
        const uint32_t name = k->events.items[work->event].name;
        if (!like[w])
            continue;
        if (!place[name]) {
            struct nadi_coverage_like new = {.count = 0};
            snprintf(new.name, sizeof(new.name), "%s", nadi_names_get(&k->names, name));
            NADI_PUSH(&likes, new);
            place[name] = (uint32_t)likes.count;
        }
        likes.items[place[name] - 1].count++;
        likes.items[place[name] - 1].time_ns += work->to - work->from;
        c->like_count++;
        c->like_ns += work->to - work->from;
    }
    if (likes.count)
        qsort(likes.items, likes.count, sizeof(*likes.items), by_time);
    for (; c->likes < likes.count && c->likes < NADI_COVERAGE_LIKE; c->likes++)
        c->like[c->likes] = likes.items[c->likes];
    nadi_mem_free(likes.items);
    nadi_mem_free(place);
    nadi_mem_free(like);
}

static void copy_schema(struct nadi_coverage *c, const struct nadi_capture *x)
{
    struct nadi_view v = nadi_host_member(&x->host, "schema");
    if (v.at && v.bytes > 2)
        snprintf(c->schema, sizeof(c->schema), "%.*s", (int)nadi_min_u64(v.bytes - 2, 39),
                 v.at + 1);
}

void nadi_coverage_of(struct nadi_coverage *c, const struct nadi_capture *x)
{
    char method[64];
    *c = (struct nadi_coverage){
        .rank = x->rank,
        .host_ops = x->match.host_ops,
        .profile_ops = x->match.profile_ops,
        .linked_ops = x->match.agreed,
        .kernels = x->costs.kernels,
        .by_time = x->costs.by_time,
        .kernel_ns = x->costs.kernel_ns,
        .by_time_ns = x->costs.by_time_ns,
        .span_ns = x->graph.end - x->graph.begin,
        .skew_ns = x->device.skew_ns,
        .delays = x->delays.kept,
        .unexplained = x->delays.unexplained,
        .delay_ns = x->delays.kept_ns,
        .unexplained_ns = x->delays.unexplained_ns,
        .said = x->sync.said,
        .inferred = x->sync.inferred,
        .nodes = x->graph.nodes.count,
        .threads = x->timeline.thread_count,
        .streams = x->device.stream_count,
        .groups = (uint32_t)x->book.groups.count,
        .world = x->book.world,
    };
    for (int i = 0; i < NADI_EDGE_KINDS; i++) {
        c->edges[i] = x->graph.edges[i];
        c->dropped[i] = x->graph.dropped[i];
    }
    if (!x->has_host)
        for (size_t i = 0; i < x->kineto.events.count; i++)
            c->profile_ops += nadi_event_is_operator(&x->kineto.events.items[i]);
    else
        copy_schema(c, x);
    snprintf(c->linked_by, sizeof(c->linked_by), "%s", nadi_match_text(&x->match, method));
    count_works(c, x);
    count_slices(c, x);
    count_parts(c, x);
    count_likes(c, x);
}

static const char *const reasons[NADI_ORPHAN_REASONS] = {
    "linked",
    "without correlation or external id",
    "whose launch is not in the profile",
    "launched where no operator ran",
};

static const char *const edge_names[NADI_EDGE_KINDS] = {"program", "launch", "stream", "sync",
                                                        "group"};

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 100;
}

static void text_operators(const struct nadi_coverage *c, struct nadi_str *out)
{
    if (!c->host_ops) {
        nadi_str_printf(out,
                        "  operators      %" PRIu64 " of the profile alone: no execution trace, so "
                        "no inputs, outputs and schemas\n",
                        c->profile_ops);
        return;
    }
    nadi_str_printf(out,
                    "  operators      %" PRIu64 " of %" PRIu64
                    " of the execution trace (%s) and %" PRIu64 " of %" PRIu64 " of the profile\n"
                    "                 linked by %s\n",
                    c->linked_ops, c->host_ops, c->schema, c->linked_ops, c->profile_ops,
                    c->linked_by);
    if (c->linked_ops < c->host_ops)
        nadi_str_printf(out,
                        "                 %" PRIu64 " of the execution trace have no times and are "
                        "left out\n",
                        c->host_ops - c->linked_ops);
}

static void text_device(const struct nadi_coverage *c, struct nadi_str *out)
{
    char time[32], idle[32];
    uint64_t total = 0;
    for (int i = 0; i < NADI_ORPHAN_REASONS; i++)
        total += c->works[i];
    if (!total) {
        nadi_str_add(out, "  device work    none: a capture of the processor alone\n");
        return;
    }
    nadi_str_printf(
        out, "  device work    %" PRIu64 " kernels, copies and fills on %" PRIu32 " streams, %s",
        total, c->streams, nadi_units_time(time, (double)c->device_ns));
    if (c->device_ns > 0)
        nadi_str_printf(out, "; %.2f %% of the time is linked",
                        percent(c->work_ns[NADI_ORPHAN_NOT], c->device_ns));
    nadi_str_add_char(out, '\n');
    for (int i = NADI_ORPHAN_NOT + 1; i < NADI_ORPHAN_REASONS; i++)
        if (c->works[i])
            nadi_str_printf(out, "                 %" PRIu64 " %s, %s\n", c->works[i], reasons[i],
                            nadi_units_time(time, (double)c->work_ns[i]));
    for (uint32_t i = 0; i < c->orphans; i++)
        nadi_str_printf(out, "                 such as \"%s\"\n", c->orphan[i]);
    if (c->skew_ns)
        nadi_str_printf(out, "                 its clock was behind and moved by %s\n",
                        nadi_units_time(time, (double)c->skew_ns));
    if (c->delays)
        nadi_str_printf(
            out,
            "                 %s of idle time in front of it is kept, %s of it in %" PRIu64
            " places that nothing explains\n",
            nadi_units_time(time, (double)c->delay_ns),
            nadi_units_time(idle, (double)c->unexplained_ns), c->unexplained);
    if (c->kernels)
        nadi_str_printf(
            out,
            "  costs          from operators and shapes for %.2f %% of the time of %" PRIu64
            " works; %" PRIu64 " by time\n",
            percent(c->kernel_ns - c->by_time_ns, c->kernel_ns), c->kernels, c->by_time);
}

static void text_processor(const struct nadi_coverage *c, struct nadi_str *out)
{
    char own[32], gap[32], waited[32];
    nadi_str_printf(out, "  processor      %s on %" PRIu32 " threads, %s of it between operators\n",
                    nadi_units_time(own, (double)c->own_ns), c->threads,
                    nadi_units_time(gap, (double)c->gap_ns));
    if (c->waits)
        nadi_str_printf(out,
                        "                 %" PRIu64 " blocking calls: %s of waiting are "
                        "dependencies now\n",
                        c->waits, nadi_units_time(waited, (double)c->waited_ns));
    if (c->joins)
        nadi_str_printf(out,
                        "                 %" PRIu64 " waits for another thread: %s are "
                        "dependencies now\n",
                        c->joins, nadi_units_time(waited, (double)c->joined_ns));
}

static void text_comm(const struct nadi_coverage *c, struct nadi_str *out)
{
    char bytes[32], time[32];
    if (c->collectives + c->sends + c->receives + c->comm_unknown + c->like_count == 0)
        return;
    nadi_str_printf(out,
                    "  communication  %" PRIu64 " collectives, %" PRIu64 " sends, %" PRIu64
                    " receives in %" PRIu32 " groups of %" PRIu32 " ranks, %s\n",
                    c->collectives, c->sends, c->receives, c->groups, c->world,
                    nadi_units_bytes(bytes, (double)c->comm_bytes));
    if (c->peers_unknown)
        nadi_str_printf(out, "                 %" PRIu64 " sends and receives without a peer\n",
                        c->peers_unknown);
    if (c->sizeless)
        nadi_str_printf(out,
                        "                 %" PRIu64 " of them of unknown size: only a replay gives "
                        "their times\n",
                        c->sizeless);
    if (!c->like_count)
        return;
    nadi_str_printf(out,
                    "                 %" PRIu64 " kernels look like communication and are compute "
                    "nodes, %s, %.2f %% of the device's time:\n",
                    c->like_count, nadi_units_time(time, (double)c->like_ns),
                    percent(c->like_ns, c->device_ns));
    for (uint32_t i = 0; i < c->likes; i++)
        nadi_str_printf(out, "                 %6.2f %% %" PRIu64 " \"%s\"\n",
                        percent(c->like[i].time_ns, c->device_ns), c->like[i].count,
                        c->like[i].name);
}

static void text_graph(const struct nadi_coverage *c, struct nadi_str *out)
{
    uint64_t edges = 0, dropped = 0;
    char span[32];
    for (int i = 0; i < NADI_EDGE_KINDS; i++) {
        edges += c->edges[i];
        dropped += c->dropped[i];
    }
    nadi_str_printf(out, "  graph          %" PRIu64 " nodes, %" PRIu64 " edges (", c->nodes,
                    edges);
    for (int i = 0; i < NADI_EDGE_KINDS; i++)
        nadi_str_printf(out, "%s%s %" PRIu64, i ? ", " : "", edge_names[i], c->edges[i]);
    nadi_str_printf(out, ") over %s\n", nadi_units_time(span, (double)c->span_ns));
    if (c->said + c->inferred)
        nadi_str_printf(out,
                        "                 order between streams: %" PRIu64 " edges said by the "
                        "profile, %" PRIu64 " inferred\n",
                        c->said, c->inferred);
    if (dropped)
        nadi_str_printf(out,
                        "                 %" PRIu64 " edges contradict the times and were "
                        "dropped\n",
                        dropped);
}

void nadi_coverage_text(const struct nadi_coverage *ranks, size_t count, struct nadi_str *out)
{
    for (size_t i = 0; i < count; i++) {
        nadi_str_printf(out, "rank %" PRIu32 "\n", ranks[i].rank);
        text_operators(&ranks[i], out);
        text_device(&ranks[i], out);
        text_processor(&ranks[i], out);
        text_comm(&ranks[i], out);
        text_graph(&ranks[i], out);
    }
}

static void put_ns(struct nadi_json *j, const char *key, int64_t ns)
{
    nadi_json_u64(j, key, ns > 0 ? (uint64_t)ns : 0);
}

static void json_device(const struct nadi_coverage *c, struct nadi_json *j)
{
    static const char *const keys[NADI_ORPHAN_REASONS] = {"linked", "no_correlation", "no_call",
                                                          "no_operator"};
    nadi_json_object(j, "device");
    put_ns(j, "time_ns", c->device_ns);
    nadi_json_double(j, "linked_percent_of_time",
                     c->device_ns ? percent(c->work_ns[NADI_ORPHAN_NOT], c->device_ns) : 0);
    for (int i = 0; i < NADI_ORPHAN_REASONS; i++) {
        nadi_json_row(j, keys[i]);
        nadi_json_u64(j, "count", c->works[i]);
        put_ns(j, "time_ns", c->work_ns[i]);
        nadi_json_close(j);
    }
    nadi_json_row_array(j, "orphans");
    for (uint32_t i = 0; i < c->orphans; i++)
        nadi_json_string(j, NULL, c->orphan[i]);
    nadi_json_close(j);
    put_ns(j, "clock_moved_ns", c->skew_ns);
    nadi_json_u64(j, "delays", c->delays);
    put_ns(j, "delay_ns", c->delay_ns);
    nadi_json_u64(j, "unexplained_delays", c->unexplained);
    put_ns(j, "unexplained_delay_ns", c->unexplained_ns);
    nadi_json_u64(j, "streams", c->streams);
    nadi_json_u64(j, "works", c->kernels);
    nadi_json_u64(j, "cost_by_time", c->by_time);
    put_ns(j, "cost_by_time_ns", c->by_time_ns);
    nadi_json_close(j);
}

static void json_likes(const struct nadi_coverage *c, struct nadi_json *j)
{
    nadi_json_row(j, "not_taken");
    nadi_json_u64(j, "count", c->like_count);
    put_ns(j, "time_ns", c->like_ns);
    nadi_json_double(j, "percent_of_time", c->device_ns ? percent(c->like_ns, c->device_ns) : 0);
    nadi_json_row_array(j, "kernels");
    for (uint32_t i = 0; i < c->likes; i++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", c->like[i].name);
        nadi_json_u64(j, "count", c->like[i].count);
        put_ns(j, "time_ns", c->like[i].time_ns);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

static void json_rank(const struct nadi_coverage *c, struct nadi_json *j)
{
    nadi_json_object(j, NULL);
    nadi_json_u64(j, "rank", c->rank);
    nadi_json_row(j, "operators");
    nadi_json_u64(j, "execution_trace", c->host_ops);
    nadi_json_u64(j, "profile", c->profile_ops);
    nadi_json_u64(j, "linked", c->linked_ops);
    nadi_json_string(j, "linked_by", c->linked_by);
    nadi_json_string(j, "schema", c->schema);
    nadi_json_close(j);
    json_device(c, j);
    nadi_json_row(j, "processor");
    put_ns(j, "time_ns", c->own_ns);
    put_ns(j, "gap_ns", c->gap_ns);
    nadi_json_u64(j, "waits", c->waits);
    put_ns(j, "waited_ns", c->waited_ns);
    nadi_json_u64(j, "thread_waits", c->joins);
    put_ns(j, "thread_waited_ns", c->joined_ns);
    nadi_json_u64(j, "threads", c->threads);
    nadi_json_close(j);
    nadi_json_row(j, "communication");
    nadi_json_u64(j, "collectives", c->collectives);
    nadi_json_u64(j, "sends", c->sends);
    nadi_json_u64(j, "receives", c->receives);
    nadi_json_u64(j, "unknown", c->comm_unknown);
    nadi_json_u64(j, "unknown_peers", c->peers_unknown);
    nadi_json_u64(j, "unknown_sizes", c->sizeless);
    put_ns(j, "time_ns", c->comm_ns);
    nadi_json_u64(j, "bytes", c->comm_bytes);
    nadi_json_u64(j, "groups", c->groups);
    nadi_json_u64(j, "world", c->world);
    json_likes(c, j);
    nadi_json_close(j);
    nadi_json_object(j, "graph");
    nadi_json_u64(j, "nodes", c->nodes);
    put_ns(j, "span_ns", c->span_ns);
    nadi_json_row(j, "edges");
    for (int i = 0; i < NADI_EDGE_KINDS; i++)
        nadi_json_u64(j, edge_names[i], c->edges[i]);
    nadi_json_close(j);
    nadi_json_row(j, "dropped");
    for (int i = 0; i < NADI_EDGE_KINDS; i++)
        nadi_json_u64(j, edge_names[i], c->dropped[i]);
    nadi_json_close(j);
    nadi_json_u64(j, "stream_edges_said", c->said);
    nadi_json_u64(j, "stream_edges_inferred", c->inferred);
    nadi_json_close(j);
    nadi_json_close(j);
}

void nadi_coverage_json(const struct nadi_coverage *ranks, size_t count, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "ranks");
    for (size_t i = 0; i < count; i++)
        json_rank(&ranks[i], &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
