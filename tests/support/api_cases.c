#include "support/api_cases.h"

#include "base/base.h"
#include "base/str.h"
#include "support/api_place.h"
#include "support/capture_write.h"

#include <nadi/collective.h>
#include <nadi/measure.h>
#include <nadi/model.h>
#include <nadi/report.h>
#include <nadi/topo.h>
#include <nadi/trace_edit.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders ------------------------------------------------------------------------------- */

const char *api_in_folder(char path[PATH_BYTES], const char *folder, const char *name)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) >= PATH_BYTES)
        abort();
    return path;
}

void api_cases_clear(const char *folder)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        char path[PATH_BYTES];
        struct stat about;
        if (nadi_str_equal(e->d_name, ".") || nadi_str_equal(e->d_name, ".."))
            continue;
        api_in_folder(path, folder, e->d_name);
        if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
            api_cases_clear(path);
            rmdir(path);
        } else
            unlink(path);
    }
    if (dir)
        closedir(dir);
    mkdir(folder, 0777);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[PATH_BYTES];
    FILE *file = fopen(api_in_folder(path, folder, name), "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* ---- what was said ------------------------------------------------------------------------- */

/* Without lines that tell how fast the machine is. */
static void say_text(const struct api_place *p, const char *text)
{
    char path[PATH_BYTES];
    const int fd = open(api_in_folder(path, p->out, "said"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        const char *speed = strstr(line, " events in ");
        if ((!speed || speed >= line + length) && write(fd, line, length) < 0)
            abort();
        line += length;
    }
    close(fd);
}

bool api_say(const struct api_place *p, char *text)
{
    if (text)
        say_text(p, text);
    nadi_free(text);
    return text != NULL;
}

static void say_messages(const struct api_place *p, const struct nadi_diags *messages)
{
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        const struct nadi_message_view m = nadi_messages_get(messages, i);
        say_text(p, m.code);
        say_text(p, "\n");
        api_say(p, nadi_message_format(messages, i));
    }
}

static bool has_code(const struct nadi_diags *messages, const char *code)
{
    for (size_t i = 0; i < nadi_messages_count(messages); i++)
        if (nadi_str_equal(nadi_messages_get(messages, i).code, code))
            return true;
    return false;
}

enum nadi_status api_end(const struct api_place *p, enum nadi_status status, bool no_text,
                         struct nadi_diags *messages)
{
    if (!messages)
        return NADI_STATUS_LIMIT;
    if (status == NADI_STATUS_DONE && no_text)
        status = has_code(messages, "limit/memory") ? NADI_STATUS_LIMIT : NADI_STATUS_INPUT;
    say_messages(p, messages);
    nadi_messages_destroy(messages);
    return status;
}

/* ---- simulations --------------------------------------------------------------------------- */

static enum nadi_status write_run(const struct api_place *p, struct nadi_job *job)
{
    struct nadi_output output;
    char path[PATH_BYTES];
    nadi_output_init(&output);
    output.folder = api_in_folder(path, p->out, "run");
    output.ops = output.timeline = output.link_usage = output.why = output.five_column = 1;
    const enum nadi_status status = nadi_job_write(job, &output);
    api_say(p, nadi_job_text(job, 1));
    api_say(p, nadi_job_json(job));
    api_say(p, nadi_job_reference_lines(job));
    api_say(p, nadi_jobs_text(&job, 1, 0));
    return status;
}

static enum nadi_status simulate(const struct api_place *p, const char *model, const char *workload,
                                 double scale)
{
    struct nadi_setup setup;
    char files[4][PATH_BYTES];
    nadi_setup_init(&setup);
    setup.workload = api_in_folder(files[0], p->in, workload);
    setup.system = api_in_folder(files[1], p->in, "system.json");
    setup.network = api_in_folder(files[2], p->in, "network.yml");
    setup.memory = api_in_folder(files[3], p->in, "memory.json");
    setup.network_model = model;
    setup.compute_scale = scale;
    struct nadi_job *job = nadi_job_create(&setup);
    enum nadi_status status = job ? nadi_job_load(job) : NADI_STATUS_LIMIT;
    if (status == NADI_STATUS_DONE)
        status = nadi_job_check(job);
    if (status == NADI_STATUS_DONE) {
        nadi_job_keep_ops(job);
        nadi_job_keep_usage(job);
        status = nadi_job_run(job, NULL);
    }
    if (status == NADI_STATUS_DONE)
        status = write_run(p, job);
    say_messages(p, nadi_job_messages(job));
    nadi_job_destroy(job);
    return status;
}

static enum nadi_status run_unaware(const struct api_place *p)
{
    return simulate(p, "unaware", "step.yml", 0.75);
}

static enum nadi_status run_aware(const struct api_place *p)
{
    return simulate(p, "aware", "step", 1);
}

static enum nadi_status run_flow(const struct api_place *p)
{
    return simulate(p, "flow", "step", 1);
}

static enum nadi_status run_packet(const struct api_place *p)
{
    return simulate(p, "packet", "step", 1);
}

static enum nadi_status wrong_inputs(const struct api_place *p)
{
    const enum nadi_status status = simulate(p, "unaware", "nothing", 1);
    return status == NADI_STATUS_INPUT ? NADI_STATUS_DONE : status;
}

static enum nadi_status sensitivity(const struct api_place *p)
{
    struct nadi_setup setup;
    struct nadi_output output;
    char files[4][PATH_BYTES];
    nadi_setup_init(&setup);
    nadi_output_init(&output);
    setup.workload = api_in_folder(files[0], p->in, "step");
    setup.system = api_in_folder(files[1], p->in, "system.json");
    setup.network = api_in_folder(files[2], p->in, "network.yml");
    output.folder = api_in_folder(files[3], p->out, "run");
    output.why = output.sensitivity = 1;
    struct nadi_job *job = nadi_job_create(&setup);
    enum nadi_status status = job ? nadi_job_load(job) : NADI_STATUS_LIMIT;
    if (status == NADI_STATUS_DONE) {
        nadi_job_keep_ops(job);
        status = nadi_job_run(job, NULL);
    }
    if (status == NADI_STATUS_DONE)
        status = nadi_job_write(job, &output);
    say_messages(p, nadi_job_messages(job));
    nadi_job_destroy(job);
    return status;
}

static enum nadi_status flows(const struct api_place *p)
{
    struct nadi_flows_setup setup;
    char files[5][PATH_BYTES];
    nadi_flows_setup_init(&setup);
    setup.flows = api_in_folder(files[0], p->in, "flows.txt");
    setup.topology = api_in_folder(files[1], p->in, "network.yml");
    setup.sampled = 1;
    setup.threads = 2;
    struct nadi_flows *f = nadi_flows_create(&setup);
    enum nadi_status status = f ? nadi_flows_read(f) : NADI_STATUS_LIMIT;
    if (status == NADI_STATUS_DONE)
        status = nadi_flows_run(f, NULL);
    if (status == NADI_STATUS_DONE)
        status = nadi_flows_write_fct(f, api_in_folder(files[2], p->out, "fct.txt"));
    if (status == NADI_STATUS_DONE)
        status = nadi_flows_write_pfc(f, api_in_folder(files[3], p->out, "pfc.txt"));
    if (status == NADI_STATUS_DONE)
        status = nadi_flows_write_folder(f, api_in_folder(files[4], p->out, "flows"));
    api_say(p, nadi_flows_text(f));
    say_messages(p, nadi_flows_messages(f));
    nadi_flows_destroy(f);
    return status;
}

/* ---- runs that are there ------------------------------------------------------------------- */

static enum nadi_status reports(const struct api_place *p)
{
    char run[PATH_BYTES], page[PATH_BYTES];
    const char *const runs[] = {api_in_folder(run, p->in, "run")};
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status =
        nadi_report_page(runs, 1, api_in_folder(page, p->out, "page.html"), m);
    char *text = status ? NULL : nadi_report_summary(run, 0, m);
    char *diff = text ? nadi_report_diff(run, run, 1, m) : NULL;
    char *whole = diff ? nadi_report_runs_json(runs, 1, m) : NULL;
    char *both = whole ? nadi_report_diff_json(run, run, m) : NULL;
    char *table = both ? nadi_query(run, "select * from ranks", "table", m) : NULL;
    char *rows = table ? nadi_query(run, "select 1.5 as x, finish_ns from ranks", "json", m) : NULL;
    const bool none = !rows;
    api_say(p, text);
    api_say(p, diff);
    api_say(p, whole);
    api_say(p, both);
    api_say(p, table);
    api_say(p, rows);
    return api_end(p, status, none, m);
}

/* ---- models, networks, generators ----------------------------------------------------------- */

static enum nadi_status model(const struct api_place *p)
{
    struct nadi_model_setup setup;
    char *texts[4] = {NULL};
    nadi_model_setup_init(&setup);
    setup.model = "gpt2-medium";
    setup.settings = "tp=2 pp=2 dp=2 batch=4 micro-batch=1";
    setup.cluster = "dgx-a100";
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_model_flops(&setup, 1, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_model_kernels(&setup, 0, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_model_memory(&setup, 0, &texts[2], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_model_memory_over_time(&setup, &texts[3], m);
    for (size_t i = 0; i < 4; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}

static enum nadi_status model_step(const struct api_place *p)
{
    struct nadi_model_setup setup;
    struct nadi_model_trace trace;
    struct nadi_setup plain;
    char folder[PATH_BYTES];
    int manifest;
    nadi_setup_init(&plain);
    nadi_model_setup_init(&setup);
    nadi_model_trace_init(&trace);
    setup.model = "gpt2-medium";
    setup.settings = "tp=2 dp=2 batch=2";
    setup.cluster = "dgx-a100";
    trace.folder = api_in_folder(folder, p->out, "model");
    struct nadi_diags *m = nadi_messages_create();
    struct nadi_job *job = nadi_job_create(&plain);
    enum nadi_status status = job ? nadi_model_load(job, &setup) : NADI_STATUS_LIMIT;
    if (status == NADI_STATUS_DONE)
        status = nadi_job_run(job, NULL);
    api_say(p, nadi_model_result(job, 0, 0));
    say_messages(p, nadi_job_messages(job));
    nadi_job_destroy(job);
    if (status == NADI_STATUS_DONE)
        status = nadi_model_trace(&setup, &trace, &manifest, m);
    return api_end(p, status, false, m);
}

static enum nadi_status topo(const struct api_place *p)
{
    static const char *const words[] = {"fat-tree", "k=4"};
    struct nadi_diags *m = nadi_messages_create();
    struct nadi_topo *t = nadi_topo_open(words, 2, "cable=1.25", m);
    const bool none = !t;
    bool all = t && api_say(p, nadi_topo_report(t, 0));
    all = all && api_say(p, nadi_topo_svg(t)) && api_say(p, nadi_topo_file(t));
    nadi_topo_close(t);
    const enum nadi_status status = api_end(p, NADI_STATUS_DONE, none, m);
    return status == NADI_STATUS_DONE && !all ? NADI_STATUS_LIMIT : status;
}

static enum nadi_status generators(const struct api_place *p)
{
    char folders[4][PATH_BYTES];
    struct nadi_collective_traces collective;
    struct nadi_demo demo;
    struct nadi_transformer transformer;
    struct nadi_pattern pattern;
    nadi_collective_traces_init(&collective);
    nadi_demo_init(&demo);
    nadi_transformer_init(&transformer);
    collective.ranks = demo.ranks = 4;
    collective.skew = "zipf";
    collective.kind = "all-to-all";
    collective.compression = "gzip";
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status =
        nadi_generate_collective(&collective, api_in_folder(folders[0], p->out, "collective"), m);
    if (status == NADI_STATUS_DONE)
        status = nadi_generate_demo(&demo, api_in_folder(folders[1], p->out, "demo"), m);
    if (status == NADI_STATUS_DONE)
        status = nadi_generate_transformer(&transformer,
                                           api_in_folder(folders[2], p->out, "transformer"), m);
    if (status == NADI_STATUS_DONE && nadi_pattern_init(&pattern, "pipeline", m))
        status = nadi_generate_pattern(&pattern, api_in_folder(folders[3], p->out, "pattern"), m);
    return api_end(p, status, false, m);
}

static enum nadi_status texts(const struct api_place *p)
{
    int known;
    struct nadi_diags *m = nadi_messages_create();
    bool all = api_say(p, nadi_explain_key("latency", &known));
    all = api_say(p, nadi_explain_key("latensy", &known)) && all;
    all = api_say(p, nadi_explain_json("latency", &known)) && all;
    all = api_say(p, nadi_input_page(0)) && all;
    all = api_say(p, nadi_result_page()) && all;
    all = api_say(p, nadi_model_list(1)) && all;
    all = api_say(p, nadi_repro_list()) && all;
    const struct nadi_trace_show none = {0};
    all = nadi_trace_show(&none, m) == NADI_STATUS_INPUT && all;
    all = api_say(p, nadi_messages_json(m)) && all;
    return api_end(p, all ? NADI_STATUS_DONE : NADI_STATUS_LIMIT, false, m);
}

/* ---- collectives and measurements ----------------------------------------------------------- */

static enum nadi_status collectives(const struct api_place *p)
{
    struct nadi_collective_bench_options bench;
    struct nadi_collective_convert_options convert;
    struct nadi_collective_check_options check;
    char network[PATH_BYTES], algorithm[PATH_BYTES], *texts[3] = {NULL};
    const char *const files[] = {api_in_folder(algorithm, p->out, "algorithm.xml")};
    nadi_collective_bench_options_init(&bench);
    nadi_collective_convert_options_init(&convert);
    nadi_collective_check_options_init(&check);
    bench.network = api_in_folder(network, p->in, "network.yml");
    bench.algorithms = "ring";
    bench.last_bytes = 4096;
    convert.algorithm = "ring";
    convert.kind = "all-reduce";
    convert.members = 4;
    convert.to = algorithm;
    convert.form = "msccl";
    check.files = files;
    check.file_count = 1;
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_collective_bench(&bench, &texts[0], &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_collective_convert_file(&convert, m);
    if (status == NADI_STATUS_DONE)
        status = nadi_collective_check_files(&check, &texts[2], m);
    for (size_t i = 0; i < 3; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}

static enum nadi_status synthesis(const struct api_place *p)
{
    struct nadi_collective_synth_options synth;
    char network[PATH_BYTES], *text = NULL;
    nadi_collective_synth_options_init(&synth);
    synth.topology = api_in_folder(network, p->in, "network.yml");
    synth.kind = "all-gather";
    synth.chunks = synth.tries = 1;
    synth.against = "none";
    struct nadi_diags *m = nadi_messages_create();
    const enum nadi_status status = nadi_collective_synth(&synth, &text, m);
    api_say(p, text);
    return api_end(p, status, false, m);
}

static enum nadi_status measurements(const struct api_place *p)
{
    struct nadi_fit_options fit;
    struct nadi_validate_options validate;
    char log[PATH_BYTES], folder[PATH_BYTES], out[2][PATH_BYTES], *texts[3] = {NULL};
    const char *const logs[] = {api_in_folder(log, p->in, "nccl.log")};
    nadi_fit_options_init(&fit);
    nadi_validate_options_init(&validate);
    fit.logs = logs;
    fit.log_count = 1;
    fit.out = api_in_folder(out[0], p->out, "fitted.yaml");
    fit.plot = api_in_folder(out[1], p->out, "fitted.svg");
    validate.folder = api_in_folder(folder, p->in, "tables");
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_fit_logs(&fit, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_validate_compute_folder(&validate, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_validate_collectives_folder(&validate, &texts[2], m);
    for (size_t i = 0; i < 3; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}

/* ---- inputs --------------------------------------------------------------------------------- */

static void write_captures(const char *folder)
{
    for (int rank = 0; rank < 2; rank++) {
        char name[32], host_path[PATH_BYTES], device_path[PATH_BYTES], document[64];
        struct capture c;
        snprintf(name, sizeof(name), "host.%d.json", rank);
        FILE *host = fopen(api_in_folder(host_path, folder, name), "w");
        snprintf(name, sizeof(name), "device.%d.json", rank);
        FILE *device = fopen(api_in_folder(device_path, folder, name), "w");
        snprintf(document, sizeof(document), "\"distributedInfo\": {\"rank\": %d}, ", rank);
        if (!host || !device)
            abort();
        capture_begin(&c, &(struct capture_form){.document = document}, host, device);
        capture_training(&c, 130);
        capture_end(&c);
        if (fclose(host) != 0 || fclose(device) != 0)
            abort();
    }
}

struct nadi_job *api_cases_job(const char *in)
{
    char step[PATH_BYTES], system[PATH_BYTES], network[PATH_BYTES];
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = api_in_folder(step, in, "step");
    setup.system = api_in_folder(system, in, "system.json");
    setup.network = api_in_folder(network, in, "network.yml");
    return nadi_job_create(&setup);
}

int api_cases_open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

void api_cases_inputs(const char *path)
{
    char in[PATH_BYTES], prefix[PATH_BYTES], tables[PATH_BYTES];
    struct nadi_collective_traces step;
    api_cases_clear(api_in_folder(in, path, "in"));
    api_cases_clear(api_in_folder(tables, in, "tables"));
    nadi_collective_traces_init(&step);
    step.ranks = 4;
    step.bytes = 65536;
    step.repeat = 2;
    step.compute_before_us = 3;
    if (nadi_generate_collective(&step, api_in_folder(prefix, in, "step"), NULL) !=
        NADI_STATUS_DONE)
        abort();
    step.manifest = 1;
    if (nadi_generate_collective(&step, prefix, NULL) != NADI_STATUS_DONE)
        abort();
    step.manifest = 0;
    if (nadi_generate_collective(&step, prefix, NULL) != NADI_STATUS_DONE)
        abort();
    put(in, "system.json",
        "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"local-mem-bw\": 1.5,\n"
        "\"peak-perf\": 0.25, \"active-chunks-per-dimension\": 1,\n"
        "\"preferred-dataset-splits\": 2, \"all-reduce-implementation\": [\"ring\"],\n"
        "\"all-gather-implementation\": [\"ring\"],\n"
        "\"all-to-all-implementation\": [\"direct\"]}\n");
    put(in, "network.yml",
        "topology: [Switch]\nnpus_count: [4]\nbandwidth: [12.5]\nlatency: [500.25]\n");
    put(in, "memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n");
    put(in, "pool.json", "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": 9}\n");
    put(in, "flows.txt", "3\n0 1 3 100 10000 0\n3 1 3 100 10000 0\n0 2 3 100 10000 0.0000015\n");
    put(in, "micro.txt", "MICRO\n1\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1\n");
    put(in, "nccl.log",
        "# nThread 1 nGpus 4 minBytes 1024\n"
        "#  Rank  0 Group 0 Pid 1 on alpha device 0 [0x01] NVIDIA A100-SXM4-80GB\n"
        "#       size   count  type  redop  root   time  algbw  busbw #wrong\n"
        "  1024  256 float sum -1 19.5 0.05 0.08 0\n"
        "  65536  16384 float sum -1 24.25 2.70 4.05 0\n"
        "  4194304  1048576 float sum -1 95.125 44.09 66.14 0\n"
        "  268435456  67108864 float sum -1 1750.5 153.35 230.02 0\n"
        "# Collective test concluded: all_reduce_perf\n");
    put(tables, "a.csv",
        "device_key,b,m,n,k,dtypes,derived_time_us\n"
        "sm_90,1,4096,4096,4096,bf16xbf16->bf16,200.5\n"
        "sm_90,1,4096,4096,4096,INT8,100.25\n");
    write_captures(in);
    const struct api_place place = {in, in}; /* the run that reports are of */
    if (run_unaware(&place) != NADI_STATUS_DONE)
        abort();
}

const struct api_case api_cases[] = {
    {"run_unaware", run_unaware},
    {"run_aware", run_aware},
    {"run_flow", run_flow},
    {"run_packet", run_packet},
    {"wrong_inputs", wrong_inputs},
    {"sensitivity", sensitivity},
    {"flows", flows},
    {"reports", reports},
    {"capture", api_capture},
    {"capture_twice", api_capture_twice},
    {"trace_looks", api_trace_looks},
    {"trace_pictures", api_trace_pictures},
    {"trace_changes", api_trace_changes},
    {"trace_jobs", api_trace_jobs},
    {"model", model},
    {"model_step", model_step},
    {"topo", topo},
    {"generators", generators},
    {"texts", texts},
    {"collectives", collectives},
    {"synthesis", synthesis},
    {"measurements", measurements},
    {"designs", api_designs},
    {"sweeps", api_sweeps},
    {"pools", api_pools},
    {"partitions", api_partitions},
    {"trusted", api_trusted},
    {NULL, NULL},
};
