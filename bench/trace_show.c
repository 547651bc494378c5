/* trace_show: a trace like that of a PyTorch capture of three steps replicated seven times, 126,339
 * nodes and 74 MB, as text and back. The published jsonizer took 7.8 CPU s and 19 MB for the one it
 * was measured with, 161 MB of text. Wanted: at most a twentieth of that time. */
#include "child.h"

#include "trace/write.h"

#include <sys/stat.h>

enum { NODES = 126339, RUNS = 3 };

static const double reference_cpu_s = 7.8, reference_mb = 19;

static void put_node(struct nadi_trace_writer *w, uint64_t id, const char *tensors)
{
    const bool kernel = id % 5 == 0;
    char name[96], values[512];
    snprintf(name, sizeof name,
             kernel ? "void cudnn::bn_bw_1C11_kernel_new<float, %u>" : "aten::op_%u",
             (unsigned)(id * 7919 % 170));
    snprintf(values, sizeof values, "[[%" PRIu64 ", %" PRIu64 ", 0, 802816, 4, 'cuda:0'], %s]", id,
             id + 1, tensors);
    const struct nadi_write_attr attrs[] = {
        nadi_write_int64("rf_id", (int64_t)id),
        nadi_write_int64("fw_parent", 0),
        nadi_write_int64("seq_id", id % 3 ? -1 : (int64_t)id / 3),
        nadi_write_int64("scope", (int64_t)(id % 8)),
        nadi_write_int64("tid", 1 + (int64_t)(id % 2)),
        nadi_write_int64("fw_tid", 0),
        nadi_write_string("op_schema",
                          id % 3 ? "" : "aten::op(Tensor self, Scalar other) -> Tensor"),
        nadi_write_bool("is_cpu_op", !kernel),
        nadi_write_int64("stream", kernel ? 7 : 0),
    };
    const uint64_t parent = id - 1 - id % 6 % (id < 10 ? 1 : 6), before = id - 1;
    nadi_trace_writer_node(
        w, &(struct nadi_write_node){
               .id = id,
               .name = name,
               .type = NADI_NODE_COMP,
               .duration_micros = id * 31 % 977,
               .ctrl_deps = &parent,
               .ctrl_dep_count = id > 1,
               .data_deps = &before,
               .data_dep_count = id > 1,
               .inputs = {values,
                          "[[64, 256, 7, 7], [64], [64], [], [], [[], []], [[], []], [[], []], [], "
                          "[[], []], [], [], [], [], [64], []]",
                          "['Tensor(float)', 'Tensor(float)', 'Tensor(float)', 'Double', 'Bool', "
                          "'None']"},
               .outputs = {"[]", "[]", "[]"},
               .attrs = attrs,
               .attr_count = sizeof(attrs) / sizeof(attrs[0]),
           });
}

static void write_trace(const char *path)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_open(path, NADI_CODING_PLAIN, &diags);
    if (!w)
        fail("cannot write the trace");
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint64_t id = 1; id <= NODES; id++)
        put_node(w, id,
                 id % 9 ? "[9, 10, 0, 64, 4, 'cuda:0'], [11, 12, 0, 64, 4, 'cuda:0'], 0.1, False, "
                          "None, [3, 3], [1, 1], [1, 1], False, [0, 0], 1, True, False, True, "
                          "True, [17, 18, 0, 64, 4, 'cuda:0'], 1e-05"
                        : "[9, 10, 0, 64, 4, 'cuda:0'], [11, 12, 0, 256, 4, 'cuda:0'], "
                          "[13, 14, 0, 256, 4, 'cuda:0'], [15, 16, 0, 64, 4, 'cuda:0']");
    if (!nadi_trace_writer_close(w, &diags))
        fail("cannot write the trace");
    nadi_diags_release(&diags);
}

static double megabytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size / 1e6 : 0;
}

static uint64_t lines_of(const char *path)
{
    struct nadi_diags diags;
    char *text = NULL;
    size_t bytes = 0;
    uint64_t lines = 0;
    nadi_diags_init(&diags);
    if (!nadi_file_read(path, "text", &text, &bytes, &diags))
        fail("no text");
    for (const char *at = text; (at = memchr(at, '\n', bytes - (size_t)(at - text))); at++)
        lines++;
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return lines;
}

static void measure_one(const char *what, const char *const *words, const char *output,
                        double reference_s)
{
    struct child_cost best = {.cpu_s = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        if (run_cost(words, &cost) != 0)
            fail("nadi trace failed");
        if (cost.cpu_s < best.cpu_s)
            best = cost;
    }
    printf("%-18s %8.1f MB %8.3f s CPU %7.1f MB peak", what, megabytes(output), best.cpu_s,
           best.peak_mb);
    if (reference_s > 0)
        printf("   %5.1fx less CPU than the published tool's %.1f s, %.0f MB",
               reference_s / best.cpu_s, reference_s, reference_mb);
    putchar('\n');
}

int main(void)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("no folder for the files");
    write_trace("t.et");
    printf("a trace of %d nodes, %.1f MB\n", NODES, megabytes("t.et"));
    measure_one(
        "show --jsonizer",
        (const char *const[]){PROGRAM, "trace", "show", "t.et", "--jsonizer", "-o", "t.txt", NULL},
        "t.txt", reference_cpu_s);
    printf("                   %" PRIu64 " lines\n", lines_of("t.txt"));
    measure_one("show",
                (const char *const[]){PROGRAM, "trace", "show", "t.et", "-o", "t.jsonl", NULL},
                "t.jsonl", 0);
    measure_one("pack",
                (const char *const[]){PROGRAM, "trace", "pack", "t.jsonl", "-o", "u.et", NULL},
                "u.et", 0);
    static const char *const files[] = {"t.et", "t.txt", "t.jsonl", "u.et", "out.json"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlink(files[i]);
    if (chdir("/") == 0)
        rmdir(folder);
    return 0;
}
