#include "format/wire.h"

#include "support/wire_put.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_wire_cursor over(const struct nadi_str *s)
{
    return nadi_wire_of((const uint8_t *)nadi_str_get(s), s->length);
}

static void varints_of_every_length(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 64; shift++) {
        const uint64_t values[] = {UINT64_C(1) << shift, (UINT64_C(1) << shift) - 1,
                                   UINT64_MAX >> shift};
        for (size_t i = 0; i < 3; i++) {
            struct nadi_str s = NADI_STR_INIT;
            uint64_t got = 0;
            wire_put_varint(&s, values[i]);
            struct nadi_wire_cursor w = over(&s);
            assert_true(nadi_wire_varint(&w, &got));
            assert_int_equal(got, values[i]);
            assert_ptr_equal(w.at, w.end);
            for (size_t cut = 0; cut < s.length; cut++) {
                w = nadi_wire_of((const uint8_t *)s.text, cut);
                assert_false(nadi_wire_varint(&w, &got));
            }
            nadi_str_release(&s);
        }
    }
}

static void varint_beyond_ten_bytes(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    uint64_t got = 0;
    wire_put_hex(&s, "ffffffffffffffffff7f"); /* ten: the bits beyond 64 are dropped */
    struct nadi_wire_cursor w = over(&s);
    assert_true(nadi_wire_varint(&w, &got));
    assert_int_equal(got, UINT64_MAX);
    nadi_str_clear(&s);
    wire_put_hex(&s, "ffffffffffffffffffff01");
    w = over(&s);
    assert_false(nadi_wire_varint(&w, &got));
    nadi_str_release(&s);
}

static void zigzag(void **state)
{
    (void)state;
    assert_int_equal(nadi_wire_zigzag(0), 0);
    assert_int_equal(nadi_wire_zigzag(1), -1);
    assert_int_equal(nadi_wire_zigzag(2), 1);
    assert_int_equal(nadi_wire_zigzag(UINT64_MAX - 1), INT64_MAX);
    assert_int_equal(nadi_wire_zigzag(UINT64_MAX), INT64_MIN);
}

static void fields_of_every_type(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    wire_put_number(&s, 1, 300);
    wire_put_fixed(&s, 2, UINT64_C(0x1122334455667788), 8);
    wire_put_text(&s, 3, "abc");
    wire_put_fixed(&s, 536870911, 0xaabbccdd, 4); /* the largest field number */
    struct nadi_wire_cursor w = over(&s);
    struct nadi_wire_field f;
    assert_int_equal(nadi_wire_next(&w, &f), NADI_WIRE_FIELD);
    assert_int_equal(f.number, 1);
    assert_int_equal(f.bits, 300);
    assert_int_equal(nadi_wire_next(&w, &f), NADI_WIRE_FIELD);
    assert_int_equal(f.bits, UINT64_C(0x1122334455667788));
    assert_int_equal(nadi_wire_next(&w, &f), NADI_WIRE_FIELD);
    assert_int_equal(f.bytes, 3);
    assert_memory_equal(f.data, "abc", 3);
    assert_int_equal(nadi_wire_next(&w, &f), NADI_WIRE_FIELD);
    assert_int_equal(f.number, 536870911);
    assert_int_equal(f.bits, 0xaabbccdd);
    assert_int_equal(nadi_wire_next(&w, &f), NADI_WIRE_END);
    nadi_str_release(&s);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        enum nadi_wire_result result;
    } cases[] = {
        {"0001", NADI_WIRE_BAD_NUMBER},         /* field 0 */
        {"808080808001", NADI_WIRE_BAD_NUMBER}, /* a tag of 35 bits */
        {"0b", NADI_WIRE_BAD_TYPE},             /* start of group */
        {"0c", NADI_WIRE_BAD_TYPE},
        {"0e", NADI_WIRE_BAD_TYPE},
        {"0f", NADI_WIRE_BAD_TYPE},
        {"08", NADI_WIRE_CUT},               /* varint missing */
        {"88", NADI_WIRE_CUT},               /* tag cut */
        {"0911223344556677", NADI_WIRE_CUT}, /* 7 of 8 bytes */
        {"0d112233", NADI_WIRE_CUT},
        {"0a", NADI_WIRE_CUT},     /* length missing */
        {"0a0261", NADI_WIRE_CUT}, /* 1 of 2 bytes */
        {"0affffffffffffffffff01", NADI_WIRE_CUT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str s = NADI_STR_INIT;
        struct nadi_wire_field f;
        wire_put_hex(&s, cases[i].hex);
        struct nadi_wire_cursor w = over(&s);
        assert_int_equal(nadi_wire_next(&w, &f), cases[i].result);
        assert_ptr_equal(f.at, s.text);
        nadi_str_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_of_every_length),
        cmocka_unit_test(varint_beyond_ten_bytes),
        cmocka_unit_test(zigzag),
        cmocka_unit_test(fields_of_every_type),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
