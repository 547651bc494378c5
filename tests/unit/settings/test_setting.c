/* setting: every type reads what it allows, writes what it would read, and refuses the rest; the
 * defaults of all tables are texts of their types; bounds hold to the last value. */
#include "base/str.h"
#include "settings/schema.h"

#include <setjmp.h>

#include <cmocka.h>

enum colour { RED, GREEN, BLUE };

struct values {
    bool flag;
    int public_flag;
    uint32_t count, narrow;
    uint64_t whole, bytes, time_ns, wall_ns;
    double factor, share, rate;
    const char *text, *word, *words;
    enum colour colour;
    struct nadi_range ranks, window;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting rows[] = {
    {.name = "flag", .type = NADI_TYPE_FLAG, AT(flag)},
    {.name = "public-flag", .type = NADI_TYPE_FLAG, AT(public_flag)},
    {.name = "count", NADI_A_COUNT, AT(count), .preset = "3"},
    {.name = "narrow", .type = NADI_TYPE_INTEGER, .min = 2, .max = 65536, AT(narrow)},
    {.name = "whole", NADI_A_WHOLE, AT(whole)},
    {.name = "bytes", NADI_A_SIZE, AT(bytes), .preset = "1MiB"},
    {.name = "time", NADI_A_TIME, AT(time_ns)},
    {.name = "wall", NADI_SECONDS, AT(wall_ns)},
    {.name = "factor", NADI_A_FACTOR, AT(factor), .preset = "1.5"},
    {.name = "share", .type = NADI_TYPE_NUMBER, .max = 1, .above_min = true, AT(share)},
    {.name = "rate",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s",
     .unit_factor = 1e9,
     .max = 1000,
     AT(rate)},
    {.name = "text", .type = NADI_TYPE_TEXT, AT(text)},
    {.name = "word", .type = NADI_TYPE_WORD, .words = NADI_ONE_OF("ring", "direct[N]"), AT(word)},
    {.name = "words", .type = NADI_TYPE_WORDS, .words = NADI_ONE_OF("a", "b"), AT(words)},
    {.name = "colour",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("red", "green", "blue"),
     .preset = "green",
     AT(colour)},
    {.name = "ranks", NADI_RANKS, AT(ranks)},
    {.name = "window", NADI_WINDOW, AT(window)},
    {.name = NULL},
};

static const struct nadi_setting *row(const char *name)
{
    const struct nadi_setting *s = nadi_settings_find(rows, name, strlen(name));
    assert_non_null(s);
    return s;
}

/* What is read from `text`, written again; NULL: it is not allowed. */
static void reads(const char *name, const char *text, const char *written)
{
    struct values v = {0}, again = {0};
    const struct nadi_setting *s = row(name);
    struct nadi_str out = NADI_STR_INIT;
    const bool ok = nadi_setting_read(s, text, (char *)&v + s->offset);
    if (ok != (written != NULL))
        fail_msg("%s: '%s' is %s", name, text, ok ? "allowed" : "refused");
    if (ok) {
        nadi_setting_write(s, (char *)&v + s->offset, &out);
        assert_string_equal(nadi_str_get(&out), written);
        assert_true(nadi_setting_read(s, nadi_str_get(&out), (char *)&again + s->offset));
        if (s->type != NADI_TYPE_TEXT && s->type != NADI_TYPE_WORDS && s->size != sizeof(char *))
            assert_memory_equal((char *)&v + s->offset, (char *)&again + s->offset, s->size);
    }
    nadi_str_release(&out);
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *written;
    } cases[] = {
        {"flag", "yes", "on"},
        {"flag", "0", "off"},
        {"public-flag", "yes", "on"},
        {"public-flag", "off", "off"},
        {"public-flag", "2", NULL},
        {"flag", "maybe", NULL},
        {"flag", "", NULL},
        {"count", "1", "1"},
        {"count", "2147483647", "2147483647"},
        {"count", "2147483648", NULL},
        {"count", "0", NULL},
        {"count", "-1", NULL},
        {"count", " 1", NULL},
        {"count", "1.0", NULL},
        {"narrow", "1", NULL},
        {"narrow", "2", "2"},
        {"narrow", "65536", "65536"},
        {"narrow", "65537", NULL},
        {"narrow", "2^10", "1024"},
        {"narrow", "2^17", NULL},
        {"whole", "2^63", "9223372036854775808"},
        {"whole", "2^64", NULL},
        {"whole", "2^", NULL},
        {"whole", "2^-1", NULL},
        {"narrow", "4294967298", NULL},
        {"whole", "0", "0"},
        {"whole", "18446744073709551615", "18446744073709551615"},
        {"whole", "18446744073709551616", NULL},
        {"bytes", "4096", "4096B"},
        {"bytes", "64KiB", "65536B"},
        {"bytes", "1.5GB", "1500000000B"},
        {"bytes", "1ms", NULL},
        {"bytes", "-1", NULL},
        {"bytes", "1e30", NULL},
        {"time", "10ms", "10000000ns"},
        {"time", "7", "7ns"},
        {"wall", "2", "2000000000ns"},
        {"wall", "2ms", "2000000ns"},
        {"factor", "0", "0"},
        {"factor", "1e300", "1e+300"},
        {"factor", "-0.5", NULL},
        {"factor", "inf", NULL},
        {"factor", "nan", NULL},
        {"share", "0", NULL},
        {"share", "1", "1"},
        {"share", "1.001", NULL},
        {"rate", "400Gbps", "50000000000B/s"},
        {"rate", "2", "2000000000B/s"},
        {"rate", "1001", NULL},
        {"rate", "1001GB/s", NULL},
        {"text", "x", "x"},
        {"text", "", NULL},
        {"word", "ring", "ring"},
        {"word", "direct8", "direct8"},
        {"word", "direct8x", NULL},
        {"word", "ring8", NULL},
        {"words", "b,a", "b,a"},
        {"words", "a,a", NULL},
        {"words", "a,", NULL},
        {"words", "c", NULL},
        {"colour", "blue", "blue"},
        {"colour", "BLUE", NULL},
        {"ranks", "3", "3-3"},
        {"ranks", "0-7", "0-7"},
        {"ranks", "7-0", NULL},
        {"ranks", "0-", NULL},
        {"window", "1ms..2ms", "1000000ns..2000000ns"},
        {"window", "1ms..1ms", NULL},
        {"window", "1ms", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        reads(cases[i].name, cases[i].text, cases[i].written);
}

static void defaults(void **state)
{
    (void)state;
    struct values v = {0};
    nadi_settings_preset(rows, &v);
    assert_int_equal(v.count, 3);
    assert_int_equal(v.bytes, 1 << 20);
    assert_true(v.factor > 1.4 && v.factor < 1.6);
    assert_int_equal(v.colour, GREEN);
    assert_false(v.flag);
    assert_null(v.text);
}

static void a_flag_alone_is_on(void **state)
{
    (void)state;
    struct values v = {.public_flag = -1};
    assert_true(nadi_setting_read(row("flag"), NULL, &v.flag));
    assert_true(v.flag);
    assert_true(nadi_setting_read(row("public-flag"), "off", &v.public_flag));
    assert_int_equal(v.public_flag, 0);
    assert_true(nadi_setting_read(row("public-flag"), NULL, &v.public_flag));
    assert_int_equal(v.public_flag, 1);
}

static void what_is_allowed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *allowed;
    } cases[] = {
        {"flag", "on or off"},
        {"count", "a whole number from 1 to 2147483647"},
        {"whole", "a whole number from 0"},
        {"bytes", "a size like 4096, 64KiB or 1.5GB"},
        {"time", "a time like 500ns, 10ms or 2s"},
        {"factor", "a number that is not negative"},
        {"share", "a number more than 0, at most 1"},
        {"text", "a text that is not empty"},
        {"word", "ring|direct[N]"},
        {"ranks", "a rank or a range of ranks like 0-7"},
        {"window", "two times like 1ms..2.5ms, the earlier first"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_str out = NADI_STR_INIT;
        nadi_setting_allowed(row(cases[i].name), &out);
        assert_string_equal(nadi_str_get(&out), cases[i].allowed);
        nadi_str_release(&out);
    }
}

static void near_words(void **state)
{
    (void)state;
    assert_string_equal(nadi_setting_nearest_word(row("colour"), "gren"), "green");
    assert_string_equal(nadi_setting_nearest_word(row("word"), "dirct"), "direct[N]");
    assert_null(nadi_setting_nearest_word(row("colour"), "infrared light"));
    assert_null(nadi_settings_find(rows, "colours", 7));
    assert_ptr_equal(nadi_settings_find(rows, "colour=red", 6), row("colour"));
}

/* --- the keys of all files ----------------------------------------------------------------------
 */

static bool within(const struct nadi_setting *key, double in_unit)
{
    return nadi_setting_bound(key, in_unit) == NADI_BOUND_WITHIN;
}

static void check_key(const struct nadi_schema *schema, const struct nadi_setting *key)
{
    struct nadi_setting_number n;
    uint32_t place;
    int64_t number;
    if (key->effect != NADI_EFFECT_USED)
        return;
    const bool is_number = key->type == NADI_TYPE_INTEGER || key->type == NADI_TYPE_NUMBER;
    if (key->type == NADI_TYPE_NONE || (key->type == NADI_TYPE_WORD) != (key->words != NULL))
        fail_msg("%s of the %s: type and words", key->name, schema->title);
    if (key->preset && is_number &&
        (!nadi_setting_number(key, key->preset, &n) || !within(key, n.in_unit)))
        fail_msg("%s of the %s: default '%s'", key->name, schema->title, key->preset);
    if (key->preset && key->words && !nadi_setting_word(key, key->preset, &place, &number))
        fail_msg("%s of the %s: default '%s'", key->name, schema->title, key->preset);
    if (key->max <= 0)
        return;
    const double step = key->max * 1e-9;
    if (!is_number || key->min > key->max || !within(key, key->max) ||
        within(key, key->max + step) || within(key, key->min) == key->above_min ||
        within(key, key->min - step))
        fail_msg("%s of the %s: bounds", key->name, schema->title);
}

static void keys(void **state)
{
    (void)state;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        for (size_t i = 0; i < schema->count; i++)
            check_key(schema, &schema->keys[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(defaults),
        cmocka_unit_test(a_flag_alone_is_on),
        cmocka_unit_test(what_is_allowed),
        cmocka_unit_test(near_words),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
