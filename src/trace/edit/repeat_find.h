/* repeat_find: where a trace repeats itself. Private to repeat.h. */
#ifndef NADI_TRACE_EDIT_REPEAT_FIND_H
#define NADI_TRACE_EDIT_REPEAT_FIND_H

#include "base/map.h"
#include "trace/edit/repeat.h"

struct nadi_run { /* of the regular nodes: `units` times `period` of them from `first` on */
    uint32_t first, period, units;
    uint32_t new_units;
};

struct nadi_runs {
    uint32_t count;                   /* nodes */
    uint32_t *order;                  /* nodes by id, then place in the file */
    uint64_t *signs;                  /* by place in this order */
    bool *apart;                      /* by place: stands apart */
    bool *message;                    /* by place: between two stages */
    struct nadi_map64 totals;         /* signature: how often it is there */
    const bool *own;                  /* by node: may stand apart; NULL: none may */
    uint32_t layers, passes;          /* of a pass; of each of them, each way; 0: not known */
    uint32_t *regular, regular_count; /* places that are not apart, ascending */
    struct {
        struct nadi_run *items; /* ascending, none overlaps another */
        size_t count, capacity;
    } runs;
};

/* False with an error when there is no run, or what repeats has none. Released in both cases. */
bool nadi_runs_find(struct nadi_runs *r, const struct nadi_full *f,
                    const struct nadi_repeat *repeat, uint32_t rank,
                    struct nadi_diags *diags) NADI_MUST_USE;
void nadi_runs_release(struct nadi_runs *r);

#endif
