/* model: what was learned of jobs, without the jobs.
 *
 * Jobs of the same axes, kinds of operators and label `model` are a family. Its skeleton is one
 * tree of slots for all stages of all its jobs: nodes and rules that repeat. Where a slot is met
 * within its loops (first, second, within, last but one, last, only) is a cell; a cell has a law
 * (learned/law.h) for each figure: how often, how long, FLOPs, bytes, which dependencies, which
 * peer. No name and no group of the jobs is kept.
 *
 * A sequence model has every symbol and rule of the grammar once as an outermost slot, and a
 * network (learned/gru.h) that draws their order. */
#ifndef NADI_LEARNED_MODEL_H
#define NADI_LEARNED_MODEL_H

#include "learned/gru.h"
#include "learned/job.h"
#include "learned/law.h"

enum {
    NADI_LEARNED_LEVELS = 8, /* loops around a slot that tell cells apart */
    NADI_LEARNED_LABELS = 8,
    NADI_LEARNED_OFFS = 8,
};

enum nadi_learned_kind {
    NADI_LEARNED_STRUCTURAL, /* which outermost slots a program has follows from laws */
    NADI_LEARNED_SEQUENCE,   /* a network draws them, one after the other */
    NADI_LEARNED_KINDS
};

struct nadi_learned_symbol {
    uint8_t type, kind, flags;
    uint32_t role;         /* axes of the family, as bits */
    uint32_t kind_of;      /* symbol that stands for its class */
    uint32_t channel;      /* SEND, RECV */
    struct nadi_law total; /* how many a stage has that has any; CONSTANT: not known */
};

struct nadi_learned_step { /* to a peer */
    int32_t stages;
    int32_t axes[NADI_LEARNED_AXES]; /* by axis of the family */
};

struct nadi_learned_run { /* dependencies on a class: which, how many */
    uint32_t kind_of;
    struct nadi_law k, count;
    uint32_t off_count; /* 0, or NADI_LEARNED_OFFS: what k is off by, as likely each */
    int32_t off[NADI_LEARNED_OFFS];
};

struct nadi_learned_shape {
    uint32_t run_count;
    struct nadi_learned_run *runs;
};

struct nadi_learned_cell {
    uint32_t where;        /* 3 bits a loop, the innermost lowest: enum nadi_learned_where */
    struct nadi_law count; /* of a rule */
    struct nadi_law duration_ns, ops, bytes; /* of a node */
    struct nadi_law shape, peer;             /* choices: index into shapes, into steps */
    uint32_t shape_count;
    struct nadi_learned_shape *shapes;
    uint32_t jobs;  /* that it was seen in */
    uint32_t group; /* while learning: the first cell that says the same */
};

enum nadi_learned_where { /* within a loop */
                          NADI_WHERE_ONLY,
                          NADI_WHERE_FIRST,
                          NADI_WHERE_SECOND,
                          NADI_WHERE_WITHIN,
                          NADI_WHERE_LAST_BUT_ONE,
                          NADI_WHERE_LAST,
                          NADI_WHERES
};

struct nadi_learned_slot {
    uint32_t symbol;         /* of the model, or NADI_NONE: a rule */
    uint32_t first, count;   /* of a rule: its body, consecutive slots */
    struct nadi_law present; /* of the outermost */
    uint32_t cell_count;
    struct nadi_learned_cell *cells; /* ascending by where */
};

struct nadi_learned_setting { /* a label, or the size of an axis */
    char name[NADI_LEARNED_NAME];
    uint32_t value_count;
    double *values; /* of the jobs, one each */
};

enum nadi_place_feature { NADI_PLACE_FIRST, NADI_PLACE_LAST, NADI_PLACE_AT, NADI_PLACE_AHEAD };

struct nadi_learned_family {
    uint32_t jobs;
    /* features: axes that are not staged, stages, labels, layers of a stage, tokens of a pass
     * (micro-batch x sequence), a rank's share of them, then places */
    char axes[NADI_LEARNED_AXES][NADI_LEARNED_NAME]; /* innermost first; bit of a role */
    bool staged[NADI_LEARNED_AXES];
    uint32_t axis_count;
    char labels[NADI_LEARNED_LABELS][NADI_LEARNED_NAME];
    uint32_t label_count;
    double *points;    /* by job: sizes of the axes, then labels: what is drawn from */
    double *hull;      /* the least and the most of each that laws were fitted to */
    double pace;       /* of durations, relative to the laws; 1 but in a private model */
    uint32_t replicas; /* axes, as bits, whose product divides the batch; 0: no such labels */
    bool concurrent;
    bool ordered; /* collectives and messages of a rank depend on each other */
    struct {
        struct nadi_learned_symbol *items;
        size_t count, capacity;
    } symbols;
    struct {
        struct nadi_learned_step *items;
        size_t count, capacity;
    } steps;
    struct nadi_learned_slot *slots; /* the outermost first */
    uint32_t slot_count, outer_count;
    /* Of a sequence model: the outermost slots are its tokens. */
    struct nadi_gru net;
    struct nadi_law items; /* how many outermost items a program has */
    double net_loss;       /* nats a token, when trained */
};

struct nadi_learned_private { /* of all that comes from the jobs: learned/learn_private.c */
    double epsilon;           /* 0: as they are */
    uint32_t settings;        /* that half of epsilon is divided between */
    uint32_t left_out;        /* families */
    uint32_t kept;            /* sizes and paces that noise covers: those of the public model */
};

struct nadi_learned_model {
    struct nadi_arena arena;
    enum nadi_learned_kind kind;
    struct nadi_learned_private private;
    struct nadi_learned_family *families;
    uint32_t family_count, job_count;
    uint32_t *avoid; /* ascending: 24-bit hashes of sizes that one job alone has */
    uint32_t avoid_count;
};

/* Features of a stage of a job: see above. */
uint32_t nadi_learned_feature_count(const struct nadi_learned_family *f);
/* sizes: by axis of the family. */
void nadi_learned_features(const struct nadi_learned_family *f, const double *point, uint32_t stage,
                           uint32_t stages, double *features);
enum nadi_feature_kind nadi_learned_feature_kind(const struct nadi_learned_family *f,
                                                 uint32_t feature);
uint32_t nadi_learned_stages(const struct nadi_learned_family *f, const double *point);

/* The same as inputs of the network, without its progress. */
void nadi_learned_net_inputs(const struct nadi_learned_family *f, const double *features,
                             float *inputs);

/* Do the ranks along an axis of this name work together on a batch? */
bool nadi_learned_axis_shares(const char *axis);

/* Labels that say how much one pass works on: micro-batch, sequence. They stand before the others.
 */
bool nadi_learned_label_is_work(const char *name);

/* Sets those features that another value of a label changes. */
void nadi_learned_label_features(const struct nadi_learned_family *f, const char *name, bool *out);

/* Where an outermost node of a structural model is. first: of its class of symbols in the program.
 */
static inline uint32_t nadi_learned_outermost(bool first)
{
    return first ? NADI_WHERE_FIRST : NADI_WHERE_ONLY;
}

/* Where iteration i of n is. */
enum nadi_learned_where nadi_learned_where(uint32_t i, uint32_t n);

uint32_t nadi_learned_size_hash(uint64_t size);
/* A size that only one job has is not given away: the nearest of 7 bits that none has alone. */
uint64_t nadi_learned_public_size(const struct nadi_learned_model *m, double value);

struct nadi_learn_wish {
    enum nadi_learned_kind kind;
    double epsilon;              /* of a structural model; 0: no noise */
    const char *public_model;    /* with epsilon: whose rules and laws it has */
    uint64_t seed;               /* of a network's weights, of the noise */
    struct nadi_gru_watch watch; /* of the training of networks */
};

/* jobs: workloads, manifests or prefixes. False with an error. The caller releases the model in
 * both cases. */
bool nadi_learn_model(struct nadi_learned_model *m, const char *const *jobs, uint32_t count,
                      const struct nadi_learn_wish *wish, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_learned_model_release(struct nadi_learned_model *m);

#endif
