#include "neural/train.h"

#include <math.h>

#include "base/mem.h"
#include "neural/train_inside.h"

enum { CHUNK = 256 };

struct moments { /* of Adam, for weights or bias of a layer */
    float *gradient, *first, *second;
    size_t count;
};

struct state {
    struct nadi_nn *nn;
    struct moments *weights, *bias;
    float **slopes; /* of each layer's outputs */
    uint32_t steps;
};

static void begin(struct moments *m, size_t count)
{
    *m = (struct moments){NADI_ZNEW(float, count + 1), NADI_ZNEW(float, count + 1),
                          NADI_ZNEW(float, count + 1), count};
}

static void end(struct moments *m)
{
    nadi_mem_free(m->gradient);
    nadi_mem_free(m->first);
    nadi_mem_free(m->second);
}

static void draw(struct nadi_nn *nn, struct nadi_rng *rng)
{
    for (uint32_t i = 0; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        const double wide = nadi_nn_mixes(l->kind) ? sqrt(6.0 / (double)nadi_nn_fan_in(nn, l)) : 0;
        for (size_t w = 0; w < nadi_nn_weight_count(nn, l); w++)
            l->weights[w] =
                l->kind == NADI_NN_NORM ? 1 : (float)(wide * (2 * nadi_rng_unit(rng) - 1));
    }
}

/* d loss / d outputs, of the mean over the batch. */
static void loss_slope(const struct nadi_nn_layer *l, const float *y, const float *labels,
                       uint32_t samples, float *slope)
{
    for (uint32_t s = 0; s < samples; s++) {
        float most = -INFINITY, sum = 0;
        for (uint32_t c = 0; c < l->channels; c++)
            most = fmaxf(most, y[c * samples + s]);
        for (uint32_t c = 0; c < l->channels; c++)
            sum += expf(y[c * samples + s] - most);
        for (uint32_t c = 0; c < l->channels; c++)
            slope[c * samples + s] =
                (expf(y[c * samples + s] - most) / sum - ((uint32_t)labels[s] == c ? 1.0F : 0.0F)) /
                (float)samples;
    }
}

static void adam(struct moments *m, float *values, double rate, uint32_t step)
{
    const double first = 0.9, second = 0.999;
    const float scale = (float)(rate * sqrt(1 - pow(second, step)) / (1 - pow(first, step)));
    for (size_t i = 0; i < m->count; i++) {
        const float g = m->gradient[i];
        m->first[i] = 0.9F * m->first[i] + 0.1F * g;
        m->second[i] = 0.999F * m->second[i] + 0.001F * g * g;
        values[i] -= scale * m->first[i] / (sqrtf(m->second[i]) + 1e-8F);
        m->gradient[i] = 0;
    }
}

static void train_batch(struct state *st, const float *x, const float *labels, uint32_t samples,
                        double rate)
{
    struct nadi_nn *nn = st->nn;
    struct nadi_nn_run run;
    nadi_nn_forward(nn, x, samples, &run);
    for (uint32_t i = 0; i < nn->count; i++)
        memset(st->slopes[i], 0,
               nn->layers[i].channels * nadi_nn_positions(&nn->layers[i]) * samples *
                   sizeof(float));
    loss_slope(&nn->layers[nn->count - 1], run.of[nn->count - 1], labels, samples,
               st->slopes[nn->count - 1]);
    for (uint32_t i = nn->count; --i > 0;)
        nadi_nn_backward(&(struct nadi_nn_back){.nn = nn,
                                                .run = &run,
                                                .slopes = st->slopes,
                                                .weights = st->weights[i].gradient,
                                                .bias = st->bias[i].gradient},
                         i);
    st->steps++;
    for (uint32_t i = 1; i < nn->count; i++) {
        adam(&st->weights[i], nn->layers[i].weights, rate, st->steps);
        adam(&st->bias[i], nn->layers[i].bias, rate, st->steps);
    }
    nadi_nn_run_release(&run);
}

void nadi_nn_train(struct nadi_nn *nn, const struct nadi_nn_samples *samples,
                   const struct nadi_nn_training *training, struct nadi_rng *rng)
{
    struct state st = {.nn = nn,
                       .weights = NADI_ZNEW(struct moments, nn->count),
                       .bias = NADI_ZNEW(struct moments, nn->count),
                       .slopes = NADI_ZNEW(float *, nn->count)};
    draw(nn, rng);
    for (uint32_t i = 0; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        begin(&st.weights[i], nadi_nn_weight_count(nn, l));
        begin(&st.bias[i], nadi_nn_bias_count(l));
        st.slopes[i] = NADI_NEW(float, l->channels *nadi_nn_positions(l) * training->batch);
    }
    const uint32_t batches = samples->count / training->batch, all = batches * training->epochs;
    for (uint32_t i = 0; i < all; i++) {
        const size_t from = (size_t)(i % batches) * training->batch;
        const double rate = training->rate * 0.5 * (1 + cos(M_PI * i / all));
        train_batch(&st, samples->x + from * samples->values, samples->labels + from,
                    training->batch, rate);
    }
    for (uint32_t i = 0; i < nn->count; i++) {
        end(&st.weights[i]);
        end(&st.bias[i]);
        nadi_mem_free(st.slopes[i]);
    }
    nadi_mem_free(st.weights);
    nadi_mem_free(st.bias);
    nadi_mem_free(st.slopes);
}

double nadi_nn_accuracy(const struct nadi_nn *nn, const struct nadi_nn_samples *samples)
{
    uint64_t right = 0;
    for (uint32_t from = 0; from < samples->count; from += CHUNK) {
        struct nadi_nn_run run;
        const uint32_t rest = samples->count - from, count = rest < CHUNK ? rest : CHUNK;
        nadi_nn_forward(nn, samples->x + from * samples->values, count, &run);
        right += nadi_nn_count_right(nn, &run, samples->labels + from);
        nadi_nn_run_release(&run);
    }
    return samples->count ? (double)right / samples->count : 0;
}
