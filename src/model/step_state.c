/* step_state: what replicas and remote memory do for a layer: parameters arrive before a pass,
 * gradients leave after it, and the optimizer ends the step. */
#include "base/mem.h"
#include "base/time.h"
#include "model/step_emit.h"

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

bool nadi_step_uses_remote(const struct nadi_model_plan *p)
{
    return p->streaming || p->offload != 0;
}

static bool loads_parameters(const struct nadi_model_plan *p)
{
    return p->streaming || (p->offload & NADI_OFFLOAD_PARAMETERS);
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

static void issue(struct nadi_emit *e, struct nadi_fetch *f)
{
    const struct weights w = weights_of(e, f->layer);
    f->issued = true;
    if (loads_parameters(e->p) && w.dense + w.expert > 0) {
        f->ids[0] =
            nadi_trace_build_memory(&e->build, "load parameters", NADI_NODE_MEM_LOAD,
                                    nadi_count_trunc((w.dense + w.expert) * e->p->parameter_bytes),
                                    e->front.ids, e->front.count);
        return;
    }
    if (loads_parameters(e->p))
        return;
    f->ids[0] = gather(e, w.dense, NADI_AXIS_DP, &e->front);
    f->ids[1] = gather(e, w.expert, NADI_AXIS_EDP, &e->front);
}

static void plan_use(struct nadi_emit *e, uint32_t layer)
{
    struct nadi_fetch f = {.layer = layer};
    NADI_PUSH(&e->fetches, f);
}

void nadi_emit_plan_fetches(struct nadi_emit *e)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_schedule *schedule = &study->schedule;
    const struct nadi_actions *list = &schedule->lists[e->rank];
    const bool every = gathers_every_pass(e->p) || loads_parameters(e->p);
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
        seen[number] = true;
        if (loads_parameters(e->p) && stage.count == 1 && i > 0 &&
            list->items[i - 1].pass == a->pass && list->items[i - 1].chunk == a->chunk)
            continue; /* the next micro-batch; the one layer is still there */
        for (uint32_t k = 0; k < stage.count; k++)
            plan_use(e, a->pass == NADI_PASS_FORWARD ? stage.first + k
                                                     : stage.first + stage.count - 1 - k);
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

static void reduce(struct nadi_emit *e, double parameters, enum nadi_axis axis)
{
    const uint64_t bytes = nadi_count_trunc(parameters * e->p->gradient_bytes);
    const struct nadi_transfer t = {
        e->p->zero ? NADI_TRANSFER_REDUCE_SCATTER : NADI_TRANSFER_ALL_REDUCE, bytes};
    const uint64_t id = nadi_emit_transfer(e, "reduce gradients", axis, &t, &e->front);
    if (id)
        NADI_PUSH(&e->reduced, id);
}

static void send_bucket(struct nadi_emit *e)
{
    nadi_emit_flush(e);
    reduce(e, (double)e->bucket[0], NADI_AXIS_DP);
    reduce(e, (double)e->bucket[1], NADI_AXIS_EDP);
    e->bucket[0] = e->bucket[1] = 0;
}

void nadi_emit_reduce(struct nadi_emit *e, uint32_t layer)
{
    const struct nadi_model_plan *p = e->p;
    const struct weights w = weights_of(e, layer);
    const bool every = p->zero >= 2; /* whole gradients are kept nowhere */
    const bool wafer = nadi_study_wafer_io(e->s->study);
    if (wafer && !e->last_micro)
        return; /* they are added up on the NPU, and leave once */
    if (p->streaming || (p->offload & NADI_OFFLOAD_GRADIENTS)) {
        const uint64_t bytes = nadi_count_trunc((w.dense + w.expert) * p->gradient_bytes);
        nadi_emit_flush(e);
        if (bytes) {
            const uint64_t id =
                nadi_trace_build_memory(&e->build, "store gradients", NADI_NODE_MEM_STORE, bytes,
                                        e->front.ids, e->front.count);
            NADI_PUSH(&e->reduced, id);
        }
    }
    if (wafer || (!e->last_micro && !every))
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
    const uint64_t rows = (study->model.vocab + e->p->tp - 1) / e->p->tp;
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

static void move_states(struct nadi_emit *e, const char *name, enum nadi_node_type type,
                        double bytes)
{
    nadi_emit_follow(e, nadi_trace_build_memory(&e->build, name, type, nadi_count_trunc(bytes) + 1,
                                                e->front.ids, e->front.count));
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
    if (away)
        move_states(e, "load optimizer states", NADI_NODE_MEM_LOAD, own * p->optimizer_bytes);
    nadi_emit_follow(e, put_update(e, &w));
    if (away)
        move_states(e, "store optimizer states", NADI_NODE_MEM_STORE, own * p->optimizer_bytes);
    if ((p->zero == 1 || p->zero == 2) && !p->overlap_parameters) {
        const uint64_t dense = gather(e, all.dense, NADI_AXIS_DP, &e->front);
        const uint64_t expert = gather(e, all.expert, NADI_AXIS_EDP, &e->front);
        nadi_emit_join(e, dense);
        nadi_emit_join(e, expert);
    }
}
