/* report_case: inputs and a result made by hand, for tests of the views.
 *
 * Four ranks on [Ring 2, Switch 2]. Each runs compute "fwd", then the all-reduce "grad, \"sum\"" of
 * 1,000,000 B; rank 0 then sends 4,096 B to rank 1. Times are invented, and consistent. */
#ifndef NADI_TESTS_REPORT_CASE_H
#define NADI_TESTS_REPORT_CASE_H

#include "inputs/inputs.h"
#include "sim/result.h"

struct report_case {
    struct nadi_inputs in;
    struct nadi_result r;
};

void report_case_init(struct report_case *c);
void report_case_release(struct report_case *c);

/* A trace with the columns that views read; all nodes COMP without a name. */
struct nadi_trace *report_case_trace(struct nadi_arena *arena, uint32_t nodes);
uint32_t report_case_string(struct nadi_trace *t, const char *text);

#endif
