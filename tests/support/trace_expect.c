#include "support/trace_expect.h"

#include "base/diag.h"

#include <setjmp.h>

#include <cmocka.h>

static void print_all(const struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    for (size_t i = 0; i < diags->count; i++)
        nadi_diag_format(&diags->items[i], &text);
    print_error("%s", nadi_str_get(&text));
    nadi_str_release(&text);
}

/* `but`: a code that may be said; NULL: none. */
static struct nadi_trace *read_but(const struct nadi_str *file, unsigned flags, const char *but)
{
    struct nadi_diags diags;
    size_t others = 0;
    nadi_diags_init(&diags);
    struct nadi_trace *t =
        nadi_trace_parse("test.et", nadi_str_get(file), file->length, flags, &diags);
    for (size_t i = 0; i < diags.count; i++)
        others += !nadi_str_equal(diags.items[i].code, but);
    if (!t || others)
        print_all(&diags);
    assert_non_null(t);
    assert_int_equal(others, 0);
    nadi_diags_release(&diags);
    return t;
}

struct nadi_trace *trace_expect_read(const struct nadi_str *file, unsigned flags)
{
    return read_but(file, flags, NULL);
}

struct nadi_trace *trace_expect_doubled(const struct nadi_str *file, unsigned flags)
{
    return read_but(file, flags, "trace/attribute-twice");
}

void trace_expect_fault(const struct nadi_str *file, unsigned flags, struct trace_fault fault)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace *t =
        nadi_trace_parse("test.et", nadi_str_get(file), file->length, flags, &diags);
    assert_null(t);
    assert_true(diags.errors > 0);
    const struct nadi_diag *first = &diags.items[0];
    bool right = strcmp(first->code, fault.code) == 0 &&
                 (fault.offset == NADI_NO_OFFSET || first->place.offset == fault.offset) &&
                 (!fault.says || strstr(first->message, fault.says));
    if (!right)
        print_error("expected %s at byte %" PRIu64 " saying \"%s\", got:\n", fault.code,
                    fault.offset, fault.says ? fault.says : "");
    if (!right)
        print_all(&diags);
    assert_true(right);
    assert_string_equal(first->place.file, "test.et");
    if (!fault.node)
        assert_null(first->place.node);
    else if (strcmp(fault.node, "*") != 0)
        assert_string_equal(first->place.node, fault.node);
    assert_non_null(first->hint);
    nadi_diags_release(&diags);
}
