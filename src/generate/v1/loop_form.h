/* loop_form: a training loop of one's own, from a file (docs/reference/input-loop.md). */
#ifndef NADI_GENERATE_V1_LOOP_FORM_H
#define NADI_GENERATE_V1_LOOP_FORM_H

#include "base/arena.h"
#include "base/diag.h"
#include "generate/v1/program.h"

enum nadi_v1_step_kind {
    NADI_V1_STEP_LAYERS,
    NADI_V1_STEP_RECOMPUTE,
    NADI_V1_STEP_COMPUTE,
    NADI_V1_STEP_COMMUNICATE,
    NADI_V1_STEP_WAIT,
    NADI_V1_STEP_KINDS
};

enum nadi_v1_which { NADI_V1_THIS_LAYER, NADI_V1_FIRST_LAYER, NADI_V1_LAST_LAYER };

enum nadi_v1_condition { /* bits of a step; in the order of the schema's words */
                         NADI_V1_IF_FIRST = 1 << 0,
                         NADI_V1_IF_LAST = 1 << 1,
                         NADI_V1_IF_INITIATES = 1 << 2,
                         NADI_V1_IF_BOTTOM = 1 << 3,
                         NADI_V1_IF_ABOVE_BOTTOM = 1 << 4,
                         NADI_V1_IF_EXCHANGES = 1 << 5,
};

struct nadi_v1_step {
    enum nadi_v1_step_kind kind;
    enum nadi_v1_phase phase;
    enum nadi_v1_which layer;
    bool descending, blocking;
    unsigned all, none; /* conditions that must hold; of which none may */
    const char *what;   /* in names */
    struct nadi_v1_step *steps;
    uint32_t count;
};

struct nadi_v1_loop_form {
    struct nadi_arena arena;
    const char *name;
    bool has_scope[NADI_V1_PHASES]; /* else the policy's */
    enum nadi_v1_scope scope[NADI_V1_PHASES];
    uint32_t block; /* 0: the workload's */
    struct nadi_v1_step *steps;
    uint32_t count;
};

/* Reads the loop for a workload, whose checkpoints, initiating layers and bottom it may replace;
 * the workload keeps it and must not outlive it. False with an error; release in both cases. */
bool nadi_v1_loop_read(struct nadi_v1_loop_form *form, const char *path, struct nadi_v1_workload *w,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory: for tests. */
bool nadi_v1_loop_parse(struct nadi_v1_loop_form *form, const char *path, const char *text,
                        size_t bytes, struct nadi_v1_workload *w,
                        struct nadi_diags *diags) NADI_MUST_USE;
void nadi_v1_loop_form_release(struct nadi_v1_loop_form *form);

#endif
