/* library_places: on how many nodes groups lie, and how many ranks of a node share its NICs. */
#include "executor/system.h"
#include "nccl/nccl.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

/* 16 ranks on nodes of 8: the world, two groups along the nodes, eight across them, and one that
 * none is like (ranks 0 and 9 are in it). */
static void add_groups(struct nadi_groups *groups)
{
    static const uint32_t odd[] = {0, 1, 9};
    nadi_groups_init(groups, 16);
    for (uint32_t node = 0; node < 2; node++) {
        uint32_t members[8];
        for (uint32_t i = 0; i < 8; i++)
            members[i] = 8 * node + i;
        nadi_groups_add_nameless(groups, "tp", members, 8);
    }
    for (uint32_t i = 0; i < 8; i++)
        nadi_groups_add_nameless(groups, "dp", (const uint32_t[]){i, i + 8}, 2);
    nadi_groups_add_nameless(groups, "odd", odd, 3);
}

/* Finds the places on nodes of 8 with so many NICs; the groups' NICs are as told. */
static void check(const struct nadi_groups *groups, uint32_t nics, const double *wanted)
{
    struct nadi_arena arena;
    struct nadi_library_places p;
    const struct nadi_comm_platform platform = {.gpus_per_node = 8, .nodes = 2, .nics = nics};
    nadi_arena_init(&arena);
    nadi_library_places_find(&p, &platform, groups, &arena);
    for (size_t i = 0; i < groups->count; i++)
        assert_true(fabs(p.nics[i] - wanted[i]) < 1e-9);
    nadi_arena_release(&arena);
}

static void shares(void **state)
{
    (void)state;
    struct nadi_groups groups;
    struct nadi_arena arena;
    struct nadi_library_places p;
    const struct nadi_comm_platform platform = {.gpus_per_node = 8, .nodes = 2, .nics = 4};
    const uint32_t nodes[] = {2, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    add_groups(&groups);
    assert_int_equal(groups.count, 12);
    nadi_arena_init(&arena);
    nadi_library_places_find(&p, &platform, &groups, &arena);
    for (size_t i = 0; i < groups.count; i++)
        assert_int_equal(p.nodes[i], nodes[i]);
    nadi_arena_release(&arena);
    check(&groups, 4, (const double[]){4, 0, 0, .5, .5, .5, .5, .5, .5, .5, .5, 1});
    /* six NICs: of the ranks of a node 0 and 1, and 4 and 5, share one; the others have their own
     */
    check(&groups, 6, (const double[]){6, 0, 0, .5, .5, 1, 1, .5, .5, 1, 1, 1});
    check(&groups, 8, (const double[12]){0}); /* one each: nothing is shared */
    nadi_groups_release(&groups);
}

/* Four NICs, each of two neighbours: pairs whose ranks have NICs of their own, although others of
 * the node would share; groups of two ranks of each node with a NIC each; groups that share one of
 * their NICs, which all of their data waits for. */
static void own_nics(void **state)
{
    (void)state;
    struct nadi_groups groups;
    nadi_groups_init(&groups, 16);
    nadi_groups_add_nameless(&groups, "dp", (const uint32_t[]){0, 8}, 2);
    nadi_groups_add_nameless(&groups, "dp", (const uint32_t[]){2, 10}, 2);
    nadi_groups_add_nameless(&groups, "dp", (const uint32_t[]){4, 12}, 2);
    nadi_groups_add_nameless(&groups, "dp", (const uint32_t[]){5, 13}, 2);
    nadi_groups_add_nameless(&groups, "ep", (const uint32_t[]){0, 4, 8, 12}, 4);
    nadi_groups_add_nameless(&groups, "ep", (const uint32_t[]){1, 6, 9, 14}, 4);
    check(&groups, 4, (const double[]){4, 1, 1, .5, .5, 1, 1});
    nadi_groups_release(&groups);
}

/* Large all-reduces across nodes, bound by NICs: as long as the parts of NICs say. */
static void times(void **state)
{
    (void)state;
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_comm_platform p;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    assert_true(nadi_comm_platform_open(&p, "a100-p4d", &arena, &diags));
    p.nodes = 2;
    struct nadi_comm_case c = {.kind = NADI_COMM_ALL_REDUCE,
                               .ranks = 2,
                               .nodes = 2,
                               .bytes = 4e9,
                               .algorithm = NADI_COMM_RING};
    struct nadi_comm_time alone, shared;
    assert_true(nadi_comm_time_of(&p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &alone));
    c.nics = 1;
    assert_true(nadi_comm_time_of(&p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &shared));
    assert_true(fabs(shared.bandwidth_ns - alone.bandwidth_ns) < 1);
    c.nics = 0.5;
    assert_true(nadi_comm_time_of(&p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &shared));
    assert_true(alone.by_nic && shared.by_nic);
    assert_true(fabs(shared.bandwidth_ns - 2 * alone.bandwidth_ns) < 1);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(own_nics),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
