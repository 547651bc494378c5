/* Ways through random graphs and random products of dimensions: they lead from link to link from
 * the source to the destination, over switches only and over nothing that is down; they are as long
 * as a breadth-first search says where the scheme promises that; they are the same when asked
 * again; arithmetic in a product finds what tables find. */
#include "platform/routing.h"
#include "base/mem.h"
#include "base/rng.h"
#include "platform/graph_dims.h"
#include "support/between.h"
#include "support/pins.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 400, PAIRS = 12 };

static void random_graph(struct nadi_graph *g, struct nadi_rng *rng)
{
    const uint32_t switches = (uint32_t)rng_between(rng, 1, 12);
    const uint32_t hosts = (uint32_t)rng_between(rng, 2, 12);
    for (uint32_t i = 0; i < switches; i++) {
        const uint32_t n = nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
        if (nadi_rng_below(rng, 4) == 0)
            g->nodes[n].forward_bits_s = 1000;
    }
    for (uint32_t i = 0; i < hosts; i++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    const uint32_t links = switches + hosts + (uint32_t)nadi_rng_below(rng, 20);
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t a =
            i < hosts ? switches + i : (uint32_t)nadi_rng_below(rng, switches + hosts);
        const uint32_t b = (uint32_t)nadi_rng_below(rng, i < hosts ? switches : switches + hosts);
        if (a != b)
            nadi_graph_add_link(
                g, (struct nadi_graph_link){
                       .a = a, .b = b, .bits_per_s = 1000, .one_way = nadi_rng_below(rng, 8) == 0});
    }
    nadi_graph_finish(g);
}

static void random_product(struct nadi_graph *g, struct nadi_rng *rng)
{
    struct nadi_topology t = {.dim_count = (uint32_t)rng_between(rng, 1, 3)};
    uint32_t parallel_cables[NADI_MAX_DIMS];
    for (uint32_t d = 0; d < t.dim_count; d++) {
        t.dims[d] = (struct nadi_dim){.npus = (uint32_t)rng_between(rng, 1, 6),
                                      .bytes_per_ns = 1,
                                      .oversubscription = (double)rng_between(rng, 1, 2)};
        nadi_dim_set_kind(&t.dims[d], (uint32_t)nadi_rng_below(rng, 6), rng_between(rng, 0, 3));
        if (t.dims[d].kind != NADI_DIM_MESH && t.dims[d].kind != NADI_DIM_TORUS)
            t.dims[d].axes = 1;
        parallel_cables[d] = (uint32_t)rng_between(rng, 1, 2);
    }
    assert_true(nadi_topology_finish(&t));
    const struct nadi_graph_grid grid = {
        .shape = &t,
        .hosts = (uint32_t)rng_between(rng, 1, 2),
        .parallel_cables = parallel_cables,
        .host_bits_per_s = 1000,
        .router_role = "router",
    };
    nadi_graph_from_grid(g, &grid);
    assert_true(g->link_count == nadi_graph_grid_links(&grid));
}

/* Follows the way; the number of its links. */
static uint32_t follow(const struct nadi_graph *g, const struct nadi_route *route, uint32_t src,
                       uint32_t dst, const bool *down)
{
    uint32_t at = g->hosts[src], links = 0;
    bool charged = false; /* the node's own channel was passed */
    for (size_t i = 0; i < route->count; i++) {
        const uint32_t c = route->items[i];
        uint32_t from, to;
        assert_true(c < nadi_graph_channel_count(g));
        nadi_graph_channel_ends(g, c, &from, &to);
        assert_int_equal(from, at);
        if (!nadi_graph_channel_is_link(g, c)) {
            assert_int_equal(nadi_graph_node_channel(g, at), c);
            assert_false(charged);
            charged = true;
            continue;
        }
        assert_false(down && down[c / 2]);
        assert_false(g->links[c / 2].one_way && (c & 1));
        if (links > 0) {
            assert_int_equal(g->nodes[at].kind, NADI_GRAPH_SWITCH);
            assert_true(charged == (g->nodes[at].forward_bits_s > 0));
        }
        charged = false;
        at = to;
        links++;
    }
    assert_int_equal(at, g->hosts[dst]);
    return links;
}

/* Breadth first forwards over what is up. */
static uint32_t shortest(const struct nadi_graph *g, uint32_t src, uint32_t dst, const bool *down)
{
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    uint32_t found = 0;
    memset(distance, 0xff, g->node_count * sizeof(*distance));
    distance[g->hosts[src]] = 0;
    queue[found++] = g->hosts[src];
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = queue[i];
        if (i > 0 && g->nodes[node].kind == NADI_GRAPH_HOST)
            continue;
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            if (down[g->ports[p].link] || !nadi_graph_sends(g, node, p) ||
                distance[peer] != NADI_NONE)
                continue;
            distance[peer] = distance[node] + 1;
            queue[found++] = peer;
        }
    }
    const uint32_t hops = distance[g->hosts[dst]];
    nadi_mem_free(distance);
    nadi_mem_free(queue);
    return hops;
}

static void check_order(const struct nadi_graph *g, const struct nadi_route *route)
{
    uint32_t last = 0;
    for (size_t i = 1; i + 1 < route->count; i++) {
        if (!nadi_graph_channel_is_link(g, route->items[i]))
            continue;
        assert_true(g->links[route->items[i] / 2].dim >= last);
        last = g->links[route->items[i] / 2].dim;
    }
}

static struct pins pins = PINS("routing", "ways", 10);

struct both { /* the same graph with tables and with arithmetic, where it has one */
    struct nadi_routing *r, *tables;
    struct nadi_route a, b;
};

static void check_pair(const struct nadi_graph *g, struct both *w, enum nadi_route_scheme scheme,
                       struct nadi_rng *rng, const bool *down)
{
    const uint32_t src = (uint32_t)nadi_rng_below(rng, g->host_count);
    const uint32_t dst =
        (src + 1 + (uint32_t)nadi_rng_below(rng, g->host_count - 1)) % g->host_count;
    const uint64_t flow = nadi_rng_below(rng, 5);
    const uint32_t hops = shortest(g, src, dst, down);
    assert_int_equal(nadi_routing_hops(w->r, src, dst), hops);
    if (hops == NADI_NONE) {
        assert_false(nadi_routing_find(w->r, src, dst, flow, &w->a));
        assert_true(w->a.count == 0);
        return;
    }
    assert_true(nadi_routing_find(w->r, src, dst, flow, &w->a));
    const uint32_t length = follow(g, &w->a, src, dst, down);
    for (size_t i = 0; i < w->a.count; i++)
        digest_u64(&pins.digest, w->a.items[i]);
    if (scheme < NADI_ROUTE_VALIANT)
        assert_int_equal(length, hops);
    else
        assert_true(length >= hops && length <= 2 * g->node_count);
    if (g->product && scheme <= NADI_ROUTE_DIMENSION_ORDER && w->tables)
        check_order(g, &w->a);
    const bool told = g->product && g->product->shape.dim_count == g->dim_count; /* by the links */
    if (w->tables &&
        (scheme == NADI_ROUTE_ECMP || (scheme == NADI_ROUTE_DIMENSION_ORDER && told))) {
        assert_true(nadi_routing_find(w->tables, src, dst, flow, &w->b));
        assert_true(w->a.count == w->b.count &&
                    memcmp(w->a.items, w->b.items, w->a.count * sizeof(uint32_t)) == 0);
    }
    assert_true(nadi_routing_find(w->r, src, dst, flow, &w->b));
    assert_true(w->a.count == w->b.count &&
                memcmp(w->a.items, w->b.items, w->a.count * sizeof(uint32_t)) == 0);
}

static void check_graph(struct nadi_graph *g, enum nadi_route_scheme scheme, struct nadi_rng *rng)
{
    bool *down = NADI_ZNEW(bool, g->link_count);
    double *loads = NADI_ZNEW(double, nadi_graph_channel_count(g));
    for (uint32_t c = 0; c < nadi_graph_channel_count(g); c++)
        loads[c] = (double)nadi_rng_below(rng, 4);
    const struct nadi_routing_config config = {
        .scheme = scheme,
        .seed = nadi_rng_below(rng, 100),
        .table_limit = nadi_rng_below(rng, 2) ? 0 : 1, /* 1 byte: tables are always dropped */
        .loads = loads,
    };
    struct nadi_graph bare = *g;
    bare.product = NULL;
    struct both w = {.r = nadi_routing_create(g, &config)};
    if (g->product)
        w.tables = nadi_routing_create(&bare, &config);
    for (uint32_t i = 0; i < PAIRS; i++)
        check_pair(g, &w, scheme, rng, down);
    nadi_routing_destroy(w.tables);
    w.tables = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t link = (uint32_t)nadi_rng_below(rng, g->link_count);
        down[link] = nadi_rng_below(rng, 3) > 0;
        nadi_routing_set_down(w.r, link, down[link]);
        for (uint32_t k = 0; k < PAIRS; k++)
            check_pair(g, &w, scheme, rng, down);
    }
    nadi_routing_destroy(w.r);
    nadi_mem_free(w.a.items);
    nadi_mem_free(w.b.items);
    nadi_mem_free(down);
    nadi_mem_free(loads);
}

static void ways(void **state)
{
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 1, "ways");
    for (uint32_t i = 0; i < CASES; i++) {
        struct nadi_graph g;
        nadi_graph_init(&g);
        if (i % 2)
            random_graph(&g, &rng);
        else
            random_product(&g, &rng);
        const enum nadi_route_scheme scheme =
            (enum nadi_route_scheme)rng_between(&rng, NADI_ROUTE_SHORTEST, NADI_ROUTE_ADAPTIVE);
        if (g.host_count > 1)
            check_graph(&g, scheme, &rng);
        pins_case(&pins, i);
        nadi_graph_release(&g);
    }
    assert_true(pins_end(&pins));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
