/* synth_exchange: the matching of an all-to-all. A chunk has one place at a time and goes nearer to
 * its destination with every message.
 *
 * Each NPU has its destinations in an order of its own, the farthest first, and bits in that order:
 * for whom it has chunks, and for whom a pair brings them nearer; the first common bit is what a
 * pair takes. Memory: n^2 lists, and a bit for each pair and NPU. */
#include "base/mem.h"
#include "base/time.h"
#include "synthesize/synth_match.h"

struct exchange {
    const struct nadi_synth_net *net;
    const struct nadi_synth_policy *policy;
    struct nadi_synth_traffic traffic;
    struct nadi_synth_plan *plan;
    double chunk_bytes;
    uint32_t n, words;
    uint32_t *place;      /* of destination d among u's: [u * n + d] */
    uint32_t *list;       /* first chunk that u has for its destination at a place */
    uint32_t *next;       /* chunk of the same list */
    uint64_t *waiting;    /* of u: places with chunks */
    uint64_t *nearer;     /* of a pair: places that it brings nearer */
    uint32_t *first_turn; /* of u: its first pair to an NPU of a higher number */
};

/* ---- distances ------------------------------------------------------------------------------- */

static nadi_time length_of(const struct exchange *x, const struct nadi_synth_pair *p)
{
    if (x->policy->nearness == NADI_SYNTH_FLAT)
        return 1;
    const double bits = x->chunk_bytes * 8;
    const nadi_time serial =
        nadi_time_trunc(bits * NADI_PS_PER_S / (double)nadi_max_u64(p->share, 1));
    return nadi_time_add(nadi_time_add(p->latency, serial), 1);
}

/* To d from all: Bellman and Ford's way, over a queue. */
static void find_lengths(const struct exchange *x, uint32_t d, nadi_time *to, uint32_t *queue,
                         bool *queued)
{
    const struct nadi_synth_net *net = x->net;
    size_t head = 0, count = 0;
    for (uint32_t v = 0; v < x->n; v++)
        to[v] = NADI_TIME_MAX / 4;
    to[d] = 0;
    queue[count++] = d;
    while (count > 0) {
        const uint32_t v = queue[head];
        head = head + 1 < x->n ? head + 1 : 0;
        count--;
        queued[v] = false;
        for (uint32_t i = net->first_in[v]; i < net->first_in[v + 1]; i++) {
            const struct nadi_synth_pair *p = &net->pairs[net->in[i]];
            const nadi_time length = nadi_time_add(to[v], length_of(x, p));
            if (length >= to[p->from])
                continue;
            to[p->from] = length;
            if (!queued[p->from]) {
                queued[p->from] = true;
                queue[(head + count++) % x->n] = p->from;
            }
        }
    }
}

struct far {
    nadi_time length;
    uint32_t turn, npu; /* ties go round from the NPU itself */
};

static int farther(const void *a, const void *b)
{
    const struct far *x = a, *y = b;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

static void order_places(struct exchange *x, const nadi_time *lengths)
{
    struct far *order = NADI_NEW(struct far, x->n);
    for (uint32_t u = 0; u < x->n; u++) {
        for (uint32_t d = 0; d < x->n; d++)
            order[d] = (struct far){lengths[(size_t)d * x->n + u], (d + x->n - u) % x->n, d};
        qsort(order, x->n, sizeof(*order), farther);
        for (uint32_t i = 0; i < x->n; i++)
            x->place[(size_t)u * x->n + order[i].npu] = i;
    }
    nadi_mem_free(order);
}

static void find_nearer(struct exchange *x, const nadi_time *lengths)
{
    const bool any = x->policy->nearness == NADI_SYNTH_EAGER;
    for (uint32_t i = 0; i < x->net->pair_count; i++) {
        const struct nadi_synth_pair *p = &x->net->pairs[i];
        const nadi_time own = any ? 1 : length_of(x, p);
        uint64_t *set = &x->nearer[(size_t)i * x->words];
        for (uint32_t d = 0; d < x->n; d++) {
            const nadi_time *to = &lengths[(size_t)d * x->n];
            const uint32_t place = x->place[(size_t)p->from * x->n + d];
            if (d != p->from && to[p->to] + own <= to[p->from])
                set[place / 64] |= UINT64_C(1) << (place % 64);
        }
    }
}

/* All NPUs are neighbours: chunks go straight. */
static void go_straight(struct exchange *x)
{
    for (uint32_t u = 0; u < x->n; u++)
        for (uint32_t i = 0; i < x->n; i++) {
            const uint32_t d = (u + 1 + i) % x->n;
            x->place[(size_t)u * x->n + d] = i;
        }
}

static bool is_complete(const struct nadi_synth_net *net)
{
    return net->pair_count == (uint64_t)net->n * (net->n - 1);
}

static void find_paths(struct exchange *x)
{
    const size_t n = x->n;
    nadi_time *lengths = NADI_NEW(nadi_time, n * n);
    uint32_t *queue = NADI_NEW(uint32_t, n);
    bool *queued = NADI_ZNEW(bool, n);
    x->nearer = NADI_ZNEW(uint64_t, (size_t)x->net->pair_count * x->words);
    for (uint32_t d = 0; d < x->n; d++)
        find_lengths(x, d, &lengths[d * n], queue, queued);
    order_places(x, lengths);
    find_nearer(x, lengths);
    nadi_mem_free(lengths);
    nadi_mem_free(queue);
    nadi_mem_free(queued);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static uint32_t destination(const struct exchange *x, uint32_t chunk)
{
    return chunk / x->policy->per % x->n;
}

static void put(struct exchange *x, uint32_t u, uint32_t chunk)
{
    const uint32_t place = x->place[(size_t)u * x->n + destination(x, chunk)];
    uint32_t *first = &x->list[(size_t)u * x->n + place];
    x->next[chunk] = *first;
    *first = chunk;
    x->waiting[(size_t)u * x->words + place / 64] |= UINT64_C(1) << (place % 64);
}

/* The first chunk of u at a place, out of its list. */
static uint32_t take(struct exchange *x, uint32_t u, uint32_t place)
{
    uint32_t *first = &x->list[(size_t)u * x->n + place];
    const uint32_t chunk = *first;
    *first = x->next[chunk];
    if (*first == NADI_NONE)
        x->waiting[(size_t)u * x->words + place / 64] &= ~(UINT64_C(1) << (place % 64));
    return chunk;
}

/* The first place of u with chunks that the pair brings nearer; NADI_NONE: none. */
static uint32_t useful(const struct exchange *x, uint32_t pair)
{
    const struct nadi_synth_pair *p = &x->net->pairs[pair];
    const uint64_t *waiting = &x->waiting[(size_t)p->from * x->words];
    x->plan->work += 8;
    if (!x->nearer) {
        const uint32_t place = x->place[(size_t)p->from * x->n + p->to];
        return waiting[place / 64] >> (place % 64) & 1 ? place : NADI_NONE;
    }
    const uint64_t *nearer = &x->nearer[(size_t)pair * x->words];
    for (uint32_t w = 0; w < x->words; w++)
        if (waiting[w] & nearer[w])
            return w * 64 + (uint32_t)__builtin_ctzll(waiting[w] & nearer[w]);
    return NADI_NONE;
}

static void try_pair(struct exchange *x, uint32_t pair, uint32_t who)
{
    uint32_t place;
    while (nadi_synth_may_send(&x->traffic, pair, who) && (place = useful(x, pair)) != NADI_NONE) {
        const uint32_t from = x->net->pairs[pair].from;
        const size_t first = x->plan->chunks.count;
        do
            NADI_PUSH(&x->plan->chunks, take(x, from, place));
        while ((x->policy->batch == 0 || x->plan->chunks.count - first < x->policy->batch) &&
               (place = useful(x, pair)) != NADI_NONE);
        const double bytes = (double)(x->plan->chunks.count - first) * x->chunk_bytes;
        (void)nadi_synth_start(&x->traffic, pair, first, bytes);
    }
}

static void look(struct exchange *x, uint32_t npu, bool in)
{
    const struct nadi_synth_net *net = x->net;
    const uint32_t *ends = in ? net->first_in : net->first_out;
    const uint32_t first = ends[npu], count = ends[npu + 1] - first;
    if (count == 0)
        return;
    uint32_t at = in ? 0 : x->first_turn[npu];
    if (!x->policy->ordered)
        at = (uint32_t)nadi_rng_below(&x->traffic.rng, count);
    for (uint32_t i = 0; i < count; i++) {
        if (in ? nadi_synth_in_full(&x->traffic, npu) : nadi_synth_out_full(&x->traffic, npu))
            return;
        try_pair(x, in ? net->in[first + at] : first + at, npu);
        at = at + 1 < count ? at + 1 : 0;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void init(struct exchange *x, const struct nadi_synth_net *net,
                 const struct nadi_synth_policy *policy, double bytes, struct nadi_synth_plan *plan)
{
    const size_t n = net->n, chunks = n * n * policy->per;
    *x = (struct exchange){.net = net, .policy = policy, .plan = plan, .n = net->n};
    nadi_synth_traffic_init(&x->traffic, net, policy, plan);
    x->chunk_bytes = bytes / policy->per;
    x->words = (net->n + 63) / 64;
    x->place = NADI_NEW(uint32_t, n * n);
    x->list = NADI_NEW(uint32_t, n * n);
    memset(x->list, 0xff, n * n * sizeof(uint32_t));
    x->next = NADI_NEW(uint32_t, chunks);
    x->waiting = NADI_ZNEW(uint64_t, n * x->words);
    x->first_turn = NADI_ZNEW(uint32_t, n);
    if (is_complete(net))
        go_straight(x);
    else
        find_paths(x);
    for (uint32_t i = 0; i < net->pair_count; i++)
        x->first_turn[net->pairs[i].from] += net->pairs[i].to < net->pairs[i].from;
    for (uint32_t u = 0; u < net->n; u++)
        if (x->first_turn[u] == net->first_out[u + 1] - net->first_out[u])
            x->first_turn[u] = 0;
    for (uint32_t c = (uint32_t)chunks; c-- > 0;)
        if (c / policy->per / net->n != destination(x, c))
            put(x, c / policy->per / net->n, c);
}

static void release(struct exchange *x)
{
    nadi_synth_traffic_release(&x->traffic);
    nadi_mem_free(x->place);
    nadi_mem_free(x->list);
    nadi_mem_free(x->next);
    nadi_mem_free(x->waiting);
    nadi_mem_free(x->nearer);
    nadi_mem_free(x->first_turn);
}

static void deliver(struct exchange *x, uint32_t index)
{
    const struct nadi_synth_send *s = &x->plan->sends.items[index];
    const uint32_t to = x->net->pairs[s->pair].to;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t chunk = x->plan->chunks.items[s->first + i];
        if (destination(x, chunk) != to)
            put(x, to, chunk);
    }
}

static void match(struct exchange *x)
{
    while (x->traffic.dirty.count > 0) {
        uint32_t *npus;
        size_t count;
        nadi_synth_take_dirty(&x->traffic, x->policy->ordered, &npus, &count);
        for (size_t i = 0; i < count; i++)
            look(x, npus[i], false);
        for (size_t i = 0; i < count; i++)
            look(x, npus[i], true);
    }
}

static bool is_left(const struct exchange *x)
{
    for (size_t w = 0; w < (size_t)x->n * x->words; w++)
        if (x->waiting[w])
            return true;
    return false;
}

bool nadi_synth_exchange(const struct nadi_synth_net *net, const struct nadi_synth_policy *policy,
                         double bytes, struct nadi_synth_limit limit, struct nadi_synth_plan *plan)
{
    struct exchange x;
    init(&x, net, policy, bytes, plan);
    bool ok = true;
    for (uint32_t v = 0; v < net->n; v++)
        nadi_synth_mark(&x.traffic, v);
    while (ok) {
        match(&x);
        uint32_t send = nadi_synth_next(&x.traffic);
        if (send == NADI_NONE && is_left(&x)) { /* those that wait were not woken */
            for (uint32_t v = 0; v < net->n; v++)
                nadi_synth_mark(&x.traffic, v);
            match(&x);
            send = nadi_synth_next(&x.traffic);
            NADI_ASSERT(send != NADI_NONE);
        }
        if (send == NADI_NONE)
            break;
        deliver(&x, send);
        while (nadi_synth_more_now(&x.traffic))
            deliver(&x, nadi_synth_next(&x.traffic));
        plan->end = x.traffic.now;
        ok = x.traffic.now <= limit.end && plan->work <= limit.work;
    }
    release(&x);
    return ok;
}
