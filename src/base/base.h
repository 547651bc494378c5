/* base: what every room may use. Fixed-width integers, the units of time, attributes, assertions.
 *
 * Time is a signed 64-bit count of picoseconds (range 106 days). Models that follow the reference
 * truncate to whole nanoseconds themselves and say where. */
#ifndef NADI_BASE_BASE_H
#define NADI_BASE_BASE_H

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NADI_MUST_USE     __attribute__((warn_unused_result))
#define NADI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NADI_LIKELY(x)    __builtin_expect(!!(x), 1)
#define NADI_UNLIKELY(x)  __builtin_expect(!!(x), 0)

typedef int64_t nadi_time; /* picoseconds */

#define NADI_PS_PER_NS ((nadi_time)1000)
#define NADI_TIME_MAX  INT64_MAX  /* NADI_TIME_NEVER of base/time.h */
#define NADI_NONE      UINT32_MAX /* "no such index" for every 32-bit index */

/* Our own defect, never the user's mistake: leaves for the innermost guard (base/guard.h) with the
 * place. */
#define NADI_BUG(...) nadi_bug(__FILE__, __LINE__, __VA_ARGS__)
#define NADI_ASSERT(x)                                                                             \
    do {                                                                                           \
        if (NADI_UNLIKELY(!(x)))                                                                   \
            NADI_BUG("assertion failed: %s", #x);                                                  \
    } while (0)

_Noreturn void nadi_bug(const char *file, int line, const char *format, ...) NADI_PRINTF(3, 4);

static inline uint64_t nadi_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t nadi_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t nadi_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t nadi_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline int64_t nadi_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t nadi_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#include "base/banned.h"
#endif
