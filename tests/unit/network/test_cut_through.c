/* When a switch of the packet model sends a packet on: closed forms of one packet, to a tick. */
#include "inputs/model_presets.h"
#include "network/network.h"
#include "network/packet/packet.h"

#include "support/flow_case.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { HEADERS = 62, FORWARDED = 64, LATENCY_NS = 300 };

/* NPU 0 - switch - switch - NPU 1 with these rates, bytes a ns, and at the second switch an NPU 2
 * of the rate `beside`. */
static void line(struct flow_case *c, const struct nadi_packet_config *config,
                 const double rates[3], double beside)
{
    flow_case_init(c);
    for (uint32_t i = 0; i < 3; i++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    for (uint32_t i = 0; i < 2; i++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    flow_case_link(c, 0, 3, rates[0], LATENCY_NS);
    flow_case_link(c, 3, 4, rates[1], LATENCY_NS);
    flow_case_link(c, 4, 1, rates[2], LATENCY_NS);
    flow_case_link(c, 4, 2, beside, LATENCY_NS);
    c->packet = config;
    flow_case_open(c, &nadi_network_packet);
}

static double packet_ns(const struct nadi_packet_config *config, const double rates[3],
                        double beside, uint64_t bytes)
{
    struct flow_case c;
    line(&c, config, rates, beside);
    const uint32_t message = flow_case_send(&c, 0, 0, 1, bytes);
    flow_case_run(&c);
    const double ns = flow_case_ns(&c, message);
    flow_case_release(&c);
    return ns;
}

/* Of a frame on a cable, until a switch sends it on whose fastest cable is so fast. */
static double pass_ns(double rate, double fastest, double frame)
{
    return fmax(FORWARDED / rate, frame / rate - frame / fastest);
}

static void expect(double got, double want)
{
    if (fabs(got - want) > 0.01)
        fail_msg("%.4f ns, expected %.4f", got, want);
}

static void one_packet(void **state)
{
    static const double rates[][4] = {{50, 50, 50, 50},  {400, 50, 25, 25},  {25, 50, 400, 400},
                                      {400, 50, 400, 1}, {50, 400, 50, 50},  {25, 25, 25, 400},
                                      {10, 50, 30, 40},  {50, 12.5, 100, 90}};
    static const uint64_t sizes[] = {1, 100, 2000, 4096};
    struct nadi_packet_config config;
    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            const double *r = rates[i], frame = (double)sizes[k] + HEADERS;
            const double first = fmax(r[0], r[1]), second = fmax(fmax(r[1], r[2]), r[3]);
            const double cables = 3 * LATENCY_NS + frame / r[2];
            nadi_packet_config_init(&config);
            expect(packet_ns(&config, r, r[3], sizes[k]),
                   cables + fmin(frame / r[0], pass_ns(r[0], first, frame)) +
                       fmin(frame / r[1], pass_ns(r[1], second, frame)));
            config.switching = NADI_SWITCHING_CUT_THROUGH;
            expect(packet_ns(&config, r, r[3], sizes[k]),
                   cables + fmin(frame / r[0], pass_ns(r[0], first, frame)) +
                       fmin(frame / r[1], pass_ns(r[1], second, frame)));
            config.switching = NADI_SWITCHING_STORE;
            expect(packet_ns(&config, r, r[3], sizes[k]), cables + frame / r[0] + frame / r[1]);
        }
}

/* From a new rate on the switch knows how long it has to wait. */
static void after_a_change(void **state)
{
    static const double rates[] = {50, 50, 50};
    const double frame = 4096 + HEADERS;
    struct nadi_packet_config config;
    struct flow_case c;
    (void)state;
    nadi_packet_config_init(&config);
    line(&c, &config, rates, 50);
    flow_case_change(&c, 10, (struct nadi_link_state){4, 200, LATENCY_NS, false}); /* to NPU 1 */
    const uint32_t message = flow_case_send(&c, 20, 0, 1, 4096);
    flow_case_run(&c);
    expect(flow_case_ns(&c, message),
           3 * LATENCY_NS + frame / 200 + FORWARDED / 50.0 + pass_ns(50, 200, frame));
    flow_case_release(&c);
}

/* What passes an NPU's own router waits there for all of it. */
static void over_a_ring(void **state)
{
    const double frame = 4096 + HEADERS;
    struct nadi_packet_config config;
    struct flow_case c;
    (void)state;
    nadi_packet_config_init(&config);
    flow_case_init(&c);
    flow_case_dim(&c, NADI_DIM_RING, 8, 50, LATENCY_NS);
    c.packet = &config;
    flow_case_open(&c, &nadi_network_packet);
    const uint32_t message = flow_case_send(&c, 0, 0, 3, 4096);
    flow_case_run(&c);
    expect(flow_case_ns(&c, message), 3 * (LATENCY_NS + frame / 50));
    flow_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet),
        cmocka_unit_test(after_a_change),
        cmocka_unit_test(over_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
