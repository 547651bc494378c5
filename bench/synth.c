/* synth: how long it takes to find a collective for a network, proof included, beside what the
 * authors of TACOS published and what is wanted of us; and how near the plan comes to its bound. */
#include "child.h"

#include "base/rng.h"
#include "collective/verify.h"
#include "synthesize/synth.h"

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A torus whose cables differ: 25 to 100 GB/s, 0.3 to 1.2 us; some are missing. */
static void make_uneven(struct nadi_graph_file *f, uint32_t x, uint32_t y)
{
    struct nadi_rng r;
    struct nadi_graph *g = &f->graph;
    *f = (struct nadi_graph_file){.routing = NADI_ROUTE_SHORTEST};
    nadi_graph_init(g);
    nadi_rng_init(&r, 1, "uneven");
    for (uint32_t i = 0; i < x * y; i++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    for (uint32_t i = 0; i < 2 * x * y; i++) {
        const uint32_t a = i / 2, right = a / x * x + (a + 1) % x, up = (a + x) % (x * y);
        const uint64_t rate = 25 * (1 + nadi_rng_below(&r, 4));
        const nadi_time latency = 300000 * (nadi_time)(1 + nadi_rng_below(&r, 4));
        if (i % 2 == 0 && nadi_rng_below(&r, 10) == 0)
            continue;
        nadi_graph_add_link(g, (struct nadi_graph_link){.a = a,
                                                        .b = i % 2 ? up : right,
                                                        .bits_per_s = rate * 8000000000ULL,
                                                        .latency = latency});
    }
    nadi_graph_finish(g);
}

static bool show(const char *name, const struct nadi_graph_file *f, enum nadi_collective_kind kind,
                 const char *published, double wanted)
{
    struct nadi_diags diags;
    struct nadi_synth_net net;
    struct nadi_synth s;
    struct nadi_table table;
    nadi_diags_init(&diags);
    const double start = seconds();
    if (!nadi_synth_net_init(&net, f, &diags))
        fail("the network is not connected");
    const struct nadi_synth_request q = {.kind = kind, .bytes = 1e9, .seed = 1};
    if (!nadi_synth_run(&s, &net, &q))
        fail("no plan");
    nadi_synth_table(&s, &net, &table);
    const struct nadi_program_request request = {
        .kind = kind, .n = net.n, .bytes = 1000000000, .table = &table};
    const struct nadi_verify_machine machine = {.beta = 1e-11};
    struct nadi_program p;
    if (nadi_program_make(&nadi_program_table, &request, &p))
        fail("the table was refused");
    const enum nadi_verify_result result = nadi_verify(&p, &machine).result;
    const double taken = seconds() - start;
    const nadi_time bound = nadi_synth_bound(&net, &f->graph, kind, q.bytes);
    const bool good = taken <= wanted && result == NADI_VERIFY_OK;
    printf("%-30s %-14s %9s %7.1f %8.2f %6u %10.0f %7.3f%s\n", name, nadi_collective_name(kind),
           published, wanted, taken, s.tries, (double)s.plan.end / 1e6,
           (double)bound / (double)s.plan.end,
           result == NADI_VERIFY_SIZE ? "  TOO LARGE TO PROVE"
           : result != NADI_VERIFY_OK ? "  WRONG"
           : good                     ? ""
                                      : "  MISSED");
    fflush(stdout);
    nadi_table_release(&table);
    nadi_synth_release(&s);
    nadi_synth_net_release(&net);
    nadi_diags_release(&diags);
    return good;
}

int main(void)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_GATHER, NADI_REDUCE_SCATTER,
                                                      NADI_ALL_REDUCE, NADI_ALL_TO_ALL};
    struct nadi_graph_file small, large;
    bool good = true;
    make_uneven(&small, 16, 8);
    make_uneven(&large, 32, 32);
    printf("%-30s %-14s %9s %7s %8s %6s %10s %7s\n", "network", "collective", "published", "wanted",
           "CPU s", "tries", "plan us", "bound/");
    for (size_t k = 0; k < 4; k++)
        good &= show("128 NPUs, uneven torus", &small, kinds[k],
                     kinds[k] == NADI_ALL_REDUCE ? "1.08" : "", 1);
    for (size_t k = 0; k < 3; k++) /* an all-to-all of so many is too large to prove */
        good &= show("1,024 NPUs, uneven torus", &large, kinds[k], "", 60);
    nadi_graph_release(&small.graph);
    nadi_graph_release(&large.graph);
    return good ? 0 : 1;
}
