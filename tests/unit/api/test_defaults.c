/* The public interface: options that are not set are those that the headers promise, whatever was
 * in the memory before. */
#include <nadi/collective.h>
#include <nadi/import.h>
#include <nadi/measure.h>
#include <nadi/model.h>
#include <nadi/nadi.h>
#include <nadi/trace.h>
#include <nadi/trace_edit.h>

#include "base/base.h"

#include <setjmp.h>

#include <cmocka.h>

static void collective_bench_options(void **state)
{
    struct nadi_collective_bench_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_collective_bench_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.network);
    assert_null(o.system);
    assert_null(o.network_model);
    assert_string_equal(o.kinds, "all-reduce");
    assert_null(o.algorithms);
    assert_true(o.first_bytes == 1024);
    assert_true(o.last_bytes == UINT64_C(1) << 30);
    assert_true(o.factor <= 2 && o.factor >= 2);
    assert_true(o.csv == 0);
    assert_null(o.tuner);
}

static void collective_check_options(void **state)
{
    struct nadi_collective_check_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_collective_check_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.files);
    assert_true(o.file_count == 0);
    assert_true(o.bytes == UINT64_C(64) << 20);
    assert_true(o.latency_ns == 1000);
    assert_string_equal(o.bandwidth, "100GB/s");
    assert_null(o.reduction_bandwidth);
    assert_true(o.csv == 0);
}

static void collective_convert_options(void **state)
{
    struct nadi_collective_convert_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_collective_convert_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.from);
    assert_null(o.algorithm);
    assert_null(o.kind);
    assert_true(o.members == 0);
    assert_null(o.to);
    assert_null(o.form);
    assert_true(o.bytes == UINT64_C(64) << 20);
}

static void collective_synth_options(void **state)
{
    struct nadi_collective_synth_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_collective_synth_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.topology);
    assert_string_equal(o.kind, "all-reduce");
    assert_true(o.bytes == UINT64_C(64) << 20);
    assert_true(o.chunks == 0);
    assert_true(o.tries == 0);
    assert_true(o.seed == 1);
    assert_null(o.against);
    assert_null(o.out);
    assert_null(o.form);
    assert_true(o.csv == 0);
}

static void fit_options(void **state)
{
    struct nadi_fit_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_fit_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.logs);
    assert_true(o.log_count == 0);
    assert_null(o.platform);
    assert_null(o.kind);
    assert_null(o.device);
    assert_true(o.ranks == 0);
    assert_true(o.nodes == 0);
    assert_string_equal(o.hold, "none");
    assert_string_equal(o.form, "text");
    assert_null(o.out);
    assert_null(o.plot);
    assert_null(o.page);
}

static void flows_setup(void **state)
{
    struct nadi_flows_setup o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_flows_setup_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.flows);
    assert_null(o.topology);
    assert_null(o.config);
    assert_null(o.cc);
    assert_string_equal(o.network_model, "packet");
    assert_null(o.compat);
    assert_true(o.seed == 0);
    assert_true(o.sampled == 0);
    assert_true(o.sample_ns == 10000);
    assert_true(o.max_rows == 200000);
    assert_true(o.threads == 0);
}

static void trace_link(void **state)
{
    struct nadi_trace_link o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_link_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.host);
    assert_null(o.device);
    assert_null(o.output);
    assert_true(o.rank == NADI_UNKNOWN_RANK);
    assert_true(o.compat == 0);
    assert_true(o.force == 0);
}

static void trace_convert(void **state)
{
    struct nadi_trace_convert o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_convert_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.input);
    assert_null(o.output);
    assert_null(o.groups);
    assert_true(o.compat == 0);
    assert_true(o.resolution_ns == 1000);
}

static void trace_import(void **state)
{
    struct nadi_trace_import o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_import_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.host);
    assert_null(o.device);
    assert_null(o.output);
    assert_string_equal(o.suffix, "");
    assert_null(o.groups);
    assert_null(o.report_json);
    assert_true(o.first_rank == NADI_UNKNOWN_RANK);
    assert_true(o.last_rank == NADI_UNKNOWN_RANK);
    assert_true(o.threads == 0);
    assert_true(o.force == 0);
    assert_true(o.resolution_ns == 1000);
    assert_true(o.compat == 0);
}

static void setup(void **state)
{
    struct nadi_setup o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_setup_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.workload);
    assert_null(o.system);
    assert_null(o.network);
    assert_null(o.memory);
    assert_null(o.groups);
    assert_string_equal(o.network_model, "auto");
    assert_string_equal(o.executor, "auto");
    assert_true(o.queues_per_dim == 1);
    assert_true(o.injection_scale <= 1 && o.injection_scale >= 1);
    assert_true(o.compute_scale <= 1 && o.compute_scale >= 1);
    assert_true(o.comm_scale <= 1 && o.comm_scale >= 1);
    assert_true(o.rendezvous == 0);
    assert_true(o.lenient == 0);
    assert_true(o.compat == 0);
    assert_true(o.max_sim_ns == 0);
    assert_true(o.max_wall_ms == 0);
    assert_null(o.packet_compat);
    assert_null(o.events);
    assert_true(o.samples == 0);
    assert_true(o.seed == 0);
}

static void model_setup(void **state)
{
    struct nadi_model_setup o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_model_setup_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.model);
    assert_null(o.plan);
    assert_null(o.settings);
    assert_null(o.cluster);
}

static void model_trace(void **state)
{
    struct nadi_model_trace o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_model_trace_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.folder);
    assert_true(o.every_rank == 0);
    assert_string_equal(o.compression, "none");
}

static void output(void **state)
{
    struct nadi_output o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_output_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.folder);
    assert_true(o.ops == 0);
    assert_true(o.five_column == 0);
    assert_true(o.timeline == 0);
    assert_true(o.timeline_first_rank == 0);
    assert_true(o.timeline_last_rank == UINT32_MAX);
    assert_true(o.timeline_from_ns == 0);
    assert_true(o.timeline_to_ns == UINT64_MAX);
    assert_string_equal(o.ranks, "auto");
    assert_true(o.link_usage == 0);
    assert_true(o.why == 0);
    assert_true(o.sensitivity == 0);
    assert_null(o.claim);
}

static void watch(void **state)
{
    struct nadi_watch o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_watch_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.context);
    assert_null(o.stop);
}

static void trace_anonymize(void **state)
{
    struct nadi_trace_anonymize o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_anonymize_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_string_equal(o.edit.output, "-");
    assert_true(o.edit.json == 0);
    assert_null(o.key);
    assert_string_equal(o.shapes, "keep");
    assert_null(o.groups);
    assert_null(o.system);
    assert_null(o.network);
    assert_null(o.memory);
}

static void trace_check(void **state)
{
    struct nadi_trace_check o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_check_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.inputs.names);
    assert_true(o.inputs.count == 0);
    assert_null(o.groups);
    assert_true(o.json == 0);
}

static void trace_slice(void **state)
{
    struct nadi_trace_slice o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_slice_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_string_equal(o.edit.output, "-");
    assert_true(o.edit.json == 0);
    assert_null(o.step);
    assert_true(o.first_id == 0);
    assert_true(o.last_id == UINT64_MAX);
    assert_true(o.from_ns == 0);
    assert_true(o.to_ns == UINT64_MAX);
}

static void trace_filter(void **state)
{
    struct nadi_trace_filter o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_filter_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_string_equal(o.edit.output, "-");
    assert_true(o.edit.json == 0);
    assert_null(o.drop);
    assert_null(o.drop_name);
    assert_null(o.keep_name);
}

static void trace_dedup(void **state)
{
    struct nadi_trace_dedup o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_dedup_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_null(o.edit.output);
    assert_true(o.edit.json == 0);
    assert_string_equal(o.same, "all");
    assert_null(o.groups);
}

static void trace_diff(void **state)
{
    struct nadi_trace_diff o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_diff_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.first);
    assert_null(o.second);
    assert_true(o.json == 0);
    assert_true(o.rows == 10);
}

static void trace_from_text(void **state)
{
    struct nadi_trace_from_text o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_from_text_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_string_equal(o.input, "-");
    assert_null(o.output);
    assert_null(o.unit);
    assert_null(o.topology);
    assert_null(o.network);
    assert_true(o.ranks == 0);
    assert_true(o.passes == 1);
    assert_string_equal(o.carry, "auto");
    assert_null(o.compat);
    assert_string_equal(o.compression, "none");
}

static void trace_graph(void **state)
{
    struct nadi_trace_graph o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_graph_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.inputs.names);
    assert_true(o.inputs.count == 0);
    assert_string_equal(o.output, "-");
    assert_null(o.format);
    assert_null(o.pattern);
    assert_null(o.around);
    assert_true(o.distance == 2);
    assert_true(o.expand == 0);
    assert_true(o.most == 100);
    assert_null(o.step);
}

static void trace_info(void **state)
{
    struct nadi_trace_info o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_info_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.inputs.names);
    assert_true(o.inputs.count == 0);
    assert_string_equal(o.format, "text");
    assert_string_equal(o.table, "operators");
    assert_true(o.rows == 15);
}

static void trace_merge(void **state)
{
    struct nadi_trace_merge o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_merge_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_string_equal(o.edit.output, "-");
    assert_true(o.edit.json == 0);
    assert_true(o.most == UINT64_MAX);
}

static void trace_repair(void **state)
{
    struct nadi_trace_repair o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_repair_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.edit.inputs.names);
    assert_true(o.edit.inputs.count == 0);
    assert_string_equal(o.edit.output, "-");
    assert_true(o.edit.json == 0);
}

static void trace_show(void **state)
{
    struct nadi_trace_show o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_show_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_string_equal(o.input, "-");
    assert_string_equal(o.output, "-");
    assert_true(o.jsonizer == 0);
}

static void trace_pack(void **state)
{
    struct nadi_trace_pack o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_pack_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_string_equal(o.input, "-");
    assert_string_equal(o.output, "-");
}

static void trace_timeline(void **state)
{
    struct nadi_trace_timeline o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_trace_timeline_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.inputs.names);
    assert_true(o.inputs.count == 0);
    assert_string_equal(o.output, "-");
    assert_true(o.cycles_per_us <= 1000 && o.cycles_per_us >= 1000);
}

static void validate_options(void **state)
{
    struct nadi_validate_options o;
    (void)state;
    memset(&o, 0xa5, sizeof(o));
    nadi_validate_options_init(&o);
    assert_int_equal(o.size, sizeof(o));
    assert_null(o.folder);
    assert_string_equal(o.form, "text");
    assert_string_equal(o.fit, "none");
    assert_true(o.summary == 0);
    assert_null(o.page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective_bench_options),
        cmocka_unit_test(collective_check_options),
        cmocka_unit_test(collective_convert_options),
        cmocka_unit_test(collective_synth_options),
        cmocka_unit_test(fit_options),
        cmocka_unit_test(flows_setup),
        cmocka_unit_test(trace_link),
        cmocka_unit_test(trace_convert),
        cmocka_unit_test(trace_import),
        cmocka_unit_test(setup),
        cmocka_unit_test(model_setup),
        cmocka_unit_test(model_trace),
        cmocka_unit_test(output),
        cmocka_unit_test(watch),
        cmocka_unit_test(trace_anonymize),
        cmocka_unit_test(trace_check),
        cmocka_unit_test(trace_slice),
        cmocka_unit_test(trace_filter),
        cmocka_unit_test(trace_dedup),
        cmocka_unit_test(trace_diff),
        cmocka_unit_test(trace_from_text),
        cmocka_unit_test(trace_graph),
        cmocka_unit_test(trace_info),
        cmocka_unit_test(trace_merge),
        cmocka_unit_test(trace_repair),
        cmocka_unit_test(trace_show),
        cmocka_unit_test(trace_pack),
        cmocka_unit_test(trace_timeline),
        cmocka_unit_test(validate_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
