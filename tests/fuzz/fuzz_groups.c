/* Any bytes as a groups file and as a map of custom algorithms: groups of distinct ranks and sorted
 * nodes, or at least one error. */
#include "support/fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_groups(const struct nadi_groups *groups, uint32_t rank_count)
{
    for (size_t i = 1; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        NADI_ASSERT(g->size >= 1 && g->size <= rank_count && g->name[0]);
        NADI_ASSERT(nadi_groups_find(groups, g->name) == i);
        for (uint32_t k = 0; k < g->size; k++) {
            NADI_ASSERT(g->members[k] < rank_count);
            NADI_ASSERT(k == 0 || g->sorted[k] > g->sorted[k - 1]);
            NADI_ASSERT(nadi_group_position(g, g->members[k]) == k);
        }
    }
}

static void check_nodes(const struct nadi_system_config *s)
{
    for (uint32_t i = 0; i < s->custom_node_count; i++) {
        NADI_ASSERT(i == 0 || s->custom_nodes[i].node_id >= s->custom_nodes[i - 1].node_id);
        NADI_ASSERT(s->custom_nodes[i].prefix[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_GROUPS, data, size))
        check_groups(&in.groups, in.rank_count);
    nadi_inputs_release(&in);
    if (fuzz_load(&in, NADI_SCHEMA_CUSTOM_NODES, data, size))
        check_nodes(&in.system);
    nadi_inputs_release(&in);
    return 0;
}
