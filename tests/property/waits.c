/* Queues that wait for each other: the counters and heaps of collective/waits.h give the queues out
 * in the order in which sweeps over all queues, again and again until nothing moves, would find
 * them. */
#include "collective/waits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "collective/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_QUEUES = 24, MOST_STEPS = 9, CASES = 4000, MANY_QUEUES = 3000, MANY_STEPS = 12 };

struct step {
    int wait_queue;
    uint32_t wait_steps;
    bool at_once; /* ends as soon as it has begun */
};

struct plan {
    uint32_t queues, steps[MOST_QUEUES];
    struct step step[MOST_QUEUES][MOST_STEPS];
};

struct member {
    const struct plan *plan;
    struct nadi_waits *waits; /* NULL: by sweeps */
    uint32_t at[MOST_QUEUES];
    bool begun[MOST_QUEUES];
    uint32_t log[2 * MOST_QUEUES * MOST_STEPS], logged; /* of steps that began and ended */
};

static struct plan draw(struct nadi_rng *r)
{
    struct plan p = {.queues = 1 + (uint32_t)nadi_rng_below(r, MOST_QUEUES)};
    const uint64_t chance = nadi_rng_below(r, 4);
    for (uint32_t l = 0; l < p.queues; l++) {
        p.steps[l] = (uint32_t)nadi_rng_below(r, MOST_STEPS + 1);
        for (uint32_t k = 0; k < p.steps[l]; k++) {
            struct step *s = &p.step[l][k];
            s->at_once = nadi_rng_below(r, 3) < chance;
            s->wait_queue =
                nadi_rng_below(r, 2) ? NADI_ALL_QUEUES : (int)nadi_rng_below(r, p.queues + 1);
            s->wait_steps = (uint32_t)nadi_rng_below(
                r, nadi_rng_below(r, 8)
                       ? (s->wait_queue == NADI_ALL_QUEUES ? k : MOST_STEPS / 2) + 1
                       : MOST_STEPS + 3);
        }
    }
    return p;
}

static bool must_wait_by_sweep(const struct member *m, const struct step *s)
{
    for (uint32_t l = 0; l < m->plan->queues; l++) {
        const bool meant = s->wait_queue == NADI_ALL_QUEUES || (uint32_t)s->wait_queue == l;
        if (meant && m->at[l] < m->plan->steps[l] && m->at[l] < s->wait_steps)
            return true;
    }
    return false;
}

static void note(struct member *m, uint32_t queue, bool begins)
{
    assert_true(m->logged < 2 * MOST_QUEUES * MOST_STEPS);
    m->log[m->logged++] = (queue * MOST_STEPS + m->at[queue]) * 2 + begins;
}

static void end_step(struct member *m, uint32_t queue)
{
    note(m, queue, false);
    m->begun[queue] = false;
    m->at[queue]++;
    if (m->waits)
        nadi_waits_ended(m->waits, queue);
}

/* Goes on with a queue as far as it can. True: a step has ended. */
static bool advance(struct member *m, uint32_t queue)
{
    bool ended = false;
    while (!m->begun[queue] && m->at[queue] < m->plan->steps[queue]) {
        const struct step *s = &m->plan->step[queue][m->at[queue]];
        if (m->waits ? nadi_waits_must(m->waits, queue, s->wait_queue, s->wait_steps)
                     : must_wait_by_sweep(m, s))
            break;
        note(m, queue, true);
        m->begun[queue] = true;
        if (!s->at_once)
            break;
        end_step(m, queue);
        ended = true;
    }
    return ended;
}

static void sweep(struct member *m)
{
    uint32_t queue;
    if (m->waits) {
        while ((queue = nadi_waits_next(m->waits)) != NADI_NONE)
            (void)advance(m, queue);
        return;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t l = 0; l < m->plan->queues; l++)
            moved |= advance(m, l);
    }
}

static uint32_t least_far(const struct member *m)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t l = 0; l < m->plan->queues; l++)
        if (m->at[l] < m->plan->steps[l] && m->at[l] < lowest)
            lowest = m->at[l];
    return lowest;
}

/* Runs the member; steps that have begun end in an order that the seed says. Returns how many
 * queues have not ended. */
static uint32_t run(struct member *m, uint64_t seed)
{
    struct nadi_rng r;
    uint32_t left = 0;
    nadi_rng_init(&r, seed, "ends");
    for (uint32_t l = 0; l < m->plan->queues; l++)
        (void)advance(m, l);
    for (;;) {
        uint32_t begun[MOST_QUEUES], count = 0;
        sweep(m);
        if (m->waits)
            assert_int_equal(nadi_waits_lowest(m->waits), least_far(m));
        for (uint32_t l = 0; l < m->plan->queues; l++)
            if (m->begun[l])
                begun[count++] = l;
        if (count == 0)
            break;
        const uint32_t queue = begun[nadi_rng_below(&r, count)];
        end_step(m, queue);
        (void)advance(m, queue);
    }
    for (uint32_t l = 0; l < m->plan->queues; l++)
        left += m->at[l] < m->plan->steps[l];
    return left;
}

static void as_by_sweeps(void **state)
{
    struct nadi_rng r;
    uint32_t stuck = 0, whole = 0;
    (void)state;
    nadi_rng_init(&r, 1, "waits");
    for (uint64_t i = 0; i < CASES; i++) {
        const struct plan p = draw(&r);
        struct member slow = {.plan = &p}, fast = {.plan = &p};
        fast.waits = nadi_waits_create(p.queues);
        for (uint32_t l = 0; l < p.queues; l++)
            nadi_waits_set(fast.waits, l, 0, p.steps[l]);
        const uint32_t left = run(&slow, i);
        assert_int_equal(run(&fast, i), left);
        assert_int_equal(slow.logged, fast.logged);
        assert_memory_equal(slow.log, fast.log, slow.logged * sizeof(slow.log[0]));
        *(left > 0 ? &stuck : &whole) += 1;
        nadi_waits_destroy(fast.waits);
    }
    assert_true(stuck > CASES / 50 && whole > CASES / 50); /* both kinds were drawn */
}

/* Counters that were made half-way, as the message executor does. */
static void from_half_way(void **state)
{
    struct nadi_waits *w = nadi_waits_create(3);
    (void)state;
    nadi_waits_set(w, 0, 2, 5);
    nadi_waits_set(w, 1, 3, 3);
    nadi_waits_set(w, 2, 4, 6);
    assert_int_equal(nadi_waits_lowest(w), 2);
    assert_false(nadi_waits_must(w, 2, NADI_ALL_QUEUES, 2));
    assert_true(nadi_waits_must(w, 2, NADI_ALL_QUEUES, 4));
    assert_false(nadi_waits_must(w, 0, 1, 9)); /* it has ended */
    nadi_waits_ended(w, 0);
    assert_int_equal(nadi_waits_next(w), NADI_NONE);
    nadi_waits_ended(w, 0);
    assert_int_equal(nadi_waits_next(w), 2);
    assert_int_equal(nadi_waits_next(w), NADI_NONE);
    nadi_waits_wake_all(w);
    for (uint32_t l = 0; l < 3; l++)
        assert_int_equal(nadi_waits_next(w), l);
    assert_int_equal(nadi_waits_next(w), NADI_NONE);
    nadi_waits_destroy(w);
}

/* Thousands of queues that all wait for all, step after step: were it not O(1) a step, this would
 * be 10^8 looks at a queue. */
static void many_queues(void **state)
{
    struct nadi_waits *w = nadi_waits_create(MANY_QUEUES);
    uint32_t woken = 0;
    (void)state;
    for (uint32_t l = 0; l < MANY_QUEUES; l++)
        nadi_waits_set(w, l, 0, MANY_STEPS);
    for (uint32_t k = 1; k < MANY_STEPS; k++) {
        for (uint32_t l = 0; l < MANY_QUEUES; l++) {
            nadi_waits_ended(w, l);
            assert_int_equal(nadi_waits_must(w, l, NADI_ALL_QUEUES, k), l + 1 < MANY_QUEUES);
        }
        for (uint32_t l = 0; l + 1 < MANY_QUEUES; l++)
            assert_int_equal(nadi_waits_next(w), l);
        woken += MANY_QUEUES - 1;
        assert_int_equal(nadi_waits_next(w), NADI_NONE);
    }
    assert_int_equal(woken, (MANY_STEPS - 1) * (MANY_QUEUES - 1));
    nadi_waits_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_sweeps),
                                       cmocka_unit_test(from_half_way),
                                       cmocka_unit_test(many_queues)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
