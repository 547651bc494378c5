/* ladder: the same workload under several network models, side by side: end to end, by collective,
 * and where they part. The first rung is the one that was chosen, the others say what it hides. */
#ifndef NADI_REPORT_LADDER_H
#define NADI_REPORT_LADDER_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"

enum { NADI_LADDER_MOST = 8 };

struct nadi_rung { /* one model's run; both finished with outcome DONE */
    const struct nadi_inputs *in;
    const struct nadi_result *r;
};

/* The factor between the first rung's end and the one farthest from it, at least 1; *other is that
 * rung. 1 where there is nothing to compare. */
double nadi_ladder_hidden(const struct nadi_rung *rungs, size_t count, size_t *other);

/* count from 1 to NADI_LADDER_MOST. At most 100 columns up to four rungs. */
void nadi_ladder_text(const struct nadi_rung *rungs, size_t count, bool colour,
                      struct nadi_str *out);
/* Schema nadi-ladder/1. */
void nadi_ladder_json(const struct nadi_rung *rungs, size_t count, struct nadi_str *out);

#endif
