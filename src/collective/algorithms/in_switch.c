/* in_switch: switches of the platform add up and copy (NVLS, SHARP).
 *
 * Every member sends its data up once; each switch reduces what its children send and passes one
 * result on to its parent; from the root down every switch copies what it gets to its children. So
 * an NPU's link carries m bytes up and m down in an all-reduce, where a ring's carries 2m(n-1)/n
 * each way (the push form of SHARP: Graham et al., COMHPC 2016; NVLS: Klenk et al., ISCA 2020).
 *
 *                    up a link      down a link
 *   all-reduce       m              m
 *   reduce           m              m, the root's only
 *   broadcast        m, the root's  m, the others'
 *   reduce-scatter   m              m/n
 *   all-gather       m              (n-1)m    (m: a member's part)
 *   barrier          0              0
 *
 * Data go in `segments` pieces, so that the way up, the switches and the way down work at once; by
 * default pieces of 64 KiB at least, 64 at most (of all owners together). Where the platform has
 * several trees (planes, parallel cables) each carries an equal stripe.
 *
 * Queues, 4 a tree: up and down, twice each. A node at depth d sends up on queue d mod 2 and
 * receives from its children on queue (d+1) mod 2, and so on the way down, so that a queue has one
 * job. One switch, h = a + b s for a piece of s bytes, g = c s: all-reduce and reduce
 * 2h + g + (k-1) max(g, h) with k pieces; reduce-scatter the same with k n; broadcast (k+1) h;
 * all-gather (k n + 1) h. */
#include "collective/algorithms/algorithms.h"

enum { UP, DOWN };
enum { QUEUES = 4, MOST_PIECES = 64, LEAST_PIECE_BYTES = 65536 };

struct place { /* of a member in the tree of a queue */
    const struct nadi_switch_trees *trees;
    uint32_t n, tree, member;
    uint32_t pieces;
    uint32_t parent; /* NADI_NONE: the root of the tree */
    uint32_t depth;
    bool is_switch;
    int direction;    /* of the queue */
    bool own;         /* the queue joins the member to its parent, else a switch to its children */
    uint32_t inward;  /* queue of the tree on which a switch hears from its children; */
    uint32_t outward; /* on which it hears from its parent */
    struct nadi_member_list leaves; /* of a switch */
};

static bool place_of(const struct nadi_program *p, uint32_t member, uint32_t queue,
                     struct place *at)
{
    const struct nadi_program_request *q = &p->request;
    *at = (struct place){.trees = q->trees, .n = q->n, .tree = queue / QUEUES, .member = member};
    at->is_switch = member >= q->n;
    if (q->trees && at->is_switch && q->trees->tree[member - q->n] != at->tree)
        return false;
    at->pieces = q->segments;
    at->parent = nadi_switch_parent(q->trees, q->n, at->tree, member);
    at->depth = nadi_switch_depth(q->trees, q->n, at->tree, member);
    at->direction = queue % QUEUES < 2 ? UP : DOWN;
    at->own = queue % 2 == at->depth % 2;
    at->inward = at->tree * QUEUES + (at->depth + 1) % 2;
    at->outward = at->tree * QUEUES + 2 + at->depth % 2;
    if (at->is_switch)
        at->leaves = nadi_switch_leaves(q->trees, q->n, member);
    return at->own ? at->parent != NADI_NONE : at->is_switch;
}

static uint32_t towards(const struct place *at, uint32_t member)
{
    return nadi_switch_towards(at->trees, at->n, at->tree, at->member, member);
}

/* Is the member, or is what is below the switch, `leaf`? */
static bool above(const struct place *at, uint32_t leaf)
{
    return at->is_switch ? towards(at, leaf) != NADI_NONE : at->member == leaf;
}

static uint32_t leaves_of(const struct place *at)
{
    return at->is_switch ? at->leaves.count : 1;
}

static uint32_t leaf_at(const struct place *at, uint32_t i)
{
    return at->is_switch ? nadi_member_at(&at->leaves, i) : at->member;
}

/* Leaves below that come before `leaf`. */
static uint32_t before(const struct place *at, uint32_t leaf)
{
    return at->is_switch ? nadi_switch_leaves_before(&at->leaves, leaf) : leaf > at->member;
}

/* The i-th member that is not below, in order. O(log n). */
static uint32_t outside_at(const struct place *at, uint32_t i)
{
    uint32_t low = i, high = at->n - 1;
    while (low < high) { /* the least m with m + 1 - (those below up to m) > i */
        const uint32_t middle = low + (high - low) / 2;
        if (middle + 1 - before(at, middle + 1) > i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- what passes: items, one a piece, or one a piece of each owner, piece after piece ---------
 */

static bool by_owner(const struct nadi_program *p)
{
    return p->request.kind == NADI_ALL_GATHER || p->request.kind == NADI_REDUCE_SCATTER;
}

struct item {
    uint32_t owner, piece;
};

/* Item k of a queue. */
static struct item item_of(const struct nadi_program *p, const struct place *at, uint32_t k)
{
    const bool gathers = p->request.kind == NADI_ALL_GATHER;
    const uint32_t inside = leaves_of(at);
    uint32_t count = at->n;
    if (!by_owner(p))
        return (struct item){0, k};
    if (gathers ? at->direction == UP
                : at->direction == DOWN && (at->own || at->parent != NADI_NONE)) {
        count = inside;
        return (struct item){leaf_at(at, k % count), k / count};
    }
    if (gathers && at->own) {
        count -= inside;
        return (struct item){outside_at(at, k % count), k / count};
    }
    return (struct item){k % count, k / count};
}

static uint32_t items_of(const struct nadi_program *p, const struct place *at)
{
    const bool gathers = p->request.kind == NADI_ALL_GATHER;
    const uint32_t inside = leaves_of(at);
    uint32_t count = 1;
    if (by_owner(p))
        count = gathers ? (at->direction == UP ? inside
                           : at->own           ? at->n - inside
                                               : at->n)
                        : (at->direction == DOWN ? inside : at->n);
    return count * at->pieces;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    struct place at;
    if (!place_of(p, member, queue, &at))
        return 0;
    const uint32_t root = p->request.root;
    switch (p->request.kind) {
    case NADI_REDUCE:
        if (at.direction == DOWN && !above(&at, root))
            return 0;
        break;
    case NADI_BROADCAST:
        if (at.direction == UP ? !above(&at, root) : at.own && above(&at, root))
            return 0;
        break;
    case NADI_ALL_REDUCE:
    case NADI_ALL_GATHER:
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
    case NADI_BARRIER:
    case NADI_GATHER:
    case NADI_SCATTER:
    case NADI_ALL_TO_ALL:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    return items_of(p, &at);
}

static void wait_for(struct nadi_step *out, uint32_t queue, uint32_t count)
{
    out->wait_queue = (int)queue;
    out->wait_steps = count;
}

/* A switch hears from its children. */
static void gather_in(const struct nadi_program *p, const struct place *at, uint32_t k,
                      struct nadi_step *out)
{
    const enum nadi_collective_kind kind = p->request.kind;
    if (kind == NADI_BROADCAST)
        out->from = towards(at, p->request.root);
    else if (kind == NADI_ALL_GATHER)
        out->from = towards(at, item_of(p, at, k).owner);
    else {
        out->from = NADI_FAN;
        out->fan = nadi_switch_children(at->trees, at->n, at->member);
        out->reduces = true;
    }
}

/* To all children but one. */
static void copy_out(const struct place *at, uint32_t but, struct nadi_step *out)
{
    out->fan = nadi_switch_children(at->trees, at->n, at->member);
    out->to = out->fan.count > (but != NADI_NONE) ? NADI_FAN : NADI_NONE;
    out->but = but;
}

/* A switch of an all-gather: what comes from below goes to its other children, what comes from
 * above to all. */
static void gather_out(const struct nadi_program *p, const struct place *at, uint32_t k,
                       struct nadi_step *out)
{
    const struct item item = item_of(p, at, k);
    const uint32_t child = towards(at, item.owner), inside = at->leaves.count;
    const uint32_t below = before(at, item.owner);
    copy_out(at, child, out);
    if (child != NADI_NONE)
        wait_for(out, at->inward, item.piece * inside + below + 1);
    else
        wait_for(out, at->outward, item.piece * (at->n - inside) + item.owner - below + 1);
}

/* A switch sends down to its children. */
static void send_out(const struct nadi_program *p, const struct place *at, uint32_t k,
                     struct nadi_step *out)
{
    const enum nadi_collective_kind kind = p->request.kind;
    const bool top = at->parent == NADI_NONE;
    wait_for(out, top ? at->inward : at->outward, k + 1);
    if (kind == NADI_ALL_GATHER)
        gather_out(p, at, k, out);
    else if (kind == NADI_REDUCE_SCATTER)
        out->to = towards(at, item_of(p, at, k).owner);
    else if (kind == NADI_REDUCE)
        out->to = towards(at, p->request.root);
    else if (kind == NADI_BROADCAST) {
        const uint32_t child = towards(at, p->request.root);
        copy_out(at, child, out);
        wait_for(out, child == NADI_NONE ? at->outward : at->inward, k + 1);
    } else
        copy_out(at, NADI_NONE, out);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    struct place at;
    if (!place_of(p, member, queue, &at))
        return;
    if (at.direction == UP && at.own) {
        out->to = at.parent;
        if (at.is_switch)
            wait_for(out, at.inward, k + 1);
    } else if (at.direction == UP)
        gather_in(p, &at, k, out);
    else if (at.own)
        out->from = at.parent;
    else
        send_out(p, &at, k, out);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    struct place at;
    if (!place_of(p, member, queue, &at) || (at.direction == UP) != at.own)
        return;
    const struct item item = item_of(p, &at, k);
    const uint32_t trees = p->queues / QUEUES;
    visit(context, (item.owner * trees + at.tree) * at.pieces + item.piece, 1);
}

static const char *prepare(struct nadi_program *p)
{
    struct nadi_program_request *q = &p->request;
    const uint32_t trees = q->trees ? q->trees->count : 1, owners = by_owner(p) ? q->n : 1;
    if (q->kind == NADI_BARRIER)
        q->segments = 1;
    if (q->segments == 0) {
        const uint64_t pieces = p->bytes / owners / trees / LEAST_PIECE_BYTES;
        const uint64_t most = MOST_PIECES / owners;
        q->segments = pieces < 1 || most < 1 ? 1 : (uint32_t)nadi_min_u64(pieces, most);
    }
    if ((double)owners * trees * q->segments > (double)(UINT32_MAX / 4))
        return "too many blocks";
    p->blocks = owners * trees * q->segments;
    p->queues = QUEUES * trees;
    p->switches = q->trees ? q->trees->switches : 1;
    return NULL;
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    const struct nadi_program_request *q = &p->request;
    const double piece = (double)p->bytes / p->blocks, hop = alpha + beta * piece;
    const double add = gamma * piece, pieces = (by_owner(p) ? q->n : 1.0) * q->segments;
    if (q->trees)
        return -1;
    if (q->kind == NADI_BROADCAST || q->kind == NADI_ALL_GATHER)
        return (pieces + 1) * hop;
    return 2 * hop + add + (pieces - 1) * (add > hop ? add : hop);
}

const struct nadi_program_ops nadi_algorithm_in_switch = {
    .name = "inSwitch",
    .number = NADI_NUMBER_SEGMENTS,
    .own_segments = true,
    .in_switches = true,
    .summary =
        "Switches reduce and copy (NVLS, SHARP), in `segments` pieces (pipelined; by default "
        "of 64 KiB or more, at most 64).",
    .cost = "one switch, h = a + b m/s, g = c m/s: all-reduce, reduce 2h + g + (s-1) max(g, h); "
            "broadcast (s+1) h; all-gather (n s + 1)(a + b m/s), m a member's part; reduce-scatter "
            "as all-reduce with n s pieces; barrier 2a",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER |
             NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) | NADI_KIND(NADI_BARRIER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
