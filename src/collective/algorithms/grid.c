/* grid: members as a grid of up to four dimensions, innermost first.
 *
 * torus (bucket): reduce-scatter goes along one dimension after the other, each time on the part
 * that is left, all-gather back in the opposite order. To keep all links busy the data are cut into
 * 2D parts, a queue each: D orders of the dimensions (starting at each of them), both directions.
 * (Barnett et al., 1993; Jain and Sabharwal, ICS 2010.)
 * hierarchical: one queue, ring in the innermost dimension (in the node), recursive halving and
 * doubling where the others are powers of two, ring where not (across nodes). */
#include "collective/algorithms/algorithms.h"

enum { HIERARCHICAL = 1 };

static uint32_t nearest_square(uint32_t n)
{
    uint32_t best = 1;
    for (uint32_t d = 1; (uint64_t)d * d <= n; d++)
        if (n % d == 0)
            best = d;
    return n / best;
}

static const char *prepare(struct nadi_program *p)
{
    struct nadi_program_request *q = &p->request;
    if (q->dim_count == 0) {
        q->dim_count = 2;
        q->dims[0] = nearest_square(q->n);
        q->dims[1] = q->n / q->dims[0];
    }
    uint64_t product = 1;
    for (uint32_t d = 0; d < q->dim_count; d++)
        product *= q->dims[d];
    if (product != q->n)
        return "the grid's dimensions do not multiply to the number of members";
    p->queues = p->a == HIERARCHICAL ? 1 : 2 * q->dim_count;
    if (q->n > UINT32_MAX / p->queues)
        return "too many blocks";
    p->blocks = q->n * p->queues;
    return NULL;
}

static const char *prepare_torus(struct nadi_program *p)
{
    p->a = 0;
    return prepare(p);
}

static const char *prepare_hierarchical(struct nadi_program *p)
{
    p->a = HIERARCHICAL;
    return prepare(p);
}

static bool halving_in(const struct nadi_program *p, uint32_t d)
{
    uint32_t n = p->request.dims[d];
    return p->a == HIERARCHICAL && d > 0 && (n & (n - 1)) == 0;
}

static uint32_t steps_in(const struct nadi_program *p, uint32_t d)
{
    uint32_t n = p->request.dims[d];
    return halving_in(p, d) ? nadi_floor_log2(n) : n - 1;
}

static uint32_t half_steps(const struct nadi_program *p)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < p->request.dim_count; d++)
        count += steps_in(p, d);
    return count;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)member;
    (void)queue;
    return half_steps(p) * (p->request.kind == NADI_ALL_REDUCE ? 2 : 1);
}

struct turn {        /* where step k stands */
    bool gathers;    /* else reduces */
    uint32_t order;  /* how many dimensions come before this one in the queue's order */
    uint32_t d;      /* the dimension, */
    uint32_t k;      /* and the step within it */
    bool backwards;  /* direction of rings */
    uint32_t stride; /* of the dimension */
    uint32_t x;      /* the member's place in it */
};

static uint32_t dim_at(const struct nadi_program *p, uint32_t queue, uint32_t order)
{
    return (queue / 2 + order) % p->request.dim_count;
}

static struct turn turn_of(const struct nadi_program *p, uint32_t member, uint32_t queue,
                           uint32_t k)
{
    const struct nadi_program_request *q = &p->request;
    uint32_t half = half_steps(p);
    struct turn t = {.backwards = queue % 2};
    t.gathers = q->kind == NADI_ALL_GATHER || k >= half;
    /* all-gather is reduce-scatter backwards in dimensions, forwards within one */
    uint32_t at = k % half;
    for (uint32_t i = 0; i < q->dim_count; i++) {
        t.order = t.gathers ? q->dim_count - 1 - i : i;
        t.d = dim_at(p, queue, t.order);
        uint32_t count = steps_in(p, t.d);
        if (at < count)
            break;
        at -= count;
    }
    t.k = at;
    t.stride = 1;
    for (uint32_t d = 0; d < t.d; d++)
        t.stride *= q->dims[d];
    t.x = member / t.stride % q->dims[t.d];
    return t;
}

/* The partner's place in the dimension, and the places whose parts go there. */
static void exchange(const struct nadi_program *p, const struct turn *t, uint32_t *to,
                     uint32_t *from, uint32_t *first, uint32_t *count)
{
    uint32_t n = p->request.dims[t->d];
    if (halving_in(p, t->d)) {
        uint32_t log = nadi_floor_log2(n), half = 1U << (t->gathers ? t->k : log - 1 - t->k);
        *to = *from = t->x ^ half;
        *first = (t->gathers ? t->x : *to) & ~(half - 1);
        *count = half;
        return;
    }
    uint32_t back = t->gathers ? t->k : t->k + 1;
    uint32_t up = nadi_mod_add(t->x, 1, n), down = nadi_mod_sub(t->x, 1, n);
    *to = t->backwards ? down : up;
    *from = t->backwards ? up : down;
    *first = t->backwards ? nadi_mod_add(t->x, back, n) : nadi_mod_sub(t->x, back, n);
    *count = 1;
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    struct turn t = turn_of(p, member, queue, k);
    uint32_t to, from, first, count;
    exchange(p, &t, &to, &from, &first, &count);
    out->to = member - t.x * t.stride + to * t.stride;
    out->from = member - t.x * t.stride + from * t.stride;
    out->reduces = !t.gathers;
}

/* Owners that agree with the member in the dimensions before this one in the queue's order, have a
 * place in [first, first + count) in this one, and any in those after it. */
static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    const struct nadi_program_request *q = &p->request;
    struct turn t = turn_of(p, member, queue, k);
    uint32_t to, from, first, count;
    exchange(p, &t, &to, &from, &first, &count);
    uint32_t low[NADI_PROGRAM_DIMS], size[NADI_PROGRAM_DIMS], total = 1;
    for (uint32_t i = 0, stride; i < q->dim_count; i++) {
        uint32_t d = dim_at(p, queue, i);
        stride = 1;
        for (uint32_t e = 0; e < d; e++)
            stride *= q->dims[e];
        low[d] = i < t.order ? member / stride % q->dims[d] : i == t.order ? first : 0;
        size[d] = i < t.order ? 1 : i == t.order ? count : q->dims[d];
        total *= size[d];
    }
    for (uint32_t i = 0; i < total; i++) {
        uint32_t owner = 0, rest = i, stride = 1;
        for (uint32_t d = 0; d < q->dim_count; d++) {
            owner += (low[d] + rest % size[d]) * stride;
            rest /= size[d];
            stride *= q->dims[d];
        }
        visit(context, owner * p->queues + queue, 1);
    }
}

/* Queues run side by side: the slowest order of dimensions counts. */
static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    const struct nadi_program_request *q = &p->request;
    double worst = 0;
    for (uint32_t queue = 0; queue < p->queues; queue += 2) {
        double time = 0, part = (double)p->bytes / p->queues;
        bool gathers = q->kind != NADI_REDUCE_SCATTER, reduces = q->kind != NADI_ALL_GATHER;
        for (uint32_t i = 0; i < q->dim_count; i++) {
            uint32_t d = dim_at(p, queue, i);
            double n = q->dims[d], moved = part * (n - 1) / n;
            double once = steps_in(p, d) * alpha + beta * moved;
            time += once * (gathers + reduces) + (reduces ? gamma * moved : 0);
            part /= n;
        }
        if (time > worst)
            worst = time;
    }
    return worst;
}

#define GRID_KINDS                                                                                 \
    (NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER)

const struct nadi_program_ops nadi_algorithm_torus = {
    .name = "torus",
    .summary = "Bucket algorithm on a grid (`dims`): along one dimension after the other, all "
               "orders and directions at once.",
    .cost = "all-reduce: twice the sum over dimensions of (d-1) a + b m (d-1)/D, m / (2 dims) a "
            "queue, D the product so far",
    .kinds = GRID_KINDS,
    .sends_ahead = true,
    .prepare = prepare_torus,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};

const struct nadi_program_ops nadi_algorithm_hierarchical = {
    .name = "hierarchical",
    .summary = "Ring in the innermost dimension (`dims`), halving and doubling in the outer ones.",
    .cost = "all-reduce: 2 (d0-1)(a + b m/d0) inside, 2 log2 d1 a + 2 b m/d0 (d1-1)/d1 across",
    .kinds = GRID_KINDS,
    .prepare = prepare_hierarchical,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
