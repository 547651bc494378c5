#include "api/job.h"
#include "base/mem.h"
#include "base/str.h"

void nadi_setup_init(struct nadi_setup *setup)
{
    *setup = (struct nadi_setup){
        .size = sizeof(*setup),
        .network_model = "auto",
        .executor = "auto",
        .queues_per_dim = 1,
        .injection_scale = 1,
        .compute_scale = 1,
        .comm_scale = 1,
    };
}

static const char *copy(struct nadi_job *job, const char *text)
{
    return text ? nadi_arena_strdup(&job->arena, text) : NULL;
}

static void read_words(struct nadi_job *job, const struct nadi_setup *setup,
                       struct nadi_diags *diags)
{
    const char *model = setup->network_model ? setup->network_model : "auto";
    job->options.choose_model = nadi_str_equal(model, "auto");
    job->options.network_model =
        job->options.choose_model ? nadi_network_default : nadi_network_find(model);
    if (!job->options.network_model)
        job->bad_setup =
            !nadi_error(diags, "setup/network-model", NADI_NOWHERE,
                        "use auto or one of " NADI_NETWORK_LIST, "no network model '%s'", model);
    job->options.exact_packets = setup->packet_compat != NULL;
    if (setup->packet_compat && !nadi_str_equal(setup->packet_compat, "ns3"))
        job->bad_setup =
            !nadi_error(diags, "setup/compat", NADI_NOWHERE, "use ns3",
                        "nothing to be compatible with is named '%s'", setup->packet_compat);
    const char *mismatch = setup->mismatch ? setup->mismatch : setup->compat ? "warn" : "error";
    job->options.match_mismatched = nadi_str_equal(mismatch, "warn");
    if (!job->options.match_mismatched && !nadi_str_equal(mismatch, "error"))
        job->bad_setup = !nadi_error(diags, "setup/mismatch", NADI_NOWHERE, "use error or warn",
                                     "no mismatch '%s'", mismatch);
    const char *executor = setup->executor ? setup->executor : "auto";
    job->options.executor = nadi_executor_find(executor);
    if (!job->options.executor && !nadi_str_equal(executor, "auto"))
        job->bad_setup =
            !nadi_error(diags, "setup/executor", NADI_NOWHERE,
                        "use auto or one of " NADI_EXECUTOR_LIST, "no executor '%s'", executor);
}

enum nadi_status nadi_do_job_create(struct nadi_job *job, const struct nadi_setup *setup,
                                    struct nadi_diags *diags)
{
    nadi_arena_init(&job->arena);
    nadi_written_init(&job->written);
    job->options = (struct nadi_run_options){
        .workload = copy(job, setup->workload),
        .system = copy(job, setup->system),
        .network = copy(job, setup->network),
        .memory = copy(job, setup->memory),
        .groups = copy(job, setup->groups),
        .events = copy(job, setup->events),
        .queues_per_dim = setup->queues_per_dim,
        .injection_scale = setup->injection_scale,
        .compute_scale = setup->compute_scale,
        .comm_scale = setup->comm_scale,
        .rendezvous = setup->rendezvous != 0,
        .strict = !setup->lenient && !setup->compat,
        .compat = setup->compat != 0,
        .max_sim_ns = setup->max_sim_ns,
        .max_wall_ms = setup->max_wall_ms,
        .samples = setup->samples,
        .seed = setup->seed,
    };
    job->bad_setup = false;
    read_words(job, setup, diags);
    return NADI_STATUS_DONE;
}

void nadi_job_release(struct nadi_job *job)
{
    if (job->ran)
        nadi_result_release(&job->result);
    if (job->load_called)
        nadi_inputs_release(&job->inputs);
    nadi_job_drop_study(job);
    nadi_written_release(&job->written);
    nadi_arena_release(&job->arena);
}

static bool has_files(const struct nadi_job *job, struct nadi_diags *diags)
{
    static const char hint[] = "a simulation needs a workload, a system and a network";
    if (!job->options.workload)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no workload named");
    if (!job->options.system)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no system file named");
    if (!job->options.network)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE, hint, "no network file named");
    return true;
}

enum nadi_status nadi_do_job_load(struct nadi_job *job, struct nadi_diags *diags)
{
    if (job->bad_setup || !has_files(job, diags))
        return NADI_STATUS_INPUT;
    job->load_called = true;
    job->loaded = nadi_inputs_load(&job->inputs, &job->options, diags);
    return job->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_job_check(const struct nadi_job *job, struct nadi_diags *diags)
{
    return nadi_inputs_check(&job->inputs, diags) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
