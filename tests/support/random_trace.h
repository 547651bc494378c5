/* random_trace: traces drawn from a seed, through the library's own writer. */
#ifndef NADI_TESTS_RANDOM_TRACE_H
#define NADI_TESTS_RANDOM_TRACE_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "trace/write.h"

/* A valid trace with everything that the schema can say: every kind of attribute, texts beyond
 * ASCII, infinities, dependencies in any order, ids of 64 bits. Appended to `file`. */
void random_trace_any(struct nadi_rng *r, struct nadi_str *file);

struct random_simulable {
    uint32_t ranks;
    uint32_t most_nodes; /* a rank has 1 to so many and the collectives that all share */
    bool times;          /* start times too */
    bool metadata;       /* nodes of no time between the others */
    bool alike;          /* all ranks have the same trace; no messages */
};

/* A fleet that can be simulated without deadlock: compute on host and accelerator, collectives of
 * all ranks in the same order, matched sends and receives, dependencies backwards only. files[r] is
 * rank r's trace. */
void random_trace_fleet(struct nadi_rng *r, const struct random_simulable *options,
                        struct nadi_str *files);

#endif
