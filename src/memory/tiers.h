/* tiers: the memories of a cluster as a graph: tiers, the links to them, who sees what.
 *
 * A tier has an instance for each NPU, node, rack or for all (its scope). An instance has `ports`,
 * over which its NPUs are spread evenly; a port reads and writes at once, or in turn (half duplex).
 * A link leads away from the NPUs: from an NPU or a tier to the next tier. Links whose users share
 * them are channels (`lanes` in the file): so many servers in each instance of the tier they lead
 * to, spread over its NPUs.
 *
 * A request of S bytes alone takes the latencies of both ends and of the links between them, and S
 * over the lowest rate: of a read port, of links, of a write port. The rate of a port depends on
 * the request's size by a table of steps. Requests of one step together have at most the port's
 * rate at that step, all together at most its full rate.
 *
 * Ports and channels are servers, numbered for a run by nadi_tier_layout. */
#ifndef NADI_MEMORY_TIERS_H
#define NADI_MEMORY_TIERS_H

#include "base/base.h"

enum nadi_tier_class {
    NADI_TIER_G1, /* memory of the NPU */
    NADI_TIER_G2, /* of the host, or CXL */
    NADI_TIER_G3, /* SSD */
    NADI_TIER_G35,
    NADI_TIER_G4, /* remote store */
    NADI_TIER_CLASSES
};

enum nadi_tier_medium {
    NADI_MEDIUM_HBM,
    NADI_MEDIUM_DDR,
    NADI_MEDIUM_CXL,
    NADI_MEDIUM_NVME,
    NADI_MEDIUM_NETWORK,
    NADI_MEDIUMS
};

enum nadi_tier_scope {
    NADI_SCOPE_NPU,
    NADI_SCOPE_NODE,
    NADI_SCOPE_RACK,
    NADI_SCOPE_SYSTEM,
    NADI_SCOPES
};

enum nadi_tier_sharing {
    NADI_SHARING_FAIR, /* requests share servers max-min fairly */
    NADI_SHARING_FIFO, /* a server has one request at a time, in order of arrival */
};

enum nadi_tier_full { /* what a request for space does that a tier does not have */
                      NADI_FULL_ERROR,
                      NADI_FULL_STALL, /* waits until others give back */
                      NADI_FULL_NEXT,  /* takes it from the next tier of the file */
                      NADI_FULL_EVICT, /* what was used longest ago is written to the next tier */
};

enum nadi_tier_absent {
    NADI_ABSENT_ERROR,
    NADI_ABSENT_STALL
}; /* a block is not where it is read */

enum {
    NADI_MOST_TIERS = 32,
    NADI_MOST_TIER_LINKS = 64,
    NADI_MOST_TIER_STEPS = 8,
    NADI_MOST_TIER_SERVERS = 24, /* of a path */
};

struct nadi_tier_step { /* requests of at least so many bytes have this share of the bandwidth */
    uint64_t bytes;
    double share;
};

struct nadi_mem_tier {
    const char *name;
    enum nadi_tier_class class;
    enum nadi_tier_medium medium;
    enum nadi_tier_scope scope;
    uint64_t capacity_bytes;      /* of an instance, all its groups; UINT64_MAX: any */
    double read_rate, write_rate; /* bytes/ns of one group; infinite: never too slow */
    double latency_ns;
    double write_more_ns;   /* of latency when it is written; may be negative */
    uint64_t granule_bytes; /* requests move whole ones */
    uint32_t ports, groups;
    uint32_t in_flight; /* requests of an instance; 0: any number */
    bool half_duplex;
    bool unshared; /* with fifo: every request has a port of its own */
    bool numbered; /* its instances are called NAME:0, NAME:1, ... too */
    struct nadi_tier_step steps[NADI_MOST_TIER_STEPS]; /* by falling size, the last of 0 */
    uint32_t step_count;                               /* 0: all have the whole bandwidth */
    enum nadi_tier_full full;
    uint32_t first_npu, last_npu; /* those that see it */
    uint32_t link;                /* to it, from the NPUs' side; NADI_NONE: none */
    bool remote;                  /* a link on the way goes through the network */
    uint64_t chunk_bytes;         /* of a hierarchical pool: what a group moves at a time; else 0 */
    uint32_t switches;            /* of a hierarchical pool: out-node switches */
};

struct nadi_tier_link {
    uint32_t from; /* a tier; NADI_NONE: the NPU */
    uint32_t to;
    double rate; /* bytes/ns; infinite where it goes through the network */
    double latency_ns;
    uint32_t channel_set;
    bool through_network;
    bool two_sets;       /* its bytes cross a second set of channels too, */
    uint32_t second_set; /* this one; `rate` is of the first */
};

struct nadi_channel_set { /* servers of a link, or of several that share them */
    const char *name;
    enum nadi_tier_scope scope;
    uint32_t channels; /* in each instance of the scope */
    double rate;       /* bytes/ns each way */
};

struct nadi_tiers {
    struct nadi_mem_tier *tiers;
    struct nadi_tier_link *links;
    struct nadi_channel_set *channel_sets;
    uint32_t tier_count, link_count, channel_set_count;
    uint32_t npus_per_node, nodes_per_rack;
    uint32_t node_count; /* what npus_per_node follows from; 0: it is given */
    bool one_ended;      /* a request takes the tier that it names alone, never the NPU's own */
    enum nadi_tier_sharing sharing;
    enum nadi_tier_absent absent;
    uint32_t preset; /* tier of memory nodes that name none; NADI_NONE: there is no such */
    uint32_t npu_count;
};

/* Words of the file, by value; NULL-terminated. */
extern const char *const nadi_tier_class_words[NADI_TIER_CLASSES + 1];
extern const char *const nadi_tier_medium_words[NADI_MEDIUMS + 1];
extern const char *const nadi_tier_scope_words[NADI_SCOPES + 1];

/* NPUs of an instance of the scope; instances of it. */
uint32_t nadi_tiers_span(const struct nadi_tiers *t, enum nadi_tier_scope scope);
uint32_t nadi_tiers_instances(const struct nadi_tiers *t, enum nadi_tier_scope scope);
static inline uint32_t nadi_tiers_instance(const struct nadi_tiers *t, uint32_t tier, uint32_t npu)
{
    return npu / nadi_tiers_span(t, t->tiers[tier].scope);
}

/* The groups of a tier that hangs on the network stand at NPUs of its instance, evenly; an NPU's
 * requests go to one after the other: the NPU of its `turn`-th one. */
uint32_t nadi_tiers_group_npu(const struct nadi_tiers *t, uint32_t tier, uint32_t npu,
                              uint32_t turn);

/* The tier that a text means: its name, the name of one of its instances where these are numbered,
 * "REMOTE:3", what stands before the colon of only one name, else the one of a class, "G2", or of
 * class:medium:role, "G2:CXL-DRAM:POOLED". NADI_NONE: none, or *several. */
uint32_t nadi_tiers_find(const struct nadi_tiers *t, const char *text, bool *several);
/* The instance that the text names, of a tier whose instances are numbered; NADI_NONE: none. */
uint32_t nadi_tiers_numbered(const struct nadi_tiers *t, uint32_t tier, const char *text);
/* The NPU's own memory of class G1; NADI_NONE: the file has none. */
uint32_t nadi_tiers_local(const struct nadi_tiers *t);
bool nadi_tiers_sees(const struct nadi_tiers *t, uint32_t tier, uint32_t npu);

/* The channel set of a link that leads to this tier alone and carries as much as it, as that which
 * follows from a device's path to its host: the faster of the two alone saves nothing. NADI_NONE:
 * there is none. And the tier that such a set belongs to. */
uint32_t nadi_tiers_link_set(const struct nadi_tiers *t, uint32_t tier);
uint32_t nadi_tiers_tier_of_set(const struct nadi_tiers *t, uint32_t channel_set);

/* Does the order of requests of one instant matter? */
bool nadi_tiers_need_order(const struct nadi_tiers *t);

/* The share of a tier's bandwidth that a request of this size has. */
double nadi_tier_share(const struct nadi_mem_tier *tier, uint64_t bytes);

/* How long a request of whole granules takes alone, ns, without the network's part; *latency_ns: of
 * that, whatever its size. */
double nadi_tiers_alone_ns(const struct nadi_tiers *t, uint32_t from, uint32_t to, uint64_t bytes,
                           double *latency_ns);

/* ---- servers ------------------------------------------------------------------------------- */

struct nadi_tier_layout { /* of a run; a value that owns its memory */
    const struct nadi_tiers *tiers;
    uint32_t *tier_first, *channel_first; /* first server of a tier, of a channel set */
    uint32_t *port_servers;               /* by tier: of a port */
    uint32_t server_count;
    double *rate; /* by server, bytes/ns */
};

void nadi_tier_layout_init(struct nadi_tier_layout *l, const struct nadi_tiers *t);
void nadi_tier_layout_release(struct nadi_tier_layout *l);
/* "nvme read port 0 of node 3", "pcie-switch lane 1 of node 0 to the NPU"; the tier, or NADI_NONE
 * and the channel set that it is of. */
struct nadi_tier_server {
    uint32_t tier, channel_set; /* one is NADI_NONE */
    uint32_t instance, channel; /* channel: or port */
    bool outwards;              /* from the NPU: a write, a store */
    bool both;                  /* half duplex: both ways together */
    uint32_t step;              /* of the table of sizes; NADI_NONE: all sizes */
};
struct nadi_tier_server nadi_tier_server(const struct nadi_tier_layout *l, uint32_t server);

struct nadi_tier_path { /* of one request */
    uint32_t servers[NADI_MOST_TIER_SERVERS];
    uint32_t count;
    uint32_t slowest;  /* server; NADI_NONE: none limits it */
    double rate;       /* alone, bytes/ns; may be infinite */
    double latency_ns; /* without the network's */
    uint64_t bytes;    /* whole granules */
    bool remote;       /* a part goes through the network */
};

/* From a tier or the NPU (NADI_NONE) to another, for an NPU that sees both. */
void nadi_tier_path_find(const struct nadi_tier_layout *l, uint32_t npu, uint32_t from, uint32_t to,
                         uint64_t bytes, struct nadi_tier_path *path);

/* How long the path's bytes take alone, ns. */
double nadi_tier_path_ns(const struct nadi_tier_path *path);

/* ---- joint transfers: of all NPUs that see a pool, in its switches ------------------------------
 *
 * `same`: their data are the same, leave the groups once and cross the links to each node once;
 * or what they store is added up. Else each has its own. */

struct nadi_tier_joint {
    uint32_t from, to; /* one is a pool, the other an NPU's own memory or NADI_NONE */
    bool same;
};
uint64_t nadi_tiers_joint_bytes(const struct nadi_tiers *t, const struct nadi_tier_joint *j,
                                uint64_t bytes); /* whole rounds */
/* How long it takes alone, ns; of that, *latency_ns: whatever its size. */
double nadi_tiers_joint_ns(const struct nadi_tiers *t, const struct nadi_tier_joint *j,
                           uint64_t bytes, double *latency_ns);
/* What is added to the latency of one NPU's own transfer, ns. */
double nadi_tiers_joint_lag_ns(const struct nadi_tiers *t, const struct nadi_tier_joint *j);
static inline uint32_t nadi_tiers_joint_pool(const struct nadi_tiers *t,
                                             const struct nadi_tier_joint *j)
{
    return j->from != NADI_NONE && t->tiers[j->from].chunk_bytes ? j->from : j->to;
}
/* Of a round of a pool: what it takes besides its slowest hop, ns. */
double nadi_tiers_round_lag_ns(const struct nadi_tiers *t, uint32_t tier, bool write, bool same);
/* NPUs that see the tier. */
static inline uint32_t nadi_tiers_seen_by(const struct nadi_tiers *t, uint32_t tier)
{
    const struct nadi_mem_tier *of = &t->tiers[tier];
    const uint32_t end = of->last_npu < t->npu_count ? of->last_npu + 1 : t->npu_count;
    return end > of->first_npu ? end - of->first_npu : 0;
}

#endif
