/* child: what the benches that run the whole program share: its inputs, the program as a child
 * process, its time, memory and finish time. */
#ifndef NADI_BENCH_CHILD_H
#define NADI_BENCH_CHILD_H

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM NADI_BUILD_DIR "/nadi"

static inline _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline void write_text(const char *path, const char *text)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_file_write(path, text, strlen(text), &diags))
        fail("cannot write the inputs");
    nadi_diags_release(&diags);
}

/* The system of the reference comparison; chunks of a collective, words of the algorithms. */
static inline void write_system(const char *path, const char *chunks, const char *algorithms)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                    " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": %s,\n"
                    " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600,\n"
                    " \"all-reduce-implementation\": [%s],\n"
                    " \"all-gather-implementation\": [%s],\n"
                    " \"reduce-scatter-implementation\": [%s],\n"
                    " \"all-to-all-implementation\": [%s]}\n",
                    chunks, algorithms, algorithms, algorithms, algorithms);
    write_text(path, nadi_str_get(&text));
    nadi_str_release(&text);
}

struct child_cost {
    double wall_s, cpu_s, user_s, peak_mb; /* cpu: user and system */
};

/* Runs the program with its standard output in out.json; returns its exit code. */
static inline int run_cost(const char *const *words, struct child_cost *cost)
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
        execvp(words[0], (char *const *)(const void *)words);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child)
        fail("lost the child process");
    clock_gettime(CLOCK_MONOTONIC, &end);
    cost->wall_s =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    cost->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    cost->user_s = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
    cost->peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static inline int run(const char *const *words, double *wall_s, double *peak_mb)
{
    struct child_cost cost;
    const int code = run_cost(words, &cost);
    *wall_s = cost.wall_s;
    *peak_mb = cost.peak_mb;
    return code;
}

/* Runs it for its files only. */
static inline void make(const char *const *words)
{
    double wall_s, peak_mb;
    if (run(words, &wall_s, &peak_mb) != 0)
        fail("nadi gen failed");
}

static inline uint64_t finish_of_last_run(void)
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

/* The best of some runs of a command, which must succeed. */
static inline uint64_t measure(const char *const *words, int runs, double *best_s, double *peak_mb)
{
    *best_s = 1e9;
    *peak_mb = 0;
    for (int i = 0; i < runs; i++) {
        double wall_s, mb;
        if (run(words, &wall_s, &mb) != 0)
            fail("nadi run failed");
        *best_s = wall_s < *best_s ? wall_s : *best_s;
        *peak_mb = mb > *peak_mb ? mb : *peak_mb;
    }
    return finish_of_last_run();
}

#endif
