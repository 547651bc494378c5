/* trail: the messages inside one operation that made it last so long. Private to why/.
 *
 * Where messages meet (aware, flow, packet) each message of the run is known: who sent it when,
 * when it arrived, for how long others held it up and where. Back from the end of a collective on
 * one member: the message of it that arrived there last, to its sender when that was sent, and so
 * on until a member that no message had reached yet, whose own start it was then. The times on the
 * route have no holes and add up. O(log messages of the collective) a message of the trail. */
#ifndef NADI_WHY_TRAIL_H
#define NADI_WHY_TRAIL_H

#include "why/route_latency.h"
#include "why/times.h"

struct nadi_trail_part { /* what the trail spent in a dimension, or waiting for others at a link */
    uint64_t ns, fixed_ns, latency_ns, held_ns; /* but the first as in struct nadi_path_step */
    uint32_t dim;                               /* NADI_NONE: the two ends differ in none */
    uint32_t link; /* index into the result's links; NADI_NONE: not waiting at one */
    bool behind;   /* waiting for earlier messages of the same pair */
};

struct nadi_trail {
    uint32_t rank, node; /* the member with whose start it begins, */
    uint64_t start_ns;   /* at this time */
    double packets_ns;   /* what packets would add to it: why/packets.h */
    struct {
        struct nadi_trail_part *items; /* dimensions ascending, then links */
        size_t count, capacity;
    } parts;
};

struct nadi_trails; /* the messages of a result by operation */

/* NULL: the result has no messages. `t` and `latencies` must outlive it. */
struct nadi_trails *nadi_trails_create(const struct nadi_times *t,
                                       struct nadi_route_latencies *latencies) NADI_MUST_USE;
void nadi_trails_destroy(struct nadi_trails *s); /* NULL is allowed */

/* Of the collective that ends on this member at end_ns; the parts add up to end_ns - start_ns.
 * False: its messages are not known. `trail` is empty or was used before; release it by
 * nadi_mem_free(trail->parts.items). */
bool nadi_trail_collective(struct nadi_trails *s, uint32_t rank, uint32_t node, uint64_t end_ns,
                           struct nadi_trail *trail) NADI_MUST_USE;
/* Of one message of a SEND, from the first time to the second. */
bool nadi_trail_message(struct nadi_trails *s, const struct nadi_flow *f, uint64_t from_ns,
                        uint64_t end_ns, struct nadi_trail *trail) NADI_MUST_USE;

#endif
