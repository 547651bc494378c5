/* flow_inside: the state that the files of the flow model share. Nothing else includes it. */
#ifndef NADI_NETWORK_FLOW_INSIDE_H
#define NADI_NETWORK_FLOW_INSIDE_H

#include "base/pool.h"
#include "network/connections.h"
#include "network/fabric.h"
#include "network/flow.h"
#include "network/message_log.h"
#include "network/network.h"
#include "network/usage.h"
#include "sharing/share.h"

struct transfer { /* a message on its way */
    union {
        double full;       /* value of its pair's `got` at which it has arrived */
        nadi_time departs; /* express: when it has its links */
    };
    uint64_t bytes, number;
    union {
        double weight;
        nadi_time ready; /* express, of weight 1: when it could flow, but for its connection */
    };
    uint32_t route;
    uint32_t next;  /* in a batch, in the free list, or behind its parent's child, a later one */
    uint32_t child; /* of its pair's tree: ends later; NADI_NONE: none does */
    uint32_t connection; /* NADI_NONE: in none */
    uint32_t a, b, c;
    uint16_t kind;
    bool itself; /* to its sender */
};

_Static_assert(sizeof(struct transfer) == 64, "a message is a cache line");

struct pair {      /* of a route: its messages that share links now; its demand has its number */
    double got;    /* bytes that each has got since the first of them began, up to `since` */
    double level;  /* bytes/ns that each gets */
    double weight; /* of its messages together */
    double full;   /* of the first of its messages */
    nadi_time since;
    uint32_t head; /* the first of its messages to end: root of their pairing heap */
    uint32_t count : 31;
    uint32_t closed : 1; /* its route is cut: the demand is not active */
    uint32_t changes;    /* of the route, when the demand got its links */
    /* messages that took the demand's links and are not yet in the links' tallies */
    uint32_t messages;
    uint64_t bytes;
};

_Static_assert(sizeof(struct pair) == 64, "a pair is a cache line");

/* Adaptive routing: a pair's messages that were sent and have not arrived, and the links that count
 * their bytes as load: those of the route when the first was sent. */
struct pair_load {
    uint32_t sent, hops;
    const uint32_t *links;
};

/* Messages of a pair that have their links for themselves, one after the other: flow_express.c. */
struct express {
    uint32_t head, tail; /* transfers in order; NADI_NONE: none */
    uint32_t epoch;      /* how often they have lost their links */
    uint32_t connection; /* of the latest, */
    uint64_t number;     /* which its sender calls so; 0: there was none */
    nadi_time end;       /* of the latest */
};

struct link_work {
    double ns;    /* that the link needed for */
    double bytes; /* these, which it has carried */
};

struct batch {    /* messages that begin at one time, by one event */
    nadi_time at; /* -1: none */
    uint32_t last;
};

enum { BATCHES = 64 };

struct pair_end { /* of the pair's first message to end */
    nadi_time end;
    uint32_t pair;
};

struct pair_ends {
    struct pair_end *items; /* earliest first */
    size_t count, capacity;
};

struct clock {    /* of a link: what each pair gets that it holds and that is on the clock */
    double got;   /* bytes, up to `since` */
    double level; /* bytes/ns */
    nadi_time since;
    struct pair_ends pairs; /* on it; `end` has the bits of `got` when they end */
    uint32_t first; /* of them, which stands in the flow's heap for all; NADI_NONE: none does */
};

struct pair_places {
    uint32_t *items; /* by pair: place in a heap; NADI_NONE: not there */
    size_t count, capacity;
};

struct ending {
    uint64_t number;
    uint32_t transfer;
};

struct flow {
    struct nadi_network base;
    struct nadi_flow_config config;
    struct nadi_fabric fabric;
    struct nadi_share *share;
    struct nadi_fabric_tally *tallies; /* by link; without what pairs have not told yet */
    struct {
        struct pair *items; /* by route */
        size_t count, capacity;
    } pairs;
    struct nadi_connections connections; /* their messages are transfers */
    struct {
        struct pair_load *items; /* by pair; empty unless routing is adaptive */
        size_t count, capacity;
    } loads;
    struct {
        struct express *items; /* by pair; short of pairs that never had one */
        size_t count, capacity;
    } express;
    uint32_t *claims; /* by link: the pair that has claimed it with all its links, on which no
                         demand is active; NADI_NONE: none has. NULL: there was never one */
    uint32_t kind_express;
    struct batch batches[BATCHES]; /* by hash of their time */
    NADI_POOL_OF(struct transfer) transfers;
    struct pair_ends heap;    /* of pairs that are on no clock, and of the first of each clock */
    struct pair_places slots; /* there */
    struct clock *clocks;     /* by link; NULL: none was wanted yet */
    uint32_t clocked;         /* pairs on clocks */
    struct pair_places on;    /* a pair's clock, as a link; empty without clocks */
    struct pair_places turns; /* its place in the clock's heap; likewise */
    struct {
        struct ending *items;
        size_t count, capacity;
    } ended;
    nadi_time *sender_free;   /* by NPU; NULL without an overhead */
    struct link_work *worked; /* by link, at its rates before the last; NULL: no rate has changed */
    uint32_t kind_begin, kind_settle, kind_pump;
    struct {
        uint32_t *items; /* messages that found no route when they began; in order */
        size_t count, capacity;
    } stranded;
    nadi_time pump_at;         /* NADI_TIME_NEVER: not scheduled */
    bool settling;             /* a settle event is pending */
    bool uneven;               /* a time may depend on the order in which amounts were added up */
    uint32_t *sharing;         /* usage: by link, pairs that share it since the last settlement */
    struct nadi_flow_log *log; /* NULL: not wanted */
};

/* Half a picosecond counts as one. Rates are a few ulps off by the order in which they were added
 * up; halves are frequent, as links are shared by two, and must not fall on either side. */
#define NADI_FLOW_HALF_PS (0.5 - 0x1p-10)
static inline nadi_time nadi_flow_round(double ps)
{
    return nadi_time_trunc(ps + (1 - NADI_FLOW_HALF_PS));
}

static inline struct flow *nadi_flow_self(struct nadi_network *net)
{
    return (struct flow *)net;
}

static inline struct batch *nadi_flow_batch_of(struct flow *f, nadi_time at)
{
    return &f->batches[(uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* flow_ends.c: the heap of pairs by the end of their first message to end. */
void nadi_flow_set_end(struct flow *f, uint32_t pair, nadi_time end);
/* The messages of a pair by their ends. Of two trees one; of a tree without its root. */
uint32_t nadi_flow_meld(struct flow *f, uint32_t a, uint32_t b);
uint32_t nadi_flow_without_root(struct flow *f, uint32_t root);
/* Asks memory for what the ends to come will touch. */
void nadi_flow_expect_ends(const struct flow *f);
void nadi_flow_take_out(struct flow *f, uint32_t pair);
/* The same for any heap, and the places of pairs in it. */
void nadi_flow_put_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair,
                       nadi_time end);
void nadi_flow_remove_end(struct pair_ends *heap, struct pair_places *slots, uint32_t pair);

/* flow_clock.c: pairs that one link holds get all the same; a link that holds many has a clock that
 * counts it, so that a new level of the link costs as much as one of a pair. */
static inline bool nadi_flow_is_clocked(const struct flow *f, uint32_t pair)
{
    return NADI_UNLIKELY(f->clocked) && f->on.items[pair] != NADI_NONE;
}
/* The link has another level. False: its pairs are on no clock. */
bool nadi_flow_set_clock(struct flow *f, uint32_t link, nadi_time now);
/* The pair, which is up to date, is on its holder's clock from now on, if that has one. */
bool nadi_flow_join_clock(struct flow *f, uint32_t pair, nadi_time now);
/* The pair, which is on one, is on no clock, up to date and in no heap. */
void nadi_flow_leave_clock(struct flow *f, uint32_t pair, nadi_time now);
double nadi_flow_got(const struct flow *f, uint32_t pair, nadi_time now); /* as `got`, now */
void nadi_flow_free_clocks(struct flow *f);

/* flow.c */
/* At the run's end: the usage of what is still flowing, up to now. */
void nadi_flow_tell_usage(const struct flow *f);
void nadi_flow_advance(struct flow *f, uint32_t pair, nadi_time now);
void nadi_flow_need_settling(struct flow *f);
/* Where the pair, which is up to date, stands among the ends. */
void nadi_flow_find_end(struct flow *f, uint32_t pair);
/* The pair's weight, which its messages have together, is that of its demand from now on. */
void nadi_flow_apply_weight(struct flow *f, uint32_t pair);
/* The pair's demand, which is not active, crosses these links from now on. */
void nadi_flow_use_links(struct flow *f, uint32_t pair, const struct nadi_fabric_path *path);
/* Adds to tallies of links what the pair has counted. */
void nadi_flow_tell(const struct flow *f, uint32_t pair, struct nadi_fabric_tally *tallies);
/* A message is ready to flow now; has arrived. */
void nadi_flow_begin(struct flow *f, uint32_t transfer);
void nadi_flow_deliver(struct flow *f, uint32_t transfer);
/* The pair, which has no message, counts this one, which will take its links. */
void nadi_flow_count_message(struct flow *f, uint32_t pair, uint64_t bytes);
/* The first message of the pair flows, of which so many bytes have arrived already. */
void nadi_flow_resume(struct flow *f, uint32_t transfer, double got);
double nadi_flow_limit(const struct flow *f, const struct nadi_fabric_path *r);

/* flow_send.c */
void nadi_flow_send(struct nadi_network *net, const struct nadi_message *m);
uint32_t nadi_flow_route(struct nadi_network *net, uint32_t src, uint32_t dst);
uint32_t nadi_flow_over(struct nadi_network *net, uint32_t link);
/* The message leaves its sender at this time. */
void nadi_flow_schedule(struct flow *f, uint32_t transfer, nadi_time ready);
/* It is ready to flow at this time, which is not yet. */
void nadi_flow_schedule_begin(struct flow *f, uint32_t transfer, nadi_time at);
/* What a message waits for before it is ready to flow. */
nadi_time nadi_flow_wait(const struct flow *f, const struct nadi_fabric_path *r, uint64_t wire);
/* A place for the message; it has no route yet. */
uint32_t nadi_flow_take(struct flow *f, const struct nadi_message *m);
uint32_t nadi_flow_route_of(struct flow *f, const struct nadi_message *m);

/* flow_wire.c */
/* Bytes of a message with the headers of its packets. */
uint64_t nadi_flow_on_wire(const struct flow *f, uint64_t bytes);
/* What forwarding whole packets adds to a message of so many bytes on the wire. */
double nadi_flow_forwarding_ns(const struct flow *f, const struct nadi_fabric_path *r,
                               uint64_t bytes);

/* flow_express.c */
bool nadi_flow_send_ahead(struct nadi_network *net, const struct nadi_message *m, nadi_time ready);
/* Another message is about to flow over these links. */
void nadi_flow_end_express(struct flow *f, const struct nadi_fabric_path *r);
void nadi_flow_express_init(struct flow *f);
void nadi_flow_express_release(struct flow *f);

/* flow_alone.c: the level of a demand that has its links for itself; of nadi_network_ops */
double nadi_flow_level_alone(const struct flow *f, const struct nadi_fabric_path *r);
bool nadi_flow_alone(struct nadi_network *net, uint32_t route, uint64_t bytes, nadi_time *wait,
                     nadi_time *takes);
void nadi_flow_count_alone(struct nadi_network *net, uint32_t route, uint64_t bytes,
                           uint64_t messages);

/* flow_log.c; all but create and destroy only with f->log */
struct nadi_flow_log *nadi_flow_log_create(struct nadi_message_log *to); /* NULL of NULL */
void nadi_flow_log_destroy(struct nadi_flow_log *log);                   /* NULL is allowed */
void nadi_flow_log_open(struct flow *f, uint32_t pair, const struct nadi_fabric_path *path);
void nadi_flow_log_begin(struct flow *f, uint32_t transfer);
/* The message waits for those of its connection; it need wait no longer. */
void nadi_flow_log_queue(struct flow *f, uint32_t transfer);
void nadi_flow_log_queued(struct flow *f, uint32_t transfer);
/* The pair has a new level. */
void nadi_flow_log_level(struct flow *f, uint32_t pair);
/* What the pair has lost goes to the link that held it: in so many nanoseconds it has got so many
 * bytes. */
void nadi_flow_log_vote(struct flow *f, uint32_t pair, double ns, double bytes);
void nadi_flow_log_end(struct flow *f, uint32_t transfer);

/* flow_busy.c */
struct nadi_flow_waiting { /* messages of the pair's connections that wait for others of theirs */
    uint64_t messages;
    double bytes;
} nadi_flow_waiting(const struct flow *f, uint32_t pair);
/* Bytes that the pair's messages which have begun have still to carry, over its demand's links. */
double nadi_flow_rest(const struct flow *f, uint32_t pair);
/* Sets `busy` of tallies that hold all messages, by link. */
void nadi_flow_find_busy(const struct flow *f, struct nadi_fabric_tally *tallies);
/* To be told before rates of links change. */
void nadi_flow_end_rates(struct flow *f, const struct nadi_link_state *states, size_t count);

void nadi_flow_counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                        void *context);
void nadi_flow_flows(const struct nadi_network *net, nadi_counted_flow_fn *visit, void *context);

/* flow_repeat.c */
bool nadi_flow_rest_state(struct nadi_network *net, struct nadi_network_counts *state);
void nadi_flow_count(struct nadi_network *net, struct nadi_network_counts *counts);
void nadi_flow_repeat(struct nadi_network *net, const uint64_t *then, uint64_t times);

/* flow_change.c */
void nadi_flow_change(struct nadi_network *net, const struct nadi_link_state *states, size_t count);
uint64_t nadi_flow_stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst);
const char *nadi_flow_too_far(const struct nadi_network *net);

#endif
