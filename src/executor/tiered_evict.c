/* tiered_evict: blocks that leave full tiers, and come back when they are needed.
 *
 * What needs room in a tier that evicts waits until the blocks used longest ago have been written
 * to the next tier; what reads one of them waits until it has come back, for which others may have
 * to leave. Such moves are transfers like all others. A block that a request reads or writes does
 * not leave. */
#include "executor/tiered_inside.h"

/* The tier behind this one that takes what leaves it; NADI_NONE: there is none. */
static uint32_t behind(const struct nadi_tiered *t, uint32_t tier, uint32_t npu)
{
    for (uint32_t i = tier + 1; i < t->tiers->tier_count; i++)
        if (nadi_tiers_sees(t->tiers, i, npu))
            return i;
    return NADI_NONE;
}

/* reader: NADI_NONE for an eviction. */
static enum step start_move(struct nadi_tiered *t, const struct errand *asks, uint32_t block,
                            uint32_t reader, uint32_t to)
{
    const enum errand_kind kind = reader == NADI_NONE ? ERRAND_EVICT : ERRAND_RETURN;
    const struct nadi_stock_block b = nadi_stock_block(t->stock, block);
    uint32_t index;
    NADI_POOL_TAKE(&t->errands, next, index);
    t->errands.items[index] = (struct errand){
        .actor = asks->actor,
        .npu = b.npu,
        .node = asks->node,
        .from = b.tier,
        .to = to,
        .pinned = {NADI_NONE, NADI_NONE},
        .held = NADI_NONE,
        .reader = reader,
        .block = block,
        .kind = (uint8_t)kind,
        .issued = nadi_tiered_now(t),
        .call =
            {
                .bytes = b.bytes,
                .block = b.name,
                .from = b.tier,
                .to = to,
                .op = NADI_MEM_COPIES,
                .role = kind == ERRAND_EVICT ? NADI_MEM_EVICTION : b.role,
            },
    };
    if (kind == ERRAND_EVICT)
        nadi_stock_leave(t->stock, block);
    else
        nadi_stock_want(t->stock, block);
    const enum step step = nadi_tiered_move(t, index);
    if (step == STEP_STALL)
        nadi_tiered_put_aside(t, index);
    return step;
}

/* A block that waits for room at home is not bound to where it lies: what needs that room may evict
 * it further, so that no two moves wait for each other. */
static enum step move_back(struct nadi_tiered *t, uint32_t index)
{
    struct errand *e = &t->errands.items[index];
    const struct nadi_stock_block b = nadi_stock_block(t->stock, e->block);
    if (b.moving)
        return nadi_tiered_stall(t, b.tier, b.npu);
    e->from = e->call.from = b.tier;
    if (!nadi_stock_has_room(t->stock, e->to, e->npu, b.bytes)) {
        const struct errand asks = *e;
        return nadi_tiered_make_room(t, &asks, asks.to, asks.npu, b.bytes);
    }
    nadi_stock_leave(t->stock, e->block);
    const bool claimed = nadi_stock_claim(t->stock, e->block, e->to, nadi_tiered_now(t));
    NADI_ASSERT(claimed);
    nadi_tiered_start(t, index, b.bytes);
    return STEP_ON;
}

enum step nadi_tiered_move(struct nadi_tiered *t, uint32_t index)
{
    const struct errand e = t->errands.items[index];
    uint32_t to = e.to;
    if (e.kind == ERRAND_RETURN)
        return move_back(t, index);
    while (!nadi_stock_claim(t->stock, e.block, to, nadi_tiered_now(t))) {
        const enum nadi_tier_full full = t->tiers->tiers[to].full;
        const uint32_t next = full == NADI_FULL_NEXT ? behind(t, to, e.npu) : NADI_NONE;
        const bool could = nadi_stock_could(t->stock, to, e.call.bytes, 1);
        if (next != NADI_NONE) {
            to = next;
        } else if (full == NADI_FULL_STALL && could) {
            return nadi_tiered_stall(t, to, e.npu);
        } else if (full == NADI_FULL_EVICT && could) {
            return nadi_tiered_make_room(t, &e, to, e.npu, e.call.bytes);
        } else {
            nadi_tiered_refuse(t, &e, to, NADI_FAULT_FULL);
            return STEP_REFUSED;
        }
    }
    t->errands.items[index].to = to;
    nadi_tiered_start(t, index, e.call.bytes);
    return STEP_ON;
}

enum step nadi_tiered_make_room(struct nadi_tiered *t, const struct errand *e, uint32_t tier,
                                uint32_t npu, uint64_t bytes)
{
    while (nadi_stock_missing(t->stock, tier, npu, bytes)) {
        const uint32_t victim = nadi_stock_victim(t->stock, tier, npu);
        if (victim == NADI_NONE)
            break;
        const uint32_t to = behind(t, tier, nadi_stock_block(t->stock, victim).npu);
        if (to == NADI_NONE) {
            nadi_tiered_refuse(t, e, tier, NADI_FAULT_FULL);
            return STEP_REFUSED;
        }
        if (start_move(t, e, victim, NADI_NONE, to) == STEP_REFUSED)
            return STEP_REFUSED;
    }
    if (nadi_stock_will_change(t->stock, tier, npu))
        return nadi_tiered_stall(t, tier, npu);
    nadi_tiered_refuse(t, e, tier, NADI_FAULT_FULL);
    return STEP_REFUSED;
}

enum step nadi_tiered_bring(struct nadi_tiered *t, uint32_t errand, uint32_t block)
{
    const struct errand reader = t->errands.items[errand];
    const struct nadi_stock_block b = nadi_stock_block(t->stock, block);
    if (b.moving)
        return nadi_tiered_stall(t, b.tier, b.npu);
    if (b.tier == b.home)
        return STEP_ON;
    if (!b.wanted && start_move(t, &reader, block, errand, b.home) == STEP_REFUSED)
        return STEP_REFUSED;
    return nadi_tiered_stall(t, b.home, b.npu);
}
