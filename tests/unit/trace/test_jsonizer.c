/* The jsonizer form: every kind of value in protobuf's JSON mapping, doubles as Python prints them.
 */
#include "base/mem.h"
#include "format/out.h"
#include "support/wire_put.h"
#include "trace/show.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"

enum { DRAWS = 4000 };

/* Shows a file with one node, whose bytes are taken. */
static void show(struct nadi_str *node, struct nadi_str *text)
{
    struct nadi_str file = NADI_STR_INIT, metadata = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    wire_put_text(&metadata, 1, "0.0.3");
    wire_put_text(&metadata, 1, "0.0.4");
    wire_put_frame(&file, &metadata);
    wire_put_frame(&file, node);
    struct nadi_out *sink = nadi_out_memory(text, NADI_CODING_PLAIN);
    const bool shown = nadi_show_memory("t.et", nadi_str_get(&file), file.length,
                                        NADI_SHOW_JSONIZER, sink, &diags);
    assert_true(nadi_out_close(sink, &diags));
    if (!shown)
        fail_msg("%s", diags.count ? diags.items[0].message : "not shown");
    nadi_diags_release(&diags);
    nadi_str_release(&metadata);
    nadi_str_release(&file);
    nadi_str_release(node);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* An attribute with a real, double (field 3) or float (5), as it is shown. */
static void show_real(double value, bool is_float, char out[64])
{
    struct nadi_str node = NADI_STR_INIT, attr = NADI_STR_INIT, text = NADI_STR_INIT;
    if (is_float)
        wire_put_fixed(&attr, 5, bits_of_float((float)value), 4);
    else
        wire_put_fixed(&attr, 3, bits_of(value), 8);
    wire_put_message(&node, 10, &attr);
    show(&node, &text);
    const char *at = strstr(nadi_str_get(&text), is_float ? "\"floatVal\": " : "\"doubleVal\": ");
    assert_non_null(at);
    at = strchr(at, ' ') + 1;
    snprintf(out, 64, "%.*s", (int)strcspn(at, "\n"), at);
    nadi_str_release(&text);
    nadi_str_release(&attr);
}

/* Python's repr(), by hand. */
static void reals(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {10, "10.0"},
        {1234.5, "1234.5"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {1.5e16, "1.5e+16"},
        {9007199254740992, "9007199254740992.0"},
        {0.0001, "0.0001"},
        {0.00012, "0.00012"},
        {0.00001, "1e-05"},
        {1.25e-7, "1.25e-07"},
        {1e100, "1e+100"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {1 / 3., "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {123456789.125, "123456789.125"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
        {NAN, "NaN"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        show_real(cases[i].value, false, text);
        assert_string_equal(text, cases[i].text);
    }
    static const struct {
        float value;
        const char *text;
    } floats[] = {
        {0.1F, "0.1"},           {16777216.0F, "16777216.0"},
        {1 / 3.F, "0.33333334"}, {1234567.0F, "1234567.0"},
        {1e-10F, "1e-10"},       {-7.25F, "-7.25"},
    };
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        show_real((double)floats[i].value, true, text);
        assert_string_equal(text, floats[i].text);
    }
}

/* Digits of a number, without those that end it as zeros. */
static size_t digits_of(const char *text)
{
    size_t count = 0, zeros = 0;
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p < '0' || *p > '9' || (count == 0 && *p == '0'))
            continue;
        count++;
        zeros = *p == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

/* It reads back as the same, and with a digit less it does not. */
static void reals_are_shortest(void **state)
{
    (void)state;
    struct nadi_rng r;
    nadi_rng_init(&r, 1, "jsonizer");
    for (int i = 0; i < DRAWS; i++) {
        double value;
        const uint64_t bits = nadi_rng_u64(&r);
        memcpy(&value, &bits, sizeof value);
        if (i % 2)
            value = (double)nadi_rng_below(&r, 1000000) / 1000;
        if (!isfinite(value))
            continue;
        char text[64], less[64];
        show_real(value, false, text);
        if (bits_of(strtod(text, NULL)) != bits_of(value))
            fail_msg("%.17g is shown as %s", value, text);
        const size_t digits = digits_of(text);
        if (digits < 2)
            continue;
        snprintf(less, sizeof less, "%.*e", (int)digits - 2, value);
        if (bits_of(strtod(less, NULL)) == bits_of(value))
            fail_msg("%s would do for %s", less, text);
    }
}

static void put_list(struct nadi_str *attr, uint32_t number, const char *hex)
{
    struct nadi_str list = NADI_STR_INIT, items = NADI_STR_INIT;
    wire_put_hex(&items, hex);
    if (items.length)
        wire_put_bytes(&list, 1, items.text, items.length);
    wire_put_message(attr, number, &list);
    nadi_str_release(&items);
    nadi_str_release(&list);
}

/* Numbers of 64 bits are texts; a list of nothing has no values. */
static void every_kind(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *hex; /* of a list: packed items; else the value behind its tag */
        const char *text;
    } cases[] = {
        {4, "000000000000e03f 0000000000000840", "\"doubleList\": {values:[0.5,3.0]}"},
        {6, "0000c03f", "\"floatList\": {values:[1.5]}"},
        {7, "ffffffffffffffffff01", "\"int32Val\": -1"},
        {8, "01 ffffffffffffffffff01", "\"int32List\": {values:[1,-1]}"},
        {9, "fdffffffffffffffff01", "\"int64Val\": \"-3\""},
        {10, "05", "\"int64List\": {values:[\"5\"]}"},
        {11, "ffffffff0f", "\"uint32Val\": 4294967295"},
        {12, "07 08", "\"uint32List\": {values:[7,8]}"},
        {13, "ffffffffffffffffff01", "\"uint64Val\": \"18446744073709551615\""},
        {14, "", "\"uint64List\": {}"},
        {15, "03", "\"sint32Val\": -2"},
        {16, "04", "\"sint32List\": {values:[2]}"},
        {17, "05", "\"sint64Val\": \"-3\""},
        {18, "05 06", "\"sint64List\": {values:[\"-3\",\"3\"]}"},
        {19, "ffffffff", "\"fixed32Val\": 4294967295"},
        {20, "01000000", "\"fixed32List\": {values:[1]}"},
        {21, "0100000000000080", "\"fixed64Val\": \"9223372036854775809\""},
        {22, "0200000000000000", "\"fixed64List\": {values:[\"2\"]}"},
        {23, "ffffffff", "\"sfixed32Val\": -1"},
        {24, "feffffff", "\"sfixed32List\": {values:[-2]}"},
        {25, "ffffffffffffffff", "\"sfixed64Val\": \"-1\""},
        {26, "feffffffffffffff", "\"sfixed64List\": {values:[\"-2\"]}"},
        {27, "01", "\"boolVal\": true"},
        {28, "00 01", "\"boolList\": {values:[false,true]}"},
        {29, "03 61 c3a4", "\"stringVal\": \"a\\u00e4\""},
        {31, "02 00ff", "\"bytesVal\": \"AP8=\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t number = cases[i].number;
        const bool is_list = number % 2 == 0;
        struct nadi_str node = NADI_STR_INIT, attr = NADI_STR_INIT, text = NADI_STR_INIT;
        wire_put_text(&attr, 1, "it");
        wire_put_text(&attr, 2, "why");
        if (is_list) {
            put_list(&attr, number, cases[i].hex);
        } else {
            const bool is_bytes = number >= 29;
            const uint32_t fixed = number == 21 || number == 25 ? 1 : 5;
            wire_put_tag(&attr, number, is_bytes ? 2 : number >= 19 && number <= 25 ? fixed : 0);
            wire_put_hex(&attr, cases[i].hex);
        }
        wire_put_number(&node, 1, 7);
        wire_put_message(&node, 10, &attr);
        show(&node, &text);
        /* all in one line, its blanks and the quotes of `values` away */
        char flat[256] = "", *to = flat;
        const char *at = strstr(nadi_str_get(&text), "\"docString\": \"why\",");
        assert_non_null(at);
        for (at = strchr(at, ',') + 1; *at; at++) {
            if (strncmp(at, "\"values\": ", 10) == 0) {
                to = stpcpy(to, "values:");
                at += 9;
            } else if (*at != '\n' && (*at != ' ' || at[-1] == ':')) {
                *to++ = *at;
            }
        }
        *to = '\0';
        char wanted[256];
        snprintf(wanted, sizeof wanted, "%s}]}", cases[i].text);
        assert_string_equal(flat, wanted);
        nadi_str_release(&text);
        nadi_str_release(&attr);
    }
}

/* A whole node: what is a default is left out, what is twice counts once. */
static void a_node(void **state)
{
    (void)state;
    struct nadi_str node = NADI_STR_INIT, text = NADI_STR_INIT, io = NADI_STR_INIT;
    wire_put_number(&node, 1, 8);
    wire_put_number(&node, 1, 9);
    wire_put_text(&node, 2, "m");
    wire_put_text(&node, 2, "mm \"x\"\n");
    wire_put_number(&node, 3, 4);
    wire_put_bytes(&node, 4, "\x03\x80\x02", 3);
    wire_put_number(&node, 5, 5);
    wire_put_number(&node, 5, 6);
    wire_put_number(&node, 6, 0);
    wire_put_number(&node, 7, 12);
    wire_put_text(&io, 1, "[1]");
    wire_put_text(&io, 2, "");
    wire_put_text(&io, 3, "[\"f\"]");
    wire_put_message(&node, 8, &io);
    wire_put_message(&node, 9, &io);
    show(&node, &text);
    assert_string_equal(nadi_str_get(&text), "{\n"
                                             "  \"version\": \"0.0.4\"\n"
                                             "}{\n"
                                             "  \"id\": \"9\",\n"
                                             "  \"name\": \"mm \\\"x\\\"\\n\",\n"
                                             "  \"type\": \"COMP_NODE\",\n"
                                             "  \"ctrlDeps\": [\n"
                                             "    \"3\",\n"
                                             "    \"256\"\n"
                                             "  ],\n"
                                             "  \"dataDeps\": [\n"
                                             "    \"5\",\n"
                                             "    \"6\"\n"
                                             "  ],\n"
                                             "  \"durationMicros\": \"12\",\n"
                                             "  \"inputs\": {\n"
                                             "    \"values\": \"[1]\",\n"
                                             "    \"types\": \"[\\\"f\\\"]\"\n"
                                             "  },\n"
                                             "  \"outputs\": {}\n"
                                             "}");
    nadi_str_release(&io);
    nadi_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals),
        cmocka_unit_test(reals_are_shortest),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
