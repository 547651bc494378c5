/* Which groups of a job are alone: those whose messages meet nobody else's on any route that these
 * may take. */
#include "sim/alone.h"

#include "executor/executors.h"
#include "network/models.h"
#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

enum { RANKS = 8 };

static const char *family(struct job *j, const char *name, uint32_t step, uint32_t size)
{
    uint32_t group_of[RANKS], members[RANKS];
    for (uint32_t r = 0; r < RANKS; r++) {
        if (r / step % size)
            continue;
        for (uint32_t i = 0; i < size; i++)
            members[i] = r + i * step;
        const uint32_t group = nadi_groups_add_nameless(&j->in.groups, name, members, size);
        for (uint32_t i = 0; i < size; i++)
            group_of[members[i]] = group;
    }
    nadi_groups_add_family(&j->in.groups, name, group_of, RANKS);
    return name;
}

static struct job_node collective(const char *group)
{
    return (struct job_node){
        .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = 80000, .group = group};
}

static const char two_servers[] = "leaf-spine leaves=2 spines=2 hosts=4";

static void init(struct job *j, const char *graph, enum nadi_route_scheme scheme)
{
    job_graph(j, graph);
    j->in.options.record_ops = false;
    j->in.options.network_model = &nadi_network_flow;
    j->in.routing.scheme = scheme;
    j->in.in_flight = 1;
    j->in.relative_peers = true;
    j->in.system.exact = true;
    j->in.system.queues_per_dim = 1;
}

static uint32_t count_alone(struct job *j, const struct job_node *nodes, uint32_t count)
{
    job_give(j, job_trace(j, nodes, count), 0, RANKS - 1);
    struct nadi_alone_groups found = nadi_alone_find(&j->in);
    const uint32_t alone = found.alone;
    nadi_alone_release(&found);
    return alone;
}

static void behind_one_switch(void **state)
{
    (void)state;
    struct job j;
    init(&j, two_servers, NADI_ROUTE_ECMP);
    const struct job_node nodes[] = {collective(family(&j, "servers", 1, 4))};
    assert_true(count_alone(&j, nodes, 1) == 2);
    job_release(&j);
}

/* A message of a member to the next but one goes over the links of both to their neighbours. */
static void beside_messages(void **state)
{
    (void)state;
    struct job j;
    init(&j, two_servers, NADI_ROUTE_ECMP);
    const struct job_node nodes[] = {collective(family(&j, "servers", 1, 4)),
                                     {.type = NADI_NODE_SEND, .peer = 2, .bytes = 1000},
                                     {.type = NADI_NODE_RECV, .peer = 0U - 2, .bytes = 1000}};
    assert_true(count_alone(&j, nodes, 3) == 0);
    job_release(&j);
}

static void beside_another_group(void **state)
{
    (void)state;
    struct job j;
    init(&j, two_servers, NADI_ROUTE_ECMP);
    const struct job_node nodes[] = {collective(family(&j, "servers", 1, 4)),
                                     collective(family(&j, "pairs", 1, 2))};
    assert_true(count_alone(&j, nodes, 2) == 0);
    job_release(&j);
}

/* Of pairs across the leaves each might take either spine; by one route for all, all take the
 * first. Where each has a leaf of its own, and there is one spine, they meet nobody. */
static void across(void **state)
{
    static const struct {
        const char *graph;
        enum nadi_route_scheme scheme;
        uint32_t alone;
    } cases[] = {
        {two_servers, NADI_ROUTE_ECMP, 0},
        {two_servers, NADI_ROUTE_SHORTEST, 0},
        {"leaf-spine leaves=8 spines=2 hosts=1", NADI_ROUTE_ECMP, 0},
        {"leaf-spine leaves=8 spines=2 hosts=1", NADI_ROUTE_SHORTEST, 4},
        {"leaf-spine leaves=8 spines=1 hosts=1", NADI_ROUTE_ECMP, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct job j;
        init(&j, cases[i].graph, cases[i].scheme);
        const struct job_node nodes[] = {collective(family(&j, "across", 4, 2))};
        assert_int_equal(count_alone(&j, nodes, 1), cases[i].alone);
        job_release(&j);
    }
}

/* Ranks with traces of their own: what a group runs is what its members' traces say of it, wherever
 * in them it stands, and however many traces there are. */
static void traces_of_their_own(void **state)
{
    static const struct {
        bool first_pairs, second_servers; /* run direct: of the first server, of the second */
        bool no_pairs;
        const char *want; /* enum nadi_ring_messages of the world, two servers, four pairs */
    } ways[] = {{false, false, false, "0111111"}, {true, false, false, "0110011"},
                {false, true, false, "0101111"},  {true, true, false, "0100011"},
                {false, true, true, "0200000"},   {false, false, true, "0220000"}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        struct job j;
        char found[8] = "";
        init(&j, two_servers, NADI_ROUTE_ECMP);
        j.in.system.native[NADI_NATIVE_ALL_GATHER].dims[0].algorithm = NADI_ALGORITHM_DIRECT;
        struct job_node nodes[] = {{.type = NADI_NODE_COMP, .duration_ns = 5},
                                   collective(family(&j, "servers", 1, 4)),
                                   collective(family(&j, "pairs", 1, 2))};
        const struct job_node pairs = nodes[2];
        for (uint32_t r = 0; r < RANKS; r++) { /* in another order on some */
            const uint32_t at = r % 2 ? 1 : 2;
            nodes[at] = nodes[3 - at];
            nodes[3 - at] = pairs;
            nodes[3 - at].kind = ways[i].first_pairs && r < 4 ? NADI_ALL_GATHER : NADI_ALL_REDUCE;
            nodes[at].kind = ways[i].second_servers && r >= 4 ? NADI_ALL_GATHER : NADI_ALL_REDUCE;
            if (ways[i].no_pairs)
                nodes[3 - at].type = NADI_NODE_COMP;
            job_give(&j, job_trace(&j, nodes, 3), r, r);
        }
        struct nadi_alone_groups g = nadi_alone_find(&j.in);
        for (uint32_t k = 0; g.rings && k < j.in.groups.count; k++)
            found[k] = (char)('0' + g.rings[k]);
        assert_string_equal(found, ways[i].want);
        nadi_alone_release(&g);
        job_release(&j);
    }
}

/* Each of these needs messages. */
static void settings(void **state)
{
    (void)state;
    struct job j;
    init(&j, two_servers, NADI_ROUTE_ECMP);
    const struct job_node nodes[] = {collective(family(&j, "servers", 1, 4))};
    assert_true(count_alone(&j, nodes, 1) == 2);
    const struct nadi_inputs in = j.in;
#define NONE(change)                                                                               \
    do {                                                                                           \
        j.in.change;                                                                               \
        struct nadi_alone_groups found = nadi_alone_find(&j.in);                                   \
        assert_true(!found.rings && found.alone == 0 && found.ahead == 0);                         \
        j.in = in;                                                                                 \
    } while (0)
    NONE(options.record_ops = true);
    NONE(options.record_usage = true);
    NONE(options.max_sim_ns = 1);
    NONE(options.network_model = &nadi_network_aware);
    NONE(system.rendezvous = true);
    NONE(system.queues_per_dim = 2);
    NONE(system.splits = j.in.system.active_chunks = 2);
    NONE(flow.overhead_ns = 1);
    NONE(in_flight = 2);
    NONE(routing.scheme = NADI_ROUTE_VALIANT);
    NONE(routing.scheme = NADI_ROUTE_ADAPTIVE);
    NONE(system.native[NADI_NATIVE_ALL_REDUCE].dims[0].algorithm = NADI_ALGORITHM_DIRECT);
    job_release(&j);
}

/* Fewer events, the same end. */
static void a_run(void **state)
{
    (void)state;
    struct job j;
    struct nadi_result want, got;
    init(&j, two_servers, NADI_ROUTE_ECMP);
    const struct job_node nodes[] = {collective(family(&j, "servers", 1, 4))};
    job_give(&j, job_trace(&j, nodes, 1), 0, RANKS - 1);
    j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&j.in, NULL, &want);
    j.in.options.executor = &nadi_executor_phase;
    nadi_simulate(&j.in, NULL, &got);
    assert_true(got.executor == &nadi_executor_phase);
    assert_true(got.end_ns == want.end_ns && got.messages == want.messages);
    assert_true(got.events < want.events / 2);
    nadi_result_release(&want);
    nadi_result_release(&got);
    job_release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_one_switch),
        cmocka_unit_test(beside_messages),
        cmocka_unit_test(beside_another_group),
        cmocka_unit_test(across),
        cmocka_unit_test(traces_of_their_own),
        cmocka_unit_test(settings),
        cmocka_unit_test(a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
