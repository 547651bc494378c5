#include <math.h>

#include "base/mem.h"
#include "neural/layer_inside.h"
#include "neural/train_inside.h"

/* Of the output before the activation, in place. */
static void undo_activation(const struct nadi_nn_layer *l, const float *y, float *dy, size_t count)
{
    NADI_ASSERT(l->activation != NADI_NN_GELU);
    for (size_t i = 0; l->activation != NADI_NN_PLAIN && i < count; i++)
        dy[i] *= l->activation == NADI_NN_RELU   ? (y[i] > 0 ? 1.0F : 0.0F)
                 : l->activation == NADI_NN_TANH ? 1 - y[i] * y[i]
                                                 : y[i] * (1 - y[i]);
}

static float dot(const float *a, const float *b, size_t count)
{
    float part[8] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sum += a[i] * b[i];
    for (size_t k = 0; k < 8; k++)
        sum += part[k];
    return sum;
}

static void add_scaled(float *restrict y, const float *restrict x, float w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] += w * x[i];
}

static void mix_back(const struct nadi_nn_back *b, const struct nadi_nn_layer *l, uint32_t channel,
                     const float *dy)
{
    const struct nadi_nn_layer *in = &b->nn->layers[l->inputs[0]];
    const uint32_t samples = b->run->samples;
    const size_t fan = nadi_nn_fan_in(b->nn, l), positions = nadi_nn_positions(l);
    const size_t in_size = nadi_nn_positions(in) * samples;
    const float *x = b->run->of[l->inputs[0]], *w = l->weights + channel * fan;
    float *dx = l->inputs[0] ? b->slopes[l->inputs[0]] : NULL, *dw = b->weights + channel * fan;
    for (size_t i = 0; i < positions * samples; i++)
        b->bias[channel] += dy[i];
    for (size_t i = 0; l->kind == NADI_NN_DENSE && i < fan; i++) {
        dw[i] += dot(dy, x + i * in_size, in_size);
        if (dx)
            add_scaled(dx + i * in_size, dy, w[i], in_size);
    }
    if (l->kind == NADI_NN_DENSE)
        return;
    const uint32_t per_group = in->channels / l->groups;
    const uint32_t first = channel / (l->channels / l->groups) * per_group;
    for (uint32_t c = 0; c < per_group; c++)
        for (uint32_t ky = 0; ky < l->kernel[0]; ky++)
            for (uint32_t kx = 0; kx < l->kernel[1]; kx++, w++, dw++)
                for (uint32_t p = 0; p < positions; p++) {
                    size_t at;
                    if (!nadi_nn_source(l, in, p, ky, kx, &at))
                        continue;
                    at = (first + c) * in_size + at * samples;
                    *dw += dot(dy + p * samples, x + at, samples);
                    if (dx)
                        add_scaled(dx + at, dy + p * samples, *w, samples);
                }
}

static void pool_back(const struct nadi_nn_back *b, const struct nadi_nn_layer *l, uint32_t channel,
                      const float *y, const float *dy)
{
    const struct nadi_nn_layer *in = &b->nn->layers[l->inputs[0]];
    const uint32_t samples = b->run->samples;
    const size_t base = channel * nadi_nn_positions(in) * samples;
    const float *x = b->run->of[l->inputs[0]] + base;
    float *dx = b->slopes[l->inputs[0]] + base;
    const float part = 1 / (float)(l->kernel[0] * l->kernel[1]);
    for (uint32_t p = 0; p < nadi_nn_positions(l); p++, y += samples, dy += samples)
        for (uint32_t s = 0; s < samples; s++) {
            bool taken = false;
            for (uint32_t k = 0; k < l->kernel[0] * l->kernel[1]; k++) {
                size_t at;
                if (!nadi_nn_source(l, in, p, k / l->kernel[1], k % l->kernel[1], &at))
                    continue;
                at = at * samples + s;
                if (l->kind == NADI_NN_MEAN_POOL)
                    dx[at] += dy[s] * part;
                else if (!taken && !(x[at] < y[s])) {
                    dx[at] += dy[s];
                    taken = true;
                }
            }
        }
}

static void norm_back(const struct nadi_nn_back *b, const struct nadi_nn_layer *l, const float *dy)
{
    const size_t size = nadi_nn_positions(l) * b->run->samples;
    const float *x = b->run->of[l->inputs[0]];
    float *dx = b->slopes[l->inputs[0]];
    const float n = (float)l->channels;
    for (size_t i = 0; i < size; i++) {
        float mean = 0, variance = 0, first = 0, second = 0;
        for (uint32_t c = 0; c < l->channels; c++)
            mean += x[c * size + i] / n;
        for (uint32_t c = 0; c < l->channels; c++)
            variance += (x[c * size + i] - mean) * (x[c * size + i] - mean) / n;
        const float scale = 1 / sqrtf(variance + (float)l->epsilon);
        for (uint32_t c = 0; c < l->channels; c++) {
            const float z = (x[c * size + i] - mean) * scale, d = dy[c * size + i];
            b->weights[c] += d * z;
            b->bias[c] += d;
            first += d * l->weights[c] / n;
            second += d * l->weights[c] * z / n;
        }
        for (uint32_t c = 0; c < l->channels; c++) {
            const float z = (x[c * size + i] - mean) * scale;
            dx[c * size + i] += scale * (dy[c * size + i] * l->weights[c] - first - z * second);
        }
    }
}

static void attention_back(const struct nadi_nn_back *b, const struct nadi_nn_layer *l,
                           const float *dy)
{
    const uint32_t samples = b->run->samples, wide = l->channels / l->heads;
    const size_t positions = nadi_nn_positions(l), size = positions * samples;
    const float scale = 1 / sqrtf((float)wide);
    const float *inputs[3];
    float *slopes[3], *share = NADI_NEW(float, size), *ds = NADI_NEW(float, size);
    for (int i = 0; i < 3; i++) {
        inputs[i] = b->run->of[l->inputs[i]];
        slopes[i] = b->slopes[l->inputs[i]];
    }
    for (uint32_t head = 0; head < l->heads; head++)
        for (uint32_t t = 0; t < positions; t++) {
            const uint32_t seen = nadi_nn_attend(l, head, t, inputs, samples, share);
            memset(ds, 0, seen * samples * sizeof(*ds));
            for (uint32_t c = head * wide; c < (head + 1) * wide; c++)
                for (uint32_t u = 0; u < seen; u++)
                    for (uint32_t s = 0; s < samples; s++) {
                        const float d = dy[c * size + t * samples + s];
                        ds[u * samples + s] += d * inputs[2][c * size + u * samples + s];
                        slopes[2][c * size + u * samples + s] += share[u * samples + s] * d;
                    }
            for (uint32_t s = 0; s < samples; s++) {
                float mean = 0;
                for (uint32_t u = 0; u < seen; u++)
                    mean += share[u * samples + s] * ds[u * samples + s];
                for (uint32_t u = 0; u < seen; u++)
                    ds[u * samples + s] =
                        scale * share[u * samples + s] * (ds[u * samples + s] - mean);
            }
            for (uint32_t c = head * wide; c < (head + 1) * wide; c++)
                for (uint32_t u = 0; u < seen; u++)
                    for (uint32_t s = 0; s < samples; s++) {
                        const size_t q = c * size + t * samples + s, k = c * size + u * samples + s;
                        slopes[0][q] += ds[u * samples + s] * inputs[1][k];
                        slopes[1][k] += ds[u * samples + s] * inputs[0][q];
                    }
        }
    nadi_mem_free(share);
    nadi_mem_free(ds);
}

/* Layers in which a channel of the output is one of an input. */
static void join_back(const struct nadi_nn_back *b, const struct nadi_nn_layer *l, const float *dy)
{
    size_t at = 0;
    for (uint32_t n = 0; n < l->input_count; n++) {
        const struct nadi_nn_layer *in = &b->nn->layers[l->inputs[n]];
        const size_t count = in->channels * nadi_nn_positions(in) * b->run->samples;
        add_scaled(b->slopes[l->inputs[n]], dy + at, 1, count);
        at += l->kind == NADI_NN_CONCAT ? count : 0;
    }
}

void nadi_nn_backward(const struct nadi_nn_back *b, uint32_t layer)
{
    const struct nadi_nn_layer *l = &b->nn->layers[layer];
    const size_t size = nadi_nn_positions(l) * b->run->samples;
    const float *y = b->run->of[layer];
    float *dy = b->slopes[layer];
    undo_activation(l, y, dy, l->channels * size);
    switch (l->kind) {
    case NADI_NN_DENSE:
    case NADI_NN_CONV:
        for (uint32_t c = 0; c < l->channels; c++)
            mix_back(b, l, c, dy + c * size);
        break;
    case NADI_NN_MAX_POOL:
    case NADI_NN_MEAN_POOL:
        for (uint32_t c = 0; c < l->channels; c++)
            pool_back(b, l, c, y + c * size, dy + c * size);
        break;
    case NADI_NN_ADD:
    case NADI_NN_CONCAT:
    case NADI_NN_FLATTEN:
        join_back(b, l, dy);
        break;
    case NADI_NN_NORM:
        norm_back(b, l, dy);
        break;
    case NADI_NN_ATTENTION:
        attention_back(b, l, dy);
        break;
    case NADI_NN_GATE:
    case NADI_NN_SOFTMAX:
    case NADI_NN_INPUT:
    case NADI_NN_KINDS:
        NADI_BUG("a layer that is not trained");
    }
}
