#include "why/trail.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "why/inside.h"
#include "why/packets.h"

struct nadi_trails {
    const struct nadi_times *t;
    struct nadi_route_latencies *latencies;
    size_t buckets;            /* a collective each, and one of messages between nodes */
    size_t *first;             /* by bucket: of `order`; buckets + 1 entries */
    uint32_t *order;           /* messages by bucket, by destination and arrival once looked at */
    uint8_t *sorted;           /* by bucket */
    struct nadi_map64 numbers; /* group << 32 | sequence -> collective of the result */
    uint32_t members_of;       /* operation of which `members` are; NADI_NONE */
    struct nadi_collective_member *members; /* by rank */
    uint32_t member_count, member_room;
};

struct key { /* of a message in a bucket */
    uint64_t arrive_ns;
    uint32_t dst, message;
};

static uint64_t sent_ns(const struct nadi_message_entry *m)
{
    return nadi_time_to_ns(m->sent);
}

static uint64_t arrive_ns(const struct nadi_message_entry *m)
{
    return nadi_time_to_ns(m->arrived);
}

static int by_arrival(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    if (x->arrive_ns != y->arrive_ns)
        return x->arrive_ns < y->arrive_ns ? -1 : 1;
    return x->message < y->message ? -1 : x->message > y->message;
}

static size_t bucket_of(const struct nadi_trails *s, const struct nadi_message_entry *m)
{
    return m->op ? m->op - 1 : s->buckets - 1;
}

struct nadi_trails *nadi_trails_create(const struct nadi_times *t,
                                       struct nadi_route_latencies *latencies)
{
    const struct nadi_result *r = t->r;
    if (r->logged_count == 0 || r->logged_count >= NADI_NONE || t->by_class)
        return NULL;
    struct nadi_trails *s = NADI_ZNEW(struct nadi_trails, 1);
    s->t = t;
    s->latencies = latencies;
    s->buckets = r->collective_count + 1;
    s->first = NADI_ZNEW(size_t, s->buckets + 2);
    s->order = NADI_NEW(uint32_t, r->logged_count);
    s->sorted = NADI_ZNEW(uint8_t, s->buckets);
    s->members_of = NADI_NONE;
    for (size_t i = 0; i < r->logged_count; i++)
        s->first[bucket_of(s, &r->logged[i]) + 2]++;
    for (size_t b = 2; b < s->buckets + 2; b++)
        s->first[b] += s->first[b - 1];
    for (size_t i = 0; i < r->logged_count; i++)
        s->order[s->first[bucket_of(s, &r->logged[i]) + 1]++] = (uint32_t)i;
    nadi_map64_init(&s->numbers, r->collective_count);
    for (size_t i = 0; i < r->collective_count; i++)
        *nadi_map64_put(&s->numbers,
                        (uint64_t)r->collectives[i].group << 32 | r->collectives[i].sequence, 0,
                        NULL) = (uint32_t)i;
    return s;
}

void nadi_trails_destroy(struct nadi_trails *s)
{
    if (!s)
        return;
    nadi_map64_release(&s->numbers);
    nadi_mem_free(s->first);
    nadi_mem_free(s->order);
    nadi_mem_free(s->sorted);
    nadi_mem_free(s->members);
    nadi_mem_free(s);
}

static void sort_bucket(struct nadi_trails *s, size_t bucket)
{
    const size_t from = s->first[bucket], count = s->first[bucket + 1] - from;
    if (s->sorted[bucket] || count == 0)
        return;
    struct key *keys = NADI_NEW(struct key, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t m = s->order[from + i];
        keys[i] = (struct key){arrive_ns(&s->t->r->logged[m]), s->t->r->logged[m].dst, m};
    }
    qsort(keys, count, sizeof(*keys), by_arrival);
    for (size_t i = 0; i < count; i++)
        s->order[from + i] = keys[i].message;
    nadi_mem_free(keys);
    s->sorted[bucket] = 1;
}

static bool arrived_by(const struct nadi_message_entry *m, uint32_t dst, uint64_t at_ns)
{
    return m->dst < dst || (m->dst == dst && arrive_ns(m) <= at_ns);
}

/* Of the messages of the bucket to `dst` that arrived in (after_ns, at_ns] and were sent before
 * message `before`, the last to arrive; NADI_NONE. */
static uint32_t last_message(struct nadi_trails *s, size_t bucket, uint32_t dst, uint64_t at_ns,
                             uint64_t after_ns, uint32_t before)
{
    const struct nadi_message_entry *all = s->t->r->logged;
    sort_bucket(s, bucket);
    NADI_BISECT(size_t, at, s->first[bucket], s->first[bucket + 1], i,
                arrived_by(&all[s->order[i]], dst, at_ns));
    while (at-- > s->first[bucket]) {
        const struct nadi_message_entry *m = &all[s->order[at]];
        if (m->dst != dst || arrive_ns(m) <= after_ns)
            return NADI_NONE;
        if (s->order[at] < before)
            return s->order[at];
    }
    return NADI_NONE;
}

/* ---- parts --------------------------------------------------------------------------------- */

static void add_part(struct nadi_trail *trail, struct nadi_trail_part part)
{
    if (part.ns == 0)
        return;
    part.fixed_ns = nadi_min_u64(part.fixed_ns, part.ns);
    part.latency_ns = nadi_min_u64(part.latency_ns, part.fixed_ns);
    for (size_t i = 0; i < trail->parts.count; i++) {
        struct nadi_trail_part *p = &trail->parts.items[i];
        if (p->dim == part.dim && p->link == part.link && p->behind == part.behind) {
            p->ns += part.ns;
            p->fixed_ns += part.fixed_ns;
            p->latency_ns += part.latency_ns;
            p->held_ns += part.held_ns;
            return;
        }
    }
    NADI_PUSH(&trail->parts, part);
}

/* What a member did between two messages: the endpoint's delay, a reduction, its turn to come. */
static void add_own(const struct nadi_trails *s, struct nadi_trail *trail, uint64_t ns,
                    uint32_t dim)
{
    add_part(trail, (struct nadi_trail_part){.ns = ns,
                                             .fixed_ns = ns,
                                             .latency_ns = s->t->in->system.endpoint_delay_ns,
                                             .dim = dim,
                                             .link = NADI_NONE});
}

static int by_place(const void *a, const void *b)
{
    const struct nadi_trail_part *x = a, *y = b;
    if ((x->link == NADI_NONE) != (y->link == NADI_NONE))
        return x->link == NADI_NONE ? -1 : 1;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    if (x->behind != y->behind)
        return x->behind ? 1 : -1;
    return x->dim < y->dim ? -1 : x->dim > y->dim;
}

static void sort_parts(struct nadi_trail *trail)
{
    if (trail->parts.count)
        qsort(trail->parts.items, trail->parts.count, sizeof(*trail->parts.items), by_place);
}

/* The time of a message, of which `most_ns` are told. */
static void add_message(const struct nadi_trails *s, struct nadi_trail *trail,
                        const struct nadi_message_entry *m, uint64_t most_ns)
{
    const uint32_t dim = nadi_inside_dim(s->t->in, m->src, m->dst);
    const uint64_t behind = nadi_min_u64(m->queued_ns, most_ns), rest = most_ns - behind;
    const uint64_t waited = m->link == NADI_NONE ? 0 : nadi_min_u64(m->waited_ns, rest);
    const uint64_t alone = rest - waited,
                   fixed = nadi_min_u64(nadi_route_latency(s->latencies, m->src, m->dst), alone);
    trail->packets_ns += nadi_packets_of_message(
        m->bytes, nadi_route_forwarding(s->latencies, m->src, m->dst), (double)(most_ns - fixed));
    add_part(
        trail,
        (struct nadi_trail_part){
            .ns = alone, .fixed_ns = fixed, .latency_ns = fixed, .dim = dim, .link = NADI_NONE});
    add_part(trail,
             (struct nadi_trail_part){.ns = behind, .dim = dim, .link = NADI_NONE, .behind = true});
    if (waited == 0)
        return;
    /* who is held for a good part of its way is held all of the way: its rate is that link's, and
     * so, likely, was that of the messages before it */
    const bool held = waited > (alone - fixed) / 10;
    add_part(trail, (struct nadi_trail_part){.ns = waited,
                                             .held_ns = held ? alone - fixed + behind : 0,
                                             .dim = s->t->r->links[m->link].dim,
                                             .link = m->link});
}

/* ---- collectives --------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct nadi_collective_member *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static const struct nadi_collective_member *member_of(struct nadi_trails *s, uint32_t op,
                                                      uint32_t rank)
{
    if (s->members_of != op) {
        const uint32_t from = s->t->member_start[op];
        s->member_count = s->t->member_start[op + 1] - from;
        if (s->member_count > s->member_room) {
            nadi_mem_free(s->members);
            s->members = NADI_NEW(struct nadi_collective_member, s->member_count);
            s->member_room = s->member_count;
        }
        memcpy(s->members, s->t->members + from, s->member_count * sizeof(*s->members));
        qsort(s->members, s->member_count, sizeof(*s->members), by_rank);
        s->members_of = op;
    }
    const struct nadi_collective_member key = {.rank = rank};
    return bsearch(&key, s->members, s->member_count, sizeof(key), by_rank);
}

bool nadi_trail_collective(struct nadi_trails *s, uint32_t rank, uint32_t node, uint64_t end_ns,
                           struct nadi_trail *trail)
{
    const struct nadi_times *t = s->t;
    const uint32_t op = t->op[nadi_times_index(t, rank, node)];
    const uint32_t number = nadi_map64_find(&s->numbers, t->number[op]);
    if (number == NADI_NONE || s->first[number] == s->first[number + 1])
        return false;
    uint32_t before = NADI_NONE, dim = NADI_NONE;
    uint64_t at = end_ns, own = 0;
    trail->parts.count = 0;
    trail->packets_ns = 0;
    for (;;) {
        const struct nadi_collective_member *m = member_of(s, op, rank);
        const bool member = m && m->start_ns <= at; /* else a switch that adds up */
        const uint32_t found = last_message(s, number, rank, at, member ? m->start_ns : 0, before);
        if (found == NADI_NONE && !member)
            return false;
        if (found == NADI_NONE) {
            add_own(s, trail, own + at - m->start_ns, dim);
            trail->rank = rank;
            trail->node = m->node;
            trail->start_ns = m->start_ns;
            break;
        }
        const struct nadi_message_entry *x = &t->r->logged[found];
        /* what the member did between two messages belongs to the one that it sent then */
        own += at - arrive_ns(x);
        if (before == NADI_NONE)
            dim = nadi_inside_dim(s->t->in, x->src, x->dst);
        add_own(s, trail, own, dim);
        add_message(s, trail, x, arrive_ns(x) - sent_ns(x));
        own = 0;
        dim = nadi_inside_dim(s->t->in, x->src, x->dst);
        at = sent_ns(x);
        rank = x->src;
        before = found;
    }
    sort_parts(trail);
    return true;
}

/* ---- messages of two nodes ----------------------------------------------------------------- */

bool nadi_trail_message(struct nadi_trails *s, const struct nadi_flow *f, uint64_t from_ns,
                        uint64_t end_ns, struct nadi_trail *trail)
{
    const struct nadi_message_entry *all = s->t->r->logged;
    uint32_t found = NADI_NONE;
    trail->parts.count = 0;
    trail->packets_ns = 0;
    while ((found = last_message(s, s->buckets - 1, f->dst, f->arrive_ns, f->arrive_ns - 1,
                                 found)) != NADI_NONE &&
           (all[found].src != f->src || sent_ns(&all[found]) < f->send_ns))
        ;
    if (found == NADI_NONE || f->arrive_ns == 0 || end_ns < from_ns)
        return false;
    add_message(s, trail, &all[found], end_ns - from_ns);
    sort_parts(trail);
    return true;
}
