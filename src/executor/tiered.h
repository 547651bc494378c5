/* tiered: memory requests of the nodes to tiers: traffic, stock, what goes through the network.
 * Private to executor. */
#ifndef NADI_EXECUTOR_TIERED_H
#define NADI_EXECUTOR_TIERED_H

#include "executor/system.h"

struct nadi_tiered *nadi_tiered_create(struct nadi_system *s) NADI_MUST_USE;
void nadi_tiered_destroy(struct nadi_tiered *t); /* NULL is allowed */
void nadi_tiered_request(struct nadi_tiered *t, uint32_t actor, uint32_t node,
                         const struct nadi_memory_call *call);

#endif
