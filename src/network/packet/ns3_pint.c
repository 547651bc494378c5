/* ns3_pint: HPCC-PINT's switch as the HPCC simulator has it, for exact mode.
 *
 * The average is that of cc_pint.c in the arithmetic of a switch without multiplication: each
 * product is 2 to a sum of logarithms that are cut to 15 bits behind the point. Numbers of more
 * than 16 bits are first rounded to 16, at random; queues count in steps of 256 bytes. The average
 * travels in 512ths, rounded up, as a power of the base.
 *
 * Logarithms and powers are those of the C library, as there, and each is asked for once as long as
 * it is remembered: few different ones occur. */
#include "network/packet/telemetry.h"

#include <math.h>

enum {
    FRACTION_BITS = 15,
    MANTISSA_BITS = 16,
    QUEUE_UNIT = 256,
    AVERAGE_UNITS = 8192,
    DRAWS = 65536,
    LOGS = (1 << MANTISSA_BITS) + 1,
    POWER_BITS = 14, /* of the number of powers that are remembered */
    CODES = 4096,
};

struct power { /* of two */
    double exponent, value;
};

struct code {     /* of an average: the power it travels as */
    double share; /* of the draws that choose `upper` */
    uint8_t lower, upper;
    bool known;
};

struct nadi_ns3_pint {
    double log_base, log_ns;
    double rate, log_rate; /* the last one */
    float *logs;           /* of whole numbers, cut, + 1; 0: not known */
    struct power *powers;  /* by a hash of the exponent; with value 0: none */
    struct code *codes;    /* by average in NADI_NS3_PINT_UNITS */
};

void nadi_ns3_pint_init(struct nadi_pkt *net)
{
    struct nadi_ns3_pint *m = NADI_ARENA_ZNEW(&net->arena, struct nadi_ns3_pint, 1);
    m->log_ns = log2(1e9);
    m->logs = NADI_ARENA_ZNEW(&net->arena, float, LOGS);
    m->powers = NADI_ARENA_ZNEW(&net->arena, struct power, 1 << POWER_BITS);
    m->codes = NADI_ARENA_ZNEW(&net->arena, struct code, CODES);
    net->ns3_pint = m;
}

static double power_of_two(struct nadi_ns3_pint *m, double exponent)
{
    uint64_t bits;
    memcpy(&bits, &exponent, sizeof(bits));
    struct power *p = &m->powers[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - POWER_BITS)];
    if (NADI_UNLIKELY(memcmp(&p->exponent, &exponent, sizeof(exponent)) || !(p->value > 0)))
        *p = (struct power){exponent, pow(2, exponent)};
    return p->value;
}

static NADI_SELDOM double new_log(struct nadi_ns3_pint *m, uint32_t x)
{
    const double log = floor(log2(x) * (1 << FRACTION_BITS)) / (1 << FRACTION_BITS);
    if (x < LOGS)
        m->logs[x] = (float)(log + 1); /* exactly: it has 20 bits */
    return log;
}

/* About log2(x); INT32_MIN / 2^15, which makes any product nothing, for 0. */
static double cut_log(struct nadi_pkt *net, uint32_t x)
{
    struct nadi_ns3_pint *m = net->ns3_pint;
    if (x == 0)
        return (double)INT32_MIN / (1 << FRACTION_BITS);
    const uint32_t bits = 32 - (uint32_t)__builtin_clz(x);
    if (NADI_UNLIKELY(bits > MANTISSA_BITS)) {
        const uint32_t mask = (UINT32_C(1) << (bits - MANTISSA_BITS)) - 1, rest = x & mask;
        x -= rest;
        if (rest > (nadi_ns3_streams_library(net->streams) & mask))
            x += mask + 1;
    }
    const double known = x < LOGS ? (double)m->logs[x] : 0;
    return NADI_LIKELY(known > 0) ? known - 1 : new_log(m, x);
}

/* x >= 0, to the nearest, halves up; what does not fit is as large as can be. */
static uint32_t rounded(double x)
{
    const uint32_t whole = x < UINT32_MAX ? (uint32_t)(int64_t)x : UINT32_MAX;
    return whole + (x - whole >= 0.5 && whole < UINT32_MAX);
}

static double log_of_rate(struct nadi_ns3_pint *m, uint64_t rate)
{
    const double bytes = (double)(rate / 8);
    if (NADI_UNLIKELY(memcmp(&bytes, &m->rate, sizeof(bytes)))) {
        m->rate = bytes;
        m->log_rate = log2(bytes);
    }
    return m->log_rate;
}

double nadi_ns3_pint_average(struct nadi_pkt *net, const struct nadi_pkt_pint *p, uint64_t rate,
                             uint32_t queued_bytes)
{
    struct nadi_ns3_pint *m = net->ns3_pint;
    const uint32_t base = (uint32_t)net->longest_rtt;
    const nadi_time since = net->wheel.now - p->at;
    const uint32_t dt = since < net->longest_rtt ? (uint32_t)since : base;
    if (!(m->log_base > 0))
        m->log_base = log2(base);
    const double log_base = m->log_base, log_rate = log_of_rate(m, rate), log_ns = m->log_ns;
    double queue_term = 0, bytes_term = 0, average_term = 0;
    if (queued_bytes >= QUEUE_UNIT) {
        const double log_dt = cut_log(net, dt), log_q = cut_log(net, queued_bytes / QUEUE_UNIT);
        queue_term =
            power_of_two(m, log_dt + log_q + log_ns - log_rate - 2 * log_base) * QUEUE_UNIT;
    }
    if (p->bytes > 0)
        bytes_term = power_of_two(m, cut_log(net, p->bytes) + log_ns - log_rate - log_base);
    if (base > dt && p->u > 0) {
        const double log_rest = cut_log(net, base - dt);
        const double log_u = cut_log(net, rounded(p->u * AVERAGE_UNITS));
        average_term = power_of_two(m, log_rest + log_u - log_base) / AVERAGE_UNITS;
    }
    return queue_term + bytes_term + average_term;
}

static NADI_SELDOM struct code new_code(struct nadi_pkt *net, double units)
{
    const double base = net->config.hpcc.pint_log_base;
    const double power = log(units) * (1 / net->pint_log);
    const double lower = pow(base, floor(power));
    double upper = pow(base, ceil(power));
    if (ceil(power) <= floor(power))
        upper *= base;
    const struct code code = {
        .share = (units - lower) / (upper - lower) * DRAWS,
        .lower = (uint8_t)fmin(floor(power), UINT8_MAX),
        .upper = (uint8_t)fmin(ceil(power), UINT8_MAX),
        .known = true,
    };
    if (units < CODES)
        net->ns3_pint->codes[(uint32_t)units] = code;
    return code;
}

uint8_t nadi_ns3_pint_encode(struct nadi_pkt *net, double u)
{
    const struct nadi_ns3_pint *m = net->ns3_pint;
    const double exact = u * NADI_NS3_PINT_UNITS;
    struct code code = {.known = false};
    if (NADI_LIKELY(exact < CODES - 1)) {
        const uint32_t whole = (uint32_t)(int32_t)exact, units = whole + (exact > whole);
        code = m->codes[units ? units : 1];
    }
    if (NADI_UNLIKELY(!code.known))
        code = new_code(net, fmax(ceil(exact), 1));
    const bool up = nadi_ns3_streams_library(net->streams) % DRAWS < code.share;
    return up ? code.upper : code.lower;
}
