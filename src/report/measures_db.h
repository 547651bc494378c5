/* measures_db: databases of what one command found, for `nadi query`: a table `measures` of keys
 * and values (schema, nadi, measure, and what the measure says of itself), and the measure's own.
 */
#ifndef NADI_REPORT_MEASURES_DB_H
#define NADI_REPORT_MEASURES_DB_H

#include "base/diag.h"
#include "format/database.h"

/* At the head of a schema. */
#define NADI_MEASURES_TABLE "create table measures(key text primary key, value text) without rowid;"

/* Ready for more rows of `measures`. NULL with an error, also where another program's file stands
 * there. */
struct nadi_database *nadi_measures_begin(const char *path, const char *schema, const char *measure,
                                          struct nadi_diags *diags) NADI_MUST_USE;
void nadi_measures_say(struct nadi_database *db, const char *key, const char *value);
/* Is the file such a database? */
bool nadi_measures_is(const char *path);
/* Of this command: "fidelity"? */
bool nadi_measures_is_of(const char *path, const char *measure);

#endif
