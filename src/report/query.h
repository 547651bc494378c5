/* query: the rows of a query as text. */
#ifndef NADI_REPORT_QUERY_H
#define NADI_REPORT_QUERY_H

#include "base/diag.h"
#include "base/str.h"
#include "format/database.h"

enum nadi_query_form {
    NADI_QUERY_TABLE, /* aligned columns, for people */
    NADI_QUERY_CSV,
    NADI_QUERY_JSON,  /* an array of objects */
    NADI_QUERY_LINES, /* JSON Lines: an object a line */
};

/* Opens the database of a run: a folder that holds run.db, or that file. NULL with an error, also
 * where the folder is not one whole run (report/run_check.h). */
struct nadi_database *nadi_run_open(const char *run, struct nadi_diags *diags) NADI_MUST_USE;

/* The same, for those who read all of its tables: NULL with an error where another version wrote it
 * and some are not there. */
struct nadi_database *nadi_run_open_whole(const char *run, struct nadi_diags *diags) NADI_MUST_USE;

/* False with an error when the query is wrong or fails. */
bool nadi_query_write(struct nadi_database *db, const char *sql, enum nadi_query_form form,
                      struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;

#endif
