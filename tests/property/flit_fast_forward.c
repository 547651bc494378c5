/* The flit model with and without the fast-forward of steady states, on drawn networks, routers and
 * messages: the same times of arrival, number of events, figures of every port and bytes over time,
 * a deadlock at the same time.
 *
 *   flit_fast_forward [CASES [FIRST_SEED]]    default 1,100 pairs from seed 1 (60 when
 *                                             instrumented) */
#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "inputs/model_presets.h"
#include "network/flit/machine.h"
#include "network/usage.h"
#include "support/flow_case.h"
#include "support/pins.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 1100 }; /* seed 1038 sends at the very time at which a cycle begins */
#endif

struct outcome {
    struct nadi_str text;
    uint64_t cycles, skipped;
    bool is_made, halted, is_whole;
};

static uint64_t below(struct nadi_rng *r, uint64_t n)
{
    return nadi_rng_below(r, n);
}

/* Up to two dimensions, or leaves and spines. Rates are whole, simple and odd parts of each other.
 */
static void draw_network(struct flow_case *c, struct nadi_rng *r)
{
    static const enum nadi_dim_kind kinds[] = {NADI_DIM_MESH, NADI_DIM_RING,
                                               NADI_DIM_FULLY_CONNECTED, NADI_DIM_SWITCH};
    static const double parts[] = {1, 1, 1, 2, 4, 3, 1.5, 1.37};
    const double latency = (double)below(r, 12);
    if (below(r, 5) == 0) {
        flow_case_leaf_spine(c, 1 + (uint32_t)below(r, 3), 1 + (uint32_t)below(r, 3),
                             1 + (uint32_t)below(r, 2), 32, 32 / parts[below(r, 8)], latency);
        return;
    }
    const uint32_t dims = 1 + (uint32_t)below(r, 2);
    for (uint32_t i = 0; i < dims; i++)
        flow_case_dim(c, kinds[below(r, below(r, 3) ? 2 : 4)], 2 + (uint32_t)below(r, 4),
                      32 / parts[below(r, 8)], latency);
}

static void draw_config(struct nadi_flit_config *f, struct nadi_rng *r)
{
    static const enum nadi_flit_routing routings[] = {NADI_FLIT_DIMENSION_ORDER,
                                                      NADI_FLIT_DIMENSION_ORDER, NADI_FLIT_ADAPTIVE,
                                                      NADI_FLIT_VALIANT, NADI_FLIT_TABLE};
    nadi_flit_config_init(f);
    f->vcs = 1 + (uint32_t)below(r, 9);
    f->packet_flits = 1 + (uint32_t)below(r, 12);
    f->header_bytes = below(r, 3) ? 0 : (uint32_t)below(r, 31);
    f->buffer_flits = below(r, 3) ? 0 : 1 + (uint32_t)below(r, 9);
    f->routing_delay = (uint32_t)below(r, 3);
    f->vc_delay = (uint32_t)below(r, 3);
    f->switch_delay = 1 + (uint32_t)below(r, 2);
    f->traversal_delay = (uint32_t)below(r, 3);
    f->credit_delay = (uint32_t)below(r, 4);
    f->speedup = 1 + (uint32_t)below(r, 2);
    f->wait_for_tail_credit = below(r, 4) == 0;
    f->dateline = below(r, 8) > 0;
    f->one_port = below(r, 3) == 0;
    f->routing = routings[below(r, 5)];
    f->cut_through = below(r, 3) == 0;
    if (f->cut_through && f->buffer_flits)
        f->buffer_flits += f->packet_flits;
    f->seed = nadi_rng_u64(r);
}

/* Some long ones, at once or one after the other; some of one connection; at times all alike. */
static void draw_messages(struct flow_case *c, struct nadi_rng *r)
{
    const uint32_t npus = c->topology.npu_count, count = 1 + (uint32_t)below(r, 8);
    const uint64_t same = below(r, 2) ? 1 + below(r, 60000) : 0;
    const bool shifts = below(r, 3) == 0; /* everyone to a neighbour */
    for (uint32_t i = 0; i < (shifts ? npus : count); i++) {
        const uint32_t src = shifts ? i : (uint32_t)below(r, npus);
        const uint32_t dst = (src + 1 + (shifts ? 0 : (uint32_t)below(r, npus - 1))) % npus;
        const uint64_t bytes = same ? same : 1 + below(r, below(r, 3) ? 60000 : 600);
        const double at = below(r, 2) ? 0 : (double)below(r, 2000);
        const uint32_t m = flow_case_send(c, at, src, dst, bytes);
        c->messages[m].connection = below(r, 4) ? 0 : 1 + below(r, 2);
    }
}

static void add_link(void *context, const struct nadi_network_counter *n)
{
    nadi_str_printf(context, "%u %u: %" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " flits\n",
                    n->from, n->to, n->messages, n->bytes, n->flits);
}

static void describe(struct flow_case *c, struct outcome *o)
{
    const struct nadi_flit_machine *m = nadi_flit_machine_of(c->net);
    const struct nadi_usage *usage = c->net->usage;
    const char *halted = nadi_engine_halted(c->engine);
    for (size_t i = 0; i < c->count; i++)
        nadi_str_printf(&o->text, "%zu: %" PRId64 "\n", i, c->messages[i].arrived);
    nadi_str_printf(&o->text, "events %" PRIu64 ", %s, cycle %" PRIu64 ", inside %" PRIu64 "\n",
                    nadi_engine_events(c->engine), halted ? halted : "whole", nadi_flit_cycle(m),
                    nadi_flit_inside(m));
    c->net->ops->counters(c->net, true, add_link, &o->text);
    for (uint32_t p = 0; p < nadi_flit_port_count(m); p++) {
        const struct nadi_flit_port_figures *f = &nadi_flit_figures(m)[p];
        nadi_str_printf(&o->text, "port %u: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, p,
                        f->flits, f->no_vc, f->no_credit, f->lost_arbitration);
        nadi_str_printf(&o->text, " %" PRIu64 "\n", nadi_flit_held(m, p));
    }
    for (size_t i = 0; usage && i < (size_t)usage->link_count * NADI_USAGE_BUCKETS; i++)
        if (usage->bytes[i] > 0)
            nadi_str_printf(&o->text, "%zu: %a\n", i, usage->bytes[i]);
    double flits = 0, told = 0; /* all that was sent is told of some time */
    for (uint32_t p = 0; p < nadi_flit_port_count(m); p++)
        flits += (double)nadi_flit_figures(m)[p].flits;
    for (size_t i = 0; usage && i < (size_t)usage->link_count * NADI_USAGE_BUCKETS; i++)
        told += usage->bytes[i] / c->flit->flit_bytes;
    o->is_whole = !usage || halted || fabs(told - flits) <= 1e-9 * flits + 1e-6;
    if (!nadi_flit_is_sound(m))
        nadi_str_add(&o->text, "not sound\n");
    o->cycles = nadi_flit_cycle(m);
    o->skipped = nadi_flit_skipped(m);
    o->halted = halted != NULL;
}

static void run(uint64_t seed, bool fast_forward, struct outcome *o)
{
    struct nadi_rng r;
    struct flow_case c;
    struct nadi_flit_config flit;
    struct nadi_diags diags;
    *o = (struct outcome){.text = NADI_STR_INIT};
    nadi_rng_init(&r, seed, "flit fast-forward");
    nadi_diags_init(&diags);
    flow_case_init(&c);
    draw_network(&c, &r);
    draw_config(&flit, &r);
    flit.no_fast_forward = !fast_forward;
    c.flit = &flit;
    c.in_flight = (uint32_t)below(&r, 3);
    c.record_usage = below(&r, 3) == 0;
    o->is_whole = true;
    o->is_made = flow_case_may_open(&c, &nadi_network_flit, &diags);
    if (o->is_made && c.topology.npu_count > 1) {
        draw_messages(&c, &r);
        flow_case_run(&c);
        describe(&c, o);
    }
    flow_case_release(&c);
    nadi_diags_release(&diags);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct pins drawn = PINS("flit_fast_forward", "pairs", 50);
    uint64_t made = 0, skipping = 0, cycles = 0, skipped = 0, halted = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++) {
        struct outcome with, without;
        run(seed, true, &with);
        run(seed, false, &without);
        NADI_ASSERT(without.skipped == 0 && (!with.is_made || with.is_whole));
        if (strcmp(nadi_str_get(&with.text), nadi_str_get(&without.text)) != 0) {
            fprintf(stderr, "seed %" PRIu64 ", with:\n%s\nwithout:\n%s", seed,
                    nadi_str_get(&with.text), nadi_str_get(&without.text));
            return 1;
        }
        digest_text(&drawn.digest, nadi_str_get(&with.text));
        digest_u64(&drawn.digest, with.skipped);
        pins_case(&drawn, seed);
        made += with.is_made;
        halted += with.halted;
        skipping += with.skipped > 0;
        cycles += with.cycles;
        skipped += with.skipped;
        nadi_str_release(&with.text);
        nadi_str_release(&without.text);
    }
    printf("of %" PRIu64 " pairs %" PRIu64 " could be, %" PRIu64
           " were fast-forwarded, over %.0f %% of all "
           "cycles; %" PRIu64 " ended in a deadlock\n",
           s.cases, made, skipping, 100.0 * (double)skipped / (double)cycles, halted);
    return pins_end(&drawn) && (s.cases < 80 || skipping * 4 > s.cases) ? 0 : 1;
}
