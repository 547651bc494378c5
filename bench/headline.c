/* headline: the whole program against the reference's measured figures (ASTRA-sim 2.x, stock build,
 * a machine with 2 cores of which one is used). Writes the inputs, runs `nadi` as a child process,
 * and prints the best of three wall times and the largest memory; the finish time is checked where
 * it is known. */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 3 };

/* A real training trace lies beside the checkout where a developer has it. */
#define TRACE_CASE NADI_SHARED_DIR "/conformance/cases/transformer-gpt64_dp4tp4pp4_unaware_64"
#define TRACE      NADI_SHARED_DIR "/traces/transformer/gpt64_dp4tp4pp4"

struct scenario {
    const char *name;
    const char *model;
    const char *network;
    const char *algorithms; /* one a dimension */
    const char *ranks;
    uint32_t chunks;
    uint64_t finish_ns; /* 0: not known */
    double reference_s, reference_mb;
};

static const struct scenario scenarios[] = {
    {
        .name = "ring of 1,024, ring, 4 chunks, unaware",
        .model = "unaware",
        .network = "topology: [Ring]\nnpus_count: [1024]\nbandwidth: [200]\nlatency: [500]\n",
        .algorithms = "\"ring\"",
        .ranks = "1024",
        .chunks = 4,
        .reference_s = 10.99,
        .reference_mb = 365,
    },
    {
        .name = "4 dimensions, 4,096 ranks, 64 chunks, unaware",
        .model = "unaware",
        .network = "topology: [Ring, FullyConnected, Ring, Switch]\nnpus_count: [2, 8, 8, 32]\n"
                   "bandwidth: [250, 200, 100, 50]\nlatency: [50, 50, 500, 1000]\n",
        .algorithms = "\"ring\", \"direct\", \"ring\", \"halvingDoubling\"",
        .ranks = "4096",
        .chunks = 64,
        .finish_ns = 1334856,
        .reference_s = 129.6,
        .reference_mb = 873,
    },
    {
        .name = "ring of 256, ring, 4 chunks, aware",
        .model = "aware",
        .network = "topology: [Ring]\nnpus_count: [256]\nbandwidth: [200]\nlatency: [500]\n",
        .algorithms = "\"ring\"",
        .ranks = "256",
        .chunks = 4,
        .finish_ns = 2207320,
        .reference_s = 0.62,
        .reference_mb = 37,
    },
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "headline: %s\n", what);
    exit(1);
}

static void write_text(const char *path, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_file_write(path, text, strlen(text), &diags))
        fail("cannot write the inputs");
    nadi_diags_release(&diags);
}

/* Runs the program with its standard output in out.json; returns its exit code. */
static int run(char *const *words, double *wall_s, double *peak_mb)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0)
        fail("cannot fork");
    if (child == 0) {
        int out = open("out.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
            _exit(127);
        execv(words[0], words);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child)
        fail("lost the child process");
    clock_gettime(CLOCK_MONOTONIC, &end);
    *wall_s = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    *peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static uint64_t finish_of_last_run(void)
{
    struct nadi_diags diags;
    char *text = NULL;
    size_t bytes;
    nadi_diags_init(&diags);
    if (!nadi_file_read("out.json", "result", &text, &bytes, &diags))
        fail("no result");
    static const char key[] = "\"end_to_end_ns\": ";
    const char *at = strstr(text, key);
    const uint64_t finish = at ? strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return finish;
}

static void write_inputs(const struct scenario *s, char *program)
{
    struct nadi_str system = NADI_STR_INIT;
    nadi_str_printf(&system,
                    "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                    " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": %" PRIu32
                    ",\n \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600,\n"
                    " \"all-reduce-implementation\": [%s]}\n",
                    s->chunks, s->algorithms);
    write_text("system.json", nadi_str_get(&system));
    write_text("network.yml", s->network);
    nadi_str_release(&system);
    struct nadi_str ranks = NADI_STR_INIT;
    nadi_str_add(&ranks, s->ranks);
    static char words[][16] = {"gen",     "collective", "--kind", "all-reduce", "--ranks",
                               "--bytes", "100MiB",     "-o",     "trace"};
    char *const arguments[] = {program,    words[0], words[1], words[2], words[3], words[4],
                               ranks.text, words[5], words[6], words[7], words[8], NULL};
    double wall_s, peak_mb;
    if (run(arguments, &wall_s, &peak_mb) != 0)
        fail("nadi gen failed");
    nadi_str_release(&ranks);
}

/* The best of some runs of words[0], which must succeed; prints the row. */
static bool measure(const struct scenario *s, char *const *words)
{
    double best_s = 1e9, peak_mb = 0;
    for (int i = 0; i < RUNS; i++) {
        double wall_s, mb;
        if (run(words, &wall_s, &mb) != 0)
            fail("nadi run failed");
        best_s = wall_s < best_s ? wall_s : best_s;
        peak_mb = mb > peak_mb ? mb : peak_mb;
    }
    const uint64_t finish = finish_of_last_run();
    const bool right = !s->finish_ns || finish == s->finish_ns;
    printf("%-48s %9.2f %6.0f %9.3f %6.0f %8.1fx %12" PRIu64 "%s\n", s->name, s->reference_s,
           s->reference_mb, best_s, peak_mb, s->reference_s / best_s, finish,
           right ? "" : "  WRONG");
    fflush(stdout);
    return right;
}

static bool measure_collective(const struct scenario *s, char *program)
{
    write_inputs(s, program);
    static char words[][20] = {"run",         "--workload", "trace",          "--system",
                               "system.json", "--network",  "network.yml",    "--quiet",
                               "--format",    "json",       "--network-model"};
    struct nadi_str model = NADI_STR_INIT;
    nadi_str_add(&model, s->model);
    char *const arguments[] = {program,  words[0],  words[1],   words[2], words[3],
                               words[4], words[5],  words[6],   words[7], words[8],
                               words[9], words[10], model.text, NULL};
    const bool right = measure(s, arguments);
    nadi_str_release(&model);
    return right;
}

static bool measure_trace(char *program)
{
    static const struct scenario about = {
        .name = "GPT trace of 64 ranks, switch of 64, unaware",
        .reference_s = 5.8,
        .reference_mb = 150,
    };
    static char words[][12] = {"run",      "--workload", "--system", "--network", "--groups",
                               "--memory", "--quiet",    "--format", "json"};
    static char workload[] = TRACE "/workload", groups[] = TRACE "/groups.json";
    static char system[] = TRACE_CASE "/system.json", network[] = TRACE_CASE "/network.yml";
    static char memory[] = TRACE_CASE "/memory.json";
    char *const arguments[] = {program,  words[0], words[1], workload, words[2], system,
                               words[3], network,  words[4], groups,   words[5], memory,
                               words[6], words[7], words[8], NULL};
    if (!nadi_file_exists(groups) || !nadi_file_exists(system)) {
        printf("%-48s skipped: no such trace beside this checkout\n", about.name);
        return true;
    }
    return measure(&about, arguments);
}

int main(void)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    char program[] = NADI_BUILD_DIR "/nadi";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    printf("all-reduce of 100 MiB unless said otherwise      reference, s MB      nadi, s MB    "
           "faster    finish ns\n");
    bool right = true;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        right &= measure_collective(&scenarios[i], program);
    right &= measure_trace(program);
    printf("inputs and the last result: %s\n", folder);
    return right ? 0 : 1;
}
