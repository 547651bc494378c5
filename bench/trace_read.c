/* trace_read: a million nodes like those of transformer training traces, read by our decoder.
 * Wanted: at most 1 s and 150 bytes held a node. Times are the best of three; memory is what the
 * allocator holds, and the peak of a child process that reads the file once. */
#include "base/base.h"
#include "base/diag.h"
#include "base/mem.h"
#include "trace/trace.h"
#include "trace/write.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 1000000, RUNS = 3, COLLECTIVE_EVERY = 30 };

static _Noreturn void fail(const char *what, const struct nadi_diags *diags)
{
    fprintf(stderr, "trace_read: %s%s%s\n", what, diags->count ? ": " : "",
            diags->count ? diags->items[0].message : "");
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_node(struct nadi_trace_writer *w, uint64_t id)
{
    static const char *const parts[] = {"input_norm", "mha.attn", "mha_res", "ffn.x0", "ffn_res"};
    char name[96], in[160], out[160];
    const bool coll = id % COLLECTIVE_EVERY == 0;
    snprintf(name, sizeof name, "mb%" PRIu64 ".transformer.%" PRIu64 ".%s.y@0_%s", id / 300,
             id / 5 % 60, parts[id % 5], coll ? "X1COMM" : "COMP");
    snprintf(in, sizeof in, "%s.inMicroBatch/dp,Seq/(cp*tp),Dmodel", name);
    snprintf(out, sizeof out, "%s.outMicroBatch/dp,Seq/(cp*tp),Dmodel", name);
    const struct nadi_write_value inputs[] = {{.text = in}, {.text = "1048576.0"}};
    const struct nadi_write_value outputs[] = {{.text = out}, {.text = "1048576.0"}};
    const struct nadi_write_attr io[] = {
        {.name = "inputs", .member = NADI_MEMBER_STRING_LIST, .list = inputs, .count = 2},
        {.name = "outputs", .member = NADI_MEMBER_STRING_LIST, .list = outputs, .count = 2}};
    const struct nadi_write_attr compute[] = {io[0], io[1], nadi_write_int64("num_ops", 671088640),
                                              nadi_write_uint64("tensor_size", 1048576),
                                              nadi_write_string("op_type", "E")};
    const struct nadi_write_attr reduce[] = {io[0], io[1], nadi_write_int64("comm_type", 0),
                                             nadi_write_int64("comm_size", 1048576),
                                             nadi_write_string("pg_name", "17")};
    const uint64_t deps[] = {id - 1, id - id % 7 - 1};
    nadi_trace_writer_node(w,
                           &(struct nadi_write_node){.id = id,
                                                     .name = name,
                                                     .type = coll ? NADI_NODE_COLL : NADI_NODE_COMP,
                                                     .data_deps = deps,
                                                     .data_dep_count = id < 8 ? 0 : 1 + id % 2,
                                                     .attrs = coll ? reduce : compute,
                                                     .attr_count = 5});
}

static void write_file(const char *path, enum nadi_coding coding)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_open(path, coding, &diags);
    if (!w)
        fail("cannot write", &diags);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint64_t id = 1; id <= NODES; id++)
        put_node(w, id);
    if (!nadi_trace_writer_close(w, &diags))
        fail("cannot write", &diags);
    nadi_diags_release(&diags);
}

static struct nadi_trace *read_file(const char *path)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace *t = nadi_trace_read(path, 0, &diags);
    if (!t || t->node_count != NODES)
        fail("cannot read", &diags);
    nadi_diags_release(&diags);
    return t;
}

static double allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (double)(m.uordblks + m.hblkhd);
}

/* Megabytes that a process of its own needs to read the file. */
static double peak_of(const char *path)
{
    struct rusage usage;
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        nadi_trace_destroy(read_file(path));
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        fprintf(stderr, "trace_read: no child process\n");
        exit(1);
    }
    return (double)usage.ru_maxrss * 1024 / 1e6;
}

static void measure(const char *what, const char *path)
{
    double best = 1e9, held = 0;
    uint64_t bytes = 0;
    for (int i = 0; i < RUNS; i++) {
        const double before = allocated(), start = now();
        struct nadi_trace *t = read_file(path);
        const double took = now() - start;
        held = allocated() - before;
        bytes = t->file_bytes;
        best = took < best ? took : best;
        nadi_trace_destroy(t);
    }
    printf("%-22s %8.1f MB %8.3f s %10.1f %10.1f MB\n", what, (double)bytes / 1e6, best,
           held / NODES, peak_of(path));
}

int main(void)
{
    static const struct {
        const char *what, *name;
        enum nadi_coding coding;
    } files[] = {{"plain", "/bench-trace.et", NADI_CODING_PLAIN},
                 {"gzip", "/bench-trace.gz.et", NADI_CODING_GZIP},
                 {"zstd", "/bench-trace.zst.et", NADI_CODING_ZSTD}};
    char path[4096];
    printf("%d nodes read          stored       time   B/node held     peak\n", NODES);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", NADI_BUILD_DIR, files[i].name);
        write_file(path, files[i].coding);
        measure(files[i].what, path);
        unlink(path);
    }
    printf("wanted                              1.000 s      150.0\n");
    return 0;
}
