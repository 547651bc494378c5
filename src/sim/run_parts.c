/* run_parts: a run in two parts: folded as long as no rank meets one that is unlike it, then every
 * rank by itself, components side by side in threads. Their results are added in order: the same
 * bytes for any number of threads. */
#include "base/mem.h"
#include "base/threads.h"
#include "sim/likes.h"
#include "sim/run_inside.h"

#include <stdatomic.h>

/* Why the first part, which has come to its end, is not followed by a second; NULL: it can be. */
static const char *no_second_part(const struct simulation *s)
{
    const char *undecided = nadi_workload_undecided(s->workload);
    return undecided ? undecided : nadi_workload_unclean(s->workload);
}

/* A folding of which every rank is an actor of its own, of one component at a time. */
static struct nadi_fold single_ranks(const struct nadi_inputs *in)
{
    size_t groups = in->groups.count;
    struct nadi_fold f = {.each = true, .rank_count = in->rank_count};
    f.actor_of = NADI_ZNEW(uint32_t, in->rank_count);
    f.weight = NADI_NEW(uint32_t, in->rank_count);
    f.canonical = NADI_NEW(uint32_t, groups);
    f.copies = NADI_NEW(uint32_t, groups);
    f.single = NADI_ZNEW(bool, groups);
    for (uint32_t r = 0; r < in->rank_count; r++)
        f.weight[r] = 1;
    for (uint32_t g = 0; g < groups; g++) {
        f.canonical[g] = g;
        f.copies[g] = 1;
    }
    return f;
}

static const char beyond_together[] =
    "what lies beyond the clock's range is told of all ranks together";

static bool is_stopped(const struct nadi_result *r)
{
    return r->outcome == NADI_OUTCOME_LIMIT || r->outcome == NADI_OUTCOME_INTERRUPTED;
}

struct second { /* part */
    struct simulation *s;
    const struct simulation *first;
    struct nadi_components parts;
    struct nadi_likes likes;
    uint32_t *group_of; /* of the likes that are added */
    struct nadi_sum *sum;
    struct nadi_fold ranks; /* every rank alone */
};

struct component { /* that is simulated */
    uint32_t number;
    struct nadi_fold ranks;     /* the component's */
    struct nadi_result outcome; /* of its events, and */
    struct nadi_result result;  /* where it is decided */
    const char *undecided;
    bool stopped_by_range;
};

/* Components that are simulated at once, each in a thread: they share nothing that changes. */
struct batch {
    const struct second *part;
    struct component *items;
    uint32_t count;
    atomic_uint next;
};

enum { MOST_THREADS = 8, FEWEST_RANKS = 1 << 12 }; /* of all components: threads cost more */

/* The components that are like one that was simulated. */
static void add_likes(const struct second *p, const struct component *x)
{
    for (uint32_t c = x->number + 1; c < p->parts.count; c++) {
        if (p->likes.first[c] != x->number)
            continue;
        for (uint32_t i = p->likes.group_start[c]; i < p->likes.group_start[c + 1]; i++)
            p->group_of[p->likes.groups.items[i].like] = p->likes.groups.items[i].group;
        nadi_sum_add_like(p->sum, &x->result, &x->ranks, p->parts.ranks + p->parts.start[c],
                          p->group_of);
    }
}

/* One component from where the first part stopped; not run where the run was stopped before. */
static void run_component(const struct second *p, struct component *x, bool shows)
{
    struct nadi_observer quiet = {.stop = p->s->observer ? p->s->observer->stop : NULL};
    struct simulation s = *p->s;
    const bool stopped = is_stopped(p->s->result);
    if (!shows)
        s.observer = &quiet;
    s.result = &x->outcome;
    nadi_simulation_open(&s, &x->ranks, true, p->first->workload);
    if (!stopped)
        nadi_simulation_events(&s);
    x->stopped_by_range = s.stopped_by_range;
    x->undecided = nadi_workload_undecided(s.workload);
    if (!x->undecided && x->outcome.outcome == NADI_OUTCOME_DEADLOCK)
        x->undecided = s.stopped_by_range ? beyond_together : "the run ends in a deadlock";
    else if (!x->undecided && s.stopped_by_range)
        x->undecided = beyond_together;
    if (!x->undecided)
        nadi_simulation_collect(&s, &x->ranks, &x->result);
    nadi_simulation_close(&s);
}

static void work(void *context, unsigned thread)
{
    struct batch *b = context;
    for (uint32_t i = atomic_fetch_add(&b->next, 1); i < b->count;
         i = atomic_fetch_add(&b->next, 1))
        run_component(b->part, &b->items[i], thread == 0);
}

static void init_result(struct nadi_result *r, const struct nadi_result *like)
{
    *r = (struct nadi_result){.rank_count = like->rank_count, .executor = like->executor};
    r->outcome = like->outcome;
    r->stopped_by = like->stopped_by;
    nadi_arena_init(&r->arena);
    nadi_diags_init(&r->diags);
}

/* What the component of this number is simulated with; its ranks are its own in `actor_of`. */
static void open_component(const struct second *p, struct component *x, uint32_t number)
{
    const uint32_t first = p->parts.start[number];
    *x = (struct component){.number = number, .ranks = p->ranks};
    x->ranks.rank_of = p->parts.ranks + first;
    x->ranks.actor_count = p->parts.start[number + 1] - first;
    for (uint32_t a = 0; a < x->ranks.actor_count; a++)
        x->ranks.actor_of[x->ranks.rank_of[a]] = a;
    init_result(&x->outcome, p->s->result);
    init_result(&x->result, p->s->result);
}

/* Adds its result to the sum, unless an earlier one is undecided. */
static bool close_component(struct second *p, struct component *x, bool decided)
{
    struct nadi_result *r = p->s->result;
    if (decided && x->undecided)
        r->executor_note = x->undecided;
    else if (decided && !is_stopped(r)) {
        r->outcome = x->outcome.outcome;
        r->stopped_by = x->outcome.stopped_by;
    }
    decided &= !x->undecided;
    if (decided) {
        nadi_sum_add(p->sum, &x->result, &x->ranks);
        add_likes(p, x);
    }
    nadi_result_release(&x->result);
    nadi_result_release(&x->outcome);
    return decided;
}

static unsigned threads_of(const struct nadi_inputs *in)
{
    const uint32_t asked = in->options.threads;
    if (asked)
        return asked < MOST_THREADS ? asked : MOST_THREADS;
    return in->rank_count < FEWEST_RANKS ? 1 : nadi_threads_cores(MOST_THREADS);
}

/* From where the first part stopped, every rank by itself. False: it is undecided. */
static bool second_part(struct second *p)
{
    struct component items[MOST_THREADS];
    const unsigned threads = threads_of(p->s->in);
    bool decided = true;
    p->ranks = single_ranks(p->s->in);
    p->s->result->outcome = NADI_OUTCOME_NONE;
    for (uint32_t i = 0; i < p->parts.count && decided;) {
        struct batch b = {.part = p, .items = items};
        for (; i < p->parts.count && b.count < threads; i++)
            if (p->likes.first[i] == i)
                open_component(p, &items[b.count++], i);
        if (b.count > 1)
            nadi_threads_run(b.count, work, &b);
        else
            work(&b, 0);
        for (uint32_t k = 0; k < b.count; k++)
            decided = close_component(p, &items[k], decided);
    }
    nadi_mem_free(p->ranks.actor_of);
    nadi_mem_free(p->ranks.weight);
    nadi_mem_free(p->ranks.canonical);
    nadi_mem_free(p->ranks.copies);
    nadi_mem_free(p->ranks.single);
    return decided;
}

static bool both_parts(struct simulation *s, const struct simulation *first,
                       const struct nadi_fold *fold, struct nadi_folding *folding)
{
    struct nadi_result *r = s->result, head = {.rank_count = r->rank_count};
    struct nadi_result whole = {.rank_count = r->rank_count, .executor = &nadi_executor_fold};
    struct nadi_sum sum;
    nadi_arena_init(&head.arena);
    nadi_diags_init(&head.diags);
    nadi_arena_init(&whole.arena);
    nadi_diags_init(&whole.diags);
    nadi_simulation_collect(first, fold, &head);
    nadi_sum_begin(&sum, &head, fold, &whole);
    struct second p = {.s = s, .first = first, .sum = &sum};
    p.parts = nadi_components_find(s->in, first->workload, fold);
    p.likes = nadi_likes_find(folding, fold, &p.parts);
    p.group_of = NADI_NEW(uint32_t, s->in->groups.count);
    nadi_folding_close(folding);
    bool decided = second_part(&p);
    nadi_components_release(&p.parts);
    nadi_likes_release(&p.likes);
    nadi_mem_free(p.group_of);
    nadi_sum_end(&sum);
    nadi_result_release(&head);
    if (!decided) {
        nadi_result_release(&whole);
        return false;
    }
    whole.outcome = r->outcome;
    whole.stopped_by = r->stopped_by;
    whole.executor_note = "some rank is unlike the others, which differ once they meet it";
    nadi_result_release(r);
    *r = whole;
    return true;
}

bool nadi_simulation_in_parts(struct simulation *s, const struct nadi_fold *fold,
                              struct nadi_folding *folding)
{
    struct nadi_result *r = s->result;
    r->executor = &nadi_executor_fold;
    nadi_simulation_open(s, fold, true, NULL);
    nadi_simulation_events(s);
    if (r->outcome != NADI_OUTCOME_DEADLOCK && !nadi_workload_undecided(s->workload) &&
        !s->stopped_by_range) {
        nadi_simulation_collect(s, fold, r);
        nadi_simulation_close(s);
        nadi_folding_close(folding);
        return true;
    }
    const char *why = s->stopped_by_range ? beyond_together : no_second_part(s);
    if (why) {
        r->executor_note = why;
        nadi_simulation_close(s);
        nadi_folding_close(folding);
        return false;
    }
    struct simulation first = *s;
    first.apart = true;
    bool decided = both_parts(s, &first, fold, folding);
    nadi_simulation_close(&first);
    return decided;
}
