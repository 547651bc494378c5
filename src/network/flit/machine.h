/* machine: routers that move flits, cycle by cycle.
 *
 * A packet is a row of flits; its head opens the way, its tail closes it. Routers queue at their
 * inputs, one FIFO for each virtual channel (VC). A head waits for a free VC of the next channel
 * (VC allocation). Then the packet's flits go one a cycle, if the next buffer has room (a credit)
 * and the crossbar is theirs (switch allocation). Both allocations are separable:
 * outputs grant, inputs accept, round robin, and pointers move only past grants that were accepted:
 * iSLIP with one iteration (McKeown, ToN 1999).
 *
 * Cycles of a head in a router that nobody else wants: routing + VC allocation + switch allocation
 * + traversal, then the channel's. Without others a packet of L flits over H routers takes (H -
 * 1)(R + V + S + X + C) + (R + V + S + X + 1) + 2 + (L - 1) cycles from its creation, with channels
 * of one cycle at both ends. A credit returns in the channel's cycles and `credit_delay`.
 *
 * One machine is one thread's. The same packets at the same cycles give the same cycles. Cost: a
 * cycle costs its moving flits and its routers that hold flits; a cycle in which nothing can move
 * is skipped. */
#ifndef NADI_NETWORK_FLIT_MACHINE_H
#define NADI_NETWORK_FLIT_MACHINE_H

#include "network/flit/wiring.h"

struct nadi_flit_machine;
struct nadi_flit_paths;

struct nadi_flit_end { /* of a packet: its tail reached its host */
    uint64_t user;
    uint64_t cycle;
    uint64_t waited; /* cycles, of its head at one output: the most */
    uint32_t where;  /* that output; NADI_NONE: it waited nowhere */
};
/* True: whoever runs the machine must know before the next cycle. */
typedef bool nadi_flit_done_fn(void *context, const struct nadi_flit_end *end);
/* The next packet that host port `port` should inject; false: none at present. */
struct nadi_flit_packet_wish {
    uint32_t src, dst; /* NPUs, may be equal where the path goes by a router */
    uint32_t flits;
    uint64_t user; /* for `done` */
    uint64_t flow; /* packets of one flow go the same way */
};
typedef bool nadi_flit_next_fn(void *context, uint32_t port, struct nadi_flit_packet_wish *wish);

/* For users whose packets repeat themselves as long as nadi_flit_disturb is not called:
 * fast_forward.h. */
struct nadi_flit_repeats {
    /* What the port's further packets depend on, but for amounts. */
    uint32_t (*turn)(void *context, uint32_t port);
    /* Amounts as they are now, into `amounts` (NULL: nowhere); how many. */
    size_t (*amounts)(void *context, uint64_t *amounts);
    void (*learn)(void *context, const uint64_t *before); /* amounts a period ago */
    uint64_t (*room)(void *context);                      /* so many more can pass like it */
    void (*pass)(void *context, uint64_t periods);
};

struct nadi_flit_users {
    void *context;
    nadi_flit_next_fn *next;
    nadi_flit_done_fn *done;
    const struct nadi_flit_repeats *repeats; /* NULL: they do not */
};

struct nadi_flit_port_figures {
    uint64_t flits;                              /* sent */
    uint64_t no_vc, no_credit, lost_arbitration; /* cycles of packets that waited for this output */
    uint64_t held;                               /* of its buffers: for nadi_flit_held */
};

/* All must outlive it. */
struct nadi_flit_machine *nadi_flit_create(const struct nadi_flit_wiring *wiring,
                                           const struct nadi_flit_config *config,
                                           struct nadi_flit_paths *paths,
                                           const struct nadi_flit_users *users) NADI_MUST_USE;
void nadi_flit_destroy(struct nadi_flit_machine *m); /* NULL is allowed */

/* Host port `port` has packets: ask `next` from the cycle of now on until it has none. */
void nadi_flit_wake(struct nadi_flit_machine *m, uint32_t port);

/* What a port's next packets are is no longer what it was. */
void nadi_flit_disturb(struct nadi_flit_machine *m);

uint64_t nadi_flit_cycle(const struct nadi_flit_machine *m); /* the one to run next */
/* Nothing happens until then: cycle >= now. */
void nadi_flit_set_cycle(struct nadi_flit_machine *m, uint64_t cycle);

enum nadi_flit_state {
    NADI_FLIT_RUNS,
    NADI_FLIT_EMPTY, /* no flit is in the network, no host has packets */
    NADI_FLIT_STUCK, /* deadlock: what there is can never move */
    NADI_FLIT_PAUSED /* as RUNS, but it took long: nadi_flit_pause_after */
};

/* From now on nadi_flit_run also returns after so many cycles that were run one by one, of all
 * calls since it last did. 0: never, as at first. */
void nadi_flit_pause_after(struct nadi_flit_machine *m, uint64_t cycles);

/* Runs cycles until `end` (exclusive), or until `done` said true and the cycle is over, or nothing
 * is left. Returns why. Never beyond `end`, except that an empty machine stays where it is. */
enum nadi_flit_state nadi_flit_run(struct nadi_flit_machine *m, uint64_t end);

/* The next cycle at which something can happen, >= now. */
uint64_t nadi_flit_next_cycle(const struct nadi_flit_machine *m);

/* For tests. */
uint32_t nadi_flit_port_count(const struct nadi_flit_machine *m);
const struct nadi_flit_port_figures *nadi_flit_figures(const struct nadi_flit_machine *m);
/* Flits in the buffers of an input port, summed over all cycles before the one to run next. */
uint64_t nadi_flit_held(const struct nadi_flit_machine *m, uint32_t port);
/* Flits in the network: for tests. */
uint64_t nadi_flit_inside(const struct nadi_flit_machine *m);
uint64_t
nadi_flit_skipped(const struct nadi_flit_machine *m); /* cycles that fast_forward.h saved */

/* After NADI_FLIT_STUCK: ports in a circle, each of which waits for the next: at most `most` are
 * written; returns how many there are in the circle. */
uint32_t nadi_flit_circle(const struct nadi_flit_machine *m, uint32_t *ports, uint32_t most);

/* That of a network of the model flit: for tests. */
struct nadi_network;
const struct nadi_flit_machine *nadi_flit_machine_of(const struct nadi_network *net);
/* Credits, buffers and channels agree: for tests. */
bool nadi_flit_is_sound(const struct nadi_flit_machine *m);

#endif
