#include "sim/flows.h"
#include "api/job.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "report/flows.h"

#include <nadi/nadi.h>

struct nadi_flows {
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_flows_setup setup;
    struct nadi_flows_inputs inputs;
    struct nadi_flows_result result;
    bool load_tried, loaded, ran;
};

void nadi_flows_setup_init(struct nadi_flows_setup *setup)
{
    *setup = (struct nadi_flows_setup){
        .size = sizeof(*setup),
        .network_model = "packet",
        .sample_ns = 10000,
        .max_rows = 200000,
    };
}

static void keep(struct nadi_flows *flows, const char **text)
{
    if (*text)
        *text = nadi_arena_strdup(&flows->arena, *text);
}

struct nadi_flows *nadi_flows_create(const struct nadi_flows_setup *given)
{
    struct nadi_flows *flows = NADI_ZNEW(struct nadi_flows, 1);
    nadi_arena_init(&flows->arena);
    nadi_diags_init(&flows->diags);
    struct nadi_flows_setup *setup = &flows->setup;
    nadi_flows_setup_init(setup);
    memcpy(setup, given, given->size < sizeof(*setup) ? given->size : sizeof(*setup));
    keep(flows, &setup->flows);
    keep(flows, &setup->topology);
    keep(flows, &setup->config);
    keep(flows, &setup->cc);
    keep(flows, &setup->network_model);
    keep(flows, &setup->compat);
    return flows;
}

void nadi_flows_destroy(struct nadi_flows *flows)
{
    if (!flows)
        return;
    if (flows->load_tried)
        nadi_flows_inputs_release(&flows->inputs);
    nadi_flows_result_release(&flows->result);
    nadi_diags_release(&flows->diags);
    nadi_arena_release(&flows->arena);
    nadi_mem_free(flows);
}

const struct nadi_diags *nadi_flows_messages(const struct nadi_flows *flows)
{
    return &flows->diags;
}

enum nadi_status nadi_flows_read(struct nadi_flows *flows)
{
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
    NADI_ASSERT(!flows->load_tried);
    flows->load_tried = true;
    flows->loaded = nadi_flows_load(&flows->inputs, &options, &flows->diags);
    return flows->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* The first flow of the list that is not done. */
static void tell_beyond(struct nadi_flows *flows)
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
    nadi_error(&flows->diags, "limit/clock", place,
               "a rate, a latency or a size is out of proportion: is its unit right?",
               "the flow of %" PRIu64 " B from node %" PRIu32 " to node %" PRIu32
               " does not end within the clock's range of 106 days",
               f->bytes, g->hosts[f->src], g->hosts[f->dst]);
}

enum nadi_status nadi_flows_run(struct nadi_flows *flows, const volatile int *stop)
{
    NADI_ASSERT(flows->loaded && !flows->ran);
    flows->inputs.stop = stop;
    flows->ran = true;
    if (!nadi_flows_simulate(&flows->inputs, &flows->result, &flows->diags))
        return NADI_STATUS_INPUT;
    if (flows->result.complete)
        return NADI_STATUS_DONE;
    if (flows->result.beyond) {
        tell_beyond(flows);
        return NADI_STATUS_LIMIT;
    }
    const size_t open = flows->inputs.flows.count - flows->result.done_count;
    const bool stopped = stop && *stop;
    if (!stopped)
        nadi_sim_explain_blocked(flows->result.blocked_ports, flows->result.blocked_node,
                                 &flows->diags);
    nadi_error(&flows->diags, "flows/open", NADI_NOWHERE,
               stopped || flows->result.blocked_ports
                   ? NULL
                   : "lost packets that nothing repeats hang a flow: see dropped packets",
               "%zu of %zu flows are not done at %" PRIu64 " ns", open, flows->inputs.flows.count,
               nadi_time_to_ns(flows->result.end));
    return stopped ? NADI_STATUS_LIMIT : NADI_STATUS_DEADLOCK;
}

static enum nadi_status write_text(struct nadi_flows *flows, const char *path, struct nadi_str *s)
{
    const bool good = nadi_file_write(path, nadi_str_get(s), s->length, &flows->diags);
    nadi_str_release(s);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_flows_write_fct(struct nadi_flows *flows, const char *path)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_fct(&flows->inputs, &flows->result, &text);
    return write_text(flows, path, &text);
}

enum nadi_status nadi_flows_write_pfc(struct nadi_flows *flows, const char *path)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_pfc(&flows->result, &text);
    return write_text(flows, path, &text);
}

enum nadi_status nadi_flows_write_folder(struct nadi_flows *flows, const char *folder)
{
    NADI_ASSERT(flows->ran);
    if (!nadi_file_make_folder(folder, &flows->diags))
        return NADI_STATUS_INPUT;
    enum nadi_status status = NADI_STATUS_DONE;
    for (int t = 0; t < NADI_FLOWS_TABLES && status == NADI_STATUS_DONE; t++) {
        const enum nadi_flows_table table = (enum nadi_flows_table)t;
        struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
        nadi_flows_table_write(table, &flows->inputs, &flows->result, &text);
        nadi_str_printf(&path, "%s/%s", folder, nadi_flows_table_name(table));
        status = write_text(flows, nadi_str_get(&path), &text);
        nadi_str_release(&path);
    }
    return status;
}

char *nadi_flows_text(const struct nadi_flows *flows)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_text(&flows->inputs, &flows->result, &text);
    return text.text;
}
