#include "trusted/owner_cache.h"

#include "base/mem.h"

void nadi_owner_cache_init(struct nadi_owner_cache *c, uint32_t entries, uint32_t associativity)
{
    NADI_ASSERT(associativity > 0 && entries >= associativity && entries % associativity == 0);
    *c = (struct nadi_owner_cache){.sets = entries / associativity, .associativity = associativity};
    c->frames = NADI_NEW(uint32_t, entries);
    memset(c->frames, 0xff, sizeof(uint32_t) * entries); /* NADI_NONE */
}

void nadi_owner_cache_release(struct nadi_owner_cache *c)
{
    nadi_mem_free(c->frames);
}

bool nadi_owner_cache_find(struct nadi_owner_cache *c, uint32_t frame)
{
    uint32_t *set = &c->frames[(size_t)(frame % c->sets) * c->associativity], at = 0;
    while (at + 1 < c->associativity && set[at] != frame)
        at++;
    const bool hit = set[at] == frame;
    memmove(set + 1, set, sizeof(*set) * at);
    set[0] = frame;
    return hit;
}
