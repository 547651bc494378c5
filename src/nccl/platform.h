/* platform: the hardware that a communication library uses: accelerators in nodes, the fabric of a
 * node, the NICs, and the share of it that each algorithm and protocol reaches.
 *
 * Physical figures do not depend on the number of ranks: one bandwidth and one latency of a link.
 * The algorithm's use of them does (nccl.h).
 *
 * The figures that can be fitted are one array, so that reading, writing, fitting and sampling are
 * loops: `value` by enum nadi_comm_figure. Times ns, rates B/s, shares of 1. */
#ifndef NADI_NCCL_PLATFORM_H
#define NADI_NCCL_PLATFORM_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"
#include "nccl/comm.h"
#include "platform/topology.h"
#include "settings/schema.h"

enum nadi_comm_figure {
    NADI_FIGURE_LAUNCH,      /* of any collective: kernel launch and set-up */
    NADI_FIGURE_HOST_LAUNCH, /* the host's time for it, one rank's: queued calls take no less */
    NADI_FIGURE_ALONE,       /* what a call takes longer that is not one of a queue */
    NADI_FIGURE_HOP_LL,      /* one step inside a node, by protocol */
    NADI_FIGURE_HOP_LL128,
    NADI_FIGURE_HOP_SIMPLE,
    NADI_FIGURE_HOP_SWITCH, /* one reduction in the node's switch (NVLS) */
    NADI_FIGURE_NET_LL,     /* one step between nodes */
    NADI_FIGURE_NET_LL128,
    NADI_FIGURE_NET_SIMPLE,
    NADI_FIGURE_RING, /* shares of the link's rate that an algorithm reaches */
    NADI_FIGURE_TREE,
    NADI_FIGURE_NVLS,
    NADI_FIGURE_DIRECT,
    NADI_FIGURE_LL, /* shares of the algorithm's rate in a protocol */
    NADI_FIGURE_LL128,
    NADI_FIGURE_NET_LL_SHARE, /* between nodes: of what the library's tables allow LL */
    NADI_FIGURE_NIC,          /* share of a NIC's rate */
    NADI_FIGURE_LOCAL,        /* rate at which a rank passes on what is its own */
    NADI_FIGURE_CHANNEL,      /* rate of one channel of a message */
    NADI_FIGURE_RAMP_RING,    /* bytes at which half of the rate is reached (Simple) */
    NADI_FIGURE_RAMP_SWITCH,
    NADI_FIGURE_RAMP_DIRECT,
    NADI_FIGURES
};

enum nadi_comm_generation { /* of the cost tables */
                            NADI_GENERATION_VOLTA,
                            NADI_GENERATION_AMPERE,
                            NADI_GENERATION_HOPPER,
                            NADI_GENERATION_BLACKWELL,
                            NADI_GENERATION_CDNA,
};

enum nadi_comm_transport {                       /* what carries messages between nodes */
                           NADI_TRANSPORT_VERBS, /* InfiniBand, RoCE */
                           NADI_TRANSPORT_EFA,   /* AWS */
                           NADI_TRANSPORT_TCPX,  /* GCP, GPUDirect-TCPX and -TCPXO */
                           NADI_TRANSPORTS
};

struct nadi_comm_interval { /* of a fitted figure */
    enum nadi_comm_figure figure;
    double low, high; /* 95 % */
};

/* Efficiency over size that the figures do not explain: measured / predicted time of one kind on
 * so many ranks, piecewise linear in the logarithm of the size, constant beyond its ends. */
struct nadi_comm_residual {
    enum nadi_comm_kind kind;
    enum nadi_comm_algorithm algorithm; /* of calls that name it; AUTO: of the library's choice */
    bool in_place;
    uint32_t ranks, count;
    double *bytes, *factor;
};

struct nadi_comm_crossover { /* from `bytes` on, one kind on so many ranks takes this */
    enum nadi_comm_kind kind;
    uint32_t ranks;
    double bytes;
    enum nadi_comm_algorithm algorithm;
    enum nadi_comm_protocol protocol;
};

struct nadi_comm_words { /* names, in the arena */
    const char **items;
    uint32_t count;
};

struct nadi_comm_platform {
    const char *name, *source, *device;
    struct nadi_comm_words known_as, instances; /* platform_find.h */
    uint32_t gpus_per_node, nodes, nics;
    uint32_t tree_nics;         /* of them that NVLSTree's trees use; 0: all */
    double link_rate, nic_rate; /* B/s, one direction: all links of an accelerator; one NIC */
    bool mesh;                  /* every pair of a node has its own link, else a switch */
    bool pcie;                  /* the link is a PCIe slot */
    bool rack;                  /* the fabric joins the machines of a rack: a node is a rack */
    bool nvls, sharp;
    double pairs_bytes; /* largest all-reduce of eight ranks that goes by all pairs at once */
    bool algorithm_allowed[NADI_COMM_ALGORITHMS];
    enum nadi_comm_generation generation;
    enum nadi_comm_transport transport;
    uint32_t version;        /* of the library: 2.27 is 227; 0: the usual one */
    bool amd_host, arm_host; /* processors of the host; else Intel's */
    double net_latency_ns;   /* that the network's software tells the library */
    double value[NADI_FIGURES];
    struct nadi_comm_interval *intervals;
    uint32_t interval_count;
    struct nadi_comm_residual *residuals;
    uint32_t residual_count;
    struct nadi_comm_crossover *crossovers;
    uint32_t crossover_count;
};

/* Properties of a figure: its key in a platform file, its unit, its bounds in a fit and its
 * standard deviation (as a factor) from the catalogue's. */
struct nadi_comm_figure_about {
    const char *key, *unit; /* "ns", "GB/s", "B", "" */
    double scale;           /* of the unit: base = written * scale */
    double low, high;       /* base unit */
    double spread;          /* a factor > 1 */
    const char *name;       /* for people */
};
const struct nadi_comm_figure_about *nadi_comm_figure_about(enum nadi_comm_figure figure);

/* A name of the catalogue ("h100-node") or a path. Texts and lists are put into `arena`. */
bool nadi_comm_platform_open(struct nadi_comm_platform *p, const char *name_or_path,
                             struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;
/* With values replaced; changes may be NULL. */
struct nadi_doc_changes;
bool nadi_comm_platform_open_changed(struct nadi_comm_platform *p, const char *name_or_path,
                                     const struct nadi_doc_changes *changes,
                                     struct nadi_arena *arena,
                                     struct nadi_diags *diags) NADI_MUST_USE;
/* The same from a document whose keys were checked (NADI_SCHEMA_PLATFORM). */
bool nadi_comm_platform_read(struct nadi_comm_platform *p, const struct nadi_schema_values *v,
                             struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;
/* The file that gives this platform again. */
void nadi_comm_platform_write(const struct nadi_comm_platform *p, struct nadi_str *out);

/* LL128 needs writes that arrive in order, which only verbs promise. */
bool nadi_comm_transport_ordered(enum nadi_comm_transport transport);

/* The platform's network: a dimension in a node, and with several nodes one between them. A message
 * takes what the library's send and receive take. The caller finishes the topology. */
void nadi_comm_platform_dims(const struct nadi_comm_platform *p, struct nadi_topology *t);
/* For `ranks` ranks on `per_node` accelerators of each node: as many nodes as they need, and where
 * nodes are not used whole that part of their NICs. */
void nadi_comm_platform_resize(struct nadi_comm_platform *p, uint32_t per_node, uint32_t ranks);
/* A fabric that connects `domain` accelerators, where that is fewer; the NICs in proportion. 0: as
 * it is. */
void nadi_comm_platform_shrink(struct nadi_comm_platform *p, uint32_t domain);

/* The rates of the group's part of a node, B/s: one direction out of each accelerator, and out of
 * all NICs that `per_node` accelerators have. */
double nadi_comm_link_rate(const struct nadi_comm_platform *p, uint32_t per_node);
double nadi_comm_nic_rate(const struct nadi_comm_platform *p, uint32_t per_node);

#endif
