#include "bound/cut.h"

#include "base/join.h"
#include "base/mem.h"
#include "base/time.h"

#include <math.h>

enum { MOST_PAIRED = 1024 }; /* ranks whose pairs are looked at */

struct nadi_bound_cut {
    uint32_t ranks, islands; /* islands that have ranks */
    uint32_t *island;        /* by rank */
    double *rate;            /* by island: bytes/ns of the slow links that lead out of it */
    double *bytes;           /* by island: scratch */
    uint32_t *members;       /* by island: scratch, 0 between calls */
};

static double slowest_link(const struct nadi_graph *g, const struct nadi_link_least *links)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim != NADI_NONE)
            least = fmin(least, links[i].bytes_per_ns);
    return least;
}

/* By node: which stands for its island. */
static uint32_t *find_roots(const struct nadi_graph *g, const struct nadi_link_least *links)
{
    const double slowest = slowest_link(g, links);
    uint32_t *of = NADI_NEW(uint32_t, g->node_count);
    for (uint32_t node = 0; node < g->node_count; node++)
        of[node] = node;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        if (l->dim == NADI_NONE || links[i].bytes_per_ns > slowest)
            nadi_join(of, l->a, l->b);
    }
    return of;
}

static void add_rates(struct nadi_bound_cut *c, const struct nadi_graph *g,
                      const struct nadi_link_least *links, uint32_t *roots, const uint32_t *number)
{
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        const uint32_t a = nadi_joined(roots, l->a), b = nadi_joined(roots, l->b);
        const double rate = links[i].bytes_per_ns;
        if (a == b)
            continue;
        if (number[a] != NADI_NONE)
            c->rate[number[a]] += rate;
        if (number[b] != NADI_NONE && !l->one_way)
            c->rate[number[b]] += rate;
    }
}

struct nadi_bound_cut *nadi_bound_cut_create(const struct nadi_graph *g,
                                             const struct nadi_link_least *links, uint32_t ranks)
{
    if (ranks < 2 || ranks > g->host_count)
        return NULL;
    struct nadi_bound_cut *c = NADI_ZNEW(struct nadi_bound_cut, 1);
    uint32_t *roots = find_roots(g, links);
    uint32_t *number = NADI_NEW(uint32_t, g->node_count);
    memset(number, 0xff, g->node_count * sizeof(*number));
    c->ranks = ranks;
    c->island = NADI_NEW(uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t root = nadi_joined(roots, g->hosts[r]);
        if (number[root] == NADI_NONE)
            number[root] = c->islands++;
        c->island[r] = number[root];
    }
    c->rate = NADI_ZNEW(double, c->islands);
    c->bytes = NADI_ZNEW(double, c->islands);
    c->members = NADI_ZNEW(uint32_t, c->islands);
    add_rates(c, g, links, roots, number);
    nadi_mem_free(roots);
    nadi_mem_free(number);
    if (c->islands > 1 && c->islands < ranks)
        return c;
    nadi_bound_cut_destroy(c);
    return NULL;
}

void nadi_bound_cut_destroy(struct nadi_bound_cut *c)
{
    if (!c)
        return;
    nadi_mem_free(c->island);
    nadi_mem_free(c->rate);
    nadi_mem_free(c->bytes);
    nadi_mem_free(c->members);
    nadi_mem_free(c);
}

static void add_sends(const struct nadi_bound_cut *c, const struct nadi_phase *p, uint32_t rank,
                      uint64_t spared, bool clockwise)
{
    const uint32_t local = nadi_phase_local(p, rank);
    const bool ring = p->algorithm == NADI_ALGORITHM_RING;
    for (uint32_t k = 0; k < (ring ? 1 : p->sends); k++) {
        const uint32_t to = nadi_phase_destination(p, local, k, clockwise);
        const uint64_t peer = rank + (uint64_t)to * p->stride - (uint64_t)local * p->stride;
        const uint64_t bytes = nadi_phase_bytes(p, k);
        if (peer < c->ranks && c->island[peer] != c->island[rank] && bytes > spared)
            c->bytes[c->island[rank]] += (double)(bytes - spared) * (ring ? p->sends : 1);
    }
}

/* Of one direction: of the island that its links need least time for. */
static double least_ns(const struct nadi_bound_cut *c, const struct nadi_phase *p, uint64_t spared,
                       bool clockwise)
{
    double least = INFINITY;
    memset(c->bytes, 0, c->islands * sizeof(*c->bytes));
    for (uint32_t rank = 0; rank < c->ranks; rank++)
        add_sends(c, p, rank, spared, clockwise);
    for (uint32_t i = 0; i < c->islands; i++)
        least = fmin(least, c->rate[i] > 0 ? c->bytes[i] / c->rate[i] : 0);
    return least * (1 - 1e-12); /* sums of rates are rounded */
}

uint64_t nadi_bound_cut_phase_ns(const struct nadi_bound_cut *c, const struct nadi_phase *p,
                                 uint64_t spared)
{
    const bool known = p->algorithm == NADI_ALGORITHM_RING ||
                       p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING ||
                       (p->algorithm == NADI_ALGORITHM_DIRECT && c->ranks <= MOST_PAIRED);
    if (!known || p->program || p->uneven)
        return 0;
    return nadi_count_trunc(fmin(least_ns(c, p, spared, true), least_ns(c, p, spared, false)));
}

static uint32_t island_of(const struct nadi_bound_cut *c, const struct nadi_group *g, uint32_t i)
{
    const uint32_t rank = g->members ? g->members[i] : i;
    return rank < c->ranks ? c->island[rank] : 0;
}

struct nadi_bound_leaving nadi_bound_cut_leaving(const struct nadi_bound_cut *c,
                                                 const struct nadi_group *g)
{
    struct nadi_bound_leaving leaving = {.ring = g->size > 1};
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->size; i++) {
        const uint32_t here = island_of(c, g, i);
        leaving.ring &= here != island_of(c, g, (i + 1) % g->size);
        c->members[here]++;
        most = c->members[here] > most ? c->members[here] : most;
    }
    for (uint32_t i = 0; i < g->size; i++)
        c->members[island_of(c, g, i)] = 0;
    leaving.direct = g->size - most;
    return leaving;
}

uint64_t nadi_bound_cut_leaving_ns(const struct nadi_bound_cut *c, const uint64_t *bytes,
                                   const uint32_t *of)
{
    double longest = 0;
    memset(c->bytes, 0, c->islands * sizeof(*c->bytes));
    for (uint32_t rank = 0; rank < c->ranks; rank++)
        c->bytes[c->island[rank]] += (double)bytes[of[rank]];
    for (uint32_t i = 0; i < c->islands; i++)
        if (c->rate[i] > 0)
            longest = fmax(longest, c->bytes[i] / c->rate[i]);
    return nadi_count_trunc(longest * (1 - 1e-12)); /* sums of rates are rounded */
}
