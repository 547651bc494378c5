/* Events a day and more from the median are left out, wherever they stand; the others stay in
 * order. */
#include "base/mem.h"
#include "base/rng.h"
#include "capture/kineto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CASES = 400, MOST = 20 };

#define DAY_NS INT64_C(86400000000000)

struct event {
    int64_t ts, dur;
    bool far, is_op;
};

/* A few near `base`, fewer before and behind by days; none in doubt. */
static size_t draw(struct nadi_rng *r, struct event *events)
{
    const size_t near = 1 + nadi_rng_below(r, MOST / 2);
    const int64_t base = (int64_t)nadi_rng_below(r, 3) * (INT64_C(1) << 60);
    for (size_t i = 0; i < near; i++)
        events[i] = (struct event){.ts = base + (int64_t)nadi_rng_below(r, DAY_NS / 4),
                                   .dur = (int64_t)nadi_rng_below(r, DAY_NS / 4)};
    size_t count = near;
    while (count < 2 * near - 1 && nadi_rng_below(r, 3)) {
        struct event *e = &events[count++];
        *e = (struct event){.ts = base, .far = true};
        switch (nadi_rng_below(r, 3)) {
        case 0:
            e->ts += (int64_t)(DAY_NS * 3 / 2 + nadi_rng_below(r, DAY_NS));
            break;
        case 1:
            e->ts -= (int64_t)(DAY_NS * 3 / 2 + nadi_rng_below(r, DAY_NS));
            break;
        default:
            e->dur = DAY_NS + 1 + (int64_t)nadi_rng_below(r, DAY_NS);
        }
    }
    for (size_t i = count; i-- > 1;) {
        const size_t k = nadi_rng_below(r, i + 1);
        const struct event moved = events[i];
        events[i] = events[k];
        events[k] = moved;
    }
    for (size_t i = 0; i < count; i++)
        events[i].is_op = nadi_rng_below(r, 2);
    return count;
}

static void far_events_are_left_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct nadi_rng r;
        struct event events[MOST];
        struct nadi_kineto k;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        nadi_rng_init(&r, seed, "kineto_far");
        const size_t count = draw(&r, events);
        size_t near = 0, ops = 0, external = 0, all_ops = 0, all_external = 0;
        nadi_kineto_init(&k);
        const uint32_t name = nadi_names_put_text(&k.names, "event");
        for (size_t i = 0; i < count; i++) {
            nadi_kineto_add(&k,
                            &(struct nadi_kineto_event){
                                .ts_ns = events[i].ts,
                                .dur_ns = events[i].dur,
                                .kind = events[i].is_op ? NADI_EVENT_OPERATOR : NADI_EVENT_KERNEL,
                                .rf_id = 1 + (int64_t)i,
                                .external_id = (int64_t)(i % 2),
                                .name = name,
                                .thread = NADI_NONE,
                                .detail = NADI_NONE,
                            });
            near += !events[i].far;
            ops += !events[i].far && events[i].is_op;
            external += !events[i].far && events[i].is_op && i % 2;
            all_ops += events[i].is_op;
            all_external += events[i].is_op && i % 2;
        }
        k.with_rf = all_ops;
        k.with_external = all_external;
        nadi_kineto_drop_far(&k, "profile.json", &diags);
        assert_int_equal(k.events.count, near);
        assert_int_equal(k.with_rf, ops);
        assert_int_equal(k.with_external, external);
        assert_int_equal(diags.warnings, near < count);
        size_t at = 0;
        for (size_t i = 0; i < count; i++)
            if (!events[i].far)
                assert_int_equal(k.events.items[at++].rf_id, 1 + (int64_t)i);
        nadi_kineto_release(&k);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_events_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
