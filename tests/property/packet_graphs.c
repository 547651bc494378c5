/* Packets on drawn networks of every kind that `flow` takes: generators, dimensions, graphs with
 * one-way links and nodes that forward only so much. A long message alone takes what it takes in
 * `flow` and its headers; of an exchange among all, with small buffers, nothing is lost, and
 * nothing waits for ever, whatever circles the ways make. */
#include "base/mem.h"
#include "network/network.h"
#include "platform/generator_words.h"
#include "platform/graph_dims.h"
#include "platform/graph_file.h"

#include "support/between.h"
#include "support/packet_case.h"
#include "support/pins.h"

#include <setjmp.h>

#include <cmocka.h>

enum { ALONE = 120, EXCHANGES = 60, MOST_HOSTS = 24 };

#define HEADERS (4158.0 / 4096) /* bytes on the wire a byte of payload */
#define ANSWERS (66.0 / 4096)   /* and those of the ACKs, where they share the way */

struct drawn {
    struct packet_case c;
    char what[200];
    bool shares; /* ACKs may go where data go */
};

static uint32_t between(struct nadi_rng *rng, uint32_t low, uint32_t high)
{
    return (uint32_t)rng_between(rng, low, high);
}

static void draw_words(char *text, size_t bytes, struct nadi_rng *rng)
{
    const uint32_t a = between(rng, 2, 3), b = between(rng, 2, 4), c = between(rng, 1, 2);
    switch (nadi_rng_below(rng, 14)) {
    case 0:
        snprintf(text, bytes, "fat-tree k=4 levels=%u lanes=%u", a, c);
        return;
    case 1:
        snprintf(text, bytes, "fat-tree k=6 levels=2 oversubscription=%u", c);
        return;
    case 2:
        snprintf(text, bytes, "clos down=%u,%u,2 up=%u,%u lanes=1,%u", a, b, c, a, c);
        return;
    case 3:
        snprintf(text, bytes, "leaf-spine leaves=%u spines=%u hosts=%u lanes=%u", b, a, a, c);
        return;
    case 4:
        snprintf(text, bytes, "rail nodes=%u pod=%u spines=%u npus=%u planes=%u", 2 * c, c, a, b,
                 c);
        return;
    case 5:
        snprintf(text, bytes, "rail nodes=%u npus=%u planes=%u", b, a, c);
        return;
    case 6:
        snprintf(text, bytes, "dragonfly a=%u p=%u h=1 g=%u", a, c, a + 1);
        return;
    case 7:
        snprintf(text, bytes, "dragonfly+ leaves=%u spines=2 hosts=%u h=1 g=3", a, c);
        return;
    case 8:
        snprintf(text, bytes, "hyperx shape=%ux%u hosts=%u lanes=1,%u", a, b, c, a);
        return;
    case 9:
        snprintf(text, bytes, "torus shape=%ux%ux2 lanes=1,%u,1", b, a, c);
        return;
    case 10:
        snprintf(text, bytes, "torus shape=%u", between(rng, 4, MOST_HOSTS));
        return;
    case 11:
        snprintf(text, bytes, "mesh shape=%ux%u hosts=%u", b, a + 1, c);
        return;
    case 12:
        snprintf(text, bytes,
                 "hgx npus=4 nics=%u planes=%u scale-out=leaf-spine scale-out.leaves=%u "
                 "scale-out.spines=2 scale-out.hosts=%u",
                 2 * c, c, a, 2 * c);
        return;
    default:
        snprintf(text, bytes, "hgx npus=%u planes=%u", 2 * b, c);
    }
}

static void make_words(struct drawn *d, struct nadi_rng *rng, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    struct nadi_graph_file file;
    draw_words(d->what, sizeof(d->what), rng);
    assert_true(nadi_generator_text(&doc, d->what, diags));
    assert_true(nadi_graph_file_from_doc(&file, &doc, diags));
    nadi_doc_release(&doc);
    d->c.in.graph = file.graph;
    d->c.in.routing = (struct nadi_routing_config){.scheme = NADI_ROUTE_ECMP, .seed = 1};
}

static void make_dims(struct drawn *d, struct nadi_rng *rng)
{
    static const enum nadi_dim_kind kinds[] = {
        NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED, NADI_DIM_SWITCH,
        NADI_DIM_MESH, NADI_DIM_TORUS,           NADI_DIM_RING_ONE_WAY,
    };
    struct nadi_topology t = {.dim_count = between(rng, 1, 3)};
    int used = snprintf(d->what, sizeof(d->what), "dimensions");
    for (uint32_t i = 0; i < t.dim_count; i++) {
        struct nadi_dim *dim = &t.dims[i];
        *dim = (struct nadi_dim){
            .kind = kinds[nadi_rng_below(rng, 6)],
            .npus = t.dim_count == 1 ? between(rng, 2, MOST_HOSTS) : between(rng, 1, i ? 3 : 4),
            .bytes_per_ns = 50,
            .latency_ns = 500,
            .oversubscription = 1,
            .axes = 1,
        };
        if (dim->kind == NADI_DIM_SWITCH && nadi_rng_below(rng, 2))
            dim->oversubscription = 2;
        d->shares |= dim->kind == NADI_DIM_RING_ONE_WAY || dim->oversubscription > 1;
        used += snprintf(d->what + used, sizeof(d->what) - (size_t)used, ", kind %d of %u",
                         (int)dim->kind, dim->npus);
    }
    if (nadi_rng_below(rng, 4) == 0) { /* at least two NPUs */
        t.dims[0].kind = NADI_DIM_TORUS;
        t.dims[0].npus = 12;
        t.dims[0].axes = 2;
        t.dims[0].oversubscription = 1;
    } else if (t.dims[0].npus == 1)
        t.dims[0].npus = 2;
    assert_true(nadi_topology_finish(&t));
    nadi_graph_from_dims(&d->c.in.graph, &t);
    d->c.in.routing.scheme = NADI_ROUTE_DIMENSION_ORDER;
}

static void join(struct nadi_graph *g, uint32_t a, uint32_t b, bool one_way)
{
    nadi_graph_add_link(g, (struct nadi_graph_link){.a = a,
                                                    .b = b,
                                                    .bits_per_s = UINT64_C(400000000000),
                                                    .latency = 500 * NADI_PS_PER_NS,
                                                    .one_way = one_way});
}

/* Switches in a chain, or in a one-way circle, and some cables more; some forward only so much. */
static void make_graph(struct drawn *d, struct nadi_rng *rng)
{
    struct nadi_graph *g = &d->c.in.graph;
    const uint32_t switches = between(rng, 2, 7), hosts = switches * between(rng, 1, 2);
    const bool circle = nadi_rng_below(rng, 2);
    snprintf(d->what, sizeof(d->what), "%u hosts, %u switches, %s", hosts, switches,
             circle ? "one-way circle" : "chain");
    for (uint32_t h = 0; h < hosts; h++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s < switches; s++)
        if (nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL) && nadi_rng_below(rng, 3) == 0)
            g->nodes[hosts + s].forward_bits_s = UINT64_C(100000000000) * between(rng, 2, 9);
    for (uint32_t h = 0; h < hosts; h++)
        join(g, h, hosts + h % switches, false);
    for (uint32_t s = 0; s + !circle < switches; s++)
        join(g, hosts + s, hosts + (s + 1) % switches, circle);
    for (uint32_t more = between(rng, 0, 4); more > 0; more--) {
        const uint32_t a = between(rng, 0, switches - 1), b = between(rng, 0, switches - 1);
        if (a != b)
            join(g, hosts + a, hosts + b, nadi_rng_below(rng, 2));
    }
    nadi_graph_finish(g);
    d->c.in.routing.scheme = NADI_ROUTE_SHORTEST;
    d->shares = true;
}

static void draw(struct drawn *d, struct nadi_rng *rng)
{
    struct nadi_diags diags;
    *d = (struct drawn){0};
    nadi_diags_init(&diags);
    packet_case_inputs(&d->c.in);
    const uint64_t kind = nadi_rng_below(rng, 3);
    if (kind == 0)
        make_words(d, rng, &diags);
    else if (kind == 1)
        make_dims(d, rng);
    else
        make_graph(d, rng);
    struct nadi_topology *t = &d->c.in.topology;
    t->dim_count = 1;
    t->dims[0] = (struct nadi_dim){.kind = NADI_DIM_SWITCH,
                                   .npus = d->c.in.graph.host_count,
                                   .bytes_per_ns = 1,
                                   .oversubscription = 1};
    assert_true(nadi_topology_finish(t));
    nadi_diags_release(&diags);
}

static struct pins pins = PINS("packet_graphs", "alone", 5);

static double run(struct drawn *d, const char *model)
{
    d->c.in.options.network_model = nadi_network_find(model);
    packet_case_run(&d->c);
    if (d->c.result.outcome != NADI_OUTCOME_DONE)
        fail_msg("%s, %s: not all done", d->what, model);
    digest_u64(&pins.digest, (uint64_t)d->c.listed->end);
    digest_u64(&pins.digest, d->c.listed->hops);
    for (uint32_t p = 0; p < d->c.listed->port_count; p++) {
        digest_u64(&pins.digest, d->c.listed->ports[p].bytes);
        digest_u64(&pins.digest, (uint64_t)d->c.listed->ports[p].busy);
    }
    return (double)d->c.listed->end / NADI_PS_PER_NS;
}

static void alone(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ALONE; seed++) {
        struct nadi_rng rng;
        struct drawn d;
        nadi_rng_init(&rng, seed, "packet graphs alone");
        draw(&d, &rng);
        const uint32_t hosts = d.c.in.graph.host_count;
        const uint32_t src = between(&rng, 0, hosts - 1);
        packet_case_flow(&d.c, src, (src + between(&rng, 1, hosts - 1)) % hosts, 8000000, 0);
        const double fluid = run(&d, "flow");
        nadi_result_release(&d.c.result);
        const double ratio = run(&d, "packet") / fluid;
        const double most = 1.02 * (HEADERS + (d.shares ? ANSWERS : 0));
        if (ratio < 1 || ratio > most)
            fail_msg("seed %" PRIu64 ", %s: packet takes %.4f of flow, at most %.4f", seed, d.what,
                     ratio, most);
        pins_case(&pins, seed);
        packet_case_release(&d.c);
    }
}

/* The least buffer of powers of two that holds what headroom promises. */
static void shrink_buffers(struct drawn *d)
{
    struct nadi_packet_config *c = &d->c.in.packet;
    for (c->buffer_bytes = 1 << 17;; c->buffer_bytes *= 2) {
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        struct nadi_pkt *net = nadi_pkt_create(&d->c.in.graph, c, &diags);
        nadi_diags_release(&diags);
        nadi_pkt_destroy(net);
        if (net)
            return;
    }
}

static void exchanges(void **state)
{
    uint64_t pauses = 0;
    (void)state;
    pins_section(&pins, "exchanges");
    for (uint64_t seed = 0; seed < EXCHANGES; seed++) {
        struct nadi_rng rng;
        struct drawn d;
        nadi_rng_init(&rng, seed, "packet graphs exchange");
        draw(&d, &rng);
        const uint32_t hosts = (uint32_t)nadi_min_u64(d.c.in.graph.host_count, MOST_HOSTS);
        for (uint32_t a = 0; a < hosts; a++)
            for (uint32_t b = 0; b < hosts; b++)
                if (a != b)
                    packet_case_flow(&d.c, a, b, 400000 / hosts, 0);
        d.c.in.packet.window = nadi_rng_below(&rng, 2);
        d.c.in.packet.rto = 0; /* only pauses hold packets back */
        shrink_buffers(&d);
        (void)run(&d, "packet");
        if (d.c.listed->totals.dropped_full || d.c.result.packets.blocked_ports)
            fail_msg("seed %" PRIu64 ", %s: %" PRIu64 " packets dropped", seed, d.what,
                     d.c.listed->totals.dropped_full);
        pins_case(&pins, seed);
        pauses += d.c.listed->totals.pauses;
        packet_case_release(&d.c);
    }
    assert_true(pauses > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(exchanges),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return pins_end(&pins) ? failed : 1;
}
