/* database: SQLite files, written once and read with queries.
 *
 *   struct nadi_database *db = nadi_database_create("run.db", schema, diags);
 *   nadi_database_into(db, "ranks", 2);
 *   nadi_database_u64(db, 0); nadi_database_text(db, "a"); nadi_database_row(db);
 *   ok = nadi_database_finish(db, diags);
 *
 * The file gets its name when it is complete. The same rows give the same bytes. Errors are kept
 * until finish. About a million rows a second. */
#ifndef NADI_FORMAT_DATABASE_H
#define NADI_FORMAT_DATABASE_H

#include "base/diag.h"
#include "base/str.h"

struct nadi_database;

/* NULL with an error when the file cannot be made. */
struct nadi_database *nadi_database_create(const char *path, const char *schema,
                                           struct nadi_diags *diags) NADI_MUST_USE;
/* The rows that follow go to this table of so many columns. */
void nadi_database_into(struct nadi_database *db, const char *table, int columns);
void nadi_database_u64(struct nadi_database *db, uint64_t value); /* above 2^63-1: null */
void nadi_database_i64(struct nadi_database *db, int64_t value);
void nadi_database_double(struct nadi_database *db, double value);    /* not finite: null */
void nadi_database_text(struct nadi_database *db, const char *value); /* NULL: null */
/* The same for a text that does not change until the row is done: not copied. */
void nadi_database_lasting(struct nadi_database *db, const char *value);
void nadi_database_bytes(struct nadi_database *db, const void *bytes,
                         size_t count); /* NULL: null */
void nadi_database_null(struct nadi_database *db);
void nadi_database_row(struct nadi_database *db);
bool nadi_database_finish(struct nadi_database *db, struct nadi_diags *diags) NADI_MUST_USE;

/* ---- growing ---- */

/* Opens a database that is written bit by bit and stays whole if its process is killed (a
 * write-ahead log beside it); made if missing. NULL with an error when it cannot be written. The
 * functions for rows above and the queries below take it; an error of a row shows at the commit. */
struct nadi_database *nadi_database_keep(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* Runs statements without results. */
bool nadi_database_do(struct nadi_database *db, const char *sql,
                      struct nadi_diags *diags) NADI_MUST_USE;
/* All rows since nadi_database_begin are in the file, whatever happens next; or none of them. */
bool nadi_database_begin(struct nadi_database *db, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_database_commit(struct nadi_database *db, struct nadi_diags *diags) NADI_MUST_USE;
/* Puts the log into the file, so that the file is all; unless somebody reads it. */
bool nadi_database_settle(struct nadi_database *db, struct nadi_diags *diags) NADI_MUST_USE;

/* ---- reading ---- */

struct nadi_query;

/* Opens the file read-only. NULL with an error if there is no such database. */
struct nadi_database *nadi_database_open(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_database_close(struct nadi_database *db); /* NULL is allowed */
/* Is the file a database whose first answer to the question is this text? */
bool nadi_database_says(const char *path, const char *sql, const char *text);
/* NULL with an error that contains SQLite's message. */
struct nadi_query *nadi_query_open(struct nadi_database *db, const char *sql,
                                   struct nadi_diags *diags) NADI_MUST_USE;
/* The next row. False at the end, or, with *failed set and an error, after a failure. */
bool nadi_query_next(struct nadi_query *q, bool *failed, struct nadi_diags *diags);
int nadi_query_columns(const struct nadi_query *q);
const char *nadi_query_name(const struct nadi_query *q, int column);
bool nadi_query_is_null(const struct nadi_query *q, int column);
bool nadi_query_is_text(const struct nadi_query *q, int column); /* also a blob */
/* Valid until the next row; "" for null. */
const char *nadi_query_text(const struct nadi_query *q, int column);
/* Also valid until the next row; NULL for null and for no bytes. */
const void *nadi_query_bytes(const struct nadi_query *q, int column, size_t *count);
uint64_t nadi_query_u64(const struct nadi_query *q, int column);
double nadi_query_double(const struct nadi_query *q, int column);
/* Adds the value as text for people and CSV: valid UTF-8 without NUL, a blob in hexadecimal; "" for
 * null. */
void nadi_query_add_text(const struct nadi_query *q, int column, struct nadi_str *out);
/* Adds it as JSON: integers exactly; a value that is not finite is null; a blob is a string of
 * hexadecimal digits; bytes that are not UTF-8 become U+FFFD. */
void nadi_query_add_json(const struct nadi_query *q, int column, struct nadi_str *out);
void nadi_query_close(struct nadi_query *q); /* NULL is allowed */

#endif
