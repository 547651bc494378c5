/* Packets and flows take the same of several equal paths, whoever carries them and whatever is
 * down: each link carries as many messages in both models. */
#include "inputs/model_presets.h"
#include "network/packet/packet.h"
#include "platform/routing.h"

#include "support/flow_case.h"

#include <setjmp.h>

#include <cmocka.h>

enum { LEAVES = 3, HOSTS = 4, SPINES = 5, NPUS = LEAVES * HOSTS, LINKS = 2 * 64, BYTES = 1 << 20 };

struct count {
    uint32_t messages[LINKS]; /* up from leaves to spines, then down */
    uint32_t most;
};

static void visit(void *context, const struct nadi_network_counter *c)
{
    struct count *n = context;
    const uint32_t from = c->from, to = c->to;
    if (from < NPUS || to < NPUS)
        return;
    const uint32_t a = from - NPUS, b = to - NPUS; /* leaves first */
    const uint32_t link =
        a < LEAVES ? a * SPINES + b - LEAVES : LINKS / 2 + b * SPINES + a - LEAVES;
    /* ACKs, which take ways of their own, are 1.6 % of the data: of 24 messages less than half one.
     */
    n->messages[link] = (uint32_t)((double)c->bytes / (BYTES * (1 + 62 / 4096.0)) + 1e-6);
    n->most = n->messages[link] > n->most ? n->messages[link] : n->most;
}

/* Two connections of each host to the host four on; then cables go down and come up, and others. */
static void run(const struct nadi_network_ops *model, uint64_t seed, struct count *n)
{
    const struct nadi_routing_config routing = {.scheme = NADI_ROUTE_ECMP, .seed = seed};
    struct nadi_packet_config packet;
    struct flow_case c;
    nadi_packet_config_init(&packet);
    flow_case_init(&c);
    c.routing = &routing;
    c.packet = &packet;
    c.config.packet_bytes = packet.payload_bytes;
    flow_case_leaf_spine(&c, LEAVES, HOSTS, SPINES, 50, 50, 500);
    flow_case_open(&c, model);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t h = 0; h < NPUS; h++)
            for (uint64_t connection = 1; connection <= 2; connection++) {
                const uint32_t m = flow_case_send(&c, 1e6 * round, h, (h + HOSTS) % NPUS, BYTES);
                c.messages[m].connection = connection + (round == 1 ? 2 : 0);
            }
    /* Cables of leaf 0 to spine 1 and of leaf 2 to spine 4. */
    static const uint32_t cables[] = {NPUS + 1, NPUS + 2 * SPINES + 4};
    for (uint32_t i = 0; i < 4; i++) { /* both ways */
        const uint32_t link = 2 * cables[i / 2] + i % 2;
        flow_case_change(&c, 0.9e6, (struct nadi_link_state){link, 50, 500, true});
        flow_case_change(&c, 1.9e6, (struct nadi_link_state){link, 50, 500, false});
    }
    flow_case_run(&c);
    for (size_t i = 0; i < c.count; i++)
        assert_true(c.messages[i].arrived >= 0);
    c.net->ops->counters(c.net, true, visit, n);
    flow_case_release(&c);
}

static void test_same_paths(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct count flow = {0}, packet = {0};
        run(&nadi_network_flow, seed, &flow);
        run(&nadi_network_packet, seed, &packet);
        assert_true(flow.most > 1); /* some collide */
        assert_memory_equal(flow.messages, packet.messages, sizeof(flow.messages));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
