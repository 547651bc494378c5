/* output_lock: one process at a time writes into a folder of results, or a set of files with a
 * common prefix.
 *
 * The lock is the kernel's (flock) on a hidden file: NADI_OUTPUT_LOCK_FILE in a folder,
 * ".<name>.nadi-lock" beside a set "<name>.0.et", ... It contains the number of the process and is
 * removed when the lock is released. A lock ends with its process: the file of a killed process
 * locks nothing, but marks its neighbours as unfinished, unless there is better evidence
 * (report/run_check.h). On a file system without locks nothing is locked, and there is only the
 * mark. */
#ifndef NADI_BASE_OUTPUT_LOCK_H
#define NADI_BASE_OUTPUT_LOCK_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"

#define NADI_OUTPUT_LOCK_FILE ".nadi-lock"

struct nadi_output_lock;

/* Makes the folder, or that of the prefix, and locks it. NULL with an error if it cannot be made or
 * written, or if another process has it. */
struct nadi_output_lock *nadi_output_lock_folder(const char *folder,
                                                 struct nadi_diags *diags) NADI_MUST_USE;
struct nadi_output_lock *nadi_output_lock_prefix(const char *prefix,
                                                 struct nadi_diags *diags) NADI_MUST_USE;
/* The folder or prefix, as it was named. */
const char *nadi_output_lock_path(const struct nadi_output_lock *lock);
/* False with an error when the folder is no longer the one that was locked: it was removed or
 * replaced. */
bool nadi_output_lock_holds(const struct nadi_output_lock *lock,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_output_lock_release(struct nadi_output_lock *lock); /* NULL is allowed */
/* The same, but the file stays as a mark of an unfinished output. */
void nadi_output_lock_leave(struct nadi_output_lock *lock);

enum nadi_output_state { NADI_OUTPUT_FREE = 1, NADI_OUTPUT_MARKED, NADI_OUTPUT_HELD };

/* The state seen by others; HELD: by a living process. `file`, which may be NULL, becomes the name
 * of the lock's file. */
enum nadi_output_state nadi_output_lock_of_folder(const char *folder, struct nadi_str *file);
enum nadi_output_state nadi_output_lock_of_prefix(const char *prefix, struct nadi_str *file);

#endif
