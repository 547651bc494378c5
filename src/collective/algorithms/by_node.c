/* by_node: within the nodes and between them, whatever the number of members that each has.
 *
 * collective/nodes.h has the channels, their owners and slots. An all-reduce is a ring
 * reduce-scatter of each node's members, after which each has the sums of its slot; what it holds
 * of others' channels goes to their owners; the owners of a channel run a ring all-reduce; then all
 * of it backwards. Each channel is 1/channels of the data, each node's part of it as large. Of
 * reduce-scatter and all-gather a channel's part of a node is what its members there want or have,
 * which they get from the owner or give to it; as these parts differ, they pass between owners
 * member by member, so that each link always carries as much.
 *
 * The data are cut into segments: while owners pass one on (queue 1) the nodes are busy with the
 * next one's way in and the last one's way out (queue 0). Where all members are in one node it is
 * one ring. */
#include "collective/algorithms/algorithms.h"

enum part {
    REDUCE_IN_NODE,
    GIVE_SUMS, /* to owners: of slots what is their channel's */
    REDUCE_BETWEEN,
    HAND_OUT, /* by the owner: what a member wants */
    HAND_IN,
    GATHER_BETWEEN,
    GIVE_RESULTS, /* by owners: of their channel what is others' slots */
    GATHER_IN_NODE,
    PARTS,
};

enum { MOST_BLOCKS = 1 << 28, COARSE = 64 };
enum { IN_NODE, BETWEEN, QUEUES };

struct where { /* of a member */
    const struct nadi_nodes *x;
    uint32_t node, place, size; /* of the node's members */
    uint32_t channel, turn, dealt;
    const uint32_t *mates; /* the channel's in the node */
    uint32_t pieces;       /* steps that give sums, or results */
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
        p->a = 1;
        p->blocks = n * p->request.segments;
        return NULL;
    }
    const uint64_t cells =
        (p->request.kind == NADI_ALL_REDUCE ? (uint64_t)x->count * x->channels : n) *
        p->request.segments;
    if (cells > MOST_BLOCKS)
        return "too many blocks";
    p->queues = QUEUES;
    p->a = x->shares && cells * x->shares <= MOST_BLOCKS ? x->shares
           : cells * COARSE <= MOST_BLOCKS               ? COARSE
                                                         : 1;
    p->blocks = (uint32_t)(cells * p->a);
    return NULL;
}

/* Members of the channel in a node, or in all of them. */
static uint32_t wanting(const struct where *w, uint32_t node)
{
    const uint32_t *before = &w->x->before[w->channel * (w->x->count + 1)];
    return before[node + 1] - before[node];
}

static uint32_t wanting_all(const struct where *w)
{
    return w->x->before[w->channel * (w->x->count + 1) + w->x->count];
}

/* Messages that a node's owner sends and receives in a ring of parts of a member each. */
static void parts_between(const struct nadi_program *p, const struct where *w, uint32_t *sends,
                          uint32_t *receives)
{
    const uint32_t count = w->x->count, all = wanting_all(w);
    const uint32_t after = nadi_mod_add(w->node, 1, count);
    const uint32_t before = nadi_mod_sub(w->node, 1, count);
    const bool gathers = p->request.kind == NADI_ALL_GATHER;
    *sends = all - wanting(w, gathers ? after : w->node);
    *receives = all - wanting(w, gathers ? w->node : before);
}

static uint32_t steps_between(const struct nadi_program *p, const struct where *w)
{
    uint32_t sends, receives;
    if (!w->x || w->turn > 0)
        return 0;
    if (p->request.kind == NADI_ALL_REDUCE)
        return w->x->count - 1;
    parts_between(p, w, &sends, &receives);
    return sends > receives ? sends : receives;
}

/* ---- slots and channels -----------------------------------------------------------------------
 */

static enum nadi_nodes_sizes sizes_of(const struct nadi_program *p)
{
    return p->request.kind == NADI_ALL_REDUCE ? NADI_NODES_EVEN : NADI_NODES_BY_MEMBER;
}

/* Where a channel begins in the data of a segment, in blocks. */
static uint64_t channel_start(const struct nadi_program *p, uint32_t channel)
{
    const struct nadi_nodes *x = p->request.nodes;
    const uint32_t cells =
        sizes_of(p) == NADI_NODES_EVEN ? channel * x->count : x->before_all[channel];
    return (uint64_t)cells * p->a;
}

/* Where a slot of the node begins there. */
static uint64_t slot_start(const struct nadi_program *p, const struct where *w, uint32_t slot)
{
    return channel_start(p, w->x->channels) * slot / w->size;
}

static uint32_t slot_of(const struct nadi_program *p, const struct where *w, uint32_t member)
{
    return w->x->slot[sizes_of(p)][member];
}

struct piece { /* what a slot has of a channel */
    uint32_t slot, channel;
};

static bool overlap(const struct nadi_program *p, const struct where *w, struct piece piece)
{
    return slot_start(p, w, piece.slot) < channel_start(p, piece.channel + 1) &&
           channel_start(p, piece.channel) < slot_start(p, w, piece.slot + 1);
}

/* The i-th piece of the member's slot that is another's channel; false: there are not so many. */
static bool piece_of_slot(const struct nadi_program *p, const struct where *w, uint32_t member,
                          uint32_t i, struct piece *piece)
{
    *piece = (struct piece){.slot = slot_of(p, w, member)};
    uint32_t low = 0, high = w->x->channels; /* the channel in which the slot begins */
    while (low + 1 < high) {
        const uint32_t middle = (low + high) / 2;
        *(channel_start(p, middle) <= slot_start(p, w, piece->slot) ? &low : &high) = middle;
    }
    for (uint32_t c = low; c < w->x->channels; c++) {
        piece->channel = c;
        if (!overlap(p, w, *piece))
            return false;
        if ((c != w->channel || w->turn > 0) && i-- == 0)
            return true;
    }
    return false;
}

/* The i-th piece of the owner's channel that is another's slot. */
static bool piece_of_channel(const struct nadi_program *p, const struct where *w, uint32_t member,
                             uint32_t i, struct piece *piece)
{
    const uint64_t all = channel_start(p, w->x->channels), own = slot_of(p, w, member);
    *piece = (struct piece){.channel = w->channel};
    if (w->turn > 0)
        return false;
    for (uint64_t s = channel_start(p, w->channel) * w->size / all; s < w->size; s++) {
        piece->slot = (uint32_t)s;
        if (slot_start(p, w, piece->slot) >= channel_start(p, w->channel + 1))
            return false;
        if (s != own && overlap(p, w, *piece) && i-- == 0)
            return true;
    }
    return false;
}

/* Steps in which pieces go to owners, or come from them: two directions at once. */
static uint32_t steps_of_pieces(const struct nadi_program *p, const struct where *w,
                                uint32_t member)
{
    struct piece piece;
    uint32_t count = 0;
    while (w->x && (piece_of_slot(p, w, member, count, &piece) ||
                    piece_of_channel(p, w, member, count, &piece)))
        count++;
    return count;
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static uint32_t steps_in(const struct nadi_program *p, const struct where *w, enum part part)
{
    const enum nadi_collective_kind kind = p->request.kind;
    const bool reduces = kind != NADI_ALL_GATHER, gathers = kind != NADI_REDUCE_SCATTER;
    const bool owner = w->turn == 0;
    const uint32_t shared = w->x && w->dealt > 1 ? (owner ? w->dealt - 1 : 1) : 0;
    switch (part) {
    case REDUCE_IN_NODE:
        return reduces ? w->size - 1 : 0;
    case GIVE_SUMS:
        return reduces ? w->pieces : 0;
    case REDUCE_BETWEEN:
        return reduces ? steps_between(p, w) : 0;
    case HAND_OUT:
        return gathers ? 0 : shared;
    case HAND_IN:
        return reduces ? 0 : shared;
    case GATHER_BETWEEN:
        return gathers ? steps_between(p, w) : 0;
    case GIVE_RESULTS:
        return gathers ? w->pieces : 0;
    case GATHER_IN_NODE:
        return gathers ? w->size - 1 : 0;
    case PARTS:
        break;
    }
    return 0;
}

/* What a segment does one after the other, before and after it passes between nodes, or there. */
struct stage {
    uint32_t count;
    enum part parts[2];
};

static const struct stage stages_in[] = {{2, {REDUCE_IN_NODE, GIVE_SUMS}}, {1, {HAND_IN}}};
static const struct stage stages_out[] = {{2, {GIVE_RESULTS, GATHER_IN_NODE}}, {1, {HAND_OUT}}};
static const struct stage over = {2, {REDUCE_BETWEEN, GATHER_BETWEEN}};

static const struct stage *in_of(const struct nadi_program *p)
{
    return &stages_in[p->request.kind == NADI_ALL_GATHER];
}

static const struct stage *out_of(const struct nadi_program *p)
{
    return &stages_out[p->request.kind == NADI_REDUCE_SCATTER];
}

static uint32_t steps_of(const struct nadi_program *p, const struct where *w,
                         const struct stage *stage)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stage->count; i++)
        count += steps_in(p, w, stage->parts[i]);
    return count;
}

static struct where place_of(const struct nadi_program *p, uint32_t member)
{
    struct where w = where_of(p, member);
    w.pieces = steps_of_pieces(p, &w, member);
    return w;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    const struct where w = place_of(p, member);
    if (queue == BETWEEN)
        return p->request.segments * steps_of(p, &w, &over);
    return p->request.segments * (steps_of(p, &w, in_of(p)) + steps_of(p, &w, out_of(p)));
}

struct at { /* a step */
    uint32_t segment;
    enum part part;
    uint32_t number; /* in the part */
    bool first;      /* of its stage */
};

static struct at at_in_stage(const struct nadi_program *p, const struct where *w,
                             const struct stage *stage, uint32_t segment, uint32_t k)
{
    struct at at = {.segment = segment, .number = k, .first = k == 0};
    for (uint32_t i = 0; i < stage->count; i++) {
        const uint32_t count = steps_in(p, w, stage->parts[i]);
        at.part = stage->parts[i];
        if (at.number < count)
            return at;
        at.number -= count;
    }
    NADI_BUG("step %" PRIu32 " of no part", k);
}

/* In a node: in of segment 0; then in of the next one and out of this one, for each. */
static struct at at_step(const struct nadi_program *p, const struct where *w, uint32_t queue,
                         uint32_t k)
{
    if (queue == BETWEEN) {
        const uint32_t each = steps_of(p, w, &over);
        return at_in_stage(p, w, &over, k / each, k % each);
    }
    const uint32_t in = steps_of(p, w, in_of(p)), both = in + steps_of(p, w, out_of(p));
    if (k < in)
        return at_in_stage(p, w, in_of(p), 0, k);
    k -= in;
    uint32_t segment = k / both, within = k % both;
    if (segment + 1 < p->request.segments) {
        if (within < in)
            return at_in_stage(p, w, in_of(p), segment + 1, within);
        within -= in;
    }
    return at_in_stage(p, w, out_of(p), segment, within);
}

/* A segment passes on when its way in has ended, and goes out when it has passed. */
static void wait(const struct nadi_program *p, const struct where *w, uint32_t queue,
                 const struct at *at, struct nadi_step *out)
{
    const uint32_t before = at->segment * steps_of(p, w, in_of(p));
    if (!at->first || w->turn > 0 || !w->x)
        return;
    if (queue == BETWEEN) {
        const uint32_t done = at->segment ? at->segment - 1 : 0;
        out->wait_queue = IN_NODE;
        out->wait_steps = before + steps_of(p, w, in_of(p)) + done * steps_of(p, w, out_of(p));
    } else if (at->part > GATHER_BETWEEN || at->part == HAND_OUT) {
        out->wait_queue = BETWEEN;
        out->wait_steps = (at->segment + 1) * steps_of(p, w, &over);
    }
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

/* Whom the member's slot and its channel have a piece in common with: an owner, another slot. */
static void go_to_owners(const struct nadi_program *p, const struct where *w, uint32_t member,
                         uint32_t number, uint32_t *owner, uint32_t *other)
{
    struct piece piece;
    uint32_t count;
    if (piece_of_slot(p, w, member, number, &piece))
        *owner = nadi_nodes_dealt(w->x, w->node, piece.channel, &count)[0];
    if (piece_of_channel(p, w, member, number, &piece))
        *other = w->x->at_slot[sizes_of(p)][w->x->first[w->node] + piece.slot];
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    const struct where w = place_of(p, member);
    const struct at at = at_step(p, &w, queue, k);
    const bool owner = w.turn == 0;
    uint32_t *with_owner = NULL; /* where a member stands for its owner, and an owner for it */
    uint32_t sends = UINT32_MAX, receives = UINT32_MAX;
    switch (at.part) {
    case REDUCE_IN_NODE:
    case GATHER_IN_NODE:
        out->to = member_at(&w, nadi_mod_add(w.place, 1, w.size));
        out->from = member_at(&w, nadi_mod_sub(w.place, 1, w.size));
        break;
    case REDUCE_BETWEEN:
    case GATHER_BETWEEN:
        if (p->request.kind != NADI_ALL_REDUCE)
            parts_between(p, &w, &sends, &receives);
        if (at.number < sends)
            out->to = owner_of(&w, nadi_mod_add(w.node, 1, w.x->count));
        if (at.number < receives)
            out->from = owner_of(&w, nadi_mod_sub(w.node, 1, w.x->count));
        break;
    case GIVE_SUMS:
        go_to_owners(p, &w, member, at.number, &out->to, &out->from);
        break;
    case GIVE_RESULTS:
        go_to_owners(p, &w, member, at.number, &out->from, &out->to);
        break;
    case HAND_IN:
        with_owner = owner ? &out->from : &out->to;
        break;
    case HAND_OUT:
        with_owner = owner ? &out->to : &out->from;
        break;
    case PARTS:
        break;
    }
    if (with_owner)
        *with_owner = w.mates[owner ? at.number + 1 : 0];
    out->reduces = at.part == REDUCE_IN_NODE || at.part == REDUCE_BETWEEN;
    wait(p, &w, queue, &at, out);
}

struct visiting {
    const struct nadi_program *p;
    const struct where *w;
    uint32_t segment;
    nadi_blocks_visit *visit;
    void *context;
};

/* Part [low, high) of what a segment has of a member's data. */
static void visit_part(const struct visiting *v, uint32_t member, uint64_t low, uint64_t high)
{
    const uint32_t before = member * v->p->request.segments + v->segment;
    v->visit(v->context, before * v->p->a + (uint32_t)low, (uint32_t)(high - low));
}

/* Part [from, to) of what the channel has of a node, in units of blocks. */
static void visit_in_cell(const struct visiting *v, uint32_t channel, uint32_t node, uint64_t from,
                          uint64_t to)
{
    const struct nadi_nodes *x = v->w->x;
    const uint32_t each = v->p->a;
    if (v->p->request.kind == NADI_ALL_REDUCE) {
        const uint32_t cell = (v->segment * x->channels + channel) * x->count + node;
        v->visit(v->context, cell * each + (uint32_t)from, (uint32_t)(to - from));
        return;
    }
    uint32_t count;
    const uint32_t *dealt = nadi_nodes_dealt(x, node, channel, &count);
    for (uint64_t i = from / each; i < count && i * each < to; i++) {
        const uint64_t low = from > i * each ? from - i * each : 0;
        const uint64_t high = to < (i + 1) * each ? to - i * each : each;
        visit_part(v, dealt[i], low, high);
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

/* A range of a segment's data, which are by channel and node. */
static void visit_range(const struct visiting *v, uint64_t from, uint64_t to)
{
    const struct nadi_nodes *x = v->w->x;
    for (uint32_t c = 0; c < x->channels; c++) {
        const uint64_t first = channel_start(v->p, c);
        if (first >= to || channel_start(v->p, c + 1) <= from)
            continue;
        for (uint32_t k = 0; k < x->count; k++) {
            const uint64_t start = first + cell_start(v, c, k);
            const uint64_t end = first + cell_start(v, c, k + 1);
            const uint64_t low = from > start ? from : start, high = to < end ? to : end;
            if (low < high)
                visit_in_cell(v, c, k, low - start, high - start);
        }
    }
}

/* The slot of a member of the node. */
static void visit_slot(const struct visiting *v, uint32_t member)
{
    if (!v->w->x) {
        visit_part(v, member, 0, 1);
        return;
    }
    const uint32_t slot = slot_of(v->p, v->w, member);
    visit_range(v, slot_start(v->p, v->w, slot), slot_start(v->p, v->w, slot + 1));
}

static void visit_piece(const struct visiting *v, struct piece piece)
{
    const uint64_t slot = slot_start(v->p, v->w, piece.slot);
    const uint64_t slot_end = slot_start(v->p, v->w, piece.slot + 1);
    const uint64_t channel = channel_start(v->p, piece.channel);
    const uint64_t channel_end = channel_start(v->p, piece.channel + 1);
    visit_range(v, slot > channel ? slot : channel,
                slot_end < channel_end ? slot_end : channel_end);
}

/* The part-th member's data that a node's owner passes on: of the nodes before it one after the
 * other, in an all-gather of its own first. */
static void visit_passed(const struct visiting *v, uint32_t part)
{
    const struct where *w = v->w;
    uint32_t sends, receives;
    parts_between(v->p, w, &sends, &receives);
    if (part >= sends)
        return;
    const bool gathers = v->p->request.kind == NADI_ALL_GATHER;
    uint32_t node = gathers ? w->node : nadi_mod_sub(w->node, 1, w->x->count), count;
    while (part >= wanting(w, node)) {
        part -= wanting(w, node);
        node = nadi_mod_sub(node, 1, w->x->count);
    }
    visit_part(v, nadi_nodes_dealt(w->x, node, w->channel, &count)[part], 0, v->p->a);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    const struct where w = place_of(p, member);
    const struct at at = at_step(p, &w, queue, k);
    const struct visiting v = {p, &w, at.segment, visit, context};
    struct piece piece;
    k = at.number;
    switch (at.part) {
    case REDUCE_IN_NODE:
    case GATHER_IN_NODE:
        k += at.part == REDUCE_IN_NODE;
        visit_slot(&v, member_at(&w, nadi_mod_sub(w.place, k, w.size)));
        break;
    case REDUCE_BETWEEN:
    case GATHER_BETWEEN:
        if (p->request.kind == NADI_ALL_REDUCE) {
            k += at.part == REDUCE_BETWEEN;
            visit_cell(&v, nadi_mod_sub(w.node, k % w.x->count, w.x->count));
        } else {
            visit_passed(&v, k);
        }
        break;
    case GIVE_SUMS:
        if (piece_of_slot(p, &w, member, k, &piece))
            visit_piece(&v, piece);
        break;
    case GIVE_RESULTS:
        if (piece_of_channel(p, &w, member, k, &piece))
            visit_piece(&v, piece);
        break;
    case HAND_OUT:
        visit_part(&v, w.mates[k + 1], 0, p->a);
        break;
    case HAND_IN:
        visit_part(&v, member, 0, p->a);
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
    .number = NADI_NUMBER_SEGMENTS,
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
