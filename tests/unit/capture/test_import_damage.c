/* Captures with something wrong in them that is JSON all the same: said by name, and never a time
 * or a name that was not recorded. */
#include "support/imported.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define T0 INT64_C(1714557600123456789)

/* Two operators, a kernel, and what the caller adds; either text may be NULL. */
static void make(struct imported *x, const char *event, const char *node)
{
    struct recording r;
    struct capture *c = recording_begin(&r, NULL);
    capture_op(c, &(struct capture_op){.name = "aten::mm", .from = T0, .to = T0 + 20000});
    const uint64_t external = c->external;
    const uint64_t call = capture_call(c, 0, "cudaLaunchKernel", T0 + 5000, T0 + 9000);
    capture_op(c, &(struct capture_op){.name = "aten::relu", .from = T0 + 30000, .to = T0 + 50000});
    capture_work(c, &(struct capture_work){.name = "gemm",
                                           .stream = 7,
                                           .from = T0 + 10000,
                                           .to = T0 + 40000,
                                           .correlation = call,
                                           .external = external});
    if (event)
        capture_event(c, event);
    if (node)
        capture_node(c, node);
    recording_end(&r);
    imported_make(x, &r, NULL);
    recording_release(&r);
}

static void expect_warning(const char *event, const char *code)
{
    struct imported x;
    make(&x, event, NULL);
    assert_non_null(x.trace);
    assert_true(imported_said(&x, code));
    assert_int_equal(imported_replay(&x), 50000);
    imported_release(&x);
}

static void expect_error(const char *event, const char *node, const char *code)
{
    struct imported x;
    make(&x, event, node);
    assert_null(x.trace);
    assert_true(imported_said(&x, code));
    imported_release(&x);
}

static void sound(void **state)
{
    (void)state;
    struct imported x;
    make(&x, "{\"ph\":\"i\",\"name\":\"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\"}", NULL);
    assert_non_null(x.trace);
    assert_int_equal(x.diags.errors, 0);
    assert_int_equal(imported_replay(&x), 50000);
    imported_release(&x);
}

static void no_time(void **state)
{
    (void)state;
    static const char *const times[] = {"",
                                        "\"ts\":null,",
                                        "\"ts\":\"soon\",",
                                        "\"ts\":NaN,",
                                        "\"ts\":1e300,",
                                        "\"ts\":99999999999999999999,"};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct nadi_str event = NADI_STR_INIT;
        nadi_str_printf(&event, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"lost\",%s\"tid\":1}",
                        times[i]);
        expect_warning(nadi_str_get(&event), "capture/no-time");
        nadi_str_release(&event);
    }
}

/* Events without a duration are not of 0 ns. */
static void no_duration(void **state)
{
    (void)state;
    static const char *const times[] = {
        "", ",\"dur\":null", ",\"dur\":\"long\"", ",\"dur\":-3", ",\"dur\":NaN",
    };
    static const char *const kinds[] = {"kernel", "gpu_memcpy", "cpu_op"};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            struct nadi_str event = NADI_STR_INIT;
            nadi_str_printf(&event,
                            "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"lost\",\"tid\":1,"
                            "\"ts\":1714557600123460%s}",
                            kinds[k], times[i]);
            expect_warning(nadi_str_get(&event), "capture/no-time");
            nadi_str_release(&event);
        }
}

static void far_away(void **state)
{
    (void)state;
    static const char *const times[] = {
        "\"ts\":0,\"dur\":5",
        "\"ts\":-5,\"dur\":5",
        "\"ts\":1714657600123456.789,\"dur\":5",
        "\"ts\":1714557600123460,\"dur\":90000000000",
        "\"ts\":900000000000000,\"dur\":1e15",
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct nadi_str event = NADI_STR_INIT;
        nadi_str_printf(&event, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"lost\",%s,\"tid\":1}",
                        times[i]);
        expect_warning(nadi_str_get(&event), "capture/far-event");
        nadi_str_release(&event);
    }
}

static void no_utf8(void **state)
{
    (void)state;
    static const char *const names[] = {"\xff",
                                        "\xc3",
                                        "\xc3(",
                                        "\xed\xa0\x80",
                                        "\xf5\x80\x80\x80",
                                        "a very long name, then \xe6\xbc and more"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "{\"ph\":\"i\",\"name\":\"%s\"}", names[i]);
        expect_error(nadi_str_get(&text), NULL, "capture/utf8");
        expect_error(NULL, nadi_str_get(&text), "capture/utf8");
        nadi_str_release(&text);
    }
}

static void other_kinds(void **state)
{
    (void)state;
    expect_error("5", NULL, "capture/form");
    expect_error("[]", NULL, "capture/form");
    expect_error(NULL, "null", "capture/form");
    expect_error(NULL, "{\"id\":99,\"name\":7}", "capture/form");
    expect_error(NULL, "{\"id\":99,\"name\":\"x\",\"attrs\":true}", "capture/form");
    expect_error("{\"ph\":X}", NULL, "capture/json");
    expect_error("{\"ph\" \"X\"}", NULL, "capture/json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound),    cmocka_unit_test(no_time), cmocka_unit_test(no_duration),
        cmocka_unit_test(far_away), cmocka_unit_test(no_utf8), cmocka_unit_test(other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
