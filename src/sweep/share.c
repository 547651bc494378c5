#include "sweep/share.h"

#include "base/map.h"
#include "base/mem.h"
#include "sweep/price.h"

enum { MOST_OF_A_UNIT = 16, UNITS_OF_A_WORKER = 16 };

enum effect { ON_NOTHING, ON_MEMORY, ON_TIMES, ON_GRAPH };

/* What a key changes where it is not everything from the graph on. */
static const struct {
    const char *of, *path; /* path: NULL: all of it */
    enum effect effect;
} effects[] = {
    {"device", "memory", ON_MEMORY},
    {"plan", "reserve", ON_MEMORY},
    {"plan", "fragmentation", ON_MEMORY},
    {"cluster", "bandwidth", ON_TIMES},
    {"cluster", "latency", ON_TIMES},
    {"cluster", "oversubscription", ON_TIMES},
    {"cluster", "algorithm", ON_TIMES},
    {"cluster", "chunks", ON_TIMES},
    {"cluster", "packet", ON_TIMES}, /* names a file, */
    {"packet", NULL, ON_TIMES},      /* whose keys these are */
    {"flit", NULL, ON_TIMES},
    {"loadstore", NULL, ON_TIMES},
};

static enum effect effect_of(const struct nadi_space_variable *v)
{
    const size_t length = strcspn(v->path, ".[");
    if (!v->of)
        return ON_NOTHING;
    if (nadi_point_is_price(v))
        return ON_NOTHING;
    if (strcmp(v->of, "run") == 0) /* inputs, or settings of the simulation */
        return nadi_str_equal(v->path, "model") || nadi_str_equal(v->path, "plan") ||
                       nadi_str_equal(v->path, "cluster") || nadi_str_equal(v->path, "memory")
                   ? ON_GRAPH
                   : ON_TIMES;
    for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
        if (strcmp(effects[i].of, v->of) == 0 &&
            (!effects[i].path ||
             (strlen(effects[i].path) == length && memcmp(effects[i].path, v->path, length) == 0)))
            return effects[i].effect;
    return ON_GRAPH;
}

static void add_key(const struct nadi_space *s, const struct nadi_assignment *a, bool times,
                    bool memory, struct nadi_str *key)
{
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const enum effect effect = effect_of(&s->variables[i]);
        if (effect != ON_GRAPH && !(effect == ON_TIMES && times) &&
            !(effect == ON_MEMORY && memory))
            continue;
        nadi_str_add(key, a->texts[i]);
        nadi_str_add_char(key, '\n');
    }
}

void nadi_share_graph_key(const struct nadi_space *s, const struct nadi_assignment *a,
                          bool by_memory, struct nadi_str *key)
{
    add_key(s, a, false, by_memory, key);
}

void nadi_share_result_key(const struct nadi_space *s, const struct nadi_assignment *a,
                           struct nadi_str *key)
{
    add_key(s, a, true, false, key);
}

/* --- the order ------------------------------------------------------------------------------- */

struct item {
    uint64_t graph, result, point; /* digests of the keys: they only bring points together */
};

static int by_keys(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    if (x->result != y->result)
        return x->result < y->result ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void add_units(struct nadi_share_order *o, const struct item *items, uint64_t count,
                      uint64_t most)
{
    struct {
        struct nadi_share_unit *items;
        size_t count, capacity;
    } units = {NULL, 0, 0};
    uint64_t first = 0, results = 0;
    for (uint64_t i = 1; i <= count; i++) {
        const bool other_graph = i == count || items[i].graph != items[first].graph;
        const bool other_result = other_graph || items[i].result != items[i - 1].result;
        results += other_result;
        if (!other_graph && (!other_result || results < most))
            continue;
        const struct nadi_share_unit unit = {first, i - first};
        NADI_PUSH(&units, unit);
        first = i;
        results = 0;
    }
    o->units = units.items;
    o->unit_count = units.count;
}

void nadi_share_order_make(struct nadi_share_order *o, const struct nadi_space *s, uint64_t workers)
{
    struct item *items = NADI_NEW(struct item, s->point_count);
    struct nadi_assignment a;
    struct nadi_str key = NADI_STR_INIT;
    nadi_assignment_init(&a, s);
    for (uint64_t p = 0; p < s->point_count; p++) {
        nadi_space_assign(s, p, &a);
        nadi_str_clear(&key);
        nadi_share_graph_key(s, &a, false, &key);
        items[p].graph = nadi_hash_bytes(nadi_str_get(&key), key.length);
        nadi_str_clear(&key);
        nadi_share_result_key(s, &a, &key);
        items[p].result = nadi_hash_bytes(nadi_str_get(&key), key.length);
        items[p].point = p;
    }
    qsort(items, s->point_count, sizeof(*items), by_keys);
    o->points = NADI_NEW(uint64_t, s->point_count);
    for (uint64_t i = 0; i < s->point_count; i++)
        o->points[i] = items[i].point;
    const uint64_t fair = s->point_count / (nadi_max_u64(workers, 1) * UNITS_OF_A_WORKER);
    add_units(o, items, s->point_count, nadi_min_u64(nadi_max_u64(fair, 1), MOST_OF_A_UNIT));
    nadi_str_release(&key);
    nadi_assignment_release(&a);
    nadi_mem_free(items);
}

void nadi_share_order_release(struct nadi_share_order *o)
{
    nadi_mem_free(o->points);
    nadi_mem_free(o->units);
    *o = (struct nadi_share_order){.points = NULL};
}
