#include "report/page_learned.h"

#include "base/file.h"
#include "report/measures_db.h"
#include "report/page_table.h"
#include "report/run_files.h"

struct measure {
    const char *name;
    const char *const *tables; /* NULL after the last */
};

static const char *const fidelity_tables[] = {"measures", "kinds",     "dependencies",
                                              "networks", "quantiles", NULL};
static const char *const privacy_tables[] = {"measures", "jobs", "privacy", NULL};

static bool put_tables(const struct measure *m, const char *path, struct nadi_str *out,
                       struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_database_open(path, diags);
    bool ok = db != NULL;
    for (int i = 0; ok && m->tables[i]; i++) {
        struct nadi_str sql = NADI_STR_INIT;
        nadi_str_printf(&sql, "select * from %s", m->tables[i]);
        nadi_str_printf(out, "%s\"%s\":", i ? "," : "{", m->tables[i]);
        ok = nadi_page_put_table(db, nadi_str_get(&sql), out, diags);
        nadi_str_release(&sql);
    }
    nadi_str_add_char(out, '}');
    nadi_database_close(db);
    return ok;
}

static bool put_measure(const struct measure *m, const char *folder, struct nadi_str *out,
                        struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    bool ok = true;
    nadi_str_printf(&path, "%s%s.db", folder, m->name);
    nadi_str_printf(out, ",\"%s\":", m->name);
    if (!nadi_file_exists(nadi_str_get(&path)))
        nadi_str_add(out, "null");
    else if (!nadi_measures_is_of(nadi_str_get(&path), m->name))
        ok = nadi_error(diags, "report/measures", NADI_IN_FILE(nadi_str_get(&path)),
                        "give the file another name, or write it there with --db",
                        "this is not a database of `nadi trace %s`, which a page of the run shows",
                        m->name);
    else
        ok = put_tables(m, nadi_str_get(&path), out, diags);
    nadi_str_release(&path);
    return ok;
}

/* With a slash at its end; the folder that one is in now: nothing. */
static void folder_of(const char *run, struct nadi_str *folder)
{
    struct nadi_str database = NADI_STR_INIT;
    const char *slash = strrchr(run, '/');
    nadi_str_printf(&database, "%s/" NADI_RUN_DB_FILE, run);
    if (nadi_file_exists(nadi_str_get(&database)))
        nadi_str_printf(folder, "%s/", run);
    else if (slash)
        nadi_str_add_bytes(folder, run, (size_t)(slash - run) + 1);
    nadi_str_release(&database);
}

bool nadi_page_put_learned(const char *run, struct nadi_str *out, struct nadi_diags *diags)
{
    static const struct measure measures[] = {{"fidelity", fidelity_tables},
                                              {"privacy", privacy_tables}};
    struct nadi_str folder = NADI_STR_INIT;
    bool ok = true;
    folder_of(run, &folder);
    for (size_t i = 0; ok && i < sizeof(measures) / sizeof(*measures); i++)
        ok = put_measure(&measures[i], nadi_str_get(&folder), out, diags);
    nadi_str_release(&folder);
    return ok;
}
