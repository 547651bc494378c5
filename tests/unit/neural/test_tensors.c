/* Files of arrays: what is written is read back; other types; damage is refused. */
#include "base/mem.h"
#include "base/str.h"
#include "neural/tensors_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void make(struct nadi_tensors *set, struct nadi_diags *diags)
{
    const uint64_t a[] = {2, 3}, b[] = {5}, scalar[] = {0}, empty[] = {0, 4};
    nadi_tensors_init(set);
    assert_non_null(nadi_tensors_add(set, "a.weight", 2, a, NADI_NOWHERE, diags));
    assert_non_null(nadi_tensors_add(set, "b \"quoted\"", 1, b, NADI_NOWHERE, diags));
    assert_non_null(nadi_tensors_add(set, "scalar", 0, scalar, NADI_NOWHERE, diags));
    assert_non_null(nadi_tensors_add(set, "empty", 2, empty, NADI_NOWHERE, diags));
    for (size_t i = 0; i < set->count; i++)
        for (uint64_t k = 0; k < set->items[i].count; k++)
            set->items[i].values[k] = (float)k * 0.3F - (float)i;
}

static void same(const struct nadi_tensors *x, const struct nadi_tensors *y)
{
    assert_int_equal(x->count, y->count);
    for (size_t i = 0; i < x->count; i++) {
        const struct nadi_nn_tensor *a = &x->items[i], *b = nadi_tensors_find(y, a->name);
        assert_non_null(b);
        assert_int_equal(a->rank, b->rank);
        assert_memory_equal(a->dims, b->dims, a->rank * sizeof(a->dims[0]));
        assert_memory_equal(a->values, b->values, a->count * sizeof(float));
    }
}

static void test_round(void **state)
{
    (void)state;
    struct nadi_diags diags;
    struct nadi_tensors set;
    nadi_diags_init(&diags);
    make(&set, &diags);
    for (int form = 0; form < 2; form++) {
        struct nadi_str text = NADI_STR_INIT;
        struct nadi_tensors back;
        (form ? nadi_tensors_put_npz : nadi_tensors_put_safetensors)(&set, &text);
        nadi_tensors_init(&back);
        assert_true(nadi_tensors_parse(&back, "file", text.text, text.length, &diags));
        same(&set, &back);
        nadi_tensors_release(&back);
        for (size_t cut = 0; cut < text.length; cut += 7) { /* every prefix is refused */
            nadi_tensors_init(&back);
            assert_false(nadi_tensors_parse(&back, "file", text.text, cut, &diags));
            nadi_tensors_release(&back);
        }
        nadi_str_release(&text);
    }
    nadi_tensors_release(&set);
    nadi_diags_release(&diags);
}

static uint64_t word(const struct nadi_str *text, size_t at)
{
    uint64_t value = 0;
    for (size_t b = 4; b-- > 0;)
        value = value << 8 | (uint8_t)text->text[at + b];
    return value;
}

/* An archive whose list says sizes and places in an extra field, each if its bit is set. */
static void widen(const struct nadi_str *from, unsigned wide, struct nadi_str *to)
{
    static const size_t places[] = {24, 20, 42}; /* of bytes, stored, at: in the field's order */
    size_t at = word(from, from->length - 22 + 16);
    nadi_str_add_bytes(to, from->text, at);
    while (memcmp(from->text + at, "PK\1\2", 4) == 0) {
        const size_t head = to->length, name = (uint8_t)from->text[at + 28];
        nadi_str_add_bytes(to, from->text + at, 46 + name);
        nadi_str_add_bytes(to, "\7\0\2\0xx\1\0", 8); /* another field first */
        nadi_str_add_char(to, (char)(8 * __builtin_popcount(wide)));
        nadi_str_add_char(to, 0);
        for (int i = 0; i < 3; i++)
            if (wide >> i & 1) {
                nadi_str_add_bytes(to, from->text + at + places[i], 4);
                nadi_str_add_bytes(to, "\0\0\0\0", 4);
                memset(to->text + head + places[i], 0xff, 4);
            }
        to->text[head + 30] = (char)(to->length - head - 46 - name);
        at += 46 + name;
    }
    const size_t end = to->length, begin = word(from, from->length - 22 + 16);
    nadi_str_add_bytes(to, from->text + at, from->length - at);
    for (unsigned b = 0; b < 4; b++)
        to->text[end + 12 + b] = (char)((end - begin) >> (8 * b));
}

static void test_wide_sizes(void **state)
{
    (void)state;
    for (unsigned wide = 0; wide < 8; wide++) {
        struct nadi_diags diags;
        struct nadi_tensors set, back;
        struct nadi_str text = NADI_STR_INIT, other = NADI_STR_INIT;
        nadi_diags_init(&diags);
        make(&set, &diags);
        nadi_tensors_put_npz(&set, &text);
        widen(&text, wide, &other);
        nadi_tensors_init(&back);
        if (!nadi_tensors_parse(&back, "file", other.text, other.length, &diags))
            fail_msg("%u: %s", wide, diags.items[0].message);
        same(&set, &back);
        nadi_tensors_release(&back);
        nadi_tensors_release(&set);
        nadi_str_release(&text);
        nadi_str_release(&other);
        nadi_diags_release(&diags);
    }
}

/* Each type's 1.5 or 3, -2, and one that a float does not hold. */
static void test_elements(void **state)
{
    (void)state;
    static const struct {
        enum nadi_element element;
        uint64_t bits[3];
        float first;
    } rows[] = {
        {NADI_ELEMENT_F16, {0x3e00, 0xc000, 0x7c00}, 1.5F},
        {NADI_ELEMENT_BF16, {0x3fc0, 0xc000, 0x7f80}, 1.5F},
        {NADI_ELEMENT_F32, {0x3fc00000, 0xc0000000, 0x7fc00000}, 1.5F},
        {NADI_ELEMENT_F64, {0x3ff8000000000000, 0xc000000000000000, 0x7fe0000000000000}, 1.5F},
        {NADI_ELEMENT_I32, {3, 0xfffffffe, 0x01000001}, 3},
        {NADI_ELEMENT_I64, {3, UINT64_MAX - 1, 1ULL << 62}, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_diags diags;
        struct nadi_str bytes = NADI_STR_INIT;
        float values[3];
        struct nadi_nn_tensor t = {
            .name = "x", .rank = 1, .dims = {2}, .count = 2, .values = values};
        nadi_diags_init(&diags);
        for (int k = 0; k < 3; k++)
            for (uint32_t b = 0; b < nadi_element_bytes(rows[i].element); b++)
                nadi_str_add_char(&bytes, (char)(rows[i].bits[k] >> (8 * b)));
        const uint8_t *at = (const uint8_t *)bytes.text;
        assert_true(nadi_tensor_take(&t, rows[i].element, at, NADI_NOWHERE, &diags));
        assert_float_equal(values[0], rows[i].first, 0);
        assert_float_equal(values[1], -2, 0);
        t.count = 3;
        assert_false(nadi_tensor_take(&t, rows[i].element, at, NADI_NOWHERE, &diags));
        nadi_str_release(&bytes);
        nadi_diags_release(&diags);
    }
}

static void test_npy_heads(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool good;
    } rows[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", true},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", true},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", false},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", false},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", false},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", false},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, }", false},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", false},
        {"{'descr': '<f4', 'fortran_order': False, }", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_diags diags;
        struct nadi_tensors set;
        char bytes[256] = "\x93NUMPY\1";
        const size_t length = strlen(rows[i].head);
        nadi_diags_init(&diags);
        nadi_tensors_init(&set);
        bytes[8] = (char)length;
        memcpy(bytes + 10, rows[i].head, length);
        assert_int_equal(nadi_tensors_parse(&set, "file", bytes, 10 + length + 8, &diags),
                         rows[i].good);
        assert_int_equal(diags.errors > 0, !rows[i].good);
        nadi_tensors_release(&set);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_wide_sizes),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_npy_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
