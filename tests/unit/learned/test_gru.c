/* The network learns sequences: what follows from the last token, from tokens some way back, from
 * the inputs; its shares add up to 1; the same seed gives the same weights. */
#include "learned/gru.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { A, B, C, D, TOKENS };

/* B comes after A A A, then C or D as the inputs say; then the end. */
static const uint32_t with_c[] = {A, A, A, B, A, A, A, B, C};
static const uint32_t with_d[] = {A, A, A, B, A, A, A, B, D};
static const float says_c[] = {1}, says_d[] = {-1};
enum { LENGTH = sizeof(with_c) / sizeof(with_c[0]) };

static struct {
    uint32_t calls;
    double share, loss; /* of the last call */
    struct nadi_gru_watch watch;
} watched;

static void see(void *context, double share, double loss)
{
    (void)context;
    assert_true(share > watched.share && share <= watched.watch.to);
    watched.calls++;
    watched.share = share;
    watched.loss = loss;
}

static double train(struct nadi_gru *g, uint64_t seed, struct nadi_arena *arena)
{
    const struct nadi_gru_sequence sequences[] = {{with_c, LENGTH, says_c},
                                                  {with_d, LENGTH, says_d}};
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "test");
    *g = nadi_gru_sized(TOKENS, 1 + NADI_GRU_PROGRESS);
    return nadi_gru_train(g, sequences, 2, &rng, arena, &watched.watch);
}

/* The share of each token of the sequence where it stands, the least of them. */
static double least_share(const struct nadi_gru *g, const uint32_t *tokens, float says)
{
    float state[NADI_GRU_MOST_HIDDEN] = {0}, inputs[1 + NADI_GRU_PROGRESS] = {says};
    float likely[TOKENS + 1];
    double least = 1;
    for (uint32_t i = 0; i <= LENGTH; i++) {
        double sum = 0;
        nadi_gru_progress((double)i / LENGTH, inputs + 1);
        nadi_gru_step(g, state, i ? tokens[i - 1] : TOKENS, inputs, likely);
        for (uint32_t t = 0; t <= TOKENS; t++)
            sum += (double)likely[t];
        assert_true(fabs(sum - 1) < 1e-4);
        least = fmin(least, (double)likely[i < LENGTH ? tokens[i] : TOKENS]);
    }
    return least;
}

static void learns(void **state)
{
    (void)state;
    struct nadi_gru g;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    watched.watch = (struct nadi_gru_watch){.progress = see, .from = 0.25, .to = 0.75};
    const double loss = train(&g, 1, &arena);
    watched.watch.progress = NULL;
    assert_true(loss < 0.02);
    assert_true(watched.calls > 100 && watched.share > 0.25 && watched.loss < 0.1);
    assert_true(least_share(&g, with_c, 1) > 0.9);
    assert_true(least_share(&g, with_d, -1) > 0.9);
    assert_true(least_share(&g, with_c, -1) < 0.1); /* the inputs are looked at */
    nadi_arena_release(&arena);
}

static void is_the_same_again(void **state)
{
    (void)state;
    struct nadi_gru a, b, c;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    (void)train(&a, 1, &arena);
    (void)train(&b, 1, &arena);
    (void)train(&c, 2, &arena);
    const size_t bytes = nadi_gru_weights(&a) * sizeof(float);
    assert_memory_equal(a.weights, b.weights, bytes);
    assert_memory_not_equal(a.weights, c.weights, bytes);
    nadi_arena_release(&arena);
}

/* What was lost at some looks at a long sequence, of which a window is a part, and at one of a
 * token beside it; the sums have a fixed order. */
enum { NOTED = 9 };
static const struct {
    uint32_t call;
    double lost;
} looks[NOTED] = {{1, 1.597836},  {2, 1.495352},  {3, 1.464012},   {8, 1.292033},  {20, 0.514343},
                  {40, 0.122480}, {60, 0.026766}, {100, 0.010857}, {142, 0.003887}};
static uint32_t looked;

static void note(void *context, double share, double loss)
{
    (void)context;
    (void)share;
    looked++;
    for (size_t i = 0; i < NOTED; i++)
        if (looked == looks[i].call)
            assert_true(fabs(loss - looks[i].lost) < 1e-5);
}

static void goes_this_way(void **state)
{
    (void)state;
    uint32_t tokens[70];
    for (uint32_t i = 0; i < 70; i++)
        tokens[i] = i * i % 7 % TOKENS;
    const struct nadi_gru_sequence sequences[] = {{tokens, 70, says_c}, {with_d + 3, 1, says_d}};
    const struct nadi_gru_watch watch = {.progress = note, .to = 1};
    struct nadi_arena arena;
    struct nadi_rng rng;
    nadi_arena_init(&arena);
    nadi_rng_init(&rng, 3, "test");
    struct nadi_gru g = nadi_gru_sized(TOKENS, 1 + NADI_GRU_PROGRESS);
    looked = 0;
    (void)nadi_gru_train(&g, sequences, 2, &rng, &arena, &watch);
    assert_int_equal(looked, looks[NOTED - 1].call); /* then it knows them */
    nadi_arena_release(&arena);
}

/* What cannot be known is looked at 400 times. */
static void gives_up(void **state)
{
    (void)state;
    const struct nadi_gru_sequence sequences[] = {{with_c + 8, 1, says_c}, {with_d + 8, 1, says_c}};
    struct nadi_arena arena;
    struct nadi_rng rng;
    nadi_arena_init(&arena);
    nadi_rng_init(&rng, 3, "test");
    watched.calls = 0;
    watched.share = 0;
    watched.watch = (struct nadi_gru_watch){.progress = see, .to = 1};
    struct nadi_gru g = nadi_gru_sized(TOKENS, 1 + NADI_GRU_PROGRESS);
    const double loss = nadi_gru_train(&g, sequences, 2, &rng, &arena, &watched.watch);
    assert_true(fabs(loss - 0.348053) < 1e-5);
    assert_int_equal(watched.calls, 800);
    assert_true(fabs(watched.share - 1) < 1e-9);
    nadi_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(learns),
                                       cmocka_unit_test(is_the_same_again),
                                       cmocka_unit_test(goes_this_way), cmocka_unit_test(gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
