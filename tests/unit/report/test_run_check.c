/* run_check: a whole run passes; with anything missing, cut off, changed or added it does not. */
#include "report/run_check.h"

#include "base/file.h"
#include "base/mem.h"

#include "support/report_case.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct run {
    char folder[64], path[256];
    struct nadi_diags diags;
};

static const char *path_of(struct run *run, const char *name)
{
    snprintf(run->path, sizeof(run->path), "%s/%s", run->folder, name);
    return run->path;
}

static int make_run(void **state)
{
    const struct nadi_why why = {.why_not = "made by hand"};
    const struct nadi_report_options o = {.ops = true, .timeline = true, .why = &why};
    struct run *run = NADI_ZNEW(struct run, 1);
    struct report_case c;
    *state = run;
    nadi_diags_init(&run->diags);
    snprintf(run->folder, sizeof(run->folder), "/tmp/nadi-check-XXXXXX");
    if (!mkdtemp(run->folder))
        return 1;
    report_case_init(&c);
    struct nadi_output_lock *lock = nadi_output_lock_folder(run->folder, &run->diags);
    struct nadi_written list;
    nadi_written_init(&list);
    const bool ok = lock && nadi_report_write_folder(&c.in, &c.r, &o, lock, &list, &run->diags);
    nadi_written_release(&list);
    nadi_output_lock_release(lock);
    report_case_release(&c);
    return !ok;
}

static int remove_run(void **state)
{
    struct run *run = *state;
    const bool ok = nadi_run_files_remove(run->folder, NULL, NULL, &run->diags);
    nadi_diags_release(&run->diags);
    const int failed = rmdir(run->folder);
    nadi_mem_free(run);
    return !ok || failed;
}

/* What is said of it: a code, or "" for a whole run. The file named last is in run->path. */
static const char *verdict_of(struct run *run, const char *named)
{
    struct nadi_str database = NADI_STR_INIT;
    nadi_diags_release(&run->diags);
    nadi_diags_init(&run->diags);
    const bool ok = nadi_run_check(named, &database, &run->diags);
    nadi_str_release(&database);
    assert_int_equal(run->diags.count, !ok);
    if (!ok)
        assert_non_null(run->diags.items[0].hint);
    return ok ? "" : run->diags.items[0].code;
}

static void expect(struct run *run, const char *code, const char *file)
{
    char database[128];
    assert_string_equal(verdict_of(run, run->folder), code);
    if (*code)
        assert_string_equal(run->diags.items[0].place.file, path_of(run, file));
    snprintf(database, sizeof(database), "%s/run.db", run->folder);
    assert_string_equal(verdict_of(run, database), code); /* the same by the other name */
}

static const char *const all[] = {"ranks.csv", "collectives.csv",  "links.csv",
                                  "ops.csv",   "timeline.pftrace", "run.db"};

enum { ALL = sizeof(all) / sizeof(*all) };

struct content {
    char *data;
    size_t bytes;
};

static struct content take(struct run *run, const char *name)
{
    struct content c;
    assert_true(nadi_file_read(path_of(run, name), "file", &c.data, &c.bytes, &run->diags));
    return c;
}

static void put(struct run *run, const char *name, const char *data, size_t bytes)
{
    assert_true(nadi_file_write(path_of(run, name), data, bytes, &run->diags));
}

static void every_file_has_to_be_there_whole(void **state)
{
    struct run *run = *state;
    expect(run, "", NULL);
    for (int i = 0; i < ALL; i++) {
        struct content c = take(run, all[i]);
        unlink(path_of(run, all[i]));
        expect(run, "report/incomplete", all[i]);
        assert_int_equal(mkdir(path_of(run, all[i]), 0777), 0);
        assert_string_equal(verdict_of(run, run->folder), "report/incomplete");
        rmdir(path_of(run, all[i]));
        assert_int_equal(mkfifo(path_of(run, all[i]), 0666), 0); /* nothing waits for a writer */
        expect(run, "report/incomplete", all[i]);
        unlink(path_of(run, all[i]));
        put(run, all[i], c.data, c.bytes - 1);
        expect(run, "report/changed", all[i]);
        put(run, all[i], c.data, c.bytes + 1); /* with the '\0' behind it */
        expect(run, "report/changed", all[i]);
        put(run, all[i], c.data, c.bytes);
        expect(run, "", NULL);
        nadi_mem_free(c.data);
    }
}

/* Of the database, which is what readers open, every byte counts. */
static void one_byte_of_the_database(void **state)
{
    struct run *run = *state;
    struct content c = take(run, "run.db");
    for (size_t at = 0; at < c.bytes; at += 1 + c.bytes / 37) {
        c.data[at] ^= 1;
        put(run, "run.db", c.data, c.bytes);
        expect(run, "report/changed", "run.db");
        c.data[at] ^= 1;
    }
    put(run, "run.db", c.data, c.bytes);
    expect(run, "", NULL);
    nadi_mem_free(c.data);
}

static void files_of_another_run(void **state)
{
    struct run *run = *state;
    static const char *const added[] = {"sensitivities.csv", "link_usage.json",
                                        "local_mem_trace.3.json"};
    for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++) {
        put(run, added[i], "", 0);
        expect(run, "report/mixed", added[i]);
        unlink(path_of(run, added[i]));
        assert_int_equal(mkdir(path_of(run, added[i]), 0777), 0); /* a folder is none of ours */
        expect(run, "", NULL);
        rmdir(path_of(run, added[i]));
    }
    put(run, "notes.txt", "mine", 4);
    put(run, "run.db-journal", "left", 4); /* not looked at: the database is opened as it is */
    expect(run, "", NULL);
    unlink(path_of(run, "notes.txt"));
}

static void no_half_summary(void **state)
{
    struct run *run = *state;
    struct content c = take(run, "summary.json");
    for (size_t cut = 0; cut + 2 < c.bytes; cut += 1 + c.bytes / 53) { /* "}\n" ends it */
        put(run, "summary.json", c.data, cut);
        expect(run, "report/incomplete", "summary.json");
    }
    static const char *const wrong[] = {
        "[]",
        "{\"schema\": \"nadi-summary/1\"}",
        "{\"schema\": \"nadi-summary/1\", \"files\": []}",
        "{\"schema\": \"other/1\", \"files\": [{\"name\": \"summary.json\"}]}",
        "{\"schema\": \"nadi-summary/1\", \"files\": [{\"name\": \"ranks.csv\"}]}",
        "{\"schema\": \"nadi-summary/1\", \"files\": [{\"name\": \"ranks.csv\", \"bytes\": -1, "
        "\"sha256\": \"00\"}]}",
        "{\"schema\": \"nadi-summary/1\", \"files\": [{\"name\": \"../run.db\", \"bytes\": 1, "
        "\"sha256\": \"00\"}]}",
        "{\"schema\": \"nadi-summary/1\", \"files\": [{\"name\": \"../x.0.json\", \"bytes\": 1, "
        "\"sha256\": \"00\"}]}",
        "{\"schema\": \"nadi-summary/1\", \"files\": [3]}",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        put(run, "summary.json", wrong[i], strlen(wrong[i]));
        expect(run, "report/incomplete", "summary.json");
    }
    unlink(path_of(run, "summary.json"));
    expect(run, "report/incomplete", "summary.json");
    assert_non_null(strstr(run->diags.items[0].message, "collectives.csv"));
    struct nadi_output_lock *lock = nadi_output_lock_folder(run->folder, &run->diags);
    expect(run, "report/incomplete", "summary.json");
    assert_non_null(strstr(run->diags.items[0].message, "at work"));
    nadi_output_lock_release(lock);
    put(run, "summary.json", c.data, c.bytes);
    expect(run, "", NULL);
    nadi_mem_free(c.data);
}

/* Taken alone it is the whole of what is asked of it; beside anything else of a run it is not. */
static void a_database_that_was_copied(void **state)
{
    struct run *run = *state;
    char other[128];
    for (int i = 0; i < ALL - 1; i++) {
        unlink(path_of(run, "summary.json"));
        expect(run, "report/incomplete", "summary.json");
        unlink(path_of(run, all[i]));
    }
    expect(run, "", NULL);
    snprintf(other, sizeof(other), "%s/other.db", run->folder);
    assert_string_equal(verdict_of(run, other), "report/no-run");
    assert_int_equal(rename(path_of(run, "run.db"), other), 0);
    assert_string_equal(verdict_of(run, other), "");
    unlink(other);
    expect(run, "report/no-run", "run.db");
    assert_string_equal(verdict_of(run, "no/such/run"), "report/no-run");
    assert_string_equal(verdict_of(run, ""), "report/no-run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_file_has_to_be_there_whole, make_run, remove_run),
        cmocka_unit_test_setup_teardown(one_byte_of_the_database, make_run, remove_run),
        cmocka_unit_test_setup_teardown(files_of_another_run, make_run, remove_run),
        cmocka_unit_test_setup_teardown(no_half_summary, make_run, remove_run),
        cmocka_unit_test_setup_teardown(a_database_that_was_copied, make_run, remove_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
