#include "trusted/tree.h"

#include "base/mem.h"

enum { TAG_BYTES = 8, TEXT_BYTES = NADI_TREE_NODE_BYTES - TAG_BYTES, MINOR_BITS = 6 };
#define MINOR_MOST ((1u << MINOR_BITS) - 1)

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t level_of(const struct nadi_tree *t, uint32_t node)
{
    uint32_t level = 0;
    while (node >= t->first[level + 1])
        level++;
    return level;
}

static bool is_top(const struct nadi_tree *t, uint32_t node)
{
    return node + 1 == t->node_count;
}

/* The node above; *slot: where in it. */
static uint32_t parent_of(const struct nadi_tree *t, uint32_t node, uint32_t *slot)
{
    const uint32_t level = level_of(t, node), index = node - t->first[level];
    *slot = index % t->options.arity;
    return t->first[level + 1] + index / t->options.arity;
}

static struct nadi_tree_cached *cached(const struct nadi_tree *t, uint32_t node)
{
    return &t->cache[t->cached_at[node]];
}

/* ---- counters of a node --------------------------------------------------------------------- */

static uint64_t counter_of(const struct nadi_tree *t, const struct nadi_tree_cached *c,
                           uint32_t slot)
{
    return t->options.arity == 8 ? c->counters[slot] : (c->major << MINOR_BITS) | c->minors[slot];
}

static bool overflows(const struct nadi_tree *t, const struct nadi_tree_cached *c, uint32_t slot)
{
    return t->options.arity != 8 && c->minors[slot] == MINOR_MOST;
}

static void raise(const struct nadi_tree *t, struct nadi_tree_cached *c, uint32_t slot)
{
    if (t->options.arity == 8) {
        if (++c->counters[slot] >> 56)
            NADI_BUG("a counter of 56 bits is used up");
    } else if (overflows(t, c, slot)) {
        c->major++;
        memset(c->minors, 0, sizeof(c->minors));
        t->meter->count.overflows++;
    } else
        c->minors[slot]++;
    c->changed = true;
}

static void encode(const struct nadi_tree *t, const struct nadi_tree_cached *c,
                   uint8_t text[TEXT_BYTES])
{
    memset(text, 0, TEXT_BYTES);
    if (t->options.arity == 8) {
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t b = 0; b < 7; b++)
                text[7 * i + b] = (uint8_t)(c->counters[i] >> (8 * b));
        return;
    }
    for (uint32_t b = 0; b < 8; b++)
        text[b] = (uint8_t)(c->major >> (8 * b));
    for (uint32_t bit = 0; bit < 64 * MINOR_BITS; bit++)
        if (c->minors[bit / MINOR_BITS] >> (bit % MINOR_BITS) & 1)
            text[8 + bit / 8] |= (uint8_t)(1 << (bit % 8));
}

static void decode(const struct nadi_tree *t, struct nadi_tree_cached *c, const uint8_t *text)
{
    c->major = 0;
    memset(c->counters, 0, sizeof(c->counters));
    memset(c->minors, 0, sizeof(c->minors));
    if (t->options.arity == 8) {
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t b = 0; b < 7; b++)
                c->counters[i] |= (uint64_t)text[7 * i + b] << (8 * b);
        return;
    }
    for (uint32_t b = 0; b < 8; b++)
        c->major |= (uint64_t)text[b] << (8 * b);
    for (uint32_t bit = 0; bit < 64 * MINOR_BITS; bit++)
        if (text[8 + bit / 8] >> (bit % 8) & 1)
            c->minors[bit / MINOR_BITS] |= (uint8_t)(1 << (bit % MINOR_BITS));
}

/* ---- nodes in memory ------------------------------------------------------------------------ */

static uint8_t *memory_of(const struct nadi_tree *t, uint32_t node)
{
    return t->memory + (size_t)node * NADI_TREE_NODE_BYTES;
}

static void tag(struct nadi_tree *t, uint32_t node, uint64_t version, uint8_t out[TAG_BYTES])
{
    const struct nadi_gcm_nonce nonce = nadi_gcm_nonce(node, version);
    nadi_gcm_mac(&t->key, &nonce, memory_of(t, node), TEXT_BYTES, out, TAG_BYTES);
}

static void write_node(struct nadi_tree *t, uint32_t node, uint64_t version)
{
    if (!t->options.shadow)
        tag(t, node, version, memory_of(t, node) + TEXT_BYTES);
    nadi_spend_tree(t->meter, 0, 0, 1, NADI_TREE_NODE_BYTES);
}

static enum nadi_trust check_node(struct nadi_tree *t, uint32_t node, uint64_t version)
{
    uint8_t found[TAG_BYTES];
    nadi_spend_tree(t->meter, 0, 1, 0, NADI_TREE_NODE_BYTES);
    if (t->options.shadow || t->options.ablated & NADI_ABLATE_TREE_MAC)
        return NADI_TRUST_OK;
    tag(t, node, version, found);
    return nadi_tag_equal(found, memory_of(t, node) + TEXT_BYTES, TAG_BYTES) ? NADI_TRUST_OK
                                                                             : NADI_TRUST_TREE_MAC;
}

/* Where the top node's version is; without the defence it lies behind the nodes. */
static void set_root(struct nadi_tree *t, uint64_t version)
{
    t->root = version;
    if (t->options.ablated & NADI_ABLATE_ROOT)
        memcpy(memory_of(t, t->node_count), &version, sizeof(version));
}

static uint64_t get_root(const struct nadi_tree *t)
{
    uint64_t version = t->root;
    if (t->options.ablated & NADI_ABLATE_ROOT)
        memcpy(&version, memory_of(t, t->node_count), sizeof(version));
    return version;
}

/* After a counter of `parent` overflowed: nodes in memory below it get tags of their new versions.
 * Those in the cache get one when they leave it. `old`: the parent before. */
static enum nadi_trust renew_children(struct nadi_tree *t, uint32_t parent,
                                      const struct nadi_tree_cached *old)
{
    const uint32_t level = level_of(t, parent);
    const uint32_t begin = t->first[level - 1] + (parent - t->first[level]) * t->options.arity;
    for (uint32_t slot = 0; slot < t->options.arity && begin + slot < t->first[level]; slot++) {
        const uint32_t node = begin + slot;
        const uint64_t version = counter_of(t, old, slot);
        if (t->cached_at[node] != NADI_NONE) {
            cached(t, node)->changed = true;
            continue;
        }
        const enum nadi_trust found = version ? check_node(t, node, version) : NADI_TRUST_OK;
        if (found != NADI_TRUST_OK)
            return found;
        if (!version)
            memset(memory_of(t, node), 0, NADI_TREE_NODE_BYTES);
        write_node(t, node, counter_of(t, cached(t, parent), slot));
    }
    return NADI_TRUST_OK;
}

/* Writes a node of the cache to memory, with a new version. */
static enum nadi_trust write_back(struct nadi_tree *t, uint32_t node)
{
    struct nadi_tree_cached *c = cached(t, node);
    uint64_t version = get_root(t) + 1;
    if (is_top(t, node))
        set_root(t, version);
    else {
        uint32_t slot;
        const uint32_t parent = parent_of(t, node, &slot);
        struct nadi_tree_cached *p = cached(t, parent), old = *p;
        raise(t, p, slot);
        version = counter_of(t, p, slot);
        if (overflows(t, &old, slot)) {
            const enum nadi_trust found = renew_children(t, parent, &old);
            if (found != NADI_TRUST_OK)
                return found;
        }
    }
    encode(t, c, memory_of(t, node));
    write_node(t, node, version);
    c->changed = false;
    return NADI_TRUST_OK;
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void unlink_entry(struct nadi_tree *t, uint32_t at)
{
    struct nadi_tree_cached *c = &t->cache[at];
    *(c->newer == NADI_NONE ? &t->newest : &t->cache[c->newer].older) = c->older;
    *(c->older == NADI_NONE ? &t->oldest : &t->cache[c->older].newer) = c->newer;
}

static void link_newest(struct nadi_tree *t, uint32_t at)
{
    struct nadi_tree_cached *c = &t->cache[at];
    c->newer = NADI_NONE;
    c->older = t->newest;
    *(t->newest == NADI_NONE ? &t->oldest : &t->cache[t->newest].newer) = at;
    t->newest = at;
}

/* Makes it and its ancestors, above it, the newest. */
static void touch(struct nadi_tree *t, uint32_t node)
{
    for (;;) {
        uint32_t slot;
        const uint32_t at = t->cached_at[node];
        if (t->newest != at) {
            unlink_entry(t, at);
            link_newest(t, at);
        }
        if (is_top(t, node))
            return;
        node = parent_of(t, node, &slot);
    }
}

static enum nadi_trust drop(struct nadi_tree *t, uint32_t at)
{
    struct nadi_tree_cached *c = &t->cache[at];
    const uint32_t node = c->node;
    uint32_t slot;
    if (c->changed) {
        const enum nadi_trust found = write_back(t, node);
        if (found != NADI_TRUST_OK)
            return found;
    }
    if (!is_top(t, node))
        cached(t, parent_of(t, node, &slot))->children--;
    t->cached_at[node] = NADI_NONE;
    c->node = NADI_NONE;
    return NADI_TRUST_OK;
}

/* A place in the cache: a free one, or that of the oldest node without cached children other than
 * `kept`. */
static enum nadi_trust make_room(struct nadi_tree *t, uint32_t kept, uint32_t *at)
{
    if (t->used < t->options.cache_nodes) {
        *at = t->used++;
        link_newest(t, *at);
        return NADI_TRUST_OK;
    }
    *at = t->oldest;
    while (t->cache[*at].node != NADI_NONE &&
           (t->cache[*at].children || t->cache[*at].node == kept))
        *at = t->cache[*at].newer;
    return t->cache[*at].node == NADI_NONE ? NADI_TRUST_OK : drop(t, *at);
}

static enum nadi_trust bring(struct nadi_tree *t, uint32_t node)
{
    uint32_t slot = 0, at, parent = NADI_NONE;
    uint64_t version = get_root(t);
    enum nadi_trust found;
    if (t->cached_at[node] != NADI_NONE)
        return NADI_TRUST_OK;
    if (!is_top(t, node)) {
        parent = parent_of(t, node, &slot);
        found = bring(t, parent);
        if (found != NADI_TRUST_OK)
            return found;
    }
    found = make_room(t, parent, &at);
    if (found != NADI_TRUST_OK)
        return found;
    if (parent != NADI_NONE)
        version = counter_of(t, cached(t, parent), slot);
    if (version && (found = check_node(t, node, version)) != NADI_TRUST_OK)
        return found;
    struct nadi_tree_cached *c = &t->cache[at];
    static const uint8_t zeros[TEXT_BYTES];
    decode(t, c, version ? memory_of(t, node) : zeros);
    c->node = node;
    c->children = 0;
    c->changed = false;
    t->cached_at[node] = at;
    if (parent != NADI_NONE)
        cached(t, parent)->children++;
    return NADI_TRUST_OK;
}

/* The leaf's node, in the cache. */
static enum nadi_trust reach(struct nadi_tree *t, uint32_t leaf, struct nadi_tree_cached **c)
{
    const uint32_t node = leaf / t->options.arity;
    const bool hit = t->cached_at[node] != NADI_NONE;
    NADI_ASSERT(leaf < t->options.leaves);
    const enum nadi_trust found = bring(t, node);
    if (found != NADI_TRUST_OK)
        return found;
    if (hit)
        nadi_spend_tree(t->meter, 1, 0, 0, 0);
    touch(t, node);
    *c = cached(t, node);
    return NADI_TRUST_OK;
}

/* ---- what others use ------------------------------------------------------------------------ */

void nadi_tree_init(struct nadi_tree *t, const struct nadi_tree_options *o,
                    const uint8_t key[NADI_TRUSTED_KEY_BYTES], struct nadi_trusted_meter *meter)
{
    NADI_ASSERT((o->arity == 8 || o->arity == 64) && o->leaves > 0);
    *t = (struct nadi_tree){.options = *o, .meter = meter, .newest = NADI_NONE};
    t->oldest = NADI_NONE;
    for (uint32_t count = o->leaves; count > 1 || t->level_count == 0;) {
        count = (count - 1) / o->arity + 1;
        t->node_count += count;
        t->first[++t->level_count] = t->node_count;
    }
    if (t->options.cache_nodes < t->level_count + 2)
        t->options.cache_nodes = t->level_count + 2;
    nadi_gcm_init(&t->key, key);
    t->memory = nadi_mem_zalloc((size_t)t->node_count + 1, NADI_TREE_NODE_BYTES);
    t->cache = NADI_ZNEW(struct nadi_tree_cached, t->options.cache_nodes);
    for (uint32_t i = 0; i < t->options.cache_nodes; i++)
        t->cache[i].node = NADI_NONE;
    t->cached_at = NADI_NEW(uint32_t, t->node_count);
    memset(t->cached_at, 0xff, sizeof(uint32_t) * t->node_count);
}

void nadi_tree_release(struct nadi_tree *t)
{
    nadi_mem_free(t->memory);
    nadi_mem_free(t->cache);
    nadi_mem_free(t->cached_at);
}

enum nadi_trust nadi_tree_get(struct nadi_tree *t, uint32_t leaf, uint64_t *counter)
{
    struct nadi_tree_cached *c;
    const enum nadi_trust found = reach(t, leaf, &c);
    if (found == NADI_TRUST_OK)
        *counter = counter_of(t, c, leaf % t->options.arity);
    return found;
}

enum nadi_trust nadi_tree_overflows(struct nadi_tree *t, uint32_t leaf, bool *does)
{
    struct nadi_tree_cached *c;
    const enum nadi_trust found = reach(t, leaf, &c);
    if (found == NADI_TRUST_OK)
        *does = overflows(t, c, leaf % t->options.arity);
    return found;
}

enum nadi_trust nadi_tree_raise(struct nadi_tree *t, uint32_t leaf, uint64_t *counter)
{
    struct nadi_tree_cached *c;
    const enum nadi_trust found = reach(t, leaf, &c);
    if (found != NADI_TRUST_OK)
        return found;
    raise(t, c, leaf % t->options.arity);
    *counter = counter_of(t, c, leaf % t->options.arity);
    return NADI_TRUST_OK;
}

enum nadi_trust nadi_tree_flush(struct nadi_tree *t)
{
    for (uint32_t node = 0; node < t->node_count; node++) { /* children before parents */
        const uint32_t at = t->cached_at[node];
        const enum nadi_trust found = at == NADI_NONE ? NADI_TRUST_OK : drop(t, at);
        if (found != NADI_TRUST_OK)
            return found;
    }
    return NADI_TRUST_OK;
}

uint64_t nadi_tree_bytes(const struct nadi_tree *t)
{
    return (uint64_t)t->node_count * NADI_TREE_NODE_BYTES;
}
