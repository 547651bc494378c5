/* child: another program as a filter: text in, text out. */
#ifndef NADI_BASE_CHILD_H
#define NADI_BASE_CHILD_H

#include "base/base.h"
#include "base/str.h"

enum nadi_child_end {
    NADI_CHILD_DONE,    /* it ended with 0 */
    NADI_CHILD_MISSING, /* no such program */
    NADI_CHILD_FAILED,  /* it failed; `errors` has its messages */
    NADI_CHILD_LATE,    /* it exceeded its time limit and was ended */
    NADI_CHILD_SYSTEM,  /* no process or no temporary file could be had */
};

/* Runs arguments[0] (searched in PATH; the list ends with NULL) with `in` as its standard input.
 * Its standard output is appended to `out`, its standard error to `errors`. */
enum nadi_child_end nadi_child_filter(const char *const *arguments, const struct nadi_str *in,
                                      unsigned seconds, struct nadi_str *out,
                                      struct nadi_str *errors) NADI_MUST_USE;

#endif
