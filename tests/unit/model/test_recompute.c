/* How much of a layer is computed again: all of it, or up to what its gradients need. */
#include "model/stage.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_model_plan whole = {.recompute = NADI_RECOMPUTE_FULL};
static const struct nadi_model_plan stops = {.recompute = NADI_RECOMPUTE_FULL,
                                             .recompute_stops = true};

static uint32_t again(const struct nadi_model_plan *p, struct nadi_op *ops, uint32_t count)
{
    const struct nadi_layer_kind kind = {.ops = ops, .op_count = count};
    return nadi_layer_again(p, &kind);
}

/* norm, up, activation, down, sum of the ranks, residual: `down` keeps its input. */
static void test_last_product(void **state)
{
    (void)state;
    struct nadi_op ops[] = {
        {.kind = NADI_OP_STREAM, .kept = 8},          {.kind = NADI_OP_GEMM, .kept_input = 8},
        {.kind = NADI_OP_STREAM, .kept = 32},         {.kind = NADI_OP_GEMM, .kept_input = 32},
        {.kind = NADI_OP_COMM, .axis = NADI_AXIS_TP}, {.kind = NADI_OP_STREAM},
    };
    assert_int_equal(again(&whole, ops, 6), 6);
    assert_int_equal(again(&stops, ops, 6), 3);
    ops[5].kept_bytes = 8; /* a mask of dropout: made by the last operation itself */
    assert_int_equal(again(&stops, ops, 6), 6);
    ops[5].kept_bytes = 0;
    ops[4].kept = 8;
    assert_int_equal(again(&stops, ops, 6), 4);
}

static void test_nothing_kept(void **state)
{
    (void)state;
    struct nadi_op ops[] = {{.kind = NADI_OP_STREAM}, {.kind = NADI_OP_STREAM}};
    assert_int_equal(again(&whole, ops, 2), 2);
    assert_int_equal(again(&stops, ops, 2), 0);
    ops[0].kept = 1;
    assert_int_equal(again(&stops, ops, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_product),
        cmocka_unit_test(test_nothing_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
