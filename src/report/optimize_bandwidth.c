#include "report/optimize_bandwidth.h"
#include "base/file.h"

#include "base/units.h"
#include "format/json_write.h"

#include <math.h>

static const char *const blocks[NADI_BLOCKS] = {"Ring", "FullyConnected", "Switch"};

static double sum_of(const struct nadi_bandwidth_rows *r, const struct nadi_bandwidth_answer *a)
{
    double sum = 0;
    for (uint32_t d = 0; d < r->network->count; d++)
        sum += a->best.b[d];
    return sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* How many times the performance per cost of the equal split, of the first step. */
static double value_ratio(const struct nadi_bandwidth_answer *a, uint32_t step)
{
    return ratio(a->equal_ns[step] * a->equal_cost, a->time_ns[step] * a->cost);
}

static void money(char text[32], double dollars)
{
    if (dollars >= 1e9)
        snprintf(text, 32, "$%.4g billion", dollars / 1e9);
    else if (dollars >= 1e6)
        snprintf(text, 32, "$%.4g million", dollars / 1e6);
    else
        snprintf(text, 32, "$%.0f", dollars);
}

/* ---- text ---------------------------------------------------------------------------------- */

static void dimensions(const struct nadi_bandwidth_rows *r, const struct nadi_bandwidth_answer *a,
                       struct nadi_str *out)
{
    const double sum = sum_of(r, a);
    nadi_str_printf(out, "  %-3s  %-14s  %7s  %-14s  %10s  %8s  %s\n", "dim", "block", "NPUs",
                    "tier", "GB/s", "share", "one more GB/s saves");
    for (uint32_t d = 0; d < r->network->count; d++) {
        const struct nadi_bandwidth_dim *dim = &r->network->dims[d];
        char saves[32];
        nadi_str_printf(out, "  b%-2u  %-14s  %7u  %-14s  %10.2f  %6.2f %%  %s%s\n", d,
                        blocks[dim->block], dim->npus, dim->tier ? dim->tier : "-", a->best.b[d],
                        100 * ratio(a->best.b[d], sum),
                        r->step_count == 1 && strcmp(r->goal, "cost") != 0
                            ? nadi_units_time(saves, a->best.price[d])
                            : "-",
                        a->flat[d] ? ", flat" : "");
    }
}

static void steps(const struct nadi_bandwidth_rows *r, const struct nadi_bandwidth_answer *a,
                  struct nadi_str *out)
{
    for (uint32_t w = 0; w < r->step_count; w++) {
        char time[32], equal[32];
        nadi_str_printf(out, "  %-24s  %s; equal bandwidths %s: %.3f times as fast",
                        nadi_file_name(r->workloads[w]), nadi_units_time(time, a->time_ns[w]),
                        nadi_units_time(equal, a->equal_ns[w]),
                        ratio(a->equal_ns[w], a->time_ns[w]));
        if (r->step_count > 1)
            nadi_str_printf(out, "; %.2f %% over its own best",
                            100 * (ratio(a->time_ns[w], a->alone_ns[w]) - 1));
        nadi_str_add_char(out, '\n');
    }
}

static void one(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    const struct nadi_bandwidth_answer *a = &r->items[0];
    bool flat = false;
    nadi_str_printf(out, "%.6g GB/s of an NPU over %u dimension%s, %llu NPUs; goal %s, loop %s\n\n",
                    sum_of(r, a), r->network->count, r->network->count == 1 ? "" : "s",
                    (unsigned long long)r->network->npus, r->goal, r->loop);
    dimensions(r, a, out);
    nadi_str_add_char(out, '\n');
    steps(r, a, out);
    if (r->has_prices) {
        char cost[32], equal[32];
        money(cost, a->cost);
        money(equal, a->equal_cost);
        nadi_str_printf(out,
                        "  %-24s  %s; equal bandwidths %s: %.3f times the performance per cost\n",
                        "cost of the network", cost, equal, value_ratio(a, 0));
    }
    if (a->simulations) {
        nadi_str_printf(out,
                        "\nSearched in %u simulations, not proved: were all of the budget in every "
                        "dimension at once, it would be %.2f %% less.\n",
                        a->simulations, 100 * (1 - 1 / (1 + a->gap)));
        return;
    }
    nadi_str_printf(out, "\nProved: at most %.2g %% of the goal is left%s.\n",
                    100 * fmax(a->gap, 1e-8), fabs(a->rounding) > 0 ? " before rounding" : "");
    if (fabs(a->rounding) > 0)
        nadi_str_printf(out, "Rounded to multiples: %+.2g %%.\n", 100 * a->rounding);
    for (uint32_t d = 0; d < r->network->count; d++)
        flat |= a->flat[d];
    if (flat)
        nadi_str_add(out, "Flat: 1 % of the bandwidth can go from one of these dimensions to "
                          "another for less than 0.01 %.\n");
}

static void table(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    nadi_str_printf(out, "%10s", "GB/s");
    for (uint32_t d = 0; d < r->network->count; d++)
        nadi_str_printf(out, "  %7s%u", "b", d);
    nadi_str_printf(out, "  %12s  %8s", "step", "faster");
    if (r->has_prices)
        nadi_str_printf(out, "  %16s  %9s", "cost", "per cost");
    nadi_str_add_char(out, '\n');
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_bandwidth_answer *a = &r->items[i];
        char text[32];
        nadi_str_printf(out, "%10.4g", sum_of(r, a));
        for (uint32_t d = 0; d < r->network->count; d++)
            nadi_str_printf(out, "  %8.2f", a->best.b[d]);
        nadi_str_printf(out, "  %12s  %7.3fx", nadi_units_time(text, a->time_ns[0]),
                        ratio(a->equal_ns[0], a->time_ns[0]));
        if (r->has_prices) {
            money(text, a->cost);
            nadi_str_printf(out, "  %16s  %8.3fx", text, value_ratio(a, 0));
        }
        nadi_str_add_char(out, '\n');
    }
    nadi_str_add(out, "\nfaster, per cost: against equal bandwidths of the same sum\n");
}

void nadi_bandwidth_text(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    if (r->count == 1)
        one(r, out);
    else
        table(r, out);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static void json_answer(const struct nadi_bandwidth_rows *r, size_t i, struct nadi_json *j)
{
    const struct nadi_bandwidth_answer *a = &r->items[i];
    nadi_json_object(j, NULL);
    nadi_json_double(j, "sum_gbps", sum_of(r, a));
    nadi_json_array(j, "dimensions");
    for (uint32_t d = 0; d < r->network->count; d++) {
        const struct nadi_bandwidth_dim *dim = &r->network->dims[d];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "block", blocks[dim->block]);
        nadi_json_u64(j, "npus", dim->npus);
        nadi_json_string(j, "tier", dim->tier);
        nadi_json_double(j, "bandwidth_gbps", a->best.b[d]);
        nadi_json_double(j, "saves_ns_per_gbps", a->best.price[d]);
        nadi_json_bool(j, "flat", a->flat[d]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_array(j, "steps");
    for (uint32_t w = 0; w < r->step_count; w++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "workload", r->workloads[w]);
        nadi_json_double(j, "time_ns", a->time_ns[w]);
        nadi_json_double(j, "alone_ns", a->alone_ns[w]);
        nadi_json_double(j, "equal_ns", a->equal_ns[w]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    if (r->has_prices) {
        nadi_json_double(j, "cost_usd", a->cost);
        nadi_json_double(j, "equal_cost_usd", a->equal_cost);
    }
    nadi_json_double(j, "gap", a->gap);
    nadi_json_u64(j, "simulations", a->simulations);
    nadi_json_double(j, "residual", a->best.residual);
    nadi_json_close(j);
}

void nadi_bandwidth_json(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "goal", r->goal);
    nadi_json_string(&j, "loop", r->loop);
    nadi_json_array(&j, "answers");
    for (size_t i = 0; i < r->count; i++)
        json_answer(r, i, &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_bandwidth_csv(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    nadi_str_add(out, "sum_gbps");
    for (uint32_t d = 0; d < r->network->count; d++)
        nadi_str_printf(out, ",b%u_gbps", d);
    for (uint32_t w = 0; w < r->step_count; w++)
        nadi_str_printf(out, ",time_%u_ns,equal_%u_ns", w, w);
    nadi_str_add(out, r->has_prices ? ",cost_usd,equal_cost_usd\n" : "\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_bandwidth_answer *a = &r->items[i];
        nadi_str_printf(out, "%.9g", sum_of(r, a));
        for (uint32_t d = 0; d < r->network->count; d++)
            nadi_str_printf(out, ",%.9g", a->best.b[d]);
        for (uint32_t w = 0; w < r->step_count; w++)
            nadi_str_printf(out, ",%.9g,%.9g", a->time_ns[w], a->equal_ns[w]);
        if (r->has_prices)
            nadi_str_printf(out, ",%.9g,%.9g", a->cost, a->equal_cost);
        nadi_str_add_char(out, '\n');
    }
}

/* "key: [a, b]" */
static void list(const struct nadi_bandwidth_rows *r, const char *key, struct nadi_str *out)
{
    nadi_str_printf(out, "%s: [", *key == 'p' ? "tiers" : key);
    for (uint32_t d = 0; d < r->network->count; d++) {
        const struct nadi_bandwidth_dim *dim = &r->network->dims[d];
        nadi_str_add(out, d ? ", " : "");
        if (*key == 't')
            nadi_str_add(out, blocks[dim->block]);
        else if (*key == 'n')
            nadi_str_printf(out, "%u", dim->npus);
        else if (*key == 'b')
            nadi_str_printf(out, "%.10gGB/s", r->items[0].best.b[d]);
        else if (*key == 'p')
            nadi_json_add_text(out, dim->tier, strlen(dim->tier));
        else
            nadi_str_printf(out, "%.10gns", dim->latency_ns);
    }
    nadi_str_add(out, "]\n");
}

void nadi_bandwidth_network_file(const struct nadi_bandwidth_rows *r, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "# Made by nadi optimize bandwidth: goal %s, loop %s. GB are 10^9 bytes.\n"
                    "# The model knows no latency: it is what the network file said, or 0.\n",
                    r->goal, r->loop);
    list(r, "topology", out);
    list(r, "npus_count", out);
    list(r, "bandwidth", out);
    list(r, "latency", out);
    if (r->network->dims[0].tier)
        list(r, "prices", out);
}
