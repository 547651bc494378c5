#include "explore/model_inputs.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/units.h"
#include "inputs/load.h"
#include "memory/tiers.h"
#include "model/files.h"
#include "sim/run.h"

#include <math.h>

static void add_setting(struct nadi_inputs *in, const char *file, const char *key,
                        const char *value)
{
    if (in->setting_count == in->setting_capacity)
        in->settings = nadi_mem_grow(in->settings, &in->setting_capacity, in->setting_count + 1,
                                     sizeof(*in->settings));
    in->settings[in->setting_count++] = (struct nadi_resolved){
        .file = file,
        .key = key,
        .value = nadi_arena_strdup(&in->arena, value),
        .origin = "nadi model",
    };
}

static void fill_native(struct nadi_system_config *s, const struct nadi_cluster *c)
{
    for (int k = 0; k < NADI_NATIVE_KINDS; k++) {
        struct nadi_implementation *i = &s->native[k];
        const char *const *words = k == NADI_NATIVE_ALL_REDUCE                       ? c->all_reduce
                                   : k == NADI_NATIVE_ALL_TO_ALL && c->all_to_all[0] ? c->all_to_all
                                                                                     : c->algorithm;
        i->count = nadi_cluster_entries(c, words);
        for (uint32_t d = 0; d < i->count; d++) {
            const bool known = nadi_algorithm_read(words[d], &i->dims[d]);
            NADI_ASSERT(known); /* of the cluster's schema */
        }
    }
    if (c->all_to_all[0])
        return;
    s->shared_window = NADI_MODEL_PEERS_SHARING;
    s->own_window = nadi_model_own_peers(&c->topology);
    s->native[NADI_NATIVE_ALL_TO_ALL] = (struct nadi_implementation){
        .count = 1,
        .dims = {{.algorithm = NADI_ALGORITHM_DIRECT,
                  .flat = true,
                  .one_by_one = true,
                  .window = NADI_MODEL_PEERS_PASSING}},
    };
}

static void take_library(struct nadi_system_config *s, const struct nadi_comm_platform *library)
{
    s->library = library;
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        s->native[k] = (struct nadi_implementation){
            .count = 1, .dims = {{.algorithm = NADI_ALGORITHM_LIBRARY, .flat = true}}};
}

void nadi_model_system(struct nadi_inputs *in, const struct nadi_study *study, uint32_t chunks)
{
    struct nadi_system_config *s = &in->system;
    *s = (struct nadi_system_config){
        .policy = NADI_SCHEDULING_LIFO,
        .local_bw_aware = true,
        .endpoint_delay_ns = NADI_MODEL_ENDPOINT_NS,
        .active_chunks = study->cluster.active_chunks,
        .active_of_each = true,
        .inter = nadi_inter_scheduling_of(study->cluster.inter),
        .intra = nadi_intra_scheduling_of(study->cluster.intra),
        .splits = chunks,
        .soonest_splits = nadi_model_leaves_chunks(&study->cluster),
        .even_chunks = nadi_run_cuts_evenly(&in->options),
        .queues_per_dim = 1,
        .comm_streams = nadi_model_streams(&study->cluster),
        .by_node = true,
        .node_chunks = study->cluster.chunks,
        .local_mem_trace_filename = "local_mem_trace",
    };
    if (study->library)
        take_library(s, study->library);
    else
        fill_native(s, &study->cluster);
    s->settle_ties = !in->options.executor;
}

void nadi_model_bare_inputs(struct nadi_inputs *in, const struct nadi_study *study, uint32_t chunks)
{
    *in = (struct nadi_inputs){
        .options = nadi_model_plain_options(),
        .topology = study->cluster.topology,
        .rank_count = study->cluster.topology.npu_count,
    };
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    in->options.queues_per_dim = 1;
    in->options.network = study->cluster.path;
    nadi_model_system(in, study, chunks);
}

static void echo(struct nadi_inputs *in, const struct nadi_study *study)
{
    const struct nadi_topology *t = &in->topology;
    char text[32];
    struct nadi_str shape = NADI_STR_INIT;
    for (uint32_t d = 0; d < t->dim_count; d++)
        nadi_str_printf(&shape, "%s%s %u at %s", d ? ", " : "", nadi_dim_kind_name(t->dims[d].kind),
                        t->dims[d].npus, nadi_units_rate(text, t->dims[d].bytes_per_ns * 1e9));
    add_setting(in, "model", "model", study->model.name);
    add_setting(in, "model", "cluster", study->cluster.name);
    add_setting(in, "model", "device", study->cluster.device.name);
    add_setting(in, "network", "topology", nadi_str_get(&shape));
    if (study->library)
        add_setting(in, "network", "platform", study->library->name);
    nadi_str_clear(&shape);
    nadi_plan_summary(&study->plan, &shape);
    add_setting(in, "model", "plan", nadi_str_get(&shape));
    if (study->changed)
        add_setting(in, "model", "changed", study->changed);
    if (!nadi_run_cuts_evenly(&in->options))
        nadi_settings_add(in, "command line", "network-model", in->options.network_model->name,
                          "--network-model");
    nadi_str_release(&shape);
}

struct nadi_memory_config nadi_model_remote(const struct nadi_study *study)
{
    return (struct nadi_memory_config){
        .kind = NADI_MEMORY_PER_NPU,
        .latency_ns = NADI_MODEL_REMOTE_LATENCY_NS,
        .bytes_per_ns = nadi_count_round(nadi_study_remote_rate(study) / 1e9),
    };
}

static struct nadi_memory_source memory_file(const struct nadi_study *study)
{
    return (struct nadi_memory_source){study->memory, study->memory_text, study->memory_bytes};
}

/* Once for all that look at it: it may be a pipe. */
static bool read_memory_file(struct nadi_study *study, struct nadi_diags *diags)
{
    struct nadi_memory_source from = memory_file(study);
    const bool ok = nadi_inputs_read_memory(&from, &study->arena, diags);
    study->memory_text = from.text;
    study->memory_bytes = from.bytes;
    return ok;
}

bool nadi_model_tiers(struct nadi_inputs *in, const struct nadi_study *study,
                      struct nadi_diags *diags)
{
    const double rate = study->has_cluster ? study->cluster.device.memory_rate : (double)NAN;
    bool several;
    *in = (struct nadi_inputs){.rank_count = study->plan.ranks};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    nadi_groups_init(&in->groups, in->rank_count);
    if (!study->memory)
        return true;
    const struct nadi_memory_source file = memory_file(study);
    if (!nadi_inputs_take_tiers(in, &file, rate, diags))
        return false;
    for (uint32_t i = 0; i < NADI_PLACED_PARTS && in->tiers; i++)
        if (study->plan.place[i] &&
            nadi_tiers_find(in->tiers, study->plan.place[i], &several) == NADI_NONE)
            return nadi_error(diags, "plan/place", NADI_IN_FILE(study->memory),
                              "name a tier of this file",
                              several ? "'place' puts %s into '%.60s', which several tiers are"
                                      : "'place' puts %s into '%.60s', which no tier is",
                              nadi_placed_part_words[i], study->plan.place[i]);
    return true;
}

static void fill_traces(struct nadi_inputs *in, const struct nadi_model_step *step)
{
    const struct nadi_study *study = step->study;
    const uint32_t stages = study->plan.pp, ranks = study->plan.ranks;
    in->owned_count = stages + (ranks < in->rank_count);
    in->owned = NADI_NEW(struct nadi_trace *, in->owned_count);
    in->lent = step->traces ? stages : 0;
    for (uint32_t i = 0; i < stages; i++)
        in->owned[i] = step->traces ? step->traces[i] : nadi_step_trace(step, i);
    if (ranks < in->rank_count)
        in->owned[stages] = nadi_step_idle_trace();
    in->traces = NADI_NEW(struct nadi_trace *, in->rank_count);
    for (uint32_t rank = 0; rank < in->rank_count; rank++)
        in->traces[rank] =
            in->owned[rank < ranks ? nadi_grid_coordinate(&study->grid, rank, NADI_DEGREE_PP)
                                   : stages];
}

static bool take_memory(struct nadi_inputs *in, const struct nadi_study *study,
                        struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_memory_source from = memory_file(study);
    if (!study->memory && !nadi_step_uses_remote(&study->plan))
        return true;
    if (!study->memory)
        nadi_model_memory_file(study, &text);
    if (!study->memory) {
        from.text = nadi_str_get(&text);
        from.bytes = text.length;
    }
    const bool ok = nadi_inputs_take_memory(in, &from, study->cluster.device.memory_rate, diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_model_study(struct nadi_study *study, const struct nadi_study_setup *setup,
                      struct nadi_diags *diags)
{
    struct nadi_inputs in;
    if (!nadi_study_open(study, setup, diags))
        return false;
    if (!study->memory)
        return true;
    if (!read_memory_file(study, diags))
        return false;
    if (nadi_study_wafer_io(study))
        return true;
    const bool ok = nadi_model_tiers(&in, study, diags);
    if (ok && in.tiers && in.tiers->preset != NADI_NONE)
        study->host_tier = nadi_arena_strdup(&study->arena, in.tiers->tiers[in.tiers->preset].name);
    nadi_inputs_release(&in);
    return ok;
}

bool nadi_model_inputs(struct nadi_inputs *in, const struct nadi_model_step *step,
                       const struct nadi_run_options *options, struct nadi_diags *diags)
{
    const struct nadi_study *study = step->study;
    const struct nadi_cluster *c = &study->cluster;
    *in = (struct nadi_inputs){.options = *options, .relative_peers = true};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    NADI_ASSERT(study->has_cluster);
    if (!in->options.network_model)
        in->options.network_model = nadi_network_default;
    const struct nadi_network_ops *model = in->options.network_model;
    if (options->samples && (!study->library || study->library->interval_count == 0))
        return nadi_error(
            diags, "platform/intervals", NADI_IN_FILE(c->path),
            "name a platform that `nadi fit --out` wrote: platform: ./mine.yaml",
            "--samples needs the intervals of a fit; the cluster's platform has none");
    if (study->library && model->has_contention)
        return nadi_error(diags, "network/platform", NADI_IN_FILE(c->path),
                          "leave --network-model out, or name a cluster with a topology",
                          "collectives of a communication library are times, not messages: the "
                          "network model `%s` alone takes a platform",
                          nadi_network_default->name);
    if (c->all_graph && !model->has_links && !options->choose_model)
        return nadi_error(diags, "network/model", NADI_IN_FILE(c->path),
                          "leave --network-model out, or use one of " NADI_NETWORK_LINK_LIST,
                          "the %s model sees dimensions only, and this network is a graph",
                          model->name);
    in->options.workload = nadi_arena_strdup(&in->arena, study->model.name);
    in->options.network = nadi_arena_strdup(&in->arena, c->path);
    in->options.queues_per_dim = 1;
    in->topology = c->topology;
    in->rank_count = c->graph ? c->topology.npu_count : study->plan.ranks;
    nadi_model_system(in, study, nadi_model_chunks(step));
    if (!nadi_inputs_take_topology(in, c->graph, c->packet, diags))
        return false;
    nadi_groups_init(&in->groups, in->rank_count);
    nadi_comm_groups_add(&step->comm_groups, &study->grid, &in->groups);
    if (!nadi_inputs_take_events(in, diags))
        return false;
    const char *memory = study->memory;
    for (uint32_t i = 0; i < NADI_PLACED_PARTS && !memory; i++)
        if (study->plan.place[i])
            return nadi_error(diags, "plan/place", NADI_NOWHERE, "give a memory file with --memory",
                              "'place' names tier '%s', and there is no memory file",
                              study->plan.place[i]);
    if (nadi_step_uses_remote(&study->plan) && !memory) {
        if (!(nadi_study_remote_rate(study) > 0))
            return nadi_error(diags, "plan/offload", NADI_IN_FILE(c->path),
                              "give the device a 'host-bandwidth', or drop 'offload'",
                              "%s has no path to remote memory", c->device.name);
        if (study->plan.remote_parameters == NADI_REMOTE_IN_SWITCH)
            return nadi_error(
                diags, "plan/in-switch", NADI_IN_FILE("plan"),
                "`nadi model trace` writes the step, `nadi run --memory` takes the pool",
                "the cluster's remote memory is each device's own, without switches "
                "that gather");
    }
    fill_traces(in, step);
    echo(in, study);
    nadi_inputs_choose_model(in, diags);
    return take_memory(in, study, diags) && nadi_inputs_check_made(in, diags);
}

/* Of a run whose inputs are made; 0: it has more events than it may have. */
static bool run_step(const struct nadi_inputs *in, const struct nadi_study *study, uint64_t *ns,
                     uint64_t *events, struct nadi_diags *diags)
{
    struct nadi_result result;
    nadi_simulate(in, NULL, &result);
    const bool done = result.outcome == NADI_OUTCOME_DONE;
    const bool limited = result.outcome == NADI_OUTCOME_LIMIT && in->options.max_events;
    *ns = done ? result.end_ns / study->plan.steps : 0;
    *events = result.events;
    nadi_result_release(&result);
    return done || limited ||
           nadi_error(diags, "model/unfinished", NADI_NOWHERE, NULL, "the simulation did not end");
}

static bool time_whole(const struct nadi_model_step *step, const struct nadi_run_options *options,
                       struct nadi_model_timing *t, struct nadi_diags *diags)
{
    struct nadi_inputs in;
    const bool ok = nadi_model_inputs(&in, step, options, diags) &&
                    run_step(&in, step->study, &t->ns, &t->events, diags);
    t->model = in.options.network_model;
    nadi_inputs_release(&in);
    return ok;
}

/* What the step takes at least, where its messages meet: they wait for as few as those do. */
static bool time_apart(struct nadi_inputs *in, const struct nadi_study *study,
                       struct nadi_model_timing *t, struct nadi_diags *diags)
{
    nadi_inputs_widen_window(in);
    return run_step(in, study, &t->free_ns, &t->events, diags);
}

/* A run without contention whose model the options have chosen is the whole one. */
static bool time_free(struct nadi_model_step *step, const struct nadi_run_options *options,
                      struct nadi_model_timing *t, struct nadi_diags *diags)
{
    struct nadi_run_options plain = *options;
    struct nadi_inputs in;
    plain.network_model = nadi_network_default;
    t->model = options->choose_model ? nadi_network_sharing : options->network_model;
    if (step->study->cluster.all_graph)
        return time_whole(step, options, t, diags);
    if (step->study->cluster.graph || !options->choose_model)
        plain.choose_model = false; /* the choice is made */
    bool ok = nadi_model_inputs(&in, step, &plain, diags);
    const bool meet = in.options.network_model->has_contention;
    if (ok && !meet && (plain.choose_model || !t->model->has_contention)) {
        t->model = in.options.network_model;
        ok = run_step(&in, step->study, &t->ns, &t->events, diags);
    } else if (ok && !meet) {
        ok = time_apart(&in, step->study, t, diags);
    } else if (ok) {
        struct nadi_inputs apart;
        plain.choose_model = false;
        step->traces = in.owned; /* the same ones */
        ok = nadi_model_inputs(&apart, step, &plain, diags) &&
             time_apart(&apart, step->study, t, diags);
        step->traces = NULL;
        nadi_inputs_release(&apart);
    }
    nadi_inputs_release(&in);
    return ok;
}

bool nadi_model_time_free(const struct nadi_study *study, const struct nadi_run_options *options,
                          struct nadi_model_timing *t, struct nadi_diags *diags)
{
    struct nadi_model_step step;
    *t = (struct nadi_model_timing){0};
    const bool ok = nadi_step_init(&step, study, diags) && time_free(&step, options, t, diags);
    nadi_step_release(&step);
    return ok;
}

bool nadi_model_time_whole(const struct nadi_study *study, const struct nadi_run_options *options,
                           struct nadi_model_timing *t, struct nadi_diags *diags)
{
    struct nadi_model_step step;
    if (t->ns)
        return true;
    const bool ok = nadi_step_init(&step, study, diags) && time_whole(&step, options, t, diags);
    nadi_step_release(&step);
    return ok;
}

double nadi_model_free_share(const struct nadi_cluster *c)
{
    const struct nadi_topology *t = &c->topology;
    if (c->graph)
        return 0.95;
    for (uint32_t d = 0; d + 1 < t->dim_count; d++)
        if (t->dims[d].bytes_per_ns < 2 * t->dims[d + 1].bytes_per_ns)
            return 0.7;
    return 0.99;
}

bool nadi_model_time_within(const struct nadi_study *study, const struct nadi_run_options *options,
                            double enough_ns, double *ns, struct nadi_diags *diags)
{
    struct nadi_model_timing t;
    if (!nadi_model_time_free(study, options, &t, diags))
        return false;
    *ns = nadi_model_free_share(&study->cluster) * (double)t.free_ns;
    if (!t.ns && *ns >= enough_ns)
        return true;
    const bool ok = nadi_model_time_whole(study, options, &t, diags);
    *ns = (double)t.ns;
    return ok;
}

bool nadi_model_time(const struct nadi_study *study, const struct nadi_run_options *options,
                     uint64_t *ns, struct nadi_diags *diags)
{
    struct nadi_model_timing t = {0};
    const bool ok = nadi_model_time_whole(study, options, &t, diags);
    *ns = t.ns;
    return ok;
}

struct nadi_run_options nadi_model_plain_options(void)
{
    return (struct nadi_run_options){
        .network_model = nadi_network_default,
        .even_chunks = true,
        .injection_scale = 1,
        .compute_scale = 1,
        .comm_scale = 1,
    };
}

struct nadi_run_options nadi_model_auto_options(void)
{
    struct nadi_run_options options = nadi_model_plain_options();
    options.choose_model = true;
    return options;
}
