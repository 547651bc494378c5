/* flow_repeat: the flow model where what repeats is fast-forwarded. */
#include "base/mem.h"
#include "network/flow_inside.h"

static bool at_rest(const struct flow *f)
{
    if (f->heap.count || f->settling || f->stranded.count || f->worked)
        return false;
    for (uint32_t i = 0; f->sender_free && i < f->fabric.npu_count; i++)
        if (f->sender_free[i] > nadi_engine_now(f->base.engine))
            return false;
    return true;
}

bool nadi_flow_rest_state(struct nadi_network *net, struct nadi_network_counts *state)
{
    const struct flow *f = nadi_flow_self(net);
    double reached;
    uint64_t bits;
    if (!at_rest(f) || !nadi_share_rests(f->share, &reached))
        return false;
    memcpy(&bits, &reached, sizeof(bits));
    NADI_PUSH(state, bits);
    return nadi_fabric_rests(&f->fabric);
}

void nadi_flow_count(struct nadi_network *net, struct nadi_network_counts *counts)
{
    struct flow *f = nadi_flow_self(net);
    for (uint32_t i = 0; i < f->pairs.count; i++) {
        nadi_flow_tell(f, i, f->tallies);
        f->pairs.items[i].messages = 0;
        f->pairs.items[i].bytes = 0;
    }
    nadi_fabric_count(&f->fabric, f->tallies, &f->base.sent, counts);
}

void nadi_flow_repeat(struct nadi_network *net, const uint64_t *then, uint64_t times)
{
    struct flow *f = nadi_flow_self(net);
    struct nadi_network_counts unused = {0};
    nadi_flow_count(net, &unused); /* what pairs have not told yet */
    nadi_mem_free(unused.items);
    nadi_fabric_repeat(&f->fabric, f->tallies, &f->base.sent, then, times);
}
