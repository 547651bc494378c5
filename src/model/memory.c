#include "model/memory.h"

#include "base/mem.h"
#include "model/update.h"

#include <math.h>

const char *nadi_memory_part_name(enum nadi_memory_part part)
{
    static const char *const names[] = {
        "parameters",      "gradients", "optimizer", "activations",
        "key-value cache", "buffers",   "reserve",   "fragmentation",
    };
    return names[part];
}

struct estimate {
    const struct nadi_model_plan *p;
    const struct nadi_model *m;
    const struct nadi_net *net;
    const struct nadi_schedule *s;
};

/* ---- model states -------------------------------------------------------------------------- */

static double sharded(const struct nadi_model_plan *p, double dense, double expert,
                      uint32_t from_stage)
{
    if (p->zero < from_stage)
        return dense + expert;
    return dense / nadi_plan_replicas(p, false) + expert / nadi_plan_replicas(p, true);
}

static void place(struct nadi_rank_memory *r, const struct nadi_model_plan *p,
                  enum nadi_memory_part part, enum nadi_offload_flag flag, double bytes)
{
    if (!(nadi_plan_away(p) & flag)) {
        r->parts[part] += bytes;
        return;
    }
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        if (flag == 1u << i) {
            const double away = bytes * nadi_plan_away_share(p, flag);
            r->placed[i] += away;
            r->remote += away;
            r->parts[part] += bytes - away;
        }
}

static void states(const struct nadi_model_plan *p, const struct nadi_model *m,
                   struct nadi_rank_memory *r, const struct nadi_stage_weights *w)
{
    const double dense = (double)w->dense, expert = (double)w->expert;
    const enum nadi_offload_flag experts = p->offload & NADI_OFFLOAD_TABLES ? NADI_OFFLOAD_TABLES
                                           : p->offload & NADI_OFFLOAD_EXPERTS
                                               ? NADI_OFFLOAD_EXPERTS
                                               : NADI_OFFLOAD_PARAMETERS;
    place(r, p, NADI_MEMORY_PARAMETERS, NADI_OFFLOAD_PARAMETERS,
          p->parameter_bytes * sharded(p, dense, 0, 3));
    place(r, p, NADI_MEMORY_PARAMETERS, experts, p->parameter_bytes * sharded(p, 0, expert, 3));
    if (p->mode != NADI_MODE_TRAIN)
        return;
    const double kept = nadi_model_updates_rows(m) ? 0 : expert; /* has gradients and states */
    place(r, p, NADI_MEMORY_GRADIENTS, NADI_OFFLOAD_GRADIENTS,
          p->gradient_bytes * sharded(p, dense, kept, 2));
    place(r, p, NADI_MEMORY_OPTIMIZER, NADI_OFFLOAD_OPTIMIZER,
          p->optimizer_bytes * sharded(p, dense, kept, 1));
}

/* ---- activations --------------------------------------------------------------------------- */

static double stage_kept(const struct estimate *e, uint32_t stage)
{
    const struct nadi_pipeline_stage s = nadi_stage_of(e->p, e->net, stage);
    double bytes = 0;
    for (uint32_t i = s.first; i < s.first + s.count; i++)
        bytes += nadi_layer_kept(e->p, e->net, nadi_net_layer(e->net, i),
                                 nadi_body_position(e->net, &s, i));
    return bytes;
}

struct walk {                   /* along a rank's actions */
    double kept[UINT8_MAX + 1]; /* by chunk */
    double bytes;
    uint32_t in_flight;
};

static void walk_start(struct walk *w, const struct estimate *e, uint32_t rank)
{
    NADI_ASSERT(e->s->chunks <= UINT8_MAX);
    *w = (struct walk){0};
    for (uint32_t c = 0; c < e->s->chunks; c++)
        w->kept[c] = stage_kept(e, nadi_schedule_stage(e->s, rank, c));
}

static void walk_on(struct walk *w, const struct nadi_action *a)
{
    if (a->pass == NADI_PASS_FORWARD) {
        w->bytes += w->kept[a->chunk];
        w->in_flight++;
    } else if (a->pass != NADI_PASS_INPUT) {
        w->bytes -= w->kept[a->chunk];
        w->in_flight--;
    }
}

static void activations(const struct estimate *e, struct nadi_rank_load *r, uint32_t rank)
{
    const struct nadi_actions *list = &e->s->lists[rank];
    struct walk w;
    double most = -1;
    if (e->p->mode != NADI_MODE_TRAIN)
        return;
    walk_start(&w, e, rank);
    for (uint32_t i = 0; i < list->count; i++) {
        walk_on(&w, &list->items[i]);
        if (w.bytes <= most)
            continue;
        most = w.bytes;
        r->in_flight = w.in_flight;
        r->peak_action = i;
    }
    r->activations = most;
}

double *nadi_memory_activations(const struct nadi_model_plan *p, const struct nadi_model *m,
                                const struct nadi_net *net, const struct nadi_schedule *schedule,
                                uint32_t rank, struct nadi_arena *arena)
{
    const struct estimate e = {p, m, net, schedule};
    const struct nadi_actions *list = &schedule->lists[rank];
    double *bytes = NADI_ARENA_NEW(arena, double, list->count);
    struct walk w;
    walk_start(&w, &e, rank);
    for (uint32_t i = 0; i < list->count; i++) {
        walk_on(&w, &list->items[i]);
        bytes[i] = w.bytes;
    }
    return bytes;
}

/* ---- two memories -------------------------------------------------------------------------- */

/* What is expanded of a part, when `over` bytes of it and of what stays rather are too many. */
static double take_over(double *over, double part)
{
    const double taken = part < *over ? part : *over;
    *over -= taken;
    return part > 0 ? taken / part : 0;
}

struct nadi_expanded nadi_memory_expanded(const struct nadi_rank_memory *r,
                                          const struct nadi_device *d)
{
    const double *parts = r->parts;
    const double work =
        parts[NADI_MEMORY_ACTIVATIONS] + parts[NADI_MEMORY_BUFFERS] + parts[NADI_MEMORY_CACHE];
    const double weights = parts[NADI_MEMORY_PARAMETERS], gradients = parts[NADI_MEMORY_GRADIENTS];
    double over = r->total - d->memory_bytes;
    struct nadi_expanded e = {0};
    if (!(over > 0) || !(d->expanded_bytes > 0))
        return e;
    e.bytes = over;
    if (d->expanded_uniform) {
        e.kernels = e.optimizer = over / r->total;
        return e;
    }
    const double states_away = take_over(&over, parts[NADI_MEMORY_OPTIMIZER]);
    const double gradients_away = take_over(&over, gradients);
    const double weights_away = take_over(&over, weights);
    const double work_away = take_over(&over, work);
    e.optimizer = (24 * states_away + 4 * gradients_away + 2 * weights_away) / 30;
    const double touched = work + weights + gradients;
    if (touched > 0)
        e.kernels =
            (work * work_away + weights * weights_away + gradients * gradients_away) / touched;
    return e;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* The largest output of a layer and its gradient; backward both are there. */
static double largest_output(const struct nadi_model_plan *p, const struct nadi_layer_kind *kind)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < kind->op_count; i++) {
        const struct nadi_op *op = &kind->ops[i];
        if (op->kind == NADI_OP_GEMM)
            most = nadi_max_u64(most, op->count * op->m * op->n);
        if (op->kind == NADI_OP_COMM)
            most = nadi_max_u64(most, nadi_max_u64(op->forward.bytes, op->backward.bytes) /
                                          p->activation_bytes);
    }
    return (p->mode == NADI_MODE_TRAIN ? 2.0 : 1.0) * p->activation_bytes * (double)most;
}

void nadi_memory_most_in_turn(struct nadi_layers_in_turn *most, const struct nadi_layers_in_turn *t)
{
    most->one = largest(most->one, t->one);
    most->two = largest(most->two, t->two);
    most->ahead = largest(most->ahead, t->ahead);
    most->experts_ahead = largest(most->experts_ahead, t->experts_ahead);
}

void nadi_memory_in_turn(const struct nadi_model_plan *p, const struct nadi_stage_weights *layers,
                         uint32_t count, struct nadi_layers_in_turn *most)
{
    const uint32_t ahead = p->prefetch;
    struct nadi_layers_in_turn t = {0};
    double all = 0, experts = 0, before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double expert = (double)layers[i].expert, one = (double)layers[i].dense + expert;
        all += one;
        experts += expert;
        if (i > ahead) {
            const struct nadi_stage_weights *gone = &layers[i - ahead - 1];
            all -= (double)(gone->dense + gone->expert);
            experts -= (double)gone->expert;
        }
        t.one = largest(t.one, one);
        t.two = largest(t.two, before + one);
        t.ahead = largest(t.ahead, all);
        t.experts_ahead = largest(t.experts_ahead, experts);
        before = one;
    }
    if (count <= ahead) { /* those of the next stage are on their way, too */
        t.ahead += (1.0 + ahead - count) * t.one;
        t.experts_ahead += (1.0 + ahead - count) * t.one;
    }
    nadi_memory_most_in_turn(most, &t);
}

/* The layer at work and those on their way. */
static double gathered_parameters(const struct nadi_model_plan *p,
                                  const struct nadi_rank_load *load)
{
    const bool dense = p->zero == 3 || (nadi_plan_away(p) & NADI_OFFLOAD_PARAMETERS);
    const double expert = (double)load->weights.expert, all = (double)load->weights.dense + expert;
    const bool whole = p->zero == 3 || p->streaming; /* what stays needs no buffer */
    const double share = whole ? 1 : nadi_plan_away_share(p, NADI_OFFLOAD_PARAMETERS);
    const double come =
        dense ? fmin(load->layers.ahead, all) : fmin(load->layers.experts_ahead, expert);
    if (!dense && !(p->offload & NADI_OFFLOAD_EXPERTS))
        return 0;
    return share * come * p->parameter_bytes;
}

/* Where replicas split gradients, those of a layer or bucket before they are reduced. */
static double whole_gradients(const struct nadi_model_plan *p, const struct nadi_model *m,
                              const struct nadi_rank_load *load)
{
    const double expert = nadi_model_updates_rows(m) ? 0 : (double)load->weights.expert;
    const double bucket = p->bucket_bytes / p->gradient_bytes;
    if (p->mode != NADI_MODE_TRAIN || p->zero < 2)
        return 0;
    return fmin(largest(load->layers.one, bucket), (double)load->weights.dense + expert) *
           p->gradient_bytes;
}

struct nadi_layer_buffers nadi_memory_layer_buffers(const struct nadi_model_plan *p,
                                                    const struct nadi_net *net,
                                                    const struct nadi_layer_kind *kind,
                                                    uint32_t position)
{
    const struct nadi_sums sums = nadi_layer_sums(kind);
    struct nadi_layer_buffers b = {
        .output = largest_output(p, kind),
        .kept = nadi_layer_kept(p, net, kind, position),
    };
    if (nadi_layer_recomputed(p, position))
        b.recompute = nadi_kept_bytes(p, &sums.kept);
    else if (p->recompute == NADI_RECOMPUTE_SELECTIVE && position != NADI_NONE)
        b.recompute = nadi_kept_bytes(p, &sums.kept_core);
    return b;
}

struct nadi_layer_buffers nadi_memory_most_buffers(const struct nadi_layer_buffers *a,
                                                   const struct nadi_layer_buffers *b)
{
    return (struct nadi_layer_buffers){
        .output = largest(a->output, b->output),
        .recompute = largest(a->recompute, b->recompute),
        .kept = largest(a->kept, b->kept),
    };
}

static struct nadi_layer_buffers buffers(const struct estimate *e, uint32_t rank)
{
    struct nadi_layer_buffers most = {0};
    for (uint32_t c = 0; c < e->s->chunks; c++) {
        const struct nadi_pipeline_stage s =
            nadi_stage_of(e->p, e->net, nadi_schedule_stage(e->s, rank, c));
        for (uint32_t i = s.first; i < s.first + s.count; i++) {
            const struct nadi_layer_buffers b = nadi_memory_layer_buffers(
                e->p, e->net, nadi_net_layer(e->net, i), nadi_body_position(e->net, &s, i));
            most = nadi_memory_most_buffers(&most, &b);
        }
    }
    return most;
}

/* The state of a recurrent layer and the last inputs of its convolution, of one sequence. */
static double state_bytes(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    const struct nadi_recurrent *r = m->recurrent;
    if (!r)
        return 0;
    const double state = (double)r->heads * r->key_dim * r->value_dim;
    const double last = r->conv_channels ? (double)r->conv_channels * (r->conv_width - 1.0) : 0;
    return ((r->kind == NADI_STATE_NONE ? 0 : 4 * state) + last * p->activation_bytes) / p->tp;
}

double nadi_memory_layer_cache(const struct nadi_model_plan *p, const struct nadi_model *m,
                               uint32_t layer, uint64_t tokens)
{
    const struct nadi_model *view = nadi_model_view(m, layer);
    const uint32_t kv = view->kv_heads > p->tp ? view->kv_heads / p->tp : 1;
    const double values = view->one_kv ? 0 : view->value_dim ? view->value_dim : view->head_dim;
    const double width =
        view->latent ? view->kv_rank + (double)view->rope_dim : kv * (view->head_dim + values);
    const bool windowed = nadi_model_layer(m, layer) & NADI_LAYER_WINDOWED;
    const double pooled = view->pool ? (double)tokens / view->pool : 0;
    const double indexed = view->pool ? pooled : (double)tokens;
    const double kept = (double)(view->picture_tokens ? view->picture_tokens
                                 : windowed           ? nadi_min_u64(tokens, view->window)
                                                      : tokens) +
                        pooled;
    const bool has = !view->no_attention && !view->borrowed_kv;
    const double number = p->cache_bytes > 0 ? p->cache_bytes : p->activation_bytes;
    return (has ? kept * width + indexed * view->index_dim : 0) * number + state_bytes(p, view);
}

uint64_t nadi_memory_cached_tokens(const struct nadi_model_plan *p)
{
    return p->mode == NADI_MODE_DECODE ? p->tokens + p->steps : p->tokens / p->cp;
}

double nadi_memory_cache(const struct nadi_model_plan *p, const struct nadi_model *m,
                         const struct nadi_net *net, const struct nadi_schedule *schedule,
                         uint32_t rank, uint64_t tokens)
{
    double bytes = 0;
    if (p->mode == NADI_MODE_TRAIN)
        return 0;
    for (uint32_t c = 0; c < schedule->chunks; c++) {
        const struct nadi_pipeline_stage s =
            nadi_stage_of(p, net, nadi_schedule_stage(schedule, rank, c));
        for (uint32_t i = s.first; i < s.first + s.count; i++)
            if (nadi_body_position(net, &s, i) != NADI_NONE)
                bytes += nadi_memory_layer_cache(p, m, i - net->body_first, tokens);
    }
    const uint64_t samples = p->batch / p->dp;
    return (double)samples * bytes;
}

/* Keys and values of the layer at work and of those loaded ahead, of a micro-batch. */
static double cache_buffer(const struct estimate *e, double all)
{
    double most = 0;
    if (!e->p->place[NADI_PLACED_CACHE])
        return 0;
    for (uint32_t i = 0; i < e->net->body_count; i++)
        most =
            largest(most, nadi_memory_layer_cache(e->p, e->m, i, nadi_memory_cached_tokens(e->p)));
    most *= (1.0 + e->p->prefetch) * (double)e->p->micro_batch;
    return fmin(most, all) * e->p->interleave;
}

uint64_t nadi_memory_rows(const struct nadi_model_plan *p, const struct nadi_model *m)
{
    return 4 * p->micro_batch * m->embedding_rows.count * m->lookups * m->embedding_dim;
}

/* Of tables that lie in a tier, rows that are loaded ahead. */
static double rows_ahead(const struct estimate *e)
{
    const uint32_t ahead = e->p->prefetch_rows;
    return ahead ? (double)ahead * (double)nadi_memory_rows(e->p, e->m) * e->p->interleave : 0;
}

/* Gradients that do not stay: of a bucket at work and of the one before it, which leaves; and, with
 * several micro-batches, the sum that one is added to. */
static double gradient_buffers(const struct nadi_model_plan *p, const struct nadi_model *m,
                               const struct nadi_rank_load *load)
{
    const double all = (double)load->weights.dense +
                       (nadi_model_updates_rows(m) ? 0 : (double)load->weights.expert);
    const double bucket = p->bucket_bytes / p->gradient_bytes;
    const double made = fmin(largest(load->layers.two, 2 * bucket), all);
    const double sum = p->micro_batches > 1 ? fmin(largest(load->layers.one, bucket), all) : 0;
    if (p->mode != NADI_MODE_TRAIN || !(nadi_plan_away(p) & NADI_OFFLOAD_GRADIENTS))
        return 0;
    return (made + sum) * p->gradient_bytes * nadi_plan_away_share(p, NADI_OFFLOAD_GRADIENTS) /
           (p->zero >= 2 ? nadi_plan_replicas(p, false) : 1);
}

static double update_here(const struct nadi_model_plan *p, const struct nadi_model *m,
                          const struct nadi_stage_weights *w)
{
    if (p->mode != NADI_MODE_TRAIN)
        return 0;
    const struct nadi_update u =
        nadi_update_of(p, (double)w->dense, nadi_model_updates_rows(m) ? 0 : (double)w->expert);
    return nadi_update_here(p, &u);
}

struct nadi_rank_memory nadi_memory_of_load(const struct nadi_model_plan *p,
                                            const struct nadi_model *m,
                                            const struct nadi_rank_load *load)
{
    const struct nadi_stage_weights *w = &load->weights;
    struct nadi_rank_memory r = {
        .weights = w->dense + w->expert - w->beyond,
        .expert_weights = w->expert,
        .in_flight = load->in_flight,
        .peak_action = load->peak_action,
    };
    double here = load->activations;
    states(p, m, &r, w);
    if (p->offload & NADI_OFFLOAD_ACTIVATIONS) {
        const double away = load->activations * nadi_plan_away_share(p, NADI_OFFLOAD_ACTIVATIONS);
        const double work = 2 * load->layer * nadi_plan_away_share(p, NADI_OFFLOAD_ACTIVATIONS);
        /* a layer at work, and one on its way, are with the device too */
        here = load->activations - away + (work < away ? work : away);
        r.remote += away;
        r.placed[NADI_PLACED_ACTIVATIONS] = away;
    }
    r.parts[NADI_MEMORY_ACTIVATIONS] = here;
    if (p->mode != NADI_MODE_TRAIN && (p->offload & NADI_OFFLOAD_CACHE))
        place(&r, p, NADI_MEMORY_CACHE, NADI_OFFLOAD_CACHE, load->cache);
    else
        r.parts[NADI_MEMORY_CACHE] = load->cache;
    const double buffers = load->buffers + gathered_parameters(p, load) +
                           whole_gradients(p, m, load) + gradient_buffers(p, m, load);
    r.update = fmax(0, update_here(p, m, w) - here - buffers);
    r.parts[NADI_MEMORY_BUFFERS] = buffers + r.update;
    r.parts[NADI_MEMORY_RESERVE] = p->reserve_bytes;
    r.parts[NADI_MEMORY_FRAGMENTS] = p->fragmentation * (here + r.parts[NADI_MEMORY_BUFFERS]);
    for (int i = 0; i < NADI_MEMORY_PARTS; i++)
        r.total += r.parts[i];
    return r;
}

static void add_stage(const struct estimate *e, uint32_t number, struct nadi_rank_load *load)
{
    const struct nadi_pipeline_stage stage = nadi_stage_of(e->p, e->net, number);
    struct nadi_stage_weights *layers = NADI_NEW(struct nadi_stage_weights, stage.count);
    for (uint32_t i = 0; i < stage.count; i++) {
        layers[i] = nadi_pipeline_layer_weights(e->p, e->m, e->net, stage.first + i);
        load->weights.dense += layers[i].dense;
        load->weights.expert += layers[i].expert;
        load->weights.beyond += layers[i].beyond;
    }
    nadi_memory_in_turn(e->p, layers, stage.count, &load->layers);
    nadi_mem_free(layers);
}

static struct nadi_rank_memory estimate_rank(const struct estimate *e, uint32_t rank)
{
    const struct nadi_layer_buffers most = buffers(e, rank);
    struct nadi_rank_load load = {
        .cache = nadi_memory_cache(e->p, e->m, e->net, e->s, rank, nadi_memory_cached_tokens(e->p)),
        .layer = most.kept,
        .buffers = most.output + most.recompute};
    load.buffers += cache_buffer(e, load.cache) + rows_ahead(e);
    for (uint32_t c = 0; c < e->s->chunks; c++)
        add_stage(e, nadi_schedule_stage(e->s, rank, c), &load);
    activations(e, &load, rank);
    return nadi_memory_of_load(e->p, e->m, &load);
}

void nadi_memory_estimate(struct nadi_memory *memory, const struct nadi_model_plan *p,
                          const struct nadi_model *m, const struct nadi_net *net,
                          const struct nadi_schedule *schedule, struct nadi_arena *arena)
{
    const struct estimate e = {p, m, net, schedule};
    *memory = (struct nadi_memory){.count = schedule->ranks};
    memory->ranks = NADI_ARENA_ZNEW(arena, struct nadi_rank_memory, memory->count);
    for (uint32_t r = 0; r < memory->count; r++) {
        memory->ranks[r] = estimate_rank(&e, r);
        if (memory->ranks[r].total > memory->ranks[memory->worst].total)
            memory->worst = r;
    }
}
