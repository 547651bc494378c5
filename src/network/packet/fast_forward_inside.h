/* fast_forward_inside: the state that the files of fast_forward.h share. Nothing else includes it.
 */
#ifndef NADI_NETWORK_PACKET_FAST_FORWARD_INSIDE_H
#define NADI_NETWORK_PACKET_FAST_FORWARD_INSIDE_H

#include "network/packet/fast_forward.h"
#include "network/packet/steady.h"

struct nadi_pkt_pace { /* of a flow of the part */
    uint32_t next;     /* at the begin of this window, */
    nadi_time sent;    /* when it had sent the one before */
    double packets;    /* a tick, in the last window */
};

struct nadi_pkt_counted { /* by the ports of a part, then */
    struct nadi_pkt_port_sent sent;
    uint32_t fired;
};

struct nadi_pkt_fast_forward {
    bool watching;         /* else waiting for flows to stop coming and going */
    uint64_t disturbances; /* when last looked */
    uint64_t wait;         /* between two rounds, events */
    uint64_t rest;         /* before the next look while waiting, events */
    uint64_t watch;        /* events that a watch lasts, at most */
    uint64_t watched;      /* events of this watch */
    /* parts, as of the last disturbance; each is watched once a round */
    bool grouped, skipped_now; /* in this round */
    uint32_t parts, round;
    uint32_t *root;   /* by port */
    uint32_t *looked; /* by root: the round in which it was watched last */
    nadi_time *ahead; /* by root: up to when it was fast-forwarded */
    nadi_time *ends;  /* by root, once seen to be steady: until then no flow of it can end */
    struct nadi_pkt_part part;
    /* a flow of the part, and its next packet when last looked */
    uint32_t flow, next, sends;
    uint32_t written, give_up; /* of the sends, those at which the state was; will be no longer */
    /* a state, and what had been counted up to it */
    struct nadi_pkt_state state;
    nadi_time at;
    uint32_t *nexts;                  /* by the part's flows */
    char *schemes;                    /* by the part's flows */
    struct nadi_pkt_counted *counted; /* by the part's ports */
    size_t next_capacity, scheme_capacity;
    struct nadi_pkt_totals totals;
    struct nadi_pkt_pending pending;
    uint64_t skipped;
    nadi_time skipped_to;
    /* nearly_steady.c */
    double error; /* that is allowed, of 1; 0: only what repeats exactly is passed over */
    struct nadi_pkt_pace *paces; /* by the part's flows */
    size_t pace_capacity;
    uint32_t windows; /* of this watch, so far */
};

struct nadi_pkt_moved {
    nadi_time ticks;
    uint32_t *packets; /* by flow */
    uint64_t *bytes;   /* by port, where packets report them; else NULL */
};

struct nadi_pkt_moved nadi_pkt_moved_new(const struct nadi_pkt *net, nadi_time ticks);
void nadi_pkt_moved_release(struct nadi_pkt_moved *by);

/* fast_forward.c */
/* Packets that the flow may still send before its last one, which is like no other, and that may
 * arrive before the last one of the message that arrives now. */
uint32_t nadi_pkt_before_last(const struct nadi_pkt_flow *f);
uint32_t nadi_pkt_before_end(const struct nadi_pkt *net, uint32_t flow);
/* Up to when nothing that has a time of its own, or may come from outside, disturbs the part. Lists
 * all that is pending. */
nadi_time nadi_pkt_undisturbed(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                               nadi_time until);
/* Ticks that an event of a packet may be pending. */
nadi_time nadi_pkt_longest_pending(const struct nadi_pkt *net, const struct nadi_pkt_part *part);
/* Moves flows, their packets and NICs on. */
void nadi_pkt_move_part(struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff,
                        uint64_t periods, const struct nadi_pkt_moved *by);
/* The part is so many ticks ahead: its events, of all that was listed. */
void nadi_pkt_go_ahead(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time ticks);

/* nearly_steady.c: at a send of the watched flow: is the watch over? Fast-forwards if it can. */
bool nadi_pkt_nearly_steady(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                            nadi_time until);

#endif
