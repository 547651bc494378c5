/* bench_read: what the readers of the forms of benchmark output share. Nothing outside measure/
 * includes it. */
#ifndef NADI_MEASURE_BENCH_READ_H
#define NADI_MEASURE_BENCH_READ_H

#include "base/str.h"
#include "measure/bench_log.h"

enum { NADI_BENCH_WORDS = 64 };

/* The words of one line, in place; `text` keeps the line itself. */
struct nadi_bench_line {
    char *text;
    char *copy; /* words point into it */
    char *words[NADI_BENCH_WORDS];
    uint32_t count, number;
};

struct nadi_bench_facts { /* of a table under way, from lines that are not its rows */
    enum nadi_comm_kind kind;
    uint32_t rank_lines, processes, hosts, ranks, nodes, per_node;
    uint32_t first_device;
    const char *device, *library, *nic, *algorithm, *note;
    char quality;
};

struct nadi_bench_reader {
    struct nadi_bench_log *log;
    const char *path;
    const struct nadi_bench_known *known;
    struct nadi_diags *diags;
};

/* Splits at blanks; returns what follows the line, NULL at the end. Both buffers are changed. */
void nadi_bench_words(struct nadi_bench_line *line);

/* A table with the facts; rows are added to it, then it is ended. */
struct nadi_bench_table *nadi_bench_begin(struct nadi_bench_reader *r,
                                          const struct nadi_bench_facts *facts, uint32_t line);
void nadi_bench_add(struct nadi_bench_table *t, struct nadi_bench_row row);
/* Says what is still unknown; false with an error. An empty table is dropped silently. */
bool nadi_bench_end(struct nadi_bench_reader *r, const struct nadi_bench_facts *facts,
                    double bus_ratio) NADI_MUST_USE;
bool nadi_bench_error(struct nadi_bench_reader *r, uint32_t line, const char *hint,
                      const char *format, ...) NADI_PRINTF(4, 5);

/* "12.50": the number and half a unit of its last digit relative to it. False: not a number. */
bool nadi_bench_number(const char *text, double *value, double *rounding) NADI_MUST_USE;

bool nadi_bench_printed(struct nadi_bench_reader *r, const char *text, size_t bytes) NADI_MUST_USE;
bool nadi_bench_csv(struct nadi_bench_reader *r, const char *text, size_t bytes) NADI_MUST_USE;

/* A `key: value` comment's effect on the facts (keys of validation tables). */
void nadi_bench_comment(struct nadi_bench_log *log, struct nadi_bench_facts *facts,
                        const char *text);

#endif
