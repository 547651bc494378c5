/* executors: the ways of simulating collectives, one line each, in the order of help texts.
 *
 * From the line X(name) follow the declaration, the table's row and the words of the command line;
 * `nadi_executor_<name>` in executors.c has the rest. sim/run.c chooses the fastest that is allowed
 * and provably exact. */
#ifndef NADI_EXECUTOR_EXECUTORS_H
#define NADI_EXECUTOR_EXECUTORS_H

#include "base/base.h"

#define NADI_EXECUTORS(X, between)                                                                 \
    X(message) between X(phase)                                                                    \
    between X(fold)

#define NADI_EXECUTOR_NAME_OF(name) #name
#define NADI_EXECUTOR_ITEM_OF(name) #name,
#define NADI_EXECUTOR_ITEMS         NADI_EXECUTORS(NADI_EXECUTOR_ITEM_OF, ) /* for tables */
#define NADI_EXECUTOR_LIST          NADI_EXECUTORS(NADI_EXECUTOR_NAME_OF, ", ")

struct nadi_executor {
    const char *name;
    const char *summary;
    bool solves_phases; /* ends of a phase as a function of its starts: executor/phase_solver.h */
    bool folds;         /* equal ranks as one: sim/fold.h */
    bool keyed;         /* members of a group are matched by ends, tag and size */
};

#define NADI_EXECUTOR_DECLARE(name) extern const struct nadi_executor nadi_executor_##name;
NADI_EXECUTORS(NADI_EXECUTOR_DECLARE, )
#undef NADI_EXECUTOR_DECLARE
/* As `message`, keyed: what a mismatch falls back to; not on the command line. */
extern const struct nadi_executor nadi_executor_keyed;

/* Those of the command line, NULL-terminated. */
extern const struct nadi_executor *const nadi_executors[];
const struct nadi_executor *nadi_executor_find(const char *name); /* NULL if none */

#endif
