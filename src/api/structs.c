/* structs: what may be set in each struct that callers fill. A range is that of the argument by
 * itself; what depends on others is checked where it is used. */
#include "api/structs.h"

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
    NADI_FLAG(struct nadi_output, layers),
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
    NADI_PATH(struct nadi_trace_from_text, loop, 0),
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

static const struct nadi_field nadi_trace_rescale_members[] = {
    NADI_EDIT(struct nadi_trace_rescale, 1),
    NADI_TEXT(struct nadi_trace_rescale, from, 0),
    NADI_TEXT(struct nadi_trace_rescale, to, 1),
    NADI_TEXT(struct nadi_trace_rescale, roles, 0),
    NADI_TEXT(struct nadi_trace_rescale, attention, 0),
    NADI_REAL(struct nadi_trace_rescale, attention_share, 0, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_rescale, nadi_trace_rescale_init);

static const struct nadi_field nadi_trace_from_tool_members[] = {
    NADI_LIST(struct nadi_trace_from_tool, inputs.names, inputs.count, NADI_FIELD_PATHS, 1),
    NADI_TEXT(struct nadi_trace_from_tool, output, 1),
    NADI_TEXT(struct nadi_trace_from_tool, form, 0),
    NADI_U32(struct nadi_trace_from_tool, ranks, ANY_U32),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_from_tool, nadi_trace_from_tool_init);

static const struct nadi_field nadi_trace_replay_members[] = {
    NADI_LIST(struct nadi_trace_replay, inputs.names, inputs.count, NADI_FIELD_PATHS, 1),
    NADI_PATH(struct nadi_trace_replay, groups, 0),
    NADI_PATH(struct nadi_trace_replay, simulated, 0),
    NADI_PATH(struct nadi_trace_replay, output, 0),
    NADI_U32(struct nadi_trace_replay, repeats, 1, UINT32_MAX),
    NADI_FLAG(struct nadi_trace_replay, compute),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_replay, nadi_trace_replay_init);

static const struct nadi_field nadi_trace_to_param_members[] = {
    NADI_LIST(struct nadi_trace_to_param, inputs.names, inputs.count, NADI_FIELD_PATHS, 1),
    NADI_PATH(struct nadi_trace_to_param, groups, 0),
    NADI_PATH(struct nadi_trace_to_param, output, 1),
    NADI_FIELDS_END,
};
TABLE(nadi_trace_to_param, nadi_trace_to_param_init);

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
    &nadi_systolic_options_struct,
    &nadi_bandwidth_options_struct,
    &nadi_sweep_options_struct,
    &nadi_pool_options_struct,
    &nadi_trusted_bench_options_struct,
    &nadi_trusted_test_options_struct,

    &nadi_memory_bench_options_struct,
    &nadi_cost_options_struct,
    &nadi_design_options_struct,
    &nadi_partition_options_struct,
    &nadi_partition_bench_options_struct,
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
    &nadi_trace_to_param_struct,
    &nadi_trace_replay_struct,
    &nadi_trace_from_tool_struct,
    &nadi_trace_rescale_struct,
    &nadi_trace_diff_struct,
    &nadi_trace_learn_struct,
    &nadi_trace_synth_struct,
    &nadi_trace_privacy_struct,
    &nadi_trace_fidelity_struct,
    NULL,
};
