/* output_lock: one at a time, whatever way the one before ended. */
#include "base/output_lock.h"

#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char home[64], folder[80], file[112];
};

static int make_place(void **state)
{
    struct place *p = NADI_ZNEW(struct place, 1);
    snprintf(p->home, sizeof(p->home), "/tmp/nadi-lock-XXXXXX");
    if (!mkdtemp(p->home))
        return 1;
    snprintf(p->folder, sizeof(p->folder), "%s/a", p->home);
    snprintf(p->file, sizeof(p->file), "%s/" NADI_OUTPUT_LOCK_FILE, p->folder);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    struct place *p = *state;
    unlink(p->file);
    rmdir(p->folder);
    const int failed = rmdir(p->home);
    nadi_mem_free(p);
    return failed;
}

static void one_at_a_time(void **state)
{
    const struct place *p = *state;
    char process[32];
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_output_lock *lock = nadi_output_lock_folder(p->folder, &diags);
    assert_non_null(lock);
    assert_string_equal(nadi_output_lock_path(lock), p->folder);
    assert_int_equal(nadi_output_lock_of_folder(p->folder, NULL), NADI_OUTPUT_HELD);
    assert_true(nadi_output_lock_holds(lock, &diags));
    assert_null(nadi_output_lock_folder(p->folder, &diags));
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].code, "file/in-use");
    snprintf(process, sizeof(process), "process %ld ", (long)getpid());
    assert_non_null(strstr(diags.items[0].message, process));
    assert_true(nadi_output_lock_holds(lock, &diags)); /* still, after the other one's try */
    nadi_output_lock_release(lock);
    assert_false(nadi_file_exists(p->file));
    assert_int_equal(nadi_output_lock_of_folder(p->folder, NULL), NADI_OUTPUT_FREE);
    lock = nadi_output_lock_folder(p->folder, &diags);
    assert_non_null(lock);
    nadi_output_lock_release(lock);
    assert_int_equal(diags.errors, 1);
    nadi_diags_release(&diags);
}

/* A child takes the lock, says so and waits to be killed. */
static pid_t child_with_lock(const struct place *p)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        if (!nadi_output_lock_folder(p->folder, &diags) || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void a_killed_process_locks_nothing(void **state)
{
    const struct place *p = *state;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const pid_t child = child_with_lock(p);
    assert_int_equal(nadi_output_lock_of_folder(p->folder, NULL), NADI_OUTPUT_HELD);
    assert_null(nadi_output_lock_folder(p->folder, &diags));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(nadi_file_exists(p->file)); /* left behind */
    assert_int_equal(nadi_output_lock_of_folder(p->folder, NULL), NADI_OUTPUT_MARKED);
    struct nadi_output_lock *lock = nadi_output_lock_folder(p->folder, &diags);
    assert_non_null(lock);
    nadi_output_lock_release(lock);
    assert_int_equal(diags.errors, 1);
    nadi_diags_release(&diags);
}

/* A child that takes the lock and gives it back, over and over, and holds a mark while it has it.
 * Returns how often somebody else held the mark as well. */
static int overlaps(const struct place *p)
{
    enum { TURNS = 250 };
    char mark[112];
    int count = 0;
    snprintf(mark, sizeof(mark), "%s/mark", p->home);
    for (int turn = 0; turn < TURNS;) {
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        struct nadi_output_lock *lock = nadi_output_lock_folder(p->folder, &diags);
        if (lock) {
            const int fd = open(mark, O_CREAT | O_EXCL | O_WRONLY, 0666);
            if (fd >= 0) {
                close(fd);
                sched_yield();
                unlink(mark);
            }
            count += fd < 0;
            turn++;
        } else {
            sched_yield();
        }
        nadi_output_lock_release(lock);
        nadi_diags_release(&diags);
    }
    return count;
}

/* The file goes with the lock: who opened it before and locks it after has nothing. */
static void many_by_turns(void **state)
{
    enum { CHILDREN = 4 };
    const struct place *p = *state;
    pid_t children[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(overlaps(p) != 0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

/* The same of names that begin alike; what is left unfinished bears a mark until it is done again.
 */
static void prefixes(void **state)
{
    const struct place *p = *state;
    struct nadi_diags diags;
    struct nadi_str file = NADI_STR_INIT;
    char prefix[112], mark[128];
    nadi_diags_init(&diags);
    snprintf(prefix, sizeof(prefix), "%s/deep/step", p->folder);
    snprintf(mark, sizeof(mark), "%s/deep/.step.nadi-lock", p->folder);
    struct nadi_output_lock *lock = nadi_output_lock_prefix(prefix, &diags);
    assert_non_null(lock);
    assert_true(nadi_file_exists(mark));
    assert_null(nadi_output_lock_prefix(prefix, &diags));
    assert_string_equal(diags.items[0].place.file, prefix);
    nadi_output_lock_leave(lock);
    assert_int_equal(nadi_output_lock_of_prefix(prefix, &file), NADI_OUTPUT_MARKED);
    assert_string_equal(nadi_str_get(&file), mark);
    lock = nadi_output_lock_prefix(prefix, &diags);
    assert_non_null(lock);
    assert_int_equal(nadi_output_lock_of_prefix(prefix, NULL), NADI_OUTPUT_HELD);
    nadi_output_lock_release(lock);
    assert_int_equal(nadi_output_lock_of_prefix(prefix, NULL), NADI_OUTPUT_FREE);
    assert_int_equal(diags.errors, 1);
    nadi_str_release(&file);
    snprintf(mark, sizeof(mark), "%s/deep", p->folder);
    rmdir(mark);
    nadi_diags_release(&diags);
}

static void a_replaced_folder_is_another(void **state)
{
    const struct place *p = *state;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_output_lock *lock = nadi_output_lock_folder(p->folder, &diags);
    assert_non_null(lock);
    unlink(p->file);
    rmdir(p->folder);
    assert_false(nadi_output_lock_holds(lock, &diags));
    assert_string_equal(diags.items[0].code, "file/replaced");
    struct nadi_output_lock *other = nadi_output_lock_folder(p->folder, &diags);
    assert_non_null(other);
    assert_false(nadi_output_lock_holds(lock, &diags));
    nadi_output_lock_release(lock);
    assert_true(nadi_output_lock_holds(other, &diags)); /* not taken away */
    nadi_output_lock_release(other);
    nadi_diags_release(&diags);
}

static void what_cannot_be_had_is_said(void **state)
{
    const struct place *p = *state;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_null(nadi_output_lock_folder("/dev/null", &diags));
    assert_string_equal(diags.items[0].code, "file/not-folder");
    assert_int_equal(mkdir(p->folder, 0777), 0);
    assert_int_equal(mkdir(p->file, 0777), 0); /* a folder where the file should be */
    assert_null(nadi_output_lock_folder(p->folder, &diags));
    assert_string_equal(diags.items[1].code, "file/unwritable");
    rmdir(p->file);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_at_a_time, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_killed_process_locks_nothing, make_place, remove_place),
        cmocka_unit_test_setup_teardown(many_by_turns, make_place, remove_place),
        cmocka_unit_test_setup_teardown(prefixes, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_replaced_folder_is_another, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_cannot_be_had_is_said, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
