/* entry_tools: functions that take a struct of options, and what they are told by. */
#include "api/gate.h"
#include "api/inside.h"

/* A struct of options in, a report out. */
struct report_call {
    const void *options;
    char **report;
};

#define REPORT(function, type)                                                                     \
    static const struct nadi_field function##_arguments[] = {                                      \
        NADI_STRUCT(struct report_call, options, type##_struct, 1),                                \
        NADI_RESULT(struct report_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),                     \
        NADI_FIELDS_END,                                                                           \
    };                                                                                             \
    static enum nadi_status function##_work(void *arguments, struct nadi_diags *diags)             \
    {                                                                                              \
        const struct report_call *a = arguments;                                                   \
        return nadi_do_##function(a->options, a->report, diags);                                   \
    }                                                                                              \
    enum nadi_status nadi_##function(const struct type *options, char **report,                    \
                                     struct nadi_diags *messages)                                  \
    {                                                                                              \
        struct report_call a = {options, report};                                                  \
        return nadi_gate_call("nadi_" #function, function##_arguments, &a, function##_work,        \
                              messages);                                                           \
    }

REPORT(trace_info, nadi_trace_info)
REPORT(trace_check, nadi_trace_check)
REPORT(trace_from_text, nadi_trace_from_text)
REPORT(trace_slice, nadi_trace_slice)
REPORT(trace_filter, nadi_trace_filter)
REPORT(trace_merge, nadi_trace_merge)
REPORT(trace_repair, nadi_trace_repair)
REPORT(trace_anonymize, nadi_trace_anonymize)
REPORT(trace_dedup, nadi_trace_dedup)
REPORT(trace_to_param, nadi_trace_to_param)
REPORT(trace_replay, nadi_trace_replay)
REPORT(trace_from_tool, nadi_trace_from_tool)
REPORT(trace_rescale, nadi_trace_rescale)
REPORT(trace_learn, nadi_trace_learn)
REPORT(trace_synth, nadi_trace_synth)
REPORT(trace_privacy, nadi_trace_privacy)
REPORT(trace_fidelity, nadi_trace_fidelity)
REPORT(trace_link, nadi_trace_link)
REPORT(trace_convert, nadi_trace_convert)
REPORT(trace_import, nadi_trace_import)
REPORT(fabric_route_flows, nadi_fabric_route_options)
REPORT(fabric_check_strategies, nadi_fabric_check_options)
REPORT(fabric_count_switches, nadi_fabric_count_options)
REPORT(noc_sweep, nadi_noc_options)
REPORT(systolic_layers, nadi_systolic_options)
REPORT(optimize_bandwidth, nadi_bandwidth_options)
REPORT(memory_pool, nadi_pool_options)
REPORT(memory_trusted_plan, nadi_trusted_bench_options)
REPORT(memory_trusted_bench, nadi_trusted_bench_options)
REPORT(memory_bench, nadi_memory_bench_options)
REPORT(cost, nadi_cost_options)
REPORT(optimize, nadi_design_options)
REPORT(partition, nadi_partition_options)
REPORT(partition_bench, nadi_partition_bench_options)
REPORT(model_search_run, nadi_model_search)
REPORT(fit_logs, nadi_fit_options)
REPORT(fit_kernels, nadi_fit_options)
REPORT(fit_steps, nadi_fit_options)
REPORT(validate_collectives_folder, nadi_validate_options)
REPORT(validate_compute_folder, nadi_validate_options)
REPORT(collective_check_files, nadi_collective_check_options)
REPORT(collective_synth, nadi_collective_synth_options)
REPORT(model_memory_over_time, nadi_model_setup)

/* The same with a count of what is not as it should be. */
struct test_call {
    const void *options;
    char **report;
    int *failed;
};

#define TEST(function, type)                                                                       \
    static const struct nadi_field function##_arguments[] = {                                      \
        NADI_STRUCT(struct test_call, options, type##_struct, 1),                                  \
        NADI_RESULT(struct test_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),                       \
        NADI_RESULT(struct test_call, failed, NADI_ARGUMENT_RESULT_INT, 1),                        \
        NADI_FIELDS_END,                                                                           \
    };                                                                                             \
    static enum nadi_status function##_work(void *arguments, struct nadi_diags *diags)             \
    {                                                                                              \
        const struct test_call *a = arguments;                                                     \
        return nadi_do_##function(a->options, a->report, a->failed, diags);                        \
    }                                                                                              \
    enum nadi_status nadi_##function(const struct type *options, char **report, int *failed,       \
                                     struct nadi_diags *messages)                                  \
    {                                                                                              \
        struct test_call a = {options, report, failed};                                            \
        return nadi_gate_call("nadi_" #function, function##_arguments, &a, function##_work,        \
                              messages);                                                           \
    }

TEST(memory_trusted_attack, nadi_trusted_test_options)
TEST(memory_trusted_leak, nadi_trusted_test_options)

/* A struct of options that also says where the result goes. */
struct plain_call {
    const void *options;
};

#define PLAIN(function, type)                                                                      \
    static const struct nadi_field function##_arguments[] = {                                      \
        NADI_STRUCT(struct plain_call, options, type##_struct, 1),                                 \
        NADI_FIELDS_END,                                                                           \
    };                                                                                             \
    static enum nadi_status function##_work(void *arguments, struct nadi_diags *diags)             \
    {                                                                                              \
        const struct plain_call *a = arguments;                                                    \
        return nadi_do_##function(a->options, diags);                                              \
    }                                                                                              \
    enum nadi_status nadi_##function(const struct type *options, struct nadi_diags *messages)      \
    {                                                                                              \
        struct plain_call a = {options};                                                           \
        return nadi_gate_call("nadi_" #function, function##_arguments, &a, function##_work,        \
                              messages);                                                           \
    }

PLAIN(trace_show, nadi_trace_show)
PLAIN(trace_pack, nadi_trace_pack)
PLAIN(trace_graph, nadi_trace_graph)
PLAIN(trace_timeline, nadi_trace_timeline)
PLAIN(collective_convert_file, nadi_collective_convert_options)

/* A struct of options and where the result goes. */
struct generate_call {
    const void *options;
    const char *path;
};

#define GENERATE(function, type)                                                                   \
    static const struct nadi_field function##_arguments[] = {                                      \
        NADI_STRUCT(struct generate_call, options, type##_struct, 1),                              \
        NADI_PATH(struct generate_call, path, 1),                                                  \
        NADI_FIELDS_END,                                                                           \
    };                                                                                             \
    static enum nadi_status function##_work(void *arguments, struct nadi_diags *diags)             \
    {                                                                                              \
        const struct generate_call *a = arguments;                                                 \
        return nadi_do_##function(a->options, a->path, diags);                                     \
    }                                                                                              \
    enum nadi_status nadi_##function(const struct type *options, const char *path,                 \
                                     struct nadi_diags *messages)                                  \
    {                                                                                              \
        struct generate_call a = {options, path};                                                  \
        return nadi_gate_call("nadi_" #function, function##_arguments, &a, function##_work,        \
                              messages);                                                           \
    }

GENERATE(generate_collective, nadi_collective_traces)
GENERATE(generate_demo, nadi_demo)
GENERATE(generate_transformer, nadi_transformer)
GENERATE(generate_pattern, nadi_pattern)

/* A model, as text or JSON. */
struct model_call {
    const void *options;
    int json;
    char **report;
};

#define MODEL(function)                                                                            \
    static const struct nadi_field function##_arguments[] = {                                      \
        NADI_STRUCT(struct model_call, options, nadi_model_setup_struct, 1),                       \
        NADI_RESULT(struct model_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),                      \
        NADI_FIELDS_END,                                                                           \
    };                                                                                             \
    static enum nadi_status function##_work(void *arguments, struct nadi_diags *diags)             \
    {                                                                                              \
        const struct model_call *a = arguments;                                                    \
        return nadi_do_##function(a->options, a->json, a->report, diags);                          \
    }                                                                                              \
    enum nadi_status nadi_##function(const struct nadi_model_setup *options, int json,             \
                                     char **report, struct nadi_diags *messages)                   \
    {                                                                                              \
        struct model_call a = {options, json, report};                                             \
        return nadi_gate_call("nadi_" #function, function##_arguments, &a, function##_work,        \
                              messages);                                                           \
    }

MODEL(model_flops)
MODEL(model_kernels)
MODEL(model_memory)
MODEL(model_support)

/* --- forms that one function has -----------------------------------------------------------------
 */

struct model_trace_call {
    const struct nadi_model_setup *setup;
    const struct nadi_model_trace *options;
    int *manifest;
};

static const struct nadi_field model_trace_arguments[] = {
    NADI_STRUCT(struct model_trace_call, setup, nadi_model_setup_struct, 1),
    NADI_STRUCT(struct model_trace_call, options, nadi_model_trace_struct, 1),
    NADI_RESULT(struct model_trace_call, manifest, NADI_ARGUMENT_RESULT_INT, 0),
    NADI_FIELDS_END,
};

static enum nadi_status model_trace_work(void *arguments, struct nadi_diags *diags)
{
    const struct model_trace_call *a = arguments;
    return nadi_do_model_trace(a->setup, a->options, a->manifest, diags);
}

enum nadi_status nadi_model_trace(const struct nadi_model_setup *setup,
                                  const struct nadi_model_trace *options, int *manifest,
                                  struct nadi_diags *messages)
{
    struct model_trace_call a = {setup, options, manifest};
    return nadi_gate_call("nadi_model_trace", model_trace_arguments, &a, model_trace_work,
                          messages);
}

struct bench_call {
    const struct nadi_collective_bench_options *options;
    char **report, **plot;
};

static const struct nadi_field bench_arguments[] = {
    NADI_STRUCT(struct bench_call, options, nadi_collective_bench_options_struct, 1),
    NADI_RESULT(struct bench_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
    NADI_RESULT(struct bench_call, plot, NADI_ARGUMENT_RESULT_TEXT, 0),
    NADI_FIELDS_END,
};

static enum nadi_status bench_work(void *arguments, struct nadi_diags *diags)
{
    const struct bench_call *a = arguments;
    return nadi_do_collective_bench(a->options, a->report, a->plot, diags);
}

enum nadi_status nadi_collective_bench(const struct nadi_collective_bench_options *options,
                                       char **report, char **plot, struct nadi_diags *messages)
{
    struct bench_call a = {options, report, plot};
    return nadi_gate_call("nadi_collective_bench", bench_arguments, &a, bench_work, messages);
}

struct trace_diff_call {
    const struct nadi_trace_diff *options;
    int *same;
    char **report;
};

static const struct nadi_field trace_diff_arguments[] = {
    NADI_STRUCT(struct trace_diff_call, options, nadi_trace_diff_struct, 1),
    NADI_RESULT(struct trace_diff_call, same, NADI_ARGUMENT_RESULT_INT, 1),
    NADI_RESULT(struct trace_diff_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
    NADI_FIELDS_END,
};

static enum nadi_status trace_diff_work(void *arguments, struct nadi_diags *diags)
{
    const struct trace_diff_call *a = arguments;
    return nadi_do_trace_diff(a->options, a->same, a->report, diags);
}

enum nadi_status nadi_trace_diff(const struct nadi_trace_diff *options, int *same, char **report,
                                 struct nadi_diags *messages)
{
    struct trace_diff_call a = {options, same, report};
    return nadi_gate_call("nadi_trace_diff", trace_diff_arguments, &a, trace_diff_work, messages);
}

struct training_call {
    const char *folder, *form;
    char **report;
};

static const struct nadi_field training_arguments[] = {
    NADI_PATH(struct training_call, folder, 1),
    NADI_TEXT(struct training_call, form, 1),
    NADI_RESULT(struct training_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
    NADI_FIELDS_END,
};

static enum nadi_status training_work(void *arguments, struct nadi_diags *diags)
{
    const struct training_call *a = arguments;
    return nadi_do_validate_training_runs(a->folder, a->form, a->report, diags);
}

enum nadi_status nadi_validate_training_runs(const char *folder, const char *form, char **report,
                                             struct nadi_diags *messages)
{
    struct training_call a = {folder, form, report};
    return nadi_gate_call("nadi_validate_training_runs", training_arguments, &a, training_work,
                          messages);
}

struct repro_call {
    const char *name, *inputs;
    int json;
    const char *page;
    char **report;
    int *failed;
};

static const struct nadi_field repro_arguments[] = {
    NADI_TEXT(struct repro_call, name, 1),
    NADI_PATH(struct repro_call, inputs, 0),
    NADI_PATH(struct repro_call, page, 0),
    NADI_RESULT(struct repro_call, report, NADI_ARGUMENT_RESULT_TEXT, 1),
    NADI_RESULT(struct repro_call, failed, NADI_ARGUMENT_RESULT_INT, 1),
    NADI_FIELDS_END,
};

static enum nadi_status repro_work(void *arguments, struct nadi_diags *diags)
{
    const struct repro_call *a = arguments;
    return nadi_do_repro(a->name, a->inputs, a->json, a->page, a->report, a->failed, diags);
}

enum nadi_status nadi_repro(const char *name, const char *inputs, int json, char **report,
                            int *failed, struct nadi_diags *messages)
{
    struct repro_call a = {name, inputs, json, NULL, report, failed};
    return nadi_gate_call("nadi_repro", repro_arguments, &a, repro_work, messages);
}

enum nadi_status nadi_repro_page(const char *name, const char *inputs, int json, const char *page,
                                 char **report, int *failed, struct nadi_diags *messages)
{
    struct repro_call a = {name, inputs, json, page, report, failed};
    return nadi_gate_call("nadi_repro_page", repro_arguments, &a, repro_work, messages);
}
