#include "network/packet/config.h"

#include "network/packet/cc.h"

static const struct nadi_ecn_row paper_map[] = {
    {25000000000, 100000, 400000, 0.2},      {40000000000, 200000, 800000, 0.2},
    {100000000000, 400000, 1600000, 0.2},    {200000000000, 600000, 2400000, 0.2},
    {400000000000, 800000, 3200000, 0.2},    {800000000000, 1600000, 6400000, 0.2},
    {2400000000000, 4800000, 19200000, 0.2},
};

void nadi_packet_config_paper_ecn(struct nadi_packet_config *c)
{
    c->ecn_rows = sizeof(paper_map) / sizeof(paper_map[0]);
    memcpy(c->ecn_map, paper_map, sizeof(paper_map));
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
