#include "inputs/check_pairs.h"

#include "base/map.h"
#include "base/mem.h"
#include "inputs/check_ranks.h"

struct end {                       /* a send or receive of a distinct trace */
    uint32_t trace, distance, tag; /* distance: 0 .. ranks - 1 */
    bool is_recv;
    uint64_t bytes;
};

struct pair { /* ends first .. end of one trace at one distance: sends, then receives */
    uint32_t distance;
    size_t first, recvs, end;
};

struct odd { /* of one pair beside another trace: its own ends without counterpart */
    uint64_t sends, recvs;
};

struct pairs {
    const struct nadi_inputs *in;
    struct {
        struct end *items;
        size_t count, capacity;
    } ends;
    struct {
        struct pair *items;
        size_t count, capacity;
    } pairs;
    size_t *first; /* by trace, owned_count + 1: index of its pairs, ascending by distance */
    struct nadi_map64 index;
    struct {
        struct odd *items;
        size_t count, capacity;
    } results;
};

static int order_of(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int by_key(const struct end *x, const struct end *y)
{
    int order = order_of(x->tag, y->tag);
    return order ? order : order_of(x->bytes, y->bytes);
}

static int by_pair(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = order_of(x->trace, y->trace);
    order = order ? order : order_of(x->distance, y->distance);
    order = order ? order : (int)x->is_recv - (int)y->is_recv;
    return order ? order : by_key(x, y);
}

static void collect(struct pairs *l, uint32_t index)
{
    const struct nadi_trace *t = l->in->owned[index];
    for (uint32_t n = 0; n < t->node_count; n++) {
        bool is_recv = t->type[n] == NADI_NODE_RECV;
        if (!is_recv && t->type[n] != NADI_NODE_SEND)
            continue;
        const struct nadi_trace_comm *comm = nadi_comm_of(t, n);
        struct end e = {
            .trace = index,
            .distance = nadi_relative_peer(0, is_recv ? comm->src : comm->dst, l->in->rank_count),
            .tag = comm->tag % NADI_TAG_MODULUS,
            .is_recv = is_recv,
            .bytes = t->bytes[n],
        };
        NADI_PUSH(&l->ends, e);
    }
}

static void make_pairs(struct pairs *l)
{
    for (uint32_t i = 0; i < l->in->owned_count; i++)
        collect(l, i);
    if (l->ends.count)
        qsort(l->ends.items, l->ends.count, sizeof(*l->ends.items), by_pair);
    l->first = NADI_NEW(size_t, (size_t)l->in->owned_count + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < l->in->owned_count; i++) {
        l->first[i] = l->pairs.count;
        while (at < l->ends.count && l->ends.items[at].trace == i) {
            struct pair pair = {.distance = l->ends.items[at].distance, .first = at};
            while (at < l->ends.count && l->ends.items[at].trace == i &&
                   l->ends.items[at].distance == pair.distance && !l->ends.items[at].is_recv)
                at++;
            pair.recvs = at;
            while (at < l->ends.count && l->ends.items[at].trace == i &&
                   l->ends.items[at].distance == pair.distance)
                at++;
            pair.end = at;
            NADI_PUSH(&l->pairs, pair);
        }
    }
    l->first[l->in->owned_count] = l->pairs.count;
}

/* An empty one where the trace has none. */
static struct pair find_pair(const struct pairs *l, uint32_t trace, uint32_t distance)
{
    for (size_t i = l->first[trace]; i < l->first[trace + 1]; i++)
        if (l->pairs.items[i].distance == distance)
            return l->pairs.items[i];
    return (struct pair){.distance = distance};
}

/* How many of a .. a_end have no equal among b .. b_end; both are sorted. */
static uint64_t count_odd(const struct pairs *l, size_t a, size_t a_end, size_t b, size_t b_end)
{
    uint64_t odd = 0;
    for (; a < a_end; a++) {
        while (b < b_end && by_key(&l->ends.items[b], &l->ends.items[a]) < 0)
            b++;
        if (b < b_end && by_key(&l->ends.items[b], &l->ends.items[a]) == 0)
            b++;
        else
            odd++;
    }
    return odd;
}

static struct odd compare(struct pairs *l, size_t pair, uint32_t trace)
{
    bool added;
    uint32_t at = *nadi_map64_put(&l->index, (uint64_t)pair << 32 | trace,
                                  (uint32_t)l->results.count, &added);
    if (!added)
        return l->results.items[at];
    const struct pair *a = &l->pairs.items[pair];
    uint32_t back = a->distance ? l->in->rank_count - a->distance : 0;
    struct pair b = find_pair(l, trace, back);
    struct odd odd = {
        .sends = count_odd(l, a->first, a->recvs, b.recvs, b.end),
        .recvs = count_odd(l, a->recvs, a->end, b.first, b.recvs),
    };
    NADI_PUSH(&l->results, odd);
    return odd;
}

static void add_pair(struct nadi_odd_pairs *odd, uint32_t rank, uint32_t peer, struct odd of)
{
    uint32_t a = rank < peer ? rank : peer, b = rank < peer ? peer : rank;
    for (uint32_t i = 0; i < odd->count; i++)
        if (odd->items[i].a == a && odd->items[i].b == b)
            return;
    if (odd->count == NADI_ODD_PAIRS) {
        odd->more_sends += of.sends;
        odd->more_recvs += of.recvs;
        return;
    }
    odd->items[odd->count].a = a;
    odd->items[odd->count++].b = b;
}

void nadi_find_odd_pairs(const struct nadi_inputs *in, struct nadi_odd_pairs *odd)
{
    struct pairs l = {.in = in};
    uint32_t *trace_of = NADI_NEW(uint32_t, in->rank_count);
    *odd = (struct nadi_odd_pairs){0};
    make_pairs(&l);
    nadi_map64_init(&l.index, l.pairs.count);
    nadi_trace_numbers(in, trace_of);
    for (uint32_t r = 0; r < in->rank_count; r++) {
        for (size_t i = l.first[trace_of[r]]; i < l.first[trace_of[r] + 1]; i++) {
            uint32_t peer = nadi_relative_peer(r, l.pairs.items[i].distance, in->rank_count);
            struct odd of = compare(&l, i, trace_of[peer]);
            if (of.sends || of.recvs)
                add_pair(odd, r, peer, of);
        }
    }
    nadi_map64_release(&l.index);
    nadi_mem_free(trace_of);
    nadi_mem_free(l.first);
    nadi_mem_free(l.ends.items);
    nadi_mem_free(l.pairs.items);
    nadi_mem_free(l.results.items);
}
