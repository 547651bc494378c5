#include "synthesize/synth_match.h"

#include "base/heap.h"
#include "base/mem.h"

static void find_only(const struct nadi_synth_net *net, uint32_t *only_out, uint32_t *only_in)
{
    bool *out_seen = NADI_ZNEW(bool, net->n), *in_seen = NADI_ZNEW(bool, net->n);
    for (uint32_t i = 0; i < net->pair_count; i++) {
        const struct nadi_synth_pair *p = &net->pairs[i];
        const uint32_t first = net->channels[p->first_channel];
        const uint32_t last = net->channels[p->first_channel + p->channel_count - 1];
        only_out[p->from] = !out_seen[p->from] || only_out[p->from] == first ? first : NADI_NONE;
        only_in[p->to] = !in_seen[p->to] || only_in[p->to] == last ? last : NADI_NONE;
        out_seen[p->from] = in_seen[p->to] = true;
    }
    nadi_mem_free(out_seen);
    nadi_mem_free(in_seen);
}

void nadi_synth_traffic_init(struct nadi_synth_traffic *t, const struct nadi_synth_net *net,
                             const struct nadi_synth_policy *policy, struct nadi_synth_plan *plan)
{
    *t = (struct nadi_synth_traffic){.net = net, .split = policy->split, .plan = plan};
    *plan = (struct nadi_synth_plan){0};
    t->spare = NADI_NEW(uint64_t, net->channel_count);
    for (uint32_t c = 0; c < net->channel_count; c++)
        t->spare[c] = policy->at_once ? INT64_MAX : net->capacity[c];
    t->rate = NADI_NEW(uint64_t, net->pair_count);
    for (uint32_t i = 0; i < net->pair_count; i++)
        t->rate[i] = nadi_max_u64(net->pairs[i].rate / policy->split, 1);
    t->only_in = NADI_NEW(uint32_t, net->n);
    t->only_out = NADI_NEW(uint32_t, net->n);
    memset(t->only_in, 0xff, net->n * sizeof(uint32_t));
    memset(t->only_out, 0xff, net->n * sizeof(uint32_t));
    find_only(net, t->only_out, t->only_in);
    t->waiting = NADI_NEW(uint32_t, net->channel_count);
    memset(t->waiting, 0xff, net->channel_count * sizeof(uint32_t));
    t->waiting_next = NADI_NEW(uint32_t, net->n);
    t->is_waiting = NADI_ZNEW(bool, net->n);
    t->is_dirty = NADI_ZNEW(bool, net->n);
    nadi_rng_init(&t->rng, policy->seed, "collective synth");
}

void nadi_synth_traffic_release(struct nadi_synth_traffic *t)
{
    nadi_mem_free(t->spare);
    nadi_mem_free(t->rate);
    nadi_mem_free(t->only_in);
    nadi_mem_free(t->only_out);
    nadi_mem_free(t->flights.items);
    nadi_mem_free(t->waiting);
    nadi_mem_free(t->waiting_next);
    nadi_mem_free(t->is_waiting);
    nadi_mem_free(t->dirty.items);
    nadi_mem_free(t->taken.items);
    nadi_mem_free(t->is_dirty);
}

bool nadi_synth_may_send(struct nadi_synth_traffic *t, uint32_t pair, uint32_t who)
{
    const struct nadi_synth_pair *p = &t->net->pairs[pair];
    const uint32_t *channels = &t->net->channels[p->first_channel], last = p->channel_count - 1;
    const uint64_t rate = t->rate[pair];
    t->plan->work += 4;
    if (t->spare[channels[0]] < rate || t->spare[channels[last]] < rate)
        return false;
    for (uint32_t i = 1; i < last; i++) {
        if (t->spare[channels[i]] >= rate)
            continue;
        if (!t->is_waiting[who]) {
            t->is_waiting[who] = true;
            t->waiting_next[who] = t->waiting[channels[i]];
            t->waiting[channels[i]] = who;
        }
        return false;
    }
    return true;
}

static bool before(const struct nadi_synth_flight *a, const struct nadi_synth_flight *b)
{
    return a->end < b->end || (a->end == b->end && a->send < b->send);
}

uint32_t nadi_synth_start(struct nadi_synth_traffic *t, uint32_t pair, size_t first, double bytes)
{
    const struct nadi_synth_pair *p = &t->net->pairs[pair];
    const uint32_t index = (uint32_t)t->plan->sends.count;
    const struct nadi_synth_send send = {
        .start = t->now,
        .end = t->now + nadi_synth_cost(p, bytes, t->split),
        .pair = pair,
        .first = (uint32_t)first,
        .count = (uint32_t)(t->plan->chunks.count - first),
    };
    for (uint32_t i = 0; i < p->channel_count; i++)
        t->spare[t->net->channels[p->first_channel + i]] -= t->rate[pair];
    t->plan->work += 50;
    NADI_PUSH(&t->plan->sends, send);
    const struct nadi_synth_flight flight = {send.end, index};
    NADI_HEAP_PUSH(&t->flights, flight, before);
    return index;
}

/* Those that wait for the channel get another look, two at a time: it has room for few. */
static void wake(struct nadi_synth_traffic *t, uint32_t channel)
{
    for (int i = 0; i < 2 && t->waiting[channel] != NADI_NONE; i++) {
        const uint32_t npu = t->waiting[channel];
        t->waiting[channel] = t->waiting_next[npu];
        t->is_waiting[npu] = false;
        nadi_synth_mark(t, npu);
    }
}

static void release_channels(struct nadi_synth_traffic *t, uint32_t pair)
{
    const struct nadi_synth_pair *p = &t->net->pairs[pair];
    for (uint32_t i = 0; i < p->channel_count; i++) {
        const uint32_t c = t->net->channels[p->first_channel + i];
        t->spare[c] += t->rate[pair];
        if (t->waiting[c] != NADI_NONE)
            wake(t, c);
    }
}

static void drop_given_up(struct nadi_synth_traffic *t)
{
    while (t->flights.count > 0 && t->plan->sends.items[t->flights.items[0].send].count == 0)
        NADI_HEAP_DROP(&t->flights, before);
}

uint32_t nadi_synth_next(struct nadi_synth_traffic *t)
{
    drop_given_up(t);
    if (t->flights.count == 0)
        return NADI_NONE;
    struct nadi_synth_flight f;
    NADI_HEAP_POP(&t->flights, f, before);
    const struct nadi_synth_pair *p = &t->net->pairs[t->plan->sends.items[f.send].pair];
    t->now = f.end;
    release_channels(t, (uint32_t)(p - t->net->pairs));
    nadi_synth_mark(t, p->from);
    nadi_synth_mark(t, p->to);
    return f.send;
}

bool nadi_synth_more_now(struct nadi_synth_traffic *t)
{
    drop_given_up(t);
    return t->flights.count > 0 && t->flights.items[0].end == t->now;
}

void nadi_synth_give_up(struct nadi_synth_traffic *t, uint32_t send)
{
    struct nadi_synth_send *s = &t->plan->sends.items[send];
    release_channels(t, s->pair);
    nadi_synth_mark(t, t->net->pairs[s->pair].from);
    s->count = 0;
}

void nadi_synth_mark(struct nadi_synth_traffic *t, uint32_t npu)
{
    if (t->is_dirty[npu])
        return;
    t->is_dirty[npu] = true;
    NADI_PUSH(&t->dirty, npu);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void nadi_synth_take_dirty(struct nadi_synth_traffic *t, bool ordered, uint32_t **npus,
                           size_t *count)
{
    t->taken.count = 0;
    for (size_t i = 0; i < t->dirty.count; i++)
        NADI_PUSH(&t->taken, t->dirty.items[i]);
    t->dirty.count = 0;
    uint32_t *items = t->taken.items;
    *count = t->taken.count;
    *npus = items;
    for (size_t i = 0; i < *count; i++)
        t->is_dirty[items[i]] = false;
    if (ordered) {
        qsort(items, *count, sizeof(*items), by_number);
    } else {
        for (size_t i = *count; i > 1; i--) {
            const size_t k = nadi_rng_below(&t->rng, i);
            const uint32_t swap = items[i - 1];
            items[i - 1] = items[k];
            items[k] = swap;
        }
    }
}

void nadi_synth_plan_release(struct nadi_synth_plan *plan)
{
    nadi_mem_free(plan->sends.items);
    nadi_mem_free(plan->chunks.items);
    *plan = (struct nadi_synth_plan){0};
}
