/* ring: each member passes blocks on to its neighbour; one ring, two (both directions) or several.
 *
 * Channel c goes round with stride s_c, coprime to n, and carries 1/channels of every owner's part:
 * strides 1, n-1, then the next coprime pairs, so that on a full mesh the rings share no link as
 * long as there are strides left. Position i of a ring is member i * s_c mod n. Reduce-scatter step
 * k sends the part of position i-1-k, all-gather step k that of position i-k: bandwidth-optimal
 * (Patarasuk and Yuan, JPDC 2009). */
#include "collective/algorithms/algorithms.h"

/* O(channel) divisions; the first two come at once */
static uint32_t stride_of(uint32_t n, uint32_t channel)
{
    uint32_t pair = 0;
    for (uint32_t s = 1;; s = s < n / 2 ? s + 1 : 1) {
        if (nadi_gcd(s, n) == 1 && pair++ == channel / 2)
            return channel % 2 ? n - s : s;
    }
}

/* i with i * stride = member (mod n), by Euclid's algorithm: O(log n) */
static uint32_t position_of(uint32_t n, uint32_t stride, uint32_t member)
{
    if (stride == 1)
        return member;
    if (stride == n - 1)
        return member ? n - member : 0;
    int64_t a = stride, b = n, x = 1, y = 0;
    while (b) {
        int64_t q = a / b, rest = a % b, next = x - q * y;
        a = b;
        b = rest;
        x = y;
        y = next;
    }
    uint64_t inverse = (uint64_t)(x < 0 ? x + n : x);
    return (uint32_t)(member * inverse % n);
}

static uint32_t member_at(uint32_t n, uint32_t stride, uint32_t position)
{
    return (uint32_t)((uint64_t)position * stride % n);
}

static const char *prepare(struct nadi_program *p)
{
    uint32_t n = p->request.n;
    if (n > UINT32_MAX / 2 / p->queues)
        return "too many blocks";
    p->blocks = n * p->queues;
    return NULL;
}

static const char *prepare_one(struct nadi_program *p)
{
    p->queues = 1;
    return prepare(p);
}

static const char *prepare_many(struct nadi_program *p)
{
    p->queues = p->request.channels ? p->request.channels : 2;
    if (p->queues > 1024)
        return "more than 1024 channels";
    return prepare(p);
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue;
    return (p->request.n - 1) * (p->request.kind == NADI_ALL_REDUCE ? 2 : 1);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    uint32_t n = p->request.n, stride = stride_of(n, queue);
    out->to = nadi_mod_add(member, stride, n);
    out->from = nadi_mod_sub(member, stride, n);
    out->reduces =
        p->request.kind == NADI_REDUCE_SCATTER || (p->request.kind == NADI_ALL_REDUCE && k < n - 1);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    uint32_t n = p->request.n, stride = stride_of(n, queue), i = position_of(n, stride, member);
    bool gathers = p->request.kind == NADI_ALL_GATHER || k >= n - 1;
    if (k >= n - 1)
        k -= n - 1;
    uint32_t position = nadi_mod_sub(i, gathers ? k : k + 1, n);
    visit(context, member_at(n, stride, position) * p->queues + queue, 1);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    double n = p->request.n, bytes = (double)p->bytes / n / p->queues;
    double gather = (n - 1) * (alpha + beta * bytes), reduce = gather + (n - 1) * gamma * bytes;
    if (p->request.kind == NADI_ALL_REDUCE)
        return reduce + gather;
    return p->request.kind == NADI_ALL_GATHER ? gather : reduce;
}

const struct nadi_program_ops nadi_algorithm_ring = {
    .name = "ring",
    .with_channels = &nadi_algorithm_multi_ring,
    .summary = "Blocks go round one ring, in one direction.",
    .cost = "all-reduce 2(n-1)(a + b m/n) + (n-1) c m/n; reduce-scatter and all-gather half of it",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER,
    .sends_ahead = true,
    .prepare = prepare_one,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};

const struct nadi_program_ops nadi_algorithm_multi_ring = {
    .name = "multiRing",
    .number = NADI_NUMBER_CHANNELS,
    .summary = "Blocks go round several rings (`channels`; by default 2: both directions).",
    .cost = "as ring with m / channels",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER,
    .sends_ahead = true,
    .prepare = prepare_many,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
