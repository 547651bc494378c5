/* Messages of one connection in the packet model: in order, on one queue pair. */
#include "inputs/model_presets.h"
#include "network/packet/messages.h"
#include "network/packet/packet.h"

#include "support/draw.h"
#include "support/flow_case.h"
#include "support/packet_case.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { PAYLOAD = 4096, HEADERS = 62, FORWARDED = 64 };
static const double rate = 50, latency_ns = 500; /* bytes a ns; of each of two cables */

/* Two hosts at a switch; packets are clocked by nothing but the cables. */
static void two_hosts(struct flow_case *c, struct nadi_packet_config *config, uint32_t in_flight)
{
    flow_case_init(c);
    nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    flow_case_link(c, 0, 2, rate, latency_ns);
    flow_case_link(c, 1, 2, rate, latency_ns);
    nadi_packet_config_init(config);
    config->window = false;
    c->packet = config;
    c->in_flight = in_flight;
    flow_case_open(c, &nadi_network_packet);
}

static uint32_t send_in(struct flow_case *c, double at_ns, uint64_t connection, uint64_t bytes)
{
    const uint32_t message = flow_case_send(c, at_ns, 0, 1, bytes);
    c->messages[message].connection = connection;
    return message;
}

/* When the last byte of so many bytes in so many packets has left the sender, it is there after
 * both cables, and once more the time of the header for which the switch waits. */
static double arrival_ns(double bytes, double packets)
{
    return (bytes + packets * HEADERS) / rate + 2 * latency_ns + FORWARDED / rate;
}

static void expect(const struct flow_case *c, uint32_t message, double ns)
{
    if (fabs(flow_case_ns(c, message) - ns) > 0.01)
        fail_msg("message %u: %.3f ns, expected %.3f", message, flow_case_ns(c, message), ns);
}

/* Each message's packets follow those of the one before, the short last ones included. */
static void test_in_order(void **state)
{
    struct flow_case c;
    struct nadi_packet_config config;
    (void)state;
    two_hosts(&c, &config, 0);
    send_in(&c, 0, 7, 10 * PAYLOAD);
    send_in(&c, 0, 7, PAYLOAD + 1000);
    send_in(&c, 0, 7, 0);
    send_in(&c, 0, 7, 5 * PAYLOAD);
    flow_case_run(&c);
    expect(&c, 0, arrival_ns(10 * PAYLOAD, 10));
    /* A short packet is at the switch before the full one of before has left it. */
    expect(&c, 1, arrival_ns(11 * PAYLOAD + 1000, 12));
    expect(&c, 2, arrival_ns(11 * PAYLOAD + 1000, 13));
    expect(&c, 3, arrival_ns(16 * PAYLOAD + 1000, 18));
    flow_case_release(&c);
}

/* Connections share, and so do messages that are in none; with two in flight the third waits. */
static void test_sharing(void **state)
{
    struct flow_case c;
    struct nadi_packet_config config;
    const double two = arrival_ns(20 * PAYLOAD, 20), packet = (PAYLOAD + HEADERS) / rate;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        two_hosts(&c, &config, i == 0 ? NADI_IN_FLIGHT_ANY : i == 1 ? 0 : 2);
        send_in(&c, 0, 7, 10 * PAYLOAD);
        send_in(&c, 0, i == 1 ? 8 : 7, 10 * PAYLOAD);
        const uint32_t third = send_in(&c, 0, i == 2 ? 7 : 9, i == 2 ? 10 * PAYLOAD : 1);
        flow_case_run(&c);
        if (i == 2) {
            expect(&c, 0, two - packet);
            expect(&c, 1, two);
            expect(&c, third, two + 10 * packet);
        } else
            assert_true(flow_case_ns(&c, third) < flow_case_ns(&c, 0));
        flow_case_release(&c);
    }
}

/* Without a way they wait together, and go in order when there is one. */
static void test_stranded(void **state)
{
    struct flow_case c;
    struct nadi_packet_config config;
    (void)state;
    two_hosts(&c, &config, 0);
    flow_case_change(&c, 10, (struct nadi_link_state){2, rate, latency_ns, true});
    for (uint32_t i = 0; i < 3; i++)
        send_in(&c, 20, 7, 10 * PAYLOAD);
    flow_case_run(&c);
    uint32_t src = NADI_NONE, dst = NADI_NONE;
    assert_int_equal(c.net->ops->stranded(c.net, &src, &dst), 3);
    assert_int_equal(src, 0);
    assert_int_equal(dst, 1);
    flow_case_change(&c, 5000, (struct nadi_link_state){2, rate, latency_ns, false});
    flow_case_run(&c);
    assert_int_equal(c.net->ops->stranded(c.net, &src, &dst), 0);
    for (uint32_t i = 0; i < 3; i++)
        expect(&c, i, 4980 + arrival_ns((i + 1) * 10 * PAYLOAD, (i + 1) * 10));
    flow_case_release(&c);
}

struct pair { /* a bare network whose one flow carries messages of drawn lengths */
    struct packet_case c;
    struct nadi_pkt *net;
    struct nadi_rng rng;
    uint32_t sent, arrived, most;
    uint64_t bytes;
    uint64_t rate_before; /* of the flow when its first message was sent */
    uint32_t closed;
};

static uint64_t next_bytes(struct pair *p)
{
    const uint64_t bytes =
        chance(&p->rng, 3) ? pick(&p->rng, 0, 8) * PAYLOAD : pick_size(&p->rng, 16);
    p->bytes += bytes;
    return bytes;
}

static void on_sent(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct pair *p = context;
    if (p->sent < p->most)
        assert_true(nadi_pkt_flow_append(net, flow, next_bytes(p), p->sent++));
}

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct pair *p = context;
    assert_int_equal(net->infos[flow].user, p->arrived);
    p->arrived++;
}

static void on_closed(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct pair *p = context;
    p->closed++;
    assert_false(net->flows[flow].abandoned);
}

static void run_pair(struct pair *p, uint64_t seed)
{
    static const enum nadi_recovery recoveries[] = {NADI_RECOVERY_GO_BACK_N,
                                                    NADI_RECOVERY_SELECTIVE, NADI_RECOVERY_NONE};
    struct nadi_diags diags;
    const nadi_time until = NADI_TIME_MAX / 4;
    *p = (struct pair){.most = 300};
    nadi_rng_init(&p->rng, seed, "lanes");
    packet_case_clos(&p->c, 2, 1, 2);
    struct nadi_packet_config *config = &p->c.in.packet;
    nadi_packet_config_init(config);
    config->payload_bytes = PAYLOAD;
    config->window_bytes = chance(&p->rng, 2) ? 0 : pick(&p->rng, 1, 8) * PAYLOAD;
    config->loss = chance(&p->rng, 4) ? 0 : 0.03;
    config->retry_limit = 0;
    config->recovery = recoveries[nadi_rng_below(&p->rng, 3)];
    config->back_to_chunk = chance(&p->rng, 3);
    config->chunk_bytes = 3 * PAYLOAD;
    config->ack_interval_bytes = chance(&p->rng, 2) ? 1 : 5 * PAYLOAD;
    config->spreading = chance(&p->rng, 3) ? NADI_SPREADING_PACKET : NADI_SPREADING_FLOW;
    nadi_diags_init(&diags);
    p->net = nadi_pkt_create(&p->c.in.graph, config, &diags);
    assert_non_null(p->net);
    nadi_diags_release(&diags);
    p->net->hooks = (struct nadi_pkt_hooks){
        .context = p, .finished = on_finished, .sent = on_sent, .closed = on_closed};
    const struct nadi_pkt_flow_spec spec = {.dst = 1,
                                            .class = 3,
                                            .dport = 100,
                                            .bytes = next_bytes(p),
                                            .user = p->sent++,
                                            .has_queue_pair = true,
                                            .sport = 10000};
    assert_int_not_equal(nadi_pkt_flow_start(p->net, &spec), NADI_NONE);
    while (p->net->open_flows && nadi_pkt_run(p->net, &until, 100000) == false)
        continue;
}

/* Whatever is lost, all arrive, whole and in order, and nothing of them is kept. */
static void test_losses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct pair p;
        run_pair(&p, seed);
        assert_int_equal(p.arrived, p.most);
        assert_int_equal(p.closed, 1);
        if (p.c.in.packet.back_to_chunk) /* what is sent once more arrives once more */
            assert_true(p.net->totals.data_bytes_received >= p.bytes);
        else
            assert_int_equal(p.net->totals.data_bytes_received, p.bytes);
        uint32_t kept = 0;
        for (uint32_t m = p.net->free_message; m; m = p.net->messages.items[m - 1].next)
            kept++;
        assert_int_equal(kept, p.net->messages.count);
        nadi_pkt_destroy(p.net);
        packet_case_release(&p.c);
    }
}

static void slow_down(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct pair *p = context;
    if (p->sent++)
        return;
    nadi_pkt_set_rate(net, flow, net->flows[flow].line_rate / 4, false);
    assert_true(nadi_pkt_flow_append(net, flow, 100 * PAYLOAD, 1));
}

static void note_time(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct pair *p = context;
    (void)flow;
    p->bytes = (uint64_t)net->wheel.now;
}

/* The next message goes at the rate that the one before has come to. */
static void test_rate_stays(void **state)
{
    struct pair p = {0};
    struct nadi_diags diags;
    const nadi_time until = NADI_TIME_MAX / 4;
    (void)state;
    packet_case_star(&p.c, 2);
    nadi_packet_config_init(&p.c.in.packet);
    p.c.in.packet.window = false;
    nadi_diags_init(&diags);
    p.net = nadi_pkt_create(&p.c.in.graph, &p.c.in.packet, &diags);
    nadi_diags_release(&diags);
    p.net->hooks = (struct nadi_pkt_hooks){
        .context = &p, .finished = note_time, .sent = slow_down, .closed = on_closed};
    const struct nadi_pkt_flow_spec spec = {.dst = 1,
                                            .class = 3,
                                            .dport = 100,
                                            .bytes = PAYLOAD,
                                            .has_queue_pair = true,
                                            .sport = 10000};
    assert_int_not_equal(nadi_pkt_flow_start(p.net, &spec), NADI_NONE);
    assert_true(nadi_pkt_run(p.net, &until, UINT64_MAX));
    const double packet = (PAYLOAD + HEADERS) / 50.0; /* ns, 400 Gb/s */
    /* The first packet's gap was set before; each of the others waits four packets' time. */
    const double want = packet + 99 * 4 * packet + 2 * 1000 + 2 * packet;
    if (fabs((double)p.bytes * 1e-3 - want) > 0.02 * want)
        fail_msg("%.3f ns, expected %.3f", (double)p.bytes * 1e-3, want);
    nadi_pkt_destroy(p.net);
    packet_case_release(&p.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),   cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_stranded),   cmocka_unit_test(test_losses),
        cmocka_unit_test(test_rate_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
