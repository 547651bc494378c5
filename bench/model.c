/* model: from a model to a workload and to a step's time, the whole program as a child process.
 * Prints the best of three wall times, the processor's time and the largest memory, with what is
 * wanted beside them. The public generator needs 8 s for 64 ranks of 8 layers x 4 micro-batches,
 * 33.5 s for 16 micro-batches, and does not finish 32 layers x 16 in 300 s. */
#include "child.h"

enum { RUNS = 3 };

struct scenario {
    const char *name;
    const char *words[12]; /* of the command */
    double wanted_s, wanted_mb;
};

static const struct scenario scenarios[] = {
    {"graph: 1,024 ranks, 80 layers, 128 micro-batches",
     {"trace", "llama3-70b", "--cluster", "dgx-h100", "-o", "trace", "--set",
      "tp=8 pp=16 dp=8 batch=1024 sequence=8192 zero=1"},
     2,
     300},
    {"the same, every kernel a node",
     {"trace", "llama3-70b", "--cluster", "dgx-h100", "-o", "kernels", "--set",
      "tp=8 pp=16 dp=8 batch=1024 sequence=8192 zero=1 detail=kernel"},
     2,
     300},
    {"the same, fully sharded",
     {"trace", "llama3-70b", "--cluster", "dgx-h100", "-o", "sharded", "--set",
      "dp=1024 batch=131072 sequence=8192 zero=3"},
     2,
     300},
    {"run: GPT-3 on 1,024 A100, 1f1b",
     {"run", "gpt3-175b", "--cluster", "dgx-a100", "--brief", "--set",
      "tp=8 pp=16 dp=8 batch=1536 sequence=2048 recompute=full"},
     0.5,
     0},
    {"run: GPT-3 on 1,024 A100, 6 stages a rank",
     {"run", "gpt3-175b", "--cluster", "dgx-a100", "--brief", "--set",
      "tp=8 pp=16 vp=6 dp=8 batch=1536 sequence=2048 recompute=full"},
     0.5,
     0},
    {"run: Llama 3.1 405B on 16,384 H100",
     {"run", "llama3-405b", "--cluster", "dgx-h100", "--brief", "--set",
      "tp=8 pp=16 dp=128 batch=2048 sequence=8192 zero=1"},
     0,
     0},
    {"run: DeepSeek-V3 on 2,048 H100, 64 expert ranks",
     {"run", "deepseek-v3", "--cluster", "dgx-h100", "--brief", "--set",
      "pp=16 ep=64 dp=128 batch=15360 sequence=4096 precision=fp8 schedule=dualpipe zero=1"},
     0,
     0},
    {"memory: GPT-3 on 1,024 A100",
     {"memory", "gpt3-175b", "--cluster", "dgx-a100", "--set",
      "tp=8 pp=16 vp=6 dp=8 batch=1536 sequence=2048 recompute=full"},
     0.010,
     0},
};

static void wanted(double value, const char *unit)
{
    if (value > 0)
        printf(" <= %5g %s", value, unit);
    else
        printf(" %11s", "");
}

static void show(const struct scenario *s)
{
    const char *words[16] = {PROGRAM, "model"};
    struct child_cost best = {.wall_s = 1e9};
    for (size_t i = 0; i < sizeof(s->words) / sizeof(s->words[0]); i++)
        words[2 + i] = s->words[i];
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        if (run_cost(words, &cost) != 0)
            fail("nadi model failed");
        if (cost.wall_s < best.wall_s)
            best = cost;
    }
    printf("%-50s %8.3f s", s->name, best.wall_s);
    wanted(s->wanted_s, "s");
    printf(" %8.3f s %8.0f MB", best.cpu_s, best.peak_mb);
    wanted(s->wanted_mb, "MB");
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    printf("%-50s %10s %11s %10s %11s %12s\n", "nadi model", "wall", "wanted", "processor",
           "memory", "wanted");
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        show(&scenarios[i]);
    printf("graphs: %s\n", folder);
    return 0;
}
