/* repeat: a trace with a part that it repeats n times repeated another number of times.
 *
 * Nodes in order of their ids are a sequence of signatures: type, name without its numbers, sizes,
 * group. A run is a unit of p nodes that stands there n times in a row.
 *
 *   NADI_REPEAT_INNER  every run of exactly n units (or n / 2, n / 3, n / 4 of them, where layers
 *                      alternate): the layers of each pass
 *   NADI_REPEAT_OUTER  the runs that what happens n times in all lies in: the micro-batches between
 *                      the warm-up and the end of a schedule; each run gets the difference
 *
 * New units are copies of the middle one. What a unit waits for in a unit before it, in the same
 * unit of another run or in the mirrored one (a backward pass) is found for the copy alike; what
 * waits for the last unit waits for the new last one, and what waits for every unit of a run for
 * every new one. Numbers of names and tags that grow from unit
 * to unit go on growing, also in what comes behind the run.
 *
 * `apart` nodes need not be regular (reductions of gradients by buckets): they stay where they are
 * in proportion, and with INNER the report says which (`spread`), so that sizes can follow. Where
 * others of their kind are in units, they are of no layer (the gathers of an embedding and a head):
 * they stay as far from the nearer end of the run, and are not spread.
 * O(nodes + dependencies), times the lengths of units that were tried. */
#ifndef NADI_TRACE_EDIT_REPEAT_H
#define NADI_TRACE_EDIT_REPEAT_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"
#include "trace/full.h"

enum nadi_repeat_kind {
    NADI_REPEAT_INNER,
    NADI_REPEAT_OUTER,
};

struct nadi_repeat {
    enum nadi_repeat_kind kind;
    uint32_t count, target; /* at least 2 and 1 */
    const char *what;       /* "layers", for messages */
    const bool *apart;      /* by node */
    const uint32_t *kinds;  /* by node: alike but for their sizes; where `apart` is not NULL */
    uint32_t passes;        /* INNER: every layer is passed so often each way; 0: not known */
    int64_t stride;         /* ranks between two stages, whose messages are in no layer; 0: none */
};

struct nadi_repeated {
    uint32_t runs, units; /* of all runs, before */
    uint32_t *source;     /* by new node: the old one; the caller frees both */
    bool *spread;         /* by new node: stood apart within a run */
    uint32_t count;       /* of new nodes */
};

/* The new trace, framed, to `out`; ids count from 1. False with an error when nothing repeats so.
 * The caller frees what `repeated` has in both cases. */
bool nadi_repeat_write(const struct nadi_full *f, const struct nadi_repeat *repeat, uint32_t rank,
                       struct nadi_str *out, struct nadi_repeated *repeated,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
