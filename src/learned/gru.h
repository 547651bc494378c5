/* gru: a small recurrent network that says what comes next.
 *
 * One layer of gated recurrent units over the embedding of the last token and some conditions, and
 * a softmax over the tokens; the last token is the end, and stands for the beginning as well. It is
 * trained by Adam on windows of the sequences, the state carried from window to window: one thread,
 * fixed order of all sums, so that the same sequences give the same weights on one machine. */
#ifndef NADI_LEARNED_GRU_H
#define NADI_LEARNED_GRU_H

#include "base/arena.h"
#include "base/rng.h"

enum { NADI_GRU_MOST_HIDDEN = 64, NADI_GRU_MOST_INPUTS = 64 };

struct nadi_gru {
    uint32_t tokens; /* without the end */
    uint32_t width;  /* of an embedding */
    uint32_t hidden, inputs;
    float *weights; /* nadi_gru_weights() of them */
};

struct nadi_gru_sequence {
    const uint32_t *tokens;
    uint32_t count;
    const float *inputs; /* of the whole sequence: all but the NADI_GRU_PROGRESS last */
};

enum { NADI_GRU_PROGRESS = 7 }; /* inputs that say how far a sequence is */

size_t nadi_gru_weights(const struct nadi_gru *g);
/* Sizes for so many tokens; weights are NULL. inputs: with those of the progress. */
struct nadi_gru nadi_gru_sized(uint32_t tokens, uint32_t inputs);

struct nadi_gru_watch { /* told how far a training is; it may end before its share is 1 */
    /* loss: of the sequence that was looked at last, nats a token. May be NULL. */
    void (*progress)(void *context, double share, double loss);
    void *context;
    double from, to; /* shares of the whole work that it begins and ends at */
};

/* Draws the weights, in the arena, and trains them. Returns the loss of the last round, in nats a
 * token. */
double nadi_gru_train(struct nadi_gru *g, const struct nadi_gru_sequence *sequences, uint32_t count,
                      struct nadi_rng *rng, struct nadi_arena *arena,
                      const struct nadi_gru_watch *watch);

/* share: of the sequence that lies behind, about. */
void nadi_gru_progress(double share, float out[NADI_GRU_PROGRESS]);
/* Takes `token` and says how likely each one is next: tokens + 1 shares. state: hidden values, 0 at
 * the beginning. */
void nadi_gru_step(const struct nadi_gru *g, float *state, uint32_t token, const float *inputs,
                   float *likely);

/* Private: gru_train.c. Where the parts of the weights begin. */
struct nadi_gru_parts {
    size_t embedding, input, recurrent, bias, out, out_bias, all;
};
struct nadi_gru_parts nadi_gru_parts(const struct nadi_gru *g);

struct nadi_gru_moment { /* what a step leaves for the way back */
    const float *inputs;
    uint32_t token;
    float x[NADI_GRU_MOST_INPUTS + 32], before[NADI_GRU_MOST_HIDDEN];
    float reset[NADI_GRU_MOST_HIDDEN], update[NADI_GRU_MOST_HIDDEN], fresh[NADI_GRU_MOST_HIDDEN];
    float carried[NADI_GRU_MOST_HIDDEN]; /* of the state, before the reset */
};
void nadi_gru_forward(const struct nadi_gru *g, float *state, uint32_t token, const float *inputs,
                      float *likely, struct nadi_gru_moment *moment);

#endif
