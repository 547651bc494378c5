/* run_check: is what lies in a folder one whole run?
 *
 * summary.json is written last and names every file of its run with size and SHA-256. A reader asks
 * here first. Checked always: every named file is there and has its size, and no file of ours lies
 * there that is not named. Checked of the file that the reader opens, and of no other, because it
 * costs a second a 500 MB: its digest. Files that are none of ours do not matter. */
#ifndef NADI_REPORT_RUN_CHECK_H
#define NADI_REPORT_RUN_CHECK_H

#include "report/run_files.h"

/* The files that a folder's summary.json names, without itself. False with an error; nothing is to
 * be released then. */
bool nadi_run_list_read(struct nadi_written *list, const char *folder,
                        struct nadi_diags *diags) NADI_MUST_USE;

/* `run` is a folder, or the database in it: *database becomes the database's path. A database that
 * was copied elsewhere, alone, is taken as it is. False with an error that names the file and says
 * what to do. */
bool nadi_run_check(const char *run, struct nadi_str *database,
                    struct nadi_diags *diags) NADI_MUST_USE;

#endif
