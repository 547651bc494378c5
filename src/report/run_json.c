#include "report/run_json.h"

#include "base/mem.h"
#include "format/json_write.h"
#include "report/query.h"
#include "report/run_rows.h"

static void value(struct nadi_json *j, const char *key, const struct nadi_query *q, int column)
{
    if (nadi_query_is_null(q, column))
        nadi_json_null(j, key);
    else if (nadi_query_is_text(q, column))
        nadi_json_string(j, key, nadi_query_text(q, column));
    else if (nadi_query_text(q, column)[strspn(nadi_query_text(q, column), "0123456789")] == '\0')
        nadi_json_u64(j, key, nadi_query_u64(q, column));
    else
        nadi_json_double(j, key, nadi_query_double(q, column));
}

static void columns(struct nadi_json *j, const struct nadi_query *q)
{
    for (int i = 0; i < nadi_query_columns(q); i++)
        value(j, nadi_query_name(q, i), q, i);
}

/* The columns of a query's one row, into the object that is open. */
static bool fields(struct nadi_json *j, struct nadi_database *db, const char *sql,
                   struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    if (q && nadi_query_next(q, &failed, diags))
        columns(j, q);
    nadi_query_close(q);
    return q && !failed;
}

/* Rows as objects; a column without a name stands for itself. */
static bool rows(struct nadi_json *j, const char *key, struct nadi_database *db, const char *sql,
                 struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    nadi_json_array(j, key);
    while (q && nadi_query_next(q, &failed, diags)) {
        nadi_json_row(j, NULL);
        columns(j, q);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_query_close(q);
    return q && !failed;
}

static bool sentences(struct nadi_json *j, struct nadi_database *db, struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(db, NADI_RUN_WORDS_SQL, diags);
    nadi_json_array(j, "in_words");
    while (q && nadi_query_next(q, &failed, diags))
        nadi_json_string(j, NULL, nadi_query_text(q, 0));
    nadi_json_close(j);
    nadi_query_close(q);
    return q && !failed;
}

static bool head(struct nadi_json *j, const char *run, struct nadi_database *db,
                 struct nadi_diags *diags)
{
    nadi_json_string(j, "run", run);
    return fields(j, db, "select outcome, network_model, ranks, end_ns from runs", diags);
}

static bool one_run(struct nadi_json *j, const char *run, struct nadi_diags *diags)
{
    static const struct {
        const char *key, *sql;
    } parts[] = {
        {"critical_path", NADI_RUN_CAUSES_SQL},
        {"critical_path_nodes", NADI_RUN_NODES_SQL " limit 100"},
        {"critical_path_queueing",
         "select " NADI_RUN_LINK_NAME " as link, sum(duration_ns) as ns from critical_path join "
         "links as l using (link) where cause = 'link_queueing' group by l.link order by ns desc, "
         "l.link limit 100"},
        {"mean_of_ranks", NADI_RUN_MEAN_SQL " order by 2 desc"},
        {"busiest_links", "select " NADI_RUN_LINK_NAME " as link, busy_ns, bytes from links order "
                          "by busy_ns desc, links.link limit 100"},
        {"completions", "select least_bytes, below_bytes, messages, p50_ns, p90_ns, p99_ns, max_ns "
                        "from completions order by least_bytes"},
        {"packets", "select * from packets"},
        {"hashing", "select * from hashing"},
        {"tiers", "select * from tiers"},
        {"tier_roles", "select * from tier_roles"},
        {"sensitivities", "select * from sensitivities"},
        {"bounds", "select bound, ns from bounds order by ns desc"},
    };
    struct nadi_database *db = nadi_run_open_whole(run, diags);
    bool ok = db != NULL;
    nadi_json_object(j, NULL);
    ok = ok && head(j, run, db, diags) &&
         fields(j, db, "select no_path_because from runs", diags) && sentences(j, db, diags);
    for (size_t i = 0; ok && i < sizeof(parts) / sizeof(parts[0]); i++)
        ok = rows(j, parts[i].key, db, parts[i].sql, diags);
    nadi_json_close(j);
    nadi_database_close(db);
    return ok;
}

bool nadi_run_json(const char *const *runs, size_t count, struct nadi_str *out,
                   struct nadi_diags *diags)
{
    struct nadi_json j;
    bool ok = true;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-report/1");
    nadi_json_array(&j, "runs");
    for (size_t i = 0; i < count && ok; i++)
        ok = one_run(&j, runs[i], diags);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    return ok;
}

/* ---- two runs ------------------------------------------------------------------------------ */

/* bytes: else times. */
static bool pairs_of(struct nadi_json *j, const char *key, struct nadi_database *const *dbs,
                     const char *label, const char *sql, bool bytes, struct nadi_diags *diags)
{
    struct nadi_run_pairs found;
    const bool ok = nadi_run_pairs_read(dbs[0], dbs[1], sql, &found, diags);
    nadi_json_array(j, key);
    for (size_t i = 0; i < found.count; i++) {
        const struct nadi_run_pair *p = &found.items[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, label, p->label);
        nadi_json_double(j, bytes ? "first_bytes" : "first_ns", p->before);
        nadi_json_double(j, bytes ? "second_bytes" : "second_ns", p->after);
        nadi_json_double(j, bytes ? "difference_bytes" : "difference_ns", p->after - p->before);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_mem_free(found.items);
    return ok;
}

static bool pairs(struct nadi_json *j, const char *key, struct nadi_database *const *dbs,
                  const char *label, const char *sql, struct nadi_diags *diags)
{
    return pairs_of(j, key, dbs, label, sql, false, diags);
}

static void setting(void *context, const char *key, const char *before, const char *after)
{
    struct nadi_json *j = context;
    nadi_json_row(j, NULL);
    nadi_json_string(j, "key", key);
    nadi_json_string(j, "first", before);
    nadi_json_string(j, "second", after);
    nadi_json_close(j);
}

static bool end_to_end(struct nadi_json *j, struct nadi_database *const *dbs,
                       struct nadi_diags *diags)
{
    struct nadi_run_pairs ends;
    const bool ok =
        nadi_run_pairs_read(dbs[0], dbs[1], "select 'run', end_ns from runs", &ends, diags);
    if (ok && ends.count == 1)
        nadi_json_double(j, "difference_ns", ends.items[0].after - ends.items[0].before);
    nadi_mem_free(ends.items);
    return ok;
}

static bool two_runs(struct nadi_json *j, const char *const *runs, struct nadi_database *const *dbs,
                     struct nadi_diags *diags)
{
    static const char *const names[] = {"first", "second"};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        nadi_json_object(j, names[i]);
        ok &= head(j, runs[i], dbs[i], diags) &&
              rows(j, "packets", dbs[i], "select * from packets", diags);
        nadi_json_close(j);
    }
    ok = ok && end_to_end(j, dbs, diags) &&
         pairs(j, "critical_path", dbs, "cause", NADI_RUN_CAUSES_SQL, diags) &&
         pairs(j, "mean_of_ranks", dbs, "cause", NADI_RUN_MEAN_SQL, diags) &&
         pairs(j, "collectives", dbs, "collective", NADI_RUN_COLLECTIVES_SQL, diags) &&
         pairs_of(j, "tier_bytes", dbs, "tier", NADI_RUN_TIER_BYTES_SQL, true, diags) &&
         pairs(j, "tier_times", dbs, "tier", NADI_RUN_TIER_TIMES_SQL, diags);
    nadi_json_array(j, "settings");
    ok = ok && nadi_run_settings(dbs[0], dbs[1], setting, j, diags);
    nadi_json_close(j);
    return ok;
}

bool nadi_run_diff_json(const char *first, const char *second, struct nadi_str *out,
                        struct nadi_diags *diags)
{
    const char *const runs[] = {first, second};
    struct nadi_database *const one = nadi_run_open_whole(first, diags);
    struct nadi_database *const two = one ? nadi_run_open_whole(second, diags) : NULL;
    struct nadi_database *const dbs[] = {one, two};
    struct nadi_json j;
    bool ok = one && two;
    if (ok) {
        nadi_json_begin(&j, out);
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "schema", "nadi-diff/1");
        ok = two_runs(&j, runs, dbs, diags);
        nadi_json_close(&j);
        nadi_json_finish(&j);
    }
    nadi_database_close(one);
    nadi_database_close(two);
    return ok;
}
