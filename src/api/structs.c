/* structs: what may be set in each struct that callers fill. A range is that of the argument by
 * itself; what depends on others is checked where it is used. */
#include "api/argument.h"
#include "api/run_settings.h"

#include <float.h>

#define ANY_U32   0, UINT32_MAX
#define ANY_U64   0, UINT64_MAX
#define REAL_MOST DBL_MAX
#define RANKS     1, INT32_MAX
#define SCALE     0, NADI_MOST_SCALE
#define QUEUES    1, NADI_MOST_QUEUES
#define BYTES     0, (UINT64_C(1) << 62)              /* two of them can be added */
#define TIME      0, ((uint64_t)NADI_TIME_MAX / 1000) /* ns that are a count of picoseconds */

#define TABLE(name_, init_)                                                                        \
    static void init_##name_(void *options)                                                        \
    {                                                                                              \
        init_(options);                                                                            \
    }                                                                                              \
    const struct nadi_struct name_##_struct = {#name_, sizeof(struct name_), init_##name_, #init_, \
                                               name_##_members}

static const struct nadi_field nadi_setup_members[] = {
    NADI_PATH(struct nadi_setup, workload, 0),
    NADI_PATH(struct nadi_setup, system, 0),
    NADI_PATH(struct nadi_setup, network, 0),
    NADI_PATH(struct nadi_setup, memory, 0),
    NADI_PATH(struct nadi_setup, groups, 0),
    NADI_TEXT(struct nadi_setup, network_model, 0),
    NADI_TEXT(struct nadi_setup, executor, 0),
    NADI_U32(struct nadi_setup, queues_per_dim, QUEUES),
    NADI_REAL(struct nadi_setup, injection_scale, SCALE),
    NADI_REAL(struct nadi_setup, compute_scale, SCALE),
    NADI_REAL(struct nadi_setup, comm_scale, SCALE),
    NADI_FLAG(struct nadi_setup, rendezvous),
    NADI_FLAG(struct nadi_setup, lenient),
    NADI_FLAG(struct nadi_setup, compat),
    NADI_U64(struct nadi_setup, max_sim_ns, TIME),
    NADI_U64(struct nadi_setup, max_wall_ms, TIME),
    NADI_TEXT(struct nadi_setup, packet_compat, 0),
    NADI_PATH(struct nadi_setup, events, 0),
    NADI_U32(struct nadi_setup, samples, ANY_U32),
    NADI_U64(struct nadi_setup, seed, ANY_U64),
    NADI_TEXT(struct nadi_setup, mismatch, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_setup, nadi_setup_init);

static const struct nadi_field nadi_watch_members[] = {
    NADI_FIELDS_END,
};
TABLE(nadi_watch, nadi_watch_init);

static const struct nadi_field nadi_output_members[] = {
    NADI_PATH(struct nadi_output, folder, 0),
    {NADI_FIELD(struct nadi_output, claim, NADI_FIELD_HANDLE, 0)},
    NADI_FLAG(struct nadi_output, ops),
    NADI_FLAG(struct nadi_output, five_column),
    NADI_FLAG(struct nadi_output, timeline),
    NADI_U32(struct nadi_output, timeline_first_rank, ANY_U32),
    NADI_U32(struct nadi_output, timeline_last_rank, ANY_U32),
    NADI_U64(struct nadi_output, timeline_from_ns, ANY_U64),
    NADI_U64(struct nadi_output, timeline_to_ns, ANY_U64),
    NADI_TEXT(struct nadi_output, ranks, 0),
    NADI_FLAG(struct nadi_output, link_usage),
    NADI_FLAG(struct nadi_output, why),
    NADI_FLAG(struct nadi_output, sensitivity),
    NADI_FLAG(struct nadi_output, some_timeline),
    NADI_FLAG(struct nadi_output, some_db),
    NADI_FIELDS_END,
};
TABLE(nadi_output, nadi_output_init);

static const struct nadi_field nadi_collective_traces_members[] = {
    NADI_TEXT(struct nadi_collective_traces, kind, 1),
    NADI_U32(struct nadi_collective_traces, ranks, RANKS),
    NADI_U64(struct nadi_collective_traces, bytes, BYTES),
    NADI_U32(struct nadi_collective_traces, repeat, ANY_U32),
    NADI_U64(struct nadi_collective_traces, compute_before_us, TIME),
    NADI_U64(struct nadi_collective_traces, compute_after_us, TIME),
    NADI_TEXT(struct nadi_collective_traces, group, 0),
    NADI_TEXT(struct nadi_collective_traces, compression, 0),
    NADI_FLAG(struct nadi_collective_traces, manifest),
    NADI_TEXT(struct nadi_collective_traces, skew, 0),
    NADI_REAL(struct nadi_collective_traces, skew_by, -REAL_MOST, REAL_MOST),
    NADI_U64(struct nadi_collective_traces, skew_seed, ANY_U64),
    NADI_FIELDS_END,
};
TABLE(nadi_collective_traces, nadi_collective_traces_init);

static const struct nadi_field nadi_demo_members[] = {
    NADI_U32(struct nadi_demo, ranks, ANY_U32),
    NADI_U32(struct nadi_demo, layers, ANY_U32),
    NADI_TEXT(struct nadi_demo, compression, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_demo, nadi_demo_init);

static const struct nadi_field nadi_transformer_members[] = {
    NADI_U32(struct nadi_transformer, tensor, ANY_U32),
    NADI_U32(struct nadi_transformer, data, ANY_U32),
    NADI_U32(struct nadi_transformer, pipeline, ANY_U32),
    NADI_U32(struct nadi_transformer, layers, ANY_U32),
    NADI_U32(struct nadi_transformer, micro_batches, ANY_U32),
    NADI_U32(struct nadi_transformer, width, ANY_U32),
    NADI_U32(struct nadi_transformer, sequence, ANY_U32),
    NADI_U32(struct nadi_transformer, slow_rank, ANY_U32),
    NADI_U32(struct nadi_transformer, slow_by, ANY_U32),
    NADI_FLAG(struct nadi_transformer, files),
    NADI_TEXT(struct nadi_transformer, compression, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_transformer, nadi_transformer_init);

static const struct nadi_field nadi_pattern_members[] = {
    NADI_TEXT(struct nadi_pattern, family, 1),
    NADI_U32(struct nadi_pattern, ranks, ANY_U32),
    NADI_U32(struct nadi_pattern, rounds, ANY_U32),
    NADI_U64(struct nadi_pattern, bytes, BYTES),
    NADI_U64(struct nadi_pattern, compute_ns, TIME),
    NADI_U64(struct nadi_pattern, seed, ANY_U64),
    NADI_U32(struct nadi_pattern, stride, ANY_U32),
    NADI_FLAG(struct nadi_pattern, both_ways),
    NADI_U32(struct nadi_pattern, root, ANY_U32),
    NADI_REAL(struct nadi_pattern, skew, 0, REAL_MOST),
    NADI_TEXT(struct nadi_pattern, overlap, 0),
    NADI_U32(struct nadi_pattern, ahead, ANY_U32),
    NADI_TEXT(struct nadi_pattern, schedule, 0),
    NADI_TEXT(struct nadi_pattern, kinds, 0),
    NADI_TEXT(struct nadi_pattern, sizes, 0),
    NADI_TEXT(struct nadi_pattern, groups, 0),
    NADI_FLAG(struct nadi_pattern, manifest),
    NADI_TEXT(struct nadi_pattern, compression, 0),
    NADI_TEXT(struct nadi_pattern, tier, 0),
    NADI_TEXT(struct nadi_pattern, role, 0),
    NADI_FIELDS_END,
};
/* Its defaults are those of the family: what is missing is filled in with them. */
const struct nadi_struct nadi_pattern_struct = {"nadi_pattern", sizeof(struct nadi_pattern), NULL,
                                                "nadi_pattern_init", nadi_pattern_members};

static const struct nadi_field nadi_flows_setup_members[] = {
    NADI_PATH(struct nadi_flows_setup, flows, 0),
    NADI_PATH(struct nadi_flows_setup, topology, 0),
    NADI_PATH(struct nadi_flows_setup, config, 0),
    NADI_TEXT(struct nadi_flows_setup, cc, 0),
    NADI_TEXT(struct nadi_flows_setup, network_model, 0),
    NADI_TEXT(struct nadi_flows_setup, compat, 0),
    NADI_U64(struct nadi_flows_setup, seed, ANY_U64),
    NADI_FLAG(struct nadi_flows_setup, sampled),
    NADI_U64(struct nadi_flows_setup, sample_ns, TIME),
    NADI_U64(struct nadi_flows_setup, max_rows, ANY_U64),
    NADI_U32(struct nadi_flows_setup, threads, ANY_U32),
    NADI_FIELDS_END,
};
TABLE(nadi_flows_setup, nadi_flows_setup_init);

static const struct nadi_field nadi_collective_bench_options_members[] = {
    NADI_PATH(struct nadi_collective_bench_options, network, 1),
    NADI_PATH(struct nadi_collective_bench_options, system, 0),
    NADI_TEXT(struct nadi_collective_bench_options, network_model, 0),
    NADI_TEXT(struct nadi_collective_bench_options, kinds, 1),
    NADI_TEXT(struct nadi_collective_bench_options, algorithms, 0),
    NADI_U64(struct nadi_collective_bench_options, first_bytes, BYTES),
    NADI_U64(struct nadi_collective_bench_options, last_bytes, BYTES),
    NADI_REAL(struct nadi_collective_bench_options, factor, -REAL_MOST, REAL_MOST),
    NADI_FLAG(struct nadi_collective_bench_options, csv),
    NADI_PATH(struct nadi_collective_bench_options, tuner, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_collective_bench_options, nadi_collective_bench_options_init);

static const struct nadi_field nadi_collective_check_options_members[] = {
    NADI_LIST(struct nadi_collective_check_options, files, file_count, NADI_FIELD_PATHS, 0),
    NADI_U64(struct nadi_collective_check_options, bytes, BYTES),
    NADI_U64(struct nadi_collective_check_options, latency_ns, TIME),
    NADI_TEXT(struct nadi_collective_check_options, bandwidth, 0),
    NADI_TEXT(struct nadi_collective_check_options, reduction_bandwidth, 0),
    NADI_FLAG(struct nadi_collective_check_options, csv),
    NADI_FIELDS_END,
};
TABLE(nadi_collective_check_options, nadi_collective_check_options_init);

static const struct nadi_field nadi_collective_convert_options_members[] = {
    NADI_PATH(struct nadi_collective_convert_options, from, 0),
    NADI_TEXT(struct nadi_collective_convert_options, algorithm, 0),
    NADI_TEXT(struct nadi_collective_convert_options, kind, 0),
    NADI_U32(struct nadi_collective_convert_options, members, ANY_U32),
    NADI_PATH(struct nadi_collective_convert_options, to, 1),
    NADI_TEXT(struct nadi_collective_convert_options, form, 0),
    NADI_U64(struct nadi_collective_convert_options, bytes, BYTES),
    NADI_FIELDS_END,
};
TABLE(nadi_collective_convert_options, nadi_collective_convert_options_init);

static const struct nadi_field nadi_collective_synth_options_members[] = {
    NADI_PATH(struct nadi_collective_synth_options, topology, 1),
    NADI_TEXT(struct nadi_collective_synth_options, kind, 1),
    NADI_U64(struct nadi_collective_synth_options, bytes, BYTES),
    NADI_U32(struct nadi_collective_synth_options, chunks, ANY_U32),
    NADI_U32(struct nadi_collective_synth_options, tries, ANY_U32),
    NADI_U64(struct nadi_collective_synth_options, seed, ANY_U64),
    NADI_TEXT(struct nadi_collective_synth_options, against, 0),
    NADI_PATH(struct nadi_collective_synth_options, out, 0),
    NADI_TEXT(struct nadi_collective_synth_options, form, 0),
    NADI_FLAG(struct nadi_collective_synth_options, csv),
    NADI_FIELDS_END,
};
TABLE(nadi_collective_synth_options, nadi_collective_synth_options_init);

static const struct nadi_field nadi_trace_link_members[] = {
    NADI_PATH(struct nadi_trace_link, host, 1),
    NADI_PATH(struct nadi_trace_link, device, 1),
    NADI_PATH(struct nadi_trace_link, output, 1),
    NADI_U32(struct nadi_trace_link, rank, ANY_U32),
    NADI_FLAG(struct nadi_trace_link, compat),
    NADI_FLAG(struct nadi_trace_link, force),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_link, nadi_trace_link_init);

static const struct nadi_field nadi_trace_convert_members[] = {
    NADI_PATH(struct nadi_trace_convert, input, 1),
    NADI_PATH(struct nadi_trace_convert, output, 1),
    NADI_PATH(struct nadi_trace_convert, groups, 0),
    NADI_FLAG(struct nadi_trace_convert, compat),
    NADI_U64(struct nadi_trace_convert, resolution_ns, ANY_U64),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_convert, nadi_trace_convert_init);

static const struct nadi_field nadi_trace_import_members[] = {
    NADI_PATH(struct nadi_trace_import, host, 0),
    NADI_PATH(struct nadi_trace_import, device, 1),
    NADI_PATH(struct nadi_trace_import, output, 1),
    NADI_TEXT(struct nadi_trace_import, suffix, 0),
    NADI_PATH(struct nadi_trace_import, groups, 0),
    NADI_PATH(struct nadi_trace_import, report_json, 0),
    NADI_U32(struct nadi_trace_import, first_rank, ANY_U32),
    NADI_U32(struct nadi_trace_import, last_rank, ANY_U32),
    NADI_U32(struct nadi_trace_import, threads, ANY_U32),
    NADI_FLAG(struct nadi_trace_import, force),
    NADI_U64(struct nadi_trace_import, resolution_ns, ANY_U64),
    NADI_FLAG(struct nadi_trace_import, compat),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_import, nadi_trace_import_init);

static const struct nadi_field nadi_fabric_route_options_members[] = {
    NADI_U32(struct nadi_fabric_route_options, ports, 2, 1024),
    NADI_U32(struct nadi_fabric_route_options, middle, 1, 16),
    NADI_TEXT(struct nadi_fabric_route_options, flows, 1),
    NADI_TEXT(struct nadi_fabric_route_options, on_conflict, 1),
    NADI_TEXT(struct nadi_fabric_route_options, form, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_route_options, nadi_fabric_route_options_init);

static const struct nadi_field nadi_fabric_check_options_members[] = {
    NADI_TEXT(struct nadi_fabric_check_options, ports, 1),
    NADI_TEXT(struct nadi_fabric_check_options, middle, 1),
    NADI_TEXT(struct nadi_fabric_check_options, placement, 1),
    NADI_TEXT(struct nadi_fabric_check_options, form, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_check_options, nadi_fabric_check_options_init);

static const struct nadi_field nadi_fabric_count_options_members[] = {
    NADI_TEXT(struct nadi_fabric_count_options, ports, 1),
    NADI_TEXT(struct nadi_fabric_count_options, middle, 1),
    NADI_TEXT(struct nadi_fabric_count_options, form, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_fabric_count_options, nadi_fabric_count_options_init);

static const struct nadi_field nadi_noc_options_members[] = {
    NADI_TEXT(struct nadi_noc_options, network, 1),
    NADI_PATH(struct nadi_noc_options, flit, 0),
    NADI_TEXT(struct nadi_noc_options, traffic, 1),
    NADI_TEXT(struct nadi_noc_options, rates, 0),
    NADI_U32(struct nadi_noc_options, packet, 0, 65536),
    NADI_U32(struct nadi_noc_options, hot, 0, INT32_MAX),
    NADI_REAL(struct nadi_noc_options, hot_share, 0, 1),
    NADI_U64(struct nadi_noc_options, warmup, 0, 1000000000000),
    NADI_U64(struct nadi_noc_options, measured, 100, 1000000000000),
    NADI_U64(struct nadi_noc_options, seed, 0, UINT64_MAX),
    NADI_FLAG(struct nadi_noc_options, saturation),
    NADI_TEXT(struct nadi_noc_options, form, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_noc_options, nadi_noc_options_init);

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
    NADI_TEXT(struct nadi_bandwidth_options, goal, 0),
    NADI_TEXT(struct nadi_bandwidth_options, loop, 0),
    NADI_TEXT(struct nadi_bandwidth_options, sweep, 0),
    NADI_REAL(struct nadi_bandwidth_options, budget_gbps, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, most_time_ns, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, least_gbps, 0, REAL_MOST),
    NADI_REAL(struct nadi_bandwidth_options, step_gbps, 0, REAL_MOST),
    NADI_FLAG(struct nadi_bandwidth_options, sum_times),
    NADI_FLAG(struct nadi_bandwidth_options, half_links),
    NADI_FLAG(struct nadi_bandwidth_options, pareto),
    NADI_TEXT(struct nadi_bandwidth_options, form, 0),
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
    NADI_TEXT(struct nadi_pool_options, form, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_pool_options, nadi_pool_options_init);

#define TRUSTED_NS   0, 1e12
#define TRUSTED_GBPS 1e-9, 1e9

static const struct nadi_field nadi_trusted_bench_options_members[] = {
    NADI_U32(struct nadi_trusted_bench_options, pages, 1, 1u << 25),
    NADI_U32(struct nadi_trusted_bench_options, page_bytes, 64, 2u << 20),
    NADI_TEXT(struct nadi_trusted_bench_options, oblivious, 1),
    NADI_TEXT(struct nadi_trusted_bench_options, pattern, 1),
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
    NADI_TEXT(struct nadi_trusted_bench_options, form, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trusted_bench_options, nadi_trusted_bench_options_init);

static const struct nadi_field nadi_trusted_test_options_members[] = {
    NADI_TEXT(struct nadi_trusted_test_options, attacks, 0),
    NADI_TEXT(struct nadi_trusted_test_options, oblivious, 1),
    NADI_U32(struct nadi_trusted_test_options, trials, 100, 1000000),
    NADI_U32(struct nadi_trusted_test_options, accesses, 2, 1000),
    NADI_U64(struct nadi_trusted_test_options, seed, ANY_U64),
    NADI_TEXT(struct nadi_trusted_test_options, form, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trusted_test_options, nadi_trusted_test_options_init);

static const struct nadi_field nadi_memory_bench_options_members[] = {
    NADI_PATH(struct nadi_memory_bench_options, memory, 1),
    NADI_PATH(struct nadi_memory_bench_options, network, 0),
    NADI_TEXT(struct nadi_memory_bench_options, network_model, 0),
    NADI_TEXT(struct nadi_memory_bench_options, npus, 1),
    NADI_TEXT(struct nadi_memory_bench_options, direction, 1),
    NADI_U64(struct nadi_memory_bench_options, first_bytes, BYTES),
    NADI_U64(struct nadi_memory_bench_options, last_bytes, BYTES),
    NADI_REAL(struct nadi_memory_bench_options, factor, -REAL_MOST, REAL_MOST),
    NADI_TEXT(struct nadi_memory_bench_options, form, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_memory_bench_options, nadi_memory_bench_options_init);

static const struct nadi_field nadi_design_options_members[] = {
    NADI_PATH(struct nadi_design_options, space, 1),
    NADI_U32(struct nadi_design_options, simulate, 1, 4096),
    NADI_U32(struct nadi_design_options, top, 1, INT32_MAX),
    NADI_U32(struct nadi_design_options, threads, 0, 4096),
    NADI_FLAG(struct nadi_design_options, pareto),
    NADI_TEXT(struct nadi_design_options, form, 0),
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
    NADI_TEXT(struct nadi_cost_options, form, 0),
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
    NADI_TEXT(struct nadi_model_search, form, 1),
    NADI_PATH(struct nadi_model_search, out, 0),
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
    NADI_PATH(struct nadi_model_setup, model, 1),    NADI_PATH(struct nadi_model_setup, plan, 0),
    NADI_TEXT(struct nadi_model_setup, settings, 0), NADI_PATH(struct nadi_model_setup, cluster, 0),
    NADI_PATH(struct nadi_model_setup, memory, 0),   NADI_FIELDS_END,
};
TABLE(nadi_model_setup, nadi_model_setup_init);

static const struct nadi_field nadi_model_trace_members[] = {
    NADI_PATH(struct nadi_model_trace, folder, 1),
    NADI_FLAG(struct nadi_model_trace, every_rank),
    NADI_TEXT(struct nadi_model_trace, compression, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_model_trace, nadi_model_trace_init);

static const struct nadi_field nadi_trace_info_members[] = {
    NADI_LIST(struct nadi_trace_info, inputs.names, inputs.count, NADI_FIELD_PATHS, 0),
    NADI_TEXT(struct nadi_trace_info, format, 1),
    NADI_TEXT(struct nadi_trace_info, table, 0),
    NADI_U32(struct nadi_trace_info, rows, ANY_U32),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_info, nadi_trace_info_init);

static const struct nadi_field nadi_trace_check_members[] = {
    NADI_LIST(struct nadi_trace_check, inputs.names, inputs.count, NADI_FIELD_PATHS, 0),
    NADI_PATH(struct nadi_trace_check, groups, 0),
    NADI_FLAG(struct nadi_trace_check, json),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_check, nadi_trace_check_init);

static const struct nadi_field nadi_trace_show_members[] = {
    NADI_PATH(struct nadi_trace_show, input, 1),
    NADI_PATH(struct nadi_trace_show, output, 1),
    NADI_FLAG(struct nadi_trace_show, jsonizer),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_show, nadi_trace_show_init);

static const struct nadi_field nadi_trace_pack_members[] = {
    NADI_PATH(struct nadi_trace_pack, input, 1),
    NADI_PATH(struct nadi_trace_pack, output, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_pack, nadi_trace_pack_init);

static const struct nadi_field nadi_trace_graph_members[] = {
    NADI_LIST(struct nadi_trace_graph, inputs.names, inputs.count, NADI_FIELD_PATHS, 0),
    NADI_PATH(struct nadi_trace_graph, output, 1),
    NADI_TEXT(struct nadi_trace_graph, format, 0),
    NADI_TEXT(struct nadi_trace_graph, pattern, 0),
    NADI_TEXT(struct nadi_trace_graph, around, 0),
    NADI_U32(struct nadi_trace_graph, distance, ANY_U32),
    NADI_FLAG(struct nadi_trace_graph, expand),
    NADI_U32(struct nadi_trace_graph, most, ANY_U32),
    NADI_TEXT(struct nadi_trace_graph, step, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_graph, nadi_trace_graph_init);

static const struct nadi_field nadi_trace_timeline_members[] = {
    NADI_LIST(struct nadi_trace_timeline, inputs.names, inputs.count, NADI_FIELD_PATHS, 0),
    NADI_PATH(struct nadi_trace_timeline, output, 1),
    NADI_REAL(struct nadi_trace_timeline, cycles_per_us, 1e-9, 1e15),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_timeline, nadi_trace_timeline_init);

static const struct nadi_field nadi_trace_from_text_members[] = {
    NADI_PATH(struct nadi_trace_from_text, input, 1),
    NADI_PATH(struct nadi_trace_from_text, output, 0),
    NADI_TEXT(struct nadi_trace_from_text, unit, 0),
    NADI_TEXT(struct nadi_trace_from_text, topology, 0),
    NADI_PATH(struct nadi_trace_from_text, network, 0),
    NADI_U32(struct nadi_trace_from_text, ranks, ANY_U32),
    NADI_U32(struct nadi_trace_from_text, passes, ANY_U32),
    NADI_TEXT(struct nadi_trace_from_text, carry, 0),
    NADI_TEXT(struct nadi_trace_from_text, compat, 0),
    NADI_TEXT(struct nadi_trace_from_text, compression, 0),
    NADI_TEXT(struct nadi_trace_from_text, header, 0),
    NADI_TEXT(struct nadi_trace_from_text, dialect, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_from_text, nadi_trace_from_text_init);

#define NADI_EDIT(type, must)                                                                      \
    NADI_LIST(type, edit.inputs.names, edit.inputs.count, NADI_FIELD_PATHS, 0),                    \
        NADI_PATH(type, edit.output, must), NADI_FLAG(type, edit.json)

static const struct nadi_field nadi_trace_slice_members[] = {
    NADI_EDIT(struct nadi_trace_slice, 1),
    NADI_TEXT(struct nadi_trace_slice, step, 0),
    NADI_U64(struct nadi_trace_slice, first_id, ANY_U64),
    NADI_U64(struct nadi_trace_slice, last_id, ANY_U64),
    NADI_U64(struct nadi_trace_slice, from_ns, ANY_U64),
    NADI_U64(struct nadi_trace_slice, to_ns, ANY_U64),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_slice, nadi_trace_slice_init);

static const struct nadi_field nadi_trace_filter_members[] = {
    NADI_EDIT(struct nadi_trace_filter, 1),
    NADI_TEXT(struct nadi_trace_filter, drop, 0),
    NADI_TEXT(struct nadi_trace_filter, drop_name, 0),
    NADI_TEXT(struct nadi_trace_filter, keep_name, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_filter, nadi_trace_filter_init);

static const struct nadi_field nadi_trace_merge_members[] = {
    NADI_EDIT(struct nadi_trace_merge, 1),
    NADI_U64(struct nadi_trace_merge, most, ANY_U64),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_merge, nadi_trace_merge_init);

static const struct nadi_field nadi_trace_repair_members[] = {
    NADI_EDIT(struct nadi_trace_repair, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_repair, nadi_trace_repair_init);

static const struct nadi_field nadi_trace_anonymize_members[] = {
    NADI_EDIT(struct nadi_trace_anonymize, 1),
    NADI_TEXT(struct nadi_trace_anonymize, key, 0),
    NADI_TEXT(struct nadi_trace_anonymize, shapes, 0),
    NADI_PATH(struct nadi_trace_anonymize, groups, 0),
    NADI_PATH(struct nadi_trace_anonymize, system, 0),
    NADI_PATH(struct nadi_trace_anonymize, network, 0),
    NADI_PATH(struct nadi_trace_anonymize, memory, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_anonymize, nadi_trace_anonymize_init);

static const struct nadi_field nadi_trace_dedup_members[] = {
    NADI_EDIT(struct nadi_trace_dedup, 0),
    NADI_TEXT(struct nadi_trace_dedup, same, 0),
    NADI_PATH(struct nadi_trace_dedup, groups, 0),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_dedup, nadi_trace_dedup_init);

static const struct nadi_field nadi_trace_diff_members[] = {
    NADI_PATH(struct nadi_trace_diff, first, 1),
    NADI_PATH(struct nadi_trace_diff, second, 1),
    NADI_FLAG(struct nadi_trace_diff, json),
    NADI_U32(struct nadi_trace_diff, rows, ANY_U32),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_diff, nadi_trace_diff_init);

const struct nadi_struct *const nadi_structs[] = {
    &nadi_setup_struct,
    &nadi_watch_struct,
    &nadi_output_struct,
    &nadi_collective_traces_struct,
    &nadi_demo_struct,
    &nadi_transformer_struct,
    &nadi_pattern_struct,
    &nadi_flows_setup_struct,
    &nadi_collective_bench_options_struct,
    &nadi_collective_check_options_struct,
    &nadi_collective_convert_options_struct,
    &nadi_collective_synth_options_struct,
    &nadi_trace_link_struct,
    &nadi_trace_convert_struct,
    &nadi_trace_import_struct,
    &nadi_fabric_route_options_struct,
    &nadi_fabric_check_options_struct,
    &nadi_fabric_count_options_struct,
    &nadi_noc_options_struct,
    &nadi_bandwidth_options_struct,
    &nadi_sweep_options_struct,
    &nadi_pool_options_struct,
    &nadi_trusted_bench_options_struct,
    &nadi_trusted_test_options_struct,

    &nadi_memory_bench_options_struct,
    &nadi_cost_options_struct,
    &nadi_design_options_struct,
    &nadi_model_search_struct,
    &nadi_fit_options_struct,
    &nadi_validate_options_struct,
    &nadi_model_setup_struct,
    &nadi_model_trace_struct,
    &nadi_trace_info_struct,
    &nadi_trace_check_struct,
    &nadi_trace_show_struct,
    &nadi_trace_pack_struct,
    &nadi_trace_graph_struct,
    &nadi_trace_timeline_struct,
    &nadi_trace_from_text_struct,
    &nadi_trace_slice_struct,
    &nadi_trace_filter_struct,
    &nadi_trace_merge_struct,
    &nadi_trace_repair_struct,
    &nadi_trace_anonymize_struct,
    &nadi_trace_dedup_struct,
    &nadi_trace_diff_struct,
    NULL,
};
