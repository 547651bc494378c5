#include "collective/contention.h"

#include "base/mem.h"
#include "collective/algorithms/algorithms.h"
#include "collective/phase_time.h"
#include "collective/waits.h"

#include <math.h>

struct letter { /* a message that has come and is not received */
    uint32_t next, from, step;
    uint64_t bytes;
    double at;
};

struct line { /* a queue of a member */
    uint32_t step, count;
    uint32_t first_end;  /* of its steps, in `ends` */
    uint32_t head, tail; /* letters */
    uint32_t left;       /* of the step: messages to come */
    bool begun, queued;
    double at; /* when the last step ended; of a step that has begun, all so far */
};

struct use {
    uint64_t link;
    uint32_t from; /* member */
    double start, end;
};

struct going {
    const struct nadi_contention *m;
    struct nadi_program p;
    uint32_t members;          /* and switches */
    struct line *lines;        /* [member * queues + queue] */
    struct nadi_waits **waits; /* by member, where there are several queues */
    double *ends;              /* of a queue's steps */
    double *last;              /* by member and step: of the queue that ended it last */
    uint32_t longest;          /* steps of a queue */
    struct {
        struct letter *items;
        size_t count, capacity;
    } letters;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } todo;
    struct {
        struct use *items;
        size_t count, capacity;
    } uses;
    double end;
    bool crosses; /* a message goes through several dimensions */
};

/* ---- links ----------------------------------------------------------------------------------- */

struct path {           /* of a message, in a dimension */
    uint32_t dim, from; /* from: a member */
    double start, end;
};

static void use(struct going *g, const struct path *path, uint32_t a, uint32_t b)
{
    const uint64_t npus = g->m->topology->npu_count;
    const struct use u = {(path->dim * (npus + 1) + a) * (npus + 1) + b, path->from, path->start,
                          path->end};
    NADI_PUSH(&g->uses, u);
}

/* The links of a ring from a to b, the shorter way; of two that are as long, both. */
static void use_ring(struct going *g, const struct path *path, uint32_t a, uint32_t b)
{
    const struct nadi_topology *t = g->m->topology;
    const uint32_t n = t->dims[path->dim].npus;
    const uint32_t up = (nadi_topology_coordinate(t, b, path->dim) + n -
                         nadi_topology_coordinate(t, a, path->dim)) %
                        n;
    for (uint32_t at = a, i = 0; i < up && 2 * up <= n; i++) {
        const uint32_t next = nadi_topology_move(t, at, path->dim, 1);
        use(g, path, at, next);
        at = next;
    }
    for (uint32_t at = a, i = 0; i < n - up && 2 * up >= n && n > 2; i++) {
        const uint32_t next = nadi_topology_move(t, at, path->dim, n - 1);
        use(g, path, at, next);
        at = next;
    }
}

/* The dimension in which the ranks differ; NADI_NONE: in none, or in several, and messages cross.
 */
static uint32_t dim_between(struct going *g, uint32_t a, uint32_t b)
{
    const uint32_t ends[] = {a, b};
    const uint32_t dim = nadi_topology_only_difference(g->m->topology, ends, 2);
    g->crosses |= dim == NADI_NONE && a != b;
    return dim;
}

/* Latency and time of the bytes of a message between members; one of them may be a switch. Its
 * links are taken from `start` on, its first one for *leaving. */
static double send(struct going *g, uint32_t from, uint32_t to, uint64_t bytes, double start,
                   double *leaving)
{
    const struct nadi_contention *m = g->m;
    const struct nadi_topology *t = m->topology;
    const uint32_t n = m->phase->n, at_switch = t->npu_count;
    const bool both = from < n && to < n;
    const uint32_t a = from < n ? m->ranks[from] : at_switch;
    const uint32_t b = to < n ? m->ranks[to] : at_switch;
    const uint32_t dim = both ? dim_between(g, a, b) : g->p.dim;
    *leaving = 0;
    if (dim >= t->dim_count)
        return 0;
    const struct nadi_dim *of = &t->dims[dim];
    const double ns = (double)nadi_wire_bytes(m->phase->wire, bytes) / of->bytes_per_ns;
    const struct path path = {dim, from, start, start + ns};
    *leaving = ns;
    if (of->kind == NADI_DIM_SWITCH) {
        if (from < n)
            use(g, &path, a, at_switch);
        if (to < n)
            use(g, &path, at_switch, b);
    } else if (of->kind == NADI_DIM_RING)
        use_ring(g, &path, a, b);
    else
        use(g, &path, a, b);
    const uint32_t hops = both ? nadi_dim_hops(of, nadi_topology_coordinate(t, a, dim),
                                               nadi_topology_coordinate(t, b, dim))
                               : 1;
    return hops * of->latency_ns + ns;
}

static int by_link(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* For how long messages want a link that another one has, of the link where that is most; what a
 * chunk takes of a link, the chunks beside it want too. */
static double most_shared(struct going *g, bool *joined)
{
    const double others = g->m->at_once - 1;
    double most = 0, shared = 0, taken = 0, end = 0;
    if (g->uses.count)
        qsort(g->uses.items, g->uses.count, sizeof(*g->uses.items), by_link);
    for (size_t i = 0; i < g->uses.count; i++) {
        const struct use *u = &g->uses.items[i];
        if (i == 0 || u->link != u[-1].link)
            shared = taken = end = 0;
        else
            *joined |= u->from != u[-1].from;
        shared += fmax(fmin(end, u->end) - u->start, 0);
        taken += u->end - u->start;
        end = fmax(end, u->end);
        most = fmax(most, shared + others * taken);
    }
    return most;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct line *line_of(struct going *g, uint32_t member, uint32_t queue)
{
    return &g->lines[(size_t)member * g->p.queues + queue];
}

static void look_at(struct going *g, uint32_t member, uint32_t queue)
{
    struct line *l = line_of(g, member, queue);
    if (l->queued || l->step == l->count)
        return;
    l->queued = true;
    NADI_PUSH(&g->todo, (uint32_t)(l - g->lines));
}

static void deliver(struct going *g, uint32_t to, uint32_t queue, const struct letter *letter)
{
    struct line *l = line_of(g, to, queue);
    const uint32_t index = (uint32_t)g->letters.count;
    NADI_PUSH(&g->letters, *letter);
    if (l->head == NADI_NONE)
        l->head = index;
    else
        g->letters.items[l->tail].next = index;
    l->tail = index;
    look_at(g, to, queue);
}

/* The next letter that the step receives; false: it has not come. */
static bool take(struct going *g, struct line *l, const struct nadi_step *s, struct letter *letter)
{
    uint32_t before = NADI_NONE, i = l->head;
    while (i != NADI_NONE && (s->from == NADI_FAN ? g->letters.items[i].step != l->step
                                                  : g->letters.items[i].from != s->from)) {
        before = i;
        i = g->letters.items[i].next;
    }
    if (i == NADI_NONE)
        return false;
    const uint32_t next = g->letters.items[i].next;
    *(before == NADI_NONE ? &l->head : &g->letters.items[before].next) = next;
    if (l->tail == i)
        l->tail = before;
    *letter = g->letters.items[i];
    return true;
}

/* When what the step waits for has ended. */
static double waited(struct going *g, uint32_t member, const struct nadi_step *s)
{
    double at = 0;
    if (s->wait_queue == NADI_ALL_QUEUES) {
        for (uint32_t k = 0; k < s->wait_steps && k < g->longest; k++)
            at = fmax(at, g->last[(size_t)member * g->longest + k]);
        return at;
    }
    if ((uint32_t)s->wait_queue >= g->p.queues)
        return 0;
    const struct line *l = line_of(g, member, (uint32_t)s->wait_queue);
    const uint32_t steps = s->wait_steps < l->step ? s->wait_steps : l->step;
    return steps ? g->ends[l->first_end + steps - 1] : 0;
}

static double reduce_ns(const struct going *g, uint64_t bytes)
{
    return (double)nadi_reduce_ns(g->m->local_mem_bw, bytes);
}

static void begin(struct going *g, uint32_t member, uint32_t queue, const struct nadi_step *s)
{
    struct line *l = line_of(g, member, queue);
    const uint32_t to_queue = s->to_queue;
    const double ns = (double)nadi_ns_add(g->m->endpoint_ns, g->m->phase->overhead_ns);
    const double start = s->wait_steps ? fmax(l->at, waited(g, member, s)) : l->at;
    const uint32_t fan = s->to == NADI_FAN ? s->fan.count : s->to != NADI_NONE;
    l->begun = true;
    l->at = start;
    l->left = s->from == NADI_FAN ? s->fan.count : s->from != NADI_NONE;
    if (s->local)
        l->at += reduce_ns(g, nadi_program_sent_bytes(&g->p, member, queue, l->step));
    for (uint32_t i = 0; i < fan; i++) {
        const uint32_t to = s->to == NADI_FAN ? nadi_member_at(&s->fan, i) : s->to;
        if (to == s->but)
            continue;
        const uint64_t bytes = nadi_program_sent_bytes_to(&g->p, member, queue, l->step, s, to);
        double leaving;
        const double at = start + ns + send(g, member, to, bytes, start + ns, &leaving);
        const struct letter letter = {NADI_NONE, member, l->step, bytes, at};
        l->at = fmax(l->at, s->ahead ? start + ns + leaving : at);
        deliver(g, to, to_queue, &letter);
    }
}

static void wake(struct going *g, uint32_t member, uint32_t queue)
{
    struct nadi_waits *w = g->waits[member];
    if (!w)
        return;
    nadi_waits_ended(w, queue);
    for (uint32_t q; (q = nadi_waits_next(w)) != NADI_NONE;)
        look_at(g, member, q);
}

/* Steps of a queue, as far as they go. */
static void go_on(struct going *g, uint32_t member, uint32_t queue)
{
    struct line *l = line_of(g, member, queue);
    while (l->step < l->count) {
        const struct nadi_step s = nadi_program_step(&g->p, member, queue, l->step);
        struct letter letter;
        if (!l->begun && s.wait_steps && g->waits[member] &&
            nadi_waits_must(g->waits[member], queue, s.wait_queue, s.wait_steps))
            return;
        if (!l->begun)
            begin(g, member, queue, &s);
        while (l->left > 0 && take(g, l, &s, &letter)) {
            l->left--;
            l->at = fmax(l->at, letter.at + (s.reduces ? reduce_ns(g, letter.bytes) : 0));
        }
        if (l->left > 0)
            return;
        double *last = &g->last[(size_t)member * g->longest + l->step];
        *last = fmax(*last, l->at);
        g->ends[l->first_end + l->step] = l->at;
        g->end = fmax(g->end, l->at);
        l->step++;
        l->begun = false;
        wake(g, member, queue);
    }
}

/* False: there are more than may be looked at. */
static bool count_steps(struct going *g)
{
    uint64_t steps = 0;
    for (uint32_t member = 0; member < g->members; member++)
        for (uint32_t q = 0; q < g->p.queues; q++) {
            const uint32_t count = g->p.ops->steps(&g->p, member, q);
            *line_of(g, member, q) = (struct line){
                .count = count,
                .first_end = (uint32_t)steps,
                .head = NADI_NONE,
                .tail = NADI_NONE,
            };
            g->longest = count > g->longest ? count : g->longest;
            steps += count;
            if (steps > *g->m->steps)
                return false;
        }
    *g->m->steps -= steps;
    g->ends = NADI_NEW(double, steps);
    return (uint64_t)g->members * g->longest <= NADI_CONTENTION_STEPS;
}

static void go(struct going *g)
{
    g->last = NADI_ZNEW(double, (size_t)g->members * g->longest);
    for (uint32_t member = 0; member < g->members; member++) {
        g->waits[member] = g->p.queues > 1 ? nadi_waits_create(g->p.queues) : NULL;
        for (uint32_t q = 0; q < g->p.queues; q++) {
            if (g->waits[member])
                nadi_waits_set(g->waits[member], q, 0, line_of(g, member, q)->count);
            look_at(g, member, q);
        }
    }
    for (size_t i = 0; i < g->todo.count; i++) {
        const uint32_t line = g->todo.items[i];
        g->lines[line].queued = false;
        go_on(g, line / g->p.queues, line % g->p.queues);
    }
}

static void release(struct going *g)
{
    for (uint32_t member = 0; g->waits && member < g->members; member++)
        nadi_waits_destroy(g->waits[member]);
    nadi_mem_free(g->waits);
    nadi_mem_free(g->lines);
    nadi_mem_free(g->ends);
    nadi_mem_free(g->last);
    nadi_mem_free(g->letters.items);
    nadi_mem_free(g->todo.items);
    nadi_mem_free(g->uses.items);
}

/* Are there members that are done before the others? */
static bool is_uneven(struct going *g)
{
    double first = HUGE_VAL, last = 0;
    for (uint32_t member = 0; member < g->m->phase->n; member++) {
        double end = 0;
        for (uint32_t q = 0; q < g->p.queues; q++)
            end = fmax(end, line_of(g, member, q)->at);
        first = fmin(first, end);
        last = fmax(last, end);
    }
    return last - first > NADI_CONTENTION_EVEN * last;
}

/* One queue, and in each step all members send as much, each to another one, as far on: over links
 * of their own but in rings. */
static bool is_in_step(const struct going *g)
{
    static const struct nadi_program_ops *const all[] = {
        &nadi_algorithm_ring, &nadi_algorithm_pairwise, &nadi_algorithm_bruck};
    bool in_step = false;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        in_step |= g->p.ops == all[i];
    for (uint32_t d = 0; d < g->m->topology->dim_count; d++)
        in_step &= g->m->topology->dims[d].kind != NADI_DIM_RING;
    return in_step && g->p.queues == 1;
}

/* Of such programs one member tells. */
static struct nadi_contended find_in_step(struct going *g)
{
    struct nadi_contended met = {0};
    double taken = 0, all = 0;
    uint32_t first = NADI_NONE;
    const uint32_t steps = g->p.ops->steps(&g->p, 0, 0);
    for (uint32_t k = 0; k < steps; k++) {
        const struct nadi_step s = nadi_program_step(&g->p, 0, 0, k);
        if (s.to >= g->m->phase->n)
            continue;
        double leaving;
        g->uses.count = 0;
        all += send(g, 0, s.to, nadi_program_sent_bytes(&g->p, 0, 0, k), 0, &leaving) +
               (double)g->m->endpoint_ns;
        taken += g->uses.count ? g->uses.items[0].end : 0;
        first = first == NADI_NONE ? s.to : first;
        met.joined |= s.to != first && g->uses.count > 1; /* over a switch */
    }
    met.share = g->crosses ? HUGE_VAL : all > 0 ? (g->m->at_once - 1) * taken / all : 0;
    return met;
}

/* What is in `going` stays to be released. */
static struct nadi_contended go_through(struct going *g)
{
    const struct nadi_contended unknown = {HUGE_VAL, true, true};
    struct nadi_contended met = {0};
    const uint64_t lines = (uint64_t)g->members * g->p.queues;
    if (lines > *g->m->steps)
        return unknown;
    *g->m->steps -= lines;
    g->lines = NADI_ZNEW(struct line, lines);
    g->waits = NADI_ZNEW(struct nadi_waits *, g->members);
    if (!count_steps(g))
        return unknown;
    go(g);
    const double shared = most_shared(g, &met.joined);
    if (g->crosses)
        return unknown;
    met.share = g->end > 0 ? shared / g->end : 0;
    met.uneven = is_uneven(g);
    return met;
}

static struct nadi_contended find_in_program(const struct nadi_contention *m)
{
    struct nadi_arena arena;
    struct going g = {.m = m};
    struct nadi_contended met = {0};
    nadi_arena_init(&arena);
    const struct nadi_program_place place = {
        .topology = m->topology, .ranks = m->ranks, .arena = &arena};
    if (!nadi_program_of_phase(m->phase, &place, &g.p)) {
        g.members = m->phase->n + g.p.switches;
        met = is_in_step(&g) ? find_in_step(&g) : go_through(&g);
        /* a member of the reference's tree goes on as soon as it has sent */
        met.uneven |= m->phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE;
    }
    release(&g);
    nadi_arena_release(&arena);
    return met;
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Of messages as the phase's first, when so many want a link at once. */
static double share_of(const struct nadi_contention *m, const struct nadi_dim *dim, double at_once)
{
    const double ns = (double)nadi_phase_bytes(m->phase, 0) / dim->bytes_per_ns;
    const double all = nadi_dim_hops(dim, 0, 1) * dim->latency_ns + (double)m->endpoint_ns + ns;
    return all > 0 ? (at_once - 1) * ns / all : 0;
}

struct nadi_contended nadi_contention_find(const struct nadi_contention *m)
{
    const struct nadi_phase *p = m->phase;
    const uint32_t d = nadi_topology_only_difference(m->topology, m->ranks, p->n);
    const struct nadi_dim *dim = d == NADI_NONE ? NULL : &m->topology->dims[d];
    const bool ring = p->algorithm == NADI_ALGORITHM_RING;
    const bool one_each = ring || p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING;
    const bool direct = p->algorithm == NADI_ALGORITHM_DIRECT;
    struct nadi_contended met = {0};
    if (!one_each && !direct)
        return find_in_program(m);
    /* a late member of `direct` goes on before what it sends has come */
    met.joined = direct || (!ring && p->n > 2 && (!dim || dim->kind != NADI_DIM_FULLY_CONNECTED));
    if (!dim) /* rings: neighbours differ in one dimension, or it is said that messages cross */
        met.share = ring && m->at_once == 1 ? 0 : HUGE_VAL;
    else if (dim->kind == NADI_DIM_RING && !ring && p->n > 2)
        met.share = HUGE_VAL; /* over the links of others */
    else
        met.share =
            share_of(m, dim,
                     direct && dim->kind != NADI_DIM_FULLY_CONNECTED ? (double)m->at_once * p->first
                                                                     : m->at_once);
    return met;
}
