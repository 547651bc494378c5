/* training_rows: published training runs as plans: what was run, on what, and how long a step took.
 *
 * The CSV files of a validation folder are known by their columns; each row becomes a model, a
 * cluster and the keys of a plan, or is left out with the reason. What a source does not say is
 * assumed once for all rows of the source, in its reader, and the docs list it. Nothing is taken
 * from the measured time but the time. */
#ifndef NADI_CALIBRATE_TRAINING_ROWS_H
#define NADI_CALIBRATE_TRAINING_ROWS_H

#include "base/arena.h"
#include "base/diag.h"
#include "format/csv_read.h"

enum nadi_row_fate { /* words in nadi_row_fate_words */
                     NADI_ROW_USED,
                     NADI_ROW_IMPLAUSIBLE,     /* nothing can be so fast or so slow */
                     NADI_ROW_UNDER_SPECIFIED, /* a key is missing */
                     NADI_ROW_UNSUPPORTED,     /* a feature is not simulated */
                     NADI_ROW_FATES
};

extern const char *const nadi_row_fate_words[NADI_ROW_FATES];

struct nadi_training_row {
    const char *file; /* name without the folder */
    uint32_t line;
    const char *source;     /* short name of the source: the rows of one are summed up together */
    const char *label;      /* "Llama 3.1 70B, 64 x H100, fp8" */
    const char *model;      /* of the catalogue, or NULL: */
    const char *model_text; /* a description */
    const char *cluster, *settings;
    uint32_t layers;       /* of a shortened model; 0: its own */
    const char *framework; /* NULL: not said */
    bool kept_back;        /* by the rule that no one can tune; see docs/validation.md */
    double step_s;         /* measured; or, where it is 0, what the source gives instead: */
    double rank_flops_per_s, mfu;
    enum nadi_row_fate fate;
    const char *left_out; /* why it is not predicted, or NULL */
};

static inline bool nadi_row_is_timed(const struct nadi_training_row *row)
{
    return row->step_s > 0 || row->rank_flops_per_s > 0 || row->mfu > 0;
}

struct nadi_training_file {
    const char *name;
    uint32_t rows;
    bool is_table; /* else not a .csv file: nothing is expected of it */
    bool read;
};

struct nadi_training_rows {
    struct nadi_arena arena;
    const struct nadi_training_names *names; /* of the catalogue */
    struct nadi_training_row *items;
    size_t count, capacity;
    struct {
        struct nadi_training_file *items;
        size_t count, capacity;
    } files; /* of the folder, by name */
};

/* Reads every table of the folder, each row of each. False with an error when there is none; a
 * table that cannot be read is an error in diags, and the others are read. The caller releases the
 * rows in both cases. */
bool nadi_training_rows_read(struct nadi_training_rows *rows, const char *folder,
                             struct nadi_diags *diags) NADI_MUST_USE;
void nadi_training_rows_release(struct nadi_training_rows *rows);

/* ---- for the readers, one a source ---- */
struct nadi_training_reader {
    struct nadi_training_rows *rows;
    const struct nadi_csv_table *csv;
    uint32_t row;
    const char *folder;
    const char *text; /* of the file, from `line` on */
    uint32_t line;
    const char *comments; /* its lines that begin with '#' */
};

const struct nadi_training_names *nadi_training_rows_names(struct nadi_training_rows *rows);

const char *nadi_row_text(const struct nadi_training_reader *r, const char *column);
/* The first number of the field ("1 (2)" is 1, "2560*" 2560, "43.8%" 43.8, "1,234" 1234); 0: none.
 */
double nadi_row_number(const struct nadi_training_reader *r, const char *column);
/* "8.7  5": one of them may be right, or neither. */
bool nadi_row_has_two_numbers(const struct nadi_training_reader *r, const char *column);
/* "8k": of 1000 or of 1024, nobody knows. */
bool nadi_row_has_multiple(const struct nadi_training_reader *r, const char *column);
/* The number behind `key` in a text ("TP=" in "(TP=4, PP=8)"); absent: `otherwise`. */
double nadi_text_number(const char *text, const char *key, double otherwise);
bool nadi_text_has(const char *text, const char *word); /* case ignored */
/* Copies texts to the rows' arena; file and line come from the reader. */
void nadi_row_add(struct nadi_training_reader *r, struct nadi_training_row row);
char *nadi_row_printf(struct nadi_training_reader *r, const char *format, ...) NADI_PRINTF(2, 3);

typedef void nadi_training_reader_fn(struct nadi_training_reader *r);
nadi_training_reader_fn nadi_read_sc21_table1, nadi_read_sc21_table2, nadi_read_seqpar_table5,
    nadi_read_h100_weak, nadi_read_a100_1024, nadi_read_vtrain; /* training_megatron.c */
nadi_training_reader_fn nadi_read_dgxc, nadi_read_bridge, nadi_read_nemo,
    nadi_read_mlperf;                                                      /* training_nvidia.c */
nadi_training_reader_fn nadi_read_mosaic, nadi_read_primus, nadi_read_tpu; /* training_others.c */
nadi_training_reader_fn nadi_read_own;                                     /* training_own.c */
nadi_training_reader_fn nadi_read_columns; /* training_columns.c: any table */

#endif
