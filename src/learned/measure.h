/* measure: how alike two jobs are (fidelity), and how much of some jobs is in another (privacy). */
#ifndef NADI_LEARNED_MEASURE_H
#define NADI_LEARNED_MEASURE_H

#include "base/arena.h"
#include "base/diag.h"

enum {
    NADI_FIDELITY_NETWORKS = 5,
    NADI_FIDELITY_KINDS = 24,
    NADI_FIDELITY_POINTS = 64, /* of a distribution, for pictures */
};

struct nadi_distance {  /* between two distributions */
    double ks;          /* Kolmogorov-Smirnov; times 1 ns, or a tick and 0.1 %, apart are equal */
    double close;       /* the same where values within 0.1 % count as equal */
    double near;        /* the same within 5 % */
    double wasserstein; /* of the first kind, by the mean of the first job */
    double quantiles[2][NADI_FIDELITY_POINTS];
};

struct nadi_fidelity_kind {
    char name[48];
    uint64_t nodes[2]; /* of all ranks */
    struct nadi_distance duration, size;
};

struct nadi_fidelity_network {
    const char *name;
    const char *why_not; /* NULL: simulated */
    double end_ns[2], exposed_ns[2], compute_share[2], overlap[2];
};

struct nadi_fidelity {
    uint32_t ranks[2];
    double tick_ns;     /* 1, or 1000 where all times of the first job are whole microseconds */
    double kinds_apart; /* total variation of the numbers of nodes by kind */
    struct nadi_fidelity_kind kinds[NADI_FIDELITY_KINDS];
    uint32_t kind_count;
    struct nadi_distance fan_in, fan_out;
    struct nadi_fidelity_network networks[NADI_FIDELITY_NETWORKS];
};

/* real, synthetic: workloads. False with an error. */
bool nadi_fidelity_measure(struct nadi_fidelity *f, const char *real, const char *synthetic,
                           struct nadi_diags *diags) NADI_MUST_USE;

/* By what an attacker guesses who was learned from: the more a job has of it, the likelier. */
enum nadi_attacker {
    NADI_ATTACK_RUNS,  /* longest runs in common, as a share of the longer of the two */
    NADI_ATTACK_EXACT, /* share of its operators (kind, ns, FLOPs, bytes) in synthetic jobs */
    NADI_ATTACK_NEAR,  /* the same within 2 % */
    NADI_ATTACKS
};

struct nadi_privacy_job {
    const char *path;
    double share[NADI_ATTACKS];
    uint32_t run; /* longest run of operators in common with a synthetic job */
};

struct nadi_auc {     /* how often a training job has the larger share; NAN: nobody held out */
    double value;     /* 0.5: guessing, 1: certainty */
    double deviation; /* standard, by DeLong's formula; NAN: one job on a side */
};

struct nadi_privacy {
    struct nadi_privacy_job *jobs; /* training, then held out */
    uint32_t trained, held;
    uint32_t nearest;         /* training job with the most in common */
    uint32_t run, shared_run; /* longest in common with one; with all training jobs */
    uint64_t lone_sizes,
        lone_sizes_out;        /* that one training job alone has; of them in the output */
    uint64_t names, names_out; /* of training jobs; of them in the output */
    struct nadi_auc auc[NADI_ATTACKS];
    enum nadi_attacker strongest; /* of these: who has the largest AUC */
    double guessing_deviation;    /* standard, of one who knows nothing, with so few jobs */
};

/* The caller keeps the paths; jobs live in the arena. */
bool nadi_privacy_measure(struct nadi_privacy *p, const char *const *training, uint32_t trained,
                          const char *const *held, uint32_t held_count,
                          const char *const *synthetic, uint32_t synthetic_count,
                          struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

#endif
