/* p2p: messages between two ranks, matched by ends, tag and size. Private to this room. */
#ifndef NADI_EXECUTOR_P2P_H
#define NADI_EXECUTOR_P2P_H

#include "base/pool.h"
#include "base/time.h"

struct transfer { /* a point-to-point message */
    uint64_t bytes;
    uint32_t channel, owner_kind, a, b; /* who is told when it has arrived */
    uint32_t next;
    nadi_time sent, arrived;
};

struct receive {
    uint32_t channel, owner_kind, a, b, slot;
    uint32_t next;
};

enum owner_kind {               /* and what its a and b are */
                  OWNER_NODE,   /* actor, node */
                  OWNER_CUSTOM, /* run, node */
                  OWNER_PHASE,  /* keyed: block, member */
};

struct channel {
    uint32_t src, dst, tag; /* actors */
    uint32_t edge;          /* folded: which of their peers the two are to each other */
    uint64_t bytes;
    uint32_t src_rank, dst_rank; /* that the actors stand for */
    uint32_t route_there, route_back;
    struct nadi_fifo receives; /* posted, no message yet */
    struct nadi_fifo arrived;  /* transfers that came before their receive */
    struct nadi_fifo held;     /* rendezvous: transfers that wait for the control message */
    uint32_t ready;            /* rendezvous: control messages that wait for a send */
};

struct nadi_system;

void nadi_p2p_init(struct nadi_system *s);
void nadi_p2p_release(struct nadi_system *s);
struct endpoint_pair { /* of a message: actors, and the ranks that they stand for */
    uint32_t src, dst, edge;
    uint32_t src_rank, dst_rank;
};
/* The channel of these ends, made if there is none: others may move in memory. */
uint32_t nadi_p2p_channel(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                          uint64_t bytes);
void nadi_p2p_send(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                   uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b);
void nadi_p2p_recv(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                   uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b);

void nadi_p2p_recv_slot(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                        uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b,
                        uint32_t slot);

#endif
