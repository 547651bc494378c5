/* message_entry: one message of a run as the log (message_log.h) keeps it. */
#ifndef NADI_NETWORK_MESSAGE_ENTRY_H
#define NADI_NETWORK_MESSAGE_ENTRY_H

#include "base/base.h"

struct nadi_message_entry {
    nadi_time sent, arrived; /* ps; arrived -1: not yet */
    uint64_t bytes;
    uint32_t waited_ns;  /* for others, at links, in all, behind earlier messages of its own
                            connection that waited there too; at most 2^32 - 1 */
    uint32_t longest_ns; /* of it, at the link below */
    uint32_t queued_ns;  /* for earlier messages of its own connection; not in the above */
    uint32_t src, dst;
    uint32_t op;   /* of struct nadi_message */
    uint32_t link; /* number of the model's; NADI_NONE: it waited at none */
};

#endif
