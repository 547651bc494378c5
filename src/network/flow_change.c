/* flow_change: links that change while messages are on their way. Rates are found anew; where a
 * route is down the rest of its messages takes another one, at once and without its latency, or
 * waits where there is none. A message that has not begun pays the latency of the route it then
 * takes. */
#include "base/mem.h"
#include "network/flow_inside.h"

/* What is left of the pair's messages is counted where it will go. */
static void count_rest(struct flow *f, uint32_t pair, const struct nadi_fabric_path *from,
                       const struct nadi_fabric_path *to)
{
    const uint64_t bytes = nadi_count_round(nadi_flow_rest(f, pair));
    for (uint32_t i = 0; i < from->hops; i++)
        f->tallies[from->links[i]].bytes -= nadi_min_u64(bytes, f->tallies[from->links[i]].bytes);
    for (uint32_t i = 0; i < to->hops; i++) {
        struct nadi_fabric_tally *l = &f->tallies[to->links[i]];
        l->bytes = nadi_count_add(l->bytes, bytes);
        l->messages += f->pairs.items[pair].count;
    }
}

static bool same_path(const struct nadi_fabric_path *a, const struct nadi_fabric_path *b)
{
    return a->broken == b->broken && a->hops == b->hops &&
           (a->hops == 0 || memcmp(a->links, b->links, a->hops * sizeof(*a->links)) == 0);
}

/* The pair has messages on their path; puts them on the way of now. */
static void move(struct flow *f, uint32_t pair)
{
    struct pair *p = &f->pairs.items[pair];
    const bool clocked = nadi_flow_is_clocked(f, pair);
    nadi_flow_advance(f, pair, nadi_engine_now(f->base.engine));
    if (clocked)
        nadi_flow_find_end(f, pair);
    const struct nadi_fabric_path old = f->fabric.routes[pair];
    const struct nadi_fabric_path *path = nadi_fabric_path(&f->fabric, pair);
    const bool moved = !same_path(&old, path);
    p->changes = path->changes;
    if (!moved && !(f->config.window_bytes > 0 && !path->broken))
        return;
    if (!p->closed) {
        p->closed = true; /* leaves the old links */
        nadi_flow_apply_weight(f, pair);
        p->level = 0;
        nadi_flow_take_out(f, pair);
    }
    nadi_flow_tell(f, pair, f->tallies);
    p->messages = 0;
    p->bytes = 0;
    if (moved)
        count_rest(f, pair, &old, path);
    if (path->broken)
        return;
    nadi_flow_use_links(f, pair, path);
    p->closed = false;
    nadi_flow_apply_weight(f, pair);
}

void nadi_flow_change(struct nadi_network *net, const struct nadi_link_state *states, size_t count)
{
    struct flow *f = nadi_flow_self(net);
    nadi_flow_end_rates(f, states, count);
    nadi_fabric_change(&f->fabric, states, count);
    for (size_t i = 0; i < count; i++)
        nadi_share_set_capacity(f->share, states[i].link, states[i].bytes_per_ns);
    for (uint32_t pair = 0; pair < f->pairs.count; pair++)
        if (f->pairs.items[pair].count)
            move(f, pair);
    const size_t waiting = f->stranded.count;
    f->stranded.count = 0;
    for (size_t i = 0; i < waiting; i++) {
        const uint32_t transfer = f->stranded.items[i];
        if (nadi_fabric_path(&f->fabric, f->transfers.items[transfer].route)->broken)
            f->stranded.items[f->stranded.count++] = transfer;
        else
            nadi_flow_schedule(f, transfer, nadi_engine_now(f->base.engine));
    }
    nadi_flow_need_settling(f);
}

const char *nadi_flow_too_far(const struct nadi_network *net)
{
    const struct flow *f = (const struct flow *)net;
    return f->stranded.count ? nadi_fabric_too_far(&f->fabric) : NULL;
}

uint64_t nadi_flow_stranded(const struct nadi_network *net, uint32_t *src, uint32_t *dst)
{
    const struct flow *f = (const struct flow *)net;
    if (f->stranded.count) {
        const uint32_t route = f->transfers.items[f->stranded.items[0]].route;
        *src = f->fabric.routes[route].src;
        *dst = f->fabric.routes[route].dst;
    }
    uint64_t count = f->stranded.count;
    for (size_t i = 0; i < f->pairs.count; i++) {
        const struct pair *p = &f->pairs.items[i];
        if (!p->closed)
            continue;
        count += p->count + nadi_flow_waiting(f, (uint32_t)i).messages;
    }
    return count;
}
