/* simgrid: the same flows in SimGrid (Debian's libsimgrid-dev, 3.32), where it is installed: model
 * CM02 with all factors 1 and no cross traffic, that is, max-min fair shares weighted by
 * 1 / latency of the way (Casanova, Marchal, INRIA RR-4596, 2002), 1 each where it is 0. */
#ifndef NADI_TESTS_PEER_SIMGRID_H
#define NADI_TESTS_PEER_SIMGRID_H

#include "base/base.h"

struct peer_link { /* one direction */
    double bytes_per_s, latency_s;
};

struct peer_flow {
    double start_s, bytes;
    uint32_t src, dst;     /* hosts; flows of one pair have the same way */
    const uint32_t *links; /* in order; at least one */
    uint32_t hops;
    double end_s; /* result */
};

struct peer_case {
    const struct peer_link *links;
    struct peer_flow *flows;
    uint32_t host_count, link_count, flow_count;
    bool lazy; /* its default, which recomputes only what changed; now and then a link carries more
                  than it can then, so that comparisons of times do without */
    double window_bytes; /* rate of a flow <= window / (2 latency of the way); 0: unbounded */
    double cpu_s;        /* result: of the simulation proper, without reading the platform */
};

bool peer_simgrid_available(void); /* at build time */
/* In a child process, since SimGrid can simulate one platform a process. False when that fails. */
bool peer_simgrid_run(struct peer_case *c) NADI_MUST_USE;

#endif
