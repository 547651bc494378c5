/* cc: congestion control of the packet model: one table of functions a scheme, one file each.
 *
 * A scheme sets a flow's rate (pacing) and, through it or directly, its window. Its state is a
 * zeroed block of state_bytes a flow. Times are the model's ticks (ns in exact mode, else ps). To
 * add a scheme: one file with a const table, and a line in base/congestion.h. */
#ifndef NADI_NETWORK_PACKET_CC_H
#define NADI_NETWORK_PACKET_CC_H

#include "base/base.h"
#include "base/congestion.h"
#include "base/time.h"

struct nadi_pkt;

enum nadi_telemetry { /* what data packets gather on their way and ACKs carry back */
                      NADI_TELEMETRY_NONE,
                      NADI_TELEMETRY_TIME, /* the sender's clock */
                      NADI_TELEMETRY_INT,  /* a record a hop */
                      NADI_TELEMETRY_PINT, /* one byte: the largest utilisation on the way */
};

struct nadi_cc_ack {
    uint32_t seq;    /* packets acknowledged so far */
    uint32_t packet; /* the place of the ACK, for its telemetry */
    bool negative;   /* a NACK */
    bool marked;     /* the data packet met congestion (ECN) */
    bool mark_alone; /* a CNP: nothing is acknowledged */
};

/* A whole number of periods of a steady state is passed over: fast_forward.h. */
struct nadi_cc_forward {
    const void *then; /* the flow's state a period ago */
    uint64_t periods;
    uint32_t packets; /* of the flow, in all of them */
    nadi_time ticks;
    const uint64_t *bytes; /* by port, with INT: that it sends meanwhile */
};

struct nadi_pkt_pen;

struct nadi_cc_ops {
    const char *name;
    const char *summary;
    uint32_t hpcc_mode; /* CC_MODE of the HPCC simulator; 0: not among them */
    enum nadi_telemetry telemetry;
    bool needs_marks;     /* asks for ECN */
    bool needs_window;    /* a bandwidth-delay product to begin with, whatever `window` says */
    bool notifies;        /* the receiver answers marks with CNPs instead of marked ACKs */
    bool steady;          /* while nothing is marked or lost a sender comes to do the same again:
                           * `unchanged`, `write`, `forward` */
    bool rescales;        /* a new rate changes the gap that runs */
    bool full_alone;      /* a flow that meets nothing goes at the rate of its line */
    bool receiver_driven; /* the receiver grants packets; sprayed and trimmed, sent again one by one
                           */
    bool
        arrival_clocked; /* receiver-driven: one pull an arrival, else as demand and credit allow */
    size_t state_bytes;
    size_t multi_rate_bytes; /* instead, where every hop has a rate; 0: as many */
    /* A flow begins; its rate is the line rate and its window the bandwidth-delay product. */
    void (*start)(struct nadi_pkt *net, uint32_t flow);
    /* An ACK, NACK or CNP has arrived; seen before the flow's completion is acted on. */
    void (*on_ack)(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack);
    /* A timer that the scheme set with nadi_pkt_set_timer. */
    void (*on_timer)(struct nadi_pkt *net, uint32_t flow, uint32_t which);
    /* The retransmission timer of the flow has run out. */
    void (*on_timeout)(struct nadi_pkt *net, uint32_t flow);
    /* With `steady`: how many more packets may be acknowledged, none of them marked, before the
     * sender changes by itself. NULL: any number. */
    uint32_t (*unchanged)(const struct nadi_pkt *net, uint32_t flow);
    /* With `steady`: writes the flow's state down as seen from its clock and from what it has had
     * acknowledged, without what has no effect while nothing is marked or lost. NULL: as it is. */
    void (*write)(const struct nadi_pkt *net, uint32_t flow, struct nadi_pkt_pen *pen);
    /* With `steady`: moves it on, before the flow is. NULL: nothing to move. */
    void (*forward)(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_forward *forward);
};

/* What a scheme does not act on. */
void nadi_cc_no_start(struct nadi_pkt *net, uint32_t flow);
void nadi_cc_no_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack);
void nadi_cc_no_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which);
void nadi_cc_no_timeout(struct nadi_pkt *net, uint32_t flow);

#define NADI_CC_DECLARE(id, word) extern const struct nadi_cc_ops nadi_cc_##id;
NADI_CONGESTION_CONTROLS(NADI_CC_DECLARE)
#undef NADI_CC_DECLARE

/* All schemes, NULL-terminated. */
extern const struct nadi_cc_ops *const nadi_cc_all[];
const struct nadi_cc_ops *nadi_cc_find(const char *name); /* NULL if none */
/* Of a CC_MODE: as in the HPCC simulator every unknown mode is "none". */
const struct nadi_cc_ops *nadi_cc_of_mode(uint64_t mode);

#endif
