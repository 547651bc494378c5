/* model_inside: the flit model's messages. Private to model*.c. */
#ifndef NADI_NETWORK_FLIT_MODEL_INSIDE_H
#define NADI_NETWORK_FLIT_MODEL_INSIDE_H

#include "base/map.h"
#include "base/pool.h"
#include "base/time.h"
#include "network/connections.h"
#include "network/flit/machine.h"
#include "network/flit/paths.h"
#include "network/network.h"

struct delivery {
    uint64_t bytes;
    uint64_t left;    /* bytes that are in no packet yet */
    uint64_t packets; /* that have not arrived */
    uint64_t waited;  /* cycles, of one packet's head at one output, or for its turn: the most */
    uint64_t since;   /* flits of its port until its last turn, or until it began */
    uint64_t each;    /* steady: bytes that go in a period */
    nadi_time sent;
    uint32_t where;
    uint32_t src, dst, connection;
    uint32_t kind, a, b, c;
    uint32_t next; /* at the port, a ring; or the next free one */
};

struct flit {
    struct nadi_network base;
    uint32_t npu_count, dim_count;
    struct nadi_flit_config config;
    struct nadi_flit_wiring wiring;
    struct nadi_flit_paths *paths;
    struct nadi_flit_machine *machine;
    double cycle_ps;
    uint64_t payload; /* bytes of a full packet */
    NADI_POOL_OF(struct delivery) deliveries;
    uint32_t *turns; /* by port: the message that had its turn last; NADI_NONE: none goes */
    uint64_t *went;  /* by port: flits that messages had for it */
    struct nadi_connections connections;
    struct nadi_map64 pairs; /* src << 32 | dst -> number */
    uint32_t pair_count;
    uint32_t *steps;
    uint32_t kind_pump, pump_number;
    nadi_time pump_at;    /* NADI_TIME_NEVER: none is scheduled */
    uint64_t *seen_flits; /* by port, at the last look */
    uint64_t seen_at;     /* cycle */
    uint64_t *port_messages;
    uint64_t in_flight;
};

static inline nadi_time nadi_flit_time(const struct flit *f, uint64_t cycle)
{
    return nadi_time_round((double)cycle * f->cycle_ps);
}

/* model_counters.c: what links carry. The cycle of the next look at it, for what is told over time,
 * and the look. */
uint64_t nadi_flit_next_look(const struct flit *f);
void nadi_flit_look(struct flit *f, uint64_t cycle);
void nadi_flit_counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                        void *context);

#endif
