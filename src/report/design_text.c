#include "report/design_text.h"

#include "base/mem.h"
#include "base/units.h"
#include "format/csv_write.h"
#include "format/json_write.h"
#include "report/design_points.h"

#include <math.h>

static const char *const goals[] = {"most tokens a second", "most tokens a $",
                                    "most tokens a joule", "least capital", "least power"};
static const char *const ends[] = {"bounded", "simulated", "limited", "memory", "failed"};

static const char *goal_text(const struct nadi_design_problem *p, double value, char text[48])
{
    char count[32];
    switch (p->goal) {
    case NADI_DESIGN_TIME:
        snprintf(text, 48, "%s tokens/s", nadi_units_count(count, value));
        break;
    case NADI_DESIGN_PER_DOLLAR:
        snprintf(text, 48, "%s tokens/$", nadi_units_count(count, value));
        break;
    case NADI_DESIGN_PER_JOULE:
        snprintf(text, 48, "%.4g tokens/J", value);
        break;
    case NADI_DESIGN_CAPITAL:
        snprintf(text, 48, "$%.4g M", 1 / value / 1e6);
        break;
    case NADI_DESIGN_POWER:
        snprintf(text, 48, "%.4g kW", 1 / value / 1e3);
        break;
    }
    return text;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void put_variables(const struct nadi_design_problem *p, struct nadi_design_changes *c,
                          uint64_t point, const char *between, struct nadi_str *out)
{
    bool first = true;
    nadi_design_changes_take(c, p, point);
    for (uint32_t i = 0; i < p->space.variable_count; i++) {
        const struct nadi_space_variable *v = &p->space.variables[i];
        if (nadi_design_is_searched(v))
            continue;
        nadi_str_printf(out, "%s%s = %s", first ? "" : between, v->name, c->assignment.texts[i]);
        first = false;
    }
    if (first)
        nadi_str_printf(out, "cluster = %s", c->cluster);
}

static void put_steps(const struct nadi_design_problem *p, const struct nadi_design *d,
                      struct nadi_str *out)
{
    for (uint32_t w = 0; w < p->workload_count; w++) {
        const struct nadi_design_step *s = &d->steps[w];
        struct nadi_str words = NADI_STR_INIT;
        char time[32], rate[32];
        nadi_strategy_text(&s->strategy, &words);
        nadi_str_printf(out, "  %-16s %10s a step, %s tokens/s, counts %.3g %%\n",
                        p->workloads[w].name, nadi_units_time(time, s->step_ns),
                        nadi_units_count(rate, s->tokens * 1e9 / s->step_ns),
                        p->workloads[w].share * 100);
        nadi_str_printf(out, "  %-16s %s\n", "", nadi_str_get(&words));
        nadi_str_release(&words);
    }
}

static void put_best(const struct nadi_design_view *v, struct nadi_design_changes *c,
                     struct nadi_str *out)
{
    const struct nadi_design_problem *p = v->problem;
    const struct nadi_design_answer *a = v->answer;
    const struct nadi_design *d = &a->designs[a->best];
    char value[48];
    nadi_str_printf(out, "%s: %s on %" PRIu32 " devices\n\n  ", goals[p->goal],
                    goal_text(p, d->value, value), p->ranks);
    put_variables(p, c, a->best, "\n  ", out);
    nadi_str_add(out, "\n\n");
    if (p->has_prices)
        nadi_str_printf(out,
                        "  %scapital $%.4g M, at most %.4g kW, %.4g kW with the facility, $%.4g an "
                        "hour\n",
                        d->made_up ? "~ " : "", d->capital / 1e6, d->power / 1e3, d->facility / 1e3,
                        d->hourly);
    put_steps(p, d, out);
    if (a->proved)
        nadi_str_add(out, "\nProved: nothing that is left can be better, as far as the margin of "
                          "the estimates goes.\n");
    else if (isinf(a->gap))
        nadi_str_add(out,
                     "\nNot proved: of some range more may be better or worse, so that nothing "
                     "bounds what is left.\n");
    else
        nadi_str_printf(out, "\nNot proved: what is left could be better by at most %.3g %%.\n",
                        a->gap * 100);
}

static void put_limits(const struct nadi_design_problem *p, uint32_t mask, struct nadi_str *out)
{
    bool first = true;
    for (uint32_t i = 0; i < p->limit_count; i++)
        if (mask & (UINT32_C(1) << i)) {
            nadi_str_printf(out, "%s%s", first ? "" : "; ", p->limits[i].text);
            first = false;
        }
}

void nadi_design_why_none(const struct nadi_design_view *v, struct nadi_str *out)
{
    const struct nadi_design_answer *a = v->answer;
    nadi_str_printf(out, "none of %" PRIu64 " designs is possible", a->count);
    if (a->conflict) {
        nadi_str_add(out, a->conflict & (a->conflict - 1) ? "; no one keeps together: "
                                                          : "; no one keeps: ");
        put_limits(v->problem, a->conflict, out);
    } else if (a->not_fitting) {
        const struct nadi_design *nearest = NULL;
        uint32_t workload = 0;
        for (uint64_t i = 0; i < a->count; i++)
            for (uint32_t w = 0; w < v->problem->workload_count; w++)
                if (a->designs[i].end == NADI_DESIGN_MEMORY && !a->designs[i].steps[w].fits &&
                    (!nearest || a->designs[i].steps[w].missing_bytes <
                                     nearest->steps[workload].missing_bytes)) {
                    nearest = &a->designs[i];
                    workload = w;
                }
        char bytes[32];
        nadi_str_printf(out, "; of those that keep the limits none holds %s: %s are missing",
                        v->problem->workloads[workload].name,
                        nadi_units_bytes(bytes, nearest->steps[workload].missing_bytes));
    }
}

static void put_table(const struct nadi_design_view *v, struct nadi_design_changes *c,
                      struct nadi_str *out)
{
    const struct nadi_design_problem *p = v->problem;
    uint64_t *order = nadi_design_ranking(v->answer);
    const uint64_t count = v->answer->count < v->top ? v->answer->count : v->top;
    nadi_str_printf(out, "\n  %-20s %9s %9s  %-10s %s\n", "reaches", p->has_prices ? "$ M" : "",
                    p->has_prices ? "kW" : "", "", "design");
    for (uint64_t i = 0; i < count; i++) {
        const struct nadi_design *d = &v->answer->designs[order[i]];
        char value[48] = "-", capital[16] = "", power[16] = "";
        if (!isnan(d->value))
            goal_text(p, d->value, value);
        else if (d->end == NADI_DESIGN_OPEN) {
            char most[48];
            snprintf(value, sizeof(value), "<= %.44s", goal_text(p, d->bound, most));
        }
        if (!isnan(d->capital)) {
            snprintf(capital, sizeof(capital), "%.3f", d->capital / 1e6);
            snprintf(power, sizeof(power), "%.1f", d->power / 1e3);
        }
        nadi_str_printf(out, "  %-20s %9s %9s  %-10s ", value, capital, power, ends[d->end]);
        put_variables(p, c, order[i], ", ", out);
        if (d->error)
            nadi_str_printf(out, ": %s", d->error);
        nadi_str_add_char(out, '\n');
    }
    nadi_mem_free(order);
}

void nadi_design_text(const struct nadi_design_view *v, struct nadi_str *out)
{
    const struct nadi_design_answer *a = v->answer;
    struct nadi_design_changes c;
    nadi_design_changes_init(&c, v->problem);
    put_best(v, &c, out);
    nadi_str_printf(out,
                    "%" PRIu64 " designs: %" PRIu64 " break limits, %" PRIu64
                    " do not fit, %" PRIu64 " failed, %" PRIu64 " bounded away; %" PRIu64
                    " strategies estimated, %" PRIu64 " simulated\n",
                    a->count, a->priced_out, a->not_fitting, a->failed, a->bounded, a->strategies,
                    a->simulations);
    if (v->problem->space.is_divided)
        nadi_str_printf(out, "ranges were divided %" PRIu64 " times\n", a->divisions);
    put_table(v, &c, out);
    nadi_design_changes_release(&c);
}

void nadi_design_words(const struct nadi_design_problem *p, struct nadi_design_changes *c,
                       uint64_t point, struct nadi_str *out)
{
    put_variables(p, c, point, ", ", out);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static void json_design(const struct nadi_design_problem *p, struct nadi_design_changes *c,
                        const struct nadi_design *d, struct nadi_json *j)
{
    nadi_design_changes_take(c, p, d->point);
    nadi_json_row(j, NULL);
    nadi_json_u64(j, "design", d->point);
    nadi_json_string(j, "end", ends[d->end]);
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        if (!nadi_design_is_searched(&p->space.variables[i]))
            nadi_json_string(j, p->space.variables[i].name, c->assignment.texts[i]);
    nadi_json_double(j, "value", d->value);
    nadi_json_double(j, "bound", d->end <= NADI_DESIGN_LOOKED ? d->bound : (double)NAN);
    nadi_json_double(j, "capital_usd", d->capital);
    nadi_json_double(j, "power_w", d->power);
    nadi_json_double(j, "usd_per_hour", d->hourly);
    nadi_json_bool(j, "is_illustrative", d->made_up);
    for (uint32_t w = 0; w < p->workload_count; w++) {
        const struct nadi_design_step *s = &d->steps[w];
        struct nadi_str words = NADI_STR_INIT;
        nadi_json_row(j, p->workloads[w].name);
        nadi_json_bool(j, "fits", s->fits);
        nadi_json_bool(j, "simulated", s->simulated);
        nadi_json_double(j, "step_ns", s->fits ? s->step_ns : (double)NAN);
        nadi_json_double(j, "least_ns", s->fits ? s->least_ns : (double)NAN);
        if (s->fits)
            nadi_strategy_text(&s->strategy, &words);
        nadi_json_string(j, "strategy", s->fits ? nadi_str_get(&words) : NULL);
        nadi_json_close(j);
        nadi_str_release(&words);
    }
    nadi_json_string(j, "error", d->error);
    nadi_json_close(j);
}

void nadi_design_json(const struct nadi_design_view *v, struct nadi_str *out)
{
    const struct nadi_design_answer *a = v->answer;
    struct nadi_design_changes c;
    struct nadi_json j;
    nadi_design_changes_init(&c, v->problem);
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "goal", goals[v->problem->goal]);
    nadi_json_u64(&j, "ranks", v->problem->ranks);
    if (a->best < a->count)
        nadi_json_u64(&j, "best", a->best);
    else
        nadi_json_null(&j, "best");
    nadi_json_bool(&j, "proved", a->proved);
    nadi_json_double(&j, "gap", a->gap);
    if (v->problem->space.is_divided)
        nadi_json_u64(&j, "divisions", a->divisions);
    nadi_json_u64(&j, "strategies", a->strategies);
    nadi_json_u64(&j, "simulations", a->simulations);
    nadi_json_array(&j, "conflict");
    for (uint32_t i = 0; i < v->problem->limit_count; i++)
        if (a->conflict & (UINT32_C(1) << i))
            nadi_json_string(&j, NULL, v->problem->limits[i].text);
    nadi_json_close(&j);
    nadi_json_array(&j, "designs");
    for (uint64_t i = 0; i < a->count; i++)
        json_design(v->problem, &c, &a->designs[i], &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_design_changes_release(&c);
}

static void csv_header(const struct nadi_design_problem *p, struct nadi_csv *csv)
{
    struct nadi_str names = NADI_STR_INIT;
    nadi_str_add(&names, "design,end");
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        if (!nadi_design_is_searched(&p->space.variables[i]))
            nadi_str_printf(&names, ",%s", p->space.variables[i].name);
    nadi_str_add(&names, ",value,bound,capital_usd,power_w,usd_per_hour");
    for (uint32_t w = 0; w < p->workload_count; w++)
        nadi_str_printf(&names, ",%s_step_ns,%s_simulated,%s_strategy", p->workloads[w].name,
                        p->workloads[w].name, p->workloads[w].name);
    nadi_csv_header(csv, nadi_str_get(&names));
    nadi_str_release(&names);
}

void nadi_design_csv(const struct nadi_design_view *v, struct nadi_str *out)
{
    const struct nadi_design_problem *p = v->problem;
    struct nadi_design_changes c;
    struct nadi_csv csv = {.out = out};
    nadi_design_changes_init(&c, p);
    csv_header(p, &csv);
    for (uint64_t k = 0; k < v->answer->count; k++) {
        const struct nadi_design *d = &v->answer->designs[k];
        nadi_design_changes_take(&c, p, k);
        nadi_csv_u64(&csv, k);
        nadi_csv_text(&csv, ends[d->end]);
        for (uint32_t i = 0; i < p->space.variable_count; i++)
            if (!nadi_design_is_searched(&p->space.variables[i]))
                nadi_csv_text(&csv, c.assignment.texts[i]);
        nadi_csv_double(&csv, d->value);
        nadi_csv_double(&csv, d->end <= NADI_DESIGN_LOOKED ? d->bound : (double)NAN);
        nadi_csv_double(&csv, d->capital);
        nadi_csv_double(&csv, d->power);
        nadi_csv_double(&csv, d->hourly);
        for (uint32_t w = 0; w < p->workload_count; w++) {
            const struct nadi_design_step *s = &d->steps[w];
            struct nadi_str words = NADI_STR_INIT;
            if (s->fits)
                nadi_strategy_text(&s->strategy, &words);
            nadi_csv_double(&csv, s->fits ? s->step_ns : (double)NAN);
            nadi_csv_u64(&csv, s->simulated);
            nadi_csv_text(&csv, nadi_str_get(&words));
            nadi_str_release(&words);
        }
        nadi_csv_end_row(&csv);
    }
    nadi_design_changes_release(&c);
}
