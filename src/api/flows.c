/* flows: the interface of lists of flows: a job whose workload is one, with its own files and text.
 */
#include "report/flows.h"
#include "api/job.h"
#include "base/file.h"
#include "base/str.h"
#include "base/time.h"
#include "report/columns.h"

struct nadi_flows {
    struct nadi_job job; /* first */
    struct nadi_flows_options options;
    const char *network_model, *compat; /* as in the setup */
};

struct call {
    struct nadi_flows *flows;
    const struct nadi_flows_setup *setup;
    const char *path;
    const volatile int *stop;
    char *text;
};

static enum nadi_status run(const char *name, const struct nadi_field *members, struct call *a,
                            enum nadi_status (*work)(void *, struct nadi_diags *), bool keeps)
{
    return nadi_gate_handle(name, members, a, work, a->flows ? &a->flows->job.handle : NULL, keeps);
}

/* --- its life ----------------------------------------------------------------------------------
 */

void nadi_flows_setup_init(struct nadi_flows_setup *setup)
{
    *setup = (struct nadi_flows_setup){
        .size = sizeof(*setup),
        .network_model = NADI_NETWORK_FOR_FLOWS,
        .sample_ns = 10000,
        .max_rows = 200000,
    };
}

static const char *kept(struct nadi_flows *flows, const char *text)
{
    return text ? nadi_arena_strdup(&flows->job.arena, text) : NULL;
}

static enum nadi_status create_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    const struct nadi_flows_setup *s = a->setup;
    struct nadi_flows *f = a->flows;
    (void)diags;
    nadi_arena_init(&f->job.arena);
    nadi_written_init(&f->job.written);
    f->options =
        (struct nadi_flows_options){.list = kept(f, s->flows),
                                    .config = kept(f, s->config),
                                    .cc = kept(f, s->cc),
                                    .sample = s->sampled ? nadi_time_from_ns(s->sample_ns) : 0,
                                    .max_rows = (size_t)s->max_rows};
    f->network_model = kept(f, s->network_model);
    f->compat = kept(f, s->compat);
    f->job.options = (struct nadi_run_options){.flows = &f->options,
                                               .network = kept(f, s->topology),
                                               .seed = s->seed,
                                               .threads = s->threads};
    f->job.bad_setup = false;
    return NADI_STATUS_DONE;
}

struct nadi_flows *nadi_flows_create(const struct nadi_flows_setup *setup)
{
    static const struct nadi_field members[] = {
        NADI_STRUCT(struct call, setup, nadi_flows_setup_struct, 1),
        NADI_FIELDS_END,
    };
    struct nadi_flows *flows = nadi_mem_try(sizeof(*flows));
    if (!flows)
        return NULL;
    struct call a = {.flows = flows, .setup = setup};
    nadi_handle_init(&flows->job.handle);
    flows->job.bad_setup = true;
    (void)run("nadi_flows_create", members, &a, create_work, true);
    return flows;
}

void nadi_flows_destroy(struct nadi_flows *flows)
{
    if (flows)
        nadi_job_destroy(&flows->job); /* and with it what is around it */
}

const struct nadi_diags *nadi_flows_messages(const struct nadi_flows *flows)
{
    return flows ? nadi_job_messages(&flows->job) : NULL;
}

static const struct nadi_field nothing[] = {NADI_FIELDS_END};

/* What a word of the setup means. */
static bool find_words(struct nadi_flows *f, struct nadi_diags *diags)
{
    struct nadi_run_options *o = &f->job.options;
    if (f->compat && !nadi_str_equal(f->compat, "ns3"))
        return nadi_error(diags, "setup/compat", NADI_NOWHERE, "use ns3",
                          "nothing to be compatible with is named '%s'", f->compat);
    o->exact_packets = f->compat != NULL;
    o->network_model =
        nadi_network_find(f->network_model ? f->network_model : NADI_NETWORK_FOR_FLOWS);
    if (o->network_model && o->network_model->has_links)
        return true;
    return nadi_error(diags, "setup/network-model", NADI_NOWHERE,
                      "use one of " NADI_NETWORK_LINK_LIST, "no network model '%s' for flows",
                      f->network_model);
}

static enum nadi_status read_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_job *job = &a->flows->job;
    if (job->bad_setup)
        return NADI_STATUS_INPUT;
    if (job->load_called)
        return nadi_out_of_order(diags, "flows are read once: create others");
    return find_words(a->flows, diags) ? nadi_do_job_load(job, diags) : NADI_STATUS_INPUT;
}

enum nadi_status nadi_flows_read(struct nadi_flows *flows)
{
    struct call a = {.flows = flows};
    return run("nadi_flows_read", nothing, &a, read_work, true);
}

static enum nadi_status run_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_job *job = &a->flows->job;
    struct nadi_watch watch;
    if (!job->loaded || job->ran)
        return nadi_out_of_order(diags, "flows run once, after they were read without an error");
    nadi_watch_init(&watch);
    watch.stop = a->stop;
    return nadi_do_job_run(job, &watch, diags);
}

enum nadi_status nadi_flows_run(struct nadi_flows *flows, const volatile int *stop)
{
    struct call a = {.flows = flows, .stop = stop};
    return run("nadi_flows_run", nothing, &a, run_work, true);
}

int nadi_flows_have_results(const struct nadi_flows *flows)
{
    return flows && nadi_job_has_results(&flows->job);
}

/* --- files and texts of a run ------------------------------------------------------------------
 */

static enum nadi_status not_run(struct nadi_diags *diags)
{
    return nadi_out_of_order(diags, "there are results after a run");
}

static const struct nadi_field path_members[] = {
    NADI_PATH(struct call, path, 1),
    NADI_FIELDS_END,
};

static enum nadi_status write_text(const char *path, struct nadi_str *s, struct nadi_diags *diags)
{
    const bool good = nadi_file_write(path, nadi_str_get(s), s->length, diags);
    nadi_str_release(s);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

static enum nadi_status fct_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_str text = NADI_STR_INIT;
    if (!a->flows->job.ran)
        return not_run(diags);
    nadi_report_flows_fct(&a->flows->job.inputs, &a->flows->job.result, &text);
    return write_text(a->path, &text, diags);
}

enum nadi_status nadi_flows_write_fct(struct nadi_flows *flows, const char *path)
{
    struct call a = {.flows = flows, .path = path};
    return run("nadi_flows_write_fct", path_members, &a, fct_work, false);
}

static enum nadi_status pfc_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_str text = NADI_STR_INIT;
    if (!a->flows->job.ran)
        return not_run(diags);
    nadi_report_flows_pfc(&a->flows->job.result, &text);
    return write_text(a->path, &text, diags);
}

enum nadi_status nadi_flows_write_pfc(struct nadi_flows *flows, const char *path)
{
    struct call a = {.flows = flows, .path = path};
    return run("nadi_flows_write_pfc", path_members, &a, pfc_work, false);
}

static enum nadi_status folder_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    const struct nadi_flows *flows = a->flows;
    if (!flows->job.ran)
        return not_run(diags);
    if (!nadi_file_make_folder(a->path, diags))
        return NADI_STATUS_INPUT;
    enum nadi_status status = NADI_STATUS_DONE;
    const struct nadi_result_data of = {.in = &flows->job.inputs, .r = &flows->job.result};
    for (size_t i = 0; nadi_flows_files[i] && status == NADI_STATUS_DONE; i++) {
        if (i > 0 && !of.r->has_packets)
            break; /* all but flows.csv are of packets */
        struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
        nadi_view_csv(nadi_flows_files[i], &of, &text);
        nadi_str_printf(&path, "%s/%s", a->path, nadi_flows_files[i]->name);
        status = write_text(nadi_str_get(&path), &text, diags);
        nadi_str_release(&path);
    }
    return status;
}

enum nadi_status nadi_flows_write_folder(struct nadi_flows *flows, const char *folder)
{
    struct call a = {.flows = flows, .path = folder};
    return run("nadi_flows_write_folder", path_members, &a, folder_work, false);
}

static enum nadi_status text_work(void *arguments, struct nadi_diags *diags)
{
    struct call *a = arguments;
    struct nadi_str text = NADI_STR_INIT;
    if (!a->flows->job.ran)
        return not_run(diags);
    nadi_report_flows_text(&a->flows->job.inputs, &a->flows->job.result, &text);
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_flows_text(const struct nadi_flows *flows)
{
    struct call a = {.flows = (struct nadi_flows *)(uintptr_t)flows};
    return run("nadi_flows_text", nothing, &a, text_work, false) == NADI_STATUS_DONE ? a.text
                                                                                     : NULL;
}
