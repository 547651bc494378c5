/* gru_train: back through a window of steps, and Adam. */
#include "base/mem.h"
#include "learned/gru.h"

#include <math.h>

enum {
    WINDOW = 32,
    SUMS = 8,
    FEWEST_ROUNDS = 4,
    MOST_ROUNDS = 400,
};
static const double wanted_tokens = 60000; /* looked at, where sequences are short */
static const double most_products = 4e11;  /* multiplications of a training: some minutes */
static const double enough = 0.004;        /* nats a token: it knows the sequences */
static const float most_weight = 100;

struct training {
    struct nadi_gru *g;
    struct nadi_gru_parts parts;
    float *gradient, *mean, *square; /* by weight */
    float *likely;                   /* by step of the window, then token */
    struct nadi_gru_moment moments[WINDOW];
    float states[WINDOW][NADI_GRU_MOST_HIDDEN];
    float inputs[WINDOW][NADI_GRU_MOST_INPUTS];
    uint32_t wanted[WINDOW];
    double mean_left, square_left; /* of the zeros that Adam's means began with */
};

static float dot(const float *a, const float *b, size_t count)
{
    float sums[SUMS] = {0}, sum = 0;
    size_t i = 0;
    for (; i + SUMS <= count; i += SUMS)
        for (size_t k = 0; k < SUMS; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sum += a[i] * b[i];
    for (size_t k = 0; k < SUMS; k++)
        sum += sums[k];
    return sum;
}

static void add_scaled(float *y, const float *row, float x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] += x * row[i];
}

/* From the softmax to the state; `off` is what it is off by. */
static void back_out(struct training *t, uint32_t at, float *d_state)
{
    const struct nadi_gru *g = t->g;
    const size_t symbols = g->tokens + (size_t)1;
    float *off = t->likely + at * symbols;
    off[t->wanted[at]] -= 1.0f;
    add_scaled(t->gradient + t->parts.out_bias, off, 1.0f, symbols);
    for (uint32_t i = 0; i < g->hidden; i++) {
        d_state[i] += dot(g->weights + t->parts.out + i * symbols, off, symbols);
        add_scaled(t->gradient + t->parts.out + i * symbols, off, t->states[at][i], symbols);
    }
}

/* From the state to the one before and to the weights of the gates. */
static void back_gates(struct training *t, uint32_t at, float *d_state)
{
    const struct nadi_gru *g = t->g;
    const struct nadi_gru_moment *m = &t->moments[at];
    const uint32_t h = g->hidden, gates = 3 * h;
    float in[3 * NADI_GRU_MOST_HIDDEN], back[3 * NADI_GRU_MOST_HIDDEN];
    for (uint32_t i = 0; i < h; i++) {
        const float z = m->update[i], n = m->fresh[i], r = m->reset[i];
        const float d_fresh = d_state[i] * (1.0f - z) * (1.0f - n * n);
        in[i] = back[i] = d_fresh * m->carried[i] * r * (1.0f - r);
        in[h + i] = back[h + i] = d_state[i] * (m->before[i] - n) * z * (1.0f - z);
        in[2 * h + i] = d_fresh;
        back[2 * h + i] = d_fresh * r;
        d_state[i] *= z;
    }
    add_scaled(t->gradient + t->parts.bias, in, 1.0f, gates);
    for (uint32_t i = 0; i < h; i++) {
        const size_t row = t->parts.recurrent + (size_t)i * gates;
        d_state[i] += dot(g->weights + row, back, gates);
        add_scaled(t->gradient + row, back, m->before[i], gates);
    }
    for (uint32_t i = 0; i < g->width + g->inputs; i++) {
        const size_t row = t->parts.input + (size_t)i * gates;
        if (i < g->width)
            t->gradient[t->parts.embedding + (size_t)m->token * g->width + i] +=
                dot(g->weights + row, in, gates);
        add_scaled(t->gradient + row, in, m->x[i], gates);
    }
}

static void adam(struct training *t, uint32_t count, double rate)
{
    const size_t all = t->parts.all;
    double sum = 0;
    for (size_t i = 0; i < all; i++) {
        t->gradient[i] /= (float)count;
        sum += (double)t->gradient[i] * (double)t->gradient[i];
    }
    const float shrink = sum > 1 ? (float)(1 / sqrt(sum)) : 1.0f;
    t->mean_left *= 0.9;
    t->square_left *= 0.99;
    const float step = (float)(rate * sqrt(1 - t->square_left) / (1 - t->mean_left));
    for (size_t i = 0; i < all; i++) {
        const float d = t->gradient[i] * shrink;
        t->mean[i] = 0.9f * t->mean[i] + 0.1f * d;
        t->square[i] = 0.99f * t->square[i] + 0.01f * d * d;
        const float moved = t->g->weights[i] - step * t->mean[i] / (sqrtf(t->square[i]) + 1e-8f);
        t->g->weights[i] = moved > most_weight    ? most_weight
                           : moved < -most_weight ? -most_weight
                                                  : moved;
        t->gradient[i] = 0;
    }
}

/* Tokens from..from+count-1 of a sequence, the end among them; returns their loss. */
static double look(struct training *t, const struct nadi_gru_sequence *s, uint32_t from,
                   uint32_t count, float *state)
{
    const struct nadi_gru *g = t->g;
    const size_t symbols = g->tokens + (size_t)1;
    double loss = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = from + i, plain = g->inputs - NADI_GRU_PROGRESS;
        memcpy(t->inputs[i], s->inputs, plain * sizeof(float));
        nadi_gru_progress((double)at / s->count, t->inputs[i] + plain);
        t->wanted[i] = at < s->count ? s->tokens[at] : g->tokens;
        nadi_gru_forward(g, state, at ? s->tokens[at - 1] : g->tokens, t->inputs[i],
                         t->likely + i * symbols, &t->moments[i]);
        memcpy(t->states[i], state, g->hidden * sizeof(float));
        loss -= log(fmax((double)t->likely[i * symbols + t->wanted[i]], 1e-30));
    }
    return loss;
}

static double learn(struct training *t, const struct nadi_gru_sequence *s, double rate)
{
    float state[NADI_GRU_MOST_HIDDEN] = {0};
    double loss = 0;
    for (uint32_t from = 0; from <= s->count; from += WINDOW) {
        float d_state[NADI_GRU_MOST_HIDDEN] = {0};
        const uint32_t left = s->count + 1 - from, count = left < WINDOW ? left : WINDOW;
        loss += look(t, s, from, count, state);
        for (uint32_t i = count; i-- > 0;) {
            back_out(t, i, d_state);
            back_gates(t, i, d_state);
        }
        adam(t, count, rate);
    }
    return loss;
}

static void draw_weights(struct nadi_gru *g, const struct nadi_gru_parts *p, struct nadi_rng *rng)
{
    for (size_t i = 0; i < p->all; i++) {
        const double unit = 2 * nadi_rng_unit(rng) - 1;
        const double most = i < p->input       ? 0.5
                            : i < p->recurrent ? 1 / sqrt(g->width + g->inputs)
                            : i < p->bias      ? 1 / sqrt(g->hidden)
                            : i < p->out       ? 0
                                               : 1 / sqrt(g->hidden);
        g->weights[i] = i < p->out_bias ? (float)(most * unit) : 0;
    }
}

static void shuffle(uint32_t *order, uint32_t count, struct nadi_rng *rng)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t k = (uint32_t)nadi_rng_below(rng, i), held = order[i - 1];
        order[i - 1] = order[k];
        order[k] = held;
    }
}

static void tell(const struct nadi_gru_watch *w, double share, double loss)
{
    if (w->progress)
        w->progress(w->context, w->from + (w->to - w->from) * fmin(share, 1), loss);
}

/* Rounds over all sequences: many of short ones, and of long ones what the time allows. */
static double train(struct training *t, const struct nadi_gru_sequence *sequences, uint32_t count,
                    struct nadi_rng *rng, const struct nadi_gru_watch *watch)
{
    uint32_t *order = NADI_NEW(uint32_t, count);
    double tokens = 0, seen = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        tokens += sequences[i].count + 1.0;
    }
    const double products = 3.0 * ((double)t->parts.all - (double)t->parts.input);
    const double most = most_products / products;
    double wanted = fmax(wanted_tokens, FEWEST_ROUNDS * tokens);
    wanted = fmin(fmin(wanted, MOST_ROUNDS * tokens), fmax(most, 1));
    while (seen < wanted) {
        double loss = 0, round = 0;
        shuffle(order, count, rng);
        for (uint32_t i = 0; i < count && seen < wanted; i++) {
            const double share = seen / wanted;
            const double rate = 4e-3 * (1.02 - share), own = sequences[order[i]].count + 1.0;
            const double lost = learn(t, &sequences[order[i]], rate);
            loss += lost;
            round += own;
            seen += own;
            tell(watch, seen / wanted, lost / own);
        }
        last = loss / round;
        if (last < enough)
            break;
    }
    nadi_mem_free(order);
    return last;
}

double nadi_gru_train(struct nadi_gru *g, const struct nadi_gru_sequence *sequences, uint32_t count,
                      struct nadi_rng *rng, struct nadi_arena *arena,
                      const struct nadi_gru_watch *watch)
{
    struct training *t = NADI_ZNEW(struct training, 1);
    t->g = g;
    t->mean_left = t->square_left = 1;
    t->parts = nadi_gru_parts(g);
    g->weights = NADI_ARENA_NEW(arena, float, t->parts.all);
    draw_weights(g, &t->parts, rng);
    t->gradient = NADI_ZNEW(float, t->parts.all);
    t->mean = NADI_ZNEW(float, t->parts.all);
    t->square = NADI_ZNEW(float, t->parts.all);
    t->likely = NADI_NEW(float, WINDOW *(g->tokens + (size_t)1));
    const double loss = train(t, sequences, count, rng, watch);
    nadi_mem_free(t->gradient);
    nadi_mem_free(t->mean);
    nadi_mem_free(t->square);
    nadi_mem_free(t->likely);
    nadi_mem_free(t);
    return loss;
}
