/* Lower bounds of synthesised collectives, by hand: the slowest NPU's links each way, a switch's.
 */
#include "synthesize/synth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define GBYTES_PER_S UINT64_C(8000000000) /* bit/s */

struct cable {
    uint32_t from, to, rate; /* GB/s */
    bool one_way;
};

struct want { /* s: of all-gather, reduce-scatter, all-reduce, all-to-all */
    int seconds[4];
};

/* Nodes below `hosts` are NPUs; each has a GB to give. */
static void expect(uint32_t hosts, uint32_t nodes, const struct cable *cables, size_t count,
                   struct want want)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_GATHER, NADI_REDUCE_SCATTER,
                                                      NADI_ALL_REDUCE, NADI_ALL_TO_ALL};
    struct nadi_graph_file f = {.routing = NADI_ROUTE_SHORTEST};
    struct nadi_synth_net net;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_graph_init(&f.graph);
    for (uint32_t i = 0; i < nodes; i++)
        nadi_graph_add_node(&f.graph, i < hosts ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH, NULL);
    for (size_t i = 0; i < count; i++)
        nadi_graph_add_link(&f.graph,
                            (struct nadi_graph_link){.a = cables[i].from,
                                                     .b = cables[i].to,
                                                     .bits_per_s = cables[i].rate * GBYTES_PER_S,
                                                     .one_way = cables[i].one_way});
    nadi_graph_finish(&f.graph);
    assert_true(nadi_synth_net_init(&net, &f, &diags));
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(nadi_synth_bound(&net, &f.graph, kinds[k], 1e9 * hosts),
                         (nadi_time)want.seconds[k] * 1000000000000);
    nadi_synth_net_release(&net);
    nadi_graph_release(&f.graph);
    nadi_diags_release(&diags);
}

/* NPU 0 can only send at 1 GB/s: its own GB, two sums, the whole, what two others want. */
static void what_must_be_sent(void **state)
{
    static const struct cable cables[] = {
        {0, 1, 1, true}, {1, 2, 10, true}, {2, 0, 10, true}, {2, 1, 10, true}};
    (void)state;
    expect(3, 3, cables, 4, (struct want){{1, 2, 3, 2}});
}

/* The same network the other way round: what NPU 0 must receive. */
static void what_must_be_received(void **state)
{
    static const struct cable cables[] = {
        {1, 0, 1, true}, {2, 1, 10, true}, {0, 2, 10, true}, {1, 2, 10, true}};
    (void)state;
    expect(3, 3, cables, 4, (struct want){{2, 1, 3, 2}});
}

/* Two switches with two NPUs each, joined by a cable of 1 GB/s. */
static void switches(void **state)
{
    static const struct cable cables[] = {{0, 4, 10, false},
                                          {1, 4, 10, false},
                                          {2, 5, 10, false},
                                          {3, 5, 10, false},
                                          {4, 5, 1, false}};
    (void)state;
    expect(4, 6, cables, 5, (struct want){{2, 2, 4, 4}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_be_sent),
        cmocka_unit_test(what_must_be_received),
        cmocka_unit_test(switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
