/* flow_log: what messages lost by sharing links, and at which link, for the message log. */
#include "base/mem.h"
#include "network/flow_inside.h"

#include <math.h>

#define ROUNDING 1e-9

struct hold {     /* of a pair: what kept it below what it gets alone */
    double alone; /* bytes/ns */
    double lost;  /* ns, at `link` more than at all others: a weighted majority vote */
    double all;   /* ns, at any link since it was opened, up to its last vote */
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
        struct begun { /* by transfer */
            nadi_time at;
            double lost; /* ns: by its pair until then */
        } * items;
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

static void begin(struct nadi_flow_log *log, uint32_t transfer, struct begun begun)
{
    while (log->begun.count <= transfer)
        NADI_PUSH(&log->begun, begun);
    log->begun.items[transfer] = begun;
}

void nadi_flow_log_begin(struct flow *f, uint32_t transfer)
{
    const struct begun now = {.at = nadi_engine_now(f->base.engine)};
    begin(f->log, transfer, now);
}

/* What the messages of a pair have lost until now. */
static double lost_until(const struct flow *f, uint32_t pair, nadi_time now)
{
    const struct hold *h = &f->log->holds.items[pair];
    const struct pair *p = &f->pairs.items[pair];
    const double from = nadi_flow_is_clocked(f, pair) ? p->level : p->got;
    const double got = nadi_flow_got(f, pair, now) - from;
    const double lost = (double)(now - p->since) * 1e-3 - got / h->alone;
    return h->all + (h->by != NADI_NONE && got > 0 ? fmax(lost, 0) : 0);
}

void nadi_flow_log_queue(struct flow *f, uint32_t transfer)
{
    const nadi_time now = nadi_engine_now(f->base.engine);
    const struct begun waits = {now, lost_until(f, f->transfers.items[transfer].route, now)};
    begin(f->log, transfer, waits); /* until it begins */
}

/* Where those before it were held up by others, so was this one. */
void nadi_flow_log_queued(struct flow *f, uint32_t transfer)
{
    struct nadi_flow_log *log = f->log;
    const struct transfer *t = &f->transfers.items[transfer];
    const struct begun *b = &log->begun.items[transfer];
    const struct hold *h = &log->holds.items[t->route];
    const uint32_t link = h->link == NADI_NONE ? h->by : h->link;
    if (!nadi_message_logged(log->to, t->kind))
        return;
    const nadi_time waited = nadi_engine_now(f->base.engine) - b->at;
    nadi_time shared = link == NADI_NONE ? 0 : nadi_time_trunc((h->all - b->lost) * 1e3);
    shared = shared < 1000 ? 0 : shared < waited ? shared : waited; /* less than 1 ns is rounding */
    nadi_message_log_wait(log->to, t->a, link, shared);
    nadi_message_log_queued(log->to, t->a, waited - shared);
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
    h->all += lost;
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
    const double took = (double)(nadi_engine_now(f->base.engine) - log->begun.items[transfer].at);
    const double lost = took - (double)t->bytes / h->alone * 1e3;
    if (link != NADI_NONE && lost >= 1000) /* less than 1 ns is rounding */
        nadi_message_log_wait(log->to, t->a, link, nadi_time_trunc(lost));
}
