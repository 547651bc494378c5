/* traffic_joint: transfers of all NPUs that see a pool, in its switches.
 *
 * The path is that of all NPUs together. What the switches copy or add up takes a server once,
 * however many of the NPUs it leads to; what each NPU has of its own takes it once for each. */
#include "memory/traffic_inside.h"

static void add(struct nadi_mem_traffic *t, const struct nadi_tier_path *of, bool same)
{
    for (uint32_t i = 0; i < of->count; i++) {
        const uint32_t server = of->servers[i];
        if (t->times[server]++ && same)
            continue;
        NADI_PUSH(&t->wide, server);
    }
}

void nadi_traffic_joint_path(struct nadi_mem_traffic *t, const struct joint_request *j,
                             struct nadi_tier_path *path)
{
    const struct nadi_tiers *tiers = t->setup.tiers;
    const struct nadi_traffic_call *first = &j->calls[0];
    const struct nadi_tier_joint what = {first->from, first->to, j->same};
    const uint64_t bytes = nadi_tiers_joint_bytes(tiers, &what, first->bytes);
    if (!t->times)
        t->times = NADI_ZNEW(uint32_t, t->layout.server_count);
    t->wide.count = 0;
    for (uint32_t i = 0; i < j->count; i++) {
        nadi_tier_path_find(&t->layout, j->calls[i].npu, first->from, first->to, bytes, path);
        add(t, path, j->same);
    }
    path->count = (uint32_t)t->wide.count;
    path->latency_ns += nadi_tiers_joint_lag_ns(tiers, &what);
    for (uint32_t i = 0; i < path->count; i++) {
        const uint32_t server = t->wide.items[i];
        const double rate = t->layout.rate[server] / (j->same ? 1 : t->times[server]);
        if (rate < path->rate) {
            path->rate = rate;
            path->slowest = server;
        }
    }
    for (uint32_t i = 0; i < path->count; i++)
        t->times[t->wide.items[i]] = 0;
}

void nadi_traffic_joint_free(struct nadi_mem_traffic *t, uint32_t joint)
{
    struct joint_request *j = &t->joints.items[joint];
    nadi_mem_free(j->calls);
    j->calls = NULL;
    NADI_POOL_GIVE(&t->joints, next, joint);
}
