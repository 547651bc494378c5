#include "platform/graph_htsim.h"

#include "base/scan.h"
#include "platform/generator_make.h"

enum { TIERS = 3, MOST = 1 << 24 };

struct tier {
    uint32_t down, up, bundle;
    double gbps, cable_ns, switch_ns;
    bool has_rate, has_cable;
};

struct file {
    struct nadi_scan s;
    uint32_t nodes, tiers, pod;
    uint32_t current; /* tier that is being described; NADI_NONE: none yet */
    struct tier tier[TIERS];
};

static bool is(const struct file *f, const char *word)
{
    return strcasecmp(f->s.word, word) == 0;
}

static bool count(struct file *f, const char *what, uint32_t least, uint32_t *value)
{
    if (!nadi_scan_u32(&f->s, what, MOST, value))
        return false;
    return *value >= least ||
           nadi_scan_error(&f->s, NULL, "the %s is %" PRIu32 ", at least %" PRIu32 " is needed",
                           what, *value, least);
}

static bool read_tier_key(struct file *f)
{
    struct tier *t = &f->tier[f->current];
    uint32_t ignored;
    if (is(f, "Downlink_speed_Gbps")) {
        t->has_rate = true;
        return nadi_scan_double(&f->s, "speed of the links down", 1e-6, 1e7, &t->gbps);
    }
    if (is(f, "Downlink_Latency_ns")) {
        t->has_cable = true;
        return nadi_scan_double(&f->s, "latency of the links down", 0, 1e12, &t->cable_ns);
    }
    if (is(f, "Switch_Latency_ns"))
        return nadi_scan_double(&f->s, "latency of a switch", 0, 1e12, &t->switch_ns);
    if (is(f, "Radix_Down"))
        return count(f, "number of ports down", 1, &t->down);
    if (is(f, "Radix_Up"))
        return count(f, "number of ports up", 1, &t->up);
    if (is(f, "Bundle"))
        return count(f, "number of links in a bundle", 1, &t->bundle);
    if (is(f, "Oversubscribed") || is(f, "Queue_Up") || is(f, "Queue_Down"))
        return nadi_scan_u32(&f->s, "number", UINT32_MAX - 1, &ignored);
    return nadi_scan_error(&f->s,
                           "a tier has Downlink_speed_Gbps, Radix_Down, Radix_Up, "
                           "Downlink_Latency_ns, Switch_Latency_ns, Bundle, Oversubscribed",
                           "'%s' is no property of a tier", f->s.word);
}

static bool read_key(struct file *f)
{
    if (is(f, "Tier")) {
        uint32_t tier;
        if (!nadi_scan_u32(&f->s, "number of a tier", TIERS - 1, &tier))
            return false;
        if (f->tiers && tier >= f->tiers)
            return nadi_scan_error(&f->s, "tiers are numbered from 0",
                                   "tier %" PRIu32 " of %" PRIu32, tier, f->tiers);
        f->current = tier;
        return true;
    }
    if (f->current != NADI_NONE)
        return read_tier_key(f);
    if (is(f, "Nodes"))
        return count(f, "number of nodes", 1, &f->nodes);
    if (is(f, "Podsize"))
        return count(f, "size of a pod", 1, &f->pod);
    if (is(f, "Tiers")) {
        if (!count(f, "number of tiers", 2, &f->tiers))
            return false;
        return f->tiers <= TIERS ||
               nadi_scan_error(&f->s, "2 or 3 tiers are possible", "%" PRIu32 " tiers", f->tiers);
    }
    return nadi_scan_error(&f->s, "the file begins with Nodes, Tiers and Podsize",
                           "'%s' is no property of a network", f->s.word);
}

static bool is_complete(struct file *f)
{
    if (!f->nodes || !f->tiers || !f->pod)
        return nadi_scan_error(&f->s, NULL, "the file lacks %s",
                               !f->nodes   ? "Nodes"
                               : !f->tiers ? "Tiers"
                                           : "Podsize");
    for (uint32_t i = 0; i < f->tiers; i++) {
        const struct tier *t = &f->tier[i];
        const bool top = i + 1 == f->tiers;
        const char *lacks = !t->down         ? "Radix_Down"
                            : !top && !t->up ? "Radix_Up"
                            : !t->has_rate   ? "Downlink_speed_Gbps"
                            : !t->has_cable  ? "Downlink_Latency_ns"
                                             : NULL;
        if (lacks)
            return nadi_scan_error(&f->s, NULL, "tier %" PRIu32 " lacks %s", i, lacks);
    }
    return true;
}

/* Every switch of a tier has `below` switches (or nodes) under it, by bundles. */
static bool fits(struct file *f, uint32_t i, uint32_t below)
{
    const struct tier *t = &f->tier[i], *lower = &f->tier[i - 1];
    if ((uint64_t)below * t->bundle != t->down)
        return nadi_scan_error(&f->s, "Radix_Down is Bundle times the switches below one subtree",
                               "a switch of tier %" PRIu32 " has %" PRIu32
                               " ports down, but %" PRIu32
                               " switches below and bundles of %" PRIu32,
                               i, t->down, below, t->bundle);
    if (lower->up % t->bundle != 0)
        return nadi_scan_error(
            &f->s, NULL, "the %" PRIu32 " ports up of tier %" PRIu32 " make no bundles of %" PRIu32,
            lower->up, i - 1, t->bundle);
    return true;
}

/* As a tree of generator.h. */
static bool plan(struct file *f, struct nadi_generator *gen)
{
    const struct tier *t = f->tier;
    const uint32_t pod = f->tiers == 2 ? f->nodes : f->pod;
    if (f->nodes % pod != 0 || pod % t[0].down != 0)
        return nadi_scan_error(&f->s, "Nodes is a multiple of Podsize, and that of Radix_Down",
                               "%" PRIu32 " nodes in pods of %" PRIu32 " and switches of %" PRIu32,
                               f->nodes, pod, t[0].down);
    *gen = (struct nadi_generator){.type = NADI_GENERATE_CLOS, .levels = f->tiers};
    gen->down[0] = t[0].down;
    gen->down[1] = pod / t[0].down;
    gen->down[2] = f->nodes / pod;
    for (uint32_t i = 0; i < f->tiers; i++) {
        if (i > 0 && !fits(f, i, gen->down[i]))
            return false;
        if (i > 0) {
            gen->up[i - 1] = t[i - 1].up / t[i].bundle;
            gen->parallel_cables[i - 1] = t[i].bundle;
        }
        /* Half of each switch's latency on either side: every route passes all of it. */
        const double below_ns = i > 0 ? t[i - 1].switch_ns : 0;
        *(i > 0 ? &gen->uplink[i - 1] : &gen->host) = (struct nadi_generator_cable){
            .bytes_per_s = t[i].gbps * 125e6,
            .latency_ns = t[i].cable_ns + (t[i].switch_ns + below_ns) / 2,
        };
    }
    return true;
}

bool nadi_graph_parse_htsim(struct nadi_graph *g, const char *path, char *text, size_t bytes,
                            struct nadi_diags *diags)
{
    struct file f = {.current = NADI_NONE};
    struct nadi_generator gen;
    for (uint32_t i = 0; i < TIERS; i++)
        f.tier[i].bundle = 1;
    nadi_scan_init(&f.s, path, "htsim/topology", text, bytes, diags);
    while (nadi_scan_next(&f.s))
        if (!read_key(&f))
            return false;
    if (!is_complete(&f) || !plan(&f, &gen))
        return false;
    const struct nadi_made made = nadi_count_clos(&gen);
    if (made.npus > MOST || made.switches > MOST || made.links > MOST)
        return nadi_scan_error(&f.s, NULL, "more than %d nodes, switches or links", MOST);
    nadi_make_clos(g, &gen);
    return true;
}
