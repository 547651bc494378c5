/* leaking: does a sanitized program find its leaks, and only those? Linked as nadi is. It starts
 * itself once for each place where the only pointer to an allocation may lie: what is held there is
 * no leak, what is dropped is one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1000, FOUND = 1, FAILED = 2, PLACES = 4 };

static struct {
    void *first, *middle, *last;
} initial = {&initial, NULL, NULL};
static void *zeros[1 << 20]; /* 8 MB, of which two pages are written */

static void **place(int which)
{
    void **all[PLACES] = {&initial.last, &zeros[0], &zeros[700001], &zeros[(1 << 20) - 1]};
    return all[which];
}

static __attribute__((noinline)) void leak(int which, int drop)
{
    *place(which) = malloc(BYTES);
    if (drop)
        *place(which) = NULL;
}

static __attribute__((noinline)) void overwrite_stack(void)
{
    volatile char room[10000];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

static int exit_code(const char *self, int which, int drop)
{
    char place_text[12], drop_text[12];
    snprintf(place_text, sizeof(place_text), "%d", which);
    snprintf(drop_text, sizeof(drop_text), "%d", drop);
    const pid_t child = fork();
    if (child == 0) {
        if (drop && !freopen("/dev/null", "w", stderr))
            _exit(FAILED);
        execl(self, self, place_text, drop_text, (char *)NULL);
        _exit(FAILED);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

int main(int count, char **words)
{
    if (count == 3) {
        leak(atoi(words[1]), atoi(words[2]));
        overwrite_stack();
        return 0;
    }
    int bad = 0;
    for (int which = 0; which < PLACES; which++)
        for (int drop = 0; drop < 2; drop++) {
            const int code = exit_code("/proc/self/exe", which, drop);
            if (code != (drop ? FOUND : 0)) {
                printf("place %d, %s: exit code %d\n", which, drop ? "dropped" : "held", code);
                bad = 1;
            }
        }
    return bad;
}
