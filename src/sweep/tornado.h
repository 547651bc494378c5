/* tornado: what each variable does to the objectives by itself: of a store, the points that differ
 * from point 0 in one variable, by how far they move an objective. Meant for `sampling:
 * one-at-a-time`, whose points are all of that kind. */
#ifndef NADI_SWEEP_TORNADO_H
#define NADI_SWEEP_TORNADO_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_tornado_end { /* the lowest or highest value of the objective, and what gives it */
    double objective;
    const char *value;
};

struct nadi_tornado_bar {
    const char *variable, *base; /* its value in point 0 */
    struct nadi_tornado_end low, high;
    uint64_t values, without; /* other values; those that have no objective: they do not fit, ... */
};

struct nadi_tornado_part {
    const char *objective, *unit;
    int better;
    double base;
    struct nadi_tornado_bar *bars; /* the widest first */
    uint32_t count;
};

struct nadi_tornado {
    struct nadi_arena arena;
    struct nadi_tornado_part *parts; /* one per objective */
    uint32_t count;
};

/* False with an error: no store, or its point 0 has no objective. Released in both cases. */
bool nadi_tornado_read(struct nadi_tornado *t, const char *store,
                       struct nadi_diags *diags) NADI_MUST_USE;
void nadi_tornado_release(struct nadi_tornado *t);

/* A number in a unit of the store, for people. */
const char *nadi_tornado_shown(char text[48], const char *unit, double x);

#endif
