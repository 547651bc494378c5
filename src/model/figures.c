#include "model/figures.h"

/* With stages that take equal times and nothing between them. */
static double ideal_bubble(const struct nadi_study *s)
{
    const struct nadi_schedule *schedule = &s->schedule;
    struct nadi_arena arena;
    struct nadi_action_time **times;
    if (s->plan.pp == 1 || s->plan.mode != NADI_MODE_TRAIN)
        return 0;
    nadi_arena_init(&arena);
    struct nadi_stage_cost *costs =
        NADI_ARENA_NEW(&arena, struct nadi_stage_cost, schedule->stages);
    for (uint32_t i = 0; i < schedule->stages; i++)
        costs[i] = (struct nadi_stage_cost){.forward = 1, .input = 1, .weight = 1};
    const double all = nadi_schedule_times(schedule, costs, &arena, &times);
    const double busy = 3.0 * schedule->micro_batches * schedule->stages / schedule->ranks;
    nadi_arena_release(&arena);
    return 1 - busy / all;
}

static void fill_memory(const struct nadi_study *s, struct nadi_step_figures *f)
{
    struct nadi_arena arena;
    struct nadi_memory memory;
    const double capacity = nadi_study_capacity(s);
    nadi_arena_init(&arena);
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &arena);
    f->memory_bytes = memory.ranks[memory.worst].total;
    f->memory_rank = memory.worst;
    f->missing_bytes = f->memory_bytes > capacity ? f->memory_bytes - capacity : 0;
    nadi_arena_release(&arena);
}

struct nadi_step_figures nadi_step_figures(const struct nadi_study *s, uint64_t ns)
{
    struct nadi_step_figures f = {.step_s = (double)ns / 1e9 / s->plan.steps};
    f.tokens_per_s = nadi_study_step_tokens(s) / f.step_s;
    f.model_flops = nadi_study_step_flops(s, true) / f.step_s / s->plan.ranks;
    f.model_share = f.model_flops / s->cluster.device.peak[s->plan.precision];
    f.bubble = ideal_bubble(s);
    fill_memory(s, &f);
    return f;
}

double nadi_study_missing_bytes(const struct nadi_study *s)
{
    struct nadi_step_figures f;
    fill_memory(s, &f);
    return f.missing_bytes;
}
