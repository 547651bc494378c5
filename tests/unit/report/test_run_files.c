/* run_files: whose a name is, and what is removed. */
#include "report/run_files.h"

#include "base/file.h"
#include "base/mem.h"

#include "support/report_case.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void names(void **state)
{
    (void)state;
    for (int f = 0; f < NADI_FILES; f++)
        if (f != NADI_FILE_LOCAL_MEMORY)
            assert_int_equal(
                nadi_run_file_of(nadi_run_file_info((enum nadi_run_file)f)->name, NULL), f);
    assert_int_equal(nadi_run_file_of("local_mem_trace.12.json", NULL), NADI_FILE_LOCAL_MEMORY);
    assert_int_equal(nadi_run_file_of("mine.0.json", "mine"), NADI_FILE_LOCAL_MEMORY);
    static const char *const others[] = {"mine.0.json",
                                         "notes.txt",
                                         "ranks.csv2",
                                         "Ranks.csv",
                                         "local_mem_trace.json",
                                         "local_mem_trace",
                                         ".0.json",
                                         "local_mem_trace..json",
                                         "local_mem_trace.1",
                                         "local_mem_tracex.1.json",
                                         "",
                                         ".json"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(nadi_run_file_of(others[i], "other"), NADI_FILES);
    assert_int_equal(nadi_run_memory_prefix("a.b.31.json"), 3);
    assert_int_equal(nadi_run_memory_prefix("31.json"), 0);
}

static const char *in_folder(char path[256], const char *folder, const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_file_write(in_folder(path, folder, name), text, strlen(text), &diags));
    nadi_diags_release(&diags);
}

static const char *const ours[] = {"ops.csv",          "timeline.pftrace",
                                   "run.db",           "run.db-journal",
                                   "run.db-wal",       "run.db-shm",
                                   "run.db.part",      "summary.json.part",
                                   "ranks.csv.part",   "local_mem_trace.0.json",
                                   "tensors.0.json",   "tensors.31.json",
                                   "summary.json",     "sensitivities.csv",
                                   "critical_path.csv"};
/* An own name that looks like ours in part, and one that the summary of the earlier run lacks. */
static const char *const users[] = {"notes.txt", "ops.csv.bak",   "tensors.json", "plan.3.json",
                                    "run.db-x",  "timeline.part", "x.part"};
static const char *const again[] = {"ranks.csv", "collectives.csv", "links.csv"};

enum {
    OURS = sizeof(ours) / sizeof(*ours),
    USERS = sizeof(users) / sizeof(*users),
    AGAIN = sizeof(again) / sizeof(*again)
};

static const char summary[] =
    "{\"schema\": \"nadi-summary/1\", \"files\": [{\"name\": \"summary.json\"}, {\"name\": "
    "\"tensors.0.json\", \"bytes\": 1, \"sha256\": \"00\"}, {\"name\": \"tensors.31.json\", "
    "\"bytes\": 1, \"sha256\": \"00\"}]}";

static bool is_there(const char *folder, const char *name)
{
    char path[256];
    return nadi_file_exists(in_folder(path, folder, name));
}

/* Of a folder full of everything the standard run keeps what it writes again and what is no run's.
 */
static void what_is_not_written_again_goes(void **state)
{
    const struct nadi_report_options standard = {0};
    char folder[] = "/tmp/nadi-files-XXXXXX", path[256];
    struct report_case c;
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    report_case_init(&c);
    assert_non_null(mkdtemp(folder));
    for (int everything = 0; everything < 2; everything++) {
        for (int i = 0; i < OURS; i++)
            put(folder, ours[i], "x");
        for (int i = 0; i < USERS; i++)
            put(folder, users[i], "x");
        for (int i = 0; i < AGAIN; i++)
            put(folder, again[i], "x");
        put(folder, "summary.json", summary);
        assert_int_equal(mkdir(in_folder(path, folder, "link_usage.csv"), 0777), 0);
        assert_true(nadi_run_files_remove(folder, everything ? NULL : &c.in,
                                          everything ? NULL : &standard, &diags));
        for (int i = 0; i < OURS; i++)
            if (is_there(folder, ours[i]))
                fail_msg("%s is still there", ours[i]);
        for (int i = 0; i < USERS; i++)
            if (!is_there(folder, users[i]))
                fail_msg("%s is gone", users[i]);
        for (int i = 0; i < AGAIN; i++)
            assert_int_equal(is_there(folder, again[i]), !everything);
        assert_int_equal(rmdir(in_folder(path, folder, "link_usage.csv")), 0); /* was left alone */
    }
    assert_int_equal(diags.count, 0);
    for (int i = 0; i < USERS; i++)
        unlink(in_folder(path, folder, users[i]));
    assert_int_equal(rmdir(folder), 0);
    report_case_release(&c);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(what_is_not_written_again_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
