#include "platform/switch_trees.h"

#include "base/mem.h"
#include "base/search.h"

enum { MOST_TREES = 64 };

struct search {
    const struct nadi_graph *g;
    const uint32_t *ranks;
    uint32_t n;
    struct nadi_arena *arena;
    const char **why;
    uint32_t cable;        /* of every NPU, by which it enters the tree that is looked for */
    uint32_t tree, count;  /* its number, of so many */
    uint32_t *gate;        /* by member: channel by which it enters the tree, */
    uint32_t *gate_switch; /* to this node */
    uint32_t *distance;    /* by node, from the root on trial; NADI_NONE */
    uint32_t *above;       /* by node: channel towards the root */
    uint32_t *queue;
    uint32_t found; /* in queue */
};

static bool takes_part(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH && g->nodes[node].in_switch_bytes_per_ns > 0;
}

static bool both_ways(const struct nadi_graph *g, uint32_t port)
{
    return !g->links[g->ports[port].link].one_way;
}

/* The k-th cable of a host, or of the router on its board, to a switch that takes part; NADI_NONE
 * when there are no more. *port is an index of ports, at *at. */
static bool gate_of(const struct nadi_graph *g, uint32_t host, uint32_t k, uint32_t *at,
                    uint32_t *port)
{
    for (uint32_t p = g->first_port[host]; p < g->first_port[host + 1]; p++) {
        const uint32_t peer = g->ports[p].peer;
        if (g->links[g->ports[p].link].dim == NADI_NONE) {
            for (uint32_t r = g->first_port[peer]; r < g->first_port[peer + 1]; r++)
                if (takes_part(g, g->ports[r].peer) && both_ways(g, r) && k-- == 0) {
                    *at = peer;
                    *port = r;
                    return true;
                }
        } else if (takes_part(g, peer) && both_ways(g, p) && k-- == 0) {
            *at = host;
            *port = p;
            return true;
        }
    }
    return false;
}

static uint32_t gates_of(const struct nadi_graph *g, uint32_t host)
{
    uint32_t at, port, count = 0;
    while (count < MOST_TREES && gate_of(g, host, count, &at, &port))
        count++;
    return count;
}

/* Every member's cable number `cable`. */
static void find_gates(struct search *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t host = s->g->hosts[s->ranks[i]];
        uint32_t at, port;
        if (!gate_of(s->g, host, s->cable, &at, &port))
            NADI_BUG("a cable that was counted is not there");
        s->gate[i] = nadi_graph_channel(s->g, at, port);
        s->gate_switch[i] = s->g->ports[port].peer;
    }
}

/* From a switch over switches that take part, up to `most` links away. */
static void walk(struct search *s, uint32_t root, uint32_t most)
{
    const struct nadi_graph *g = s->g;
    for (uint32_t i = 0; i < s->found; i++)
        s->distance[s->queue[i]] = NADI_NONE;
    s->found = 0;
    s->queue[s->found++] = root;
    s->distance[root] = 0;
    s->above[root] = NADI_NONE;
    for (uint32_t i = 0; i < s->found && s->distance[s->queue[i]] < most; i++) {
        const uint32_t node = s->queue[i];
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            if (!takes_part(g, peer) || !both_ways(g, p))
                continue;
            if (s->distance[peer] == NADI_NONE) {
                s->distance[peer] = s->distance[node] + 1;
                s->queue[s->found++] = peer;
                s->above[peer] = nadi_graph_channel(g, node, p) ^ 1;
            }
        }
    }
}

/* Links from the switch to the member that is farthest; NADI_NONE: one is not reached. */
static uint32_t height_of(struct search *s, uint32_t root, uint32_t most)
{
    uint32_t height = 0;
    walk(s, root, most);
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t d = s->distance[s->gate_switch[i]];
        if (d == NADI_NONE)
            return NADI_NONE;
        height = d > height ? d : height;
    }
    return height;
}

struct candidates { /* switches by distance from the first member's */
    uint32_t *nodes, *away;
    uint32_t count;
};

/* The first one with the least height. Those at distance d have at least d, so that the search ends
 * where nothing lower can follow. */
static uint32_t least_height(struct search *s, const struct candidates *c, uint32_t *first)
{
    uint32_t least = NADI_NONE;
    for (uint32_t i = 0; i < c->count && c->away[i] < least; i++) {
        const uint32_t most = least == NADI_NONE ? NADI_NONE - 1 : least - 1;
        const uint32_t height = height_of(s, c->nodes[i], most);
        if (height >= least)
            continue;
        least = height;
        *first = i;
    }
    return least;
}

/* Among those on the first one's level that are as low groups take turns. */
static uint32_t turn_at(struct search *s, const struct candidates *c, uint32_t first,
                        uint32_t height)
{
    const uint32_t level = s->g->nodes[c->nodes[first]].level;
    uint32_t end = first, alike = 0;
    for (; end < c->count && c->away[end] == c->away[first]; end++)
        alike += s->g->nodes[c->nodes[end]].level == level;
    uint32_t turn = (s->ranks[0] + s->cable) % alike;
    for (uint32_t i = first; i < end; i++)
        if (s->g->nodes[c->nodes[i]].level == level && turn-- == 0)
            return height_of(s, c->nodes[i], height) == height ? c->nodes[i] : c->nodes[first];
    return c->nodes[first];
}

/* The root of the tree, with `above` towards it; NADI_NONE where there is none. */
static uint32_t find_root(struct search *s, uint32_t *height)
{
    walk(s, s->gate_switch[0], NADI_NONE - 1);
    struct candidates c = {.count = s->found};
    uint32_t root = NADI_NONE, first = 0;
    c.nodes = NADI_NEW(uint32_t, c.count);
    c.away = NADI_NEW(uint32_t, c.count);
    for (uint32_t i = 0; i < c.count; i++) {
        c.nodes[i] = s->queue[i];
        c.away[i] = s->distance[s->queue[i]];
    }
    *height = least_height(s, &c, &first);
    if (*height != NADI_NONE) {
        root = turn_at(s, &c, first, *height);
        walk(s, root, *height);
    }
    nadi_mem_free(c.nodes);
    nadi_mem_free(c.away);
    return root;
}

/* ---- what was found, as lists --------------------------------------------------------------- */

struct lists {
    struct {
        uint32_t *items;
        size_t count, capacity;
    } parent, channel, depth, tree, node, root; /* of switches: numbers from 0 */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } todo;                                         /* nodes of the graph, towards a root */
    uint32_t *npu_parent, *npu_channel, *npu_depth; /* [tree * n + member] */
    uint32_t *number;                               /* by node of the graph: its switch */
};

/* Of parallel cables trees take one after the other. */
static uint32_t turn_of(const struct search *s, uint32_t channel)
{
    const struct nadi_graph *g = s->g;
    uint32_t from, to, count = 0;
    nadi_graph_channel_ends(g, channel, &from, &to);
    for (uint32_t p = g->first_port[from]; p < g->first_port[from + 1]; p++)
        count += g->ports[p].peer == to && both_ways(g, p);
    uint32_t turn = s->tree % count;
    for (uint32_t p = g->first_port[from];; p++)
        if (g->ports[p].peer == to && both_ways(g, p) && turn-- == 0)
            return nadi_graph_channel(g, from, p);
}

/* The next switch towards the root; NADI_NONE: it is the root. */
static uint32_t switch_above(const struct search *s, uint32_t node)
{
    uint32_t from, to = NADI_NONE;
    if (s->above[node] != NADI_NONE)
        nadi_graph_channel_ends(s->g, s->above[node], &from, &to);
    return to;
}

static void add_switch(struct search *s, struct lists *l, uint32_t node)
{
    const bool is_root = s->above[node] == NADI_NONE;
    const uint32_t above = is_root ? NADI_NONE : l->number[switch_above(s, node)];
    const uint32_t channel = is_root ? NADI_NONE : turn_of(s, s->above[node]);
    l->number[node] = (uint32_t)l->node.count;
    NADI_PUSH(&l->parent, above);
    NADI_PUSH(&l->channel, channel);
    NADI_PUSH(&l->depth, s->distance[node]);
    NADI_PUSH(&l->tree, s->tree);
    NADI_PUSH(&l->node, node);
}

/* The switch's number, made after all that are above it: there may be many. */
static uint32_t take_switch(struct search *s, struct lists *l, uint32_t node)
{
    l->todo.count = 0;
    for (uint32_t n = node; n != NADI_NONE && l->number[n] == NADI_NONE; n = switch_above(s, n))
        NADI_PUSH(&l->todo, n);
    while (l->todo.count > 0)
        add_switch(s, l, l->todo.items[--l->todo.count]);
    return l->number[node];
}

static void take_tree(struct search *s, struct lists *l, uint32_t root)
{
    memset(l->number, 0xff, s->g->node_count * sizeof(*l->number));
    const uint32_t top = take_switch(s, l, root);
    NADI_PUSH(&l->root, top);
    for (uint32_t i = 0; i < s->n; i++) {
        const size_t e = (size_t)s->tree * s->n + i;
        l->npu_parent[e] = take_switch(s, l, s->gate_switch[i]);
        l->npu_channel[e] = s->gate[i];
        l->npu_depth[e] = s->distance[s->gate_switch[i]] + 1;
    }
}

/* Lists of those below a switch, by counting: `of` gives the next one above. */
static void list_children(struct nadi_switch_trees *t, struct nadi_arena *arena)
{
    const size_t edges = (size_t)t->count * t->n + t->switches;
    t->first_child = NADI_ARENA_ZNEW(arena, uint32_t, (size_t)t->switches + 1);
    t->children = NADI_ARENA_NEW(arena, uint32_t, edges);
    for (size_t e = 0; e < edges; e++)
        if (t->parent[e] != NADI_NONE)
            t->first_child[t->parent[e] - t->n + 1]++;
    for (uint32_t s = 0; s < t->switches; s++)
        t->first_child[s + 1] += t->first_child[s];
    uint32_t *fill = NADI_NEW(uint32_t, t->switches);
    memcpy(fill, t->first_child, t->switches * sizeof(*fill));
    for (size_t e = 0; e < edges; e++) {
        const bool npu = e < (size_t)t->count * t->n;
        const uint32_t node = npu ? (uint32_t)(e % t->n) : t->n + (uint32_t)(e - t->count * t->n);
        if (t->parent[e] != NADI_NONE)
            t->children[fill[t->parent[e] - t->n]++] = node;
    }
    nadi_mem_free(fill);
}

static void list_leaves(struct nadi_switch_trees *t, struct nadi_arena *arena)
{
    uint32_t total = 0;
    for (size_t e = 0; e < (size_t)t->count * t->n; e++)
        total += t->depth[e];
    t->first_leaf = NADI_ARENA_ZNEW(arena, uint32_t, (size_t)t->switches + 1);
    t->leaves = NADI_ARENA_NEW(arena, uint32_t, total);
    uint32_t *fill = NADI_ZNEW(uint32_t, (size_t)t->switches + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t tree = 0; tree < t->count; tree++)
            for (uint32_t i = 0; i < t->n; i++)
                for (uint32_t at = t->parent[nadi_switch_edge(t, tree, i)]; at != NADI_NONE;
                     at = t->parent[nadi_switch_edge(t, tree, at)]) {
                    if (pass == 0)
                        t->first_leaf[at - t->n + 1]++;
                    else
                        t->leaves[fill[at - t->n]++] = i;
                }
        for (uint32_t s = 0; pass == 0 && s < t->switches; s++)
            fill[s + 1] = t->first_leaf[s + 1] += t->first_leaf[s];
    }
    nadi_mem_free(fill);
}

static uint32_t *joined(struct nadi_arena *arena, const uint32_t *npus, size_t npu_count,
                        const uint32_t *switches, size_t switch_count)
{
    uint32_t *all = NADI_ARENA_NEW(arena, uint32_t, npu_count + switch_count);
    memcpy(all, npus, npu_count * sizeof(*all));
    memcpy(all + npu_count, switches, switch_count * sizeof(*all));
    return all;
}

static const struct nadi_switch_trees *make(const struct search *s, struct lists *l)
{
    struct nadi_switch_trees *t = NADI_ARENA_ZNEW(s->arena, struct nadi_switch_trees, 1);
    const size_t npus = (size_t)s->count * s->n, switches = l->node.count;
    t->n = s->n;
    t->count = s->count;
    t->switches = (uint32_t)switches;
    for (size_t e = 0; e < npus; e++) {
        l->npu_parent[e] += s->n;
        t->height = l->npu_depth[e] > t->height ? l->npu_depth[e] : t->height;
    }
    for (size_t i = 0; i < switches; i++)
        l->parent.items[i] += l->parent.items[i] == NADI_NONE ? 0 : s->n;
    for (size_t i = 0; i < s->count; i++)
        l->root.items[i] += s->n;
    t->parent = joined(s->arena, l->npu_parent, npus, l->parent.items, switches);
    t->channel = joined(s->arena, l->npu_channel, npus, l->channel.items, switches);
    t->depth = joined(s->arena, l->npu_depth, npus, l->depth.items, switches);
    t->tree = joined(s->arena, l->tree.items, switches, l->tree.items, 0);
    t->node = joined(s->arena, l->node.items, switches, l->node.items, 0);
    t->root = joined(s->arena, l->root.items, s->count, l->root.items, 0);
    list_children(t, s->arena);
    list_leaves(t, s->arena);
    return t;
}

/* A tree for each of the NPUs' cables whose tree is as low as any. */
static bool find_trees(struct search *s, struct lists *l, uint32_t cables)
{
    uint32_t least = NADI_NONE, heights[MOST_TREES];
    for (s->cable = 0; s->cable < cables; s->cable++) {
        find_gates(s);
        (void)find_root(s, &heights[s->cable]);
        least = heights[s->cable] < least ? heights[s->cable] : least;
    }
    if (least == NADI_NONE) {
        *s->why = "no tree of switches with an in-switch-bandwidth joins the members";
        return false;
    }
    for (uint32_t i = 0; i < cables; i++)
        s->count += heights[i] == least;
    const size_t npus = (size_t)s->count * s->n;
    l->npu_parent = NADI_NEW(uint32_t, npus);
    l->npu_channel = NADI_NEW(uint32_t, npus);
    l->npu_depth = NADI_NEW(uint32_t, npus);
    l->number = NADI_NEW(uint32_t, s->g->node_count);
    for (s->cable = 0; s->cable < cables; s->cable++) {
        if (heights[s->cable] > least)
            continue;
        find_gates(s);
        take_tree(s, l, find_root(s, &heights[s->cable]));
        s->tree++;
    }
    return true;
}

static void release(struct search *s, struct lists *l)
{
    nadi_mem_free(s->gate);
    nadi_mem_free(s->gate_switch);
    nadi_mem_free(s->distance);
    nadi_mem_free(s->above);
    nadi_mem_free(s->queue);
    nadi_mem_free(l->parent.items);
    nadi_mem_free(l->channel.items);
    nadi_mem_free(l->depth.items);
    nadi_mem_free(l->tree.items);
    nadi_mem_free(l->node.items);
    nadi_mem_free(l->root.items);
    nadi_mem_free(l->todo.items);
    nadi_mem_free(l->npu_parent);
    nadi_mem_free(l->npu_channel);
    nadi_mem_free(l->npu_depth);
    nadi_mem_free(l->number);
}

const struct nadi_switch_trees *nadi_switch_trees_find(const struct nadi_graph *g,
                                                       const uint32_t *ranks, uint32_t n,
                                                       struct nadi_arena *arena, const char **why)
{
    struct search s = {.g = g, .ranks = ranks, .n = n, .arena = arena, .why = why};
    struct lists l = {.number = NULL};
    const struct nadi_switch_trees *trees = NULL;
    uint32_t cables = MOST_TREES;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t gates = gates_of(g, g->hosts[ranks[i]]);
        cables = gates < cables ? gates : cables;
        if (gates == 0) {
            *why = nadi_arena_printf(
                arena, "rank %" PRIu32 " has no cable to a switch with an in-switch-bandwidth",
                ranks[i]);
            return NULL;
        }
    }
    s.gate = NADI_NEW(uint32_t, n);
    s.gate_switch = NADI_NEW(uint32_t, n);
    s.distance = NADI_NEW(uint32_t, g->node_count);
    memset(s.distance, 0xff, g->node_count * sizeof(*s.distance));
    s.above = NADI_NEW(uint32_t, g->node_count);
    s.queue = NADI_NEW(uint32_t, g->node_count);
    if (find_trees(&s, &l, cables))
        trees = make(&s, &l);
    release(&s, &l);
    return trees;
}

/* ---- questions ------------------------------------------------------------------------------- */

struct nadi_member_list nadi_switch_children(const struct nadi_switch_trees *t, uint32_t n,
                                             uint32_t node)
{
    if (!t)
        return (struct nadi_member_list){NULL, n};
    const uint32_t *first = &t->first_child[node - n];
    return (struct nadi_member_list){t->children + first[0], first[1] - first[0]};
}

struct nadi_member_list nadi_switch_leaves(const struct nadi_switch_trees *t, uint32_t n,
                                           uint32_t node)
{
    if (!t)
        return (struct nadi_member_list){NULL, n};
    const uint32_t *first = &t->first_leaf[node - n];
    return (struct nadi_member_list){t->leaves + first[0], first[1] - first[0]};
}

uint32_t nadi_switch_leaves_before(const struct nadi_member_list *leaves, uint32_t member)
{
    if (!leaves->items)
        return member;
    NADI_BISECT(uint32_t, low, 0, leaves->count, i, leaves->items[i] < member);
    return low;
}

uint32_t nadi_switch_towards(const struct nadi_switch_trees *t, uint32_t n, uint32_t tree,
                             uint32_t node, uint32_t member)
{
    uint32_t at = member;
    for (;;) {
        const uint32_t above = nadi_switch_parent(t, n, tree, at);
        if (above == node || above == NADI_NONE)
            return above == node ? at : NADI_NONE;
        at = above;
    }
}
