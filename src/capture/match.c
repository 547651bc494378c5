#include "capture/match.h"

#include "base/map.h"
#include "base/mem.h"

/* What the tries share. */
struct matcher {
    struct nadi_match *m;
    const struct nadi_host *host;
    const struct nadi_kineto *kineto;
    uint32_t *host_name; /* by name of the profile: the trace's number for it, or NADI_NONE */
};

static bool is_call(const struct nadi_host_node *n)
{
    return !(n->flags & (NADI_HOST_IS_PROCESS | NADI_HOST_IS_THREAD | NADI_HOST_IS_EVENT));
}

static void forget(struct nadi_match *m, const struct nadi_host *h, const struct nadi_kineto *k)
{
    memset(m->node_of, 0xff, k->events.count * sizeof(*m->node_of));
    memset(m->event_of, 0xff, h->nodes.count * sizeof(*m->event_of));
    m->same_id = m->agreed = 0;
    m->method = NADI_MATCH_NONE;
    m->shift = 0;
}

static void pair(struct matcher *x, uint32_t node, uint32_t event)
{
    x->m->node_of[event] = node;
    x->m->event_of[node] = event;
    x->m->agreed++;
}

static int64_t id_of(const struct nadi_kineto_event *e, bool external)
{
    return external ? e->external_id : e->rf_id;
}

static bool same_name(const struct matcher *x, uint32_t node, const struct nadi_kineto_event *e)
{
    return x->host_name[e->name] == x->host->nodes.items[node].name;
}

/* Links by id - shift; an id that several have belongs to the one whose name agrees. */
static void by_id(struct matcher *x, bool external, int64_t shift)
{
    const struct nadi_host *h = x->host;
    struct nadi_map64 nodes;
    nadi_map64_init(&nodes, h->nodes.count);
    forget(x->m, h, x->kineto);
    for (uint32_t i = 0; i < h->nodes.count; i++)
        if (is_call(&h->nodes.items[i]) && h->nodes.items[i].flags & NADI_HOST_HAS_RF)
            *nadi_map64_put(&nodes, (uint64_t)h->nodes.items[i].rf_id, i, NULL) = i;
    for (uint32_t e = 0; e < x->kineto->events.count; e++) {
        const struct nadi_kineto_event *event = &x->kineto->events.items[e];
        if (!nadi_event_is_operator(event) || id_of(event, external) < 0)
            continue;
        uint32_t node = nadi_map64_find(&nodes, (uint64_t)id_of(event, external) - (uint64_t)shift);
        if (node == NADI_NONE)
            continue;
        x->m->same_id++;
        if (same_name(x, node, event) && x->m->event_of[node] == NADI_NONE)
            pair(x, node, e);
    }
    nadi_map64_release(&nodes);
    x->m->shift = shift;
}

/* The k-th operator of a name on one side and on the other, in order of id and time. */
struct occurrence {
    uint32_t name; /* number in the host's names */
    uint32_t index;
    int64_t order;
};

static int by_name_then_order(const void *a, const void *b)
{
    const struct occurrence *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static struct occurrence *host_occurrences(const struct matcher *x, size_t *count)
{
    const struct nadi_host *h = x->host;
    struct occurrence *o = NADI_NEW(struct occurrence, h->nodes.count);
    *count = 0;
    for (uint32_t i = 0; i < h->nodes.count; i++)
        if (is_call(&h->nodes.items[i]))
            o[(*count)++] = (struct occurrence){h->nodes.items[i].name, i, (int64_t)i};
    qsort(o, *count, sizeof(*o), by_name_then_order);
    return o;
}

static struct occurrence *profile_occurrences(const struct matcher *x, size_t *count)
{
    const struct nadi_kineto *k = x->kineto;
    struct occurrence *o = NADI_NEW(struct occurrence, k->events.count);
    *count = 0;
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (nadi_event_is_operator(e) && x->host_name[e->name] != NADI_NONE)
            o[(*count)++] = (struct occurrence){x->host_name[e->name], i, e->ts_ns};
    }
    qsort(o, *count, sizeof(*o), by_name_then_order);
    return o;
}

/* Calls `use` with the pairs at the same place among the operators of their name, for names that
 * both sides have equally often. */
static void each_pair(struct matcher *x,
                      void (*use)(struct matcher *, uint32_t node, uint32_t event, void *context),
                      void *context)
{
    size_t hosts, events, i = 0, j = 0;
    struct occurrence *h = host_occurrences(x, &hosts), *k = profile_occurrences(x, &events);
    while (i < hosts && j < events) {
        if (h[i].name != k[j].name) {
            h[i].name < k[j].name ? i++ : j++;
            continue;
        }
        uint32_t name = h[i].name;
        size_t to_i = i, to_j = j;
        while (to_i < hosts && h[to_i].name == name)
            to_i++;
        while (to_j < events && k[to_j].name == name)
            to_j++;
        for (size_t at = 0; to_i - i == to_j - j && at < to_i - i; at++)
            use(x, h[i + at].index, k[j + at].index, context);
        i = to_i;
        j = to_j;
    }
    nadi_mem_free(h);
    nadi_mem_free(k);
}

struct ballot {
    struct nadi_map64 votes; /* shift -> how many say so */
    bool external;
};

static void vote(struct matcher *x, uint32_t node, uint32_t event, void *context)
{
    struct ballot *b = context;
    int64_t id = id_of(&x->kineto->events.items[event], b->external);
    if (id < 0 || !(x->host->nodes.items[node].flags & NADI_HOST_HAS_RF))
        return;
    uint64_t shift = (uint64_t)id - (uint64_t)x->host->nodes.items[node].rf_id;
    ++*nadi_map64_put(&b->votes, shift, 0, NULL);
}

/* The shift most pairs agree on; of equals the least. */
static int64_t elect(struct matcher *x, bool external)
{
    struct ballot b = {.external = external};
    nadi_map64_init(&b.votes, 64);
    each_pair(x, vote, &b);
    uint32_t most = 0;
    int64_t shift = 0;
    for (size_t i = 0; i < b.votes.slots; i++) {
        uint32_t votes = b.votes.values[i];
        int64_t candidate = (int64_t)b.votes.keys[i];
        if (votes == NADI_NONE || votes < most || (votes == most && candidate >= shift))
            continue;
        most = votes;
        shift = candidate;
    }
    nadi_map64_release(&b.votes);
    return shift;
}

static void pair_by_order(struct matcher *x, uint32_t node, uint32_t event, void *context)
{
    (void)context;
    pair(x, node, event);
}

/* A shift and an order are fitted to what is there, so they must explain more than equal ids. */
static uint64_t wanted_of(const struct nadi_match *m, enum nadi_match_method method)
{
    uint64_t most = nadi_min_u64(m->host_ops, m->profile_ops);
    if (method == NADI_MATCH_IDS)
        return (most + 4) / 5;
    if (method == NADI_MATCH_ORDER && m->has_ids)
        return most - most / 10;
    return (most + 1) / 2;
}

static bool good_enough(struct nadi_match *m, enum nadi_match_method method)
{
    m->method = method;
    m->trusted =
        m->agreed > 0 && m->agreed >= wanted_of(m, method) && m->agreed * 10 >= m->same_id * 9;
    return m->trusted;
}

static void try_methods(struct matcher *x)
{
    struct nadi_match *m = x->m;
    if (x->kineto->with_rf) {
        by_id(x, false, 0);
        if (good_enough(m, NADI_MATCH_IDS))
            return;
        by_id(x, false, elect(x, false));
        if (good_enough(m, NADI_MATCH_SHIFTED_IDS))
            return;
    }
    if (x->kineto->with_external) {
        by_id(x, true, elect(x, true));
        if (good_enough(m, NADI_MATCH_EXTERNAL))
            return;
    }
    forget(m, x->host, x->kineto);
    each_pair(x, pair_by_order, NULL);
    m->same_id = m->agreed;
    if (good_enough(m, NADI_MATCH_ORDER))
        return;
    if (x->kineto->with_rf) { /* what has both an id and a name in common */
        by_id(x, false, 0);
        m->method = NADI_MATCH_IDS;
    }
}

void nadi_match(struct nadi_match *m, const struct nadi_host *h, const struct nadi_kineto *k)
{
    *m = (struct nadi_match){.node_of = NADI_NEW(uint32_t, k->events.count),
                             .event_of = NADI_NEW(uint32_t, h->nodes.count)};
    struct matcher x = {m, h, k, NADI_NEW(uint32_t, k->names.count)};
    for (uint32_t n = 0; n < k->names.count; n++)
        x.host_name[n] = nadi_names_find(&h->names, nadi_names_get(&k->names, n),
                                         nadi_names_bytes(&k->names, n));
    for (size_t i = 0; i < h->nodes.count; i++)
        if (is_call(&h->nodes.items[i])) {
            m->host_ops++;
            m->has_ids |= k->with_rf && h->nodes.items[i].rf_id > 0;
        }
    for (size_t i = 0; i < k->events.count; i++)
        m->profile_ops += nadi_event_is_operator(&k->events.items[i]);
    forget(m, h, k);
    try_methods(&x);
    nadi_mem_free(x.host_name);
}

void nadi_match_release(struct nadi_match *m)
{
    nadi_mem_free(m->node_of);
    nadi_mem_free(m->event_of);
    *m = (struct nadi_match){0};
}

const char *nadi_match_text(const struct nadi_match *m, char buffer[64])
{
    switch (m->method) {
    case NADI_MATCH_NONE:
        return "nothing";
    case NADI_MATCH_IDS:
        return "record-function ids";
    case NADI_MATCH_SHIFTED_IDS:
        snprintf(buffer, 64, "record-function ids shifted by %" PRId64, m->shift);
        return buffer;
    case NADI_MATCH_EXTERNAL:
        snprintf(buffer, 64, "external ids shifted by %" PRId64, m->shift);
        return buffer;
    case NADI_MATCH_ORDER:
        return "the order of names";
    case NADI_MATCH_LINKED:
        return "the linked trace";
    }
    return "";
}
