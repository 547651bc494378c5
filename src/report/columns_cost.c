/* columns_cost: the bill of materials, where a catalogue is named; what traffic draws, where one of
 * energies is. */
#include "report/columns.h"

#include <math.h>

enum { FILES = 1, BILL = 2, OBJECT = 4 };

#define ALL          (FILES | BILL | OBJECT)
#define LINE(member) NADI_MEMBER(nadi_bill_line, member)

NADI_GETTER(line_kind, item, nadi_bill_line, l, nadi_cell_text(nadi_part_kind_name(l->kind)));
NADI_GETTER(line_part, item, nadi_bill_line, l,
            nadi_cell_text(l->part ? l->part->name : l->wanted));
NADI_GETTER(line_each, item, nadi_bill_line, l,
            nadi_cell_real(l->units ? l->price / (double)l->units : (double)NAN));
NADI_GETTER(line_rate, item, nadi_bill_line, l,
            l->bits_per_s > 0 ? nadi_cell_real(l->bits_per_s / 1e9) : nadi_cell_empty());
NADI_GETTER(line_source, item, nadi_bill_line, l, nadi_cell_text(l->part ? l->part->source : NULL));
NADI_GETTER(line_date, item, nadi_bill_line, l, nadi_cell_text(l->part ? l->part->date : NULL));

static struct nadi_cell line_made_up(struct nadi_result_row *row)
{
    static const char *const words[] = {"", "price", "watts", "price and watts"};
    const struct nadi_bill_line *l = row->item;
    if (!l->part)
        return nadi_cell_empty();
    const int which = l->part->made_up[NADI_FIGURE_PRICE] + 2 * l->part->made_up[NADI_FIGURE_WATTS];
    return which ? nadi_cell_text(words[which]) : nadi_cell_empty();
}

static const struct nadi_column bill_columns[] = {
    {"line", BILL, .key = BILL, NADI_GET(U64, nadi_cell_row_number), .meaning = "its number"},
    {"kind", ALL, NADI_GET(TEXT, line_kind),
     .meaning = "device, server, NIC, switch, cable or memory"},
    {"role", ALL, LINE(role),
     .meaning = "what needs it: the device, the role of a switch, the two ends of a cable"},
    {"layer", ALL, LINE(layer),
     .meaning = "of a cable, from that of an NPU on; of a switch its level"},
    {"count", ALL, LINE(count), .meaning = "how many are needed"},
    {"rate_gbps", ALL, NADI_GET(REAL, line_rate), .unit = "Gb/s", .meaning = "of a port or cable"},
    {"part", ALL, NADI_GET(TEXT, line_part),
     .meaning = "name in the catalogue; what is wanted where it has none"},
    {"units", ALL, LINE(units), .meaning = "how many are bought"},
    {"included", ALL, LINE(included), .meaning = "1: in the servers' price"},
    {"unit_usd", ALL, NADI_GET(REAL, line_each), .unit = "$", .meaning = "price of one"},
    {"usd", ALL, LINE(price), .unit = "$", .meaning = "of all; empty: not known"},
    {"watts", ALL, LINE(watts), .unit = "W", .meaning = "highest power of all; empty: not known"},
    {"idle_watts", ALL, LINE(idle), .unit = "W",
     .meaning = "power of all while no device computes"},
    {"illustrative", ALL, NADI_GET(TEXT, line_made_up), .meaning = "figures that no source gives"},
    {"source", ALL, NADI_GET(TEXT, line_source), .meaning = "where the figures are from"},
    {"date", ALL, NADI_GET(TEXT, line_date), .meaning = "when"},
};

static void put_bill(struct nadi_rows *rows)
{
    const struct nadi_bill *b = rows->of->bill;
    for (size_t i = 0; b && i < b->count; i++)
        nadi_rows_item(rows, &b->items[i], i);
}

const struct nadi_result_view nadi_view_bill_csv = {
    NADI_VIEW_CSV,
    "bill.csv",
    "a line of the bill of materials, with a catalogue",
    NADI_COLUMNS(bill_columns),
    FILES,
    .put = put_bill,
    .title = "Bill of materials"};
const struct nadi_result_view nadi_view_bill = {
    NADI_VIEW_DATABASE,         "bill", "a line of the bill of materials, with a catalogue",
    NADI_COLUMNS(bill_columns), BILL,   .put = put_bill};
const struct nadi_result_view nadi_view_bill_json = {
    NADI_VIEW_JSON, "parts", "a line of the bill of materials, of `nadi cost --format json`",
    NADI_COLUMNS(bill_columns), OBJECT};

/* ---- what a step is worth ----------------------------------------------------------------------
 */

#define WORTH(member)   NADI_MEMBER(nadi_worth, member)
#define OF_BILL(member) NADI_MORE(nadi_bill, member)

NADI_GETTER(bill_facility, more, nadi_bill, b, nadi_cell_real(nadi_bill_power(b, 1)));
NADI_GETTER(bill_hourly, more, nadi_bill, b, nadi_cell_real(nadi_bill_hourly(b, 1)));
NADI_GETTER(bill_years, more, nadi_bill, b, nadi_cell_real(b->economy.years));
NADI_GETTER(bill_electricity, more, nadi_bill, b, nadi_cell_real(b->economy.electricity));
NADI_GETTER(bill_pue, more, nadi_bill, b, nadi_cell_real(b->economy.pue));

static const struct nadi_column worth_columns[] = {
    {"capital_usd", 1, OF_BILL(price), .unit = "$", .meaning = "all parts; null: one has no price"},
    {"power_w", 1, OF_BILL(watts), .unit = "W", .meaning = "of the parts, at most"},
    {"facility_power_w", 1, NADI_GET(REAL, bill_facility), .unit = "W",
     .meaning = "`power_w` times `pue`"},
    {"usd_per_hour", 1, NADI_GET(REAL, bill_hourly), .unit = "$",
     .meaning = "capital over `years` and electricity, at most"},
    {"price_is_illustrative", 1, OF_BILL(made_up_price),
     .meaning = "1: no source gives a price that is in it"},
    {"power_is_illustrative", 1, OF_BILL(made_up_watts), .meaning = "1: the same of a power"},
    {"years", 1, NADI_GET(REAL, bill_years), .unit = "years",
     .meaning = "over which the parts are paid"},
    {"electricity_usd_per_kwh", 1, NADI_GET(REAL, bill_electricity), .unit = "$",
     .meaning = "of a kWh"},
    {"pue", 1, NADI_GET(REAL, bill_pue), .unit = "a ratio",
     .meaning = "facility's power by that of the parts"},
    {"compute_share", 1, WORTH(busy), .unit = "0 to 1",
     .meaning = "share of the step that devices compute"},
    {"step_power_w", 1, WORTH(watts), .unit = "W", .meaning = "facility, mean over the step"},
    {"step_joules", 1, WORTH(joules), .unit = "J", .meaning = "facility, of the step"},
    {"step_usd", 1, WORTH(dollars), .unit = "$", .meaning = "of the step"},
    {"tokens_per_usd", 1, WORTH(tokens_per_dollar), .unit = "1/$",
     .meaning = "tokens (samples) of a step by its $"},
    {"tokens_per_joule", 1, WORTH(tokens_per_joule), .unit = "1/J",
     .meaning = "tokens (samples) of a step by its J"},
};

static void put_worth(struct nadi_rows *rows)
{
    if (rows->of->worth)
        nadi_rows_put(rows,
                      &(struct nadi_result_row){.item = rows->of->worth, .more = rows->of->bill});
}

const struct nadi_result_view nadi_view_worth = {
    NADI_VIEW_DATABASE,          "worth", "the run, with a catalogue",
    NADI_COLUMNS(worth_columns), 1,       .put = put_worth,
    .title = "Cost and energy"};

/* ---- what the network's traffic draws ------------------------------------------------------- */

#define ENERGY(member) NADI_MEMBER(nadi_energy_result, member)

static const struct nadi_column energy_columns[] = {
    {"catalogue", 3, ENERGY(catalogue), .meaning = "where the coefficients are from"},
    {"joules", 3, ENERGY(joules), .unit = "J",
     .meaning = "of all that the network carried, and without traffic"},
    {"routers_joules", 3, ENERGY(routers_j), .unit = "J", .meaning = "in routers"},
    {"links_joules", 3, ENERGY(links_j), .unit = "J", .meaning = "in links"},
    {"idle_joules", 3, ENERGY(idle_j), .unit = "J",
     .meaning = "of all routers and links without traffic: leakage, clocks"},
    {"pj_per_bit", 3, ENERGY(pj_per_bit), .unit = "pJ",
     .meaning = "`joules` by the bits of messages sent, each once"},
    {"is_illustrative", 3, ENERGY(made_up),
     .meaning = "1: no source gives a coefficient that is in it"},
};

static void put_energy(struct nadi_rows *rows)
{
    if (rows->of->r->energy.catalogue)
        nadi_rows_put(rows, &(struct nadi_result_row){.item = &rows->of->r->energy});
}

const struct nadi_result_view nadi_view_energy = {NADI_VIEW_DATABASE,
                                                  "energy",
                                                  "the run, with energies of routers and links",
                                                  NADI_COLUMNS(energy_columns),
                                                  1,
                                                  .put = put_energy,
                                                  .title = "Energy of the traffic"};
const struct nadi_result_view nadi_view_energy_json = {
    NADI_VIEW_JSON, "network.energy", "the run, with energies of routers and links",
    NADI_COLUMNS(energy_columns), 2};
