/* run_parts: a run in two parts: folded as long as no rank meets one that is unlike it, then every
 * rank by itself. */
#include "base/mem.h"
#include "sim/likes.h"
#include "sim/run_inside.h"

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

struct second { /* part */
    struct simulation *s;
    const struct simulation *first;
    struct nadi_components parts;
    struct nadi_likes likes;
    uint32_t *group_of; /* of the likes that are added */
    struct nadi_sum *sum;
};

/* The components that are like one that was simulated. */
static void add_likes(const struct second *p, uint32_t component, const struct nadi_result *part,
                      const struct nadi_fold *ranks)
{
    for (uint32_t c = component + 1; c < p->parts.count; c++) {
        if (p->likes.first[c] != component)
            continue;
        for (uint32_t i = p->likes.group_start[c]; i < p->likes.group_start[c + 1]; i++)
            p->group_of[p->likes.groups.items[i].like] = p->likes.groups.items[i].group;
        nadi_sum_add_like(p->sum, part, ranks, p->parts.ranks + p->parts.start[c], p->group_of);
    }
}

/* One component from where the first part stopped, for all that are like it; not run where the run
 * was stopped before. False: it is undecided. */
static bool run_component(const struct second *p, uint32_t component, const struct nadi_fold *ranks)
{
    struct simulation *s = p->s;
    const struct simulation *first = p->first;
    struct nadi_result *r = s->result, part = {.rank_count = r->rank_count};
    bool stopped = r->outcome == NADI_OUTCOME_LIMIT || r->outcome == NADI_OUTCOME_INTERRUPTED;
    nadi_simulation_open(s, ranks, true, first->workload);
    if (!stopped)
        nadi_simulation_events(s);
    const char *undecided = nadi_workload_undecided(s->workload);
    if (undecided || r->outcome == NADI_OUTCOME_DEADLOCK || s->stopped_by_range) {
        r->executor_note = undecided             ? undecided
                           : s->stopped_by_range ? beyond_together
                                                 : "the run ends in a deadlock";
        nadi_simulation_close(s);
        return false;
    }
    nadi_arena_init(&part.arena);
    nadi_diags_init(&part.diags);
    nadi_simulation_collect(s, ranks, &part);
    nadi_sum_add(p->sum, &part, ranks);
    add_likes(p, component, &part, ranks);
    nadi_result_release(&part);
    nadi_simulation_close(s);
    return true;
}

/* From where the first part stopped, every rank by itself. False: it is undecided. */
static bool second_part(struct second *p)
{
    struct nadi_fold ranks = single_ranks(p->s->in);
    bool decided = true;
    p->s->result->outcome = NADI_OUTCOME_NONE;
    for (uint32_t i = 0; i < p->parts.count && decided; i++) {
        if (p->likes.first[i] != i)
            continue;
        ranks.rank_of = p->parts.ranks + p->parts.start[i];
        ranks.actor_count = p->parts.start[i + 1] - p->parts.start[i];
        for (uint32_t a = 0; a < ranks.actor_count; a++)
            ranks.actor_of[ranks.rank_of[a]] = a;
        decided = run_component(p, i, &ranks);
    }
    nadi_mem_free(ranks.actor_of);
    nadi_mem_free(ranks.weight);
    nadi_mem_free(ranks.canonical);
    nadi_mem_free(ranks.copies);
    nadi_mem_free(ranks.single);
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
    bool decided = both_parts(s, &first, fold, folding);
    nadi_simulation_close(&first);
    return decided;
}
