/* Dense layers of all sizes around tiles and blocks against sums formed one by one: the same bits,
 * whatever weights are 0, whichever channels are wanted, with any number of threads. */
#include "base/mem.h"
#include "base/rng.h"
#include "neural/nn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct sizes {
    uint32_t inputs, outputs, positions, samples;
    double zeros; /* share of the weights */
    unsigned threads;
};

static float draw(struct nadi_rng *rng, double zeros)
{
    const double x = nadi_rng_unit(rng), value = nadi_rng_unit(rng) - 0.5;
    return x < zeros ? 0 : (float)value;
}

/* As nn.h says: bias, then the inputs in order, weights of 0 passed over. */
static float one_by_one(const struct nadi_nn_layer *l, uint32_t fan, uint32_t c, const float *x,
                        size_t size, size_t at)
{
    float y = l->bias[c];
    for (uint32_t i = 0; i < fan; i++)
        if (l->weights[(size_t)c * fan + i] > 0 || l->weights[(size_t)c * fan + i] < 0)
            y += l->weights[(size_t)c * fan + i] * x[i * size + at];
    return y;
}

static void check(const struct sizes *s, struct nadi_rng *rng)
{
    struct nadi_nn nn;
    struct nadi_diags diags;
    const struct nadi_nn_layer in = {.name = "input",
                                     .kind = NADI_NN_INPUT,
                                     .channels = s->inputs,
                                     .height = s->positions,
                                     .width = 1};
    const struct nadi_nn_layer out = {
        .name = "dense", .kind = NADI_NN_DENSE, .input_count = 1, .channels = s->outputs};
    nadi_diags_init(&diags);
    nadi_nn_init(&nn);
    nn.threads = s->threads;
    assert_non_null(nadi_nn_add(&nn, &in, &diags));
    struct nadi_nn_layer *l = nadi_nn_add_weighted(&nn, &out, &diags);
    assert_non_null(l);
    const size_t size = (size_t)s->positions * s->samples;
    float *x = NADI_NEW(float, s->inputs *size), *y = NADI_NEW(float, s->outputs *size);
    uint8_t *mine = NADI_NEW(uint8_t, s->outputs);
    for (size_t i = 0; i < (size_t)s->inputs * s->outputs; i++)
        l->weights[i] = draw(rng, s->zeros);
    for (size_t i = 0; i < s->inputs * size; i++)
        x[i] = draw(rng, 0);
    for (uint32_t c = 0; c < s->outputs; c++) {
        l->bias[c] = draw(rng, 0);
        mine[c] = nadi_rng_unit(rng) < 0.7;
    }
    for (size_t i = 0; i < s->outputs * size; i++)
        y[i] = -7;
    const float *const inputs[NADI_NN_MOST_INPUTS] = {x};
    nadi_nn_compute(&nn, 1, inputs, y, s->samples, mine, NULL);
    for (uint32_t c = 0; c < s->outputs; c++)
        for (size_t at = 0; at < size; at++) {
            const float wanted = mine[c] ? one_by_one(l, s->inputs, c, x, size, at) : -7;
            if (memcmp(&wanted, &y[c * size + at], sizeof(wanted)) != 0)
                fail_msg("%u x %u, %zu wide, %g zeros: channel %u at %zu is %.9g, not %.9g",
                         s->inputs, s->outputs, size, s->zeros, c, at, (double)y[c * size + at],
                         (double)wanted);
        }
    nadi_mem_free(x);
    nadi_mem_free(y);
    nadi_mem_free(mine);
    nadi_nn_release(&nn);
    nadi_diags_release(&diags);
}

static void test_dense(void **state)
{
    static const uint32_t inputs[] = {1, 5, 127, 128, 129, 300}, samples[] = {1, 63, 64, 65, 150};
    static const double zeros[] = {0, 0.5, 0.97, 1};
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 1, "layer");
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
        for (size_t n = 0; n < sizeof(samples) / sizeof(samples[0]); n++)
            for (size_t z = 0; z < sizeof(zeros) / sizeof(zeros[0]); z++)
                check(&(struct sizes){inputs[i], 7, 1 + n % 2, samples[n], zeros[z], 1}, &rng);
}

static void test_threads(void **state)
{
    struct nadi_rng rng;
    (void)state;
    nadi_rng_init(&rng, 2, "layer");
    check(&(struct sizes){260, 300, 5, 260, 0.3, 3}, &rng); /* large enough to be shared */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
