/* entry_job: functions that work on jobs. What is out of order (a run before the load) is an error
 * like any other; what only asks gives 0 then. */
#include "api/job.h"

struct call {
    struct nadi_job *job;
    const struct nadi_setup *setup;
    const struct nadi_model_setup *model;
    const struct nadi_watch *watch;
    const struct nadi_output *output;
    const char *folder, *name, *value;
    int json, colour;
    char *text;
};

static const struct nadi_field nothing[] = {NADI_FIELDS_END};

/* `messages` of a job are written even where it is not changed otherwise. */
static struct nadi_job *own(const struct nadi_job *job)
{
    return (struct nadi_job *)(uintptr_t)job;
}

static enum nadi_status run(const char *name, const struct nadi_field *members, struct call *a,
                            enum nadi_status (*work)(void *, struct nadi_diags *), bool keeps)
{
    return nadi_gate_handle(name, members, a, work, a->job ? &a->job->handle : NULL, keeps);
}

static bool is_loaded(const struct nadi_job *job)
{
    return job && !job->handle.failed && job->loaded;
}

static bool has_run(const struct nadi_job *job)
{
    return is_loaded(job) && job->ran;
}

/* --- its life ----------------------------------------------------------------------------------
 */

static enum nadi_status create_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    return nadi_do_job_create(a->job, a->setup, diags);
}

struct nadi_job *nadi_job_create(const struct nadi_setup *setup)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct call, setup, nadi_setup_struct, 0),
        NADI_FIELDS_END,
    };
    struct nadi_job *job = nadi_mem_try(sizeof(*job));
    if (!job)
        return NULL;
    struct call a = {.job = job, .setup = setup};
    nadi_handle_init(&job->handle);
    job->bad_setup = true;
    (void)run("nadi_job_create", members, &a, create_work, true);
    return job;
}

void nadi_job_destroy(struct nadi_job *job)
{
    if (!job)
        return;
    if (!job->handle.failed)
        nadi_job_release(job);
    nadi_handle_release(&job->handle);
    nadi_mem_free(job);
}

void nadi_job_stop(struct nadi_job *job, const volatile int *stop)
{
    if (job)
        job->handle.diags.stop = stop;
}

const struct nadi_diags *nadi_job_messages(const struct nadi_job *job)
{
    return job ? &job->handle.diags : NULL;
}

static enum nadi_status set_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (a->job->load_called || a->job->study)
        return nadi_out_of_order(diags, "settings are made before the job is loaded");
    return nadi_do_job_set(a->job, a->name, a->value, diags);
}

enum nadi_status nadi_job_set(struct nadi_job *job, const char *name, const char *text)
{
    static const struct nadi_field members[] = {
        NADI_TEXT(struct call, name, 1),
        {NADI_ARGUMENT(struct call, value, "text", NADI_FIELD_PATH, 0)},
        NADI_FIELDS_END,
    };
    struct call a = {.job = job, .name = name, .value = text};
    return run("nadi_job_set", members, &a, set_work, true);
}

static enum nadi_status load_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (a->job->load_called)
        return nadi_out_of_order(diags, "a job is loaded once: create another one");
    return nadi_do_job_load(a->job, diags);
}

enum nadi_status nadi_job_load(struct nadi_job *job)
{
    struct call a = {.job = job};
    return run("nadi_job_load", nothing, &a, load_work, true);
}

static enum nadi_status model_load_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (a->job->load_called || a->job->study)
        return nadi_out_of_order(diags, "a job is loaded once: create another one");
    return nadi_do_model_load(a->job, a->model, diags);
}

enum nadi_status nadi_model_load(struct nadi_job *job, const struct nadi_model_setup *setup)
{
    static const struct nadi_field members[] = {
        {NADI_ARGUMENT(struct call, model, "setup", NADI_ARGUMENT_STRUCT, 1),
         .of = &nadi_model_setup_struct},
        NADI_FIELDS_END,
    };
    struct call a = {.job = job, .model = setup};
    return run("nadi_model_load", members, &a, model_load_work, true);
}

static enum nadi_status check_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (!is_loaded(a->job))
        return nadi_out_of_order(diags, "a job is checked after it was loaded without an error");
    return nadi_do_job_check(a->job, diags);
}

enum nadi_status nadi_job_check(struct nadi_job *job)
{
    struct call a = {.job = job};
    return run("nadi_job_check", nothing, &a, check_work, false);
}

static enum nadi_status run_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (!is_loaded(a->job) || a->job->ran)
        return nadi_out_of_order(diags, "a job runs once, after it was loaded without an error");
    if (a->watch && a->watch->stop)
        nadi_guard_stop_by(NULL);
    return nadi_do_job_run(a->job, a->watch, diags);
}

enum nadi_status nadi_job_run(struct nadi_job *job, const struct nadi_watch *watch)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct call, watch, nadi_watch_struct, 0),
        NADI_FIELDS_END,
    };
    struct call a = {.job = job, .watch = watch};
    return run("nadi_job_run", members, &a, run_work, true);
}

static enum nadi_status keep_ops_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (!is_loaded(a->job) || a->job->ran)
        return nadi_out_of_order(diags,
                                 "nadi_job_keep_ops comes after the load and before the run");
    a->job->inputs.options.record_ops = true;
    return NADI_STATUS_DONE;
}

void nadi_job_keep_ops(struct nadi_job *job)
{
    struct call a = {.job = job};
    (void)run("nadi_job_keep_ops", nothing, &a, keep_ops_work, false);
}

static enum nadi_status keep_some_ops_work(void *arguments, struct nadi_diags *diags)
{
    enum { MOST_SPANS = 500000 };
    const struct call *a = arguments;
    if (!is_loaded(a->job) || a->job->ran)
        return nadi_out_of_order(diags,
                                 "nadi_job_keep_some_ops comes after the load and before the run");
    a->job->inputs.options.record_ops = true;
    a->job->inputs.options.most_spans = MOST_SPANS;
    return NADI_STATUS_DONE;
}

void nadi_job_keep_some_ops(struct nadi_job *job)
{
    struct call a = {.job = job};
    (void)run("nadi_job_keep_some_ops", nothing, &a, keep_some_ops_work, false);
}

static enum nadi_status keep_usage_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (!is_loaded(a->job) || a->job->ran)
        return nadi_out_of_order(diags,
                                 "nadi_job_keep_usage comes after the load and before the run");
    a->job->inputs.options.record_usage = true;
    return NADI_STATUS_DONE;
}

void nadi_job_keep_usage(struct nadi_job *job)
{
    struct call a = {.job = job};
    (void)run("nadi_job_keep_usage", nothing, &a, keep_usage_work, false);
}

/* --- what it knows -----------------------------------------------------------------------------
 */

uint32_t nadi_job_rank_count(const struct nadi_job *job)
{
    return is_loaded(job) ? job->inputs.rank_count : 0;
}

uint64_t nadi_job_node_count(const struct nadi_job *job)
{
    uint64_t nodes = 0;
    for (uint32_t rank = 0; rank < nadi_job_rank_count(job); rank++)
        nodes += job->inputs.traces[rank]->node_count;
    return nodes;
}

int nadi_job_tracks_memory(const struct nadi_job *job)
{
    return is_loaded(job) && job->inputs.system.track_local_mem;
}

int nadi_job_has_results(const struct nadi_job *job)
{
    return has_run(job);
}

uint64_t nadi_job_end_ns(const struct nadi_job *job)
{
    return has_run(job) ? job->result.end_ns : 0;
}

struct nadi_rank_times nadi_job_rank(const struct nadi_job *job, uint32_t rank)
{
    if (!has_run(job) || rank >= job->result.rank_count)
        return (struct nadi_rank_times){0};
    const struct nadi_rank_result *r = nadi_result_rank(&job->result, rank);
    return (struct nadi_rank_times){
        .finished = r->finished,
        .finish_ns = r->finish_ns,
        .exposed_comm_ns = r->exposed_comm_ns,
        .compute_ns = r->compute_ns,
        .comm_ns = r->comm_ns,
        .true_exposed_comm_ns = r->true_exposed_comm_ns,
        .memory_ns = r->memory_ns,
        .cpu_ns = r->cpu_ns,
        .idle_ns = r->idle_ns,
        .peak_memory_bytes = r->peak_memory_bytes,
    };
}

/* --- files and texts of a run ------------------------------------------------------------------
 */

static enum nadi_status not_run(struct nadi_diags *diags)
{
    return nadi_out_of_order(diags, "there are results after a run");
}

static enum nadi_status write_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    if (!has_run(a->job))
        return not_run(diags);
    if (!a->output->claim && (!a->output->folder || !*a->output->folder))
        return nadi_out_of_order(diags,
                                 "there is neither a folder nor a claim of one to write into");
    return nadi_do_job_write(a->job, a->output, diags);
}

enum nadi_status nadi_job_write(struct nadi_job *job, const struct nadi_output *output)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct call, output, nadi_output_struct, 1),
        NADI_FIELDS_END,
    };
    struct call a = {.job = job, .output = output};
    return run("nadi_job_write", members, &a, write_work, false);
}

struct nadi_file_view nadi_job_file(const struct nadi_job *job, size_t index)
{
    if (!has_run(job) || !job->has_written || index > job->written.count)
        return (struct nadi_file_view){0};
    if (index == 0)
        return (struct nadi_file_view){.name = NADI_SUMMARY_FILE};
    const struct nadi_written_file *f = &job->written.items[index - 1];
    return (struct nadi_file_view){
        .name = f->name, .bytes = f->bytes, .is_of_one_rank = f->file == NADI_FILE_LOCAL_MEMORY};
}

static enum nadi_status write_memory_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    return has_run(a->job) ? nadi_do_job_write_memory(a->job, a->folder, diags) : not_run(diags);
}

enum nadi_status nadi_job_write_memory(struct nadi_job *job, const char *folder)
{
    static const struct nadi_field members[] = {
        NADI_PATH(struct call, folder, 0),
        NADI_FIELDS_END,
    };
    struct call a = {.job = job, .folder = folder};
    return run("nadi_job_write_memory", members, &a, write_memory_work, false);
}

static enum nadi_status text_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    if (!has_run(a->job))
        return not_run(diags);
    a->text = nadi_do_job_text(a->job, a->colour);
    return NADI_STATUS_DONE;
}

static enum nadi_status json_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    if (!has_run(a->job))
        return not_run(diags);
    a->text = nadi_do_job_json(a->job);
    return NADI_STATUS_DONE;
}

static enum nadi_status lines_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    if (!has_run(a->job))
        return not_run(diags);
    a->text = nadi_do_job_reference_lines(a->job);
    return NADI_STATUS_DONE;
}

static enum nadi_status model_result_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    if (!has_run(a->job) || !a->job->study)
        return nadi_out_of_order(diags,
                                 "nadi_model_result comes after a run of nadi_model_load's job");
    a->text = nadi_do_model_result(a->job, a->json, a->colour);
    return NADI_STATUS_DONE;
}

static char *text_of(const char *name, struct call *a,
                     enum nadi_status (*work)(void *, struct nadi_diags *))
{
    return run(name, nothing, a, work, false) == NADI_STATUS_DONE ? a->text : NULL;
}

char *nadi_job_text(const struct nadi_job *job, int colour)
{
    struct call a = {.job = own(job), .colour = colour};
    return text_of("nadi_job_text", &a, text_work);
}

char *nadi_job_json(const struct nadi_job *job)
{
    struct call a = {.job = own(job)};
    return text_of("nadi_job_json", &a, json_work);
}

char *nadi_job_reference_lines(const struct nadi_job *job)
{
    struct call a = {.job = own(job)};
    return text_of("nadi_job_reference_lines", &a, lines_work);
}

char *nadi_model_result(const struct nadi_job *job, int json, int colour)
{
    struct call a = {.job = own(job), .json = json, .colour = colour};
    return text_of("nadi_model_result", &a, model_result_work);
}
