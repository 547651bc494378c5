/* pat: logarithmic all-gather and reduce-scatter in which far members exchange little and near
 * members much (parallel aggregated trees; Jeaugey, "PAT", 2025, gives the idea).
 *
 * Each member's part travels down a binomial tree of its own over the distances 0 .. n-1, largest
 * step first; the trees of all members advance together, so a message carries one part for each
 * tree in which the sender forwards at that moment. Step of size s = 2^t: member r sends to r+s the
 * parts of r-d for every multiple d of 2s with d+s < n. Reduce-scatter runs it backwards. */
#include "collective/algorithms/algorithms.h"

static const char *prepare(struct nadi_program *p)
{
    p->blocks = p->request.n;
    p->a = nadi_ceil_log2(p->request.n); /* steps of one half */
    return NULL;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue;
    return p->request.kind == NADI_ALL_REDUCE ? 2 * p->a : p->a;
}

static bool reduces_at(const struct nadi_program *p, uint32_t k)
{
    return p->request.kind != NADI_ALL_GATHER && k < p->a;
}

static uint32_t size_at(const struct nadi_program *p, uint32_t k)
{
    return reduces_at(p, k) ? 1U << k : 1U << (p->a - 1 - k % p->a);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    uint32_t n = p->request.n, size = size_at(p, k);
    uint32_t up = nadi_mod_add(member, size, n), down = nadi_mod_sub(member, size, n);
    out->reduces = reduces_at(p, k);
    out->to = out->reduces ? down : up;
    out->from = out->reduces ? up : down;
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    uint32_t n = p->request.n, size = size_at(p, k);
    /* backwards, what a gathering r - size would have sent here */
    uint32_t r = reduces_at(p, k) ? nadi_mod_sub(member, size, n) : member;
    for (uint64_t d = 0; d + size < n; d += 2 * (uint64_t)size)
        visit(context, nadi_mod_sub(r, (uint32_t)d, n), 1);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    uint32_t n = p->request.n;
    double block = (double)p->bytes / n, parts = n - 1;
    double gather = p->a * alpha + beta * parts * block, reduce = gather + gamma * parts * block;
    if (p->request.kind == NADI_ALL_REDUCE)
        return gather + reduce;
    return p->request.kind == NADI_ALL_GATHER ? gather : reduce;
}

const struct nadi_program_ops nadi_algorithm_pat = {
    .name = "pat",
    .summary = "Logarithmic steps over parallel binomial trees, few bytes far, many near.",
    .cost = "all-gather ceil(log2 n) a + (n-1) b m/n; reduce-scatter + (n-1) c m/n; all-reduce "
            "both",
    .kinds = NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER | NADI_KIND(NADI_ALL_REDUCE),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
