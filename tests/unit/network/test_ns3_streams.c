/* ns-3's random numbers, which were computed with whole powers of the generator's matrices. */
#include "network/packet/ns3_streams.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void first_of_streams(void **state)
{
    static const struct {
        uint64_t run, used;
        double first;
    } cases[] = {
        {1, 0, 0.816532044168251},    {1, 1, 0.835150073680844},    {1, 92, 0.5631343764560182},
        {7, 722, 0.5241583928058263}, {7, 723, 0.7891006800655606},
    };
    struct nadi_ns3_streams s;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nadi_ns3_streams_init(&s, cases[i].run, cases[i].used);
        assert_true(fabs(nadi_ns3_streams_next(&s) - cases[i].first) < 1e-15);
    }
    nadi_ns3_streams_init(&s, 7, 721);
    nadi_ns3_streams_skip(&s);
    assert_true(fabs(nadi_ns3_streams_next(&s) - cases[3].first) < 1e-15);
    assert_true(fabs(nadi_ns3_streams_next(&s) - cases[4].first) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
