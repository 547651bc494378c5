/* figures: bandwidths as nccl-tests defines them, classes, shares, links: by hand-made numbers. */
#include "report/figures.h"

#include "base/mem.h"

#include "support/report_case.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("%.17g, not %.17g", got, want);
}

static struct nadi_bandwidth of_kind(const struct report_case *c, enum nadi_collective_kind kind)
{
    struct nadi_collective_result x = c->r.collectives[0];
    x.kind = kind;
    x.bytes = 8000;
    x.start_ns = 100;
    x.end_ns = 600;
    return nadi_bandwidth_of(&c->in, &x);
}

/* n = 4, 8,000 B in 500 ns: 16 GB/s of buffer. */
static void bandwidth_of_every_kind(void **state)
{
    static const struct {
        enum nadi_collective_kind kind;
        double algorithm, bus;
    } cases[] = {
        {NADI_ALL_REDUCE, 16e9, 24e9},     {NADI_ALL_GATHER, 64e9, 48e9},
        {NADI_REDUCE_SCATTER, 16e9, 12e9}, {NADI_REDUCE_SCATTER_BLOCK, 16e9, 12e9},
        {NADI_ALL_TO_ALL, 16e9, 12e9},     {NADI_GATHER, 64e9, 48e9},
        {NADI_SCATTER, 16e9, 12e9},        {NADI_BROADCAST, 16e9, 16e9},
        {NADI_REDUCE, 16e9, 16e9},
    };
    struct report_case c;
    (void)state;
    report_case_init(&c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_bandwidth b = of_kind(&c, cases[i].kind);
        near(b.algorithm, cases[i].algorithm);
        near(b.bus, cases[i].bus);
        assert_int_equal(b.ranks, 4);
    }
    report_case_release(&c);
}

static void no_bandwidth_without_duration_or_end(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_collective_result x = c.r.collectives[0];
    x.end_ns = x.start_ns;
    assert_true(isnan(nadi_bandwidth_of(&c.in, &x).bus));
    x.end_ns = x.start_ns + 1;
    x.complete = false;
    assert_true(isnan(nadi_bandwidth_of(&c.in, &x).bus));
    report_case_release(&c);
}

/* Dimensions that a node or the implementation list leaves out do not exchange data. */
static void participants_follow_dimensions(void **state)
{
    struct report_case c;
    struct nadi_implementation *list;
    (void)state;
    report_case_init(&c);
    list = &c.in.system.native[NADI_NATIVE_ALL_REDUCE];
    c.in.traces[0]->comms[0].involved = 2;
    assert_int_equal(of_kind(&c, NADI_ALL_REDUCE).ranks, 2);
    c.in.traces[0]->comms[0].involved = UINT32_MAX;
    list->count = 1;
    assert_int_equal(of_kind(&c, NADI_ALL_REDUCE).ranks, 2);
    list->dims[0].flat = true;
    assert_int_equal(of_kind(&c, NADI_ALL_REDUCE).ranks, 4);
    list->custom = "prefix";
    list->dims[0].flat = false;
    assert_int_equal(of_kind(&c, NADI_ALL_REDUCE).ranks, 4);
    report_case_release(&c);
}

static void small_group_takes_its_size(void **state)
{
    static const uint32_t members[] = {3, 1, 0};
    struct report_case c;
    bool existed;
    (void)state;
    report_case_init(&c);
    c.r.collectives[0].group = nadi_groups_add(&c.in.groups, "tp", members, 3, &existed);
    struct nadi_bandwidth b = of_kind(&c, NADI_ALL_GATHER);
    assert_int_equal(b.ranks, 3);
    near(b.bytes, 24000);
    assert_string_equal(nadi_group_label(&c.in, 1), "tp");
    assert_string_equal(nadi_group_label(&c.in, 0), "world");
    report_case_release(&c);
}

static void classes_gather_equals(void **state)
{
    struct report_case c;
    struct nadi_collective_result list[4];
    size_t count;
    (void)state;
    report_case_init(&c);
    for (int i = 0; i < 4; i++)
        list[i] = c.r.collectives[0];
    list[0].bytes = list[2].bytes = 8000;
    list[0].end_ns = list[0].start_ns + 500;
    list[2].end_ns = list[2].start_ns + 1500;
    list[2].copies = 3;
    list[3].complete = false;
    c.r.collectives = list;
    c.r.collective_count = 4;
    struct nadi_collective_class *classes = nadi_collective_classes(&c.in, &c.r, &count);
    assert_int_equal(count, 2);
    assert_int_equal(classes[0].bytes, 1000000); /* the most time first */
    assert_int_equal(classes[0].count, 1);
    assert_int_equal(classes[1].count, 4); /* 500 ns once, 1,500 ns three times */
    assert_int_equal(classes[1].duration_ns, 5000);
    near(classes[1].rank_ns, 20000);
    near(classes[1].bus_max, 24e9);
    near(classes[1].bus_min, 8e9);
    near(classes[1].bus_mean, 9.6e9);
    near(classes[1].algorithm_mean, 6.4e9);
    nadi_mem_free(classes);
    report_case_release(&c);
}

static void shares_add_up(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_rank_result *first = &c.r.classes[0]; /* 25,600 of 26,000 ns */
    first->compute_ns = 10000;
    first->true_exposed_comm_ns = 6000;
    first->idle_ns = 5600; /* so 4,000 were memory or processor alone */
    double sum = 0;
    for (int s = 0; s < NADI_SHARES; s++)
        sum += nadi_share_of(&c.r, (enum nadi_figure_share)s).mean;
    near(sum, 1);
    struct nadi_share_spread other = nadi_share_of(&c.r, NADI_SHARE_OTHER);
    near(other.max, 4000.0 / 26000);
    assert_int_equal(other.max_rank, 0);
    near(nadi_share_of(&c.r, NADI_SHARE_IDLE).max, 6000.0 / 26000);
    report_case_release(&c);
}

static void spreads(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_spread s = nadi_spread_of(&c.r, NADI_RANK_FINISH);
    assert_int_equal(s.min, 25500);
    assert_int_equal(s.min_rank, 2);
    assert_int_equal(s.max, 26000);
    assert_int_equal(s.max_rank, 1);
    near(s.mean, 25650);
    report_case_release(&c);
}

static void links_of_a_dimension(void **state)
{
    struct report_case c;
    struct nadi_link_result links[3] = {{.dim = 0}, {.dim = 0}, {.dim = 1}};
    (void)state;
    report_case_init(&c);
    assert_int_equal(nadi_dimension_links(&c.in, &c.r, 0), 4); /* Ring 2: one way to the other */
    c.in.topology.dims[0].npus = 4;
    c.in.topology.npu_count = 8;
    assert_int_equal(nadi_dimension_links(&c.in, &c.r, 0), 16);
    assert_int_equal(nadi_dimension_links(&c.in, &c.r, 1), 8);
    c.in.topology.dims[0].kind = NADI_DIM_FULLY_CONNECTED;
    assert_int_equal(nadi_dimension_links(&c.in, &c.r, 0), 24);
    c.r.links = links;
    c.r.link_count = 3;
    assert_int_equal(nadi_dimension_links(&c.in, &c.r, 0), 2);
    near(nadi_utilisation(500, 2, 1000), 0.25);
    assert_true(nadi_utilisation(1, 0, 10) <= 0);
    report_case_release(&c);
}

static void lower_bound_only_of_a_finished_run(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    near(nadi_above_lower_bound(&c.r), 1.3);
    c.r.outcome = NADI_OUTCOME_DEADLOCK;
    assert_true(isnan(nadi_above_lower_bound(&c.r)));
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bandwidth_of_every_kind),
        cmocka_unit_test(no_bandwidth_without_duration_or_end),
        cmocka_unit_test(participants_follow_dimensions),
        cmocka_unit_test(small_group_takes_its_size),
        cmocka_unit_test(classes_gather_equals),
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(spreads),
        cmocka_unit_test(links_of_a_dimension),
        cmocka_unit_test(lower_bound_only_of_a_finished_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
