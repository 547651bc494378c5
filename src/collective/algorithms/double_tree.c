/* double_tree: two binary trees, each with half of the data in `segments` pieces; a member that is
 * a leaf in one is (but for the root) an inner node in the other, so that all links are used
 * (Sanders, Speck, Traeff, Parallel Computing 2009). For any n: position 0 is the root, positions
 * 1 .. n-1 form an in-order binary tree below it, cut off at n. The second tree numbers the members
 * the other way round.
 *
 * Queues: tree 0 up, tree 1 up, tree 0 down, tree 1 down, as far as the kind needs them. */
#include "collective/algorithms/algorithms.h"

static const char *prepare(struct nadi_program *p)
{
    if (p->request.segments > 1U << 20)
        return "more than 2^20 segments";
    p->blocks = 2 * p->request.segments;
    p->queues = p->request.kind == NADI_ALL_REDUCE ? 4 : 2;
    return NULL;
}

struct place { /* of a member in a tree; members, NADI_NONE where there is none */
    uint32_t parent, child[2], children;
};

static uint32_t parent_of(uint32_t n, uint32_t v)
{
    do { /* in the complete tree, until it is one that exists */
        uint32_t low = v & -v;
        v = (v & ~low) | low << 1;
    } while (v >= n && v & (v - 1));
    return v >= n ? 0 : v; /* powers of two on the way up: past the top is the root */
}

/* The member on position v of the tree, and back: the same exchange. */
static uint32_t swap(const struct nadi_program *p, uint32_t tree, uint32_t x)
{
    const struct nadi_program_request *q = &p->request;
    if (q->kind != NADI_ALL_REDUCE)
        return x && tree ? q->n - x : x;
    return tree ? q->n - 1 - x : x;
}

static uint32_t position_of(const struct nadi_program *p, uint32_t tree, uint32_t member)
{
    const struct nadi_program_request *q = &p->request;
    if (q->kind == NADI_ALL_REDUCE)
        return swap(p, tree, member);
    return swap(p, tree, nadi_mod_sub(member, q->root, q->n));
}

static uint32_t member_of(const struct nadi_program *p, uint32_t tree, uint32_t v)
{
    const struct nadi_program_request *q = &p->request;
    if (q->kind == NADI_ALL_REDUCE)
        return swap(p, tree, v);
    return nadi_mod_add(swap(p, tree, v), q->root, q->n);
}

static void add_child(const struct nadi_program *p, uint32_t tree, struct place *place, uint32_t v)
{
    place->child[place->children++] = member_of(p, tree, v);
}

static struct place place_of(const struct nadi_program *p, uint32_t tree, uint32_t member)
{
    uint32_t n = p->request.n, v = position_of(p, tree, member);
    struct place place = {.parent = NADI_NONE};
    if (v == 0) {
        add_child(p, tree, &place, 1U << nadi_floor_log2(n - 1));
        return place;
    }
    place.parent = member_of(p, tree, parent_of(n, v));
    uint32_t low = v & -v;
    if (low > 1)
        add_child(p, tree, &place, v - low / 2);
    for (uint32_t half = low / 2; half; half /= 2) { /* the right side may be cut off */
        if (v + half < n) {
            add_child(p, tree, &place, v + half);
            break;
        }
    }
    return place;
}

static uint32_t tree_of(uint32_t queue)
{
    return queue % 2;
}

static bool goes_up(const struct nadi_program *p, uint32_t queue)
{
    return p->request.kind == NADI_REDUCE || (p->request.kind == NADI_ALL_REDUCE && queue < 2);
}

/* Up, a member with c children has c steps a piece, and one more to send the last: while it
 * receives piece j from its first child, it sends piece j-1 on. Down, likewise: while it receives
 * piece j it sends piece j-1 to its first child, then to its second. */
static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    struct place t = place_of(p, tree_of(queue), member);
    uint32_t pieces = p->request.segments;
    if (t.children == 0)
        return pieces;
    if (t.parent == NADI_NONE)
        return pieces * t.children;
    return pieces * t.children + (goes_up(p, queue) ? 1 : t.children);
}

struct turn {
    uint32_t to, from, piece_sent;
};

static struct turn turn_of(const struct nadi_program *p, uint32_t member, uint32_t queue,
                           uint32_t k)
{
    struct place t = place_of(p, tree_of(queue), member);
    struct turn turn = {NADI_NONE, NADI_NONE, 0};
    bool up = goes_up(p, queue);
    if (t.children == 0) {
        *(up ? &turn.to : &turn.from) = t.parent;
        turn.piece_sent = k;
        return turn;
    }
    uint32_t piece = k / t.children, child = k % t.children;
    if (up) {
        if (piece < p->request.segments)
            turn.from = t.child[child];
        if (child == 0 && piece > 0 && t.parent != NADI_NONE)
            turn.to = t.parent;
        turn.piece_sent = piece - 1;
    } else if (t.parent == NADI_NONE) {
        turn.to = t.child[child];
        turn.piece_sent = piece;
    } else {
        if (child == 0 && piece < p->request.segments)
            turn.from = t.parent;
        if (piece > 0)
            turn.to = t.child[child];
        turn.piece_sent = piece - 1;
    }
    return turn;
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    struct turn turn = turn_of(p, member, queue, k);
    bool up = goes_up(p, queue);
    out->to = turn.to;
    out->from = turn.from;
    out->reduces = up && turn.from != NADI_NONE;
    struct place t = place_of(p, tree_of(queue), member);
    if (!up && p->queues == 4 && t.parent == NADI_NONE) { /* the root turns round */
        out->wait_queue = (int)tree_of(queue);
        out->wait_steps = (turn.piece_sent + 1) * t.children;
    }
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    struct turn turn = turn_of(p, member, queue, k);
    if (turn.to != NADI_NONE)
        visit(context, tree_of(queue) * p->request.segments + turn.piece_sent, 1);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    double hop = alpha + beta * (double)p->bytes / p->blocks;
    if (p->request.n != 2 || p->request.kind != NADI_BROADCAST)
        return -1;
    (void)gamma;
    return p->request.segments * hop;
}

const struct nadi_program_ops nadi_algorithm_double_tree = {
    .name = "doubleTree",
    .number = NADI_NUMBER_SEGMENTS,
    .summary = "Two binary trees with half of the data each, in `segments` pieces (pipelined).",
    .cost = "about 2 (log2 n + s)(a + (b + c) m/2s) for all-reduce, half of it for broadcast and "
            "reduce; what a run gives is exact",
    .kinds = NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) | NADI_KIND(NADI_ALL_REDUCE),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
