/* layer: the layers of nn.h, run forward. */
#include <math.h>

#include "base/mem.h"
#include "base/threads.h"
#include "base/time.h"
#include "base/wide.h"
#include "neural/layer_inside.h"

/* Of a dense layer: positions and samples, and inputs, that are computed at a time. */
enum { TILE = 64, BLOCK = 128 };

#define LARGE 1e8 /* MACs of a layer from which on threads share it */

#define SUM_UNIT 16777216.0 /* sums of norms are whole numbers of 2^-24 */

float nadi_nn_activate(enum nadi_nn_activation activation, float x)
{
    switch (activation) {
    case NADI_NN_RELU:
        return x > 0 ? x : 0;
    case NADI_NN_GELU:
        return 0.5F * x * (1 + erff(x * 0.70710678F));
    case NADI_NN_TANH:
        return tanhf(x);
    case NADI_NN_SIGMOID:
        return 1 / (1 + expf(-x));
    case NADI_NN_PLAIN:
        break;
    }
    return x;
}

static void activate(const struct nadi_nn_layer *l, float *y, size_t count)
{
    if (l->activation != NADI_NN_PLAIN)
        for (size_t i = 0; i < count; i++)
            y[i] = nadi_nn_activate(l->activation, y[i]);
}

static void add_scaled(float *restrict y, const float *restrict x, float w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] += w * x[i];
}

/* Sixteen neighbours, at any address. */
typedef float sixteen __attribute__((vector_size(64), aligned(4), may_alias));

/* A whole tile, which stays in registers. x: of each input of the block, TILE wide */
NADI_WIDE static void add_to_tile(const float *w, const uint8_t *used, uint32_t uses,
                                  const float *x, float *y)
{
    sixteen *to = (sixteen *)(void *)y;
    sixteen y0 = to[0], y1 = to[1], y2 = to[2], y3 = to[3];
    for (uint32_t k = 0; k < uses; k++) {
        const sixteen *from = (const sixteen *)(const void *)(x + (size_t)used[k] * TILE);
        y0 += w[k] * from[0];
        y1 += w[k] * from[1];
        y2 += w[k] * from[2];
        y3 += w[k] * from[3];
    }
    to[0] = y0;
    to[1] = y1;
    to[2] = y2;
    to[3] = y3;
}

struct tiles { /* of a dense layer; threads take one after the other */
    const struct nadi_nn_layer *l;
    size_t fan, blocks, size, wide;
    const float *x;
    float *output;
    const uint8_t *mine;
    size_t *first; /* blocks x channels, and the end: weights that are not 0, in this order: */
    float *weights;
    uint8_t *used; /* and their inputs in the block */
    size_t next;
};

static size_t block_size(const struct tiles *t, size_t block)
{
    return nadi_min_u64(BLOCK, t->fan - block * BLOCK);
}

NADI_WIDE static uint32_t count_used(const float *w, size_t count)
{
    uint32_t uses = 0;
    for (size_t i = 0; i < count; i++)
        uses += (uint32_t)(w[i] > 0) | (uint32_t)(w[i] < 0);
    return uses;
}

/* How many weights of a channel and block are not 0, then where they begin. */
static void find_first(struct tiles *t)
{
    const uint32_t channels = t->l->channels;
    size_t end = 0;
    t->first = NADI_ZNEW(size_t, t->blocks * channels + 1);
    for (uint32_t c = 0; c < channels; c++)
        for (size_t b = 0; (!t->mine || t->mine[c]) && b < t->blocks; b++) {
            const float *w = t->l->weights + c * t->fan + b * BLOCK;
            t->first[b * channels + c] = count_used(w, block_size(t, b));
        }
    for (size_t i = 0; i <= t->blocks * channels; i++) {
        const size_t uses = t->first[i];
        t->first[i] = end;
        end += uses;
    }
}

/* Every tile reads all weights, from one end to the other. */
static void pack(struct tiles *t)
{
    find_first(t);
    const size_t all = t->first[t->blocks * t->l->channels];
    t->weights = NADI_NEW(float, all + 1);
    t->used = NADI_NEW(uint8_t, all + 1);
    for (uint32_t c = 0; c < t->l->channels; c++)
        for (size_t b = 0; (!t->mine || t->mine[c]) && b < t->blocks; b++) {
            const float *w = t->l->weights + c * t->fan + b * BLOCK;
            const size_t *first = t->first + b * t->l->channels + c, count = block_size(t, b);
            size_t at = first[0];
            for (uint8_t i = 0; i < count; i++)
                if (first[1] - first[0] == count || w[i] > 0 || w[i] < 0) {
                    t->weights[at] = w[i];
                    t->used[at++] = i;
                }
        }
}

/* y += w x of the inputs of a block that are used, each added in turn. x: of the tile */
static void add_inputs(const struct tiles *t, uint32_t channel, size_t block, const float *x,
                       float *y)
{
    const size_t *first = t->first + block * t->l->channels + channel;
    const float *w = t->weights + first[0];
    const uint8_t *used = t->used + first[0];
    const uint32_t uses = (uint32_t)(first[1] - first[0]);
    x += block * BLOCK * t->wide;
    if (t->wide == TILE)
        add_to_tile(w, used, uses, x, y);
    else
        for (uint32_t k = 0; k < uses; k++)
            add_scaled(y, x + used[k] * t->wide, w[k], t->wide);
}

/* All channels of `mine`, of a tile whose inputs stay in the caches. */
static void run_tile(const struct tiles *t, size_t from, float *inputs)
{
    const size_t wide = t->wide, count = nadi_min_u64(wide, t->size - from);
    float y[TILE] = {0};
    for (size_t i = 0; i < t->fan; i++)
        memcpy(inputs + i * wide, t->x + i * t->size + from, count * sizeof(float));
    for (size_t block = 0; block == 0 || block < t->blocks; block++)
        for (uint32_t c = 0; c < t->l->channels; c++) {
            float *to = t->output + c * t->size + from;
            if (t->mine && !t->mine[c])
                continue;
            for (size_t i = 0; !block && i < wide; i++)
                y[i] = t->l->bias ? t->l->bias[c] : 0;
            if (block)
                memcpy(y, to, count * sizeof(float));
            if (t->blocks)
                add_inputs(t, c, block, inputs, y);
            memcpy(to, y, count * sizeof(float));
        }
}

static void run_tiles(void *context, unsigned number)
{
    struct tiles *t = context;
    (void)number;
    float *inputs = NADI_ZNEW(float, t->fan * t->wide + 1);
    size_t from;
    while (from = __atomic_fetch_add(&t->next, t->wide, __ATOMIC_RELAXED), from < t->size)
        run_tile(t, from, inputs);
    nadi_mem_free(inputs);
}

static void dense(const struct nadi_nn *nn, const struct nadi_nn_layer *l, const float *x,
                  float *output, uint32_t samples, const uint8_t *mine)
{
    struct tiles t = {.l = l,
                      .fan = nadi_nn_fan_in(nn, l),
                      .size = nadi_nn_positions(l) * samples,
                      .x = x,
                      .output = output,
                      .mine = mine};
    const double macs = (double)t.fan * (double)t.size * l->channels;
    t.wide = nadi_min_u64(TILE, t.size);
    t.blocks = (t.fan + BLOCK - 1) / BLOCK;
    pack(&t);
    if (nn->threads > 1 && macs > LARGE)
        nadi_threads_run(nn->threads, run_tiles, &t);
    else
        run_tiles(&t, 0);
    nadi_mem_free(t.first);
    nadi_mem_free(t.weights);
    nadi_mem_free(t.used);
}

static void convolve(const struct nadi_nn *nn, const struct nadi_nn_layer *l, uint32_t channel,
                     const float *x, float *y, uint32_t samples)
{
    const struct nadi_nn_layer *in = &nn->layers[l->inputs[0]];
    const size_t fan = nadi_nn_fan_in(nn, l), positions = nadi_nn_positions(l);
    const size_t in_size = nadi_nn_positions(in) * samples;
    const float *w = l->weights + channel * fan, bias = l->bias ? l->bias[channel] : 0;
    for (size_t i = 0; i < positions * samples; i++)
        y[i] = bias;
    const uint32_t per_group = in->channels / l->groups;
    const uint32_t first = channel / (l->channels / l->groups) * per_group;
    for (uint32_t c = 0; c < per_group; c++)
        for (uint32_t ky = 0; ky < l->kernel[0]; ky++)
            for (uint32_t kx = 0; kx < l->kernel[1]; kx++, w++)
                for (uint32_t p = 0; (*w > 0 || *w < 0) && p < positions; p++) {
                    size_t at;
                    if (nadi_nn_source(l, in, p, ky, kx, &at))
                        add_scaled(y + p * samples, x + (first + c) * in_size + at * samples, *w,
                                   samples);
                }
}

static void pool(const struct nadi_nn *nn, const struct nadi_nn_layer *l, const float *x, float *y,
                 uint32_t samples)
{
    const struct nadi_nn_layer *in = &nn->layers[l->inputs[0]];
    const bool is_max = l->kind == NADI_NN_MAX_POOL;
    for (uint32_t p = 0; p < nadi_nn_positions(l); p++, y += samples) {
        uint32_t seen = 0;
        for (uint32_t s = 0; s < samples; s++)
            y[s] = is_max ? -INFINITY : 0;
        for (uint32_t ky = 0; ky < l->kernel[0]; ky++)
            for (uint32_t kx = 0; kx < l->kernel[1]; kx++) {
                size_t at;
                if (!nadi_nn_source(l, in, p, ky, kx, &at))
                    continue;
                seen++;
                const float *from = x + at * samples;
                for (uint32_t s = 0; s < samples; s++)
                    y[s] = !is_max ? y[s] + from[s] : from[s] > y[s] ? from[s] : y[s];
            }
        for (uint32_t s = 0; !is_max && s < samples; s++)
            y[s] /= (float)seen;
    }
}

uint32_t nadi_nn_attend(const struct nadi_nn_layer *l, uint32_t head, uint32_t t,
                        const float *const *inputs, uint32_t samples, float *share)
{
    const size_t positions = nadi_nn_positions(l);
    const uint32_t wide = l->channels / l->heads, seen = l->causal ? t + 1 : (uint32_t)positions;
    const float scale = 1 / sqrtf((float)wide);
    memset(share, 0, seen * samples * sizeof(*share));
    for (uint32_t c = head * wide; c < (head + 1) * wide; c++) {
        const float *q = inputs[0] + (c * positions + t) * samples;
        const float *k = inputs[1] + c * positions * samples;
        for (uint32_t u = 0; u < seen; u++)
            for (uint32_t s = 0; s < samples; s++)
                share[u * samples + s] += q[s] * k[u * samples + s];
    }
    const float *mask =
        l->mask ? l->mask + ((l->mask_heads > 1 ? head : 0) * positions + t) * positions : NULL;
    for (uint32_t u = 0; mask && u < seen; u++)
        for (uint32_t s = 0; s < samples; s++)
            share[u * samples + s] =
                mask[u] > NADI_NN_HIDDEN ? share[u * samples + s] + mask[u] / scale : -INFINITY;
    for (uint32_t s = 0; s < samples; s++) {
        float most = -INFINITY, sum = 0;
        for (uint32_t u = 0; u < seen; u++)
            most = fmaxf(most, share[u * samples + s]);
        for (uint32_t u = 0; u < seen; u++)
            sum += share[u * samples + s] = expf((share[u * samples + s] - most) * scale);
        for (uint32_t u = 0; u < seen; u++)
            share[u * samples + s] /= sum;
    }
    return seen;
}

static void attention(const struct nadi_nn_layer *l, const float *const *inputs, float *output,
                      uint32_t samples, const uint8_t *mine)
{
    const size_t positions = nadi_nn_positions(l);
    const uint32_t wide = l->channels / l->heads;
    float *share = NADI_NEW(float, positions *samples + 1);
    for (uint32_t head = 0; head < l->heads; head++) {
        if (mine && !mine[head * wide])
            continue;
        for (uint32_t t = 0; t < positions; t++) {
            const uint32_t seen = nadi_nn_attend(l, head, t, inputs, samples, share);
            for (uint32_t c = head * wide; c < (head + 1) * wide; c++) {
                const float *v = inputs[2] + c * positions * samples;
                float *y = output + (c * positions + t) * samples;
                memset(y, 0, samples * sizeof(*y));
                for (uint32_t u = 0; u < seen; u++)
                    for (uint32_t s = 0; s < samples; s++)
                        y[s] += share[u * samples + s] * v[u * samples + s];
            }
        }
    }
    nadi_mem_free(share);
}

/* Over the channels, which all must be there. */
static void softmax(const struct nadi_nn_layer *l, uint32_t channel, const float *x, float *y,
                    size_t size)
{
    for (size_t i = 0; i < size; i++) {
        float most = -INFINITY, sum = 0;
        for (uint32_t c = 0; c < l->channels; c++)
            most = fmaxf(most, x[c * size + i]);
        for (uint32_t c = 0; c < l->channels; c++)
            sum += expf(x[c * size + i] - most);
        y[i] = expf(x[channel * size + i] - most) / sum;
    }
}

static int64_t whole(double x)
{
    return nadi_signed_trunc(x * SUM_UNIT);
}

void nadi_nn_add_sums(const struct nadi_nn *nn, uint32_t layer, const float *input,
                      uint32_t samples, const uint8_t *mine, struct nadi_nn_sums *sums)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const size_t size = nadi_nn_positions(l) * samples;
    for (uint32_t c = 0; c < l->channels; c++)
        for (size_t i = 0; (!mine || mine[c]) && i < size; i++) {
            const double x = (double)input[c * size + i];
            const int64_t one = whole(x), square = whole(x * x);
            if (__builtin_add_overflow(sums->sum[i], one, &sums->sum[i]))
                sums->sum[i] = one < 0 ? INT64_MIN : INT64_MAX;
            if (__builtin_add_overflow(sums->square[i], square, &sums->square[i]))
                sums->square[i] = INT64_MAX;
        }
}

static void norm(const struct nadi_nn_layer *l, uint32_t channel, const float *x, float *y,
                 size_t size, const struct nadi_nn_sums *sums)
{
    const double gain = l->weights ? (double)l->weights[channel] : 1;
    const double shift = l->bias ? (double)l->bias[channel] : 0;
    for (size_t i = 0; i < size; i++) {
        const double mean = (double)sums->sum[i] / SUM_UNIT / l->channels;
        const double square = (double)sums->square[i] / SUM_UNIT / l->channels;
        const double variance = fmax(0, square - mean * mean);
        y[i] = (float)(((double)x[i] - mean) / sqrt(variance + l->epsilon) * gain + shift);
    }
}

/* Layers in which a channel of the output is one of an input. */
static void join(const struct nadi_nn *nn, const struct nadi_nn_layer *l, uint32_t channel,
                 const float *const *inputs, float *y, size_t size)
{
    if (l->kind == NADI_NN_CONCAT) {
        uint32_t i = 0, c = channel;
        while (c >= nn->layers[l->inputs[i]].channels)
            c -= nn->layers[l->inputs[i++]].channels;
        memcpy(y, inputs[i] + c * size, size * sizeof(*y));
        return;
    }
    memcpy(y, inputs[0] + channel * size, size * sizeof(*y));
    const float *gate = l->kind == NADI_NN_GATE ? inputs[1] + channel / l->unit * size : NULL;
    for (size_t i = 0; gate && i < size; i++)
        y[i] *= gate[i];
    for (uint32_t n = 1; l->kind == NADI_NN_ADD && n < l->input_count; n++)
        add_scaled(y, inputs[n] + channel * size, 1, size);
}

void nadi_nn_compute(const struct nadi_nn *nn, uint32_t layer, const float *const *inputs,
                     float *output, uint32_t samples, const uint8_t *mine,
                     const struct nadi_nn_sums *sums)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const size_t size = nadi_nn_positions(l) * samples;
    if (l->kind == NADI_NN_ATTENTION)
        attention(l, inputs, output, samples, mine);
    if (l->kind == NADI_NN_DENSE)
        dense(nn, l, inputs[0], output, samples, mine);
    for (uint32_t c = 0; c < l->channels; c++) {
        float *y = output + c * size;
        if (mine && !mine[c])
            continue;
        switch (l->kind) {
        case NADI_NN_CONV:
            convolve(nn, l, c, inputs[0], y, samples);
            break;
        case NADI_NN_ADD:
        case NADI_NN_CONCAT:
        case NADI_NN_GATE:
            join(nn, l, c, inputs, y, size);
            break;
        case NADI_NN_MAX_POOL:
        case NADI_NN_MEAN_POOL:
            pool(nn, l, inputs[0] + c * nadi_nn_positions(&nn->layers[l->inputs[0]]) * samples, y,
                 samples);
            break;
        case NADI_NN_FLATTEN:
            memcpy(y, inputs[0] + c * size, size * sizeof(*y));
            break;
        case NADI_NN_NORM:
            norm(l, c, inputs[0] + c * size, y, size, sums);
            break;
        case NADI_NN_SOFTMAX:
            softmax(l, c, inputs[0], y, size);
            break;
        case NADI_NN_DENSE:
        case NADI_NN_ATTENTION:
        case NADI_NN_INPUT:
        case NADI_NN_KINDS:
            break;
        }
        activate(l, y, size);
    }
}

void nadi_nn_interleave(const float *x, size_t values, uint32_t samples, float *to)
{
    for (uint32_t s = 0; s < samples; s++)
        for (size_t i = 0; i < values; i++)
            to[i * samples + s] = x[s * values + i];
}

void nadi_nn_forward(const struct nadi_nn *nn, const float *x, uint32_t samples,
                     struct nadi_nn_run *run)
{
    *run = (struct nadi_nn_run){NADI_ZNEW(float *, nn->count), nn->count, samples};
    for (uint32_t i = 0; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        const size_t size = nadi_nn_positions(l) * samples;
        const float *inputs[NADI_NN_MOST_INPUTS] = {NULL};
        struct nadi_nn_sums sums = {NULL, NULL};
        run->of[i] = NADI_NEW(float, l->channels *size + 1);
        if (i == 0) {
            nadi_nn_interleave(x, l->channels * nadi_nn_positions(l), samples, run->of[0]);
            continue;
        }
        for (uint32_t n = 0; n < l->input_count; n++)
            inputs[n] = run->of[l->inputs[n]];
        if (l->kind == NADI_NN_NORM) {
            sums.sum = NADI_ZNEW(int64_t, size);
            sums.square = NADI_ZNEW(int64_t, size);
            nadi_nn_add_sums(nn, i, inputs[0], samples, NULL, &sums);
        }
        nadi_nn_compute(nn, i, inputs, run->of[i], samples, NULL, &sums);
        nadi_mem_free(sums.sum);
        nadi_mem_free(sums.square);
    }
}

void nadi_nn_run_release(struct nadi_nn_run *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        nadi_mem_free(run->of[i]);
    nadi_mem_free(run->of);
}

uint32_t nadi_nn_count_right(const struct nadi_nn *nn, const struct nadi_nn_run *run,
                             const float *labels)
{
    const struct nadi_nn_layer *l = &nn->layers[nn->count - 1];
    const float *y = run->of[nn->count - 1];
    const size_t values = l->channels * nadi_nn_positions(l);
    uint32_t right = 0;
    for (uint32_t s = 0; s < run->samples; s++) {
        size_t best = 0;
        for (size_t i = 1; i < values; i++)
            if (y[i * run->samples + s] > y[best * run->samples + s])
                best = i;
        right += (uint32_t)labels[s] == best;
    }
    return right;
}
