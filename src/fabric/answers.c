/* answers: what conflicts, and what can be done about it (route.h). */
#include "fabric/route.h"

#include "base/mem.h"
#include "base/rng.h"

enum { MOST_SUBSETS = 20000, RANDOM_ORDERS = 1000, SHORT_STEPS = 100000 };

/* ---- subsets ----------------------------------------------------------------------------------
 */

struct part { /* of a set: some of its flows */
    struct nadi_fred_flow *flows;
    uint32_t count;
};

static struct nadi_fred_set chosen_set(struct part *p, const struct nadi_fred_set *set,
                                       const bool *chosen)
{
    p->count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (chosen[i])
            p->flows[p->count++] = set->items[i];
    return (struct nadi_fred_set){p->flows, p->count};
}

struct subsets {
    struct nadi_fred *f;
    const struct nadi_fred_set *set;
    struct part part;
    bool *chosen;
    bool *candidate; /* flows that may be chosen */
    bool rest;       /* those not chosen must route; else those chosen must conflict */
    uint32_t tried;
    bool cut; /* not all were tried, or one was not decided */
};

static bool fits(struct subsets *s)
{
    for (uint32_t i = 0; s->rest && i < s->set->count; i++)
        s->chosen[i] = !s->chosen[i];
    const struct nadi_fred_set tried = chosen_set(&s->part, s->set, s->chosen);
    for (uint32_t i = 0; s->rest && i < s->set->count; i++)
        s->chosen[i] = !s->chosen[i];
    const enum nadi_fred_verdict v = nadi_fred_route(s->f, &tried, SHORT_STEPS, NULL);
    s->cut = s->cut || v == NADI_FRED_UNDECIDED;
    return v == (s->rest ? NADI_FRED_ROUTED : NADI_FRED_CONFLICT);
}

/* Chooses `count` more, from flow `from` on, until it fits. */
static bool choose(struct subsets *s, uint32_t from, uint32_t count)
{
    if (s->cut)
        return false;
    if (count == 0) {
        s->cut = ++s->tried > MOST_SUBSETS;
        return !s->cut && fits(s);
    }
    for (uint32_t i = from; i < s->set->count; i++) {
        if (!s->candidate[i])
            continue;
        s->chosen[i] = true;
        if (choose(s, i + 1, count - 1))
            return true;
        s->chosen[i] = false;
    }
    return false;
}

/* The smallest subset that fits, of less than `below` flows; 0: none, or not known (s->cut). */
static uint32_t smallest(struct subsets *s, uint32_t below)
{
    for (uint32_t count = 1; count < below; count++) {
        memset(s->chosen, 0, s->set->count * sizeof(*s->chosen));
        if (choose(s, 0, count))
            return count;
        if (s->cut)
            return 0;
    }
    return 0;
}

static void begin(struct subsets *s, struct nadi_fred *f, const struct nadi_fred_set *set,
                  bool rest)
{
    *s = (struct subsets){.f = f, .set = set, .rest = rest};
    s->part.flows = NADI_NEW(struct nadi_fred_flow, set->count);
    s->chosen = NADI_ZNEW(bool, set->count);
    s->candidate = NADI_NEW(bool, set->count);
    memset(s->candidate, true, set->count * sizeof(*s->candidate));
}

static void end(struct subsets *s)
{
    nadi_mem_free(s->part.flows);
    nadi_mem_free(s->chosen);
    nadi_mem_free(s->candidate);
}

/* ---- the smallest conflict --------------------------------------------------------------------
 */

uint32_t nadi_fred_smallest(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *chosen,
                            bool *least)
{
    struct subsets s;
    bool *minimal = NADI_NEW(bool, set->count);
    uint32_t count = set->count, found = 0;
    begin(&s, f, set, false);
    /* one that is minimal, by taking away what is not needed; then all smaller ones */
    memset(minimal, true, set->count * sizeof(*minimal));
    for (uint32_t i = 0; i < set->count; i++) {
        minimal[i] = false;
        const struct nadi_fred_set without = chosen_set(&s.part, set, minimal);
        if (nadi_fred_route(f, &without, SHORT_STEPS, NULL) == NADI_FRED_CONFLICT)
            count--;
        else
            minimal[i] = true;
    }
    const bool smaller = smallest(&s, count) > 0;
    *least = !s.cut;
    for (uint32_t i = 0; i < set->count; i++)
        if ((smaller ? s.chosen : minimal)[i])
            chosen[found++] = i;
    end(&s);
    nadi_mem_free(minimal);
    return found;
}

/* ---- rounds -----------------------------------------------------------------------------------
 */

/* Without knowing the smallest: flow after flow, each that still fits. */
static void greedy(struct subsets *s)
{
    memset(s->chosen, 0, s->set->count * sizeof(*s->chosen));
    for (uint32_t i = 0; i < s->set->count; i++) {
        s->chosen[i] = true; /* those that go now */
        const struct nadi_fred_set tried = chosen_set(&s->part, s->set, s->chosen);
        s->chosen[i] = nadi_fred_route(s->f, &tried, SHORT_STEPS, NULL) == NADI_FRED_ROUTED;
    }
    for (uint32_t i = 0; i < s->set->count; i++)
        s->chosen[i] = !s->chosen[i];
}

/* Which flows must wait so that the others route: s->chosen. */
static void put_off(struct subsets *s)
{
    const enum nadi_fred_verdict all = nadi_fred_route(s->f, s->set, NADI_FRED_STEPS, NULL);
    memset(s->chosen, 0, s->set->count * sizeof(*s->chosen));
    if (all == NADI_FRED_ROUTED)
        return;
    s->cut = all == NADI_FRED_UNDECIDED;
    if (s->cut || !smallest(s, s->set->count))
        greedy(s);
}

uint32_t nadi_fred_serialise(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *round,
                             bool *least)
{
    uint32_t rounds = 0, left = set->count;
    uint32_t *number = NADI_NEW(uint32_t, set->count);
    struct nadi_fred_flow *flows = NADI_NEW(struct nadi_fred_flow, set->count);
    *least = true;
    for (uint32_t i = 0; i < left; i++) {
        number[i] = i;
        flows[i] = set->items[i];
    }
    for (; left > 0; rounds++) {
        const struct nadi_fred_set rest = {flows, left};
        struct subsets s;
        uint32_t waiting = 0;
        begin(&s, f, &rest, true);
        put_off(&s);
        *least = *least && !s.cut;
        for (uint32_t i = 0; i < left; i++) {
            if (!s.chosen[i]) {
                round[number[i]] = rounds;
                continue;
            }
            flows[waiting] = flows[i];
            number[waiting++] = number[i];
        }
        end(&s);
        left = waiting;
    }
    nadi_mem_free(flows);
    nadi_mem_free(number);
    return rounds;
}

/* ---- more middle networks, other ports --------------------------------------------------------
 */

uint32_t nadi_fred_raise(uint32_t ports, uint32_t middle, const struct nadi_fred_set *set)
{
    for (uint32_t m = middle + 1; m <= NADI_FRED_MIDDLE && nadi_fred_fits(ports, m); m++) {
        struct nadi_fred f;
        nadi_fred_init(&f, ports, m);
        const bool routed = nadi_fred_route(&f, set, NADI_FRED_STEPS, NULL) == NADI_FRED_ROUTED;
        nadi_fred_release(&f);
        if (routed)
            return m;
    }
    return 0;
}

static bool routes_at(struct nadi_fred *f, const struct nadi_fred_set *set, const uint32_t *place)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    struct nadi_fred_flow *flows = NADI_ARENA_NEW(&arena, struct nadi_fred_flow, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct nadi_fred_flow *from = &set->items[i];
        uint32_t *in = NADI_ARENA_NEW(&arena, uint32_t, from->in_count);
        uint32_t *out = NADI_ARENA_NEW(&arena, uint32_t, from->out_count);
        for (uint32_t k = 0; k < from->in_count; k++)
            in[k] = place[from->in[k]];
        for (uint32_t k = 0; k < from->out_count; k++)
            out[k] = place[from->out[k]];
        flows[i] = (struct nadi_fred_flow){in, out, from->in_count, from->out_count};
    }
    const struct nadi_fred_set moved = {flows, set->count};
    const bool routed = nadi_fred_route(f, &moved, SHORT_STEPS, NULL) == NADI_FRED_ROUTED;
    nadi_arena_release(&arena);
    return routed;
}

bool nadi_fred_replace(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *place)
{
    struct nadi_rng rng;
    uint32_t next = 0;
    memset(place, 0xff, f->ports * sizeof(*place));
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t k = 0; k < set->items[i].in_count + set->items[i].out_count; k++) {
            const struct nadi_fred_flow *flow = &set->items[i];
            const uint32_t port = k < flow->in_count ? flow->in[k] : flow->out[k - flow->in_count];
            if (place[port] == NADI_NONE)
                place[port] = next++;
        }
    for (uint32_t p = 0; p < f->ports; p++)
        if (place[p] == NADI_NONE)
            place[p] = next++;
    if (routes_at(f, set, place))
        return true;
    nadi_rng_init(&rng, 1, "fabric placement");
    for (uint32_t t = 0; t < RANDOM_ORDERS; t++) {
        for (uint32_t i = f->ports - 1; i > 0; i--) {
            const uint32_t k = (uint32_t)nadi_rng_below(&rng, i + UINT64_C(1)), kept = place[i];
            place[i] = place[k];
            place[k] = kept;
        }
        if (routes_at(f, set, place))
            return true;
    }
    return false;
}

/* ---- rings ------------------------------------------------------------------------------------
 */

static bool same_ports(const struct nadi_fred_flow *flow)
{
    uint32_t both = 0;
    for (uint32_t i = 0; i < flow->in_count; i++)
        for (uint32_t k = 0; k < flow->out_count; k++)
            both += flow->in[i] == flow->out[k];
    return both == flow->in_count && both == flow->out_count;
}

struct hops { /* unicasts in place of flows */
    struct nadi_fred_flow *items;
    size_t count, capacity;
    bool *sends, *receives; /* by port */
};

static bool add_hop(struct hops *h, struct nadi_arena *arena, uint32_t from, uint32_t to)
{
    uint32_t *ports = NADI_ARENA_NEW(arena, uint32_t, 2);
    if (from == to)
        return true;
    if (h->sends[from] || h->receives[to])
        return false;
    h->sends[from] = h->receives[to] = true;
    ports[0] = from;
    ports[1] = to;
    const struct nadi_fred_flow hop = {ports, ports + 1, 1, 1};
    NADI_PUSH(h, hop);
    return true;
}

static bool take_apart(struct hops *h, const struct nadi_fred_flow *flow, struct nadi_arena *arena)
{
    bool ok = true;
    if (same_ports(flow)) {
        for (uint32_t i = 0; ok && i < flow->in_count; i++)
            ok = add_hop(h, arena, flow->in[i], flow->in[(i + 1) % flow->in_count]);
        return ok;
    }
    for (uint32_t i = 0; ok && i < flow->in_count; i++)
        ok =
            add_hop(h, arena, flow->in[i], i + 1 < flow->in_count ? flow->in[i + 1] : flow->out[0]);
    for (uint32_t k = 0; ok && k + 1 < flow->out_count; k++)
        ok = add_hop(h, arena, flow->out[k], flow->out[k + 1]);
    return ok;
}

/* The set with the flows of `as` taken apart; NULL items where ports are taken. */
static struct nadi_fred_set apart(const struct nadi_fred *f, const struct nadi_fred_set *set,
                                  const bool *as, struct nadi_arena *arena)
{
    struct hops h = {.sends = NADI_ZNEW(bool, f->ports), .receives = NADI_ZNEW(bool, f->ports)};
    struct nadi_fred_flow *kept = NULL;
    bool ok = true;
    for (uint32_t i = 0; i < set->count; i++) {
        if (as[i])
            continue;
        for (uint32_t k = 0; k < set->items[i].in_count; k++)
            h.sends[set->items[i].in[k]] = true;
        for (uint32_t k = 0; k < set->items[i].out_count; k++)
            h.receives[set->items[i].out[k]] = true;
        NADI_PUSH(&h, set->items[i]);
    }
    for (uint32_t i = 0; ok && i < set->count; i++)
        ok = !as[i] || take_apart(&h, &set->items[i], arena);
    if (ok) {
        kept = NADI_ARENA_NEW(arena, struct nadi_fred_flow, h.count);
        memcpy(kept, h.items, h.count * sizeof(*kept));
    }
    const struct nadi_fred_set made = {kept, (uint32_t)h.count};
    nadi_mem_free(h.items);
    nadi_mem_free(h.sends);
    nadi_mem_free(h.receives);
    return made;
}

/* Flows in the order in which they are taken apart: those of a smallest conflict first. */
static void order_flows(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *order)
{
    bool least;
    uint32_t count = nadi_fred_smallest(f, set, order, &least);
    const uint32_t first = count;
    for (uint32_t i = 0; i < set->count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < first; k++)
            there = there || order[k] == i;
        if (!there)
            order[count++] = i;
    }
}

bool nadi_fred_ring(struct nadi_fred *f, const struct nadi_fred_set *set, bool *as,
                    struct nadi_fred_set *made, struct nadi_arena *arena)
{
    uint32_t *order = NADI_NEW(uint32_t, set->count);
    bool routed = false;
    memset(as, 0, set->count * sizeof(*as));
    order_flows(f, set, order);
    for (uint32_t i = 0; i < set->count && !routed; i++) {
        as[order[i]] = true;
        *made = apart(f, set, as, arena);
        routed = made->items && nadi_fred_route(f, made, NADI_FRED_STEPS, NULL) == NADI_FRED_ROUTED;
    }
    nadi_mem_free(order);
    return routed;
}
