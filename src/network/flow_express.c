/* flow_express: messages that are sent ahead of time and meet nobody on their way.
 *
 * When it is certain at what time a message will be sent, and no other is on its links, it has them
 * for itself from the time it is ready to flow, and its end is known: one event, no demand. Its
 * pair claims the links; the messages of a connection follow one another. If another message begins
 * on a claimed link, those of the pair lose what they were promised: what flows becomes a demand
 * that has got its bytes so far, what waits for it waits in the connection, and what is not ready
 * yet begins when it is. Nothing of that depends on what was expected, so no time is another one.
 *
 * Cost: O(hops) a message; what is undone, as much again. */
#include "network/flow_inside.h"

static struct express *of_pair(struct flow *f, uint32_t pair)
{
    const struct express none = {.head = NADI_NONE, .connection = NADI_NONE};
    while (f->express.count <= pair)
        NADI_PUSH(&f->express, none);
    return &f->express.items[pair];
}

static void claim(struct flow *f, const struct nadi_fabric_path *r, uint32_t pair)
{
    for (uint32_t i = 0; i < r->hops; i++)
        f->claims[r->links[i]] = pair;
}

static nadi_time takes(const struct flow *f, const struct nadi_fabric_path *r, uint64_t wire)
{
    return nadi_flow_round((double)wire / nadi_flow_level_alone(f, r) * 1e3);
}

/* ---- express messages that lose their links ------------------------------------------------ */

/* One that has its links, or waits only for the one before it, is as if it had begun as others. */
static void take_back(struct flow *f, uint32_t index)
{
    struct transfer *t = &f->transfers.items[index];
    const nadi_time now = nadi_engine_now(f->base.engine);
    const nadi_time departs = t->departs, ready = t->ready;
    const uint32_t pair = t->route;
    t->weight = 1;
    if (ready >= now) {
        t->next = NADI_NONE;
        if (ready > now)
            nadi_flow_schedule_begin(f, index, ready);
        else /* behind what began before it in this instant */
            nadi_engine_schedule(f->base.engine, now, NADI_NONE, f->kind_begin, index, 0, 0);
        return;
    }
    if (f->pairs.items[pair].count > 0) {
        nadi_flow_begin(f, index);
        return;
    }
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, pair);
    nadi_flow_count_message(f, pair, t->bytes);
    nadi_flow_resume(f, index, nadi_flow_level_alone(f, r) * ((double)(now - departs) * 1e-3));
}

static void end_of_pair(struct flow *f, uint32_t pair)
{
    struct express *x = &f->express.items[pair];
    uint32_t next = x->head;
    x->head = x->tail = NADI_NONE;
    x->epoch++;
    claim(f, nadi_fabric_path(&f->fabric, pair), NADI_NONE);
    while (next != NADI_NONE) {
        const uint32_t index = next;
        next = f->transfers.items[index].next;
        take_back(f, index);
    }
}

void nadi_flow_end_express(struct flow *f, const struct nadi_fabric_path *r)
{
    for (uint32_t i = 0; i < r->hops; i++)
        if (f->claims[r->links[i]] != NADI_NONE)
            end_of_pair(f, f->claims[r->links[i]]);
}

/* ---- a message's life ---------------------------------------------------------------------- */

static void on_express(void *context, const struct nadi_event *event)
{
    struct flow *f = context;
    struct express *x = &f->express.items[event->b];
    if (x->epoch != event->c)
        return; /* it lost its links */
    const struct transfer t = f->transfers.items[event->a];
    x->head = t.next;
    nadi_flow_count_message(f, event->b, t.bytes);
    NADI_POOL_GIVE(&f->transfers, next, event->a);
    nadi_engine_pass(f->base.engine, event, t.kind, t.a, t.b, t.c);
}

/* Is there nothing on the pair's links, nor claimed by messages of others? */
static bool are_free(const struct flow *f, const struct nadi_fabric_path *r)
{
    for (uint32_t i = 0; i < r->hops; i++) {
        const uint32_t link = r->links[i], by = f->claims[link];
        if (nadi_share_active(f->share, link) > 0 ||
            (by != NADI_NONE && f->express.items[by].head != NADI_NONE))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (r->links[k] == link)
                return false;
    }
    return r->hops > 0;
}

/* A claim is left standing when its last message has arrived: most have a next one. */
static bool take_links(struct flow *f, const struct nadi_fabric_path *r, uint32_t pair)
{
    if (r->hops && f->claims[r->links[0]] == pair)
        return true;
    if (!are_free(f, r) || f->pairs.items[pair].count > 0)
        return false;
    nadi_flow_end_express(f, r);
    claim(f, r, pair);
    return true;
}

static void make_claims(struct flow *f)
{
    f->claims = NADI_NEW(uint32_t, f->fabric.count);
    memset(f->claims, 0xff, f->fabric.count * sizeof(*f->claims));
}

static void follow(struct flow *f, uint32_t index, const struct nadi_fabric_path *r, nadi_time at)
{
    struct transfer *t = &f->transfers.items[index];
    const uint32_t pair = t->route;
    struct express *x = &f->express.items[pair];
    t->ready = t->departs = at;
    t->next = NADI_NONE;
    if (x->head == NADI_NONE) {
        x->head = index;
    } else {
        t->departs = at > x->end ? at : x->end;
        f->transfers.items[x->tail].next = index;
    }
    x->tail = index;
    x->end = nadi_time_add(t->departs, takes(f, r, t->bytes));
    nadi_engine_schedule(f->base.engine, x->end, NADI_NONE, f->kind_express, index, pair, x->epoch);
}

bool nadi_flow_send_ahead(struct nadi_network *net, const struct nadi_message *m, nadi_time ready)
{
    struct flow *f = nadi_flow_self(net);
    if (!nadi_fabric_knows(&f->fabric, m->route, m->connection) || !m->bytes)
        return false;
    if (!f->claims)
        make_claims(f);
    const uint32_t index = nadi_flow_take(f, m), pair = nadi_flow_route_of(f, m);
    struct transfer *t = &f->transfers.items[index];
    t->route = pair;
    struct express *x = of_pair(f, pair);
    if (x->number != m->connection) {
        x->number = m->connection;
        x->connection = nadi_connections_find(&f->connections, pair, m->connection);
    }
    t->connection = x->connection;
    const struct nadi_fabric_path *r = nadi_fabric_path(&f->fabric, pair);
    const nadi_time at = nadi_time_add(ready, nadi_flow_wait(f, r, t->bytes));
    const struct transfer *last = x->head != NADI_NONE ? &f->transfers.items[x->tail] : NULL;
    const bool follows = !last || (at >= last->ready && t->connection == last->connection);
    if (follows && !r->broken && take_links(f, r, pair))
        follow(f, index, r, at);
    else if (at > nadi_engine_now(f->base.engine))
        nadi_flow_schedule_begin(f, index, at);
    else
        nadi_flow_begin(f, index);
    return true;
}

void nadi_flow_express_init(struct flow *f)
{
    f->kind_express = nadi_engine_add_kind(f->base.engine, on_express, f);
}

void nadi_flow_express_release(struct flow *f)
{
    nadi_mem_free(f->express.items);
    nadi_mem_free(f->claims);
}
