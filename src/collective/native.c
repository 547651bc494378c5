/* native: the reference's four algorithms as step generators, made from a plan's phase.
 *
 * Messages, peers, sizes and what is added are those of collective/plan.h, which the executors of
 * these algorithms read (executor/phase_packets.c, tree.c, phase_solver.c): the k-th message of a
 * member is message k of its phase. Sizes are rounded as the phase says: where the reference cuts,
 * every block has message_bytes (its halvingDoubling cuts half by half: by a byte a block at most).
 *
 * Dependencies are those that the data have. The reference's packet engine knows windows instead:
 * where all members begin together it sends at the same times, else its direct all-reduce may pass
 * on a share before all have been added to it.
 *
 *   ring                one queue; all-to-all: blocks go round by one link a message, the farthest
 *                       first of each round
 *   direct              a queue for each message in flight; message k on queue k mod window
 *   halvingDoubling     one queue; blocks by the bits of their owners, lowest first
 *   doubleBinaryTree    one queue, up one tree and down again, the whole chunk each time */
#include "collective/native.h"
#include "collective/algorithms/algorithms.h"
#include "collective/tree.h"

static const struct nadi_phase *phase_of(const struct nadi_program *p)
{
    return p->request.phase;
}

static bool clockwise(const struct nadi_program *p)
{
    return phase_of(p)->pool != NADI_POOL_LAST;
}

/* Steps of a queue in half of a direct all-reduce: with empty ones, all queues have as many. */
static uint32_t steps_of_half(const struct nadi_program *p)
{
    return (phase_of(p)->n - 1 + p->queues - 1) / p->queues;
}

/* Number among the member's messages; NADI_NONE: the step is empty. */
static uint32_t message_of(const struct nadi_program *p, uint32_t queue, uint32_t k)
{
    const uint32_t each = phase_of(p)->n - 1, half = steps_of_half(p);
    if (p->queues == 1 || phase_of(p)->op != NADI_PHASE_ALL_REDUCE)
        return k * p->queues + queue;
    const uint32_t within = k % half * p->queues + queue;
    return within < each ? k / half * each + within : NADI_NONE;
}

/* Does message k gather, in an all-reduce its second half? */
static bool gathers(const struct nadi_phase *phase, uint32_t k)
{
    return phase->op == NADI_PHASE_ALL_GATHER ||
           (phase->op == NADI_PHASE_ALL_REDUCE && k >= phase->sends / 2);
}

/* ---- ring --------------------------------------------------------------------------------------
 */

/* `steps` places on in the direction of the ring, or against it. */
static uint32_t on(const struct nadi_program *p, uint32_t local, uint32_t steps, bool forward)
{
    const uint32_t n = phase_of(p)->n;
    return forward == clockwise(p) ? nadi_mod_add(local, steps % n, n)
                                   : nadi_mod_sub(local, steps % n, n);
}

/* An all-to-all's rounds: in round r a member passes on n - 1 - r blocks that have come r links. */
static uint32_t round_of(uint32_t n, uint32_t k, uint32_t *within)
{
    uint32_t round = 0;
    while (k >= n - 1 - round)
        k -= n - 1 - round++;
    *within = k;
    return round;
}

static uint32_t ring_block(const struct nadi_program *p, uint32_t local, uint32_t k)
{
    const struct nadi_phase *phase = phase_of(p);
    const uint32_t n = phase->n;
    if (phase->op == NADI_PHASE_ALL_TO_ALL) {
        uint32_t within;
        const uint32_t round = round_of(n, k, &within);
        const uint32_t from = on(p, local, round, false);
        return from * n + on(p, local, n - 1 - round - within, true);
    }
    if (phase->op == NADI_PHASE_ALL_REDUCE && k >= n - 1)
        return on(p, local, k - (n - 1), false);
    return on(p, local, phase->op == NADI_PHASE_ALL_GATHER ? k : k + 1, false);
}

/* ---- halving and doubling ----------------------------------------------------------------------
 */

/* Blocks of owners that have the member's lowest `bits` bits, the next one turned over. */
static void halves(const struct nadi_program *p, uint32_t local, uint32_t bits, bool turned,
                   nadi_blocks_visit *visit, void *context)
{
    const uint32_t step = 1U << (turned ? bits + 1 : bits);
    const uint32_t first = (turned ? local ^ 1U << bits : local) & (step - 1);
    for (uint32_t owner = first; owner < phase_of(p)->n; owner += step)
        visit(context, owner, 1);
}

static void halving_sent(const struct nadi_program *p, uint32_t local, uint32_t k,
                         nadi_blocks_visit *visit, void *context)
{
    const struct nadi_phase *phase = phase_of(p);
    const uint32_t log2_n = phase->log2_n;
    if (!gathers(phase, k))
        halves(p, local, k, true, visit, context);
    else
        halves(p, local, log2_n - (phase->op == NADI_PHASE_ALL_REDUCE ? k - log2_n : k), false,
               visit, context);
}

/* ---- double binary tree ------------------------------------------------------------------------
 */

enum { TREE_STEPS = 6 }; /* from the left, from the right, up, from above, to the left, right */

static uint32_t tree_peer(const struct nadi_program *p, uint32_t local, uint32_t which)
{
    const struct nadi_tree_node node = nadi_tree_node(phase_of(p)->log2_n, local, p->a);
    const uint32_t peers[TREE_STEPS] = {node.left,   node.right, node.parent,
                                        node.parent, node.left,  node.right};
    return peers[which];
}

/* The k-th of the six steps that the member has a peer for. */
static uint32_t tree_step(const struct nadi_program *p, uint32_t local, uint32_t k)
{
    uint32_t which = 0;
    for (;; which++)
        if (tree_peer(p, local, which) != NADI_NONE && k-- == 0)
            return which;
}

static uint32_t tree_steps(const struct nadi_program *p, uint32_t local)
{
    uint32_t count = 0;
    for (uint32_t which = 0; which < TREE_STEPS; which++)
        count += tree_peer(p, local, which) != NADI_NONE;
    return count;
}

/* ---- the generator -----------------------------------------------------------------------------
 */

static const char *prepare(struct nadi_program *p)
{
    const struct nadi_phase *phase = phase_of(p);
    const uint32_t n = phase->n;
    if (!nadi_algorithm_can_run(phase->algorithm, phase->op, n) ||
        (phase->algorithm == NADI_ALGORITHM_HALVING_DOUBLING && (n & (n - 1))))
        return "its pairs do not close";
    if (phase->op == NADI_PHASE_ALL_TO_ALL && n > UINT16_MAX)
        return "more than 65,535 members";
    p->queues = phase->algorithm == NADI_ALGORITHM_DIRECT ? phase->first : 1;
    if (phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        p->blocks = 1;
        return NULL;
    }
    p->blocks = phase->op == NADI_PHASE_ALL_TO_ALL ? n * n : n;
    if (!phase->exact && phase->op != NADI_PHASE_ALL_GATHER)
        p->bytes = phase->bytes / n * p->blocks; /* the reference cuts */
    return NULL;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    const struct nadi_phase *phase = phase_of(p);
    if (phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return tree_steps(p, member);
    if (p->queues > 1 && phase->op == NADI_PHASE_ALL_REDUCE)
        return 2 * steps_of_half(p);
    return phase->sends / p->queues + (queue < phase->sends % p->queues);
}

/* Who sends message k to the member. */
static uint32_t source(const struct nadi_program *p, uint32_t local, uint32_t k)
{
    const struct nadi_phase *phase = phase_of(p);
    const uint32_t to = nadi_phase_destination(phase, local, k, clockwise(p));
    if (phase->algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
        return to;
    const uint32_t distance = nadi_mod_sub(to, local, phase->n);
    return nadi_mod_sub(local, distance, phase->n);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    const struct nadi_phase *phase = phase_of(p);
    if (phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        const uint32_t which = tree_step(p, member, k);
        const bool sends = which == 2 || which > 3;
        *(sends ? &out->to : &out->from) = tree_peer(p, member, which);
        out->reduces = which < 2;
        return;
    }
    const uint32_t message = message_of(p, queue, k);
    if (message == NADI_NONE)
        return;
    out->to = nadi_phase_destination(phase, member, message, clockwise(p));
    out->from = source(p, member, message);
    out->reduces = phase->op == NADI_PHASE_REDUCE_SCATTER ||
                   (phase->op == NADI_PHASE_ALL_REDUCE && !gathers(phase, message));
    if (p->queues > 1 && phase->op == NADI_PHASE_ALL_REDUCE && gathers(phase, message)) {
        out->wait_queue = NADI_ALL_QUEUES; /* for all that is added to the member's own share */
        out->wait_steps = steps_of_half(p);
    }
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    const struct nadi_phase *phase = phase_of(p);
    const bool tree = phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE;
    const uint32_t message = message_of(p, queue, k);
    if (message == NADI_NONE)
        return;
    const uint32_t to =
        tree ? NADI_NONE : nadi_phase_destination(phase, member, message, clockwise(p));
    switch (phase->algorithm) {
    case NADI_ALGORITHM_RING:
        visit(context, ring_block(p, member, message), 1);
        return;
    case NADI_ALGORITHM_DIRECT:
        visit(context,
              phase->op == NADI_PHASE_ALL_TO_ALL ? member * phase->n + to
              : gathers(phase, message)          ? member
                                                 : to,
              1);
        return;
    case NADI_ALGORITHM_HALVING_DOUBLING:
        halving_sent(p, member, message, visit, context);
        return;
    case NADI_ALGORITHM_DOUBLE_BINARY_TREE: {
        const uint32_t which = tree_step(p, member, k);
        if (which == 2 || which > 3)
            visit(context, 0, 1);
        return;
    }
    case NADI_ALGORITHM_PROGRAM:
    case NADI_ALGORITHM_LIBRARY:
    case NADI_ALGORITHM_NONE:
        break;
    }
    NADI_BUG("no native algorithm");
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    const struct nadi_phase *phase = phase_of(p);
    const bool adds = phase->op == NADI_PHASE_REDUCE_SCATTER || phase->op == NADI_PHASE_ALL_REDUCE;
    const double block = (double)p->bytes / p->blocks, n = phase->n, log2_n = phase->log2_n;
    const double halves = phase->op == NADI_PHASE_ALL_REDUCE ? 2 : 1;
    if (phase->algorithm == NADI_ALGORITHM_RING)
        return phase->sends * (alpha + beta * block) + (adds ? (n - 1) * gamma * block : 0);
    if (phase->algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
        return halves * (log2_n * alpha + beta * (n - 1) * block) +
               (adds ? gamma * (n - 1) * block : 0);
    return -1;
}

static const struct nadi_program_ops native = {
    .name = "native",
    .summary = "The reference's ring, direct, halvingDoubling and doubleBinaryTree.",
    .cost = "ring and halvingDoubling as ring and rabenseifner",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KIND(NADI_ALL_TO_ALL) |
             NADI_KINDS_REDUCE_SCATTER,
    .sends_ahead = true,
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};

const char *nadi_native_program(const struct nadi_phase *phase, bool max_tree,
                                struct nadi_program *p)
{
    static const enum nadi_collective_kind kinds[] = {
        [NADI_PHASE_NONE] = NADI_ALL_REDUCE,
        [NADI_PHASE_REDUCE_SCATTER] = NADI_REDUCE_SCATTER,
        [NADI_PHASE_ALL_GATHER] = NADI_ALL_GATHER,
        [NADI_PHASE_ALL_REDUCE] = NADI_ALL_REDUCE,
        [NADI_PHASE_ALL_TO_ALL] = NADI_ALL_TO_ALL,
        [NADI_PHASE_OTHER] = NADI_COLLECTIVE_KINDS,
    };
    const bool tree = phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE;
    const struct nadi_program_request request = {
        .kind = tree ? NADI_ALL_REDUCE : kinds[phase->op], /* the tree reduces whatever it is for */
        .n = phase->n,
        .bytes = phase->bytes,
        .phase = phase,
    };
    const char *refused = nadi_program_make(&native, &request, p);
    p->a = max_tree;
    return refused;
}
