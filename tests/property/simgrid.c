/* The flow model against SimGrid 3.32 on 200 random networks and sets of flows: every flow ends at
 * the same time to 0.1 %. In turn: without latency; with random latencies, where SimGrid's shares
 * are weighted by 1 / latency, and so are ours; with one latency for all and a window. Skips where
 * libsimgrid-dev is not installed. */
#include "peer/simgrid.h"
#include "base/mem.h"
#include "base/rng.h"
#include "network/fabric.h"
#include "support/flow_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum latencies { NO_LATENCY, RANDOM_LATENCIES, ONE_LATENCY, KINDS };

enum { CASES = 200, MOST_FLOWS = 60, MOST_LINKS = 400 };

/* Random switches in a tree with more cables between them, hosts anywhere. Bytes a ns, so that a
 * run takes seconds: SimGrid's clock is in seconds. */
static void draw_network(struct flow_case *c, struct nadi_rng *r, enum latencies kind)
{
    const uint32_t hosts = 2 + (uint32_t)nadi_rng_below(r, 20);
    const uint32_t switches = 1 + (uint32_t)nadi_rng_below(r, 10);
    flow_case_init(c);
    for (uint32_t h = 0; h < hosts; h++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s < switches; s++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    const uint32_t extra = (uint32_t)nadi_rng_below(r, 2 * switches);
    for (uint32_t i = 0; i < hosts + switches - 1 + extra; i++) {
        uint32_t a = i, b;
        if (i < hosts)
            b = hosts + (uint32_t)nadi_rng_below(r, switches);
        else if (i < hosts + switches - 1) {
            a = i + 1;
            b = hosts + (uint32_t)nadi_rng_below(r, a - hosts);
        } else {
            a = hosts + (uint32_t)nadi_rng_below(r, switches);
            b = hosts + (uint32_t)nadi_rng_below(r, switches);
            if (a == b)
                continue;
        }
        const double random_ns = 1e6 * (double)(1 + nadi_rng_below(r, 20));
        const double latency_ns = kind == RANDOM_LATENCIES           ? random_ns
                                  : kind == ONE_LATENCY && i < hosts ? 5e6
                                                                     : 0;
        flow_case_link(c, a, b, 1e-3 * (double)(1 + nadi_rng_below(r, 100)), latency_ns);
    }
    if (kind == ONE_LATENCY)
        c->config.window_bytes = 20000 * (1 + nadi_rng_below(r, 50)); /* 1 to 50 MB/s */
}

struct pair_of_runs {
    struct flow_case nadi;
    struct nadi_fabric fabric;
    struct peer_link links[MOST_LINKS];
    struct peer_flow flows[MOST_FLOWS];
    struct peer_case peer;
};

static void copy_links(struct pair_of_runs *p)
{
    nadi_fabric_init(&p->fabric, &p->nadi.topology, &p->nadi.graph, NULL);
    NADI_ASSERT(p->fabric.count <= MOST_LINKS);
    for (uint32_t i = 0; i < p->fabric.count; i++)
        p->links[i] = (struct peer_link){p->fabric.items[i].bytes_per_ns * 1e9,
                                         p->fabric.items[i].latency_ns * 1e-9};
    p->peer = (struct peer_case){.links = p->links,
                                 .flows = p->flows,
                                 .link_count = p->fabric.count,
                                 .window_bytes = (double)p->nadi.config.window_bytes,
                                 .host_count = p->nadi.graph.host_count};
}

static void draw_flow(struct pair_of_runs *p, struct nadi_rng *r)
{
    const uint32_t hosts = p->nadi.graph.host_count;
    const uint32_t src = (uint32_t)nadi_rng_below(r, hosts);
    const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(r, hosts - 1)) % hosts;
    const uint64_t bytes = 1000 * (1 + nadi_rng_below(r, 100000));
    const double at_ns = nadi_rng_below(r, 3) ? 1e6 * (double)nadi_rng_below(r, 2000) : 0;
    const struct nadi_fabric_path *path =
        nadi_fabric_path(&p->fabric, nadi_fabric_route(&p->fabric, src, dst));
    p->flows[p->peer.flow_count++] = (struct peer_flow){.start_s = at_ns * 1e-9,
                                                        .bytes = (double)bytes,
                                                        .src = src,
                                                        .dst = dst,
                                                        .links = path->links,
                                                        .hops = path->hops};
    const uint32_t message = flow_case_send(&p->nadi, at_ns, src, dst, bytes);
    if (path->latency_ns > 0 && p->peer.window_bytes <= 0)
        p->nadi.messages[message].weight = 1e7 / path->latency_ns;
}

static void compare(const struct pair_of_runs *p, uint64_t seed)
{
    for (uint32_t i = 0; i < p->peer.flow_count; i++) {
        const double ours = (double)p->nadi.messages[i].arrived * 1e-12;
        const double theirs = p->flows[i].end_s, start = p->flows[i].start_s;
        if (!(fabs(ours - theirs) <= 1e-3 * (theirs - start)))
            fail_msg("case %" PRIu64 ", flow %" PRIu32 " from %.9g s on: ends at %.9g s, in "
                     "SimGrid at %.9g s",
                     seed, i, start, ours, theirs);
    }
}

static void test_same_ends(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct pair_of_runs *p = NADI_ZNEW(struct pair_of_runs, 1);
        struct nadi_rng r;
        nadi_rng_init(&r, seed, "simgrid");
        draw_network(&p->nadi, &r, (enum latencies)(seed % KINDS));
        flow_case_open(&p->nadi, &nadi_network_flow);
        copy_links(p);
        for (uint64_t n = 1 + nadi_rng_below(&r, MOST_FLOWS); n-- > 0;)
            draw_flow(p, &r);
        flow_case_run(&p->nadi);
        if (!peer_simgrid_run(&p->peer))
            fail_msg("case %" PRIu64 ": SimGrid did not end well", seed);
        compare(p, seed);
        nadi_fabric_release(&p->fabric);
        flow_case_release(&p->nadi);
        nadi_mem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_ends),
    };
    if (!peer_simgrid_available()) {
        printf(
            "skipped: this build has no SimGrid (Debian: libsimgrid-dev; not under sanitizers)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
