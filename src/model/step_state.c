/* step_state: what replicas and remote memory do for a layer: parameters arrive before a pass,
 * gradients leave after it. */
#include "base/mem.h"
#include "base/time.h"
#include "model/memory.h"
#include "model/step_emit.h"

#include <math.h>

struct weights {
    double dense, expert;
};

/* Parameters of a layer on this rank. */
static struct weights weights_of(const struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_model *m = &e->s->study->model;
    const struct nadi_stage_weights w =
        nadi_pipeline_layer_weights(e->p, m, &e->variant->net, layer);
    return (struct weights){.dense = (double)w.dense, .expert = m->experts ? (double)w.expert : 0};
}

bool nadi_emit_lies_whole(const struct nadi_emit *e, enum nadi_offload_flag flag)
{
    return !nadi_emit_tier(e, flag) || nadi_plan_says(e->p, "remote-parameters");
}

bool nadi_step_uses_remote(const struct nadi_model_plan *p)
{
    return nadi_plan_away(p) != 0;
}

static bool loads_dense(const struct nadi_model_plan *p)
{
    return nadi_plan_away(p) & NADI_OFFLOAD_PARAMETERS;
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

/* A replica's share of so many parameters: as many for each, which frameworks see to by padding. */
static uint64_t share_padded(const struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    return nadi_count_trunc(ceil(parameters / e->s->comm_groups.axes[axis].size));
}

uint64_t nadi_emit_gather(struct nadi_emit *e, double parameters, enum nadi_axis axis,
                          const struct nadi_front *after)
{
    const struct nadi_transfer t = {
        NADI_TRANSFER_ALL_GATHER,
        nadi_count_trunc((double)share_padded(e, parameters, axis) * e->p->parameter_bytes)};
    return nadi_emit_transfer(e, "gather parameters", axis, &t, after);
}

uint64_t nadi_emit_store_rest(struct nadi_emit *e, enum nadi_offload_flag flag, double parameters,
                              enum nadi_axis axis, uint64_t gathered)
{
    const double others = 1 - 1.0 / e->s->comm_groups.axes[axis].size;
    const struct nadi_emit_move move = {
        .op = NADI_MEM_STORES,
        .flag = flag,
        .bytes = nadi_count_trunc(parameters * others * e->p->parameter_bytes)};
    if (!gathered || !move.bytes || !(nadi_plan_away(e->p) & flag))
        return 0;
    return nadi_emit_memory(e, "store parameters", &move, &gathered, 1);
}

/* Of two lists by layer, each of what is dense and of experts. */
static uint64_t *of_layer(struct nadi_by_layer *list, uint32_t layer, int which)
{
    while (list->count < 2 * ((size_t)layer + 1))
        NADI_PUSH(list, 0);
    return &list->items[2 * layer + (uint32_t)which];
}

struct fetched { /* what is dense of a layer, or its experts */
    double all;  /* on this rank, before ZeRO splits them */
    double load; /* of them what a pass loads; 0: they lie with the device */
    enum nadi_offload_flag flag;
    enum nadi_axis axis;
};

/* Parameters from where they lie, and, where replicas split them, from these; the last node. Where
 * each has updated a share, that of the others is with them at the first use in a step: then it is
 * stored beside the own one. */
static uint64_t fetch(struct nadi_emit *e, const struct nadi_fetch *f, const struct fetched *w)
{
    const int which = w->axis == NADI_AXIS_EDP;
    const uint32_t replicas = e->s->comm_groups.axes[w->axis].size;
    const bool every = gathers_every_pass(e->p);
    const bool ahead = f->first && gathers_ahead(e->p) && replicas > 1;
    const double load = every                  ? w->load / replicas
                        : ahead && w->load > 0 ? w->all / replicas
                                               : w->load;
    const struct nadi_emit_move move = {.op = NADI_MEM_LOADS,
                                        .flag = w->flag,
                                        .bytes = nadi_count_trunc(load * e->p->parameter_bytes)};
    struct nadi_front after = e->front;
    uint64_t last = 0;
    if (w->load > 0) {
        uint64_t ids[NADI_FRONT + 1];
        memcpy(ids, e->front.ids, e->front.count * sizeof(*ids));
        ids[e->front.count] = *of_layer(&e->written, f->layer, which);
        last = nadi_emit_memory(e, "load parameters", &move, ids, e->front.count + 1);
        after = (struct nadi_front){.ids = {last}, .count = 1};
    }
    const uint64_t gathered = every || ahead ? nadi_emit_gather(e, w->all, w->axis, &after) : 0;
    if (ahead && w->load > 0) {
        const uint64_t rest = nadi_emit_store_rest(e, w->flag, w->all, w->axis, gathered);
        *of_layer(&e->written, f->layer, which) = rest;
        if (rest)
            NADI_PUSH(&e->reduced, rest);
    }
    return gathered ? gathered : last;
}

/* Of a layer's experts on this rank those that its kernels read. */
static double active_share(const struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_layer_kind *kind = nadi_net_layer(&e->variant->net, layer);
    const uint32_t experts = e->s->study->model.experts;
    if (!(e->p->offload & NADI_OFFLOAD_EXPERTS))
        return 1;
    for (uint32_t i = 0; i < kind->op_count; i++)
        if (kind->ops[i].kind == NADI_OP_GEMM && (kind->ops[i].flags & NADI_OP_EXPERT))
            return (double)kind->ops[i].count * e->p->ep / experts;
    return 1;
}

static uint64_t load(struct nadi_emit *e, double parameters, bool in_switch)
{
    const uint64_t bytes = nadi_count_trunc(parameters * e->p->parameter_bytes);
    if (bytes == 0)
        return 0;
    const struct nadi_emit_move move = {
        .op = NADI_MEM_LOADS, .flag = NADI_OFFLOAD_PARAMETERS, .bytes = bytes};
    if (!in_switch)
        return nadi_emit_memory(e, "load parameters", &move, e->front.ids, e->front.count);
    return nadi_trace_build_in_switch(&e->build, "load parameters", NADI_NODE_MEM_LOAD, bytes,
                                      e->front.ids, e->front.count);
}

/* Own shards, then those of the replicas. */
static uint64_t load_shard(struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    const uint64_t shard = load(e, parameters / e->s->comm_groups.axes[axis].size, false);
    const struct nadi_front after = {.ids = {shard}, .count = 1};
    const uint64_t all = shard ? nadi_emit_gather(e, parameters, axis, &after) : 0;
    return all ? all : shard;
}

static void issue(struct nadi_emit *e, struct nadi_fetch *f)
{
    const struct weights w = weights_of(e, f->layer);
    const enum nadi_offload_flag experts = nadi_plan_experts_part(e->p);
    const bool whole = loads_dense(e->p) && nadi_emit_lies_whole(e, NADI_OFFLOAD_PARAMETERS);
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
    const struct fetched parts[] = {
        {w.dense, loads_dense(e->p) ? w.dense : 0, NADI_OFFLOAD_PARAMETERS, NADI_AXIS_DP},
        {w.expert, loads_experts(e->p) ? w.expert * active_share(e, f->layer) : 0, experts,
         NADI_AXIS_EDP}};
    for (int k = 0; k < 2; k++)
        f->ids[k] = fetch(e, f, &parts[k]);
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
        const struct nadi_pipeline_stage stage = nadi_stage_of(e->p, &e->variant->net, number);
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

/* ---- gradients -----------------------------------------------------------------------------
 *
 * Gradients that do not stay leave behind each layer's pass; of later micro-batches those that lie
 * there come before the pass, are added to, and leave again. What replicas have added up leaves
 * last, with ZeRO a share each; with ZeRO 2 and 3 it is all that ever leaves. */

static bool moves_gradients(const struct nadi_model_plan *p)
{
    return nadi_plan_away(p) & NADI_OFFLOAD_GRADIENTS;
}

static bool adds_in_switch(const struct nadi_model_plan *p)
{
    return moves_gradients(p) && p->remote_parameters == NADI_REMOTE_IN_SWITCH;
}

/* Replicas reduce the gradients of every micro-batch: whole ones are kept nowhere. */
static bool reduces_every_pass(const struct nadi_emit *e)
{
    const struct nadi_model_plan *p = e->p;
    const bool shards = p->remote_parameters == NADI_REMOTE_SHARDS;
    return p->zero >= 2 &&
           (!moves_gradients(p) || shards || !nadi_emit_lies_whole(e, NADI_OFFLOAD_GRADIENTS));
}

static double share_of(const struct nadi_emit *e, enum nadi_axis axis, bool split)
{
    return split ? 1.0 / e->s->comm_groups.axes[axis].size : 1;
}

static uint64_t store_gradients(struct nadi_emit *e, double parameters, bool in_switch,
                                const struct nadi_front *after)
{
    const struct nadi_emit_move move = {.op = NADI_MEM_STORES,
                                        .flag = NADI_OFFLOAD_GRADIENTS,
                                        .bytes =
                                            nadi_count_trunc(parameters * e->p->gradient_bytes)};
    if (move.bytes == 0)
        return 0;
    const uint64_t id =
        in_switch ? nadi_trace_build_in_switch(&e->build, "store gradients", NADI_NODE_MEM_STORE,
                                               move.bytes, after->ids, after->count)
                  : nadi_emit_memory(e, "store gradients", &move, after->ids, after->count);
    NADI_PUSH(&e->reduced, id);
    return id;
}

/* These nodes, and the last one by which the bucket's sums so far came back: it follows the others.
 */
static struct nadi_front with_recalled(const struct nadi_emit *e, const struct nadi_front *front)
{
    struct nadi_front all = *front;
    nadi_emit_add_to(&all, e->is_recalled ? e->recall : 0);
    return all;
}

/* What the layers first to last have left in these nodes (or 0) lies there now. */
static void left(struct nadi_emit *e, uint32_t first, uint32_t last, const uint64_t ids[2])
{
    for (uint32_t layer = first; layer <= last; layer++)
        for (int k = 0; k < 2; k++)
            *of_layer(&e->given, layer, k) = ids[k];
    memcpy(e->left[1], e->left[0], sizeof(e->left[0]));
    memcpy(e->left[0], ids, sizeof(e->left[0]));
    e->is_recalled = false;
}

/* Gradients of a bucket among the replicas, dense ones or those of experts, and behind them the
 * store of what is this rank's; the node of that store or 0. */
static uint64_t reduce(struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    const struct nadi_model_plan *p = e->p;
    const struct nadi_transfer t = {
        p->zero ? NADI_TRANSFER_REDUCE_SCATTER : NADI_TRANSFER_ALL_REDUCE,
        share_padded(e, parameters, axis) * e->s->comm_groups.axes[axis].size * p->gradient_bytes};
    const bool sums = !reduces_every_pass(e); /* of all micro-batches */
    const struct nadi_front after = sums ? with_recalled(e, &e->front) : e->front;
    if (!(parameters > 0))
        return 0;
    const uint64_t id = nadi_emit_transfer(e, "reduce gradients", axis, &t, &after);
    if (id)
        NADI_PUSH(&e->reduced, id);
    if (!moves_gradients(p))
        return 0;
    const struct nadi_front reduced = {.ids = {id}, .count = 1};
    const struct nadi_front all = with_recalled(e, id ? &reduced : &after);
    if (!p->overlap_gradients) /* and nothing collects: the rank waits for each */
        nadi_emit_join(e, id);
    return store_gradients(e, parameters * share_of(e, axis, p->zero > 0), false, &all);
}

void nadi_emit_send_bucket(struct nadi_emit *e)
{
    if (e->bucket[0] + e->bucket[1] == 0)
        return;
    nadi_emit_flush(e);
    const struct nadi_front before = e->front;
    const uint64_t dense = reduce(e, (double)e->bucket[0], NADI_AXIS_DP);
    const struct nadi_front then = e->front;
    e->front = before;
    const uint64_t expert = reduce(e, (double)e->bucket[1], NADI_AXIS_EDP);
    for (uint32_t i = 0; i < then.count; i++)
        nadi_emit_join(e, then.ids[i]);
    if (moves_gradients(e->p))
        left(e, e->layer, e->bucket_from, (uint64_t[]){dense, expert});
    e->bucket[0] = e->bucket[1] = 0;
}

void nadi_emit_end_gradients(struct nadi_emit *e)
{
    const size_t before = e->reduced.count;
    if (!reduces_every_pass(e) && !moves_gradients(e->p))
        return;
    nadi_emit_send_bucket(e);
    for (size_t i = before; i < e->reduced.count && !e->p->overlap_gradients; i++)
        nadi_emit_join(e, e->reduced.items[i]); /* the next pass waits */
}

void nadi_emit_recall(struct nadi_emit *e)
{
    const struct weights w = weights_of(e, e->layer);
    const uint64_t given[] = {*of_layer(&e->given, e->layer, 0), *of_layer(&e->given, e->layer, 1)};
    const bool split = reduces_every_pass(e) || adds_in_switch(e->p);
    const double mine =
        w.dense * share_of(e, NADI_AXIS_DP, split) + w.expert * share_of(e, NADI_AXIS_EDP, split);
    const struct nadi_emit_move move = {.op = NADI_MEM_LOADS,
                                        .flag = NADI_OFFLOAD_GRADIENTS,
                                        .bytes = nadi_count_trunc(mine * e->p->gradient_bytes)};
    if (!moves_gradients(e->p) || nadi_study_wafer_io(e->s->study) || move.bytes == 0)
        return;
    nadi_emit_flush(e);
    for (int k = 0; k < 2; k++) /* the gradients of two buckets lie with the device */
        nadi_emit_join(e, e->left[1][k]);
    if (!given[0] && !given[1])
        return;                     /* the first of the step */
    uint64_t after[NADI_FRONT + 3]; /* one after the other, each beside the store before it */
    memcpy(after, e->front.ids, e->front.count * sizeof(*after));
    memcpy(&after[e->front.count], given, sizeof(given));
    after[e->front.count + 2] = e->recall;
    e->recall = nadi_emit_memory(e, "load gradients", &move, after, e->front.count + 3);
    e->is_recalled = true;
}

/* Of one micro-batch, before replicas have seen them. */
static void leave(struct nadi_emit *e, uint32_t layer, const struct weights *w)
{
    nadi_emit_flush(e);
    const bool in_switch = adds_in_switch(e->p);
    const struct nadi_front after = with_recalled(e, &e->front);
    uint64_t ids[2] = {0, 0};
    if (in_switch) {
        ids[0] = store_gradients(e, w->dense, true, &after);
        ids[1] = store_gradients(e, w->expert, false, &after);
    } else {
        ids[0] = store_gradients(e, w->dense + w->expert, false, &after);
    }
    left(e, layer, layer, ids);
}

void nadi_emit_reduce(struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_model_plan *p = e->p;
    const struct weights w = weights_of(e, layer);
    const bool wafer = nadi_study_wafer_io(e->s->study);
    const bool moves = moves_gradients(p);
    if (wafer) { /* they are added up on the NPU, and leave once */
        if (e->last_micro)
            leave(e, layer, &w);
        return;
    }
    if (adds_in_switch(p) || (moves && !e->last_micro && !reduces_every_pass(e))) {
        leave(e, layer, &w);
        return;
    }
    if (!e->last_micro && !reduces_every_pass(e))
        return;
    if (e->bucket[0] + e->bucket[1] == 0)
        e->bucket_from = layer;
    e->bucket[0] += nadi_count_trunc(w.dense);
    e->bucket[1] += nadi_count_trunc(w.expert);
    const double bytes = (double)(e->bucket[0] + e->bucket[1]) * p->gradient_bytes;
    if ((p->overlap_gradients || moves) && bytes > 0 && bytes >= p->bucket_bytes)
        nadi_emit_send_bucket(e);
}
