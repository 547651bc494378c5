/* by_node: within the nodes, then between them, whatever the number of members that each has.
 *
 * collective/nodes.h has the channels and their owners. An all-reduce is a ring reduce-scatter of
 * each node's members; what others hold of a channel goes to its owner; the owners of a channel run
 * a ring all-reduce; then all of it backwards. Each channel is 1/channels of the data, each node's
 * part of it as large. Of reduce-scatter and all-gather a channel's part of a node is what its
 * members there want or have, which they get from the owner or give to it. Where all members are in
 * one node it is one ring. */
#include "collective/algorithms/algorithms.h"

enum part {
    REDUCE_IN_NODE,
    GIVE_SUMS, /* to the owner: shares of the channel's data */
    REDUCE_BETWEEN,
    HAND_OUT, /* by the owner: what a member wants */
    HAND_IN,
    GATHER_BETWEEN,
    GIVE_RESULTS, /* by the owner: shares of the channel's data */
    GATHER_IN_NODE,
    PARTS,
};

enum { MOST_BLOCKS = 1 << 28, COARSE = 64 };

struct where { /* of a member */
    const struct nadi_nodes *x;
    uint32_t node, place, size; /* of the node's members */
    uint32_t channel, turn, dealt;
    const uint32_t *mates; /* the channel's in the node */
};

static struct where where_of(const struct nadi_program *p, uint32_t member)
{
    const struct nadi_nodes *x = p->request.nodes;
    if (!x)
        return (struct where){
            .place = member, .size = p->request.n, .turn = member, .dealt = p->request.n};
    struct where w = {
        .x = x,
        .node = x->node[member],
        .place = x->place[member],
        .size = nadi_nodes_size(x, x->node[member]),
        .channel = x->channel[member],
        .turn = x->turn[member],
    };
    w.mates = nadi_nodes_dealt(x, w.node, w.channel, &w.dealt);
    return w;
}

static const char *prepare(struct nadi_program *p)
{
    const struct nadi_nodes *x = p->request.nodes;
    const uint32_t n = p->request.n;
    if (!x) {
        p->blocks = n;
        return NULL;
    }
    const uint64_t cells =
        p->request.kind == NADI_ALL_REDUCE ? (uint64_t)x->count * x->channels : n;
    if (cells > MOST_BLOCKS)
        return "too many blocks";
    p->a = x->shares && cells * x->shares <= MOST_BLOCKS ? x->shares
           : cells * COARSE <= MOST_BLOCKS               ? COARSE
                                                         : 1;
    p->blocks = (uint32_t)(cells * p->a);
    return NULL;
}

static uint32_t steps_in(const struct nadi_program *p, const struct where *w, enum part part)
{
    const enum nadi_collective_kind kind = p->request.kind;
    const bool reduces = kind != NADI_ALL_GATHER, gathers = kind != NADI_REDUCE_SCATTER;
    const bool owner = w->turn == 0;
    const uint32_t shared = w->x && w->dealt > 1 ? (owner ? w->dealt - 1 : 1) : 0;
    const uint32_t between = w->x && owner ? w->x->count - 1 : 0;
    switch (part) {
    case REDUCE_IN_NODE:
        return reduces ? w->size - 1 : 0;
    case GIVE_SUMS:
        return reduces ? shared : 0;
    case REDUCE_BETWEEN:
        return reduces ? between : 0;
    case HAND_OUT:
        return gathers ? 0 : shared;
    case HAND_IN:
        return reduces ? 0 : shared;
    case GATHER_BETWEEN:
        return gathers ? between : 0;
    case GIVE_RESULTS:
        return gathers ? shared : 0;
    case GATHER_IN_NODE:
        return gathers ? w->size - 1 : 0;
    case PARTS:
        break;
    }
    return 0;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)queue;
    const struct where w = where_of(p, member);
    uint32_t count = 0;
    for (enum part part = REDUCE_IN_NODE; part < PARTS; part++)
        count += steps_in(p, &w, part);
    return count;
}

/* The part that step *k is in, and which one it is there. */
static enum part part_of(const struct nadi_program *p, const struct where *w, uint32_t *k)
{
    for (enum part part = REDUCE_IN_NODE; part < PARTS; part++) {
        const uint32_t count = steps_in(p, w, part);
        if (*k < count)
            return part;
        *k -= count;
    }
    NADI_BUG("step %" PRIu32 " of no part", *k);
}

static uint32_t owner_of(const struct where *w, uint32_t node)
{
    uint32_t count;
    return nadi_nodes_dealt(w->x, node, w->channel, &count)[0];
}

static uint32_t member_at(const struct where *w, uint32_t place)
{
    return w->x ? w->x->members[w->x->first[w->node] + place] : place;
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    const struct where w = where_of(p, member);
    const enum part part = part_of(p, &w, &k);
    const bool owner = w.turn == 0;
    uint32_t *with_owner = NULL; /* where a member stands for its owner, and an owner for it */
    switch (part) {
    case REDUCE_IN_NODE:
    case GATHER_IN_NODE:
        out->to = member_at(&w, nadi_mod_add(w.place, 1, w.size));
        out->from = member_at(&w, nadi_mod_sub(w.place, 1, w.size));
        break;
    case REDUCE_BETWEEN:
    case GATHER_BETWEEN:
        out->to = owner_of(&w, nadi_mod_add(w.node, 1, w.x->count));
        out->from = owner_of(&w, nadi_mod_sub(w.node, 1, w.x->count));
        break;
    case GIVE_SUMS:
    case HAND_IN:
        with_owner = owner ? &out->from : &out->to;
        break;
    case HAND_OUT:
    case GIVE_RESULTS:
        with_owner = owner ? &out->to : &out->from;
        break;
    case PARTS:
        break;
    }
    if (with_owner)
        *with_owner = w.mates[owner ? k + 1 : 0];
    out->reduces = part == REDUCE_IN_NODE || part == REDUCE_BETWEEN;
}

struct visiting {
    const struct nadi_program *p;
    const struct where *w;
    nadi_blocks_visit *visit;
    void *context;
};

/* Part [from, to) of what the channel has of a node, which is as long as `width` says. */
static void visit_in_cell(const struct visiting *v, uint32_t channel, uint32_t node, uint64_t from,
                          uint64_t to)
{
    const struct nadi_nodes *x = v->w->x;
    const uint32_t each = v->p->a;
    if (v->p->request.kind == NADI_ALL_REDUCE) {
        v->visit(v->context, (channel * x->count + node) * each + (uint32_t)from,
                 (uint32_t)(to - from));
        return;
    }
    uint32_t count;
    const uint32_t *dealt = nadi_nodes_dealt(x, node, channel, &count);
    for (uint64_t i = from / each; i < count && i * each < to; i++) {
        const uint64_t low = from > i * each ? from - i * each : 0;
        const uint64_t high = to < (i + 1) * each ? to - i * each : each;
        v->visit(v->context, dealt[i] * each + (uint32_t)low, (uint32_t)(high - low));
    }
}

/* Where the channel's part of a node begins, in blocks of the channel. */
static uint64_t cell_start(const struct visiting *v, uint32_t channel, uint32_t node)
{
    const struct nadi_nodes *x = v->w->x;
    const uint32_t before =
        v->p->request.kind == NADI_ALL_REDUCE ? node : x->before[channel * (x->count + 1) + node];
    return (uint64_t)before * v->p->a;
}

static void visit_cell(const struct visiting *v, uint32_t node)
{
    const uint64_t start = cell_start(v, v->w->channel, node);
    visit_in_cell(v, v->w->channel, node, 0, cell_start(v, v->w->channel, node + 1) - start);
}

/* The share of its channel that a member of the node has within it. */
static void visit_share(const struct visiting *v, uint32_t member)
{
    const struct nadi_nodes *x = v->w->x;
    if (!x) {
        v->visit(v->context, member, 1);
        return;
    }
    uint32_t dealt;
    const uint32_t channel = x->channel[member];
    (void)nadi_nodes_dealt(x, x->node[member], channel, &dealt);
    const uint64_t all = cell_start(v, channel, x->count);
    const uint64_t from = all * x->turn[member] / dealt, to = all * (x->turn[member] + 1) / dealt;
    for (uint32_t k = 0; k < x->count; k++) {
        const uint64_t start = cell_start(v, channel, k), end = cell_start(v, channel, k + 1);
        const uint64_t low = from > start ? from : start, high = to < end ? to : end;
        if (low < high)
            visit_in_cell(v, channel, k, low - start, high - start);
    }
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    const struct where w = where_of(p, member);
    const struct visiting v = {p, &w, visit, context};
    const enum part part = part_of(p, &w, &k);
    switch (part) {
    case REDUCE_IN_NODE:
    case GATHER_IN_NODE:
        k += part == REDUCE_IN_NODE;
        visit_share(&v, member_at(&w, nadi_mod_sub(w.place, k, w.size)));
        break;
    case REDUCE_BETWEEN:
    case GATHER_BETWEEN:
        k += part == REDUCE_BETWEEN;
        visit_cell(&v, nadi_mod_sub(w.node, k % w.x->count, w.x->count));
        break;
    case GIVE_SUMS:
        visit_share(&v, member);
        break;
    case GIVE_RESULTS:
        visit_share(&v, w.mates[k + 1]);
        break;
    case HAND_OUT:
        visit(context, w.mates[k + 1] * p->a, p->a);
        break;
    case HAND_IN:
        visit(context, member * p->a, p->a);
        break;
    case PARTS:
        break;
    }
}

/* Of one node; nodes of different sizes have no closed form. */
static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    return p->request.nodes ? -1 : nadi_algorithm_ring.seconds(p, alpha, beta, gamma);
}

const struct nadi_program_ops nadi_algorithm_by_node = {
    .name = "byNode",
    .summary = "Rings within nodes, then between them over as many members of each as all have.",
    .cost = "as ring where all members are in one node; else no closed form",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER,
    .sends_ahead = true,
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
