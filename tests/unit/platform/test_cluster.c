/* cluster: how many devices of each dimension a number of ranks takes. */
#include "platform/cluster.h"

#include <setjmp.h>

#include <cmocka.h>

struct fit {
    const char *cluster;
    uint32_t ranks, unit;
    uint32_t dims[3]; /* 0: not there */
    size_t notes;
};

static void sizes(void **state)
{
    static const struct fit fits[] = {
        {"dgx-h100", 6, 1, {6}, 0},          {"dgx-h100", 8, 8, {8}, 0},
        {"dgx-h100", 24, 8, {8, 3}, 0},      {"dgx-h100", 36, 3, {6, 6}, 1},
        {"dgx-h100", 20, 2, {4, 5}, 1},      {"dgx-h100", 60, 5, {5, 12}, 1},
        {"dgx-h100", 13, 1, {1, 13}, 1},     {"gb200-nvl72", 72, 8, {72}, 0},
        {"gb200-nvl72", 256, 8, {64, 4}, 1}, {"tpu-v4", 64, 8, {8, 8}, 0},
        {"tpu-v4", 96, 4, {8, 6, 2}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++) {
        struct nadi_cluster c;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        assert_true(nadi_cluster_open(&c, fits[i].cluster, &diags));
        assert_true(nadi_cluster_fit(&c, fits[i].ranks, fits[i].unit, &diags));
        assert_int_equal(diags.count, fits[i].notes);
        uint32_t all = 1;
        for (uint32_t d = 0; d < c.topology.dim_count; d++) {
            if (c.topology.dims[d].npus != fits[i].dims[d])
                fail_msg("%s, %u ranks: dimension %u has %u", fits[i].cluster, fits[i].ranks, d,
                         c.topology.dims[d].npus);
            all *= c.topology.dims[d].npus;
        }
        assert_int_equal(all, fits[i].ranks);
        nadi_cluster_release(&c);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
