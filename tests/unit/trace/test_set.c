/* set: what is removed of an earlier one, and the mark of one that is not finished. */
#include "trace/set.h"

#include "base/file.h"
#include "base/mem.h"

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char home[64], prefix[96], path[256];
    struct nadi_diags diags;
};

static int make_place(void **state)
{
    struct place *p = NADI_ZNEW(struct place, 1);
    snprintf(p->home, sizeof(p->home), "/tmp/nadi-set-XXXXXX");
    if (!mkdtemp(p->home))
        return 1;
    snprintf(p->prefix, sizeof(p->prefix), "%s/step", p->home);
    nadi_diags_init(&p->diags);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    struct place *p = *state;
    const int failed = rmdir(p->home);
    nadi_diags_release(&p->diags);
    nadi_mem_free(p);
    return failed;
}

static const char *path_of(struct place *p, const char *name)
{
    snprintf(p->path, sizeof(p->path), "%s/%s", p->home, name);
    return p->path;
}

static void put(struct place *p, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(nadi_file_write(path_of(p, names[i]), "x", 1, &p->diags));
}

/* `there`: of each name, '1' or '0'. Removes what is left. */
static void expect(struct place *p, const char *const *names, const char *there)
{
    for (size_t i = 0; there[i]; i++) {
        if (nadi_file_exists(path_of(p, names[i])) != (there[i] == '1'))
            fail_msg("%s", names[i]);
        unlink(p->path);
    }
}

static void names(void **state)
{
    static const struct {
        const char *name;
        size_t stem;
        uint32_t rank;
        unsigned ending;
    } good[] = {
        {"a.0.et", 1, 0, 0}, {"a.b.12.et.gz", 3, 12, 1}, {"x.4294967294.et.zst", 1, 4294967294, 2}};
    static const char *const bad[] = {
        "a.et",   ".et",     "a.01.et", "a.0.et.part", "a.4294967295.et",
        "a.x.et", "a.0.ett", "a0.et",   "0.et",        "a.-1.et"};
    size_t stem;
    uint32_t rank;
    unsigned ending;
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(nadi_trace_name_split(good[i].name, &stem, &rank, &ending));
        assert_int_equal(stem, good[i].stem);
        assert_int_equal(rank, good[i].rank);
        assert_int_equal(ending, good[i].ending);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (nadi_trace_name_split(bad[i], &stem, &rank, &ending))
            fail_msg("%s", bad[i]);
}

static const char *const all[] = {
    "step.0.et",     "step.1.et",       "step.10.et.gz", "step.3.et.zst", "step.1.et.part",
    "stage.0.et",    "step.yml",        "step.et",       "steps.0.et",    "step.groups.json",
    "step.0.et.bak", "other.step.0.et", "step.x.0.et",
};

enum { ALL = sizeof(all) / sizeof(*all) };

static void an_earlier_set_goes(void **state)
{
    static const uint32_t keep[] = {1, 10};
    struct place *p = *state;
    struct nadi_trace_set *set = nadi_trace_set_begin(p->prefix, &p->diags);
    assert_non_null(set);
    put(p, all, ALL);
    assert_true(nadi_trace_set_clear(set, NULL, NULL, 0, &p->diags));
    expect(p, all, "0000011111111");
    put(p, all, ALL);
    assert_true(nadi_trace_set_clear(set, "stage", NULL, 0, &p->diags));
    expect(p, all, "1111101111111");
    put(p, all, ALL);
    assert_true(nadi_trace_set_clear(set, NULL, keep, 2, &p->diags));
    expect(p, all, "0110111111111");
    put(p, all, ALL);
    assert_true(nadi_trace_set_only(set, path_of(p, "step.10.et"), &p->diags));
    assert_true(nadi_trace_set_only(set, path_of(p, "step.3.et.zst"), &p->diags));
    assert_true(nadi_trace_set_remove(set, "step.yml", &p->diags));
    assert_true(nadi_trace_set_remove(set, "never.yml", &p->diags));
    expect(p, all, "1101110111111");
    assert_true(nadi_trace_set_end(set, true));
    assert_int_equal(p->diags.count, 0);
}

static void what_is_not_finished_is_refused(void **state)
{
    struct place *p = *state;
    assert_true(nadi_trace_set_is_whole(p->prefix, &p->diags));
    struct nadi_trace_set *set = nadi_trace_set_begin(p->prefix, &p->diags);
    assert_non_null(set);
    assert_false(nadi_trace_set_is_whole(p->prefix, &p->diags));
    assert_null(nadi_trace_set_begin(p->prefix, &p->diags));
    assert_false(nadi_trace_set_end(set, false));
    assert_false(nadi_trace_set_is_whole(p->prefix, &p->diags));
    assert_int_equal(p->diags.errors, 3);
    assert_string_equal(p->diags.items[0].code, "workload/unfinished");
    assert_string_equal(p->diags.items[1].code, "file/in-use");
    assert_string_equal(p->diags.items[2].code, "workload/unfinished");
    assert_non_null(strstr(p->diags.items[2].hint, "/.step.nadi-lock'"));
    set = nadi_trace_set_begin(p->prefix, &p->diags);
    assert_true(nadi_trace_set_end(set, true));
    assert_true(nadi_trace_set_is_whole(p->prefix, &p->diags));
    assert_false(nadi_trace_set_end(NULL, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test_setup_teardown(an_earlier_set_goes, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_is_not_finished_is_refused, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
