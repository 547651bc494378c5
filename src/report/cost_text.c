#include "report/cost_text.h"

#include "base/units.h"
#include "report/columns.h"

#include <math.h>

/* "$21.9 M"; "~" in front where a figure of it has no source. */
static const char *money(char text[32], double dollars, bool made_up)
{
    const char *mark = made_up ? "~" : "";
    if (isnan(dollars))
        snprintf(text, 32, "not known");
    else if (dollars >= 1e9)
        snprintf(text, 32, "%s$%.4g G", mark, dollars / 1e9);
    else if (dollars >= 1e6)
        snprintf(text, 32, "%s$%.4g M", mark, dollars / 1e6);
    else if (dollars >= 1000)
        snprintf(text, 32, "%s$%.0f", mark, dollars);
    else
        snprintf(text, 32, "%s$%.4g", mark, dollars);
    return text;
}

static const char *power(char text[32], double watts, bool made_up)
{
    const char *mark = made_up ? "~" : "";
    if (isnan(watts))
        snprintf(text, 32, "not known");
    else if (watts >= 1e6)
        snprintf(text, 32, "%s%.4g MW", mark, watts / 1e6);
    else if (watts >= 1e3)
        snprintf(text, 32, "%s%.4g kW", mark, watts / 1e3);
    else
        snprintf(text, 32, "%s%.4g W", mark, watts);
    return text;
}

/* 1234567 -> "1,234,567"; a dash where nothing is known. */
static const char *grouped(char text[32], double value)
{
    char digits[28];
    if (isnan(value) || value >= 1e18)
        return "-";
    const int count = snprintf(digits, sizeof(digits), "%.0f", value);
    int at = 0;
    for (int i = 0; i < count && at < 30; i++) {
        if (i && (count - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static void headline(const struct nadi_bill *b, struct nadi_str *out)
{
    char price[32], watts[32], whole[32];
    if (b->device)
        nadi_str_printf(out, "%" PRIu64 " %s and their network", b->npus, b->device);
    else
        nadi_str_printf(out, "The network of %" PRIu64 " NPUs", b->npus);
    const bool one = !b->device;
    if (isnan(b->price))
        nadi_str_printf(out, ": the price is not known; what is known adds up to %s",
                        money(price, b->known_price, b->made_up_price));
    else
        nadi_str_printf(out, " cost%s %s, %s an NPU", one ? "s" : "",
                        money(price, b->price, b->made_up_price),
                        money(whole, b->npus ? b->price / (double)b->npus : 0, b->made_up_price));
    if (isnan(b->watts))
        nadi_str_printf(out, ".\nThe power is not known; what is known adds up to %s.\n",
                        power(watts, b->known_watts, b->made_up_watts));
    else
        nadi_str_printf(out, ".\nAt most %s; %s with the facility.\n",
                        power(watts, b->watts, b->made_up_watts),
                        power(whole, nadi_bill_power(b, 1), b->made_up_watts));
}

static void hourly(const struct nadi_bill *b, struct nadi_str *out)
{
    char all[32], one[32];
    const double dollars = nadi_bill_hourly(b, 1);
    const bool made_up = b->made_up_price || b->made_up_watts;
    if (isnan(dollars))
        nadi_str_add(out, "No $ an hour: the sum is incomplete");
    else
        nadi_str_printf(out, "An hour costs at most %s, %s an NPU", money(all, dollars, made_up),
                        money(one, b->npus ? dollars / (double)b->npus : 0, made_up));
    nadi_str_printf(out, " (%g years, $%g a kWh, PUE %g).\n", b->economy.years,
                    b->economy.electricity, b->economy.pue);
}

static const char *mark(const struct nadi_bill_line *l, enum nadi_part_figure figure)
{
    return l->part && l->part->made_up[figure] ? "~" : " ";
}

static void line_text(const struct nadi_bill_line *l, struct nadi_str *out)
{
    char price[32], watts[32], count[32], role[48];
    const double known_kw = isnan(l->watts) ? (double)NAN : l->watts / 1000;
    snprintf(role, sizeof(role), "%.23s", l->role);
    if (l->kind == NADI_PART_CABLE && (!l->part || l->part->bits_per_s > 0))
        snprintf(role, sizeof(role), "%.20s %" PRIu32, l->role, l->layer);
    nadi_str_printf(out, "  %-6s  %-23s  %7s  ", nadi_part_kind_name(l->kind), role,
                    grouped(count, (double)l->count));
    if (l->included) {
        nadi_str_add(out, "in the servers\n");
        return;
    }
    nadi_str_printf(out, "%-23.23s  %6s  %s%11s  ", l->part ? l->part->name : "MISSING",
                    grouped(count, (double)l->units), mark(l, NADI_FIGURE_PRICE),
                    grouped(price, l->price));
    if (isnan(known_kw))
        snprintf(watts, sizeof(watts), "-");
    else
        snprintf(watts, sizeof(watts), "%.1f", known_kw);
    nadi_str_printf(out, "%s%7s\n", mark(l, NADI_FIGURE_WATTS), watts);
}

static void missing_text(const struct nadi_bill *b, bool watts, struct nadi_str *out)
{
    struct nadi_str names = NADI_STR_INIT;
    nadi_bill_missing(b, watts, &names);
    if (names.length)
        nadi_str_printf(out, "Without a %s: %s.\n", watts ? "power" : "price",
                        nadi_str_get(&names));
    nadi_str_release(&names);
}

/* Each part once, with where its figures are from. */
static void sources(const struct nadi_bill *b, struct nadi_str *out)
{
    nadi_str_add(out, "\nSources\n");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_priced_part *p = b->items[i].part;
        bool seen = !p;
        for (size_t k = 0; k < i && !seen; k++)
            seen = b->items[k].part == p;
        if (!seen)
            nadi_str_printf(out, "  %s: %s%s%s%s\n", p->name,
                            p->source ? p->source : "illustrative, without a source",
                            p->date ? " (" : "", p->date ? p->date : "", p->date ? ")" : "");
    }
}

void nadi_bill_text(const struct nadi_bill *b, const struct nadi_prices *prices,
                    struct nadi_str *out)
{
    char price[32], watts[32];
    headline(b, out);
    hourly(b, out);
    missing_text(b, false, out);
    missing_text(b, true, out);
    nadi_str_printf(out, "\n  %-6s  %-23s  %7s  %-23s  %6s  %12s  %8s\n", "", "what", "count",
                    "part", "units", "$", "kW");
    for (size_t i = 0; i < b->count; i++)
        line_text(&b->items[i], out);
    snprintf(watts, sizeof(watts), "%.1f", b->known_watts / 1000);
    nadi_str_printf(out, "  %-6s  %-23s  %7s  %-23s  %6s  %12s  %8s\n", "sum",
                    isnan(b->price) || isnan(b->watts) ? "INCOMPLETE" : "", "", "", "",
                    grouped(price, b->known_price), watts);
    nadi_str_printf(out, "\nCatalogue %s.%s\n", prices->name,
                    b->made_up_price || b->made_up_watts ? " ~: illustrative, not published" : "");
    sources(b, out);
}

/* ---- CSV, JSON ------------------------------------------------------------------------------- */

void nadi_bill_csv(const struct nadi_bill *b, struct nadi_str *out)
{
    const struct nadi_result_data of = {.bill = b};
    nadi_view_csv(&nadi_view_bill_csv, &of, out);
}

static void json_lines(const struct nadi_bill *b, struct nadi_json *j)
{
    const struct nadi_result_data of = {.bill = b};
    nadi_json_array(j, "parts");
    for (size_t i = 0; i < b->count; i++) {
        struct nadi_result_row row = {.of = &of, .item = &b->items[i], .index = i};
        nadi_json_row(j, NULL);
        nadi_view_json(&nadi_view_bill_json, &row, j);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

static void json_missing(const struct nadi_bill *b, bool watts, struct nadi_json *j)
{
    nadi_json_array(j, watts ? "without_power" : "without_price");
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_bill_line *l = &b->items[i];
        if (isnan(watts ? l->watts : l->price))
            nadi_json_string(j, NULL, l->part ? l->part->name : l->wanted);
    }
    nadi_json_close(j);
}

void nadi_worth_json(const struct nadi_bill *b, const struct nadi_worth *w,
                     const struct nadi_prices *prices, struct nadi_json *j)
{
    nadi_json_object(j, "cost");
    nadi_json_string(j, "catalogue", prices->name);
    nadi_json_double(j, "capital_usd", b->price); /* null where it is not complete */
    nadi_json_double(j, "power_w", b->watts);
    nadi_json_double(j, "facility_power_w", nadi_bill_power(b, 1));
    nadi_json_double(j, "usd_per_hour", nadi_bill_hourly(b, 1));
    nadi_json_double(j, "known_usd", b->known_price);
    nadi_json_double(j, "known_w", b->known_watts);
    nadi_json_bool(j, "price_is_illustrative", b->made_up_price);
    nadi_json_bool(j, "power_is_illustrative", b->made_up_watts);
    nadi_json_double(j, "years", b->economy.years);
    nadi_json_double(j, "electricity_usd_per_kwh", b->economy.electricity);
    nadi_json_double(j, "pue", b->economy.pue);
    json_missing(b, false, j);
    json_missing(b, true, j);
    if (w) {
        nadi_json_double(j, "compute_share", w->busy);
        nadi_json_double(j, "step_power_w", w->watts);
        nadi_json_double(j, "step_joules", w->joules);
        nadi_json_double(j, "step_usd", w->dollars);
        nadi_json_double(j, "tokens_per_usd", w->tokens_per_dollar);
        nadi_json_double(j, "tokens_per_joule", w->tokens_per_joule);
    }
    nadi_json_close(j);
}

void nadi_bill_json(const struct nadi_bill *b, const struct nadi_prices *prices,
                    struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "device", b->device);
    nadi_json_u64(&j, "npus", b->npus);
    nadi_worth_json(b, NULL, prices, &j);
    json_lines(b, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* ---- a step ---------------------------------------------------------------------------------- */

void nadi_worth_text(const struct nadi_bill *b, const struct nadi_worth *w,
                     const struct nadi_prices *prices, const char *unit, struct nadi_str *out)
{
    char a[32], c[32], count[32];
    const bool made_up = b->made_up_price || b->made_up_watts;
    nadi_str_printf(out, "  capital              %12s  %s",
                    money(a, isnan(b->price) ? b->known_price : b->price, b->made_up_price),
                    prices->name);
    if (isnan(b->price)) {
        struct nadi_str names = NADI_STR_INIT;
        nadi_bill_missing(b, false, &names);
        nadi_str_printf(out, ", INCOMPLETE, without a price: %s", nadi_str_get(&names));
        nadi_str_release(&names);
    }
    nadi_str_add_char(out, '\n');
    if (isnan(b->watts)) {
        struct nadi_str names = NADI_STR_INIT;
        nadi_bill_missing(b, true, &names);
        nadi_str_printf(out, "  power                %12s  without a power: %s\n", "not known",
                        nadi_str_get(&names));
        nadi_str_release(&names);
        return;
    }
    nadi_str_printf(out,
                    "  power of the step    %12s  of at most %s, with PUE %g; %.4g MJ a step\n",
                    power(a, w->watts, b->made_up_watts), power(c, nadi_bill_power(b, 1), false),
                    b->economy.pue, w->joules / 1e6);
    nadi_str_printf(out, "  energy               %12.4g  %ss/J\n", w->tokens_per_joule, unit);
    if (isnan(w->dollars))
        return;
    nadi_str_printf(out, "  worth                %12s  %ss/$%s; %s a step: %g years, $%g a kWh\n",
                    nadi_units_count(count, w->tokens_per_dollar), unit,
                    made_up ? ", illustrative" : "", money(a, w->dollars, made_up),
                    b->economy.years, b->economy.electricity);
}
