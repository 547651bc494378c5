/* The clock under a power limit, against its closed form at voltages that stay and that rise. */
#include "platform/power.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "platform/cluster.h"

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b))
        fail_msg("%.12g is not %.12g", a, b);
}

/* Below the knee the power above idle is linear in the clock. */
static void test_constant_voltage(void **state)
{
    (void)state;
    const struct nadi_device d = {
        .power = 500, .idle_power = 100, .least_voltage = 0.7, .voltage_knee = 0.9};
    assert_near(nadi_power_clock(&d, 0.8, 500), 0.8);
    assert_near(nadi_power_clock(&d, 0.8, 300), 0.4);
    assert_near(nadi_power_clock(&d, 0.8, 101), 0.002);
}

/* Without a floor it is cubic. */
static void test_rising_voltage(void **state)
{
    (void)state;
    const struct nadi_device d = {.power = 400};
    assert_near(nadi_power_clock(&d, 0.9, 50), 0.45);
    assert_near(nadi_power_clock(&d, 1, 400), 1);
    assert_near(nadi_power_clock(&d, 0.5, 4000), 1); /* no more than the boost clock */
}

/* Across the knee: 0.5 at the floor of 0.5, 1 at 1: f v² = 0.75 x 0.75² from 0.5 x 0.5². */
static void test_across_the_knee(void **state)
{
    (void)state;
    const double ratio = 0.5 * 0.25 / (0.75 * 0.5625);
    const struct nadi_device d = {.power = 1000, .least_voltage = 0.5, .voltage_knee = 0.5};
    assert_near(nadi_power_clock(&d, 0.75, 1000 * ratio), 0.5);
}

/* What runs on the processors slows alike; memory does not. */
static void test_limit(void **state)
{
    (void)state;
    struct nadi_cluster all, part;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_cluster_open(&all, "dgx-h100", &diags));
    assert_true(nadi_cluster_open(&part, "grand-teton", &diags));
    const struct nadi_device *a = &all.device, *b = &part.device;
    const double slower = b->sustained[NADI_BF16] / a->sustained[NADI_BF16];
    assert_true(slower > 0.75 && slower < 0.9); /* 500 of 700 W */
    assert_near(b->sustained[NADI_FP8] / a->sustained[NADI_FP8], slower);
    assert_near(b->steady[NADI_BF16] / a->steady[NADI_BF16], slower);
    assert_near(b->attention_rate[1] / a->attention_rate[1], slower);
    assert_near(b->exponential_rate / a->exponential_rate, slower);
    assert_near(a->tile_ns[NADI_BF16] / b->tile_ns[NADI_BF16], slower);
    assert_near(b->burst[NADI_BF16], a->burst[NADI_BF16]);
    assert_near(b->memory_rate, 2.4e12);
    assert_near(b->power, 500);
    nadi_cluster_release(&all);
    nadi_cluster_release(&part);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_voltage),
        cmocka_unit_test(test_rising_voltage),
        cmocka_unit_test(test_across_the_knee),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
