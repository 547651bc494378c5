/* units: every name is worth what its prefix and its unit are; what is shown has four digits. */
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"

enum { DRAWS = 20000 };

static const struct prefix {
    const char *name;
    int ten, two; /* powers */
} prefixes[] = {{"", 0, 0},    {"k", 3, 0},   {"K", 3, 0},  {"M", 6, 0},
                {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0}, {"Ki", 0, 10},
                {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40}};

static const struct unit {
    enum nadi_dimension dimension;
    const char *name, *prefixes; /* those that are known, between blanks */
    double worth;
} units[] = {
    {NADI_DIMENSION_BYTES, "B", "  k K M G T P Ki Mi Gi Ti ", 1},
    {NADI_DIMENSION_RATE, "B/s", "  k K M G T Ki Mi Gi Ti ", 1},
    {NADI_DIMENSION_RATE, "bps", "  k K M G T ", 1 / 8.},
    {NADI_DIMENSION_RATE, "b/s", "  k M G T ", 1 / 8.},
    {NADI_DIMENSION_RATE, "bit/s", " M G T ", 1 / 8.},
    {NADI_DIMENSION_FLOPS, "FLOPS", "  M G T P ", 1},
    {NADI_DIMENSION_FLOPS, "FLOP/s", "  M G T P ", 1},
};

static void expect(const char *text, enum nadi_dimension dimension, double worth)
{
    double value = -1;
    bool has_unit = false;
    if (!nadi_units_parse(text, dimension, &value, &has_unit) || !has_unit ||
        fabs(value - worth) > 1e-14 * fabs(worth))
        fail_msg("%s is %.17g, not %.17g", text, value, worth);
}

static void refuse(const char *text, enum nadi_dimension dimension)
{
    double value;
    bool has_unit;
    if (nadi_units_parse(text, dimension, &value, &has_unit))
        fail_msg("'%s' is %g", text, value);
}

static void names_are_composed(void **state)
{
    (void)state;
    for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
        for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
            const struct unit *unit = &units[u];
            const struct prefix *prefix = &prefixes[p];
            char text[32], known[8];
            snprintf(text, sizeof(text), " 2.5 %s%s", prefix->name, unit->name);
            snprintf(known, sizeof(known), " %s ", prefix->name);
            if (!strstr(unit->prefixes, known)) {
                refuse(text, unit->dimension);
                continue;
            }
            expect(text, unit->dimension,
                   2.5 * unit->worth * pow(10, prefix->ten) * pow(2, prefix->two));
            for (enum nadi_dimension d = NADI_DIMENSION_NONE; d <= NADI_DIMENSION_FLOPS; d++)
                if (d != unit->dimension)
                    refuse(text, d);
        }
    }
    static const struct {
        const char *text;
        double ns;
    } times[] = {{"3ps", 0.003}, {"3 ns", 3},     {"3us", 3e3},     {"3\xc2\xb5s", 3e3},
                 {"3ms", 3e6},   {"-3  s", -3e9}, {"3min", 1.8e11}, {"0.5h", 1.8e12}};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        expect(times[i].text, NADI_DIMENSION_TIME, times[i].ns);
        refuse(times[i].text, NADI_DIMENSION_BYTES);
    }
}

static void bare_numbers(void **state)
{
    (void)state;
    double value;
    for (enum nadi_dimension d = NADI_DIMENSION_NONE; d <= NADI_DIMENSION_FLOPS; d++) {
        bool has_unit = true;
        assert_true(nadi_units_parse("  12.5  ", d, &value, &has_unit));
        assert_true(value > 12.4 && value < 12.6);
        assert_false(has_unit);
        refuse("", d);
        refuse("s", d);
        refuse("1 2", d);
        refuse("1 x", d);
    }
}

/* What a message lists can be written. */
static void lists_are_read(void **state)
{
    (void)state;
    for (enum nadi_dimension d = NADI_DIMENSION_TIME; d <= NADI_DIMENSION_FLOPS; d++) {
        const char *at = nadi_units_list(d);
        unsigned found = 0;
        while (*at) {
            const size_t length = strcspn(at, ", (");
            char text[32];
            snprintf(text, sizeof(text), "1%.*s", (int)length, at);
            double value = -1;
            bool has_unit = false;
            if (!nadi_units_parse(text, d, &value, &has_unit) || !has_unit)
                fail_msg("'%s' is listed", text);
            found++;
            at += length;
            if (strncmp(at, " (", 2) == 0)
                at = strchr(at, ')') + 1;
            at += strspn(at, ", ");
        }
        assert_true(found >= 4);
    }
    assert_string_equal(nadi_units_list(NADI_DIMENSION_NONE), "none");
}

static const struct shown {
    const char *(*show)(char buffer[32], double value);
    enum nadi_dimension dimension;
    double largest; /* in the largest unit there are more digits before the point */
} shown[] = {
    {nadi_units_time, NADI_DIMENSION_TIME, 9999 * 3600e9},
    {nadi_units_bytes, NADI_DIMENSION_BYTES, 9e15},
    {nadi_units_rate, NADI_DIMENSION_RATE, 9e14},
};

/* Read again it is the value to half of its fourth digit, and it has four digits. */
static void four_digits(void **state)
{
    (void)state;
    struct nadi_rng r;
    nadi_rng_init(&r, 1, "units");
    for (int i = 0; i < DRAWS; i++) {
        const struct shown *s = &shown[i % 3];
        const double sign = nadi_rng_below(&r, 2) ? 1 : -1;
        const double value =
            sign * exp(log(s->largest) * (double)nadi_rng_below(&r, 1 << 20) / (1 << 20));
        char text[32];
        double again;
        bool has_unit;
        s->show(text, value);
        if (!nadi_units_parse(text, s->dimension, &again, &has_unit) || !has_unit ||
            fabs(again - value) > 5.01e-4 * fabs(value))
            fail_msg("%.17g is shown as %s", value, text);
        const size_t digits = strcspn(text, " ") - (sign < 0) - (strchr(text, '.') != NULL);
        const double number = fabs(strtod(text, NULL));
        if (digits != 4 && number < 1000)
            fail_msg("%.17g has %zu digits: %s", value, digits, text);
        if (sign > 0 && number >= 1000 && value < s->largest / 10)
            fail_msg("%.17g needs a larger unit: %s", value, text);
    }
}

static void looks(void **state)
{
    (void)state;
    static const struct {
        const char *(*show)(char buffer[32], double value);
        double value;
        const char *text;
    } cases[] = {
        {nadi_units_time, 0, "0 ns"},
        {nadi_units_time, 999, "999 ns"},
        {nadi_units_time, 12.5, "12.50 ns"},
        {nadi_units_time, 999.949, "999.9 ns"},
        {nadi_units_time, 999.96, "1.000 us"},
        {nadi_units_time, 1000, "1.000 us"},
        {nadi_units_time, 12345678, "12.35 ms"},
        {nadi_units_time, 59e9, "59.00 s"},
        {nadi_units_time, 60e9, "1.000 min"},
        {nadi_units_time, 90e9, "1.500 min"},
        {nadi_units_time, 3600e9, "1.000 h"},
        {nadi_units_time, 3600e12, "1000 h"},
        {nadi_units_time, -5, "-5 ns"},
        {nadi_units_time, -1500, "-1.500 us"},
        {nadi_units_bytes, 1.5e9, "1.500 GB"},
        {nadi_units_bytes, 2e18, "2000 PB"},
        {nadi_units_rate, 50e9, "50.00 GB/s"},
        {nadi_units_rate, 123.4e12, "123.4 TB/s"},
        {nadi_units_count, 7, "7"},
        {nadi_units_count, 1234e3, "1.234 M"},
        {nadi_units_count, 70.6e9, "70.60 G"},
        {nadi_units_count, 1e15, "1000 T"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        assert_string_equal(cases[i].show(text, cases[i].value), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_composed),
        cmocka_unit_test(bare_numbers),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(four_digits),
        cmocka_unit_test(looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
