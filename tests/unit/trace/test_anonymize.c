/* What leaves and what does not; and that the verifier finds what should not be there. */
#include "support/wire_put.h"
#include "trace/edit/anonymize.h"

#include <setjmp.h>

#include <cmocka.h>

static void names(void **state)
{
    struct nadi_anonymizer a, b;
    (void)state;
    nadi_anonymizer_init(&a, "key", NADI_SHAPES_KEEP);
    nadi_anonymizer_init(&b, "other", NADI_SHAPES_KEEP);
    /* printf 'naten::mm' | openssl dgst -sha256 -hmac key */
    assert_string_equal(nadi_pseudonym(&a, 'n', "aten::mm", 8), "n_043fe6b0bdbc5ec4");
    char once[NADI_PSEUDONYM + 1];
    snprintf(once, sizeof once, "%s", nadi_pseudonym(&a, 'n', "aten::mm", 8));
    assert_string_not_equal(nadi_pseudonym(&a, 'g', "aten::mm", 8), once);
    assert_string_equal(nadi_pseudonym(&a, 'n', "aten::mm", 8), once);
    assert_string_not_equal(nadi_pseudonym(&b, 'n', "aten::mm", 8), once);
    nadi_anonymizer_release(&a);
    nadi_anonymizer_release(&b);
}

static void numbers(void **state)
{
    static const struct {
        uint64_t value, bucket;
    } rows[] = {{0, 0},     {7, 7},       {8, 8},       {9, 10},
                {15, 16},   {17, 16},     {100, 96},    {103, 96},
                {105, 112}, {1000, 1024}, {4096, 4096}, {UINT64_MAX, UINT64_C(0xe000000000000000)}};
    struct nadi_anonymizer bucket, scale;
    (void)state;
    nadi_anonymizer_init(&bucket, "key", NADI_SHAPES_BUCKET);
    nadi_anonymizer_init(&scale, "key", NADI_SHAPES_SCALE);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(nadi_anonymous_size(&bucket, rows[i].value), rows[i].bucket);
    assert_int_equal(nadi_anonymous_size(&scale, 0), 0);
    assert_int_not_equal(nadi_anonymous_size(&scale, 1000000), 1000000);
    assert_int_not_equal(nadi_anonymous_size(&scale, 1000000),
                         nadi_anonymous_time(&scale, 1000000));
    assert_true(nadi_anonymous_size(&scale, 1000000) >= 500000 &&
                nadi_anonymous_size(&scale, 1000000) <= 2000000);
    nadi_anonymizer_release(&bucket);
    nadi_anonymizer_release(&scale);
}

static bool shapes(const struct nadi_anonymizer *a, const char *text, struct nadi_str *out)
{
    return nadi_anonymous_shapes(a, (const uint8_t *)text, strlen(text), out);
}

static void texts(void **state)
{
    struct nadi_anonymizer a;
    struct nadi_str out = NADI_STR_INIT;
    (void)state;
    nadi_anonymizer_init(&a, "key", NADI_SHAPES_BUCKET);
    assert_true(shapes(&a, "[[32, 100], [], (7,)]", &out));
    assert_string_equal(nadi_str_get(&out), "[[32, 96], [], (7,)]");
    assert_false(shapes(&a, "[['/home/me']]", &out));
    assert_false(shapes(&a, "[99999999999999999999999]", &out));
    static const char types[] = "['Tensor(c10::Half)', 'GenericList[Int,Int]', '__torch__.My.Cls']";
    assert_false(nadi_anonymous_types((const uint8_t *)types, sizeof(types) - 1, &out));
    static const char custom[] = "['Tensor(float)', 'MyClass']";
    assert_true(nadi_anonymous_types((const uint8_t *)custom, sizeof(custom) - 1, &out));
    assert_string_equal(nadi_str_get(&out), "['Tensor(float)', 'x']");
    nadi_str_release(&out);
    nadi_anonymizer_release(&a);
}

static void put_attr(struct nadi_str *node, const char *name, uint32_t member, const char *text)
{
    struct nadi_str attr = NADI_STR_INIT;
    wire_put_text(&attr, 1, name);
    if (text)
        wire_put_text(&attr, member, text);
    else
        wire_put_number(&attr, member, 7);
    wire_put_message(node, 10, &attr);
    nadi_str_release(&attr);
}

static bool passes(struct nadi_str *node, const char *version)
{
    struct nadi_str file = NADI_STR_INIT, metadata = NADI_STR_INIT, why = NADI_STR_INIT;
    wire_put_text(&metadata, 1, version);
    wire_put_frame(&file, &metadata);
    wire_put_frame(&file, node);
    const bool fits = nadi_anonymize_verify(file.text, file.length, &why);
    assert_int_equal(fits, why.length == 0);
    nadi_str_release(&file);
    nadi_str_release(&metadata);
    nadi_str_release(&why);
    nadi_str_release(node);
    return fits;
}

static void leaks(void **state)
{
    struct nadi_str node = NADI_STR_INIT, io = NADI_STR_INIT;
    (void)state;
    wire_put_number(&node, 1, 5);
    wire_put_text(&node, 2, "n_0123456789abcdef");
    put_attr(&node, "comm_size", 9, NULL);
    put_attr(&node, "pg_name", 29, "g_0123456789abcdef");
    assert_true(passes(&node, "1.0.0"));
    wire_put_text(&node, 2, "n_0123456789abcdef");
    assert_false(passes(&node, "host-17"));
    wire_put_text(&node, 2, "aten::mm");
    assert_false(passes(&node, "1.0.0"));
    wire_put_number(&node, 6, 1700000000);
    assert_false(passes(&node, "1.0.0"));
    put_attr(&node, "rf_id", 9, NULL);
    assert_false(passes(&node, "1.0.0"));
    put_attr(&node, "comm_size", 29, "1024");
    assert_false(passes(&node, "1.0.0"));
    put_attr(&node, "pg_name", 29, "tensor parallel");
    assert_false(passes(&node, "1.0.0"));
    wire_put_text(&node, 11, "unknown");
    assert_false(passes(&node, "1.0.0"));
    wire_put_text(&io, 1, "[17]"); /* values */
    wire_put_message(&node, 8, &io);
    assert_false(passes(&node, "1.0.0"));
    nadi_str_clear(&io);
    wire_put_text(&io, 2, "[[32], 'x']");
    wire_put_message(&node, 9, &io);
    assert_false(passes(&node, "1.0.0"));
    nadi_str_clear(&io);
    wire_put_text(&io, 3, "['MyClass']");
    wire_put_message(&node, 9, &io);
    assert_false(passes(&node, "1.0.0"));
    nadi_str_release(&io);
}

/* A version of other characters than digits and dots, or a long one, may be anything. */
static void versions(void **state)
{
    static const struct {
        const char *version, *left;
    } rows[] = {{"1.0.0", "1.0.0"},
                {"12.34.567.890123", "12.34.567.890123"},
                {"12.34.567.8901234", "0.0.4"},
                {"acme-17", "0.0.4"},
                {"1.0.0/", "0.0.4"},
                {"1:0", "0.0.4"}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str metadata = NADI_STR_INIT, want = NADI_STR_INIT, frame = NADI_STR_INIT;
        struct nadi_str out = NADI_STR_INIT, why = NADI_STR_INIT;
        struct nadi_edit_report report = {0};
        const struct nadi_links links = {0};
        struct nadi_anonymizer a;
        nadi_anonymizer_init(&a, "key", NADI_SHAPES_KEEP);
        wire_put_text(&metadata, 1, rows[i].version);
        const struct nadi_full f = {.metadata = (const uint8_t *)metadata.text,
                                    .metadata_bytes = metadata.length};
        nadi_anonymize(&a, &f, &links, &out, &report);
        wire_put_text(&want, 1, rows[i].left);
        wire_put_frame(&frame, &want);
        assert_int_equal(out.length, frame.length);
        assert_memory_equal(out.text, frame.text, frame.length);
        assert_true(nadi_anonymize_verify(out.text, out.length, &why));
        nadi_anonymizer_release(&a);
        nadi_str_release(&metadata);
        nadi_str_release(&want);
        nadi_str_release(&frame);
        nadi_str_release(&out);
        nadi_str_release(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names), cmocka_unit_test(numbers),  cmocka_unit_test(texts),
        cmocka_unit_test(leaks), cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
