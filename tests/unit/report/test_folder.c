/* folder: which files are written, that they are the same bytes twice, and what cannot be written.
 */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/report.h"
#include "report/run_files.h"

#include "support/report_case.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const names[] = {
    "summary.json", "ranks.csv",        "collectives.csv",     "links.csv",
    "ops.csv",      "timeline.pftrace", "tutorial_result.csv",
};
enum { NAMES = sizeof(names) / sizeof(*names), STANDARD = 4 };

static const char *in_folder(char path[256], const char *folder, const char *name)
{
    int count = snprintf(path, 256, "%s/%s", folder, name);
    assert_in_range(count, 1, 255);
    return path;
}

static void remove_all(const char *folder)
{
    char path[256];
    for (int i = 0; i < NAMES; i++)
        unlink(in_folder(path, folder, names[i]));
    rmdir(folder);
}

static int make_home(void **state)
{
    char *home = nadi_mem_alloc(64, 1);
    snprintf(home, 64, "/tmp/nadi-report-XXXXXX");
    *state = home;
    return mkdtemp(home) ? 0 : 1;
}

static int remove_home(void **state)
{
    int failed = rmdir(*state);
    nadi_mem_free(*state);
    return failed;
}

static bool write_folder(const struct report_case *c, const struct nadi_report_options *o,
                         const char *folder, struct nadi_diags *diags)
{
    struct nadi_output_lock *lock = nadi_output_lock_folder(folder, diags);
    assert_non_null(lock);
    struct nadi_written list;
    nadi_written_init(&list);
    const bool written = nadi_report_write_folder(&c->in, &c->r, o, lock, &list, diags);
    nadi_written_release(&list);
    nadi_output_lock_release(lock);
    return written;
}

static void standard_and_requested_files(void **state)
{
    const struct nadi_report_options none = {0},
                                     all = {.ops = true, .five_column = true, .timeline = true};
    struct report_case c;
    struct nadi_diags diags;
    char folder[256], path[256];
    nadi_diags_init(&diags);
    report_case_init(&c);
    in_folder(folder, *state, "a");
    assert_true(write_folder(&c, &none, folder, &diags));
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(nadi_file_exists(in_folder(path, folder, names[i])), i < STANDARD);
    assert_true(write_folder(&c, &all, folder, &diags));
    for (int i = 0; i < NAMES; i++)
        assert_true(nadi_file_exists(in_folder(path, folder, names[i])));
    assert_true(write_folder(&c, &none, folder, &diags)); /* what is not written again goes */
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(nadi_file_exists(in_folder(path, folder, names[i])), i < STANDARD);
    assert_int_equal(diags.count, 0);
    remove_all(folder);
    nadi_diags_release(&diags);
    report_case_release(&c);
}

static void the_same_bytes_whatever_the_wall_time(void **state)
{
    const struct nadi_report_options all = {.ops = true, .five_column = true, .timeline = true};
    struct report_case c;
    struct nadi_diags diags;
    char folders[2][256], path[256];
    nadi_diags_init(&diags);
    report_case_init(&c);
    for (int i = 0; i < 2; i++) {
        in_folder(folders[i], *state, i ? "b" : "a");
        c.r.wall_s = 0.5 + i;
        assert_true(write_folder(&c, &all, folders[i], &diags));
    }
    for (int i = 0; i < NAMES; i++) {
        char *a, *b;
        size_t a_bytes, b_bytes;
        assert_true(
            nadi_file_read(in_folder(path, folders[0], names[i]), "file", &a, &a_bytes, &diags));
        assert_true(
            nadi_file_read(in_folder(path, folders[1], names[i]), "file", &b, &b_bytes, &diags));
        assert_true(a_bytes > 0);
        assert_int_equal(a_bytes, b_bytes);
        assert_memory_equal(a, b, a_bytes);
        nadi_mem_free(a);
        nadi_mem_free(b);
    }
    remove_all(folders[0]);
    remove_all(folders[1]);
    nadi_diags_release(&diags);
    report_case_release(&c);
}

static void what_cannot_be_written_is_named(void **state)
{
    const struct nadi_report_options none = {0};
    struct report_case c;
    struct nadi_diags diags;
    char folder[256], path[256];
    report_case_init(&c);
    nadi_diags_init(&diags);
    in_folder(folder, *state, "a");
    assert_true(nadi_file_make_folder(folder, &diags));
    in_folder(path, folder, "ranks.csv"); /* a folder where a file should be */
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(write_folder(&c, &none, folder, &diags));
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].place.file, path);
    assert_false(nadi_file_exists(in_folder(path, folder, "summary.json")));
    rmdir(in_folder(path, folder, "ranks.csv"));
    remove_all(folder);
    nadi_diags_release(&diags);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(standard_and_requested_files, make_home, remove_home),
        cmocka_unit_test_setup_teardown(the_same_bytes_whatever_the_wall_time, make_home,
                                        remove_home),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_named, make_home, remove_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
