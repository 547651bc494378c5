/* scatter_gather: rooted collectives of large vectors in two halves (van de Geijn et al.).
 * Broadcast: a binomial tree scatters, a ring gathers. Reduce: a ring reduces and scatters, a
 * binomial tree gathers. The halves are the programs of tree and ring, one after the other. */
#include "collective/algorithms/algorithms.h"

static struct nadi_program half_of(const struct nadi_program *p, bool second)
{
    struct nadi_program half = *p;
    bool broadcast = p->request.kind == NADI_BROADCAST;
    bool tree = broadcast != second;
    half.ops = tree ? &nadi_algorithm_tree : &nadi_algorithm_ring;
    half.request.kind = broadcast ? (second ? NADI_ALL_GATHER : NADI_SCATTER)
                                  : (second ? NADI_GATHER : NADI_REDUCE_SCATTER);
    return half;
}

static const char *prepare(struct nadi_program *p)
{
    p->blocks = p->request.n;
    return NULL;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    struct nadi_program first = half_of(p, false), second = half_of(p, true);
    return first.ops->steps(&first, member, queue) + second.ops->steps(&second, member, queue);
}

static struct nadi_program part_of(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                   uint32_t *k)
{
    struct nadi_program part = half_of(p, false);
    uint32_t count = part.ops->steps(&part, member, queue);
    if (*k < count)
        return part;
    *k -= count;
    return half_of(p, true);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    struct nadi_program part = part_of(p, member, queue, &k);
    part.ops->step(&part, member, queue, k, out);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    struct nadi_program part = part_of(p, member, queue, &k);
    part.ops->sent(&part, member, queue, k, visit, context);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    struct nadi_program first = half_of(p, false), second = half_of(p, true);
    double a = first.ops->seconds(&first, alpha, beta, gamma);
    double b = second.ops->seconds(&second, alpha, beta, gamma);
    return a < 0 || b < 0 ? -1 : a + b;
}

const struct nadi_program_ops nadi_algorithm_scatter_gather = {
    .name = "scatterGather",
    .summary = "Broadcast as scatter (tree) and all-gather (ring); reduce as reduce-scatter (ring) "
               "and gather (tree).",
    .cost = "broadcast (log2 n + n-1) a + 2 b m (n-1)/n for powers of two; reduce + c m (n-1)/n",
    .kinds = NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
