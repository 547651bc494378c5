/* scale: large systems, the whole program as a child process, beside the reference's measured
 * figures where it finishes at all and what is wanted of us. Each row is the best of three runs:
 * its wall time, and the time of all its threads on the processor, which is what one idle core
 * would take and what is held against the wanted time; and the largest memory. */
#include "child.h"

#include "base/rng.h"
#include "trace/write.h"

enum { RUNS = 3, RING = 4096 };

/* A real training trace lies beside the checkout where a developer has it. */
#define TRACE_CASE NADI_SHARED_DIR "/conformance/cases/transformer-gpt64_dp4tp4pp4_unaware_64"
#define TRACE      NADI_SHARED_DIR "/traces/transformer/gpt64_dp4tp4pp4"

struct row {
    const char *name, *reference;
    const char *workload, *groups, *system, *network;
    const char *model;          /* NULL: what `auto` takes, and how long it takes to find that */
    double wanted_s, wanted_mb; /* mb 0: no limit */
    uint64_t finish_ns;         /* 0: not known */
};

struct measured {
    double wall_s, cpu_s, peak_mb;
    bool good;
};

static struct measured measure_all(const char *const *words)
{
    struct measured m = {.wall_s = 1e9, .cpu_s = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        if (run_cost(words, &cost) != 0)
            fail("nadi run failed");
        m.wall_s = cost.wall_s < m.wall_s ? cost.wall_s : m.wall_s;
        m.cpu_s = cost.cpu_s < m.cpu_s ? cost.cpu_s : m.cpu_s;
        m.peak_mb = cost.peak_mb > m.peak_mb ? cost.peak_mb : m.peak_mb;
    }
    return m;
}

static struct measured show(const struct row *r)
{
    const char *model = r->model ? r->model : "auto";
    const char *words[] = {PROGRAM,      "run",
                           "--workload", r->workload,
                           "--system",   r->system,
                           "--network",  r->network,
                           "--quiet",    "--format",
                           "json",       "--network-model",
                           model,        r->groups ? "--groups" : NULL,
                           r->groups,    NULL};
    struct measured m = measure_all(words);
    const uint64_t finish = finish_of_last_run();
    const bool right = !r->finish_ns || finish == r->finish_ns;
    m.good = right && m.cpu_s <= r->wanted_s && (r->wanted_mb <= 0 || m.peak_mb <= r->wanted_mb);
    printf("%-58s %9s %7.3f %8.3f %8.3f", r->name, r->reference, r->wanted_s, m.cpu_s, m.wall_s);
    if (r->wanted_mb > 0)
        printf(" %6.0f", r->wanted_mb);
    else
        printf(" %6s", "");
    printf(" %6.0f %14" PRIu64 "%s\n", m.peak_mb, finish,
           !right   ? "  WRONG"
           : m.good ? ""
                    : "  MISSED");
    fflush(stdout);
    return m;
}

static void make_collective(const char *ranks, const char *bytes, const char *prefix, bool manifest)
{
    const char *const words[] = {
        PROGRAM, "gen",     "collective", "--kind", "all-reduce", "--ranks",
        ranks,   "--bytes", bytes,        "-o",     prefix,       manifest ? "--manifest" : NULL,
        NULL};
    make(words);
}

/* ---- one collective ------------------------------------------------------------------------ */

#define RING_NETWORK "topology: [Ring]\nnpus_count: [4096]\nbandwidth: [200]\nlatency: [500]\n"

static bool ring(void)
{
    static const struct row row = {
        .name = "ring of 4,096, ring all-reduce of 100 MiB, 4 chunks",
        .reference = "> 400",
        .workload = "ring",
        .system = "ring.json",
        .network = "ring.yml",
        .wanted_s = 0.02,
    };
    write_system("ring.json", "4", "\"ring\"");
    write_text("ring.yml", RING_NETWORK);
    make_collective("4096", "100MiB", "ring", false);
    return show(&row).good;
}

static void write_start(uint32_t rank, uint64_t micros)
{
    struct nadi_diags diags;
    char path[64];
    const struct nadi_write_attr cpu = nadi_write_bool("is_cpu_op", false);
    const struct nadi_write_attr attrs[] = {cpu, nadi_write_int64("comm_type", NADI_ALL_REDUCE),
                                            nadi_write_uint64("comm_size", 100 << 20)};
    const uint64_t first = 1;
    const struct nadi_write_node nodes[] = {
        {.id = 1,
         .type = NADI_NODE_COMP,
         .duration_micros = micros,
         .attrs = &cpu,
         .attr_count = 1},
        {.id = 2,
         .type = NADI_NODE_COLL,
         .data_deps = &first,
         .data_dep_count = 1,
         .attrs = attrs,
         .attr_count = 3},
    };
    snprintf(path, sizeof path, "skewed.%u.et", rank);
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_open(path, NADI_CODING_PLAIN, &diags);
    if (!w)
        fail("cannot write the inputs");
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    nadi_trace_writer_node(w, &nodes[0]);
    nadi_trace_writer_node(w, &nodes[1]);
    if (!nadi_trace_writer_close(w, &diags))
        fail("cannot write the inputs");
    nadi_diags_release(&diags);
}

static bool skewed_ring(void)
{
    static const struct row row = {
        .name = "the same, every rank starting at another random time",
        .reference = "",
        .workload = "skewed",
        .system = "ring.json",
        .network = "ring.yml",
        .wanted_s = 0.5,
    };
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "bench scale");
    for (uint32_t rank = 0; rank < RING; rank++)
        write_start(rank, 1 + nadi_rng_below(&rng, 100000));
    return show(&row).good;
}

static bool four_dimensions(const char *last, const char *ranks, const struct row *row)
{
    struct nadi_str network = NADI_STR_INIT;
    nadi_str_printf(&network,
                    "topology: [Ring, FullyConnected, Ring, Switch]\nnpus_count: [2, 8, 8, %s]\n"
                    "bandwidth: [250, 200, 100, 50]\nlatency: [50, 50, 500, 1000]\n",
                    last);
    write_text("four.yml", nadi_str_get(&network));
    nadi_str_release(&network);
    write_system("four.json", "64", "\"ring\", \"direct\", \"ring\", \"halvingDoubling\"");
    bool files = !nadi_str_ends(row->workload, ".yml");
    make_collective(ranks, files ? "100MiB" : "10GiB", "four-step", !files);
    return show(row).good;
}

static bool all_four_dimensions(void)
{
    static const struct {
        const char *last, *ranks;
        struct row row;
    } sizes[] = {
        {"32",
         "4096",
         {.name = "2 x 8 x 8 x 32 = 4,096 ranks, 64 chunks",
          .reference = "129.6",
          .wanted_s = 0.05,
          .finish_ns = 1334856}},
        {"32", "4096", {.name = "  from a manifest, 10 GiB:   4,096 ranks", .wanted_s = 0.05}},
        {"256", "32768", {.name = "                              32,768 ranks", .wanted_s = 1}},
        {"2048", "262144", {.name = "                             262,144 ranks", .wanted_s = 1}},
        {"8192",
         "1048576",
         {.name = "  2 x 8 x 8 x 8192 =       1,048,576 ranks", .wanted_s = 1, .wanted_mb = 500}},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct row row = sizes[i].row;
        row.reference = row.reference ? row.reference : "";
        row.workload = i ? "four-step.yml" : "four-step";
        row.system = "four.json";
        row.network = "four.yml";
        good &= four_dimensions(sizes[i].last, sizes[i].ranks, &row);
    }
    return good;
}

/* ---- training steps ------------------------------------------------------------------------ */

#define MILLION                                                                                    \
    PROGRAM, "gen", "transformer", "--tensor", "8", "--data", "8192", "--pipeline", "16",          \
        "--layers", "96", "--micro-batches", "384"

static bool million(void)
{
    static const char *const words[] = {MILLION, "-o", "million", NULL};
    static const struct row row = {
        .name = "transformer step, 8 x 8192 x 16 ranks, 20,000 nodes a rank",
        .reference = "",
        .workload = "million/workload.yml",
        .system = "million/system.json",
        .network = "million/network.yml",
        .wanted_s = 10,
        .wanted_mb = 2000,
    };
    make(words);
    return show(&row).good;
}

/* Behind the gradients' all-reduce all million ranks end at different times. */
static bool late_million(void)
{
    static const char *const words[] = {MILLION, "--slow-rank", "1000000", "-o", "late", NULL};
    static const struct row row = {
        .name = "  the same with one rank 10 % slower",
        .reference = "",
        .workload = "late/workload.yml",
        .system = "late/system.json",
        .network = "late/network.yml",
        .wanted_s = 5,
        .wanted_mb = 500,
    };
    make(words);
    return show(&row).good;
}

/* The job as it is and with rank 0 slower, which may take three times as long. */
static bool slower(struct row row, const char *slow_workload, const char *slow_groups)
{
    struct measured even = show(&row);
    row.name = "  the same with one rank 10 % slower";
    row.reference = "";
    row.workload = slow_workload;
    row.groups = slow_groups;
    row.finish_ns = 0;
    row.wanted_s = 3 * even.cpu_s;
    return show(&row).good && even.good;
}

/* Its schedule is by data dependence only: with one rank slower, the ranks' orders of issue differ
 * and it deadlocks, as it would on the real machine. */
static bool real_trace(void)
{
    if (!nadi_file_exists(TRACE "/groups.json") || !nadi_file_exists(TRACE_CASE "/system.json")) {
        printf(
            "GPT trace of 64 ranks                  skipped: no such trace beside this checkout\n");
        return true;
    }
    static const struct row row = {
        .name = "GPT trace of 64 ranks, one file a rank",
        .reference = "4.5-5.8",
        .workload = TRACE "/workload",
        .groups = TRACE "/groups.json",
        .system = TRACE_CASE "/system.json",
        .network = TRACE_CASE "/network.yml",
        .model = "unaware", /* the reference's; its messages share links */
        .wanted_s = 0.05,
        .finish_ns = 20552327,
    };
    return show(&row).good;
}

static bool own_trace(void)
{
    static const char *const even[] = {PROGRAM, "gen",     "transformer", "-o",
                                       "even",  "--files", NULL};
    static const char *const slow[] = {PROGRAM,   "gen",         "transformer", "-o", "slow64",
                                       "--files", "--slow-rank", "0",           NULL};
    static const struct row row = {
        .name = "transformer step, 4 x 4 x 4 ranks, one file a rank",
        .reference = "",
        .workload = "even/workload",
        .groups = "even/groups.json",
        .system = "even/system.json",
        .network = "even/network.yml",
        .wanted_s = 0.05,
    };
    make(even);
    make(slow);
    return slower(row, "slow64/workload", "slow64/groups.json");
}

int main(void)
{
    char folder[] = "/tmp/nadi-scale-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    printf("%-58s %9s %7s %8s %8s %6s %6s %14s\n", "", "reference", "wanted", "core", "wall",
           "wanted", "nadi", "finish");
    printf("%-58s %9s %7s %8s %8s %6s %6s %14s\n", "", "s", "s", "s", "s", "MB", "MB", "ns");
    bool good = ring();
    good &= skewed_ring();
    good &= all_four_dimensions();
    good &= million();
    good &= late_million();
    good &= real_trace();
    good &= own_trace();
    printf("inputs and the last result: %s\n", folder);
    return good ? 0 : 1;
}
