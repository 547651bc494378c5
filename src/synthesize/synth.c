#include "synthesize/synth.h"

#include "base/mem.h"

/* Work is counted, not timed, so that the same request does the same on any machine. */
enum { WORK = 100000000, FEW = 3, MAX_TRIALS = 400 };

struct trial {
    struct nadi_synth_policy policy;
    nadi_time end;
};

struct search {
    const struct nadi_synth_net *net; /* to match on: reversed for a reduce-scatter */
    const struct nadi_synth_request *request;
    bool exchange;
    double bytes; /* of a part */
    struct nadi_synth_plan best;
    struct nadi_synth_policy policy;
    nadi_time best_end;
    uint32_t tries;
    uint64_t work;    /* so far */
    uint64_t allowed; /* in all: at least some tries like the first one */
    uint64_t most;    /* of one try */
    uint64_t share;   /* up to which tries begin now */
    struct trial *trials;
    size_t count;
};

static bool fits(const struct search *s, const struct nadi_synth_policy *p)
{
    switch (s->request->style) {
    case NADI_SYNTH_ONE_BY_ONE:
        return p->split == 1 && p->nearness != NADI_SYNTH_RING;
    case NADI_SYNTH_ROUND:
        return p->nearness == NADI_SYNTH_RING;
    case NADI_SYNTH_SHARED:
        return p->split > 1 && p->split < s->net->n - 1 && p->nearness != NADI_SYNTH_RING;
    case NADI_SYNTH_AT_ONCE:
        return p->split > 1 && p->split == s->net->n - 1 && p->batch == 1 &&
               p->nearness == NADI_SYNTH_FLAT && p->ordered;
    case NADI_SYNTH_ANY:
    case NADI_SYNTH_STYLES:
        break;
    }
    return true;
}

static bool may_go_on(const struct search *s)
{
    if (s->tries == 0)
        return true;
    return s->request->tries ? s->tries < s->request->tries : s->work < s->share;
}

static void attempt(struct search *s, struct nadi_synth_policy policy)
{
    struct nadi_synth_plan plan;
    if (s->request->chunks)
        policy.per = s->request->chunks;
    policy.at_once = s->request->style == NADI_SYNTH_AT_ONCE;
    policy.seed ^= s->request->seed;
    if (s->count == MAX_TRIALS || !may_go_on(s) || !fits(s, &policy))
        return;
    struct nadi_synth_limit limit = {NADI_TIME_MAX, UINT64_MAX};
    if (s->tries++ > 0) {
        limit.end = s->best_end * 2;
        limit.work = s->request->tries ? UINT64_MAX : s->most;
    }
    const bool ok = (s->exchange ? nadi_synth_exchange : nadi_synth_gather)(s->net, &policy,
                                                                            s->bytes, limit, &plan);
    s->work += plan.work;
    if (s->tries == 1) {
        uint64_t work = s->request->kind == NADI_ALL_REDUCE ? WORK / 2 : WORK;
        work /= s->request->style == NADI_SYNTH_ANY ? 1 : 2;
        s->allowed = nadi_max_u64(
            work, (s->exchange && s->net->n > 256 ? UINT64_C(3) : UINT64_C(10)) * plan.work);
        s->most = nadi_max_u64(work / 16, 2 * plan.work);
        s->share = s->allowed / 2;
    }
    s->trials[s->count++] = (struct trial){policy, ok ? plan.end : NADI_TIME_MAX};
    if (ok && plan.end < s->best_end) {
        nadi_synth_plan_release(&s->best);
        s->best = plan;
        s->best_end = plan.end;
        s->policy = policy;
    } else {
        nadi_synth_plan_release(&plan);
    }
}

static bool has_ring(const struct nadi_synth_net *net)
{
    for (uint32_t v = 0; v < net->n; v++) {
        const uint32_t first = net->first_in[v];
        if (first == net->first_in[v + 1] ||
            net->pairs[net->in[first]].from != (v + net->n - 1) % net->n)
            return false;
    }
    return true;
}

/* Policies of a way to share and to bundle. */
static void survey_one(struct search *s, uint32_t split, uint32_t batch)
{
    for (int near = NADI_SYNTH_FLAT; near <= NADI_SYNTH_EAGER; near++) {
        const bool leveled = near == NADI_SYNTH_PATIENT || near == NADI_SYNTH_EAGER;
        if ((leveled && !s->net->levels && !s->exchange) ||
            (near == NADI_SYNTH_RING && (s->exchange || !has_ring(s->net))))
            continue;
        for (uint32_t ordered = 2; ordered-- > 0;)
            if (near != NADI_SYNTH_RING || ordered)
                attempt(s, (struct nadi_synth_policy){.per = 1,
                                                      .split = split,
                                                      .batch = batch,
                                                      .ordered = ordered,
                                                      .nearness = (enum nadi_synth_nearness)near});
    }
}

/* Every policy once, with an NPU's part whole. */
static void survey(struct search *s)
{
    static const struct {
        uint32_t split, batch;
    } trials[] = {{1, 1}, {0, 1}, {1, 0}, {2, 1}, {1, 2}, {4, 1}, {2, 2},
                  {1, 4}, {2, 0}, {2, 4}, {4, 2}, {4, 4}, {4, 0}};
    const uint32_t widest = s->net->n > 2 ? s->net->n - 1 : 1;
    for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
        if (trials[i].split < 2 || trials[i].split < widest)
            survey_one(s, trials[i].split ? trials[i].split : widest, trials[i].batch);
}

static int sooner(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* The best few so far, in smaller chunks and with other numbers drawn. */
static void refine(struct search *s)
{
    struct trial few[2 * FEW];
    size_t count = 0;
    struct trial *sorted = NADI_NEW(struct trial, s->count);
    memcpy(sorted, s->trials, s->count * sizeof(*sorted));
    qsort(sorted, s->count, sizeof(*sorted), sooner);
    for (size_t i = 0; i < s->count && count < 2 * FEW; i++)
        few[count++] = sorted[i];
    nadi_mem_free(sorted);
    for (uint32_t per = 2; per <= 8 && !s->request->chunks && !s->exchange; per *= 2)
        for (size_t i = 0; i < count; i++)
            for (uint32_t wide = 1; wide <= 2; wide++) {
                struct nadi_synth_policy p = few[i].policy;
                p.seed = 0;
                p.per = per;
                p.batch *= wide;
                if (wide == 1 || p.batch > 0)
                    attempt(s, p);
            }
}

static void redraw(struct search *s)
{
    const size_t known = s->count;
    qsort(s->trials, known, sizeof(*s->trials), sooner);
    for (uint64_t seed = 1; seed < 32; seed++)
        for (size_t i = 0, done = 0; i < known && done < FEW; i++)
            if (!s->trials[i].policy.ordered) {
                struct nadi_synth_policy p = s->trials[i].policy;
                p.seed = seed;
                attempt(s, p);
                done++;
            }
}

/* False where no policy fits. */
static bool find(struct search *s)
{
    s->best_end = NADI_TIME_MAX;
    s->trials = NADI_NEW(struct trial, MAX_TRIALS);
    survey(s);
    s->share = s->allowed / 4 * 3;
    refine(s);
    s->share = s->allowed;
    redraw(s);
    nadi_mem_free(s->trials);
    return s->best_end < NADI_TIME_MAX;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct nadi_synth_send *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->first > y->first ? -1 : x->first < y->first;
}

/* Backwards: what went out last comes in first. `pair_of` names the pairs of the network itself. */
static void turn_round(struct nadi_synth_plan *plan, const uint32_t *pair_of)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->sends.count; i++) {
        struct nadi_synth_send send = plan->sends.items[i];
        if (send.count == 0)
            continue;
        send.start = plan->end - plan->sends.items[i].end;
        send.end = plan->end - plan->sends.items[i].start;
        send.pair = pair_of[send.pair];
        plan->sends.items[count++] = send;
    }
    plan->sends.count = count;
    if (count > 0)
        qsort(plan->sends.items, count, sizeof(*plan->sends.items), by_start);
}

static void append(struct nadi_synth_plan *plan, const struct nadi_synth_plan *more)
{
    const uint32_t chunks = (uint32_t)plan->chunks.count;
    for (size_t i = 0; i < more->chunks.count; i++)
        NADI_PUSH(&plan->chunks, more->chunks.items[i]);
    for (size_t i = 0; i < more->sends.count; i++) {
        struct nadi_synth_send send = more->sends.items[i];
        if (send.count == 0)
            continue;
        send.start += plan->end;
        send.end += plan->end;
        send.first += chunks;
        NADI_PUSH(&plan->sends, send);
    }
    plan->end += more->end;
}

static bool reduce_scatter(struct nadi_synth *s, const struct nadi_synth_net *net,
                           const struct nadi_synth_request *request, double bytes)
{
    struct nadi_synth_net reverse;
    uint32_t *which;
    nadi_synth_net_reverse(&reverse, net, &which);
    struct search search = {.net = &reverse, .request = request, .bytes = bytes};
    const bool found = find(&search);
    uint32_t *pair_of = NADI_NEW(uint32_t, net->pair_count);
    for (uint32_t i = 0; i < net->pair_count; i++)
        pair_of[which[i]] = i;
    turn_round(&search.best, pair_of);
    s->plan = search.best;
    s->reducing = search.best.sends.count;
    s->policy = search.policy;
    s->tries = search.tries;
    nadi_mem_free(pair_of);
    nadi_mem_free(which);
    nadi_synth_net_release(&reverse);
    return found;
}

bool nadi_synth_run(struct nadi_synth *s, const struct nadi_synth_net *net,
                    const struct nadi_synth_request *request)
{
    struct nadi_synth_request asked = *request;
    const double part = request->bytes / net->n;
    *s = (struct nadi_synth){.kind = request->kind, .n = net->n};
    if (net->n == 1) {
        s->policy = (struct nadi_synth_policy){.per = request->chunks ? request->chunks : 1};
        return request->style <= NADI_SYNTH_ONE_BY_ONE;
    }
    if (request->kind == NADI_REDUCE_SCATTER || request->kind == NADI_ALL_REDUCE) {
        const bool found = reduce_scatter(s, net, request, part);
        asked.chunks = s->policy.per; /* the same blocks on the way out */
        if (request->kind == NADI_REDUCE_SCATTER || !found)
            return found;
    }
    struct search search = {
        .net = net, .request = &asked, .bytes = part, .exchange = request->kind == NADI_ALL_TO_ALL};
    const bool found = find(&search);
    append(&s->plan, &search.best);
    nadi_synth_plan_release(&search.best);
    s->policy = search.policy;
    s->tries += search.tries;
    return found;
}

void nadi_synth_release(struct nadi_synth *s)
{
    nadi_synth_plan_release(&s->plan);
}
