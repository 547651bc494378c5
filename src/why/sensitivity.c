#include "why/sensitivity.h"

#include "base/mem.h"
#include "base/threads.h"
#include "base/time.h"
#include "base/units.h"
#include "memory/tiers.h"
#include "sim/run.h"
#include "why/gains.h"
#include "why/links.h"
#include "why/path_time.h"

#include <math.h>
#include <stdatomic.h>

static const uint64_t MOST_EVENTS = UINT64_C(2000000000);

static const struct {
    const char *name, *unit;
    bool less_is_better, whole; /* whole: tried at half and twice */
} parameters[NADI_PARAMETERS] = {
    [NADI_PARAMETER_BANDWIDTH] = {"bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_LATENCY] = {"latency", "ns", true, false},
    [NADI_PARAMETER_LINK_BANDWIDTH] = {"bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_LINK_LATENCY] = {"latency", "ns", true, false},
    [NADI_PARAMETER_TIER_BANDWIDTH] = {"bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_TIER_LINK] = {"bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_FORWARDING] = {"forwarding of nodes", "GB/s", false, false},
    [NADI_PARAMETER_COMPUTE_RATE] = {"compute rate", "times the recorded", false, false},
    [NADI_PARAMETER_LOCAL_MEMORY] = {"local memory bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_REMOTE_MEMORY] = {"remote memory bandwidth", "GB/s", false, false},
    [NADI_PARAMETER_REMOTE_LATENCY] = {"remote memory latency", "ns", true, false},
    [NADI_PARAMETER_ENDPOINT_DELAY] = {"endpoint delay", "ns", true, false},
    [NADI_PARAMETER_CHUNKS] = {"chunks of a collective", "chunks", false, true},
    [NADI_PARAMETER_ACTIVE_CHUNKS] = {"active chunks of a dimension", "chunks", false, true},
};

/* ---- simulated again ----------------------------------------------------------------------- */

struct rerun {
    struct nadi_changed changed;
    bool wanted; /* also its causes */
    bool causes;
    bool shared;                /* in the model that shares links, which the run is not in */
    uint64_t end_ns;            /* UINT64_MAX: it did not finish */
    bool explained;             /* the next is there */
    uint64_t sums[NADI_CAUSES]; /* of its critical path */
};

struct work { /* shared by the threads: each takes the next */
    struct rerun *items;
    size_t count;
    atomic_size_t next;
};

static void rerun(struct rerun *x)
{
    struct nadi_result r;
    x->changed.in.options.record_ops = x->causes;
    x->changed.in.options.record_usage = false;
    x->changed.in.system.track_local_mem = false;
    nadi_simulate(&x->changed.in, NULL, &r);
    x->end_ns = r.outcome == NADI_OUTCOME_DONE ? r.end_ns : UINT64_MAX;
    if (x->causes) {
        struct nadi_why why;
        nadi_why_find(&x->changed.in, &r, &why);
        x->explained = !why.why_not;
        memcpy(x->sums, why.sums, sizeof(x->sums));
        nadi_why_release(&why);
    }
    nadi_result_release(&r);
}

static void take_work(void *context, unsigned thread)
{
    struct work *w = context;
    (void)thread;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        if (w->items[i].wanted)
            rerun(&w->items[i]);
}

static void rerun_all(struct rerun *items, size_t count, unsigned threads)
{
    struct work w = {.items = items, .count = count};
    nadi_threads_run(threads, take_work, &w);
}

/* ---- the list ------------------------------------------------------------------------------ */

struct search {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct nadi_sensitivities *out;
    struct rerun *reruns;             /* two a parameter, the bounds, then the run in the model
                                         that shares links */
    struct nadi_link_classes classes; /* of a network of nodes and links */
};

static void add_parameter(struct search *s, enum nadi_parameter p, uint32_t dim)
{
    struct nadi_sensitivities *out = s->out;
    double value = nadi_parameter_value(s->in, p, dim == NADI_NONE ? 0 : dim);
    if (!(value > 0))
        return;
    struct nadi_sensitivity *x = &out->items[out->count++];
    const char *unit = parameters[p].unit;
    if (p == NADI_PARAMETER_COMPUTE_RATE && s->in->system.roofline)
        unit = "TFLOP/s";
    *x = (struct nadi_sensitivity){.parameter = p, .dim = dim, .value = value, .unit = unit};
    x->name = parameters[p].name;
    if (p == NADI_PARAMETER_LINK_BANDWIDTH || p == NADI_PARAMETER_LINK_LATENCY)
        x->name = nadi_link_class_name(&s->classes, dim, parameters[p].name, &out->arena);
    else if (p == NADI_PARAMETER_TIER_BANDWIDTH)
        x->name = nadi_tier_gain_name(s->in->tiers, dim, parameters[p].name, &out->arena);
    else if (p == NADI_PARAMETER_TIER_LINK)
        x->name = nadi_arena_printf(&out->arena, "%s of link %s", parameters[p].name,
                                    s->in->tiers->channel_sets[dim].name);
    else if (dim != NADI_NONE)
        x->name = nadi_arena_printf(&out->arena, "%s of dimension %u", parameters[p].name, dim);
}

static void list_parameters(struct search *s)
{
    const struct nadi_inputs *in = s->in;
    bool graph = in->has_graph && !in->graph.of_topology;
    uint32_t dims = in->topology.dim_count;
    const uint32_t tiers = in->tiers ? in->tiers->tier_count : 0;
    const uint32_t links = in->tiers ? in->tiers->channel_set_count : 0;
    if (graph)
        nadi_link_classes_find(&in->graph, &s->classes);
    s->out->items =
        NADI_ARENA_ZNEW(&s->out->arena, struct nadi_sensitivity,
                        2 * (size_t)(dims + s->classes.count) + tiers + links + NADI_PARAMETERS);
    for (uint32_t d = 0; d < dims && !graph; d++) {
        if (in->topology.dims[d].npus < 2)
            continue;
        add_parameter(s, NADI_PARAMETER_BANDWIDTH, d);
        add_parameter(s, NADI_PARAMETER_LATENCY, d);
    }
    for (uint32_t k = 0; k < s->classes.count; k++) {
        add_parameter(s, NADI_PARAMETER_LINK_BANDWIDTH, k);
        add_parameter(s, NADI_PARAMETER_LINK_LATENCY, k);
    }
    for (uint32_t i = 0; i < tiers; i++)
        if (s->r->tiers[i].requests)
            add_parameter(s, NADI_PARAMETER_TIER_BANDWIDTH, i);
    for (uint32_t i = 0; i < links; i++)
        if (s->r->tiers[tiers + i].requests && nadi_tiers_tier_of_set(in->tiers, i) == NADI_NONE)
            add_parameter(s, NADI_PARAMETER_TIER_LINK, i);
    for (enum nadi_parameter p = NADI_PARAMETER_FORWARDING; p < NADI_PARAMETERS; p++)
        add_parameter(s, p, NADI_NONE);
}

/* Where messages meet an executor that leaves some of them out may order ties in another way, which
 * a difference of 0.1 % would show. */
static void keep_executor(const struct search *s, struct nadi_inputs *in)
{
    if (in->options.network_model->has_contention && !s->r->executor->solves_phases)
        in->options.executor = s->r->executor;
}

enum { BOUNDS = 3 };

static struct rerun *shared_run(const struct search *s)
{
    return &s->reruns[2 * s->out->count + BOUNDS];
}

/* Chunks and delays may make messages want one link at a time that did not. Where `auto` would
 * therefore take another model it is taken, and the gain is that over the same run in it. */
static void fit_model(struct search *s, struct rerun *run, enum nadi_parameter p)
{
    if (!run->wanted || (!parameters[p].whole && p != NADI_PARAMETER_ENDPOINT_DELAY) ||
        !nadi_inputs_ask_to_share(&run->changed.in))
        return;
    run->shared = true;
    nadi_inputs_share(&run->changed.in);
    if (shared_run(s)->wanted)
        return;
    *shared_run(s) = (struct rerun){.changed.in = *s->in, .wanted = true};
    nadi_inputs_share(&shared_run(s)->changed.in);
    keep_executor(s, &shared_run(s)->changed.in);
}

static void prepare_reruns(struct search *s)
{
    const double small = 1.001, large = 1.1;
    for (size_t i = 0; i < s->out->count; i++) {
        const struct nadi_sensitivity *x = &s->out->items[i];
        bool whole = parameters[x->parameter].whole;
        double factors[2] = {whole ? 2 : small, whole ? 0.5 : large};
        for (size_t k = 0; k < 2; k++) {
            struct rerun *run = &s->reruns[2 * i + k];
            double factor = parameters[x->parameter].less_is_better ? 2 - factors[k] : factors[k];
            run->wanted = nadi_change_open(&run->changed, s->in, x->parameter,
                                           x->dim == NADI_NONE ? 0 : x->dim, factor);
            run->causes = k == 1 && !whole;
            fit_model(s, run, x->parameter);
            keep_executor(s, &run->changed.in);
        }
    }
    for (int k = NADI_ONLY_LATENCY; k <= NADI_ONLY_COMPUTE; k++) {
        struct rerun *run = &s->reruns[2 * s->out->count + (size_t)k];
        nadi_change_only(&run->changed, s->in, (enum nadi_only)k);
        run->wanted = !s->in->options.compat;
        keep_executor(s, &run->changed.in);
    }
}

static bool gain_of(const struct search *s, const struct rerun *run, int64_t *gain)
{
    if (!run->wanted || run->end_ns == UINT64_MAX)
        return false;
    const uint64_t end_ns = run->shared ? shared_run(s)->end_ns : s->r->end_ns;
    *gain = (int64_t)end_ns - (int64_t)run->end_ns;
    return end_ns != UINT64_MAX;
}

/* What has grown most on the path by a thousandth of the run, or else has most of it. */
static enum nadi_cause next_cause(const struct nadi_why *why, uint64_t end_ns,
                                  const struct rerun *run)
{
    uint64_t most = end_ns / 1000;
    enum nadi_cause grown = NADI_CAUSES, top = NADI_CAUSE_COMPUTE;
    for (int c = 0; c < NADI_CAUSES; c++) {
        if (run->sums[c] > run->sums[top])
            top = (enum nadi_cause)c;
        if (run->sums[c] > why->sums[c] && run->sums[c] - why->sums[c] > most) {
            most = run->sums[c] - why->sums[c];
            grown = (enum nadi_cause)c;
        }
    }
    return grown == NADI_CAUSES ? top : grown;
}

static void take_reruns(struct search *s, const struct nadi_why *why)
{
    for (size_t i = 0; i < s->out->count; i++) {
        struct nadi_sensitivity *x = &s->out->items[i];
        const struct rerun *small = &s->reruns[2 * i], *large = small + 1;
        x->has_small = gain_of(s, small, &x->gain_small_ns);
        x->has_large = gain_of(s, large, &x->gain_large_ns);
        if (x->has_large && large->explained)
            x->next = nadi_cause_name(next_cause(why, s->r->end_ns, large));
    }
}

static void take_paths(struct search *s, const struct nadi_why *why)
{
    struct nadi_path_ops *ops = why->why_not ? NULL : nadi_path_ops_create(s->in, why);
    s->out->path_is_exact = ops && nadi_path_ops_exact(ops);
    for (size_t i = 0; ops && i < s->out->count; i++) {
        struct nadi_sensitivity *x = &s->out->items[i];
        double gain = nadi_path_gain(ops, x->parameter, x->dim == NADI_NONE ? 0 : x->dim);
        x->has_path = isfinite(gain);
        if (!x->has_path)
            continue;
        bool less = parameters[x->parameter].less_is_better;
        x->path_ns_per_unit = (less ? gain : -gain) / x->value + 0.0; /* no -0 */
        x->path_gain_ns = gain * 0.001;
    }
    nadi_path_ops_destroy(ops);
}

/* The run simulated again holds what takes longer by a whole nanosecond or not at all: of a small
 * gain that is much. */
static bool rounds(const struct nadi_inputs *in)
{
    return !in->has_graph && !in->system.exact && in->options.network_model->truncates;
}

/* By the run with a better parameter: what it shortens is proportional to a time, or to one by a
 * rate. */
static void take_simulated(const struct search *s, struct nadi_sensitivity *x)
{
    enum { ROUNDED_NS = 1000 }; /* a thousandth is a nanosecond */
    const bool less = parameters[x->parameter].less_is_better;
    const bool small =
        x->has_small && (!x->has_large || !rounds(s->in) || x->gain_small_ns >= ROUNDED_NS ||
                         x->gain_small_ns <= -ROUNDED_NS);
    const double better = small ? 1.001 : 1.1;
    const double gain = (double)(small ? x->gain_small_ns : x->gain_large_ns);
    const double all = gain / (better - 1) * (less ? 1 : better);
    x->by = small ? "simulation" : "simulation, 10 %";
    x->ns_per_unit = (less ? all : -all) / x->value + 0.0;
}

/* The derivative: along the path where that is exact, else of the run simulated again, if it was.
 */
static void take_derivatives(struct search *s)
{
    for (size_t i = 0; i < s->out->count; i++) {
        struct nadi_sensitivity *x = &s->out->items[i];
        const bool again = (x->has_small || x->has_large) && !parameters[x->parameter].whole;
        if (x->has_path && (s->out->path_is_exact || !again)) {
            x->by = s->out->path_is_exact ? "path" : "path, estimated";
            x->ns_per_unit = x->path_ns_per_unit;
        } else if (again)
            take_simulated(s, x);
    }
}

static double rank_of(const struct nadi_sensitivity *x)
{
    double small = x->has_small ? (double)x->gain_small_ns : 0;
    if (parameters[x->parameter].whole) {
        double large = x->has_large ? (double)x->gain_large_ns : 0;
        return fmax(small, large);
    }
    if (x->has_large)
        return (double)x->gain_large_ns;
    return x->has_path ? x->path_gain_ns * 100 : 100 * small;
}

static int by_gain(const void *a, const void *b)
{
    const struct nadi_sensitivity *x = a, *y = b;
    double left = rank_of(x), right = rank_of(y);
    if (left > right || left < right)
        return left > right ? -1 : 1;
    if (x->parameter != y->parameter)
        return x->parameter < y->parameter ? -1 : 1;
    return x->dim < y->dim ? -1 : x->dim > y->dim;
}

/* ---- bounds -------------------------------------------------------------------------------- */

static void add_bound(struct nadi_sensitivities *out, const char *name, uint64_t ns)
{
    if (ns > 0)
        out->bounds[out->bound_count++] = (struct nadi_bound_part){name, ns};
}

static int by_size(const void *a, const void *b)
{
    const struct nadi_bound_part *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Links that carry a dimension's bytes: those of the result that no switch sends over, else as many
 * as leave an NPU. */
static uint64_t links_of(const struct nadi_inputs *in, const struct nadi_result *r, uint32_t dim)
{
    uint64_t count = 0;
    for (size_t i = 0; i < r->link_count; i++)
        count += r->links[i].dim == dim && !nadi_inputs_is_hub(in, r->links[i].from);
    if (count > 0 || r->link_count > 0)
        return count;
    const struct nadi_dim *d = &in->topology.dims[dim];
    uint64_t each = d->kind == NADI_DIM_FULLY_CONNECTED ? d->npus - 1
                    : d->kind == NADI_DIM_RING          ? (d->npus > 2 ? 2 : 1)
                                                        : 1;
    return each * in->topology.npu_count;
}

/* The bytes that cross the cut around one NPU against the links that cross it, out and in; and
 * those of one link on the ways that this run took. */
static void add_cuts(struct search *s)
{
    const struct nadi_result *r = s->r;
    const uint32_t n = s->in->topology.npu_count;
    double *bytes = NADI_ZNEW(double, 4 * (size_t)n), *rates = bytes + 2 * (size_t)n;
    double busiest = 0, widest = 0;
    uint32_t npu = 0;
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        if (!(l->bytes_per_ns > 0))
            continue;
        busiest = fmax(busiest, (double)l->bytes / l->bytes_per_ns);
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t end = k ? l->to : l->from;
            if (end >= n)
                continue;
            bytes[2 * end + k] += (double)l->bytes;
            rates[2 * end + k] += l->bytes_per_ns;
        }
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        if (rates[i] > 0 && bytes[i] / rates[i] > widest) {
            widest = bytes[i] / rates[i];
            npu = i / 2;
        }
    nadi_mem_free(bytes);
    if (widest > 0)
        add_bound(s->out, nadi_arena_printf(&s->out->arena, "bandwidth around rank %u", npu),
                  nadi_count_trunc(widest));
    if (busiest > 0)
        add_bound(s->out, "busiest link, on these ways", nadi_count_trunc(busiest));
}

static void find_bounds(struct search *s, bool again)
{
    struct nadi_sensitivities *out = s->out;
    const struct nadi_result *r = s->r;
    uint64_t compute = 0, memory = 0;
    static const char *const only[] = {"latency alone", "network alone", "compute alone"};
    out->bounds = NADI_ARENA_NEW(&out->arena, struct nadi_bound_part, r->dim_count + 9);
    for (uint32_t c = 0; c < r->class_count; c++) {
        compute = nadi_max_u64(compute, r->classes[c].compute_ns);
        memory = nadi_max_u64(memory, r->classes[c].memory_ns);
    }
    add_bound(out, "any schedule", r->lower_bound_ns);
    add_bound(out, "compute of the busiest rank", compute);
    add_bound(out, "remote memory of the busiest rank", memory);
    bool graph = s->in->has_graph && !s->in->graph.of_topology;
    add_cuts(s);
    for (uint32_t i = 0; i < r->dim_count && !graph; i++) {
        const struct nadi_link_result *l = &r->dims[i];
        double rate =
            l->dim < s->in->topology.dim_count ? s->in->topology.dims[l->dim].bytes_per_ns : 0;
        uint64_t links = links_of(s->in, r, l->dim);
        if (rate > 0 && links > 0)
            add_bound(out, nadi_arena_printf(&out->arena, "bandwidth of dimension %u", l->dim),
                      nadi_count_trunc((double)l->bytes / (rate * (double)links)));
    }
    for (size_t k = 0; k < BOUNDS && again; k++) {
        const struct rerun *run = &s->reruns[2 * out->count + k];
        if (run->wanted && run->end_ns != UINT64_MAX)
            add_bound(out, only[k], run->end_ns);
    }
    qsort(out->bounds, out->bound_count, sizeof(*out->bounds), by_size);
}

void nadi_sensitivities_find(const struct nadi_inputs *in, const struct nadi_result *r,
                             const struct nadi_why *why, unsigned threads,
                             struct nadi_sensitivities *out)
{
    struct search s = {.in = in, .r = r, .out = out};
    *out = (struct nadi_sensitivities){0};
    nadi_arena_init(&out->arena);
    if (r->outcome != NADI_OUTCOME_DONE) {
        out->why_not = "the run did not finish";
        return;
    }
    list_parameters(&s);
    size_t runs = 2 * out->count + BOUNDS + 1;
    bool again = nadi_result_all_events(r) < MOST_EVENTS / runs;
    s.reruns = NADI_ZNEW(struct rerun, runs);
    if (again) {
        prepare_reruns(&s);
        rerun_all(s.reruns, runs, threads);
        take_reruns(&s, why);
    } else
        out->why_not = "the run has too many events to be simulated again so often";
    take_paths(&s, why);
    take_derivatives(&s);
    find_bounds(&s, again);
    for (size_t i = 0; i < runs; i++)
        nadi_change_close(&s.reruns[i].changed);
    nadi_mem_free(s.reruns);
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_gain);
}

void nadi_sensitivities_release(struct nadi_sensitivities *s)
{
    nadi_arena_release(&s->arena);
    *s = (struct nadi_sensitivities){0};
}
