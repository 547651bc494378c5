#include "network/packet/config.h"

#include "network/packet/cc.h"

#define NS(n) ((nadi_time)(n)*NADI_PS_PER_NS)
#define US(n) NS((nadi_time)(n)*1000)

static const uint64_t GIGA = 1000000000, MEGA = 1000000;

/* Thresholds of 100 Gb/s in the DCQCN and HPCC papers, scaled with the rate. */
static const struct nadi_ecn_row paper_map[] = {
    {25000000000, 100000, 400000, 0.2},      {40000000000, 200000, 800000, 0.2},
    {100000000000, 400000, 1600000, 0.2},    {200000000000, 600000, 2400000, 0.2},
    {400000000000, 800000, 3200000, 0.2},    {800000000000, 1600000, 6400000, 0.2},
    {2400000000000, 4800000, 19200000, 0.2},
};

void nadi_packet_config_init(struct nadi_packet_config *c)
{
    *c = (struct nadi_packet_config){
        .seed = 1,
        .cc = &nadi_cc_none,
        .payload_bytes = NADI_PACKET_PAYLOAD,
        .window = true,
        .window_variable = true,
        .rate_bound = true,
        .ack_interval_bytes = 1,
        .recovery = NADI_RECOVERY_GO_BACK_N,
        .chunk_bytes = 4000,
        .nack_interval = US(500),
        .rto = US(4000),
        .retry_limit = 7,
        .pfc = true,
        .ecn = true,
        .buffer_bytes = 32 << 20,
        .reserve_bytes = 4096,
        .resume_bytes = 3072,
        .threshold_shift = 3,
        .headroom_factor = 3,
        .ecn_rows = sizeof(paper_map) / sizeof(paper_map[0]),
        .spreading = NADI_SPREADING_FLOW,
        .trim_queue_bytes = 64 << 10,
        .min_rate = 100 * MEGA,
        .rate_ai = 50 * MEGA,
        .rate_hai = 100 * MEGA,
        .dctcp_rate_ai = GIGA,
        .gain = 1.0 / 256,
        .dcqcn = {.alpha_interval = US(55),
                  .decrease_interval = US(50),
                  .increase_interval = US(55),
                  .notify_interval = US(50),
                  .increase_bytes = 10 << 20,
                  .fast_recovery = 5},
        .hpcc = {.target = 0.95,
                 .mi_threshold = 5,
                 .int_multiple = 1,
                 .fast_react = true,
                 .pint_log_base = 1.05,
                 .pint_probability = 1},
        .timely = {.low = US(50),
                   .high = US(500),
                   .least_rtt = US(20),
                   .alpha = 0.875,
                   .beta = 0.8,
                   .hyper_after = 5},
        .swift = {.base_target = US(20),
                  .per_hop = US(20) * 100 / 655,
                  .additive = 1,
                  .beta = 0.8,
                  .max_decrease = 0.5,
                  .scale_range = 5,
                  .scale_min_cwnd = 0.1,
                  .scale_max_cwnd = 100},
    };
    memcpy(c->ecn_map, paper_map, sizeof(paper_map));
}

void nadi_packet_config_init_hpcc(struct nadi_packet_config *c)
{
    nadi_packet_config_init(c);
    c->payload_bytes = 1000;
    c->rto = 0;
    c->retry_limit = 0;
    c->dcqcn.alpha_interval = US(1);
    c->dcqcn.decrease_interval = US(4);
    c->dcqcn.increase_interval = US(900);
    c->dcqcn.notify_interval = 0;
    c->dcqcn.increase_bytes = 0;
    c->dcqcn.fast_recovery = 1;
    c->hpcc.mi_threshold = 0;
}

bool nadi_packet_config_sprays(const struct nadi_packet_config *c)
{
    return (c->cc && c->cc->receiver_driven) || c->spreading == NADI_SPREADING_PACKET;
}

const struct nadi_ecn_row *nadi_packet_config_ecn(const struct nadi_packet_config *c,
                                                  uint64_t bits_per_s)
{
    const struct nadi_ecn_row *row = c->ecn_rows ? &c->ecn_map[0] : NULL;
    for (uint32_t i = 1; i < c->ecn_rows && c->ecn_map[i].bits_per_s <= bits_per_s; i++)
        row = &c->ecn_map[i];
    return row;
}

uint64_t nadi_packet_most_bytes(const struct nadi_packet_config *c)
{
    return (uint64_t)c->payload_bytes * (UINT32_MAX - 1);
}
