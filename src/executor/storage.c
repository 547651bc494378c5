/* storage: requests to remote memory (workload spec 2.4).
 *
 * A server serves one request at a time, in order of arrival. Its end is an event of its own, on
 * the requesting rank, right behind the request's: the requester goes on first, and what it then
 * asks for joins the queue behind the others. */
#include "executor/internal.h"
#include "executor/tiered.h"

static uint32_t server_of(const struct nadi_system *s, uint32_t rank)
{
    const struct nadi_memory_config *m = s->setup.memory;
    switch (m->kind) {
    case NADI_MEMORY_PER_NODE:
        return rank / m->npus_per_node;
    case NADI_MEMORY_POOL:
        return 0;
    case NADI_MEMORY_HIERARCHY: /* each NPU's share of it */
        return rank;
    case NADI_MEMORY_PER_NPU:
    case NADI_MEMORY_NONE:
    case NADI_MEMORY_TIERS:
        break;
    }
    return NADI_NONE;
}

static void serve(struct nadi_system *s, uint32_t index)
{
    const struct memory_request *r = &s->requests.items[index];
    nadi_time end =
        nadi_engine_after_ns(s->engine, nadi_memory_service_ns(s->setup.memory, r->bytes, r->same));
    uint32_t rank = r->rank, server = r->server;
    if (server != NADI_NONE)
        s->servers[server].busy = true;
    nadi_engine_schedule(s->engine, end, rank, s->kind_memory, index, 0, 0);
    if (server != NADI_NONE)
        nadi_engine_schedule(s->engine, end, rank, s->kind_server, server, 0, 0);
}

static void on_memory(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct memory_request r = s->requests.items[event->a];
    NADI_POOL_GIVE(&s->requests, next, event->a);
    s->setup.done(s->setup.context, r.rank, r.node);
}

static void on_server(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct server *server = &s->servers[event->a];
    server->busy = false;
    if (server->queue.head == NADI_NONE)
        return;
    uint32_t index;
    NADI_FIFO_POP(&server->queue, &s->requests, index);
    serve(s, index);
}

void nadi_system_memory(struct nadi_system *s, uint32_t rank, uint32_t node,
                        const struct nadi_memory_call *call)
{
    if (s->tiered) {
        nadi_tiered_request(s->tiered, rank, node, call);
        return;
    }
    uint32_t index, server = server_of(s, rank);
    NADI_POOL_TAKE(&s->requests, next, index);
    s->requests.items[index] = (struct memory_request){
        .rank = rank, .node = node, .server = server, .bytes = call->bytes, .same = call->same};
    if (server != NADI_NONE && s->servers[server].busy)
        NADI_FIFO_PUSH(&s->servers[server].queue, &s->requests, index);
    else
        serve(s, index);
}

void nadi_system_memory_busy(struct nadi_system *s, uint32_t actor, nadi_time until)
{
    const uint32_t server = server_of(s, actor);
    if (server == NADI_NONE)
        return;
    s->servers[server].busy = true;
    nadi_engine_schedule(s->engine, until, actor, s->kind_server, server, 0, 0);
}

/* As many as the ranks have: the file may name more. Where it says nothing of a server's NPUs, no
 * rank has a request: the checks of the inputs see to that. */
static uint32_t count_servers(const struct nadi_system *s)
{
    const struct nadi_memory_config *m = s->setup.memory;
    if (m->kind == NADI_MEMORY_PER_NODE && m->npus_per_node == 0)
        return 0;
    const uint32_t last = server_of(s, s->rank_count - 1);
    return last == NADI_NONE ? 0 : last + 1;
}

void nadi_storage_init(struct nadi_system *s)
{
    const uint32_t count = count_servers(s);
    s->requests.free = NADI_NONE;
    s->servers = NADI_ARENA_NEW(&s->arena, struct server, count);
    for (uint32_t i = 0; i < count; i++)
        s->servers[i] = (struct server){.queue = {NADI_NONE, NADI_NONE}};
    s->kind_memory = nadi_engine_add_kind(s->engine, on_memory, s);
    s->kind_server = nadi_engine_add_kind(s->engine, on_server, s);
    if (s->setup.memory->kind == NADI_MEMORY_TIERS)
        s->tiered = nadi_tiered_create(s);
}

void nadi_storage_release(struct nadi_system *s)
{
    nadi_mem_free(s->requests.items);
    nadi_tiered_destroy(s->tiered);
}
