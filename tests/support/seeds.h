/* seeds: the seeds of a property test, as its command line asks for them: [CASES [FIRST_SEED]]. */
#ifndef TESTS_SUPPORT_SEEDS_H
#define TESTS_SUPPORT_SEEDS_H

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>

struct seeds {
    uint64_t cases, first;
};

/* What is not asked for stays as it is; false: no numbers, the exit status is 2. */
static inline bool seeds_asked(int argc, char **argv, struct seeds *s)
{
    return (argc < 2 || nadi_str_to_u64(argv[1], &s->cases)) &&
           (argc < 3 || nadi_str_to_u64(argv[2], &s->first));
}

/* How many of the seeds fail, at most 10: with so many it stops. */
static inline uint64_t seeds_fail(const struct seeds *s, bool (*try)(uint64_t seed, void *tally),
                                  void *tally)
{
    uint64_t failed = 0;
    for (uint64_t seed = s->first; seed < s->first + s->cases && failed < 10; seed++)
        failed += !try(seed, tally);
    printf("seeds %" PRIu64 "..%" PRIu64 ": %" PRIu64 " failed\n", s->first,
           s->first + s->cases - 1, failed);
    return failed;
}

#endif
