#include "why/gains.h"

#include "memory/tiers.h"
#include "why/links.h"
#include "why/path_time.h"

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
    struct nadi_tier_layout layout;
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

static void count_request(struct tier_tally *t, const struct nadi_inputs *in,
                          const struct nadi_result *r, const struct nadi_path_step *s)
{
    const struct nadi_trace *trace = in->traces[s->rank];
    struct nadi_tier_path path;
    uint32_t from, to;
    double ns = (double)(s->end_ns - s->start_ns);
    if (!nadi_inputs_memory_ends(in, trace, s->node, &from, &to))
        return;
    nadi_tier_path_find(&t->layout, s->rank, from, to, trace->bytes[s->node], &path);
    const bool alone = s->cause == NADI_CAUSE_MEMORY && path.slowest != NADI_NONE;
    const uint32_t k =
        alone ? result_of(&t->layout, path.slowest) : most_wanted(&t->layout, &path, r);
    if (s->cause == NADI_CAUSE_MEMORY)
        ns -= path.latency_ns;
    if (k != NADI_NONE && ns > 0)
        t->ns[k] += ns;
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

static void add_tiers(struct list *l, const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_why *why, struct nadi_arena *arena)
{
    struct tier_tally t = {.ns = {0}};
    const uint32_t tiers = in->tiers->tier_count;
    nadi_tier_layout_init(&t.layout, in->tiers);
    for (size_t i = 0; i < why->step_count; i++) {
        const struct nadi_path_step *s = &why->steps[i];
        if ((s->cause == NADI_CAUSE_MEMORY || s->cause == NADI_CAUSE_MEMORY_QUEUE) &&
            s->node != NADI_NONE)
            count_request(&t, in, r, s);
    }
    for (uint32_t k = 0; k < r->tier_count; k++)
        add(l, k < tiers ? NADI_GAIN_TIER : NADI_GAIN_TIER_LINK, k < tiers ? k : k - tiers,
            k < tiers
                ? nadi_tier_gain_name(in->tiers, k, "10 % more bandwidth", arena)
                : nadi_arena_printf(arena, "10 %% more bandwidth of link %s", r->tiers[k].name),
            TENTH * t.ns[k]);
    nadi_tier_layout_release(&t.layout);
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
    if (why->why_not)
        return 0;
    count(&t, in, r, why);
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
        add_tiers(&l, in, r, why, arena);
    else
        add(&l, NADI_GAIN_REMOTE_MEMORY, NADI_NONE, "10 % more bandwidth of remote memory",
            TENTH * nadi_path_remote(in, why, false));
    sort(&l);
    return l.count;
}
