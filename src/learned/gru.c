#include "learned/gru.h"

#include <math.h>

enum { FEW_TOKENS = 96 };

struct nadi_gru nadi_gru_sized(uint32_t tokens, uint32_t inputs)
{
    const bool few = tokens < FEW_TOKENS;
    return (struct nadi_gru){
        .tokens = tokens, .inputs = inputs, .hidden = few ? 32 : 64, .width = few ? 16 : 32};
}

struct nadi_gru_parts nadi_gru_parts(const struct nadi_gru *g)
{
    const size_t gates = 3 * (size_t)g->hidden, symbols = g->tokens + (size_t)1;
    struct nadi_gru_parts p = {.embedding = 0};
    p.input = p.embedding + symbols * g->width;
    p.recurrent = p.input + (g->width + g->inputs) * gates;
    p.bias = p.recurrent + g->hidden * gates;
    p.out = p.bias + gates;
    p.out_bias = p.out + g->hidden * symbols;
    p.all = p.out_bias + symbols;
    return p;
}

size_t nadi_gru_weights(const struct nadi_gru *g)
{
    return nadi_gru_parts(g).all;
}

void nadi_gru_progress(double share, float out[NADI_GRU_PROGRESS])
{
    const double full = 2 * 3.14159265358979323846;
    const double at = fmin(fmax(share, 0), 2);
    out[0] = (float)at;
    for (int k = 0; k < 3; k++) {
        out[1 + 2 * k] = (float)sin(full * at * (1 << k));
        out[2 + 2 * k] = (float)cos(full * at * (1 << k));
    }
}

/* y += x * row. Outer loops run over inputs: sums keep their order whatever the compiler does. */
static void add_scaled(float *y, const float *row, float x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] += x * row[i];
}

/* Of the same bits on every machine, which the C library's are not: 2^n times a series, off by less
 * than 3e-7 of it. */
static float exponential(float x)
{
    const float bound = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    const float whole = floorf(bound * 1.44269504f + 0.5f);
    const float r = bound - whole * 0.693359375f + whole * 2.12194440e-4f;
    const float series =
        1.0f +
        r * (1.0f +
             r * (0.5f + r * (1.6666667e-1f +
                              r * (4.1666668e-2f + r * (8.3333340e-3f + r * 1.3888890e-3f)))));
    uint32_t bits = (uint32_t)((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof(power));
    return series * power;
}

static float squash(float x)
{
    return 1.0f / (1.0f + exponential(-x));
}

static float bend(float x) /* the hyperbolic tangent */
{
    return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f);
}

static void softmax(float *values, uint32_t count)
{
    float most = values[0], sum = 0;
    for (uint32_t i = 1; i < count; i++)
        most = values[i] > most ? values[i] : most;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = exponential(values[i] - most);
        sum += values[i];
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] /= sum;
}

void nadi_gru_forward(const struct nadi_gru *g, float *state, uint32_t token, const float *inputs,
                      float *likely, struct nadi_gru_moment *m)
{
    const struct nadi_gru_parts p = nadi_gru_parts(g);
    const uint32_t h = g->hidden, wide = g->width + g->inputs, gates = 3 * h;
    float in[3 * NADI_GRU_MOST_HIDDEN], back[3 * NADI_GRU_MOST_HIDDEN] = {0};
    m->token = token;
    memcpy(m->x, g->weights + p.embedding + (size_t)token * g->width, g->width * sizeof(float));
    memcpy(m->x + g->width, inputs, g->inputs * sizeof(float));
    memcpy(m->before, state, h * sizeof(float));
    memcpy(in, g->weights + p.bias, gates * sizeof(float));
    for (uint32_t i = 0; i < wide; i++)
        add_scaled(in, g->weights + p.input + (size_t)i * gates, m->x[i], gates);
    for (uint32_t i = 0; i < h; i++)
        add_scaled(back, g->weights + p.recurrent + (size_t)i * gates, state[i], gates);
    for (uint32_t i = 0; i < h; i++) {
        m->reset[i] = squash(in[i] + back[i]);
        m->update[i] = squash(in[h + i] + back[h + i]);
        m->carried[i] = back[2 * h + i];
        m->fresh[i] = bend(in[2 * h + i] + m->reset[i] * m->carried[i]);
        state[i] = (1.0f - m->update[i]) * m->fresh[i] + m->update[i] * m->before[i];
    }
    const size_t symbols = g->tokens + (size_t)1;
    memcpy(likely, g->weights + p.out_bias, symbols * sizeof(float));
    for (uint32_t i = 0; i < h; i++)
        add_scaled(likely, g->weights + p.out + i * symbols, state[i], symbols);
    softmax(likely, (uint32_t)symbols);
}

void nadi_gru_step(const struct nadi_gru *g, float *state, uint32_t token, const float *inputs,
                   float *likely)
{
    struct nadi_gru_moment moment;
    nadi_gru_forward(g, state, token, inputs, likely, &moment);
}
