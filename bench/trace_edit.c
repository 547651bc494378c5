/* trace_edit: the commands that change or compare traces, as child processes, on traces of a host
 * thread that launches on four streams: from 125,000 to a million nodes. User time a node must not
 * grow by more than a quarter (the tools are linear, but sorts and hash tables meet the caches);
 * the best of three. There is nothing to compare with: the published tools have no such commands.
 */
#include "child.h"
#include "trace/write.h"

enum { RUNS = 3, STREAMS = 4, LAUNCH_EVERY = 3, SYNC_EVERY = 100 };

static void put_kernel(struct nadi_trace_writer *w, uint64_t id, uint64_t launcher, uint64_t *last)
{
    char name[32];
    const uint64_t deps[2] = {launcher, *last};
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("stream", (int64_t)(id / LAUNCH_EVERY % STREAMS)),
        nadi_write_int64("num_ops", (int64_t)id * 10),
        nadi_write_uint64("tensor_size", id * 3),
    };
    snprintf(name, sizeof name, "kernel%" PRIu64, id % 50);
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = id,
                                                        .name = name,
                                                        .type = NADI_NODE_COMP,
                                                        .duration_micros = id % 97,
                                                        .data_deps = deps,
                                                        .data_dep_count = *last ? 2 : 1,
                                                        .attrs = attrs,
                                                        .attr_count = 4});
    *last = id;
}

static void put_operator(struct nadi_trace_writer *w, uint64_t id, uint64_t before, uint64_t sync)
{
    char name[32];
    const uint64_t deps[2] = {before, sync};
    const struct nadi_write_attr attrs[] = {nadi_write_bool("is_cpu_op", true),
                                            nadi_write_int64("tid", 1)};
    snprintf(name, sizeof name, "aten::op%" PRIu64, id % 300);
    nadi_trace_writer_node(w, &(struct nadi_write_node){.id = id,
                                                        .name = name,
                                                        .type = NADI_NODE_COMP,
                                                        .duration_micros = id % 13,
                                                        .data_deps = deps,
                                                        .data_dep_count = sync ? 2 : before != 0,
                                                        .attrs = attrs,
                                                        .attr_count = 2});
}

static void write_trace(const char *path, uint64_t nodes)
{
    struct nadi_diags diags;
    uint64_t last[STREAMS] = {0}, before = 0;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_open(path, NADI_CODING_PLAIN, &diags);
    if (!w)
        fail("cannot write the inputs");
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint64_t id = 1; id <= nodes; id++) {
        if (id % LAUNCH_EVERY == 0) {
            put_kernel(w, id, before, &last[id / LAUNCH_EVERY % STREAMS]);
            continue;
        }
        put_operator(w, id, before, id % SYNC_EVERY == 1 && id > SYNC_EVERY ? last[0] : 0);
        before = id;
    }
    if (!nadi_trace_writer_close(w, &diags))
        fail("cannot write the inputs");
    nadi_diags_release(&diags);
}

struct row {
    const char *words[10]; /* behind `nadi trace` */
    double first;          /* user us a node of the smallest trace */
};

static void show(struct row *row, uint64_t nodes)
{
    const char *words[16] = {PROGRAM, "trace"};
    struct child_cost best = {.user_s = 1e9, .cpu_s = 1e9};
    size_t count = 2;
    for (size_t i = 0; row->words[i]; i++)
        words[count++] = row->words[i];
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        const int code = run_cost(words, &cost);
        if (code != 0 && code != 1) /* 1: diff found differences */
            fail("nadi trace failed");
        best.user_s = cost.user_s < best.user_s ? cost.user_s : best.user_s;
        best.cpu_s = cost.cpu_s < best.cpu_s ? cost.cpu_s : best.cpu_s;
        best.peak_mb = cost.peak_mb > best.peak_mb ? cost.peak_mb : best.peak_mb;
    }
    const double each = 1e6 * best.user_s / (double)nodes;
    if (row->first <= 0)
        row->first = each;
    printf("%-10s %9" PRIu64 " %9.3f %9.3f %9.1f %12.2f %9.0f%s\n", row->words[0], nodes,
           best.cpu_s, best.user_s, best.peak_mb, each, 1e6 * best.peak_mb / (double)nodes,
           each > 1.25 * row->first ? "  NOT LINEAR" : "");
    fflush(stdout);
}

int main(void)
{
    char folder[] = "/tmp/nadi-trace-edit-XXXXXX";
    struct row rows[] = {
        {.words = {"slice", "a.0.et", "--time", "100ms..100s", "-o", "out.et", NULL}},
        {.words = {"filter", "a.0.et", "--drop", "host", "-o", "out.et", NULL}},
        {.words = {"merge", "a.0.et", "-o", "out.et", NULL}},
        {.words = {"repair", "a.0.et", "-o", "out.et", NULL}},
        {.words = {"dedup", "a.0.et", "b.1.et", "-o", "few", NULL}},
        {.words = {"anonymize", "a.0.et", "--key", "k", "-o", "out.et", NULL}},
        {.words = {"diff", "a.0.et", "b.1.et", NULL}},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a folder for the inputs");
    printf("%-10s %9s %9s %9s %9s %12s %9s\n", "", "nodes", "CPU s", "user s", "MB", "user us/node",
           "B/node");
    for (uint64_t nodes = 125000; nodes <= 1000000; nodes *= 2) {
        write_trace("a.0.et", nodes);
        write_trace("b.1.et", nodes - 1000);
        for (size_t i = 0; i < ROWS; i++)
            show(&rows[i], nodes);
    }
    static const char *const files[] = {"a.0.et",        "b.1.et",        "out.et", "out.json",
                                        "few.class0.et", "few.class1.et", "few.yml"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlink(files[i]);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : 1;
}
