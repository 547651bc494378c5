/* schedule_time: a schedule against the clock: every action starts when its rank is free and what
 * it needs has arrived. */
#include "base/mem.h"
#include "model/schedule.h"

struct clocks {
    const struct nadi_schedule *s;
    const struct nadi_stage_cost *costs;
    double *forward, *input; /* end of a stage's pass of a micro-batch; below 0: not yet */
    double *free_at;         /* by rank */
    uint32_t *next;          /* by rank: action */
};

static double *cell(const struct clocks *c, double *table, uint32_t stage, uint32_t micro)
{
    return &table[(size_t)stage * c->s->micro_batches + micro];
}

/* When the action's inputs are there; below 0: nobody has made them yet. */
static double inputs_ready(const struct clocks *c, const struct nadi_action *a, uint32_t stage)
{
    double at;
    switch ((enum nadi_pass)a->pass) {
    case NADI_PASS_FORWARD:
        if (stage == 0)
            return 0;
        at = *cell(c, c->forward, stage - 1, a->micro);
        return at < 0 ? at : at + c->costs[stage - 1].send;
    case NADI_PASS_BACKWARD:
    case NADI_PASS_INPUT:
        if (stage + 1 == c->s->stages)
            return *cell(c, c->forward, stage, a->micro);
        at = *cell(c, c->input, stage + 1, a->micro);
        return at < 0 ? at : at + c->costs[stage + 1].send;
    case NADI_PASS_WEIGHT:
        return *cell(c, c->input, stage, a->micro);
    }
    NADI_BUG("pass %d", a->pass);
}

static double length_of(const struct nadi_stage_cost *cost, enum nadi_pass pass)
{
    switch (pass) {
    case NADI_PASS_FORWARD:
        return cost->forward;
    case NADI_PASS_BACKWARD:
        return cost->input + cost->weight;
    case NADI_PASS_INPUT:
        return cost->input;
    case NADI_PASS_WEIGHT:
        return cost->weight;
    }
    NADI_BUG("pass %d", (int)pass);
}

static void arrive(struct clocks *c, const struct nadi_action *a, uint32_t stage, double end)
{
    if (a->pass == NADI_PASS_FORWARD)
        *cell(c, c->forward, stage, a->micro) = end;
    else if (a->pass != NADI_PASS_WEIGHT)
        *cell(c, c->input, stage, a->micro) = end;
}

/* Actions from `first` that run as one block: 1, or 2 where the first is paired. */
static uint32_t block_length(const struct nadi_actions *list, uint32_t first)
{
    return list->items[first].paired ? 2 : 1;
}

/* When all inputs of the block are there; below 0: not known yet. */
static double block_ready(const struct clocks *c, uint32_t rank, uint32_t first, uint32_t length)
{
    double ready = 0;
    for (uint32_t i = first; i < first + length; i++) {
        const struct nadi_action *a = &c->s->lists[rank].items[i];
        const double at = inputs_ready(c, a, nadi_schedule_stage(c->s, rank, a->chunk));
        if (at < 0)
            return at;
        ready = at > ready ? at : ready;
    }
    return ready;
}

/* Runs the rank's actions as far as their inputs are known; true if any ran. */
static bool advance(struct clocks *c, uint32_t rank, struct nadi_action_time *times)
{
    const struct nadi_actions *list = &c->s->lists[rank];
    const uint32_t before = c->next[rank];
    while (c->next[rank] < list->count) {
        const uint32_t first = c->next[rank], length = block_length(list, first);
        const double ready = block_ready(c, rank, first, length);
        if (ready < 0)
            break;
        double at = ready > c->free_at[rank] ? ready : c->free_at[rank];
        for (uint32_t i = first; i < first + length; i++) {
            const struct nadi_action *a = &list->items[i];
            const struct nadi_stage_cost *cost =
                &c->costs[nadi_schedule_stage(c->s, rank, a->chunk)];
            times[i].start = at;
            at += length_of(cost, (enum nadi_pass)a->pass) - (i > first ? cost->pair : 0);
            times[i].end = at;
        }
        for (uint32_t i = first; i < first + length; i++) {
            const struct nadi_action *a = &list->items[i];
            arrive(c, a, nadi_schedule_stage(c->s, rank, a->chunk), at);
        }
        c->free_at[rank] = at;
        c->next[rank] = first + length;
    }
    return c->next[rank] > before;
}

double nadi_schedule_times(const struct nadi_schedule *s, const struct nadi_stage_cost *by_stage,
                           struct nadi_arena *arena, struct nadi_action_time ***times)
{
    const size_t cells = (size_t)s->stages * s->micro_batches;
    struct clocks c = {
        .s = s,
        .costs = by_stage,
        .forward = NADI_NEW(double, cells),
        .input = NADI_NEW(double, cells),
        .free_at = NADI_ZNEW(double, s->ranks),
        .next = NADI_ZNEW(uint32_t, s->ranks),
    };
    for (size_t i = 0; i < cells; i++)
        c.forward[i] = c.input[i] = -1;
    *times = NADI_ARENA_NEW(arena, struct nadi_action_time *, s->ranks);
    for (uint32_t r = 0; r < s->ranks; r++)
        (*times)[r] = NADI_ARENA_ZNEW(arena, struct nadi_action_time, s->lists[r].count);
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < s->ranks; r++)
            moved |= advance(&c, r, (*times)[r]);
    }
    double end = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        NADI_ASSERT(c.next[r] == s->lists[r].count);
        end = c.free_at[r] > end ? c.free_at[r] : end;
    }
    nadi_mem_free(c.forward);
    nadi_mem_free(c.input);
    nadi_mem_free(c.free_at);
    nadi_mem_free(c.next);
    return end;
}
