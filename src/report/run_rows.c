#include "report/run_rows.h"

#include "base/mem.h"

#include <math.h>

static struct nadi_run_pair *pair_of(struct nadi_run_pairs *pairs, const char *label)
{
    struct nadi_run_pair pair = {.before = 0};
    snprintf(pair.label, sizeof(pair.label), "%s", label);
    for (size_t i = 0; i < pairs->count; i++)
        if (nadi_str_equal(pairs->items[i].label, pair.label))
            return &pairs->items[i];
    NADI_PUSH(pairs, pair);
    return &pairs->items[pairs->count - 1];
}

static bool read_one(struct nadi_database *db, const char *sql, bool first,
                     struct nadi_run_pairs *pairs, struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    while (q && nadi_query_next(q, &failed, diags)) {
        struct nadi_run_pair *pair = pair_of(pairs, nadi_query_text(q, 0));
        *(first ? &pair->before : &pair->after) = nadi_query_double(q, 1);
    }
    nadi_query_close(q);
    return q && !failed;
}

static double difference(const struct nadi_run_pair *pair)
{
    return fabs(pair->after - pair->before);
}

static int by_difference(const void *a, const void *b)
{
    const struct nadi_run_pair *x = a, *y = b;
    const double dx = difference(x), dy = difference(y);
    return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->label, y->label);
}

bool nadi_run_pairs_read(struct nadi_database *before, struct nadi_database *after, const char *sql,
                         struct nadi_run_pairs *pairs, struct nadi_diags *diags)
{
    *pairs = (struct nadi_run_pairs){0};
    const bool ok =
        read_one(before, sql, true, pairs, diags) && read_one(after, sql, false, pairs, diags);
    if (pairs->count > 0)
        qsort(pairs->items, pairs->count, sizeof(*pairs->items), by_difference);
    return ok;
}

/* The settings of one run, as they stand in its summary. */
static const char settings_sql[] =
    "select json_extract(value, '$.file') || ': ' || json_extract(value, '$.key'), "
    "json_extract(value, '$.value') from runs, json_each(runs.summary, '$.configuration') order by "
    "1";

/* Both lists are sorted: merged, what differs or is in one alone is told. */
bool nadi_run_settings(struct nadi_database *before, struct nadi_database *after,
                       void (*differs)(void *context, const char *key, const char *before,
                                       const char *after),
                       void *context, struct nadi_diags *diags)
{
    bool failed = false, other_failed = false;
    struct nadi_query *p = nadi_query_open(before, settings_sql, diags);
    struct nadi_query *q = nadi_query_open(after, settings_sql, diags);
    bool left = p && nadi_query_next(p, &failed, diags);
    bool right = q && nadi_query_next(q, &other_failed, diags);
    while (left || right) {
        int order = !left ? 1 : !right ? -1 : strcmp(nadi_query_text(p, 0), nadi_query_text(q, 0));
        const char *old = order <= 0 ? nadi_query_text(p, 1) : NULL;
        const char *new = order >= 0 ? nadi_query_text(q, 1) : NULL;
        if (!old || !new || !nadi_str_equal(old, new))
            differs(context, nadi_query_text(order <= 0 ? p : q, 0), old, new);
        if (order <= 0)
            left = nadi_query_next(p, &failed, diags);
        if (order >= 0)
            right = nadi_query_next(q, &other_failed, diags);
    }
    const bool ok = p && q && !failed && !other_failed;
    nadi_query_close(p);
    nadi_query_close(q);
    return ok;
}
