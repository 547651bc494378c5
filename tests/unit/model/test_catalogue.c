/* Every description that comes with the program: it is read without a word, and its parameters
 * are those that its source gives, to the digits that the source gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "format/embedded.h"
#include "model/model.h"

/* Significant digits of a published figure: 174.6e9 has 4, 8030261248 has 10. */
static int digits_of(double published)
{
    char text[40];
    snprintf(text, sizeof(text), "%.14e", published);
    int digits = 15;
    for (const char *p = strchr(text, 'e') - 1; *p == '0' && digits > 1; p--)
        digits--;
    return digits;
}

static double rounded(double value, int digits)
{
    char text[40];
    double back;
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    assert_true(nadi_str_to_double(text, &back));
    return back;
}

static void open_named(struct nadi_model *m, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool ok = nadi_model_open(m, name, &diags);
    for (size_t i = 0; i < diags.count; i++)
        print_message("%s: %s\n", name, diags.items[i].message);
    assert_true(ok);
    assert_int_equal(diags.count, 0);
    nadi_diags_release(&diags);
}

static bool same_digits(double counted, double published)
{
    return fabs(rounded(counted, digits_of(published)) - published) <= 1e-9 * published;
}

static bool agrees(const char *name, const char *what, double counted, double published)
{
    if (same_digits(counted, published))
        return true;
    print_message("%s: %.0f parameters%s, published %.14g\n", name, counted, what, published);
    return false;
}

static void published_counts(void **state)
{
    (void)state;
    int models = 0, compared = 0, wrong = 0;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        if (strcmp(e->folder, "models") != 0)
            continue;
        struct nadi_model m;
        open_named(&m, e->name);
        const struct nadi_parameters p = nadi_model_parameters(&m);
        models++;
        assert_non_null(m.source);
        if (m.published > 0) {
            compared++;
            wrong += !agrees(e->name, "", p.all, m.published);
        }
        /* Some sources leave out the embedding: a look-up is no product. */
        if (m.activated > 0 && !same_digits(p.activated - (m.tied ? 0 : p.embedding), m.activated))
            wrong += !agrees(e->name, " activated", p.activated, m.activated);
        nadi_model_release(&m);
    }
    assert_true(models >= 60);
    assert_true(compared >= models - 5); /* of the others the sources give no count */
    assert_int_equal(wrong, 0);
}

static void a_slip_of_the_pen(void **state)
{
    (void)state;
    struct nadi_diags diags;
    struct nadi_model m;
    nadi_diags_init(&diags);
    assert_false(nadi_model_open(&m, "llama3-70", &diags));
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].code, "catalogue/unknown");
    assert_string_equal(diags.items[0].hint, "did you mean 'llama3-70b'?");
    nadi_model_release(&m);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_counts),
        cmocka_unit_test(a_slip_of_the_pen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
