/* Slopes of weights against differences of the output, and a network that learns. */
#include "base/mem.h"
#include "neural/train_inside.h"
#include "neural/zoo.h"
#include "support/nn_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SAMPLES = 3 };

/* A fixed combination of the outputs. */
static double combined(const struct nadi_nn *nn, const float *x)
{
    struct nadi_nn_run run;
    double sum = 0;
    nadi_nn_forward(nn, x, SAMPLES, &run);
    for (uint32_t i = 0; i < nn->layers[nn->count - 1].channels * SAMPLES; i++)
        sum += (double)run.of[nn->count - 1][i] * cos(i);
    nadi_nn_run_release(&run);
    return sum;
}

static double slope_by_difference(struct nadi_nn *nn, const float *x, float *value)
{
    const float keep = *value, step = 4e-3F;
    *value = keep + step;
    const double up = combined(nn, x);
    *value = keep - step;
    const double down = combined(nn, x);
    *value = keep;
    return (up - down) / (2 * (double)step);
}

static void test_slopes(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 3; seed++) {
        struct nadi_rng rng;
        struct nadi_nn nn;
        struct nadi_nn_run run;
        nadi_rng_init(&rng, seed, "slopes");
        nn_case_build(&nn, true, &rng);
        float *x = nn_case_samples(&nn, SAMPLES, &rng);
        float **slopes = NADI_NEW(float *, nn.count);
        nadi_nn_forward(&nn, x, SAMPLES, &run);
        for (uint32_t i = 0; i < nn.count; i++)
            slopes[i] =
                NADI_ZNEW(float, nn.layers[i].channels *nadi_nn_positions(&nn.layers[i]) * SAMPLES);
        for (uint32_t i = 0; i < nn.layers[nn.count - 1].channels * SAMPLES; i++)
            slopes[nn.count - 1][i] = (float)cos(i);
        for (uint32_t i = nn.count; --i > 0;) {
            const struct nadi_nn_layer *l = &nn.layers[i];
            float *weights = NADI_ZNEW(float, nadi_nn_weight_count(&nn, l) + 1);
            float *bias = NADI_ZNEW(float, l->channels + 1);
            nadi_nn_backward(&(struct nadi_nn_back){&nn, &run, slopes, weights, bias}, i);
            for (size_t w = 0; w < nadi_nn_weight_count(&nn, l); w += 5) {
                const double wanted = slope_by_difference(&nn, x, &l->weights[w]);
                if (fabs((double)weights[w] - wanted) > 0.02 + 0.02 * fabs(wanted))
                    fail_msg("seed %u, %s, weight %zu: %g, by difference %g", seed, l->name, w,
                             (double)weights[w], wanted);
            }
            for (size_t w = 0; w < nadi_nn_bias_count(l); w += 3) {
                const double wanted = slope_by_difference(&nn, x, &l->bias[w]);
                assert_true(fabs((double)bias[w] - wanted) < 0.02 + 0.02 * fabs(wanted));
            }
            nadi_mem_free(weights);
            nadi_mem_free(bias);
        }
        for (uint32_t i = 0; i < nn.count; i++)
            nadi_mem_free(slopes[i]);
        nadi_mem_free(slopes);
        nadi_mem_free(x);
        nadi_nn_run_release(&run);
        nadi_nn_release(&nn);
    }
}

/* A little of each network's training already beats chance by far. */
static void test_learns(void **state)
{
    (void)state;
    for (const struct nadi_zoo_net *zoo = nadi_zoo; zoo->name; zoo++) {
        struct nadi_zoo_net less = *zoo;
        struct nadi_nn nn;
        struct nadi_nn_samples test;
        if (strcmp(zoo->name, "block") == 0) /* learns late */
            continue;
        less.training_samples = 320;
        less.training.epochs = 3;
        nadi_zoo_train(&less, 5, &nn);
        nadi_zoo_draw(zoo, 200, 5, "test", &test);
        const double accuracy = nadi_nn_accuracy(&nn, &test);
        if (accuracy < 3.0 / zoo->classes)
            fail_msg("%s: %g", zoo->name, accuracy);
        nadi_zoo_release(&test);
        nadi_nn_release(&nn);
    }
}

/* What a short training makes of the weights: their square sums, all layers' biases among them. */
static void test_moves(void **state)
{
    static const double want[] = {1625.20745, 463.249146, 1428.04473}; /* mlp, lenet, block */
    (void)state;
    for (uint32_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        struct nadi_zoo_net less = nadi_zoo[i];
        struct nadi_nn nn;
        double sum = 0;
        less.training_samples = 64;
        less.training.epochs = 1;
        nadi_zoo_train(&less, 5, &nn);
        for (uint32_t l = 1; l < nn.count; l++) {
            for (size_t w = 0; w < nadi_nn_weight_count(&nn, &nn.layers[l]); w++)
                sum += (double)nn.layers[l].weights[w] * (double)nn.layers[l].weights[w];
            for (size_t b = 0; b < nadi_nn_bias_count(&nn.layers[l]); b++)
                sum += 100 * (double)nn.layers[l].bias[b] * (double)nn.layers[l].bias[b];
        }
        if (!(fabs(sum / want[i] - 1) < 2e-6))
            fail_msg("%s: %.9g", less.name, sum);
        nadi_nn_release(&nn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
