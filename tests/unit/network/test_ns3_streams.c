/* ns-3's random numbers. The streams' were computed with whole powers of the generator's matrices,
 * the library's are glibc's. */
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

static void library(void **state)
{
    static const uint32_t first[] = {1804289383, 846930886, 1681692777, 1714636915};
    struct nadi_ns3_streams s;
    (void)state;
    nadi_ns3_streams_init(&s, 1, 0);
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        assert_int_equal(nadi_ns3_streams_library(&s), first[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_streams),
        cmocka_unit_test(library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
