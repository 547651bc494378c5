/* traffic_inside: the state that traffic.c, traffic_fair.c and traffic_ends.c share. Nothing else
 * includes it. */
#ifndef NADI_MEMORY_TRAFFIC_INSIDE_H
#define NADI_MEMORY_TRAFFIC_INSIDE_H

#include "base/pool.h"
#include "memory/traffic.h"
#include "sharing/share.h"

#include <math.h>

struct request {
    struct nadi_traffic_call call;
    nadi_time issued, began;
    nadi_time since; /* fair: `left` bytes were left then */
    nadi_time end;   /* fair: of its bytes, if nothing changes */
    double left, level, rate, alone_ns;
    double lost_ns; /* to waited_for */
    uint64_t bytes;
    uint32_t waited_for;
    uint32_t held_by; /* fair: the server that holds its level */
    uint32_t demand;  /* fair: NADI_NONE: it has none */
    uint32_t slot;    /* of the heap; NADI_NONE: not there */
    uint32_t next;    /* waiting, or free */
    uint32_t joint;   /* NADI_NONE: it is of one NPU */
    uint8_t parts;    /* of two, bytes and network: not ended */
};

struct joint_request { /* of all NPUs that see a pool */
    struct nadi_traffic_call *calls;
    uint32_t count, left; /* NPUs; of them, those that were not told its end */
    bool same;
    uint32_t next; /* free */
};

struct tier_state { /* an instance */
    struct nadi_tier_use use;
    uint32_t active;
    nadi_time since; /* active > 0 */
    struct nadi_fifo waiting;
};

struct nadi_mem_traffic {
    struct nadi_traffic_setup setup;
    struct nadi_tier_layout layout;
    struct nadi_engine *engine;
    uint32_t *instance_first;  /* by tier: its first state */
    struct tier_state *states; /* by instance */
    struct nadi_server_use *servers;
    nadi_time *free_at; /* by server; fifo */
    NADI_POOL_OF(struct request) requests;
    NADI_POOL_OF(struct joint_request) joints;
    struct {
        uint32_t *items; /* servers of the joint transfer that begins */
        size_t count, capacity;
    } wide;
    uint32_t *times;          /* by server: how often it is there; NULL: no such was made yet */
    struct nadi_share *share; /* fair */
    struct {
        uint32_t *items; /* by demand: its request */
        size_t count, capacity;
    } owner;
    uint32_t *next_demand; /* free ones, by demand */
    size_t next_capacity;
    uint32_t free_demand[NADI_MOST_TIER_SERVERS + 2]; /* by hops; the last: of more */
    struct {
        uint32_t *items; /* requests by their end, earliest first */
        size_t count, capacity;
    } heap;
    struct {
        uint32_t *items; /* ended in one instant */
        size_t count, capacity;
    } ended;
    nadi_time pump_at;
    bool settling;
    uint32_t kind_begin, kind_settle, kind_pump, kind_done;
};

/* traffic.c: a part of the request, its bytes or the network's, has ended. */
void nadi_traffic_part_ends(struct nadi_mem_traffic *t, uint32_t request);

/* traffic_fair.c */
void nadi_traffic_fair_init(struct nadi_mem_traffic *t);
/* servers: of the path, where they are too many for it; NULL: its own. */
void nadi_traffic_fair_begin(struct nadi_mem_traffic *t, uint32_t request,
                             const struct nadi_tier_path *path, const uint32_t *servers);

/* traffic_joint.c: all ends and servers of a joint transfer: servers in t->wide. */
void nadi_traffic_joint_path(struct nadi_mem_traffic *t, const struct joint_request *j,
                             struct nadi_tier_path *path);
/* Its request has ended, or is given up: what was kept of it. */
void nadi_traffic_joint_free(struct nadi_mem_traffic *t, uint32_t joint);

/* traffic_ends.c: the heap */
void nadi_traffic_set_end(struct nadi_mem_traffic *t, uint32_t request, nadi_time end);
void nadi_traffic_take_out(struct nadi_mem_traffic *t, uint32_t request);

#endif
