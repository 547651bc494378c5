/* systolic: cycles and accesses against arrays counted by hand. */
#include "compute/systolic.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("got %.12g, wanted %.12g", got, wanted);
}

/* A product (3 x 4)(4 x 5) on an array of 3 x 5 with outputs in place, cycle by cycle: element
 * (i, k) of the first matrix enters row i at cycle i + k and reaches column j at i + k + j; its
 * last use, (2, 3) in column 4, is at cycle 2 + 3 + 4 = 9, the tenth cycle; then the results leave
 * through the rows: 3 - 1 more cycles after the last row's, 2 R + C + T - 2 = 6 + 5 + 4 - 2 = 13 in
 * all with SCALE-sim's R cycles to drain. */
static void output_stationary_by_hand(void **state)
{
    (void)state;
    uint64_t last_use = 0;
    for (uint64_t i = 0; i < 3; i++)
        for (uint64_t k = 0; k < 4; k++)
            for (uint64_t j = 0; j < 5; j++)
                last_use = nadi_max_u64(last_use, i + k + j);
    const struct nadi_systolic_run r = nadi_systolic(3, 5, NADI_OUTPUT_STATIONARY, 3, 5, 4);
    assert_int_equal(last_use, 9);
    assert_int_equal(r.cycles, last_use + 1 + 3);
    assert_int_equal(r.folds, 1);
    assert_int_equal(r.input_reads, 12);
    assert_int_equal(r.weight_reads, 20);
    assert_int_equal(r.output_writes, 15);
    assert_int_equal(r.output_reads, 0);
    near(r.mapping, 1, 1e-12);
    near(r.utilisation, 60.0 / (15 * 13), 1e-12);
}

/* Weights of (4 x 5) in an array of 4 x 5: 4 cycles to load them, then 3 rows of inputs flow
 * through: the last one enters row 3 at cycle 3 + 2 and leaves column 4 four cycles later. */
static void weight_stationary_by_hand(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (uint64_t m = 0; m < 3; m++)
        for (uint64_t row = 0; row < 4; row++)
            for (uint64_t column = 0; column < 5; column++)
                last = nadi_max_u64(last, m + row + column);
    const struct nadi_systolic_run r = nadi_systolic(4, 5, NADI_WEIGHT_STATIONARY, 3, 5, 4);
    assert_int_equal(r.cycles, 4 + last + 1);
    assert_int_equal(r.cycles, 2 * 4 + 5 + 3 - 2);
    assert_int_equal(r.input_reads, 12);
    assert_int_equal(r.weight_reads, 20);
    assert_int_equal(r.output_writes, 15);
}

/* Inputs of (3 x 4) in an array of 4 x 3 (k down, m across); 5 columns of weights flow through. */
static void input_stationary_by_hand(void **state)
{
    (void)state;
    const struct nadi_systolic_run r = nadi_systolic(4, 3, NADI_INPUT_STATIONARY, 3, 5, 4);
    assert_int_equal(r.cycles, 4 + (4 + 2 + 3) + 1);
    assert_int_equal(r.cycles, 2 * 4 + 3 + 5 - 2);
    assert_int_equal(r.input_reads, 12);
    assert_int_equal(r.weight_reads, 20);
    assert_int_equal(r.output_writes, 15);
}

struct folded {
    enum nadi_dataflow dataflow;
    uint64_t cycles, folds, inputs, weights, writes, reads;
};

/* (10 x 6)(6 x 9) on 4 x 4, fold by fold:
 * outputs  3 x 3 folds of 2*4+4+6-2 = 16 cycles; a row of inputs for each of 3 column folds, a
 *          column of weights for each of 3 row folds
 * weights  ceil(6/4) x ceil(9/4) = 2 x 3 folds of 2*4+4+10-2 = 20; results twice, read back once
 * inputs   2 x ceil(10/4) = 2 x 3 folds of 2*4+4+9-2 = 19 */
static void folds(void **state)
{
    static const struct folded cases[] = {
        {NADI_OUTPUT_STATIONARY, 9 * 16, 9, 60 * 3, 54 * 3, 90, 0},
        {NADI_WEIGHT_STATIONARY, 6 * 20, 6, 60 * 3, 54, 90 * 2, 90},
        {NADI_INPUT_STATIONARY, 6 * 19, 6, 60, 54 * 3, 90 * 2, 90},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct folded *c = &cases[i];
        const struct nadi_systolic_run r = nadi_systolic(4, 4, c->dataflow, 10, 9, 6);
        assert_int_equal(r.cycles, c->cycles);
        assert_int_equal(r.folds, c->folds);
        assert_int_equal(r.input_reads, c->inputs);
        assert_int_equal(r.weight_reads, c->weights);
        assert_int_equal(r.output_writes, c->writes);
        assert_int_equal(r.output_reads, c->reads);
        assert_true(r.utilisation > 0 && r.utilisation <= r.mapping && r.mapping <= 1);
    }
}

/* What stays in place is read once, whatever the array. */
static void what_stays_is_read_once(void **state)
{
    (void)state;
    for (uint64_t rows = 1; rows <= 16; rows *= 2)
        for (uint64_t columns = 1; columns <= 16; columns *= 2) {
            assert_int_equal(
                nadi_systolic(rows, columns, NADI_WEIGHT_STATIONARY, 7, 11, 13).weight_reads,
                11 * 13);
            assert_int_equal(
                nadi_systolic(rows, columns, NADI_INPUT_STATIONARY, 7, 11, 13).input_reads, 7 * 13);
            assert_int_equal(
                nadi_systolic(rows, columns, NADI_OUTPUT_STATIONARY, 7, 11, 13).output_writes,
                7 * 11);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_stationary_by_hand), cmocka_unit_test(weight_stationary_by_hand),
        cmocka_unit_test(input_stationary_by_hand),  cmocka_unit_test(folds),
        cmocka_unit_test(what_stays_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
