/* unaware: what callers may know because messages never meet: their delay in advance. */
#ifndef NADI_NETWORK_UNAWARE_H
#define NADI_NETWORK_UNAWARE_H

#include "network/network.h"

/* `net` is of model nadi_network_unaware. Delay of one message, ns. */
uint64_t nadi_unaware_delay_ns(struct nadi_network *net, uint32_t route, uint64_t bytes);
/* Enters `messages` messages of this route and size into the counters without sending them. */
void nadi_unaware_count(struct nadi_network *net, uint32_t route, uint64_t bytes,
                        uint64_t messages);

#endif
