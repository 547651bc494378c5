/* model_inside: the state that the files of the packet network (model.c) share. Nothing else
 * includes it. */
#ifndef NADI_NETWORK_PACKET_MODEL_INSIDE_H
#define NADI_NETWORK_PACKET_MODEL_INSIDE_H

#include "base/map.h"
#include "base/pool.h"
#include "network/connections.h"
#include "network/message_log.h"
#include "network/network.h"
#include "network/packet/carried.h"
#include "network/packet/ends.h"
#include "network/packet/packet.h"
#include "network/packet/pauses.h"

struct delivery { /* of a message that was sent */
    uint64_t bytes;
    uint32_t src, dst;
    uint32_t kind, a, b, c;
    uint32_t connection; /* NADI_NONE: in none */
    uint32_t next;       /* free list */
    uint32_t input;      /* where parts recall: the n-th message since its part rested, */
    bool again;          /* one that was delivered before */
    nadi_time arrives;   /* where it is timed (lone.h), ticks; else never */
};

struct queue_pair { /* of a connection */
    uint32_t idle;  /* its open flows that have sent everything: the first; NADI_NONE: none */
    uint16_t sport;
    uint32_t part, route; /* where parts recall (recall.h); part NADI_NONE: not known */
    uint64_t segment;     /* of the part, in which it was given something last, */
    uint32_t number;      /* as the n-th of its connections */
    /* where messages are logged: what it was given to send since it had something, and when */
    uint64_t busy_packets, busy_bytes;
    nadi_time busy_since; /* ticks */
};

struct packet {
    struct nadi_network base;
    struct nadi_pkt *net;
    struct nadi_pkt_ends *ends; /* NULL: no messages to switches */
    uint32_t npu_count, dim_count;
    uint32_t link_count; /* of the graph without hosts at switches */
    uint32_t kind_pump;
    nadi_time pump_at;   /* NADI_TIME_NEVER: not scheduled */
    nadi_time limit;     /* ticks: how far packets may go now */
    uint32_t marked;     /* engine event whose marker was met last */
    uint32_t *marker_of; /* by engine event: its marker's number */
    size_t marker_capacity;
    uint32_t markers; /* numbers given so far */
    NADI_POOL_OF(struct delivery) deliveries;
    struct { /* without a route at present, in the order in which they came */
        uint32_t *items;
        size_t count, capacity;
    } stranded;
    struct nadi_connections connections;
    struct nadi_map64 pairs; /* src << 32 | dst -> number */
    struct {
        struct queue_pair *items; /* by connection */
        size_t count, capacity;
    } queue_pairs;
    struct nadi_pkt_pauses pauses;
    struct nadi_pkt_carried carried;
    struct nadi_pkt_recall *recall; /* NULL: nothing is recalled */
    struct nadi_pkt_lone *lone;     /* NULL: nothing is timed */
    bool anew;            /* telemetry and random numbers begin anew when a part does: recall.h */
    uint32_t trigger;     /* event of packets inside of which others happen; BEHIND_PACKETS: none */
    uint64_t context;     /* changes with each event of the engine, and each delivery */
    bool handles;         /* packets' events are being handled; */
    nadi_time handled_to; /* all those up to this tick were */
    uint32_t in_flight;   /* messages */
    bool looks;           /* a look is due */
    nadi_time begun;      /* the first message since there was none; ps */
};

/* model.c: a message is delivered, inside an event of packets. */
void nadi_pkt_model_deliver(struct packet *p, uint32_t index, uint32_t event);
/* Follows an event of the engine. */
void nadi_pkt_model_scheduled(void *context, uint32_t event, nadi_time at);

/* model_repeat.c: see ops.h; and the engine's clock has moved on while the network was at rest. */
bool nadi_pkt_model_rest(struct nadi_network *base, struct nadi_network_counts *state);
void nadi_pkt_model_count(struct nadi_network *base, struct nadi_network_counts *counts);
void nadi_pkt_model_repeat(struct nadi_network *base, const uint64_t *then, uint64_t times);
void nadi_pkt_model_moved(void *context, nadi_time by);

/* model_queue_pairs.c */
/* The connection of a message that is sent now; NADI_NONE: of none that is kept. */
uint32_t nadi_pkt_queue_pair_of(struct packet *p, const struct nadi_message *m);
/* The flow that carries a message, if no open one does: which route it takes depends on all of it.
 */
struct nadi_pkt_flow_spec nadi_pkt_queue_pair_spec(const struct packet *p, uint32_t index);
/* The message's packets may leave from now on. */
void nadi_pkt_queue_pair_inject(struct packet *p, uint32_t index);
/* It could not until now because of those before it: noted where that is asked for. They went by
 * this flow, and the link at which it found most before it had a part in the wait: what they took
 * longer than alone. NADI_NONE: they found nobody. */
void nadi_pkt_queue_pair_waited(struct packet *p, uint32_t index, uint32_t flow);
/* Messages that have no route, or wait for such a one. */
uint64_t nadi_pkt_queue_pair_stranded(const struct packet *p);
/* Hooks of the network. */
void nadi_pkt_queue_pair_sent(void *context, struct nadi_pkt *net, uint32_t flow);
void nadi_pkt_queue_pair_closed(void *context, struct nadi_pkt *net, uint32_t flow);

#endif
