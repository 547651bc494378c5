/* Laws of figures: which features are meant. */
#include "learned/law.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { FEATURES = 4, MOST = 16 };

static const enum nadi_feature_kind kinds[FEATURES] = {NADI_FEATURE_LABEL, NADI_FEATURE_LABEL,
                                                       NADI_FEATURE_SQUARE, NADI_FEATURE_SIZE};
static const uint8_t order[FEATURES] = {0, 1, 2, 3};

struct table {
    const double *rows[MOST];
    double values[MOST];
    uint32_t count;
};

static struct nadi_law fit(const struct table *t, double same, struct nadi_arena *arena)
{
    struct nadi_law law;
    const struct nadi_law_samples s = {.kinds = kinds,
                                       .order = order,
                                       .order_count = FEATURES,
                                       .trusted_count = FEATURES,
                                       .count = t->count,
                                       .features = t->rows,
                                       .values = t->values,
                                       .same = same};
    nadi_law_fit(&law, &s, NADI_TARGET_POSITIVE, arena);
    return law;
}

/* Times of one kernel by tokens, micro-batch, sequence, dp: tokens and sequence say them in fewer
 * places than tokens and dp, so where only dp is new the time is known. */
static void fewest_places_say(void **state)
{
    (void)state;
    static const double rows[][FEATURES] = {
        {1024, 2, 512, 8}, {512, 2, 256, 8}, {512, 2, 256, 4}, {1024, 4, 256, 4},
        {2048, 4, 512, 8}, {256, 1, 256, 8}, {256, 1, 256, 4}, {512, 2, 256, 2},
    };
    static const double times[] = {403883, 264218, 264218, 397547, 693832, 192387, 192387, 264218};
    static const double other[FEATURES] = {1024, 4, 256, 2};
    struct table t = {.count = sizeof(rows) / sizeof(rows[0])};
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    for (uint32_t i = 0; i < t.count; i++) {
        t.rows[i] = rows[i];
        t.values[i] = times[i];
    }
    const struct nadi_law law = fit(&t, 1.5, &arena);
    assert_true(fabs(nadi_law_value(&law, other) - 397547) < 1.5);
    nadi_arena_release(&arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewest_places_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
