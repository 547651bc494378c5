#include "support/nn_case.h"

#include "base/mem.h"

static void add(struct nadi_nn *nn, const struct nadi_nn_layer *layer)
{
    struct nadi_diags diags;
    struct nadi_nn_layer l = *layer;
    nadi_diags_init(&diags);
    l.place = NADI_NOWHERE;
    l.epsilon = 1e-3;
    const bool weighted = nadi_nn_mixes(l.kind) || l.kind == NADI_NN_NORM;
    const struct nadi_nn_layer *added =
        weighted ? nadi_nn_add_weighted(nn, &l, &diags) : nadi_nn_add(nn, &l, &diags);
    NADI_ASSERT(added);
    nadi_diags_release(&diags);
}

#define LAYER(...) add(nn, &(struct nadi_nn_layer){__VA_ARGS__})
#define READS(...)                                                                                 \
    .inputs = {__VA_ARGS__}, .input_count = sizeof((int[]){__VA_ARGS__}) / sizeof(int)

void nn_case_build(struct nadi_nn *nn, bool trained, struct nadi_rng *rng)
{
    const enum nadi_nn_activation smooth = trained ? NADI_NN_TANH : NADI_NN_GELU;
    nadi_nn_init(nn);
    LAYER(.name = "input", .kind = NADI_NN_INPUT, .channels = 4, .height = 6, .width = 4);
    LAYER(.name = "c1", .kind = NADI_NN_CONV, READS(0), .channels = 8, .kernel = {3, 3},
          .padding = 1, .groups = 2, .activation = smooth);
    LAYER(.name = "c2", .kind = NADI_NN_CONV, READS(0), .channels = 8, .kernel = {1, 1});
    LAYER(.name = "sum", .kind = NADI_NN_ADD, READS(1, 2));
    LAYER(.name = "p1", .kind = trained ? NADI_NN_MEAN_POOL : NADI_NN_MAX_POOL, READS(3),
          .kernel = {2, 2}, .stride = 2);
    LAYER(.name = "n1", .kind = NADI_NN_NORM, READS(4));
    LAYER(.name = "q", .kind = NADI_NN_DENSE, READS(5), .channels = 12);
    LAYER(.name = "k", .kind = NADI_NN_DENSE, READS(5), .channels = 12);
    LAYER(.name = "v", .kind = NADI_NN_DENSE, READS(5), .channels = 12);
    LAYER(.name = "heads", .kind = NADI_NN_ATTENTION, READS(6, 7, 8), .heads = 6, .causal = true);
    LAYER(.name = "joined", .kind = NADI_NN_CONCAT, READS(9, 4));
    LAYER(.name = "down", .kind = NADI_NN_CONV, READS(10), .channels = 6, .kernel = {2, 2},
          .stride = 2, .padding = 1, .activation = NADI_NN_SIGMOID);
    LAYER(.name = "flat", .kind = NADI_NN_FLATTEN, READS(11));
    LAYER(.name = "experts", .kind = NADI_NN_DENSE, READS(12), .channels = 12, .unit = 3,
          .activation = trained ? NADI_NN_TANH : NADI_NN_RELU);
    if (!trained) {
        LAYER(.name = "gates", .kind = NADI_NN_DENSE, READS(12), .channels = 4);
        LAYER(.name = "soft", .kind = NADI_NN_SOFTMAX, READS(14));
        LAYER(.name = "gated", .kind = NADI_NN_GATE, READS(13, 15));
    }
    LAYER(.name = "output", .kind = NADI_NN_DENSE, READS(trained ? 13 : 16), .channels = 7);
    for (uint32_t i = 0; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        for (size_t w = 0; w < nadi_nn_weight_count(nn, l); w++)
            l->weights[w] = (float)(2 * nadi_rng_unit(rng) - 1);
        for (size_t w = 0; w < nadi_nn_bias_count(l); w++)
            l->bias[w] = (float)(nadi_rng_unit(rng) - 0.5);
    }
}

float *nn_case_samples(const struct nadi_nn *nn, uint32_t samples, struct nadi_rng *rng)
{
    const size_t count = nn->layers[0].channels * nadi_nn_positions(&nn->layers[0]) * samples;
    float *x = NADI_NEW(float, count);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(2 * nadi_rng_unit(rng) - 1);
    return x;
}
