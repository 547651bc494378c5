/* headline: the whole program against the reference's measured figures (ASTRA-sim 2.x, stock build,
 * a machine with 2 cores of which one is used; memory and the GPT trace measured again, with the
 * same results, when both were built side by side). Writes the inputs, runs `nadi` as a child
 * process, and prints the best of three wall times and the largest memory, message by message and
 * with the executor that it picks itself; both must finish at the same time, which is checked
 * against the reference's where that is known.
 *
 *   headline [FOLDER [WORD]]   ./dev bench --reference FOLDER
 *
 * With a folder of the reference's analytical binaries, as its own build names them: runs them and
 * `nadi` in turn, prints the ratios of CPU time of each pair, smallest to largest, and fails where
 * a finish time differs. WORD: of the cases whose name has it. */
#include "child.h"

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
        .reference_mb = 114,
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

static void write_inputs(const struct scenario *s)
{
    char chunks[16];
    snprintf(chunks, sizeof(chunks), "%" PRIu32, s->chunks);
    write_system("system.json", chunks, s->algorithms);
    write_text("network.yml", s->network);
    write_text("memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n");
    const char *const words[] = {PROGRAM,      "gen",     "collective", "--kind",
                                 "all-reduce", "--ranks", s->ranks,     "--bytes",
                                 "100MiB",     "-o",      "trace",      NULL};
    make(words);
}

/* One row of the table; false when a finish time is wrong. */
static bool show(const struct scenario *s, const char *workload, const char *system,
                 const char *network, const char *groups)
{
    const char *words[] = {PROGRAM,    "run",        "--workload", workload,
                           "--system", system,       "--network",  network,
                           "--quiet",  "--format",   "json",       "--network-model",
                           s->model,   "--executor", "message",    groups ? "--groups" : NULL,
                           groups,     NULL};
    const size_t executor = 14;
    double message_s, message_mb, auto_s, auto_mb;
    const uint64_t finish = measure(words, RUNS, &message_s, &message_mb);
    words[executor] = "auto";
    const bool right = measure(words, RUNS, &auto_s, &auto_mb) == finish &&
                       (!s->finish_ns || finish == s->finish_ns);
    printf("%-46s %9.2f %5.0f %10.3f %5.0f %10.3f %5.0f %8.0fx %12" PRIu64 "%s\n", s->name,
           s->reference_s, s->reference_mb, message_s, message_mb, auto_s, auto_mb,
           s->reference_s / auto_s, finish, right ? "" : "  WRONG");
    fflush(stdout);
    return right;
}

static bool show_trace(void)
{
    static const struct scenario about = {
        .name = "GPT trace of 64 ranks, switch of 64, unaware",
        .model = "unaware",
        .reference_s = 1.7,
        .reference_mb = 60,
    };
    if (!nadi_file_exists(TRACE "/groups.json") || !nadi_file_exists(TRACE_CASE "/system.json")) {
        printf("%-46s skipped: no such trace beside this checkout\n", about.name);
        return true;
    }
    return show(&about, TRACE "/workload", TRACE_CASE "/system.json", TRACE_CASE "/network.yml",
                TRACE "/groups.json");
}

/* ---- beside the reference's own binaries ---------------------------------------------------- */

/* The last rank's, of its lines "sys[0] finished, 1234 cycles, ..."; 0: it printed none. */
static uint64_t finish_of_reference(void)
{
    struct nadi_diags diags;
    char *text;
    size_t bytes;
    uint64_t last = 0;
    nadi_diags_init(&diags);
    if (!nadi_file_read("out.json", "result", &text, &bytes, &diags))
        fail("no result");
    static const char mark[] = " finished, ";
    for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark))
        last = nadi_max_u64(last, strtoull(at + sizeof(mark) - 1, NULL, 10));
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return last;
}

struct ratios {
    double least, most, reference_s, nadi_s;
    bool same;
};

static struct ratios run_pairs(const char *const *reference, const char *const *nadi)
{
    struct ratios r = {.least = 1e9, .same = true, .reference_s = 1e9, .nadi_s = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct child_cost theirs, ours;
        if (run_cost(reference, &theirs) != 0)
            fail("the reference failed");
        const uint64_t finish = finish_of_reference();
        if (run_cost(nadi, &ours) != 0)
            fail("nadi run failed");
        const double ratio = theirs.cpu_s / (ours.cpu_s > 1e-4 ? ours.cpu_s : 1e-4);
        r.least = ratio < r.least ? ratio : r.least;
        r.most = ratio > r.most ? ratio : r.most;
        r.reference_s = theirs.cpu_s < r.reference_s ? theirs.cpu_s : r.reference_s;
        r.nadi_s = ours.cpu_s < r.nadi_s ? ours.cpu_s : r.nadi_s;
        r.same &= finish == finish_of_last_run();
    }
    return r;
}

/* False: finish times differ. */
static bool show_pairs(const struct scenario *s, const char *binary)
{
    static const char *const executors[] = {"message", "auto"};
    const char *reference[] = {binary,
                               "--workload-configuration=trace",
                               "--system-configuration=system.json",
                               "--network-configuration=network.yml",
                               "--remote-memory-configuration=memory.json",
                               NULL};
    bool right = true;
    for (size_t e = 0; e < 2; e++) {
        const char *nadi[] = {PROGRAM,    "run",         "--workload", "trace",
                              "--system", "system.json", "--network",  "network.yml",
                              "--quiet",  "--format",    "json",       "--network-model",
                              s->model,   "--executor",  executors[e], NULL};
        const struct ratios r = run_pairs(reference, nadi);
        printf("%-46s %-8s %10.3f %10.4f %8.0f to %.0f times%s\n", s->name, executors[e],
               r.reference_s, r.nadi_s, r.least, r.most, r.same ? "" : "  WRONG");
        fflush(stdout);
        right &= r.same;
    }
    return right;
}

static bool beside(const char *folder, const char *word)
{
    bool right = true, any = false;
    printf("%-46s %-8s %10s %10s %s\n", "CPU seconds, the best of 3", "executor", "reference",
           "nadi", "ratios of pairs");
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        const bool aware = strcmp(scenarios[i].model, "aware") == 0;
        struct nadi_str binary = NADI_STR_INIT;
        nadi_str_printf(&binary, "%s/AstraSim_Analytical_Congestion_%s", folder,
                        aware ? "Aware" : "Unaware");
        const bool wanted = !word || strstr(scenarios[i].name, word);
        any |= wanted;
        if (wanted && !nadi_file_exists(nadi_str_get(&binary)))
            printf("%-46s skipped: no %s\n", scenarios[i].name, nadi_str_get(&binary));
        else if (wanted) {
            write_inputs(&scenarios[i]);
            right &= show_pairs(&scenarios[i], nadi_str_get(&binary));
        }
        nadi_str_release(&binary);
    }
    if (!any)
        fail("no case has this word in its name");
    return right;
}

int main(int argc, char **argv)
{
    char *reference = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (argc > 1 && !reference)
        fail("no folder of that name");
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    if (reference)
        return beside(reference, argc > 2 ? argv[2] : NULL) ? 0 : 1;
    printf("%-46s %15s %16s %16s %9s %12s\n", "all-reduce of 100 MiB, or a trace",
           "reference, s MB", "messages, s MB", "nadi, s MB", "faster", "finish ns");
    bool right = true;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        write_inputs(&scenarios[i]);
        right &= show(&scenarios[i], "trace", "system.json", "network.yml", NULL);
    }
    right &= show_trace();
    printf("inputs and the last result: %s\n", folder);
    return right ? 0 : 1;
}
