/* Routers flit by flit on drawn networks, routings and buffers under drawn messages: every message
 * arrives, none sooner than one router and its own flits allow, credits and buffers agree at the
 * end, what links carried is what was sent; the same draw gives the same times.
 *
 *   flit_networks [CASES [FIRST_SEED]]    default 1,500 cases from seed 1 (150 when instrumented)
 */
#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "inputs/model_presets.h"
#include "network/flit/machine.h"
#include "network/flit/paths.h"
#include "platform/graph_dims.h"
#include "support/pins.h"
#include "support/seeds.h"

#include <inttypes.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 150 };
#else
enum { CASES = 1500 };
#endif

enum { MOST_PACKETS = 400 };

struct packet {
    uint32_t src, dst, flits;
    uint64_t made, arrived; /* UINT64_MAX: not yet */
};

struct draw {
    struct nadi_topology shape;
    struct nadi_graph graph;
    struct nadi_flit_config config;
    struct nadi_flit_wiring wiring;
    struct nadi_flit_paths *paths;
    struct nadi_flit_machine *machine;
    struct packet packets[MOST_PACKETS];
    uint32_t count, made, arrived;
    uint64_t seed;
    uint32_t next[64]; /* by NPU: packets before this one were injected */
};

static void fail(const struct draw *d, const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ": %s\n", d->seed, what);
    exit(1);
}

static bool next_packet(void *context, uint32_t port, struct nadi_flit_packet_wish *wish)
{
    struct draw *d = context;
    const uint32_t npu = d->graph.nodes[d->wiring.ports[port].node].host;
    uint32_t i = d->next[npu];
    while (i < d->made && d->packets[i].src != npu)
        i++;
    d->next[npu] = i < d->made ? i + 1 : i;
    if (i == d->made)
        return false;
    const struct packet *p = &d->packets[i];
    *wish = (struct nadi_flit_packet_wish){
        .src = p->src, .dst = p->dst, .flits = p->flits, .user = i, .flow = i};
    return true;
}

static bool done(void *context, const struct nadi_flit_end *end)
{
    struct draw *d = context;
    NADI_ASSERT(d->packets[end->user].arrived == UINT64_MAX);
    d->packets[end->user].arrived = end->cycle;
    d->arrived++;
    return true;
}

static void draw_network(struct draw *d, struct nadi_rng *r)
{
    static const enum nadi_dim_kind kinds[] = {NADI_DIM_MESH, NADI_DIM_RING,
                                               NADI_DIM_FULLY_CONNECTED, NADI_DIM_SWITCH};
    const bool lines = nadi_rng_below(r, 3) > 0; /* rings and meshes of small sides */
    d->shape.dim_count = 1 + (uint32_t)nadi_rng_below(r, 2);
    for (uint32_t i = 0; i < d->shape.dim_count; i++)
        d->shape.dims[i] = (struct nadi_dim){
            .kind = kinds[nadi_rng_below(r, lines ? 2 : 4)],
            .npus = 2 + (uint32_t)nadi_rng_below(r, 5),
            .bytes_per_ns = 32 / (double)(1 + nadi_rng_below(r, 3)),
            .latency_ns = (double)nadi_rng_below(r, 6),
        };
    NADI_ASSERT(nadi_topology_finish(&d->shape));
    nadi_graph_init(&d->graph);
    const struct nadi_graph_grid grid = {.shape = &d->shape, .hosts = 1, .router_role = "router"};
    nadi_graph_from_grid(&d->graph, &grid);
}

static void draw_config(struct nadi_flit_config *c, struct nadi_rng *r)
{
    static const enum nadi_flit_routing routings[] = {NADI_FLIT_DIMENSION_ORDER, NADI_FLIT_ADAPTIVE,
                                                      NADI_FLIT_VALIANT, NADI_FLIT_TABLE};
    nadi_flit_config_init(c);
    c->one_port = true;
    c->vcs = 4 + (uint32_t)nadi_rng_below(r, 6);
    c->packet_flits = 1 + (uint32_t)nadi_rng_below(r, 9);
    c->buffer_flits = 1 + (uint32_t)nadi_rng_below(r, 9);
    c->routing_delay = (uint32_t)nadi_rng_below(r, 3);
    c->vc_delay = (uint32_t)nadi_rng_below(r, 3);
    c->switch_delay = 1 + (uint32_t)nadi_rng_below(r, 2);
    c->traversal_delay = (uint32_t)nadi_rng_below(r, 3);
    c->credit_delay = (uint32_t)nadi_rng_below(r, 4);
    c->speedup = 1 + (uint32_t)nadi_rng_below(r, 2);
    c->wait_for_tail_credit = nadi_rng_below(r, 4) == 0;
    c->routing = routings[nadi_rng_below(r, 4)];
    c->cut_through = nadi_rng_below(r, 3) == 0;
    if (c->cut_through)
        c->buffer_flits += c->packet_flits;
    c->seed = nadi_rng_u64(r);
}

static void draw_packets(struct draw *d, struct nadi_rng *r)
{
    uint64_t at = 0;
    const uint32_t hot = (uint32_t)nadi_rng_below(r, d->shape.npu_count);
    const uint64_t gap = 1 + nadi_rng_below(r, 4);
    d->count = 50 + (uint32_t)nadi_rng_below(r, MOST_PACKETS - 50);
    for (uint32_t i = 0; i < d->count; i++) {
        at += nadi_rng_below(r, gap);
        d->packets[i] = (struct packet){
            .src = (uint32_t)nadi_rng_below(r, d->shape.npu_count),
            .dst = nadi_rng_below(r, 4) ? (uint32_t)nadi_rng_below(r, d->shape.npu_count) : hot,
            .flits = 1 + (uint32_t)nadi_rng_below(r, d->config.packet_flits),
            .made = at,
            .arrived = UINT64_MAX,
        };
        if (d->packets[i].dst == d->packets[i].src)
            d->packets[i].dst = (d->packets[i].src + 1) % d->shape.npu_count;
    }
}

static void run_packets(struct draw *d)
{
    while (d->made < d->count) {
        const uint64_t at = d->packets[d->made].made;
        while (nadi_flit_cycle(d->machine) < at && nadi_flit_run(d->machine, at) == NADI_FLIT_RUNS)
            ;
        if (nadi_flit_cycle(d->machine) < at)
            nadi_flit_set_cycle(d->machine, at);
        while (d->made < d->count && d->packets[d->made].made == at) {
            const uint32_t src = d->packets[d->made++].src;
            nadi_flit_wake(d->machine, d->wiring.first_port[d->graph.hosts[src]]);
        }
    }
    enum nadi_flit_state state = NADI_FLIT_RUNS;
    while (state == NADI_FLIT_RUNS) {
        state = nadi_flit_run(d->machine, nadi_flit_cycle(d->machine) + 1000);
        NADI_ASSERT(nadi_flit_cycle(d->machine) < 10000000);
    }
    if (state == NADI_FLIT_STUCK)
        fail(d, "deadlock");
}

/* Cycles without others, at most: the path's, by the links as they are. */
static uint64_t least_cycles(const struct draw *d, const struct packet *p)
{
    return p->flits - 1 + d->config.switch_delay + 2; /* of any path: its host's links, a router */
}

static uint64_t check_packets(struct draw *d)
{
    uint64_t sum = 0, flits = 0, carried = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct packet *p = &d->packets[i];
        if (p->arrived == UINT64_MAX)
            fail(d, "a packet did not arrive");
        if (p->arrived - p->made < least_cycles(d, p))
            fail(d, "a packet was faster than can be");
        sum = sum * 31 + p->arrived;
        flits += p->flits;
    }
    const struct nadi_flit_port_figures *f = nadi_flit_figures(d->machine);
    for (uint32_t port = 0; port < d->wiring.port_count; port++)
        if (nadi_flit_is_host(&d->wiring, d->wiring.ports[port].node))
            carried += f[port].flits;
    for (uint32_t port = 0; port < d->wiring.port_count; port++)
        sum = (sum * 31 + f[port].no_vc) * 31 + f[port].no_credit * 7 + f[port].lost_arbitration;
    if (carried != flits || d->arrived != d->count || nadi_flit_inside(d->machine))
        fail(d, "not as many flits were injected as were sent");
    if (!nadi_flit_is_sound(d->machine))
        fail(d, "credits and buffers do not agree");
    return sum;
}

/* 0: the draw cannot be (more classes than VCs). */
static uint64_t try_once(uint64_t seed)
{
    struct draw *d = NADI_ZNEW(struct draw, 1);
    struct nadi_diags diags;
    struct nadi_rng r;
    uint64_t sum = 0;
    nadi_diags_init(&diags);
    nadi_rng_init(&r, seed, "flit networks");
    d->seed = seed;
    draw_network(d, &r);
    draw_config(&d->config, &r);
    draw_packets(d, &r);
    const bool wired = nadi_flit_wire(&d->wiring, &d->graph, &d->config, &diags);
    NADI_ASSERT(wired);
    d->paths = nadi_flit_paths_create(&d->wiring, &d->config, NULL, &diags);
    if (d->paths) {
        const struct nadi_flit_users users = {d, next_packet, done, NULL};
        d->machine = nadi_flit_create(&d->wiring, &d->config, d->paths, &users);
        run_packets(d);
        sum = check_packets(d) | 1;
    }
    nadi_flit_destroy(d->machine);
    nadi_flit_paths_destroy(d->paths);
    nadi_flit_unwire(&d->wiring);
    nadi_graph_release(&d->graph);
    nadi_diags_release(&diags);
    nadi_mem_free(d);
    return sum;
}

static bool one_case(uint64_t seed, struct pins *drawn)
{
    const uint64_t sum = try_once(seed);
    if (sum != try_once(seed)) {
        fprintf(stderr, "seed %" PRIu64 ": the same draw gave other times\n", seed);
        exit(1);
    }
    digest_u64(&drawn->digest, sum);
    pins_case(drawn, seed);
    return sum != 0;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct pins drawn = PINS("flit_networks", "networks", 20);
    uint64_t run = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t i = 0; i < s.cases; i++)
        run += one_case(s.first + i, &drawn);
    printf("%" PRIu64 " networks of %" PRIu64 " drawn could be and were run, twice each\n", run,
           s.cases);
    return pins_end(&drawn) && run * 2 > s.cases ? 0 : 1;
}
