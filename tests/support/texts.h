/* texts: two texts that should be the same, from their first different lines on. */
#ifndef NADI_TESTS_TEXTS_H
#define NADI_TESTS_TEXTS_H

#include <setjmp.h>

#include <cmocka.h>

/* The test fails where they differ; of[]: what each is. */
static inline void assert_same_texts(uint64_t seed, const char *const of[2], const char *a,
                                     const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    if (a[at] == b[at])
        return;
    while (at > 0 && a[at - 1] != '\n')
        at--;
    fail_msg("seed %" PRIu64 ": %s\n%.300s\n%s\n%.300s", seed, of[0], a + at, of[1], b + at);
}

#endif
