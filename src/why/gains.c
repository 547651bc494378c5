#include "why/gains.h"

#include "memory/tiers.h"
#include "why/inside.h"
#include "why/links.h"
#include "why/path_time.h"
#include "why/route_latency.h"

#include <math.h>

static const double TENTH = 1 - 1 / 1.1; /* of a time that goes with 1 / rate */

/* A class of links counts alone where it has so much of what the bandwidth of all of them saves. */
static const double ALONE = 0.8;

struct tally {
    double dims[NADI_MAX_DIMS], all, latency, library;
    double links[NADI_LINK_CLASSES];
    struct nadi_link_classes classes;
};

static bool has_dims(const struct nadi_inputs *in)
{
    return !in->has_graph || in->graph.of_topology;
}

/* The node of a device of the result. */
static uint32_t node_of(const struct nadi_graph *g, uint32_t device)
{
    if (device < g->host_count)
        return g->hosts[device];
    device -= g->host_count;
    return device < g->switch_count ? g->switches[device] : NADI_NONE;
}

/* The class of a link of the result; NADI_NONE: a node that forwards, or not known. */
static uint32_t class_of(const struct tally *t, const struct nadi_graph *g,
                         const struct nadi_link_result *l)
{
    const uint32_t a = node_of(g, l->from), b = node_of(g, l->to);
    if (a == NADI_NONE || b == NADI_NONE || a == b)
        return NADI_NONE;
    for (uint32_t i = g->first_port[a]; i < g->first_port[a + 1]; i++)
        if (nadi_graph_owner(g, g->ports[i].peer) == nadi_graph_owner(g, b) &&
            g->links[g->ports[i].link].dim == l->dim)
            return nadi_link_classes_of(&t->classes, g, &g->links[g->ports[i].link]);
    return NADI_NONE;
}

static void count_step(struct tally *t, const struct nadi_inputs *in, const struct nadi_result *r,
                       const struct nadi_path_step *s)
{
    const double all = (double)(s->end_ns - s->start_ns), fixed = (double)s->fixed_ns;
    /* fences, flags and requests that run out go with no bandwidth, and have no share that is known
     */
    if (in->system.library || in->system.replay_only || in->options.network_model->has_loads) {
        t->library += all;
        return;
    }
    t->latency += (double)s->latency_ns;
    t->all += all - fixed;
    if (has_dims(in) && s->dim < in->topology.dim_count)
        t->dims[s->dim] += all - fixed;
    if (has_dims(in) || s->link == NADI_NONE)
        return;
    const uint32_t class = class_of(t, &in->graph, &r->links[s->link]);
    if (class != NADI_NONE)
        t->links[class] += all + (double)s->held_ns;
}

static void count(struct tally *t, const struct nadi_inputs *in, const struct nadi_result *r,
                  const struct nadi_why *why)
{
    *t = (struct tally){0};
    if (!has_dims(in))
        nadi_link_classes_find(&in->graph, &t->classes);
    for (size_t i = 0; i < why->step_count; i++) {
        const enum nadi_cause c = why->steps[i].cause;
        if (c >= NADI_CAUSE_TENSOR && c <= NADI_CAUSE_PAIR_QUEUE)
            count_step(t, in, r, &why->steps[i]);
    }
}

struct list {
    struct nadi_gain *items;
    uint32_t count;
};

static void add(struct list *l, enum nadi_gain_kind kind, uint32_t dim, const char *what, double ns)
{
    if (ns > 0 && l->count < NADI_GAINS_MOST)
        l->items[l->count++] = (struct nadi_gain){kind, dim, what, ns};
}

/* By dimension, where each message has one; by class of links, where one of them decides; else of
 * all of the network. */
static void add_bandwidth(struct list *l, const struct tally *t, const struct nadi_inputs *in,
                          struct nadi_arena *arena)
{
    double known = 0;
    uint32_t largest = 0;
    for (uint32_t d = 0; d < in->topology.dim_count; d++)
        known += t->dims[d];
    for (uint32_t k = 1; k < t->classes.count; k++)
        largest = t->links[k] > t->links[largest] ? k : largest;
    if (has_dims(in) && known >= ALONE * t->all)
        for (uint32_t d = 0; d < in->topology.dim_count; d++)
            add(l, NADI_GAIN_BANDWIDTH, d,
                nadi_arena_printf(arena, "10 %% more bandwidth of dimension %" PRIu32, d),
                TENTH * t->dims[d]);
    else if (t->classes.count > 1 && t->links[largest] >= ALONE * t->all)
        add(l, NADI_GAIN_LINKS, largest,
            nadi_arena_printf(arena, "10 %% more %s",
                              nadi_link_class_name(&t->classes, largest, "bandwidth", arena)),
            TENTH * t->links[largest]);
    else
        add(l, NADI_GAIN_BANDWIDTH, NADI_NONE, "10 % more bandwidth of all links", TENTH * t->all);
}

/* ---- memory tiers ---------------------------------------------------------------------------- */

/* Results of tiers are in the order of the file, those of channel sets behind them. */
struct tier_tally {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct tally *network; /* what goes through it */
    struct nadi_tier_layout layout;
    struct nadi_lower_bounds *bounds; /* NULL: of nothing yet */
    struct nadi_route_latencies *latencies;
    double ns[NADI_MOST_TIERS + NADI_MOST_TIER_LINKS];
};

static uint32_t result_of(const struct nadi_tier_layout *l, uint32_t server)
{
    const struct nadi_tier_server s = nadi_tier_server(l, server);
    if (s.tier != NADI_NONE)
        return s.tier;
    const uint32_t tier = nadi_tiers_tier_of_set(l->tiers, s.channel_set);
    return tier != NADI_NONE ? tier : l->tiers->tier_count + s.channel_set;
}

/* Where requests of this way lost most. */
static uint32_t most_wanted(const struct nadi_tier_layout *l, const struct nadi_tier_path *path,
                            const struct nadi_result *r)
{
    uint32_t most = NADI_NONE;
    double lost = -1;
    for (uint32_t i = 0; i < path->count; i++) {
        const uint32_t k = result_of(l, path->servers[i]);
        const double ns = r->tiers[k].lost_ns + r->tiers[k].wait_ns;
        if (ns > lost) {
            lost = ns;
            most = k;
        }
    }
    return most;
}

/* What a request waits for the tiers on its way, on the mean. */
static double waits_for_tiers(const struct tier_tally *t, const struct nadi_tier_path *path)
{
    double ns = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct nadi_tier_result *of = &t->r->tiers[result_of(&t->layout, path->servers[i])];
        ns += of->requests ? (of->lost_ns + of->wait_ns) / (double)of->requests : 0;
    }
    return ns;
}

enum { MOST_PLACES = 64 }; /* of a tier's groups that are looked at */

/* A request that is so long on its way through the network. Those of an NPU go to the tier's groups
 * in turn, and what each takes goes with the rate of its dimension. */
static void count_message(struct tier_tally *t, uint32_t rank, uint32_t tier, double ns)
{
    const struct nadi_inputs *in = t->in;
    const uint32_t groups = in->tiers->tiers[tier].groups;
    const uint32_t places = groups < MOST_PLACES ? groups : MOST_PLACES;
    double share[NADI_MAX_DIMS] = {0}, shares = 0, latency = 0;
    uint32_t away = 0;
    if (!t->bounds) {
        t->bounds = nadi_lower_bounds_create(in);
        t->latencies = nadi_route_latencies_create(in, t->bounds);
    }
    for (uint32_t i = 0; i < places; i++) {
        const uint32_t npu =
            nadi_tiers_group_npu(in->tiers, tier, rank, (uint32_t)((uint64_t)i * groups / places));
        const uint32_t dim = nadi_inside_dim(in, rank, npu);
        if (npu == rank)
            continue;
        away++;
        latency += (double)nadi_route_latency(t->latencies, npu, rank);
        if (!has_dims(in) || dim == NADI_NONE)
            continue;
        share[dim] += 1 / in->topology.dims[dim].bytes_per_ns;
        shares += 1 / in->topology.dims[dim].bytes_per_ns;
    }
    latency = fmin(ns, away ? latency / away : 0);
    t->network->latency += latency;
    t->network->all += ns - latency;
    for (uint32_t d = 0; d < in->topology.dim_count && shares > 0; d++)
        t->network->dims[d] += (ns - latency) * share[d] / shares;
}

/* The steps of one request: what it takes alone without the network, and what is more. */
static void count_request(struct tier_tally *t, const struct nadi_path_step *steps, size_t count)
{
    const uint32_t rank = steps->rank, node = steps->node;
    const struct nadi_trace *trace = t->in->traces[rank];
    struct nadi_tier_path path;
    uint32_t from, to;
    double all = 0, more = 0;
    if (!nadi_inputs_memory_ends(t->in, trace, node, &from, &to))
        return;
    nadi_tier_path_find(&t->layout, rank, from, to, trace->bytes[node], &path);
    for (size_t i = 0; i < count; i++) {
        const double ns = (double)(steps[i].end_ns - steps[i].start_ns);
        all += ns;
        more += steps[i].cause == NADI_CAUSE_MEMORY_QUEUE ? ns : 0;
    }
    /* with a tenth less of it the message would still be the last to end */
    if (path.remote && more > waits_for_tiers(t, &path) + TENTH * all) {
        const bool loads = from != NADI_NONE && t->in->tiers->tiers[from].remote;
        count_message(t, rank, loads ? from : to, fmax(0, all - path.latency_ns));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const bool memory = steps[i].cause == NADI_CAUSE_MEMORY;
        const double ns = (double)(steps[i].end_ns - steps[i].start_ns);
        const uint32_t k = memory && path.slowest != NADI_NONE
                               ? result_of(&t->layout, path.slowest)
                               : most_wanted(&t->layout, &path, t->r);
        if (k != NADI_NONE)
            t->ns[k] += fmax(0, ns - (memory ? path.latency_ns : 0));
    }
}

static bool of_memory(const struct nadi_path_step *s)
{
    return (s->cause == NADI_CAUSE_MEMORY || s->cause == NADI_CAUSE_MEMORY_QUEUE) &&
           s->node != NADI_NONE;
}

static void count_tiers(struct tier_tally *t, const struct nadi_why *why)
{
    nadi_tier_layout_init(&t->layout, t->in->tiers);
    for (size_t i = 0, end; i < why->step_count; i = end) {
        const struct nadi_path_step *s = &why->steps[i];
        end = i + 1;
        if (!of_memory(s))
            continue;
        while (end < why->step_count && of_memory(&why->steps[end]) &&
               why->steps[end].rank == s->rank && why->steps[end].node == s->node)
            end++;
        count_request(t, s, end - i);
    }
    nadi_tier_layout_release(&t->layout);
    nadi_route_latencies_destroy(t->latencies);
    if (t->bounds)
        nadi_lower_bounds_destroy(t->bounds);
}

const char *nadi_tier_gain_name(const struct nadi_tiers *t, uint32_t tier, const char *what,
                                struct nadi_arena *arena)
{
    const uint32_t set = nadi_tiers_link_set(t, tier);
    const char *name = t->tiers[tier].name;
    return set == NADI_NONE ? nadi_arena_printf(arena, "%s of tier %s", what, name)
                            : nadi_arena_printf(arena, "%s of tier %s and its link %s", what, name,
                                                t->channel_sets[set].name);
}

static void add_tiers(struct list *l, const struct tier_tally *t, struct nadi_arena *arena)
{
    const struct nadi_tiers *of = t->in->tiers;
    const uint32_t tiers = of->tier_count;
    for (uint32_t k = 0; k < t->r->tier_count; k++)
        add(l, k < tiers ? NADI_GAIN_TIER : NADI_GAIN_TIER_LINK, k < tiers ? k : k - tiers,
            k < tiers
                ? nadi_tier_gain_name(of, k, "10 % more bandwidth", arena)
                : nadi_arena_printf(arena, "10 %% more bandwidth of link %s", t->r->tiers[k].name),
            TENTH * t->ns[k]);
}

static void sort(struct list *l)
{
    for (uint32_t i = 1; i < l->count; i++) {
        const struct nadi_gain x = l->items[i];
        uint32_t at = i;
        for (; at > 0 && l->items[at - 1].ns < x.ns; at--)
            l->items[at] = l->items[at - 1];
        l->items[at] = x;
    }
}

uint32_t nadi_gains_find(const struct nadi_inputs *in, const struct nadi_result *r,
                         const struct nadi_why *why, struct nadi_arena *arena,
                         struct nadi_gain *list)
{
    struct list l = {.items = list};
    struct tally t;
    struct tier_tally tiers = {.in = in, .r = r, .network = &t};
    if (why->why_not)
        return 0;
    count(&t, in, r, why);
    if (in->tiers)
        count_tiers(&tiers, why);
    add(&l, NADI_GAIN_COMPUTE, NADI_NONE, "10 % faster compute",
        TENTH * nadi_path_kernels(in, why, false));
    if (in->system.roofline)
        add(&l, NADI_GAIN_LOCAL_MEMORY, NADI_NONE, "10 % more bandwidth of local memory",
            TENTH * nadi_path_kernels(in, why, true));
    add_bandwidth(&l, &t, in, arena);
    add(&l, NADI_GAIN_LATENCY, NADI_NONE,
        in->system.endpoint_delay_ns ? "10 % less latency and endpoint delay"
                                     : "10 % less latency of all links",
        0.1 * t.latency);
    add(&l, NADI_GAIN_COMMUNICATION, NADI_NONE, "10 % faster communication", TENTH * t.library);
    if (in->tiers)
        add_tiers(&l, &tiers, arena);
    else
        add(&l, NADI_GAIN_REMOTE_MEMORY, NADI_NONE, "10 % more bandwidth of remote memory",
            TENTH * nadi_path_remote(in, why, false));
    sort(&l);
    return l.count;
}
