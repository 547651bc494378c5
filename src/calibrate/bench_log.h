/* bench_log: what benchmarks of communication wrote: nccl-tests and rccl-tests, OSU
 * micro-benchmarks and the Intel MPI Benchmarks as printed, CSV.
 *
 * A file holds one table or several; each is one collective on one set of ranks. What a table is
 * about is taken from the text itself: the lines that name the ranks and their devices, the name of
 * the program, the relation of bus to algorithm bandwidth, `# key: value` comments. What is still
 * missing can be given (struct nadi_bench_known); what is then unknown is an error that says so.
 *
 * Columns are known by their names, in any order and number. A row of a table that has too few or
 * unreadable values is an error with its line; lines that are no rows (messages of the library, of
 * mpirun, of a scheduler) are passed over. Values that the benchmark found wrong are left out, with
 * a warning. What is left out, and where `keep_going` what cannot be read, is listed with its
 * reason, so that no row is lost.
 *
 * Sizes are as in nccl/comm.h, times in us; where only a bandwidth was written, the time follows
 * from it and is marked as rounded. Texts live in the log. O(bytes). */
#ifndef NADI_CALIBRATE_BENCH_LOG_H
#define NADI_CALIBRATE_BENCH_LOG_H

#include "base/arena.h"
#include "base/diag.h"
#include "nccl/nccl.h"

struct nadi_bench_row {
    double bytes;
    double time_us;
    bool in_place;
    double rounding; /* relative: half a unit of the last digit of what the time follows from */
    uint32_t line;
};

/* A measurement that is in no table. */
struct nadi_bench_skip {
    const char *path, *reason;
    uint32_t line;
    bool unread; /* no reader knows it; else there is a reason to leave it out */
    bool told;   /* a message said so */
};

struct nadi_bench_table {
    const char *path;
    uint32_t line; /* of its header */
    enum nadi_comm_kind kind;
    uint32_t ranks, nodes; /* nodes 0: unknown */
    enum nadi_comm_partners partners;
    uint32_t groups;    /* that ran at the same time; 1 */
    uint32_t domain;    /* accelerators that one fabric connects, where the text says it; else 0 */
    uint32_t launches;  /* ranks that one host thread launches; 0: unknown */
    bool alone;         /* every call was timed by itself, not as one of a queue */
    const char *device; /* as written, "" when unknown; so are the next four */
    const char *library, *nic, *algorithm, *note;
    char quality; /* 'A', 'B', 'C' in comments of a validation table, 0: not said */
    struct nadi_bench_row *rows;
    size_t count, capacity;
};

struct nadi_bench_known { /* what the caller says; 0: taken from the text. Wins over the text. */
    enum nadi_comm_kind kind;
    uint32_t ranks, nodes, domain;
    const char *device;
    bool keep_going; /* what cannot be read is listed, the rest read */
};

struct nadi_bench_log {
    struct nadi_arena arena;
    struct nadi_bench_table *tables;
    size_t count, capacity;
    struct {
        struct nadi_bench_skip *items;
        size_t count, capacity;
    } skipped;
};

/* The one algorithm that all rows took, as a column or a comment says ("NCCL_ALGO=Ring", "ring
 * only"); AUTO for "default" and for several. */
enum nadi_comm_algorithm nadi_bench_algorithm(const struct nadi_bench_table *t);
enum nadi_comm_calls nadi_bench_calls(const struct nadi_bench_table *t);

/* Adds the tables of a text or a file. False with an error that names the line. The log is usable
 * and is released by the caller in both cases. */
bool nadi_bench_log_parse(struct nadi_bench_log *log, const char *path, const char *text,
                          size_t bytes, const struct nadi_bench_known *known,
                          struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_bench_log_read(struct nadi_bench_log *log, const char *path,
                         const struct nadi_bench_known *known,
                         struct nadi_diags *diags) NADI_MUST_USE;
void nadi_bench_log_init(struct nadi_bench_log *log);
void nadi_bench_log_release(struct nadi_bench_log *log);

#endif
