/* columns_why: why the run took so long: critical path, sensitivities, bounds, samples. */
#include "memory/tiers.h"
#include "report/columns.h"
#include "report/figures.h"
#include "trace/mem.h"

#include <math.h>

/* ---- the critical path --------------------------------------------------------------------- */

enum { PATH_FILE = 1, PATH = 2 };

#define BOTH         (PATH_FILE | PATH)
#define STEP(member) NADI_MEMBER(nadi_path_step, member)

NADI_GETTER(step_duration, item, nadi_path_step, s, nadi_cell_u64(s->end_ns - s->start_ns));

static struct nadi_cell step_node(struct nadi_result_row *row)
{
    const struct nadi_path_step *s = row->item;
    if (s->node == NADI_NONE)
        return nadi_cell_empty();
    return nadi_cell_u64(row->of->in->traces[s->rank]->id[s->node]);
}

static struct nadi_cell step_name(struct nadi_result_row *row)
{
    const struct nadi_path_step *s = row->item;
    if (s->node == NADI_NONE)
        return nadi_cell_empty();
    return nadi_cell_text(nadi_trace_name(row->of->in->traces[s->rank], s->node));
}

NADI_GETTER(step_cause, item, nadi_path_step, s, nadi_cell_text(nadi_cause_name(s->cause)));
NADI_GETTER(step_binding, item, nadi_path_step, s, nadi_cell_text(nadi_binding_name(s->binding)));

static struct nadi_cell step_link(struct nadi_result_row *row)
{
    const struct nadi_path_step *s = row->item;
    const uint32_t npus = row->of->in->topology.npu_count;
    if (s->link == NADI_NONE)
        return nadi_cell_empty();
    const struct nadi_link_result *l = &row->of->r->links[s->link];
    snprintf(row->text[0], sizeof(row->text[0]), "%s%u -> %s%u", l->from < npus ? "" : "switch ",
             l->from < npus ? l->from : l->from - npus, l->to < npus ? "" : "switch ",
             l->to < npus ? l->to : l->to - npus);
    return nadi_cell_text(row->text[0]);
}

/* The tier away from the NPU that the step's node reads or writes. */
static struct nadi_cell step_tier(struct nadi_result_row *row)
{
    const struct nadi_path_step *step = row->item;
    const struct nadi_tiers *tiers = row->of->in->tiers;
    const bool memory = step->cause == NADI_CAUSE_MEMORY || step->cause == NADI_CAUSE_MEMORY_QUEUE;
    if (!tiers || !memory || step->node == NADI_NONE)
        return nadi_cell_empty();
    const struct nadi_trace_mem *m = nadi_trace_mem(row->of->in->traces[step->rank], step->node);
    uint32_t tier = tiers->preset;
    if (m)
        tier = m->from == NADI_MEM_NPU || m->from == nadi_tiers_local(tiers) ? m->to : m->from;
    return tier < tiers->tier_count ? nadi_cell_text(tiers->tiers[tier].name) : nadi_cell_empty();
}

static const struct nadi_column path_columns[] = {
    {"step", BOTH, .key = PATH, NADI_GET(U64, nadi_cell_row_number), .meaning = "its number"},
    {"start_ns", BOTH, STEP(start_ns), .meaning = "the end of the step before it"},
    {"end_ns", BOTH, STEP(end_ns), .meaning = "its end"},
    {"duration_ns", BOTH, NADI_GET(U64, step_duration),
     .meaning = "`end_ns` - `start_ns`; they add up to the end of the run"},
    {"rank", BOTH, STEP(rank), .meaning = "where"},
    {"node", BOTH, NADI_GET(U64, step_node), .meaning = "id of the node in flight"},
    {"name", BOTH, NADI_GET(TEXT, step_name), .meaning = "its name"},
    {"cause", BOTH, NADI_GET(TEXT, step_cause), .meaning = "what took the time"},
    {"tier", BOTH, NADI_GET(TEXT, step_tier),
     .meaning = "of memory and queueing at memory: the tier, where there are tiers"},
    {"bound_by", BOTH, NADI_GET(TEXT, step_binding), .meaning = "what the step waited for"},
    {"group_name", BOTH, .in_files = "group", STEP(group),
     .meaning = "process group of a collective; empty for all ranks"},
    {"dimension", BOTH, NADI_INDEX(nadi_path_step, dim), .meaning = "of a phase, or of a message"},
    {"algorithm", BOTH, STEP(algorithm), .meaning = "of a phase"},
    {"link", PATH, NADI_INDEX(nadi_path_step, link),
     .meaning = "where messages queued: number of the link, in the file its ends"},
    {"link", PATH_FILE, NADI_GET(TEXT, step_link)},
};

static void put_path(struct nadi_rows *rows)
{
    size_t count;
    const struct nadi_path_step *steps = nadi_detail_steps(rows->of->detail, rows->of->why, &count);
    for (size_t i = 0; i < count; i++)
        nadi_rows_item(rows, &steps[i], i);
}

const struct nadi_result_view nadi_view_critical_path_csv = {
    NADI_VIEW_CSV,
    "critical_path.csv",
    "a step of the critical path, where there is one",
    NADI_COLUMNS(path_columns),
    PATH_FILE,
    .put = put_path,
    .title = "The critical path"};

const struct nadi_result_view nadi_view_critical_path = {
    NADI_VIEW_DATABASE, "critical_path", "likewise", NADI_COLUMNS(path_columns), PATH,
    .put = put_path};

/* ---- sensitivities ------------------------------------------------------------------------- */

#define SENSITIVITY(member) NADI_MEMBER(nadi_sensitivity, member)

static struct nadi_cell sensitivity_dim(struct nadi_result_row *row)
{
    return nadi_cell_index(nadi_sensitivity_dim(row->item));
}

NADI_GETTER(path_ns_per_unit, item, nadi_sensitivity, s,
            nadi_cell_real(s->has_path ? s->path_ns_per_unit : (double)NAN));
NADI_GETTER(path_gain, item, nadi_sensitivity, s,
            nadi_cell_real(s->has_path ? s->path_gain_ns : (double)NAN));

static struct nadi_cell gain(bool known, int64_t ns)
{
    return known ? (struct nadi_cell){NADI_CELL_I64, {.integer = ns}} : nadi_cell_empty();
}

NADI_GETTER(gain_small, item, nadi_sensitivity, s, gain(s->has_small, s->gain_small_ns));
NADI_GETTER(gain_large, item, nadi_sensitivity, s, gain(s->has_large, s->gain_large_ns));
NADI_GETTER(ns_per_unit, item, nadi_sensitivity, s,
            nadi_cell_real(s->by ? s->ns_per_unit : (double)NAN));

static const struct nadi_column sensitivity_columns[] = {
    {"parameter", 1, SENSITIVITY(name), .meaning = "what is changed"},
    {"dimension", 1, NADI_GET(U64, sensitivity_dim), .meaning = "of a dimension's parameter"},
    {"value", 1, SENSITIVITY(value), .unit = "`unit`", .meaning = "what it is now"},
    {"unit", 1, SENSITIVITY(unit), .meaning = "of the value"},
    {"path_ns_per_unit", 1, NADI_GET(REAL, path_ns_per_unit), .unit = "ns by `unit`",
     .meaning = "d(end)/d(parameter) by the critical path alone"},
    {"path_gain_ns", 1, NADI_GET(REAL, path_gain),
     .meaning = "what 0.1 % more (of latencies and delays: less) gains by it"},
    {"gain_small_ns", 1, NADI_GET(I64, gain_small),
     .meaning = "what 0.1 % more gains in the whole run, simulated again"},
    {"gain_large_ns", 1, NADI_GET(I64, gain_large), .meaning = "likewise, 10 %"},
    {"next_cause", 1, SENSITIVITY(next), .meaning = "what becomes critical next"},
    {"ns_per_unit", 1, NADI_GET(REAL, ns_per_unit), .unit = "ns by `unit`",
     .meaning = "d(end)/d(parameter)"},
    {"derivative_by", 1, SENSITIVITY(by),
     .meaning = "whence: `path`; `simulation`; `simulation, 10 %`; `path, estimated`"},
};

static void put_sensitivities(struct nadi_rows *rows)
{
    const struct nadi_sensitivities *list = rows->of->sensitivities;
    for (size_t i = 0; list && i < list->count; i++)
        nadi_rows_item(rows, &list->items[i], i);
}

const struct nadi_result_view nadi_view_sensitivities_csv = {NADI_VIEW_CSV,
                                                             "sensitivities.csv",
                                                             "a parameter: `--sensitivity`",
                                                             NADI_COLUMNS(sensitivity_columns),
                                                             1,
                                                             .put = put_sensitivities,
                                                             .title = "Sensitivities"};

const struct nadi_result_view nadi_view_sensitivities = {
    NADI_VIEW_DATABASE,      "sensitivities", "likewise", NADI_COLUMNS(sensitivity_columns), 1,
    .put = put_sensitivities};

static const struct nadi_column bound_columns[] = {
    {"bound", 1, NADI_MEMBER(nadi_bound_part, name), .meaning = "what keeps the run so long"},
    {"ns", 1, NADI_MEMBER(nadi_bound_part, ns), .unit = "ns",
     .meaning = "no run of these inputs ends before"},
};

static void put_bounds(struct nadi_rows *rows)
{
    const struct nadi_sensitivities *list = rows->of->sensitivities;
    for (size_t i = 0; list && i < list->bound_count; i++)
        nadi_rows_item(rows, &list->bounds[i], i);
}

const struct nadi_result_view nadi_view_bounds = {NADI_VIEW_DATABASE,
                                                  "bounds",
                                                  "a lower bound: `--sensitivity`",
                                                  NADI_COLUMNS(bound_columns),
                                                  1,
                                                  .put = put_bounds,
                                                  .title = "Bounds"};

/* ---- samples ------------------------------------------------------------------------------- */

static struct nadi_cell sample_end(struct nadi_result_row *row)
{
    return nadi_cell_u64(*(const uint64_t *)row->item);
}

static const struct nadi_column sample_columns[] = {
    {"sample", 1, .key = 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "its number"},
    {"end_ns", 1, NADI_GET(U64, sample_end), .meaning = "end of the sampled run, ascending"},
};

static void put_samples(struct nadi_rows *rows)
{
    const struct nadi_uncertainty *u = &rows->of->r->uncertainty;
    for (uint32_t i = 0; i < u->samples; i++)
        nadi_rows_item(rows, &u->ends_ns[i], i);
}

const struct nadi_result_view nadi_view_samples = {NADI_VIEW_DATABASE,
                                                   "samples",
                                                   "a sampled run: `--samples`",
                                                   NADI_COLUMNS(sample_columns),
                                                   1,
                                                   .put = put_samples,
                                                   .title = "Samples"};
