#include "sweep/point.h"

#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "explore/energy.h"
#include "explore/model_inputs.h"
#include "format/doc_change.h"
#include "inputs/model_options.h"
#include "inputs/trace_files.h"
#include "model/figures.h"
#include "sim/run.h"
#include "sweep/price.h"
#include "sweep/share.h"

#include <math.h>

const char *const nadi_point_ends[] = {"done", "infeasible", "failed", NULL};

/* The graphs of a step, in a heap of their own: they outlive the point that they were made for. */
struct nadi_kept_graph {
    struct nadi_heap heap;
    char *key; /* NULL: there is none */
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_trace **traces;
};

static void drop_graph(void *of)
{
    struct nadi_kept_graph *g = of;
    if (g->key)
        nadi_heap_release(&g->heap);
    g->key = NULL;
}

static void drop_traces(void *of)
{
    nadi_trace_keep_release(of);
}

void nadi_point_runner_init(struct nadi_point_runner *r, const struct nadi_space *space,
                            const struct nadi_run_host *host, const volatile int *stop)
{
    *r = (struct nadi_point_runner){.space = space, .host = host, .stop = stop};
    nadi_assignment_init(&r->assignment, space);
    r->graph = NADI_ZNEW(struct nadi_kept_graph, 1);
    r->hold = nadi_hold(r->graph, drop_graph);
    r->keep = NADI_ZNEW(struct nadi_trace_keep, 1);
    r->keep_hold = nadi_hold(r->keep, drop_traces);
}

void nadi_point_runner_release(struct nadi_point_runner *r)
{
    nadi_unhold(r->hold);
    drop_graph(r->graph);
    nadi_unhold(r->keep_hold);
    drop_traces(r->keep);
    nadi_mem_free(r->keep);
    nadi_mem_free(r->graph);
    nadi_str_release(&r->key);
    nadi_str_release(&r->kept_key);
    nadi_assignment_release(&r->assignment);
}

/* --- a run ----------------------------------------------------------------------------------- */

struct point_run {
    struct nadi_point_runner *r;
    struct nadi_point_row *row;
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_doc_changes changes;
    struct nadi_run_options options;
    bool has_times; /* simulated, not taken from another point */
};

/* A word of `run`, as a variable has it or else the space. */
static const char *word_of(const struct point_run *p, const char *name)
{
    const uint32_t variable = nadi_space_variable_of(p->r->space, name);
    return variable == NADI_NONE ? nadi_space_word_of(p->r->space, name)
                                 : p->r->assignment.texts[variable];
}

static bool is_of_model(const char *name)
{
    static const char *const words[] = {"model", "plan", "cluster", "set"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

static bool set_option(struct point_run *p, const char *name, const char *text)
{
    return is_of_model(name) || p->r->host->set(&p->options, name, text, &p->arena, &p->diags);
}

/* Of a space with several network models: is the setting about another one than the point's? */
static bool is_of_other_model(const struct point_run *p, const char *name)
{
    static const char key[] = "network-model";
    const struct nadi_model_option *o = nadi_model_option_find(name);
    return o && nadi_space_variable_of(p->r->space, key) != NADI_NONE &&
           !nadi_str_equal(word_of(p, key), o->model);
}

static bool prepare(struct point_run *p)
{
    const struct nadi_space *s = p->r->space;
    const struct nadi_assignment *a = &p->r->assignment;
    struct nadi_doc_change *items =
        NADI_ARENA_NEW(&p->arena, struct nadi_doc_change, s->variable_count);
    bool ok = true;
    p->options = (struct nadi_run_options){.strict = true};
    p->r->host->preset(&p->options);
    for (uint32_t i = 0; i < s->word_count; i++)
        if (!is_of_other_model(p, s->words[i].name))
            ok &= set_option(p, s->words[i].name, s->words[i].text);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        if (nadi_str_equal(v->of, "run"))
            ok &= set_option(p, v->path, a->texts[i]);
        else if (v->of)
            items[p->changes.count++] = (struct nadi_doc_change){v->of, v->path, a->texts[i]};
    }
    p->changes.items = items;
    p->options.changes = &p->changes;
    return ok;
}

static void take_times(struct nadi_point_row *row, const struct nadi_result *result, double steps)
{
    double compute = 0, exposed = 0, idle = 0;
    for (uint32_t c = 0; c < result->class_count; c++) {
        const struct nadi_rank_result *k = &result->classes[c];
        const double weight = result->class_weight ? result->class_weight[c] : 1;
        compute += weight * (double)k->compute_ns;
        exposed += weight * (double)k->true_exposed_comm_ns;
        idle += weight * (double)k->idle_ns;
    }
    row->figures[NADI_SWEEP_STEP] = (double)result->end_ns / steps;
    row->figures[NADI_SWEEP_COMPUTE] = compute / result->rank_count / steps;
    row->figures[NADI_SWEEP_EXPOSED] = exposed / result->rank_count / steps;
    row->figures[NADI_SWEEP_IDLE] = idle / result->rank_count / steps;
    row->figures[NADI_SWEEP_BOUND] = (double)result->lower_bound_ns / steps;
    if (result->energy.catalogue)
        row->figures[NADI_SWEEP_JOULES] = result->energy.joules / steps;
}

/* Simulates loaded inputs. */
static bool simulate(struct point_run *p, const struct nadi_inputs *in, double steps,
                     uint64_t *end_ns)
{
    const struct nadi_observer observer = {.stop = p->r->stop};
    struct nadi_result result;
    if (!nadi_energy_check(in, &p->diags))
        return false;
    nadi_simulate(in, &observer, &result);
    nadi_energy_find(in, &result);
    const enum nadi_outcome outcome = result.outcome;
    const bool done = outcome == NADI_OUTCOME_DONE;
    *end_ns = result.end_ns;
    if (done)
        take_times(p->row, &result, steps);
    else if (outcome == NADI_OUTCOME_INTERRUPTED || (p->r->stop && *p->r->stop))
        p->row->end = NADI_POINT_STOPPED;
    else {
        nadi_diags_append(&p->diags, &result.diags);
        if (!p->diags.errors)
            (void)nadi_error(&p->diags,
                             outcome == NADI_OUTCOME_LIMIT ? "run/limit" : "run/deadlock",
                             NADI_NOWHERE, NULL, "%s",
                             result.stopped_by ? result.stopped_by : "the run did not end");
    }
    nadi_result_release(&result);
    return done;
}

static void take_memory(struct nadi_point_row *row, const struct nadi_step_figures *f,
                        const struct nadi_study *study)
{
    row->figures[NADI_SWEEP_MEMORY] = f->memory_bytes;
    row->figures[NADI_SWEEP_MISSING] = f->missing_bytes;
    row->figures[NADI_SWEEP_FITS] = f->missing_bytes <= 0;
    row->figures[NADI_SWEEP_RANKS] = study->plan.ranks;
    row->figures[NADI_SWEEP_BUBBLE] = f->bubble;
}

/* Then the times of kernels depend on what the first one has room for. */
static bool has_second_memory(const struct point_run *p, const struct nadi_study *study)
{
    return study->cluster.device.expanded_bytes > 0 || word_of(p, "memory");
}

struct keeping {
    struct nadi_kept_graph *g;
    const struct nadi_study_setup *setup;
    const char *key;
    bool ok;
};

/* In the graph's heap. */
static void make_graph(void *context)
{
    struct keeping *k = context;
    struct nadi_kept_graph *g = k->g;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    k->ok = nadi_model_study(&g->study, k->setup, &diags) &&
            nadi_step_init(&g->step, &g->study, &diags);
    if (!k->ok)
        return; /* its errors come again, when the point is run by itself */
    g->traces = NADI_NEW(struct nadi_trace *, g->study.plan.pp);
    for (uint32_t i = 0; i < g->study.plan.pp; i++)
        g->traces[i] = nadi_step_trace(&g->step, i);
    g->step.traces = g->traces;
    g->key = nadi_mem_copy(k->key, strlen(k->key) + 1, 1);
}

/* The kept graph, if it is the point's or can be made. */
static struct nadi_kept_graph *graph_of(struct point_run *p, const struct nadi_study *study,
                                        const struct nadi_study_setup *setup)
{
    struct nadi_kept_graph *g = p->r->graph;
    struct nadi_str key = NADI_STR_INIT;
    struct nadi_failure failure = {.kind = NADI_FAILURE_NONE};
    nadi_share_graph_key(p->r->space, &p->r->assignment, has_second_memory(p, study), &key);
    struct keeping k = {.g = g, .setup = setup, .key = nadi_str_get(&key), .ok = true};
    if (g->key && strcmp(g->key, k.key) == 0)
        p->r->graphs_shared++;
    else {
        drop_graph(g);
        nadi_heap_init(&g->heap);
        const bool done = nadi_guard_run(&g->heap, make_graph, &k, &failure);
        if (!done || !k.ok) {
            nadi_heap_release(&g->heap);
            g->key = NULL;
            k.ok = false;
        }
        if (!done)
            nadi_guard_raise(&failure);
    }
    nadi_str_release(&key);
    return k.ok ? g : NULL;
}

static bool simulate_step(struct point_run *p, const struct nadi_study *study,
                          const struct nadi_study_setup *setup)
{
    struct nadi_model_step own, step;
    struct nadi_inputs in = {.rank_count = 0};
    uint64_t end_ns;
    const struct nadi_kept_graph *g = graph_of(p, study, setup);
    bool ok = g || nadi_step_init(&own, study, &p->diags);
    step = g ? g->step : own;
    step.study = study; /* whose network the point has */
    if (ok) {
        ok = nadi_model_inputs(&in, &step, &p->options, &p->diags) &&
             simulate(p, &in, study->plan.steps, &end_ns);
        nadi_inputs_release(&in);
    }
    if (!g)
        nadi_step_release(&own);
    if (!ok)
        return false;
    const struct nadi_step_figures f = nadi_step_figures(study, end_ns);
    p->row->figures[NADI_SWEEP_TOKENS] = f.tokens_per_s;
    p->row->figures[NADI_SWEEP_MFU] = f.model_share;
    p->row->figures[NADI_SWEEP_MODEL_FLOPS] = f.model_flops;
    return true;
}

static const enum nadi_sweep_figure_index of_times[] = {
    NADI_SWEEP_STEP,        NADI_SWEEP_TOKENS,  NADI_SWEEP_MFU,
    NADI_SWEEP_MODEL_FLOPS, NADI_SWEEP_COMPUTE, NADI_SWEEP_EXPOSED,
    NADI_SWEEP_IDLE,        NADI_SWEEP_BOUND,   NADI_SWEEP_JOULES,
};

/* Times of the point before, if this one must have the same. */
static bool take_times_kept(struct point_run *p)
{
    struct nadi_point_runner *r = p->r;
    if (!r->has_kept || strcmp(nadi_str_get(&r->kept_key), nadi_str_get(&r->key)) != 0)
        return false;
    for (size_t i = 0; i < sizeof(of_times) / sizeof(*of_times); i++)
        p->row->figures[of_times[i]] = r->times[of_times[i]];
    r->results_shared++;
    return true;
}

static bool step_times(struct point_run *p, const struct nadi_study *study,
                       const struct nadi_study_setup *setup)
{
    if (!has_second_memory(p, study) && take_times_kept(p))
        return true;
    const bool ok = simulate_step(p, study, setup);
    p->has_times = ok && !has_second_memory(p, study);
    return ok;
}

/* For the points that follow. */
static void keep_times(struct nadi_point_runner *r, const struct nadi_point_row *row)
{
    const struct nadi_str kept = r->kept_key;
    r->kept_key = r->key;
    r->key = kept;
    r->has_kept = true;
    memcpy(r->times, row->figures, sizeof(r->times));
}

static bool run_model(struct point_run *p)
{
    struct nadi_study study;
    const struct nadi_study_setup setup = {
        .model = word_of(p, "model"),
        .plan = word_of(p, "plan"),
        .settings = word_of(p, "set"),
        .cluster = word_of(p, "cluster"),
        .memory = word_of(p, "memory"),
        .varied = nadi_space_varied(p->r->space),
        .changes = &p->changes,
    };
    bool ok = nadi_model_study(&study, &setup, &p->diags);
    if (ok && !study.has_cluster)
        ok = nadi_error(&p->diags, "model/cluster", NADI_NOWHERE, "run: {cluster: dgx-h100}",
                        "a time needs a cluster: devices and the network between them");
    if (ok) {
        const struct nadi_step_figures f = nadi_step_figures(&study, 1);
        take_memory(p->row, &f, &study);
        if (f.missing_bytes > 0)
            p->row->end = NADI_POINT_INFEASIBLE;
        ok = (f.missing_bytes > 0 && !p->r->space->simulate_infeasible) ||
             step_times(p, &study, &setup);
        if (ok && p->options.catalogue)
            ok = nadi_point_price(p->row, p->r->space, &p->options, &study.cluster, &p->diags);
    }
    nadi_study_close(&study);
    return ok;
}

static bool run_workload(struct point_run *p)
{
    struct nadi_inputs in;
    uint64_t end_ns;
    if (p->options.catalogue)
        return nadi_error(&p->diags, "sweep/catalogue", NADI_NOWHERE,
                          "run: {model: ..., cluster: ..., catalogue: ...}",
                          "a workload on a network says nothing of its devices: it has no price");
    p->options.keep = p->r->keep;
    const bool ok = nadi_inputs_load(&in, &p->options, &p->diags) &&
                    nadi_inputs_check(&in, &p->diags) && simulate(p, &in, 1, &end_ns);
    if (ok)
        p->row->figures[NADI_SWEEP_RANKS] = in.rank_count;
    nadi_inputs_release(&in);
    return ok;
}

/* --- with a heap of its own ------------------------------------------------------------------ */

static void put_error(struct nadi_point_row *row, const struct nadi_diags *diags)
{
    const struct nadi_diag *d = NULL;
    for (size_t i = 0; i < diags->count && !d; i++)
        if (diags->items[i].severity == NADI_ERROR)
            d = &diags->items[i];
    if (!d)
        return;
    struct nadi_str text = NADI_STR_INIT;
    if (d->place.file && d->place.line)
        nadi_str_printf(&text, "%s:%u: ", d->place.file, d->place.line);
    else if (d->place.file)
        nadi_str_printf(&text, "%s: ", d->place.file);
    nadi_str_add(&text, d->message);
    snprintf(row->error, sizeof(row->error), "%s", nadi_str_get(&text));
    snprintf(row->code, sizeof(row->code), "%s", d->code);
    nadi_str_release(&text);
}

static void work(void *context)
{
    struct point_run *p = context;
    nadi_arena_init(&p->arena);
    nadi_diags_init(&p->diags);
    const bool ok = prepare(p) && (p->r->space->is_model ? run_model(p) : run_workload(p));
    if (!ok && p->row->end != NADI_POINT_STOPPED) {
        p->row->end = NADI_POINT_FAILED;
        put_error(p->row, &p->diags);
    }
    nadi_diags_release(&p->diags);
    nadi_arena_release(&p->arena);
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void nadi_point_run(struct nadi_point_runner *r, uint64_t point, struct nadi_point_row *row)
{
    struct point_run p = {.r = r, .row = row};
    struct nadi_failure failure = {.kind = NADI_FAILURE_NONE};
    struct nadi_heap heap;
    const double begin = seconds(CLOCK_MONOTONIC);
    *row = (struct nadi_point_row){.point = point, .started_s = seconds(CLOCK_REALTIME)};
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        row->figures[i] = (double)NAN;
    nadi_space_assign(r->space, point, &r->assignment);
    nadi_str_clear(&r->key);
    nadi_share_result_key(r->space, &r->assignment, &r->key);
    nadi_heap_init(&heap);
    if (!nadi_guard_run(&heap, work, &p, &failure)) {
        row->end = NADI_POINT_FAILED;
        snprintf(row->code, sizeof(row->code), "bug");
        snprintf(row->error, sizeof(row->error), "%s", failure.text);
    }
    nadi_heap_release(&heap);
    if (failure.kind == NADI_FAILURE_MEMORY)
        nadi_guard_raise(&failure);
    if (p.has_times && row->end != NADI_POINT_FAILED)
        keep_times(r, row);
    if (row->end == NADI_POINT_FAILED) /* what it had before tells nothing */
        for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
            row->figures[i] = (double)NAN;
    row->wall_s = seconds(CLOCK_MONOTONIC) - begin;
}
