/* Latencies of routes, and what forwarding whole packets adds a byte, by hand. */
#include "why/route_latency.h"

#include "network/models.h"
#include "support/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct row {
    uint32_t src, dst;
    uint64_t latency_ns;
    double forwarding; /* ns a byte */
};

static void expect(const struct nadi_inputs *in, const struct row *rows, size_t count)
{
    struct nadi_lower_bounds *bounds = nadi_lower_bounds_create(in);
    struct nadi_route_latencies *w = nadi_route_latencies_create(in, bounds);
    for (int round = 0; round < 2; round++) /* found, then remembered */
        for (size_t i = 0; i < count; i++) {
            const struct row *r = &rows[i];
            assert_int_equal(nadi_route_latency(w, r->src, r->dst), r->latency_ns);
            const double got = nadi_route_forwarding(w, r->src, r->dst);
            if (fabs(got - r->forwarding) > 1e-12)
                fail_msg("%u to %u: %g ns a byte, wanted %g", r->src, r->dst, got, r->forwarding);
        }
    nadi_route_latencies_destroy(w);
    nadi_lower_bounds_destroy(bounds);
}

/* A ring of 4 with 1 ns a byte, and a switch between two of them with 4 ns a byte. */
static void dimensions(void **state)
{
    static const struct nadi_dim dims[] = {
        {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 1, .latency_ns = 100},
        {.kind = NADI_DIM_SWITCH, .npus = 2, .bytes_per_ns = 0.25, .latency_ns = 300},
    };
    static const struct row rows[] = {
        {0, 0, 0, 0},           {0, 1, 100, 0},         {3, 0, 100, 0}, {0, 2, 200, 1},
        {1, 5, 600, 4}, /* two links of the switch */
        {0, 6, 800, 2 + 8 - 4}, {7, 0, 700, 1 + 8 - 4}, {8, 0, 0, 0},   {0, 8, 0, 0},
    };
    struct job j;
    (void)state;
    job_init(&j, dims, 2);
    j.in.options.network_model = &nadi_network_aware;
    expect(&j.in, rows, sizeof(rows) / sizeof(*rows));
    /* where links are free of contention only the lowest dimension counts */
    static const struct row lowest[] = {{0, 6, 200, 2 + 8 - 4}, {0, 4, 600, 4}};
    j.in.options.network_model = &nadi_network_unaware;
    expect(&j.in, lowest, 2);
    job_release(&j);
    nadi_route_latencies_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dimensions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
