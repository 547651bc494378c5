#include "report/fabric_text.h"

#include "fabric/flows_text.h"
#include "format/json_write.h"

/* ---- route ------------------------------------------------------------------------------------
 */

/* "flows 0, 2 and 5". */
static void name_flows(const uint32_t *flows, uint32_t count, struct nadi_str *out)
{
    nadi_str_add(out, count == 1 ? "flow " : "flows ");
    for (uint32_t i = 0; i < count; i++)
        nadi_str_printf(out, "%s%u", i == 0 ? "" : i + 1 == count ? " and " : ", ", flows[i]);
}

static const char *verdict_word(enum nadi_fred_verdict v)
{
    return v == NADI_FRED_ROUTED ? "routed" : v == NADI_FRED_CONFLICT ? "conflict" : "undecided";
}

static void verdict_text(const struct nadi_fabric_routed *r, struct nadi_str *out)
{
    if (r->verdict == NADI_FRED_ROUTED)
        nadi_str_add(out, "All go at once.\n");
    else if (r->verdict == NADI_FRED_UNDECIDED)
        nadi_str_add(out, "Not decided whether all can go at once: the search was cut off.\n");
    else {
        nadi_str_add(out, "Conflict, proved: ");
        name_flows(r->smallest, r->smallest_count, out);
        nadi_str_printf(out, " cannot go at once; %s.\n",
                        r->least ? "no smaller set of flows conflicts"
                                 : "without any one of them the others can");
    }
    if (r->answer)
        nadi_str_printf(out, "Answer %s: %s.\n", r->answer, r->answer_is);
}

/* The middle networks of a flow, from the outermost: "2/0". */
static void colours_text(const struct nadi_fabric_routed *r, const struct nadi_fabric_round *round,
                         uint32_t flow, struct nadi_str *out)
{
    bool any = false;
    for (uint32_t level = 0; level < r->levels; level++) {
        const uint32_t colour = round->colours[flow * r->levels + level];
        if (colour == NADI_NONE)
            break;
        nadi_str_printf(out, "%s%u", any ? "/" : "", colour);
        any = true;
    }
    if (!any)
        nadi_str_add_char(out, '-');
}

static void round_text(const struct nadi_fabric_routed *r, uint32_t number, struct nadi_str *out)
{
    const struct nadi_fabric_round *round = &r->rounds[number];
    if (r->round_count > 1)
        nadi_str_printf(out, "\nround %u\n", number + 1);
    else
        nadi_str_add_char(out, '\n');
    nadi_str_printf(out, "  %-5s  %-16s  %s\n", "flow", "middle networks", "inputs > outputs");
    for (uint32_t i = 0; i < round->set.count; i++) {
        struct nadi_str middles = NADI_STR_INIT, ports = NADI_STR_INIT;
        colours_text(r, round, i, &middles);
        nadi_fred_write_flow(&round->set.items[i], &ports);
        if (round->number[i] == NADI_NONE)
            nadi_str_printf(out, "  %-5s", "part");
        else
            nadi_str_printf(out, "  %-5u", round->number[i]);
        nadi_str_printf(out, "  %-16s  %s\n", nadi_str_get(&middles), nadi_str_get(&ports));
        nadi_str_release(&middles);
        nadi_str_release(&ports);
    }
    nadi_str_printf(out, "\n  %-16s  %-5s  %s\n", "switch", "kind", "its inputs > its outputs");
    for (uint32_t i = 0; i < round->setting_count; i++)
        nadi_str_printf(out, "  %-16s  %-5s  %s\n", round->settings[i].place,
                        round->settings[i].kind, round->settings[i].crossings);
}

void nadi_fabric_route_text(const struct nadi_fabric_routed *r, struct nadi_str *out)
{
    nadi_str_printf(out, "Fred_%u(%u), %u flow%s\n\n", r->middle, r->ports, r->set.count,
                    r->set.count == 1 ? "" : "s");
    verdict_text(r, out);
    if (r->place) {
        nadi_str_add(out, "\n  port  goes to\n");
        for (uint32_t p = 0; p < r->ports; p++)
            if (r->place[p] != p)
                nadi_str_printf(out, "  %4u  %7u\n", p, r->place[p]);
    }
    for (uint32_t i = 0; i < r->round_count; i++)
        round_text(r, i, out);
}

static void flow_json(const struct nadi_fabric_routed *r, const struct nadi_fabric_round *round,
                      uint32_t i, struct nadi_json *j)
{
    struct nadi_str ports = NADI_STR_INIT;
    nadi_fred_write_flow(&round->set.items[i], &ports);
    nadi_json_row(j, NULL);
    if (round->number[i] == NADI_NONE)
        nadi_json_null(j, "flow");
    else
        nadi_json_u64(j, "flow", round->number[i]);
    nadi_json_string(j, "ports", nadi_str_get(&ports));
    nadi_json_row_array(j, "middle_networks");
    for (uint32_t level = 0; level < r->levels; level++)
        if (round->colours[i * r->levels + level] != NADI_NONE)
            nadi_json_u64(j, NULL, round->colours[i * r->levels + level]);
    nadi_json_close(j);
    nadi_json_close(j);
    nadi_str_release(&ports);
}

static void round_json(const struct nadi_fabric_routed *r, const struct nadi_fabric_round *round,
                       struct nadi_json *j)
{
    nadi_json_object(j, NULL);
    nadi_json_array(j, "flows");
    for (uint32_t i = 0; i < round->set.count; i++)
        flow_json(r, round, i, j);
    nadi_json_close(j);
    nadi_json_array(j, "settings");
    for (uint32_t i = 0; i < round->setting_count; i++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "switch", round->settings[i].place);
        nadi_json_string(j, "kind", round->settings[i].kind);
        nadi_json_string(j, "crossings", round->settings[i].crossings);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

void nadi_fabric_route_json(const struct nadi_fabric_routed *r, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_u64(&j, "ports", r->ports);
    nadi_json_u64(&j, "middle", r->middle);
    nadi_json_u64(&j, "flows", r->set.count);
    nadi_json_string(&j, "verdict", verdict_word(r->verdict));
    if (r->verdict == NADI_FRED_CONFLICT) {
        nadi_json_row_array(&j, "smallest_conflict");
        for (uint32_t i = 0; i < r->smallest_count; i++)
            nadi_json_u64(&j, NULL, r->smallest[i]);
        nadi_json_close(&j);
        nadi_json_bool(&j, "smallest_is_proved", r->least);
    }
    nadi_json_string(&j, "answer", r->answer);
    nadi_json_string(&j, "answer_is", r->answer_is);
    if (r->place) {
        nadi_json_row_array(&j, "place_of_port");
        for (uint32_t p = 0; p < r->ports; p++)
            nadi_json_u64(&j, NULL, r->place[p]);
        nadi_json_close(&j);
    }
    nadi_json_array(&j, "rounds");
    for (uint32_t i = 0; i < r->round_count; i++)
        round_json(r, &r->rounds[i], &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* ---- check ------------------------------------------------------------------------------------
 */

void nadi_fabric_check_text(const struct nadi_fabric_checked *rows, size_t count,
                            struct nadi_str *out)
{
    bool undecided = false;
    nadi_str_printf(out, "%6s  %2s  %-9s  %7s  %9s\n", "ports", "m", "placement", "phases",
                    "conflicts");
    for (size_t i = 0; i < count; i++) {
        nadi_str_printf(out, "%6u  %2u  %-9s  %7u  %9u", rows[i].ports, rows[i].middle,
                        rows[i].placement, rows[i].phases, rows[i].conflicts);
        if (rows[i].undecided)
            nadi_str_printf(out, "  and %u not decided", rows[i].undecided);
        undecided = undecided || rows[i].undecided;
        nadi_str_add_char(out, '\n');
    }
    for (size_t i = 0; i < count; i++)
        if (rows[i].flows)
            nadi_str_printf(out,
                            "\n%u ports, m = %u, %s: first conflict in the phase %s of mp=%u pp=%u "
                            "dp=%u:\n  %s\n",
                            rows[i].ports, rows[i].middle, rows[i].placement,
                            nadi_fred_dim_name(rows[i].dim), rows[i].strategy.size[NADI_FRED_MP],
                            rows[i].strategy.size[NADI_FRED_PP],
                            rows[i].strategy.size[NADI_FRED_DP], rows[i].flows);
    nadi_str_add(out, undecided
                          ? "\nConflicts are proved; the search for some sets was cut off.\n"
                          : "\nEvery count is proved: all colourings of a conflict were tried.\n");
}

void nadi_fabric_check_json(const struct nadi_fabric_checked *rows, size_t count,
                            struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "checks");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_fabric_checked *c = &rows[i];
        nadi_json_object(&j, NULL);
        nadi_json_u64(&j, "ports", c->ports);
        nadi_json_u64(&j, "middle", c->middle);
        nadi_json_string(&j, "placement", c->placement);
        nadi_json_u64(&j, "phases", c->phases);
        nadi_json_u64(&j, "conflicts", c->conflicts);
        nadi_json_u64(&j, "undecided", c->undecided);
        if (c->flows) {
            nadi_json_row(&j, "first_conflict");
            for (uint32_t d = 0; d < NADI_FRED_DIMS; d++)
                nadi_json_u64(&j, nadi_fred_dim_name((enum nadi_fred_dim)d), c->strategy.size[d]);
            nadi_json_string(&j, "phase", nadi_fred_dim_name(c->dim));
            nadi_json_string(&j, "flows", c->flows);
            nadi_json_close(&j);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_fabric_check_csv(const struct nadi_fabric_checked *rows, size_t count,
                           struct nadi_str *out)
{
    nadi_str_add(out, "ports,middle,placement,phases,conflicts,undecided\n");
    for (size_t i = 0; i < count; i++)
        nadi_str_printf(out, "%u,%u,\"%s\",%u,%u,%u\n", rows[i].ports, rows[i].middle,
                        rows[i].placement, rows[i].phases, rows[i].conflicts, rows[i].undecided);
}

/* ---- count ------------------------------------------------------------------------------------
 */

static const struct {
    const char *head, *key;
} count_columns[] = {
    {"R", "r_switches"},     {"D", "d_switches"},
    {"RD", "rd_switches"},   {"demux", "demultiplexers"},
    {"mux", "multiplexers"}, {"switches", "switches"},
    {"depth", "depth"},      {"config bits", "config_bits"},
};

enum { COUNT_COLUMNS = sizeof(count_columns) / sizeof(*count_columns) };

static void count_values(const struct nadi_fred_counts *c, uint64_t values[COUNT_COLUMNS])
{
    for (uint32_t k = 0; k < 5; k++)
        values[k] = c->kinds[NADI_FRED_R + k];
    values[5] = c->switches;
    values[6] = c->depth;
    values[7] = c->config_bits;
}

void nadi_fabric_count_text(const struct nadi_fabric_counted *rows, size_t count,
                            struct nadi_str *out)
{
    uint64_t values[COUNT_COLUMNS];
    nadi_str_printf(out, "%8s  %2s", "ports", "m");
    for (uint32_t k = 0; k < COUNT_COLUMNS; k++)
        nadi_str_printf(out, "  %11s", count_columns[k].head);
    nadi_str_add_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        count_values(&rows[i].counts, values);
        nadi_str_printf(out, "%8u  %2u", rows[i].ports, rows[i].middle);
        for (uint32_t k = 0; k < COUNT_COLUMNS; k++)
            nadi_str_printf(out, "  %11" PRIu64, values[k]);
        nadi_str_add_char(out, '\n');
    }
}

void nadi_fabric_count_json(const struct nadi_fabric_counted *rows, size_t count,
                            struct nadi_str *out)
{
    struct nadi_json j;
    uint64_t values[COUNT_COLUMNS];
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "counts");
    for (size_t i = 0; i < count; i++) {
        count_values(&rows[i].counts, values);
        nadi_json_object(&j, NULL);
        nadi_json_u64(&j, "ports", rows[i].ports);
        nadi_json_u64(&j, "middle", rows[i].middle);
        for (uint32_t k = 0; k < COUNT_COLUMNS; k++)
            nadi_json_u64(&j, count_columns[k].key, values[k]);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_fabric_count_csv(const struct nadi_fabric_counted *rows, size_t count,
                           struct nadi_str *out)
{
    uint64_t values[COUNT_COLUMNS];
    nadi_str_add(out, "ports,middle");
    for (uint32_t k = 0; k < COUNT_COLUMNS; k++)
        nadi_str_printf(out, ",%s", count_columns[k].key);
    nadi_str_add_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        count_values(&rows[i].counts, values);
        nadi_str_printf(out, "%u,%u", rows[i].ports, rows[i].middle);
        for (uint32_t k = 0; k < COUNT_COLUMNS; k++)
            nadi_str_printf(out, ",%" PRIu64, values[k]);
        nadi_str_add_char(out, '\n');
    }
}
