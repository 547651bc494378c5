#include "report/query.h"
#include "api/inside.h"
#include "base/str.h"
#include "report/measures_db.h"
#include "report/partition.h"
#include "sweep/store.h"

/* Databases that are no run's: a sweep's, a measure's; of a partition its folder may be named. */
static struct nadi_database *open_any(const char *run, struct nadi_diags *messages)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/" NADI_PARTITION_DB, run);
    struct nadi_database *db =
        nadi_store_is(run) || nadi_measures_is(run) ? nadi_database_open(run, messages)
        : nadi_measures_is(nadi_str_get(&path)) ? nadi_database_open(nadi_str_get(&path), messages)
                                                : nadi_run_open(run, messages);
    nadi_str_release(&path);
    return db;
}

char *nadi_do_query(const char *run, const char *sql, const char *form, struct nadi_diags *messages)
{
    static const char *const words[] = {"table", "csv", "json", "jsonl"};
    struct nadi_str text = NADI_STR_INIT;
    size_t i = 0;
    while (i < 4 && !nadi_str_equal(form, words[i]))
        i++;
    if (i == 4) {
        (void)nadi_error(messages, "query/form", NADI_NOWHERE, "use table, csv, json or jsonl",
                         "no form '%s'", form);
        return NULL;
    }
    struct nadi_database *db = open_any(run, messages);
    bool ok = db && nadi_query_write(db, sql, (enum nadi_query_form)i, &text, messages);
    nadi_database_close(db);
    if (ok) {
        nadi_str_add(&text, "");
        return text.text;
    }
    nadi_str_release(&text);
    return NULL;
}
