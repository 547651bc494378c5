/* noc: `nadi noc sweep`: loads of a network of routers, one after the other. */
#include "api/inside.h"

#include <nadi/noc.h>

#include "api/words.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "cost/energy.h"
#include "inputs/flit_config.h"
#include "inputs/network_file.h"
#include "network/flit/wiring.h"
#include "report/noc.h"
#include "settings/setting.h"

#include <math.h>

enum { MOST_RATES = 1000, OWN_RATES = 10 };

void nadi_noc_options_init(struct nadi_noc_options *options)
{
    *options = (struct nadi_noc_options){.size = sizeof(*options),
                                         .traffic = "uniform",
                                         .hot_share = 0.1,
                                         .warmup = 5000,
                                         .measured = 10000,
                                         .seed = 1,
                                         .saturation = 1,
                                         .form = "text"};
}

struct sweep_call {
    const struct nadi_noc_options *o;
    struct nadi_diags *messages;
    struct nadi_arena arena;
    struct nadi_graph_file file;
    struct nadi_flit_config config;
    struct nadi_noc_traffic traffic;
    struct nadi_noc_setup setup;
    struct nadi_energy energy;
    struct nadi_topology hosts;    /* one dimension: nobody asks for its shape */
    struct nadi_energy_use passed; /* by the load that runs */
    bool made_up;
    struct nadi_noc_load saturation, zero;
    struct {
        double *items;
        size_t count, capacity;
    } rates;
    struct nadi_noc_load *loads;
};

static bool wrong_rates(const struct sweep_call *c, const char *what)
{
    return nadi_error(c->messages, "noc/rates", NADI_NOWHERE,
                      "for example 0.01..0.5:0.05 or 0.1,0.2,0.3",
                      "'%s' is no list of loads from 0 to 1: %s", c->o->rates, what);
}

static bool add_rate(struct sweep_call *c, double rate)
{
    if (!(rate > 0 && rate <= 1))
        return wrong_rates(c, "each is above 0 and at most 1 flit an NPU and cycle");
    if (c->rates.count == MOST_RATES)
        return wrong_rates(c, "there are more than 1000");
    if (c->rates.count && rate <= c->rates.items[c->rates.count - 1])
        return wrong_rates(c, "they do not rise");
    NADI_PUSH(&c->rates, rate);
    return true;
}

/* "0.1", or "0.01..0.5:0.05". */
static bool add_part(struct sweep_call *c, char *part)
{
    char *dots = strstr(part, ".."), *colon = dots ? strchr(dots, ':') : NULL;
    double first, last, step;
    if (!dots) {
        if (!nadi_str_to_double(part, &first))
            return wrong_rates(c, "not a number");
        return add_rate(c, first);
    }
    if (!colon)
        return wrong_rates(c, "a range needs its step, FROM..TO:STEP");
    *dots = *colon = '\0';
    if (!nadi_str_to_double(part, &first) || !nadi_str_to_double(dots + 2, &last) ||
        !nadi_str_to_double(colon + 1, &step))
        return wrong_rates(c, "not a number");
    if (!(step > 0) || last < first || (last - first) / step > MOST_RATES)
        return wrong_rates(c, "a range rises in at most 1000 steps");
    for (uint32_t i = 0; first + i * step <= last * (1 + 1e-9); i++)
        if (!add_rate(c, first + i * step))
            return false;
    return true;
}

static bool read_rates(struct sweep_call *c)
{
    char *at = nadi_arena_strdup(&c->arena, c->o->rates);
    for (char *end; *at; at = end) {
        end = at + strcspn(at, ",");
        if (*end)
            *end++ = '\0';
        if (!add_part(c, at))
            return false;
    }
    return c->rates.count || wrong_rates(c, "it is empty");
}

/* Tenths of the load at saturation. */
static void choose_rates(struct sweep_call *c)
{
    for (uint32_t i = 1; i <= OWN_RATES; i++) {
        const double rate = c->saturation.rate * i / OWN_RATES;
        NADI_PUSH(&c->rates, rate);
    }
}

static bool has_ring(const struct nadi_graph *g)
{
    for (uint32_t d = 0; g->product && d < g->product->shape.dim_count; d++)
        if (g->product->shape.dims[d].kind == NADI_DIM_RING)
            return true;
    return false;
}

/* One port a host; links of one cycle, in folded rings two, where the file does not say. */
static void set_config(struct sweep_call *c)
{
    struct nadi_flit_config *f = &c->config;
    f->one_port = true;
    if (!f->channel_delay)
        f->channel_delay = has_ring(&c->file.graph) ? 2 : 1;
    if (c->o->packet || !c->o->flit)
        f->packet_flits = c->o->packet ? c->o->packet : 1;
    f->header_bytes = 0;
}

static bool open_call(struct sweep_call *c)
{
    const struct nadi_noc_options *o = c->o;
    struct nadi_graph *g = &c->file.graph;
    nadi_graph_init(g);
    if ((o->rates && !read_rates(c)) ||
        !nadi_network_file_open(&c->file, o->network, c->messages) ||
        !nadi_flit_file_read(&c->config, o->flit, c->messages))
        return false;
    set_config(c);
    if (c->config.cut_through && c->config.buffer_flits &&
        c->config.packet_flits > c->config.buffer_flits)
        return nadi_error(c->messages, "noc/packet", NADI_NOWHERE, "raise buffer in the flit file",
                          "with flow-control vct a buffer of %u flits cannot hold a packet of %u",
                          c->config.buffer_flits, c->config.packet_flits);
    if (o->hot >= g->host_count)
        return nadi_error(c->messages, "noc/hot", NADI_NOWHERE, NULL,
                          "the hot NPU %u is not among the %u of the network", o->hot,
                          g->host_count);
    c->traffic.pattern = (enum nadi_noc_pattern)nadi_word_index(nadi_noc_patterns, o->traffic);
    c->traffic.nodes = g->host_count;
    c->traffic.shape =
        g->product && g->product->shape.npu_count == g->host_count ? &g->product->shape : NULL;
    c->traffic.hot = o->hot;
    c->traffic.hot_share = o->hot_share;
    c->setup = (struct nadi_noc_setup){.graph = g,
                                       .config = &c->config,
                                       .traffic = &c->traffic,
                                       .warmup = o->warmup,
                                       .measured = o->measured,
                                       .seed = o->seed};
    return nadi_noc_traffic_init(&c->traffic, o->seed, c->messages);
}

static void add_passed(void *context, const struct nadi_graph_link *cable, uint32_t from,
                       uint64_t flits)
{
    struct sweep_call *c = context;
    nadi_energy_add_flits(&c->energy, cable, from, flits, &c->passed);
}

/* What a load's cycles drew, after it ran. */
static void note_energy(struct sweep_call *c, struct nadi_noc_load *load)
{
    if (c->o->energy && !load->stuck)
        load->joules = (c->passed.routers + c->passed.links) / 1e12;
    c->made_up |= c->passed.made_up || c->energy.idle_made_up;
    c->passed = (struct nadi_energy_use){0};
}

static bool open_energy(struct sweep_call *c)
{
    if (!c->o->energy)
        return true;
    c->hosts.npu_count = c->file.graph.host_count;
    c->setup.passed = add_passed;
    c->setup.context = c;
    return nadi_energy_open(&c->energy, c->o->energy, &c->file.graph, &c->hosts,
                            c->config.flit_bytes, c->messages);
}

static bool run_loads(struct sweep_call *c)
{
    if (!nadi_noc_run(&c->setup, 1.0 / 128, &c->zero, c->messages))
        return false;
    c->passed = (struct nadi_energy_use){0};
    if ((c->o->saturation || !c->o->rates) &&
        !nadi_noc_saturation(&c->setup, 1, &c->saturation, c->messages))
        return false;
    if (!c->o->rates)
        choose_rates(c);
    note_energy(c, &c->saturation);
    c->loads = NADI_ZNEW(struct nadi_noc_load, c->rates.count);
    struct nadi_noc_setup quick = c->setup;
    quick.enough = 50 * c->zero.latency;
    for (size_t i = 0; i < c->rates.count; i++) {
        if (!nadi_noc_run(&quick, c->rates.items[i], &c->loads[i], c->messages))
            return false;
        note_energy(c, &c->loads[i]);
    }
    return true;
}

/* Without traffic, in the cycles measured. */
static void add_idle(struct sweep_call *c, double clock_ghz)
{
    const double joules = c->energy.idle_watts * (double)c->setup.measured / (clock_ghz * 1e9);
    c->saturation.joules += joules;
    for (size_t i = 0; i < c->rates.count; i++)
        c->loads[i].joules += joules;
}

static bool describe(struct sweep_call *c, struct nadi_str *text)
{
    const struct nadi_noc_options *o = c->o;
    struct nadi_flit_wiring w;
    if (!nadi_flit_wire(&w, &c->file.graph, &c->config, c->messages))
        return false;
    if (c->o->energy)
        add_idle(c, w.clock_ghz);
    const struct nadi_noc_sweep s = {
        .network = o->network,
        .traffic = o->traffic,
        .graph = &c->file.graph,
        .config = &c->config,
        .buffer_flits = w.buffer_flits,
        .loads = c->loads,
        .count = c->rates.count,
        .saturation = o->saturation ? &c->saturation : NULL,
        .alone = c->zero.latency,
        .measured = o->measured,
        .clock_ghz = w.clock_ghz,
        .energy = o->energy ? c->energy.prices.name : NULL,
        .energy_made_up = c->made_up,
    };
    nadi_flit_unwire(&w);
    if (nadi_str_equal(o->form, "json"))
        nadi_noc_json(&s, text);
    else if (nadi_str_equal(o->form, "csv"))
        nadi_noc_csv(&s, text);
    else if (nadi_str_equal(o->form, "svg"))
        nadi_noc_svg(&s, text);
    else
        nadi_noc_text(&s, text);
    return true;
}

enum nadi_status nadi_do_noc_sweep(const struct nadi_noc_options *o, char **report,
                                   struct nadi_diags *messages)
{
    struct sweep_call *c = NADI_ZNEW(struct sweep_call, 1);
    struct nadi_str text = NADI_STR_INIT;
    c->o = o;
    c->messages = messages;
    nadi_arena_init(&c->arena);
    const bool ok = open_call(c) && open_energy(c) && run_loads(c) && describe(c, &text);
    *report = ok ? text.text : NULL;
    nadi_noc_traffic_release(&c->traffic);
    nadi_energy_release(&c->energy);
    nadi_graph_file_release(&c->file);
    nadi_arena_release(&c->arena);
    nadi_mem_free(c->rates.items);
    nadi_mem_free(c->loads);
    nadi_mem_free(c);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
