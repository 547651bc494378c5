/* What inputs look like: Gram matrices of windows against sums formed one by one, and the diagonal
 * alone, bit for bit. */
#include "base/mem.h"
#include "partition/gram.h"
#include "support/nn_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SAMPLES = 150 /* of one position: no multiple of a chunk */ };

/* Of a dense layer: each sample and position is a window, 1 at its end. */
static double one_by_one(const struct nadi_nn_layer *in, const float *x, uint32_t a, uint32_t b)
{
    const size_t all = nadi_nn_positions(in) * SAMPLES;
    double sum = 0;
    for (size_t t = 0; t < all; t++)
        sum += (a < in->channels ? (double)x[a * all + t] : 1) *
               (b < in->channels ? (double)x[b * all + t] : 1);
    return sum / (double)all;
}

static void check(const struct nadi_nn *nn, uint32_t layer, uint32_t group, const float *x)
{
    const struct nadi_nn_layer *l = &nn->layers[layer], *in = &nn->layers[l->inputs[0]];
    struct nadi_gram all, diagonal;
    nadi_gram_of(nn, layer, group, x, NULL, SAMPLES, &all);
    nadi_gram_diagonal_of(nn, layer, group, x, SAMPLES, &diagonal);
    assert_int_equal(all.columns, diagonal.columns);
    assert_null(diagonal.own);
    for (uint32_t i = 0; i < all.columns; i++) {
        assert_memory_equal(&diagonal.diagonal[i], &all.own[(size_t)i * all.columns + i],
                            sizeof(double));
        for (uint32_t m = 0; l->kind == NADI_NN_DENSE && m < all.columns; m++)
            assert_true(fabs(all.own[(size_t)i * all.columns + m] - one_by_one(in, x, i, m)) <
                        1e-12);
    }
    assert_true(fabs(all.diagonal[all.columns - 1] - 1) < 1e-12);
    nadi_gram_release(&all);
    nadi_gram_release(&diagonal);
}

static void test_windows(void **state)
{
    struct nadi_rng rng;
    struct nadi_nn nn;
    struct nadi_nn_run run;
    (void)state;
    nadi_rng_init(&rng, 5, "gram");
    nn_case_build(&nn, false, &rng);
    float *x = nn_case_samples(&nn, SAMPLES, &rng);
    nadi_nn_forward(&nn, x, SAMPLES, &run);
    uint32_t checked = 0;
    for (uint32_t i = 1; i < nn.count; i++)
        if (nadi_nn_mixes(nn.layers[i].kind)) {
            const uint32_t groups = nn.layers[i].kind == NADI_NN_CONV ? nn.layers[i].groups : 1;
            for (uint32_t g = 0; g < groups; g++)
                check(&nn, i, g, run.of[nn.layers[i].inputs[0]]);
            checked++;
        }
    assert_true(checked > 4);
    nadi_nn_run_release(&run);
    nadi_mem_free(x);
    nadi_nn_release(&nn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
