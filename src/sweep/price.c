#include "sweep/price.h"

#include "cost/bill.h"
#include "platform/cluster.h"

#include <math.h>

bool nadi_point_is_price(const struct nadi_space_variable *v)
{
    static const char *const names[] = {"catalogue", "years", "electricity", "pue"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (nadi_str_equal(v->of, "run") && nadi_str_equal(v->path, names[i]))
            return true;
    return false;
}

/* An objective that the catalogue cannot give. */
static bool complete(const struct nadi_point_row *row, const struct nadi_space *space,
                     const struct nadi_bill *bill, const char *path, struct nadi_diags *diags)
{
    const bool priced = !isnan(bill->price);
    for (uint32_t k = NADI_SWEEP_CAPITAL; k < NADI_SWEEP_FIGURES; k++) {
        const bool by_step = k == NADI_SWEEP_PER_DOLLAR || k == NADI_SWEEP_PER_JOULE;
        if (!nadi_space_wants(space, k) || !isnan(row->figures[k]) ||
            (by_step && isnan(row->figures[NADI_SWEEP_STEP])))
            continue;
        const bool watts = priced || k == NADI_SWEEP_POWER || k == NADI_SWEEP_PER_JOULE;
        struct nadi_str names = NADI_STR_INIT;
        nadi_bill_missing(bill, watts, &names);
        (void)nadi_error(diags, "cost/missing", NADI_IN_FILE(path), NULL,
                         "the catalogue has no %s of: %s", watts ? "power" : "price",
                         nadi_str_get(&names));
        nadi_str_release(&names);
        return false;
    }
    return true;
}

bool nadi_point_price(struct nadi_point_row *row, const struct nadi_space *space,
                      const struct nadi_run_options *options, const struct nadi_cluster *cluster,
                      struct nadi_diags *diags)
{
    const struct nadi_economy economy = {options->years, options->electricity, options->pue};
    const double step_s = row->figures[NADI_SWEEP_STEP] / 1e9;
    struct nadi_prices prices;
    struct nadi_bill bill = {0};
    bool ok = nadi_prices_open(&prices, options->catalogue, diags);
    ok = ok && nadi_bill_of_cluster(&bill, cluster, (uint64_t)row->figures[NADI_SWEEP_RANKS],
                                    &prices, &economy, diags);
    if (ok) {
        const double busy = row->figures[NADI_SWEEP_COMPUTE] / row->figures[NADI_SWEEP_STEP];
        const struct nadi_worth worth = nadi_bill_worth(
            &bill, step_s, row->figures[NADI_SWEEP_TOKENS] * step_s, isnan(busy) ? 1 : busy);
        row->figures[NADI_SWEEP_CAPITAL] = bill.price;
        row->figures[NADI_SWEEP_POWER] = bill.watts;
        row->figures[NADI_SWEEP_HOURLY] = nadi_bill_hourly(&bill, worth.busy);
        row->figures[NADI_SWEEP_ILLUSTRATIVE] = bill.made_up_price || bill.made_up_watts;
        if (!isnan(step_s)) {
            row->figures[NADI_SWEEP_PER_DOLLAR] = worth.tokens_per_dollar;
            row->figures[NADI_SWEEP_PER_JOULE] = worth.tokens_per_joule;
        }
        ok = complete(row, space, &bill, prices.path, diags);
    }
    nadi_bill_release(&bill);
    nadi_prices_release(&prices);
    return ok;
}
