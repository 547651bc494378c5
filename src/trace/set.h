/* set: the traces of a workload are read together and belong together: <prefix>.<rank>.et, and for
 * some a manifest, groups or traces of stages beside them.
 *
 *   struct nadi_trace_set *set = nadi_trace_set_begin(prefix, diags);
 *   ok = set && nadi_trace_set_clear(set, NULL, NULL, 0, diags) && ... every file is written ...;
 *   return nadi_trace_set_end(set, ok);
 *
 * While it is written, and after a writer that failed or was killed, a set bears a mark
 * (base/output_lock.h), and readers refuse it. Two writers at once: the second one gets an error.
 */
#ifndef NADI_TRACE_SET_H
#define NADI_TRACE_SET_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_trace_set;

/* Makes the folder of the prefix, too. NULL with an error. */
struct nadi_trace_set *nadi_trace_set_begin(const char *prefix,
                                            struct nadi_diags *diags) NADI_MUST_USE;
/* Removes the traces <stem>.<number>.et, also compressed ones and temporary files, of an earlier
 * set of more ranks or other stages, but for the `count` ranks of `keep`, ascending. `stem` stands
 * in the place of the prefix's last part, NULL: that. Only for who writes a whole set: who
 * writes some ranks leaves the others. */
bool nadi_trace_set_clear(const struct nadi_trace_set *set, const char *stem, const uint32_t *keep,
                          size_t count, struct nadi_diags *diags) NADI_MUST_USE;
/* Removes what is the same rank's as this file, which was written, under another ending: of several
 * a reader takes one. */
bool nadi_trace_set_only(const struct nadi_trace_set *set, const char *written,
                         struct nadi_diags *diags) NADI_MUST_USE;
/* Removes a file beside the set, where there is one. */
bool nadi_trace_set_remove(const struct nadi_trace_set *set, const char *name,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* Returns `ok`; true: the set is whole, and its mark goes. NULL is allowed. */
bool nadi_trace_set_end(struct nadi_trace_set *set, bool ok);

/* False with an error where the set bears a mark. `prefix`: of the traces, or of the manifest's
 * name without its ending. */
bool nadi_trace_set_is_whole(const char *prefix, struct nadi_diags *diags) NADI_MUST_USE;

/* ".et", ".et.gz", ".et.zst"; of several files of one rank the first one counts. */
enum { NADI_TRACE_ENDINGS = 3 };
extern const char *const nadi_trace_endings[NADI_TRACE_ENDINGS];

/* Splits "name.12.et" at the dot before the number; false for every other name. */
bool nadi_trace_name_split(const char *name, size_t *stem, uint32_t *rank, unsigned *ending);

#endif
