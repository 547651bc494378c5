/* recall_inside: the state that the files of recall.h share. Nothing else includes it. */
#ifndef NADI_NETWORK_PACKET_RECALL_INSIDE_H
#define NADI_NETWORK_PACKET_RECALL_INSIDE_H

#include "network/packet/recall.h"

/* --- the tree: recall_known.c --- */

struct nadi_pkt_output { /* a delivery, of the message that was given as the n-th */
    nadi_time at;        /* ticks since the part rested, as all times here */
    uint32_t queue;      /* from which the last packet arrived, by the part's numbers */
    uint32_t input;
    uint32_t next; /* of the node */
};

struct nadi_pkt_step { /* a message that is given */
    nadi_time at;
    uint64_t bytes;
    uint32_t rank;  /* where among the events of `at` */
    uint32_t after; /* output of the node above that was the last before it; NONE: none was */
    uint32_t route;
    uint32_t connection; /* the n-th of those that were given messages, */
    bool same;           /* inside the same event as the one before */
};

/* A rank: before what arrives from the part's n-th port and those behind it; or: */
#define NADI_PKT_RANK_OWN  (UINT32_MAX - 1) /* inside the part's last output; */
#define NADI_PKT_RANK_LAST UINT32_MAX       /* behind all packets' events of the time */

struct nadi_pkt_node {
    struct nadi_pkt_step step;
    uint32_t above, same_hash;
    uint32_t word, words; /* the state of ports that the message is the first to use */
    uint32_t first, last; /* outputs */
    uint32_t end;         /* the part's rest if nothing more comes; NONE: not known */
    uint32_t leader;      /* part that is simulated, and here; NONE: none */
    nadi_time known;      /* if nothing more comes, up to here, and: */
    uint32_t known_rank;
};

struct nadi_pkt_port_end { /* of a port that was used */
    struct nadi_pkt_port_sent sent;
    uint32_t port, last, nic_last, peak_bytes;
};

struct nadi_pkt_end {
    nadi_time at;
    uint64_t packets, bytes, acks;
    uint32_t first, count; /* ports */
};

struct nadi_pkt_known {
    struct {
        struct nadi_pkt_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        struct nadi_pkt_output *items;
        size_t count, capacity;
    } outputs;
    struct {
        struct nadi_pkt_end *items;
        size_t count, capacity;
    } ends;
    struct {
        struct nadi_pkt_port_end *items;
        size_t count, capacity;
    } ports;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } words;
    struct nadi_map64 nodes_by_hash, routes_by_hash;
    struct {
        struct nadi_pkt_part_route {
            uint32_t class, word, words, same_hash;
        } * items; /* ports there and back, by the part's numbers */
        size_t count, capacity;
    } routes;
};

void nadi_pkt_known_init(struct nadi_pkt_known *t);
void nadi_pkt_known_release(struct nadi_pkt_known *t);
bool nadi_pkt_known_is_full(const struct nadi_pkt_known *t);
uint32_t nadi_pkt_known_root(struct nadi_pkt_known *t);
/* The node behind `above`; made if there is none, NADI_NONE where there is no room for it. */
uint32_t nadi_pkt_known_step(struct nadi_pkt_known *t, uint32_t above,
                             const struct nadi_pkt_step *step, const uint32_t *words,
                             uint32_t count);
uint32_t nadi_pkt_known_route(struct nadi_pkt_known *t, uint32_t class, const uint32_t *words,
                              uint32_t count);
/* One more output of the node. */
uint32_t nadi_pkt_known_output(struct nadi_pkt_known *t, uint32_t node, struct nadi_pkt_output o);
/* The node's first output, or the one behind `after`. */
static inline uint32_t nadi_pkt_known_next(const struct nadi_pkt_known *t, uint32_t node,
                                           uint32_t after)
{
    return after == NADI_NONE ? t->nodes.items[node].first : t->outputs.items[after].next;
}

/* --- parts: recall_parts.c --- */

struct nadi_pkt_input { /* a message that a part was given since it rested */
    uint32_t index;     /* its delivery; NONE: it was delivered */
    uint32_t src, dst, connection;
    uint32_t limit; /* in the order of events: behind those of `at` below this number */
    uint64_t bytes;
    nadi_time at; /* ticks */
    bool own;     /* inside the part's `outputs`-th delivery, */
    bool same;    /* inside the same event as the one before */
    uint64_t outputs;
};

enum nadi_pkt_part_state {
    NADI_PKT_PART_RESTS,
    NADI_PKT_PART_RECALLS,
    NADI_PKT_PART_RUNS, /* is simulated, and adds to the tree, */
    NADI_PKT_PART_WILD, /* or not, until it rests */
};

enum nadi_pkt_part_due {
    NADI_PKT_DUE_NOTHING,
    NADI_PKT_DUE_OUTPUT,
    NADI_PKT_DUE_END,
    NADI_PKT_DUE_ALARM
};

struct nadi_pkt_recall_part {
    uint32_t class;        /* of equal ones */
    uint32_t first, count; /* its ports */
    enum nadi_pkt_part_state state;
    uint32_t next; /* of the class; NONE: it is the last */
    bool off;      /* it never recalls */
    bool inside;   /* one of its deliveries, recalled, is being made */
    bool lost;     /* it recalls, but what it was given last is not kept */
    bool checks;   /* a marker will look whether it rests */
    uint32_t open; /* flows, where they are simulated */
    /* since it rested: */
    nadi_time begun;
    uint64_t segment, context, irregular;
    uint64_t outputs, packets, bytes;
    uint32_t messages, connections;
    uint32_t node, output; /* the last one of the node; NONE: none yet */
    struct {
        struct nadi_pkt_input *items;
        size_t count, capacity;
    } inputs;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } touched; /* ports */
    enum nadi_pkt_part_due due;
    nadi_time due_at;
    uint32_t due_event, pending; /* events of its queues that were scheduled */
};

struct nadi_pkt_former { /* counters of a port when its part rested */
    struct nadi_pkt_port_sent sent;
    uint32_t peak_bytes;
};

struct nadi_pkt_recall {
    struct packet *owner;
    struct nadi_pkt_known known;
    struct nadi_pkt_recall_part *parts;
    uint32_t part_count, class_count;
    uint32_t *ports, *part_of, *local_of; /* by part; by port */
    uint32_t *roots, *heads;              /* by class: its node; its first part */
    uint64_t *touched;                    /* by port: segment */
    struct nadi_pkt_former *former;       /* by port */
    uint64_t *irregular;                  /* by part: see internal.h */
    uint64_t segments, recalled;
    bool off;
    struct nadi_pkt_wheel wheel; /* of what is simulated once more */
    struct nadi_pkt_pending pending;
    uint32_t again;     /* part that is; NONE: none */
    size_t given;       /* of its inputs */
    uint64_t delivered; /* for the second time */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } late; /* deliveries that wait for the end of one */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } words;
};

/* Divides the network. */
void nadi_pkt_recall_divide(struct nadi_pkt_recall *r, const struct nadi_pkt *net);
/* The route of a delivery's connection and its part; false where packets may go otherwise. */
bool nadi_pkt_recall_route(struct packet *p, uint32_t index);
static inline uint32_t nadi_pkt_recall_port(const struct nadi_pkt_recall *r,
                                            const struct nadi_pkt_recall_part *part, uint32_t local)
{
    return r->ports[part->first + local];
}
/* How many of the part's ports come before this one of another part. */
uint32_t nadi_pkt_recall_rank(const struct nadi_pkt_recall *r,
                              const struct nadi_pkt_recall_part *part, uint32_t port);

/* --- ports: recall_ports.c --- */

static inline struct nadi_pkt_node *nadi_pkt_recall_node(const struct packet *p,
                                                         const struct nadi_pkt_recall_part *part)
{
    return &p->recall->known.nodes.items[part->node];
}

/* The ports of a route that were not used since the part rested are from now on; their state is
 * written to `words`. */
void nadi_pkt_recall_touch(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t route);
/* Counters of a port that is used from now on are kept as they were. */
void nadi_pkt_recall_note_port(struct packet *p, uint32_t port);
/* They are not needed any more. */
void nadi_pkt_recall_forget_ports(struct packet *p, struct nadi_pkt_recall_part *part);
/* Of a part that is simulated: nothing of it is under way, nor will be by itself. */
bool nadi_pkt_recall_is_quiet(const struct packet *p, const struct nadi_pkt_recall_part *part);
/* Pacing may still run when all is acknowledged: until then it does not rest. Now if none does. */
nadi_time nadi_pkt_recall_last_timer(const struct packet *p,
                                     const struct nadi_pkt_recall_part *part);
/* It rests: what it has sent since it did last is kept; and given to a part that recalls it. */
void nadi_pkt_recall_keep_end(struct packet *p, struct nadi_pkt_recall_part *part);
void nadi_pkt_recall_take_end(struct packet *p, struct nadi_pkt_recall_part *part);

/* --- recall.c --- */

static inline uint32_t nadi_pkt_part_number(const struct nadi_pkt_recall *r,
                                            const struct nadi_pkt_recall_part *part)
{
    return (uint32_t)(part - r->parts);
}

/* The message goes, or waits for those before it. */
void nadi_pkt_recall_give(struct packet *p, uint32_t index);
/* It is simulated from now on. */
void nadi_pkt_recall_lead(struct packet *p, struct nadi_pkt_recall_part *part);
/* A marker will look whether the part rests. */
void nadi_pkt_recall_check_later(struct packet *p, struct nadi_pkt_recall_part *part);

/* --- recall_again.c --- */

/* The part, which recalls, is simulated up to an event number of now: from then on it runs. */
void nadi_pkt_recall_again(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t limit);
/* A message of it has arrived, for the second time. */
void nadi_pkt_recall_arrived_again(struct packet *p, uint32_t index);

#endif
