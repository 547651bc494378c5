/* prices and bill: sums by hand, the choice of parts, what is missing, what a step is worth. */
#include "cost/bill.h"

#include <math.h>
#include <setjmp.h>

#include "base/str.h"
#include "format/embedded.h"
#include "platform/graph_file.h"

#include <cmocka.h>

#include <unistd.h>

static bool open_text(struct nadi_prices *p, const char *text, struct nadi_diags *diags)
{
    char path[] = "/tmp/nadi-prices-XXXXXX.yaml";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    nadi_diags_init(diags);
    const bool ok = nadi_prices_open(p, path, diags);
    unlink(path);
    return ok;
}

static const char shop[] =
    "name: shop\n"
    "lengths: [2, 20]\n"
    "parts:\n"
    "  - {part: server, device: x1, devices: 4, nics: 2, bandwidth: 100Gbps, price: 1000, watts: "
    "400, idle-watts: 100, source: s, date: 2026-01}\n"
    "  - {part: nic, bandwidth: 100Gbps, price: 10, watts: 5, source: s}\n"
    "  - {part: switch, name: small, ports: 8, bandwidth: 100Gbps, price: 100, pj-per-bit: 10, "
    "source: s, illustrative: price}\n"
    "  - {part: switch, name: large, ports: 32, bandwidth: 100Gbps, price: 500, watts: 50, source: "
    "s}\n"
    "  - {part: cable, name: copper, bandwidth: 100Gbps, reach: 3, price: 1, watts: 0, source: s}\n"
    "  - {part: cable, name: fibre, bandwidth: 100Gbps, price: 20, watts: 2, source: s}\n"
    "  - {part: memory, name: ddr, price: 3, watts: 0.5, source: s}\n";

/* 2 leaves of 4 hosts, 2 spines: 8 NPUs in 2 servers with 4 NICs, 4 more NICs; leaves and spines
 * have 6 and 2 ports; 8 copper cables, 4 fibres. */
static void by_hand(void **state)
{
    struct nadi_prices p;
    struct nadi_diags diags;
    struct nadi_graph_file f;
    struct nadi_bill b;
    struct nadi_economy e = {.years = 1, .electricity = 0.5, .pue = 2};
    (void)state;
    assert_true(open_text(&p, shop, &diags));
    assert_true(
        nadi_graph_file_read(&f, "leaf-spine leaves=2 spines=2 hosts=4 bandwidth=100Gbps", &diags));
    const struct nadi_bill_extra ddr = {"ddr", 2e9};
    const struct nadi_bill_subject s = {
        .device = "X1", .graph = &f.graph, .npus = 8, .extras = &ddr, .extra_count = 1};
    assert_true(nadi_bill_make(&b, &s, &p, &e, &diags));
    const double price = 2 * 1000 + 8 * 2 * 3 + 4 * 10 + 4 * 100 + 8 * 1 + 4 * 20;
    /* a small switch: 2 x 8 ports x 100 Gb/s x 10 pJ/bit = 16 W */
    const double fixed = 8 * 2 * 0.5 + 4 * 5 + 4 * 16 + 4 * 2;
    assert_true(fabs(b.price - price) < 1e-9);
    assert_true(fabs(b.watts - (2 * 400 + fixed)) < 1e-9);
    assert_true(fabs(b.idle - (2 * 100 + fixed)) < 1e-9);
    assert_true(b.made_up_price);
    assert_false(b.made_up_watts);
    assert_int_equal(b.unpriced + b.unpowered, 0);
    /* half busy: 2 x (100 + 0.5 x 300) W and the rest, twice that with the facility */
    const double watts = (500 + fixed) * 2;
    assert_true(fabs(nadi_bill_power(&b, 0.5) - watts) < 1e-9);
    const struct nadi_worth w = nadi_bill_worth(&b, 36, 1000, 0.5);
    assert_true(fabs(w.joules - watts * 36) < 1e-6);
    const double dollars = (price / 8766 + watts / 1000 * 0.5) / 100;
    assert_true(fabs(w.dollars - dollars) < 1e-12);
    assert_true(fabs(w.tokens_per_dollar - 1000 / dollars) < 1e-6);
    assert_true(fabs(w.tokens_per_joule - 1000 / (watts * 36)) < 1e-12);
    nadi_bill_release(&b);
    nadi_graph_file_release(&f);
    nadi_prices_release(&p);
    nadi_diags_release(&diags);
}

/* What cannot be bought is named, and nothing that needs it has a figure. */
static void missing(void **state)
{
    struct nadi_prices p;
    struct nadi_diags diags;
    struct nadi_graph_file f;
    struct nadi_bill b;
    struct nadi_economy e;
    struct nadi_str names = NADI_STR_INIT;
    (void)state;
    nadi_economy_preset(&e);
    assert_true(open_text(&p, shop, &diags));
    assert_true(nadi_graph_file_read(&f, "leaf-spine leaves=1 spines=1 hosts=40 bandwidth=100Gbps",
                                     &diags));
    const struct nadi_bill_subject s = {.device = "x2", .graph = &f.graph, .npus = 40};
    assert_true(nadi_bill_make(&b, &s, &p, &e, &diags));
    assert_true(isnan(b.price) && isnan(b.watts) && isnan(b.idle));
    assert_true(isnan(nadi_bill_hourly(&b, 1)));
    assert_int_equal(b.unpriced, 2);
    assert_true(fabs(b.known_price - (40 * 10 + 40 * 1 + 20 + 100)) < 1e-9);
    nadi_bill_missing(&b, false, &names);
    assert_string_equal(nadi_str_get(&names), "device x2; switch (leaf): 41 ports of 12.50 GB/s");
    const struct nadi_worth w = nadi_bill_worth(&b, 1, 1, 1);
    assert_true(isnan(w.tokens_per_dollar) && isnan(w.tokens_per_joule));
    nadi_str_release(&names);
    nadi_bill_release(&b);
    const struct nadi_bill_extra hbm = {"hbm", 1};
    const struct nadi_bill_subject unknown = {
        .device = "x1", .npus = 4, .extras = &hbm, .extra_count = 1};
    assert_false(nadi_bill_make(&b, &unknown, &p, &e, &diags));
    assert_string_equal(diags.items[0].code, "cost/memory");
    nadi_bill_release(&b);
    nadi_graph_file_release(&f);
    nadi_prices_release(&p);
    nadi_diags_release(&diags);
}

/* A part that carries a link whole before several cheaper ones; several where none does. */
static void whole_links(void **state)
{
    static const char text[] =
        "parts:\n"
        "  - {part: cable, name: slow, bandwidth: 100Gbps, price: 1, watts: 1, source: s}\n"
        "  - {part: cable, name: fast, bandwidth: 400Gbps, price: 50, watts: 1, source: s}\n"
        "  - {part: cable, name: free, bandwidth: 400Gbps, watts: 1, source: s}\n";
    static const struct {
        const char *words, *part;
        uint64_t units;
    } links[] = {
        {"torus shape=4 bandwidth=100Gbps", "slow", 4},
        {"torus shape=4 bandwidth=300Gbps", "fast", 4},
        {"torus shape=4 bandwidth=500Gbps", "slow", 20},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct nadi_prices p;
        struct nadi_diags diags;
        struct nadi_graph_file f;
        struct nadi_bill b;
        const struct nadi_economy e = {1, 0, 1};
        assert_true(open_text(&p, text, &diags));
        assert_true(nadi_graph_file_read(&f, links[i].words, &diags));
        const struct nadi_bill_subject s = {.graph = &f.graph, .npus = 4};
        assert_true(nadi_bill_make(&b, &s, &p, &e, &diags));
        assert_int_equal(b.count, 1);
        assert_string_equal(b.items[0].part->name, links[i].part);
        assert_int_equal(b.items[0].units, links[i].units);
        nadi_bill_release(&b);
        nadi_graph_file_release(&f);
        nadi_prices_release(&p);
        nadi_diags_release(&diags);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text, *code;
    } wrong[] = {
        {"name: nothing\n", "prices/empty"},
        {"parts: []\n", "prices/empty"},
        {"parts: [{part: wheel, price: 1}]\n", "schema/word"},
        {"parts: [{part: device, price: 1}]\n", "prices/key"},
        {"parts: [{part: switch, bandwidth: 1, price: 1}]\n", "prices/key"},
        {"parts: [{part: nic, bandwidth: 1, ports: 2}]\n", "prices/key"},
        {"parts: [{part: nic, bandwidth: 1, price: -1}]\n", "schema/range"},
        {"parts: [{part: nic, bandwidth: 1, cost: 1}]\n", "schema/unknown-key"},
        {"parts: [{part: device, device: a, watts: 5, idle-watts: 6}]\n", "prices/idle"},
        {"tiers: {pod: {wire: 1}}\n", "prices/tier"},
        {"pod: {link: x}\n", "prices/tier"},
        {"pod: {link: 1}\ntiers: {a: 1}\n", "schema/unknown-key"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct nadi_prices p;
        struct nadi_diags diags;
        if (open_text(&p, wrong[i].text, &diags))
            fail_msg("accepted: %s", wrong[i].text);
        if (strcmp(diags.items[0].code, wrong[i].code) != 0)
            fail_msg("%s: %s", wrong[i].text, diags.items[0].code);
        nadi_prices_release(&p);
        nadi_diags_release(&diags);
    }
}

/* Tiers in a catalogue and as LIBRA writes them, with and without its "Inter". */
static void tiers(void **state)
{
    struct nadi_prices p;
    struct nadi_diags diags;
    (void)state;
    assert_true(open_text(&p, "InterPod: {Link: 7.8, Switch: 18, Nic: 31.6}\n", &diags));
    assert_true(nadi_tier_find(&p, "interpod") == p.tiers);
    assert_true(nadi_tier_find(&p, "pod") == p.tiers);
    assert_null(nadi_tier_find(&p, "node"));
    assert_true(fabs(nadi_tier_cost(p.tiers, true, false) - 57.4) < 1e-12);
    assert_true(fabs(nadi_tier_cost(p.tiers, false, false) - 7.8) < 1e-12);
    assert_true(fabs(nadi_tier_cost(p.tiers, false, true) - 3.9) < 1e-12);
    nadi_prices_release(&p);
    nadi_diags_release(&diags);
    nadi_diags_init(&diags);
    assert_true(nadi_prices_open(&p, "libra", &diags));
    assert_true(fabs(nadi_tier_find(&p, "package")->sw - 13) < 1e-12);
    nadi_prices_release(&p);
    nadi_diags_release(&diags);
}

/* Every catalogue that comes with the program is right, and says where each figure is from. */
static void embedded(void **state)
{
    (void)state;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_prices p;
        struct nadi_diags diags;
        if (strcmp(e->folder, "catalogues") != 0)
            continue;
        nadi_diags_init(&diags);
        assert_true(nadi_prices_open(&p, e->name, &diags));
        assert_int_equal(diags.count, 0);
        assert_non_null(p.source);
        for (uint32_t i = 0; i < p.part_count; i++)
            if (p.parts[i].source && !p.parts[i].date)
                fail_msg("%s has a source without a date", p.parts[i].name);
        nadi_prices_release(&p);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(missing), cmocka_unit_test(whole_links),
        cmocka_unit_test(refused), cmocka_unit_test(tiers),   cmocka_unit_test(embedded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
