/* topo_text: a network's figures for the terminal and as JSON. */
#include "base/time.h"
#include "base/units.h"
#include "format/json_write.h"
#include "platform/io_trees.h"
#include "report/topo.h"

/* Sum of the prices given; *missing is the first role without one, NULL when all have one. */
static double topo_cost(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                        const char **missing)
{
    double sum = 0;
    *missing = NULL;
    for (uint32_t i = 0; i < m->role_count; i++) {
        const double price = nadi_graph_price_of(f, m->roles[i].role);
        if (price >= 0)
            sum += price * m->roles[i].count;
        else if (!*missing)
            *missing = m->roles[i].role;
    }
    const double cable = nadi_graph_price_of(f, "cable");
    if (cable >= 0)
        sum += cable * m->links;
    else if (!*missing)
        *missing = "cable";
    return sum;
}

/* 8 or 3.5e+06: whole as long as that is short. */
static const char *count_text(char buffer[32], double n)
{
    snprintf(buffer, 32, n < 1e6 ? "%.0f" : "%.4g", n);
    return buffer;
}

static void put_parts(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                      struct nadi_str *out)
{
    nadi_str_printf(out, "%s: %" PRIu32 " NPU%s, %" PRIu32 " switch%s, %" PRIu32 " link%s\n",
                    f->kind, m->npus, m->npus == 1 ? "" : "s", m->switches,
                    m->switches == 1 ? "" : "es", m->links, m->links == 1 ? "" : "s");
    nadi_str_add(out, "\n  nodes            ");
    for (uint32_t i = 0; i < m->role_count; i++)
        nadi_str_printf(
            out, "%s%s %" PRIu32 "%s", i ? ", " : "", m->roles[i].role, m->roles[i].count,
            m->routers && strcmp(m->roles[i].role, "npu") == 0 ? " (each its own router)" : "");
    nadi_str_add(out, "\n");
    for (size_t i = 0; i < m->cable_count; i++) {
        const struct nadi_measure_cable *c = &m->cables[i];
        char rate[32], time[32], name[96];
        if (i == 12) {
            nadi_str_printf(out, "  %-15s  %zu more kinds\n", "", m->cable_count - i);
            break;
        }
        snprintf(name, sizeof(name), "%.30s %s %.30s", c->a, c->one_way ? "->" : "-", c->b);
        nadi_str_printf(out, "  %-15s  %-26s %8" PRIu32 " x %-12s %-10s dimension %" PRIu32 "\n",
                        i ? "" : "links", name, c->count,
                        nadi_units_rate(rate, (double)c->bits_per_s / 8),
                        nadi_units_time(time, nadi_time_in_ns(c->latency)), c->dim);
    }
    nadi_str_add(out, "  dimensions       ");
    for (uint32_t d = 0; d < f->dim_count; d++)
        nadi_str_printf(out, "%s%" PRIu32, d ? " x " : "", f->dims[d]);
    nadi_str_printf(out, "  (as collectives see the ranks)\n");
}

static void put_distances(const struct nadi_graph_measures *m, struct nadi_str *out)
{
    char time[32], least[32], most[32];
    if (!m->connected)
        nadi_str_add(out,
                     "  not connected    some NPUs cannot reach others; distances are of those "
                     "that can\n");
    nadi_str_printf(out, "  diameter         %s%" PRIu32 " link%s, %s of latency\n",
                    m->sampled ? "at least " : "", m->diameter, m->diameter == 1 ? "" : "s",
                    nadi_units_time(time, nadi_time_in_ns(m->diameter_latency)));
    if (m->sampled)
        nadi_str_printf(out, "                   looked from %" PRIu32 " NPUs, not from all\n",
                        m->sampled);
    nadi_str_printf(out, "  mean distance    %.2f links\n", m->mean_hops);
    for (uint32_t i = 0; i < m->distance_count; i++) {
        const struct nadi_measure_distance *d = &m->distances[i];
        const bool same = d->least_paths >= d->most_paths;
        if (i == 10 && m->distance_count > 12) {
            nadi_str_printf(out, "  %-15s  ... up to %" PRIu32 " links\n", "",
                            m->distances[m->distance_count - 1].hops);
            break;
        }
        nadi_str_printf(
            out, "  %-15s  %3" PRIu32 " link%s to %8" PRIu32 " NPU%s by %s%s%s path%s\n",
            i ? "" : "from NPU 0", d->hops, d->hops == 1 ? " " : "s", d->npus,
            d->npus == 1 ? " " : "s", count_text(least, d->least_paths), same ? "" : " to ",
            same ? "" : count_text(most, d->most_paths), d->most_paths > 1 ? "s" : "");
    }
    if (m->disjoint)
        nadi_str_printf(out,
                        "  path diversity   %" PRIu32
                        " path%s to the farthest that share%s no link but those of the NPUs\n",
                        m->disjoint, m->disjoint == 1 ? "" : "s", m->disjoint == 1 ? "s" : "");
}

static void put_bisection(const struct nadi_graph_measures *m, struct nadi_str *out)
{
    char rate[32], each[32];
    if (m->npus < 2)
        return;
    const uint64_t half = m->npus / 2;
    const double per_npu = m->bisection_bits_per_s / (double)half;
    nadi_str_printf(out, "  bisection        %s each way, %s an NPU (%.3g %% of its links)\n",
                    nadi_units_rate(rate, m->bisection_bits_per_s / 8),
                    nadi_units_rate(each, per_npu / 8), 100 * per_npu / m->npu_bits_per_s);
    if (m->all_splits && m->splits == 1)
        nadi_str_add(out, "                   largest flow; all halves are alike\n");
    else if (m->all_splits)
        nadi_str_printf(
            out, "                   largest flow, least of all %" PRIu32 " ways to halve it\n",
            m->splits);
    else if (m->splits)
        nadi_str_printf(
            out, "                   largest flow, least of %" PRIu32 " ways to halve it: %s\n",
            m->splits, m->bisection_split);
    else
        nadi_str_printf(out, "                   %s\n", m->bisection_split);
}

static void put_io(const struct nadi_graph *g, struct nadi_str *out)
{
    struct nadi_io_trees io;
    char all[32], wanted[32], has[32];
    if (!nadi_io_trees_find(g, &io))
        return;
    nadi_str_printf(
        out, "  I/O              %" PRIu32 " controllers, %s in all, each at %.4g of its rate\n",
        io.controllers, nadi_units_rate(all, io.bytes_per_ns * 1e9 * io.factor), io.factor);
    if (io.channel == NADI_NONE)
        return;
    uint32_t from, to;
    char a[48], b[48];
    nadi_graph_channel_ends(g, io.channel, &from, &to);
    nadi_str_printf(out,
                    "                   %s to %s carries %" PRIu32 " of their trees: %s of %s\n",
                    nadi_graph_node_name(g, nadi_graph_owner(g, from), a),
                    nadi_graph_node_name(g, nadi_graph_owner(g, to), b), io.trees,
                    nadi_units_rate(wanted, io.wanted_bytes_per_ns * 1e9),
                    nadi_units_rate(has, io.has_bytes_per_ns * 1e9));
}

void nadi_topo_write_text(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                          struct nadi_str *out)
{
    const char *missing;
    put_parts(f, m, out);
    put_distances(m, out);
    put_bisection(m, out);
    put_io(&f->graph, out);
    if (!f->price_count)
        return;
    const double cost = topo_cost(f, m, &missing);
    nadi_str_printf(out, "  cost             %.12g, %.6g an NPU%s%s\n", cost, cost / m->npus,
                    missing ? "; without a price: " : "", missing ? missing : "");
}

static void json_parts(struct nadi_json *j, const struct nadi_graph_file *f,
                       const struct nadi_graph_measures *m)
{
    nadi_json_string(j, "kind", f->kind);
    nadi_json_u64(j, "npus", m->npus);
    nadi_json_u64(j, "switches", m->switches);
    nadi_json_u64(j, "routers_on_board", m->routers);
    nadi_json_u64(j, "links", m->links);
    nadi_json_row(j, "nodes");
    for (uint32_t i = 0; i < m->role_count; i++)
        nadi_json_u64(j, m->roles[i].role, m->roles[i].count);
    nadi_json_close(j);
    nadi_json_array(j, "cables");
    for (size_t i = 0; i < m->cable_count; i++) {
        const struct nadi_measure_cable *c = &m->cables[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "from", c->a);
        nadi_json_string(j, "to", c->b);
        nadi_json_u64(j, "count", c->count);
        nadi_json_double(j, "bandwidth_bytes_per_s", (double)c->bits_per_s / 8);
        nadi_json_double(j, "latency_ns", nadi_time_in_ns(c->latency));
        nadi_json_u64(j, "dimension", c->dim);
        nadi_json_bool(j, "one_way", c->one_way);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_row_array(j, "dimensions");
    for (uint32_t d = 0; d < f->dim_count; d++)
        nadi_json_u64(j, NULL, f->dims[d]);
    nadi_json_close(j);
}

static void json_distances(struct nadi_json *j, const struct nadi_graph_measures *m)
{
    nadi_json_bool(j, "connected", m->connected);
    nadi_json_u64(j, "diameter_links", m->diameter);
    nadi_json_bool(j, "diameter_is_exact", m->sampled == 0);
    nadi_json_double(j, "diameter_latency_ns", nadi_time_in_ns(m->diameter_latency));
    nadi_json_double(j, "mean_links", m->mean_hops);
    nadi_json_array(j, "from_npu_0");
    for (uint32_t i = 0; i < m->distance_count; i++) {
        nadi_json_row(j, NULL);
        nadi_json_u64(j, "links", m->distances[i].hops);
        nadi_json_u64(j, "npus", m->distances[i].npus);
        nadi_json_double(j, "least_shortest_ways", m->distances[i].least_paths);
        nadi_json_double(j, "most_shortest_ways", m->distances[i].most_paths);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_u64(j, "link_disjoint_ways", m->disjoint);
}

static void json_io(struct nadi_json *j, const struct nadi_graph *g)
{
    struct nadi_io_trees io;
    if (!nadi_io_trees_find(g, &io))
        return;
    nadi_json_row(j, "io");
    nadi_json_u64(j, "controllers", io.controllers);
    nadi_json_double(j, "bytes_per_s", io.bytes_per_ns * 1e9);
    nadi_json_u64(j, "trees_over_the_hottest_link", io.trees);
    nadi_json_double(j, "wanted_bytes_per_s", io.wanted_bytes_per_ns * 1e9);
    nadi_json_double(j, "link_bytes_per_s", io.has_bytes_per_ns * 1e9);
    nadi_json_double(j, "factor", io.factor);
    nadi_json_close(j);
}

void nadi_topo_write_json(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                          struct nadi_str *out)
{
    struct nadi_json j;
    const char *missing;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    json_parts(&j, f, m);
    json_distances(&j, m);
    json_io(&j, &f->graph);
    nadi_json_double(&j, "bisection_bytes_per_s", m->bisection_bits_per_s / 8);
    nadi_json_string(&j, "bisection_halves", m->bisection_split);
    nadi_json_u64(&j, "bisection_flows", m->splits);
    nadi_json_bool(&j, "bisection_is_exact", m->all_splits);
    if (f->price_count) {
        nadi_json_double(&j, "cost", topo_cost(f, m, &missing));
        nadi_json_string(&j, "without_price", missing);
    }
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
