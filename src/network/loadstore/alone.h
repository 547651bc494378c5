/* alone: lines of each protocol, and how long a message takes when no other meets it.
 *
 * With n lines on k units, each at most W of them unanswered:
 *
 *     period = max(line / bandwidth of the slowest link, line / (k x rate of a unit))
 *     stream = (n - 1) period, where an answer is back before k W lines have gone; else
 *              floor((n - 1) / (k W)) round trips + ((n - 1) mod (k W)) period
 *     LL, LL128: way + stream + poll; simple: round trip + stream + fence + way of the flag + poll
 *
 * where a way is out of the device, over the links, and into the other's memory. Within a line or
 * two for each unit of what the model simulates. */
#ifndef NADI_NETWORK_LOADSTORE_ALONE_H
#define NADI_NETWORK_LOADSTORE_ALONE_H

#include "network/loadstore/config.h"

struct nadi_loadstore_route { /* from the source to the destination, or back */
    double latency_ns;
    double slowest;       /* bytes/ns of the slowest link */
    double ns_a_byte_sum; /* of all links: a line is forwarded when it is there */
};

/* Lines of a message; data of a full line. */
uint64_t nadi_loadstore_lines(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                              uint64_t bytes);
uint32_t nadi_loadstore_data(const struct nadi_loadstore_config *c, enum nadi_protocol protocol);
/* Bytes of a store or answer with so much data, without header. */
uint32_t nadi_loadstore_stored(enum nadi_protocol protocol, uint32_t data);

/* ns */
double nadi_loadstore_alone(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                            const struct nadi_loadstore_route *there,
                            const struct nadi_loadstore_route *back, uint64_t bytes);
/* Does it wait for answers, where no other meets it? */
bool nadi_loadstore_runs_out(const struct nadi_loadstore_config *c, enum nadi_protocol protocol,
                             const struct nadi_loadstore_route *there,
                             const struct nadi_loadstore_route *back, uint64_t bytes);
/* The configured protocol, or with `auto` the one that is fastest alone. */
enum nadi_protocol nadi_loadstore_choose(const struct nadi_loadstore_config *c,
                                         const struct nadi_loadstore_route *there,
                                         const struct nadi_loadstore_route *back, uint64_t bytes);

#endif
