#include "search/estimate.h"

#include <math.h>

#include "base/mem.h"
#include "model/files.h"
#include "search/estimate_inside.h"

const char *nadi_step_part_name(enum nadi_step_part part)
{
    static const char *const names[] = {"compute",   "transfers", "pipeline",  "parameters",
                                        "gradients", "remote",    "optimizer", "host"};
    return names[part];
}

static bool refuse(struct nadi_diags *diags, const char *hint, const char *what)
{
    return nadi_error(diags, "search/plan", NADI_IN_FILE("plan"), hint,
                      "the estimate of a step does not know %s", what);
}

static bool check(const struct nadi_model_plan *p, struct nadi_diags *diags)
{
    if (p->mode != NADI_MODE_TRAIN)
        return refuse(diags, "leave 'mode' out", "inference");
    if (!nadi_pipeline_knows(p->schedule))
        return refuse(diags, "use 1f1b, interleaved or gpipe", nadi_schedule_name(p->schedule));
    if (p->streaming)
        return refuse(diags, "leave 'execution' out", "streamed weights");
    if (p->remote_parameters != NADI_REMOTE_WHOLE)
        return refuse(diags, "leave 'remote-parameters' out", "parameters shared in remote memory");
    if (p->steps > 1)
        return refuse(diags, "leave 'steps' out", "several steps");
    for (uint32_t i = NADI_REMOTE_KEPT; i < NADI_PLACED_PARTS; i++)
        if (p->place[i])
            return refuse(diags, "leave it out of 'place'",
                          "a place of its own for some of the parameters");
    if (p->recompute_layers)
        return refuse(diags, "leave 'recompute-layers' out", "a part of the layers recomputed");
    return true;
}

struct nadi_estimator *nadi_estimator_create(const struct nadi_study *study,
                                             const struct nadi_model_plan *asked, bool chooses,
                                             struct nadi_diags *diags)
{
    if (!check(asked, diags))
        return NULL;
    struct nadi_estimator *e = NADI_ZNEW(struct nadi_estimator, 1);
    nadi_arena_init(&e->arena);
    nadi_arena_init(&e->plans);
    e->study = study;
    e->asked = *asked;
    if (!nadi_step_compute_init(&e->compute, study, diags) ||
        !nadi_remote_init(&e->remote, study, asked, diags)) {
        nadi_estimator_destroy(e);
        return NULL;
    }
    nadi_step_compute_expand(&e->compute, study, &(struct nadi_expanded){0});
    e->transfers = nadi_transfers_create(study, chooses);
    e->kind_count = study->net.kind_count + 1;
    e->layer_count = study->net.layer_count;
    e->layers = NADI_ARENA_NEW(&e->arena, uint32_t, e->layer_count);
    memcpy(e->layers, study->net.layers, e->layer_count * sizeof(*e->layers));
    e->layer_weights = NADI_ARENA_NEW(&e->arena, struct nadi_stage_weights, e->layer_count);
    e->body = NADI_ARENA_ZNEW(&e->arena, bool, e->kind_count);
    for (uint32_t i = 0; i < study->net.body_count; i++)
        e->body[e->layers[study->net.body_first + i]] = true;
    e->replicas = NADI_ARENA_ZNEW(&e->arena, struct nadi_replica_times, e->kind_count);
    return e;
}

void nadi_estimator_destroy(struct nadi_estimator *e)
{
    if (!e)
        return;
    nadi_transfers_destroy(e->transfers);
    nadi_step_compute_release(&e->compute);
    nadi_remote_release(&e->remote);
    nadi_mem_free(e->shapes.items);
    nadi_arena_release(&e->plans);
    nadi_arena_release(&e->arena);
    nadi_mem_free(e);
}

double nadi_strategy_margin(const struct nadi_strategy *s, const struct nadi_estimate *e)
{
    const unsigned busy = NADI_OFFLOAD_GRADIENTS | NADI_OFFLOAD_PARAMETERS;
    if ((s->offload & busy) || s->zero >= 2)
        return 1.5 * e->links_shared - 1;
    return (s->offload ? 1.2 : 1.15) * e->links_shared - 1;
}

double nadi_strategy_least_ns(const struct nadi_strategy *s, const struct nadi_estimate *e)
{
    const double travels =
        e->parts[NADI_STEP_PARAMETERS] + e->parts[NADI_STEP_GRADIENTS] + e->parts[NADI_STEP_REMOTE];
    const double factor = e->links_shared;
    const double stays = fmax(e->passes_ns / 1.1, (e->ns - travels) / 1.15) / factor;
    const double all = e->ns / (1 + nadi_strategy_margin(s, e));
    if (e->remote_shared)
        return fmin(e->ns, fmax(e->kernels_ns, e->passes_ns / 1.1 / factor));
    return fmin(e->ns, fmax(fmax(e->kernels_ns, stays), all));
}

void nadi_strategy_order(uint32_t number, enum nadi_degree order[NADI_DEGREES])
{
    enum nadi_degree left[NADI_DEGREES] = {NADI_DEGREE_TP, NADI_DEGREE_CP, NADI_DEGREE_DP,
                                           NADI_DEGREE_PP};
    uint32_t rest = NADI_ORDERS;
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        rest /= NADI_DEGREES - i;
        const uint32_t at = number / rest;
        number %= rest;
        order[i] = left[at];
        memmove(&left[at], &left[at + 1], (NADI_DEGREES - 1 - i - at) * sizeof(*left));
    }
}

void nadi_strategy_apply(const struct nadi_strategy *s, struct nadi_model_plan *p)
{
    nadi_strategy_order(s->order, p->order);
    p->tp = s->tp;
    p->cp = s->cp;
    p->pp = s->pp;
    p->vp = s->vp;
    p->dp = s->dp;
    p->ep = s->ep;
    p->micro_batch = s->micro_batch;
    p->zero = s->zero;
    p->recompute = (enum nadi_recompute)s->recompute;
    p->offload = s->offload;
    p->sequence_parallel = s->sequence_parallel;
}

/* Degrees and micro-batch: what decides whether a plan is possible. */
static bool same_degrees(const struct nadi_strategy *a, const struct nadi_strategy *b)
{
    return a->tp == b->tp && a->cp == b->cp && a->pp == b->pp && a->vp == b->vp && a->dp == b->dp &&
           a->ep == b->ep && a->micro_batch == b->micro_batch &&
           a->sequence_parallel == b->sequence_parallel && a->order == b->order;
}

static bool resolve(struct nadi_estimator *e, const struct nadi_strategy *s)
{
    struct nadi_diags diags;
    nadi_arena_release(&e->plans);
    nadi_arena_init(&e->plans);
    e->plan = e->asked;
    e->plan.arena = e->plans;
    nadi_strategy_apply(s, &e->plan);
    nadi_diags_init(&diags);
    const bool ok = nadi_plan_resolve(&e->plan, &e->study->model, &diags);
    nadi_diags_release(&diags);
    e->plans = e->plan.arena;
    return ok;
}

/* Makes anew what differs from the last strategy. */
static bool take(struct nadi_estimator *e, const struct nadi_strategy *s)
{
    if (!e->has_last || !same_degrees(s, &e->last)) {
        e->last = *s;
        e->has_last = true;
        e->values_of = e->replicas_of = -1;
        e->possible = resolve(e, s);
        if (!e->possible)
            return false;
        e->possible = nadi_axes_init(&e->axes, &e->plan, &e->study->model);
        if (!e->possible)
            return false;
        nadi_step_compute_expand(&e->compute, e->study, &(struct nadi_expanded){0});
        (void)nadi_estimator_shape(e);
        e->streams = nadi_model_streams(&e->study->cluster);
        nadi_estimator_rows(e);
    }
    if (!e->possible || !nadi_remote_takes(&e->remote, s->offload))
        return false;
    e->plan.zero = s->zero;
    e->plan.recompute = (enum nadi_recompute)s->recompute;
    e->plan.offload = s->offload;
    if (e->values_of != s->recompute) {
        nadi_estimator_values(e);
        nadi_estimator_activations(e);
        e->values_of = s->recompute;
    }
    if (e->replicas_of != s->zero)
        nadi_estimator_replicas(e);
    e->replicas_of = s->zero;
    return true;
}

/* What does not fit into the local memory lies in the second one: kernels take longer. */
static void expand(struct nadi_estimator *e, const struct nadi_rank_memory *fullest)
{
    const struct nadi_expanded expanded = nadi_memory_expanded(fullest, &e->study->cluster.device);
    const bool wanted = expanded.bytes > 0;
    if (!wanted && !e->is_hybrid)
        return;
    nadi_step_compute_expand(&e->compute, e->study, &expanded);
    if (wanted)
        nadi_estimator_hybrid(e);
    else
        (void)nadi_estimator_shape(e);
    nadi_estimator_values(e);
    nadi_estimator_replicas(e);
}

/* Groups are seldom all at it at once, and least of all those of stages that wait in the pipeline's
 * bubble or end one after the other. */
static double links_shared(const struct nadi_estimator *e)
{
    const struct nadi_model_plan *p = &e->plan;
    const double passes = (double)p->micro_batches * p->vp;
    return nadi_transfers_meet(e->transfers) ? 1.15 * (1 + (p->pp - 1) / passes) : 1;
}

bool nadi_estimator_time(struct nadi_estimator *e, const struct nadi_strategy *s,
                         struct nadi_estimate *estimate)
{
    struct nadi_rank_memory fullest = {0};
    if (!take(e, s))
        return false;
    const double bytes = nadi_estimator_memory(e, &fullest);
    expand(e, &fullest);
    nadi_estimator_step(e, estimate);
    estimate->memory_bytes = bytes;
    estimate->missing_bytes =
        fmax(nadi_estimator_tiers(e), fmax(0, bytes - nadi_study_capacity(e->study)));
    estimate->remote_shared = s->offload && e->remote.has_file;
    estimate->links_shared = links_shared(e);
    return true;
}
