/* bench_read: what the readers of the forms of benchmark output share. Nothing outside measure/
 * includes it. */
#ifndef NADI_CALIBRATE_BENCH_READ_H
#define NADI_CALIBRATE_BENCH_READ_H

#include "base/str.h"
#include "calibrate/bench_log.h"

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
    enum nadi_comm_kind by_columns; /* what the table's columns leave possible, if but one */
    uint32_t rank_lines, processes, hosts, ranks, nodes, per_node;
    uint32_t domain, launches;
    bool alone;
    uint32_t numbered, devices; /* one more than the highest rank and device that lines name */
    const char *device, *library, *nic, *algorithm, *note;
    char quality;
};

/* Bus over algorithm bandwidth of a table's rows, summed, so that what was rounded off in small
 * ones counts little. */
struct nadi_bench_ratio {
    double bus, algorithm; /* sums */
    double doubt;          /* sum of squares of what was rounded off, of the bus bandwidth */
};

struct nadi_bench_reader {
    struct nadi_bench_log *log;
    const char *path;
    const struct nadi_bench_known *known;
    struct nadi_diags *diags;
};

/* Each line that is not blank, from 1 on, until one is refused. False: one was. A visitor may
 * change the line. */
typedef bool nadi_bench_line_fn(void *context, struct nadi_bench_line *line);
bool nadi_bench_each_line(const char *text, size_t bytes, nadi_bench_line_fn *visit, void *context);

/* A table with the facts; rows are added to it, then it is ended. */
struct nadi_bench_table *nadi_bench_begin(struct nadi_bench_reader *r,
                                          const struct nadi_bench_facts *facts, uint32_t line);
void nadi_bench_add(struct nadi_bench_table *t, struct nadi_bench_row row);
/* Both in one unit, with their relative roundings. */
void nadi_bench_ratio_add(struct nadi_bench_ratio *ratio, double bus, double bus_rounding,
                          double algorithm, double algorithm_rounding);
/* Says what is still unknown; false with an error. An empty table is dropped silently. */
bool nadi_bench_end(struct nadi_bench_reader *r, const struct nadi_bench_facts *facts,
                    const struct nadi_bench_ratio *ratio) NADI_MUST_USE;
bool nadi_bench_error(struct nadi_bench_reader *r, uint32_t line, const char *hint,
                      const char *format, ...) NADI_PRINTF(4, 5);

/* Lists a measurement that goes into no table; the caller may mark it as told. */
struct nadi_bench_skip *nadi_bench_leave_out(struct nadi_bench_reader *r, uint32_t line,
                                             bool unread, const char *reason);
/* What a program's command line or a text about it tells of how calls were made ("-g 8"). */
void nadi_bench_note_calls(struct nadi_bench_facts *facts, const char *text);

/* "12.50": the number and half a unit of its last digit relative to it. False: not a number. */
bool nadi_bench_number(const char *text, double *value, double *rounding) NADI_MUST_USE;

/* Pairs of ranks as "0>1;1>0": the first that is none, NULL where all are; how many ranks they
 * name; whether ranks receive from whom they send to, or do only one of both. */
const char *nadi_bench_wrong_pair(const char *pairs);
uint32_t nadi_bench_pairs_ranks(const char *pairs);
enum nadi_comm_partners nadi_bench_partners(const char *pairs);

/* Whether a line is the header of a table as nccl-tests and the OSU benchmarks print it. */
bool nadi_bench_is_printed(const char *text, size_t bytes) NADI_MUST_USE;
bool nadi_bench_printed(struct nadi_bench_reader *r, const char *text, size_t bytes) NADI_MUST_USE;
/* Whether a line is the header of a table of the Intel MPI Benchmarks. */
bool nadi_bench_is_imb(const char *text, size_t bytes) NADI_MUST_USE;
bool nadi_bench_imb(struct nadi_bench_reader *r, const char *text, size_t bytes) NADI_MUST_USE;
bool nadi_bench_csv(struct nadi_bench_reader *r, const char *text, size_t bytes) NADI_MUST_USE;

/* The algorithm that words about it name: "Ring", "NCCL_ALGO=allreduce:ring" of its collective,
 * "ring only"; AUTO where they leave it to the library, or are a note. Returns why they cannot be
 * heeded (several, negated or unknown names, NCCL_PROTO), or NULL. */
const char *nadi_bench_algorithm_of(const char *text, enum nadi_comm_kind kind,
                                    enum nadi_comm_algorithm *algorithm);

/* A `key: value` comment's effect on the facts (keys of validation tables). */
void nadi_bench_comment(struct nadi_bench_log *log, struct nadi_bench_facts *facts,
                        const char *text);

/* Of the OSU benchmarks: a title of something that is not fitted; the column that is read. */
bool nadi_bench_is_other_osu(const char *title);
uint32_t nadi_bench_osu_column(const char *header);

/* "# nadi collective bench: h100-node, 8 NPUs, network model auto", and "# all-gather, as
 * configured" above each of its tables; what they say. */
bool nadi_bench_is_own(const char *text);
bool nadi_bench_is_own_title(const char *text);
void nadi_bench_own(struct nadi_bench_log *log, struct nadi_bench_facts *facts, const char *text);

#endif
