#include "flows/flows.h"
#include "api/gate.h"
#include "base/file.h"
#include "base/str.h"
#include "base/time.h"
#include "network/models.h"
#include "report/columns.h"
#include "report/flows.h"

struct nadi_flows {
    struct nadi_handle handle; /* first; what follows is worth nothing once it has failed */
    struct nadi_arena arena;
    struct nadi_flows_setup setup;
    struct nadi_flows_inputs inputs;
    struct nadi_flows_result result;
    bool bad_setup; /* said by create; read then fails */
    bool load_tried, loaded, ran;
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
    struct nadi_handle *h = a->flows ? &a->flows->handle : NULL;
    return h ? nadi_gate(&(struct nadi_gate){.name = name,
                                             .members = members,
                                             .arguments = a,
                                             .work = work,
                                             .messages = &h->diags,
                                             .handle = h,
                                             .keeps = keeps})
             : NADI_STATUS_INPUT;
}

static enum nadi_status out_of_order(struct nadi_diags *diags, const char *what)
{
    nadi_error(diags, "argument/order", NADI_NOWHERE, NULL, "%s", what);
    return NADI_STATUS_INPUT;
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

static void keep(struct nadi_flows *flows, const char **text)
{
    if (*text)
        *text = nadi_arena_strdup(&flows->arena, *text);
}

static enum nadi_status create_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_flows_setup *setup = &a->flows->setup;
    (void)diags;
    nadi_arena_init(&a->flows->arena);
    *setup = *a->setup;
    keep(a->flows, &setup->flows);
    keep(a->flows, &setup->topology);
    keep(a->flows, &setup->config);
    keep(a->flows, &setup->cc);
    keep(a->flows, &setup->network_model);
    keep(a->flows, &setup->compat);
    a->flows->bad_setup = false;
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
    nadi_handle_init(&flows->handle);
    flows->bad_setup = true;
    (void)run("nadi_flows_create", members, &a, create_work, true);
    return flows;
}

void nadi_flows_destroy(struct nadi_flows *flows)
{
    if (!flows)
        return;
    if (!flows->handle.failed) {
        if (flows->load_tried)
            nadi_flows_inputs_release(&flows->inputs);
        nadi_flows_result_release(&flows->result);
        nadi_arena_release(&flows->arena);
    }
    nadi_handle_release(&flows->handle);
    nadi_mem_free(flows);
}

const struct nadi_diags *nadi_flows_messages(const struct nadi_flows *flows)
{
    return flows ? &flows->handle.diags : NULL;
}

static const struct nadi_field nothing[] = {NADI_FIELDS_END};

static enum nadi_status read_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_flows *flows = a->flows;
    const struct nadi_flows_setup *s = &flows->setup;
    const struct nadi_flows_options options = {
        .flows = s->flows,
        .topology = s->topology,
        .config = s->config,
        .cc = s->cc,
        .model = s->network_model,
        .compat = s->compat,
        .seed = s->seed,
        .sample = s->sampled ? nadi_time_from_ns(s->sample_ns) : 0,
        .max_rows = (size_t)s->max_rows,
        .threads = s->threads,
    };
    if (flows->bad_setup)
        return NADI_STATUS_INPUT;
    if (flows->load_tried)
        return out_of_order(diags, "flows are read once: create others");
    flows->load_tried = true;
    flows->loaded = nadi_flows_load(&flows->inputs, &options, diags);
    return flows->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_flows_read(struct nadi_flows *flows)
{
    struct call a = {.flows = flows};
    return run("nadi_flows_read", nothing, &a, read_work, true);
}

/* The first flow of the list that is not done. */
static void tell_beyond(const struct nadi_flows *flows, struct nadi_diags *diags)
{
    const struct nadi_flows_result *r = &flows->result;
    const struct nadi_graph *g = &flows->inputs.graph;
    bool *done = NADI_ZNEW(bool, flows->inputs.flows.count);
    uint32_t first = 0;
    for (size_t i = 0; i < r->done_count; i++)
        done[r->done[i].flow] = true;
    while (done[first])
        first++;
    nadi_mem_free(done);
    const struct nadi_flow_spec *f = &flows->inputs.flows.items[first];
    struct nadi_place place = NADI_IN_FILE(flows->setup.flows);
    place.line = f->line;
    nadi_error(diags, "limit/clock", place,
               "a rate, a latency or a size is out of proportion: is its unit right?",
               "the flow of %" PRIu64 " B from node %" PRIu32 " to node %" PRIu32
               " does not end within the clock's range of 106 days",
               f->bytes, g->hosts[f->src], g->hosts[f->dst]);
}

static enum nadi_status run_work(void *arguments, struct nadi_diags *diags)
{
    const struct call *a = arguments;
    struct nadi_flows *flows = a->flows;
    const volatile int *stop = a->stop;
    if (!flows->loaded || flows->ran)
        return out_of_order(diags, "flows run once, after they were read without an error");
    flows->inputs.stop = stop;
    flows->ran = true;
    if (!nadi_flows_simulate(&flows->inputs, &flows->result, diags))
        return NADI_STATUS_INPUT;
    if (flows->result.complete)
        return NADI_STATUS_DONE;
    if (flows->result.beyond) {
        tell_beyond(flows, diags);
        return NADI_STATUS_LIMIT;
    }
    const size_t open = flows->inputs.flows.count - flows->result.done_count;
    const bool stopped = stop && *stop;
    if (!stopped)
        nadi_sim_explain_blocked(flows->result.blocked_ports, flows->result.blocked_node, diags);
    nadi_error(diags, "flows/open", NADI_NOWHERE,
               stopped || flows->result.blocked_ports
                   ? NULL
                   : "lost packets that nothing repeats hang a flow: see dropped packets",
               "%zu of %zu flows are not done at %" PRIu64 " ns", open, flows->inputs.flows.count,
               nadi_time_to_ns(flows->result.end));
    return stopped ? NADI_STATUS_LIMIT : NADI_STATUS_DEADLOCK;
}

enum nadi_status nadi_flows_run(struct nadi_flows *flows, const volatile int *stop)
{
    struct call a = {.flows = flows, .stop = stop};
    return run("nadi_flows_run", nothing, &a, run_work, true);
}

int nadi_flows_have_results(const struct nadi_flows *flows)
{
    return flows && !flows->handle.failed && flows->ran;
}

/* --- files and texts of a run ------------------------------------------------------------------
 */

static enum nadi_status not_run(struct nadi_diags *diags)
{
    return out_of_order(diags, "there are results after a run");
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
    if (!a->flows->ran)
        return not_run(diags);
    nadi_report_flows_fct(&a->flows->inputs, &a->flows->result, &text);
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
    if (!a->flows->ran)
        return not_run(diags);
    nadi_report_flows_pfc(&a->flows->result, &text);
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
    if (!flows->ran)
        return not_run(diags);
    if (!nadi_file_make_folder(a->path, diags))
        return NADI_STATUS_INPUT;
    enum nadi_status status = NADI_STATUS_DONE;
    const struct nadi_result_data of = {.flows_in = &flows->inputs, .flows = &flows->result};
    for (size_t i = 0; nadi_flows_files[i] && status == NADI_STATUS_DONE; i++) {
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
    if (!a->flows->ran)
        return not_run(diags);
    nadi_report_flows_text(&a->flows->inputs, &a->flows->result, &text);
    a->text = text.text;
    return NADI_STATUS_DONE;
}

char *nadi_flows_text(const struct nadi_flows *flows)
{
    struct call a = {.flows = (struct nadi_flows *)(uintptr_t)flows};
    return run("nadi_flows_text", nothing, &a, text_work, false) == NADI_STATUS_DONE ? a.text
                                                                                     : NULL;
}
