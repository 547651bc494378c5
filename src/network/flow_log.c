/* flow_log: what messages lost by sharing links, and at which link, for the message log. */
#include "base/mem.h"
#include "network/flow_inside.h"

#include <math.h>

#define ROUNDING 1e-9

struct hold {     /* of a pair: what kept it below what it gets alone */
    double alone; /* bytes/ns */
    double lost;  /* ns, at `link` more than at all others: a weighted majority vote */
    uint32_t by;  /* the link that holds it now; NADI_NONE: none */
    uint32_t link;
};

struct nadi_flow_log {
    struct nadi_message_log *to;
    struct {
        struct hold *items; /* by pair */
        size_t count, capacity;
    } holds;
    struct {
        nadi_time *items; /* by transfer: when it began */
        size_t count, capacity;
    } begun;
};

struct nadi_flow_log *nadi_flow_log_create(struct nadi_message_log *to)
{
    if (!to)
        return NULL;
    struct nadi_flow_log *log = NADI_ZNEW(struct nadi_flow_log, 1);
    log->to = to;
    return log;
}

void nadi_flow_log_destroy(struct nadi_flow_log *log)
{
    if (!log)
        return;
    nadi_mem_free(log->holds.items);
    nadi_mem_free(log->begun.items);
    nadi_mem_free(log);
}

void nadi_flow_log_open(struct flow *f, uint32_t pair, const struct nadi_fabric_path *path)
{
    struct nadi_flow_log *log = f->log;
    struct hold h = {.alone = nadi_flow_limit(f, path), .by = NADI_NONE, .link = NADI_NONE};
    for (uint32_t i = 0; i < path->hops; i++)
        h.alone = fmin(h.alone, f->fabric.items[path->links[i]].bytes_per_ns);
    while (log->holds.count <= pair)
        NADI_PUSH(&log->holds, h);
    log->holds.items[pair] = h;
}

void nadi_flow_log_begin(struct flow *f, uint32_t transfer)
{
    struct nadi_flow_log *log = f->log;
    const nadi_time now = nadi_engine_now(f->base.engine);
    while (log->begun.count <= transfer)
        NADI_PUSH(&log->begun, now);
    log->begun.items[transfer] = now;
}

void nadi_flow_log_queue(struct flow *f, uint32_t transfer)
{
    nadi_flow_log_begin(f, transfer); /* until it does, when it began to wait */
}

void nadi_flow_log_queued(struct flow *f, uint32_t transfer)
{
    struct nadi_flow_log *log = f->log;
    const struct transfer *t = &f->transfers.items[transfer];
    if (nadi_message_logged(log->to, t->kind))
        nadi_message_log_queued(log->to, t->a,
                                nadi_engine_now(f->base.engine) - log->begun.items[transfer]);
}

void nadi_flow_log_level(struct flow *f, uint32_t pair)
{
    f->log->holds.items[pair].by = nadi_share_held_by(f->share, pair);
}

void nadi_flow_log_vote(struct flow *f, uint32_t pair, double ns, double bytes)
{
    struct hold *h = &f->log->holds.items[pair];
    const double lost = ns - bytes / h->alone;
    if (h->by == NADI_NONE || !(lost > ns * ROUNDING))
        return;
    if (h->link == h->by)
        h->lost += lost;
    else if (lost > h->lost) {
        h->link = h->by;
        h->lost = lost - h->lost;
    } else
        h->lost -= lost;
}

void nadi_flow_log_end(struct flow *f, uint32_t transfer)
{
    struct nadi_flow_log *log = f->log;
    const struct transfer *t = &f->transfers.items[transfer];
    if (!nadi_message_logged(log->to, t->kind) || t->itself || t->bytes == 0 ||
        t->route >= log->holds.count)
        return;
    const struct hold *h = &log->holds.items[t->route];
    const uint32_t link = h->link == NADI_NONE ? h->by : h->link;
    const double took = (double)(nadi_engine_now(f->base.engine) - log->begun.items[transfer]);
    const double lost = took - (double)t->bytes / h->alone * 1e3;
    if (link != NADI_NONE && lost >= 1000) /* less than 1 ns is rounding */
        nadi_message_log_wait(log->to, t->a, link, nadi_time_trunc(lost));
}
