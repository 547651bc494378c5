/* Every argument of the public interface is checked: each member of each struct beyond its range is
 * an error that names the function, the member and what is allowed, and so is what is NULL, out of
 * order, no text, or a struct that nobody has initialised. */
#include "base/str.h"
#include "support/api_cases.h"

#include <nadi/collective.h>
#include <nadi/cost.h>
#include <nadi/fabric.h>
#include <nadi/import.h>
#include <nadi/learned.h>
#include <nadi/measure.h>
#include <nadi/memory.h>
#include <nadi/model.h>
#include <nadi/noc.h>
#include <nadi/optimize.h>
#include <nadi/partition.h>
#include <nadi/report.h>
#include <nadi/search.h>
#include <nadi/sweep.h>
#include <nadi/topo.h>
#include <nadi/trace_edit.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

static const char not_utf8[] = "caf\xe9";

/* Is there an error with this code, whose text has all of these? */
static bool said(const struct nadi_diags *m, const char *code, const char *function,
                 const char *member, const char *more)
{
    for (size_t i = 0; i < nadi_messages_count(m); i++) {
        const struct nadi_message_view v = nadi_messages_get(m, i);
        if (v.level == NADI_LEVEL_ERROR && nadi_str_equal(v.code, code) &&
            strstr(v.text, function) && strstr(v.text, member) && strstr(v.text, more))
            return true;
    }
    return false;
}

/* ---- every member of every struct ------------------------------------------------------------ */

typedef enum nadi_status call_fn(const void *options, struct nadi_diags *messages);

struct subject {
    const char *name, *function;
    void (*init)(void *);
    call_fn *call;
};

static char *report; /* NULL again when a function fails that gives one: */
#define REPORT_TO (report = (char *)1, &report)
static int number;

#define INIT(type)                                                                                 \
    static void init_##type(void *options)                                                         \
    {                                                                                              \
        type##_init(options);                                                                      \
    }
#define REPORT(type, function)                                                                     \
    INIT(type)                                                                                     \
    static enum nadi_status call_##type(const void *options, struct nadi_diags *messages)          \
    {                                                                                              \
        return function(options, REPORT_TO, messages);                                             \
    }
#define PLAIN(type, function)                                                                      \
    INIT(type)                                                                                     \
    static enum nadi_status call_##type(const void *options, struct nadi_diags *messages)          \
    {                                                                                              \
        return function(options, messages);                                                        \
    }
#define TO(type, function)                                                                         \
    INIT(type)                                                                                     \
    static enum nadi_status call_##type(const void *options, struct nadi_diags *messages)          \
    {                                                                                              \
        return function(options, "/nowhere/at/all", messages);                                     \
    }
#define ROW(type, function)                                                                        \
    {                                                                                              \
#type, #function, init_##type, call_##type                                                 \
    }

REPORT(nadi_trace_info, nadi_trace_info)
REPORT(nadi_trace_check, nadi_trace_check)
REPORT(nadi_trace_from_text, nadi_trace_from_text)
REPORT(nadi_trace_slice, nadi_trace_slice)
REPORT(nadi_trace_filter, nadi_trace_filter)
REPORT(nadi_trace_merge, nadi_trace_merge)
REPORT(nadi_trace_repair, nadi_trace_repair)
REPORT(nadi_trace_anonymize, nadi_trace_anonymize)
REPORT(nadi_trace_dedup, nadi_trace_dedup)
REPORT(nadi_trace_learn, nadi_trace_learn)
REPORT(nadi_trace_synth, nadi_trace_synth)
REPORT(nadi_trace_privacy, nadi_trace_privacy)
REPORT(nadi_trace_fidelity, nadi_trace_fidelity)
REPORT(nadi_trace_link, nadi_trace_link)
REPORT(nadi_trace_convert, nadi_trace_convert)
REPORT(nadi_trace_import, nadi_trace_import)
REPORT(nadi_fit_options, nadi_fit_logs)
REPORT(nadi_validate_options, nadi_validate_collectives_folder)
REPORT(nadi_collective_check_options, nadi_collective_check_files)
REPORT(nadi_collective_synth_options, nadi_collective_synth)
REPORT(nadi_fabric_route_options, nadi_fabric_route_flows)
REPORT(nadi_fabric_check_options, nadi_fabric_check_strategies)
REPORT(nadi_fabric_count_options, nadi_fabric_count_switches)
REPORT(nadi_noc_options, nadi_noc_sweep)
REPORT(nadi_bandwidth_options, nadi_optimize_bandwidth)
REPORT(nadi_design_options, nadi_optimize)
REPORT(nadi_partition_options, nadi_partition)
REPORT(nadi_partition_bench_options, nadi_partition_bench)
REPORT(nadi_pool_options, nadi_memory_pool)
REPORT(nadi_trusted_bench_options, nadi_memory_trusted_bench)
REPORT(nadi_memory_bench_options, nadi_memory_bench)
REPORT(nadi_cost_options, nadi_cost)
REPORT(nadi_sweep_options, nadi_sweep_points)
REPORT(nadi_model_search, nadi_model_search_run)
PLAIN(nadi_trace_show, nadi_trace_show)
PLAIN(nadi_trace_pack, nadi_trace_pack)
PLAIN(nadi_trace_graph, nadi_trace_graph)
PLAIN(nadi_trace_timeline, nadi_trace_timeline)
PLAIN(nadi_collective_convert_options, nadi_collective_convert_file)
TO(nadi_collective_traces, nadi_generate_collective)
TO(nadi_demo, nadi_generate_demo)
TO(nadi_transformer, nadi_generate_transformer)
INIT(nadi_collective_bench_options)
INIT(nadi_trace_diff)
INIT(nadi_model_setup)
INIT(nadi_model_trace)
INIT(nadi_setup)
INIT(nadi_flows_setup)

static enum nadi_status call_nadi_collective_bench_options(const void *options,
                                                           struct nadi_diags *messages)
{
    return nadi_collective_bench(options, REPORT_TO, NULL, messages);
}

static enum nadi_status call_nadi_trace_diff(const void *options, struct nadi_diags *messages)
{
    return nadi_trace_diff(options, &number, REPORT_TO, messages);
}

static enum nadi_status call_nadi_model_setup(const void *options, struct nadi_diags *messages)
{
    return nadi_model_flops(options, 0, REPORT_TO, messages);
}

static enum nadi_status call_nadi_model_trace(const void *options, struct nadi_diags *messages)
{
    struct nadi_model_setup setup;
    nadi_model_setup_init(&setup);
    setup.model = "gpt2-medium";
    return nadi_model_trace(&setup, options, NULL, messages);
}

static void init_nadi_pattern(void *options)
{
    assert_int_equal(nadi_pattern_init(options, "ring", NULL), 1);
}

static enum nadi_status call_nadi_pattern(const void *options, struct nadi_diags *messages)
{
    return nadi_generate_pattern(options, "/nowhere/at/all", messages);
}

/* What a job says goes to its own list. */
static struct nadi_job *job;
static struct nadi_flows *flows;

static enum nadi_status call_nadi_setup(const void *options, struct nadi_diags *messages)
{
    (void)messages;
    nadi_job_destroy(job);
    job = nadi_job_create(options);
    assert_non_null(job);
    return nadi_job_load(job);
}

static enum nadi_status call_nadi_flows_setup(const void *options, struct nadi_diags *messages)
{
    (void)messages;
    nadi_flows_destroy(flows);
    flows = nadi_flows_create(options);
    assert_non_null(flows);
    return nadi_flows_read(flows);
}

INIT(nadi_trusted_test_options)

static enum nadi_status call_nadi_trusted_test_options(const void *options,
                                                       struct nadi_diags *messages)
{
    return nadi_memory_trusted_leak(options, REPORT_TO, &number, messages);
}

static const struct subject subjects[] = {
    {"nadi_setup", "nadi_job_create", init_nadi_setup, call_nadi_setup},
    {"nadi_flows_setup", "nadi_flows_create", init_nadi_flows_setup, call_nadi_flows_setup},
    {"nadi_pattern", "nadi_generate_pattern", init_nadi_pattern, call_nadi_pattern},
    ROW(nadi_trace_info, nadi_trace_info),
    ROW(nadi_trace_check, nadi_trace_check),
    ROW(nadi_trace_from_text, nadi_trace_from_text),
    ROW(nadi_trace_slice, nadi_trace_slice),
    ROW(nadi_trace_filter, nadi_trace_filter),
    ROW(nadi_trace_merge, nadi_trace_merge),
    ROW(nadi_trace_repair, nadi_trace_repair),
    ROW(nadi_trace_anonymize, nadi_trace_anonymize),
    ROW(nadi_trace_dedup, nadi_trace_dedup),
    ROW(nadi_trace_learn, nadi_trace_learn),
    ROW(nadi_trace_synth, nadi_trace_synth),
    ROW(nadi_trace_privacy, nadi_trace_privacy),
    ROW(nadi_trace_fidelity, nadi_trace_fidelity),
    ROW(nadi_trace_link, nadi_trace_link),
    ROW(nadi_trace_convert, nadi_trace_convert),
    ROW(nadi_trace_import, nadi_trace_import),
    ROW(nadi_fit_options, nadi_fit_logs),
    ROW(nadi_validate_options, nadi_validate_collectives_folder),
    ROW(nadi_collective_check_options, nadi_collective_check_files),
    ROW(nadi_collective_synth_options, nadi_collective_synth),
    ROW(nadi_fabric_route_options, nadi_fabric_route_flows),
    ROW(nadi_fabric_check_options, nadi_fabric_check_strategies),
    ROW(nadi_fabric_count_options, nadi_fabric_count_switches),
    ROW(nadi_noc_options, nadi_noc_sweep),
    ROW(nadi_bandwidth_options, nadi_optimize_bandwidth),
    ROW(nadi_design_options, nadi_optimize),
    ROW(nadi_partition_options, nadi_partition),
    ROW(nadi_partition_bench_options, nadi_partition_bench),
    ROW(nadi_pool_options, nadi_memory_pool),
    ROW(nadi_trusted_bench_options, nadi_memory_trusted_bench),
    ROW(nadi_memory_bench_options, nadi_memory_bench),
    ROW(nadi_cost_options, nadi_cost),
    ROW(nadi_sweep_options, nadi_sweep_points),
    ROW(nadi_model_search, nadi_model_search_run),
    ROW(nadi_trusted_test_options, nadi_memory_trusted_leak),
    ROW(nadi_trace_show, nadi_trace_show),
    ROW(nadi_trace_pack, nadi_trace_pack),
    ROW(nadi_trace_graph, nadi_trace_graph),
    ROW(nadi_trace_timeline, nadi_trace_timeline),
    ROW(nadi_collective_convert_options, nadi_collective_convert_file),
    ROW(nadi_collective_traces, nadi_generate_collective),
    ROW(nadi_demo, nadi_generate_demo),
    ROW(nadi_transformer, nadi_generate_transformer),
    ROW(nadi_collective_bench_options, nadi_collective_bench),
    ROW(nadi_trace_diff, nadi_trace_diff),
    ROW(nadi_model_setup, nadi_model_flops),
    ROW(nadi_model_trace, nadi_model_trace),
};

static void expect(const struct subject *s, const void *options, const char *code,
                   const char *member, const char *more)
{
    struct nadi_diags *own = nadi_messages_create();
    const enum nadi_status status = s->call(options, own);
    const struct nadi_diags *m = s->call == call_nadi_setup         ? nadi_job_messages(job)
                                 : s->call == call_nadi_flows_setup ? nadi_flows_messages(flows)
                                                                    : own;
    if (status != NADI_STATUS_INPUT || !said(m, code, s->function, member, more))
        fail_msg("%s: %s is not refused with %s (%s); status %d, %s", s->function, member, code,
                 more, (int)status,
                 nadi_messages_count(m) ? nadi_messages_get(m, 0).text : "nothing is said");
    assert_null(report);
    nadi_messages_destroy(own);
}

static void try_text(const struct subject *s, const struct nadi_field *f, char *at, void *options)
{
    const char *text = not_utf8;
    if (f->kind == NADI_FIELD_TEXT) {
        memcpy(at, &text, sizeof(text));
        expect(s, options, "argument/text", f->name, "0xe9");
    }
    if (f->words) {
        text = "no such word";
        memcpy(at, &text, sizeof(text));
        expect(s, options, "argument/word", f->name, f->words[0]);
    }
    if (!f->needed)
        return;
    text = NULL;
    memcpy(at, &text, sizeof(text));
    expect(s, options, "argument/missing", f->name, "NULL");
    text = "";
    memcpy(at, &text, sizeof(text));
    if (f->kind == NADI_FIELD_PATH)
        expect(s, options, "argument/missing", f->name, "empty");
}

static void try_whole(const struct subject *s, const struct nadi_field *f, char *at, void *options)
{
    const bool narrow = f->kind == NADI_FIELD_U32;
    const uint64_t type_most = narrow ? UINT32_MAX : UINT64_MAX;
    const uint64_t beyond[] = {f->least - 1, f->most + 1};
    for (size_t i = 0; i < 2; i++) {
        if (i == 0 ? f->least == 0 : f->most == type_most)
            continue;
        const uint32_t small = (uint32_t)beyond[i];
        if (narrow)
            memcpy(at, &small, sizeof(small));
        else
            memcpy(at, &beyond[i], sizeof(beyond[i]));
        char range[64];
        snprintf(range, sizeof(range), "from %" PRIu64 " to %" PRIu64, f->least, f->most);
        expect(s, options, "argument/range", f->name, range);
    }
}

static void try_real(const struct subject *s, const struct nadi_field *f, char *at, void *options)
{
    const double beyond[] = {NAN, INFINITY, -INFINITY, nextafter(f->least_real, -INFINITY),
                             nextafter(f->most_real, INFINITY)};
    for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++) {
        memcpy(at, &beyond[i], sizeof(double));
        expect(s, options, "argument/range", f->name, "allowed are numbers from");
    }
}

static void try_list(const struct subject *s, const struct nadi_field *f, void *options)
{
    static const char *const hole[] = {"a", NULL};
    const char *const *items = NULL;
    size_t count = 1;
    memcpy((char *)options + f->offset, &items, sizeof(items));
    memcpy((char *)options + f->count_offset, &count, sizeof(count));
    expect(s, options, "argument/missing", f->name, "NULL");
    items = hole;
    count = 2;
    memcpy((char *)options + f->offset, &items, sizeof(items));
    memcpy((char *)options + f->count_offset, &count, sizeof(count));
    expect(s, options, "argument/missing", f->name, "place 1");
}

static size_t size_of(const struct nadi_field *f)
{
    switch (f->kind) {
    case NADI_FIELD_U32:
    case NADI_FIELD_FLAG:
        return 4;
    case NADI_FIELD_TEXT:
    case NADI_FIELD_PATH:
    case NADI_FIELD_TEXTS:
    case NADI_FIELD_PATHS:
    case NADI_FIELD_U64:
    case NADI_FIELD_DOUBLE:
    case NADI_FIELD_HANDLE:
        break;
    }
    return 8;
}

/* A member that no row tells of would be a hole larger than what aligns its neighbours. */
static void test_tables_have_every_member(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects) + 1; i++) {
        const char *name =
            i < sizeof(subjects) / sizeof(*subjects) ? subjects[i].name : "nadi_output";
        bool covered[1024] = {false};
        size_t size, count, hole = 0;
        const struct nadi_field *fields = nadi_struct_fields(name, &size, &count);
        assert_non_null(fields);
        assert_true(size <= sizeof(covered));
        memset(covered, true, sizeof(size_t)); /* the member size */
        for (size_t k = 0; k < count; k++) {
            memset(covered + fields[k].offset, true, size_of(&fields[k]));
            if (fields[k].kind == NADI_FIELD_TEXTS || fields[k].kind == NADI_FIELD_PATHS)
                memset(covered + fields[k].count_offset, true, sizeof(size_t));
        }
        for (size_t at = 0; at < size; at++) {
            hole = covered[at] ? 0 : hole + 1;
            if (hole > 4 || (hole == 4 && at % 8 == 3))
                fail_msg("%s has a member at byte %zu that src/api/structs*.c does not tell of",
                         name, at + 1 - hole);
        }
    }
}

static void test_every_member(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
        const struct subject *s = &subjects[i];
        size_t size, count;
        const struct nadi_field *fields = nadi_struct_fields(s->name, &size, &count);
        if (!fields)
            fail_msg("%s is not listed", s->name);
        for (size_t k = 0; k < count; k++) {
            const struct nadi_field *f = &fields[k];
            char *options = calloc(1, size);
            assert_non_null(options);
            s->init(options);
            size_t said_size;
            memcpy(&said_size, options, sizeof(said_size));
            assert_int_equal(said_size, size);
            assert_true(f->offset + 4 <= size);
            char *at = options + f->offset;
            switch (f->kind) {
            case NADI_FIELD_TEXT:
            case NADI_FIELD_PATH:
                try_text(s, f, at, options);
                break;
            case NADI_FIELD_TEXTS:
            case NADI_FIELD_PATHS:
                try_list(s, f, options);
                break;
            case NADI_FIELD_U32:
            case NADI_FIELD_U64:
                try_whole(s, f, at, options);
                break;
            case NADI_FIELD_DOUBLE:
                try_real(s, f, at, options);
                break;
            case NADI_FIELD_FLAG:
            case NADI_FIELD_HANDLE:
                break;
            }
            free(options);
        }
    }
    nadi_job_destroy(job);
    nadi_flows_destroy(flows);
    job = NULL;
    flows = NULL;
}

/* ---- structs --------------------------------------------------------------------------------- */

static void test_structs_that_are_not_there_or_not_initialised(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        char rest[512];
    } nothing = {0, ""}, huge = {1 << 20, ""};
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
        if (subjects[i].call != call_nadi_setup) /* which may be NULL: all defaults */
            expect(&subjects[i], NULL, "argument/missing", "", "is NULL");
        expect(&subjects[i], &nothing, "argument/size", "", "the size 0; nadi_");
        expect(&subjects[i], &huge, "argument/size", "", "_init sets it");
    }
    nadi_job_destroy(job);
    nadi_flows_destroy(flows);
    job = NULL;
    flows = NULL;
}

/* A program of an older header: what its struct lacks keeps its default. */
static void test_shorter_struct(void **state)
{
    (void)state;
    char work[] = "/tmp/nadi-arguments-XXXXXX", prefix[64];
    assert_non_null(mkdtemp(work));
    snprintf(prefix, sizeof(prefix), "%s/t", work);
    struct nadi_collective_traces *o = malloc(offsetof(struct nadi_collective_traces, repeat));
    struct nadi_collective_traces whole;
    assert_non_null(o);
    nadi_collective_traces_init(&whole);
    whole.size = offsetof(struct nadi_collective_traces, repeat);
    whole.ranks = 2;
    memcpy(o, &whole, whole.size);
    assert_int_equal(nadi_generate_collective(o, prefix, NULL), NADI_STATUS_DONE);
    free(o);
    api_cases_clear(work);
    rmdir(work);
}

/* ---- handles, results and order ------------------------------------------------------------- */

static void test_null_handles_do_nothing(void **state)
{
    (void)state;
    size_t other;
    assert_int_equal(nadi_job_load(NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_run(NULL, NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_write(NULL, NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_model_load(NULL, NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_end_ns(NULL), 0);
    assert_int_equal(nadi_job_rank_count(NULL), 0);
    assert_int_equal(nadi_job_rank(NULL, 7).finish_ns, 0);
    assert_null(nadi_job_text(NULL, 0));
    assert_null(nadi_job_messages(NULL));
    assert_null(nadi_jobs_text(NULL, 2, 0));
    assert_null(nadi_jobs_json(&job, 1));
    assert_null(nadi_jobs_text(&job, 0, 0));
    assert_null(nadi_jobs_text(&job, 1000, 0));
    assert_true(nadi_jobs_factor(&job, 1, &other) <= 0);
    assert_int_equal(nadi_flows_read(NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_flows_run(NULL, NULL), NADI_STATUS_INPUT);
    assert_null(nadi_flows_text(NULL));
    assert_int_equal(nadi_messages_count(NULL), 0);
    assert_string_equal(nadi_messages_get(NULL, 3).code, "argument/range");
    assert_int_equal(nadi_messages_total(NULL, NADI_LEVEL_ERROR), 0);
    assert_null(nadi_message_format(NULL, 0));
    assert_null(nadi_messages_json(NULL));
    assert_null(nadi_topo_open(NULL, 0, NULL, NULL));
    assert_null(nadi_topo_report(NULL, 0));
    assert_null(nadi_explain_key("latency", NULL));
    assert_null(nadi_explain_json("latency", NULL));
    assert_null(nadi_report_runs_json(NULL, 1, NULL));
    assert_null(nadi_report_diff_json("a", NULL, NULL));
    assert_null(nadi_input_page(SIZE_MAX));
    assert_null(nadi_query(NULL, "select 1", "csv", NULL));
    assert_null(nadi_claim_create(NULL, NULL));
    assert_int_equal(nadi_claim_clear(NULL, NULL), NADI_STATUS_INPUT);
    assert_null(nadi_struct_fields("nadi_nothing", NULL, NULL));
    nadi_job_keep_ops(NULL);
    nadi_job_destroy(NULL);
    nadi_flows_destroy(NULL);
    nadi_claim_destroy(NULL);
    nadi_messages_destroy(NULL);
    nadi_topo_close(NULL);
    nadi_free(NULL);
}

static void test_results_must_have_a_place(void **state)
{
    (void)state;
    struct nadi_trace_info info;
    struct nadi_trace_diff diff;
    struct nadi_diags *m = nadi_messages_create();
    nadi_trace_info_init(&info);
    nadi_trace_diff_init(&diff);
    diff.first = diff.second = "x";
    assert_int_equal(nadi_trace_info(&info, NULL, m), NADI_STATUS_INPUT);
    assert_true(said(m, "argument/missing", "nadi_trace_info", "report", "NULL"));
    assert_int_equal(nadi_trace_diff(&diff, NULL, &report, m), NADI_STATUS_INPUT);
    assert_true(said(m, "argument/missing", "nadi_trace_diff", "same", "NULL"));
    nadi_messages_destroy(m);
}

static void test_calls_out_of_order(void **state)
{
    (void)state;
    struct nadi_setup setup;
    struct nadi_output output;
    struct nadi_flows_setup plain;
    nadi_setup_init(&setup);
    nadi_output_init(&output);
    nadi_flows_setup_init(&plain);
    output.folder = "/nowhere/at/all";
    struct nadi_job *j = nadi_job_create(&setup);
    assert_int_equal(nadi_job_run(j, NULL), NADI_STATUS_INPUT);
    assert_true(said(nadi_job_messages(j), "argument/order", "", "loaded", ""));
    assert_int_equal(nadi_job_check(j), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_write(j, &output), NADI_STATUS_INPUT);
    assert_null(nadi_job_text(j, 0));
    assert_null(nadi_job_json(j));
    assert_null(nadi_model_result(j, 0, 0));
    nadi_job_keep_ops(j);
    assert_true(said(nadi_job_messages(j), "argument/order", "", "keep_ops", ""));
    assert_int_equal(nadi_job_end_ns(j), 0);
    nadi_job_destroy(j);
    struct nadi_flows *f = nadi_flows_create(&plain);
    assert_int_equal(nadi_flows_run(f, NULL), NADI_STATUS_INPUT);
    assert_int_equal(nadi_flows_write_fct(f, "/nowhere/at/all"), NADI_STATUS_INPUT);
    assert_null(nadi_flows_text(f));
    nadi_flows_destroy(f);
}

static void test_jobs_run_once(void **state)
{
    (void)state;
    char work[] = "/tmp/nadi-arguments-XXXXXX", in[64];
    assert_non_null(mkdtemp(work));
    api_cases_inputs(work);
    snprintf(in, sizeof(in), "%s/in", work);
    struct nadi_job *j = api_cases_job(in);
    assert_int_equal(nadi_job_load(j), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_load(j), NADI_STATUS_INPUT);
    assert_int_equal(nadi_job_run(j, NULL), NADI_STATUS_DONE);
    assert_int_equal(nadi_job_run(j, NULL), NADI_STATUS_INPUT);
    assert_true(said(nadi_job_messages(j), "argument/order", "", "runs once", ""));
    assert_true(nadi_job_end_ns(j) > 0);
    assert_int_equal(nadi_job_rank(j, nadi_job_rank_count(j)).finish_ns, 0);
    nadi_job_destroy(j);
    api_cases_clear(work);
    rmdir(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_member),
        cmocka_unit_test(test_tables_have_every_member),
        cmocka_unit_test(test_structs_that_are_not_there_or_not_initialised),
        cmocka_unit_test(test_shorter_struct),
        cmocka_unit_test(test_null_handles_do_nothing),
        cmocka_unit_test(test_results_must_have_a_place),
        cmocka_unit_test(test_calls_out_of_order),
        cmocka_unit_test(test_jobs_run_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
