/* bench_sheet: a table of comma-separated values, its columns known by their names. Private to
 * bench_csv and bench_columns. */
#ifndef NADI_CALIBRATE_BENCH_SHEET_H
#define NADI_CALIBRATE_BENCH_SHEET_H

#include "calibrate/bench_read.h"
#include "format/csv_read.h"

enum { MOST_VALUES = 16 };

struct value_column {
    uint32_t index;
    enum { TIME_COLUMN, BUS_COLUMN, ALGORITHM_COLUMN } what;
    double unit; /* us or GB/s */
    bool in_place, without_nvls;
    uint32_t nodes;
};

struct sheet {
    struct nadi_bench_reader *r;
    struct nadi_csv_table csv;
    struct nadi_bench_facts facts;
    struct value_column values[MOST_VALUES];
    uint32_t value_count;
    struct value_column beside[MOST_VALUES]; /* what says the same of a series again */
    uint32_t beside_count;
    uint32_t size, kind, ranks, nodes, device, algorithm, groups, pairs;
    double payload; /* without a column of sizes */
    size_t first_table;
};

/* Which columns say what, and in which units. */
void nadi_bench_find_columns(struct sheet *s);
/* Lower case, without blanks, so that "Bus BW" is "busbw"; "bandwidth" is "bw". */
void nadi_bench_squeeze(const char *name, char *out, size_t capacity);
/* The word of a column's name at *at, without what parts words; false at its end. */
bool nadi_bench_take_word(const char **at, char *word, size_t capacity);
/* A rate's unit in GB/s: "GB/s", "GBps", "GB", "gib", "Gb/s"; "gbps" is bytes. */
bool nadi_bench_rate_unit(const char *word, double *unit);
/* Are they of the same calls? */
bool nadi_bench_same_series(const struct value_column *a, const struct value_column *b);

#endif
