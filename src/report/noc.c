#include "report/noc.h"

#include "format/json_write.h"
#include "report/markup.h"

#include <math.h>

/* ---- text ---------------------------------------------------------------------------------- */

static void say_circle(const struct nadi_noc_sweep *s, const struct nadi_noc_load *l,
                       struct nadi_str *out)
{
    char name[48];
    nadi_str_printf(
        out, "Deadlock at %.4g after %llu cycles: packets wait in a circle of %u routers:", l->rate,
        (unsigned long long)l->cycles, l->circle_count);
    for (uint32_t i = 0; i < l->circle_count && i < 8; i++)
        nadi_str_printf(out, "%s %s", i ? "," : "",
                        nadi_graph_node_name(s->graph, l->circle[i], name));
    nadi_str_add(out, l->circle_count > 8 ? ", ...\n" : ".\n");
}

static void words(const struct nadi_noc_sweep *s, struct nadi_str *out)
{
    const struct nadi_noc_load *sat = s->saturation;
    for (size_t i = 0; i < s->count; i++)
        if (s->loads[i].stuck) {
            say_circle(s, &s->loads[i], out);
            break;
        }
    if (sat)
        nadi_str_printf(out,
                        "The network saturates at %.3f flits an NPU and cycle: there the latency "
                        "is three times that without load, %.1f cycles.\n",
                        sat->rate, s->alone);
    if (!sat || sat->no_vc + sat->no_credit + sat->lost_arbitration == 0)
        return;
    const bool vcs = sat->no_vc >= sat->no_credit && sat->no_vc >= sat->lost_arbitration;
    const bool credits = !vcs && sat->no_credit >= sat->lost_arbitration;
    nadi_str_printf(out, "There packets wait most often %s.\n",
                    vcs       ? "for a free virtual channel: more of them would help"
                    : credits ? "for room in the next buffer: deeper buffers or fewer packets on "
                                "the same links would help"
                              : "for others at the crossbar: the links themselves are the limit");
}

static void bar(double value, double most, struct nadi_str *out)
{
    const uint32_t length = most > 0 ? (uint32_t)(24 * value / most + 0.5) : 0;
    for (uint32_t i = 0; i < length && i < 24; i++)
        nadi_str_add_char(out, '#');
}

static double most_latency(const struct nadi_noc_sweep *s)
{
    double most = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!s->loads[i].saturated && s->loads[i].latency > most)
            most = s->loads[i].latency;
    return most;
}

static const char *state_of(const struct nadi_noc_load *l)
{
    return l->stuck ? "deadlock" : l->saturated ? "saturated" : "";
}

/* Of a bit that arrived; NAN: none did, or it is not known. */
static double pj_per_bit(const struct nadi_noc_sweep *s, const struct nadi_noc_load *l)
{
    const double bits = l->accepted * s->graph->host_count * (double)s->measured * 8 *
                        (double)s->config->flit_bytes;
    return bits > 0 ? l->joules * 1e12 / bits : (double)NAN;
}

static double watts(const struct nadi_noc_sweep *s, const struct nadi_noc_load *l)
{
    return l->joules / ((double)s->measured / (s->clock_ghz * 1e9));
}

static void energy_columns(const struct nadi_noc_sweep *s, const struct nadi_noc_load *l,
                           struct nadi_str *out)
{
    if (isfinite(pj_per_bit(s, l)))
        nadi_str_printf(out, "%8.4g  %8.4g  ", pj_per_bit(s, l), watts(s, l));
    else
        nadi_str_printf(out, "%8s  %8s  ", "-", "-");
}

void nadi_noc_text(const struct nadi_noc_sweep *s, struct nadi_str *out)
{
    const struct nadi_flit_config *c = s->config;
    words(s, out);
    nadi_str_printf(out,
                    "\n  network          %s, %u NPUs\n"
                    "  traffic          %s, packets of %u flit%s\n"
                    "  routers          %u virtual channels of %u flits, stages of %u + %u + %u + "
                    "%u cycles\n\n",
                    s->network, s->graph->host_count, s->traffic, c->packet_flits,
                    c->packet_flits == 1 ? "" : "s", c->vcs, s->buffer_flits, c->routing_delay,
                    c->vc_delay, c->switch_delay, c->traversal_delay);
    nadi_str_printf(out, "  offered  accepted   latency      +-   routers   worst   least NPU%s\n",
                    s->energy ? "    energy     power" : "");
    nadi_str_printf(out, "  flits an NPU and cycle   cycles                          accepts%s\n",
                    s->energy ? "    pJ/bit         W" : "");
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_noc_load *l = &s->loads[i];
        nadi_str_printf(out, "  %7.4f  %8.4f  ", l->rate, l->accepted);
        if (l->saturated || l->stuck)
            nadi_str_printf(out, "%8s  %6s  ", "-", "-");
        else if (isfinite(l->half_width))
            nadi_str_printf(out, "%8.2f  %6.2f  ", l->latency, l->half_width);
        else
            nadi_str_printf(out, "%8.2f  %6s  ", l->latency, "-");
        if (l->hops > 0)
            nadi_str_printf(out, "%8.3f", l->hops);
        else
            nadi_str_printf(out, "%8s", "-");
        nadi_str_printf(out, "  %6llu  %10.4f  ", (unsigned long long)l->worst_latency,
                        l->least_accepted);
        if (s->energy)
            energy_columns(s, l, out);
        if (l->saturated || l->stuck)
            nadi_str_add(out, state_of(l));
        else
            bar(l->latency, most_latency(s), out);
        while (out->length && out->text[out->length - 1] == ' ')
            out->text[--out->length] = '\0';
        nadi_str_add_char(out, '\n');
    }
    nadi_str_add(out, "\nLatency is from a packet's making to its tail's arrival, waiting at its "
                      "source included;\n+- is half of the 95 % interval.\n");
    if (s->energy)
        nadi_str_printf(
            out,
            "Energy is of routers and links, by a bit that arrived, from %s%s;\npower at "
            "%.4g GHz with flits of %u B.\n",
            s->energy, s->energy_made_up ? " (~: not all of it is published)" : "", s->clock_ghz,
            c->flit_bytes);
}

/* ---- for programs -------------------------------------------------------------------------- */

void nadi_noc_csv(const struct nadi_noc_sweep *s, struct nadi_str *out)
{
    nadi_str_add(out, "offered_flits_per_cycle,accepted_flits_per_cycle,latency_cycles,"
                      "half_width_cycles,routers,worst_latency_cycles,least_accepted_flits_per_"
                      "cycle,most_accepted_flits_per_cycle,packets,no_vc,no_credit,"
                      "lost_arbitration,state");
    nadi_str_add(out, s->energy ? ",joules,pj_per_bit,watts\n" : "\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_noc_load *l = &s->loads[i];
        nadi_str_printf(out, "%.9g,%.9g,%.9g,", l->rate, l->accepted, l->latency);
        if (isfinite(l->half_width))
            nadi_str_printf(out, "%.9g", l->half_width);
        nadi_str_add_char(out, ',');
        if (l->hops > 0)
            nadi_str_printf(out, "%.9g", l->hops);
        nadi_str_printf(out, ",%llu,%.9g,%.9g,%llu,%llu,%llu,%llu,%s",
                        (unsigned long long)l->worst_latency, l->least_accepted, l->most_accepted,
                        (unsigned long long)l->packets, (unsigned long long)l->no_vc,
                        (unsigned long long)l->no_credit, (unsigned long long)l->lost_arbitration,
                        state_of(l));
        if (s->energy && isfinite(pj_per_bit(s, l)))
            nadi_str_printf(out, ",%.9g,%.9g,%.9g", l->joules, pj_per_bit(s, l), watts(s, l));
        else if (s->energy)
            nadi_str_add(out, ",,,");
        nadi_str_add_char(out, '\n');
    }
}

static void load_json(const struct nadi_noc_sweep *s, struct nadi_json *j, const char *key,
                      const struct nadi_noc_load *l)
{
    nadi_json_row(j, key);
    nadi_json_double(j, "offered_flits_per_cycle", l->rate);
    nadi_json_double(j, "accepted_flits_per_cycle", l->accepted);
    nadi_json_double(j, "latency_cycles", l->latency);
    nadi_json_double(j, "half_width_cycles", l->half_width);
    nadi_json_double(j, "routers", l->hops > 0 ? l->hops : (double)NAN);
    nadi_json_u64(j, "worst_latency_cycles", l->worst_latency);
    nadi_json_double(j, "least_accepted_flits_per_cycle", l->least_accepted);
    nadi_json_double(j, "most_accepted_flits_per_cycle", l->most_accepted);
    nadi_json_u64(j, "packets", l->packets);
    nadi_json_u64(j, "no_vc", l->no_vc);
    nadi_json_u64(j, "no_credit", l->no_credit);
    nadi_json_u64(j, "lost_arbitration", l->lost_arbitration);
    nadi_json_bool(j, "saturated", l->saturated);
    nadi_json_bool(j, "deadlock", l->stuck);
    if (s->energy) {
        nadi_json_double(j, "joules", l->joules);
        nadi_json_double(j, "pj_per_bit", pj_per_bit(s, l));
        nadi_json_double(j, "watts", watts(s, l));
    }
    nadi_json_close(j);
}

void nadi_noc_json(const struct nadi_noc_sweep *s, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "network", s->network);
    nadi_json_u64(&j, "npus", s->graph->host_count);
    nadi_json_string(&j, "traffic", s->traffic);
    nadi_json_u64(&j, "packet_flits", s->config->packet_flits);
    nadi_json_u64(&j, "vcs", s->config->vcs);
    nadi_json_u64(&j, "buffer_flits", s->buffer_flits);
    if (s->energy) {
        nadi_json_string(&j, "energy", s->energy);
        nadi_json_bool(&j, "energy_is_illustrative", s->energy_made_up);
    }
    if (s->saturation)
        load_json(s, &j, "saturation", s->saturation);
    nadi_json_array(&j, "loads");
    for (size_t i = 0; i < s->count; i++)
        load_json(s, &j, NULL, &s->loads[i]);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* ---- a picture ----------------------------------------------------------------------------- */

enum { WIDTH = 640, HEIGHT = 360, LEFT = 64, RIGHT = 20, TOP = 48, BOTTOM = 48 };

struct axes {
    double most_rate, most_latency;
};

static double x_of(const struct axes *a, double rate)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * rate / a->most_rate;
}

static double y_of(const struct axes *a, double latency)
{
    const double share = latency < a->most_latency ? latency / a->most_latency : 1;
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

/* 1, 2 or 5 times a power of ten, about a fifth of `most`. */
static double step_of(double most)
{
    const double power = pow(10, floor(log10(most / 5))), rest = most / 5 / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static void put_grid(const struct axes *a, struct nadi_str *out)
{
    const double dx = step_of(a->most_rate), dy = step_of(a->most_latency);
    for (double x = 0; x <= a->most_rate * 1.0001; x += dx)
        nadi_str_printf(out,
                        "<path class=\"g\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                        "text-anchor=\"middle\">%.4g</text>\n",
                        x_of(a, x), TOP, HEIGHT - BOTTOM, x_of(a, x), HEIGHT - BOTTOM + 16, x);
    for (double y = 0; y <= a->most_latency * 1.0001; y += dy)
        nadi_str_printf(out,
                        "<path class=\"g\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                        "text-anchor=\"end\">%.4g</text>\n",
                        LEFT, y_of(a, y), WIDTH - RIGHT, LEFT - 6, y_of(a, y) + 4, y);
}

static void put_curve(const struct nadi_noc_sweep *s, const struct axes *a, struct nadi_str *out)
{
    nadi_str_add(out, "<path class=\"c\" d=\"");
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_noc_load *l = &s->loads[i];
        const double y = l->saturated || l->stuck ? a->most_latency : l->latency;
        nadi_str_printf(out, "%c%.1f %.1f", any ? 'L' : 'M', x_of(a, l->rate), y_of(a, y));
        any = true;
    }
    nadi_str_add(out, "\"/>\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_noc_load *l = &s->loads[i];
        if (!l->saturated && !l->stuck && l->latency <= a->most_latency)
            nadi_str_printf(out, "<circle class=\"p\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                            x_of(a, l->rate), y_of(a, l->latency));
    }
}

void nadi_noc_svg(const struct nadi_noc_sweep *s, struct nadi_str *out)
{
    struct axes a = {0, 5 * s->alone};
    for (size_t i = 0; i < s->count; i++)
        a.most_rate = fmax(a.most_rate, s->loads[i].rate);
    nadi_str_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" font-family=\"system-ui, sans-serif\" font-size=\"11\">\n"
        "<style>svg{background:#fff}text{fill:#333}.g{stroke:#ddd;fill:none}.c{stroke:#4c78a8;"
        "stroke-width:2;fill:none}.p{fill:#4c78a8}.s{stroke:#d1615d;stroke-dasharray:5 4;fill:none}"
        "@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#ccc}.g{stroke:#333}}"
        "</style>\n<text x=\"%d\" y=\"24\" font-size=\"14\">",
        WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    nadi_markup_add(out, s->network);
    nadi_str_printf(out, ", %s traffic, packets of %u flit%s</text>\n", s->traffic,
                    s->config->packet_flits, s->config->packet_flits == 1 ? "" : "s");
    put_grid(&a, out);
    put_curve(s, &a, out);
    if (s->saturation && s->saturation->rate <= a.most_rate)
        nadi_str_printf(out,
                        "<path class=\"s\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                        "text-anchor=\"end\">saturation %.3f</text>\n",
                        x_of(&a, s->saturation->rate), TOP, HEIGHT - BOTTOM,
                        x_of(&a, s->saturation->rate) - 6, TOP + 12, s->saturation->rate);
    nadi_str_printf(out,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">offered, flits an NPU and "
                    "cycle</text>\n<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" "
                    "text-anchor=\"middle\">latency, cycles</text>\n</svg>\n",
                    (WIDTH + LEFT) / 2, HEIGHT - 12, HEIGHT / 2, HEIGHT / 2);
}
