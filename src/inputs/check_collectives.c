/* check_collectives: the members of a group must run the same collectives in the same order.
 *
 * The order of node ids stands for the order of issue, so another order is a warning, and an error
 * where the dependencies of both members force it; another number, kind or size can never match
 * and is an error. Ranks that share a trace are compared once. O(collectives + members), and
 * O(nodes + dependencies) for each difference found. */
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "collective/plan.h"
#include "inputs/check_ranks.h"
#include "inputs/load.h"

struct item {             /* one collective node */
    uint32_t group, node; /* group: what its name means */
};

struct counted { /* a collective of all ranks, and how many of groups come before it */
    uint32_t node, before;
};

struct sequence { /* the collectives of one distinct trace, by group, then by id */
    const struct nadi_inputs *in;
    const struct nadi_trace *trace;
    uint32_t rank; /* the first that has the trace */
    struct item *items;
    uint32_t count;
    uint32_t compared_group; /* last group that it was compared for */
    uint32_t compared_first; /* with which sequence */
    struct {
        struct counted *items; /* by collective of all ranks */
        size_t count, capacity;
    } of_all;
};

struct compare {
    const struct nadi_inputs *in;
    struct nadi_diags *diags;
    struct sequence *sequences;
    uint32_t *of_rank; /* index of the rank's sequence */
    uint32_t *slots;   /* by group: as in items */
    uint32_t reports;
    bool ok;
};

struct slice {
    const struct sequence *s;
    const struct item *items;
    uint32_t count;
};

struct key { /* what must agree */
    uint64_t bytes;
    uint32_t mask, kind;
};

static int by_group(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t slot_of(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t n)
{
    uint32_t name = nadi_comm_of(t, n)->group;
    const char *text = name == NADI_NONE ? "" : nadi_trace_string(t, name);
    return nadi_groups_meaning(&in->groups, text);
}

/* Of items in the order of their nodes. */
static void count_of_all(const struct nadi_inputs *in, struct sequence *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t slot = s->items[i].group;
        if (slot & NADI_GROUP_FAMILY || !in->groups.items[slot].is_world)
            continue;
        const struct counted c = {s->items[i].node, i - (uint32_t)s->of_all.count};
        NADI_PUSH(&s->of_all, c);
    }
}

static void collect(const struct nadi_inputs *in, struct sequence *s)
{
    const struct nadi_trace *t = s->trace;
    uint32_t count = 0;
    enum nadi_native_kind kind;
    for (uint32_t n = 0; n < t->node_count; n++)
        count += t->type[n] == NADI_NODE_COLL;
    s->items = NADI_NEW(struct item, count);
    s->count = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] != NADI_NODE_COLL ||
            !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[n], &kind))
            continue;
        uint32_t slot = slot_of(in, t, n);
        if (slot != NADI_NONE)
            s->items[s->count++] = (struct item){slot, n};
    }
    count_of_all(in, s);
    if (s->count)
        qsort(s->items, s->count, sizeof(*s->items), by_group);
}

static struct slice slice_of(const struct sequence *s, uint32_t group)
{
    NADI_BISECT(uint32_t, low, 0, s->count, i, s->items[i].group < group);
    uint32_t end = low;
    while (end < s->count && s->items[end].group == group)
        end++;
    return (struct slice){s, s->items + low, end - low};
}

/* in_world: the inputs for the group of all ranks, where dimensions count; else NULL. */
static struct key key_of(const struct slice *s, uint32_t i, const struct nadi_inputs *in_world)
{
    const struct nadi_trace *t = s->s->trace;
    uint32_t n = s->items[i].node;
    return (struct key){
        .bytes = nadi_is_uneven(s->s->in, t, n) ? 0 : t->bytes[n], /* each member's own */
        .kind = t->collective[n],
        .mask = in_world ? nadi_involved(in_world, t, n) : 0,
    };
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->mask < y->mask ? -1 : x->mask > y->mask;
}

static uint32_t first_difference(const struct slice *a, const struct slice *b,
                                 const struct nadi_inputs *in_world)
{
    uint32_t least = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < least; i++) {
        struct key x = key_of(a, i, in_world), y = key_of(b, i, in_world);
        if (compare_keys(&x, &y) != 0)
            return i;
    }
    return least;
}

static struct key *sorted_keys(const struct slice *s, const struct nadi_inputs *in_world)
{
    struct key *keys = NADI_NEW(struct key, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        keys[i] = key_of(s, i, in_world);
    if (s->count)
        qsort(keys, s->count, sizeof(*keys), compare_keys);
    return keys;
}

static bool same_multiset(const struct slice *a, const struct slice *b,
                          const struct nadi_inputs *in_world)
{
    if (a->count != b->count)
        return false;
    struct key *x = sorted_keys(a, in_world), *y = sorted_keys(b, in_world);
    bool same = true;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = compare_keys(&x[i], &y[i]) == 0;
    nadi_mem_free(x);
    nadi_mem_free(y);
    return same;
}

/* `node 7 "name" (ALL_REDUCE of 1024 B)`, or "none" behind the last one. */
static void add_node(struct compare *c, const struct slice *s, uint32_t i, struct nadi_str *out)
{
    if (i >= s->count) {
        nadi_str_add(out, "none");
        return;
    }
    const struct nadi_trace *t = s->s->trace;
    uint32_t n = s->items[i].node;
    struct nadi_place place = nadi_trace_place(t, s->s->rank, n, &c->diags->arena);
    nadi_str_printf(out, "node %s (%s of %" PRIu64 " B)", place.node,
                    nadi_collective_name((enum nadi_collective_kind)t->collective[n]), t->bytes[n]);
}

static void add_group(struct compare *c, uint32_t group, struct nadi_str *out)
{
    const struct nadi_group *g = &c->in->groups.items[group];
    if (g->is_world)
        nadi_str_printf(out, "all %u ranks", g->size);
    else
        nadi_str_printf(out, "group \"%s\" of %u ranks", g->name, g->size);
}

/* Ranks of the group that run the same trace as `s`. */
static void add_ranks(struct compare *c, uint32_t group, const struct sequence *s,
                      struct nadi_str *out)
{
    const struct nadi_group *g = &c->in->groups.items[group];
    uint64_t *set = NADI_ZNEW(uint64_t, (size_t)c->in->rank_count / 64 + 1);
    for (uint32_t i = 0; i < g->size; i++) {
        uint32_t rank = nadi_group_member(g, i);
        if (&c->sequences[c->of_rank[rank]] == s)
            nadi_ranks_add(set, rank);
    }
    nadi_ranks_text(set, c->in->rank_count, out);
    nadi_mem_free(set);
}

/* Do all collectives of `s` from `from` on that are like `wanted` wait for the node at `from`? */
static bool all_wait_for_it(const struct slice *s, uint32_t from, struct key wanted,
                            const struct nadi_inputs *in_world)
{
    const struct nadi_trace *t = s->s->trace;
    bool *after = NADI_ZNEW(bool, t->node_count), all = true;
    uint32_t *stack = NADI_NEW(uint32_t, t->node_count), depth = 0;
    stack[depth++] = s->items[from].node;
    while (depth) {
        const uint32_t n = stack[--depth];
        for (uint32_t k = t->child_start[n]; k < t->child_start[n + 1]; k++) {
            if (!after[t->children[k]])
                stack[depth++] = t->children[k];
            after[t->children[k]] = true;
        }
    }
    for (uint32_t i = from; i < s->count && all; i++) {
        const struct key key = key_of(s, i, in_world);
        all = compare_keys(&key, &wanted) != 0 || after[s->items[i].node];
    }
    nadi_mem_free(after);
    nadi_mem_free(stack);
    return all;
}

/* The two come in another order at `at`: do the dependencies of both leave no other? */
static bool order_is_forced(const struct slice *a, const struct slice *b, uint32_t at,
                            const struct nadi_inputs *in_world)
{
    return all_wait_for_it(a, at, key_of(b, at, in_world), in_world) &&
           all_wait_for_it(b, at, key_of(a, at, in_world), in_world);
}

/* a: the first member's, b: another's. */
static void report(struct compare *c, uint32_t group, const struct slice *a, const struct slice *b)
{
    enum { MOST = 20 };
    const struct nadi_inputs *in_world = c->in->groups.items[group].is_world ? c->in : NULL;
    const bool order_only = same_multiset(a, b, in_world);
    const uint32_t at = first_difference(a, b, in_world);
    const bool forced = order_only && order_is_forced(a, b, at, in_world);
    c->ok &= order_only && !forced;
    if (++c->reports > MOST)
        return;
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, "collective #%u of ", at + 1);
    add_group(c, group, &s);
    nadi_str_add(&s, forced       ? " comes in another order, and dependencies leave no other: "
                     : order_only ? " comes in another order of node ids: "
                                  : " does not match: ");
    add_node(c, b, at, &s);
    nadi_str_add(&s, " on ");
    add_ranks(c, group, b->s, &s);
    nadi_str_add(&s, ", but ");
    add_node(c, a, at, &s);
    nadi_str_printf(&s, " on rank %u", a->s->rank);
    struct nadi_place place = NADI_IN_FILE(b->s->trace->path);
    if (at < b->count)
        place = nadi_trace_place(b->s->trace, b->s->rank, b->items[at].node, &c->diags->arena);
    nadi_diags_add(c->diags, order_only && !forced ? NADI_WARNING : NADI_ERROR,
                   order_only ? "check/collective-order" : "check/collective-mismatch", place,
                   forced       ? "each waits for the other: the run deadlocks"
                   : order_only ? "if they are issued in that order too, the run deadlocks"
                                : "all members of a group must run the same collectives in the "
                                  "same order with the same sizes",
                   "%s", nadi_str_get(&s));
    nadi_str_release(&s);
}

static void compare_group(struct compare *c, uint32_t group)
{
    const struct nadi_group *g = &c->in->groups.items[group];
    const struct sequence *first = &c->sequences[c->of_rank[nadi_group_member(g, 0)]];
    const struct nadi_inputs *in_world = g->is_world ? c->in : NULL;
    uint32_t slot = c->slots[group], first_index = c->of_rank[nadi_group_member(g, 0)];
    struct slice a = slice_of(first, slot);
    for (uint32_t i = 1; i < g->size; i++) {
        struct sequence *s = &c->sequences[c->of_rank[nadi_group_member(g, i)]];
        if (s == first || (s->compared_group == slot && s->compared_first == first_index))
            continue;
        s->compared_group = slot;
        s->compared_first = first_index;
        struct slice b = slice_of(s, slot);
        if (a.count != b.count || first_difference(&a, &b, in_world) < a.count)
            report(c, group, &a, &b);
    }
}

static void make_sequences(struct compare *c)
{
    nadi_trace_numbers(c->in, c->of_rank);
    for (uint32_t i = 0; i < c->in->owned_count; i++) {
        c->sequences[i] =
            (struct sequence){.in = c->in, .trace = c->in->owned[i], .compared_group = NADI_NONE};
        collect(c->in, &c->sequences[i]);
    }
    for (uint32_t r = c->in->rank_count; r-- > 0;)
        c->sequences[c->of_rank[r]].rank = r;
}

static void find_slots(struct compare *c)
{
    const struct nadi_groups *groups = &c->in->groups;
    for (uint32_t g = 0; g < groups->count; g++)
        c->slots[g] = g;
    for (uint32_t f = 0; f < groups->family_count; f++)
        for (uint32_t r = 0; r < c->in->rank_count; r++)
            c->slots[groups->families[f].group_of[r]] = NADI_GROUP_FAMILY | f;
}

/* The first collective of all ranks before which the two have not as many of groups; NADI_NONE. */
static uint32_t first_uncounted(const struct sequence *a, const struct sequence *b)
{
    for (uint32_t k = 0; k < a->of_all.count && k < b->of_all.count; k++)
        if (a->of_all.items[k].before != b->of_all.items[k].before)
            return k;
    return NADI_NONE;
}

/* The reference counts a rank's collectives of groups together with those of all ranks, and tells
 * messages apart by that number. */
static void tell_counters(const struct compare *c)
{
    const struct sequence *first = &c->sequences[0];
    for (uint32_t i = 1; i < c->in->owned_count; i++) {
        const struct sequence *s = &c->sequences[i];
        const uint32_t k = first_uncounted(first, s);
        if (k == NADI_NONE)
            continue;
        nadi_warning(
            c->diags, "check/reference-counter",
            nadi_trace_place(s->trace, s->rank, s->of_all.items[k].node, &c->diags->arena),
            "nothing to do here; for ASTRA-sim give all ranks as many collectives of groups "
            "before it",
            "ASTRA-sim hangs at this collective of all ranks: before it rank %u has %u of groups "
            "and rank %u %u, and they share one counter",
            s->rank, s->of_all.items[k].before, first->rank, first->of_all.items[k].before);
        return;
    }
}

bool nadi_check_collectives(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    struct compare c = {.in = in, .diags = diags, .ok = true};
    c.sequences = NADI_NEW(struct sequence, in->owned_count);
    c.of_rank = NADI_NEW(uint32_t, in->rank_count);
    c.slots = NADI_NEW(uint32_t, in->groups.count);
    find_slots(&c);
    make_sequences(&c);
    for (uint32_t g = 0; g < in->groups.count; g++)
        compare_group(&c, g);
    if (c.ok && in->owned_count > 0)
        tell_counters(&c);
    for (uint32_t i = 0; i < in->owned_count; i++) {
        nadi_mem_free(c.sequences[i].items);
        nadi_mem_free(c.sequences[i].of_all.items);
    }
    nadi_mem_free(c.sequences);
    nadi_mem_free(c.of_rank);
    nadi_mem_free(c.slots);
    return c.ok;
}
