#include "report/measures_db.h"

#include "base/file.h"

static const char format[] = "nadi-measures 1";

void nadi_measures_say(struct nadi_database *db, const char *key, const char *value)
{
    nadi_database_text(db, key);
    nadi_database_text(db, value);
    nadi_database_row(db);
}

struct nadi_database *nadi_measures_begin(const char *path, const char *schema, const char *measure,
                                          struct nadi_diags *diags)
{
    if (nadi_file_exists(path) && !nadi_measures_is(path)) {
        (void)nadi_error(diags, "measures/foreign", NADI_IN_FILE(path),
                         "name another file with --db",
                         "the file is there already, and this command did not write it");
        return NULL;
    }
    struct nadi_database *db = nadi_database_create(path, schema, diags);
    if (!db)
        return NULL;
    nadi_database_into(db, "measures", 2);
    nadi_measures_say(db, "schema", format);
    nadi_measures_say(db, "nadi", NADI_VERSION);
    nadi_measures_say(db, "measure", measure);
    return db;
}

bool nadi_measures_is(const char *path)
{
    return nadi_database_says(path, "select value from measures where key = 'schema'", format);
}

bool nadi_measures_is_of(const char *path, const char *measure)
{
    return nadi_measures_is(path) &&
           nadi_database_says(path, "select value from measures where key = 'measure'", measure);
}
