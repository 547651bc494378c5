/* Any bytes as a memory file of tiers: every pair of tiers has a path, whose time is that alone and
 * whose servers are those of the layout; or at least one error. Text that is a reference's memory
 * file is one; one of levels is read as tiers. */
#include "memory/tiers.h"
#include "support/fuzz_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const struct nadi_tier_layout *l, uint32_t npu, uint32_t from, uint32_t to)
{
    struct nadi_tier_path path;
    double latency;
    nadi_tier_path_find(l, npu, from, to, 12345, &path);
    const double alone = nadi_tiers_alone_ns(l->tiers, from, to, 12345, &latency);
    const double ns = nadi_tier_path_ns(&path);
    NADI_ASSERT(ns >= latency);
    NADI_ASSERT(isfinite(alone) ? fabs(ns - alone) <= 1e-9 * (1 + alone) : !isfinite(ns));
    for (uint32_t i = 0; i < path.count; i++) {
        const struct nadi_tier_server s = nadi_tier_server(l, path.servers[i]);
        NADI_ASSERT(path.servers[i] < l->server_count);
        NADI_ASSERT((s.tier == NADI_NONE) != (s.channel_set == NADI_NONE));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_TIERS, data, size) && in.tiers) {
        struct nadi_tier_layout l;
        uint64_t servers = 0;
        for (uint32_t i = 0; i < in.tiers->tier_count; i++)
            servers += (uint64_t)in.tiers->tiers[i].ports * in.rank_count;
        for (uint32_t i = 0; i < in.tiers->channel_set_count; i++)
            servers += (uint64_t)in.tiers->channel_sets[i].channels * in.rank_count;
        if (servers < 1 << 20) {
            nadi_tier_layout_init(&l, in.tiers);
            for (uint32_t a = 0; a <= in.tiers->tier_count; a++)
                for (uint32_t b = 0; b <= in.tiers->tier_count; b++)
                    if (a != b)
                        check_path(&l, a % in.rank_count, a ? a - 1 : NADI_NONE,
                                   b ? b - 1 : NADI_NONE);
            nadi_tier_layout_release(&l);
        }
    }
    nadi_inputs_release(&in);
    return 0;
}
