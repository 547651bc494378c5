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

/* The caller's struct may be shorter (older header): what it lacks keeps its default. */
static struct nadi_setup complete_setup(const struct nadi_setup *setup)
{
    struct nadi_setup whole;
    nadi_setup_init(&whole);
    memcpy(&whole, setup, setup->size < sizeof(whole) ? setup->size : sizeof(whole));
    return whole;
}

static const char *copy(struct nadi_job *job, const char *text)
{
    return text ? nadi_arena_strdup(&job->arena, text) : NULL;
}

static void read_words(struct nadi_job *job, const struct nadi_setup *setup)
{
    const char *model = setup->network_model ? setup->network_model : "auto";
    job->options.choose_model = nadi_str_equal(model, "auto");
    job->options.network_model =
        job->options.choose_model ? NADI_NETWORK_UNAWARE : nadi_network_model_find(model);
    if (!job->options.network_model)
        job->bad_setup =
            !nadi_error(&job->diags, "setup/network-model", NADI_NOWHERE,
                        "use auto, unaware, aware, flow or packet", "no network model '%s'", model);
    static const char *const executors[] = {"auto", "message", "phase", "fold"};
    job->options.exact_packets = setup->packet_compat != NULL;
    if (setup->packet_compat && !nadi_str_equal(setup->packet_compat, "ns3"))
        job->bad_setup =
            !nadi_error(&job->diags, "setup/compat", NADI_NOWHERE, "use ns3",
                        "nothing to be compatible with is named '%s'", setup->packet_compat);
    const char *executor = setup->executor ? setup->executor : "auto";
    for (size_t i = 0; i < sizeof(executors) / sizeof(*executors); i++) {
        if (nadi_str_equal(executor, executors[i])) {
            job->options.executor = (enum nadi_executor)i;
            return;
        }
    }
    job->bad_setup = !nadi_error(&job->diags, "setup/executor", NADI_NOWHERE,
                                 "use auto, message, phase or fold", "no executor '%s'", executor);
}

struct nadi_job *nadi_job_create(const struct nadi_setup *setup)
{
    const struct nadi_setup whole = complete_setup(setup);
    struct nadi_job *job = NADI_ZNEW(struct nadi_job, 1);
    nadi_arena_init(&job->arena);
    nadi_diags_init(&job->diags);
    nadi_written_init(&job->written);
    job->options = (struct nadi_run_options){
        .workload = copy(job, whole.workload),
        .system = copy(job, whole.system),
        .network = copy(job, whole.network),
        .memory = copy(job, whole.memory),
        .groups = copy(job, whole.groups),
        .events = copy(job, whole.events),
        .queues_per_dim = whole.queues_per_dim,
        .injection_scale = whole.injection_scale,
        .compute_scale = whole.compute_scale,
        .comm_scale = whole.comm_scale,
        .rendezvous = whole.rendezvous != 0,
        .strict = !whole.lenient && !whole.compat,
        .compat = whole.compat != 0,
        .max_sim_ns = whole.max_sim_ns,
        .max_wall_ms = whole.max_wall_ms,
        .samples = whole.samples,
        .seed = whole.seed,
    };
    read_words(job, &whole);
    return job;
}

void nadi_job_destroy(struct nadi_job *job)
{
    if (!job)
        return;
    if (job->ran)
        nadi_result_release(&job->result);
    if (job->load_called)
        nadi_inputs_release(&job->inputs);
    nadi_job_drop_study(job);
    nadi_written_release(&job->written);
    nadi_diags_release(&job->diags);
    nadi_arena_release(&job->arena);
    nadi_mem_free(job);
}

const struct nadi_diags *nadi_job_messages(const struct nadi_job *job)
{
    return &job->diags;
}

static bool has_files(struct nadi_job *job)
{
    static const char hint[] = "a simulation needs a workload, a system and a network";
    if (!job->options.workload)
        return nadi_error(&job->diags, "setup/missing", NADI_NOWHERE, hint, "no workload named");
    if (!job->options.system)
        return nadi_error(&job->diags, "setup/missing", NADI_NOWHERE, hint, "no system file named");
    if (!job->options.network)
        return nadi_error(&job->diags, "setup/missing", NADI_NOWHERE, hint,
                          "no network file named");
    return true;
}

enum nadi_status nadi_job_load(struct nadi_job *job)
{
    NADI_ASSERT(!job->load_called);
    if (job->bad_setup || !has_files(job))
        return NADI_STATUS_INPUT;
    job->load_called = true;
    job->loaded = nadi_inputs_load(&job->inputs, &job->options, &job->diags);
    return job->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

uint32_t nadi_job_rank_count(const struct nadi_job *job)
{
    NADI_ASSERT(job->loaded);
    return job->inputs.rank_count;
}

uint64_t nadi_job_node_count(const struct nadi_job *job)
{
    NADI_ASSERT(job->loaded);
    uint64_t nodes = 0;
    for (uint32_t rank = 0; rank < job->inputs.rank_count; rank++)
        nodes += job->inputs.traces[rank]->node_count;
    return nodes;
}

void nadi_job_keep_ops(struct nadi_job *job)
{
    NADI_ASSERT(job->loaded && !job->ran);
    job->inputs.options.record_ops = true;
}

void nadi_job_keep_usage(struct nadi_job *job)
{
    NADI_ASSERT(job->loaded && !job->ran);
    job->inputs.options.record_usage = true;
}
