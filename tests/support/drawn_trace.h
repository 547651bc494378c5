/* drawn_trace: a trace file drawn field by field: attributes of every kind and width, dependencies
 * packed and not, unknown fields, ids in any order. Unlike random_trace it holds what no writer of
 * ours would write. */
#ifndef NADI_TESTS_DRAWN_TRACE_H
#define NADI_TESTS_DRAWN_TRACE_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"

enum { DRAWN_MOST_NODES = 60 };

struct drawn_trace {
    struct nadi_arena arena;
    struct nadi_str file; /* plain */
    size_t nodes;
    uint64_t ids[DRAWN_MOST_NODES];
};

/* The caller releases file and arena. */
void drawn_trace(struct nadi_rng *r, struct drawn_trace *d);

#endif
