/* Least times of messages over networks of nodes and links (lower_bound_graph): more bytes take no
 * less, one route no less than several; where no link is one-way both directions take the same, and
 * no pair less than the least of all. Networks of all generators with cables of rates and latencies
 * of their own, some NPUs with routers, some links one-way; and of parts that do not know of each
 * other.
 *
 *   bound_graph [CASES [FIRST_SEED]]    default 400 cases from seed 1 */
#include "bound/lower_bound_graph.h"
#include "inputs/model_presets.h"
#include "support/draw.h"
#include "support/job.h"
#include "support/pins.h"
#include "support/seeds.h"

#include <inttypes.h>

enum { MOST_LINKS = 256, SIZES = 3 };
static const uint64_t sizes[SIZES] = {0, 1000, 300007};
static const char *const networks[] = {
    "leaf-spine leaves=2 spines=2 hosts=3",
    "leaf-spine leaves=4 spines=1 hosts=1",
    "hgx npus=4",
    "hgx npus=4 planes=3",
    "torus shape=3x3",
    "mesh shape=2x3",
    "torus shape=2x2x2",
    "dragonfly a=2 p=1 h=1",
    "hyperx shape=2x3 hosts=1",
    "fat-tree k=4 pods=1",
    "rail nodes=2 npus=3",
    "wafer-mesh shape=3x3",
};
enum { NETWORKS = sizeof(networks) / sizeof(*networks) };

static struct pins pins = PINS("bound_graph", "networks", 20);

struct query {
    const struct nadi_graph *g;
    struct nadi_lower_bound_graph *of[2]; /* several routes, one */
    bool one_way;
    uint64_t seed;
};

static bool wrong(const struct query *q, const char *what, uint32_t src, uint32_t dst)
{
    fprintf(stderr, "seed %" PRIu64 ": %s, from %u to %u\n", q->seed, what, src, dst);
    return false;
}

static bool try_pair(const struct query *q, uint32_t src, uint32_t dst)
{
    struct nadi_lower_bound_route last[2] = {{0}, {0}};
    for (int k = 0; k < SIZES; k++) {
        struct nadi_lower_bound_route found[2];
        for (int w = 0; w < 2; w++) {
            found[w] = nadi_lower_bound_graph_route(q->of[w], src, dst, sizes[k]);
            const struct nadi_lower_bound_route back =
                nadi_lower_bound_graph_route(q->of[w], dst, src, sizes[k]);
            digest_u64(&pins.digest, found[w].ns);
            digest_u64(&pins.digest, found[w].serial_ns);
            if (!q->one_way && found[w].ns &&
                found[w].ns < nadi_lower_bound_graph_least_ns(q->of[w], sizes[k]))
                return wrong(q, "sooner than the least", src, dst);
            if (found[w].ns < last[w].ns || found[w].serial_ns < last[w].serial_ns)
                return wrong(q, "sooner with more bytes", src, dst);
            if (!q->one_way && (found[w].ns != back.ns || found[w].serial_ns != back.serial_ns))
                return wrong(q, "another time back", src, dst);
            last[w] = found[w];
        }
        if (found[1].ns < found[0].ns)
            return wrong(q, "sooner over one route", src, dst);
    }
    return true;
}

static void pin_rest(const struct query *q, const struct nadi_link_least *links)
{
    const struct nadi_routing_config routing = {.scheme = NADI_ROUTE_SHORTEST};
    const uint32_t npus = q->g->host_count;
    for (int w = 0; w < 2; w++) {
        digest_u64(&pins.digest, nadi_lower_bound_graph_spared_bytes(q->of[w]));
        for (int k = 0; k < SIZES; k++) {
            digest_u64(&pins.digest, nadi_lower_bound_graph_least_ns(q->of[w], sizes[k]));
            digest_u64(&pins.digest, nadi_lower_bound_graph_leave_ns(q->of[w], sizes[k]));
            digest_u64(&pins.digest, nadi_lower_bound_graph_busy_ns(q->of[w], npus, sizes[k]));
            digest_u64(&pins.digest, nadi_lower_bound_graph_busy_ns(q->of[w], npus - 1, sizes[k]));
        }
    }
    for (uint32_t n = npus - 1; n <= npus; n++) {
        digest_double(&pins.digest, nadi_lower_bound_graph_round(q->g, links, &routing, n));
        digest_double(&pins.digest, nadi_lower_bound_graph_round(q->g, links, NULL, n));
    }
}

/* Switches that do not know of each other, NPUs at some of them, and some cables between NPUs. */
static void draw_parts(struct nadi_graph *g, struct nadi_rng *rng)
{
    const uint32_t npus = (uint32_t)pick(rng, 3, 6), switches = (uint32_t)pick(rng, 1, 4);
    nadi_graph_init(g);
    for (uint32_t n = 0; n < npus + switches; n++)
        (void)nadi_graph_add_node(g, n < npus ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (uint32_t n = 0; n < npus; n++)
        for (uint32_t to = n + 1; to < npus + switches; to++)
            for (uint32_t cables = to < npus ? chance(rng, 6) : (uint32_t)pick(rng, 0, 2); cables;
                 cables--)
                nadi_graph_add_link(
                    g, (struct nadi_graph_link){.a = n, .b = to, .bits_per_s = 8000000000});
    nadi_graph_finish(g);
}

static bool try_case(uint64_t seed, void *tally)
{
    static const struct nadi_network_ops *const models[] = {&nadi_network_aware, &nadi_network_flow,
                                                            &nadi_network_packet};
    struct nadi_link_least links[MOST_LINKS];
    struct nadi_rng rng;
    struct job j;
    bool ok = true;
    (void)tally;
    nadi_rng_init(&rng, seed, "bound graph");
    const bool parts = seed % 2;
    struct nadi_graph drawn, *g = &drawn;
    if (parts)
        draw_parts(&drawn, &rng);
    else {
        job_graph(&j, networks[seed / 2 % NETWORKS]);
        g = &j.in.graph;
    }
    struct query q = {.g = g, .one_way = chance(&rng, 4), .seed = seed};
    NADI_ASSERT(g->link_count + g->limited_count <= MOST_LINKS);
    const bool uneven = chance(&rng, 2), early = chance(&rng, 3);
    for (uint32_t i = 0; i < g->link_count + g->limited_count; i++) {
        links[i] = (struct nadi_link_least){.bytes_per_ns = uneven ? (double)pick(&rng, 1, 50) : 20,
                                            .latency_ns = uneven ? (double)pick(&rng, 0, 900) : 400,
                                            .early_ns = early ? (double)pick(&rng, 0, 3) : 0};
        if (i < g->link_count && q.one_way)
            g->links[i].one_way = chance(&rng, 5);
    }
    const struct nadi_network_ops *model = models[pick(&rng, 0, 2)];
    for (int w = 0; w < 2; w++)
        q.of[w] = nadi_lower_bound_graph_create(g, links, model, w);
    for (uint32_t src = 0; src < g->host_count && ok; src++)
        for (uint32_t dst = 0; dst < g->host_count && ok; dst++)
            ok = src == dst || try_pair(&q, src, dst);
    pin_rest(&q, links);
    for (int w = 0; w < 2; w++)
        nadi_lower_bound_graph_destroy(q.of[w]);
    if (parts)
        nadi_graph_release(&drawn);
    else
        job_release(&j);
    pins_case(&pins, seed);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {400, 1};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    const uint64_t failed = seeds_fail(&s, try_case, NULL);
    return !pins_end(&pins) || failed > 0;
}
