/* participants: who takes part in a phase of a step generator, by member of the operation.
 *
 * The phase's rings run the same program; where switches take part, those of a graph may be joined
 * in different ways, and then each ring has a program of its own. Switches stand behind the
 * members: those of ring 0, of ring 1 ... */
#include "collective/program.h"

#include "base/search.h"
#include "executor/participants.h"

static uint32_t ring_of(const struct nadi_phase *p, uint32_t member)
{
    return member / (p->stride * p->n) * p->stride + member % p->stride;
}

/* The ring's first member. */
static uint32_t base_of(const struct nadi_phase *p, uint32_t ring)
{
    return ring / p->stride * (p->stride * p->n) + ring % p->stride;
}

static uint32_t rank_of(const struct nadi_participants *c, uint32_t member)
{
    return c->group ? c->group[member] : member;
}

static const struct nadi_program *make_program(struct nadi_system *s,
                                               const struct nadi_participants *c, uint32_t ring)
{
    const struct nadi_phase *p = c->phase;
    struct nadi_program *program = NADI_ARENA_NEW(&s->arena, struct nadi_program, 1);
    uint32_t *ranks = NADI_NEW(uint32_t, p->n);
    for (uint32_t i = 0; i < p->n; i++)
        ranks[i] = rank_of(c, base_of(p, ring) + i * p->stride);
    const struct nadi_program_place place = {
        .topology = s->setup.topology, .graph = s->setup.graph, .ranks = ranks, .arena = &s->arena};
    const char *refused = nadi_program_of_phase(p, &place, program);
    nadi_mem_free(ranks);
    if (refused)
        NADI_BUG("%s: %s", p->program->name, refused);
    return program;
}

static struct nadi_participants *make(struct nadi_system *s, const struct nadi_phase *p,
                                      const struct operation *op)
{
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    struct nadi_participants *c = NADI_ARENA_ZNEW(&s->arena, struct nadi_participants, 1);
    c->phase = p;
    c->members = c->all = g->size;
    c->group = op->plan->world ? NULL : g->members;
    c->program = make_program(s, c, 0);
    if (c->program->switches == 0)
        return c;
    const uint32_t rings = c->members / p->n;
    c->first_switch = NADI_ARENA_NEW(&s->arena, uint32_t, (size_t)rings + 1);
    if (c->program->request.trees)
        c->by_ring = NADI_ARENA_NEW(&s->arena, const struct nadi_program *, rings);
    for (uint32_t r = 0; r < rings; r++) {
        c->first_switch[r] = c->all;
        if (c->by_ring)
            c->by_ring[r] = r ? make_program(s, c, r) : c->program;
        c->all += c->by_ring ? c->by_ring[r]->switches : c->program->switches;
        if (c->by_ring && c->by_ring[r]->queues > c->program->queues)
            c->program = c->by_ring[r];
    }
    c->first_switch[rings] = c->all;
    return c;
}

/* Kept for further streams that run the same phase for the same group. */
static const struct nadi_participants *participants_of(struct nadi_system *s, uint32_t stream,
                                                       uint32_t phase)
{
    const struct stream *x = &s->streams.items[stream];
    const struct operation *op = &s->operations.items[x->operation];
    const struct nadi_phase *p = &x->phases[phase];
    for (size_t i = s->participants.count; i-- > 0;)
        if (s->participants.items[i].phase == p && s->participants.items[i].group == op->view.group)
            return s->participants.items[i].participants;
    const struct nadi_participants_entry key = {p, op->view.group, make(s, p, op)};
    NADI_PUSH(&s->participants, key);
    return key.participants;
}

const struct nadi_participants *nadi_participants_take(struct nadi_system *s, uint32_t stream,
                                                       uint32_t phase)
{
    const struct nadi_participants *shared = participants_of(s, stream, phase);
    const struct stream *x = &s->streams.items[stream];
    const struct operation *op = &s->operations.items[x->operation];
    if (!op->sizes)
        return shared;
    struct nadi_participants *c = NADI_NEW(struct nadi_participants, 1);
    *c = *shared;
    c->own = NADI_NEW(struct nadi_program, 1);
    *c->own = *shared->program;
    c->own->request.sizes = op->sizes;
    c->own->request.sizes_parts = op->view.chunks;
    c->own->request.sizes_part = x->chunk;
    c->program = c->own;
    return c;
}

void nadi_participants_give(const struct nadi_participants *c)
{
    if (!c->own)
        return;
    nadi_mem_free(c->own);
    nadi_mem_free((void *)(uintptr_t)c);
}

void nadi_participants_release(struct nadi_system *s)
{
    nadi_mem_free(s->participants.items);
}

/* Whose switch a member is. O(log rings). */
static uint32_t ring_of_switch(const struct nadi_participants *c, uint32_t member)
{
    NADI_BISECT(uint32_t, after, 1, c->members / c->phase->n, i, c->first_switch[i] <= member);
    return after - 1;
}

uint32_t nadi_participants_local(const struct nadi_participants *c, uint32_t member)
{
    if (member < c->members)
        return nadi_phase_local(c->phase, member);
    return c->phase->n + member - c->first_switch[ring_of_switch(c, member)];
}

uint32_t nadi_participants_member(const struct nadi_participants *c, uint32_t member,
                                  uint32_t local)
{
    const struct nadi_phase *p = c->phase;
    if (member < c->members && local < p->n)
        return member - nadi_phase_local(p, member) * p->stride + local * p->stride;
    const uint32_t ring = member < c->members ? ring_of(p, member) : ring_of_switch(c, member);
    return local < p->n ? base_of(p, ring) + local * p->stride
                        : c->first_switch[ring] + local - p->n;
}

const struct nadi_program *nadi_participants_program(const struct nadi_participants *c,
                                                     uint32_t member)
{
    if (!c->by_ring)
        return c->program;
    return c->by_ring[member < c->members ? ring_of(c->phase, member) : ring_of_switch(c, member)];
}

/* Number of the switch as the network has it. */
static uint32_t switch_of(const struct nadi_system *s, const struct nadi_participants *c,
                          uint32_t member)
{
    const struct nadi_switch_trees *t = nadi_participants_program(c, member)->request.trees;
    if (!t)
        return 0;
    const uint32_t node = t->node[member - c->first_switch[ring_of_switch(c, member)]];
    const struct nadi_graph *g = s->setup.graph;
    NADI_BISECT(uint32_t, at, 0, g->switch_count - 1, i, g->switches[i] < node);
    return at;
}

static uint32_t end_of(const struct nadi_system *s, const struct nadi_participants *c,
                       uint32_t member)
{
    return member < c->members ? rank_of(c, member) : s->rank_count + switch_of(s, c, member);
}

/* The link between a node and the switch above it. */
static uint32_t link_of(const struct nadi_system *s, const struct nadi_participants *c,
                        uint32_t queue, uint32_t below, bool down)
{
    const struct nadi_program *p = nadi_participants_program(c, below);
    const struct nadi_switch_trees *t = p->request.trees;
    if (!t)
        return nadi_network_switch_link(s->setup.topology, p->dim, rank_of(c, below), down);
    const uint32_t tree = queue / (p->queues / t->count);
    return t->channel[nadi_switch_edge(t, tree, nadi_participants_local(c, below))] ^ down;
}

void nadi_participants_address(struct nadi_system *s, const struct nadi_participants *c,
                               uint32_t queue, uint32_t from, uint32_t to,
                               struct nadi_message *message)
{
    message->src = end_of(s, c, from);
    message->dst = end_of(s, c, to);
    if (from < c->members && to < c->members) {
        message->route = nadi_network_route(s->network, message->src, message->dst);
        return;
    }
    const struct nadi_program *p = nadi_participants_program(c, from);
    const uint32_t tree = p->request.trees ? queue / (p->queues / p->request.trees->count) : 0;
    const uint32_t above =
        nadi_switch_parent(p->request.trees, p->request.n, tree, nadi_participants_local(c, from));
    const bool up = above == nadi_participants_local(c, to);
    /* a table's steps say themselves what goes the other way */
    const bool shares = p->request.kind == NADI_ALL_REDUCE && !p->request.table;
    message->shared_by = shares ? p->request.n : 0;
    message->route = nadi_network_over(s->network, link_of(s, c, queue, up ? from : to, !up));
}

uint64_t nadi_participants_leaving_ns(const struct nadi_system *s,
                                      const struct nadi_message *message, uint64_t bytes)
{
    const struct nadi_topology *t = s->setup.topology;
    uint32_t d = 0; /* the lowest in which they differ is charged */
    while (d + 1 < t->dim_count && nadi_topology_coordinate(t, message->src, d) ==
                                       nadi_topology_coordinate(t, message->dst, d))
        d++;
    return nadi_ns_trunc((double)bytes / t->dims[d].bytes_per_ns);
}

nadi_time nadi_participants_reduce_time(const struct nadi_system *s,
                                        const struct nadi_participants *c, uint32_t member,
                                        bool reduces, uint64_t bytes)
{
    if (member < c->members)
        return reduces ? nadi_reduce_time(s->config->local_mem_bw, bytes, s->config->exact) : 0;
    const struct nadi_program *p = nadi_participants_program(c, member);
    if (p->ops->stores)
        return reduces ? nadi_time_from_ns(NADI_SWITCH_STORE_NS) : 0;
    const struct nadi_switch_trees *t = p->request.trees;
    const struct nadi_dim *dim = t ? NULL : &s->setup.topology->dims[p->dim];
    const struct nadi_graph_node *node =
        t ? &s->setup.graph->nodes[t->node[nadi_participants_local(c, member) - p->request.n]]
          : NULL;
    double ns = t ? node->in_switch_latency_ns : dim->in_switch_latency_ns;
    if (reduces)
        ns += (double)bytes / (t ? node->in_switch_bytes_per_ns : dim->in_switch_bytes_per_ns);
    return s->config->exact ? nadi_time_of_ns(ns) : nadi_time_from_ns(nadi_ns_trunc(ns));
}
