/* run_case: what a run drawn from bytes must fulfil, whatever the bytes are.
 *
 * Reading ends with DONE, or with INPUT and an error. A run ends, soon after its limit of wall time
 * at the latest, with DONE, DEADLOCK or LIMIT and, but for DONE, says why. Every executor ends in
 * the same way with the same figures. No run is faster than its lower bound. Checks, summaries and
 * result folders of any of them work. What does not hold is printed and ends in abort(), as
 * NADI_BUG and the sanitizers do. */
#ifndef NADI_TESTS_RUN_CASE_H
#define NADI_TESTS_RUN_CASE_H

#include "base/base.h"

struct run_case_tally {
    uint64_t cases, refused, done, deadlocks, limits; /* each case once: by its first run */
    uint64_t folded, phases, used_bytes;
};

/* `folder` exists; its files are written anew. tally may be NULL. */
void run_case(const uint8_t *bytes, size_t count, const char *folder, struct run_case_tally *tally);
/* Where folders for it lie best: in memory, if there is such a place. */
const char *run_case_place(void);
/* Removes all that the folder holds. */
void run_case_clear(const char *folder);

#endif
