/* Every allocation of the library fails once, in every function of the public interface: the call
 * returns LIMIT, nothing is leaked (memory, files), and the process goes on. Allocations of the
 * library come through here (--wrap, tests/CMakeLists.txt); sanitized builds look at those of other
 * libraries as well.
 *
 * An argument is the most failures tried a case, evenly spread; 0: all of them. */
#include "base/str.h"
#include "support/api_cases.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *p);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *p);

static atomic_llong until_failure = -1; /* negative: never */
static atomic_llong allocations, live;

static bool fails(void)
{
    atomic_fetch_add(&allocations, 1);
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

static void *counted(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    if (fails())
        return NULL;
    return old ? __real_realloc(old, bytes) : counted(__real_realloc(old, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __real_free(p);
}

static char work[] = "/tmp/nadi-memory-XXXXXX", in[64], out[64];
#ifdef __SANITIZE_ADDRESS__ /* each failure takes ten times as long */
static unsigned long long most = 25;
#else
static unsigned long long most = 150;
#endif

static bool leaves_parts(const char *folder)
{
    bool any = false;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        any |= nadi_str_ends(e->d_name, ".part") || nadi_str_ends(e->d_name, ".new");
    if (dir)
        closedir(dir);
    return any;
}

static size_t limits; /* how often a case ended so */

static bool try_failure(const struct api_case *c, long long at)
{
    const struct api_place place = {in, out};
    const int files = api_cases_open_files();
    const long long before = atomic_load(&live);
    api_cases_clear(out);
    atomic_store(&until_failure, at);
    const enum nadi_status status = c->run(&place);
    const bool failed = atomic_exchange(&until_failure, -1) < 0;
    limits += status == NADI_STATUS_LIMIT;
    if (failed && status != NADI_STATUS_LIMIT && status != NADI_STATUS_DONE)
        fail_msg("%s, allocation %lld: status %d", c->name, at, (int)status);
    if (!failed && status != NADI_STATUS_DONE)
        fail_msg("%s: status %d without a failure", c->name, (int)status);
    if (atomic_load(&live) != before)
        fail_msg("%s, allocation %lld: %lld blocks are left", c->name, at,
                 (long long)atomic_load(&live) - before);
    if (api_cases_open_files() != files)
        fail_msg("%s, allocation %lld: a file is left open", c->name, at);
    if (leaves_parts(out))
        fail_msg("%s, allocation %lld: a file that was not finished is left", c->name, at);
    return failed;
}

static void test_every_allocation_may_fail(void **state)
{
    const struct api_case *c = *state;
    atomic_store(&allocations, 0);
    assert_false(try_failure(c, INT64_MAX));
    const long long count = atomic_load(&allocations);
    const long long stride = most && (unsigned long long)count > most ? count / (long long)most : 1;
    assert_true(count > 10);
    /* The strides meet others in each run of the loop: odd steps. */
    size_t tried = 0;
    limits = 0;
    for (long long at = 0; at < count; at += 1 + (stride > 1 ? stride - 1 + at % 2 : 0))
        tried += try_failure(c, at);
    /* Texts that are not there are no status; that of a step reads a table of errors. */
    if (limits * 2 < tried)
        fail_msg("%s: %zu of %zu failures became a status", c->name, limits, tried);
    assert_false(try_failure(c, INT64_MAX));
    print_message("%s: %lld allocations, every %lld.\n", c->name, count, stride);
}

int main(int argc, char **argv)
{
    enum { MOST_CASES = 64 };
    struct CMUnitTest tests[MOST_CASES];
    size_t count = 0;
    uint64_t given;
    if (argc > 1 && nadi_str_to_u64(argv[1], &given))
        most = given;
    if (!mkdtemp(work))
        return 1;
    snprintf(in, sizeof(in), "%s/in", work);
    snprintf(out, sizeof(out), "%s/out", work);
    api_cases_inputs(work);
    for (const struct api_case *c = api_cases; c->name && count < MOST_CASES; c++)
        if (argc < 3 || nadi_str_equal(argv[2], c->name))
            tests[count++] = (struct CMUnitTest){
                .name = c->name,
                .test_func = test_every_allocation_may_fail,
                .initial_state = (void *)(uintptr_t)c,
            };
    const int failed = _cmocka_run_group_tests("memory", tests, count, NULL, NULL);
    api_cases_clear(work);
    rmdir(work);
    return failed;
}
