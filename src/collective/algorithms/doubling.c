/* doubling: partners at distances that double or halve.
 *
 * recursive-doubling: all-reduce and barrier exchange everything with the partner at distance 2^k;
 * all-gather what is there so far. rabenseifner: reduce-scatter by recursive halving, all-reduce as
 * that and all-gather by recursive doubling (Thakur, Rabenseifner, Gropp, IJHPCA 2005).
 *
 * Any n: with r = n - 2^q members too many, members 1, 3, .. 2r-1 hand their data to the even one
 * below them, sit out, and get the result at the end. The 2^q others are numbered anew ("seats").
 * Seat i covers blocks start(i) .. start(i+1)-1. */
#include "collective/algorithms/algorithms.h"

static bool halves(const struct nadi_program *p)
{
    return p->request.kind == NADI_REDUCE_SCATTER || p->b;
}

static const char *prepare(struct nadi_program *p)
{
    uint32_t n = p->request.n;
    if (n > 1U << 30)
        return "more than 2^30 members";
    p->a = nadi_floor_log2(n);
    if (p->request.kind == NADI_ALL_GATHER || p->request.kind == NADI_REDUCE_SCATTER)
        p->blocks = n;
    return NULL;
}

static const char *prepare_rabenseifner(struct nadi_program *p)
{
    const char *refused = prepare(p);
    if (p->request.kind == NADI_ALL_REDUCE) {
        p->b = 1; /* halve, then double */
        p->blocks = 1U << p->a;
    }
    return refused;
}

static uint32_t extra(const struct nadi_program *p)
{
    return p->request.n - (1U << p->a);
}

static bool sits_out(const struct nadi_program *p, uint32_t member)
{
    return member < 2 * extra(p) && member % 2;
}

static uint32_t seat_of(const struct nadi_program *p, uint32_t member)
{
    return member < 2 * extra(p) ? member / 2 : member - extra(p);
}

static uint32_t member_of(const struct nadi_program *p, uint32_t seat)
{
    return seat < extra(p) ? 2 * seat : seat + extra(p);
}

static uint32_t start_of(const struct nadi_program *p, uint32_t seat)
{
    return p->blocks == p->request.n ? member_of(p, seat) : seat;
}

static uint32_t core_steps(const struct nadi_program *p)
{
    return p->b ? 2 * p->a : p->a;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    (void)queue;
    if (sits_out(p, member))
        return 2;
    return core_steps(p) + (member < 2 * extra(p) ? 2 : 0);
}

/* Where step k stands: before the exchanges, after them, or exchange *core. */
enum place { BEFORE, EXCHANGE, AFTER };

static enum place place_of(const struct nadi_program *p, uint32_t member, uint32_t k,
                           uint32_t *core)
{
    *core = k;
    if (member >= 2 * extra(p))
        return EXCHANGE;
    if (k == 0)
        return BEFORE;
    *core = k - 1;
    return sits_out(p, member) || k > core_steps(p) ? AFTER : EXCHANGE;
}

/* Exchange k: the size of the set of seats that still (or then) share, and whether it halves. */
static uint32_t span_of(const struct nadi_program *p, uint32_t k, bool *halving)
{
    *halving = halves(p) && k < p->a;
    if (*halving)
        return 1U << (p->a - k);
    return 2U << (p->b ? k - p->a : k);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    (void)queue;
    uint32_t core;
    enum place place = place_of(p, member, k, &core);
    bool adds = nadi_program_adds(p->request.kind), halving;
    if (place == EXCHANGE) {
        uint32_t span = span_of(p, core, &halving);
        out->to = out->from = member_of(p, seat_of(p, member) ^ (span / 2));
        out->reduces = adds && (halving || !p->b);
        return;
    }
    bool gives = sits_out(p, member) == (place == BEFORE);
    if (gives)
        out->to = place == BEFORE ? member - 1 : member + 1;
    else
        out->from = place == BEFORE ? member + 1 : member - 1;
    out->reduces = place == BEFORE && !gives && adds;
}

static void visit_seats(const struct nadi_program *p, uint32_t seat, uint32_t count,
                        nadi_blocks_visit *visit, void *context)
{
    uint32_t first = start_of(p, seat), end = start_of(p, seat + count);
    visit(context, first, end - first);
}

static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    (void)queue;
    uint32_t core;
    enum place place = place_of(p, member, k, &core);
    if (place == EXCHANGE) {
        if (p->blocks == 1) {
            visit(context, 0, 1);
            return;
        }
        bool halving;
        uint32_t half = span_of(p, core, &halving) / 2, seat = seat_of(p, member);
        visit_seats(p, (halving ? seat ^ half : seat) & ~(half - 1), half, visit, context);
        return;
    }
    if (sits_out(p, member) != (place == BEFORE))
        return; /* receives */
    if (p->request.kind == NADI_ALL_GATHER && place == BEFORE)
        visit(context, member, 1);
    else if (p->request.kind == NADI_REDUCE_SCATTER && place == AFTER)
        visit(context, member + 1, 1);
    else
        visit(context, 0, p->blocks);
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    double m = (double)p->bytes, n = p->request.n, log = p->a, time;
    enum nadi_collective_kind kind = p->request.kind;
    if (extra(p) && (kind == NADI_ALL_GATHER || kind == NADI_REDUCE_SCATTER || gamma > 0))
        return -1; /* some reduce while others still receive */
    double seats = (double)(1U << p->a), share = (seats - 1) / seats;
    if (kind == NADI_ALL_GATHER)
        return log * alpha + beta * m * (n - 1) / n;
    if (kind == NADI_REDUCE_SCATTER)
        return log * alpha + (beta + gamma) * m * (n - 1) / n;
    if (p->b)
        time = 2 * log * alpha + (2 * beta + gamma) * m * share;
    else
        time = log * (alpha + (beta + gamma) * m);
    return extra(p) ? time + 2 * alpha + 2 * beta * m : time;
}

const struct nadi_program_ops nadi_algorithm_recursive_doubling = {
    .name = "recursiveDoubling",
    .summary = "Exchanges of everything at doubling distances; few steps, many bytes.",
    .cost = "all-reduce log2 n (a + (b + c) m); all-gather log2 n a + (n-1) b m; barrier log2 n a; "
            "n not a power of two: + 2a + 2b m and about c m",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KIND(NADI_BARRIER),
    .prepare = prepare,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};

const struct nadi_program_ops nadi_algorithm_rabenseifner = {
    .name = "rabenseifner",
    .summary = "Recursive halving, then recursive doubling: few steps and few bytes.",
    .cost = "all-reduce 2 log2 n a + (2b + c) m (n-1)/n; reduce-scatter and all-gather half of it; "
            "n not a power of two: all-reduce + 2a + 2b m and about c m",
    .kinds = NADI_KIND(NADI_ALL_REDUCE) | NADI_KIND(NADI_ALL_GATHER) | NADI_KINDS_REDUCE_SCATTER,
    .prepare = prepare_rabenseifner,
    .steps = steps,
    .step = step,
    .sent = sent,
    .seconds = seconds,
};
