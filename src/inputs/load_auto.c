/* load_auto: `tuner: auto`: for every kind and group in the traces the step generator that a model
 * finds fastest, by size.
 *
 * The model: the algorithm's closed form, with the group's mean latency a message, the rate of its
 * slowest dimension and the rate of reductions; and where messages share links, no less than its
 * latencies and what the fullest link takes for all that goes over it; on a platform, where they
 * pass each other, none for which that is longer. Groups of a size that differ in the same
 * dimensions are taken together. Sizes are tried by powers of two.
 *
 * Switches of a dimension that take part count as an algorithm (inSwitch) for groups whose members
 * are all at one: by its closed form with a link's latency and the switch's own figures.
 *
 * O(groups + classes * algorithms * steps); algorithms of more than 2^21 steps are left out where
 * messages share links. On a graph the latency and the rate are those of some of its routes, and
 * trees of switches are left out: they have no closed form. */
#include "base/mem.h"
#include "collective/program.h"
#include "inputs/load.h"

#include <math.h>

enum { MOST_STEPS = 1 << 21, SIZES = 44, REFERENCE = 1 << 24, MOST_ENTRIES = 250 };

static const double ROUNDING = 0.01; /* of shares */

static const char *const candidates[] = {
    "ring",         "multiRing", "direct",      "pairwise", "bruck",         "recursiveDoubling",
    "rabenseifner", "tree",      "doubleTree8", "chain8",   "scatterGather", "pat",
    "torus",        "inSwitch",
};
enum { CANDIDATES = sizeof(candidates) / sizeof(candidates[0]) };

struct class
{                           /* of groups */
    uint32_t members, mask; /* bit d: the members differ in dimension d */
    uint64_t *groups;
    const struct nadi_group *first;
};

struct deciding {
    struct nadi_load *l;
    const struct class *class;
    enum nadi_collective_kind kind;
    double alpha, beta, gamma; /* s, s/B, s/B */
    double shared[CANDIDATES]; /* s/B of the request: what links take at least; < 0: left out */
    struct nadi_str said;
};

/* The dimension whose switches can do a collective of the class; NULL: none. */
static const struct nadi_dim *switched_dim(const struct deciding *d)
{
    const struct nadi_inputs *in = d->l->in;
    const uint32_t mask = d->class->mask;
    if ((in->has_graph && !in->graph.of_topology) || !mask || mask & (mask - 1))
        return NULL;
    const struct nadi_dim *dim = &in->topology.dims[__builtin_ctz(mask)];
    return dim->kind == NADI_DIM_SWITCH && dim->in_switch_bytes_per_ns > 0 ? dim : NULL;
}

static bool make(const struct deciding *d, const char *word, uint64_t bytes, struct nadi_program *p)
{
    const struct nadi_topology *t = &d->l->in->topology;
    struct nadi_program_request q = {.kind = d->kind, .n = d->class->members, .bytes = bytes};
    const struct nadi_program_ops *ops = nadi_program_read(word, &q.segments);
    for (uint32_t i = 0; d->class->first->is_world && i < t->dim_count; i++)
        if (t->dims[i].npus > 1)
            q.dims[q.dim_count++] = t->dims[i].npus;
    return ops && nadi_program_runs(ops, d->kind) && (!ops->in_switches || switched_dim(d)) &&
           !nadi_program_make(ops, &q, p);
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* Links of a dimension that an NPU can send on at once. */
static double ports(const struct nadi_dim *dim)
{
    if (dim->kind == NADI_DIM_FULLY_CONNECTED)
        return dim->npus - 1;
    if (dim->kind == NADI_DIM_SWITCH || dim->kind == NADI_DIM_RING_ONE_WAY || dim->npus <= 2)
        return 1;
    return 2.0 * (dim->axes > 1 ? dim->axes : 1);
}

static double hops_between(const struct nadi_topology *t, uint32_t d, uint32_t a, uint32_t b)
{
    const uint32_t x = nadi_topology_coordinate(t, a, d), y = nadi_topology_coordinate(t, b, d);
    return x == y ? 0 : nadi_dim_hops(&t->dims[d], x, y);
}

static bool is_graph(const struct nadi_inputs *in)
{
    return in->has_graph && !in->graph.of_topology;
}

static struct nadi_routing *routing_of(const struct nadi_inputs *in)
{
    struct nadi_routing_config config = in->routing;
    if (config.scheme == NADI_ROUTE_ADAPTIVE || config.scheme == NADI_ROUTE_VALIANT)
        config = (struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP, .seed = config.seed};
    return nadi_routing_create(&in->graph, &config);
}

/* Of a graph the dimensions say little: mean latency and least rate of some routes. */
static void look_at_graph(struct deciding *d)
{
    const struct nadi_inputs *in = d->l->in;
    const struct nadi_group *g = d->class->first;
    struct nadi_routing *routing = routing_of(in);
    struct nadi_route route = {0};
    double ps = 0, count = 0;
    uint64_t rate = UINT64_MAX;
    for (uint32_t m = 1; m < g->size; m += g->size / 16 + 1) {
        if (!nadi_routing_find(routing, nadi_group_member(g, 0), nadi_group_member(g, m), 0,
                               &route))
            continue;
        for (size_t i = 0; i < route.count; i++) {
            ps += (double)nadi_graph_channel_latency(&in->graph, route.items[i]);
            rate = nadi_min_u64(rate, nadi_graph_channel_rate(&in->graph, route.items[i]));
        }
        count++;
    }
    if (count > 0) {
        d->alpha = (ps / count / 1e3 + (double)in->system.endpoint_delay_ns) * 1e-9;
        d->beta = 8 / (double)rate;
    }
    nadi_mem_free(route.items);
    nadi_routing_destroy(routing);
}

static void find_machine(struct deciding *d)
{
    const struct nadi_inputs *in = d->l->in;
    const struct nadi_topology *t = &in->topology;
    const uint32_t n = d->class->members, root = nadi_group_member(d->class->first, 0);
    const uint32_t step = n / 64 + 1;
    double ns = 0, slowest = HUGE_VAL, count = 0;
    for (uint32_t m = 1; m < n; m += step, count++)
        for (uint32_t i = 0; i < t->dim_count; i++)
            ns += hops_between(t, i, root, nadi_group_member(d->class->first, m)) *
                  t->dims[i].latency_ns;
    for (uint32_t i = 0; i < t->dim_count; i++)
        if (d->class->mask >> i & 1 && t->dims[i].bytes_per_ns < slowest)
            slowest = t->dims[i].bytes_per_ns;
    d->alpha = (ns / count + (double)in->system.endpoint_delay_ns) * 1e-9;
    d->beta = slowest > 0 && slowest < HUGE_VAL ? 1e-9 / slowest : 0;
    d->gamma = in->system.local_mem_bw > 0 ? 3 / in->system.local_mem_bw : 0;
    if (is_graph(in))
        look_at_graph(d);
}

/* What messages put on links: of a graph by channel; else by member and dimension what it sends
 * there, and by dimension the bytes of all, hop by hop. */
struct load {
    const struct deciding *d;
    const struct nadi_program *p;
    struct nadi_routing *routing;
    struct nadi_route route;
    double *bytes;
    double hopped[NADI_MAX_DIMS];
};

static void put(struct load *x, uint32_t from, uint32_t to, double bytes)
{
    const struct nadi_inputs *in = x->d->l->in;
    const struct nadi_topology *t = &in->topology;
    const uint32_t a = nadi_group_member(x->d->class->first, from);
    const uint32_t b = nadi_group_member(x->d->class->first, to);
    if (x->routing) {
        if (nadi_routing_find(x->routing, a, b, 0, &x->route))
            for (size_t i = 0; i < x->route.count; i++)
                x->bytes[x->route.items[i]] += bytes;
        return;
    }
    for (uint32_t i = 0; i < t->dim_count; i++) {
        const double hops = hops_between(t, i, a, b);
        x->hopped[i] += hops * bytes;
        x->bytes[(size_t)from * t->dim_count + i] += hops > 0 ? bytes : 0;
    }
}

static double fullest(const struct load *x)
{
    const struct nadi_inputs *in = x->d->l->in;
    const struct nadi_topology *t = &in->topology;
    double most = 0, s;
    if (x->routing) {
        for (uint32_t c = 0; c < nadi_graph_channel_count(&in->graph); c++) {
            s = x->bytes[c] * 8 / (double)nadi_graph_channel_rate(&in->graph, c);
            most = s > most ? s : most;
        }
        return most;
    }
    for (uint32_t i = 0; i < t->dim_count; i++) {
        const double rate = t->dims[i].bytes_per_ns * ports(&t->dims[i]) * 1e9;
        const bool hub = t->dims[i].kind == NADI_DIM_SWITCH; /* up and down are two cables */
        for (uint32_t m = 0; rate > 0 && m <= x->p->request.n; m++) {
            s = m < x->p->request.n ? x->bytes[(size_t)m * t->dim_count + i]
                                    : x->hopped[i] / x->p->request.n / (hub ? 2 : 1);
            most = s / rate > most ? s / rate : most;
        }
    }
    return most;
}

/* Seconds that the fullest links take at least, for a program. */
static double load_of(const struct deciding *d, const struct nadi_program *p)
{
    const struct nadi_inputs *in = d->l->in;
    const bool graph = is_graph(in);
    const size_t links = graph ? nadi_graph_channel_count(&in->graph)
                               : (size_t)p->request.n * in->topology.dim_count;
    struct load x = {.d = d, .p = p, .bytes = NADI_ZNEW(double, links)};
    x.routing = graph ? routing_of(in) : NULL;
    for (uint32_t m = 0; m < p->request.n; m++)
        for (uint32_t queue = 0; queue < p->queues; queue++) {
            const uint32_t steps = p->ops->steps(p, m, queue);
            for (uint32_t k = 0; k < steps; k++) {
                const struct nadi_step s = nadi_program_step(p, m, queue, k);
                if (s.to < p->request.n)
                    put(&x, m, s.to, (double)nadi_program_sent_bytes(p, m, queue, k));
            }
        }
    const double most = fullest(&x);
    nadi_mem_free(x.bytes);
    nadi_mem_free(x.route.items);
    nadi_routing_destroy(x.routing);
    return most;
}

static double steps_of(const struct nadi_program *p)
{
    double steps = 0;
    for (uint32_t queue = 0; queue < p->queues; queue++)
        steps += p->ops->steps(p, 0, queue);
    return steps * p->request.n;
}

static void find_shared(struct deciding *d)
{
    const struct nadi_run_options *o = &d->l->in->options;
    const bool shares =
        o->choose_model || o->network_model->has_contention || d->l->in->system.library;
    struct nadi_program p;
    for (size_t c = 0; c < CANDIDATES; c++) {
        d->shared[c] = 0;
        if (shares && make(d, candidates[c], REFERENCE, &p) && !p.ops->in_switches)
            d->shared[c] = steps_of(&p) > MOST_STEPS ? -1 : load_of(d, &p) / REFERENCE;
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* A step of an algorithm in switches is half a message between members: one link. What a switch
 * adds up it adds up beside what it forwards. */
static double seconds_of(const struct deciding *d, const struct nadi_program *p)
{
    const struct nadi_dim *dim = p->ops->in_switches ? switched_dim(d) : NULL;
    if (!dim)
        return p->ops->seconds(p, d->alpha, d->beta, d->gamma);
    const double ns =
        dim->latency_ns + dim->in_switch_latency_ns + (double)d->l->in->system.endpoint_delay_ns;
    return p->ops->seconds(p, ns * 1e-9, d->beta, 1e-9 / dim->in_switch_bytes_per_ns);
}

static const char *fastest(const struct deciding *d, uint64_t bytes)
{
    const char *best = NULL;
    double least = HUGE_VAL;
    struct nadi_program p;
    for (size_t c = 0; c < CANDIDATES; c++) {
        if (d->shared[c] < 0 || !make(d, candidates[c], bytes, &p))
            continue;
        double s = seconds_of(d, &p);
        if (s < 0)
            continue;
        const double shared = p.ops->seconds(&p, d->alpha, 0, 0) + d->shared[c] * (double)bytes;
        if (d->l->in->system.library && shared > s * (1 + ROUNDING))
            continue; /* on a platform messages pass each other: it would be too fast */
        s = s > shared || p.ops->in_switches ? s : shared;
        if (s < least) {
            least = s;
            best = candidates[c];
        }
    }
    return best;
}

static void add(struct deciding *d, struct nadi_attached *attached, const char *word,
                uint64_t least, uint64_t most)
{
    struct nadi_system_config *s = &d->l->in->system;
    struct nadi_program p;
    const bool made = make(d, word, 1, &p);
    NADI_ASSERT(made);
    struct nadi_attached *a = &attached[s->attached_count++];
    *a = (struct nadi_attached){.least_bytes = least,
                                .most_bytes = most,
                                .members = d->class->members,
                                .groups = d->class->groups};
    const bool known = nadi_native_kind_of(d->kind, &a->kind);
    NADI_ASSERT(known);
    a->implementation.count = 1;
    a->implementation.dims[0] = (struct nadi_algorithm_choice){
        .algorithm = NADI_ALGORITHM_PROGRAM,
        .flat = true,
    };
    struct nadi_algorithm_choice *choice = &a->implementation.dims[0];
    choice->program = nadi_program_read(word, &choice->window); /* 0: what the size asks for */
    if (s->native[a->kind].count == 0 && a->kind == NADI_NATIVE_BROADCAST)
        s->native[a->kind] = a->implementation;
    nadi_str_printf(&d->said, "%s%s of %u", d->said.length ? "; " : "",
                    nadi_collective_label(d->kind), d->class->members);
    if (least > 0)
        nadi_str_printf(&d->said, " from %" PRIu64 " B", least);
    nadi_str_printf(&d->said, ": %s", word);
}

static bool decide(struct deciding *d, struct nadi_attached *attached, uint32_t most)
{
    const char *word = NULL;
    uint64_t since = 0;
    find_machine(d);
    find_shared(d);
    for (int k = 0; k <= SIZES; k++) {
        const char *best = k < SIZES ? fastest(d, UINT64_C(1) << k) : NULL;
        if (best == word)
            continue;
        if (d->l->in->system.attached_count >= most)
            return nadi_error(d->l->diags, "tuner/rules", NADI_IN_FILE("tuner: auto"),
                              "write a tuner table, or algorithm lists",
                              "more than %u choices for the groups and kinds", most);
        if (word)
            add(d, attached, word, since, k < SIZES ? (UINT64_C(1) << k) - 1 : UINT64_MAX);
        since = k ? UINT64_C(1) << k : 0;
        word = best;
    }
    return true;
}

/* ---- what there is to choose for ------------------------------------------------------------- */

static uint32_t mask_of(const struct nadi_topology *t, const struct nadi_group *g)
{
    uint32_t mask = 0;
    const uint32_t first = nadi_group_member(g, 0);
    for (uint32_t m = 1; m < g->size; m++)
        for (uint32_t d = 0; d < t->dim_count; d++)
            if (nadi_topology_coordinate(t, nadi_group_member(g, m), d) !=
                nadi_topology_coordinate(t, first, d))
                mask |= 1U << d;
    return mask;
}

static uint32_t find_classes(struct nadi_load *l, struct class *classes, uint32_t most)
{
    const struct nadi_groups *groups = &l->in->groups;
    uint32_t count = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        if (g->size < 2)
            continue;
        const uint32_t mask = mask_of(&l->in->topology, g);
        uint32_t c = 0;
        while (c < count && (classes[c].members != g->size || classes[c].mask != mask))
            c++;
        if (c == most)
            continue;
        if (c == count)
            classes[count++] = (struct class){
                .members = g->size,
                .mask = mask,
                .groups = NADI_ARENA_ZNEW(&l->in->arena, uint64_t, groups->count / 64 + 1),
                .first = g,
            };
        classes[c].groups[i / 64] |= UINT64_C(1) << (i % 64);
    }
    return count;
}

static uint32_t kinds_of(const struct nadi_inputs *in)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < in->owned_count; i++)
        for (uint32_t n = 0; n < in->owned[i]->node_count; n++)
            if (in->owned[i]->type[n] == NADI_NODE_COLL &&
                in->owned[i]->collective[n] < NADI_COLLECTIVE_KINDS)
                kinds |= 1U << in->owned[i]->collective[n];
    return kinds;
}

bool nadi_load_auto(struct nadi_load *l, struct nadi_attached *attached)
{
    struct class classes[64];
    const uint32_t kinds = kinds_of(l->in), count = find_classes(l, classes, 64);
    struct deciding d = {.l = l, .said = NADI_STR_INIT};
    bool ok = true;
    for (uint32_t c = 0; ok && c < count; c++)
        for (uint32_t k = 0; ok && k < NADI_COLLECTIVE_KINDS; k++) {
            enum nadi_native_kind native;
            if (!(kinds >> k & 1) || !nadi_native_kind_of((enum nadi_collective_kind)k, &native))
                continue;
            d.class = &classes[c];
            d.kind = (enum nadi_collective_kind)k;
            ok = decide(&d, attached, MOST_ENTRIES);
        }
    if (ok && d.said.length)
        nadi_settings_replace(l->in, "system", "tuner", nadi_str_get(&d.said), "auto: the model");
    nadi_str_release(&d.said);
    return ok;
}
