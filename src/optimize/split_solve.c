/* split_solve: the epigraph form of split.h for the barrier, and what its end says. */
#include "base/mem.h"
#include "optimize/barrier.h"

#include <math.h>

struct epigraph {
    const struct nadi_split *s;
    struct nadi_linear l; /* on scaled b */
    const double *cost;   /* of the objective; NULL: time */
    struct nadi_linear_inside in;
    double scale[NADI_LINEAR_UNKNOWNS], time; /* the sizes that b, and t and u, are divided by */
    struct nadi_barrier p;
    uint32_t room; /* of p.items */
};

static bool moves_in(const struct nadi_split *s, uint32_t dim)
{
    for (uint32_t r = 0; r < s->move_count; r++)
        if (s->moves[r].bytes[dim] > 0)
            return true;
    return false;
}

/* Each dimension's size: as much of all bandwidth as the bytes ask for, each move counting the
 * same.
 */
static void choose_scales(struct epigraph *e, const struct nadi_linear *l, double most_ns)
{
    const struct nadi_split *s = e->s;
    double all = 0;
    for (uint32_t r = 0; most_ns > 0 && r < s->move_count; r++)
        for (uint32_t d = 0; d < s->dims; d++)
            all += s->moves[r].bytes[d] * fmax(s->moves[r].times, 1) / most_ns;
    for (uint32_t r = 0; r < l->count; r++) {
        double most = 0;
        for (uint32_t d = 0; d < s->dims; d++)
            most = fmax(most, fabs(l->rows[r].a[d]));
        if (most > 0)
            all = fmax(all, fabs(l->rows[r].limit) / most);
    }
    for (uint32_t d = 0; d < s->dims; d++) {
        double share = 0;
        for (uint32_t r = 0; r < s->move_count; r++) {
            double sum = 0;
            for (uint32_t k = 0; k < s->dims; k++)
                sum += s->moves[r].bytes[k];
            share += sum > 0 ? s->moves[r].bytes[d] / sum / s->move_count : 0;
        }
        e->scale[d] = (all > 0 ? all : 1) * (share > 0 ? fmax(share, 1e-12) : 1.0 / s->dims);
    }
    e->l = *l;
    for (uint32_t r = 0; r < l->count; r++)
        for (uint32_t d = 0; d < s->dims; d++)
            e->l.rows[r].a[d] *= e->scale[d];
}

/* The longest move at the origin, ns. */
static double longest_move(const struct epigraph *e)
{
    double most = 0;
    for (uint32_t r = 0; r < e->s->move_count; r++)
        for (uint32_t d = 0; d < e->s->dims; d++)
            if (e->s->moves[r].bytes[d] > 0)
                most = fmax(most, e->s->moves[r].bytes[d] / e->scale[d] / e->in.origin[d]);
    return most;
}

static struct nadi_condition *new_condition(struct epigraph *e, enum nadi_condition_form form)
{
    NADI_ASSERT(e->p.condition_count < e->room);
    struct nadi_condition *c = &e->p.items[e->p.condition_count++];
    *c = (struct nadi_condition){.form = form};
    return c;
}

/* Conditions on b alone. */
static void add_rooms(struct epigraph *e)
{
    struct nadi_barrier *p = &e->p;
    for (uint32_t d = 0; d < e->s->dims; d++) {
        p->origin[d] = e->in.origin[d];
        memcpy(p->basis[d], e->in.basis[d], sizeof(p->basis[d]));
    }
    for (uint32_t r = 0; r < e->l.count; r++) {
        const struct nadi_linear_row *row = &e->l.rows[r];
        double most = 0;
        for (uint32_t d = 0; d < e->s->dims; d++)
            most = fmax(most, fabs(row->a[d]));
        if (e->in.fixed[r] || !(most > 0))
            continue;
        struct nadi_condition *c = new_condition(e, NADI_ROOM);
        c->constant = row->limit / most;
        for (uint32_t d = 0; d < e->s->dims; d++) {
            c->constant -= row->a[d] / most * p->origin[d];
            for (uint32_t z = 0; z < p->free; z++)
                c->slope[z] -= row->a[d] / most * p->basis[d][z];
        }
    }
    for (uint32_t d = 0; d < e->s->dims; d++) {
        if (moves_in(e->s, d) || e->in.zero[d])
            continue;
        struct nadi_condition *c = new_condition(e, NADI_ROOM);
        c->constant = p->origin[d];
        memcpy(c->slope, p->basis[d], sizeof(c->slope));
    }
}

/* Conditions on times, and where to begin: each time twice the least that it may be. */
static void add_times(struct epigraph *e)
{
    const struct nadi_split *s = e->s;
    struct nadi_barrier *p = &e->p;
    for (uint32_t r = 0; r < s->move_count; r++) {
        double least = 0;
        for (uint32_t d = 0; d < s->dims; d++) {
            if (!(s->moves[r].bytes[d] > 0))
                continue;
            struct nadi_condition *c = new_condition(e, NADI_CONE);
            c->of = d;
            c->to = p->free + r;
            c->constant = s->moves[r].bytes[d] / e->scale[d] / e->time;
            least = fmax(least, c->constant / p->origin[d]);
        }
        p->y[p->free + r] = 2 * least + 1e-3;
        p->p[p->free + r] = s->moves[r].times;
    }
    for (uint32_t k = 0; k < s->term_count; k++) {
        const struct nadi_split_term *t = &s->terms[k];
        const uint32_t u = p->free + s->move_count + k;
        double least = 0;
        for (uint32_t j = 0; j < NADI_SPLIT_CHOICES; j++) {
            struct nadi_condition *c = new_condition(e, NADI_CHOICE);
            c->of = u;
            c->to = t->move[j] == NADI_NONE ? NADI_NONE : p->free + t->move[j];
            c->constant = t->constant_ns[j] / e->time;
            least = fmax(least, c->constant + (c->to == NADI_NONE ? 0 : p->y[c->to]));
        }
        p->y[u] = least + 1;
        p->p[u] = t->times;
    }
}

static void normalise(double *q, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(q[i]));
    for (uint32_t i = 0; i < count && most > 0; i++)
        q[i] /= most;
}

/* The linear objective of y, its largest entry 1: the time, or the cost of b. */
static void aim(struct epigraph *e, bool at_cost)
{
    struct nadi_barrier *p = &e->p;
    memcpy(p->q, p->p, p->count * sizeof(*p->q));
    if (at_cost) {
        memset(p->q, 0, p->count * sizeof(*p->q));
        for (uint32_t d = 0; d < e->s->dims; d++)
            for (uint32_t z = 0; z < p->free; z++)
                p->q[z] += e->cost[d] * e->scale[d] * p->basis[d][z];
    }
    normalise(p->q, p->count);
}

/* most_ns: which T may be; 0: the budget alone tells how large b is. */
static enum nadi_split_end build(struct epigraph *e, const struct nadi_linear *l, double most_ns)
{
    const struct nadi_split *s = e->s;
    struct nadi_barrier *p = &e->p;
    choose_scales(e, l, most_ns);
    if (!nadi_linear_inside(&e->l, &e->in))
        return NADI_SPLIT_IMPOSSIBLE;
    for (uint32_t d = 0; d < s->dims; d++)
        if (e->in.zero[d] && moves_in(s, d))
            return NADI_SPLIT_STARVED;
    const double size = longest_move(e);
    e->time = size > 0 ? size : 1;
    p->dims = s->dims;
    p->free = e->in.free;
    p->count = p->free + s->move_count + s->term_count;
    p->enough = -HUGE_VAL;
    e->room = e->l.count + s->dims + s->move_count * s->dims + 2 * s->term_count + 1;
    p->items = NADI_ZNEW(struct nadi_condition, e->room);
    p->q = NADI_ZNEW(double, p->count);
    p->p = NADI_ZNEW(double, p->count);
    p->y = NADI_ZNEW(double, p->count);
    add_rooms(e);
    add_times(e);
    return NADI_SPLIT_FOUND;
}

static void release(struct epigraph *e)
{
    nadi_mem_free(e->p.items);
    nadi_mem_free(e->p.q);
    nadi_mem_free(e->p.p);
    nadi_mem_free(e->p.y);
}

/* What each dimension's next GB/s saves: the multipliers of its cones, times t. */
static void prices(const struct epigraph *e, const double *lambda, struct nadi_split_answer *a)
{
    const struct nadi_barrier *p = &e->p;
    double most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, e->cost ? 0 : fabs(p->p[i]));
    for (uint32_t i = 0; i < p->condition_count; i++)
        if (p->items[i].form == NADI_CONE)
            a->price[p->items[i].of] +=
                lambda[i] * p->y[p->items[i].to] * most * e->time / e->scale[p->items[i].of];
}

static void conclude(struct epigraph *e, struct nadi_split_answer *a)
{
    struct nadi_barrier *p = &e->p;
    double *lambda = NADI_NEW(double, p->condition_count ? p->condition_count : 1), weight = 0;
    const double tau = p->tau;
    for (uint32_t i = 0; i < p->condition_count; i++)
        weight += p->items[i].form == NADI_CONE ? 2 : 1;
    a->residual = p->condition_count ? nadi_barrier_polish(p, lambda) : 0;
    for (uint32_t d = 0; d < e->s->dims; d++) {
        const double b = nadi_barrier_b(p, p->y, d);
        a->b[d] = b > 1e-9 || moves_in(e->s, d) ? b * e->scale[d] : 0;
    }
    a->time_ns = nadi_split_time(e->s, a->b);
    double most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, p->p[i]);
    a->gap_ns = weight / tau * most * e->time;
    a->steps = p->steps;
    prices(e, lambda, a);
    nadi_mem_free(lambda);
}

#define GAP 1e-10

enum nadi_split_end nadi_split_fastest(const struct nadi_split *s, const struct nadi_linear *l,
                                       struct nadi_split_answer *a)
{
    struct epigraph e = {.s = s};
    *a = (struct nadi_split_answer){0};
    const enum nadi_split_end end = build(&e, l, 0);
    if (end == NADI_SPLIT_FOUND) {
        aim(&e, false);
        if (e.p.condition_count)
            nadi_barrier_solve(&e.p, GAP);
        conclude(&e, a);
    }
    release(&e);
    return end;
}

enum nadi_split_end nadi_split_cheapest(const struct nadi_split *s, const struct nadi_linear *l,
                                        const double *cost, double most_ns,
                                        struct nadi_split_answer *a)
{
    struct epigraph e = {.s = s, .cost = cost};
    *a = (struct nadi_split_answer){0};
    enum nadi_split_end end = build(&e, l, most_ns - s->constant_ns);
    if (end != NADI_SPLIT_FOUND) {
        release(&e);
        return end;
    }
    const double most = (most_ns - s->constant_ns) / e.time;
    double taken = 0;
    aim(&e, false);
    e.p.enough = most * (1 - 1e-6);
    if (e.p.condition_count)
        nadi_barrier_solve(&e.p, GAP);
    for (uint32_t i = 0; i < e.p.count; i++)
        taken += e.p.p[i] * e.p.y[i];
    if (taken >= most)
        end = NADI_SPLIT_TOO_SLOW;
    else {
        new_condition(&e, NADI_LIMIT)->constant = most;
        aim(&e, true);
        e.p.enough = -HUGE_VAL;
        nadi_barrier_solve(&e.p, GAP);
        conclude(&e, a);
    }
    release(&e);
    return end;
}

/* ---- time times cost ----------------------------------------------------------------------- */

struct span {         /* of costs: the fastest at its ends is known */
    double low, high; /* costs */
    double most;      /* T at low, where the least at high bounds it from below */
    double bound;     /* least product that can be within */
};

struct search {
    const struct nadi_split *s;
    struct nadi_linear l; /* the last row is the cost's */
    const double *cost;
    struct nadi_split_answer best;
    double value;
    struct span *items;
    size_t count, capacity;
};

static double cost_of(const struct search *q, const double *b)
{
    double cost = 0;
    for (uint32_t d = 0; d < q->s->dims; d++)
        cost += q->cost[d] * b[d];
    return cost;
}

/* T of the fastest at this cost or less; infinite where there is none. */
static double fastest_at(struct search *q, double cost)
{
    struct nadi_split_answer a;
    q->l.rows[q->l.count - 1].limit = cost;
    if (nadi_split_fastest(q->s, &q->l, &a) != NADI_SPLIT_FOUND || !(a.time_ns < HUGE_VAL))
        return HUGE_VAL;
    const double value = a.time_ns * cost_of(q, a.b);
    if (value < q->value) {
        q->value = value;
        q->best = a;
    }
    return a.time_ns;
}

static void push(struct search *q, double low, double high, double at_high)
{
    const struct span s = {.low = low, .high = high, .most = at_high, .bound = low * at_high};
    NADI_PUSH(q, s);
}

/* Takes the span that may hold the least, until none can hold less than what is known. */
static double descend(struct search *q)
{
    enum { MOST = 4000 };
    for (uint32_t round = 0; round < MOST; round++) {
        size_t at = 0;
        for (size_t i = 1; i < q->count; i++)
            if (q->items[i].bound < q->items[at].bound)
                at = i;
        const struct span s = q->items[at];
        if (s.bound > q->value * (1 - 1e-4))
            return fmax(0, 1 - s.bound / q->value);
        q->items[at] = q->items[--q->count];
        const double middle = sqrt(s.low * s.high), time = fastest_at(q, middle);
        if (time < HUGE_VAL)
            push(q, s.low, middle, time);
        push(q, middle, s.high, s.most);
    }
    double least = q->value;
    for (size_t i = 0; i < q->count; i++)
        least = fmin(least, q->items[i].bound);
    return 1 - least / q->value;
}

/* Golden section around the best that is known, over costs a hundredth less and more. */
static void refine(struct search *q, double low, double high)
{
    const double golden = 0.6180339887498949;
    const double at = cost_of(q, q->best.b);
    double from = fmax(low, at * 0.99), to = fmin(high, at * 1.01);
    double a = to - golden * (to - from), b = from + golden * (to - from);
    double at_a = a * fastest_at(q, a), at_b = b * fastest_at(q, b);
    for (uint32_t round = 0; round < 30; round++) {
        if (at_a < at_b) {
            to = b;
            b = a;
            at_b = at_a;
            a = to - golden * (to - from);
            at_a = a * fastest_at(q, a);
        } else {
            from = a;
            a = b;
            at_a = at_b;
            b = from + golden * (to - from);
            at_b = b * fastest_at(q, b);
        }
    }
}

enum nadi_split_end nadi_split_best_value(const struct nadi_split *s, const struct nadi_linear *l,
                                          const double *cost, struct nadi_split_answer *a,
                                          double *gap)
{
    struct search q = {.s = s, .l = *l, .cost = cost, .value = HUGE_VAL};
    double x[NADI_LINEAR_UNKNOWNS];
    *gap = 0;
    const enum nadi_split_end end = nadi_split_fastest(s, l, a);
    if (end != NADI_SPLIT_FOUND)
        return end;
    if (nadi_linear_least(l, cost, x) != NADI_LINEAR_FOUND || l->count == NADI_LINEAR_ROWS)
        return NADI_SPLIT_IMPOSSIBLE;
    struct nadi_linear_row *row = &q.l.rows[q.l.count++];
    *row = (struct nadi_linear_row){0};
    memcpy(row->a, cost, s->dims * sizeof(*cost));
    q.best = *a;
    const double low = cost_of(&q, x), high = cost_of(&q, a->b);
    q.value = a->time_ns * high;
    if (low > 0 && high > low) {
        push(&q, low, high, a->time_ns);
        *gap = descend(&q);
        refine(&q, low, high);
    }
    *a = q.best;
    nadi_mem_free(q.items);
    return NADI_SPLIT_FOUND;
}
