/* validate_collectives: measured collectives of a folder against the library's model on platforms
 * of the catalogue.
 *
 * Every file of the folder is read as a benchmark's output (calibrate/bench_log.h); each table is
 * held against the platform of its device, with the NICs that its comments name. Nothing is fitted:
 * the whole folder is test set. No measurement is lost: each is used, left out for a reason
 * (implausible, under-specified, unsupported) or unread, which is an error.
 *
 * error = predicted time / measured time - 1. O(rows). */
#ifndef NADI_CALIBRATE_VALIDATE_COLLECTIVES_H
#define NADI_CALIBRATE_VALIDATE_COLLECTIVES_H

#include "calibrate/fit.h"
#include "nccl/platform_find.h"

struct nadi_collective_row {
    double bytes, measured_us, predicted_us, error, rounding;
    enum nadi_comm_algorithm algorithm;
    enum nadi_comm_protocol protocol;
    bool in_place, fitted; /* fitted: the platform was made from it; no part of the sums */
    uint32_t line;
};

struct nadi_collective_table {
    const char *file;  /* without the folder */
    const char *label; /* "all-reduce, 8 x NVIDIA H100 SXM" */
    const char *system, *platform;
    const char *left_out; /* why nothing was predicted, or NULL */
    bool unread;          /* for no reader knows the file */
    enum nadi_comm_kind kind;
    uint32_t ranks, nodes, groups;
    char quality;
    struct nadi_collective_row *rows;
    size_t count;
};

/* Measurements of a file that are not used, for one reason. */
struct nadi_collective_skip {
    const char *file, *reason;
    size_t rows; /* 0: a file that cannot be read */
    bool unread;
};

struct nadi_collective_counts {
    size_t files, files_unread;
    size_t rows_used, rows_left_out, rows_unread;
};

struct nadi_validate_collectives {
    struct nadi_arena arena;
    enum nadi_fit_hold hold; /* ALL: nothing is fitted */
    struct nadi_bench_log log;
    struct nadi_comm_catalogue known;
    struct nadi_collective_table *tables;
    size_t count, capacity;
    size_t files;
    struct {
        struct nadi_collective_skip *items;
        size_t count, capacity;
    } skipped;
};

/* False with an error when the folder cannot be read. The caller releases in both cases. */
bool nadi_validate_collectives(struct nadi_validate_collectives *v, const char *folder,
                               enum nadi_fit_hold hold, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_validate_collectives_release(struct nadi_validate_collectives *v);

struct nadi_collective_counts nadi_collective_counts(const struct nadi_validate_collectives *v);

/* The platform for a table: that of its device, its NICs and its fabric as the comments say. False:
 * none is known. */
bool nadi_platform_for_table(struct nadi_comm_platform *p, const struct nadi_comm_catalogue *known,
                             const struct nadi_bench_table *t, const char **name,
                             enum nadi_comm_algorithm *algorithm) NADI_MUST_USE;

struct nadi_error_sums { /* of rows of some tables */
    size_t count;
    double mean, median, p90, worst, bias; /* of the absolute error, but the bias */
};
/* Of the test set. system NULL: all; rows of at least `least` and less than `most` bytes.
 * O(n log n). */
struct nadi_error_sums nadi_collective_sums(const struct nadi_validate_collectives *v,
                                            const char *system, double least, double most);

/* What was fitted, what is held against it: for every view. */
const char *nadi_collective_fitting_set(const struct nadi_validate_collectives *v);
const char *nadi_collective_test_set(const struct nadi_validate_collectives *v);

void nadi_validate_collectives_text(const struct nadi_validate_collectives *v, bool rows,
                                    struct nadi_str *out);
void nadi_validate_collectives_json(const struct nadi_validate_collectives *v,
                                    struct nadi_str *out);
void nadi_validate_collectives_markdown(const struct nadi_validate_collectives *v,
                                        struct nadi_str *out);

#endif
