/* tiered_joint: transfers that all NPUs of a pool make together, in its switches.
 *
 * Of those that are alike (tier, direction, bytes, name known to all) the first of each NPU are one
 * transfer, then the second, and so on. It begins when the last NPU asks for it. */
#include "executor/tiered_inside.h"

#include "base/mem.h"
#include "base/str.h"

struct assembly { /* one transfer, not yet begun */
    struct nadi_traffic_call *calls;
    uint32_t joined;
};

struct joint_kind {
    uint32_t tier, first_npu, npus;
    uint32_t *asked; /* by NPU: how often */
    uint32_t begun;  /* transfers; those that have not, in order: */
    struct {
        struct assembly *items;
        size_t count, capacity;
    } open;
};

struct nadi_tiered_joints {
    struct nadi_strmap names; /* to an index of `kinds` */
    struct {
        struct joint_kind *items;
        size_t count, capacity;
    } kinds;
};

struct nadi_tiered_joints *nadi_tiered_joints_create(void)
{
    struct nadi_tiered_joints *all = NADI_ZNEW(struct nadi_tiered_joints, 1);
    nadi_strmap_init(&all->names);
    return all;
}

void nadi_tiered_joints_destroy(struct nadi_tiered_joints *all)
{
    if (!all)
        return;
    for (size_t k = 0; k < all->kinds.count; k++) {
        struct joint_kind *kind = &all->kinds.items[k];
        for (size_t i = 0; i < kind->open.count; i++)
            nadi_mem_free(kind->open.items[i].calls);
        nadi_mem_free(kind->open.items);
        nadi_mem_free(kind->asked);
    }
    nadi_mem_free(all->kinds.items);
    nadi_strmap_release(&all->names);
    nadi_mem_free(all);
}

static struct joint_kind *kind_of(struct nadi_tiered *t, const struct errand *e, uint32_t tier)
{
    struct nadi_tiered_joints *all = t->joints;
    const struct nadi_memory_call *call = &e->call;
    struct nadi_str key = NADI_STR_INIT;
    nadi_str_printf(&key, "%u %u %u %u %" PRIu64 " %s", e->from, e->to, call->op, call->same,
                    call->bytes, call->shared ? call->block : "");
    const uint32_t index = nadi_strmap_put(&all->names, nadi_str_get(&key), key.length,
                                           (uint32_t)all->kinds.count, NULL);
    nadi_str_release(&key);
    if (index == all->kinds.count) {
        const uint32_t npus = nadi_tiers_seen_by(t->tiers, tier);
        NADI_RESERVE(&all->kinds, all->kinds.count + 1);
        all->kinds.items[all->kinds.count++] =
            (struct joint_kind){.tier = tier,
                                .first_npu = t->tiers->tiers[tier].first_npu,
                                .npus = npus,
                                .asked = NADI_ZNEW(uint32_t, npus)};
    }
    return &all->kinds.items[index];
}

void nadi_tiered_join(struct nadi_tiered *t, uint32_t errand)
{
    const struct errand *e = &t->errands.items[errand];
    const struct nadi_tier_joint what = {e->from, e->to, e->call.same};
    struct joint_kind *kind = kind_of(t, e, nadi_tiers_joint_pool(t->tiers, &what));
    const uint32_t npu = e->npu - kind->first_npu;
    const size_t turn = kind->asked[npu]++ - kind->begun;
    if (turn == kind->open.count) {
        NADI_RESERVE(&kind->open, turn + 1);
        kind->open.items[turn] = (struct assembly){0};
        kind->open.count++;
        kind->open.items[turn].calls = NADI_ZNEW(struct nadi_traffic_call, kind->npus);
    }
    struct assembly *g = &kind->open.items[turn];
    g->calls[npu] = (struct nadi_traffic_call){
        .npu = e->npu, .from = e->from, .to = e->to, .bytes = e->call.bytes, .a = errand};
    if (++g->joined < kind->npus)
        return;
    NADI_ASSERT(turn == 0); /* each NPU has asked for those before it */
    const struct assembly complete = *g;
    kind->begun++;
    kind->open.count--;
    memmove(kind->open.items, kind->open.items + 1, kind->open.count * sizeof(*kind->open.items));
    nadi_traffic_join(t->traffic, complete.calls, kind->npus, what.same);
    nadi_mem_free(complete.calls);
}

bool nadi_tiered_find_incomplete(const struct nadi_tiered *t, struct nadi_memory_stall *stall)
{
    const struct nadi_tiered_joints *all = t->joints;
    uint32_t waiting = 0;
    bool found = false;
    for (size_t k = 0; k < all->kinds.count; k++) {
        const struct joint_kind *kind = &all->kinds.items[k];
        for (size_t i = 0; i < kind->open.count; i++) {
            const struct assembly *g = &kind->open.items[i];
            uint32_t here = 0, absent = 0;
            waiting += g->joined;
            if (found)
                continue;
            while (kind->asked[here] <= kind->begun + i)
                here++;
            while (kind->asked[absent] > kind->begun + i)
                absent++;
            const struct errand *e = &t->errands.items[g->calls[here].a];
            *stall = (struct nadi_memory_stall){
                .actor = e->actor,
                .node = e->node,
                .tier = t->tiers->tiers[kind->tier].name,
                .bytes = e->call.bytes,
                .absent = kind->first_npu + absent,
                .absent_count = kind->npus - g->joined,
            };
            found = true;
        }
    }
    stall->count = waiting;
    return found;
}
