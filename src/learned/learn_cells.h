/* learn_cells: what is seen of a cell. Private to learn_cells.c, learn_peers.c. */
#ifndef NADI_LEARNED_LEARN_CELLS_H
#define NADI_LEARNED_LEARN_CELLS_H

#include "learned/learn.h"

struct sample { /* of a cell, from one program */
    uint32_t program;
    uint32_t count; /* instances; of a rule: */
    double times;   /* repetitions, summed */
    double ns, ops, bytes, logs, log_squares;
    uint32_t node; /* the first: its dependencies and its peer stand for all */
};

struct cell {
    uint32_t slot, where;
    struct {
        struct sample *items;
        size_t count, capacity;
    } samples;
};

struct cells {
    struct nadi_learning *l;
    struct nadi_map64 index;
    struct {
        struct cell *items;
        size_t count, capacity;
    } list;
    struct nadi_map64 steps; /* hash of a step -> its index */
    struct nadi_learned_trust trust;
    uint32_t *met; /* by class of symbols: the last program that had one */
};

struct table { /* samples of a law */
    const double **features;
    double *values, *noises;
    double *works[NADI_LEARNED_WORKS]; /* of durations */
    uint32_t count;
    double same; /* of values */
};

enum figure { NS, OPS, BYTES, TIMES, DEPENDENCIES, PEER, FIGURES };

struct group { /* cells of a slot that say the same of a figure wherever several are seen */
    const struct sample **samples; /* one a program, ascending */
    uint32_t count, first;         /* first: of the cells that are in it */
};

static inline const struct nadi_job_program *program_of(const struct cells *c,
                                                        const struct sample *s)
{
    return c->l->programs[s->program].program;
}

/* Times of one thing may be a nanosecond apart: they are differences of whole ones. */
static const double one_tick = 1.5;

void nadi_cells_fit(const struct cells *c, struct nadi_law *law, const struct table *t,
                    enum nadi_law_target target);
/* learn_peers.c */
void nadi_cells_fit_peer(struct cells *c, const struct group *g, struct nadi_learned_cell *out,
                         struct table *t);

#endif
