/* The least time of a split of bandwidth: closed forms, published points, conditions, bounds. */
#include "base/rng.h"
#include "optimize/split.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nadi_linear budget(uint32_t dims, double sum)
{
    struct nadi_linear l = {.unknowns = dims, .count = 1};
    l.rows[0] = (struct nadi_linear_row){.limit = sum, .equal = true};
    for (uint32_t d = 0; d < dims; d++)
        l.rows[0].a[d] = 1;
    return l;
}

static void expect_near(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * fabs(wanted)))
        fail_msg("found %.15g, wanted %.15g", found, wanted);
}

/* One collective: every dimension works all the time, b in the ratio of bytes. */
static void test_one_collective(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 500; seed++) {
        struct nadi_rng rng;
        nadi_rng_init(&rng, seed, "split");
        struct nadi_split s = {.dims = 1 + (uint32_t)(nadi_rng_u64(&rng) % 16)};
        double bytes[NADI_LINEAR_UNKNOWNS], sum = 0;
        for (uint32_t d = 0; d < s.dims; d++)
            sum += bytes[d] = exp(9 * nadi_rng_unit(&rng));
        const double total = exp(10 * nadi_rng_unit(&rng));
        const struct nadi_linear l = budget(s.dims, total);
        struct nadi_split_answer a;
        s.constant_ns = 5;
        nadi_split_add_move(&s, bytes, 3);
        assert_int_equal(nadi_split_fastest(&s, &l, &a), NADI_SPLIT_FOUND);
        expect_near(a.time_ns, 5 + 3 * sum / total, 1e-9);
        for (uint32_t d = 0; d < s.dims; d++)
            expect_near(a.b[d], total * bytes[d] / sum, 1e-7);
        if (a.residual > 1e-8)
            fail_msg("seed %u: residual %g", seed, a.residual);
        nadi_split_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_collective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
