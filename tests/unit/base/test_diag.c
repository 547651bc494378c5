/* Messages: how each place is written, what is kept and counted, lists joined. */
#include "base/diag.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KEPT = 200 };

static void expect_text(struct nadi_place place, const char *hint, const char *wanted)
{
    struct nadi_diags d;
    struct nadi_str text = NADI_STR_INIT;
    nadi_diags_init(&d);
    assert_false(nadi_error(&d, "a/code", place, hint, "%d of them", 3));
    nadi_diag_format(&d.items[0], &text);
    assert_string_equal(nadi_str_get(&text), wanted);
    nadi_str_release(&text);
    nadi_diags_release(&d);
}

static void places(void **state)
{
    struct nadi_place p = NADI_NOWHERE;
    (void)state;
    p.line = 4, p.column = 2; /* of no file */
    expect_text(p, NULL, "error[a/code]: 3 of them\n");
    p.file = "f.yml";
    expect_text(p, "do it", "f.yml:4:2: error[a/code]: 3 of them\n  help: do it\n");
    p.column = 0;
    expect_text(p, NULL, "f.yml:4: error[a/code]: 3 of them\n");
    p.line = 0, p.column = 2, p.offset = 0;
    expect_text(p, NULL, "f.yml:byte 0: error[a/code]: 3 of them\n");
    p = NADI_IN_FILE("x"), p.rank = 0, p.node = "7 \"sum\"";
    expect_text(p, NULL, "x: rank 0: node 7 \"sum\": error[a/code]: 3 of them\n");
    p.file = NULL;
    expect_text(p, NULL, "rank 0: node 7 \"sum\": error[a/code]: 3 of them\n");
}

static void severities(void **state)
{
    struct nadi_diags d;
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    nadi_diags_init(&d);
    nadi_warning(&d, "w", NADI_NOWHERE, "hw", "one");
    nadi_note(&d, "n", NADI_NOWHERE, NULL, "two");
    nadi_error(&d, "e", NADI_NOWHERE, NULL, "three");
    nadi_diags_add(&d, NADI_WARNING, "w2", NADI_NOWHERE, NULL, "four %s", "%s");
    for (size_t i = 0; i < d.count; i++)
        nadi_diag_format(&d.items[i], &text);
    assert_string_equal(nadi_str_get(&text), "warning[w]: one\n  help: hw\nnote[n]: two\n"
                                             "error[e]: three\nwarning[w2]: four %s\n");
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.warnings, 2);
    assert_int_equal(d.notes, 1);
    nadi_str_release(&text);
    nadi_diags_release(&d);
}

/* A note is the same if all but its hint is; errors and warnings stand as often as they come. */
static void equal_notes_stand_once(void **state)
{
    struct nadi_diags d;
    struct nadi_place p[] = {NADI_NOWHERE,      NADI_IN_FILE("f"), NADI_IN_FILE("g"),
                             NADI_IN_FILE("f"), NADI_IN_FILE("f"), NADI_IN_FILE("f"),
                             NADI_IN_FILE("f")};
    enum { PLACES = sizeof(p) / sizeof(*p) };
    (void)state;
    p[3].line = 1, p[4].column = 1, p[5].rank = 1, p[6].node = "1";
    nadi_diags_init(&d);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < PLACES; i++)
            nadi_note(&d, "n", p[i], round ? "another" : NULL, "%s", "text");
        nadi_note(&d, "n", p[0], NULL, "text 2");
        nadi_note(&d, "n 2", p[0], NULL, "text");
        assert_int_equal(d.count, PLACES + 2);
        assert_int_equal(d.notes, PLACES + 2);
    }
    nadi_error(&d, "n", p[0], NULL, "text");
    nadi_error(&d, "n", p[0], NULL, "text");
    nadi_warning(&d, "n", p[0], NULL, "text");
    nadi_warning(&d, "n", p[0], NULL, "text");
    assert_int_equal(d.count, PLACES + 6);
    nadi_note(&d, "e", p[0], NULL, "a note"); /* an error of the same words is no note */
    nadi_error(&d, "x", p[0], NULL, "words");
    nadi_note(&d, "x", p[0], NULL, "words");
    assert_int_equal(d.count, PLACES + 9);
    nadi_diags_release(&d);
}

static void fill(struct nadi_diags *d, size_t errors, size_t warnings, size_t notes)
{
    for (size_t i = 0; i < errors; i++)
        nadi_error(d, "e", NADI_NOWHERE, NULL, "%zu", i);
    for (size_t i = 0; i < warnings; i++)
        nadi_warning(d, "w", NADI_NOWHERE, NULL, "%zu", i);
    for (size_t i = 0; i < notes; i++)
        nadi_note(d, "n", NADI_NOWHERE, NULL, "%zu", i);
}

static void expect_counts(const struct nadi_diags *d, size_t errors, size_t warnings, size_t notes,
                          size_t kept)
{
    assert_int_equal(d->errors, errors);
    assert_int_equal(d->warnings, warnings);
    assert_int_equal(d->notes, notes);
    assert_int_equal(d->count, kept);
}

static void of_each_severity_200_are_kept(void **state)
{
    struct nadi_diags d, all;
    (void)state;
    nadi_diags_init(&d);
    nadi_diags_init(&all);
    nadi_diags_append(&all, NULL);
    fill(&d, KEPT, KEPT, KEPT);
    expect_counts(&d, KEPT, KEPT, KEPT, 3 * KEPT);
    nadi_diags_append(&all, &d);
    expect_counts(&all, KEPT, KEPT, KEPT, 3 * KEPT);
    nadi_diags_release(&all);
    nadi_diags_init(&all);
    fill(&d, 1, 2, 3);
    expect_counts(&d, KEPT + 1, KEPT + 2, KEPT + 3, 3 * KEPT);
    nadi_diags_append(&all, &d);
    expect_counts(&all, KEPT + 1, KEPT + 2, KEPT + 3, 3 * KEPT);
    nadi_diags_append(&all, &d); /* the list is full: only counted, equal notes as well */
    expect_counts(&all, 2 * KEPT + 2, 2 * KEPT + 4, 2 * KEPT + 6, 3 * KEPT);
    assert_string_equal(all.items[KEPT - 1].message, "199");
    nadi_diags_release(&all);
    nadi_diags_release(&d);
    expect_counts(&d, 0, 0, 0, 0);
}

static void spare(void **state)
{
    struct nadi_spare room = {.used = false};
    struct nadi_diags d;
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    nadi_diags_init(&d);
    d.spare = &room;
    nadi_diags_add_spare(&d, "memory", "less", "%d bytes", 1);
    nadi_diags_add_spare(&d, "memory", "fewer", "%d bytes", 2); /* the last one counts */
    assert_true(room.used);
    expect_counts(&d, 1, 0, 0, 0);
    nadi_diag_format(&room.diag, &text);
    assert_string_equal(nadi_str_get(&text), "error[memory]: 2 bytes\n  help: fewer\n");
    nadi_str_release(&text);
    nadi_diags_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(severities),
        cmocka_unit_test(equal_notes_stand_once),
        cmocka_unit_test(of_each_severity_200_are_kept),
        cmocka_unit_test(spare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
