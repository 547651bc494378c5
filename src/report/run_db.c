#include "report/run_db.h"

#include "base/mem.h"
#include "base/time.h"
#include "format/database.h"
#include "report/figures.h"
#include "report/run_db_inside.h"
#include "report/run_drawing.h"
#include "report/timeline.h"

#include <math.h>

static void put_run(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    struct nadi_node_counts n = nadi_count_nodes(r);
    nadi_database_into(db, "runs", 17);
    nadi_database_text(db, "nadi-run/1");
    nadi_database_text(db, NADI_VERSION);
    nadi_database_text(db, run->in->options.workload);
    nadi_database_text(db, nadi_outcome_name(r->outcome));
    nadi_database_text(db, nadi_network_model_name(run->in));
    nadi_database_text(db, r->executor ? r->executor->name : NULL);
    nadi_database_u64(db, r->rank_count);
    nadi_database_u64(db, r->class_count);
    nadi_database_u64(db, n.done);
    nadi_database_u64(db, r->end_ns);
    nadi_database_u64(db, r->lower_bound_ns);
    nadi_database_u64(db, r->messages);
    nadi_database_u64(db, r->message_bytes);
    nadi_database_u64(db, r->offered_bytes);
    nadi_database_u64(db, run->why->slack_is_exact);
    nadi_database_text(db, run->why->why_not);
    nadi_database_text(db, run->summary);
    nadi_database_row(db);
}

static void put_ranks(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    uint32_t *trace = NADI_NEW(uint32_t, r->rank_count);
    nadi_trace_numbers(run->in, trace);
    nadi_database_into(db, "ranks", 15);
    for (uint32_t i = 0; i < r->rank_count; i++) {
        const struct nadi_rank_result *k = nadi_result_rank(r, i);
        const uint64_t values[] = {
            i,
            trace[i],
            r->class_of ? r->class_of[i] : i,
            k->finished,
            k->finish_ns,
            k->compute_ns,
            k->comm_ns,
            k->true_exposed_comm_ns,
            k->exposed_comm_ns,
            k->memory_ns,
            k->cpu_ns,
            k->idle_ns,
            k->peak_memory_bytes,
            k->nodes_done,
            k->nodes_open,
        };
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
            nadi_database_u64(db, values[v]);
        nadi_database_row(db);
    }
    nadi_mem_free(trace);
    nadi_database_into(db, "shares", 3);
    for (uint32_t i = 0; i < r->rank_count && run->why->shares; i++) {
        const uint64_t *shares = run->why->shares + (size_t)i * NADI_CAUSES;
        for (int c = 0; c < NADI_CAUSES; c++) {
            if (shares[c] == 0)
                continue;
            nadi_database_u64(db, i);
            nadi_database_text(db, nadi_cause_name((enum nadi_cause)c));
            nadi_database_u64(db, shares[c]);
            nadi_database_row(db);
        }
    }
}

/* The groups that a name means on the ranks; of many ranks, on the first one of each class. */
static void put_memberships(struct nadi_database *db, const struct nadi_run_db *run)
{
    enum { EACH = 4096 };
    const struct nadi_groups *groups = &run->in->groups;
    const struct nadi_result *r = run->r;
    bool *seen = NADI_ZNEW(bool, (size_t)r->class_count + r->rank_count);
    nadi_database_into(db, "memberships", 4);
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        const uint32_t class = r->class_of ? r->class_of[rank] : rank;
        const bool shown = r->rank_count <= EACH || !seen[class];
        seen[class] = true;
        for (size_t f = 0; shown && f < groups->family_count; f++) {
            const uint32_t group = groups->families[f].group_of[rank];
            if (group == NADI_NONE || groups->items[group].is_world)
                continue;
            const struct nadi_group *g = &groups->items[group];
            nadi_database_u64(db, rank);
            nadi_database_text(db, groups->families[f].name);
            nadi_database_u64(db, g->sorted ? g->sorted[0] : 0);
            nadi_database_u64(db, g->size);
            nadi_database_row(db);
        }
    }
    nadi_mem_free(seen);
}

/* ---- network ------------------------------------------------------------------------------- */

static void put_device(struct nadi_database *db, const struct nadi_inputs *in, uint32_t id)
{
    char text[48];
    nadi_database_text(db, nadi_device_name(in, id, text));
}

static void put_dimensions(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    nadi_database_into(db, "dimensions", 10);
    for (uint32_t i = 0; i < r->dim_count; i++) {
        const struct nadi_link_result *l = &r->dims[i];
        uint64_t links = nadi_dimension_links(run->in, r, l->dim);
        struct nadi_dimension_view dim;
        nadi_dimension_view(&dim, run->in, l->dim);
        nadi_database_u64(db, l->dim);
        nadi_database_text(db, dim.name);
        nadi_database_u64(db, dim.npus);
        nadi_database_double(db, dim.bytes_per_ns);
        nadi_database_double(db, dim.latency_ns);
        nadi_database_u64(db, links);
        nadi_database_u64(db, l->messages);
        nadi_database_u64(db, l->bytes);
        nadi_database_u64(db, l->busy_ns);
        nadi_database_double(db, nadi_utilisation(l->busy_ns, links, r->end_ns));
        nadi_database_row(db);
    }
}

static void put_usage(struct nadi_database *db, const struct nadi_result *r)
{
    nadi_database_into(db, "link_usage", 8);
    for (size_t i = 0; i < r->link_count; i++)
        for (uint32_t b = 0; b < r->usage.buckets; b++) {
            size_t at = i * r->usage.buckets + b;
            if (!(r->usage.bytes[at] > 0) && r->usage.depth[at] == 0)
                continue;
            nadi_database_u64(db, i);
            nadi_database_u64(db, b);
            nadi_database_double(db, b * r->usage.bucket_ns);
            nadi_database_double(db, (b + 1) * r->usage.bucket_ns);
            nadi_database_double(db, r->usage.bytes[at]);
            for (int d = NADI_DEPTH_MESSAGES; d <= NADI_DEPTH_QUEUE_BYTES; d++)
                nadi_database_u64(db,
                                  (int)r->usage.depth_of == d ? r->usage.depth[at] : UINT64_MAX);
            nadi_database_row(db);
        }
}

static void put_links(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    struct nadi_topo_drawing drawing;
    nadi_run_drawing(run->in, &drawing);
    nadi_run_drawing_put(db, &drawing);
    nadi_database_into(db, "links", 13);
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        nadi_database_u64(db, i);
        nadi_run_db_put_index(db, l->dim);
        put_device(db, run->in, l->from);
        put_device(db, run->in, l->to);
        nadi_database_double(db, l->bytes_per_ns);
        nadi_database_u64(db, l->messages);
        nadi_database_u64(db, l->bytes);
        nadi_database_u64(db, l->busy_ns);
        nadi_database_double(db, nadi_utilisation(l->busy_ns, 1, r->end_ns));
        nadi_database_u64(db, l->wait_ns);
        nadi_database_u64(db, l->most_waiting);
        nadi_run_db_put_index(db, nadi_run_drawing_box(&drawing, l->from));
        nadi_run_db_put_index(db, nadi_run_drawing_box(&drawing, l->to));
        nadi_database_row(db);
    }
    nadi_topo_release(&drawing);
    put_usage(db, r);
}

static void put_pauses(struct nadi_database *db, const struct nadi_packet_figures *f)
{
    nadi_database_into(db, "pauses", 5);
    for (uint32_t b = 0; b < NADI_USAGE_BUCKETS && f->pauses; b++) {
        if (!(f->pauses_over_time[b] > 0 || f->paused_over_time[b] > 0))
            continue;
        nadi_database_u64(db, b);
        nadi_database_double(db, b * f->pause_bucket_ns);
        nadi_database_double(db, (b + 1) * f->pause_bucket_ns);
        nadi_database_u64(db, nadi_count_trunc(f->pauses_over_time[b]));
        nadi_database_double(db, f->paused_over_time[b]);
        nadi_database_row(db);
    }
}

static void put_packets(struct nadi_database *db, const struct nadi_result *r)
{
    const struct nadi_packet_figures *f = &r->packets;
    const uint64_t values[] = {f->data_packets, f->retransmitted, f->dropped,         f->trimmed,
                               f->timeouts,     f->abandoned,     f->marks,           f->pauses,
                               f->resumes,      f->paused_ns,     f->peak_queue_bytes};
    if (!r->has_packets)
        return;
    nadi_database_into(db, "packets", 12);
    for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
        nadi_database_u64(db, values[v]);
    nadi_database_double(db, f->mean_peak_queue_bytes);
    nadi_database_row(db);
    nadi_database_into(db, "ports", 4);
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        nadi_database_u64(db, i);
        nadi_database_u64(db, l->peak_queue_bytes);
        nadi_database_u64(db, l->pauses);
        nadi_database_u64(db, l->paused_ns);
        nadi_database_row(db);
    }
    put_pauses(db, f);
}

static void put_samples(struct nadi_database *db, const struct nadi_uncertainty *u)
{
    nadi_database_into(db, "samples", 2);
    for (uint32_t i = 0; i < u->samples; i++) {
        nadi_database_u64(db, i);
        nadi_database_u64(db, u->ends_ns[i]);
        nadi_database_row(db);
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_collectives(struct nadi_database *db, const struct nadi_run_db *run)
{
    size_t count;
    const struct nadi_collective_result *rows =
        nadi_detail_collectives(run->detail, run->r, &count);
    nadi_database_into(db, "collectives", 19);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_collective_result *c = &rows[i];
        const struct nadi_trace *t = run->in->traces[c->rank];
        struct nadi_bandwidth b = nadi_bandwidth_of(run->in, c);
        nadi_database_u64(db, i);
        nadi_database_text(db, nadi_group_label(run->in, c->group));
        nadi_database_u64(db, c->sequence);
        nadi_database_text(db, nadi_collective_name(c->kind));
        nadi_database_text(db, nadi_trace_name(t, c->node));
        const uint64_t values[] = {
            c->rank,    t->id[c->node], c->ranks,    b.ranks,   c->copies,
            c->chunks,  c->bytes,       c->start_ns, c->end_ns, c->end_ns - c->start_ns,
            c->complete};
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
            nadi_database_u64(db, values[v]);
        nadi_database_double(db, b.bytes);
        nadi_database_double(db, b.algorithm / 1e9);
        nadi_database_double(db, b.bus / 1e9);
        nadi_database_row(db);
    }
}

static void put_group(struct nadi_database *db, const struct nadi_trace *t, uint32_t node)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    if (!comm || comm->group == NADI_NONE)
        nadi_database_null(db);
    else
        nadi_database_lasting(db, nadi_trace_string(t, comm->group));
}

/* By trace and node: is there a span of it? NULL: there is room for all. */
static bool **ops_shown(const struct nadi_run_db *run)
{
    const uint32_t traces = run->in->owned_count;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < traces; i++)
        nodes += run->in->owned[i]->node_count;
    if (!run->detail || nodes <= NADI_DETAIL_SPANS)
        return NULL;
    bool **shown = NADI_NEW(bool *, traces);
    uint32_t *trace = NADI_NEW(uint32_t, run->in->rank_count);
    nadi_trace_numbers(run->in, trace);
    for (uint32_t i = 0; i < traces; i++)
        shown[i] = NADI_ZNEW(bool, run->in->owned[i]->node_count);
    for (size_t i = 0; i < run->r->span_count; i++)
        if (nadi_detail_span(run->detail, run->r, i))
            shown[trace[run->r->spans[i].rank]][run->r->spans[i].node] = true;
    nadi_mem_free(trace);
    return shown;
}

static uint32_t plan_of(const struct nadi_run_db *run, struct nadi_phase_plans *phases,
                        uint32_t rank, uint32_t node)
{
    const struct nadi_node_time *time = nadi_why_time(run->why, rank, node);
    return nadi_phase_plan_of(phases, rank, node, time ? time->end_ns - time->start_ns : 0);
}

/* By trace: its first rank. */
static uint32_t *first_ranks(const struct nadi_run_db *run)
{
    uint32_t *first = NADI_NEW(uint32_t, run->in->owned_count);
    uint32_t *trace = NADI_NEW(uint32_t, run->in->rank_count);
    nadi_trace_numbers(run->in, trace);
    for (uint32_t rank = run->in->rank_count; rank-- > 0;)
        first[trace[rank]] = rank;
    nadi_mem_free(trace);
    return first;
}

static void put_ops(struct nadi_database *db, const struct nadi_run_db *run)
{
    bool **shown = ops_shown(run);
    uint32_t *home = first_ranks(run);
    struct nadi_phase_plans phases;
    nadi_phase_plans_init(&phases, run->in);
    nadi_database_into(db, "ops", 9);
    for (uint32_t i = 0; i < run->in->owned_count; i++) {
        const struct nadi_trace *t = run->in->owned[i];
        for (uint32_t node = 0; node < t->node_count; node++) {
            if (shown && !shown[i][node])
                continue;
            bool joint = t->type[node] == NADI_NODE_COLL;
            nadi_database_u64(db, i);
            nadi_database_u64(db, t->id[node]);
            nadi_database_lasting(db, nadi_trace_name(t, node));
            nadi_database_lasting(db, nadi_node_type_name((enum nadi_node_type)t->type[node]));
            nadi_database_lasting(
                db, joint ? nadi_collective_name((enum nadi_collective_kind)t->collective[node])
                          : NULL);
            put_group(db, t, node);
            nadi_database_u64(db, t->bytes[node]);
            nadi_database_u64(db, t->ops[node]);
            nadi_run_db_put_index(db, joint ? plan_of(run, &phases, home[i], node) : NADI_NONE);
            nadi_database_row(db);
        }
        if (shown)
            nadi_mem_free(shown[i]);
    }
    nadi_mem_free((void *)shown);
    nadi_mem_free(home);
    nadi_run_db_put_phases(db, &phases);
    nadi_phase_plans_release(&phases);
}

static void put_spans(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    nadi_database_into(db, "spans", 6);
    for (size_t i = 0; i < r->span_count; i++) {
        if (!nadi_detail_span(run->detail, r, i))
            continue;
        const struct nadi_span *s = &r->spans[i];
        const struct nadi_trace *t = run->in->traces[s->rank];
        const struct nadi_node_time *time = nadi_why_time(run->why, s->rank, s->node);
        nadi_database_u64(db, s->rank);
        nadi_database_u64(db, t->id[s->node]);
        nadi_database_lasting(db, nadi_timeline_track(t, s->node));
        nadi_database_u64(db, s->start_ns);
        nadi_database_u64(db, s->end_ns);
        nadi_database_u64(db, time ? time->slack_ns : UINT64_MAX);
        nadi_database_row(db);
    }
    nadi_database_into(db, "point_to_point", 6);
    for (size_t i = 0; i < r->flow_count; i++) {
        const struct nadi_flow *f = &r->flows[i];
        if (!nadi_detail_rank(run->detail, f->src) || !nadi_detail_rank(run->detail, f->dst))
            continue;
        nadi_database_u64(db, f->src);
        nadi_database_u64(db, run->in->traces[f->src]->id[f->send_node]);
        nadi_database_u64(db, f->dst);
        nadi_database_u64(db, run->in->traces[f->dst]->id[f->recv_node]);
        nadi_database_u64(db, f->send_ns);
        nadi_database_u64(db, f->arrive_ns);
        nadi_database_row(db);
    }
}

/* ---- why ----------------------------------------------------------------------------------- */

static void put_path(struct nadi_database *db, const struct nadi_run_db *run)
{
    nadi_database_into(db, "critical_path", 13);
    size_t count;
    const struct nadi_path_step *steps = nadi_detail_steps(run->detail, run->why, &count);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_path_step *s = &steps[i];
        const struct nadi_trace *t = run->in->traces[s->rank];
        bool has_node = s->node != NADI_NONE;
        nadi_database_u64(db, i);
        nadi_database_u64(db, s->start_ns);
        nadi_database_u64(db, s->end_ns);
        nadi_database_u64(db, s->end_ns - s->start_ns);
        nadi_database_u64(db, s->rank);
        nadi_database_u64(db, has_node ? t->id[s->node] : UINT64_MAX);
        nadi_database_text(db, has_node ? nadi_trace_name(t, s->node) : NULL);
        nadi_database_text(db, nadi_cause_name(s->cause));
        nadi_database_text(db, nadi_binding_name(s->binding));
        nadi_database_text(db, s->group);
        nadi_run_db_put_index(db, s->dim);
        nadi_database_text(db, s->algorithm);
        nadi_run_db_put_index(db, s->link);
        nadi_database_row(db);
    }
}

static void put_gain(struct nadi_database *db, bool has, int64_t gain)
{
    if (has)
        nadi_database_i64(db, gain);
    else
        nadi_database_null(db);
}

static void put_sensitivities(struct nadi_database *db, const struct nadi_sensitivities *list)
{
    nadi_database_into(db, "sensitivities", 11);
    for (size_t i = 0; list && i < list->count; i++) {
        const struct nadi_sensitivity *s = &list->items[i];
        nadi_database_text(db, s->name);
        nadi_run_db_put_index(db, nadi_sensitivity_dim(s));
        nadi_database_double(db, s->value);
        nadi_database_text(db, s->unit);
        nadi_database_double(db, s->has_path ? s->path_ns_per_unit : (double)NAN);
        nadi_database_double(db, s->has_path ? s->path_gain_ns : (double)NAN);
        put_gain(db, s->has_small, s->gain_small_ns);
        put_gain(db, s->has_large, s->gain_large_ns);
        nadi_database_text(db, s->next);
        nadi_database_double(db, s->by ? s->ns_per_unit : (double)NAN);
        nadi_database_text(db, s->by);
        nadi_database_row(db);
    }
    nadi_database_into(db, "bounds", 2);
    for (size_t i = 0; list && i < list->bound_count; i++) {
        nadi_database_text(db, list->bounds[i].name);
        nadi_database_u64(db, list->bounds[i].ns);
        nadi_database_row(db);
    }
}

bool nadi_run_db_write(const struct nadi_run_db *run, const char *path, struct nadi_diags *diags)
{
    struct nadi_str schema = NADI_STR_INIT;
    nadi_run_db_schema(&schema);
    struct nadi_database *db = nadi_database_create(path, nadi_str_get(&schema), diags);
    nadi_str_release(&schema);
    if (!db)
        return false;
    put_run(db, run);
    put_ranks(db, run);
    put_dimensions(db, run);
    put_memberships(db, run);
    put_links(db, run);
    put_packets(db, run->r);
    put_samples(db, &run->r->uncertainty);
    nadi_run_db_put_traffic(db, run->r);
    put_collectives(db, run);
    nadi_run_db_put_messages(db, run);
    put_ops(db, run);
    put_spans(db, run);
    put_path(db, run);
    put_sensitivities(db, run->sensitivities);
    return nadi_database_finish(db, diags);
}
