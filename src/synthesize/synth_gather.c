/* synth_gather: the matching of an all-gather. What an NPU has is a set of chunks, a bit each. */
#include "base/mem.h"
#include "base/time.h"
#include "synthesize/synth_match.h"

enum {
    MAX_LEVELS = 64,
    EXACT_LEVELS = 8,
    MAX_LOOKS = 64, /* pairs that an NPU looks at, at a time */
};

struct gather {
    const struct nadi_synth_net *net;
    const struct nadi_synth_policy *policy;
    struct nadi_synth_traffic traffic;
    struct nadi_synth_plan *plan;
    double chunk_bytes;
    uint32_t chunks, words;
    uint64_t *have;                    /* of each NPU */
    uint64_t *known;                   /* what it has or what is on its way to it */
    uint64_t *near[NADI_SYNTH_LEVELS]; /* the same of each cluster */
    uint32_t *holders;                 /* of each chunk */
    uint8_t *level_of;                 /* by number of holders */
    uint64_t *of_level;                /* chunks so rare */
    uint32_t in_level[MAX_LEVELS], level_count;
    uint32_t *coming; /* of each NPU: the first message on its way to it; */
    struct {
        uint32_t *items; /* by send: the next one */
        size_t count, capacity;
    } coming_next;
    uint64_t left; /* (NPU, chunk) that are not on their way yet */
    uint64_t *candidates;
    enum nadi_synth_nearness nearness;
};

static uint64_t *set_of(const struct gather *g, uint64_t *sets, uint32_t index)
{
    return &sets[(size_t)index * g->words];
}

static bool has(const uint64_t *set, uint32_t chunk)
{
    return set[chunk / 64] >> (chunk % 64) & 1;
}

static void put(uint64_t *set, uint32_t chunk)
{
    set[chunk / 64] |= UINT64_C(1) << (chunk % 64);
}

/* Levels of rareness: each number of holders up to eight, then four for each doubling. */
static void fill_levels(struct gather *g)
{
    double edge = EXACT_LEVELS;
    uint32_t level = 0;
    for (uint32_t h = 0; h <= g->net->n; h++) {
        if (h > 1 && (h <= EXACT_LEVELS || (double)h > edge)) {
            level++;
            edge = h > EXACT_LEVELS ? edge * 1.19 + 1 : edge;
        }
        g->level_of[h] = (uint8_t)level;
    }
    g->level_count = level + 1;
    NADI_ASSERT(g->level_count <= MAX_LEVELS);
}

static void init(struct gather *g, const struct nadi_synth_net *net,
                 const struct nadi_synth_policy *policy, double bytes, struct nadi_synth_plan *plan)
{
    const size_t n = net->n;
    *g = (struct gather){.net = net, .policy = policy, .plan = plan, .nearness = policy->nearness};
    nadi_synth_traffic_init(&g->traffic, net, policy, plan);
    g->chunk_bytes = bytes / policy->per;
    g->chunks = net->n * policy->per;
    g->words = (g->chunks + 63) / 64;
    g->have = NADI_ZNEW(uint64_t, n * g->words);
    g->known = NADI_ZNEW(uint64_t, n * g->words);
    for (uint32_t l = 0; l < net->levels; l++)
        g->near[l] = NADI_ZNEW(uint64_t, (size_t)net->cluster_count[l] * g->words);
    g->holders = NADI_NEW(uint32_t, g->chunks);
    g->level_of = NADI_NEW(uint8_t, n + 1);
    fill_levels(g);
    g->of_level = NADI_ZNEW(uint64_t, (size_t)g->level_count * g->words);
    g->coming = NADI_NEW(uint32_t, n);
    memset(g->coming, 0xff, n * sizeof(uint32_t));
    g->candidates = NADI_NEW(uint64_t, g->words);
    g->left = (uint64_t)g->chunks * (n - 1);
    for (uint32_t c = 0; c < g->chunks; c++) {
        const uint32_t owner = c / policy->per;
        put(set_of(g, g->have, owner), c);
        put(set_of(g, g->known, owner), c);
        for (uint32_t l = 0; l < net->levels; l++)
            put(set_of(g, g->near[l], net->cluster[l][owner]), c);
        g->holders[c] = 1;
        put(g->of_level, c);
    }
    g->in_level[0] = g->chunks;
}

static void release(struct gather *g)
{
    nadi_synth_traffic_release(&g->traffic);
    nadi_mem_free(g->have);
    nadi_mem_free(g->known);
    for (uint32_t l = 0; l < g->net->levels; l++)
        nadi_mem_free(g->near[l]);
    nadi_mem_free(g->holders);
    nadi_mem_free(g->level_of);
    nadi_mem_free(g->of_level);
    nadi_mem_free(g->coming);
    nadi_mem_free(g->coming_next.items);
    nadi_mem_free(g->candidates);
}

/* ---- choosing chunks ------------------------------------------------------------------------- */

/* What u has and v lacks, and, where `fresh`, what nobody near v has; how many. */
static uint32_t find_candidates(struct gather *g, const struct nadi_synth_pair *p, bool fresh)
{
    const uint64_t *have = set_of(g, g->have, p->from), *known = set_of(g, g->known, p->to);
    uint32_t count = 0;
    if (fresh && p->level != NADI_NONE)
        known = set_of(g, g->near[p->level], g->net->cluster[p->level][p->to]);
    g->plan->work += g->words;
    for (uint32_t w = 0; w < g->words; w++) {
        g->candidates[w] = have[w] & ~known[w];
        count += (uint32_t)__builtin_popcountll(g->candidates[w]);
    }
    return count;
}

static void take(struct gather *g, const struct nadi_synth_pair *p, uint32_t chunk)
{
    put(set_of(g, g->known, p->to), chunk);
    for (uint32_t l = 0; l < g->net->levels; l++)
        put(set_of(g, g->near[l], g->net->cluster[l][p->to]), chunk);
    NADI_PUSH(&g->plan->chunks, chunk);
    g->left--;
}

/* Up to `most` candidates of a level, from bit `start` on, round. */
static uint32_t take_level(struct gather *g, const struct nadi_synth_pair *p, uint32_t level,
                           uint32_t start, uint32_t most)
{
    const uint64_t *rare = set_of(g, g->of_level, level);
    uint32_t taken = 0;
    g->plan->work += g->words;
    for (uint32_t i = 0; i <= g->words && taken < most; i++) {
        const uint32_t w = (start / 64 + i) % g->words;
        uint64_t bits = g->candidates[w] & rare[w];
        if (i == 0)
            bits &= ~UINT64_C(0) << (start % 64);
        while (bits && taken < most) {
            const uint32_t chunk = w * 64 + (uint32_t)__builtin_ctzll(bits);
            bits &= bits - 1;
            g->candidates[w] &= ~(UINT64_C(1) << (chunk % 64));
            take(g, p, chunk);
            taken++;
        }
    }
    return taken;
}

static void send_rarest(struct gather *g, uint32_t pair, uint32_t count)
{
    const struct nadi_synth_pair *p = &g->net->pairs[pair];
    const uint32_t batch = g->policy->batch;
    const size_t first = g->plan->chunks.count;
    uint32_t most = batch && batch < count ? batch : count;
    uint32_t start = p->from * g->policy->per;
    if (!g->policy->ordered)
        start = (uint32_t)nadi_rng_below(&g->traffic.rng, g->chunks);
    for (uint32_t l = 0; l < g->level_count && most > 0; l++)
        if (g->in_level[l] > 0)
            most -= take_level(g, p, l, start, most);
    const uint32_t sent = (uint32_t)(g->plan->chunks.count - first);
    const uint32_t send = nadi_synth_start(&g->traffic, pair, first, sent * g->chunk_bytes);
    NADI_PUSH(&g->coming_next, g->coming[p->to]);
    g->coming[p->to] = send;
}

static void unlink_coming(struct gather *g, uint32_t npu, uint32_t send)
{
    uint32_t *at = &g->coming[npu];
    while (*at != send)
        at = &g->coming_next.items[*at];
    *at = g->coming_next.items[send];
}

/* Brings a chunk that is on its way to v already, by a pair that is sooner there. */
static bool overtake(struct gather *g, uint32_t pair)
{
    const struct nadi_synth_pair *p = &g->net->pairs[pair];
    const nadi_time end =
        nadi_time_add(g->traffic.now, nadi_synth_cost(p, g->chunk_bytes, g->policy->split));
    for (uint32_t s = g->coming[p->to]; s != NADI_NONE; s = g->coming_next.items[s]) {
        const struct nadi_synth_send *send = &g->plan->sends.items[s];
        const uint32_t chunk = g->plan->chunks.items[send->first];
        if (send->count != 1 || send->end <= end || !has(set_of(g, g->have, p->from), chunk))
            continue;
        unlink_coming(g, p->to, s);
        nadi_synth_give_up(&g->traffic, s);
        const size_t first = g->plan->chunks.count;
        NADI_PUSH(&g->plan->chunks, chunk);
        const uint32_t now = nadi_synth_start(&g->traffic, pair, first, g->chunk_bytes);
        NADI_PUSH(&g->coming_next, g->coming[p->to]);
        g->coming[p->to] = now;
        return true;
    }
    return false;
}

/* ---- matching -------------------------------------------------------------------------------- */

enum pass { PASS_SCARCE, PASS_FAST, PASS_ANY }; /* which pairs, in this order */

static bool belongs(const struct gather *g, const struct nadi_synth_pair *p, enum pass pass)
{
    if (g->nearness == NADI_SYNTH_FLAT || g->nearness == NADI_SYNTH_RING)
        return pass == PASS_FAST;
    if (pass == PASS_FAST)
        return p->level == NADI_NONE;
    return p->level != NADI_NONE && (pass == PASS_SCARCE || g->nearness == NADI_SYNTH_EAGER);
}

/* Messages over a pair, as many as it has room for and can help with. */
static bool try_pair(struct gather *g, uint32_t pair, enum pass pass, uint32_t who)
{
    const struct nadi_synth_pair *p = &g->net->pairs[pair];
    bool any = false;
    while (belongs(g, p, pass) && nadi_synth_may_send(&g->traffic, pair, who)) {
        const uint32_t count = find_candidates(g, p, pass == PASS_SCARCE);
        if (count > 0)
            send_rarest(g, pair, count);
        else if (pass == PASS_SCARCE || !overtake(g, pair))
            break;
        any = true;
    }
    return any;
}

/* All useful chunks at once: the pair that has most of them first. */
static bool try_most(struct gather *g, const uint32_t *pairs, uint32_t first, uint32_t count,
                     enum pass pass, uint32_t who)
{
    uint32_t best = NADI_NONE, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pair = pairs ? pairs[first + i] : first + i;
        if (!belongs(g, &g->net->pairs[pair], pass) || !nadi_synth_may_send(&g->traffic, pair, who))
            continue;
        const uint32_t useful = find_candidates(g, &g->net->pairs[pair], pass == PASS_SCARCE);
        if (useful > most) {
            most = useful;
            best = pair;
        }
    }
    if (best == NADI_NONE)
        return false;
    find_candidates(g, &g->net->pairs[best], pass == PASS_SCARCE);
    send_rarest(g, best, most);
    return true;
}

static void look(struct gather *g, const uint32_t *pairs, uint32_t first, uint32_t count,
                 uint32_t who, bool in)
{
    struct nadi_synth_traffic *t = &g->traffic;
    if (g->nearness == NADI_SYNTH_RING) {
        const uint32_t to = in ? who : who + 1 < g->net->n ? who + 1 : 0;
        try_pair(g, g->net->in[g->net->first_in[to]], PASS_FAST, who);
        return;
    }
    const bool one = g->net->levels == 0 || g->nearness == NADI_SYNTH_FLAT;
    const int last = one || g->nearness == NADI_SYNTH_PATIENT ? PASS_FAST : PASS_ANY;
    for (int pass = one ? PASS_FAST : PASS_SCARCE; pass <= last; pass++) {
        if (g->policy->batch == 0) {
            while (!(in ? nadi_synth_in_full(t, who) : nadi_synth_out_full(t, who)) &&
                   try_most(g, pairs, first, count, (enum pass)pass, who))
                continue;
            continue;
        }
        uint32_t at = g->policy->ordered ? 0 : (uint32_t)nadi_rng_below(&t->rng, count);
        for (uint32_t i = 0; i < count && i < MAX_LOOKS; i++) {
            if (in ? nadi_synth_in_full(t, who) : nadi_synth_out_full(t, who))
                return;
            try_pair(g, pairs ? pairs[first + at] : first + at, (enum pass)pass, who);
            at = at + 1 < count ? at + 1 : 0;
        }
    }
}

static void look_in(struct gather *g, uint32_t v)
{
    const uint32_t first = g->net->first_in[v], count = g->net->first_in[v + 1] - first;
    if (count > 0)
        look(g, g->net->in, first, count, v, true);
}

static void look_out(struct gather *g, uint32_t u)
{
    const uint32_t first = g->net->first_out[u], count = g->net->first_out[u + 1] - first;
    if (count > 0)
        look(g, NULL, first, count, u, false);
}

static void match(struct gather *g)
{
    while (g->traffic.dirty.count > 0) {
        uint32_t *npus;
        size_t count;
        nadi_synth_take_dirty(&g->traffic, g->policy->ordered, &npus, &count);
        for (size_t i = 0; i < count; i++)
            look_in(g, npus[i]);
        for (size_t i = 0; i < count; i++)
            look_out(g, npus[i]);
    }
}

static void deliver(struct gather *g, uint32_t index)
{
    const struct nadi_synth_send *s = &g->plan->sends.items[index];
    const uint32_t to = g->net->pairs[s->pair].to;
    unlink_coming(g, to, index);
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t chunk = g->plan->chunks.items[s->first + i];
        put(set_of(g, g->have, to), chunk);
        const uint32_t old = g->level_of[g->holders[chunk]];
        const uint32_t new = g->level_of[++g->holders[chunk]];
        if (old == new)
            continue;
        set_of(g, g->of_level, old)[chunk / 64] &= ~(UINT64_C(1) << (chunk % 64));
        put(set_of(g, g->of_level, new), chunk);
        g->in_level[old]--;
        g->in_level[new]++;
    }
}

static void mark_all(struct gather *g)
{
    for (uint32_t v = 0; v < g->net->n; v++)
        nadi_synth_mark(&g->traffic, v);
}

bool nadi_synth_gather(const struct nadi_synth_net *net, const struct nadi_synth_policy *policy,
                       double bytes, struct nadi_synth_limit limit, struct nadi_synth_plan *plan)
{
    struct gather g;
    init(&g, net, policy, bytes, plan);
    bool ok = true;
    mark_all(&g);
    while (ok) {
        match(&g);
        uint32_t send = nadi_synth_next(&g.traffic);
        if (send == NADI_NONE && g.left == 0)
            break;
        if (send == NADI_NONE) { /* nobody moves: patience was too long */
            g.nearness = NADI_SYNTH_EAGER;
            mark_all(&g);
            match(&g);
            send = nadi_synth_next(&g.traffic);
            NADI_ASSERT(send != NADI_NONE);
        }
        deliver(&g, send);
        while (nadi_synth_more_now(&g.traffic))
            deliver(&g, nadi_synth_next(&g.traffic));
        plan->end = g.traffic.now;
        ok = g.traffic.now <= limit.end && plan->work <= limit.work;
    }
    release(&g);
    return ok;
}
