#include "network/packet/ns3_streams.h"

enum { STREAM_BITS = 127, RUN_BITS = 76 };

/* x(n) = forward x(n-2) - backward x(n-3) in the first half, of x(n-1) in the second. */
static const uint64_t A_FORWARD = 1403580, A_BACKWARD = 810728, A_GAP = 209;
static const uint64_t B_FORWARD = 527612, B_BACKWARD = 1370589, B_GAP = 22853;
static const double SCALE = 2.328306549295727688e-10; /* 1 / (2^32 - 208) */

typedef uint64_t matrix[3][3];

/* Modulo 2^32 - gap, gap < 2^15, where x < 2^49 + 2^34. */
static uint64_t reduce(uint64_t x, uint64_t gap)
{
    const uint64_t modulus = (UINT64_C(1) << 32) - gap;
    x = (x >> 32) * gap + (x & UINT32_MAX);
    x = (x >> 32) * gap + (x & UINT32_MAX);
    return x >= modulus ? x - modulus : x;
}

/* Of two numbers below the modulus: congruent and below 2^47 + 2^32. */
static uint64_t product(uint64_t x, uint64_t y, uint64_t gap)
{
    const uint64_t z = x * y;
    return (z >> 32) * gap + (z & UINT32_MAX);
}

static uint64_t dot(const uint64_t row[3], uint64_t x, uint64_t y, uint64_t z, uint64_t gap)
{
    return reduce(product(row[0], x, gap) + product(row[1], y, gap) + product(row[2], z, gap), gap);
}

static void multiply(matrix out, matrix left, matrix right, uint64_t gap)
{
    matrix result;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++)
            result[i][j] = dot(left[i], right[0][j], right[1][j], right[2][j], gap);
    memcpy(out, result, sizeof(result));
}

static void advance(struct nadi_ns3_half *h, matrix by)
{
    const uint64_t x = h->state[0], y = h->state[1], z = h->state[2];
    for (uint32_t i = 0; i < 3; i++)
        h->state[i] = dot(by[i], x, y, z, h->modulus_gap);
}

/* So many times. */
static void advance_by(struct nadi_ns3_half *h, matrix step, uint64_t times)
{
    matrix power;
    memcpy(power, step, sizeof(power));
    for (; times; times >>= 1) {
        if (times & 1)
            advance(h, power);
        multiply(power, power, power, h->modulus_gap);
    }
}

static void begin(struct nadi_ns3_half *h, matrix step, uint64_t run, uint64_t used)
{
    matrix run_jump = {{0}};
    for (uint32_t i = 0; i < 3; i++)
        h->state[i] = 1; /* the seed */
    for (uint32_t bit = 0; bit < STREAM_BITS; bit++) {
        if (bit == RUN_BITS)
            memcpy(run_jump, step, sizeof(run_jump));
        multiply(step, step, step, h->modulus_gap);
    }
    memcpy(h->jump, step, sizeof(h->jump));
    advance_by(h, run_jump, run);
    advance_by(h, h->jump, used);
}

void nadi_ns3_streams_init(struct nadi_ns3_streams *s, uint64_t run, uint64_t used)
{
    const uint64_t a = (UINT64_C(1) << 32) - A_GAP, b = (UINT64_C(1) << 32) - B_GAP;
    matrix step_a = {{0, 1, 0}, {0, 0, 1}, {a - A_BACKWARD, A_FORWARD, 0}};
    matrix step_b = {{0, 1, 0}, {0, 0, 1}, {b - B_BACKWARD, 0, B_FORWARD}};
    s->a.modulus_gap = A_GAP;
    s->b.modulus_gap = B_GAP;
    begin(&s->a, step_a, run, used);
    begin(&s->b, step_b, run, used);
}

double nadi_ns3_streams_next(struct nadi_ns3_streams *s)
{
    const uint64_t a = (UINT64_C(1) << 32) - A_GAP, b = (UINT64_C(1) << 32) - B_GAP;
    const uint64_t row_a[3] = {a - A_BACKWARD, A_FORWARD, 0};
    const uint64_t row_b[3] = {b - B_BACKWARD, 0, B_FORWARD};
    const uint64_t x = dot(row_a, s->a.state[0], s->a.state[1], s->a.state[2], A_GAP);
    const uint64_t y = dot(row_b, s->b.state[0], s->b.state[1], s->b.state[2], B_GAP);
    nadi_ns3_streams_skip(s);
    return (double)(x > y ? x - y : x + a - y) * SCALE;
}

void nadi_ns3_streams_skip(struct nadi_ns3_streams *s)
{
    advance(&s->a, s->a.jump);
    advance(&s->b, s->b.jump);
}
