#include "pool/pool.h"

#include <math.h>

const char *nadi_pool_stage_name(enum nadi_pool_stage stage)
{
    static const char *const names[] = {"group", "out-node link", "NPU link"};
    return names[stage];
}

const char *nadi_pool_refusal(const struct nadi_pool *pool)
{
    if (pool->nodes < 1 || pool->npus < 1 || pool->switches < 1 || pool->groups < 1)
        return "a pool has at least one node, NPU, switch and group";
    if (pool->groups % pool->switches)
        return "groups must be a multiple of out-node switches: each has equally many";
    if ((uint64_t)pool->nodes * pool->npus > UINT32_MAX ||
        (uint64_t)pool->nodes * pool->switches > UINT32_MAX)
        return "there are too many NPUs or links";
    if (pool->chunk_bytes < 1)
        return "a chunk has at least one byte";
    for (int s = 0; s < NADI_POOL_STAGES; s++)
        if (!(pool->gbps[s] > 0) || !(pool->latency_ns[s] >= 0))
            return "bandwidths must be more than 0, latencies at least 0";
    return NULL;
}

/* All bytes that leave or reach the groups. */
static uint64_t pool_bytes(const struct nadi_pool *pool, const struct nadi_pool_transfer *x)
{
    return x->shared ? x->bytes : nadi_count_mul(x->bytes, (uint64_t)pool->nodes * pool->npus);
}

static struct nadi_pool_time stages_of(const struct nadi_pool *pool,
                                       const struct nadi_pool_transfer *x)
{
    struct nadi_pool_time t = {0};
    const double round = (double)pool->groups * (double)pool->chunk_bytes;
    const double nodes = x->shared ? 1 : pool->nodes, npus = x->shared ? 1 : pool->npus;
    const double parts[] = {pool->groups, pool->switches * nodes, nodes * npus};
    const uint64_t bytes = pool_bytes(pool, x);
    const uint64_t round_bytes = nadi_count_mul(pool->groups, pool->chunk_bytes);
    t.rounds = bytes / round_bytes + (bytes % round_bytes > 0);
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        t.stage[s] = nadi_time_of_ns(round / parts[s] / pool->gbps[s]);
        if (t.stage[s] > t.stage[t.slowest])
            t.slowest = (enum nadi_pool_stage)s;
    }
    return t;
}

struct nadi_pool_time nadi_pool_form(const struct nadi_pool *pool,
                                     const struct nadi_pool_transfer *x)
{
    struct nadi_pool_time t = stages_of(pool, x);
    if (t.rounds == 0)
        return t;
    for (int s = 0; s < NADI_POOL_STAGES; s++)
        t.total =
            nadi_time_add(nadi_time_add(t.total, nadi_time_of_ns(pool->latency_ns[s])), t.stage[s]);
    t.total = nadi_time_add(t.total, nadi_time_mul(t.stage[t.slowest], t.rounds - 1));
    const uint64_t nodes = x->shared ? pool->nodes : 1, npus = x->shared ? pool->npus : 1;
    t.bytes[NADI_POOL_GROUP] = pool_bytes(pool, x);
    t.bytes[NADI_POOL_OUT] = nadi_count_mul(t.bytes[NADI_POOL_GROUP], nodes);
    t.bytes[NADI_POOL_NPU] = nadi_count_mul(t.bytes[NADI_POOL_OUT], npus);
    for (int s = 0; s < NADI_POOL_STAGES && t.total > 0; s++)
        t.busy[s] = (double)t.stage[s] * (double)t.rounds / (double)t.total;
    return t;
}

uint64_t nadi_pool_events(const struct nadi_pool *pool, const struct nadi_pool_transfer *x)
{
    const uint64_t links = (uint64_t)pool->switches * pool->nodes;
    const uint64_t servers = pool->groups + links + (uint64_t)pool->nodes * pool->npus;
    return nadi_count_mul(2 * servers, stages_of(pool, x).rounds);
}
