/* Works of several streams become nodes whose replay gives every recorded start back. */
#include "frontend/profile.h"

#include "base/mem.h"
#include "base/rng.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 2000, STREAMS = 4, WORKS = 6, RANKS = 2 };

static void add(struct nadi_profile *p, uint32_t rank, uint32_t stream, int64_t start, uint64_t ns)
{
    const struct nadi_front_work w = {
        .node = {.name = "work", .ns = ns}, .start_ns = start, .rank = rank, .stream = stream};
    NADI_PUSH(&p->works, w);
}

/* Starts of the rank's works, from its first one on, in the order of their nodes: each node when
 * what it waits for has ended, and nothing else holds it up. Returns how many nodes are gaps. */
static size_t replay(const struct nadi_front_rank *r, uint64_t *starts, size_t *count)
{
    uint64_t *end = NADI_ZNEW(uint64_t, r->nodes.count + 1);
    size_t gaps = 0;
    *count = 0;
    for (size_t i = 0; i < r->nodes.count; i++) {
        const struct nadi_front_node *n = &r->nodes.items[i];
        const size_t last = i + 1 < r->starts.count ? r->starts.items[i + 1] : r->deps.count;
        uint64_t start = 0;
        for (size_t d = r->starts.items[i]; d < last; d++)
            start = end[r->deps.items[d]] > start ? end[r->deps.items[d]] : start;
        end[i + 1] = start + n->ns;
        if (strcmp(n->name, "gap") == 0)
            gaps++;
        else
            starts[(*count)++] = start;
    }
    nadi_mem_free(end);
    return gaps;
}

/* Finishes the profile and compares with the recorded starts, which finishing has sorted. */
static size_t check(struct nadi_profile *p)
{
    struct nadi_front_job job;
    size_t at = 0, gaps = 0;
    nadi_front_init(&job, RANKS);
    nadi_profile_finish(p, &job);
    assert_true(job.concurrent);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        uint64_t starts[STREAMS * WORKS];
        size_t count;
        gaps += replay(&job.ranks[rank], starts, &count);
        const int64_t first = p->works.items[at].start_ns;
        for (size_t i = 0; i < count; i++, at++) {
            assert_int_equal(p->works.items[at].rank, rank);
            assert_int_equal(starts[i], p->works.items[at].start_ns - first);
        }
    }
    assert_int_equal(at, p->works.count);
    nadi_front_release(&job);
    nadi_profile_release(p);
    return gaps;
}

/* The first work of a second stream, which begins while the first one's first runs. */
static void second_stream(void **state)
{
    struct nadi_profile p = {0};
    (void)state;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        add(&p, rank, 7, 1000 * rank, 10000);
        add(&p, rank, 8, 1000 * rank + 9000, 10000);
    }
    assert_int_equal(check(&p), RANKS);
}

static void any(void **state)
{
    struct nadi_rng r;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct nadi_profile p = {0};
        nadi_rng_init(&r, seed, "profile");
        for (uint32_t rank = 0; rank < RANKS; rank++)
            for (uint32_t s = 0, streams = 1 + (uint32_t)nadi_rng_below(&r, STREAMS); s < streams;
                 s++) {
                int64_t now = (int64_t)nadi_rng_below(&r, 1000) - 500;
                for (uint64_t left = 1 + nadi_rng_below(&r, WORKS); left; left--) {
                    const uint64_t ns = 1 + nadi_rng_below(&r, 300);
                    now += nadi_rng_below(&r, 2) ? (int64_t)nadi_rng_below(&r, 200) : 0;
                    add(&p, rank, s, now, ns);
                    now += (int64_t)ns;
                }
            }
        (void)check(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_stream), cmocka_unit_test(any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
