/* state: shared by the files of the loadstore model. Nothing else includes it.
 *
 * A message is cut into parts, one for each unit (SM or copy engine) that moves it, and a part into
 * lines, one request each. A unit issues lines of its parts in turn, one each interval, while it
 * has requests left; an answer gives one back. A link serves line after line from two queues, of
 * data and of all else. What a device sends is memory_ns on its way to the port, loads, stores,
 * answers and flags alike: as all that enters a device's link has that delay, it is counted behind
 * the link. */
#ifndef NADI_NETWORK_LOADSTORE_STATE_H
#define NADI_NETWORK_LOADSTORE_STATE_H

#include "base/pool.h"
#include "network/connections.h"
#include "network/fabric.h"
#include "network/loadstore/alone.h"
#include "network/loadstore/loadstore.h"
#include "network/message_log.h"
#include "network/usage.h"

struct links_there { /* one direction between two devices */
    const uint32_t *links;
    uint32_t hops;
};

struct message {
    struct links_there there, back;
    uint64_t bytes, lines;
    uint64_t lines_there; /* whose data are in the destination's memory */
    uint32_t flags;       /* parts whose flag is not there */
    uint32_t answers;     /* parts of which a line is not answered */
    uint32_t data;        /* bytes of a full line that are data */
    uint32_t bundle;      /* so many lines go as one */
    uint32_t shared_by;   /* in_switch: of every so many lines one goes the other way as well */
    uint32_t shared;      /* lines since the last */
    uint32_t src, dst, connection;
    uint32_t first_part;
    uint32_t where; /* the link at which its lines waited longest, */
    nadi_time waited, sent;
    uint32_t kind, a, b, c;
    uint32_t next; /* that waits for an engine; or the next free one */
    enum nadi_protocol protocol;
    bool get;       /* the other end loads */
    bool in_switch; /* one end is a switch, which loads from or stores to devices for all of them */
    bool delivered;
};

struct part {
    uint64_t left;       /* lines that are not issued */
    uint64_t unanswered; /* that are */
    uint32_t message, unit;
    uint32_t next; /* at the unit, a ring; or the next free one */
    uint32_t next_of_message;
};

enum line_kind {
    LINE_STORE,
    LINE_ACK,   /* of a store */
    LINE_LOAD,  /* the request */
    LINE_DATA,  /* its answer */
    LINE_FLAG,  /* simple: a unit's stores are there */
    LINE_READY, /* get: the source's data may be loaded */
    LINE_SHARE, /* what a device loads or stores itself of what a switch adds up or spreads */
};

struct bundle {
    uint32_t lines, data;
};

struct line {
    const uint32_t *links;
    uint32_t hop, hops;
    uint32_t part; /* of LINE_READY its message */
    uint32_t next; /* in a link's queue, or the next free one */
    uint32_t bytes;
    struct bundle of;
    enum line_kind kind;
    bool inside;     /* begins at a switch */
    nadi_time since; /* when it came to its link */
};

struct unit {
    uint32_t last;              /* part that was served last; NADI_NONE: none is left */
    uint32_t free;              /* requests */
    bool ticking;               /* an event comes when it may issue again */
    uint32_t busy;              /* engine: with this message; NADI_NONE: none */
    double fraction;            /* of a ps */
    nadi_time free_at, stalled; /* stalled since; NADI_TIME_NEVER: it is not */
};

enum { CLASS_DATA, CLASS_CONTROL, CLASSES };

struct link_state {
    nadi_time free_at;
    double ps_a_byte, fraction;
    nadi_time latency;
    uint32_t head[CLASSES], tail[CLASSES]; /* lines that wait */
    uint32_t credits[CLASSES];             /* of the switch behind it, with hop_credits */
    uint32_t served;                       /* the class of the line before */
    bool waking;                           /* an event comes when it is free */
};

struct device {
    uint32_t turn;       /* SM that the next message begins at */
    uint32_t head, tail; /* messages that wait for an engine */
    struct nadi_loadstore_figures figures;
};

struct loadstore {
    struct nadi_network base;
    struct nadi_loadstore_config config;
    struct nadi_fabric fabric;
    struct nadi_fabric_tally *tallies;
    struct link_state *links;
    struct nadi_connections connections;
    struct unit *units; /* by device, units_each of them: SMs that copy, or engines */
    struct device *devices;
    uint32_t units_each;
    uint32_t own_units;    /* of devices; then one for each link, of the switch at its end */
    uint32_t *link_device; /* by link: the NPU at one of its ends; NADI_NONE: switches */
    uint32_t *opposite;    /* by link: the other direction; NADI_NONE: not asked for yet */
    double interval_ps;    /* between two lines of a unit */
    nadi_time memory, fence, poll, setup, ll128;
    NADI_POOL_OF(struct message) messages;
    NADI_POOL_OF(struct part) parts;
    NADI_POOL_OF(struct line) lines;
    struct {
        uint32_t *items; /* messages without a route */
        size_t count, capacity;
    } stranded;
    uint32_t kind_hop, kind_wake, kind_tick, kind_begin, kind_flag, kind_done, kind_credit;
};

static inline uint32_t nadi_loadstore_owner(const struct loadstore *w, const struct message *m)
{
    return w->config.direction == NADI_GET ? m->dst : m->src;
}

/* The device that a unit moves data of; NADI_NONE: between switches. */
static inline uint32_t nadi_loadstore_device(const struct loadstore *w, uint32_t unit)
{
    return unit < w->own_units ? unit / w->units_each : w->link_device[unit - w->own_units];
}

/* lines.c: from the device at the beginning of the route, as of now. */
void nadi_loadstore_launch(struct loadstore *w, const struct links_there *route,
                           enum line_kind kind, uint32_t part, struct bundle b);
void nadi_loadstore_on_hop(void *context, const struct nadi_event *event);
void nadi_loadstore_on_wake(void *context, const struct nadi_event *event);
void nadi_loadstore_on_credit(void *context, const struct nadi_event *event);
/* lines.c: a unit may issue. */
void nadi_loadstore_issue(struct loadstore *w, uint32_t unit);

/* units.c: the message's units take it up. */
void nadi_loadstore_begin(struct loadstore *w, uint32_t message);
/* units.c: lines are answered. */
void nadi_loadstore_answered(struct loadstore *w, uint32_t part, uint32_t lines);
void nadi_loadstore_on_tick(void *context, const struct nadi_event *event);
void nadi_loadstore_on_begin(void *context, const struct nadi_event *event);
void nadi_loadstore_on_flag(void *context, const struct nadi_event *event);

/* repeat.c: rest, count and repeat of ops.h. */
bool nadi_loadstore_rest(struct nadi_network *net, struct nadi_network_counts *state);
void nadi_loadstore_count(struct nadi_network *net, struct nadi_network_counts *counts);
void nadi_loadstore_repeat(struct nadi_network *net, const uint64_t *then, uint64_t times);

/* model.c: it is at its destination after `delay`. */
void nadi_loadstore_deliver(struct loadstore *w, uint32_t message, nadi_time delay);
/* model.c: nothing refers to the message any more, if that is so. */
void nadi_loadstore_forget(struct loadstore *w, uint32_t message);

#endif
