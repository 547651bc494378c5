/* make: a job drawn from a learned model.
 *
 * The size of the job is a point: sizes of the axes and labels. What is not asked for is drawn,
 * each by itself, from those of the jobs of the family. Every stage is then one walk over the
 * skeleton. Ranks agree by construction: all ranks of a stage run one trace; the n-th receive of a
 * channel from a stage takes the bytes and the tag of that stage's n-th send; collectives across
 * stages take the bytes of the first stage. What does not pair is an error, never a trace; of a
 * sequence model, whose stages are drawn, it is left out and counted. */
#ifndef NADI_LEARNED_MAKE_H
#define NADI_LEARNED_MAKE_H

#include "base/rng.h"
#include "learned/model.h"

struct nadi_learned_wish {
    uint32_t family;                             /* NADI_NONE: drawn */
    const char *axes;                            /* "tp=4 dp=8", or NULL */
    uint32_t ranks;                              /* 0: as the axes say */
    double layers, batch, micro_batch, sequence; /* 0: drawn */
    double compute_scale, comm_scale;
    double ratio; /* compute time by bytes of communication, relative to what was learned */
    double noise; /* of durations; negative: as learned */
    uint64_t seed;
    const double *point; /* instead of a draw; NULL */
    double temperature;  /* of a sequence model's draws; 0: the most likely item always */
    uint32_t most_nodes; /* of a stage, of 64 stages at most; 0: 16 million of a million */
};

struct nadi_made_node {
    uint32_t symbol, tag;
    int32_t step; /* index into the family's steps; -1: none */
    uint64_t duration_ns, ops, bytes;
    uint32_t dep_start, dep_count;
};

struct nadi_made_stage {
    struct {
        struct nadi_made_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        uint64_t *items; /* ids: places from 1 */
        size_t count, capacity;
    } deps;
};

struct nadi_made_job {
    const struct nadi_learned_family *family;
    uint32_t number; /* of the family */
    double point[NADI_LEARNED_AXES + NADI_LEARNED_LABELS];
    uint32_t rank_count, stage_count;
    struct nadi_made_stage *stages;
    double compute_ns, comm_bytes;      /* of all stages, one rank each */
    double compute_spread, comm_spread; /* relative, of the laws: one standard deviation */
    double compute_unconfirmed, comm_unconfirmed; /* shares that no sample left out tells */
    bool beyond;              /* a size or label is beyond those that were learned */
    bool full;                /* a stage would have too many nodes */
    double epsilon;           /* of the model */
    uint64_t drawn, unpaired; /* of a sequence model: items; nodes without a partner, left out */
};

/* False with an error. The caller releases the job in both cases. */
bool nadi_learned_make(struct nadi_made_job *job, const struct nadi_learned_model *m,
                       const struct nadi_learned_wish *wish,
                       struct nadi_diags *diags) NADI_MUST_USE;
void nadi_made_job_release(struct nadi_made_job *job);

struct nadi_learned_near {
    uint32_t family;
    double point[NADI_LEARNED_AXES + NADI_LEARNED_LABELS];
    double far;       /* infinite: the family cannot make it */
    double pace;      /* the job's durations by those that the family would have */
    uint32_t strange; /* kinds of operators that one of the two has and the other has not */
};
/* False: no family has the job's axes. */
bool nadi_learned_nearest(const struct nadi_learned_model *m, const struct nadi_learned_job *job,
                          const struct nadi_vocabulary *v, struct nadi_learned_near *near);

/* The family and the point that are nearest to a job; false with an error where no family has its
 * axes. point has room for NADI_LEARNED_AXES + NADI_LEARNED_LABELS. */
bool nadi_learned_like(const struct nadi_learned_model *m, const char *workload, uint32_t *family,
                       double *point, struct nadi_diags *diags) NADI_MUST_USE;

/* Private: make_point.c, make_pair.c. */
enum { NADI_LEARNED_DRAWS = 16 };
bool nadi_make_point(struct nadi_made_job *job, const struct nadi_learned_model *m,
                     const struct nadi_learned_wish *wish, uint32_t attempt,
                     struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_make_pairs(struct nadi_made_job *job, struct nadi_diags *diags) NADI_MUST_USE;
/* make_order.c: ranks issue what is ready. Collectives across stages, and in a family whose
 * programs say so messages too, become ready one after the other. */
void nadi_make_order(struct nadi_made_job *job);
uint64_t nadi_make_pair_key(const struct nadi_made_job *job, uint32_t stage, uint32_t node);

struct nadi_making;

/* make.c: a stage's nodes, item by item. where: of the outermost cells of the slot. */
void nadi_make_begin(struct nadi_making *k, uint32_t stage);
void nadi_make_item(struct nadi_making *k, uint32_t slot, uint32_t where);
void nadi_make_end(struct nadi_making *k);

/* make_sequence.c: all stages of a job of a sequence model. */
void nadi_make_sequence(struct nadi_making *k);

/* Draws a stage's next item; false: the stage has ended. */
struct nadi_drawing;
struct nadi_draw_need {  /* what others wait for */
    uint32_t role, kind; /* a collective across stages; role NADI_NONE: none */
    uint32_t by;         /* the stage that waits for it */
    uint32_t inbox;      /* messages that nobody took yet */
    bool alone;          /* a stage has ended: no collective finds all of its group */
};
bool nadi_draw_item(struct nadi_drawing *d, uint32_t stage, const struct nadi_draw_need *need);
/* make_settle.c: runs all stages at once, drawing their items, and leaves out what waits forever:
 * receives without sends, sends without receives, collectives that not all stages of the group come
 * to. Returns how many. */
uint64_t nadi_make_settle(struct nadi_made_job *job, struct nadi_drawing *d);
/* False with an error: so many are left out that the job is not alike. */
bool nadi_make_is_settled(const struct nadi_made_job *job, struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_making {
    struct nadi_made_job *job;
    const struct nadi_learned_model *m;
    const struct nadi_learned_wish *wish;
    struct nadi_made_stage *stage;
    struct nadi_rng rng;
    double features[NADI_LAW_FEATURES];
    struct placed { /* nodes of a class so far: their places */
        uint32_t *items;
        size_t count, capacity;
    } * seen; /* by symbol */
    double compute_variance, comm_variance;
    double compute_unknown, comm_unknown; /* ns, bytes that nothing tells the spread of */
    uint32_t most_nodes, attempt;
    bool full;
};

/* make_write.c: PREFIX.stage<k>.et and PREFIX.yml, checked as `nadi trace check` does before
 * anything is written. *files: how many traces. */
bool nadi_made_job_write(const struct nadi_made_job *job, const char *prefix, uint32_t *files,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif
