/* folder_lock: one process at a time writes into a folder of results.
 *
 * The lock is the kernel's (flock) on a file in the folder, NADI_FOLDER_LOCK_FILE, which holds the
 * number of the process and goes when the lock is released. However a process ends, its lock ends
 * with it: a file that a killed one left behind locks nothing. On a file system without locks
 * nothing is locked; that a run is whole is then seen by its readers alone (report/run_check.h). */
#ifndef NADI_BASE_FOLDER_LOCK_H
#define NADI_BASE_FOLDER_LOCK_H

#include "base/base.h"
#include "base/diag.h"

#define NADI_FOLDER_LOCK_FILE ".nadi-lock"

struct nadi_folder_lock;

/* Makes the folder and locks it. NULL with an error when it cannot be made or written into, or when
 * somebody else has it. */
struct nadi_folder_lock *nadi_folder_lock_take(const char *folder,
                                               struct nadi_diags *diags) NADI_MUST_USE;
/* The folder, as it was named. */
const char *nadi_folder_lock_path(const struct nadi_folder_lock *lock);
/* False with an error when the folder is no longer the one that was locked: it was removed or
 * replaced. */
bool nadi_folder_lock_holds(const struct nadi_folder_lock *lock,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_folder_lock_release(struct nadi_folder_lock *lock); /* NULL is allowed */

/* Does a living process hold the lock of this folder? */
bool nadi_folder_lock_is_held(const char *folder);

#endif
