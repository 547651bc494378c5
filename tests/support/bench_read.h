/* bench_read: a text read as the output of a benchmark. */
#ifndef NADI_SUPPORT_BENCH_READ_H
#define NADI_SUPPORT_BENCH_READ_H

#include "base/str.h"
#include "calibrate/bench_log.h"

#include <math.h>

struct read {
    struct nadi_bench_log log;
    struct nadi_diags diags;
    bool ok;
};

static inline void read_text(struct read *r, const char *name, const char *text,
                             const struct nadi_bench_known *known)
{
    nadi_bench_log_init(&r->log);
    nadi_diags_init(&r->diags);
    r->ok = nadi_bench_log_parse(&r->log, name, text, strlen(text), known, &r->diags);
}

static inline bool is(double value, double wanted)
{
    return fabs(value - wanted) < 1e-9;
}

static inline void release(struct read *r)
{
    nadi_bench_log_release(&r->log);
    nadi_diags_release(&r->diags);
}

#endif
