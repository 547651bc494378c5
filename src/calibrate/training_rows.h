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

struct nadi_training_row {
    const char *file; /* name without the folder */
    uint32_t line;
    const char *source;     /* short name of the source: the rows of one are summed up together */
    const char *label;      /* "Llama 3.1 70B, 64 x H100, fp8" */
    const char *model;      /* of the catalogue, or NULL: */
    const char *model_text; /* a description */
    const char *cluster, *settings;
    double step_s;        /* measured */
    const char *left_out; /* why it is not predicted, or NULL */
};

struct nadi_training_rows {
    struct nadi_arena arena;
    struct nadi_training_row *items;
    size_t count, capacity;
};

/* Reads every file of the folder that is known. False with an error when there is none or one
 * cannot be read. The caller releases the rows in both cases. */
bool nadi_training_rows_read(struct nadi_training_rows *rows, const char *folder,
                             struct nadi_diags *diags) NADI_MUST_USE;
void nadi_training_rows_release(struct nadi_training_rows *rows);

/* ---- for the readers, one a source ---- */
struct nadi_training_reader {
    struct nadi_training_rows *rows;
    const struct nadi_csv_table *csv;
    uint32_t row;
    const char *folder;
};

const char *nadi_row_text(const struct nadi_training_reader *r, const char *column);
/* The first number of the field ("1 (2)" is 1, "2560*" 2560, "43.8%" 43.8); 0: none. */
double nadi_row_number(const struct nadi_training_reader *r, const char *column);
/* The number behind `key` in a text ("TP=" in "(TP=4, PP=8)"); absent: `otherwise`. */
double nadi_text_number(const char *text, const char *key, double otherwise);
bool nadi_text_has(const char *text, const char *word); /* case ignored */
/* Copies texts to the rows' arena; file and line come from the reader. */
void nadi_row_add(struct nadi_training_reader *r, struct nadi_training_row row);
char *nadi_row_printf(struct nadi_training_reader *r, const char *format, ...) NADI_PRINTF(2, 3);

typedef void nadi_training_reader_fn(struct nadi_training_reader *r);
nadi_training_reader_fn nadi_read_sc21_table1, nadi_read_sc21_table2, nadi_read_seqpar_table5,
    nadi_read_h100_weak, nadi_read_a100_1024;                              /* training_megatron.c */
nadi_training_reader_fn nadi_read_dgxc, nadi_read_bridge, nadi_read_nemo;  /* training_nvidia.c */
nadi_training_reader_fn nadi_read_mosaic, nadi_read_primus, nadi_read_tpu; /* training_others.c */
nadi_training_reader_fn nadi_read_own;                                     /* training_own.c */

#endif
