/* traffic: requests between tiers over time, as events of an engine.
 *
 * A request waits until the tiers at its ends have room for it (in_flight), in order of arrival.
 * `fair`: it waits its path's latency, then its bytes flow at the rate that sharing/ gives it.
 * `fifo`: it takes all servers of its path at once, as early as all have served those before it,
 * and keeps them for its latency and its bytes. What goes through the network is sent there at the
 * same time; the request ends when both have ended. Its NPU is told at the next whole ns.
 *
 * Cost: fair, what nadi_share_solve costs for the levels that change, and a heap of ends; fifo,
 * O(path) and one event. Memory: 128 bytes a request in flight. */
#ifndef NADI_MEMORY_TRAFFIC_H
#define NADI_MEMORY_TRAFFIC_H

#include "engine/engine.h"
#include "memory/tiers.h"

struct nadi_mem_traffic;

struct nadi_traffic_call {
    uint32_t npu;      /* that asks */
    uint32_t from, to; /* tiers; NADI_NONE: the NPU itself */
    uint64_t bytes;
    uint32_t a, b; /* the caller's own */
};

struct nadi_traffic_done { /* a request that has ended */
    struct nadi_traffic_call call;
    nadi_time issued, began; /* began: when the tiers let it in */
    double alone_ns;         /* that it would have taken alone, without the network */
    uint32_t waited_for;     /* server that kept it longest below its rate alone; NADI_NONE: none */
};

struct nadi_traffic_setup {
    const struct nadi_tiers *tiers;
    struct nadi_engine *engine;
    /* A request is done, at the present time, in an event of its NPU. */
    void (*done)(void *context, const struct nadi_traffic_done *done);
    /* Its bytes go through the network, to the tier or from it; then nadi_traffic_arrived. NULL:
     * no link does. */
    void (*remote)(void *context, uint32_t request, const struct nadi_traffic_call *call,
                   uint64_t bytes);
    void *context;
    const uint32_t *users; /* by server: users that one stands for; NULL: 1 each */
    const uint32_t *actor; /* by NPU: of the engine; NULL: the NPU */
};

struct nadi_mem_traffic *nadi_traffic_create(const struct nadi_traffic_setup *setup) NADI_MUST_USE;
void nadi_traffic_destroy(struct nadi_mem_traffic *t); /* NULL is allowed */

void nadi_traffic_request(struct nadi_mem_traffic *t, const struct nadi_traffic_call *call);
void nadi_traffic_arrived(struct nadi_mem_traffic *t, uint32_t request);

/* One transfer of all NPUs that see a pool (tiers.h): what each asks for, by NPU, of the same bytes
 * and ends; copied. It takes a port of the pool, the links to all nodes and NPUs, and each NPU is
 * told by itself. O(count). */
void nadi_traffic_join(struct nadi_mem_traffic *t, const struct nadi_traffic_call *calls,
                       uint32_t count, bool same);

/* ---- what was carried so far --------------------------------------------------------------- */

struct nadi_server_use {
    uint64_t bytes, requests;
    double lost_ns; /* of all requests, while it kept them below their rates alone */
};

struct nadi_tier_use { /* of an instance */
    uint64_t in_bytes, out_bytes, requests;
    double busy_ns; /* with a request in flight */
    double wait_ns; /* of requests, until the tier let them in */
};

const struct nadi_tier_layout *nadi_traffic_layout(const struct nadi_mem_traffic *t);
struct nadi_server_use nadi_traffic_server(const struct nadi_mem_traffic *t, uint32_t server);
/* Instances that no request has touched count too. */
struct nadi_tier_use nadi_traffic_tier(const struct nadi_mem_traffic *t, uint32_t tier,
                                       uint32_t instance);
/* Is something in flight that never ends? */
bool nadi_traffic_endless(const struct nadi_mem_traffic *t);

#endif
