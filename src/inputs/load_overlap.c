/* load_overlap: may collectives and sends of one rank that leave over the same links run at once?
 *
 * `unaware` gives each of them the whole bandwidth. Of each trace the dependencies say which nodes
 * of two groups, or of one, are not ordered: with several communication streams these may run at
 * once. Nodes of one group mostly follow each other, so that what is before a node, or behind it,
 * is known by counts: O((nodes + dependencies) x groups of a trace).
 *
 * What they may cost each other is at most what the lesser of them takes alone. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/load_traffic.h"

#include <math.h>

enum { MOST_USERS = 24 }; /* of links; the others are not looked at */

struct user { /* a group, or all sends (NADI_NONE) */
    uint32_t group;
    uint32_t name;                /* by which its first node names it */
    uint32_t span[NADI_MAX_DIMS]; /* by dimension: members in a line */
    uint32_t *items;              /* its nodes, in topological order */
    size_t count, capacity;
};

struct overlap {
    const struct nadi_inputs *in;
    const struct nadi_trace *t;
    uint32_t rank; /* the first that has the trace */
    uint32_t *order;
    struct user users[MOST_USERS];
    uint32_t user_count;
    uint8_t *user_of;   /* by node; MOST_USERS: none */
    uint32_t *position; /* by node: among its user's */
    uint32_t *before;   /* by node and user: nodes of it that are before */
    uint32_t *behind;   /* the first of it that is behind */
    double *sum_ns;     /* by position of one user, and 1: until there, in one dimension */
};

/* ---- what a node puts on a dimension --------------------------------------------------------- */

static uint32_t span_of(const struct nadi_topology *t, const struct nadi_group *g, uint32_t d)
{
    uint32_t span = 1;
    const uint32_t at = nadi_topology_coordinate(t, nadi_group_member(g, 0), d);
    for (uint32_t i = 1; i < g->size; i++) {
        bool alone = nadi_topology_coordinate(t, nadi_group_member(g, i), d) != at;
        for (uint32_t e = 0; alone && e < t->dim_count; e++)
            alone = e == d || nadi_topology_coordinate(t, nadi_group_member(g, i), e) ==
                                  nadi_topology_coordinate(t, nadi_group_member(g, 0), e);
        span += alone;
    }
    return span;
}

/* What all but a share of the result costs a member in each of the dimensions, one by one. */
static double collective_ns(const struct overlap *o, uint32_t n, uint32_t d, const uint32_t *span)
{
    const enum nadi_collective_kind kind = (enum nadi_collective_kind)o->t->collective[n];
    const struct nadi_topology *t = &o->in->topology;
    const bool whole = kind == NADI_ALL_TO_ALL;
    double bytes = (double)o->t->bytes[n], members = 1;
    for (uint32_t e = 0; e < t->dim_count; e++)
        members *= span[e];
    bytes *= kind == NADI_ALL_GATHER ? members : 1; /* its size is a share */
    for (uint32_t e = 0; e < d && !whole; e++)
        bytes /= span[e];
    const double factor = fabs(nadi_collective_of(kind)->bus) * (span[d] - 1.0) / span[d];
    return bytes * factor / t->dims[d].bytes_per_ns;
}

static double send_ns(const struct overlap *o, uint32_t n, uint32_t d)
{
    const struct nadi_inputs *in = o->in;
    const struct nadi_trace_comm *comm = nadi_trace_comm(o->t, n);
    const struct nadi_topology *t = &in->topology;
    uint32_t peer = comm && (o->t->flags[n] & NADI_NODE_HAS_DST) ? comm->dst : o->rank;
    if (in->relative_peers)
        peer = nadi_relative_peer(o->rank, peer, in->rank_count);
    if (peer >= in->rank_count ||
        nadi_topology_coordinate(t, o->rank, d) == nadi_topology_coordinate(t, peer, d))
        return 0;
    return (double)o->t->bytes[n] / t->dims[d].bytes_per_ns;
}

static double node_ns(const struct overlap *o, uint32_t n, uint32_t d, const uint32_t *span)
{
    if (o->t->type[n] == NADI_NODE_SEND)
        return send_ns(o, n, d);
    return span[d] > 1 ? collective_ns(o, n, d, span) : 0;
}

/* ---- what is before and behind ----------------------------------------------------------------
 */

/* False where nodes wait for each other in a circle. */
static bool order_nodes(struct overlap *o)
{
    const struct nadi_trace *t = o->t;
    uint32_t *waits = NADI_NEW(uint32_t, t->node_count), end = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        waits[n] = t->dep_start[n + 1] - t->dep_start[n];
        if (!waits[n])
            o->order[end++] = n;
    }
    for (uint32_t i = 0; i < end; i++)
        for (uint32_t k = t->child_start[o->order[i]]; k < t->child_start[o->order[i] + 1]; k++)
            if (--waits[t->children[k]] == 0)
                o->order[end++] = t->children[k];
    nadi_mem_free(waits);
    return end == t->node_count;
}

static uint32_t user_for(struct overlap *o, uint32_t group, uint32_t name)
{
    const struct nadi_topology *t = &o->in->topology;
    uint32_t u = 0;
    while (u < o->user_count && o->users[u].group != group)
        u++;
    if (u == o->user_count && u < MOST_USERS) {
        o->users[u] = (struct user){.group = group, .name = name};
        for (uint32_t d = 0; d < t->dim_count; d++)
            o->users[u].span[d] =
                group == NADI_NONE ? 1 : span_of(t, &o->in->groups.items[group], d);
        o->user_count++;
    }
    return u;
}

/* MOST_USERS: of none. */
static uint32_t find_user(struct overlap *o, uint32_t n)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(o->t, n);
    if (o->t->type[n] == NADI_NODE_SEND)
        return user_for(o, NADI_NONE, 0);
    if (o->t->type[n] != NADI_NODE_COLL)
        return MOST_USERS;
    const uint32_t name = comm && comm->group != NADI_NONE ? comm->group : 0;
    for (uint32_t u = 0; u < o->user_count; u++)
        if (o->users[u].group != NADI_NONE && o->users[u].name == name)
            return u;
    const uint32_t group =
        nadi_groups_resolve(&o->in->groups, nadi_trace_string(o->t, name), o->rank);
    return group == NADI_NONE ? MOST_USERS : user_for(o, group, name);
}

static void find_users(struct overlap *o)
{
    for (uint32_t i = 0; i < o->t->node_count; i++) {
        const uint32_t n = o->order[i], u = find_user(o, n);
        o->user_of[n] = (uint8_t)u;
        if (u == MOST_USERS)
            continue;
        o->position[n] = (uint32_t)o->users[u].count;
        NADI_PUSH(&o->users[u], n);
    }
}

static void look_back(struct overlap *o)
{
    const struct nadi_trace *t = o->t;
    const uint32_t users = o->user_count;
    for (uint32_t i = 0; i < t->node_count; i++) {
        const uint32_t n = o->order[i];
        uint32_t *own = &o->before[(size_t)n * users];
        memset(own, 0, users * sizeof(*own));
        for (uint32_t k = t->dep_start[n]; k < t->dep_start[n + 1]; k++) {
            const uint32_t dep = t->deps[k], *theirs = &o->before[(size_t)dep * users];
            for (uint32_t u = 0; u < users; u++)
                own[u] = theirs[u] > own[u] ? theirs[u] : own[u];
            const uint32_t u = o->user_of[dep];
            if (u < MOST_USERS && o->position[dep] + 1 > own[u])
                own[u] = o->position[dep] + 1;
        }
    }
}

static void look_ahead(struct overlap *o)
{
    const struct nadi_trace *t = o->t;
    const uint32_t users = o->user_count;
    for (uint32_t i = t->node_count; i-- > 0;) {
        const uint32_t n = o->order[i];
        uint32_t *own = &o->behind[(size_t)n * users];
        for (uint32_t u = 0; u < users; u++)
            own[u] = (uint32_t)o->users[u].count;
        for (uint32_t k = t->child_start[n]; k < t->child_start[n + 1]; k++) {
            const uint32_t child = t->children[k], *theirs = &o->behind[(size_t)child * users];
            for (uint32_t u = 0; u < users; u++)
                own[u] = theirs[u] < own[u] ? theirs[u] : own[u];
            const uint32_t u = o->user_of[child];
            if (u < MOST_USERS && o->position[child] < own[u])
                own[u] = o->position[child];
        }
    }
}

/* ---- what shares links
 * -------------------------------------------------------------------------------
 */

static void add_up(struct overlap *o, const struct user *one, uint32_t d)
{
    o->sum_ns[0] = 0;
    for (size_t i = 0; i < one->count; i++)
        o->sum_ns[i + 1] = o->sum_ns[i] + node_ns(o, one->items[i], d, one->span);
}

/* Of user b's nodes in the dimension what may run beside nodes of a: by node the lesser. */
static double beside(struct overlap *o, uint32_t a, uint32_t b, uint32_t d)
{
    const struct user *one = &o->users[a], *other = &o->users[b];
    double ns = 0;
    add_up(o, one, d);
    if (!(o->sum_ns[one->count] > 0))
        return 0;
    for (size_t i = 0; i < other->count; i++) {
        const size_t n = other->items[i];
        const uint32_t first = o->before[n * o->user_count + a];
        const uint32_t end = o->behind[n * o->user_count + a];
        if (end > first)
            ns += fmin(node_ns(o, other->items[i], d, other->span),
                       o->sum_ns[end] - o->sum_ns[first]);
    }
    return ns;
}

/* Of a user's nodes in the dimension what may run beside others of its own, by pair the lesser:
 * sends, and collectives where several chunks may be in a dimension at a time. */
static double within(struct overlap *o, uint32_t a, uint32_t d)
{
    const struct user *one = &o->users[a];
    const struct nadi_system_config *c = &o->in->system;
    double ns = 0;
    if (one->group != NADI_NONE && c->active_chunks <= 1 && c->queues_per_dim <= 1)
        return 0;
    add_up(o, one, d);
    for (size_t i = 0; i < one->count; i++) {
        const size_t n = one->items[i];
        const double own = o->sum_ns[i + 1] - o->sum_ns[i];
        const uint32_t first = o->before[n * o->user_count + a];
        const uint32_t end = o->behind[n * o->user_count + a];
        if (end > first + 1)
            ns += fmin(own, o->sum_ns[end] - o->sum_ns[first] - own) / 2;
    }
    return ns;
}

/* The most of a dimension; all of them in *all_ns. */
static uint32_t find_shared(struct overlap *o, double *all_ns)
{
    uint32_t worst = 0;
    double most = 0;
    *all_ns = 0;
    for (uint32_t d = 0; d < o->in->topology.dim_count; d++) {
        double here = 0;
        for (uint32_t a = 0; a < o->user_count; a++) {
            here += within(o, a, d);
            for (uint32_t b = a + 1; b < o->user_count; b++)
                here += fmin(beside(o, a, b, d), beside(o, b, a, d));
        }
        *all_ns += here;
        if (here > most) {
            most = here;
            worst = d;
        }
    }
    return worst;
}

static const char *look_at(struct nadi_load *l, struct overlap *o)
{
    struct nadi_str text = NADI_STR_INIT;
    double ns = 0;
    if (!order_nodes(o))
        return NULL;
    find_users(o);
    if (o->user_count == 0)
        return NULL;
    o->before = NADI_NEW(uint32_t, (size_t)o->t->node_count * o->user_count);
    o->behind = NADI_NEW(uint32_t, (size_t)o->t->node_count * o->user_count);
    look_back(o);
    look_ahead(o);
    const uint32_t dim = find_shared(o, &ns);
    const double computing = nadi_load_computing_ns(o->in, o->t);
    if (!(ns > NADI_SHARING_MATTERS * computing))
        return NULL;
    nadi_str_printf(
        &text, "transfers of a rank that may run at once share its links of dimension %" PRIu32,
        dim);
    if (computing > 0)
        nadi_str_printf(&text, ", up to %.0f %% of the time of its computation",
                        100 * ns / computing);
    const char *kept = nadi_arena_strdup(&l->in->arena, nadi_str_get(&text));
    nadi_str_release(&text);
    return kept;
}

static void release(struct overlap *o)
{
    for (uint32_t u = 0; u < o->user_count; u++)
        nadi_mem_free(o->users[u].items);
    nadi_mem_free(o->order);
    nadi_mem_free(o->user_of);
    nadi_mem_free(o->position);
    nadi_mem_free(o->before);
    nadi_mem_free(o->behind);
    nadi_mem_free(o->sum_ns);
}

const char *nadi_load_overlap(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    const char *why = NULL;
    if (in->system.comm_streams < 2)
        return NULL;
    uint32_t *trace = NADI_NEW(uint32_t, in->rank_count);
    bool *seen = NADI_ZNEW(bool, in->owned_count);
    nadi_trace_numbers(in, trace);
    for (uint32_t r = 0; r < in->rank_count && !why; r++) {
        const struct nadi_trace *t = in->owned[trace[r]];
        if (seen[trace[r]] || t->node_count == 0)
            continue;
        seen[trace[r]] = true;
        struct overlap o = {
            .in = in,
            .t = t,
            .rank = r,
            .order = NADI_NEW(uint32_t, t->node_count),
            .user_of = NADI_NEW(uint8_t, t->node_count),
            .position = NADI_NEW(uint32_t, t->node_count),
            .sum_ns = NADI_NEW(double, (size_t)t->node_count + 1),
        };
        why = look_at(l, &o);
        release(&o);
    }
    nadi_mem_free(trace);
    nadi_mem_free(seen);
    return why;
}
