/* space_points: the points of a space, and their values. */
#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "format/number.h"
#include "sweep/space_inside.h"

#include <math.h>

#define MOST_POINTS 10000000
#define MOST_TRIED  2000000000

void nadi_assignment_init(struct nadi_assignment *a, const struct nadi_space *s)
{
    nadi_arena_init(&a->arena);
    a->texts = NADI_ZNEW(const char *, s->variable_count);
    a->quantities = NADI_ZNEW(struct nadi_quantity, s->variable_count);
}

void nadi_assignment_release(struct nadi_assignment *a)
{
    nadi_arena_release(&a->arena);
    nadi_mem_free(a->texts);
    nadi_mem_free(a->quantities);
}

/* --- one value ------------------------------------------------------------------------------- */

static void assign_drawn(const struct nadi_space_variable *v, double choice,
                         struct nadi_assignment *a, uint32_t index)
{
    if (v->form == NADI_VARIABLE_LIST) {
        a->texts[index] = v->texts[(uint32_t)choice];
        a->quantities[index] = v->quantities[(uint32_t)choice];
        return;
    }
    struct nadi_str text = NADI_STR_INIT;
    nadi_number_add_double(&text, choice);
    nadi_str_add(&text, v->unit);
    a->texts[index] = nadi_arena_strdup(&a->arena, nadi_str_get(&text));
    nadi_str_release(&text);
    if (!nadi_space_quantity(v, a->texts[index], &a->quantities[index]))
        NADI_BUG("%s = %s is within its range", v->name, a->texts[index]);
}

/* Is the quantity one that the key takes? Its text, as a file has it. */
static bool text_of(const struct nadi_space_variable *v, const struct nadi_quantity *q,
                    struct nadi_arena *arena, const char **written,
                    struct nadi_expression_fault *fault)
{
    const enum nadi_dimension dimension = v->setting ? v->setting->dimension : NADI_DIMENSION_NONE;
    struct nadi_str text = NADI_STR_INIT;
    double number = q->number;
    char unit[64];
    *written = q->text;
    if (q->text)
        return true;
    const bool plain = nadi_quantity_is_plain(q);
    if (!plain && v->of && !nadi_quantity_in(q, dimension, &number)) {
        snprintf(fault->text, sizeof(fault->text), "%s does not take %s", v->name,
                 nadi_quantity_unit(q, unit));
        fault->column = 0;
        fault->hint = NULL;
        return false;
    }
    nadi_number_add_double(&text, number);
    if (!plain)
        nadi_str_add(&text,
                     v->of ? nadi_setting_base_unit(v->setting) : nadi_quantity_unit(q, unit));
    *written = nadi_arena_strdup(arena, nadi_str_get(&text));
    nadi_str_release(&text);
    return true;
}

static bool assign_expression(const struct nadi_space *s, uint32_t index, struct nadi_assignment *a,
                              struct nadi_arena *arena, struct nadi_expression_fault *fault)
{
    const struct nadi_space_variable *v = &s->variables[index];
    struct nadi_quantity *q = &a->quantities[index], again;
    if (!nadi_expression_value(&v->expression, a->quantities, q, fault) ||
        !text_of(v, q, arena, &a->texts[index], fault))
        return false;
    /* a plain number that the key reads in its own unit is that to other expressions as well */
    if (v->setting && nadi_space_quantity(v, a->texts[index], &again))
        *q = again;
    return true;
}

/* --- all points ------------------------------------------------------------------------------ */

struct maker {
    struct nadi_space *s;
    struct nadi_diags *diags;
    struct nadi_assignment a;
    uint32_t of_axis[NADI_SPACE_MOST_VARIABLES];
    double choice[NADI_SPACE_MOST_VARIABLES];
    size_t room;
    uint64_t tried;
    struct nadi_map64 seen;
    struct nadi_arena texts[NADI_SPACE_MOST_VARIABLES + 1]; /* by level */
};

bool nadi_space_depends_on_range(const struct nadi_space *s, uint32_t variable)
{
    const struct nadi_space_variable *v = &s->variables[variable];
    bool depends = v->form == NADI_VARIABLE_RANGE;
    for (uint32_t i = 0; v->form == NADI_VARIABLE_EXPRESSION && i < v->expression.name_count; i++)
        depends |= nadi_space_depends_on_range(s, v->expression.names[i]);
    return depends;
}

static bool is_ranged(const struct nadi_space *s, uint32_t constraint)
{
    const struct nadi_expression *e = &s->constraints[constraint];
    for (uint32_t i = 0; i < e->name_count; i++)
        if (nadi_space_depends_on_range(s, e->names[i]))
            return true;
    return false;
}

/* Expressions and constraints that the first `level` axes decide; *keeps: no constraint is broken.
 * False with an error. */
static bool decide(struct maker *m, uint32_t level, bool *keeps)
{
    struct nadi_space *s = m->s;
    struct nadi_expression_fault fault;
    *keeps = true;
    nadi_arena_release(&m->texts[level]);
    nadi_arena_init(&m->texts[level]);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const uint32_t index = s->order[i];
        const struct nadi_space_variable *v = &s->variables[index];
        if (v->form == NADI_VARIABLE_EXPRESSION && v->level == level &&
            !assign_expression(s, index, &m->a, &m->texts[level], &fault))
            return nadi_expression_error(&v->expression, &fault, m->diags);
    }
    for (uint32_t i = 0; *keeps && i < s->constraint_count; i++)
        if (s->constraint_levels[i] == level && !(s->is_divided && is_ranged(s, i)) &&
            !nadi_expression_holds(&s->constraints[i], m->a.quantities, keeps, &fault))
            return nadi_expression_error(&s->constraints[i], &fault, m->diags);
    return true;
}

static bool keep(struct maker *m)
{
    struct nadi_space *s = m->s;
    const size_t n = s->axis_count ? s->axis_count : 1;
    if (s->point_count == MOST_POINTS)
        return nadi_error(m->diags, "space/points", NADI_IN_FILE(s->path),
                          "add constraints, or sampling: sobol and points: 10000",
                          "the space has more than %d points", MOST_POINTS);
    if ((s->point_count + 1) * n > m->room)
        s->choices = nadi_mem_grow(s->choices, &m->room, (s->point_count + 1) * n, sizeof(double));
    memcpy(s->choices + s->point_count * s->axis_count, m->choice, s->axis_count * sizeof(double));
    s->point_count++;
    return true;
}

static bool grid(struct maker *m, uint32_t axis)
{
    struct nadi_space *s = m->s;
    bool keeps;
    if (axis == s->axis_count)
        return keep(m);
    const uint32_t index = m->of_axis[axis];
    const struct nadi_space_variable *v = &s->variables[index];
    const bool is_range = v->form == NADI_VARIABLE_RANGE; /* of designs */
    for (uint32_t i = 0; i < (is_range ? 1 : v->count); i++) {
        m->choice[axis] = is_range ? nadi_space_rounded(v, v->low) : i;
        assign_drawn(v, m->choice[axis], &m->a, index);
        if (++m->tried == MOST_TRIED)
            return nadi_error(m->diags, "space/points", NADI_IN_FILE(s->path),
                              "sampling: sobol, or fewer values",
                              "after %d combinations the grid still has no end", MOST_TRIED);
        if (!decide(m, axis + 1, &keeps) || (keeps && !grid(m, axis + 1)))
            return false;
        s->left_out += !keeps;
    }
    return true;
}

/* Is the point new? */
static bool is_new(struct maker *m)
{
    const struct nadi_space *s = m->s;
    uint64_t words[NADI_SPACE_MOST_VARIABLES];
    bool added;
    memcpy(words, m->choice, s->axis_count * sizeof(double));
    const uint32_t *at = nadi_map64_put(&m->seen, nadi_hash_words(words, s->axis_count),
                                        (uint32_t)s->point_count, &added);
    return added || memcmp(s->choices + (size_t)*at * s->axis_count, m->choice,
                           s->axis_count * sizeof(double)) != 0;
}

bool nadi_space_is_whole(const struct nadi_space_variable *v)
{
    return v->setting && v->setting->type == NADI_TYPE_INTEGER && !v->unit[0];
}

double nadi_space_rounded(const struct nadi_space_variable *v, double x)
{
    x = nadi_space_is_whole(v) ? round(x) : x;
    return x < v->low ? v->low : x > v->high ? v->high : x;
}

static bool add_drawn(struct maker *m, const double *u, bool may_repeat)
{
    struct nadi_space *s = m->s;
    bool keeps = true;
    nadi_arena_release(&m->a.arena);
    nadi_arena_init(&m->a.arena);
    for (uint32_t d = 0; d < s->axis_count; d++) {
        const struct nadi_space_variable *v = &s->variables[m->of_axis[d]];
        double x = floor(u[d] * v->count);
        if (v->form == NADI_VARIABLE_RANGE) {
            x = v->logarithmic ? v->low * pow(v->high / v->low, u[d])
                               : v->low + (v->high - v->low) * u[d];
            x = nadi_space_rounded(v, x);
        }
        m->choice[d] = x;
        assign_drawn(v, x, &m->a, m->of_axis[d]);
    }
    for (uint32_t level = 1; keeps && level <= s->axis_count; level++)
        if (!decide(m, level, &keeps))
            return false;
    if (!keeps) {
        s->left_out++;
        return true;
    }
    if (!may_repeat && !is_new(m)) {
        s->repeated++;
        return true;
    }
    return keep(m);
}

static bool sobol(struct maker *m)
{
    struct nadi_space *s = m->s;
    double shift[NADI_SOBOL_DIMS], u[NADI_SOBOL_DIMS];
    struct nadi_rng rng;
    nadi_rng_init(&rng, s->seed, "sobol");
    for (uint32_t d = 0; d < s->axis_count; d++)
        shift[d] = s->seed ? nadi_rng_unit(&rng) : 0;
    for (uint64_t i = 0; i < s->wanted; i++) {
        nadi_sobol(i, s->axis_count, u);
        for (uint32_t d = 0; d < s->axis_count; d++)
            u[d] = u[d] + shift[d] - (u[d] + shift[d] >= 1);
        if (!add_drawn(m, u, false))
            return false;
    }
    return true;
}

/* Each variable's range in as many parts as there are points, each of which has one. */
static bool latin(struct maker *m)
{
    struct nadi_space *s = m->s;
    double u[NADI_SPACE_MOST_VARIABLES];
    uint32_t *parts = NADI_NEW(uint32_t, s->wanted * s->axis_count);
    struct nadi_rng rng;
    bool ok = true;
    for (uint32_t d = 0; d < s->axis_count; d++) {
        uint32_t *own = parts + d * s->wanted;
        nadi_rng_init(&rng, s->seed, s->variables[m->of_axis[d]].name);
        for (uint32_t i = 0; i < s->wanted; i++) {
            const uint64_t j = nadi_rng_below(&rng, i + 1);
            own[i] = own[j];
            own[j] = i;
        }
    }
    nadi_rng_init(&rng, s->seed, "latin-hypercube");
    for (uint64_t i = 0; ok && i < s->wanted; i++) {
        for (uint32_t d = 0; d < s->axis_count; d++)
            u[d] = (parts[d * s->wanted + i] + nadi_rng_unit(&rng)) / (double)s->wanted;
        ok = add_drawn(m, u, false);
    }
    nadi_mem_free(parts);
    return ok;
}

static bool rows(struct maker *m)
{
    struct nadi_space *s = m->s;
    double u[NADI_SPACE_MOST_VARIABLES];
    for (uint64_t i = 0; i < s->wanted; i++) {
        for (uint32_t d = 0; d < s->axis_count; d++) {
            const uint32_t count = s->variables[m->of_axis[d]].count;
            u[d] = count > 1 ? ((double)i + 0.5) / count : 0;
        }
        if (!add_drawn(m, u, true))
            return false;
    }
    return true;
}

/* The first value of each variable, but for one. *keeps: it is a point. False with an error. */
static bool add_alone(struct maker *m, uint32_t axis, uint32_t value, bool *keeps)
{
    struct nadi_space *s = m->s;
    *keeps = true;
    for (uint32_t d = 0; d < s->axis_count; d++) {
        m->choice[d] = d == axis ? value : 0;
        assign_drawn(&s->variables[m->of_axis[d]], m->choice[d], &m->a, m->of_axis[d]);
    }
    for (uint32_t level = 1; *keeps && level <= s->axis_count; level++)
        if (!decide(m, level, keeps))
            return false;
    s->left_out += !*keeps;
    return !*keeps || keep(m);
}

static bool alone(struct maker *m)
{
    struct nadi_space *s = m->s;
    bool keeps;
    if (!add_alone(m, 0, 0, &keeps))
        return false;
    if (!keeps)
        return nadi_error(m->diags, "space/base", NADI_IN_FILE(s->path),
                          "write the value first that all others are compared with",
                          "the first values of all variables break a constraint");
    for (uint32_t d = 0; d < s->axis_count; d++)
        for (uint32_t i = 1; i < s->variables[m->of_axis[d]].count; i++)
            if (!add_alone(m, d, i, &keeps))
                return false;
    return true;
}

static bool make(struct maker *m)
{
    bool keeps;
    if (!decide(m, 0, &keeps))
        return false;
    if (!keeps)
        return true;
    switch (m->s->sampling) {
    case NADI_SAMPLING_GRID:
        return grid(m, 0);
    case NADI_SAMPLING_LATIN:
        return latin(m);
    case NADI_SAMPLING_SOBOL:
        return sobol(m);
    case NADI_SAMPLING_ALONE:
        return alone(m);
    case NADI_SAMPLING_FILE:
        break;
    }
    return rows(m);
}

/* Makes all points. */
static bool make_all(struct nadi_space *s, struct nadi_diags *diags)
{
    struct maker *m = NADI_ZNEW(struct maker, 1);
    m->s = s;
    m->diags = diags;
    nadi_assignment_init(&m->a, s);
    nadi_map64_init(&m->seen, 64);
    for (uint32_t i = 0; i <= s->axis_count; i++)
        nadi_arena_init(&m->texts[i]);
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (s->variables[i].form != NADI_VARIABLE_EXPRESSION)
            m->of_axis[s->variables[i].axis] = i;
    bool ok = make(m);
    nadi_map64_release(&m->seen);
    for (uint32_t i = 0; i <= s->axis_count; i++)
        nadi_arena_release(&m->texts[i]);
    nadi_assignment_release(&m->a);
    nadi_mem_free(m);
    if (ok && s->point_count == 0)
        ok = nadi_error(diags, "space/points", NADI_IN_FILE(s->path), NULL,
                        "no point keeps all constraints");
    return ok;
}

bool nadi_space_enumerate(struct nadi_space *s, struct nadi_diags *diags)
{
    NADI_ASSERT(!s->is_divided);
    return make_all(s, diags);
}

double *nadi_space_choices(struct nadi_space *s, uint64_t *count, struct nadi_diags *diags)
{
    const bool ok = make_all(s, diags);
    double *rows = s->choices;
    *count = ok ? s->point_count : 0;
    s->choices = NULL;
    s->point_count = 0;
    return rows;
}

uint64_t nadi_space_add_point(struct nadi_space *s, const double *choice)
{
    const uint64_t n = s->point_count++;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, ... */
        double *more = NADI_NEW(double, (n ? 2 * n : 1) * s->axis_count);
        if (n)
            memcpy(more, s->choices, n * s->axis_count * sizeof(*more));
        nadi_mem_free(s->choices);
        s->choices = more;
    }
    memcpy(s->choices + n * s->axis_count, choice, s->axis_count * sizeof(*choice));
    return n;
}

bool nadi_space_keeps(const struct nadi_space *s, uint32_t constraint,
                      const struct nadi_assignment *a)
{
    struct nadi_expression_fault fault;
    bool keeps;
    return nadi_expression_holds(&s->constraints[constraint], a->quantities, &keeps, &fault) &&
           keeps;
}

bool nadi_space_assign_choice(const struct nadi_space *s, const double *choice,
                              struct nadi_assignment *a)
{
    struct nadi_expression_fault fault;
    nadi_arena_release(&a->arena);
    nadi_arena_init(&a->arena);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const uint32_t index = s->order[i];
        const struct nadi_space_variable *v = &s->variables[index];
        if (v->form != NADI_VARIABLE_EXPRESSION)
            assign_drawn(v, choice[v->axis], a, index);
        else if (!assign_expression(s, index, a, &a->arena, &fault))
            return false;
    }
    return true;
}

void nadi_space_assign(const struct nadi_space *s, uint64_t point, struct nadi_assignment *a)
{
    NADI_ASSERT(point < s->point_count);
    if (!nadi_space_assign_choice(s, s->choices + point * s->axis_count, a))
        NADI_BUG("an expression of point %" PRIu64 " has no value any more", point);
}
