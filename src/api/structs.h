/* structs: the shorthands in which structs*.c say what may be set in each struct that callers fill.
 * A range is that of the argument by itself; what depends on others is checked where it is used. */
#ifndef NADI_API_STRUCTS_H
#define NADI_API_STRUCTS_H

#include "api/argument.h"
#include "api/run_settings.h"

#include <float.h>

#define ANY_U32   0, UINT32_MAX
#define ANY_U64   0, UINT64_MAX
#define REAL_MOST DBL_MAX
#define RANKS     1, INT32_MAX
#define SCALE     0, NADI_MOST_SCALE
#define QUEUES    1, NADI_MOST_QUEUES
#define BYTES     0, (UINT64_C(1) << 62)              /* two of them can be added */
#define TIME      0, ((uint64_t)NADI_TIME_MAX / 1000) /* ns that are a count of picoseconds */

#define TABLE(name_, init_)                                                                        \
    static void init_##name_(void *options)                                                        \
    {                                                                                              \
        init_(options);                                                                            \
    }                                                                                              \
    const struct nadi_struct name_##_struct = {#name_, sizeof(struct name_), init_##name_, #init_, \
                                               name_##_members}

#endif
