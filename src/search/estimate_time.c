/* estimate_time: from the stages' passes to the end of the step. */
#include <math.h>

#include "base/time.h"
#include "search/estimate_inside.h"

static bool loads_parameters(const struct nadi_estimator *e)
{
    return e->plan.offload & NADI_OFFLOAD_PARAMETERS;
}

static double load_ns(const struct nadi_estimator *e, unsigned flag, double bytes)
{
    return nadi_remote_ns(&e->remote, flag, false, bytes);
}

static double store_ns(const struct nadi_estimator *e, unsigned flag, double bytes)
{
    return nadi_remote_ns(&e->remote, flag, true, bytes);
}

/* Of a layer's parameters or gradients, what is moved: a replica's share where ZeRO splits them. */
static double moved(const struct nadi_estimator *e, double dense, double expert, bool split)
{
    return dense / (split ? e->axes.size[NADI_AXIS_DP] : 1) +
           expert / (split ? e->axes.size[NADI_AXIS_EDP] : 1);
}

static double load_parameters_ns(const struct nadi_estimator *e, const struct nadi_kind_values *v)
{
    return load_ns(e, NADI_OFFLOAD_PARAMETERS,
                   moved(e, v->dense, v->expert, e->plan.zero == 3) * e->plan.parameter_bytes);
}

/* last: what replicas have added up. */
static double store_gradients_ns(const struct nadi_estimator *e, const struct nadi_kind_values *v,
                                 bool last)
{
    return store_ns(e, NADI_OFFLOAD_GRADIENTS,
                    moved(e, v->dense, v->expert, e->plan.zero >= (last ? 1 : 2)) *
                        e->plan.gradient_bytes);
}

static double load_gradients_ns(const struct nadi_estimator *e, const struct nadi_kind_values *v)
{
    return load_ns(e, NADI_OFFLOAD_GRADIENTS,
                   moved(e, v->dense, v->expert, e->plan.zero >= 2) * e->plan.gradient_bytes);
}

static double transfer_ns(struct nadi_estimator *e, enum nadi_axis axis,
                          enum nadi_transfer_kind kind, double bytes)
{
    const struct nadi_transfer t = {kind, nadi_count_trunc(bytes)};
    const struct nadi_transfers_group group = {e->axes.size[axis], e->axes.stride[axis]};
    return nadi_transfers_ns(e->transfers, &group, &t);
}

static double gather_ns(struct nadi_estimator *e, double dense, double expert)
{
    const double width = e->plan.parameter_bytes;
    return transfer_ns(e, NADI_AXIS_DP, NADI_TRANSFER_ALL_GATHER,
                       dense * width / e->axes.size[NADI_AXIS_DP]) +
           transfer_ns(e, NADI_AXIS_EDP, NADI_TRANSFER_ALL_GATHER,
                       expert * width / e->axes.size[NADI_AXIS_EDP]);
}

static double reduce_ns(struct nadi_estimator *e, double dense, double expert)
{
    const enum nadi_transfer_kind kind =
        e->plan.zero ? NADI_TRANSFER_REDUCE_SCATTER : NADI_TRANSFER_ALL_REDUCE;
    return transfer_ns(e, NADI_AXIS_DP, kind, dense * e->plan.gradient_bytes) +
           transfer_ns(e, NADI_AXIS_EDP, kind, expert * e->plan.gradient_bytes);
}

void nadi_estimator_replicas(struct nadi_estimator *e)
{
    const struct nadi_search_shape *shape = nadi_estimator_now(e);
    for (uint32_t k = 0; k < e->kind_count; k++) {
        const struct nadi_kind_values *v = &shape->kinds[k];
        e->replicas[k].gather = e->plan.zero ? gather_ns(e, v->dense, v->expert) : 0;
        e->replicas[k].reduce = reduce_ns(e, v->dense, v->expert);
    }
}

/* ---- passes -------------------------------------------------------------------------------- */

struct step {
    struct nadi_estimator *e;
    const struct nadi_search_shape *shape;
    double late; /* by which the passes end, for the host's sake */
};

static double backward_of(const struct nadi_estimator *e, const struct nadi_search_shape *shape,
                          uint32_t kind)
{
    const struct nadi_layer_time *t = &shape->kinds[kind].time;
    if (e->plan.recompute == NADI_RECOMPUTE_SELECTIVE && e->body[kind])
        return t->backward_again.ns;
    return t->backward.ns +
           (e->plan.recompute == NADI_RECOMPUTE_FULL && e->body[kind] ? t->forward.ns : 0);
}

/* What a layer's pass of `work` waits for what was asked for `ahead` layers before and takes
 * `load`, where passes follow each other. shared: how long one of them holds up the next one; 0:
 * they share nothing. With one communication at a time a layer's own transfers wait, too. */
static double wait_of(const struct nadi_estimator *e, double load, double shared, double work,
                      uint32_t ahead, bool transfers)
{
    if (e->streams == 1 && transfers)
        return shared > load ? shared : load;
    const double each = ahead ? (load + work) / (ahead + 1.0) : load + work;
    return fmax(0, fmax(each, shared) - work);
}

/* Parameters that arrive layer by layer in every pass. */
static void late(const struct nadi_estimator *e, const struct nadi_search_shape *shape,
                 const struct nadi_stage_row *row, double *forward, double *backward)
{
    const struct nadi_model_plan *p = &e->plan;
    *forward = *backward = 0;
    for (uint32_t k = 0; k < e->kind_count; k++) {
        const struct nadi_kind_values *v = &shape->kinds[k];
        if (row->kinds[k] == 0)
            continue;
        const double gather = p->zero == 3 ? e->replicas[k].gather : 0;
        const double fetch = loads_parameters(e) ? load_parameters_ns(e, v) : 0;
        const double reduce = p->zero == 3 && p->overlap_gradients ? e->replicas[k].reduce : 0;
        const double load = fetch + gather;
        /* of what follows one another: on the way to the host, and among replicas */
        const double shared = fmax(fetch, gather), back = fmax(fetch, gather + reduce);
        const double f = v->time.forward.ns, b = backward_of(e, shape, k);
        const double count = row->kinds[k];
        *forward += count * wait_of(e, load, shared, f, p->prefetch, v->time.transfers);
        *backward += count * wait_of(e, load, back, b, p->prefetch, v->time.transfers);
    }
}

/* Activations are stored behind each layer, which waits for the store of the layer before. */
static double late_stores(const struct nadi_estimator *e, const struct nadi_search_shape *shape,
                          const struct nadi_stage_row *row)
{
    double ns = 0;
    for (uint32_t k = 0; k < e->kind_count; k++)
        if (row->kinds[k] && (e->plan.offload & NADI_OFFLOAD_ACTIVATIONS))
            ns += row->kinds[k] * fmax(0, store_ns(e, NADI_OFFLOAD_ACTIVATIONS,
                                                   shape->kinds[k].kept[e->plan.recompute]) -
                                              shape->kinds[k].time.forward.ns);
    return ns;
}

/* They are loaded a layer ahead; the first ones of a pass nothing hides. */
static double late_activations(const struct nadi_estimator *e,
                               const struct nadi_search_shape *shape,
                               const struct nadi_stage_row *row)
{
    double ns = 0;
    if (!(e->plan.offload & NADI_OFFLOAD_ACTIVATIONS) || row->count == 0)
        return 0;
    const uint32_t last = e->layers[row->first + row->count - 1];
    for (uint32_t k = 0; k < e->kind_count; k++) {
        const double load =
            load_ns(e, NADI_OFFLOAD_ACTIVATIONS, shape->kinds[k].kept[e->plan.recompute]);
        if (row->kinds[k])
            ns +=
                (row->kinds[k] - (k == last ? 1.0 : 0)) *
                wait_of(e, load, load, backward_of(e, shape, k), 1, shape->kinds[k].time.transfers);
    }
    return ns + load_ns(e, NADI_OFFLOAD_ACTIVATIONS, shape->kinds[last].kept[e->plan.recompute]);
}

/* What a layer's gradients take to leave, on average of the micro-batches: those so far come beside
 * the layer before that leaves. */
static double gradients_ns(const struct nadi_estimator *e, const struct nadi_kind_values *v)
{
    const double before = (double)e->plan.micro_batches - 1, load = load_gradients_ns(e, v);
    const double each = fmax(load, store_gradients_ns(e, v, false));
    const double last = store_gradients_ns(e, v, true);
    return (before * each + fmax(before > 0 ? load : 0, last)) / (before + 1);
}

/* Two layers' gradients lie with the device: a third waits for the store of the first. */
static double late_gradients(const struct nadi_estimator *e, const struct nadi_search_shape *shape,
                             const struct nadi_stage_row *row)
{
    double ns = 0;
    for (uint32_t k = 0; k < e->kind_count; k++)
        if (row->kinds[k] && (e->plan.offload & NADI_OFFLOAD_GRADIENTS))
            ns += row->kinds[k] *
                  fmax(0, gradients_ns(e, &shape->kinds[k]) - backward_of(e, shape, k));
    return ns;
}

static void passes(const struct step *s)
{
    struct nadi_estimator *e = s->e;
    for (uint32_t i = 0; i < e->stages; i++) {
        const struct nadi_stage_row *row = &e->rows[i];
        double forward = 0, backward = 0;
        if (e->plan.zero == 3 || loads_parameters(e))
            late(e, s->shape, row, &forward, &backward);
        e->forward[i] = e->values[i].forward + forward + late_stores(e, s->shape, row);
        e->backward[i] = e->values[i].backward + backward + late_activations(e, s->shape, row) +
                         late_gradients(e, s->shape, row);
    }
    const uint32_t pp = e->plan.pp, stride = e->axes.stages;
    for (uint32_t r = 0; r < pp; r++)
        e->send[r] =
            pp == 1 ? 0
                    : nadi_transfers_message_ns(e->transfers, r * stride, (r + 1) % pp * stride,
                                                s->shape->boundary_bytes);
}

/* ---- replicas ------------------------------------------------------------------------------ */

/* What of the reductions of a rank is left after its last backward pass. Each follows its layer and
 * the one before it; chunks come from the last one on, a round of micro-batches apart. */
static double left_gradients(const struct step *s, uint32_t rank)
{
    struct nadi_estimator *e = s->e;
    const struct nadi_model_plan *p = &e->plan;
    double now = 0, chain = 0, bytes = 0, waiting = 0, all = 0, dense = 0, expert = 0;
    for (uint32_t c = p->vp; c-- > 0;) {
        const struct nadi_stage_row *row = &e->rows[c * p->pp + rank];
        for (uint32_t i = row->first + row->count; i-- > row->first;) {
            const uint32_t kind = e->layers[i];
            const struct nadi_kind_values *v = &s->shape->kinds[kind];
            now += backward_of(e, s->shape, kind);
            bytes += (v->dense + v->expert) * p->gradient_bytes;
            waiting += e->replicas[kind].reduce;
            all += e->replicas[kind].reduce;
            dense += v->dense;
            expert += v->expert;
            if (!p->overlap_gradients || bytes < p->bucket_bytes)
                continue;
            chain = fmax(chain, now) + waiting;
            bytes = waiting = 0;
        }
        if (c > 0)
            now += (p->pp - 1) * e->backward[c * p->pp + rank];
    }
    /* without overlap one after the step; of every micro-batch where gradients are split */
    const double times = p->zero >= 2 ? (double)p->micro_batches : 1;
    if (!p->overlap_gradients)
        return times * reduce_ns(e, dense, expert);
    chain = fmax(chain, now) + waiting;
    /* zero 2: all micro-batches' reductions go one after another */
    double work = 0;
    for (uint32_t c = 0; c < p->vp; c++)
        work += e->forward[c * p->pp + rank] + e->backward[c * p->pp + rank];
    if (p->zero == 2)
        chain += fmax(0, (double)(p->micro_batches - 1) * (all - work));
    return fmax(0, chain - now);
}

/* Parameters that come in every pass: those of the first layer of a stage's first pass. */
static double first_load(const struct step *s, uint32_t stage)
{
    const struct nadi_estimator *e = s->e;
    if (e->rows[stage].count == 0)
        return 0;
    const uint32_t kind = e->layers[e->rows[stage].first];
    const struct nadi_kind_values *v = &s->shape->kinds[kind];
    return (loads_parameters(e) ? load_parameters_ns(e, v) : 0) +
           (e->plan.zero == 3 ? e->replicas[kind].gather : 0);
}

/* zero 1 and 2: parameters are gathered before a stage's first pass, `prefetch` layers ahead. */
static double late_first(const struct step *s, uint32_t stage)
{
    const struct nadi_estimator *e = s->e;
    const struct nadi_stage_row *row = &e->rows[stage];
    const uint32_t end = row->first + row->count;
    double now = 0, chain = 0, alone = 0;
    uint32_t issued = row->first;
    double ready[64]; /* when the gathers ahead are over, by layer */
    for (uint32_t i = row->first; i < end; i++) {
        for (; issued < end && issued <= i + e->plan.prefetch && issued < i + 63; issued++) {
            chain = fmax(chain, now) + e->replicas[e->layers[issued]].gather;
            ready[issued % 64] = chain;
        }
        const double f = s->shape->kinds[e->layers[i]].time.forward.ns;
        now = fmax(now, ready[i % 64]) + f;
        alone += f;
    }
    return now - alone;
}

static double late_parameters(const struct step *s)
{
    const struct nadi_estimator *e = s->e;
    const struct nadi_model_plan *p = &e->plan;
    double down = 0, most = 0;
    if (loads_parameters(e) || p->zero == 3) {
        for (uint32_t r = 0; r < p->pp; r++)
            down += first_load(s, r);
        return down;
    }
    if (p->zero == 0 || !p->overlap_parameters)
        return 0;
    for (uint32_t r = 0; r < p->pp; r++) {
        double others = 0;
        down += late_first(s, r);
        for (uint32_t c = 1; c < p->vp; c++)
            others += late_first(s, c * p->pp + r);
        most = fmax(most, others);
    }
    return down + most;
}

/* ---- the end ------------------------------------------------------------------------------- */

struct rank_end {
    double gradients, optimizer, remote, gathers;
};

static struct nadi_stage_weights weights_of(const struct nadi_estimator *e, uint32_t rank)
{
    struct nadi_stage_weights all = {0};
    for (uint32_t c = 0; c < e->plan.vp; c++) {
        const struct nadi_stage_weights *w = &e->values[c * e->plan.pp + rank].weights;
        all.dense += w->dense;
        all.expert += nadi_model_updates_rows(&e->study->model) ? 0 : w->expert;
    }
    return all;
}

/* What moves for the optimizer: of two buckets one is updated and leaves while the other comes. */
static double update_ns(const struct nadi_estimator *e, const struct nadi_update *u, double ns)
{
    double load = 0, store = 0;
    for (int i = 0; i < NADI_UPDATE_MOVES; i++) {
        const struct nadi_update_move *m = &u->moves[i];
        load += m->load ? load_ns(e, m->flag, m->bytes / u->buckets) : 0;
        store += m->store ? store_ns(e, m->flag, m->bytes / u->buckets) : 0;
    }
    const double update = ns / u->buckets;
    const double each = fmax(fmax(load, store), fmax(update, (load + update + store) / 2));
    return load + (u->buckets - 1) * each + update + store;
}

static struct rank_end end_of(const struct step *s, uint32_t rank)
{
    struct nadi_estimator *e = s->e;
    const struct nadi_model_plan *p = &e->plan;
    const struct nadi_stage_weights w = weights_of(e, rank);
    const double dense = (double)w.dense, expert = (double)w.expert;
    const struct nadi_update u = nadi_update_of(p, dense, expert);
    struct rank_end end = {
        .gradients = left_gradients(s, rank),
        .optimizer = nadi_optimizer_cost(p, u.own[0] + u.own[1], &e->compute.optimizer).ns,
    };
    if (p->offload & NADI_OFFLOAD_GRADIENTS)
        end.remote =
            fmax(0, store_gradients_ns(e, &s->shape->kinds[e->layers[e->rows[rank].first]], true) -
                        end.gradients);
    if (u.buckets)
        end.remote += update_ns(e, &u, end.optimizer) - end.optimizer;
    if ((p->zero == 1 || p->zero == 2) && !p->overlap_parameters)
        end.gathers = gather_ns(e, dense, expert);
    return end;
}

/* Gradients of the embedding, from one end of the pipeline to the other; 0: one end has it. */
static double tied_ns(const struct nadi_estimator *e)
{
    const struct nadi_model_plan *p = &e->plan;
    const bool moves = p->offload & NADI_OFFLOAD_GRADIENTS;
    if (!nadi_plan_copies_embedding(p, &e->study->model))
        return 0;
    const double bytes = nadi_copied_gradients(p, &e->study->model);
    return nadi_transfers_message_ns(e->transfers, 0, (p->pp - 1) * e->axes.stages,
                                     nadi_count_trunc(bytes)) +
           (moves ? load_ns(e, NADI_OFFLOAD_GRADIENTS, bytes) +
                        store_ns(e, NADI_OFFLOAD_GRADIENTS, bytes)
                  : 0);
}

static void fill(struct nadi_estimate *out, const struct step *s, uint32_t rank, double ns,
                 double first, const struct rank_end *end)
{
    const struct nadi_estimator *e = s->e;
    double compute = 0, plain = 0, late = 0;
    for (uint32_t c = 0; c < e->plan.vp; c++) {
        const uint32_t i = c * e->plan.pp + rank;
        compute += e->values[i].compute;
        plain += e->values[i].forward + e->values[i].backward;
        late += e->forward[i] + e->backward[i];
    }
    const double m = (double)e->plan.micro_batches;
    const bool gathers = e->plan.zero == 3 && !e->plan.offload;
    out->ns = ns;
    out->parts[NADI_STEP_COMPUTE] = m * compute;
    out->parts[NADI_STEP_TRANSFERS] = m * (plain - compute);
    out->parts[NADI_STEP_PARAMETERS] = first + end->gathers + (gathers ? m * (late - plain) : 0);
    out->parts[NADI_STEP_REMOTE] = end->remote + (gathers ? 0 : m * (late - plain));
    out->parts[NADI_STEP_GRADIENTS] = end->gradients;
    out->parts[NADI_STEP_OPTIMIZER] = end->optimizer;
    out->parts[NADI_STEP_HOST] = s->late;
    double sum = 0;
    for (int i = 0; i < NADI_STEP_PARTS; i++)
        sum += i == NADI_STEP_PIPELINE ? 0 : out->parts[i];
    out->parts[NADI_STEP_PIPELINE] = ns - sum;
}

/* When the passes are over whose kernels the hosts launch one after another, ahead of the devices:
 * not before the last launch of any rank. */
static double launched_ns(const struct nadi_estimator *e)
{
    double most = 0, earlier = 0; /* than the first rank */
    for (uint32_t r = 0; r < e->plan.pp; r++) {
        double host = 0;
        for (uint32_t c = 0; c < e->plan.vp; c++)
            host += e->values[c * e->plan.pp + r].host;
        most = fmax(most, (double)e->plan.micro_batches * host + (host > 0 ? earlier : 0));
        earlier += e->backward[r] + e->send[r];
    }
    return most;
}

/* What no order of passes can hide: a rank's own passes, one after another, behind the forward
 * passes of the ranks before it and before their backward passes of the last micro-batch. */
static void bound(const struct nadi_estimator *e, struct nadi_estimate *out)
{
    const struct nadi_model_plan *p = &e->plan;
    const double m = (double)p->micro_batches;
    const bool in_order = p->schedule == NADI_SCHEDULE_1F1B || p->schedule == NADI_SCHEDULE_GPIPE ||
                          p->schedule == NADI_SCHEDULE_INTERLEAVED;
    double kernels = 0, passes = 0; /* of the ranks before */
    if (p->schedule == NADI_SCHEDULE_DUALPIPE)
        return; /* micro-batches enter at both ends */
    for (uint32_t r = 0; r < p->pp; r++) {
        double own_kernels = 0, own_passes = 0;
        for (uint32_t c = 0; c < p->vp; c++) {
            const struct nadi_stage_values *v = &e->values[c * p->pp + r];
            own_kernels += v->compute;
            own_passes += v->forward + v->backward;
        }
        out->kernels_ns = fmax(out->kernels_ns, kernels + m * own_kernels);
        out->passes_ns = fmax(out->passes_ns, passes + m * own_passes);
        kernels += in_order ? e->values[r].compute : 0;
        passes += in_order ? e->values[r].forward + e->values[r].backward : 0;
    }
}

/* A rank's gradients are added up when its passes are over; the two ends of the pipeline then wait
 * for each other's of the embedding. */
static void put_ends(const struct step *s, double first, double passes_end,
                     struct nadi_estimate *out)
{
    const struct nadi_estimator *e = s->e;
    const uint32_t last = e->plan.pp - 1;
    const double tied = tied_ns(e);
    double earlier = 0, other = 0; /* than the first rank; the last one's gradients are added up */
    for (uint32_t r = 0; r < last; r++)
        other -= e->backward[r] + e->send[r];
    other += passes_end + left_gradients(s, last);
    for (uint32_t r = 0; r <= last; r++) {
        struct rank_end end = end_of(s, r);
        const double passes_of = passes_end - earlier, reduced = passes_of + end.gradients;
        if (tied > 0 && (r == 0 || r == last))
            end.gradients += fmax(0, other + tied - reduced);
        const double ns = passes_of + end.gradients + end.remote + end.optimizer + end.gathers;
        if (ns > out->ns)
            fill(out, s, r, ns, first, &end);
        other = r == 0 ? reduced : other;
        earlier += e->backward[r] + e->send[r];
    }
}

void nadi_estimator_step(struct nadi_estimator *e, struct nadi_estimate *out)
{
    const struct nadi_model_plan *p = &e->plan;
    struct step s = {.e = e, .shape = nadi_estimator_now(e)};
    passes(&s);
    const struct nadi_pipeline_times times = {
        .kind = p->schedule,
        .ranks = p->pp,
        .chunks = p->vp,
        .micro_batches = p->micro_batches,
        .forward = e->forward,
        .backward = e->backward,
        .send = e->send,
    };
    const double first = late_parameters(&s);
    const double device_end = first + nadi_pipeline_ns(&times);
    const double passes_end = fmax(device_end, launched_ns(e));
    s.late = passes_end - device_end;
    *out = (struct nadi_estimate){.ns = -1};
    bound(e, out);
    put_ends(&s, first, passes_end, out);
}
