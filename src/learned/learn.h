/* learn: what the steps of learning share. Private to learn*.c. */
#ifndef NADI_LEARNED_LEARN_H
#define NADI_LEARNED_LEARN_H

#include "learned/grammar.h"
#include "learned/model.h"

struct nadi_learned_program { /* a stage of a job */
    uint32_t job, stage, stages;
    const struct nadi_job_program *program;
    double *features;  /* in the arena of the records, which outlive it */
    uint32_t *slot_of; /* by outermost item of its parse: the skeleton's */
};

struct nadi_learned_trust { /* features, those of most trust first */
    enum nadi_feature_kind kinds[NADI_LAW_FEATURES];
    uint8_t figures[NADI_LAW_FEATURES], counts[NADI_LAW_FEATURES];
    uint32_t figure_count, count_count;
    uint32_t trusted_count, trusted_counts; /* the first of figures, of counts */
};
void nadi_learned_trust_of(struct nadi_learned_trust *t, const struct nadi_learned_family *f);

struct nadi_learned_record;

struct nadi_learned_records { /* laws of all families: learn_borrow.c */
    struct nadi_arena arena;
    struct nadi_learned_model *model;
    struct nadi_map64 seen; /* hash of a record -> its place */
    struct {
        struct nadi_learned_record **items;
        size_t count, capacity;
    } list;
};

enum { NADI_LEARNED_TOTALS = 16 }; /* a figure: how many there are */
enum { NADI_LEARNED_WORKS = 2 };   /* FLOPs, bytes */

struct nadi_learned_seen { /* a law of some cells, which have it, and its samples */
    const struct nadi_learned_family *family;
    const char *model;       /* label of its jobs, "": none */
    uint32_t symbol, figure; /* of the vocabulary */
    struct nadi_law **members;
    uint32_t member_count, count;
    double same; /* of values: struct nadi_law_samples */
    const double *const *features;
    const double *values;
    const double *works[NADI_LEARNED_WORKS]; /* of durations: FLOPs, bytes by sample; else NULL */
};

void nadi_learned_records_init(struct nadi_learned_records *r, struct nadi_learned_model *m);
void nadi_learn_record(struct nadi_learned_records *r, const struct nadi_learned_seen *seen);
void nadi_learn_borrow(struct nadi_learned_records *r);
void nadi_learned_records_release(struct nadi_learned_records *r);

struct nadi_learning { /* of a family */
    struct nadi_diags *diags;
    struct nadi_learned_records *records;
    struct nadi_learned_model *model;
    struct nadi_learned_family *family;
    const struct nadi_vocabulary *vocabulary;
    struct nadi_learned_job *const *jobs;
    uint32_t job_count;
    struct nadi_learned_program *programs;
    uint32_t program_count;
    struct nadi_grammar grammar;
    struct {
        uint32_t *items; /* symbols of the grammar */
        size_t count, capacity;
    } skeleton;
    uint32_t *symbol_of; /* by symbol of the vocabulary: the family's, or NADI_NONE */
    uint32_t *named;     /* by symbol of the family: the vocabulary's */
    uint32_t bit_of[32]; /* by axis of the vocabulary: the family's */
    struct nadi_gru_watch watch;
};

/* learn_unroll.c: of a structural model, after the grammar. */
void nadi_learn_unroll(struct nadi_learning *l);
/* learn_skeleton.c: false with an error. */
bool nadi_learn_skeleton(struct nadi_learning *l) NADI_MUST_USE;
void nadi_learn_slots(struct nadi_learning *l);
/* learn_cells.c */
void nadi_learn_cells(struct nadi_learning *l);
/* learn_order.c: after the grammar. */
void nadi_learn_order(struct nadi_learning *l);
/* learn_totals.c: after the slots; and those that are sure, after all families. */
void nadi_learn_totals(struct nadi_learning *l);
void nadi_learn_keep_totals(struct nadi_learned_model *m);
/* learn_hide.c: after all laws. */
void nadi_learn_hide(struct nadi_learned_model *m, const struct nadi_learned_job *jobs,
                     uint32_t count);
/* learn_private.c: the public model with counts of the jobs, with noise; false with an error. The
 * caller releases the model in both cases. The grid that sizes are counted on: 1, 2, ... */
bool nadi_learn_private(struct nadi_learned_model *m, const struct nadi_learned_job *jobs,
                        uint32_t count, const struct nadi_vocabulary *v,
                        const struct nadi_learn_wish *wish, struct nadi_diags *diags) NADI_MUST_USE;
int64_t nadi_private_noise(struct nadi_rng *rng, double epsilon);
double nadi_private_grid(uint32_t at);
/* learn_sequence.c: before the grammar, instead of the skeleton, and after the cells. index: of all
 * families. */
void nadi_learn_refine(struct nadi_learning *l, struct nadi_vocabulary *v,
                       struct nadi_map64 *index);
void nadi_learn_alphabet(struct nadi_learning *l);
/* After the alphabet. By slot: does an outermost rule repeat more often at one place of a program
 * than at another? The caller frees it. */
bool *nadi_learn_uneven(const struct nadi_learning *l);
/* Of those: which of the program's, as enum nadi_learned_where, by item; of others 0. */
void nadi_learn_places(const struct nadi_learning *l, const bool *uneven, uint32_t program,
                       uint32_t *where);
void nadi_learn_network(struct nadi_learning *l, uint64_t seed);

#endif
