/* training_spec: what a row says of a run, whatever its columns are called, and the plan made of
 * it.
 *
 * Readers of one source fill it from their columns (training_*.c); a table that no reader knows is
 * read by the names of its columns (training_columns.c). What the row leaves out is taken from the
 * source's recipes; what is then still missing leaves the row out, with the key's name. */
#ifndef NADI_CALIBRATE_TRAINING_SPEC_H
#define NADI_CALIBRATE_TRAINING_SPEC_H

#include "calibrate/training_rows.h"

enum nadi_spec_number { /* 0: not said */
                        NADI_SPEC_RANKS,
                        NADI_SPEC_BATCH,
                        NADI_SPEC_MICRO_BATCH,
                        NADI_SPEC_ACCUMULATION, /* micro-batches of a replica */
                        NADI_SPEC_SEQUENCE,
                        NADI_SPEC_TP,
                        NADI_SPEC_PP,
                        NADI_SPEC_CP,
                        NADI_SPEC_VP,
                        NADI_SPEC_EP,
                        NADI_SPEC_ETP,
                        NADI_SPEC_DP,
                        NADI_SPEC_LAYERS,
                        NADI_SPEC_HIDDEN,
                        NADI_SPEC_HEADS,
                        NADI_SPEC_KV_HEADS,
                        NADI_SPEC_FFN,
                        NADI_SPEC_VOCAB,
                        NADI_SPEC_STEP_S, /* how fast it was: the first that is said counts */
                        NADI_SPEC_STEP_MS,
                        NADI_SPEC_TOKENS_PER_S,
                        NADI_SPEC_RANK_TOKENS_PER_S,
                        NADI_SPEC_SAMPLES_PER_S,
                        NADI_SPEC_TFLOPS, /* of a rank, of the model */
                        NADI_SPEC_MFU,    /* percent, or a share */
                        NADI_SPEC_NUMBERS
};

struct nadi_training_spec {
    const char *source, *label; /* NULL: made from the rest */
    const char *model;          /* as the table has it */
    const char *model_text;     /* a description; NULL: of the catalogue */
    const char *system, *precision, *framework;
    const char *release;  /* NULL: not said */
    const char *recipes;  /* name of the table; NULL: none */
    const char *settings; /* further keys of the plan; NULL: none */
    double numbers[NADI_SPEC_NUMBERS];
    double usual_sequence;   /* tokens where neither row nor recipe says; 0: none */
    bool sharded;            /* fully, by data parallelism alone */
    bool half_recomputed;    /* every second layer is computed again */
    bool needs_degrees;      /* a row that gives none is not one of tp=1 pp=1 */
    bool no_batch;           /* the table has a column of it, where nothing stands */
    const char *no_time;     /* what is wrong with a time or a rate that is there; NULL: nothing */
    const char *no_count;    /* the same of a number of things */
    const char *unsupported; /* what is in the row that is not simulated; NULL: nothing */
};

/* The column's number; notes a time, rate or count that is none. */
void nadi_spec_take(const struct nadi_training_reader *r, struct nadi_training_spec *s,
                    enum nadi_spec_number number, const char *column);

/* "fp8" of "FP8-CS", "mxfp8"; NULL: the text holds none. */
const char *nadi_spec_precision_in(const char *text);
const char *nadi_spec_precision(const char *text); /* the same; "bf16" where nothing is said */
/* Adds what the columns say by their names, and the row. */
void nadi_spec_columns(struct nadi_training_reader *r, struct nadi_training_spec *spec);
void nadi_spec_add(struct nadi_training_reader *r, struct nadi_training_spec *spec);

#endif
