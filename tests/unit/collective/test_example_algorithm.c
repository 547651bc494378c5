/* The worked example of docs/guide/add-an-algorithm.md: it compiles, its blocks come out right, and
 * it takes its closed form. */
#include "collective/program.h"

extern const struct nadi_program_ops nadi_algorithm_neighbour_exchange; /* as algorithms.h would */

#include "../../../examples/algorithm/neighbour_exchange.c"
#include "base/arena.h"
#include "collective/verify.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void real_blocks_come_out_right(void **state)
{
    (void)state;
    const struct nadi_verify_machine machine = {.alpha = 1, .beta = 0.01, .gamma = 0.002};
    for (uint32_t n = 2; n <= 64; n += 2) {
        const struct nadi_program_request q = {.kind = NADI_ALL_GATHER, .n = n, .bytes = 1000};
        struct nadi_program p;
        struct nadi_arena arena;
        nadi_arena_init(&arena);
        assert_null(nadi_program_make(&nadi_algorithm_neighbour_exchange, &q, &p));
        const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
        if (o.result != NADI_VERIFY_OK)
            fail_msg("%u members: %s", n, nadi_verify_text(&p, &o, &arena));
        const double closed = p.ops->seconds(&p, machine.alpha, machine.beta, machine.gamma);
        assert_true(fabs(o.seconds - closed) < 1e-9 * closed);
        nadi_arena_release(&arena);
    }
}

static void odd_members_are_refused(void **state)
{
    (void)state;
    const struct nadi_program_request q = {.kind = NADI_ALL_GATHER, .n = 5, .bytes = 1000};
    struct nadi_program p;
    assert_string_equal(nadi_program_make(&nadi_algorithm_neighbour_exchange, &q, &p),
                        "the number of members is odd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_blocks_come_out_right),
                                       cmocka_unit_test(odd_members_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
