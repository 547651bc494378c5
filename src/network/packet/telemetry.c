#include "network/packet/telemetry.h"

static const uint64_t coded_rates[] = {25, 50, 100, 200, 400, 1200, 2400}; /* Gb/s */

enum { CODED_RATES = sizeof(coded_rates) / sizeof(coded_rates[0]) };

/* The fastest coded rate that is not above the port's. */
static uint64_t code_of(uint64_t bits_per_s)
{
    uint64_t code = 0;
    while (code + 1 < CODED_RATES && coded_rates[code + 1] * 1000000000 <= bits_per_s)
        code++;
    return code;
}

uint64_t nadi_int_rate(uint64_t word)
{
    const uint64_t code = nadi_int_field(word, 0, 3);
    return coded_rates[code < CODED_RATES ? code : 0] * 1000000000;
}

void nadi_pkt_telemetry_add(struct nadi_pkt *net, const struct nadi_pkt_port *port, uint32_t cell)
{
    if (net->cells[cell].event.kind != NADI_PKT_DATA)
        return;
    struct nadi_pkt_int *record = &net->ints[cell];
    const uint64_t multiple = net->config.hpcc.int_multiple;
    const uint64_t ns = (uint64_t)net->wheel.now * (uint64_t)net->tick / 1000;
    const uint64_t time = ns & ((1U << NADI_INT_TIME_BITS) - 1);
    const uint64_t sent =
        port->sent_bytes / (NADI_INT_BYTES_UNIT * multiple) & ((1U << NADI_INT_BYTES_BITS) - 1);
    const uint64_t queue =
        port->queued_bytes / (NADI_INT_QUEUE_UNIT * multiple) & ((1U << NADI_INT_QUEUE_BITS) - 1);
    record->hop[record->hops % NADI_INT_HOPS] =
        code_of(net->rates[port->rate]) | time << 3 | sent << (3 + NADI_INT_TIME_BITS) |
        queue << (3 + NADI_INT_TIME_BITS + NADI_INT_BYTES_BITS);
    record->hops++;
}
