/* learn_peers: whom a message goes to, as steps along stages and axes. */
#include "base/mem.h"
#include "learned/learn_cells.h"

static struct nadi_learned_step family_step(const struct nadi_learning *l,
                                            const struct nadi_learned_job *job,
                                            const struct nadi_job_step *step, int sign)
{
    struct nadi_learned_step out = {.stages = sign * step->stages};
    for (uint32_t a = 0; a < job->axis_count; a++)
        if (!job->axes[a].staged)
            out.axes[l->bit_of[job->axes[a].vocabulary]] = step->axes[a];
    return out;
}

static uint32_t keep_step(struct cells *c, const struct nadi_learned_step *step)
{
    const uint32_t next = (uint32_t)c->l->family->steps.count;
    const uint64_t key = nadi_hash_bytes(step, sizeof(*step));
    const uint32_t at = *nadi_map64_put(&c->steps, key, next, NULL);
    if (at == next)
        NADI_PUSH(&c->l->family->steps, *step);
    return at;
}

static const struct nadi_job_step *step_of(const struct cells *c, const struct sample *s)
{
    const struct nadi_learned_program *at = &c->l->programs[s->program];
    return &c->l->jobs[at->job]->steps.items[at->program->peer[s->node]];
}

static bool is_half(const struct cells *c, const struct sample *s)
{
    return 2 * step_of(c, s)->stages == (int32_t)c->l->programs[s->program].stages;
}

/* Is the sample from the first stage, from the last? */
static bool is_end(const struct cells *c, const struct sample *s, int last)
{
    const struct nadi_learned_program *at = &c->l->programs[s->program];
    return at->stage == (last ? at->stages - 1 : 0);
}

/* Half way round, forward and back are the same rank: the way that programs of more stages take,
 * else the one that does not pass the ends. */
static int sign_of(const struct cells *c, const struct group *g, const struct sample *s)
{
    const struct nadi_learned_program *at = &c->l->programs[s->program];
    const int32_t stages = step_of(c, s)->stages;
    if (!is_half(c, s))
        return 1;
    for (uint32_t i = 0; i < g->count; i++)
        if (!is_half(c, g->samples[i]) && is_end(c, s, 0) == is_end(c, g->samples[i], 0) &&
            is_end(c, s, 1) == is_end(c, g->samples[i], 1))
            return step_of(c, g->samples[i])->stages == -stages ? -1 : 1;
    return (int32_t)at->stage + stages >= (int32_t)at->stages ? -1 : 1;
}

void nadi_cells_fit_peer(struct cells *c, const struct group *g, struct nadi_learned_cell *out,
                         struct table *t)
{
    t->count = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct sample *s = g->samples[i];
        const struct nadi_learned_program *at = &c->l->programs[s->program];
        const struct nadi_learned_step ours =
            family_step(c->l, c->l->jobs[at->job], step_of(c, s), sign_of(c, g, s));
        t->features[t->count] = at->features;
        t->values[t->count++] = keep_step(c, &ours);
    }
    nadi_cells_fit(c, &out->peer, t, NADI_TARGET_CHOICE);
}
