/* schema_more: the tables of keys, one per file. Private to schema. */
#ifndef NADI_SETTINGS_SCHEMA_MORE_H
#define NADI_SETTINGS_SCHEMA_MORE_H

#include "settings/schema.h"

/* The keys of a schema, from its table. */
#define KEYS(table) .keys = (table), .count = sizeof(table) / sizeof((table)[0])

extern const struct nadi_schema nadi_system_schema;
extern const struct nadi_schema nadi_network_schema;
extern const struct nadi_schema nadi_memory_schema;
extern const struct nadi_schema nadi_tiers_schema;
extern const struct nadi_schema nadi_tier_schema;
extern const struct nadi_schema nadi_tier_link_schema;
extern const struct nadi_schema nadi_tier_trusted_schema;
extern const struct nadi_schema nadi_tier_pool_schema;
extern const struct nadi_schema nadi_levels_schema;
extern const struct nadi_schema nadi_level_schema;
extern const struct nadi_schema nadi_groups_schema;
extern const struct nadi_schema nadi_custom_nodes_schema;
extern const struct nadi_schema nadi_manifest_schema;
extern const struct nadi_schema nadi_manifest_trace_schema;
extern const struct nadi_schema nadi_model_schema;
extern const struct nadi_schema nadi_plan_schema;
extern const struct nadi_schema nadi_device_schema;
extern const struct nadi_schema nadi_cluster_schema;
extern const struct nadi_schema nadi_platform_schema;
extern const struct nadi_schema nadi_network_v1_schema;
extern const struct nadi_schema nadi_graph_schema;
extern const struct nadi_schema nadi_graph_node_schema;
extern const struct nadi_schema nadi_graph_link_schema;
extern const struct nadi_schema nadi_generator_schema;
extern const struct nadi_schema nadi_events_schema;
extern const struct nadi_schema nadi_loop_schema;
extern const struct nadi_schema nadi_loop_step_schema;
extern const struct nadi_schema nadi_events_link_schema;
extern const struct nadi_schema nadi_events_compute_schema;
extern const struct nadi_schema nadi_events_start_schema;
extern const struct nadi_schema nadi_events_traffic_schema;
extern const struct nadi_schema nadi_collective_schema;
extern const struct nadi_schema nadi_collective_step_schema;
extern const struct nadi_schema nadi_attached_schema;
extern const struct nadi_schema nadi_tuner_schema;
extern const struct nadi_schema nadi_tuner_rule_schema;
extern const struct nadi_schema nadi_catalogue_schema;
extern const struct nadi_schema nadi_catalogue_part_schema;
extern const struct nadi_schema nadi_divided_schema;
extern const struct nadi_schema nadi_communicators_schema;
extern const struct nadi_schema nadi_space_schema;
extern const struct nadi_schema nadi_space_workload_schema;
extern const struct nadi_schema nadi_net_schema;
extern const struct nadi_schema nadi_net_layer_schema;
extern const struct nadi_schema nadi_link_schema;

#endif
