/* Each instant of a thread's time counts once: own times of drawn slices against a reference that
 * asks at every instant who runs and which of those it is. */
#include "base/mem.h"
#include "base/rng.h"
#include "capture/timeline_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CASES = 3000, MOST = 12, SPAN = 24 };

/* Operators before gaps; the operator that began last, of those the one that stands last; the gap
 * that ends first, of those the one that began first, then stands first. */
static const struct nadi_time_slice *who(const struct nadi_time_slice *slices, size_t count,
                                         int64_t at)
{
    const struct nadi_time_slice *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_time_slice *p = &slices[i];
        if (p->kind == NADI_SLICE_WAIT || p->kind == NADI_SLICE_JOIN || p->from > at || p->to <= at)
            continue;
        const bool gap = p->kind == NADI_SLICE_GAP, best_gap = best && best->kind == NADI_SLICE_GAP;
        bool better = !best;
        if (best && gap != best_gap)
            better = best_gap;
        else if (best && gap)
            better = p->to != best->to ? p->to < best->to : p->from < best->from;
        else if (best)
            better = p->from >= best->from;
        best = better ? p : best;
    }
    return best;
}

static void each_instant_counts_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct nadi_rng r;
        struct nadi_time_slice slices[MOST] = {0}, reference[MOST];
        nadi_rng_init(&r, seed, "timeline_share");
        const size_t count = nadi_rng_below(&r, MOST + 1);
        const int64_t start = (int64_t)nadi_rng_below(&r, 3) * 1000000007;
        for (size_t i = 0; i < count; i++) {
            static const uint8_t kinds[] = {NADI_SLICE_HEAD, NADI_SLICE_GAP, NADI_SLICE_WAIT,
                                            NADI_SLICE_REST, NADI_SLICE_JOIN};
            slices[i].kind = kinds[nadi_rng_below(&r, sizeof(kinds))];
            slices[i].from = start + (int64_t)nadi_rng_below(&r, SPAN);
            slices[i].to = slices[i].from + (int64_t)nadi_rng_below(&r, SPAN / 2);
        }
        memcpy(reference, slices, sizeof(reference));
        for (int64_t at = start; at < start + 2 * SPAN; at++) {
            const struct nadi_time_slice *p = who(reference, count, at);
            if (p)
                reference[p - reference].own++;
        }
        struct nadi_timeline t = {.slices = {slices, count, MOST}};
        nadi_timeline_share(&t);
        for (size_t i = 0; i < count; i++)
            if (slices[i].own != reference[i].own)
                fail_msg("seed %" PRIu64 ": slice %zu has %" PRId64 ", not %" PRId64, seed, i,
                         slices[i].own, reference[i].own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_instant_counts_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
