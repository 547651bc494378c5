/* pauses: counts and times of PFC, port by port and over time. */
#include "network/packet/pauses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static double sum_of(const struct nadi_pkt_pauses *p, uint32_t row)
{
    double sum = 0;
    for (uint32_t b = 0; b < NADI_USAGE_BUCKETS; b++)
        sum += p->over_time->bytes[row * NADI_USAGE_BUCKETS + b];
    return sum;
}

static void counts_from_the_first_pause_to_the_resume(void **state)
{
    struct nadi_pkt_pauses p;
    (void)state;
    nadi_pkt_pauses_init(&p, 3);
    nadi_pkt_pauses_note(&p, 1, 1000, true);
    nadi_pkt_pauses_note(&p, 1, 3000, true); /* again: paused all the same */
    nadi_pkt_pauses_note(&p, 1, 6000, false);
    nadi_pkt_pauses_note(&p, 1, 7000, false); /* nothing to end */
    nadi_pkt_pauses_note(&p, 2, 500, true);
    nadi_pkt_pauses_note(&p, 2, 500, false);
    assert_int_equal(p.ports[0].count, 0);
    assert_int_equal(p.ports[1].count, 2);
    assert_int_equal(p.ports[1].paused, 5000);
    assert_int_equal(p.ports[2].count, 1);
    assert_int_equal(p.ports[2].paused, 0);
    nadi_pkt_pauses_release(&p);
}

static void settles_what_has_not_ended(void **state)
{
    struct nadi_pkt_pauses p;
    (void)state;
    nadi_pkt_pauses_init(&p, 2);
    nadi_pkt_pauses_note(&p, 0, 2000, true);
    nadi_pkt_pauses_settle(&p, 10000);
    nadi_pkt_pauses_settle(&p, 10000);
    assert_int_equal(p.ports[0].paused, 8000);
    nadi_pkt_pauses_note(&p, 0, 12000, false);
    assert_int_equal(p.ports[0].paused, 10000);
    assert_int_equal(p.ports[1].paused, 0);
    nadi_pkt_pauses_release(&p);
}

/* However far the time goes, what the spans hold is what the ports add up to. */
static void spans_add_up_to_the_ports(void **state)
{
    struct nadi_pkt_pauses p;
    nadi_time now = 0, paused = 0;
    uint64_t frames = 0;
    (void)state;
    nadi_pkt_pauses_init(&p, 8);
    for (uint32_t i = 0; i < 5000; i++) {
        now += 37 * (i % 1013) + (i % 1000 == 999 ? 1000000000 : 1);
        nadi_pkt_pauses_note(&p, i % 8, now, i / 8 % 3 != 2);
    }
    nadi_pkt_pauses_settle(&p, now + 777);
    for (uint32_t i = 0; i < 8; i++) {
        paused += p.ports[i].paused;
        frames += p.ports[i].count;
    }
    assert_true(frames > 3000);
    assert_int_equal((uint64_t)sum_of(&p, NADI_PAUSE_FRAMES), frames);
    const double off = sum_of(&p, NADI_PAUSED_TIME) / (double)paused - 1;
    assert_true(off > -1e-9 && off < 1e-9);
    assert_true(p.over_time->width * NADI_USAGE_BUCKETS > now);
    nadi_pkt_pauses_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_from_the_first_pause_to_the_resume),
        cmocka_unit_test(settles_what_has_not_ended),
        cmocka_unit_test(spans_add_up_to_the_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
