/* step_update: the end of a step: the optimizer, and what moves for it; and at the beginning what
 * lies in tiers. */
#include "base/mem.h"
#include "base/time.h"
#include "model/memory.h"
#include "model/step_emit.h"
#include "model/update.h"

/* The embedding's gradients of the first and the last stage, both added up over their replicas.
 * Where gradients do not stay they come back for it, and the sums of both leave. */
static void reduce_tied(struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_model_plan *p = e->p;
    const bool ends = e->rank == 0 || e->rank + 1 == p->pp;
    const bool moves = nadi_plan_away(p) & NADI_OFFLOAD_GRADIENTS;
    if (!study->grid.tied || !ends)
        return;
    struct nadi_emit_move move = {.op = NADI_MEM_LOADS,
                                  .flag = NADI_OFFLOAD_GRADIENTS,
                                  .bytes =
                                      nadi_count_trunc(nadi_copied_gradients(p, &study->model))};
    for (uint32_t i = 0; i < e->front.count; i++)
        NADI_PUSH(&e->reduced, e->front.ids[i]);
    if (moves) {
        const uint64_t loaded =
            nadi_emit_memory(e, "load gradients", &move, e->reduced.items, e->reduced.count);
        e->reduced.count = 0;
        NADI_PUSH(&e->reduced, loaded);
    }
    const uint64_t sum = nadi_emit_exchange_tied(e, "reduce embedding gradients", move.bytes,
                                                 e->reduced.items, e->reduced.count);
    e->reduced.count = 0; /* all of it is over when the other end's has come */
    nadi_emit_follow(e, sum);
    move.op = NADI_MEM_STORES;
    if (moves)
        nadi_emit_join(e, nadi_emit_memory(e, "store gradients", &move, &sum, 1));
}

static struct nadi_stage_weights all_weights(const struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_schedule *schedule = &study->schedule;
    struct nadi_stage_weights all = {0};
    for (uint32_t c = 0; c < schedule->chunks; c++) {
        const struct nadi_pipeline_stage stage =
            nadi_stage_of(e->p, &e->variant->net, nadi_schedule_stage(schedule, e->rank, c));
        const struct nadi_stage_weights w =
            nadi_stage_weights(&study->model, &e->variant->net, &stage, e->p);
        all.dense += w.dense;
        all.expert += nadi_model_updates_rows(&study->model) ? 0 : w.expert;
    }
    return all;
}

/* Everything that the optimizer waits for; a node takes any number of dependencies. */
static uint64_t put_update(struct nadi_emit *e, const struct nadi_work *w)
{
    for (uint32_t i = 0; i < e->front.count; i++)
        NADI_PUSH(&e->reduced, e->front.ids[i]);
    const uint64_t id = nadi_trace_build_compute(
        &e->build, "optimizer", nadi_count_round(w->ns), nadi_count_trunc(w->flops),
        nadi_count_trunc(w->bytes) + 1, e->reduced.items, e->reduced.count);
    e->reduced.count = 0;
    return id;
}

/* ---- in buckets ---------------------------------------------------------------------------- */

struct nodes { /* of the parts of a bucket; 0: none */
    uint64_t ids[NADI_UPDATE_MOVES];
};

/* Of so many bytes the i-th of `count` pieces: whole bytes, and together all of them. */
static uint64_t piece_of(double bytes, uint32_t i, uint32_t count)
{
    const uint64_t all = nadi_count_trunc(bytes);
    return all / count + (i < all % count);
}

static const char *name_of(enum nadi_offload_flag flag, bool load)
{
    if (flag == NADI_OFFLOAD_OPTIMIZER)
        return load ? "load optimizer states" : "store optimizer states";
    return flag == NADI_OFFLOAD_GRADIENTS ? "load gradients" : "store parameters";
}

static struct nodes move_bucket(struct nadi_emit *e, const struct nadi_update *u, uint32_t i,
                                bool load, const uint64_t *after, size_t count)
{
    struct nodes moved = {0};
    for (int k = 0; k < NADI_UPDATE_MOVES; k++) {
        const struct nadi_update_move *m = &u->moves[k];
        const struct nadi_emit_move move = {.op = load ? NADI_MEM_LOADS : NADI_MEM_STORES,
                                            .flag = m->flag,
                                            .bytes = piece_of(m->bytes, i, u->buckets)};
        if (move.bytes && (load ? m->load : m->store))
            moved.ids[k] = nadi_emit_memory(e, name_of(m->flag, load), &move, after, count);
    }
    return moved;
}

static size_t add(uint64_t *after, size_t count, const struct nodes *nodes)
{
    for (int k = 0; k < NADI_UPDATE_MOVES; k++)
        if (nodes->ids[k])
            after[count++] = nodes->ids[k];
    return count;
}

/* While a bucket is updated and leaves the next one comes: into the place of the one before. */
static void update_in_buckets(struct nadi_emit *e, const struct nadi_work *w,
                              const struct nadi_update *u)
{
    struct nodes loaded = {0}, stored[2] = {{{0}}, {{0}}};
    uint64_t updated = 0, after[2 * NADI_UPDATE_MOVES + 1];
    for (uint32_t i = 0; i < e->front.count; i++)
        NADI_PUSH(&e->reduced, e->front.ids[i]);
    for (uint32_t i = 0; i < u->buckets; i++) {
        size_t count = add(after, 0, &loaded);
        count = add(after, count, &stored[1]);
        loaded =
            move_bucket(e, u, i, true, i ? after : e->reduced.items, i ? count : e->reduced.count);
        count = add(after, 0, &loaded);
        after[count++] = updated;
        const bool first = count == 1 && i == 0; /* and nothing was loaded */
        updated = nadi_trace_build_compute(
            &e->build, "optimizer", nadi_count_round(w->ns / u->buckets),
            nadi_count_trunc(w->flops / u->buckets), nadi_count_trunc(w->bytes / u->buckets) + 1,
            first ? e->reduced.items : after, first ? e->reduced.count : count);
        count = add(after, 0, &stored[0]);
        after[count++] = updated;
        stored[1] = stored[0];
        stored[0] = move_bucket(e, u, i, false, after, count);
    }
    e->reduced.count = 0;
    nadi_emit_follow(e, updated);
    for (int k = 0; k < NADI_UPDATE_MOVES; k++)
        nadi_emit_join(e, stored[0].ids[k]);
}

/* In one remote memory states lie whole and are moved whole. */
static bool has_tier(const struct nadi_emit *e, const struct nadi_update *u)
{
    for (int k = 0; k < NADI_UPDATE_MOVES; k++)
        if (u->moves[k].bytes > 0 && nadi_emit_tier(e, u->moves[k].flag))
            return true;
    return false;
}

/* Every rank gets what the others have updated, and stores it where it has all parameters. */
static void gather_updated(struct nadi_emit *e, double all_dense, double all_expert)
{
    const enum nadi_offload_flag experts = nadi_plan_experts_part(e->p);
    const uint64_t dense = nadi_emit_gather(e, all_dense, NADI_AXIS_DP, &e->front);
    const uint64_t expert = nadi_emit_gather(e, all_expert, NADI_AXIS_EDP, &e->front);
    const uint64_t stored[] = {
        nadi_emit_store_rest(e, NADI_OFFLOAD_PARAMETERS, all_dense, NADI_AXIS_DP, dense),
        nadi_emit_store_rest(e, experts, all_expert, NADI_AXIS_EDP, expert)};
    nadi_emit_join(e, dense);
    nadi_emit_join(e, expert);
    nadi_emit_join(e, stored[0]);
    nadi_emit_join(e, stored[1]);
}

/* Before the next step, and not by its passes as they come to a layer. */
static bool gathers_now(const struct nadi_emit *e)
{
    const struct nadi_model_plan *p = e->p;
    const bool whole = (nadi_plan_away(p) & NADI_OFFLOAD_PARAMETERS) && p->zero > 0 &&
                       p->remote_parameters == NADI_REMOTE_WHOLE &&
                       nadi_emit_lies_whole(e, NADI_OFFLOAD_PARAMETERS);
    return whole || ((p->zero == 1 || p->zero == 2) && !p->overlap_parameters);
}

void nadi_emit_update(struct nadi_emit *e)
{
    const struct nadi_model_plan *p = e->p;
    nadi_emit_flush(e);
    if (nadi_study_wafer_io(e->s->study)) {
        e->reduced.count = 0;
        return; /* the optimizer runs where the weights are */
    }
    nadi_emit_send_bucket(e);
    reduce_tied(e);
    e->given.count = e->written.count = 0;
    e->recall = 0;
    memset(e->left, 0, sizeof(e->left));
    const struct nadi_stage_weights all = all_weights(e);
    struct nadi_update u = nadi_update_of(p, (double)all.dense, (double)all.expert);
    const struct nadi_work w = nadi_optimizer_cost(
        p, u.own[0] + u.own[1], e->s->has_device ? &e->s->compute.optimizer : NULL);
    if (u.buckets && !has_tier(e, &u))
        u.buckets = 1;
    if (u.buckets)
        update_in_buckets(e, &w, &u);
    else
        nadi_emit_follow(e, put_update(e, &w));
    if (gathers_now(e))
        gather_updated(e, (double)all.dense, (double)all.expert);
}

/* ---- what lies in tiers from the start ----------------------------------------------------- */

static void lay_down(struct nadi_emit *e, enum nadi_offload_flag flag, double bytes)
{
    const struct nadi_emit_move move = {
        .op = NADI_MEM_ALLOC, .flag = flag, .bytes = nadi_count_trunc(bytes)};
    const bool tiers = e->p->remote_parameters == NADI_REMOTE_WHOLE; /* else one remote memory */
    if (tiers && nadi_emit_tier(e, flag) && move.bytes)
        nadi_emit_memory(e, "lies in its tier", &move, NULL, 0);
}

/* Of tables whose rows are changed in place. */
static double table_weights(const struct nadi_emit *e)
{
    const struct nadi_net *net = &e->variant->net;
    double all = 0;
    for (uint32_t i = 0; i < net->layer_count && nadi_model_updates_rows(&e->s->study->model); i++)
        all += (double)nadi_layer_sums(nadi_net_layer(net, i)).table_weights;
    return all;
}

void nadi_emit_lie_down(struct nadi_emit *e)
{
    const struct nadi_model_plan *p = e->p;
    const struct nadi_stage_weights all = all_weights(e);
    const double dense = nadi_plan_replicas(p, false), expert = nadi_plan_replicas(p, true);
    const bool apart = p->offload & NADI_OFFLOAD_EXPERTS;
    double d[4], x[4]; /* by the ZeRO stage from which it is a share */
    for (uint32_t stage = 0; stage < 4; stage++) {
        const bool split = stage > 0 && p->zero >= stage;
        d[stage] = (double)all.dense / (split ? dense : 1);
        x[stage] = (double)all.expert / (split ? expert : 1);
    }
    lay_down(e, NADI_OFFLOAD_PARAMETERS, (d[3] + (apart ? 0 : x[3])) * p->parameter_bytes);
    lay_down(e, NADI_OFFLOAD_EXPERTS, x[3] * p->parameter_bytes);
    if (p->mode == NADI_MODE_DECODE)
        lay_down(e, NADI_OFFLOAD_CACHE,
                 nadi_memory_cache(p, &e->s->study->model, &e->variant->net, &e->s->study->schedule,
                                   e->rank, p->tokens));
    if (p->mode != NADI_MODE_TRAIN)
        return;
    lay_down(e, NADI_OFFLOAD_TABLES, table_weights(e) * p->parameter_bytes);
    lay_down(e, NADI_OFFLOAD_OPTIMIZER, (d[1] + x[1]) * p->optimizer_bytes);
    lay_down(e, NADI_OFFLOAD_GRADIENTS, (d[2] + x[2]) * p->gradient_bytes);
}
