/* custom: a collective given as one execution trace for each position in its communicator. */
#ifndef NADI_EXECUTOR_CUSTOM_H
#define NADI_EXECUTOR_CUSTOM_H

#include "base/base.h"
#include "trace/trace.h"

struct nadi_custom_algorithm {
    const char *prefix;
    uint64_t bytes; /* size of the traces' collective: messages of others are scaled in proportion;
                       0: all have the traces' sizes */
    struct nadi_trace **by_position; /* rank_count entries, NULL where not needed */
    uint32_t least_members;          /* of the groups that run it */
};

#endif
