/* reference: a result as the lines that ASTRA-sim 2.x prints, for scripts that read them.
 *
 *   [workload] [info] sys[R] finished, T cycles, exposed communication X cycles.
 *   [statistics] [info] sys[R]. Post statistics processing start.   ... and so on
 *
 * Each line lacks only the date in front. Ranks come in order of finishing; ranks that did not
 * finish have no lines. The order of ranks that finish in the same nanosecond is that of their last
 * node when the nodes' spans were recorded, else ascending. Where the reference gives up on the
 * statistics of a rank (processor, memory and invalid nodes) they are printed all the same. The
 * line of the category of the last node issued comes first, as there for fewer than 14 nodes; for
 * more, the reference's order follows a hash table and is not copied. O(ranks log ranks + spans).
 */
#ifndef NADI_REPORT_REFERENCE_H
#define NADI_REPORT_REFERENCE_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"

void nadi_report_reference_lines(const struct nadi_inputs *in, const struct nadi_result *r,
                                 struct nadi_str *out);

#endif
