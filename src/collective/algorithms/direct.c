/* direct: everybody exchanges with everybody, all at once (a queue for each distance) or one after
 * the other (pairwise exchange: one queue). Rooted collectives go straight from or to the root. */
#include "collective/algorithms/algorithms.h"

static bool rooted(enum nadi_collective_kind kind)
{
    return nadi_collective_root(kind) != NADI_ROOT_NONE;
}

static bool one_way_in(enum nadi_collective_kind kind)
{
    return nadi_collective_root(kind) == NADI_ROOT_TO;
}

static const char *prepare(struct nadi_program *p)
{
    uint32_t n = p->request.n;
    enum nadi_collective_kind kind = p->request.kind;
    if (kind == NADI_ALL_TO_ALL) {
        if (n > UINT16_MAX)
            return "more than 65,535 members";
        p->blocks = n * n;
    } else if (kind != NADI_BARRIER && kind != NADI_BROADCAST && kind != NADI_REDUCE) {
        p->blocks = n;
    }
    return NULL;
}

static const char *prepare_direct(struct nadi_program *p)
{
    p->queues = p->request.n - 1;
    return prepare(p);
}

/* Rooted: queue d of the root deals with the member at distance d + 1; the others have one step, on
 * the queue of their distance. All-reduce: a second step once all queues have reduced. */
static uint32_t steps_direct(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    const struct nadi_program_request *q = &p->request;
    if (rooted(q->kind))
        return member == q->root || nadi_mod_sub(member, q->root, q->n) == queue + 1;
    return q->kind == NADI_ALL_REDUCE ? 2 : 1;
}

static void exchange(const struct nadi_program *p, uint32_t member, uint32_t distance, bool second,
                     struct nadi_step *out)
{
    uint32_t n = p->request.n;
    enum nadi_collective_kind kind = p->request.kind;
    out->to = nadi_mod_add(member, distance, n);
    out->from = nadi_mod_sub(member, distance, n);
    out->reduces = nadi_program_adds(kind) && !second;
}

static void step_direct(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                        struct nadi_step *out)
{
    const struct nadi_program_request *q = &p->request;
    if (!rooted(q->kind)) {
        exchange(p, member, queue + 1, k > 0, out);
        if (k > 0) {
            out->wait_queue = NADI_ALL_QUEUES;
            out->wait_steps = 1;
        }
        return;
    }
    uint32_t other = member == q->root ? nadi_mod_add(q->root, queue + 1, q->n) : q->root;
    bool receives = (member == q->root) == one_way_in(q->kind);
    if (receives) {
        out->from = other;
        out->reduces = q->kind == NADI_REDUCE;
    } else {
        out->to = other;
    }
}

static void blocks_for(const struct nadi_program *p, uint32_t member, uint32_t to, bool second,
                       nadi_blocks_visit *visit, void *context)
{
    switch (p->request.kind) {
    case NADI_ALL_TO_ALL:
        visit(context, member * p->request.n + to, 1);
        return;
    case NADI_ALL_REDUCE:
        visit(context, second ? member : to, 1);
        return;
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
    case NADI_SCATTER:
        visit(context, to, 1);
        return;
    case NADI_ALL_GATHER:
    case NADI_GATHER:
        visit(context, member, 1);
        return;
    case NADI_BARRIER:
    case NADI_BROADCAST:
    case NADI_REDUCE:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    visit(context, 0, 1);
}

static void sent_direct(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                        nadi_blocks_visit *visit, void *context)
{
    struct nadi_step s = nadi_program_step(p, member, queue, k);
    if (s.to != NADI_NONE)
        blocks_for(p, member, s.to, k > 0, visit, context);
}

static uint32_t steps_pairwise(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue;
    return (p->request.n - 1) * (p->request.kind == NADI_ALL_REDUCE ? 2 : 1);
}

static void step_pairwise(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                          struct nadi_step *out)
{
    (void)queue;
    uint32_t rounds = p->request.n - 1;
    exchange(p, member, k % rounds + 1, k >= rounds, out);
}

static void sent_pairwise(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                          nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    uint32_t n = p->request.n;
    blocks_for(p, member, nadi_mod_add(member, k % (n - 1) + 1, n), k >= n - 1, visit, context);
}

/* Without contention the messages of direct do not delay each other. What comes last is reduced
 * last; what comes together is reduced together, queue by queue. */
static double seconds_direct(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    double block = (double)p->bytes / p->blocks;
    double once = alpha + beta * block;
    if (p->request.kind == NADI_ALL_REDUCE)
        return 2 * once + gamma * block;
    return once + (nadi_program_adds(p->request.kind) ? gamma * block : 0);
}

static double seconds_pairwise(const struct nadi_program *p, double alpha, double beta,
                               double gamma)
{
    return (p->request.n - 1) * seconds_direct(p, alpha, beta, gamma);
}

const struct nadi_program_ops nadi_algorithm_direct = {
    .name = "direct",
    .summary = "Everybody exchanges with everybody at once; rooted ones straight from or to the "
               "root.",
    .cost = "a + b m/n (all-to-all, reduce-scatter + c m/n, all-gather), twice for all-reduce",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KIND(NADI_ALL_TO_ALL) |
             NADI_KINDS_REDUCE_SCATTER | NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) |
             NADI_KIND(NADI_GATHER) | NADI_KIND(NADI_SCATTER) | NADI_KIND(NADI_BARRIER),
    .prepare = prepare_direct,
    .steps = steps_direct,
    .step = step_direct,
    .sent = sent_direct,
    .seconds = seconds_direct,
};

const struct nadi_program_ops nadi_algorithm_pairwise = {
    .name = "pairwise",
    .summary = "Everybody exchanges with one partner after the other, at growing distance.",
    .cost = "(n-1)(a + b m/n) for all-to-all, all-gather and reduce-scatter (+ c m/n a step)",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KIND(NADI_ALL_TO_ALL) |
             NADI_KINDS_REDUCE_SCATTER,
    .prepare = prepare,
    .steps = steps_pairwise,
    .step = step_pairwise,
    .sent = sent_pairwise,
    .seconds = seconds_pairwise,
};
