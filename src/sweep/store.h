/* store: the results of a sweep, one SQLite file.
 *
 *   sweep      key, value: format, version, the space as text, its digest, the number of points
 *   inputs     files that points read: path, bytes, sha256, and their content up to 1 MiB
 *   variables  position, name, what it is a key of, its form
 *   points     a row a point: its number, a column a variable, how it ended, a column a figure
 *   runs       when, how long, where a point ran: not part of the results
 *
 * Rows are committed as they come; who comes while another one writes leaves it the row and goes
 * on. A process that is killed loses what it was about to commit. One sweep at a time has the store
 * (base/output_lock.h). Rows may be added from threads. A point that is there is not written again.
 */
#ifndef NADI_SWEEP_STORE_H
#define NADI_SWEEP_STORE_H

#include "sweep/inputs_digest.h"
#include "sweep/point.h"

#define NADI_SWEEP_FORMAT "nadi-sweep/1"

struct nadi_store;

struct nadi_store_setup {
    const char *path;
    const struct nadi_space *space;
    const struct nadi_sweep_inputs *inputs;
    bool resume; /* go on where the store stopped; else there is none yet */
};

/* Makes the store, or opens the one of the same space and inputs. NULL with an error, which says
 * what differs. */
struct nadi_store *nadi_store_open(const struct nadi_store_setup *setup,
                                   struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_store_has(const struct nadi_store *s, uint64_t point);
uint64_t nadi_store_count(const struct nadi_store *s); /* points that it had when it was opened */

struct nadi_store_row {
    struct nadi_point_row result;
    const char **texts; /* of the variables */
    const struct nadi_quantity *quantities;
    const char *host;
    uint32_t worker, thread;
};

/* Adds a row and commits it, or leaves that to the thread that is at it. False once a row could not
 * be written: the sweep ends then. */
bool nadi_store_add(struct nadi_store *s, const struct nadi_store_row *row) NADI_MUST_USE;
/* The same without waiting: committed with rows that follow, or as it is closed. */
bool nadi_store_add_known(struct nadi_store *s, const struct nadi_store_row *row) NADI_MUST_USE;
/* Closes it; whole: the log goes into the file. False with what went wrong since it was opened. */
bool nadi_store_close(struct nadi_store *s, bool whole, struct nadi_diags *diags) NADI_MUST_USE;

/* --- reading --------------------------------------------------------------------------------- */

/* The rows by point as CSV: variables, how each ended, figures, error. */
bool nadi_store_csv(const char *path, struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;
/* The same after the space, version and inputs: all that a sweep decides, nothing of how it ran. */
bool nadi_store_dump(const char *path, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* How many points ended how, and the best of them. */
bool nadi_store_text(const char *path, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* Is the file a store? */
bool nadi_store_is(const char *path);

#endif
