/* bruck: logarithmic all-gather, all-to-all and barrier for any number of members (Bruck et al.,
 * IEEE TPDS 1997; the barrier is Hensgen, Finkel and Manber's dissemination, 1988).
 *
 * All-gather step k: member r sends what it has so far, the parts of r .. r+2^k-1, to r-2^k.
 * All-to-all step k: what still has to travel by a distance j with bit k set goes on by 2^k; a
 * distance is travelled lowest bit first, so at step k the item of distance j at member r comes
 * from r - (j mod 2^k). */
#include "collective/algorithms/algorithms.h"

static const char *prepare(struct nadi_program *p)
{
    uint32_t n = p->request.n;
    if (p->request.kind == NADI_ALL_TO_ALL) {
        if (n > UINT16_MAX)
            return "more than 65,535 members";
        p->blocks = n * n;
    } else if (p->request.kind == NADI_ALL_GATHER) {
        p->blocks = n;
    }
    return NULL;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue;
    return nadi_ceil_log2(p->request.n);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    uint32_t n = p->request.n, reach = 1U << k;
    uint32_t up = nadi_mod_add(member, reach, n), down = nadi_mod_sub(member, reach, n);
    bool gathers = p->request.kind == NADI_ALL_GATHER;
    out->to = gathers ? down : up;
    out->from = gathers ? up : down;
    out->reduces = p->request.kind == NADI_BARRIER;
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    uint32_t n = p->request.n, reach = 1U << k;
    if (p->request.kind == NADI_BARRIER) {
        visit(context, 0, 1);
        return;
    }
    if (p->request.kind == NADI_ALL_GATHER) {
        nadi_visit_wrapped(member, reach < n - reach ? reach : n - reach, n, 1, visit, context);
        return;
    }
    for (uint32_t j = reach; j < n; j = (j + 1) | reach) {
        uint32_t src = nadi_mod_sub(member, j & (reach - 1), n);
        visit(context, src * n + nadi_mod_add(src, j, n), 1);
    }
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    (void)gamma;
    uint32_t n = p->request.n;
    double time = 0, block = (double)p->bytes / p->blocks;
    for (uint32_t reach = 1; reach < n; reach *= 2) {
        uint32_t blocks = 0; /* of distances below n with this bit set */
        if (p->request.kind == NADI_ALL_TO_ALL)
            blocks =
                n / (2 * reach) * reach + (n % (2 * reach) > reach ? n % (2 * reach) - reach : 0);
        else
            blocks = reach < n - reach ? reach : n - reach;
        time += alpha + beta * block * blocks;
    }
    return time;
}

const struct nadi_program_ops nadi_algorithm_bruck = {
    .name = "bruck",
    .summary = "Logarithmic steps for any number of members; the barrier is dissemination.",
    .cost = "all-gather ceil(log2 n) a + b (n-1) m; all-to-all ceil(log2 n)(a + b m/2) for powers "
            "of two; barrier ceil(log2 n) a",
    .kinds = NADI_KIND(NADI_ALL_GATHER) | NADI_KIND(NADI_ALL_TO_ALL) | NADI_KIND(NADI_BARRIER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
