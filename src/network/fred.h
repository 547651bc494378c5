/* fred: how the switches of a network of Fred switches are configured (fabric/fred.h). Private to
 * the network model `fabric` (fabric_model.c).
 *
 * A cable is as many slots as it carries of the fastest NPU's cable; a slot carries one message at
 * a time, and each slot is a port of the switch at each end. Messages that pass a switch are
 * unicasts there; those of one operation that end at a switch and begin there are one flow, what
 * comes from below and goes up, and what comes from above and goes down, apart: at the top of a
 * tree they are one. A set of flows is allowed where nadi_fred_route routes it. Verdicts are kept:
 * sets recur. */
#ifndef NADI_NETWORK_FRED_H
#define NADI_NETWORK_FRED_H

#include "base/map.h"
#include "fabric/route.h"
#include "platform/graph.h"

enum { NADI_FRED_SET_STEPS = 20000 }; /* of the search for one set */

struct nadi_fred_switch {
    uint32_t node, ports, fred; /* fred: of the models, by ports and middle networks */
    uint64_t *in, *out;         /* by port: the flow there, 0: none */
};

struct nadi_fred_verdicts { /* of one size of switch */
    struct nadi_fred f;
    struct nadi_map64 known; /* hash of a set -> its place in sets */
    struct {
        uint8_t **items; /* the verdict, then both sides by port */
        size_t count, capacity;
    } sets;
};

struct nadi_fred_switches {
    const struct nadi_graph *g;
    uint32_t *of_node;    /* by node: its switch, NADI_NONE */
    uint32_t *slots;      /* by channel */
    uint32_t *first_slot; /* by channel, into slot_owner */
    uint32_t *port;       /* by channel and end: first port of its slots at that switch */
    uint32_t *slot_owner; /* who has it; NADI_NONE: nobody */
    struct nadi_fred_switch *items;
    uint32_t count;
    struct nadi_fred_verdicts *freds;
    uint32_t fred_count;
};

/* NULL, or why the network is none of Fred switches. */
const char *nadi_fred_switches_refuse(const struct nadi_graph *g);
void nadi_fred_switches_init(struct nadi_fred_switches *s, const struct nadi_graph *g);
void nadi_fred_switches_release(struct nadi_fred_switches *s);

/* What one message has at one switch. */
struct nadi_fred_use {
    uint32_t sw;      /* switch */
    uint32_t in, out; /* ports; NADI_NONE: it begins, or ends, there */
    uint64_t flow;    /* not 0 */
};

/* Takes the ports, and says whether the switch can route what it then has; if not they are left. */
bool nadi_fred_take(struct nadi_fred_switches *s, const struct nadi_fred_use *use) NADI_MUST_USE;
void nadi_fred_leave(struct nadi_fred_switches *s, const struct nadi_fred_use *use);

/* Flows: of a message that passes; of an operation at a switch, below and above it. */
static inline uint64_t nadi_fred_flow_passing(uint32_t message)
{
    return (UINT64_C(1) << 62) + message;
}

static inline uint64_t nadi_fred_flow_joined(uint32_t op, bool above)
{
    return 2 * (uint64_t)op + 2 + above;
}

#endif
