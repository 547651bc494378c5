#include "sweep/curves.h"

#include "base/mem.h"
#include "base/str.h"
#include "sweep/store_inside.h"
#include "sweep/tornado.h"

enum { MOST_CURVES = 24 };

struct reading {
    struct nadi_database *db;
    struct nadi_curves *c;
    struct nadi_store_variable variables[NADI_SPACE_MOST_VARIABLES];
    struct counted {
        uint64_t values, numbers;
    } counts[NADI_SPACE_MOST_VARIABLES];
    uint32_t count, x;
    struct nadi_diags *diags;
};

/* How many values it has, and how many of them are numbers. */
static bool count_values(struct reading *r, uint32_t variable)
{
    struct counted *v = &r->counts[variable];
    struct nadi_str sql = NADI_STR_INIT;
    bool failed = true;
    nadi_str_add(&sql, "select distinct ");
    nadi_store_add_name(&sql, r->variables[variable].name);
    nadi_str_add(&sql, " from points");
    struct nadi_query *q = nadi_query_open(r->db, nadi_str_get(&sql), r->diags);
    while (q && nadi_query_next(q, &failed, r->diags)) {
        v->values++;
        v->numbers += !nadi_query_is_text(q, 0) && !nadi_query_is_null(q, 0);
    }
    nadi_query_close(q);
    nadi_str_release(&sql);
    return !failed;
}

static bool find_x(struct reading *r, const char *store)
{
    r->x = NADI_NONE;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct counted *v = &r->counts[i];
        if (!count_values(r, i))
            return false;
        if (r->x == NADI_NONE && v->numbers > 1 && v->numbers == v->values)
            r->x = i;
    }
    if (r->x == NADI_NONE)
        return nadi_error(r->diags, "sweep/curves", NADI_IN_FILE(store),
                          "let the first variable have several numbers",
                          "no variable has several numbers, over which curves could be drawn");
    r->c->x = r->variables[r->x].name;
    r->c->x_unit = r->variables[r->x].unit;
    return true;
}

static bool is_told(const struct reading *r, uint32_t variable)
{
    return variable != r->x && r->counts[variable].values > 1;
}

/* "tp 2, zero 1": values of the variables from column 2 on. */
static void add_label(const struct reading *r, const struct nadi_query *q, struct nadi_str *out)
{
    char text[48];
    int column = 2;
    for (uint32_t i = 0; i < r->count; i++) {
        if (!is_told(r, i))
            continue;
        nadi_str_printf(out, "%s%s ", out->length ? ", " : "", r->variables[i].name);
        if (nadi_query_is_text(q, column))
            nadi_str_add(out, nadi_query_text(q, column));
        else
            nadi_str_add(
                out, nadi_tornado_shown(text, r->variables[i].unit, nadi_query_double(q, column)));
        column++;
    }
}

static void add_query(const struct reading *r, const char *objective, struct nadi_str *sql)
{
    nadi_str_add(sql, "select ");
    nadi_store_add_name(sql, r->c->x);
    nadi_str_add(sql, ", ");
    nadi_store_add_name(sql, objective);
    for (uint32_t i = 0; i < r->count; i++)
        if (is_told(r, i)) {
            nadi_str_add(sql, ", ");
            nadi_store_add_name(sql, r->variables[i].name);
        }
    nadi_str_add(sql, " from points order by point");
}

/* The curve of this label; NULL: there are too many. */
static struct nadi_curve *curve_of(struct reading *r, struct nadi_curve_panel *p, const char *label,
                                   uint32_t most_points)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (strcmp(p->curves[i].label, label) == 0)
            return &p->curves[i];
    if (p->count == MOST_CURVES)
        return NULL;
    struct nadi_curve *c = &p->curves[p->count++];
    c->label = nadi_arena_strdup(&r->c->arena, label);
    c->points = NADI_ARENA_NEW(&r->c->arena, struct nadi_curve_point, most_points);
    return c;
}

static void add_point(struct nadi_curve *c, struct nadi_curve_point point)
{
    uint32_t at = c->count++;
    for (; at > 0 && c->points[at - 1].x > point.x; at--)
        c->points[at] = c->points[at - 1];
    c->points[at] = point;
}

static uint32_t count_points(struct reading *r)
{
    bool failed;
    struct nadi_query *q = nadi_query_open(r->db, "select count(*) from points", r->diags);
    const uint32_t count =
        q && nadi_query_next(q, &failed, r->diags) ? (uint32_t)nadi_query_u64(q, 0) : 0;
    nadi_query_close(q);
    return count;
}

static bool read_panel(struct reading *r, const struct nadi_store_column *objective,
                       const char *store, struct nadi_curve_panel *p)
{
    struct nadi_str sql = NADI_STR_INIT, label = NADI_STR_INIT;
    const uint32_t most_points = count_points(r);
    bool failed = true, too_many = false;
    *p = (struct nadi_curve_panel){.objective = objective->label, .unit = objective->unit};
    p->curves = NADI_ARENA_ZNEW(&r->c->arena, struct nadi_curve, MOST_CURVES);
    add_query(r, objective->name, &sql);
    struct nadi_query *q = nadi_query_open(r->db, nadi_str_get(&sql), r->diags);
    while (q && nadi_query_next(q, &failed, r->diags)) {
        p->without += nadi_query_is_null(q, 1);
        nadi_str_clear(&label);
        add_label(r, q, &label);
        struct nadi_curve *c = curve_of(r, p, nadi_str_get(&label), most_points);
        too_many |= c == NULL;
        if (c && !nadi_query_is_null(q, 1))
            add_point(c,
                      (struct nadi_curve_point){nadi_query_double(q, 0), nadi_query_double(q, 1)});
    }
    nadi_query_close(q);
    nadi_str_release(&sql);
    nadi_str_release(&label);
    if (too_many)
        return nadi_error(r->diags, "sweep/curves", NADI_IN_FILE(store),
                          "let the variable with the most values be the first, or vary fewer",
                          "there are more than %d curves over %s", MOST_CURVES, r->c->x);
    return !failed;
}

bool nadi_curves_read(struct nadi_curves *c, const char *store, struct nadi_diags *diags)
{
    struct nadi_store_column objectives[NADI_STORE_COLUMNS];
    struct reading r = {.c = c, .diags = diags};
    *c = (struct nadi_curves){.count = 0};
    nadi_arena_init(&c->arena);
    r.db = nadi_store_read(store, diags);
    if (r.db)
        r.count = nadi_store_variables(r.db, &c->arena, r.variables, diags);
    bool ok = r.db && diags->errors == 0 && find_x(&r, store);
    if (ok) {
        const uint32_t count = nadi_store_objective_columns(r.db, &c->arena, objectives, diags);
        ok = diags->errors == 0;
        c->panels = NADI_ARENA_ZNEW(&c->arena, struct nadi_curve_panel, count);
        for (; ok && c->count < count; c->count++)
            ok = read_panel(&r, &objectives[c->count], store, &c->panels[c->count]);
    }
    nadi_database_close(r.db);
    return ok;
}

void nadi_curves_release(struct nadi_curves *c)
{
    nadi_arena_release(&c->arena);
}
