/* graph_cache: why graphs and kernels of a step are not kept on disk. Of some steps:
 *
 *   make    kernels and graphs of all ranks of the pipeline, from the description of the model
 *   read    the same bytes from a file in the system's cache, as one block, and with the digest
 *           that tells a damaged file: nothing is decoded, no pointer set
 *   point   the whole step: opened, made, checked, folded, simulated
 *
 * Milliseconds of the processor, least of five. */
#include "base/mem.h"
#include "base/sha256.h"
#include "explore/model_inputs.h"
#include "model/step.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum { RUNS = 5 };

static const struct {
    const char *model, *cluster, *settings;
} steps[] = {
    {"gpt2", "dgx-h100", "tp=2 dp=4 batch=64"},
    {"llama3-8b", "dgx-h100", "dp=64 zero=3 batch=128 sequence=8192"},
    {"llama3-405b", "dgx-h100", "tp=8 pp=8 dp=8 batch=512 sequence=8192"},
    {"deepseek-v3", "dgx-h100", "pp=16 ep=32 dp=32 batch=1024 sequence=4096"},
    {"megatron-1t", "dgx-a100", "tp=8 pp=64 dp=6 batch=3072 sequence=2048"},
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(bool ok, const struct nadi_diags *diags)
{
    if (!ok) {
        fprintf(stderr, "%s\n", diags->count ? diags->items[0].message : "no");
        exit(1);
    }
}

/* What has to be kept of a graph. */
static size_t bytes_of(const struct nadi_trace *t)
{
    const size_t n = t->node_count;
    return n * (3 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 3) + /* times, sizes, names, kinds */
           (t->dep_start[n] + n + 1) * sizeof(uint32_t) + t->comm_count * sizeof(*t->comms) +
           t->strings_bytes;
}

static double make(const struct nadi_study_setup *setup, size_t *bytes)
{
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    must(nadi_study_open(&study, setup, &diags), &diags);
    const double begin = now_ms();
    must(nadi_step_init(&step, &study, &diags), &diags);
    *bytes = 0;
    for (uint32_t i = 0; i < study.plan.pp; i++) {
        struct nadi_trace *t = nadi_step_trace(&step, i);
        *bytes += bytes_of(t);
        nadi_trace_destroy(t);
    }
    const double ms = now_ms() - begin;
    nadi_step_release(&step);
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return ms;
}

static double read_back(int file, size_t bytes, bool digest)
{
    uint8_t hash[32];
    const double begin = now_ms();
    char *block = NADI_NEW(char, bytes);
    if (pread(file, block, bytes, 0) != (ssize_t)bytes)
        exit(1);
    if (digest)
        nadi_sha256(block, bytes, hash);
    nadi_mem_free(block);
    return now_ms() - begin;
}

static double point(const struct nadi_study_setup *setup)
{
    const struct nadi_run_options options = nadi_model_plain_options();
    struct nadi_study study;
    struct nadi_diags diags;
    uint64_t ns;
    nadi_diags_init(&diags);
    const double begin = now_ms();
    must(nadi_study_open(&study, setup, &diags) && nadi_model_time(&study, &options, &ns, &diags),
         &diags);
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return now_ms() - begin;
}

int main(void)
{
    char path[] = "/tmp/nadi-bench-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        return 1;
    unlink(path);
    printf("%-14s %10s %10s %10s %14s %10s\n", "", "MB", "make ms", "read ms", "with digest ms",
           "point ms");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct nadi_study_setup setup = {
            .model = steps[i].model, .cluster = steps[i].cluster, .settings = steps[i].settings};
        double least[4] = {1e9, 1e9, 1e9, 1e9};
        size_t bytes = 0;
        for (int k = 0; k < RUNS; k++) {
            least[0] = fmin(least[0], make(&setup, &bytes));
            if (ftruncate(file, (off_t)bytes) != 0)
                return 1;
            char *zero = NADI_ZNEW(char, bytes);
            if (pwrite(file, zero, bytes, 0) != (ssize_t)bytes)
                return 1;
            nadi_mem_free(zero);
            least[1] = fmin(least[1], read_back(file, bytes, false));
            least[2] = fmin(least[2], read_back(file, bytes, true));
            least[3] = fmin(least[3], point(&setup));
        }
        printf("%-14s %10.2f %10.3f %10.3f %14.3f %10.3f\n", steps[i].model, (double)bytes / 1e6,
               least[0], least[1], least[2], least[3]);
    }
    close(file);
    return 0;
}
