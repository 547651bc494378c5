#include "network/packet/telemetry.h"

#include <math.h>

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

/* The HPCC simulator's codes know a few rates only. Otherwise a code is the number of the rate
 * while eight numbers are enough. */
static bool numbered(const struct nadi_pkt *net)
{
    return !net->config.exact && net->rate_count <= 8;
}

void nadi_pkt_int_init(struct nadi_pkt *net)
{
    for (uint32_t code = 0; code < 8; code++)
        net->coded_rates[code] =
            numbered(net) ? (double)net->rates[code < net->rate_count ? code : 0]
                          : (double)(coded_rates[code < CODED_RATES ? code : 0] * 1000000000);
    for (uint32_t p = 0; p < net->port_count; p++) {
        struct nadi_pkt_port *port = &net->ports[p];
        port->code = (uint16_t)(numbered(net) ? port->rate : code_of(net->rates[port->rate]));
    }
}

/* Powers count from the one nearest to 1/1024: 255 of 1.05 reach 247. */
void nadi_pint_init(struct nadi_pkt *net)
{
    const double base = net->config.hpcc.pint_log_base;
    const double first = -round(log(1024) / log(base));
    net->pints = NADI_ARENA_ZNEW(&net->arena, struct nadi_pkt_pint, net->port_count);
    net->pint_values = NADI_ARENA_NEW(&net->arena, double, UINT8_MAX + 1);
    for (uint32_t i = 0; i <= UINT8_MAX; i++)
        net->pint_values[i] = pow(base, first + i);
}

double nadi_pint_decode(const struct nadi_pkt *net, uint8_t power)
{
    return net->pint_values[power];
}

void nadi_pkt_telemetry_anew(struct nadi_pkt *net, uint32_t port, nadi_time at, uint64_t seed)
{
    net->sent[port].bytes = 0;
    net->rngs[port].state = seed;
    net->int_origins[port] = at;
    if (!net->pints)
        return;
    struct nadi_pkt_pint *p = &net->pints[port];
    p->u = 0;
    p->at = at - net->longest_rtt;
    p->bytes = p->power = 0;
}

/* The power below or the one above, so that the mean is right. A port's average moves in small
 * steps: the power is looked for from the last one on. */
static uint8_t pint_encode(struct nadi_pkt *net, uint32_t port)
{
    struct nadi_pkt_pint *p = &net->pints[port];
    const double *values = net->pint_values;
    uint32_t power = p->power;
    while (power > 0 && p->u < values[power])
        power--;
    while (power < UINT8_MAX && p->u >= values[power + 1])
        power++;
    p->power = power;
    if (power == UINT8_MAX || p->u <= values[power])
        return (uint8_t)power;
    const double share = (p->u - values[power]) / (values[power + 1] - values[power]);
    return (uint8_t)(power + (nadi_rng_unit(&net->rngs[port]) < share));
}

static NADI_SELDOM void pint_new_rate(struct nadi_pkt *net, uint32_t port)
{
    struct nadi_pkt_pint *p = &net->pints[port];
    const double bytes_per_tick =
        (double)net->rates[net->ports[port].rate] / 8e12 * (double)net->tick;
    p->per_byte = 1 / (bytes_per_tick * (double)net->longest_rtt);
    p->rate = net->ports[port].rate + 1U;
}

void nadi_pkt_add_int_anyhow(struct nadi_pkt *net, uint32_t port_index, uint32_t at,
                             uint64_t before, uint32_t queued)
{
    const uint64_t multiple = net->config.hpcc.int_multiple;
    const uint32_t slot = (nadi_pkt_hop(net->packets[at].word) - 2) % NADI_INT_HOPS;
    if (nadi_pkt_kind(net->packets[at].word) != NADI_PKT_DATA)
        return;
    if (slot >= net->int_words)
        nadi_pkt_widen_ints(net);
    nadi_pkt_int_record(net, net->int_of[at])[slot] = nadi_int_word(
        net, &net->ports[port_index], nadi_int_origin(net, port_index),
        before / (NADI_INT_BYTES_UNIT * multiple), queued / (NADI_INT_QUEUE_UNIT * multiple));
}

void nadi_pkt_add_pint(struct nadi_pkt *net, uint32_t port_index, uint32_t at, uint32_t queued)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_pint *p = &net->pints[port_index];
    const nadi_time now = net->wheel.now;
    if (nadi_pkt_kind(net->packets[at].word) == NADI_PKT_DATA) {
        const nadi_time since = nadi_min_i64(now - p->at, net->longest_rtt);
        const double share = (double)since * net->pint_per_tick;
        if (NADI_UNLIKELY(p->rate != port->rate + 1U))
            pint_new_rate(net, port_index);
        p->u = (1 - share) * p->u + (p->bytes + queued * share) * p->per_byte;
        if (p->u > net->pint_values[net->powers[at]]) { /* else no larger than what it has */
            const uint8_t power = pint_encode(net, port_index);
            if (power > net->powers[at])
                net->powers[at] = power;
        }
    }
    p->at = now;
    p->bytes = nadi_pkt_bytes(net->packets[at].word);
}
