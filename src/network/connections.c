#include "network/connections.h"

#include "base/mem.h"
#include "network/network.h"

void nadi_connections_release(struct nadi_connections *c)
{
    nadi_mem_free(c->list.items);
    nadi_mem_free(c->first.items);
    nadi_mem_free(c->behind.items);
}

uint32_t nadi_connections_find(struct nadi_connections *c, uint32_t pair, uint64_t number)
{
    const uint32_t none = NADI_NONE;
    if (c->in_flight == NADI_IN_FLIGHT_ANY || !number)
        return NADI_NONE;
    while (c->first.count <= pair)
        NADI_PUSH(&c->first, none);
    uint32_t i = c->first.items[pair];
    while (i != NADI_NONE && c->list.items[i].number != number)
        i = c->list.items[i].next;
    if (i != NADI_NONE)
        return i;
    const struct nadi_connection fresh = {
        .number = number, .head = NADI_NONE, .tail = NADI_NONE, .next = c->first.items[pair]};
    NADI_PUSH(&c->list, fresh);
    c->first.items[pair] = (uint32_t)c->list.count - 1;
    return (uint32_t)c->list.count - 1;
}

bool nadi_connections_enter(struct nadi_connections *c, uint32_t connection, uint32_t message)
{
    if (connection == NADI_NONE)
        return true;
    struct nadi_connection *q = &c->list.items[connection];
    if (q->going < (c->in_flight ? c->in_flight : 1)) {
        q->going++;
        return true;
    }
    const uint32_t none = NADI_NONE;
    while (c->behind.count <= message)
        NADI_PUSH(&c->behind, none);
    c->behind.items[message] = NADI_NONE;
    if (q->head == NADI_NONE)
        q->head = message;
    else
        c->behind.items[q->tail] = message;
    q->tail = message;
    return false;
}

uint32_t nadi_connections_leave(struct nadi_connections *c, uint32_t connection)
{
    if (connection == NADI_NONE)
        return NADI_NONE;
    struct nadi_connection *q = &c->list.items[connection];
    const uint32_t first = q->head;
    if (first == NADI_NONE)
        q->going--;
    else
        q->head = c->behind.items[first];
    return first;
}
