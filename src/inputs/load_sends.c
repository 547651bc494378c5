/* load_sends: may messages of several ranks want a rank's one link from a switch at a time?
 *
 * Sends of different ranks to one have no order that a trace could show: the sender does not wait
 * for the receiver. So all of them may meet, but for those of one sender, which follow each other,
 * and a collective of the receiver that the sender is not in. What they take is added up; the
 * greatest of the senders is never in its own way. In rings and cliques each neighbour has a link
 * of its own (load_crossing.c looks at the others).
 *
 * What that costs is at most what the lesser ones take. It counts from NADI_SHARING_MATTERS of the
 * time on that the receiver computes, or a hundredth of what the greatest sender needs.
 *
 * O(nodes + ranks x peers of a trace x groups of the receiver + members of groups x dimensions). */
#include "base/mem.h"
#include "inputs/load.h"
#include "inputs/load_traffic.h"

#include <math.h>

static const double SMALL = 0.01; /* of what the greatest sender needs */

struct inlet {              /* of a rank, in a dimension */
    double all_ns, most_ns; /* of senders */
    double alone_ns;        /* the greatest's with its latencies */
    double apart_ns;        /* of senders that are not in a group of the receiver's */
    double held_ns;         /* of such groups' collectives */
};

enum extends { UNKNOWN, NO, YES }; /* a group, in a dimension */

struct search {
    const struct nadi_load_traffic *traffic;
    struct inlet *inlets;     /* by dimension and rank */
    bool used[NADI_MAX_DIMS]; /* by dimension: somebody sends over it */
    uint8_t *extends;         /* enum extends, by group and dimension */
};

/* Do members differ in the dimension? All ranks of a group ask. */
static bool extends(const struct search *s, uint32_t group, uint32_t dim)
{
    const struct nadi_topology *t = &s->traffic->in->topology;
    const struct nadi_group *g = &s->traffic->in->groups.items[group];
    uint8_t *known = &s->extends[(size_t)group * t->dim_count + dim];
    if (*known == UNKNOWN) {
        const uint32_t at = nadi_topology_coordinate(t, nadi_group_member(g, 0), dim);
        uint32_t i = 1;
        while (i < g->size && nadi_topology_coordinate(t, nadi_group_member(g, i), dim) == at)
            i++;
        *known = i < g->size ? YES : NO;
    }
    return *known == YES;
}

/* What a send of src may meet of the receiver's collectives. */
static double held_ns(const struct search *s, uint32_t src, uint32_t dst, uint32_t dim)
{
    const struct nadi_inputs *in = s->traffic->in;
    const struct nadi_trace_traffic *of = nadi_load_traffic_of(s->traffic, dst);
    double ns = 0;
    for (size_t i = 0; i < of->groups.count; i++) {
        const struct nadi_collectives_on *on = &of->groups.items[i];
        const uint32_t group = nadi_groups_of_meaning(&in->groups, on->meaning, dst);
        const struct nadi_group *g = group == NADI_NONE ? NULL : &in->groups.items[group];
        if (!g || g->size < 2 || g->size == in->rank_count || !extends(s, group, dim) ||
            nadi_group_sorted_position(g, src) != NADI_NONE)
            continue;
        ns += on->bytes / in->topology.dims[dim].bytes_per_ns;
    }
    return ns;
}

static void look_at_rank(struct search *s, uint32_t rank)
{
    const struct nadi_load_traffic *traffic = s->traffic;
    const struct nadi_topology *t = &traffic->in->topology;
    const struct nadi_trace_traffic *own = nadi_load_traffic_of(traffic, rank);
    for (size_t i = 0; i < own->sends.count; i++) {
        const struct nadi_sends_to *to = &own->sends.items[i];
        const uint32_t dst = nadi_load_traffic_peer(traffic, rank, to);
        /* which `unaware` charges */
        const uint32_t dim = dst < traffic->in->rank_count
                                 ? nadi_topology_lowest_difference(t, rank, dst)
                                 : t->dim_count;
        if (dim == t->dim_count || t->dims[dim].kind != NADI_DIM_SWITCH)
            continue;
        const double ns = (double)to->bytes / t->dims[dim].bytes_per_ns;
        const double held = held_ns(s, rank, dst, dim);
        struct inlet *x = &s->inlets[(size_t)dim * traffic->in->rank_count + dst];
        s->used[dim] = true;
        x->all_ns += ns;
        x->most_ns = fmax(x->most_ns, ns);
        x->alone_ns = fmax(x->alone_ns, ns + 2 * t->dims[dim].latency_ns * (double)to->messages);
        x->apart_ns += held > 0 ? ns : 0;
        x->held_ns = fmax(x->held_ns, held);
    }
}

static bool contends(const struct inlet *x, double computing_ns)
{
    const double shared = x->all_ns - x->most_ns + fmin(x->apart_ns, x->held_ns);
    return shared > fmax(NADI_SHARING_MATTERS * computing_ns, SMALL * x->alone_ns);
}

static const char *find(struct nadi_load *l, const struct nadi_load_traffic *traffic)
{
    const uint32_t dims = l->in->topology.dim_count, ranks = l->in->rank_count;
    struct search s = {
        .traffic = traffic,
        .inlets = NADI_ZNEW(struct inlet, (size_t)ranks * dims),
        .extends = NADI_ZNEW(uint8_t, l->in->groups.count * dims),
    };
    const char *why = NULL;
    for (uint32_t r = 0; r < ranks; r++)
        look_at_rank(&s, r);
    for (uint32_t r = 0; r < ranks && !why; r++)
        for (uint32_t d = 0; d < dims && !why; d++)
            if (s.used[d] && contends(&s.inlets[(size_t)d * ranks + r],
                                      nadi_load_traffic_of(traffic, r)->computing_ns))
                why = nadi_arena_printf(&l->in->arena,
                                        "what others send to rank %" PRIu32
                                        " may come at once, over its one link from a switch",
                                        r);
    nadi_mem_free(s.inlets);
    nadi_mem_free(s.extends);
    return why;
}

const char *nadi_load_sends(struct nadi_load *l)
{
    struct nadi_load_traffic traffic;
    bool any = false;
    nadi_load_traffic_open(&traffic, l->in);
    for (uint32_t i = 0; i < l->in->owned_count; i++)
        any |= traffic.of[i].sends.count > 0;
    const char *why = any ? find(l, &traffic) : NULL;
    nadi_load_traffic_close(&traffic);
    return why;
}
