/* Which events of an instant are in one order for all likes of the actor that is simulated. */
#include "engine/sequence.h"

#include <setjmp.h>

#include <cmocka.h>

enum { LINKS = 2 };

struct ring { /* actor 0 of many; `send` goes to the next one, `other` to the one before */
    struct nadi_engine *e;
    struct nadi_sequence *s;
    uint32_t kind_send, kind_come;
    uint32_t certain, uncertain;
};

static void on_come(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    (void)event;
    if (nadi_sequence_certain(r->s))
        r->certain++;
    else
        r->uncertain++;
}

/* A message to the actor `a` places on, in 10. */
static void on_send(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    nadi_sequence_aim(r->s, 0, nadi_sequence_root(r->s) - event->a, event->b);
    nadi_engine_schedule(r->e, nadi_engine_now(r->e) + 10, NADI_NONE, r->kind_come, 0, 0, 0);
}

static struct ring begin(void)
{
    struct ring r = {.e = nadi_engine_create(1), .s = nadi_sequence_create(1, LINKS)};
    nadi_engine_set_sequence(r.e, r.s);
    nadi_sequence_begin_actor(r.s, 0);
    return r;
}

static void add_kinds(struct ring *r)
{
    r->kind_send = nadi_engine_add_kind(r->e, on_send, r);
    r->kind_come = nadi_engine_add_kind(r->e, on_come, r);
}

static void end(struct ring *r)
{
    assert_false(nadi_engine_run(r->e, 1000, 1000));
    nadi_sequence_destroy(r->s);
    nadi_engine_destroy(r->e);
}

static void send_at(struct ring *r, nadi_time at, uint32_t places)
{
    nadi_engine_schedule(r->e, at, 0, r->kind_send, places, 0, 0);
}

/* Two messages of the neighbour that is one place back: first sent, first there. */
static void test_one_source(void **state)
{
    struct ring r = begin();
    (void)state;
    add_kinds(&r);
    send_at(&r, 5, 1);
    send_at(&r, 5, 1);
    end(&r);
    assert_int_equal(r.certain, 2);
    assert_int_equal(r.uncertain, 0);
}

/* One from each side: rank 0 hears of rank 1 before the last one, all others of the one before. */
static void test_two_sources(void **state)
{
    struct ring r = begin();
    (void)state;
    add_kinds(&r);
    send_at(&r, 5, 1);
    send_at(&r, 5, (uint32_t)-1);
    end(&r);
    assert_int_equal(r.certain, 0);
    assert_int_equal(r.uncertain, 2);
}

/* A step ahead of the other is ahead everywhere, though both come at one time. */
static void test_two_blocks(void **state)
{
    struct ring r = begin();
    (void)state;
    add_kinds(&r);
    send_at(&r, 5, 1);
    nadi_engine_schedule(r.e, 15, 0, r.kind_come, 0, 0, 0);
    end(&r);
    assert_int_equal(r.certain, 2);
    assert_int_equal(r.uncertain, 0);
}

/* From elsewhere for each like: in no known order with anything of its block. */
static void test_scattered(void **state)
{
    struct ring r = begin();
    (void)state;
    add_kinds(&r);
    nadi_engine_schedule(r.e, 5, 0, r.kind_send, 1, true, 0);
    nadi_engine_schedule(r.e, 5, 0, r.kind_send, 1, true, 0);
    end(&r);
    assert_int_equal(r.certain, 0);
    assert_int_equal(r.uncertain, 2);
}

static void on_link(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    nadi_sequence_touch(r->s, event->a, event->b);
}

/* Links are met by messages of one root, or not at one instant. */
static void test_links(void **state)
{
    static const struct {
        nadi_time second_at;
        uint32_t second_link, second_root;
        bool known;
    } cases[] = {{5, 0, 0, true}, {5, 1, 1, true}, {6, 0, 1, true}, {5, 0, 1, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ring r = begin();
        const uint32_t kind = nadi_engine_add_kind(r.e, on_link, &r);
        nadi_engine_schedule(r.e, 5, NADI_NONE, kind, 0, 0, 0);
        nadi_engine_schedule(r.e, cases[i].second_at, NADI_NONE, kind, cases[i].second_link,
                             cases[i].second_root, 0);
        assert_false(nadi_engine_run(r.e, 1000, 1000));
        assert_int_equal(nadi_sequence_undecided(r.s) == NULL, cases[i].known);
        end(&r);
    }
}

/* Two that one event schedules keep their order, unless it might be another one that does. */
static void on_two(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    if (event->a)
        nadi_sequence_scatter(r->s);
    for (int i = 0; i < 2; i++)
        nadi_engine_schedule(r->e, nadi_engine_now(r->e) + 10, 0, r->kind_come, 0, 0, 0);
}

static void test_scatter(void **state)
{
    (void)state;
    for (uint32_t scatters = 0; scatters < 2; scatters++) {
        struct ring r = begin();
        add_kinds(&r);
        nadi_engine_schedule(r.e, 5, 0, nadi_engine_add_kind(r.e, on_two, &r), scatters, 0, 0);
        end(&r);
        assert_int_equal(r.certain, scatters ? 0 : 2);
        assert_int_equal(r.uncertain, scatters ? 2 : 0);
    }
}

/* An event of actor 0 tells actor 1, from which its root is seen at `a`. */
static void on_turn(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    nadi_sequence_turn(r->s, 1, event->a);
    on_come(r, event);
    nadi_sequence_turn_back(r->s);
}

/* At 20: such an event, or one of actor 1 itself. */
static void on_plan(void *context, const struct nadi_event *event)
{
    struct ring *r = context;
    const bool turns = event->a;
    nadi_sequence_aim(r->s, turns ? 0 : 1, turns ? 0 : event->b, false);
    nadi_engine_schedule(r->e, 20, NADI_NONE, turns ? event->c : r->kind_come, event->b, 0, 0);
}

/* What happens to actor 1 at 20 was scheduled at several times: in an order that is known, unless
 * two were at one time and their roots are seen elsewhere. */
static void test_turns(void **state)
{
    enum { MOST = 4 };
    static const struct {
        struct {
            nadi_time at; /* 0: none */
            bool turns;
            uint32_t root;
        } plans[MOST];
        bool known;
        uint32_t uncertain;
    } cases[] = {
        {{{5, true, 1}}, true, 0},
        {{{5, false, 0}, {7, true, 1}}, true, 0},
        {{{5, true, 1}, {7, false, 0}}, true, 0},
        {{{5, true, 1}, {5, false, 1}}, true, 0},
        {{{5, true, 1}, {5, false, 0}}, false, 0},
        {{{5, false, 0}, {5, true, 1}}, false, 0},
        {{{5, true, 1}, {5, true, 0}}, false, 0},
        {{{5, true, 1}, {7, true, 0}}, true, 0},
        {{{5, false, 0}, {7, true, 1}, {9, false, 2}}, true, 0},
        {{{5, false, 0}, {7, false, 2}, {7, true, 1}, {9, false, 0}}, false, 0},
        {{{5, false, 0}, {7, true, 1}, {7, true, 2}, {9, false, 0}}, false, 0},
        {{{5, true, 1}, {7, true, 1}, {8, false, 3}, {9, false, 0}}, true, 0},
        {{{5, true, 0}, {7, false, 1}, {7, false, 2}, {9, true, 0}}, true, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ring r = {.e = nadi_engine_create(2), .s = nadi_sequence_create(2, LINKS)};
        nadi_engine_set_sequence(r.e, r.s);
        nadi_sequence_begin_actor(r.s, 0);
        add_kinds(&r);
        const uint32_t kind = nadi_engine_add_kind(r.e, on_plan, &r);
        const uint32_t turn = nadi_engine_add_kind(r.e, on_turn, &r);
        for (size_t k = 0; k < MOST && cases[i].plans[k].at; k++)
            nadi_engine_schedule(r.e, cases[i].plans[k].at, 0, kind, cases[i].plans[k].turns,
                                 cases[i].plans[k].root, turn);
        assert_false(nadi_engine_run(r.e, 1000, 1000));
        assert_int_equal(nadi_sequence_undecided(r.s) == NULL, cases[i].known);
        assert_int_equal(r.uncertain, cases[i].uncertain);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_source), cmocka_unit_test(test_two_sources),
        cmocka_unit_test(test_two_blocks), cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_links),      cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
