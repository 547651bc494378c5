/* ns3_pint: HPCC-PINT's switch as the HPCC simulator has it, for exact mode.
 *
 * The average is that of cc_pint.c in the arithmetic of a switch without multiplication: each
 * product is 2 to a sum of logarithms that are cut to 15 bits behind the point. Numbers of more
 * than 16 bits are first rounded to 16, at random; queues count in steps of 256 bytes. The average
 * travels in 512ths, rounded up, as a power of the base. */
#include "network/packet/telemetry.h"

#include <math.h>

enum {
    FRACTION_BITS = 15,
    MANTISSA_BITS = 16,
    QUEUE_UNIT = 256,
    AVERAGE_UNITS = 8192,
    DRAWS = 65536,
};

/* About log2(x); INT32_MIN / 2^15, which makes any product nothing, for 0. */
static double cut_log(struct nadi_pkt *net, uint32_t x)
{
    if (x == 0)
        return (double)INT32_MIN / (1 << FRACTION_BITS);
    const uint32_t bits = 32 - (uint32_t)__builtin_clz(x);
    if (bits > MANTISSA_BITS) {
        const uint32_t mask = (UINT32_C(1) << (bits - MANTISSA_BITS)) - 1, rest = x & mask;
        x -= rest;
        if (rest > (nadi_ns3_streams_library(net->streams) & mask))
            x += mask + 1;
    }
    return floor(log2(x) * (1 << FRACTION_BITS)) / (1 << FRACTION_BITS);
}

double nadi_ns3_pint_average(struct nadi_pkt *net, const struct nadi_pkt_pint *p, uint64_t rate,
                             uint32_t queued_bytes)
{
    const uint32_t base = (uint32_t)net->longest_rtt;
    const nadi_time since = net->wheel.now - p->at;
    const uint32_t dt = since < net->longest_rtt ? (uint32_t)since : base;
    const double log_base = log2(base), log_rate = log2((double)(rate / 8)), log_ns = log2(1e9);
    double queue_term = 0, bytes_term = 0, average_term = 0;
    if (queued_bytes >= QUEUE_UNIT) {
        const double log_dt = cut_log(net, dt), log_q = cut_log(net, queued_bytes / QUEUE_UNIT);
        queue_term = pow(2, log_dt + log_q + log_ns - log_rate - 2 * log_base) * QUEUE_UNIT;
    }
    if (p->bytes > 0)
        bytes_term = pow(2, cut_log(net, p->bytes) + log_ns - log_rate - log_base);
    if (base > dt && p->u > 0) {
        const double log_rest = cut_log(net, base - dt);
        const double log_u = cut_log(net, (uint32_t)round(p->u * AVERAGE_UNITS));
        average_term = pow(2, log_rest + log_u - log_base) / AVERAGE_UNITS;
    }
    return queue_term + bytes_term + average_term;
}

uint8_t nadi_ns3_pint_encode(struct nadi_pkt *net, double u)
{
    const double base = net->config.hpcc.pint_log_base;
    const double units = fmax(ceil(u * NADI_NS3_PINT_UNITS), 1);
    const double power = log(units) * (1 / net->pint_log);
    const double lower = pow(base, floor(power));
    double upper = pow(base, ceil(power));
    if (ceil(power) <= floor(power))
        upper *= base;
    const double share = (units - lower) / (upper - lower) * DRAWS;
    const bool up = nadi_ns3_streams_library(net->streams) % DRAWS < share;
    return (uint8_t)fmin(up ? ceil(power) : floor(power), UINT8_MAX);
}
