/* stock_evict: blocks that move between tiers: who leaves, and where the bytes lie meanwhile. */
#include "memory/stock_inside.h"

static uint32_t instance_of(const struct nadi_stock *s, uint32_t tier, uint32_t npu)
{
    return s->first[tier] + nadi_tiers_instance(s->tiers, tier, npu);
}

static struct order *order_of(const struct nadi_stock *s, const struct entry *e)
{
    return &s->orders[instance_of(s, e->tier, e->npu)];
}

void nadi_stock_order_drop(struct nadi_stock *s, uint32_t entry)
{
    struct entry *e = &s->entries.items[entry];
    struct order *o = order_of(s, e);
    if (o->head != entry && e->before == NADI_NONE)
        return; /* it has no place */
    if (e->before == NADI_NONE)
        o->head = e->after;
    else
        s->entries.items[e->before].after = e->after;
    if (e->after == NADI_NONE)
        o->tail = e->before;
    else
        s->entries.items[e->after].before = e->before;
    e->before = e->after = NADI_NONE;
}

void nadi_stock_order_add(struct nadi_stock *s, uint32_t entry)
{
    struct entry *e = &s->entries.items[entry];
    struct order *o = order_of(s, e);
    nadi_stock_order_drop(s, entry);
    e->before = o->tail;
    if (o->tail == NADI_NONE)
        o->head = entry;
    else
        s->entries.items[o->tail].after = entry;
    o->tail = entry;
}

void nadi_stock_set_laying(struct nadi_stock *s, bool laying)
{
    s->laying = laying;
}

uint32_t nadi_stock_number(const struct nadi_stock *s, const struct nadi_stock_key *key)
{
    const struct entry *e = nadi_stock_entry_of(s, key, 0);
    return e ? (uint32_t)(e - s->entries.items) : NADI_NONE;
}

struct nadi_stock_block nadi_stock_block(const struct nadi_stock *s, uint32_t block)
{
    const struct entry *e = &s->entries.items[block];
    return (struct nadi_stock_block){
        .bytes = e->bytes,
        .npu = e->npu,
        .tier = e->tier,
        .home = e->home,
        .role = e->role,
        .readable = e->readable,
        .moving = e->moving,
        .wanted = e->wanted,
        .pinned = e->pins > 0,
        .name = e->name,
    };
}

void nadi_stock_pin(struct nadi_stock *s, uint32_t block)
{
    s->entries.items[block].pins++;
    nadi_stock_order_add(s, block);
}

void nadi_stock_unpin(struct nadi_stock *s, uint32_t block)
{
    NADI_ASSERT(s->entries.items[block].pins > 0);
    s->entries.items[block].pins--;
}

uint32_t nadi_stock_victim(const struct nadi_stock *s, uint32_t tier, uint32_t npu)
{
    uint32_t at = s->orders[instance_of(s, tier, npu)].head;
    while (at != NADI_NONE) {
        const struct entry *e = &s->entries.items[at];
        if (e->readable && !e->moving && e->pins == 0)
            return at;
        at = e->after;
    }
    return NADI_NONE;
}

uint64_t nadi_stock_missing(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint64_t bytes)
{
    const uint64_t leaving = s->orders[instance_of(s, tier, npu)].leaving;
    const struct nadi_stock_level *l = s->levels[instance_of(s, tier, npu)];
    const uint64_t capacity = nadi_count_add(s->tiers->tiers[tier].capacity_bytes, leaving);
    const uint64_t wanted = nadi_count_add(l ? l->bytes : 0, bytes);
    return wanted > capacity ? wanted - capacity : 0;
}

bool nadi_stock_will_change(const struct nadi_stock *s, uint32_t tier, uint32_t npu)
{
    const struct order *o = &s->orders[instance_of(s, tier, npu)];
    if (o->coming)
        return true;
    for (uint32_t at = o->head; at != NADI_NONE; at = s->entries.items[at].after)
        if (s->entries.items[at].moving || s->entries.items[at].pins ||
            !s->entries.items[at].readable)
            return true;
    return false;
}

void nadi_stock_want(struct nadi_stock *s, uint32_t block)
{
    s->entries.items[block].wanted = true;
}

void nadi_stock_leave(struct nadi_stock *s, uint32_t block)
{
    struct entry *e = &s->entries.items[block];
    NADI_ASSERT(e->taken && !e->moving && e->pins == 0);
    order_of(s, e)->leaving += e->bytes;
    e->moving = true;
}

bool nadi_stock_claim(struct nadi_stock *s, uint32_t block, uint32_t to, nadi_time at)
{
    struct entry *e = &s->entries.items[block];
    NADI_ASSERT(e->moving && to != e->tier);
    if (!nadi_stock_has_room(s, to, e->npu, e->bytes))
        return false;
    nadi_stock_raise(s, to, e->npu, e->role, e->bytes, at);
    s->orders[instance_of(s, to, e->npu)].coming++;
    e->target = to;
    return true;
}

void nadi_stock_arrive(struct nadi_stock *s, uint32_t block, nadi_time at)
{
    struct entry *e = &s->entries.items[block];
    NADI_ASSERT(e->moving);
    order_of(s, e)->leaving -= e->bytes;
    s->orders[instance_of(s, e->target, e->npu)].coming--;
    nadi_stock_order_drop(s, block);
    nadi_stock_lower(s, e->tier, e->npu, e->role, e->bytes, at);
    e->tier = e->target;
    e->moving = false;
    e->wanted &= e->tier != e->home;
    nadi_stock_order_add(s, block);
}
