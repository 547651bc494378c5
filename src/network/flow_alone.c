/* flow_alone: messages that meet no other on their way, without their events. Their demand is the
 * only one on its links, so that its level is the least of their rates, or its window's limit. */
#include "network/flow_inside.h"

#include <math.h>

double nadi_flow_level_alone(const struct flow *f, const struct nadi_fabric_path *r)
{
    return fmin(r->bytes_per_ns, nadi_flow_limit(f, r));
}

bool nadi_flow_alone(struct nadi_network *net, uint32_t route, uint64_t bytes, nadi_time *wait,
                     nadi_time *takes)
{
    struct flow *f = nadi_flow_self(net);
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, route);
    const uint64_t wire = nadi_flow_on_wire(f, bytes);
    if (r->broken || r->hops == 0 || wire == 0)
        return false;
    *wait = nadi_flow_wait(f, r, wire);
    *takes = nadi_flow_round((double)wire / nadi_flow_level_alone(f, r) * 1e3);
    return !nadi_time_is_never(*wait) && !nadi_time_is_never(*takes);
}

void nadi_flow_count_alone(struct nadi_network *net, uint32_t route, uint64_t bytes,
                           uint64_t messages)
{
    struct flow *f = nadi_flow_self(net);
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, route);
    const uint64_t wire = nadi_count_mul(nadi_flow_on_wire(f, bytes), messages);
    f->base.sent.messages += messages;
    f->base.sent.bytes = nadi_count_add(f->base.sent.bytes, nadi_count_mul(bytes, messages));
    for (uint32_t i = 0; i < r->hops; i++) {
        struct nadi_fabric_tally *l = &f->tallies[r->links[i]];
        l->messages += messages;
        l->bytes = nadi_count_add(l->bytes, wire);
    }
}
