#include "sweep/tornado.h"

#include "base/mem.h"
#include "base/units.h"
#include "sweep/store_inside.h"

#include <math.h>

struct reading {
    struct nadi_database *db;
    struct nadi_tornado *t;
    struct nadi_store_variable variables[NADI_SPACE_MOST_VARIABLES];
    uint32_t count;
    struct nadi_diags *diags;
};

const char *nadi_tornado_shown(char text[48], const char *unit, double x)
{
    if (strcmp(unit, "ns") == 0)
        return nadi_units_time(text, x);
    if (strcmp(unit, "B") == 0)
        return nadi_units_bytes(text, x);
    if (strcmp(unit, "B/s") == 0)
        return nadi_units_rate(text, x);
    snprintf(text, 48, fabs(x) >= 1e6 ? "%.4g%s%s" : "%.6g%s%s", x, *unit ? " " : "", unit);
    return text;
}

/* "select p.V, p.OBJECTIVE ... where p differs from point 0 in V alone" */
static void add_query(const struct reading *r, uint32_t variable, const char *objective,
                      struct nadi_str *sql)
{
    nadi_str_add(sql, "select p.");
    nadi_store_add_name(sql, r->variables[variable].name);
    nadi_str_add(sql, ", p.");
    nadi_store_add_name(sql, objective);
    nadi_str_add(sql, ", p.point from points p, points b where b.point = 0");
    for (uint32_t i = 0; i < r->count; i++) {
        if (i == variable)
            continue;
        nadi_str_add(sql, " and p.");
        nadi_store_add_name(sql, r->variables[i].name);
        nadi_str_add(sql, " is b.");
        nadi_store_add_name(sql, r->variables[i].name);
    }
    nadi_str_add(sql, " order by p.point");
}

static const char *value_text(struct reading *r, const struct nadi_query *q, const char *unit)
{
    char text[48];
    return nadi_arena_strdup(&r->t->arena,
                             nadi_query_is_text(q, 0)
                                 ? nadi_query_text(q, 0)
                                 : nadi_tornado_shown(text, unit, nadi_query_double(q, 0)));
}

static bool read_bar(struct reading *r, uint32_t variable,
                     const struct nadi_store_column *objective, double base,
                     struct nadi_tornado_bar *bar)
{
    struct nadi_str sql = NADI_STR_INIT;
    bool failed = true;
    *bar = (struct nadi_tornado_bar){
        .variable = r->variables[variable].name, .base = "", .low = {base, ""}, .high = {base, ""}};
    add_query(r, variable, objective->name, &sql);
    struct nadi_query *q = nadi_query_open(r->db, nadi_str_get(&sql), r->diags);
    while (q && nadi_query_next(q, &failed, r->diags)) {
        const char *text = value_text(r, q, r->variables[variable].unit);
        const double x = nadi_query_double(q, 1);
        if (nadi_query_u64(q, 2) == 0) {
            bar->base = bar->low.value = bar->high.value = text;
            continue;
        }
        bar->values++;
        bar->without += nadi_query_is_null(q, 1);
        if (nadi_query_is_null(q, 1))
            continue;
        if (x < bar->low.objective)
            bar->low = (struct nadi_tornado_end){x, text};
        if (x > bar->high.objective)
            bar->high = (struct nadi_tornado_end){x, text};
    }
    nadi_query_close(q);
    nadi_str_release(&sql);
    return !failed;
}

static double width(const struct nadi_tornado_bar *b)
{
    return b->high.objective - b->low.objective;
}

/* Widest first; of equal ones as the space has them. */
static void sort_bars(struct nadi_tornado_part *part)
{
    for (uint32_t i = 1; i < part->count; i++)
        for (uint32_t k = i; k > 0 && width(&part->bars[k]) > width(&part->bars[k - 1]); k--) {
            const struct nadi_tornado_bar bar = part->bars[k];
            part->bars[k] = part->bars[k - 1];
            part->bars[k - 1] = bar;
        }
}

/* NaN: point 0 has none. */
static double base_of(struct reading *r, const char *objective)
{
    struct nadi_str sql = NADI_STR_INIT;
    double base = (double)NAN;
    bool failed;
    nadi_str_add(&sql, "select ");
    nadi_store_add_name(&sql, objective);
    nadi_str_add(&sql, " from points where point = 0 and status = 'done'");
    struct nadi_query *q = nadi_query_open(r->db, nadi_str_get(&sql), r->diags);
    if (q && nadi_query_next(q, &failed, r->diags) && !nadi_query_is_null(q, 0))
        base = nadi_query_double(q, 0);
    nadi_query_close(q);
    nadi_str_release(&sql);
    return base;
}

static bool read_part(struct reading *r, const struct nadi_store_column *objective,
                      const char *store, struct nadi_tornado_part *part)
{
    *part = (struct nadi_tornado_part){.objective = objective->label,
                                       .unit = objective->unit,
                                       .better = objective->better,
                                       .base = base_of(r, objective->name)};
    if (isnan(part->base))
        return nadi_error(r->diags, "sweep/base", NADI_IN_FILE(store),
                          "let the first values of all variables be ones that run",
                          "point 0, with which all others are compared, has no %s",
                          objective->label);
    part->bars = NADI_ARENA_ZNEW(&r->t->arena, struct nadi_tornado_bar, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        if (!read_bar(r, i, objective, part->base, &part->bars[part->count]))
            return false;
        part->count += part->bars[part->count].values > 0;
    }
    sort_bars(part);
    return true;
}

bool nadi_tornado_read(struct nadi_tornado *t, const char *store, struct nadi_diags *diags)
{
    struct nadi_store_column objectives[NADI_STORE_COLUMNS];
    struct reading r = {.t = t, .diags = diags};
    *t = (struct nadi_tornado){.count = 0};
    nadi_arena_init(&t->arena);
    r.db = nadi_store_read(store, diags);
    if (r.db)
        r.count = nadi_store_variables(r.db, &t->arena, r.variables, diags);
    bool ok = r.db && diags->errors == 0;
    if (ok) {
        const uint32_t count = nadi_store_objective_columns(r.db, &t->arena, objectives, diags);
        ok = diags->errors == 0;
        t->parts = NADI_ARENA_ZNEW(&t->arena, struct nadi_tornado_part, count);
        for (; ok && t->count < count; t->count++)
            ok = read_part(&r, &objectives[t->count], store, &t->parts[t->count]);
    }
    nadi_database_close(r.db);
    return ok;
}

void nadi_tornado_release(struct nadi_tornado *t)
{
    nadi_arena_release(&t->arena);
}
