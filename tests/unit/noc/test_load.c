/* Routers flit by flit: one packet alone takes the closed form's cycles on all pairs; loads and
 * saturation are those that BookSim 2 (28f4329) gives for the same routers; a ring without classes
 * of channels ends in a deadlock that is named. */
#include "inputs/model_presets.h"
#include "noc/load.h"
#include "platform/graph_dims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

struct noc_case {
    struct nadi_topology shape;
    struct nadi_graph graph;
    struct nadi_flit_config config;
    struct nadi_noc_traffic traffic;
    struct nadi_noc_setup setup;
    struct nadi_diags diags;
};

static void open_case(struct noc_case *c, enum nadi_dim_kind kind, uint32_t side, uint32_t dims)
{
    *c = (struct noc_case){.shape.dim_count = dims};
    for (uint32_t d = 0; d < dims; d++)
        c->shape.dims[d] =
            (struct nadi_dim){.kind = kind, .npus = side, .bytes_per_ns = 32, .latency_ns = 1};
    assert_true(nadi_topology_finish(&c->shape));
    nadi_graph_init(&c->graph);
    nadi_diags_init(&c->diags);
    const struct nadi_graph_grid grid = {.shape = &c->shape, .hosts = 1, .router_role = "router"};
    nadi_graph_from_grid(&c->graph, &grid);
    nadi_flit_config_init(&c->config);
    c->config.packet_flits = 1;
    c->config.one_port = true;
    c->config.channel_delay = kind == NADI_DIM_RING ? 2 : 1;
    c->traffic.nodes = c->shape.npu_count;
    c->traffic.shape = &c->shape;
    c->setup = (struct nadi_noc_setup){.graph = &c->graph,
                                       .config = &c->config,
                                       .traffic = &c->traffic,
                                       .warmup = 2000,
                                       .measured = 6000,
                                       .seed = 3};
}

static void close_case(struct noc_case *c)
{
    nadi_noc_traffic_release(&c->traffic);
    nadi_graph_release(&c->graph);
    nadi_diags_release(&c->diags);
}

static struct nadi_noc_load run_at(struct noc_case *c, enum nadi_noc_pattern pattern, double rate)
{
    struct nadi_noc_load load;
    nadi_noc_traffic_release(&c->traffic);
    c->traffic.pattern = pattern;
    assert_true(nadi_noc_traffic_init(&c->traffic, 1, &c->diags));
    assert_true(nadi_noc_run(&c->setup, rate, &load, &c->diags));
    return load;
}

static void expect_near(double got, double want, double share)
{
    if (fabs(got - want) > share * want)
        fail_msg("%g is not within %g %% of %g", got, share * 100, want);
}

/* (H - 1)(R + V + S + X + C) + (R + V + S + X + 1) + 2 + (L - 1) over H routers, all pairs. */
static void expect_closed_form(struct noc_case *c)
{
    const struct nadi_flit_config *f = &c->config;
    const uint64_t stages = f->routing_delay + f->vc_delay + f->switch_delay + f->traversal_delay;
    for (uint32_t src = 0; src < c->shape.npu_count; src++)
        for (uint32_t dst = 0; dst < c->shape.npu_count; dst++) {
            uint64_t cycles;
            uint32_t routers;
            assert_true(nadi_noc_alone(&c->setup, src, dst, &cycles, &routers, &c->diags));
            const uint64_t form =
                (routers - 1) * (stages + f->channel_delay) + stages + 1 + 2 + f->packet_flits - 1;
            assert_int_equal(cycles, form);
        }
}

static void test_one_packet_alone(void **state)
{
    static const struct {
        enum nadi_dim_kind kind;
        uint32_t side, dims, flits, stages[4], channel;
        bool cut_through;
    } rows[] = {
        {NADI_DIM_MESH, 4, 2, 1, {1, 1, 1, 1}, 1, false},
        {NADI_DIM_MESH, 3, 3, 8, {1, 1, 1, 1}, 1, true},
        {NADI_DIM_MESH, 5, 2, 7, {0, 0, 1, 0}, 1, false},
        {NADI_DIM_MESH, 4, 2, 5, {2, 3, 2, 4}, 3, false},
        {NADI_DIM_RING, 4, 3, 1, {1, 1, 1, 1}, 2, false},
        {NADI_DIM_RING, 5, 2, 4, {0, 1, 1, 1}, 7, true},
        {NADI_DIM_RING, 16, 1, 3, {1, 0, 1, 1}, 2, false},
        {NADI_DIM_FULLY_CONNECTED, 4, 2, 6, {1, 1, 1, 1}, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct noc_case c;
        open_case(&c, rows[i].kind, rows[i].side, rows[i].dims);
        c.config.packet_flits = rows[i].flits;
        c.config.routing_delay = rows[i].stages[0];
        c.config.vc_delay = rows[i].stages[1];
        c.config.switch_delay = rows[i].stages[2];
        c.config.traversal_delay = rows[i].stages[3];
        c.config.channel_delay = rows[i].channel;
        c.config.cut_through = rows[i].cut_through;
        expect_closed_form(&c);
        close_case(&c);
    }
}

/* Figures of BookSim 2, 8 x 8 routers, 8 VCs of 8 flits, packets of 1 flit: latency in cycles. */
static void test_loads(void **state)
{
    static const struct {
        enum nadi_dim_kind kind;
        enum nadi_noc_pattern pattern;
        double rate, latency;
    } rows[] = {
        {NADI_DIM_MESH, NADI_NOC_UNIFORM, 0.05, 33.4},
        {NADI_DIM_MESH, NADI_NOC_UNIFORM, 0.2, 34.8},
        {NADI_DIM_MESH, NADI_NOC_TRANSPOSE, 0.08, 34.1},
        {NADI_DIM_MESH, NADI_NOC_BITCOMP, 0.05, 47.5},
        {NADI_DIM_MESH, NADI_NOC_BITREV, 0.05, 33.5},
        {NADI_DIM_MESH, NADI_NOC_SHUFFLE, 0.05, 27.2},
        {NADI_DIM_MESH, NADI_NOC_TORNADO, 0.05, 44.8},
        {NADI_DIM_MESH, NADI_NOC_NEIGHBOR, 0.05, 24.6},
        {NADI_DIM_RING, NADI_NOC_UNIFORM, 0.1, 31.4},
        {NADI_DIM_RING, NADI_NOC_UNIFORM, 0.4, 33.7},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct noc_case c;
        open_case(&c, rows[i].kind, 8, 2);
        const struct nadi_noc_load load = run_at(&c, rows[i].pattern, rows[i].rate);
        expect_near(load.latency, rows[i].latency, 0.03);
        expect_near(load.accepted, rows[i].rate, 0.03);
        assert_true(load.half_width > 0 && load.half_width < 2);
        close_case(&c);
    }
}

/* Accepted beyond saturation, mesh, uniform: by the number of VCs. */
static void test_saturation(void **state)
{
    static const struct {
        uint32_t vcs, flits;
        double offered, accepted;
    } rows[] = {{1, 1, 0.45, 0.143},
                {2, 1, 0.45, 0.292},
                {8, 1, 0.45, 0.429},
                {2, 4, 0.48, 0.361},
                {8, 4, 0.48, 0.419}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct noc_case c;
        open_case(&c, NADI_DIM_MESH, 8, 2);
        c.config.vcs = rows[i].vcs;
        c.config.packet_flits = rows[i].flits;
        c.setup.enough = 1;
        expect_near(run_at(&c, NADI_NOC_UNIFORM, rows[i].offered).accepted, rows[i].accepted, 0.05);
        close_case(&c);
    }
}

static void add_passed(void *context, const struct nadi_graph_link *link, uint32_t from,
                       uint64_t flits)
{
    uint64_t *sum = context;
    (void)link;
    (void)from;
    *sum += flits;
}

/* The latency passes three times that without load there, and what passes is told of that load
 * alone, not of those that were tried. */
static void test_search(void **state)
{
    struct noc_case c;
    struct nadi_noc_load found;
    uint64_t passed = 0;
    (void)state;
    open_case(&c, NADI_DIM_MESH, 4, 2);
    c.setup.warmup = 500;
    c.setup.measured = 1000;
    c.setup.context = &passed;
    const double enough = 3 * run_at(&c, NADI_NOC_UNIFORM, 1.0 / 128).latency;
    c.setup.passed = add_passed;
    assert_true(nadi_noc_saturation(&c.setup, 1, &found, &c.diags));
    assert_true(found.latency <= enough && !found.saturated);
    const uint64_t told = passed;
    passed = 0;
    assert_true(run_at(&c, NADI_NOC_UNIFORM, found.rate).latency <= enough);
    assert_true(passed > 0);
    assert_int_equal(told, passed);
    const struct nadi_noc_load above = run_at(&c, NADI_NOC_UNIFORM, found.rate + 1.0 / 256);
    assert_true(above.latency > enough || above.saturated);
    close_case(&c);
}

/* A ring's wrap-around closes the circle unless it changes the class of channels. */
static void test_dateline(void **state)
{
    struct noc_case c;
    (void)state;
    open_case(&c, NADI_DIM_RING, 8, 1);
    c.config.vcs = 2;
    c.config.packet_flits = 16;
    c.setup.measured = 20000;
    c.setup.enough = 1;
    struct nadi_noc_load load = run_at(&c, NADI_NOC_TORNADO, 1);
    assert_false(load.stuck);
    assert_true(load.accepted > 0.1);
    c.config.dateline = false;
    load = run_at(&c, NADI_NOC_TORNADO, 1);
    assert_true(load.stuck);
    assert_true(load.circle_count >= 8);
    close_case(&c);
    open_case(&c, NADI_DIM_RING, 4, 1); /* two classes need two VCs */
    c.config.vcs = 1;
    c.traffic.pattern = NADI_NOC_UNIFORM;
    assert_false(nadi_noc_run(&c.setup, 0.1, &load, &c.diags));
    assert_string_equal(c.diags.items[0].code, "flit/vcs");
    close_case(&c);
}

/* Adaptive routing spreads the transpose, which saturates dimension order at 1 / 7; Valiant's
 * detours cost hops. */
static void test_other_routings(void **state)
{
    struct noc_case c;
    (void)state;
    open_case(&c, NADI_DIM_MESH, 8, 2);
    c.setup.enough = 1000;
    const double ordered = run_at(&c, NADI_NOC_TRANSPOSE, 0.2).accepted;
    c.config.routing = NADI_FLIT_ADAPTIVE;
    const double adaptive = run_at(&c, NADI_NOC_TRANSPOSE, 0.2).accepted;
    c.config.routing = NADI_FLIT_WEST_FIRST;
    const double west = run_at(&c, NADI_NOC_TRANSPOSE, 0.05).latency;
    c.config.routing = NADI_FLIT_VALIANT;
    const struct nadi_noc_load valiant = run_at(&c, NADI_NOC_NEIGHBOR, 0.05);
    assert_true(ordered < 0.19);
    expect_near(adaptive, 0.2, 0.03);
    expect_near(west, 33.6, 0.05);
    assert_true(valiant.hops > 10 && !valiant.saturated);
    close_case(&c);
}

static void test_patterns(void **state)
{
    struct noc_case c;
    struct nadi_rng rng;
    (void)state;
    open_case(&c, NADI_DIM_MESH, 4, 2);
    nadi_rng_init(&rng, 1, "test");
    static const struct {
        enum nadi_noc_pattern pattern;
        uint32_t src, dst;
    } rows[] = {{NADI_NOC_TRANSPOSE, 6, 9}, {NADI_NOC_BITCOMP, 3, 12}, {NADI_NOC_BITREV, 1, 8},
                {NADI_NOC_SHUFFLE, 9, 3},   {NADI_NOC_TORNADO, 3, 4},  {NADI_NOC_NEIGHBOR, 15, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        c.traffic.pattern = rows[i].pattern;
        assert_true(nadi_noc_traffic_init(&c.traffic, 1, &c.diags));
        assert_int_equal(nadi_noc_traffic_draw(&c.traffic, rows[i].src, &rng), rows[i].dst);
        nadi_noc_traffic_release(&c.traffic);
    }
    c.traffic.nodes = 12;
    c.traffic.pattern = NADI_NOC_BITREV;
    assert_false(nadi_noc_traffic_init(&c.traffic, 1, &c.diags));
    c.traffic.pattern = NADI_NOC_TRANSPOSE;
    assert_false(nadi_noc_traffic_init(&c.traffic, 1, &c.diags));
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_packet_alone), cmocka_unit_test(test_loads),
        cmocka_unit_test(test_saturation),       cmocka_unit_test(test_search),
        cmocka_unit_test(test_dateline),         cmocka_unit_test(test_other_routings),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
