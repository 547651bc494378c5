/* message_log: the messages of a run, one by one: when each was sent, when it arrived, and for how
 * long others held it up, and at which link most. For explanations (why/); a run is the same with
 * it, event for event.
 *
 * It stands between the senders and a network model: a message passes through with a delivery event
 * of the log's own, `a` of which is its place in the log, so that the model can say of it what it
 * waited. Past MOST messages they pass unrecorded and `whole` is false. */
#ifndef NADI_NETWORK_MESSAGE_LOG_H
#define NADI_NETWORK_MESSAGE_LOG_H

#include "base/pool.h"
#include "network/message_entry.h"
#include "network/network.h"

struct nadi_message_end { /* the sender's delivery event; a: next of the free ones */
    uint32_t kind, a, b, c;
};

struct nadi_message_log {
    struct nadi_network base; /* what senders send to */
    struct nadi_network_ops ops;
    struct nadi_network *inner;
    uint32_t kind; /* of deliveries that are recorded */
    bool whole;
    struct {
        struct nadi_message_entry *items;
        size_t count, capacity;
    } entries;
    NADI_POOL_OF(struct nadi_message_end) ends;
};

/* First make the log, then the model with it in its setup, then put the two together. */
void nadi_message_log_init(struct nadi_message_log *log, struct nadi_engine *engine);
void nadi_message_log_release(struct nadi_message_log *log);
/* The network to send to; `inner` stays the caller's. */
struct nadi_network *nadi_message_log_open(struct nadi_message_log *log,
                                           struct nadi_network *inner);

/* A model says that the message of a delivery event was held up at a link. log: NULL is allowed. */
static inline bool nadi_message_logged(const struct nadi_message_log *log, uint32_t kind)
{
    return NADI_UNLIKELY(log != NULL) && kind == log->kind;
}
void nadi_message_log_wait(struct nadi_message_log *log, uint32_t a, uint32_t link, nadi_time ps);
/* It waited so long for earlier ones of its connection that nothing held up. */
void nadi_message_log_queued(struct nadi_message_log *log, uint32_t a, nadi_time ps);

#endif
