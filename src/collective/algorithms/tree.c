/* tree: k-nomial trees (`radix` k; 2: binomial). With v the distance from the root, written in base
 * k, the parent of v is v with its lowest non-zero digit cleared; the subtree at digit j holds
 * v .. v + k^j - 1. A parent serves its largest subtrees first, one after the other, and collects
 * in the opposite order. All-reduce and barrier: reduce to member 0, then broadcast. */
#include "collective/algorithms/algorithms.h"

static const char *prepare(struct nadi_program *p)
{
    const struct nadi_program_request *q = &p->request;
    if (q->kind == NADI_GATHER || q->kind == NADI_SCATTER)
        p->blocks = q->n;
    p->queues = 1;
    return NULL;
}

struct node {
    uint32_t v, parent; /* parent NADI_NONE: the root */
    uint32_t span;      /* of its subtree, cut off at n */
    uint32_t children;
    uint64_t reach; /* size of a full subtree of v */
};

static uint32_t children_below(const struct nadi_program *p, uint32_t v, uint64_t reach)
{
    uint32_t n = p->request.n, k = p->request.radix, count = 0;
    for (uint64_t size = 1; size < reach && v + size < n; size *= k) {
        uint64_t fit = (n - v - 1) / size;
        count += (uint32_t)(fit < k - 1 ? fit : k - 1);
    }
    return count;
}

static struct node node_of(const struct nadi_program *p, uint32_t member)
{
    uint32_t n = p->request.n, k = p->request.radix;
    struct node t = {.v = nadi_mod_sub(member, p->request.root, n), .parent = NADI_NONE};
    t.reach = 1;
    if (t.v == 0) {
        while (t.reach < n)
            t.reach *= k;
    } else {
        while (t.v / t.reach % k == 0)
            t.reach *= k;
        t.parent = t.v - (uint32_t)(t.v / t.reach % k * t.reach);
    }
    t.span = (uint32_t)nadi_min_u64(t.reach, n - t.v);
    t.children = children_below(p, t.v, t.reach);
    return t;
}

/* The i-th child, nearest first; *span: of its subtree */
static uint32_t child_at(const struct nadi_program *p, const struct node *t, uint32_t i,
                         uint32_t *span)
{
    uint32_t n = p->request.n, k = p->request.radix;
    uint64_t size = 1;
    for (; i >= k - 1; i -= k - 1)
        size *= k;
    uint32_t child = t->v + (uint32_t)((i + 1) * size);
    *span = (uint32_t)nadi_min_u64(size, n - child);
    return child;
}

static uint32_t halves_of(enum nadi_collective_kind kind)
{
    return kind == NADI_ALL_REDUCE || kind == NADI_BARRIER ? 2 : 1;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)queue;
    struct node t = node_of(p, member);
    return (t.children + (t.parent != NADI_NONE)) * halves_of(p->request.kind);
}

struct turn { /* one step */
    bool up;  /* data go towards the root */
    bool with_parent;
    uint32_t other;   /* v of the partner */
    uint32_t v, span; /* whose subtree's data they are */
};

static struct turn turn_of(const struct nadi_program *p, uint32_t member, uint32_t k)
{
    struct node t = node_of(p, member);
    enum nadi_collective_kind kind = p->request.kind;
    uint32_t half = t.children + (t.parent != NADI_NONE);
    struct turn turn = {.up = kind == NADI_REDUCE || kind == NADI_GATHER ||
                              (halves_of(kind) == 2 && k < half)};
    k %= half;
    /* up: children nearest first, then the parent; down: the other way round */
    uint32_t at = turn.up ? k : half - 1 - k;
    turn.with_parent = at == t.children;
    if (turn.with_parent) {
        turn.other = t.parent;
        turn.v = t.v;
        turn.span = t.span;
    } else {
        turn.other = turn.v = child_at(p, &t, at, &turn.span);
    }
    return turn;
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    struct turn turn = turn_of(p, member, k);
    uint32_t other = nadi_mod_add(turn.other, p->request.root, p->request.n);
    if (turn.up == turn.with_parent) {
        out->to = other;
    } else {
        out->from = other;
        out->reduces = turn.up && nadi_program_adds(p->request.kind);
    }
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    struct turn turn = turn_of(p, member, k);
    uint32_t n = p->request.n;
    if (turn.up != turn.with_parent)
        return;
    if (p->blocks == 1)
        visit(context, 0, 1);
    else
        nadi_visit_wrapped(nadi_mod_add(turn.v, p->request.root, n), turn.span, n, 1, visit,
                           context);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    const struct nadi_program_request *q = &p->request;
    double m = (double)p->bytes, log = nadi_ceil_log2(q->n);
    if (q->radix != 2)
        return -1;
    if (q->kind == NADI_BROADCAST)
        return log * (alpha + beta * m);
    if (q->n & (q->n - 1))
        return -1; /* subtrees that are cut off send early */
    if (q->kind == NADI_REDUCE)
        return log * (alpha + (beta + gamma) * m);
    if (q->kind == NADI_ALL_REDUCE || q->kind == NADI_BARRIER)
        return log * (2 * alpha + (2 * beta + gamma) * m);
    return log * alpha + beta * m * (q->n - 1) / q->n;
}

const struct nadi_program_ops nadi_algorithm_tree = {
    .name = "tree",
    .number = NADI_NUMBER_RADIX,
    .summary = "A k-nomial tree (`radix`; 2: binomial), largest subtrees first.",
    .cost = "radix 2: broadcast ceil(log2 n)(a + b m); for powers of two reduce log2 n (a + (b + "
            "c) m), "
            "all-reduce both, gather and scatter log2 n a + (n-1)/n b m",
    .kinds = NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) | NADI_KIND(NADI_GATHER) |
             NADI_KIND(NADI_SCATTER) | NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_BARRIER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
