/* generator_clos: trees of switches with several parents; servers with switches of their own. */
#include "platform/generator_make.h"

/* A level-l switch (l from 1) is (subtree, copy): the subtree has down[0] * ... * down[l-1] NPUs,
 * and there are up[0] * ... * up[l-2] copies of its top. */
struct level {
    uint64_t subtrees, copies;
};

static struct level level_of(const struct nadi_generator *gen, uint32_t l)
{
    struct level level = {1, 1};
    for (uint32_t i = l; i < gen->levels; i++)
        level.subtrees = nadi_made_times(level.subtrees, gen->down[i]);
    for (uint32_t i = 0; i + 1 < l; i++)
        level.copies = nadi_made_times(level.copies, gen->up[i]);
    return level;
}

struct nadi_made nadi_count_clos(const struct nadi_generator *gen)
{
    struct nadi_made made = {.npus = 1};
    for (uint32_t i = 0; i < gen->levels; i++)
        made.npus = nadi_made_times(made.npus, gen->down[i]);
    made.links = made.npus;
    for (uint32_t l = 1; l <= gen->levels; l++) {
        const struct level level = level_of(gen, l);
        const uint64_t switches = nadi_made_times(level.subtrees, level.copies);
        made.switches += switches;
        if (l < gen->levels)
            made.links += nadi_made_times(nadi_made_times(switches, gen->up[l - 1]),
                                          gen->parallel_cables[l - 1]);
    }
    return made;
}

static const char *role_of(uint32_t level, uint32_t levels)
{
    static const char *const middle[] = {"aggregation",   "aggregation 2", "aggregation 3",
                                         "aggregation 4", "aggregation 5", "aggregation 6"};
    if (level == 1)
        return levels == 1 ? "switch" : "leaf";
    if (level == levels)
        return levels == 2 ? "spine" : "core";
    return levels == 3 ? "spine" : middle[level - 2];
}

void nadi_make_clos(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const uint64_t npus = nadi_count_clos(gen).npus;
    const uint64_t of_pod = npus / gen->down[gen->levels - 1];
    uint32_t below = 0; /* first node of the level below */
    nadi_make_hosts(g, npus, of_pod);
    for (uint32_t l = 1; l <= gen->levels; l++) {
        const struct level level = level_of(gen, l);
        const struct level lower = l > 1 ? level_of(gen, l - 1) : (struct level){npus, 1};
        const uint32_t first = g->node_count;
        uint32_t number = 0;
        for (uint32_t s = 0; s < level.subtrees; s++)
            for (uint32_t c = 0; c < level.copies; c++) {
                const bool top = l == gen->levels;
                const uint64_t pod = s / (level.subtrees / (top ? 1 : gen->down[gen->levels - 1]));
                nadi_make_switch(g, role_of(l, gen->levels), number++, l,
                                 top ? NADI_NONE : (uint32_t)pod);
            }
        /* Switch (s, c) above (t, b): t is a child of s, and c = b + copies below * j. */
        for (uint32_t t = 0; t < lower.subtrees; t++)
            for (uint32_t b = 0; b < lower.copies; b++)
                for (uint64_t c = b; c < level.copies; c += lower.copies) {
                    const uint32_t s = t / gen->down[l - 1];
                    nadi_make_cables(g, below + t * (uint32_t)lower.copies + b,
                                     first + s * (uint32_t)level.copies + (uint32_t)c,
                                     l == 1 ? &gen->host : &gen->uplink[l - 2],
                                     l == 1 ? 1 : gen->parallel_cables[l - 2], l - 1);
                }
        below = first;
    }
    g->alike = 1;
    nadi_graph_finish(g);
}

static uint32_t pods_of(const struct nadi_generator *gen)
{
    return (gen->nodes + gen->pod - 1) / gen->pod;
}

/* Without spines the only route to another rail is by way of an NPU of it: NPUs are routers then,
 * and with PXN. */
static bool forwards(const struct nadi_generator *gen)
{
    return gen->type == NADI_GENERATE_RAIL && (gen->spines == 0 || gen->pxn) && gen->nodes > 1 &&
           gen->npus > 1;
}

/* A router on the board of every NPU; returns the first. */
static uint32_t make_routers(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const struct nadi_generator_cable board = {.bytes_per_s = gen->scale_up.bytes_per_s +
                                                              gen->host.bytes_per_s};
    const uint32_t first = g->node_count;
    for (uint32_t npu = 0; npu < first; npu++) {
        nadi_make_switch(g, "router", npu, 0, npu / gen->npus);
        nadi_make_cables(g, npu, first + npu, &board, 1, NADI_NONE);
    }
    return first;
}

struct nadi_made nadi_count_rail(const struct nadi_generator *gen)
{
    const uint64_t npus = (uint64_t)gen->nodes * gen->npus;
    const uint64_t leaves = (uint64_t)pods_of(gen) * gen->npus;
    return (struct nadi_made){
        .npus = npus,
        .switches =
            (uint64_t)gen->nodes * gen->planes + leaves + gen->spines + (forwards(gen) ? npus : 0),
        .links = npus * gen->planes + npus + (forwards(gen) ? npus : 0) +
                 nadi_made_times(nadi_made_times(leaves, gen->spines), gen->parallel_cables[0]),
    };
}

/* The switches within server `s` and the cables of its NPUs, which begin at node `first`. */
static void make_server(struct nadi_graph *g, const struct nadi_generator *gen, uint32_t s,
                        uint32_t first)
{
    const struct nadi_generator_cable share = {
        .bytes_per_s = gen->scale_up.bytes_per_s / gen->planes,
        .latency_ns = gen->scale_up.latency_ns,
    };
    for (uint32_t plane = 0; plane < gen->planes; plane++) {
        const uint32_t sw = nadi_make_switch(g, "nvswitch", s * gen->planes + plane, 1, s);
        for (uint32_t i = 0; i < gen->npus; i++)
            nadi_make_cables(g, first + i, sw, &share, 1, 0);
    }
}

void nadi_make_rail(struct nadi_graph *g, const struct nadi_generator *gen)
{
    const uint32_t pods = pods_of(gen);
    nadi_make_hosts(g, (uint64_t)gen->nodes * gen->npus, gen->npus);
    const uint32_t first_npu = forwards(gen) ? make_routers(g, gen) : 0;
    for (uint32_t s = 0; s < gen->nodes; s++)
        make_server(g, gen, s, first_npu + s * gen->npus);
    const uint32_t first_leaf = g->node_count;
    for (uint32_t pod = 0; pod < pods; pod++)
        for (uint32_t rail = 0; rail < gen->npus; rail++)
            nadi_make_switch(g, "leaf", pod * gen->npus + rail, 2, NADI_NONE);
    const uint32_t first_spine = g->node_count;
    for (uint32_t i = 0; i < gen->spines; i++)
        nadi_make_switch(g, "spine", i, 3, NADI_NONE);
    for (uint32_t npu = 0; npu < gen->nodes * gen->npus; npu++) {
        const uint32_t pod = npu / gen->npus / gen->pod, rail = npu % gen->npus;
        nadi_make_cables(g, first_npu + npu, first_leaf + pod * gen->npus + rail, &gen->host, 1, 1);
    }
    for (uint32_t leaf = first_leaf; leaf < first_spine; leaf++)
        for (uint32_t i = 0; i < gen->spines; i++)
            nadi_make_cables(g, leaf, first_spine + i, &gen->uplink[0], gen->parallel_cables[0], 2);
    g->alike = gen->nodes % gen->pod == 0;
    nadi_graph_finish(g);
}

/* NICs of a server that serve several NPUs each; `port_of` gets their nodes. */
static void make_nics(struct nadi_graph *g, const struct nadi_generator *gen, uint32_t servers,
                      uint32_t *port_of)
{
    const uint32_t sharing = gen->npus / gen->nics;
    for (uint32_t i = 0; i < servers * gen->nics; i++) {
        port_of[i] = nadi_make_switch(g, "nic", i, 1, i / gen->nics);
        for (uint32_t k = 0; k < sharing; k++)
            nadi_make_cables(g, i * sharing + k, port_of[i], &gen->pcie, 1, 1);
    }
}

void nadi_make_servers(struct nadi_graph *g, const struct nadi_generator *gen,
                       const struct nadi_graph *between)
{
    const uint32_t servers = between ? between->host_count / gen->nics : 1;
    nadi_make_hosts(g, (uint64_t)servers * gen->npus, gen->npus);
    for (uint32_t s = 0; s < servers; s++)
        make_server(g, gen, s, s * gen->npus);
    if (!between) {
        nadi_graph_finish(g);
        return;
    }
    uint32_t *place = NADI_ARENA_NEW(&g->arena, uint32_t, between->node_count);
    uint32_t *port_of = NADI_ARENA_NEW(&g->arena, uint32_t, between->host_count);
    for (uint32_t i = 0; i < between->host_count; i++)
        port_of[i] = i; /* every NPU has a NIC of its own */
    if (gen->nics < gen->npus)
        make_nics(g, gen, servers, port_of);
    for (uint32_t n = 0; n < between->node_count; n++) {
        const struct nadi_graph_node *node = &between->nodes[n];
        if (node->kind == NADI_GRAPH_HOST) {
            place[n] = port_of[node->host];
            continue;
        }
        place[n] = nadi_make_switch(g, node->role, node->number, node->level + 1, NADI_NONE);
        g->nodes[place[n]].forward_bits_s = node->forward_bits_s;
    }
    for (uint32_t i = 0; i < between->link_count; i++) {
        struct nadi_graph_link link = between->links[i];
        link.a = place[link.a];
        link.b = place[link.b];
        if (link.dim != NADI_NONE && link.dim + 1 < NADI_MAX_DIMS)
            link.dim++;
        nadi_graph_add_link(g, link);
    }
    nadi_graph_finish(g);
}
