/* in_switch: switches of the platform add up, copy and sort (NVLS, SHARP).
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
 *   all-to-all       m (n-1)/n      m (n-1)/n
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
 * all-gather (k n + 1) h; all-to-all (k (n-1) + 1) h.
 *
 * An all-to-all goes by distance: item k of member i is for member i + 1 + k mod (n-1). A switch
 * hears item k from all its children, passes up as one what is for members that are not below it,
 * and passes down to each child what is for it.
 *
 * inSwitchStore is the form that was published first: on every edge one message each way. A switch
 * waits for all its children, takes NADI_SWITCH_STORE_NS if it adds up, and then sends: T is the
 * way up, that time, and the way down (store and forward). */
#include "base/search.h"
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
    /* the least m with m + 1 - (those below up to m) > i */
    NADI_BISECT(uint32_t, found, i, at->n - 1, m, m + 1 - before(at, m + 1) <= i);
    return found;
}

/* ---- what passes: items, one a piece, or one a piece of each owner, piece after piece ---------
 */

static bool by_owner(const struct nadi_program *p)
{
    return p->request.kind == NADI_ALL_GATHER || p->request.kind == NADI_REDUCE_SCATTER;
}

/* How many distances, of an all-to-all. */
static uint32_t distances_of(const struct nadi_program *p)
{
    return p->request.n - 1;
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
    uint32_t count = p->request.kind == NADI_ALL_TO_ALL ? distances_of(p) : 1;
    if (p->ops->stores)
        return 1;
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
    else if (kind == NADI_ALL_GATHER && !p->ops->stores)
        out->from = towards(at, item_of(p, at, k).owner);
    else {
        out->from = NADI_FAN;
        out->fan = nadi_switch_children(at->trees, at->n, at->member);
        out->reduces = nadi_program_adds(kind) || kind == NADI_BARRIER;
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
    if (kind == NADI_ALL_TO_ALL || (p->ops->stores && kind != NADI_ALL_REDUCE)) {
        copy_out(at, NADI_NONE, out);
        out->each = true;
    } else if (kind == NADI_ALL_GATHER)
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

/* ---- what an edge carries ----------------------------------------------------------------------
 */

struct edge { /* between a node and its parent */
    const struct nadi_program *p;
    uint32_t tree, trees;
    struct place below;
    bool up;
    nadi_blocks_visit *visit;
    void *context;
};

static bool inside(const struct edge *e, uint32_t member)
{
    return above(&e->below, member);
}

/* The tree's stripe of what lies at `number`, pieces [first, first + count). */
static void visit_stripe(const struct edge *e, uint32_t number, uint32_t first, uint32_t count)
{
    const uint32_t pieces = e->below.pieces;
    e->visit(e->context, (number * e->trees + e->tree) * pieces + first, count);
}

/* Item k of an all-to-all: from each member on one side to the one at its distance on the other. */
static void visit_distance(const struct edge *e, uint32_t k)
{
    const uint32_t n = e->p->request.n, distances = distances_of(e->p);
    const uint32_t distance = k % distances + 1, piece = k / distances;
    const uint32_t leaves = leaves_of(&e->below);
    for (uint32_t i = 0; i < leaves; i++) {
        const uint32_t leaf = leaf_at(&e->below, i);
        const uint32_t other =
            e->up ? nadi_mod_add(leaf, distance, n) : nadi_mod_sub(leaf, distance, n);
        if (!inside(e, other))
            visit_stripe(e, e->up ? leaf * n + other : other * n + leaf, piece, 1);
    }
}

/* All that the edge carries, of a kind whose blocks have owners. */
static void visit_owners(const struct edge *e)
{
    const bool gathers = e->p->request.kind == NADI_ALL_GATHER;
    for (uint32_t owner = 0; owner < e->p->request.n; owner++)
        if (gathers ? inside(e, owner) == e->up : e->up || inside(e, owner))
            visit_stripe(e, owner, 0, e->below.pieces);
}

static void visit_edge(const struct edge *e, uint32_t k)
{
    if (e->p->request.kind == NADI_ALL_TO_ALL && e->p->ops->stores)
        for (k = 0; k < distances_of(e->p); k++)
            visit_distance(e, k);
    else if (e->p->request.kind == NADI_ALL_TO_ALL)
        visit_distance(e, k);
    else if (by_owner(e->p))
        visit_owners(e);
    else
        visit_stripe(e, 0, 0, e->below.pieces);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    struct place at;
    if (!place_of(p, member, queue, &at) || (at.direction == UP) != at.own)
        return;
    const uint32_t trees = p->queues / QUEUES;
    if (p->ops->stores || p->request.kind == NADI_ALL_TO_ALL) {
        const struct edge e = {p, at.tree, trees, at, at.direction == UP, visit, context};
        visit_edge(&e, k);
        return;
    }
    const struct item item = item_of(p, &at, k);
    visit(context, (item.owner * trees + at.tree) * at.pieces + item.piece, 1);
}

/* A switch to one of its children. */
static void sent_to(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                    uint32_t to, nadi_blocks_visit *visit, void *context)
{
    struct edge e = {.p = p, .trees = p->queues / QUEUES, .visit = visit, .context = context};
    (void)member;
    e.tree = queue / QUEUES;
    e.below = (struct place){.trees = p->request.trees,
                             .n = p->request.n,
                             .tree = e.tree,
                             .member = to,
                             .pieces = p->request.segments,
                             .is_switch = to >= p->request.n};
    if (e.below.is_switch)
        e.below.leaves = nadi_switch_leaves(p->request.trees, p->request.n, to);
    visit_edge(&e, k);
}

static const char *prepare(struct nadi_program *p)
{
    struct nadi_program_request *q = &p->request;
    const uint32_t trees = q->trees ? q->trees->count : 1;
    const bool pairs = q->kind == NADI_ALL_TO_ALL;
    const uint32_t owners = by_owner(p) || pairs ? q->n : 1, parts = pairs ? q->n : 1;
    if (q->kind == NADI_BARRIER || p->ops->stores)
        q->segments = 1;
    if (q->segments == 0) {
        const uint64_t pieces = p->bytes / owners / parts / trees / LEAST_PIECE_BYTES;
        const uint64_t most = MOST_PIECES / owners;
        q->segments = pieces < 1 || most < 1 ? 1 : (uint32_t)nadi_min_u64(pieces, most);
    }
    if ((double)owners * parts * trees * q->segments > (double)(UINT32_MAX / 4))
        return "too many blocks";
    p->blocks = owners * parts * trees * q->segments;
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
    if (q->kind == NADI_ALL_TO_ALL)
        return ((q->n - 1.0) * q->segments + 1) * hop;
    if (q->kind == NADI_BROADCAST || q->kind == NADI_ALL_GATHER)
        return (pieces + 1) * hop;
    return 2 * hop + add + (pieces - 1) * (add > hop ? add : hop);
}

static double seconds_stored(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    const struct nadi_program_request *q = &p->request;
    const double all = (double)p->bytes, part = all / q->n, others = q->n - 1.0;
    const double add = nadi_program_adds(q->kind) ? NADI_SWITCH_STORE_NS * 1e-9 : 0;
    double up = all, down = all;
    (void)gamma;
    if (q->trees)
        return -1;
    if (q->kind == NADI_REDUCE_SCATTER)
        down = part;
    if (q->kind == NADI_ALL_GATHER) {
        up = part;
        down = others * part;
    }
    if (q->kind == NADI_ALL_TO_ALL)
        up = down = others * part / q->n;
    return 2 * alpha + beta * (up + down) + add;
}

const struct nadi_program_ops nadi_algorithm_in_switch = {
    .name = "inSwitch",
    .number = NADI_NUMBER_SEGMENTS,
    .own_segments = true,
    .in_switches = true,
    .summary =
        "Switches reduce, copy and sort (NVLS, SHARP), in `segments` pieces (pipelined; by default "
        "of 64 KiB or more, at most 64).",
    .cost = "one switch, h = a + b m/s, g = c m/s: all-reduce, reduce 2h + g + (s-1) max(g, h); "
            "broadcast (s+1) h; all-gather (n s + 1)(a + b m/s), m a member's part; reduce-scatter "
            "as all-reduce with n s pieces; all-to-all ((n-1) s + 1)(a + b m/(n s)); barrier 2a",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER |
             NADI_KIND(NADI_ALL_TO_ALL) | NADI_KIND(NADI_BROADCAST) | NADI_KIND(NADI_REDUCE) |
             NADI_KIND(NADI_BARRIER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .sent_to = sent_to,
    .seconds = seconds,
};

const struct nadi_program_ops nadi_algorithm_in_switch_store = {
    .name = "inSwitchStore",
    .number = NADI_NUMBER_NONE,
    .own_segments = true,
    .in_switches = true,
    .stores = true,
    .summary =
        "A switch waits for all, takes 100 ns if it reduces, then sends (as published first; "
        "store and forward).",
    .cost = "one switch: all-reduce 2a + 2b m + 100 ns; reduce-scatter 2a + b (m + m/n) + 100 ns; "
            "all-gather 2a + b n m, m a member's part; all-to-all 2a + 2b m (n-1)/n",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER |
             NADI_KIND(NADI_ALL_TO_ALL),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .sent_to = sent_to,
    .seconds = seconds_stored,
};
