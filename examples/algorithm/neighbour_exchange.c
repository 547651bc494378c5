/* neighbourExchange: all-gather in n/2 steps with the two neighbours in turn (J. Chen et al.,
 * "Performance evaluation of allgather algorithms on terascale Linux cluster with fast Ethernet",
 * HPC Asia 2005). Members 2p and 2p+1 are pair p. They exchange their blocks; from then on a member
 * sends the pair of blocks that it received last, to the other neighbour each time. */
#include "collective/algorithms/algorithms.h"

static const char *prepare(struct nadi_program *p)
{
    if (p->request.n % 2 != 0)
        return "the number of members is odd";
    p->blocks = p->request.n; /* block b belongs to member b */
    return NULL;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue; /* there is one queue unless prepare says otherwise */
    return p->request.n / 2;
}

/* Even members look right in even steps, odd members left; in odd steps the other way. */
static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    const bool right = member % 2 == k % 2;
    out->to = right ? nadi_mod_add(member, 1, p->request.n) : nadi_mod_sub(member, 1, p->request.n);
    out->from = out->to; /* an exchange; nothing is added up: out->reduces stays false */
}

/* Step 0: the own block. Step k: what came in step k - 1, the pair k/2 away on one side. */
static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    if (k == 0) {
        visit(context, member, 1);
        return;
    }
    const uint32_t pairs = p->request.n / 2, away = k / 2;
    const bool below = member % 2 == k % 2;
    const uint32_t pair =
        below ? nadi_mod_sub(member / 2, away, pairs) : nadi_mod_add(member / 2, away, pairs);
    visit(context, 2 * pair, 2);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    (void)gamma;
    const double n = p->request.n, block = (double)p->bytes / n;
    return n / 2 * alpha + (n - 1) * beta * block;
}

const struct nadi_program_ops nadi_algorithm_neighbour_exchange = {
    .name = "neighbourExchange",
    .summary = "Neighbours exchange what they received last, left and right in turn.",
    .cost = "n/2 a + (n-1) b m",
    .kinds = NADI_KIND(NADI_ALL_GATHER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
