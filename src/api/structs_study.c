/* structs_study: the structs of questions about fabrics, memory, designs, models and measurements.
 */
#include "api/structs.h"
#include "api/words.h"

static const struct nadi_field nadi_fabric_route_options_members[] = {
    NADI_U32(struct nadi_fabric_route_options, ports, 2, 1024),
    NADI_U32(struct nadi_fabric_route_options, middle, 1, 16),
    NADI_TEXT(struct nadi_fabric_route_options, flows, 1),
    NADI_TEXT(struct nadi_fabric_route_options, on_conflict, 1),
    NADI_WORD(struct nadi_fabric_route_options, form, NADI_WORDS_FORM_NO_CSV),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_route_options, nadi_fabric_route_options_init);

static const struct nadi_field nadi_fabric_check_options_members[] = {
    NADI_TEXT(struct nadi_fabric_check_options, ports, 1),
    NADI_TEXT(struct nadi_fabric_check_options, middle, 1),
    NADI_TEXT(struct nadi_fabric_check_options, placement, 1),
    NADI_WORD(struct nadi_fabric_check_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_check_options, nadi_fabric_check_options_init);

static const struct nadi_field nadi_fabric_count_options_members[] = {
    NADI_TEXT(struct nadi_fabric_count_options, ports, 1),
    NADI_TEXT(struct nadi_fabric_count_options, middle, 1),
    NADI_WORD(struct nadi_fabric_count_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_count_options, nadi_fabric_count_options_init);

static const struct nadi_field nadi_noc_options_members[] = {
    NADI_TEXT(struct nadi_noc_options, network, 1),
    NADI_PATH(struct nadi_noc_options, flit, 0),
    NADI_PATH(struct nadi_noc_options, energy, 0),
    NADI_WORD(struct nadi_noc_options, traffic, NADI_WORDS_NOC_TRAFFIC),
    NADI_TEXT(struct nadi_noc_options, rates, 0),
    NADI_U32(struct nadi_noc_options, packet, 0, 65536),
    NADI_U32(struct nadi_noc_options, hot, 0, INT32_MAX),
    NADI_REAL(struct nadi_noc_options, hot_share, 0, 1),
    NADI_U64(struct nadi_noc_options, warmup, 0, 1000000000000),
    NADI_U64(struct nadi_noc_options, measured, 100, 1000000000000),
    NADI_U64(struct nadi_noc_options, seed, 0, UINT64_MAX),
    NADI_FLAG(struct nadi_noc_options, saturation),
    NADI_WORD(struct nadi_noc_options, form, NADI_WORDS_FORM_SVG),
    NADI_FIELDS_END,
};
TABLE(nadi_noc_options, nadi_noc_options_init);

static const struct nadi_field nadi_systolic_options_members[] = {
    NADI_PATH(struct nadi_systolic_options, topology, 1),
    NADI_PATH(struct nadi_systolic_options, device, 0),
    NADI_PATH(struct nadi_systolic_options, config, 0),
    NADI_TEXT(struct nadi_systolic_options, array, 0),
    NADI_WORD(struct nadi_systolic_options, dataflow, NADI_WORDS_DATAFLOW),
    NADI_REAL(struct nadi_systolic_options, clock_mhz, 0, 1e6),
    NADI_U32(struct nadi_systolic_options, element_bytes, 1, 16),
    NADI_PATH(struct nadi_systolic_options, workload, 0),
    NADI_WORD(struct nadi_systolic_options, parallelism, NADI_WORDS_PARALLELISM),
    NADI_U32(struct nadi_systolic_options, split, 1, 1 << 24),
    NADI_WORD(struct nadi_systolic_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_systolic_options, nadi_systolic_options_init);

static const struct nadi_field nadi_bandwidth_options_members[] = {
    NADI_PATH(struct nadi_bandwidth_options, network, 1),
    NADI_TEXT(struct nadi_bandwidth_options, workload, 0),
    NADI_PATH(struct nadi_bandwidth_options, model, 0),
    NADI_TEXT(struct nadi_bandwidth_options, settings, 0),
    NADI_PATH(struct nadi_bandwidth_options, cluster, 0),
    NADI_TEXT(struct nadi_bandwidth_options, communicators, 0),
    NADI_PATH(struct nadi_bandwidth_options, prices, 0),
    NADI_TEXT(struct nadi_bandwidth_options, conditions, 0),
    NADI_TEXT(struct nadi_bandwidth_options, weights, 0),
    NADI_WORD(struct nadi_bandwidth_options, goal, NADI_WORDS_BANDWIDTH_GOAL),
    NADI_WORD(struct nadi_bandwidth_options, loop, NADI_WORDS_BANDWIDTH_LOOP),
    NADI_TEXT(struct nadi_bandwidth_options, sweep, 0),
    NADI_REAL(struct nadi_bandwidth_options, budget_gbps, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, most_time_ns, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, least_gbps, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, step_gbps, 0, REAL_MOST),
    NADI_FLAG(struct nadi_bandwidth_options, sum_times),
    NADI_FLAG(struct nadi_bandwidth_options, half_links),
    NADI_FLAG(struct nadi_bandwidth_options, pareto),
    NADI_WORD(struct nadi_bandwidth_options, form, NADI_WORDS_FORM),
    NADI_PATH(struct nadi_bandwidth_options, out, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_bandwidth_options, nadi_bandwidth_options_init);

static const struct nadi_field nadi_pool_options_members[] = {
    NADI_TEXT(struct nadi_pool_options, nodes, 1),
    NADI_TEXT(struct nadi_pool_options, npus, 1),
    NADI_TEXT(struct nadi_pool_options, switches, 1),
    NADI_TEXT(struct nadi_pool_options, groups, 1),
    NADI_TEXT(struct nadi_pool_options, group_bandwidth, 1),
    NADI_TEXT(struct nadi_pool_options, out_bandwidth, 1),
    NADI_TEXT(struct nadi_pool_options, npu_bandwidth, 1),
    NADI_TEXT(struct nadi_pool_options, group_latency, 1),
    NADI_TEXT(struct nadi_pool_options, out_latency, 1),
    NADI_TEXT(struct nadi_pool_options, npu_latency, 1),
    NADI_TEXT(struct nadi_pool_options, chunk, 1),
    NADI_TEXT(struct nadi_pool_options, bytes, 1),
    NADI_TEXT(struct nadi_pool_options, data, 1),
    NADI_TEXT(struct nadi_pool_options, direction, 1),
    NADI_FLAG(struct nadi_pool_options, form_only),
    NADI_WORD(struct nadi_pool_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_pool_options, nadi_pool_options_init);

#define TRUSTED_NS   0, 1e12
#define TRUSTED_GBPS 1e-9, 1e9

static const struct nadi_field nadi_trusted_bench_options_members[] = {
    NADI_U32(struct nadi_trusted_bench_options, pages, 1, 1u << 25),
    NADI_U32(struct nadi_trusted_bench_options, page_bytes, 64, 2u << 20),
    NADI_WORD(struct nadi_trusted_bench_options, oblivious, NADI_WORDS_OBLIVIOUS),
    NADI_WORD(struct nadi_trusted_bench_options, pattern, NADI_WORDS_TRUSTED_PATTERN),
    NADI_U32(struct nadi_trusted_bench_options, threads, 1, 65536),
    NADI_U32(struct nadi_trusted_bench_options, accesses, 1, 100000000),
    NADI_U32(struct nadi_trusted_bench_options, warm_up, 0, 100000000),
    NADI_REAL(struct nadi_trusted_bench_options, write_share, 0, 1),
    NADI_U32(struct nadi_trusted_bench_options, owner_entries, 1, 1u << 25),
    NADI_U32(struct nadi_trusted_bench_options, owner_associativity, 1, 1u << 16),
    NADI_U32(struct nadi_trusted_bench_options, tree_arity, 8, 64),
    NADI_U32(struct nadi_trusted_bench_options, tree_cache, 1, 1u << 24),
    NADI_REAL(struct nadi_trusted_bench_options, dummies, 0, 16),
    NADI_U32(struct nadi_trusted_bench_options, bucket, 1, 16),
    NADI_U32(struct nadi_trusted_bench_options, top_levels, 0, 16),
    NADI_U32(struct nadi_trusted_bench_options, labels, 0, 1u << 19),
    NADI_REAL(struct nadi_trusted_bench_options, request_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, link_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, link_gbps, TRUSTED_GBPS),
    NADI_REAL(struct nadi_trusted_bench_options, hit_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, miss_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, dram_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, dram_gbps, TRUSTED_GBPS),
    NADI_REAL(struct nadi_trusted_bench_options, cipher_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, cipher_gbps, TRUSTED_GBPS),
    NADI_REAL(struct nadi_trusted_bench_options, node_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, oram_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, rdma_ns, TRUSTED_NS),
    NADI_REAL(struct nadi_trusted_bench_options, cpu_cipher_gbps, TRUSTED_GBPS),
    NADI_U64(struct nadi_trusted_bench_options, region_bytes, 1, UINT64_C(1) << 60),
    NADI_U64(struct nadi_trusted_bench_options, seed, ANY_U64),
    NADI_WORD(struct nadi_trusted_bench_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_trusted_bench_options, nadi_trusted_bench_options_init);

static const struct nadi_field nadi_trusted_test_options_members[] = {
    NADI_TEXT(struct nadi_trusted_test_options, attacks, 0),
    NADI_WORD(struct nadi_trusted_test_options, oblivious, NADI_WORDS_OBLIVIOUS),
    NADI_U32(struct nadi_trusted_test_options, trials, 100, 1000000),
    NADI_U32(struct nadi_trusted_test_options, accesses, 2, 1000),
    NADI_U64(struct nadi_trusted_test_options, seed, ANY_U64),
    NADI_WORD(struct nadi_trusted_test_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_trusted_test_options, nadi_trusted_test_options_init);

static const struct nadi_field nadi_memory_bench_options_members[] = {
    NADI_PATH(struct nadi_memory_bench_options, memory, 1),
    NADI_PATH(struct nadi_memory_bench_options, network, 0),
    NADI_TEXT(struct nadi_memory_bench_options, network_model, 0),
    NADI_TEXT(struct nadi_memory_bench_options, npus, 1),
    NADI_WORD(struct nadi_memory_bench_options, direction, NADI_WORDS_DIRECTION),
    NADI_U64(struct nadi_memory_bench_options, first_bytes, BYTES),
    NADI_U64(struct nadi_memory_bench_options, last_bytes, BYTES),
    NADI_REAL(struct nadi_memory_bench_options, factor, -REAL_MOST, REAL_MOST),
    NADI_WORD(struct nadi_memory_bench_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_memory_bench_options, nadi_memory_bench_options_init);

static const struct nadi_field nadi_design_options_members[] = {
    NADI_PATH(struct nadi_design_options, space, 1),
    NADI_U32(struct nadi_design_options, simulate, 1, 4096),
    NADI_U32(struct nadi_design_options, refine, 0, 100000),
    NADI_U32(struct nadi_design_options, top, 1, INT32_MAX),
    NADI_U32(struct nadi_design_options, threads, 0, 4096),
    NADI_FLAG(struct nadi_design_options, pareto),
    NADI_WORD(struct nadi_design_options, form, NADI_WORDS_FORM),
    NADI_PATH(struct nadi_design_options, out, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_design_options, nadi_design_options_init);

static const struct nadi_field nadi_cost_options_members[] = {
    NADI_PATH(struct nadi_cost_options, cluster, 0),
    NADI_PATH(struct nadi_cost_options, network, 0),
    NADI_PATH(struct nadi_cost_options, catalogue, 1),
    NADI_U32(struct nadi_cost_options, ranks, 0, INT32_MAX),
    NADI_TEXT(struct nadi_cost_options, memory, 0),
    NADI_REAL(struct nadi_cost_options, years, 1e-3, 100),
    NADI_REAL(struct nadi_cost_options, electricity, 0, 1000),
    NADI_REAL(struct nadi_cost_options, pue, 1, 100),
    NADI_WORD(struct nadi_cost_options, form, NADI_WORDS_FORM),
    NADI_FIELDS_END,
};
TABLE(nadi_cost_options, nadi_cost_options_init);

static const struct nadi_field nadi_sweep_options_members[] = {
    NADI_PATH(struct nadi_sweep_options, space, 0),
    NADI_LIST(struct nadi_sweep_options, vary, vary_count, NADI_FIELD_TEXTS, 0),
    NADI_LIST(struct nadi_sweep_options, run, run_count, NADI_FIELD_TEXTS, 0),
    NADI_PATH(struct nadi_sweep_options, store, 0),
    NADI_FLAG(struct nadi_sweep_options, resume),
    NADI_U32(struct nadi_sweep_options, threads, ANY_U32),
    NADI_FLAG(struct nadi_sweep_options, mpi),
    NADI_PATH(struct nadi_sweep_options, cache, 0),
    NADI_U64(struct nadi_sweep_options, cache_bytes, ANY_U64),
    NADI_FLAG(struct nadi_sweep_options, one_at_a_time),
    NADI_FIELDS_END,
};
TABLE(nadi_sweep_options, nadi_sweep_options_init);

static const struct nadi_field nadi_model_search_members[] = {
    NADI_TEXT(struct nadi_model_search, model, 1),
    NADI_TEXT(struct nadi_model_search, cluster, 1),
    NADI_PATH(struct nadi_model_search, plan, 0),
    NADI_TEXT(struct nadi_model_search, settings, 0),
    NADI_TEXT(struct nadi_model_search, tries, 0),
    NADI_U32(struct nadi_model_search, ranks, ANY_U32),
    NADI_U64(struct nadi_model_search, batch, ANY_U64),
    NADI_TEXT(struct nadi_model_search, objective, 1),
    NADI_U32(struct nadi_model_search, simulate, ANY_U32),
    NADI_U32(struct nadi_model_search, top, 1, UINT32_MAX),
    NADI_U32(struct nadi_model_search, threads, ANY_U32),
    NADI_TEXT(struct nadi_model_search, network_model, 1),
    NADI_WORD(struct nadi_model_search, form, NADI_WORDS_FORM),
    NADI_PATH(struct nadi_model_search, out, 0),
    NADI_PATH(struct nadi_model_search, memory, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_model_search, nadi_model_search_init);

static const struct nadi_field nadi_fit_options_members[] = {
    NADI_LIST(struct nadi_fit_options, logs, log_count, NADI_FIELD_PATHS, 0),
    NADI_PATH(struct nadi_fit_options, platform, 0),
    NADI_TEXT(struct nadi_fit_options, kind, 0),
    NADI_TEXT(struct nadi_fit_options, device, 0),
    NADI_U32(struct nadi_fit_options, ranks, ANY_U32),
    NADI_U32(struct nadi_fit_options, nodes, ANY_U32),
    NADI_TEXT(struct nadi_fit_options, hold, 0),
    NADI_TEXT(struct nadi_fit_options, form, 0),
    NADI_PATH(struct nadi_fit_options, out, 0),
    NADI_PATH(struct nadi_fit_options, plot, 0),
    NADI_PATH(struct nadi_fit_options, page, 0),
    NADI_U32(struct nadi_fit_options, domain, ANY_U32),
    NADI_FIELDS_END,
};
TABLE(nadi_fit_options, nadi_fit_options_init);

static const struct nadi_field nadi_validate_options_members[] = {
    NADI_PATH(struct nadi_validate_options, folder, 1),
    NADI_TEXT(struct nadi_validate_options, form, 0),
    NADI_TEXT(struct nadi_validate_options, fit, 0),
    NADI_FLAG(struct nadi_validate_options, summary),
    NADI_PATH(struct nadi_validate_options, page, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_validate_options, nadi_validate_options_init);

static const struct nadi_field nadi_model_setup_members[] = {
    NADI_PATH(struct nadi_model_setup, model, 1),
    NADI_PATH(struct nadi_model_setup, plan, 0),
    NADI_TEXT(struct nadi_model_setup, settings, 0),
    NADI_PATH(struct nadi_model_setup, cluster, 0),
    NADI_PATH(struct nadi_model_setup, memory, 0),
    NADI_FLAG(struct nadi_model_setup, by_layer),
    NADI_FIELDS_END,
};
TABLE(nadi_model_setup, nadi_model_setup_init);

static const struct nadi_field nadi_model_trace_members[] = {
    NADI_PATH(struct nadi_model_trace, folder, 1),
    NADI_FLAG(struct nadi_model_trace, every_rank),
    NADI_TEXT(struct nadi_model_trace, compression, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_model_trace, nadi_model_trace_init);

static const struct nadi_field nadi_partition_options_members[] = {
    NADI_PATH(struct nadi_partition_options, model, 1),
    NADI_PATH(struct nadi_partition_options, description, 0),
    NADI_PATH(struct nadi_partition_options, data, 0),
    NADI_WORD(struct nadi_partition_options, inputs, NADI_WORDS_PARTITION_INPUTS),
    NADI_WORD(struct nadi_partition_options, cost, NADI_WORDS_PARTITION_COST),
    NADI_TEXT(struct nadi_partition_options, capacity, 0),
    NADI_U32(struct nadi_partition_options, workers, 2, 1024),
    NADI_U32(struct nadi_partition_options, element_bytes, 1, 8),
    NADI_U32(struct nadi_partition_options, rounds, 1, 100),
    NADI_U32(struct nadi_partition_options, threads, 0, 4096),
    NADI_REAL(struct nadi_partition_options, mu, 0, REAL_MOST),
    NADI_REAL(struct nadi_partition_options, lambda, 0, REAL_MOST),
    NADI_REAL(struct nadi_partition_options, accuracy_loss, -1, 1),
    NADI_FLAG(struct nadi_partition_options, diagonal),
    NADI_U32(struct nadi_partition_options, batch, 1, 1 << 20),
    NADI_REAL(struct nadi_partition_options, gmacs_per_s, 1e-9, 1e9),
    NADI_TEXT(struct nadi_partition_options, networks, 0),
    NADI_WORD(struct nadi_partition_options, network_model, NADI_WORDS_NETWORK_MODEL),
    NADI_WORD(struct nadi_partition_options, form, NADI_WORDS_FORM),
    NADI_PATH(struct nadi_partition_options, out, 0),
    NADI_WORD(struct nadi_partition_options, graph, NADI_WORDS_PARTITION_GRAPH),
    NADI_FIELDS_END,
};
TABLE(nadi_partition_options, nadi_partition_options_init);

static const struct nadi_field nadi_partition_bench_options_members[] = {
    NADI_TEXT(struct nadi_partition_bench_options, nets, 1),
    NADI_TEXT(struct nadi_partition_bench_options, workers, 1),
    NADI_REAL(struct nadi_partition_bench_options, accuracy_loss, 0, 1),
    NADI_U64(struct nadi_partition_bench_options, seed, ANY_U64),
    NADI_WORD(struct nadi_partition_bench_options, form, NADI_WORDS_FORM),
    NADI_PATH(struct nadi_partition_bench_options, out, 0),
    NADI_WORD(struct nadi_partition_bench_options, graph, NADI_WORDS_PARTITION_GRAPH),
    NADI_FIELDS_END,
};
TABLE(nadi_partition_bench_options, nadi_partition_bench_options_init);
