#include "sim/fast_forward.h"

#include "base/mem.h"
#include "workload/fast_forward.h"

enum {
    MOST_MARKS = 24,
    MOST_TRIES = MOST_MARKS, /* marks that one instant is compared with */
    FIRST_GAP = 2,           /* instants between marks */
    PATIENCE = 8,            /* looks in vain before instants are passed by; */
    MOST_PASSED = 12,        /* at most 2^this at a time */
    MOST_AGAIN = 16,         /* instants after another, while something is on its way */
};

struct kept { /* a mark */
    struct nadi_mark *mark;
    uint64_t pattern, seen;
    uint64_t events; /* of the engine, with those that were fast-forwarded */
};

struct nadi_fast_forward {
    struct nadi_workload *workload;
    const char *why_not; /* NULL: it fast-forwards */
    struct kept kept[MOST_MARKS];
    uint32_t count;
    uint64_t seen, next, gap; /* instants so far; the next to be marked */
    uint32_t vain;
    uint64_t pass;  /* so many instants */
    uint32_t again; /* looks at one pattern */
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
    l->gap = FIRST_GAP;
    l->why_not = needs_all(in, logged);
    if (!l->why_not)
        l->why_not = nadi_workload_may_fast_forward(w);
    return l;
}

void nadi_fast_forward_destroy(struct nadi_fast_forward *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        nadi_mark_destroy(l->kept[i].mark);
    nadi_mem_free(l);
}

struct nadi_fast_forward_result nadi_fast_forward_sum(const struct nadi_fast_forward *l)
{
    struct nadi_fast_forward_result sum = l->sum;
    sum.why_none = l->why_not;
    return sum;
}

/* Drops the mark whose neighbours are nearest to each other, by their distance from now. */
static void drop_one(struct nadi_fast_forward *l)
{
    uint32_t worst = 1;
    double least = 0;
    for (uint32_t i = 1; i + 1 < l->count; i++) {
        const double gap = (double)(l->kept[i + 1].seen - l->kept[i - 1].seen);
        const double part = gap / (double)(l->seen - l->kept[i].seen + 1);
        if (i == 1 || part < least) {
            least = part;
            worst = i;
        }
    }
    nadi_mark_destroy(l->kept[worst].mark);
    memmove(&l->kept[worst], &l->kept[worst + 1], (--l->count - worst) * sizeof(*l->kept));
}

static void keep(struct nadi_fast_forward *l, struct nadi_mark *mark, uint64_t pattern,
                 uint64_t events)
{
    if (l->count == MOST_MARKS)
        drop_one(l);
    l->kept[l->count++] = (struct kept){mark, pattern, l->seen, events + l->sum.events};
    l->next = l->seen + l->gap;
    l->gap *= 2;
}

/* So many periods as fit before `until`. */
static uint64_t within(uint64_t repeats, nadi_time period, nadi_time now, nadi_time until)
{
    return nadi_min_u64(repeats, (uint64_t)((until - now) / period));
}

static bool is_known(const struct nadi_fast_forward *l, uint64_t pattern)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->kept[i].pattern == pattern)
            return true;
    return false;
}

/* Fast-forwards from a mark to now, and on. */
static bool fast_forward_from(struct nadi_fast_forward *l, const struct kept *from,
                              const struct nadi_mark *now, const struct nadi_instant *instant)
{
    const struct nadi_mark *then = from->mark;
    uint64_t repeats = nadi_mark_repeats(l->workload, then, now);
    const nadi_time period = nadi_mark_period(then, now);
    if (repeats)
        repeats = within(repeats, period, instant->at, instant->until);
    if (!repeats)
        return false;
    l->sum.nodes += nadi_workload_fast_forward(l->workload, then, now, repeats);
    l->sum.periods += repeats;
    l->sum.events += repeats * (instant->events + l->sum.events - from->events);
    l->sum.times++;
    return true;
}

/* Compares now with marks of the same pattern, the latest first. */
static bool try_marks(struct nadi_fast_forward *l, const struct nadi_mark *now, uint64_t pattern,
                      const struct nadi_instant *instant)
{
    bool done = false;
    uint32_t tries = MOST_TRIES;
    for (uint32_t i = l->count; i-- > 0 && tries > 0 && !done;)
        if (l->kept[i].pattern == pattern) {
            tries--;
            done = fast_forward_from(l, &l->kept[i], now, instant);
        }
    l->vain += !done && tries < MOST_TRIES;
    return done;
}

static void after_one(struct nadi_fast_forward *l)
{
    l->gap = FIRST_GAP;
    l->next = l->seen + l->gap;
    l->vain = 0;
}

void nadi_fast_forward_look(struct nadi_fast_forward *l, const struct nadi_instant *instant)
{
    if (l->pass) {
        l->pass--;
        return;
    }
    const uint64_t pattern = nadi_workload_pattern(l->workload);
    const bool known = is_known(l, pattern), due = l->seen + 1 >= l->next;
    l->seen += l->again == 0;
    if (!known && !due)
        return;
    struct nadi_mark *now = nadi_workload_mark(l->workload, due);
    if (!now && l->again++ < MOST_AGAIN) {
        nadi_workload_look_again(l->workload);
        return;
    }
    l->again = 0;
    if (now && try_marks(l, now, pattern, instant))
        after_one(l);
    else if (now && due) {
        keep(l, now, pattern, instant->events);
        now = NULL;
    }
    nadi_mark_destroy(now);
    if (l->vain >= PATIENCE)
        l->pass = UINT64_C(1) << nadi_min_u64(l->vain - PATIENCE, MOST_PASSED);
}
