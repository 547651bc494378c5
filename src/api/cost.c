/* cost: bills of clusters and of networks, and what a step on them is worth. */
#include "api/inside.h"
#include "api/job.h"
#include "base/mem.h"
#include "base/units.h"
#include "inputs/network_file.h"
#include "model/figures.h"
#include "nccl/platform.h"
#include "optimize/bandwidth.h"
#include "report/cost_text.h"
#include "report/figures.h"

#include <strings.h>

void nadi_cost_options_init(struct nadi_cost_options *options)
{
    struct nadi_economy e;
    nadi_economy_preset(&e);
    *options = (struct nadi_cost_options){.size = sizeof(*options),
                                          .catalogue = "public",
                                          .years = e.years,
                                          .electricity = e.electricity,
                                          .pue = e.pue,
                                          .form = "text"};
}

struct asking {
    const struct nadi_cost_options *o;
    struct nadi_diags *diags;
    struct nadi_prices prices;
    struct nadi_cluster cluster;
    struct nadi_graph_file network;
    bool has_cluster, has_network;
    struct nadi_topology topology;
    struct nadi_bandwidth_network tiers;
    struct nadi_bill_tier dims[NADI_BANDWIDTH_DIMS];
    struct nadi_bill_subject subject;
};

/* ---- the network ----------------------------------------------------------------------------- */

static bool tiers_only(const struct nadi_prices *p)
{
    return p->tier_count && !p->part_count;
}

static bool tiers_of(struct asking *a)
{
    static const char *const blocks[NADI_BLOCKS] = {"Ring", "FullyConnected", "Switch"};
    struct nadi_arena *arena = &a->prices.arena;
    if (!a->o->network)
        return nadi_error(a->diags, "cost/tiers", NADI_IN_FILE(a->prices.path),
                          "--network FILE with a list 'tiers'; or a catalogue with parts",
                          "the catalogue has prices of tiers only, and a cluster has none");
    if (!nadi_bandwidth_read_network(&a->tiers, a->o->network, arena, a->diags))
        return false;
    for (uint32_t d = 0; d < a->tiers.count; d++) {
        const struct nadi_bandwidth_dim *dim = &a->tiers.dims[d];
        if (!(dim->given > 0))
            return nadi_error(a->diags, "cost/bandwidth", NADI_IN_FILE(a->o->network),
                              "`nadi optimize bandwidth` divides a total-bandwidth",
                              "dimension %u has no bandwidth, so it has no price", d);
        a->dims[d] = (struct nadi_bill_tier){
            .role = nadi_arena_printf(arena, "b%u, %s of %u", d, blocks[dim->block], dim->npus),
            .name = dim->tier,
            .is_switch = dim->block == NADI_BLOCK_SWITCH,
            .gbps = dim->given};
    }
    a->subject.tiers = a->dims;
    a->subject.tier_count = a->tiers.count;
    a->subject.npus = a->tiers.npus;
    return true;
}

static bool own_network(struct asking *a)
{
    a->has_network = true;
    if (!nadi_network_file_open_dims(&a->network, &a->topology, a->o->network, a->diags))
        return false;
    if (nadi_str_equal(a->network.kind, NADI_NETWORK_FILE_PLATFORM))
        return nadi_error(a->diags, "cost/platform", NADI_IN_FILE(a->o->network),
                          "--cluster NAME of a cluster that has it; `nadi model list` names them",
                          "a platform has times of a library, and does not say which links and "
                          "switches its nodes have");
    if (a->topology.dim_count)
        a->subject.topology = &a->topology;
    else
        a->subject.graph = &a->network.graph;
    a->subject.npus = a->network.graph.host_count;
    if (a->o->ranks && a->o->ranks != a->subject.npus)
        return nadi_error(a->diags, "cost/ranks", NADI_NOWHERE, "leave --ranks out",
                          "%u ranks, but the network has %" PRIu64, a->o->ranks, a->subject.npus);
    return true;
}

/* The cluster as a plan of all its devices would see it. */
static bool cluster_size(const struct nadi_cluster *c, uint32_t asked, uint32_t *ranks,
                         struct nadi_diags *diags)
{
    uint64_t all = 1;
    for (uint32_t d = 0; d < c->topology.dim_count; d++)
        all *= c->topology.dims[d].npus;
    if (!asked && !all)
        return nadi_error(diags, "cost/ranks", NADI_IN_FILE(c->path), "--ranks 512",
                          "the cluster '%s' has as many devices as wanted: how many?", c->name);
    *ranks = asked ? asked : (uint32_t)nadi_min_u64(all, UINT32_MAX);
    return true;
}

static bool platform_dims(struct asking *a)
{
    struct nadi_cluster *c = &a->cluster;
    struct nadi_comm_platform *p = NADI_ARENA_ZNEW(&c->arena, struct nadi_comm_platform, 1);
    if (!nadi_comm_platform_open(p, c->platform, &c->arena, a->diags))
        return false;
    p->nodes = p->nics ? 2 : 1;
    nadi_comm_platform_dims(p, &c->topology);
    if (p->nics)
        c->topology.dims[1].npus = 0; /* any number of nodes */
    return true;
}

static bool cluster_network(struct asking *a)
{
    struct nadi_cluster *c = &a->cluster;
    uint32_t ranks;
    if (c->platform && !platform_dims(a))
        return false;
    if (!cluster_size(c, a->o->ranks, &ranks, a->diags) ||
        !nadi_cluster_fit(c, ranks, c->topology.dims[0].npus, a->diags))
        return false;
    a->subject.npus = ranks;
    a->subject.topology = &c->topology;
    if (!c->graph)
        return true;
    a->has_network = true;
    if (!nadi_graph_file_read(&a->network, c->graph, a->diags))
        return false;
    a->subject.topology = NULL;
    a->subject.graph = &a->network.graph;
    a->subject.npus = a->network.graph.host_count; /* idle ones are bought as well */
    return true;
}

static bool memory_twice(const struct asking *a, const char *name)
{
    for (uint32_t i = 0; i < a->subject.extra_count; i++)
        if (strcasecmp(a->subject.extras[i].name, name) == 0)
            return true;
    return false;
}

/* "ddr5=256GiB, cxl-ddr5=1TiB" */
static bool read_memory(struct asking *a)
{
    enum { MOST = 16 };
    struct nadi_arena *arena = &a->prices.arena;
    struct nadi_bill_extra *extras = NADI_ARENA_ZNEW(arena, struct nadi_bill_extra, MOST);
    a->subject.extras = extras;
    for (const char *at = a->o->memory; at && *(at += strspn(at, ", "));) {
        const char *text = nadi_arena_strndup(arena, at, strcspn(at, ", "));
        const char *equals = strchr(text, '=');
        struct nadi_bill_extra *extra = &extras[a->subject.extra_count];
        bool has_unit;
        at += strlen(text);
        if (a->subject.extra_count == MOST)
            return nadi_error(a->diags, "cost/memory", NADI_NOWHERE, NULL,
                              "there are more than %d memories", MOST);
        if (!equals || equals == text ||
            !nadi_units_parse(equals + 1, NADI_DIMENSION_BYTES, &extra->bytes, &has_unit) ||
            !(extra->bytes > 0))
            return nadi_error(a->diags, "cost/memory", NADI_NOWHERE,
                              "like ddr5=256GiB, of each device", "'%s' is no memory and size",
                              text);
        extra->name = nadi_arena_strndup(arena, text, (size_t)(equals - text));
        if (memory_twice(a, extra->name))
            return nadi_error(a->diags, "cost/memory", NADI_NOWHERE, "give one size",
                              "the memory '%s' is given twice", extra->name);
        a->subject.extra_count++;
    }
    return true;
}

static bool prepare(struct asking *a)
{
    const struct nadi_cost_options *o = a->o;
    if (!o->cluster && !o->network)
        return nadi_error(a->diags, "cost/subject", NADI_NOWHERE,
                          "--cluster NAME (`nadi model list`), or --network FILE for that alone",
                          "neither a cluster nor a network is named");
    if (!nadi_prices_open(&a->prices, o->catalogue, a->diags) || !read_memory(a))
        return false;
    if (o->cluster) {
        a->has_cluster = true;
        if (!nadi_cluster_open(&a->cluster, o->cluster, a->diags))
            return false;
        a->subject.device = a->cluster.device_name;
        a->subject.device_text = a->cluster.device.name;
    } else if (o->memory)
        return nadi_error(a->diags, "cost/memory", NADI_NOWHERE, "--cluster NAME",
                          "memory belongs to devices, and a network alone has none");
    if (tiers_only(&a->prices))
        return tiers_of(a);
    return o->network ? own_network(a) : cluster_network(a);
}

enum nadi_status nadi_do_cost(const struct nadi_cost_options *options, char **report,
                              struct nadi_diags *messages)
{
    struct asking *a = NADI_ZNEW(struct asking, 1);
    struct nadi_bill bill = {0};
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_economy economy = {options->years, options->electricity, options->pue};
    a->o = options;
    a->diags = messages;
    const bool ok =
        prepare(a) && nadi_bill_make(&bill, &a->subject, &a->prices, &economy, messages);
    if (ok && strcmp(options->form, "json") == 0)
        nadi_bill_json(&bill, &a->prices, &text);
    else if (ok && strcmp(options->form, "csv") == 0)
        nadi_bill_csv(&bill, &text);
    else if (ok)
        nadi_bill_text(&bill, &a->prices, &text);
    *report = ok ? text.text : NULL;
    nadi_bill_release(&bill);
    if (a->has_network)
        nadi_graph_file_release(&a->network);
    if (a->has_cluster)
        nadi_cluster_release(&a->cluster);
    nadi_prices_release(&a->prices);
    nadi_mem_free(a);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* ---- of a run -------------------------------------------------------------------------------- */

bool nadi_job_find_cost(struct nadi_job *job, struct nadi_diags *diags)
{
    const struct nadi_run_options *o = &job->options;
    const struct nadi_cluster *c = &job->study->cluster;
    if (!o->catalogue)
        return true;
    job->cost = NADI_ZNEW(struct nadi_job_cost, 1);
    if (!nadi_prices_open(&job->cost->prices, o->catalogue, diags))
        return false;
    const struct nadi_economy economy = {o->years, o->electricity, o->pue};
    return nadi_bill_of_cluster(&job->cost->bill, c, job->study->plan.ranks, &job->cost->prices,
                                &economy, diags);
}

void nadi_job_find_worth(struct nadi_job *job)
{
    if (!job->cost)
        return;
    const struct nadi_step_figures f = nadi_step_figures(job->study, job->result.end_ns);
    job->cost->worth = nadi_bill_worth(&job->cost->bill, f.step_s, f.tokens_per_s * f.step_s,
                                       nadi_share_of(&job->result, NADI_SHARE_COMPUTE).mean);
}

void nadi_job_drop_cost(struct nadi_job *job)
{
    if (!job->cost)
        return;
    nadi_bill_release(&job->cost->bill);
    nadi_prices_release(&job->cost->prices);
    nadi_mem_free(job->cost);
    job->cost = NULL;
}
