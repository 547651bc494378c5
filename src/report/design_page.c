/* design_page: the designs of `nadi optimize` on the page of sweeps (report/sweep_page.h): a line a
 * design across its variables, what it reaches, its price and power; the Pareto front; the table
 * with the strategies. */
#include "base/file.h"
#include "base/mem.h"
#include "format/json_write.h"
#include "report/design_text.h"
#include "report/sweep_page.h"

#include <math.h>

static void add_text(struct nadi_str *out, const char *text)
{
    nadi_json_add_text(out, text, strlen(text));
}

static void add_column(struct nadi_str *out, const char *name, const char *kind, const char *unit,
                       int better)
{
    nadi_str_add(out, ",{\"name\":");
    add_text(out, name);
    nadi_str_printf(out, ",\"kind\":\"%s\",\"unit\":\"%s\",\"better\":%d}", kind, unit, better);
}

static void add_number(struct nadi_str *out, double x)
{
    if (!isfinite(x))
        nadi_str_add(out, ",null");
    else
        nadi_str_printf(out, ",%.9g", x);
}

/* What is compared: larger is better but for prices and powers. */
static bool is_least(const struct nadi_design_problem *p)
{
    return p->goal == NADI_DESIGN_CAPITAL || p->goal == NADI_DESIGN_POWER;
}

static const char *reach_name(const struct nadi_design_problem *p)
{
    static const char *const names[] = {"tokens-per-second", "tokens-per-dollar",
                                        "tokens-per-joule", "reached-capital", "reached-power"};
    return names[p->goal];
}

/* Its values as numbers in the base unit of its setting; NONE: as they are written. */
static enum nadi_dimension dimension_of(const struct nadi_space_variable *v)
{
    return v->setting && v->of ? v->setting->dimension : NADI_DIMENSION_NONE;
}

/* Returns the index of the column of what is reached. */
static int add_columns(const struct nadi_design_problem *p, struct nadi_str *out)
{
    int columns = 1;
    nadi_str_add(out, ",\"columns\":[{\"name\":\"design\",\"unit\":\"\",\"kind\":\"number\"}");
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        if (!nadi_design_is_searched(&p->space.variables[i])) {
            const struct nadi_space_variable *v = &p->space.variables[i];
            const bool bare = dimension_of(v) == NADI_DIMENSION_NONE;
            add_column(out, v->name, "variable", bare ? "" : nadi_setting_base_unit(v->setting), 0);
            columns++;
        }
    nadi_str_add(out, ",{\"name\":\"status\",\"unit\":\"\",\"kind\":\"status\"}");
    add_column(out, reach_name(p), "figure", "", is_least(p) ? -1 : 1);
    add_column(out, "bound", "figure", "", is_least(p) ? -1 : 1);
    add_column(out, "capital_usd", "figure", "$", -1);
    add_column(out, "power_w", "figure", "W", -1);
    for (uint32_t w = 0; w < p->workload_count; w++) {
        struct nadi_str name = NADI_STR_INIT;
        nadi_str_printf(&name, "%s-step", p->workloads[w].name);
        add_column(out, nadi_str_get(&name), "figure", "ns", -1);
        nadi_str_clear(&name);
        nadi_str_printf(&name, "%s-strategy", p->workloads[w].name);
        add_column(out, nadi_str_get(&name), "text", "", 0);
        nadi_str_release(&name);
    }
    nadi_str_add_char(out, ']');
    return columns + 1;
}

static void add_row(const struct nadi_design_problem *p, const struct nadi_design *d,
                    const struct nadi_design_changes *c, struct nadi_str *out)
{
    static const char *const ends[] = {"bounded", "done", "limited", "memory", "failed"};
    const bool bounded = d->end == NADI_DESIGN_OPEN || d->end == NADI_DESIGN_LOOKED;
    nadi_str_printf(out, "%s[%" PRIu64, d->point ? "," : "", d->point);
    for (uint32_t i = 0; i < p->space.variable_count; i++) {
        const struct nadi_quantity *q = &c->assignment.quantities[i];
        if (nadi_design_is_searched(&p->space.variables[i]))
            continue;
        nadi_str_add_char(out, ',');
        const enum nadi_dimension dimension = dimension_of(&p->space.variables[i]);
        double number = q->number;
        if (dimension != NADI_DIMENSION_NONE && nadi_quantity_in(q, dimension, &number))
            nadi_str_printf(out, "%.9g", number);
        else if (q->text || !nadi_quantity_is_plain(q))
            add_text(out, c->assignment.texts[i]);
        else
            nadi_str_printf(out, "%.9g", q->number);
    }
    nadi_str_add_char(out, ',');
    add_text(out, ends[d->end]);
    add_number(out, is_least(p) ? 1 / d->value : d->value);
    add_number(out, !bounded ? (double)NAN : is_least(p) ? 1 / d->bound : d->bound);
    add_number(out, d->capital);
    add_number(out, d->power);
    for (uint32_t w = 0; w < p->workload_count; w++) {
        struct nadi_str words = NADI_STR_INIT;
        if (d->steps[w].fits)
            nadi_strategy_text(&d->steps[w].strategy, &words);
        add_number(out, d->steps[w].fits ? d->steps[w].step_ns : (double)NAN);
        nadi_str_add_char(out, ',');
        add_text(out, nadi_str_get(&words));
        nadi_str_release(&words);
    }
    nadi_str_add_char(out, ']');
}

void nadi_design_page(const struct nadi_design_view *v, struct nadi_str *out)
{
    const struct nadi_design_problem *p = v->problem;
    const struct nadi_design_answer *a = v->answer;
    struct nadi_str data = NADI_STR_INIT, words = NADI_STR_INIT;
    struct nadi_design_changes c;
    nadi_design_changes_init(&c, p);
    nadi_str_add(&data, "{\"title\":");
    add_text(&data, nadi_file_name(p->space.path));
    if (a->best < a->count) {
        nadi_design_words(p, &c, a->best, &words);
        nadi_str_printf(&words, "%s %s", words.length ? " is the best;" : "the design is the best;",
                        a->proved ? "proved" : "not proved");
        if (!a->proved && isinf(a->gap))
            nadi_str_add(&words, ": nothing bounds what is left");
        else if (!a->proved)
            nadi_str_printf(&words, ": what is left could be better by at most %.3g %%",
                            100 * a->gap);
    } else
        nadi_design_why_none(v, &words);
    nadi_str_add(&data, ",\"summary\":");
    add_text(&data, nadi_str_get(&words));
    nadi_str_add(&data, ",\"left_out\":0");
    const int reach = add_columns(p, &data);
    nadi_str_printf(&data, ",\"objectives\":[%d,%d],\"rows\":[", reach,
                    reach + (p->goal == NADI_DESIGN_CAPITAL ? 3 : 2));
    for (uint64_t i = 0; i < a->count; i++) {
        nadi_design_changes_take(&c, p, i);
        add_row(p, &a->designs[i], &c, &data);
    }
    nadi_str_add(&data, "]}");
    nadi_sweep_page_add(out, &data);
    nadi_design_changes_release(&c);
    nadi_str_release(&words);
    nadi_str_release(&data);
}
