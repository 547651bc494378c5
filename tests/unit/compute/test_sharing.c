/* Of 132 SMs 33 copy: what computes has three quarters; what the memory bounds does not notice
 * until its computing takes as long. */
#include "compute/sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static void is(double found, double right)
{
    assert_true(fabs(found - right) < 1e-12);
}

static void test_law(void **state)
{
    const struct nadi_sharing s = {.sms = 132, .copying = 33}, none = {.sms = 132};
    const struct nadi_roofline line = {.peak_flops = 1e15, .bytes_per_second = 1e12};
    (void)state;
    is(nadi_sharing_rate(&s, NULL, 0, 0), 0.75);
    is(nadi_sharing_rate(&none, NULL, 7, 7), 1);
    is(nadi_sharing_rate(&s, &line, 4000000, 1000), 0.75); /* 4 ns of computing, 1 of memory */
    is(nadi_sharing_rate(&s, &line, 1000000, 1000), 0.75); /* balanced */
    is(nadi_sharing_rate(&s, &line, 600000, 1000), 1);     /* 0.8 beside 1 of memory */
    is(nadi_sharing_rate(&s, &line, 900000, 1000), 1 / 1.2);
    is(nadi_sharing_rate(&s, &line, 0, 1000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
