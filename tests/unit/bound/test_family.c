/* bound: what leaves the islands of a graph, of groups by themselves and as a family. */
#include "bound/bound.h"
#include "sim/run.h"

#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MOST_GROUPS = 3, MEMBERS = 4, BYTES = 100000000 };

struct both { /* by groups, by the family of them */
    uint64_t bound_ns[2], end_ns[2];
};

/* An all-reduce of BYTES in each group. */
static struct both reduce(const char *network, enum nadi_algorithm algorithm, uint32_t groups,
                          const uint32_t members[][MEMBERS])
{
    static const char *const names[] = {"a", "b", "c"};
    const uint32_t ranks = groups * MEMBERS;
    struct both both;
    for (uint32_t family = 0; family < 2; family++) {
        uint32_t group_of[MOST_GROUPS * MEMBERS];
        struct nadi_result r;
        struct job j;
        bool existed;
        job_graph(&j, network);
        j.in.options.network_model = &nadi_network_aware;
        job_algorithm(&j, algorithm);
        for (uint32_t g = 0; g < groups; g++)
            for (uint32_t m = 0; m < MEMBERS; m++)
                group_of[members[g][m]] =
                    nadi_groups_add(&j.in.groups, names[g], members[g], MEMBERS, &existed);
        nadi_groups_add_family(&j.in.groups, "all", group_of, ranks);
        for (uint32_t rank = 0; rank < ranks; rank += family ? ranks : 1) {
            const struct job_node node = {
                .type = NADI_NODE_COLL,
                .bytes = BYTES,
                .group = family ? "all" : names[group_of[rank] - group_of[members[0][0]]]};
            job_give(&j, job_trace(&j, &node, 1), rank, family ? ranks - 1 : rank);
        }
        both.bound_ns[family] = nadi_lower_bound_ns(&j.in);
        nadi_simulate(&j.in, NULL, &r);
        assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
        both.end_ns[family] = r.end_ns;
        assert_true(both.bound_ns[family] <= r.end_ns);
        nadi_result_release(&r);
        job_release(&j);
    }
    assert_int_equal(both.end_ns[1], both.end_ns[0]);
    return both;
}

static void groups_alike(void **state)
{
    static const uint32_t members[2][MEMBERS] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    (void)state;
    const struct both b = reduce("leaf-spine leaves=4 spines=1 hosts=2 uplink-bandwidth=1",
                                 NADI_ALGORITHM_RING, 2, members);
    assert_true(b.bound_ns[0] > b.end_ns[0] / 2);
    assert_int_equal(b.bound_ns[1], b.bound_ns[0]);
}

static void is_about(uint64_t ns, double want)
{
    assert_true((double)ns > want * 0.999 && (double)ns < want * 1.001);
}

/* Of a family each rank is taken to send out of its island what the least of its groups does, of
 * groups by themselves each what it does: members elsewhere are 1 of the first, 2 of the others. It
 * leaves the third leaf, with 4 ranks of these, twice: to reduce and to gather. */
static void least_of_a_family(void **state)
{
    static const uint32_t members[3][MEMBERS] = {{0, 1, 2, 4}, {3, 5, 8, 9}, {6, 7, 10, 11}};
    const double part_ns = BYTES / MEMBERS; /* at 1 GB/s */
    (void)state;
    const struct both b = reduce("leaf-spine leaves=3 spines=1 hosts=4 uplink-bandwidth=1",
                                 NADI_ALGORITHM_DIRECT, 3, members);
    is_about(b.bound_ns[0], 2 * 4 * 2 * part_ns);
    is_about(b.bound_ns[1], 2 * 4 * 1 * part_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_alike),
        cmocka_unit_test(least_of_a_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
