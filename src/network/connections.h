/* connections: messages of one connection (network.h) go in order, as those of a queue pair do: at
 * most `in_flight` of them at once, the others wait behind each other. For models in which messages
 * meet: what "goes" and when it is over, they say.
 *
 * Messages are numbers of the caller's. A pair has few connections: they are a list. Memory: 24
 * bytes a connection, 4 a pair and as much a message that waits. */
#ifndef NADI_NETWORK_CONNECTIONS_H
#define NADI_NETWORK_CONNECTIONS_H

#include "base/base.h"

struct nadi_connections { /* zeroed: ready */
    uint32_t in_flight;   /* as nadi_network_setup has it */
    struct {
        struct nadi_connection {
            uint64_t number;     /* the sender's */
            uint32_t going;      /* of its messages */
            uint32_t head, tail; /* of those that wait; NADI_NONE: nobody does */
            uint32_t next;       /* of the pair */
        } * items;
        size_t count, capacity;
    } list;
    struct {
        uint32_t *items; /* by pair: the first of its connections; NADI_NONE: it has none yet */
        size_t count, capacity;
    } first;
    struct {
        uint32_t *items; /* by message: the one that waits behind it */
        size_t count, capacity;
    } behind;
};

void nadi_connections_release(struct nadi_connections *c);

/* The place of a connection of the pair; NADI_NONE: none is kept. */
uint32_t nadi_connections_find(struct nadi_connections *c, uint32_t pair, uint64_t number);
/* May the message go now? Else it waits. */
bool nadi_connections_enter(struct nadi_connections *c, uint32_t connection, uint32_t message);
/* A message of the connection is over: the one that goes now; NADI_NONE: none. */
uint32_t nadi_connections_leave(struct nadi_connections *c, uint32_t connection);

/* The connections of a pair, and the messages that wait in one: the first, and the next, NADI_NONE
 * behind the last. */
static inline uint32_t nadi_connections_of(const struct nadi_connections *c, uint32_t pair)
{
    return pair < c->first.count ? c->first.items[pair] : NADI_NONE;
}

static inline uint32_t nadi_connections_behind(const struct nadi_connections *c, uint32_t message)
{
    return c->behind.items[message];
}

#endif
