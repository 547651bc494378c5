/* tree: the double binary tree all-reduce (system-network spec section 9.5).
 *
 * Slots name a member's links: 0 its parent, 1 its left and 2 its right child. A slot's receive is
 * posted and its message comes once each way in a phase, so a bit for each suffices. */
#include "collective/tree.h"

#include "executor/internal.h"

enum { PARENT, LEFT, RIGHT };

static uint32_t words_of(const struct nadi_phase *p)
{
    (void)p;
    return 1;
}

enum stage { /* what the endpoint stage that ends was for */
             LEAF_READY,
             CHILD_ARRIVED,
             RESULT_ARRIVED, /* inner: from the parent; root: from its child */
             LEAF_RECEIVED,
};

enum {             /* bits in block.bits */
       CAME = 0,   /* + slot: the message came before its receive */
       READY = 8,  /* + slot: rendezvous, the control message came before the send */
       ASKED = 16, /* + slot: rendezvous, the send waits for the control message */
};

static struct nadi_tree_node node_of(const struct block *b, uint32_t member, uint32_t *local)
{
    *local = nadi_phase_local(b->phase, member);
    return nadi_tree_node(b->phase->log2_n, *local, b->max_tree);
}

/* The member at the other end of a slot, and the slot's number there. */
static uint32_t other_end(const struct block *b, uint32_t member, uint32_t slot, uint32_t *far_slot)
{
    uint32_t local;
    struct nadi_tree_node node = node_of(b, member, &local);
    uint32_t to = slot == PARENT ? node.parent : slot == LEFT ? node.left : node.right;
    *far_slot = slot != PARENT ? PARENT : node.is_left_child ? LEFT : RIGHT;
    return member - local * b->phase->stride + to * b->phase->stride;
}

static uint64_t *bits_of(struct nadi_system *s, uint32_t block, uint32_t member)
{
    struct block *b = &s->blocks.items[block];
    return &b->bits[(size_t)member * b->words];
}

static bool take_bit(uint64_t *bits, uint32_t bit)
{
    bool set = *bits >> bit & 1;
    *bits &= ~(UINT64_C(1) << bit);
    return set;
}

static void transmit(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    uint32_t far_slot;
    const struct block *b = &s->blocks.items[block];
    const uint32_t dst = other_end(b, member, slot, &far_slot);
    const uint64_t bytes = nadi_block_bytes(b, member, 0, b->clockwise);
    if (s->setup.keyed)
        nadi_matching_send(s, block, member, dst, bytes);
    else
        nadi_phase_messages_transmit(s, block, member, dst, NADI_NONE, bytes, far_slot);
}

static void send(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    uint64_t *bits = bits_of(s, block, member);
    if (!s->config->rendezvous || s->setup.keyed)
        transmit(s, block, member, slot);
    else if (take_bit(bits, READY + slot))
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_start, block,
                             member, slot);
    else
        *bits |= UINT64_C(1) << (ASKED + slot);
}

static void post(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    struct block *b = &s->blocks.items[block];
    b->states[member].route |= 1U << slot;
    if (s->config->rendezvous || s->setup.keyed) {
        uint32_t far_slot, src = other_end(b, member, slot, &far_slot);
        if (s->setup.keyed)
            nadi_matching_recv(s, block, member, src, b->phase->bytes, slot);
        else
            nadi_phase_messages_send_control(s, block, member, src, far_slot);
    } else if (take_bit(bits_of(s, block, member), CAME + slot))
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_late, block,
                             member, slot);
}

static void control(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    uint64_t *bits = bits_of(s, block, member);
    if (take_bit(bits, ASKED + slot))
        transmit(s, block, member, slot);
    else
        *bits |= UINT64_C(1) << (READY + slot);
}

static void stage(struct nadi_system *s, uint32_t block, uint32_t member, enum stage which,
                  unsigned flags)
{
    nadi_phase_messages_stage(s, block, member, which, s->blocks.items[block].phase->bytes, flags);
}

static void start(struct nadi_system *s, uint32_t block, uint32_t member)
{
    uint32_t local;
    struct nadi_tree_node node = node_of(&s->blocks.items[block], member, &local);
    if (node.left == NADI_NONE && node.right == NADI_NONE)
        stage(s, block, member, LEAF_READY, 0);
    if (node.left != NADI_NONE)
        post(s, block, member, LEFT);
    if (node.right != NADI_NONE)
        post(s, block, member, RIGHT);
}

static void late(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    struct block *b = &s->blocks.items[block];
    uint32_t local;
    struct nadi_tree_node node = node_of(b, member, &local);
    bool is_root = node.parent == NADI_NONE;
    bool is_leaf = node.left == NADI_NONE && node.right == NADI_NONE;
    if (is_leaf)
        stage(s, block, member, LEAF_RECEIVED, STAGE_TO_NPU);
    else if (slot == PARENT || is_root)
        stage(s, block, member, RESULT_ARRIVED,
              STAGE_TO_NPU | STAGE_BACK | (is_root || !b->phase->exact ? STAGE_REDUCE : 0U));
    else {
        bool second = b->states[member].window.arrived++ > 0;
        stage(s, block, member, CHILD_ARRIVED,
              STAGE_TO_NPU | STAGE_REDUCE | (second ? STAGE_BACK : 0U));
    }
}

static void message(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    if (s->blocks.items[block].states[member].route >> slot & 1)
        late(s, block, member, slot);
    else
        *bits_of(s, block, member) |= UINT64_C(1) << (CAME + slot);
}

static void stage_ended(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t which)
{
    struct block *b = &s->blocks.items[block];
    uint32_t local;
    struct nadi_tree_node node = node_of(b, member, &local);
    switch ((enum stage)which) {
    case LEAF_READY:
        send(s, block, member, PARENT);
        post(s, block, member, PARENT);
        return;
    case CHILD_ARRIVED:
        if (++b->states[member].window.credit == 2) {
            send(s, block, member, PARENT);
            post(s, block, member, PARENT);
        }
        return;
    case RESULT_ARRIVED:
        if (node.left != NADI_NONE)
            send(s, block, member, LEFT);
        if (node.right != NADI_NONE)
            send(s, block, member, RIGHT);
        nadi_phase_messages_end_member(s, block, member);
        return;
    case LEAF_RECEIVED:
        nadi_phase_messages_end_member(s, block, member);
        return;
    }
}

const struct phase_ops nadi_tree_phase = {
    .words = words_of,
    .start = start,
    .message = message,
    .late = late,
    .control = control,
    .go = transmit,
    .ended = stage_ended,
};
