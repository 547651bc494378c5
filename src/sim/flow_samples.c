#include "sim/flow_samples.h"

#include "base/mem.h"
#include "base/time.h"
#include "network/packet/queue.h"

void nadi_samples_init(struct nadi_samples *s, nadi_time interval, size_t max_rows)
{
    *s = (struct nadi_samples){.interval = interval, .max_rows = max_rows};
    for (int k = 0; k < NADI_SERIES; k++)
        s->series[k].interval = interval;
}

void nadi_samples_begin(struct nadi_samples *s, const struct nadi_pkt *net, size_t flows)
{
    const size_t widest = flows > net->port_count ? flows : net->port_count;
    if (s->max_rows < 2 * widest)
        s->max_rows = 2 * widest;
    s->busy = NADI_ZNEW(nadi_time, net->port_count);
    s->received = NADI_ZNEW(uint32_t, flows);
}

void nadi_samples_release(struct nadi_samples *s)
{
    for (int k = 0; k < NADI_SERIES; k++)
        nadi_mem_free(s->series[k].items);
    nadi_mem_free(s->busy);
    nadi_mem_free(s->received);
    *s = (struct nadi_samples){0};
}

static uint64_t join(enum nadi_series_kind kind, uint64_t x, uint64_t y)
{
    if (kind == NADI_SERIES_QUEUES)
        return nadi_max_u64(x, y);
    return x + y;
}

/* Two neighbouring intervals become one: their rows are merged by id. */
static void halve(struct nadi_series *s, enum nadi_series_kind kind)
{
    struct nadi_sample *merged = NADI_NEW(struct nadi_sample, s->capacity);
    size_t count = 0, i = 0;
    while (i < s->count) {
        const uint32_t pair = s->items[i].index / 2;
        size_t middle = i, end;
        while (middle < s->count && s->items[middle].index == 2 * pair)
            middle++;
        for (end = middle; end < s->count && s->items[end].index == 2 * pair + 1;)
            end++;
        size_t a = i, b = middle;
        while (a < middle || b < end) {
            const bool left = b == end || (a < middle && s->items[a].id <= s->items[b].id);
            const bool both = a < middle && b < end && s->items[a].id == s->items[b].id;
            struct nadi_sample one = left ? s->items[a] : s->items[b];
            one.index = pair;
            if (both)
                one.value = join(kind, s->items[a].value, s->items[b].value);
            a += left;
            b += !left || both;
            merged[count++] = one;
        }
        i = end;
    }
    nadi_mem_free(s->items);
    s->items = merged;
    s->count = count;
    s->interval *= 2;
}

static void add(struct nadi_samples *s, enum nadi_series_kind kind, uint32_t id, uint64_t value)
{
    struct nadi_series *series = &s->series[kind];
    const uint32_t index = (uint32_t)(s->taken / (series->interval / s->interval));
    size_t same = series->count;
    if (value == 0)
        return;
    /* Within an interval that several samples share: at the row of its own. */
    while (same > 0 && series->items[same - 1].index == index && series->items[same - 1].id > id)
        same--;
    if (same > 0 && series->items[same - 1].index == index && series->items[same - 1].id == id) {
        series->items[same - 1].value = join(kind, series->items[same - 1].value, value);
        return;
    }
    if (series->count == series->capacity)
        series->items = nadi_mem_grow(series->items, &series->capacity, series->count + 1,
                                      sizeof(*series->items));
    memmove(series->items + same + 1, series->items + same,
            (series->count - same) * sizeof(*series->items));
    series->items[same] = (struct nadi_sample){index, id, value};
    series->count++;
}

/* Only the replica with the flow's receiver has received anything. */
static uint32_t received(struct nadi_pkt *const *nets, uint32_t count, uint32_t flow)
{
    uint32_t packets = 0;
    for (uint32_t i = 0; i < count; i++)
        packets += nets[i]->receivers[flow].expected;
    return packets;
}

static void take_flow(struct nadi_samples *s, uint32_t id, uint32_t now)
{
    add(s, NADI_SERIES_FLOWS, id, now - s->received[id]);
    s->received[id] = now;
}

void nadi_samples_flow_done(struct nadi_samples *s, const struct nadi_pkt *net, uint32_t flow)
{
    take_flow(s, net->infos[flow].user, net->flows[flow].packets);
}

static void take_ports(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count)
{
    for (uint32_t p = 0; p < nets[0]->port_count; p++) {
        nadi_time busy = 0;
        uint64_t queued = 0;
        for (uint32_t i = 0; i < count; i++) {
            busy = nadi_time_add(busy, nadi_pkt_to_ps(nets[i], nets[i]->sent[p].busy_ticks));
            queued += nadi_pkt_queued_bytes(nets[i], p);
        }
        add(s, NADI_SERIES_QUEUES, p, queued);
        add(s, NADI_SERIES_LINKS, p, (uint64_t)(busy - s->busy[p]));
        s->busy[p] = busy;
    }
}

/* What arrives for a flow that was given up does not count, unless it becomes whole. */
static void take_flows(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count,
                       bool done_only)
{
    for (uint32_t f = 0; f < nets[0]->flow_count; f++) {
        const uint32_t now = received(nets, count, f), id = nets[0]->infos[f].user;
        bool open = !done_only;
        for (uint32_t i = 0; i < count; i++)
            open &= !nets[i]->flows[f].finished;
        if (now > s->received[id] && (open || now == nets[0]->flows[f].packets))
            take_flow(s, id, now);
    }
}

void nadi_samples_take(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count)
{
    take_ports(s, nets, count);
    take_flows(s, nets, count, false);
    s->taken++;
    for (int k = 0; k < NADI_SERIES; k++)
        while (s->series[k].count > s->max_rows)
            halve(&s->series[k], (enum nadi_series_kind)k);
}

void nadi_samples_end(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count)
{
    take_flows(s, nets, count, true);
}
