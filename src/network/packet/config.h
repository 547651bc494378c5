/* config: every knob of the packet model as a value.
 *
 * Times are ps, rates bit/s, sizes bytes. inputs/model_presets.h gives the default model (real
 * headers, picoseconds, constants from each scheme's paper) and what the HPCC simulator takes for
 * absent keys, with the exact mode that is held against it. */
#ifndef NADI_NETWORK_PACKET_CONFIG_H
#define NADI_NETWORK_PACKET_CONFIG_H

#include "base/base.h"

struct nadi_cc_ops;

enum { NADI_MAX_ECN_ROWS = 16 };

struct nadi_ecn_row { /* marking thresholds of ports of one rate */
    uint64_t bits_per_s;
    uint64_t kmin_bytes, kmax_bytes;
    double pmax; /* probability of a mark at kmax; beyond kmax every packet is marked */
};

enum nadi_recovery {
    NADI_RECOVERY_NONE,
    NADI_RECOVERY_GO_BACK_N,
    NADI_RECOVERY_SELECTIVE,
};

enum nadi_spreading { /* which of the shortest paths a packet takes */
                      NADI_SPREADING_NONE,
                      NADI_SPREADING_FLOW,   /* ECMP: a hash of the flow */
                      NADI_SPREADING_PACKET, /* spraying: each packet its own */
};

enum nadi_switching {                      /* when a switch sends a packet on */
                      NADI_SWITCHING_AUTO, /* as exact mode does there, else cutting through */
                      NADI_SWITCHING_CUT_THROUGH, /* with its header: cut_through.c */
                      NADI_SWITCHING_STORE,       /* with all of it */
};

struct nadi_dcqcn_config {
    nadi_time alpha_interval, decrease_interval, increase_interval;
    nadi_time notify_interval; /* least time between two CNPs of a flow; 0: in every ACK */
    uint64_t increase_bytes;   /* acknowledged, for an increase besides the timer's; 0: none */
    uint32_t fast_recovery;    /* rounds */
    bool clamp_target;         /* every decrease moves the target */
};

struct nadi_hpcc_config {
    double target;         /* utilisation */
    uint32_t mi_threshold; /* additive increases before a multiplicative one */
    uint32_t int_multiple; /* coarser units of bytes and queue in the telemetry */
    bool fast_react, multi_rate, sample_feedback;
    double pint_log_base, pint_probability;
};

struct nadi_timely_config {
    nadi_time low, high, least_rtt;
    double alpha, beta;
    uint32_t hyper_after; /* increases before the large step */
};

struct nadi_swift_config {
    nadi_time base_target; /* fabric target of a path without hops */
    nadi_time per_hop;
    double additive; /* packets a round trip */
    double beta, max_decrease;
    double scale_range; /* flow scaling: most extra target, in base targets */
    double scale_min_cwnd, scale_max_cwnd;
};

struct nadi_fault { /* the cables between two nodes change at a time */
    nadi_time at;
    uint32_t a, b; /* nodes of the graph */
    bool up;
};

enum { NADI_PACKET_PAYLOAD = 4096 }; /* bytes of a full packet, where no file says another */

struct nadi_packet_config {
    bool exact; /* as the HPCC simulator: whole ns, 2-byte link header, no RTO, its tie order */
    uint64_t seed;
    const struct nadi_cc_ops *cc;
    /* frames */
    uint32_t payload_bytes;
    uint32_t gap_bytes; /* preamble and gap: on the cable, not in buffers */
    /* host */
    bool window;            /* bounds bytes in flight: the bandwidth-delay product */
    bool window_global;     /* the largest of the network instead of the pair's */
    bool window_variable;   /* scaled by rate / line rate */
    uint64_t window_bytes;  /* not 0: this instead of the product */
    bool rate_bound;        /* pacing at the flow's rate, else at line rate */
    bool ack_first;         /* ACKs in the control class */
    bool ack_first_one_way; /* so where a link is one-way; not in exact mode */
    uint32_t ack_interval_bytes;
    enum nadi_recovery recovery;
    uint32_t chunk_bytes;
    bool back_to_chunk;      /* go back to the chunk's start */
    nadi_time nack_interval; /* between two NACKs for the same packet */
    nadi_time rto;           /* retransmission timeout; 0: none */
    uint32_t retry_limit;    /* timeouts in a row after which a flow is given up; 0: never */
    uint32_t
        reorder_packets; /* selective: how far ahead a packet must be for others to be missing */
    uint32_t nic_pauses; /* pauses that each NIC injects */
    /* switch */
    enum nadi_switching switching;
    bool pfc, ecn;
    uint64_t buffer_bytes, reserve_bytes, resume_bytes;
    bool buffer_grows;        /* to twice a switch's headroom and reserve, not in exact mode */
    uint32_t threshold_shift; /* pause threshold = free pool >> this */
    double headroom_factor;   /* of rate * delay of the port's cable */
    uint32_t ecn_rows;
    struct nadi_ecn_row ecn_map[NADI_MAX_ECN_ROWS]; /* rising rates */
    enum nadi_spreading spreading;
    bool trimming; /* a packet that finds no room loses its payload, not its header */
    uint64_t trim_queue_bytes;
    double loss;               /* probability on every cable, besides its own */
    struct nadi_fault *faults; /* rising times; the caller's */
    size_t fault_count;
    /* congestion control */
    uint64_t min_rate, rate_ai, rate_hai, dctcp_rate_ai;
    double gain; /* EWMA gain of DCQCN and DCTCP */
    struct nadi_dcqcn_config dcqcn;
    struct nadi_hpcc_config hpcc;
    struct nadi_timely_config timely;
    struct nadi_swift_config swift;
    nadi_time stop; /* simulated time at which to give up; 0: never */
    /* Events between two looks for a steady state (fast_forward.h); 0: as many as make looking
     * cheap; UINT64_MAX: nobody looks. No key sets it: nothing but the speed depends on it. */
    uint64_t fast_forward_wait;
};

/* Thresholds of 100 Gb/s in the DCQCN and HPCC papers, scaled with the rate. */
void nadi_packet_config_paper_ecn(struct nadi_packet_config *c);

/* Does each packet take a route of its own? */
bool nadi_packet_config_sprays(const struct nadi_packet_config *c);

/* Of one flow: its packets are numbered with 32 bits. */
uint64_t nadi_packet_most_bytes(const struct nadi_packet_config *c);

/* The thresholds of a port: the row of its rate, else the nearest below, else the first; NULL
 * when the map is empty. */
const struct nadi_ecn_row *nadi_packet_config_ecn(const struct nadi_packet_config *c,
                                                  uint64_t bits_per_s);

#endif
