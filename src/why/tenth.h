/* tenth: what a kind of work that is a tenth faster saves at most, where the critical path is not
 * known. The least of
 *
 *   end / 11            as if all of the run were of this kind
 *   its time / 11       of the rank that has most, where all have one graph and no messages to each
 *                       other: the critical path then is a path of that graph; else of all ranks
 *                       together; a tenth more where messages or requests meet
 *   end - computation   of the rank that computes longest, which no other kind makes quicker
 *   end - bound         the lower bound of the run (bound/bound.h) with this kind a tenth faster,
 *                       where ranks differ; not of computation
 *
 * A tenth faster communication is a tenth more of all rates and less of all latencies, a tenth
 * faster remote memory likewise. It saves less where something else becomes critical, or what waits
 * for others was counted as work of this kind. More only by what whole nanoseconds hide, or, by
 * some hundredths, where messages meet in another order. O(ranks); where ranks differ as the bound.
 */
#ifndef NADI_WHY_TENTH_H
#define NADI_WHY_TENTH_H

#include "sim/result.h"
#include "why/change.h"

/* Of a time that goes with 1 / rate. */
#define NADI_TENTH (1 - 1 / 1.1)

/* Of a run that is done, ns: at most NADI_TENTH of its end. */
double nadi_tenth_saves(const struct nadi_inputs *in, const struct nadi_result *r,
                        enum nadi_faster kind);

#endif
