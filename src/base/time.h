/* time: arithmetic of times, durations and counts, which inputs can make arbitrarily large.
 *
 * Nothing here wraps. A time or duration that the type cannot hold, or that is not a number, is
 * NADI_TIME_NEVER; it stays so in every further sum or product, and the engine never reaches it: a
 * run that needs it ends with the error that it is beyond the clock's range. Durations in
 * nanoseconds are uint64_t up to NADI_NS_NEVER, the same number, so that an int64_t holds them too:
 * int64_t counts of nanoseconds may use the nadi_time_ functions. Counts of bytes, messages and the
 * like stay at UINT64_MAX (nadi_is_most). All arguments but doubles are at least 0, subtrahends at
 * most what they are taken from.
 *
 * Products and sums of such values, and conversions of double to them, are made here only
 * (tools/check-time). Cost: the operation and a branch that is never taken. */
#ifndef NADI_BASE_TIME_H
#define NADI_BASE_TIME_H

#include "base/base.h"

#define NADI_TIME_NEVER NADI_TIME_MAX
#define NADI_NS_NEVER   ((uint64_t)INT64_MAX)
#define NADI_PS_PER_S   1e12

__extension__ typedef unsigned __int128 nadi_u128;

/* ---- times --------------------------------------------------------------------------------- */

static inline bool nadi_time_is_never(nadi_time t)
{
    return t == NADI_TIME_NEVER;
}

static inline nadi_time nadi_time_add(nadi_time a, nadi_time b)
{
    nadi_time sum;
    return NADI_UNLIKELY(__builtin_add_overflow(a, b, &sum)) ? NADI_TIME_NEVER : sum;
}

/* Never stays never. */
static inline nadi_time nadi_time_sub(nadi_time a, nadi_time b)
{
    return NADI_UNLIKELY(a == NADI_TIME_NEVER) ? a : a - b;
}

/* NADI_TIME_NEVER times 0 is 0. */
static inline nadi_time nadi_time_mul(nadi_time t, uint64_t times)
{
    nadi_time product;
    return NADI_UNLIKELY(__builtin_mul_overflow(t, times, &product)) ? NADI_TIME_NEVER : product;
}

/* t * times / by, exact in between, rounded down; by > 0. */
static inline nadi_time nadi_time_mul_div(nadi_time t, uint64_t times, uint64_t by)
{
    const nadi_u128 whole = (nadi_u128)(uint64_t)t * times / by;
    return t == NADI_TIME_NEVER || whole >= (uint64_t)NADI_TIME_NEVER ? NADI_TIME_NEVER
                                                                      : (nadi_time)whole;
}

/* Rounded down, below 0 to 0. */
static inline nadi_time nadi_time_trunc(double ps)
{
    if (NADI_LIKELY(ps < 0x1p63))
        return ps > 0 ? (nadi_time)ps : 0;
    return NADI_TIME_NEVER; /* NaN is not less either */
}

/* To the nearest picosecond. */
static inline nadi_time nadi_time_round(double ps)
{
    return nadi_time_trunc(ps + 0.5);
}

static inline nadi_time nadi_time_from_ns(uint64_t ns)
{
    return nadi_time_mul(NADI_PS_PER_NS, ns);
}

/* To the nearest picosecond. */
static inline nadi_time nadi_time_of_ns(double ns)
{
    return nadi_time_round(ns * (double)NADI_PS_PER_NS);
}

/* Rounded down to the picosecond. */
static inline nadi_time nadi_time_trunc_ns(double ns)
{
    return nadi_time_trunc(ns * (double)NADI_PS_PER_NS);
}

static inline double nadi_time_in_ns(nadi_time t)
{
    return (double)t / (double)NADI_PS_PER_NS;
}

/* Rounded down. */
static inline uint64_t nadi_time_to_ns(nadi_time t)
{
    return NADI_UNLIKELY(t == NADI_TIME_NEVER) ? NADI_NS_NEVER : (uint64_t)(t / NADI_PS_PER_NS);
}

/* ---- durations in nanoseconds -------------------------------------------------------------- */

static inline uint64_t nadi_ns_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return NADI_UNLIKELY(__builtin_add_overflow(a, b, &sum) || sum > NADI_NS_NEVER) ? NADI_NS_NEVER
                                                                                    : sum;
}

static inline uint64_t nadi_ns_mul(uint64_t ns, uint64_t times)
{
    uint64_t product;
    return NADI_UNLIKELY(__builtin_mul_overflow(ns, times, &product) || product > NADI_NS_NEVER)
               ? NADI_NS_NEVER
               : product;
}

/* Rounded down, below 0 to 0. */
static inline uint64_t nadi_ns_trunc(double ns)
{
    return (uint64_t)nadi_time_trunc(ns);
}

static inline uint64_t nadi_ns_round(double ns)
{
    return (uint64_t)nadi_time_round(ns);
}

/* Is it beyond the clock's range? */
static inline bool nadi_ns_is_beyond(uint64_t ns)
{
    return ns > (uint64_t)(NADI_TIME_NEVER / NADI_PS_PER_NS);
}

/* As an int64_t count of nanoseconds. */
static inline int64_t nadi_ns_signed(uint64_t ns)
{
    return (int64_t)(ns < NADI_NS_NEVER ? ns : NADI_NS_NEVER);
}

/* ---- counts -------------------------------------------------------------------------------- */

/* Is it the maximum count, so that the true value may be larger? */
static inline bool nadi_is_most(uint64_t count)
{
    return count == UINT64_MAX;
}

static inline uint64_t nadi_count_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return NADI_UNLIKELY(__builtin_add_overflow(a, b, &sum)) ? UINT64_MAX : sum;
}

static inline uint64_t nadi_count_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return NADI_UNLIKELY(__builtin_mul_overflow(a, b, &product)) ? UINT64_MAX : product;
}

/* What has grown from `then` to `now` grows so much so many times more. */
static inline uint64_t nadi_count_repeat(uint64_t now, uint64_t then, uint64_t times)
{
    return nadi_count_add(now, nadi_count_mul(now - then, times));
}

/* The same of a time; `then` is one, too. */
static inline nadi_time nadi_time_repeat(nadi_time now, uint64_t then, uint64_t times)
{
    return nadi_time_add(now, nadi_time_mul(nadi_time_sub(now, (nadi_time)then), times));
}

/* a * b / by, exact in between, rounded down; by > 0. */
static inline uint64_t nadi_count_mul_div(uint64_t a, uint64_t b, uint64_t by)
{
    const nadi_u128 whole = (nadi_u128)a * b / by;
    return whole < UINT64_MAX ? (uint64_t)whole : UINT64_MAX;
}

/* Rounded down, below 0 to 0. */
static inline uint64_t nadi_count_trunc(double count)
{
    if (NADI_LIKELY(count < 0x1p64))
        return count > 0 ? (uint64_t)count : 0;
    return UINT64_MAX;
}

/* Rounded down; `most`, which is below 2^63, where it is more. Not below 0. One instruction less.
 */
static inline uint64_t nadi_count_trunc_to(double count, uint64_t most)
{
    return count < (double)(int64_t)most ? (uint64_t)(int64_t)count : most;
}

/* Rounded towards 0, of either sign. */
static inline int64_t nadi_signed_trunc(double number)
{
    return number <= -0x1p63 ? INT64_MIN : number < 0 ? (int64_t)number : nadi_time_trunc(number);
}

static inline uint64_t nadi_count_round(double count)
{
    return nadi_count_trunc(count + 0.5);
}

/* Where the value stands, of `count` sorted ones, below which a part of them lies: the nearest to
 * that part of the way from the first to the last. Of few values a high part is the last one. */
static inline size_t nadi_quantile_index(size_t count, double part)
{
    return count ? (size_t)nadi_count_round(part * (double)(count - 1)) : 0;
}

/* Rounded down. A factor of exactly 1 leaves values beyond 2^53 as they are. */
static inline uint64_t nadi_count_scale(uint64_t count, double factor)
{
    if (!(factor < 1) && !(factor > 1))
        return count;
    return nadi_count_trunc((double)count * factor);
}

#endif
