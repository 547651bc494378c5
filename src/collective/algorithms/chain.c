/* chain: data in `segments` pieces go from member to member along one line that starts (broadcast,
 * all-reduce's second half) or ends (reduce, its first half) at the root. */
#include "collective/algorithms/algorithms.h"

enum { UP, DOWN }; /* towards the root; away from it */

static const char *prepare(struct nadi_program *p)
{
    p->blocks = p->request.segments;
    p->queues = p->request.kind == NADI_ALL_REDUCE ? 2 : 1;
    return NULL;
}

static int direction_of(const struct nadi_program *p, uint32_t queue)
{
    if (p->request.kind == NADI_ALL_REDUCE)
        return queue == 0 ? UP : DOWN;
    return p->request.kind == NADI_REDUCE ? UP : DOWN;
}

/* distance from the root, and where the data of this queue come from and go to */
static void ends_of(const struct nadi_program *p, uint32_t member, int direction, uint32_t *from,
                    uint32_t *to)
{
    const struct nadi_program_request *q = &p->request;
    uint32_t position = nadi_mod_sub(member, q->root, q->n);
    uint32_t before = position > 0 ? nadi_mod_sub(member, 1, q->n) : NADI_NONE;
    uint32_t after = position < q->n - 1 ? nadi_mod_add(member, 1, q->n) : NADI_NONE;
    *from = direction == UP ? after : before;
    *to = direction == UP ? before : after;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    uint32_t from, to;
    ends_of(p, member, direction_of(p, queue), &from, &to);
    return p->blocks + (from != NADI_NONE && to != NADI_NONE);
}

/* In the middle, step k receives piece k while it passes on piece k-1. */
static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    int direction = direction_of(p, queue);
    uint32_t from, to;
    ends_of(p, member, direction, &from, &to);
    if (from != NADI_NONE && k < p->blocks) {
        out->from = from;
        out->reduces = direction == UP;
    }
    if (to != NADI_NONE && (from == NADI_NONE || k > 0))
        out->to = to;
    if (p->queues == 2 && queue == 1 && from == NADI_NONE) { /* the root turns round */
        out->wait_queue = 0;
        out->wait_steps = k + 1;
    }
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    uint32_t from, to;
    ends_of(p, member, direction_of(p, queue), &from, &to);
    if (to == NADI_NONE)
        return;
    if (from == NADI_NONE)
        visit(context, k, 1);
    else if (k > 0)
        visit(context, k - 1, 1);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    double n = p->request.n, pieces = p->blocks, piece = (double)p->bytes / pieces;
    double hop = alpha + beta * piece, add = gamma * piece;
    if (p->request.kind == NADI_BROADCAST)
        return (n - 2 + pieces) * hop;
    if (p->request.kind == NADI_REDUCE)
        return add <= hop ? (n - 2 + pieces) * hop + (n - 1) * add : -1;
    return -1;
}

const struct nadi_program_ops nadi_algorithm_chain = {
    .name = "chain",
    .number = NADI_NUMBER_SEGMENTS,
    .summary = "A line of members, in `segments` pieces (pipelined).",
    .cost = "broadcast (n-2+s)(a + b m/s); reduce the same + (n-1) c m/s while c <= b",
    .kinds = NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) | NADI_KIND(NADI_ALL_REDUCE),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
