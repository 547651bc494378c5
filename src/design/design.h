/* design: the best cluster for several workloads, each with its best strategy.
 *
 * Branch and bound. Every design of the space is opened and priced; those that break a limit on
 * price or power are out. For the others each workload's strategies are estimated
 * (search/search.h), which bounds the step from below: no strategy is faster than its estimate over
 * 1 + margin. Designs then are taken by their bounds, best first, and simulated: of each workload
 * the strategies in the order of their bounds, until the next bound is above the best simulated
 * step, or `simulate` are done. A design whose bound is above the best answer so far ends the
 * search: so do all behind it.
 *
 * Ranges without a step are divided: design/ranges.h.
 *
 * The answer is proved where nothing is left that could be better, as far as the margin of the
 * estimates goes; else the gap says by how much the best that is left could be better. */
#ifndef NADI_DESIGN_DESIGN_H
#define NADI_DESIGN_DESIGN_H

#include "design/problem.h"
#include "format/doc_change.h"
#include "search/search.h"

struct nadi_design_step { /* of a workload */
    struct nadi_strategy strategy;
    double step_ns;  /* simulated, or estimated */
    double least_ns; /* no strategy takes less, as far as the margin goes */
    double tokens;   /* of a step */
    bool simulated;
    bool closed;          /* no other strategy could be faster */
    bool fits;            /* any does */
    double missing_bytes; /* of the nearest where none fits */
};

enum nadi_design_end {
    NADI_DESIGN_OPEN,    /* not looked at: bounded by the answer */
    NADI_DESIGN_LOOKED,  /* simulated */
    NADI_DESIGN_LIMITED, /* breaks a limit */
    NADI_DESIGN_MEMORY,  /* a workload does not fit */
    NADI_DESIGN_FAILED,  /* with `error` */
};

struct nadi_design {
    uint64_t point;
    enum nadi_design_end end;
    uint32_t broken;                         /* LIMITED: mask of limits */
    double capital, power, facility, hourly; /* NAN: not known */
    bool made_up;                            /* a figure has no source */
    struct nadi_design_step steps[NADI_DESIGN_WORKLOADS];
    double bound, value; /* of the goal, larger is better; value NAN: none */
    const char *error;
};

struct nadi_design_answer {
    struct nadi_arena arena;
    struct nadi_design *designs; /* by point */
    uint64_t count;
    uint64_t best; /* index; count: there is none */
    bool proved;
    double gap;          /* by which what is left could be better, relative; HUGE_VAL: not known */
    uint64_t strategies; /* estimated */
    uint64_t simulations;
    uint64_t priced_out, not_fitting, failed, bounded;
    uint64_t divisions; /* of ranges */
    uint32_t conflict;  /* no design: a smallest set of limits that no design keeps; 0: memory */
};

struct nadi_design_setup {
    uint32_t simulate; /* strategies of a workload on a design, at most */
    uint32_t refine;   /* designs that dividing ranges adds, at most */
    unsigned threads;  /* 0: one for each core */
    bool pareto;       /* also designs that are cheaper than all better ones */
    void (*progress)(void *context, const char *what, uint64_t done, uint64_t all); /* or NULL */
    void *context;
};

/* False with errors; no design that keeps the limits is none. The caller releases the answer in
 * both cases. */
bool nadi_design_run(struct nadi_design_answer *a, struct nadi_design_problem *p,
                     const struct nadi_design_setup *setup, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_design_answer_release(struct nadi_design_answer *a);

/* What a point changes in files, and the words of its run: valid until the next assignment. */
struct nadi_design_changes {
    struct nadi_arena arena;
    struct nadi_assignment assignment;
    struct nadi_doc_changes changes;
    const char *cluster;
    const char *settings; /* keys of plans that are of the design: " schedule=gpipe" */
};
void nadi_design_changes_init(struct nadi_design_changes *c, const struct nadi_design_problem *p);
void nadi_design_changes_take(struct nadi_design_changes *c, const struct nadi_design_problem *p,
                              uint64_t point);
/* The same of an assignment that is there already. */
void nadi_design_changes_use(struct nadi_design_changes *c, const struct nadi_design_problem *p);
void nadi_design_changes_release(struct nadi_design_changes *c);

#endif
