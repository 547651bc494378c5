/* Max-min fair shares of random links and demands, with changes in between: no link above its
 * capacity; every demand is at its limit or crosses a full link on which no level is higher (which
 * makes the levels max-min fair, and with positive weights unique); and equal to levels found from
 * scratch, also where the numbers of solves begin anew and where a way crosses a link twice.
 * Raising a link's capacity never lowers the lowest level. A solve looks at about as many demands
 * as change their level, not at all. */
#include "base/mem.h"
#include "base/rng.h"
#include "sharing/share_inside.h"
#include "support/pins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    MOST_LINKS = 40,
    MOST_DEMANDS = 1500,
    FEW_DEMANDS = 60,
    MOST_HOPS = 6,
    CASES = 300,
    CHANGES = 20
};

struct plan {
    uint32_t links, demands;
    double capacity[MOST_LINKS];
    double weight[MOST_DEMANDS], limit[MOST_DEMANDS];
    uint32_t hops[MOST_DEMANDS];
    uint32_t path[MOST_DEMANDS][MOST_HOPS];
};

static void draw_path(struct plan *p, struct nadi_rng *r, uint32_t d)
{
    p->hops[d] = 0;
    const uint32_t want = 1 + (uint32_t)nadi_rng_below(r, MOST_HOPS);
    for (uint32_t h = 0; h < want; h++) {
        const uint32_t link = (uint32_t)nadi_rng_below(r, p->links);
        bool there = false;
        for (uint32_t k = 0; k < p->hops[d]; k++)
            there |= p->path[d][k] == link;
        if (!there || nadi_rng_below(r, 8) == 0)
            p->path[d][p->hops[d]++] = link;
    }
}

static double draw_capacity(struct nadi_rng *r)
{
    return nadi_rng_below(r, 3) ? 10.0 * (double)(1 + nadi_rng_below(r, 4))
                                : 1 + 99 * nadi_rng_unit(r);
}

static void draw(struct plan *p, struct nadi_rng *r, uint32_t most)
{
    p->links = 1 + (uint32_t)nadi_rng_below(r, MOST_LINKS);
    p->demands = 1 + (uint32_t)nadi_rng_below(r, most);
    for (uint32_t l = 0; l < p->links; l++)
        p->capacity[l] = draw_capacity(r);
    for (uint32_t d = 0; d < p->demands; d++) {
        draw_path(p, r, d);
        p->weight[d] = nadi_rng_below(r, 2) ? 1 : 0.1 + 4 * nadi_rng_unit(r);
        p->limit[d] = nadi_rng_below(r, 4) ? (double)INFINITY : 0.5 + 10 * nadi_rng_unit(r);
    }
}

static struct nadi_share *make(const struct plan *p)
{
    struct nadi_share *s = nadi_share_create(p->links, p->capacity);
    for (uint32_t d = 0; d < p->demands; d++) {
        assert_int_equal(nadi_share_add(s), d);
        nadi_share_set_links(s, d, p->path[d], p->hops[d], p->limit[d]);
        nadi_share_set_weight(s, d, p->weight[d]);
    }
    return s;
}

static void check(const struct plan *p, const struct nadi_share *s)
{
    double used[MOST_LINKS] = {0}, highest[MOST_LINKS] = {0};
    for (uint32_t d = 0; d < p->demands; d++) {
        if (p->weight[d] <= 0)
            continue;
        const double level = nadi_share_level(s, d);
        assert_true(level > 0 && level <= p->limit[d] * (1 + 1e-12));
        for (uint32_t h = 0; h < p->hops[d]; h++) {
            used[p->path[d][h]] += level * p->weight[d];
            if (level > highest[p->path[d][h]])
                highest[p->path[d][h]] = level;
        }
    }
    for (uint32_t l = 0; l < p->links; l++)
        assert_true(used[l] <= p->capacity[l] * (1 + 1e-9));
    for (uint32_t d = 0; d < p->demands; d++) {
        if (p->weight[d] <= 0)
            continue;
        const double level = nadi_share_level(s, d);
        bool held = level >= p->limit[d] * (1 - 1e-9);
        for (uint32_t h = 0; h < p->hops[d] && !held; h++) {
            const uint32_t l = p->path[d][h];
            held = used[l] >= p->capacity[l] * (1 - 1e-9) && level >= highest[l] * (1 - 1e-9);
        }
        assert_true(held);
    }
}

/* What a link keeps of the links that its demands cross is what one finds by looking at them. */
static void check_crossings(const struct nadi_share *s)
{
    for (uint32_t l = 0; l < s->link_count; l++) {
        const struct crossings *c = s->links[l].crossings;
        double weight[MOST_LINKS] = {0};
        uint32_t members[MOST_LINKS] = {0}, found = 0, there = 0;
        if (!s->links[l].crosses)
            continue;
        for (uint32_t d = 0; d < s->demands.count; d++) {
            const struct demand *demand = &s->demands.items[d];
            for (uint32_t h = 0; demand->held_by == l && h < demand->hops; h++) {
                const uint32_t link = nadi_share_path(s, demand)[h].link;
                there += members[link]++ == 0;
                weight[link] += demand->weight;
            }
            assert_true(demand->held_by != l || demand->limit >= c->least_limit);
        }
        for (uint32_t i = 0; i < c->count; i++) {
            const struct crossing *x = &c->items[i];
            found += x->members > 0;
            assert_int_equal(x->members, members[x->link]);
            assert_true(fabs(x->weight - weight[x->link]) <= 1e-12 * weight[x->link]);
        }
        assert_int_equal(found, there);
        assert_int_equal(c->empty, c->count - found);
        assert_int_equal(c->items[0].link, l);
    }
}

static void compare(const struct plan *p, const struct nadi_share *s)
{
    const uint32_t *demands;
    struct nadi_share *fresh = make(p);
    nadi_share_solve(fresh, &demands);
    for (uint32_t d = 0; d < p->demands; d++)
        if (fabs(nadi_share_level(s, d) - nadi_share_level(fresh, d)) >
            1e-9 * nadi_share_level(fresh, d))
            fail_msg("demand %" PRIu32 ": %.17g, from scratch %.17g", d, nadi_share_level(s, d),
                     nadi_share_level(fresh, d));
    nadi_share_destroy(fresh);
}

static void change(struct plan *p, struct nadi_share *s, struct nadi_rng *r)
{
    const uint32_t d = (uint32_t)nadi_rng_below(r, p->demands);
    if (nadi_rng_below(r, 5) == 0) {
        const uint32_t l = (uint32_t)nadi_rng_below(r, p->links);
        p->capacity[l] = draw_capacity(r);
        nadi_share_set_capacity(s, l, p->capacity[l]);
        return;
    }
    p->weight[d] = p->weight[d] > 0 && nadi_rng_below(r, 3) ? 0 : 0.1 + 4 * nadi_rng_unit(r);
    nadi_share_set_weight(s, d, p->weight[d]);
    if (p->weight[d] <= 0 && nadi_rng_below(r, 2)) {
        draw_path(p, r, d);
        nadi_share_set_links(s, d, p->path[d], p->hops[d], p->limit[d]);
    }
}

static struct pins pins = PINS("share", "changes", 10);

static void test_fair(void **state)
{
    struct nadi_rng r;
    (void)state;
    nadi_rng_init(&r, 1, "share");
    for (int i = 0; i < CASES; i++) {
        struct plan p;
        const uint32_t *demands;
        draw(&p, &r, i % 50 ? FEW_DEMANDS : MOST_DEMANDS); /* few, or more than a large set has */
        struct nadi_share *s = make(&p);
        nadi_share_solve(s, &demands);
        check(&p, s);
        if (i % 2)
            s->visit = UINT32_MAX - (uint32_t)nadi_rng_below(&r, CHANGES);
        for (int k = 0; k < CHANGES; k++) {
            for (uint64_t n = nadi_rng_below(&r, 3); n-- > 0;)
                change(&p, s, &r);
            nadi_share_solve(s, &demands);
            check(&p, s);
            check_crossings(s);
            compare(&p, s);
            for (uint32_t d = 0; d < p.demands; d++)
                digest_double(&pins.digest, (double)(float)nadi_share_level(s, d));
            digest_u64(&pins.digest, s->work);
        }
        pins_case(&pins, (uint64_t)i);
        nadi_share_destroy(s);
    }
    assert_true(pins_end(&pins));
}

static double lowest(const struct plan *p)
{
    const uint32_t *demands;
    double least = (double)INFINITY;
    struct nadi_share *s = make(p);
    nadi_share_solve(s, &demands);
    for (uint32_t d = 0; d < p->demands; d++)
        if (nadi_share_level(s, d) < least)
            least = nadi_share_level(s, d);
    nadi_share_destroy(s);
    return least;
}

static void test_monotone(void **state)
{
    struct nadi_rng r;
    (void)state;
    nadi_rng_init(&r, 2, "share");
    for (int i = 0; i < CASES; i++) {
        struct plan p;
        draw(&p, &r, FEW_DEMANDS);
        const double before = lowest(&p);
        p.capacity[nadi_rng_below(&r, p.links)] *= 1 + nadi_rng_unit(&r);
        assert_true(lowest(&p) >= before * (1 - 1e-12));
    }
}

/* Demands from hosts to hosts over one of some spines leave and come back, one at a time. */
static void test_few_looks(void **state)
{
    enum { HOSTS = 64, SPINES = 16, DEMANDS = 4000, ENDS = 2000 };
    double capacity[2 * HOSTS + SPINES];
    uint64_t looks = 0, changed = 0;
    uint32_t fillings = 0;
    const uint32_t *demands;
    struct nadi_rng r;
    (void)state;
    nadi_rng_init(&r, 3, "share");
    for (uint32_t l = 0; l < 2 * HOSTS + SPINES; l++)
        capacity[l] = l < 2 * HOSTS ? 50 : 200;
    struct nadi_share *s = nadi_share_create(2 * HOSTS + SPINES, capacity);
    for (uint32_t d = 0; d < DEMANDS; d++) {
        const uint32_t path[] = {(uint32_t)nadi_rng_below(&r, HOSTS),
                                 2 * HOSTS + (uint32_t)nadi_rng_below(&r, SPINES),
                                 HOSTS + (uint32_t)nadi_rng_below(&r, HOSTS)};
        nadi_share_set_links(s, nadi_share_add(s), path, 3, (double)INFINITY);
        nadi_share_set_weight(s, d, 1);
    }
    nadi_share_solve(s, &demands);
    for (uint32_t i = 0; i < ENDS; i++) {
        const uint32_t d = (uint32_t)nadi_rng_below(&r, DEMANDS);
        nadi_share_set_weight(s, d, 0);
        changed += nadi_share_solve(s, &demands);
        looks += s->work;
        fillings += s->set.count > 0;
        nadi_share_set_weight(s, d, 1);
        changed += nadi_share_solve(s, &demands);
        looks += s->work;
        fillings += s->set.count > 0;
    }
    if (looks > 6 * changed || fillings)
        fail_msg("%" PRIu64 " looks for %" PRIu64 " changes, %" PRIu32 " fillings", looks, changed,
                 fillings);
    nadi_share_destroy(s);
}

/* Demands that come one by one, and go, over two equal links: whichever holds them keeps them. */
static void test_equal_links(void **state)
{
    enum { DEMANDS = 2000 };
    static const double capacity[] = {100, 100};
    static const uint32_t path[] = {0, 1};
    const uint32_t *links;
    uint64_t looks = 0;
    (void)state;
    struct nadi_share *s = nadi_share_create(2, capacity);
    for (uint32_t d = 0; d < DEMANDS; d++) {
        nadi_share_set_links(s, nadi_share_add(s), path, 2, (double)INFINITY);
        nadi_share_set_weight(s, d, 1);
        (void)nadi_share_find(s, &links);
        looks += s->work;
        assert_true(fabs(nadi_share_level(s, d) * (d + 1) - 100) < 1e-9);
    }
    for (uint32_t d = 0; d < DEMANDS; d++) {
        nadi_share_set_weight(s, d, 0);
        (void)nadi_share_find(s, &links);
        looks += s->work;
    }
    nadi_share_destroy(s);
    if (looks > 100 * (uint64_t)DEMANDS)
        fail_msg("%" PRIu64 " looks", looks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fair),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_few_looks),
        cmocka_unit_test(test_equal_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
