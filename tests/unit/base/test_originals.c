/* originals: what was read is refused, what was written here is not; in any number, by all threads
 * of a command, and no longer than the command. */
#include "base/file.h"
#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/threads.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4, FILES_EACH = 5000 };

static char folder[] = "/tmp/nadi-originals-XXXXXX";

static bool may_write(const char *path, const char *code)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool ok = nadi_file_write(path, "new", 3, &diags);
    assert_int_equal(diags.errors, !ok);
    if (!ok)
        assert_string_equal(diags.items[0].code, code);
    nadi_diags_release(&diags);
    return ok;
}

static void read_it(const char *path, bool output)
{
    struct nadi_diags diags;
    char *data;
    size_t bytes;
    nadi_diags_init(&diags);
    assert_true(
        (output ? nadi_file_read_output : nadi_file_read)(path, "file", &data, &bytes, &diags));
    nadi_mem_free(data);
    nadi_diags_release(&diags);
}

/* Files that do not exist, with the numbers that one of this folder has. */
static void note_many(void *context, unsigned thread)
{
    struct stat about = *(const struct stat *)context;
    for (uint64_t i = 0; i < FILES_EACH; i++) {
        about.st_ino = (ino_t)(UINT64_C(1) << 40 | (uint64_t)thread << 20 | i);
        nadi_originals_read(&about);
        nadi_originals_read(&about);
    }
}

static void command(void *context)
{
    struct nadi_originals *o = context;
    struct stat about;
    assert_true(may_write("input", NULL) && may_write("old", NULL)); /* no set: not noted */
    nadi_guard_originals_in(o);
    read_it("input", false);
    read_it("old", true);
    assert_int_equal(stat("input", &about), 0);
    nadi_threads_run(THREADS, note_many, &about);
    assert_int_equal(o->count, 1 + THREADS * FILES_EACH);
    assert_int_equal(link("input", "hard"), 0);
    assert_int_equal(symlink("input", "soft"), 0);
    assert_false(may_write("input", "file/is-input"));
    assert_false(may_write("hard", "file/is-input"));
    assert_false(may_write("soft", "file/is-input"));
    assert_true(may_write("old", NULL)); /* not an input */
    assert_true(may_write("own", NULL));
    read_it("own", false);
    assert_true(may_write("own", NULL)); /* written here */
    assert_int_equal(rename("input", "own.part"), 0);
    assert_false(may_write("own", "file/is-input")); /* under its temporary name */
    assert_int_equal(rename("own.part", "input"), 0);
    assert_int_equal(mkdir("in", 0777), 0);
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_originals_spare_in("in", "input", &diags)); /* there is none */
    assert_false(nadi_originals_spare_in("in/..", "input", &diags));
    nadi_diags_release(&diags);
}

static void test_command(void **state)
{
    (void)state;
    struct nadi_originals o;
    struct nadi_heap heap;
    struct nadi_failure failure;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    nadi_originals_init(&o);
    nadi_heap_init(&heap);
    assert_true(nadi_guard_run(&heap, command, &o, &failure));
    nadi_heap_release(&heap);
    assert_int_equal(o.slots & (o.slots - 1), 0); /* it outlives the heap of the work */
    nadi_originals_release(&o);
    assert_null(nadi_guard_originals());
    assert_true(may_write("input", NULL));
    static const char *const names[] = {"input", "old", "own", "hard", "soft"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_int_equal(unlink(names[i]), 0);
    assert_int_equal(rmdir("in"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_command)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
