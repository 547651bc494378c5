/* step_state: what replicas and remote memory do for a layer: parameters arrive before a pass,
 * gradients leave after it, and the optimizer ends the step. */
#include "base/mem.h"
#include "base/time.h"
#include "model/memory.h"
#include "model/step_emit.h"

#include <math.h>

struct weights {
    double dense, expert;
};

/* Parameters of a layer on this rank; the copy of a tied embedding belongs to the head. */
static struct weights weights_of(const struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_layer_kind *kind = nadi_net_layer(&e->variant->net, layer);
    const struct nadi_sums sums = nadi_layer_sums(kind);
    return (struct weights){.dense = (double)(sums.weights - sums.expert_weights),
                            .expert = study->model.experts ? (double)sums.expert_weights : 0};
}

/* Has every replica all of them, though ZeRO would split them? Without tiers, and on request. */
static bool lie_whole(const struct nadi_emit *e, enum nadi_offload_flag flag)
{
    return !nadi_emit_tier(e, flag) || nadi_plan_says(e->p, "remote-parameters");
}

bool nadi_step_uses_remote(const struct nadi_model_plan *p)
{
    return p->streaming || p->offload != 0;
}

static bool loads_dense(const struct nadi_model_plan *p)
{
    return p->streaming || (p->offload & NADI_OFFLOAD_PARAMETERS);
}

static bool loads_experts(const struct nadi_model_plan *p)
{
    return loads_dense(p) || (p->offload & NADI_OFFLOAD_EXPERTS);
}

static bool gathers_every_pass(const struct nadi_model_plan *p)
{
    return p->mode == NADI_MODE_TRAIN && p->zero == 3;
}

static bool gathers_ahead(const struct nadi_model_plan *p)
{
    return p->mode == NADI_MODE_TRAIN && (p->zero == 1 || p->zero == 2) && p->overlap_parameters;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static uint64_t gather(struct nadi_emit *e, double parameters, enum nadi_axis axis,
                       const struct nadi_front *after)
{
    const uint32_t replicas = e->s->comm_groups.axes[axis].size;
    const struct nadi_transfer t = {
        NADI_TRANSFER_ALL_GATHER, nadi_count_trunc(parameters * e->p->parameter_bytes / replicas)};
    return nadi_emit_transfer(e, "gather parameters", axis, &t, after);
}

/* Parameters from where they lie, and, where replicas split them, from these; the last node. */
static uint64_t fetch(struct nadi_emit *e, bool first, double parameters, double load,
                      enum nadi_offload_flag flag, enum nadi_axis axis)
{
    struct nadi_front after = e->front;
    uint64_t last = 0;
    if (load > 0) {
        const double share = gathers_every_pass(e->p) ? 1.0 / e->s->comm_groups.axes[axis].size : 1;
        const struct nadi_emit_move move = {
            .op = NADI_MEM_LOADS,
            .flag = flag,
            .bytes = nadi_count_trunc(load * share * e->p->parameter_bytes)};
        last = nadi_emit_memory(e, "load parameters", &move, e->front.ids, e->front.count);
        after = (struct nadi_front){.ids = {last}, .count = 1};
    }
    const bool gathers = gathers_every_pass(e->p) || (first && gathers_ahead(e->p));
    const uint64_t gathered = gathers ? gather(e, parameters, axis, &after) : 0;
    return gathered ? gathered : last;
}

/* Of a layer's experts on this rank those that a micro-batch's tokens go to, on average. */
static double active_share(const struct nadi_emit *e)
{
    const struct nadi_model *m = &e->s->study->model;
    const struct nadi_model_plan *p = e->p;
    if (!m->experts || !(p->offload & NADI_OFFLOAD_EXPERTS))
        return 1;
    /* in decode all tensor ranks hold the same tokens */
    const double each = p->mode == NADI_MODE_DECODE ? (double)p->etp / p->tp : (double)p->tokens;
    const double tokens = (double)p->micro_batch * each * p->ep;
    return nadi_expert_share(m, tokens);
}

static uint64_t load(struct nadi_emit *e, double parameters, bool in_switch)
{
    const uint64_t bytes = nadi_count_trunc(parameters * e->p->parameter_bytes);
    if (bytes == 0)
        return 0;
    return (in_switch ? nadi_trace_build_in_switch : nadi_trace_build_memory)(
        &e->build, "load parameters", NADI_NODE_MEM_LOAD, bytes, e->front.ids, e->front.count);
}

/* Own shards, then those of the replicas. */
static uint64_t load_shard(struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    const uint64_t shard = load(e, parameters / e->s->comm_groups.axes[axis].size, false);
    const struct nadi_front after = {.ids = {shard}, .count = 1};
    const uint64_t all = shard ? gather(e, parameters, axis, &after) : 0;
    return all ? all : shard;
}

static void issue(struct nadi_emit *e, struct nadi_fetch *f)
{
    const struct weights w = weights_of(e, f->layer);
    const enum nadi_offload_flag experts =
        e->p->offload & NADI_OFFLOAD_EXPERTS ? NADI_OFFLOAD_EXPERTS : NADI_OFFLOAD_PARAMETERS;
    const bool whole = loads_dense(e->p) && lie_whole(e, NADI_OFFLOAD_PARAMETERS);
    f->issued = true;
    if (loads_dense(e->p) && e->p->remote_parameters == NADI_REMOTE_SHARDS) {
        f->ids[0] = load_shard(e, w.dense, NADI_AXIS_DP);
        f->ids[1] = load_shard(e, w.expert, NADI_AXIS_EDP);
        return;
    }
    if (loads_dense(e->p) && e->p->remote_parameters == NADI_REMOTE_IN_SWITCH) {
        f->ids[0] = load(e, w.dense, true);
        f->ids[1] = load(e, w.expert, false);
        return;
    }
    if (whole && w.dense + w.expert > 0) { /* and all at once */
        const struct nadi_emit_move move = {
            .op = NADI_MEM_LOADS,
            .flag = NADI_OFFLOAD_PARAMETERS,
            .bytes = nadi_count_trunc((w.dense + w.expert) * e->p->parameter_bytes)};
        f->ids[0] = nadi_emit_memory(e, "load parameters", &move, e->front.ids, e->front.count);
    }
    if (whole)
        return;
    f->ids[0] = fetch(e, f->first, w.dense, loads_dense(e->p) ? w.dense : 0,
                      NADI_OFFLOAD_PARAMETERS, NADI_AXIS_DP);
    f->ids[1] = fetch(e, f->first, w.expert, loads_experts(e->p) ? w.expert * active_share(e) : 0,
                      experts, NADI_AXIS_EDP);
}

static void plan_use(struct nadi_emit *e, uint32_t layer, bool first)
{
    struct nadi_fetch f = {.layer = layer, .first = first};
    NADI_PUSH(&e->fetches, f);
}

void nadi_emit_plan_fetches(struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_schedule *schedule = &study->schedule;
    const struct nadi_actions *list = &schedule->lists[e->rank];
    const bool every = gathers_every_pass(e->p) || loads_experts(e->p);
    e->fetches.count = e->fetches.used = 0;
    if (!every && !gathers_ahead(e->p))
        return;
    bool *seen = NADI_ZNEW(bool, schedule->stages);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct nadi_action *a = &list->items[i];
        const uint32_t number = nadi_schedule_stage(schedule, e->rank, a->chunk);
        const struct nadi_pipeline_stage stage =
            nadi_stage_of(e->p, &study->model, &e->variant->net, number);
        if (!every && (a->pass != NADI_PASS_FORWARD || seen[number]))
            continue;
        const bool first = !seen[number];
        seen[number] = true;
        if (loads_experts(e->p) && stage.count == 1 && i > 0 &&
            list->items[i - 1].pass == a->pass && list->items[i - 1].chunk == a->chunk)
            continue; /* the next micro-batch; the one layer is still there */
        for (uint32_t k = 0; k < stage.count; k++)
            plan_use(e,
                     a->pass == NADI_PASS_FORWARD ? stage.first + k
                                                  : stage.first + stage.count - 1 - k,
                     first);
    }
    nadi_mem_free(seen);
}

void nadi_emit_fetch(struct nadi_emit *e)
{
    const size_t use = e->fetches.used;
    if (use == e->fetches.count || e->fetches.items[use].layer != e->layer)
        return; /* already here */
    nadi_emit_flush(e);
    for (size_t i = use; i <= use + e->p->prefetch && i < e->fetches.count; i++)
        if (!e->fetches.items[i].issued)
            issue(e, &e->fetches.items[i]);
    for (int k = 0; k < 2; k++)
        nadi_emit_join(e, e->fetches.items[use].ids[k]);
    e->fetches.used++;
}

/* ---- gradients ----------------------------------------------------------------------------- */

/* With ZeRO 2 and 3 gradients leave when replicas have reduced them, a share each; else before. */
static bool stores_shares(const struct nadi_emit *e)
{
    return e->p->zero >= 2 && !lie_whole(e, NADI_OFFLOAD_GRADIENTS);
}

static bool stores_gradients(const struct nadi_model_plan *p)
{
    return p->streaming || (p->offload & NADI_OFFLOAD_GRADIENTS);
}

static void store(struct nadi_emit *e, double parameters, bool in_switch,
                  const struct nadi_front *after)
{
    const uint64_t bytes = nadi_count_trunc(parameters * e->p->gradient_bytes);
    if (bytes == 0)
        return;
    const uint64_t id = (in_switch ? nadi_trace_build_in_switch : nadi_trace_build_memory)(
        &e->build, "store gradients", NADI_NODE_MEM_STORE, bytes, after->ids, after->count);
    NADI_PUSH(&e->reduced, id);
}

static void reduce(struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    const uint64_t bytes = nadi_count_trunc(parameters * e->p->gradient_bytes);
    const struct nadi_transfer t = {
        e->p->zero ? NADI_TRANSFER_REDUCE_SCATTER : NADI_TRANSFER_ALL_REDUCE, bytes};
    const uint64_t id = nadi_emit_transfer(e, "reduce gradients", axis, &t, &e->front);
    if (id)
        NADI_PUSH(&e->reduced, id);
    if (stores_gradients(e->p) && e->p->remote_parameters == NADI_REMOTE_SHARDS) {
        const struct nadi_front reduced = {.ids = {id}, .count = 1};
        store(e, parameters / e->s->comm_groups.axes[axis].size, false, id ? &reduced : &e->front);
    }
    if (!stores_shares(e) || bytes == 0)
        return;
    const struct nadi_emit_move move = {.op = NADI_MEM_STORES,
                                        .flag = NADI_OFFLOAD_GRADIENTS,
                                        .bytes = bytes / e->s->comm_groups.axes[axis].size};
    const uint64_t stored = nadi_emit_memory(e, "store gradients", &move, id ? &id : e->front.ids,
                                             id ? 1 : e->front.count);
    NADI_PUSH(&e->reduced, stored);
}

static void send_bucket(struct nadi_emit *e)
{
    nadi_emit_flush(e);
    reduce(e, (double)e->bucket[0], NADI_AXIS_DP);
    reduce(e, (double)e->bucket[1], NADI_AXIS_EDP);
    e->bucket[0] = e->bucket[1] = 0;
}

static bool reduces_every_pass(const struct nadi_model_plan *p)
{
    return p->zero >= 2; /* whole gradients are kept nowhere */
}

void nadi_emit_end_gradients(struct nadi_emit *e)
{
    const size_t before = e->reduced.count;
    if (!reduces_every_pass(e->p) || e->bucket[0] + e->bucket[1] == 0)
        return;
    send_bucket(e);
    for (size_t i = before; i < e->reduced.count && !e->p->overlap_gradients; i++)
        nadi_emit_join(e, e->reduced.items[i]); /* the next pass waits */
}

void nadi_emit_reduce(struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_model_plan *p = e->p;
    const struct weights w = weights_of(e, layer);
    const bool wafer = nadi_study_wafer_io(e->s->study);
    if (wafer && !e->last_micro)
        return; /* they are added up on the NPU, and leave once */
    if (stores_gradients(p) && p->remote_parameters == NADI_REMOTE_IN_SWITCH) {
        nadi_emit_flush(e);
        store(e, w.dense, true, &e->front);
        store(e, w.expert, false, &e->front);
        return;
    }
    if (stores_gradients(p) && p->remote_parameters == NADI_REMOTE_WHOLE && !stores_shares(e)) {
        const uint64_t bytes = nadi_count_trunc((w.dense + w.expert) * p->gradient_bytes);
        nadi_emit_flush(e);
        if (bytes) {
            const struct nadi_emit_move move = {
                .op = NADI_MEM_STORES, .flag = NADI_OFFLOAD_GRADIENTS, .bytes = bytes};
            const uint64_t id =
                nadi_emit_memory(e, "store gradients", &move, e->front.ids, e->front.count);
            NADI_PUSH(&e->reduced, id);
        }
    }
    if (wafer || (!e->last_micro && !reduces_every_pass(p)))
        return;
    e->bucket[0] += nadi_count_trunc(w.dense);
    e->bucket[1] += nadi_count_trunc(w.expert);
    const double bytes = (double)(e->bucket[0] + e->bucket[1]) * p->gradient_bytes;
    if (p->overlap_gradients && bytes > 0 && bytes >= p->bucket_bytes)
        send_bucket(e);
}

/* ---- optimizer ----------------------------------------------------------------------------- */

static void reduce_tied(struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const bool ends = e->rank == 0 || e->rank + 1 == e->p->pp;
    if (!study->grid.tied || !ends)
        return;
    const uint64_t rows = nadi_vocab_rows(study->model.vocab, e->p->tp);
    const struct nadi_transfer t = {NADI_TRANSFER_ALL_REDUCE,
                                    rows * study->model.hidden * e->p->gradient_bytes};
    nadi_emit_join(
        e, nadi_emit_transfer(e, "reduce embedding gradients", NADI_AXIS_TIED, &t, &e->front));
}

static struct weights all_weights(const struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_schedule *schedule = &study->schedule;
    struct weights all = {0};
    for (uint32_t c = 0; c < schedule->chunks; c++) {
        const struct nadi_pipeline_stage stage = nadi_stage_of(
            e->p, &study->model, &e->variant->net, nadi_schedule_stage(schedule, e->rank, c));
        const struct nadi_stage_weights w =
            nadi_stage_weights(&study->model, &e->variant->net, &stage, e->p);
        all.dense += (double)w.dense;
        all.expert += nadi_model_updates_rows(&study->model) ? 0 : (double)w.expert;
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

static uint64_t move_states(struct nadi_emit *e, bool load, double bytes, const uint64_t *after,
                            size_t count)
{
    const struct nadi_emit_move move = {.op = load ? NADI_MEM_LOADS : NADI_MEM_STORES,
                                        .flag = NADI_OFFLOAD_OPTIMIZER,
                                        .bytes = nadi_count_trunc(bytes) + 1};
    return nadi_emit_memory(e, load ? "load optimizer states" : "store optimizer states", &move,
                            after, count);
}

enum { MOST_BUCKETS = 64, USUAL_BUCKETS = 8 };

uint32_t nadi_step_state_buckets(const struct nadi_model_plan *p, double bytes)
{
    const double bucket = p->bucket_bytes > 0 ? p->bucket_bytes : bytes / USUAL_BUCKETS;
    return (uint32_t)nadi_min_u64(MOST_BUCKETS,
                                  nadi_count_trunc(ceil(bytes / fmax(bucket, 1))) + 1);
}

/* States in buckets: while one is updated the next comes and the one before leaves. */
static void update_in_buckets(struct nadi_emit *e, const struct nadi_work *w, double bytes)
{
    const uint32_t count = nadi_step_state_buckets(e->p, bytes);
    uint64_t loaded = 0, updated = 0, before = 0, stored = 0;
    for (uint32_t i = 0; i < e->front.count; i++)
        NADI_PUSH(&e->reduced, e->front.ids[i]);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t room[] = {loaded, before}; /* two buckets lie with the device */
        loaded = move_states(e, true, bytes / count, i ? room : e->reduced.items,
                             i ? 2 : e->reduced.count);
        const uint64_t after[] = {loaded, updated};
        before = updated;
        updated = nadi_trace_build_compute(&e->build, "optimizer", nadi_count_round(w->ns / count),
                                           nadi_count_trunc(w->flops / count),
                                           nadi_count_trunc(w->bytes / count) + 1, after, 2);
        const uint64_t done[] = {updated, stored};
        stored = move_states(e, false, bytes / count, done, 2);
    }
    e->reduced.count = 0;
    nadi_emit_follow(e, stored);
}

void nadi_emit_update(struct nadi_emit *e)
{
    const struct nadi_model_plan *p = e->p;
    nadi_emit_flush(e);
    if (nadi_study_wafer_io(e->s->study)) {
        e->reduced.count = 0;
        return; /* the optimizer runs where the weights are */
    }
    if (e->bucket[0] + e->bucket[1] > 0)
        send_bucket(e);
    reduce_tied(e);
    const struct weights all = all_weights(e);
    const double own = p->zero ? all.dense / nadi_plan_replicas(p, false) +
                                     all.expert / nadi_plan_replicas(p, true)
                               : all.dense + all.expert;
    const bool away = p->streaming || (p->offload & NADI_OFFLOAD_OPTIMIZER);
    const struct nadi_work w =
        nadi_optimizer_cost(p, own, e->s->has_device ? &e->s->compute.optimizer : NULL);
    const double bytes = own * p->optimizer_bytes;
    if (away && nadi_emit_tier(e, NADI_OFFLOAD_OPTIMIZER)) {
        update_in_buckets(e, &w, bytes);
    } else {
        if (away)
            nadi_emit_follow(e, move_states(e, true, bytes, e->front.ids, e->front.count));
        nadi_emit_follow(e, put_update(e, &w));
        if (away)
            nadi_emit_follow(e, move_states(e, false, bytes, e->front.ids, e->front.count));
    }
    if ((p->zero == 1 || p->zero == 2) && !p->overlap_parameters) {
        const uint64_t dense = gather(e, all.dense, NADI_AXIS_DP, &e->front);
        const uint64_t expert = gather(e, all.expert, NADI_AXIS_EDP, &e->front);
        nadi_emit_join(e, dense);
        nadi_emit_join(e, expert);
    }
}

/* ---- what lies in tiers from the start ----------------------------------------------------- */

static void lay_down(struct nadi_emit *e, enum nadi_offload_flag flag, double bytes)
{
    const struct nadi_emit_move move = {
        .op = NADI_MEM_ALLOC, .flag = flag, .bytes = nadi_count_trunc(bytes)};
    if (nadi_emit_tier(e, flag) && move.bytes)
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
    const struct weights all = all_weights(e);
    const double dense = nadi_plan_replicas(p, false), expert = nadi_plan_replicas(p, true);
    const bool apart = p->offload & NADI_OFFLOAD_EXPERTS;
    double d[4], x[4]; /* by the ZeRO stage from which it is a share */
    for (uint32_t stage = 0; stage < 4; stage++) {
        const bool split = stage > 0 && p->zero >= stage;
        d[stage] = all.dense / (split ? dense : 1);
        x[stage] = all.expert / (split ? expert : 1);
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
