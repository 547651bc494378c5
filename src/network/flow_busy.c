/* flow_busy: how long a link needs for what it has carried. A fluid crosses a fast link at the rate
 * of the slowest: that it is there says nothing of the link. Busy is therefore bytes by rate, for
 * each rate that the link has had; by the length of the run it is the part of the link that was
 * used, and the fullest link bounds the others. */
#include <math.h>

#include "base/mem.h"
#include "network/flow_inside.h"
#include "network/uniform.h"

struct messages {
    uint32_t *items;
    size_t count, capacity;
};

static int by_end(const void *x, const void *y, void *transfers)
{
    const struct transfer *items = transfers;
    const struct transfer *a = &items[*(const uint32_t *)x], *b = &items[*(const uint32_t *)y];
    if (a->full < b->full || b->full < a->full)
        return a->full < b->full ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* In the order of their ends: sums do not depend on the form of the heap. The caller frees it. */
static struct messages messages_of(const struct flow *f, uint32_t pair)
{
    struct messages all = {0};
    if (f->pairs.items[pair].head != NADI_NONE)
        NADI_PUSH(&all, f->pairs.items[pair].head);
    for (size_t i = 0; i < all.count; i++)
        for (uint32_t t = f->transfers.items[all.items[i]].child; t != NADI_NONE;
             t = f->transfers.items[t].next)
            NADI_PUSH(&all, t);
    if (all.count > 1)
        qsort_r(all.items, all.count, sizeof(*all.items), by_end, f->transfers.items);
    return all;
}

double nadi_flow_rest(const struct flow *f, uint32_t pair)
{
    const double got = nadi_flow_got(f, pair, nadi_engine_now(f->base.engine));
    double left = 0;
    const struct messages all = messages_of(f, pair);
    for (size_t i = 0; i < all.count; i++) {
        const struct transfer *t = &f->transfers.items[all.items[i]];
        left += t->full > got ? (t->full - got) * t->weight : 0;
    }
    nadi_mem_free(all.items);
    return left;
}

struct nadi_flow_waiting nadi_flow_waiting(const struct flow *f, uint32_t pair)
{
    const struct nadi_connections *c = &f->connections;
    struct nadi_flow_waiting all = {0};
    for (uint32_t i = nadi_connections_of(c, pair); i != NADI_NONE; i = c->list.items[i].next)
        for (uint32_t t = c->list.items[i].head; t != NADI_NONE;
             t = nadi_connections_behind(c, t)) {
            all.messages++;
            all.bytes += (double)f->transfers.items[t].bytes;
        }
    return all;
}

/* What links have carried, by link; of tallies that hold all messages that have begun. The caller
 * frees it. */
static double *carried(const struct flow *f, const struct nadi_fabric_tally *tallies)
{
    double *bytes = NADI_NEW(double, f->fabric.count);
    for (uint32_t l = 0; l < f->fabric.count; l++)
        bytes[l] = (double)tallies[l].bytes;
    for (uint32_t pair = 0; pair < f->pairs.count; pair++) {
        const struct pair *p = &f->pairs.items[pair];
        if (p->count == 0 || p->closed) /* cut: its rest is counted nowhere */
            continue;
        const double rest = nadi_flow_rest(f, pair) + nadi_flow_waiting(f, pair).bytes;
        for (uint32_t i = 0; i < nadi_share_hops(f->share, pair); i++)
            bytes[nadi_share_link(f->share, pair, i)] -= rest;
    }
    return bytes;
}

static struct link_work work_of(const struct flow *f, uint32_t link, double bytes)
{
    struct link_work w = f->worked ? f->worked[link] : (struct link_work){0};
    const double rate = f->fabric.items[link].bytes_per_ns;
    if (bytes > w.bytes && rate > 0)
        w.ns += (bytes - w.bytes) / rate;
    w.bytes = bytes;
    return w;
}

void nadi_flow_find_busy(const struct flow *f, struct nadi_fabric_tally *tallies)
{
    double *bytes = carried(f, tallies);
    for (uint32_t l = 0; l < f->fabric.count; l++) {
        tallies[l].busy = nadi_time_of_ns(work_of(f, l, bytes[l]).ns);
        if (bytes[l] < (double)tallies[l].bytes) /* the run ended, and messages had not */
            tallies[l].bytes = nadi_count_round(fmax(bytes[l], 0));
    }
    nadi_mem_free(bytes);
}

void nadi_flow_end_rates(struct flow *f, const struct nadi_link_state *states, size_t count)
{
    for (uint32_t pair = 0; pair < f->pairs.count; pair++) {
        nadi_flow_tell(f, pair, f->tallies);
        f->pairs.items[pair].messages = 0;
        f->pairs.items[pair].bytes = 0;
    }
    double *bytes = carried(f, f->tallies);
    if (!f->worked)
        f->worked = NADI_ZNEW(struct link_work, f->fabric.count);
    for (size_t i = 0; i < count; i++)
        f->worked[states[i].link] = work_of(f, states[i].link, bytes[states[i].link]);
    nadi_mem_free(bytes);
}

void nadi_flow_counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                        void *context)
{
    const struct flow *f = (const struct flow *)net;
    struct nadi_fabric_tally *tallies = NADI_NEW(struct nadi_fabric_tally, f->fabric.count);
    memcpy(tallies, f->tallies, f->fabric.count * sizeof(*tallies));
    for (uint32_t pair = 0; pair < f->pairs.count; pair++)
        nadi_flow_tell(f, pair, tallies);
    nadi_flow_find_busy(f, tallies);
    if (f->base.usage)
        nadi_flow_tell_usage(f);
    if (f->fabric.uniform)
        nadi_uniform_spread(&f->fabric, tallies, f->base.usage);
    nadi_fabric_counters(&f->fabric, tallies, links, visit, context);
    nadi_mem_free(tallies);
}

void nadi_flow_flows(const struct nadi_network *net, nadi_counted_flow_fn *visit, void *context)
{
    nadi_fabric_flows(&((const struct flow *)net)->fabric, visit, context);
}
