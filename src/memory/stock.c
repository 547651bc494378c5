#include "memory/stock_inside.h"

struct nadi_stock *nadi_stock_create(const struct nadi_tiers *tiers, bool record)
{
    struct nadi_stock *s = NADI_ZNEW(struct nadi_stock, 1);
    s->tiers = tiers;
    s->record = record;
    s->first = NADI_NEW(uint32_t, tiers->tier_count);
    bool evicts = false;
    for (uint32_t i = 0; i < tiers->tier_count; i++) {
        evicts |= tiers->tiers[i].full == NADI_FULL_EVICT;
        s->first[i] = s->level_count;
        s->level_count += nadi_tiers_instances(tiers, tiers->tiers[i].scope);
    }
    s->levels = NADI_ZNEW(struct nadi_stock_level *, s->level_count);
    if (evicts) {
        s->orders = NADI_ZNEW(struct order, s->level_count);
        for (uint32_t i = 0; i < s->level_count; i++)
            s->orders[i].head = s->orders[i].tail = NADI_NONE;
    }
    nadi_strmap_init(&s->names);
    nadi_map64_init(&s->index, 64);
    return s;
}

void nadi_stock_destroy(struct nadi_stock *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->level_count; i++)
        nadi_mem_free(s->levels[i]);
    nadi_mem_free(s->levels);
    nadi_mem_free(s->orders);
    nadi_mem_free(s->first);
    nadi_strmap_release(&s->names);
    nadi_map64_release(&s->index);
    nadi_mem_free(s->entries.items);
    nadi_mem_free(s->changes.items);
    nadi_mem_free(s);
}

/* ---- entries ------------------------------------------------------------------------------- */

enum { TIER_BITS = 5, ROLE_BITS = 4, NAME_BITS = 27 };

_Static_assert(NADI_MOST_TIERS <= 1 << TIER_BITS, "a tier fits");
_Static_assert(NADI_STOCK_MOST_ROLES <= 1 << ROLE_BITS, "a role fits");

/* Owner, name and tier in one number: the owner an NPU, or an instance for shared names. */
static bool key_of(const struct nadi_stock *s, const struct nadi_stock_key *key, uint8_t role,
                   uint64_t *number)
{
    const uint32_t owner =
        key->shared ? nadi_tiers_instance(s->tiers, key->tier, key->npu) | UINT32_C(1) << 31
                    : key->npu;
    uint32_t name = role; /* of bytes without a name */
    if (key->block) {
        name = nadi_strmap_find(&s->names, key->block, strlen(key->block));
        if (name == NADI_NONE)
            return false;
        name += NADI_STOCK_MOST_ROLES;
    }
    *number = (uint64_t)owner << 32 | (uint64_t)name << TIER_BITS | key->tier;
    return true;
}

struct entry *nadi_stock_entry_of(const struct nadi_stock *s, const struct nadi_stock_key *key,
                                  uint8_t role)
{
    uint64_t number;
    if (!key_of(s, key, role, &number))
        return NULL;
    const uint32_t at = nadi_map64_find(&s->index, number);
    return at == NADI_NONE || !s->entries.items[at].taken ? NULL : &s->entries.items[at];
}

static struct entry *make(struct nadi_stock *s, const struct nadi_stock_key *key, uint8_t role)
{
    uint64_t number;
    bool added = false;
    if (key->block) {
        const uint32_t name =
            nadi_strmap_put(&s->names, key->block, strlen(key->block), s->name_count, NULL);
        s->name_count += name == s->name_count;
        NADI_ASSERT(s->name_count < (UINT32_C(1) << NAME_BITS) - NADI_STOCK_MOST_ROLES);
    }
    const bool known = key_of(s, key, role, &number);
    NADI_ASSERT(known);
    const uint32_t at = *nadi_map64_put(&s->index, number, (uint32_t)s->entries.count, &added);
    if (added) {
        const struct entry none = {
            .tier = key->tier, .role = role, .before = NADI_NONE, .after = NADI_NONE};
        NADI_PUSH(&s->entries, none);
    }
    return &s->entries.items[at];
}

/* ---- levels -------------------------------------------------------------------------------- */

static struct nadi_stock_level *level_of(struct nadi_stock *s, uint32_t tier, uint32_t npu)
{
    struct nadi_stock_level **l =
        &s->levels[s->first[tier] + nadi_tiers_instance(s->tiers, tier, npu)];
    if (!*l)
        *l = NADI_ZNEW(struct nadi_stock_level, 1);
    return *l;
}

static uint64_t all_copies(uint64_t bytes, uint32_t copies)
{
    return nadi_count_mul(bytes, copies);
}

static void note(struct nadi_stock *s, uint32_t tier, uint32_t npu, nadi_time at, uint64_t bytes)
{
    const uint32_t instance = nadi_tiers_instance(s->tiers, tier, npu);
    const struct nadi_stock_change change = {at, tier, instance, bytes};
    if (s->record)
        NADI_PUSH(&s->changes, change);
}

void nadi_stock_raise(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint8_t role,
                      uint64_t more, nadi_time at)
{
    struct nadi_stock_level *l = level_of(s, tier, npu);
    l->bytes = nadi_count_add(l->bytes, more);
    l->by_role[role] = nadi_count_add(l->by_role[role], more);
    l->most_by_role[role] = nadi_max_u64(l->most_by_role[role], l->by_role[role]);
    if (l->bytes > l->peak_bytes) {
        l->peak_bytes = l->bytes;
        l->peak_at = at;
        memcpy(l->peak_by_role, l->by_role, sizeof(l->by_role));
    }
    note(s, tier, npu, at, l->bytes);
}

void nadi_stock_lower(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint8_t role,
                      uint64_t less, nadi_time at)
{
    struct nadi_stock_level *l = level_of(s, tier, npu);
    NADI_ASSERT(l->bytes >= less && l->by_role[role] >= less);
    l->bytes -= less;
    l->by_role[role] -= less;
    note(s, tier, npu, at, l->bytes);
}

bool nadi_stock_has_room(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint64_t bytes)
{
    const uint64_t capacity = s->tiers->tiers[tier].capacity_bytes;
    const uint64_t there = level_of(s, tier, npu)->bytes;
    return bytes <= capacity && there <= capacity - bytes;
}

bool nadi_stock_could(const struct nadi_stock *s, uint32_t tier, uint64_t bytes, uint32_t copies)
{
    return all_copies(bytes, copies) <= s->tiers->tiers[tier].capacity_bytes;
}

/* ---- taking and giving --------------------------------------------------------------------- */

/* The tier, or the next one that the NPU sees and that has room, where it says so. */
static uint32_t place_for(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint64_t bytes)
{
    for (uint32_t t = tier; t < s->tiers->tier_count; t++) {
        if (t != tier && !nadi_tiers_sees(s->tiers, t, npu))
            continue;
        if (nadi_stock_has_room(s, t, npu, bytes))
            return t;
        const enum nadi_tier_full full = s->tiers->tiers[t].full;
        if (full != NADI_FULL_NEXT && !(s->laying && full == NADI_FULL_EVICT))
            break;
    }
    return NADI_NONE;
}

enum nadi_stock_answer nadi_stock_take(struct nadi_stock *s, const struct nadi_stock_key *key,
                                       uint8_t role, uint64_t bytes, uint32_t copies, nadi_time at,
                                       uint32_t *tier)
{
    const struct entry *there = nadi_stock_entry_of(s, key, role);
    const uint64_t before = there && key->block ? there->bytes : 0;
    const uint64_t more = bytes > before ? bytes - before : 0;
    const uint64_t all = all_copies(more, copies);
    const uint32_t where = !there ? place_for(s, key->tier, key->npu, all)
                           : nadi_stock_has_room(s, there->tier, key->npu, all) ? there->tier
                                                                                : NADI_NONE;
    *tier = where;
    if (where == NADI_NONE)
        return NADI_STOCK_FULL;
    struct entry *e = make(s, key, role);
    if (more || !e->taken)
        nadi_stock_raise(s, where, key->npu, e->taken ? e->role : role, all, at);
    if (!e->taken)
        *e = (struct entry){.role = role,
                            .taken = true,
                            .home = key->tier,
                            .npu = key->npu,
                            .name = key->block,
                            .before = NADI_NONE,
                            .after = NADI_NONE};
    e->tier = where;
    e->bytes = nadi_count_add(e->bytes, more);
    if (s->orders && key->block)
        nadi_stock_order_add(s, (uint32_t)(e - s->entries.items));
    return NADI_STOCK_DONE;
}

void nadi_stock_fill(struct nadi_stock *s, const struct nadi_stock_key *key)
{
    struct entry *e = nadi_stock_entry_of(s, key, 0);
    if (e)
        e->readable = true;
}

uint32_t nadi_stock_find(const struct nadi_stock *s, const struct nadi_stock_key *key)
{
    const struct entry *e = nadi_stock_entry_of(s, key, 0);
    return e && e->readable ? e->tier : NADI_NONE;
}

enum nadi_stock_answer nadi_stock_give(struct nadi_stock *s, const struct nadi_stock_key *key,
                                       uint8_t role, uint64_t bytes, uint32_t copies, nadi_time at)
{
    struct entry *e = nadi_stock_entry_of(s, key, role);
    if (!e || (!key->block && e->bytes < bytes))
        return NADI_STOCK_ABSENT;
    const uint64_t less = key->block ? e->bytes : bytes;
    NADI_ASSERT(!e->moving && e->pins == 0);
    const uint32_t npu = s->orders && key->block ? e->npu : key->npu;
    nadi_stock_lower(s, e->tier, npu, e->role, all_copies(less, copies), at);
    e->bytes -= less;
    if (s->orders && key->block)
        nadi_stock_order_drop(s, (uint32_t)(e - s->entries.items));
    if (key->block || e->bytes == 0)
        e->taken = e->readable = false;
    return NADI_STOCK_DONE;
}

/* ---- results ------------------------------------------------------------------------------- */

const struct nadi_stock_level *nadi_stock_level(const struct nadi_stock *s, uint32_t tier,
                                                uint32_t instance)
{
    return s->levels[s->first[tier] + instance];
}

const struct nadi_stock_change *nadi_stock_changes(const struct nadi_stock *s, size_t *count)
{
    *count = s->changes.count;
    return s->changes.items;
}
