/* schema_tables: the schemas by kind. The keys of a file are the rows of a table in
 * schema_<file>.c; to add one, add a row there and read it in the loader (src/sim/load_*.c):
 * documentation and checks follow. */
#include "base/str.h"
#include "settings/schema_flit.h"
#include "settings/schema_loadstore.h"
#include "settings/schema_more.h"
#include "settings/schema_packet.h"

const struct nadi_schema *nadi_schema_of(enum nadi_schema_kind kind)
{
    NADI_ASSERT(kind < NADI_SCHEMA_KINDS);
    static const struct nadi_schema *const schemas[NADI_SCHEMA_KINDS] = {
        [NADI_SCHEMA_SYSTEM] = &nadi_system_schema,
        [NADI_SCHEMA_NETWORK] = &nadi_network_schema,
        [NADI_SCHEMA_MEMORY] = &nadi_memory_schema,
        [NADI_SCHEMA_TIERS] = &nadi_tiers_schema,
        [NADI_SCHEMA_TIER] = &nadi_tier_schema,
        [NADI_SCHEMA_TIER_LINK] = &nadi_tier_link_schema,
        [NADI_SCHEMA_TIER_TRUSTED] = &nadi_tier_trusted_schema,
        [NADI_SCHEMA_TIER_POOL] = &nadi_tier_pool_schema,
        [NADI_SCHEMA_LEVELS] = &nadi_levels_schema,
        [NADI_SCHEMA_LEVEL] = &nadi_level_schema,
        [NADI_SCHEMA_GROUPS] = &nadi_groups_schema,
        [NADI_SCHEMA_CUSTOM_NODES] = &nadi_custom_nodes_schema,
        [NADI_SCHEMA_MANIFEST] = &nadi_manifest_schema,
        [NADI_SCHEMA_MANIFEST_TRACE] = &nadi_manifest_trace_schema,
        [NADI_SCHEMA_MODEL] = &nadi_model_schema,
        [NADI_SCHEMA_PLAN] = &nadi_plan_schema,
        [NADI_SCHEMA_DEVICE] = &nadi_device_schema,
        [NADI_SCHEMA_CLUSTER] = &nadi_cluster_schema,
        [NADI_SCHEMA_PLATFORM] = &nadi_platform_schema,
        [NADI_SCHEMA_PACKET] = &nadi_schema_packet,
        [NADI_SCHEMA_FLIT] = &nadi_schema_flit,
        [NADI_SCHEMA_LOADSTORE] = &nadi_schema_loadstore,
        [NADI_SCHEMA_NETWORK_V1] = &nadi_network_v1_schema,
        [NADI_SCHEMA_GRAPH] = &nadi_graph_schema,
        [NADI_SCHEMA_GRAPH_NODE] = &nadi_graph_node_schema,
        [NADI_SCHEMA_GRAPH_LINK] = &nadi_graph_link_schema,
        [NADI_SCHEMA_GENERATOR] = &nadi_generator_schema,
        [NADI_SCHEMA_EVENTS] = &nadi_events_schema,
        [NADI_SCHEMA_LOOP] = &nadi_loop_schema,
        [NADI_SCHEMA_LOOP_STEP] = &nadi_loop_step_schema,
        [NADI_SCHEMA_EVENTS_LINK] = &nadi_events_link_schema,
        [NADI_SCHEMA_EVENTS_COMPUTE] = &nadi_events_compute_schema,
        [NADI_SCHEMA_EVENTS_START] = &nadi_events_start_schema,
        [NADI_SCHEMA_EVENTS_TRAFFIC] = &nadi_events_traffic_schema,
        [NADI_SCHEMA_COLLECTIVE] = &nadi_collective_schema,
        [NADI_SCHEMA_COLLECTIVE_STEP] = &nadi_collective_step_schema,
        [NADI_SCHEMA_ATTACHED] = &nadi_attached_schema,
        [NADI_SCHEMA_TUNER] = &nadi_tuner_schema,
        [NADI_SCHEMA_TUNER_RULE] = &nadi_tuner_rule_schema,
        [NADI_SCHEMA_CATALOGUE] = &nadi_catalogue_schema,
        [NADI_SCHEMA_CATALOGUE_PART] = &nadi_catalogue_part_schema,
        [NADI_SCHEMA_DIVIDED] = &nadi_divided_schema,
        [NADI_SCHEMA_COMMUNICATORS] = &nadi_communicators_schema,
        [NADI_SCHEMA_SPACE] = &nadi_space_schema,
        [NADI_SCHEMA_SPACE_WORKLOAD] = &nadi_space_workload_schema,
        [NADI_SCHEMA_NET] = &nadi_net_schema,
        [NADI_SCHEMA_NET_LAYER] = &nadi_net_layer_schema,
        [NADI_SCHEMA_LINK] = &nadi_link_schema,
    };
    return schemas[kind];
}

const struct nadi_setting *nadi_schema_find(const struct nadi_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->count; i++)
        if (strcmp(schema->keys[i].name, key) == 0)
            return &schema->keys[i];
    return NULL;
}
