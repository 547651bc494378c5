/* The packet model's event queue against a sorted list: (time, number or scheduling order). */
#include "base/mem.h"
#include "base/rng.h"
#include "network/packet/wheel.h"
#include "support/between.h"

#include <setjmp.h>

#include <cmocka.h>

enum { EVENTS = 4000 };

struct due {
    nadi_time at;
    uint32_t event, order;
    bool pending;
};

/* Is x due before y? Events below `ordered` by number, the others behind them. */
static bool before(const struct due *x, const struct due *y, uint32_t ordered)
{
    if (x->at != y->at)
        return x->at < y->at;
    if (x->event < ordered || y->event < ordered)
        return x->event < y->event;
    return x->order < y->order;
}

static uint32_t earliest(const struct due *due, uint32_t count, uint32_t ordered)
{
    uint32_t best = NADI_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (due[i].pending && (best == NADI_NONE || before(&due[i], &due[best], ordered)))
            best = i;
    return best;
}

/* Delays of a few ticks, of about a slot, of the whole wheel and far beyond it. */
static nadi_time delay(struct nadi_rng *rng, uint32_t shift)
{
    static const int64_t most[] = {0, 3, 70, 5000, 1000000};
    return rng_between(rng, 0, most[nadi_rng_below(rng, 5)]) << nadi_rng_below(rng, shift + 1);
}

/* All that is pending, in order; put back into an emptied wheel it is what it was. */
static void list_and_restart(struct nadi_pkt_wheel *w, const struct due *due, uint32_t count)
{
    struct nadi_pkt_pending list = {0};
    uint32_t pending = 0;
    for (uint32_t i = 0; i < count; i++)
        pending += due[i].pending;
    nadi_pkt_wheel_list(w, &list);
    nadi_pkt_pending_sort(&list);
    assert_int_equal(list.count, pending);
    nadi_pkt_wheel_restart(w, w->now);
    assert_true(nadi_pkt_wheel_next_time(w) == NADI_TIME_MAX);
    for (size_t i = 0; i < list.count; i++) {
        const struct nadi_pkt_late *x = &list.items[i];
        if (i > 0)
            assert_true(x[-1].at <= x->at);
        nadi_pkt_wheel_add(w, x->at, x->event);
    }
    nadi_mem_free(list.items);
}

/* Many at once: some of one time, as in a network that runs in step. */
static void order_of(uint32_t shift, uint32_t ordered, uint64_t seed)
{
    static struct due due[EVENTS];
    struct nadi_pkt_wheel w;
    struct nadi_rng rng;
    uint32_t used = 0;
    nadi_rng_init(&rng, seed, "wheel");
    nadi_pkt_wheel_init(&w, shift, (nadi_time)128 << shift, ordered);
    for (;;) {
        const uint32_t many = nadi_rng_below(&rng, 100) ? 4 : 200;
        const uint32_t more = used < EVENTS ? (uint32_t)nadi_rng_below(&rng, many) : 0;
        const nadi_time same = delay(&rng, shift);
        for (uint32_t i = 0; i < more && used < EVENTS; i++, used++) {
            const bool together = many > 4 && nadi_rng_below(&rng, 2);
            due[used] = (struct due){w.now + (together ? same : delay(&rng, shift)),
                                     used * 1201 % EVENTS, used, true};
            nadi_pkt_wheel_add(&w, due[used].at, due[used].event);
        }
        if (nadi_rng_below(&rng, 64) == 0)
            list_and_restart(&w, due, used);
        const uint32_t want = earliest(due, used, ordered);
        if (want == NADI_NONE && used == EVENTS)
            break;
        assert_true(nadi_pkt_wheel_next_time(&w) ==
                    (want == NADI_NONE ? NADI_TIME_MAX : due[want].at));
        if (want != NADI_NONE)
            assert_int_equal(nadi_pkt_wheel_take(&w, due[want].at - 1), NADI_NONE);
        assert_int_equal(nadi_pkt_wheel_take(&w, NADI_TIME_MAX - 1),
                         want == NADI_NONE ? NADI_NONE : due[want].event);
        if (want == NADI_NONE)
            continue;
        assert_true(w.now == due[want].at);
        due[want].pending = false;
    }
    nadi_pkt_wheel_release(&w);
}

static void whole_ticks(void **state)
{
    (void)state;
    order_of(0, 0, 1);
    order_of(0, 0, 2);
}

static void wide_slots(void **state)
{
    (void)state;
    order_of(7, 0, 3);
    order_of(10, 0, 4);
}

static void by_number(void **state)
{
    (void)state;
    order_of(0, EVENTS, 5);
    order_of(7, EVENTS / 2, 6);
    order_of(10, EVENTS, 7);
    order_of(10, EVENTS / 4, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_ticks),
        cmocka_unit_test(wide_slots),
        cmocka_unit_test(by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
