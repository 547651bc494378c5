/* library_places: on how many nodes groups lie, and how many ranks of a node share its NICs. */
#include "executor/system.h"
#include "nccl/nccl.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

/* 16 ranks on nodes of 8: the world, two groups along the nodes, eight across them, one pair that
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

static void shares(void **state)
{
    (void)state;
    struct nadi_groups groups;
    struct nadi_arena arena;
    struct nadi_library_places p;
    struct nadi_comm_platform platform = {.gpus_per_node = 8, .nodes = 2, .nics = 4};
    add_groups(&groups);
    nadi_arena_init(&arena);
    nadi_library_places_find(&p, &platform, &groups, &arena);
    const uint32_t nodes[] = {2, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const uint32_t beside[] = {8, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 2};
    assert_int_equal(groups.count, 12);
    for (size_t i = 0; i < groups.count; i++) {
        assert_int_equal(p.nodes[i], nodes[i]);
        assert_int_equal(p.beside[i], beside[i]);
    }
    platform.nics = 8; /* one each: nothing is shared */
    nadi_library_places_find(&p, &platform, &groups, &arena);
    for (size_t i = 0; i < groups.count; i++)
        assert_int_equal(p.beside[i], 0);
    nadi_arena_release(&arena);
    nadi_groups_release(&groups);
}

/* Large all-reduces of a pair across nodes, of eight that share four NICs: half the rate of one
 * alone; of four groups of two of each node: as those of all eight together. */
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
    c.beside = 8;
    assert_true(nadi_comm_time_of(&p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &shared));
    assert_true(alone.by_nic && shared.by_nic);
    assert_true(fabs(shared.bandwidth_ns - 2 * alone.bandwidth_ns) < 1);
    c.beside = 2; /* a NIC for two */
    assert_true(nadi_comm_time_of(&p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &shared));
    assert_true(fabs(shared.bandwidth_ns - 2 * alone.bandwidth_ns) < 1);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
