#include "sim/fast_forward.h"

#include "base/map.h"
#include "base/mem.h"
#include "workload/fast_forward.h"

enum {
    MOST_STATES = 4096,   /* those that are known */
    MOST_WORDS = 4 << 20, /* of 8 bytes, of all marks */
    WORDS_AN_EVENT = 2,   /* written for marks, at most, and */
    FREE_WORDS = 100000,
    LEAST_SAMPLE = 12, /* 1 of 2^this patterns, at least */
    MOST_AGAIN = 16,   /* instants after another, while something is on its way */
};

struct kept { /* a mark; NULL: none */
    struct nadi_mark *mark;
    uint64_t events; /* of the engine, with those that were fast-forwarded */
};

struct state {
    uint64_t times;          /* that it was met */
    struct kept old, latest; /* old: when it had been met 2^n times */
};

struct nadi_fast_forward {
    struct nadi_workload *workload;
    const char *why_not;     /* NULL: it fast-forwards */
    struct nadi_map64 known; /* by the hash of a state: its number */
    struct state *states;
    uint32_t state_count;
    uint64_t words;          /* of the marks that are kept */
    uint64_t seen;           /* instants */
    uint32_t sample;         /* marks are made of 1 of 2^this patterns; */
    uint64_t since, written; /* words written for marks since so many events */
    uint32_t again;          /* looks at one pattern */
    struct nadi_fast_forward_result sum;
};

/* Why the run must be simulated instant by instant; NULL: it need not. */
static const char *needs_all(const struct nadi_inputs *in, bool logged)
{
    if (in->options.executor == &nadi_executor_message)
        return "the message executor was asked for";
    if (in->options.record_usage)
        return "what links carry over time is recorded";
    return logged ? "what each message waited for is recorded" : NULL;
}

struct nadi_fast_forward *nadi_fast_forward_create(const struct nadi_inputs *in, bool logged,
                                                   struct nadi_workload *w)
{
    struct nadi_fast_forward *l = NADI_ZNEW(struct nadi_fast_forward, 1);
    l->workload = w;
    l->why_not = needs_all(in, logged);
    if (!l->why_not)
        l->why_not = nadi_workload_may_fast_forward(w);
    nadi_map64_init(&l->known, 16);
    return l;
}

static void drop(struct nadi_fast_forward *l, struct kept *k)
{
    if (k->mark)
        l->words -= nadi_mark_words(k->mark);
    nadi_mark_destroy(k->mark);
    k->mark = NULL;
}

static void drop_marks(struct nadi_fast_forward *l)
{
    for (uint32_t i = 0; i < l->state_count; i++) {
        drop(l, &l->states[i].old);
        drop(l, &l->states[i].latest);
    }
}

static void forget_all(struct nadi_fast_forward *l)
{
    drop_marks(l);
    l->state_count = 0;
    nadi_map64_release(&l->known);
    nadi_map64_init(&l->known, 16);
}

void nadi_fast_forward_destroy(struct nadi_fast_forward *l)
{
    if (!l)
        return;
    drop_marks(l);
    nadi_map64_release(&l->known);
    nadi_mem_free(l->states);
    nadi_mem_free(l);
}

struct nadi_fast_forward_result nadi_fast_forward_sum(const struct nadi_fast_forward *l)
{
    struct nadi_fast_forward_result sum = l->sum;
    sum.why_none = l->why_not;
    return sum;
}

static struct state *state_of(struct nadi_fast_forward *l, const struct nadi_mark *now)
{
    bool is_new;
    if (!l->states)
        l->states = NADI_NEW(struct state, MOST_STATES);
    if (l->state_count == MOST_STATES)
        forget_all(l);
    const uint32_t i = *nadi_map64_put(&l->known, nadi_mark_hash(now), l->state_count, &is_new);
    if (is_new)
        l->states[l->state_count++] = (struct state){0};
    return &l->states[i];
}

/* So many periods as fit before `until`. */
static uint64_t within(uint64_t repeats, nadi_time period, const struct nadi_instant *instant)
{
    return repeats ? nadi_min_u64(repeats, (uint64_t)((instant->until - instant->at) / period)) : 0;
}

struct skip { /* from a mark to now, and on */
    const struct kept *from;
    uint64_t repeats;
    nadi_time period;
};

/* Keeps the one that goes further. */
static void consider(const struct nadi_fast_forward *l, const struct kept *from,
                     const struct nadi_mark *now, const struct nadi_instant *instant,
                     struct skip *best)
{
    if (!from->mark)
        return;
    struct skip s = {.from = from, .period = nadi_mark_period(from->mark, now)};
    s.repeats = within(nadi_mark_repeats(l->workload, from->mark, now), s.period, instant);
    if ((double)s.repeats * (double)s.period > (double)best->repeats * (double)best->period)
        *best = s;
}

static void fast_forward(struct nadi_fast_forward *l, const struct skip *s,
                         const struct nadi_mark *now, const struct nadi_instant *instant)
{
    l->sum.nodes += nadi_workload_fast_forward(l->workload, s->from->mark, now, s->repeats);
    l->sum.periods += s->repeats;
    l->sum.events += s->repeats * (instant->events + l->sum.events - s->from->events);
    l->sum.times++;
}

static void keep(struct nadi_fast_forward *l, struct state *s, struct kept now)
{
    struct kept *to = (s->times & (s->times - 1)) == 0 ? &s->old : &s->latest;
    drop(l, to);
    *to = now;
    l->words += nadi_mark_words(now.mark);
    if (l->words > MOST_WORDS)
        drop_marks(l);
}

/* A state that is met for the first time is known by its hash; then marks of it are kept and
 * compared. Takes the mark. */
static void meet(struct nadi_fast_forward *l, struct nadi_mark *now,
                 const struct nadi_instant *instant)
{
    struct state *s = state_of(l, now);
    struct skip best = {0};
    if (++s->times == 1) {
        l->written += nadi_mark_words(now);
        nadi_mark_destroy(now);
        return;
    }
    consider(l, &s->old, now, instant, &best);
    consider(l, &s->latest, now, instant, &best);
    nadi_workload_mark_counts(l->workload, now);
    l->written += nadi_mark_words(now);
    const struct kept kept = {now, instant->events + l->sum.events};
    if (best.repeats)
        fast_forward(l, &best, now, instant);
    keep(l, s, kept);
}

/* Instants of the same patterns are looked at each time, of others from time to time. */
static bool is_sampled(struct nadi_fast_forward *l)
{
    const uint64_t pattern = nadi_workload_pattern(l->workload);
    const uint64_t sort = 64 - (uint64_t)__builtin_clzll(++l->seen);
    return (nadi_hash_u64(pattern + sort) & ((UINT64_C(1) << l->sample) - 1)) == 0;
}

/* Where marks take too long, fewer are made. */
static void spare(struct nadi_fast_forward *l, uint64_t events)
{
    const uint64_t most = FREE_WORDS + WORDS_AN_EVENT * (events - l->since);
    if (l->written <= most)
        return;
    l->sample += l->sample < LEAST_SAMPLE;
    l->written = 0;
    l->since = events;
}

void nadi_fast_forward_look(struct nadi_fast_forward *l, const struct nadi_instant *instant)
{
    if (l->again == 0 && !is_sampled(l))
        return;
    struct nadi_mark *now = nadi_workload_mark(l->workload);
    if (!now)
        l->written += 2 * (uint64_t)nadi_workload_actor_count(l->workload); /* looked at in vain */
    if (!now && l->again++ < MOST_AGAIN) {
        nadi_workload_look_again(l->workload);
        return;
    }
    l->again = 0;
    if (now)
        meet(l, now, instant);
    spare(l, instant->events);
}
