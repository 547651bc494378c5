#include "network/message_log.h"

#include "base/mem.h"
#include "base/time.h"

enum { MOST = 4 << 20 };

static struct nadi_message_log *self(struct nadi_network *net)
{
    return (struct nadi_message_log *)net;
}

static uint32_t keep_end(struct nadi_message_log *log, const struct nadi_message *m)
{
    uint32_t at;
    NADI_POOL_TAKE(&log->ends, a, at);
    log->ends.items[at] = (struct nadi_message_end){m->kind, m->a, m->b, m->c};
    return at;
}

static void send(struct nadi_network *net, const struct nadi_message *message)
{
    struct nadi_message_log *log = self(net);
    struct nadi_message m = *message;
    if (log->entries.count >= MOST) {
        log->whole = false;
        nadi_network_send(log->inner, &m);
        return;
    }
    const struct nadi_message_entry entry = {
        .sent = nadi_engine_now(log->base.engine),
        .arrived = -1,
        .bytes = m.bytes,
        .src = m.src,
        .dst = m.dst,
        .op = m.op,
        .link = NADI_NONE,
    };
    m.b = keep_end(log, &m);
    m.a = (uint32_t)log->entries.count;
    m.kind = log->kind;
    m.c = 0;
    NADI_PUSH(&log->entries, entry);
    nadi_network_send(log->inner, &m);
}

static void on_arrival(void *context, const struct nadi_event *event)
{
    struct nadi_message_log *log = context;
    const struct nadi_message_end end = log->ends.items[event->b];
    NADI_POOL_GIVE(&log->ends, a, event->b);
    log->entries.items[event->a].arrived = nadi_engine_now(log->base.engine);
    nadi_engine_pass(log->base.engine, event, end.kind, end.a, end.b, end.c);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    return nadi_network_route(self(net)->inner, src, dst);
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    return nadi_network_over(self(net)->inner, link);
}

static const struct nadi_network_ops logged = {
    .name = "message log",
    .summary = "Records the messages of another model.",
    .route = route,
    .over = over,
    .send = send,
};

void nadi_message_log_init(struct nadi_message_log *log, struct nadi_engine *engine)
{
    *log = (struct nadi_message_log){
        .base.engine = engine,
        .whole = true,
        .ends.free = NADI_NONE,
    };
    log->kind = nadi_engine_add_kind(engine, on_arrival, log);
}

void nadi_message_log_release(struct nadi_message_log *log)
{
    nadi_mem_free(log->entries.items);
    nadi_mem_free(log->ends.items);
}

struct nadi_network *nadi_message_log_open(struct nadi_message_log *log, struct nadi_network *inner)
{
    log->inner = inner;
    log->ops = logged;
    log->ops.has_contention = inner->ops->has_contention;
    log->base.ops = &log->ops;
    return &log->base;
}

void nadi_message_log_queued(struct nadi_message_log *log, uint32_t a, nadi_time ps)
{
    struct nadi_message_entry *e = &log->entries.items[a];
    e->queued_ns = (uint32_t)nadi_min_u64(nadi_time_to_ns(ps), UINT32_MAX);
}

void nadi_message_log_wait(struct nadi_message_log *log, uint32_t a, uint32_t link, nadi_time ps)
{
    struct nadi_message_entry *e = &log->entries.items[a];
    const uint64_t ns = nadi_time_to_ns(ps);
    if (ns == 0)
        return;
    e->waited_ns = (uint32_t)nadi_min_u64(e->waited_ns + ns, UINT32_MAX);
    if (ns > e->longest_ns) {
        e->longest_ns = (uint32_t)nadi_min_u64(ns, UINT32_MAX);
        e->link = link;
    }
}
