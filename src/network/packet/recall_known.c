/* recall_known: what parts were given and have delivered (recall.h). */
#include "base/mem.h"
#include "network/packet/recall_inside.h"

void nadi_pkt_known_init(struct nadi_pkt_known *t)
{
    *t = (struct nadi_pkt_known){0};
    nadi_map64_init(&t->nodes_by_hash, 64);
    nadi_map64_init(&t->routes_by_hash, 64);
}

void nadi_pkt_known_release(struct nadi_pkt_known *t)
{
    nadi_mem_free(t->nodes.items);
    nadi_mem_free(t->outputs.items);
    nadi_mem_free(t->ends.items);
    nadi_mem_free(t->ports.items);
    nadi_mem_free(t->words.items);
    nadi_mem_free(t->routes.items);
    nadi_map64_release(&t->nodes_by_hash);
    nadi_map64_release(&t->routes_by_hash);
}

bool nadi_pkt_known_is_full(const struct nadi_pkt_known *t)
{
    return t->nodes.count + t->outputs.count + t->ports.count + t->words.count / 8 >
           NADI_PKT_RECALL_MOST;
}

static uint32_t put_words(struct nadi_pkt_known *t, const uint32_t *words, uint32_t count)
{
    const uint32_t first = (uint32_t)t->words.count;
    for (uint32_t i = 0; i < count; i++)
        NADI_PUSH(&t->words, words[i]);
    return first;
}

static bool same_words(const struct nadi_pkt_known *t, uint32_t first, uint32_t have,
                       const uint32_t *words, uint32_t count)
{
    return have == count &&
           (!count || memcmp(t->words.items + first, words, count * sizeof(*words)) == 0);
}

static uint64_t hash_more(uint64_t hash, uint64_t word)
{
    return nadi_hash_u64(hash ^ word) + word;
}

static uint64_t hash_all(uint64_t hash, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hash = hash_more(hash, words[i]);
    return hash;
}

static uint32_t add_node(struct nadi_pkt_known *t, const struct nadi_pkt_node *node)
{
    NADI_PUSH(&t->nodes, *node);
    return (uint32_t)t->nodes.count - 1;
}

uint32_t nadi_pkt_known_root(struct nadi_pkt_known *t)
{
    const struct nadi_pkt_node root = {.above = NADI_NONE,
                                       .same_hash = NADI_NONE,
                                       .first = NADI_NONE,
                                       .last = NADI_NONE,
                                       .end = NADI_NONE,
                                       .leader = NADI_NONE};
    return add_node(t, &root);
}

static bool same_step(const struct nadi_pkt_step *a, const struct nadi_pkt_step *b)
{
    return a->at == b->at && a->bytes == b->bytes && a->rank == b->rank && a->after == b->after &&
           a->route == b->route && a->connection == b->connection && a->same == b->same;
}

uint32_t nadi_pkt_known_step(struct nadi_pkt_known *t, uint32_t above,
                             const struct nadi_pkt_step *step, const uint32_t *words,
                             uint32_t count)
{
    uint64_t hash = hash_more(above, (uint64_t)step->at);
    hash = hash_more(hash, step->bytes);
    hash = hash_more(hash, (uint64_t)step->route << 32 | step->connection);
    hash = hash_all(hash_more(hash, step->rank), words, count);
    for (uint32_t i = nadi_map64_find(&t->nodes_by_hash, hash); i != NADI_NONE;
         i = t->nodes.items[i].same_hash) {
        const struct nadi_pkt_node *node = &t->nodes.items[i];
        if (node->above == above && same_step(&node->step, step) &&
            same_words(t, node->word, node->words, words, count))
            return i;
    }
    if (nadi_pkt_known_is_full(t))
        return NADI_NONE;
    bool is_new;
    uint32_t *at = nadi_map64_put(&t->nodes_by_hash, hash, (uint32_t)t->nodes.count, &is_new);
    const struct nadi_pkt_node node = {.step = *step,
                                       .above = above,
                                       .same_hash = is_new ? NADI_NONE : *at,
                                       .word = put_words(t, words, count),
                                       .words = count,
                                       .first = NADI_NONE,
                                       .last = NADI_NONE,
                                       .end = NADI_NONE,
                                       .leader = NADI_NONE,
                                       .known = step->at};
    *at = (uint32_t)t->nodes.count;
    return add_node(t, &node);
}

uint32_t nadi_pkt_known_route(struct nadi_pkt_known *t, uint32_t class, const uint32_t *words,
                              uint32_t count)
{
    const uint64_t hash = hash_all(class, words, count);
    bool is_new;
    uint32_t *at = nadi_map64_put(&t->routes_by_hash, hash, (uint32_t)t->routes.count, &is_new);
    for (uint32_t i = is_new ? NADI_NONE : *at; i != NADI_NONE; i = t->routes.items[i].same_hash) {
        const struct nadi_pkt_part_route *route = &t->routes.items[i];
        if (route->class == class && same_words(t, route->word, route->words, words, count))
            return i;
    }
    const struct nadi_pkt_part_route route = {.class = class,
                                              .word = put_words(t, words, count),
                                              .words = count,
                                              .same_hash = is_new ? NADI_NONE : *at};
    *at = (uint32_t)t->routes.count;
    NADI_PUSH(&t->routes, route);
    return *at;
}

uint32_t nadi_pkt_known_output(struct nadi_pkt_known *t, uint32_t node, struct nadi_pkt_output o)
{
    const uint32_t i = (uint32_t)t->outputs.count;
    struct nadi_pkt_node *n = &t->nodes.items[node];
    o.next = NADI_NONE;
    NADI_PUSH(&t->outputs, o);
    if (n->last == NADI_NONE)
        n->first = i;
    else
        t->outputs.items[n->last].next = i;
    n->last = i;
    return i;
}
