/* Fred switches: every set of disjoint flows of few ports and random ones of many, routed and
 * simulated on data; conflicts against a router that tries all colourings; counts; text. */
#include "base/rng.h"
#include "fabric/flows_text.h"
#include "fabric/phases.h"
#include "fabric/route.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { MOST = 64, MOST_EXHAUSTED = 5 };
#else
enum { MOST = 64, MOST_EXHAUSTED = 6 };
#endif

/* A set by port: the flow that enters and the one that leaves there; NADI_NONE. */
struct drawn {
    uint32_t ports, count, in[MOST], out[MOST];
};

struct flat { /* the same as lists */
    uint32_t in[MOST][MOST], out[MOST][MOST];
    struct nadi_fred_flow flows[MOST];
    struct nadi_fred_set set;
};

static void flatten(const struct drawn *d, struct flat *f)
{
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t ins = 0, outs = 0;
        for (uint32_t p = 0; p < d->ports; p++) {
            if (d->in[p] == i)
                f->in[i][ins++] = p;
            if (d->out[p] == i)
                f->out[i][outs++] = p;
        }
        f->flows[i] = (struct nadi_fred_flow){f->in[i], f->out[i], ins, outs};
    }
    f->set = (struct nadi_fred_set){f->flows, d->count};
}

/* ---- an independent router ------------------------------------------------------------------ */

static bool naive(uint32_t m, const struct drawn *d);

static bool naive_colours(uint32_t m, const struct drawn *d, uint32_t *colour, uint32_t at)
{
    if (at < d->count) {
        for (colour[at] = 0; colour[at] < m; colour[at]++)
            if (naive_colours(m, d, colour, at + 1))
                return true;
        return false;
    }
    for (uint32_t i = 0; i + 1 < d->ports; i += 2)
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t *of = side ? d->out : d->in;
            if (of[i] != NADI_NONE && of[i + 1] != NADI_NONE && of[i] != of[i + 1] &&
                colour[of[i]] == colour[of[i + 1]])
                return false;
        }
    for (uint32_t k = 0; k < m; k++) {
        struct drawn inner = {.ports = d->ports / 2 + d->ports % 2};
        uint32_t number[MOST];
        for (uint32_t i = 0; i < d->count; i++)
            number[i] = colour[i] == k ? inner.count++ : NADI_NONE;
        for (uint32_t i = 0; i < inner.ports; i++)
            inner.in[i] = inner.out[i] = NADI_NONE;
        for (uint32_t p = 0; p < d->ports; p++) {
            if (d->in[p] != NADI_NONE && number[d->in[p]] != NADI_NONE)
                inner.in[p / 2] = number[d->in[p]];
            if (d->out[p] != NADI_NONE && number[d->out[p]] != NADI_NONE)
                inner.out[p / 2] = number[d->out[p]];
        }
        if (!naive(m, &inner))
            return false;
    }
    return true;
}

static bool naive(uint32_t m, const struct drawn *d)
{
    uint32_t colour[MOST];
    return d->ports <= 3 || naive_colours(m, d, colour, 0);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static struct flat flat;

/* Routes, simulates where it routes, and returns the verdict. */
static enum nadi_fred_verdict try(struct nadi_fred *f, const struct drawn *d)
{
    uint32_t where = 0;
    flatten(d, &flat);
    const enum nadi_fred_verdict v = nadi_fred_route(f, &flat.set, NADI_FRED_STEPS, NULL);
    if (v == NADI_FRED_ROUTED) {
        const enum nadi_fred_fault fault = nadi_fred_simulate(f, &flat.set, &where);
        if (fault)
            fail_msg("Fred_%u(%u): fault %d at %u", f->middle, f->ports, fault, where);
    }
    return v;
}

struct count {
    uint64_t sets, conflicts;
};

/* Every set of flows: each port of each side is in no flow or in one of `most`; flows are numbered
 * by their first inputs, and have inputs and outputs. */
static void all_sets(struct nadi_fred *f, struct drawn *d, uint32_t at, uint32_t used,
                     struct count *c)
{
    const uint32_t ports = f->ports;
    if (at < 2 * ports) {
        const bool in = at < ports;
        uint32_t *slot = in ? &d->in[at] : &d->out[at - ports];
        const uint32_t most = in ? used + 1 : used;
        *slot = NADI_NONE;
        all_sets(f, d, at + 1, used, c);
        for (uint32_t flow = 0; flow < most; flow++) {
            *slot = flow;
            all_sets(f, d, at + 1, in && flow == used ? used + 1 : used, c);
        }
        return;
    }
    uint32_t seen = 0;
    for (uint32_t p = 0; p < ports; p++)
        if (d->out[p] != NADI_NONE)
            seen |= UINT32_C(1) << d->out[p];
    if (used == 0 || seen != (UINT32_C(1) << used) - 1)
        return;
    d->count = used;
    c->sets++;
    const enum nadi_fred_verdict v = try(f, d);
    assert_int_not_equal(v, NADI_FRED_UNDECIDED);
    c->conflicts += v == NADI_FRED_CONFLICT;
    /* the other router is slow: every 7th set of 6 ports */
    if (ports < 6 || c->sets % 7 == 0)
        assert_int_equal(v == NADI_FRED_ROUTED, naive(f->middle, d));
}

static void test_few_ports(void **state)
{
    (void)state;
    /* of n ports: the sum over k of k! S(n + 1, k + 1)^2, S Stirling's numbers */
    static const uint64_t sets[] = {0, 0, 11, 127, 2099, 48031, 1444211};
    for (uint32_t m = 1; m <= 3; m++)
        for (uint32_t ports = 2; ports <= MOST_EXHAUSTED && (m > 1 || ports <= 5); ports++) {
            struct nadi_fred f;
            struct drawn d = {.ports = ports};
            struct count c = {0};
            nadi_fred_init(&f, ports, m);
            all_sets(&f, &d, 0, 0, &c);
            nadi_fred_release(&f);
            assert_int_equal(c.sets, sets[ports]);
            if (ports <= 3)
                assert_int_equal(c.conflicts, 0);
            else if (m == 1)
                assert_true(c.conflicts > 0);
        }
}

/* Ports into flows at random, of any inputs and outputs. */
static void draw(struct drawn *d, uint32_t ports, struct nadi_rng *rng)
{
    const uint32_t most = 1 + (uint32_t)nadi_rng_below(rng, ports);
    uint32_t has[2][MOST] = {{0}}, number[MOST];
    d->ports = ports;
    d->count = 0;
    for (uint32_t p = 0; p < ports; p++) {
        d->in[p] = (uint32_t)nadi_rng_below(rng, most + UINT64_C(1));
        d->out[p] = (uint32_t)nadi_rng_below(rng, most + UINT64_C(1));
        if (d->in[p] < most)
            has[0][d->in[p]] = 1;
        if (d->out[p] < most)
            has[1][d->out[p]] = 1;
    }
    for (uint32_t i = 0; i < most; i++)
        number[i] = has[0][i] && has[1][i] ? d->count++ : NADI_NONE;
    for (uint32_t p = 0; p < ports; p++) {
        d->in[p] = d->in[p] < most ? number[d->in[p]] : NADI_NONE;
        d->out[p] = d->out[p] < most ? number[d->out[p]] : NADI_NONE;
    }
}

static void test_many_ports(void **state)
{
    (void)state;
    struct nadi_rng rng;
    uint32_t routed = 0;
    nadi_rng_init(&rng, 7, "fred");
    for (uint32_t i = 0; i < 600; i++) {
        const uint32_t ports = 2 + (uint32_t)nadi_rng_below(&rng, MOST - 1), m = 2 + i % 4;
        struct drawn d;
        struct nadi_fred f;
        draw(&d, ports, &rng);
        nadi_fred_init(&f, ports, m);
        flatten(&d, &flat);
        uint32_t where;
        if (d.count > 0 && nadi_fred_route(&f, &flat.set, 20000, NULL) == NADI_FRED_ROUTED) {
            assert_int_equal(nadi_fred_simulate(&f, &flat.set, &where), NADI_FRED_FAULTLESS);
            routed++;
        }
        nadi_fred_release(&f);
    }
    assert_true(routed > 200);
}

/* Unicast permutations always route at m = 2; all-reduces of consecutive blocks too. */
static void test_always(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 3, "fred");
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t ports = 2 + (uint32_t)nadi_rng_below(&rng, MOST - 1);
        struct drawn d = {.ports = ports, .count = ports};
        struct nadi_fred f;
        nadi_fred_init(&f, ports, 2);
        for (uint32_t p = 0; p < ports; p++)
            d.in[p] = d.out[p] = p;
        for (uint32_t p = ports - 1; p > 0; p--) {
            const uint32_t k = (uint32_t)nadi_rng_below(&rng, p + UINT64_C(1)), kept = d.out[p];
            d.out[p] = d.out[k];
            d.out[k] = kept;
        }
        assert_int_equal(try(&f, &d), NADI_FRED_ROUTED);
        d.count = 0;
        for (uint32_t p = 0; p < ports; p++) {
            d.count += p == 0 || nadi_rng_below(&rng, 3) == 0;
            d.in[p] = d.out[p] = d.count - 1;
        }
        assert_int_equal(try(&f, &d), NADI_FRED_ROUTED);
        nadi_fred_release(&f);
    }
}

/* The simulator sees settings that are wrong. */
static void test_faults(void **state)
{
    (void)state;
    static const uint32_t a[] = {0, 1}, b[] = {2, 3};
    const struct nadi_fred_flow flows[] = {{a, a, 2, 2}, {b, b, 2, 2}};
    const struct nadi_fred_set set = {flows, 2};
    struct nadi_fred f;
    uint32_t where, faults = 0, wrong = 0;
    nadi_fred_init(&f, 4, 2);
    assert_int_equal(nadi_fred_route(&f, &set, NADI_FRED_STEPS, NULL), NADI_FRED_ROUTED);
    for (size_t e = 0; e < f.element_count; e++)
        for (uint32_t o = 0; o < f.elements[e].out_count; o++) {
            const uint32_t kept = f.elements[e].takes[o];
            for (uint32_t takes = 0; takes < 16; takes++) {
                f.elements[e].takes[o] = takes;
                const enum nadi_fred_fault fault = nadi_fred_simulate(&f, &set, &where);
                if (takes == kept)
                    assert_int_equal(fault, NADI_FRED_FAULTLESS);
                faults += fault == NADI_FRED_CANNOT;
                wrong += fault == NADI_FRED_WRONG;
            }
            f.elements[e].takes[o] = kept;
        }
    assert_true(faults > 0 && wrong > 0);
    nadi_fred_release(&f);
}

/* ---- strategies ------------------------------------------------------------------------------ */

struct checked {
    struct nadi_fred f;
    uint32_t phases, conflicts;
};

static bool check(void *context, const struct nadi_fred_strategy *s, enum nadi_fred_dim dim)
{
    struct checked *c = context;
    struct nadi_arena arena;
    uint32_t where;
    nadi_arena_init(&arena);
    const struct nadi_fred_set set = nadi_fred_phase(s, dim, &arena);
    const enum nadi_fred_verdict v = nadi_fred_route(&c->f, &set, NADI_FRED_STEPS, NULL);
    c->phases++;
    c->conflicts += v == NADI_FRED_CONFLICT;
    assert_int_not_equal(v, NADI_FRED_UNDECIDED);
    if (v == NADI_FRED_ROUTED)
        assert_int_equal(nadi_fred_simulate(&c->f, &set, &where), NADI_FRED_FAULTLESS);
    nadi_arena_release(&arena);
    return true;
}

static void test_strategies(void **state)
{
    (void)state;
    static const enum nadi_fred_dim order[] = {NADI_FRED_MP, NADI_FRED_PP, NADI_FRED_DP};
    static const struct {
        uint32_t ports, phases, of_two;
    } rows[] = {{8, 54, 2},    {12, 117, 12},  {16, 180, 18},   {20, 258, 33},  {24, 357, 51},
                {32, 543, 82}, {40, 768, 131}, {48, 1026, 186}, {64, 1548, 297}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        for (uint32_t m = 2; m <= (i < 4 ? 4 : 3); m++) {
            struct checked c = {.phases = 0};
            nadi_fred_init(&c.f, rows[i].ports, m);
            nadi_fred_visit(rows[i].ports, order, check, &c);
            nadi_fred_release(&c.f);
            assert_int_equal(c.phases, rows[i].phases);
            assert_int_equal(c.conflicts, m == 2 ? rows[i].of_two : 0);
        }
}

/* ---- conflicts and answers ------------------------------------------------------------------- */

static struct nadi_fred_set read_set(const char *text, uint32_t ports, struct nadi_arena *arena)
{
    struct nadi_diags diags;
    struct nadi_fred_set set;
    nadi_diags_init(&diags);
    assert_true(nadi_fred_read_flows(text, ports, &set, arena, &diags));
    nadi_diags_release(&diags);
    return set;
}

/* Three flows, each two of which share a switch, among others. */
static void test_answers(void **state)
{
    (void)state;
    struct nadi_arena arena;
    struct nadi_fred f;
    nadi_arena_init(&arena);
    nadi_fred_init(&f, 8, 2);
    const struct nadi_fred_set set = read_set("6,7>6,7; 0,2>0,2; 1,4>1,4; 3,5>3,5", 8, &arena);
    uint32_t chosen[4], round[4], place[8];
    bool least, as[4];
    assert_int_equal(nadi_fred_route(&f, &set, NADI_FRED_STEPS, NULL), NADI_FRED_CONFLICT);
    assert_int_equal(nadi_fred_smallest(&f, &set, chosen, &least), 3);
    assert_true(least && chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 3);
    assert_int_equal(nadi_fred_serialise(&f, &set, round, &least), 2);
    assert_true(least && round[0] == 0 && round[1] + round[2] + round[3] == 1);
    assert_int_equal(nadi_fred_raise(8, 2, &set), 3);
    assert_true(nadi_fred_replace(&f, &set, place));
    for (uint32_t p = 0, seen = 0; p < 8; p++) {
        assert_false(seen >> place[p] & 1);
        seen |= UINT32_C(1) << place[p];
    }
    struct nadi_fred_set made;
    uint32_t where;
    assert_true(nadi_fred_ring(&f, &set, as, &made, &arena));
    assert_true(made.count > 4 && !as[0]);
    assert_int_equal(nadi_fred_simulate(&f, &made, &where), NADI_FRED_FAULTLESS);
    nadi_fred_release(&f);
    nadi_arena_release(&arena);
}

static void test_counts(void **state)
{
    (void)state;
    for (uint32_t m = 1; m <= 5; m++) {
        uint64_t wanted = 1;
        for (uint32_t ports = 2; ports <= 256; ports *= 2) {
            struct nadi_fred_counts c;
            nadi_fred_count(ports, m, &c);
            wanted = ports == 2 ? 1 : ports + m * wanted;
            assert_int_equal(c.switches, wanted);
        }
        for (uint32_t ports = 2; ports <= 40; ports++) { /* as it is built */
            struct nadi_fred_counts c;
            struct nadi_fred f;
            uint64_t built[NADI_FRED_KINDS] = {0};
            nadi_fred_count(ports, m, &c);
            nadi_fred_init(&f, ports, m);
            for (size_t e = 0; e < f.element_count; e++)
                built[f.elements[e].kind]++;
            assert_memory_equal(built, c.kinds, sizeof(built));
            assert_int_equal(c.depth, 2 * f.levels - 1);
            nadi_fred_release(&f);
        }
    }
}

static void test_text(void **state)
{
    (void)state;
    struct nadi_arena arena;
    struct nadi_str out = NADI_STR_INIT;
    nadi_arena_init(&arena);
    const struct nadi_fred_set set = read_set(" 0 , 1>0; 3-5>7,6,4-5 ;", 8, &arena);
    assert_int_equal(set.count, 2);
    nadi_fred_write_flow(&set.items[1], &out);
    assert_string_equal(nadi_str_get(&out), "3,4,5>7,6,4,5");
    nadi_str_release(&out);
    nadi_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_ports),  cmocka_unit_test(test_many_ports),
        cmocka_unit_test(test_always),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_strategies), cmocka_unit_test(test_answers),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
