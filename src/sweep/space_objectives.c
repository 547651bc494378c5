/* space_objectives: what the points of a space are compared by: figures, and expressions of them.
 */
#include "base/mem.h"
#include "sweep/figure.h"
#include "sweep/space_inside.h"

#include <math.h>

/* --- units ----------------------------------------------------------------------------------- */

static const struct unit {
    const char *name;
    double scale; /* of one in the units of quantities */
    int8_t powers[NADI_POWERS];
} units[] = {
    {"", 1, {0}},
    {"ns", 1, {[NADI_POWER_NS] = 1}},
    {"1/s", 1e-9, {[NADI_POWER_NS] = -1}},
    {"B", 1, {[NADI_POWER_BYTE] = 1}},
    {"FLOP/s", 1e-9, {[NADI_POWER_FLOP] = 1, [NADI_POWER_NS] = -1}},
    {"$", 1, {[NADI_POWER_DOLLAR] = 1}},
    {"J", 1, {[NADI_POWER_JOULE] = 1}},
    {"W", 1e-9, {[NADI_POWER_JOULE] = 1, [NADI_POWER_NS] = -1}},
    {"$/h", 1 / 3.6e12, {[NADI_POWER_DOLLAR] = 1, [NADI_POWER_NS] = -1}},
    {"1/$", 1, {[NADI_POWER_DOLLAR] = -1}},
    {"1/J", 1, {[NADI_POWER_JOULE] = -1}},
};

static struct nadi_quantity figure_quantity(uint32_t figure, double number)
{
    struct nadi_quantity q = nadi_quantity_plain(number);
    size_t i = 0;
    while (i < sizeof(units) / sizeof(*units) &&
           strcmp(units[i].name, nadi_sweep_figures[figure].unit) != 0)
        i++;
    NADI_ASSERT(i < sizeof(units) / sizeof(*units));
    q.number = number * units[i].scale;
    memcpy(q.powers, units[i].powers, sizeof(q.powers));
    return q;
}

/* As figures have it, or else in the units of quantities. */
static void take_unit(struct nadi_space *s, struct nadi_derived *d, const struct nadi_quantity *q)
{
    char text[64];
    d->scale = 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (memcmp(units[i].powers, q->powers, sizeof(q->powers)) == 0) {
            d->unit = units[i].name;
            d->scale = 1 / units[i].scale;
            return;
        }
    d->unit = nadi_arena_strdup(&s->arena, nadi_quantity_unit(q, text));
}

/* --- values ---------------------------------------------------------------------------------- */

enum { MOST_NAMES = NADI_SPACE_MOST_VARIABLES + NADI_SWEEP_FIGURES + NADI_SPACE_MOST_DERIVED };

/* False: it has no value. */
static bool value_of(const struct nadi_derived *d, const struct nadi_quantity *values,
                     struct nadi_quantity *q, struct nadi_expression_fault *fault)
{
    for (uint32_t i = 0; i < d->expression.name_count; i++) {
        const struct nadi_quantity *used = &values[d->expression.names[i]];
        if (!used->text && isnan(used->number))
            return false;
    }
    return nadi_expression_value(&d->expression, values, q, fault);
}

void nadi_space_derive(const struct nadi_space *s, const struct nadi_quantity *values,
                       const double *figures, double derived[NADI_SPACE_MOST_DERIVED])
{
    struct nadi_quantity all[MOST_NAMES];
    struct nadi_expression_fault fault;
    if (s->derived_count == 0)
        return;
    memcpy(all, values, s->variable_count * sizeof(*values));
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        all[s->variable_count + i] = figure_quantity(i, figures[i]);
    for (uint32_t i = 0; i < s->derived_count; i++) {
        struct nadi_quantity *q = &all[s->variable_count + NADI_SWEEP_FIGURES + i];
        if (!value_of(&s->derived[i], all, q, &fault) || q->text)
            *q = nadi_quantity_plain((double)NAN);
        derived[i] = q->number * s->derived[i].scale;
    }
}

bool nadi_space_wants(const struct nadi_space *s, uint32_t figure)
{
    for (uint32_t i = 0; i < s->objective_count; i++)
        if (s->objectives[i] == figure)
            return true;
    for (uint32_t i = 0; i < s->derived_count; i++)
        for (uint32_t k = 0; k < s->derived[i].expression.name_count; k++)
            if (s->derived[i].expression.names[k] == s->variable_count + figure)
                return true;
    return false;
}

/* --- reading --------------------------------------------------------------------------------- */

static uint32_t find_name(const void *context, const char *name, size_t length)
{
    const struct nadi_space *s = context;
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (nadi_expression_same_name(s->variables[i].name, name, length))
            return i;
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++) {
        const struct nadi_sweep_figure *f = &nadi_sweep_figures[i];
        if (nadi_expression_same_name(f->column, name, length) ||
            (f->objective && nadi_expression_same_name(f->objective, name, length)))
            return s->variable_count + i;
    }
    for (uint32_t i = 0; i < s->derived_count; i++)
        if (nadi_expression_same_name(s->derived[i].name, name, length))
            return s->variable_count + NADI_SWEEP_FIGURES + i;
    return NADI_NONE;
}

static struct nadi_expression_names names_of(struct nadi_space *s)
{
    const char **all = NADI_ARENA_NEW(&s->arena, const char *, MOST_NAMES);
    size_t count = 0;
    for (uint32_t i = 0; i < s->variable_count; i++)
        all[count++] = s->variables[i].name;
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        all[count++] = nadi_sweep_figures[i].objective ? nadi_sweep_figures[i].objective
                                                       : nadi_sweep_figures[i].column;
    for (uint32_t i = 0; i < s->derived_count; i++)
        all[count++] = s->derived[i].name;
    return (struct nadi_expression_names){
        .find = find_name, .context = s, .all = all, .count = count};
}

/* Values with the right units; several, since one of them may be where there is no value. */
static void sample(const struct nadi_space *s, int trial, struct nadi_quantity *all)
{
    struct nadi_expression_fault fault;
    for (uint32_t k = 0; k < s->variable_count; k++) {
        const uint32_t i = s->order[k];
        const struct nadi_space_variable *v = &s->variables[i];
        char text[128];
        all[i] = nadi_quantity_plain(1);
        if (v->form == NADI_VARIABLE_LIST)
            all[i] = v->quantities[(uint32_t)trial % v->count];
        else if (v->form == NADI_VARIABLE_EXPRESSION) {
            if (!nadi_expression_value(&v->expression, all, &all[i], &fault))
                all[i] = nadi_quantity_plain(1);
        } else {
            snprintf(text, sizeof(text), "%.12g%s", v->high, v->unit);
            if (!nadi_space_quantity(v, text, &all[i]))
                all[i] = nadi_quantity_plain(1);
        }
    }
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        all[s->variable_count + i] = figure_quantity(i, 1.7 + i * 0.31 + trial * 0.59);
}

/* Do its units go together? */
static bool check_units(struct nadi_space_reader *r, struct nadi_derived *d)
{
    enum { TRIALS = 4 };
    struct nadi_space *s = r->s;
    struct nadi_quantity all[MOST_NAMES], q;
    struct nadi_expression_fault fault;
    for (int trial = 0; trial < TRIALS; trial++) {
        bool known = true;
        sample(s, trial, all);
        for (uint32_t i = 0; known && i < s->derived_count; i++)
            known = nadi_expression_value(&s->derived[i].expression, all,
                                          &all[s->variable_count + NADI_SWEEP_FIGURES + i], &fault);
        if (!known || !nadi_expression_value(&d->expression, all, &q, &fault))
            continue;
        if (q.text)
            return nadi_error(r->diags, "space/derived", d->expression.place, NULL,
                              "'%s' is a text; what is compared is a number", d->name);
        take_unit(s, d, &q);
        return true;
    }
    return nadi_expression_error(&d->expression, &fault, r->diags);
}

static bool is_word(const char *name)
{
    bool is = name[0] && !(name[0] >= '0' && name[0] <= '9');
    for (; *name; name++)
        is &= (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
              (*name >= '0' && *name <= '9') || *name == '_' || *name == '-';
    return is;
}

static bool read_derived(struct nadi_space_reader *r, const struct nadi_doc *doc,
                         const struct nadi_doc_node *map)
{
    struct nadi_space *s = r->s;
    s->derived = NADI_ARENA_ZNEW(&s->arena, struct nadi_derived, NADI_SPACE_MOST_DERIVED);
    for (const struct nadi_doc_node *n = map ? map->first : NULL; n; n = n->next) {
        struct nadi_derived *d = &s->derived[s->derived_count];
        struct nadi_place place = nadi_doc_place(doc, n);
        const char *name = nadi_doc_key(n);
        if (s->derived_count == NADI_SPACE_MOST_DERIVED)
            return nadi_error(r->diags, "space/derived", place, NULL,
                              "there are more than %d derived figures", NADI_SPACE_MOST_DERIVED);
        if (n->kind != NADI_DOC_SCALAR || !is_word(name))
            return nadi_error(r->diags, "space/derived", nadi_doc_key_place(doc, n),
                              "derived: {price-of-speed: capital / tokens_per_second}",
                              "'%s' is no name with an expression", name);
        if (find_name(s, name, strlen(name)) != NADI_NONE)
            return nadi_error(r->diags, "space/derived", nadi_doc_key_place(doc, n),
                              "give it another name", "'%s' is a variable or a figure already",
                              name);
        const struct nadi_expression_names names = names_of(s);
        place.file = s->path;
        place.column += n->quoted;
        d->name = nadi_arena_strdup(&s->arena, name);
        if (!nadi_expression_parse(&d->expression, n->text, place, &names, &s->arena, r->diags) ||
            !check_units(r, d))
            return false;
        s->derived_count++;
    }
    return true;
}

static uint32_t find_derived(const struct nadi_space *s, const char *name)
{
    for (uint32_t i = 0; i < s->derived_count; i++)
        if (strcmp(s->derived[i].name, name) == 0)
            return i;
    return NADI_NONE;
}

static bool refuse_objective(const struct nadi_space_reader *r, const char *text,
                             struct nadi_place place)
{
    const char *names[NADI_SWEEP_FIGURES + NADI_SPACE_MOST_DERIVED];
    size_t count = 0;
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        if (nadi_sweep_figures[i].objective)
            names[count++] = nadi_sweep_figures[i].objective;
    for (uint32_t i = 0; i < r->s->derived_count; i++)
        names[count++] = r->s->derived[i].name;
    const char *near = nadi_str_nearest(text, names, count);
    return nadi_error(r->diags, "space/objective", place,
                      near ? nadi_arena_printf(&r->s->arena, "did you mean '%s'?", near)
                           : "step-time, tokens-per-second, mfu, memory, ...: docs/guide/sweep.md",
                      "there is no objective '%s'", text);
}

/* "memory", "max price-of-speed" */
static bool read_objective(struct nadi_space_reader *r, const char *text, struct nadi_place place,
                           uint32_t *objective)
{
    struct nadi_space *s = r->s;
    const bool directed = strncmp(text, "min ", 4) == 0 || strncmp(text, "max ", 4) == 0;
    const char *name = directed ? text + 4 + strspn(text + 4, " ") : text;
    const uint32_t d = find_derived(s, name), figure = nadi_sweep_objective(name);
    if (d == NADI_NONE && figure == NADI_NONE)
        return refuse_objective(r, name, place);
    if (d == NADI_NONE && directed)
        return nadi_error(r->diags, "space/objective", place,
                          nadi_arena_printf(&s->arena, "write '%s'", name),
                          "which '%s' is better is known: %s", name,
                          nadi_sweep_figures[figure].better < 0 ? "the lowest" : "the highest");
    if (d != NADI_NONE && !directed)
        return nadi_error(r->diags, "space/objective", place,
                          nadi_arena_printf(&s->arena, "write 'min %s' or 'max %s'", name, name),
                          "is the lowest '%s' the best, or the highest?", name);
    if (d != NADI_NONE)
        s->derived[d].better = text[1] == 'i' ? -1 : 1;
    *objective = d == NADI_NONE ? figure : NADI_SWEEP_FIGURES + d;
    return true;
}

static struct nadi_place place_of(const struct nadi_space *s, const struct nadi_schema_value *list,
                                  uint32_t i)
{
    struct nadi_place place = NADI_IN_FILE(s->path);
    place.line = list->items[i].node->line;
    place.column = list->items[i].node->column;
    return place;
}

static bool names(const struct nadi_space *s, const char *setting)
{
    return nadi_space_word_of(s, setting) || nadi_space_variable_of(s, setting) != NADI_NONE;
}

struct supplies { /* that figures need */
    bool prices, energies;
};

static bool has_supplies(const struct nadi_space_reader *r, const struct supplies *has,
                         uint32_t figure, struct nadi_place place, const char *what,
                         const char *name)
{
    if (figure == NADI_SWEEP_JOULES && !has->energies)
        return nadi_error(r->diags, "space/energy", place, "run: {energy: wafer}",
                          "the %s '%s' needs energies of routers and links", what, name);
    if (figure >= NADI_SWEEP_CAPITAL && figure < NADI_SWEEP_FIGURES && !has->prices)
        return nadi_error(r->diags, "space/prices", place, "run: {catalogue: public}",
                          "the %s '%s' needs prices and powers", what, name);
    return true;
}

/* Figures that need prices or energies, without any. */
static bool check_supplies(const struct nadi_space_reader *r, const struct nadi_schema_value *list)
{
    const struct nadi_space *s = r->s;
    const struct supplies has = {names(s, "catalogue"), names(s, "energy")};
    for (uint32_t k = 0; k < list->count; k++)
        if (!has_supplies(r, &has, s->objectives[k], place_of(s, list, k), "objective",
                          list->items[k].text))
            return false;
    for (uint32_t i = 0; i < s->derived_count; i++)
        for (uint32_t k = 0; k < s->derived[i].expression.name_count; k++) {
            const uint32_t name = s->derived[i].expression.names[k];
            if (name >= s->variable_count &&
                !has_supplies(r, &has, name - s->variable_count, s->derived[i].expression.place,
                              "derived figure", s->derived[i].name))
                return false;
        }
    return true;
}

bool nadi_space_read_objectives(struct nadi_space_reader *r, const struct nadi_doc *doc,
                                const struct nadi_schema_value *list)
{
    struct nadi_space *s = r->s;
    if (!read_derived(r, doc, nadi_doc_find(doc->root, "derived")))
        return false;
    s->objectives = NADI_ARENA_ZNEW(&s->arena, uint32_t, list->count + 1);
    s->objective_count = list->count ? list->count : 1; /* the first figure */
    for (uint32_t i = 0; i < list->count; i++) {
        if (!read_objective(r, list->items[i].text, place_of(s, list, i), &s->objectives[i]))
            return false;
    }
    return check_supplies(r, list);
}
