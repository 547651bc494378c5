/* tiered_inside: the state that tiered.c and tiered_evict.c share. Nothing else includes it. */
#ifndef NADI_EXECUTOR_TIERED_INSIDE_H
#define NADI_EXECUTOR_TIERED_INSIDE_H

#include "executor/internal.h"
#include "executor/tiered.h"
#include "memory/stock.h"
#include "memory/traffic.h"
#include "trace/mem.h"

enum errand_kind {
    ERRAND_NODE,   /* what a node asks for */
    ERRAND_EVICT,  /* a block leaves a full tier, for a node that needs its room */
    ERRAND_RETURN, /* it comes back, for a node that needs it */
};

enum step { STEP_ON, STEP_STALL, STEP_REFUSED };

struct errand {
    uint32_t actor, npu, node;
    uint32_t from, to; /* tiers where its bytes lie and will lie; NADI_NONE: the NPU */
    uint32_t next;
    uint32_t pinned[2]; /* blocks that it reads and writes, where tiers evict; NADI_NONE: none */
    uint32_t block;     /* EVICT, RETURN: that moves */
    uint32_t reader;    /* RETURN: the errand that it is for */
    uint32_t held;      /* block that came back for it, and stays until it is used; NADI_NONE */
    uint8_t kind;       /* enum errand_kind */
    uint64_t order;     /* of those that stall */
    nadi_time issued;
    struct nadi_memory_call call;
};

struct nadi_tiered {
    struct nadi_system *system;
    const struct nadi_tiers *tiers;
    struct nadi_mem_traffic *traffic;
    struct nadi_stock *stock;
    NADI_POOL_OF(struct errand) errands;
    uint32_t *instance_first;  /* by tier: of its instances */
    struct nadi_fifo *stalled; /* by instance: errands that wait for a change there */
    uint32_t instance_count, stalled_count;
    uint32_t waits; /* for which instance the errand that stalls now waits */
    uint64_t stalls;
    bool *is_changed; /* by instance: it is in the list */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } changed;
    struct nadi_tiered_joints *joints;
    uint32_t *turn; /* by NPU: requests that it has sent through the network */
    struct nadi_memory_refusal refusal;
    struct {
        struct nadi_memory_record *items;
        size_t count, capacity;
    } records;
    uint32_t local;
    uint32_t kind_at_once, kind_remote;
    bool retrying;
    bool any_evicts;
};

static inline nadi_time nadi_tiered_now(const struct nadi_tiered *t)
{
    return nadi_engine_now(t->system->engine);
}

static inline bool nadi_tiered_evicts(const struct nadi_tiered *t, uint32_t tier)
{
    return tier != NADI_NONE && t->tiers->tiers[tier].full == NADI_FULL_EVICT;
}

static inline struct nadi_stock_key nadi_tiered_key(const struct errand *e, uint32_t tier)
{
    return (struct nadi_stock_key){e->npu, tier, e->call.block, e->call.shared};
}

static inline uint32_t nadi_tiered_instance(const struct nadi_tiered *t, uint32_t tier,
                                            uint32_t npu)
{
    return t->instance_first[tier] + nadi_tiers_instance(t->tiers, tier, npu);
}

/* Ranks that the actor stands for on its instance of a tier. */
static inline uint32_t nadi_tiered_copies(const struct nadi_tiered *t, uint32_t actor,
                                          uint32_t tier)
{
    const struct nadi_tier_users *u = t->system->setup.users;
    return u ? u->copies[actor * t->tiers->tier_count + tier] : 1;
}

/* It waits for a change there. */
static inline enum step nadi_tiered_stall(struct nadi_tiered *t, uint32_t tier, uint32_t npu)
{
    t->waits = nadi_tiered_instance(t, tier, npu);
    return STEP_STALL;
}
/* After a step that stalled. */
void nadi_tiered_put_aside(struct nadi_tiered *t, uint32_t errand);
/* Room was given back there, or a block has moved, can be read or can leave. */
void nadi_tiered_changed(struct nadi_tiered *t, uint32_t tier, uint32_t npu);

void nadi_tiered_refuse(struct nadi_tiered *t, const struct errand *e, uint32_t tier,
                        enum nadi_memory_fault fault);
void nadi_tiered_start(struct nadi_tiered *t, uint32_t errand, uint64_t bytes);

/* tiered_fill.c: blocks that are read before they are made lie there. */
void nadi_tiered_fill(struct nadi_tiered *t);

/* ---- tiered_evict.c: errands may be added, so that pointers to errands are no longer valid ----
 */
/* Of a block whose tier evicts: on, when it lies there and does not move. If it lies elsewhere, it
 * is fetched. */
enum step nadi_tiered_bring(struct nadi_tiered *t, uint32_t errand, uint32_t block);
/* Room for so many more bytes in a tier that evicts: it waits, or is refused. */
enum step nadi_tiered_make_room(struct nadi_tiered *t, const struct errand *e, uint32_t tier,
                                uint32_t npu, uint64_t bytes);
/* An errand that moves a block. */
enum step nadi_tiered_move(struct nadi_tiered *t, uint32_t errand);

/* ---- tiered_joint.c ------------------------------------------------------------------------ */

struct nadi_tiered_joints *nadi_tiered_joints_create(void) NADI_MUST_USE;
void nadi_tiered_joints_destroy(struct nadi_tiered_joints *all); /* NULL is allowed */
/* An errand in a pool's switches moves its bytes when all NPUs ask for the same. */
void nadi_tiered_join(struct nadi_tiered *t, uint32_t errand);
/* The first of those that wait for other NPUs. */
bool nadi_tiered_find_incomplete(const struct nadi_tiered *t, struct nadi_memory_stall *stall);

#endif
