/* summary: summary.json, schema nadi-summary/1. Keys are only ever added within a version. */
#include "report/summary.h"

#include "base/mem.h"
#include "base/sha256.h"
#include "base/time.h"
#include "format/json_write.h"
#include "report/columns.h"
#include "report/cost_text.h"
#include "report/detail.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/words.h"

static void outcome(struct nadi_json *j, const struct nadi_result *r)
{
    static const char *const severities[] = {"none", "note", "warning", "error"};
    struct nadi_node_counts n = nadi_count_nodes(r);
    nadi_json_object(j, "outcome");
    nadi_json_string(j, "kind", nadi_outcome_name(r->outcome));
    nadi_json_string(j, "stopped_by", r->stopped_by);
    nadi_json_u64(j, "ranks", r->rank_count);
    nadi_json_u64(j, "ranks_finished", n.ranks_finished);
    nadi_json_u64(j, "nodes_open", n.open);
    nadi_json_array(j, "messages");
    for (size_t i = 0; i < r->diags.count; i++) {
        const struct nadi_diag *d = &r->diags.items[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "severity", severities[d->severity]);
        nadi_json_string(j, "code", d->code);
        nadi_json_string(j, "file", d->place.file);
        if (d->place.rank != NADI_NONE)
            nadi_json_u64(j, "rank", d->place.rank);
        if (d->place.node)
            nadi_json_string(j, "node", d->place.node);
        nadi_json_string(j, "message", d->message);
        nadi_json_string(j, "hint", d->hint);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

/* SHA-256 over the content hashes of all ranks' traces, in rank order. */
static void hash_of_all(const struct nadi_inputs *in, char text[65])
{
    uint8_t hash[32];
    struct nadi_sha256 all;
    nadi_sha256_begin(&all);
    for (uint32_t i = 0; i < in->rank_count; i++)
        nadi_sha256_add(&all, in->traces[i]->content_hash, 32);
    nadi_sha256_end(&all, hash);
    nadi_sha256_hex(hash, text);
}

static void traces(struct nadi_json *j, const struct nadi_inputs *in)
{
    char text[65];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < in->owned_count; i++)
        bytes += in->owned[i]->file_bytes;
    nadi_json_object(j, "traces");
    nadi_json_string(j, "prefix", in->options.workload);
    nadi_json_u64(j, "ranks", in->rank_count);
    nadi_json_u64(j, "distinct", in->owned_count);
    nadi_json_u64(j, "distinct_bytes", bytes);
    hash_of_all(in, text);
    nadi_json_string(j, "sha256_of_hashes_in_rank_order", text);
    nadi_json_array(j, "list");
    for (uint32_t i = 0; i < in->owned_count && i < NADI_SUMMARY_RANKS; i++) {
        const struct nadi_trace *t = in->owned[i];
        nadi_sha256_hex(t->content_hash, text);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "path", t->path);
        nadi_json_string(j, "sha256", text);
        nadi_json_u64(j, "bytes", t->file_bytes);
        nadi_json_u64(j, "nodes", t->node_count);
        nadi_json_string(j, "schema_version", t->schema_version);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

static void inputs(struct nadi_json *j, const struct nadi_inputs *in)
{
    nadi_json_object(j, "inputs");
    nadi_json_array(j, "files");
    for (size_t i = 0; i < in->file_count; i++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "role", in->files[i].role);
        nadi_json_string(j, "path", in->files[i].path);
        nadi_json_string(j, "sha256", in->files[i].sha256);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    traces(j, in);
    nadi_json_close(j);
    nadi_json_array(j, "configuration");
    for (size_t i = 0; i < in->setting_count; i++) {
        const struct nadi_resolved *s = &in->settings[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "file", s->file);
        nadi_json_string(j, "key", s->key);
        nadi_json_string(j, "value", s->value);
        nadi_json_string(j, "origin", s->origin);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

static void row(struct nadi_json *j, const struct nadi_result_view *view,
                struct nadi_result_row row)
{
    nadi_json_row(j, NULL);
    nadi_view_json(view, &row, j);
    nadi_json_close(j);
}

static void in_words(struct nadi_json *j, const struct nadi_inputs *in, const struct nadi_result *r,
                     const struct nadi_sentences *words)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_sentences w = words ? *words : nadi_words_of(in, r, NULL, &arena);
    nadi_words_json(&w, j);
    nadi_arena_release(&arena);
}

static void times(struct nadi_json *j, const struct nadi_inputs *in, const struct nadi_result *r)
{
    static const char *const shares[NADI_SHARES] = {
        [NADI_SHARE_COMPUTE] = "compute",
        [NADI_SHARE_EXPOSED_COMM] = "exposed_communication",
        [NADI_SHARE_OTHER] = "memory_and_processor",
        [NADI_SHARE_IDLE] = "idle",
    };
    nadi_json_object(j, "time");
    nadi_json_u64(j, "end_to_end_ns", r->end_ns);
    nadi_json_object(j, "shares_of_end_to_end");
    for (int s = 0; s < NADI_SHARES; s++) {
        struct nadi_share_spread share = nadi_share_of(r, (enum nadi_figure_share)s);
        nadi_json_row(j, shares[s]);
        nadi_json_double(j, "mean", share.mean);
        nadi_json_double(j, "max", share.max);
        nadi_json_u64(j, "max_rank", share.max_rank);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_object(j, "over_ranks");
    for (int f = 0; f < NADI_RANK_FIGURES; f++) {
        struct nadi_spread s = nadi_spread_of(r, (enum nadi_rank_figure)f);
        nadi_json_row(j, nadi_rank_figure_name((enum nadi_rank_figure)f));
        nadi_json_u64(j, "min", s.min);
        nadi_json_u64(j, "min_rank", s.min_rank);
        nadi_json_double(j, "mean", s.mean);
        nadi_json_u64(j, "max", s.max);
        nadi_json_u64(j, "max_rank", s.max_rank);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
    const struct nadi_result_data of = {.in = in, .r = r};
    bool listed = r->rank_count <= NADI_SUMMARY_RANKS;
    nadi_json_object(j, "ranks");
    nadi_json_u64(j, "count", r->rank_count);
    nadi_json_bool(j, "listed", listed);
    nadi_json_string(j, "file", nadi_run_file_info(NADI_FILE_RANKS)->name);
    nadi_json_array(j, "list");
    for (uint32_t i = 0; listed && i < r->rank_count; i++)
        row(j, &nadi_view_ranks_json,
            (struct nadi_result_row){.of = &of, .item = nadi_result_rank(r, i), .index = i});
    nadi_json_close(j);
    nadi_json_close(j);
}

static void collectives(struct nadi_json *j, const struct nadi_inputs *in,
                        const struct nadi_result *r)
{
    size_t count;
    struct nadi_collective_class *classes = nadi_collective_classes(in, r, &count);
    const struct nadi_result_data of = {.in = in, .r = r};
    uint64_t complete = 0, all = 0;
    for (size_t i = 0; i < count; i++)
        complete += classes[i].count;
    for (size_t i = 0; i < r->collective_count; i++)
        all += r->collectives[i].copies;
    nadi_json_object(j, "collectives");
    nadi_json_u64(j, "count", all);
    nadi_json_u64(j, "complete", complete);
    nadi_json_u64(j, "classes", count);
    nadi_json_array(j, "list");
    for (size_t i = 0; i < count && i < NADI_SUMMARY_RANKS; i++)
        row(j, &nadi_view_collectives_json,
            (struct nadi_result_row){.of = &of, .item = &classes[i]});
    nadi_json_close(j);
    nadi_json_close(j);
    nadi_mem_free(classes);
}

/* What the events file says; until_ns is absent where it lasts to the end. */
static void events(struct nadi_json *j, const struct nadi_inputs *in)
{
    nadi_json_array(j, "events");
    for (size_t i = 0; i < in->events->row_count; i++) {
        const struct nadi_event_row *row = &in->events->rows[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "kind", row->kind);
        nadi_json_u64(j, "at_ns", nadi_time_to_ns(row->at));
        if (row->until != NADI_TIME_MAX)
            nadi_json_u64(j, "until_ns", nadi_time_to_ns(row->until));
        nadi_json_string(j, "what", row->text);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

/* The links that are busy longest; of equal ones the first. O(links). */
static void bottlenecks(struct nadi_json *j, const struct nadi_inputs *in,
                        const struct nadi_result *r)
{
    enum { MOST = 10 };
    const struct nadi_result_data of = {.in = in, .r = r};
    const struct nadi_link_result *top[MOST];
    size_t count = 0;
    for (size_t i = 0; i < r->link_count; i++) {
        size_t at = count;
        while (at > 0 && top[at - 1]->busy_ns < r->links[i].busy_ns)
            at--;
        if (at == MOST)
            continue;
        if (count < MOST)
            count++;
        for (size_t k = count - 1; k > at; k--)
            top[k] = top[k - 1];
        top[at] = &r->links[i];
    }
    nadi_json_array(j, "bottlenecks");
    for (size_t i = 0; i < count; i++) {
        nadi_json_row(j, NULL);
        nadi_bottleneck_json(&of, top[i], j);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

static void tiers(struct nadi_json *j, const struct nadi_inputs *in, const struct nadi_result *r)
{
    const struct nadi_result_data of = {.in = in, .r = r};
    if (r->tier_count == 0)
        return;
    nadi_json_object(j, "memory");
    nadi_json_array(j, "tiers");
    for (uint32_t i = 0; i < r->tier_count; i++) {
        nadi_json_row(j, NULL);
        nadi_tier_json(&of, i, j);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

static void network(struct nadi_json *j, const struct nadi_inputs *in, const struct nadi_result *r)
{
    const struct nadi_result_data of = {.in = in, .r = r};
    nadi_json_object(j, "network");
    nadi_json_string(j, "model", nadi_network_model_name(in));
    nadi_json_array(j, "dimensions");
    for (uint32_t d = 0; d < r->dim_count; d++) {
        nadi_json_row(j, NULL);
        nadi_dimension_json(&of, d, j);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    if (r->has_packets) {
        nadi_json_object(j, "packets");
        nadi_view_json(&nadi_view_packets_json,
                       &(struct nadi_result_row){.of = &of, .item = &r->packets}, j);
        nadi_json_close(j);
    }
    if (r->spread.links) {
        nadi_json_object(j, "hashing");
        nadi_view_json(&nadi_view_hashing_json,
                       &(struct nadi_result_row){.of = &of, .item = &r->spread}, j);
        nadi_json_close(j);
    }
    if (r->fabric.counted) {
        nadi_json_object(j, "fabric");
        nadi_view_json(&nadi_view_fabric_json,
                       &(struct nadi_result_row){.of = &of, .item = &r->fabric}, j);
        nadi_json_close(j);
    }
    if (r->energy.catalogue) {
        nadi_json_object(j, "energy");
        nadi_view_json(&nadi_view_energy_json,
                       &(struct nadi_result_row){.of = &of, .item = &r->energy}, j);
        nadi_json_close(j);
    }
    if (r->link_count)
        bottlenecks(j, in, r);
    nadi_json_close(j);
}

static void sanity(struct nadi_json *j, const struct nadi_result *r)
{
    struct nadi_node_counts n = nadi_count_nodes(r);
    nadi_json_object(j, "sanity");
    nadi_json_u64(j, "offered_bytes", r->offered_bytes);
    nadi_json_u64(j, "moved_bytes", r->message_bytes);
    nadi_json_u64(j, "messages", r->messages);
    nadi_json_row(j, "nodes");
    nadi_json_u64(j, "total", n.total);
    nadi_json_u64(j, "executed", n.done);
    nadi_json_u64(j, "skipped", n.skipped);
    nadi_json_u64(j, "open", n.open);
    nadi_json_close(j);
    nadi_json_row(j, "executed_by_type");
    for (int t = 0; t < NADI_NODE_TYPES; t++)
        nadi_json_u64(j, nadi_node_type_name((enum nadi_node_type)t), r->nodes_by_type[t]);
    nadi_json_close(j);
    if (r->outcome == NADI_OUTCOME_DONE)
        nadi_json_u64(j, "lower_bound_ns", r->lower_bound_ns);
    else
        nadi_json_null(j, "lower_bound_ns");
    nadi_json_double(j, "end_to_end_over_lower_bound", nadi_above_lower_bound(r));
    if (r->uncertainty.samples) {
        nadi_json_row(j, "end_to_end_interval");
        nadi_json_u64(j, "samples", r->uncertainty.samples);
        nadi_json_u64(j, "low_ns", r->uncertainty.low_ns);
        nadi_json_u64(j, "median_ns", r->uncertainty.median_ns);
        nadi_json_u64(j, "high_ns", r->uncertainty.high_ns);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

/* What was not simulated since it repeats something, or why everything was. */
static void fast_forwarded(struct nadi_json *j, const struct nadi_result *r)
{
    nadi_json_object(j, "fast_forwarded");
    nadi_json_u64(j, "periods", r->forwarded.periods);
    nadi_json_u64(j, "nodes", r->forwarded.nodes);
    nadi_json_string(j, "none_because", r->forwarded.why_none);
    nadi_json_close(j);
}

/* Which executor made which part of the run, in order of time, and its share of the nodes. */
static void execution(struct nadi_json *j, const struct nadi_result *r)
{
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < r->part_count; i++)
        nodes += r->parts[i].nodes;
    nadi_json_object(j, "execution");
    nadi_json_string(j, "executor", r->executor ? r->executor->name : NULL);
    nadi_json_string(j, "no_faster_executor_because", r->executor_note);
    nadi_json_u64(j, "events", r->events);
    if (r->ties_settled)
        nadi_json_u64(j, "ties_settled", r->ties_settled);
    fast_forwarded(j, r);
    nadi_json_array(j, "parts");
    for (uint32_t i = 0; i < r->part_count; i++) {
        const struct nadi_part_result *p = &r->parts[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "executor", p->executor->name);
        nadi_json_u64(j, "classes_of_ranks", p->classes);
        nadi_json_u64(j, "nodes", p->nodes);
        nadi_json_double(j, "share_of_nodes", nodes ? (double)p->nodes / (double)nodes : 1);
        nadi_json_u64(j, "events", p->events);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

static void file_row(struct nadi_json *j, const char *name, const char *what, const char *units)
{
    nadi_json_row(j, NULL);
    nadi_json_string(j, "name", name);
    nadi_json_string(j, "what", what);
    nadi_json_string(j, "units", units);
}

static void left_out(struct nadi_json *j, enum nadi_run_file file, const struct nadi_result *r,
                     const struct nadi_report_options *o)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_detail_left_out(file == NADI_FILE_TIMELINE ? o->timeline_detail : o->db_detail, file, r,
                         &text);
    if (text.length)
        nadi_json_string(j, "left_out", nadi_str_get(&text));
    nadi_str_release(&text);
}

/* The summary itself comes first, without a size or digest: it is what says them. */
static void index_of_files(struct nadi_json *j, const struct nadi_inputs *in,
                           const struct nadi_result *r, const struct nadi_report_options *o,
                           const struct nadi_written *written)
{
    static const char by_class[] =
        "one row a class of ranks with the same figures, first to last in steps of stride";
    const struct nadi_run_file_info *own = nadi_run_file_info(NADI_FILE_SUMMARY);
    nadi_json_array(j, "files");
    file_row(j, own->name, own->what, own->units);
    nadi_json_close(j);
    for (size_t i = 0; i < written->count; i++) {
        const struct nadi_written_file *f = &written->items[i];
        const struct nadi_run_file_info *info = nadi_run_file_info(f->file);
        const bool classes = f->file == NADI_FILE_RANKS && nadi_report_by_class(in, o);
        file_row(j, f->name, classes ? by_class : info->what, info->units);
        left_out(j, f->file, r, o);
        nadi_json_u64(j, "bytes", f->bytes);
        nadi_json_string(j, "sha256", f->sha256);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

static void causes(struct nadi_json *j, const struct nadi_why *why)
{
    nadi_json_object(j, "critical_path");
    nadi_json_string(j, "not_known_because", why->why_not);
    nadi_json_u64(j, "steps", why->step_count);
    nadi_json_object(j, "causes_ns");
    for (int c = 0; c < NADI_CAUSES; c++)
        if (why->sums[c])
            nadi_json_u64(j, nadi_cause_name((enum nadi_cause)c), why->sums[c]);
    nadi_json_close(j);
    nadi_json_close(j);
}

void nadi_summary_json(const struct nadi_inputs *in, const struct nadi_result *r,
                       const struct nadi_report_options *o, const struct nadi_written *written,
                       struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-summary/1");
    nadi_json_string(&j, "version", NADI_VERSION);
    outcome(&j, r);
    in_words(&j, in, r, o ? o->words : NULL);
    times(&j, in, r);
    sanity(&j, r);
    collectives(&j, in, r);
    network(&j, in, r);
    tiers(&j, in, r);
    if (in->events)
        events(&j, in);
    execution(&j, r);
    if (o && o->why)
        causes(&j, o->why);
    if (o && o->bill)
        nadi_worth_json(o->bill, o->worth, o->prices, &j);
    if (written)
        index_of_files(&j, in, r, o, written);
    inputs(&j, in);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_report_json(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_sentences *words, struct nadi_str *out)
{
    const struct nadi_report_options o = {.words = words};
    nadi_summary_json(in, r, &o, NULL, out);
}
