#include "sim/components.h"

#include "base/join.h"
#include "base/mem.h"
#include "collective/plan.h"

enum {
    MOST_COMPONENTS = 256
}; /* about; more may be alike (sim/likes.h), each costs its beginning */

struct list {
    uint32_t *items;
    size_t count, capacity;
};

struct left { /* of an actor, with the names of one trace */
    const struct nadi_trace *trace;
    struct list groups, peers; /* names; as written */
};

struct search {
    const struct nadi_inputs *in;
    const struct nadi_workload *stopped;
    uint32_t *above;    /* by rank: union-find */
    uint32_t *joins;    /* by group: a rank that has it left; NADI_NONE */
    struct left *lefts; /* by actor */
};

static void add_once(struct list *list, uint32_t value)
{
    for (size_t i = list->count; i-- > 0;)
        if (list->items[i] == value)
            return;
    NADI_PUSH(list, value);
}

static void find_left(const struct search *s, uint32_t actor, const struct nadi_trace *t)
{
    struct left *left = &s->lefts[actor];
    left->trace = t;
    left->groups.count = left->peers.count = 0;
    for (uint32_t n = nadi_workload_first_left(s->stopped, actor); n < t->node_count; n++) {
        enum nadi_native_kind kind;
        const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
        if (!comm || !nadi_workload_is_left(s->stopped, actor, n))
            continue;
        if (t->type[n] == NADI_NODE_SEND)
            add_once(&left->peers, comm->dst);
        else if (t->type[n] == NADI_NODE_RECV)
            add_once(&left->peers, comm->src);
        else if (t->type[n] == NADI_NODE_COLL &&
                 nadi_native_in(s->in->system.native, (enum nadi_collective_kind)t->collective[n],
                                &kind))
            add_once(&left->groups, comm->group);
    }
}

static void join_rank(struct search *s, uint32_t rank, uint32_t actor)
{
    const struct nadi_trace *t = s->in->traces[rank];
    struct left *left = &s->lefts[actor];
    if (left->trace != t)
        find_left(s, actor, t);
    for (size_t i = 0; i < left->groups.count; i++) {
        uint32_t name = left->groups.items[i];
        uint32_t group = name == NADI_NONE ? 0
                                           : nadi_groups_resolve(&s->in->groups,
                                                                 nadi_trace_string(t, name), rank);
        if (s->joins[group] == NADI_NONE)
            s->joins[group] = rank;
        nadi_join(s->above, rank, s->joins[group]);
    }
    for (size_t i = 0; i < left->peers.count; i++) {
        uint32_t peer = left->peers.items[i];
        if (s->in->relative_peers)
            peer = nadi_relative_peer(rank, peer, s->in->rank_count);
        nadi_join(s->above, rank, peer);
    }
}

/* Components in order of their lowest ranks; then several small ones become one. */
static struct nadi_components list_components(struct search *s)
{
    uint32_t n = s->in->rank_count, count = 0, large = n / MOST_COMPONENTS + 1;
    uint32_t *number = NADI_NEW(uint32_t, n), *sizes = NADI_ZNEW(uint32_t, n);
    struct nadi_components c = {.ranks = NADI_NEW(uint32_t, n)};
    for (uint32_t r = 0; r < n; r++) /* a root is its component's lowest rank */
        sizes[nadi_joined(s->above, r)]++;
    c.start = NADI_ZNEW(uint32_t, (size_t)n + 1);
    for (uint32_t r = 0; r < n; r++) {
        if (s->above[r] == r) {
            if (count == 0 || c.start[count] >= large)
                count++;
            c.start[count] += sizes[r];
            number[r] = count - 1;
        } else
            number[r] = number[nadi_joined(s->above, r)];
    }
    c.count = count;
    for (uint32_t i = 0; i < count; i++)
        c.start[i + 1] += c.start[i];
    memcpy(sizes, c.start, count * sizeof(*sizes));
    for (uint32_t r = 0; r < n; r++)
        c.ranks[sizes[number[r]]++] = r;
    nadi_mem_free(number);
    nadi_mem_free(sizes);
    return c;
}

struct nadi_components nadi_components_find(const struct nadi_inputs *in,
                                            const struct nadi_workload *stopped,
                                            const struct nadi_fold *fold)
{
    struct search s = {.in = in, .stopped = stopped};
    s.above = NADI_NEW(uint32_t, in->rank_count);
    s.joins = NADI_NEW(uint32_t, in->groups.count);
    s.lefts = NADI_ZNEW(struct left, fold->actor_count);
    memset(s.joins, 0xff, in->groups.count * sizeof(*s.joins));
    for (uint32_t r = 0; r < in->rank_count; r++)
        s.above[r] = r;
    for (uint32_t r = 0; r < in->rank_count; r++)
        join_rank(&s, r, fold->actor_of[r]);
    struct nadi_components c = list_components(&s);
    for (uint32_t a = 0; a < fold->actor_count; a++) {
        nadi_mem_free(s.lefts[a].groups.items);
        nadi_mem_free(s.lefts[a].peers.items);
    }
    nadi_mem_free(s.lefts);
    nadi_mem_free(s.joins);
    nadi_mem_free(s.above);
    return c;
}

void nadi_components_release(struct nadi_components *c)
{
    nadi_mem_free(c->start);
    nadi_mem_free(c->ranks);
    *c = (struct nadi_components){0};
}
