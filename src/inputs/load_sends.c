/* load_sends: may messages of several ranks want a rank's one link from a switch at a time?
 *
 * Sends of different ranks to one have no order that a trace could show: the sender does not wait
 * for the receiver. So all of them may meet, but for those of one sender, which follow each other,
 * and a collective of the receiver that the sender is not in. What they take is added up; the
 * greatest of the senders is never in its own way. In rings and cliques each neighbour has a link
 * of its own (load_crossing.c looks at the others).
 *
 * What that costs is at most what the lesser ones take. It counts from a hundredth of the time on
 * that the receiver computes or the greatest sender needs.
 *
 * O(nodes + ranks x peers of a trace x groups of the receiver). */
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"

#include <math.h>

static const double SMALL = 0.01;

struct peer { /* of a trace */
    uint32_t dst;
    uint64_t bytes, messages;
};

struct held { /* a trace's collectives on a group */
    uint32_t meaning, name;
    double bytes; /* that a member receives, about */
};

struct of_trace {
    struct {
        struct peer *items;
        size_t count, capacity;
    } peers;
    struct {
        struct held *items;
        size_t count, capacity;
    } held;
    double computing_ns;
};

struct inlet {              /* of a rank, in a dimension */
    double all_ns, most_ns; /* of senders */
    double alone_ns;        /* the greatest's with its latencies */
    double apart_ns;        /* of senders that are not in a group of the receiver's */
    double held_ns;         /* of such groups' collectives */
};

static void add_send(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                     struct nadi_map64 *index, struct of_trace *found)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    bool added;
    if (!comm || !(t->flags[node] & NADI_NODE_HAS_DST))
        return;
    const uint32_t at = *nadi_map64_put(index, comm->dst, (uint32_t)found->peers.count, &added);
    if (added) {
        const struct peer one = {.dst = comm->dst};
        NADI_PUSH(&found->peers, one);
    }
    found->peers.items[at].bytes =
        nadi_count_add(found->peers.items[at].bytes, nadi_scaled_bytes(in, t->bytes[node]));
    found->peers.items[at].messages++;
}

static void add_collective(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                           struct of_trace *found)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const uint32_t name = comm && comm->group != NADI_NONE ? comm->group : 0;
    const enum nadi_collective_kind kind = (enum nadi_collective_kind)t->collective[node];
    size_t i = 0;
    while (i < found->held.count && found->held.items[i].name != name)
        i++;
    if (i == found->held.count) {
        const struct held one = {nadi_groups_meaning(&in->groups, nadi_trace_string(t, name)), name,
                                 0};
        NADI_PUSH(&found->held, one);
    }
    found->held.items[i].bytes +=
        (double)nadi_scaled_bytes(in, t->bytes[node]) * fabs(nadi_collective_of(kind)->bus);
}

static void look_at_trace(const struct nadi_inputs *in, const struct nadi_trace *t,
                          struct of_trace *found)
{
    struct nadi_map64 index;
    nadi_map64_init(&index, 8);
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] == NADI_NODE_SEND)
            add_send(in, t, n, &index, found);
        else if (t->type[n] == NADI_NODE_COLL && t->collective[n] < NADI_COLLECTIVE_KINDS)
            add_collective(in, t, n, found);
        else if (t->type[n] == NADI_NODE_COMP)
            found->computing_ns += (double)t->duration_ns[n];
    }
    nadi_map64_release(&index);
}

/* The lowest dimension in which the ranks differ, which `unaware` charges; dim_count: none. */
static uint32_t dim_between(const struct nadi_topology *t, uint32_t a, uint32_t b)
{
    uint32_t d = 0;
    while (d < t->dim_count &&
           nadi_topology_coordinate(t, a, d) == nadi_topology_coordinate(t, b, d))
        d++;
    return d;
}

static bool lies_in(const struct nadi_topology *t, const struct nadi_group *g, uint32_t dim)
{
    const uint32_t at = nadi_topology_coordinate(t, nadi_group_member(g, 0), dim);
    uint32_t i = 1;
    while (i < g->size && nadi_topology_coordinate(t, nadi_group_member(g, i), dim) == at)
        i++;
    return i < g->size;
}

/* What a send of src may meet of the receiver's collectives. */
static double held_ns(const struct nadi_inputs *in, const struct of_trace *of, uint32_t src,
                      uint32_t dst, uint32_t dim)
{
    double ns = 0;
    for (size_t i = 0; i < of->held.count; i++) {
        const uint32_t group = nadi_groups_of_meaning(&in->groups, of->held.items[i].meaning, dst);
        const struct nadi_group *g = group == NADI_NONE ? NULL : &in->groups.items[group];
        if (!g || g->size < 2 || g->size == in->rank_count ||
            nadi_group_sorted_position(g, src) != NADI_NONE || !lies_in(&in->topology, g, dim))
            continue;
        ns += of->held.items[i].bytes / in->topology.dims[dim].bytes_per_ns;
    }
    return ns;
}

static void look_at_rank(const struct nadi_inputs *in, const struct of_trace *of,
                         const uint32_t *trace, uint32_t rank, struct inlet *inlets)
{
    const struct nadi_topology *t = &in->topology;
    const struct of_trace *own = &of[trace[rank]];
    for (size_t i = 0; i < own->peers.count; i++) {
        const struct peer *p = &own->peers.items[i];
        const uint32_t dst =
            in->relative_peers ? nadi_relative_peer(rank, p->dst, in->rank_count) : p->dst;
        const uint32_t dim = dst < in->rank_count ? dim_between(t, rank, dst) : t->dim_count;
        if (dim == t->dim_count || t->dims[dim].kind != NADI_DIM_SWITCH)
            continue;
        const double ns = (double)p->bytes / t->dims[dim].bytes_per_ns;
        const double held = held_ns(in, &of[trace[dst]], rank, dst, dim);
        struct inlet *x = &inlets[(size_t)dst * t->dim_count + dim];
        x->all_ns += ns;
        x->most_ns = fmax(x->most_ns, ns);
        x->alone_ns = fmax(x->alone_ns, ns + 2 * t->dims[dim].latency_ns * (double)p->messages);
        x->apart_ns += held > 0 ? ns : 0;
        x->held_ns = fmax(x->held_ns, held);
    }
}

static bool contends(const struct inlet *x, double computing_ns)
{
    const double shared = x->all_ns - x->most_ns + fmin(x->apart_ns, x->held_ns);
    return shared > fmax(NADI_SHARING_MATTERS * computing_ns, SMALL * x->alone_ns);
}

static const char *find(struct nadi_load *l, const struct of_trace *of, const uint32_t *trace)
{
    const struct nadi_inputs *in = l->in;
    const uint32_t dims = in->topology.dim_count;
    struct inlet *inlets = NADI_ZNEW(struct inlet, (size_t)in->rank_count * dims);
    struct nadi_str text = NADI_STR_INIT;
    const char *why = NULL;
    for (uint32_t r = 0; r < in->rank_count; r++)
        look_at_rank(in, of, trace, r, inlets);
    for (uint32_t r = 0; r < in->rank_count && !why; r++)
        for (uint32_t d = 0; d < dims && !why; d++)
            if (contends(&inlets[(size_t)r * dims + d], of[trace[r]].computing_ns)) {
                nadi_str_printf(&text,
                                "what others send to rank %" PRIu32
                                " may come at once, over its one link from a switch",
                                r);
                why = nadi_arena_strdup(&l->in->arena, nadi_str_get(&text));
            }
    nadi_str_release(&text);
    nadi_mem_free(inlets);
    return why;
}

const char *nadi_load_sends(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    struct of_trace *of = NADI_ZNEW(struct of_trace, in->owned_count);
    uint32_t *trace = NADI_NEW(uint32_t, in->rank_count);
    bool any = false;
    nadi_trace_numbers(in, trace);
    for (uint32_t i = 0; i < in->owned_count; i++) {
        look_at_trace(in, in->owned[i], &of[i]);
        any |= of[i].peers.count > 0;
    }
    const char *why = any ? find(l, of, trace) : NULL;
    for (uint32_t i = 0; i < in->owned_count; i++) {
        nadi_mem_free(of[i].peers.items);
        nadi_mem_free(of[i].held.items);
    }
    nadi_mem_free(of);
    nadi_mem_free(trace);
    return why;
}
