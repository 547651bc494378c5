/* estimate_shape: layers and stages: what is made once for many strategies. */
#include "base/mem.h"
#include "search/estimate_inside.h"

static bool is_shape(const struct nadi_search_shape *s, const struct nadi_estimator *e)
{
    const struct nadi_model_plan *p = &e->plan;
    return memcmp(s->stride, e->axes.stride, sizeof(s->stride)) == 0 && s->tp == p->tp &&
           s->cp == p->cp && s->ep == p->ep && s->etp == p->etp &&
           s->micro_batch == p->micro_batch && s->sequence_parallel == p->sequence_parallel;
}

struct made { /* for a shape */
    struct nadi_net net;
    struct nadi_op_cost **costs; /* by kind and operation */
    double host_ns;              /* of the host for one kernel, where it is late */
};

static void fill_kind(struct nadi_estimator *e, struct nadi_kind_values *v, const struct made *made,
                      uint32_t kind)
{
    const struct nadi_net *net = &made->net;
    const bool copies = kind == net->kind_count;
    if (copies)
        kind = net->layers[net->layer_count - 1];
    const struct nadi_layer_kind *k = &net->kinds[kind];
    const struct nadi_sums sums = nadi_layer_sums(k);
    const uint32_t position = e->body[kind] ? 0 : NADI_NONE;
    *v = (struct nadi_kind_values){
        .time =
            nadi_layer_time(k, made->costs[kind], &e->plan, &e->axes, e->transfers, made->host_ns),
        .dense = (double)(sums.weights - sums.expert_weights +
                          (copies ? nadi_copied_weights(&e->study->model, e->plan.tp) : 0)),
        .expert = e->study->model.experts ? (double)sums.expert_weights : 0,
        .expert_held = (double)sums.expert_weights,
    };
    struct nadi_model_plan p = e->plan;
    for (int r = 0; r < NADI_RECOMPUTES; r++) {
        p.recompute = (enum nadi_recompute)r;
        v->kept[r] = nadi_layer_kept(&p, net, k, position);
        v->buffers[r] = nadi_memory_layer_buffers(&p, net, k, position);
    }
}

static void make_shape(struct nadi_estimator *e, struct nadi_search_shape *s)
{
    const struct nadi_model_plan *p = &e->plan;
    struct nadi_arena arena;
    struct made made;
    const struct nadi_shape shape = nadi_plan_shape(p, &e->study->model);
    nadi_arena_init(&arena);
    nadi_net_build(&made.net, &e->study->model, &shape);
    NADI_ASSERT(made.net.kind_count + 1 == e->kind_count && made.net.layer_count == e->layer_count);
    made.costs = nadi_costs_make(&made.net, p, &e->compute.kernels, &arena);
    made.host_ns = nadi_host_kernel_ns(p, e->study->cluster.host_speed);
    if (!nadi_host_is_late(&made.net, made.costs, made.host_ns))
        made.host_ns = 0;
    s->boundary_bytes = made.net.boundary_bytes;
    for (uint32_t k = 0; k < e->kind_count; k++)
        fill_kind(e, &s->kinds[k], &made, k);
    nadi_net_release(&made.net);
    nadi_arena_release(&arena);
}

const struct nadi_search_shape *nadi_estimator_shape(struct nadi_estimator *e)
{
    const struct nadi_model_plan *p = &e->plan;
    e->is_hybrid = false;
    for (size_t i = e->shapes.count; i-- > 0;)
        if (is_shape(&e->shapes.items[i], e)) {
            e->shape = (uint32_t)i;
            return &e->shapes.items[i];
        }
    struct nadi_search_shape s = {
        .tp = p->tp,
        .cp = p->cp,
        .ep = p->ep,
        .etp = p->etp,
        .micro_batch = (uint32_t)p->micro_batch,
        .sequence_parallel = p->sequence_parallel,
        .kinds = NADI_ARENA_NEW(&e->arena, struct nadi_kind_values, e->kind_count),
    };
    memcpy(s.stride, e->axes.stride, sizeof(s.stride));
    make_shape(e, &s);
    NADI_PUSH(&e->shapes, s);
    e->shape = (uint32_t)e->shapes.count - 1;
    return &e->shapes.items[e->shape];
}

void nadi_estimator_hybrid(struct nadi_estimator *e)
{
    struct nadi_kind_values *kinds = e->hybrid.kinds;
    if (!kinds)
        kinds = NADI_ARENA_NEW(&e->arena, struct nadi_kind_values, e->kind_count);
    e->hybrid = e->shapes.items[e->shape];
    e->hybrid.kinds = kinds;
    make_shape(e, &e->hybrid);
    e->is_hybrid = true;
}

/* ---- stages -------------------------------------------------------------------------------- */

static void make_room(struct nadi_estimator *e, uint32_t stages)
{
    if (stages <= e->room)
        return;
    e->room = 2 * stages;
    e->rows = NADI_ARENA_NEW(&e->arena, struct nadi_stage_row, e->room);
    e->row_kinds = NADI_ARENA_NEW(&e->arena, uint32_t, (size_t)e->room * e->kind_count);
    e->values = NADI_ARENA_NEW(&e->arena, struct nadi_stage_values, e->room);
    e->forward = NADI_ARENA_NEW(&e->arena, double, e->room);
    e->backward = NADI_ARENA_NEW(&e->arena, double, e->room);
    e->send = NADI_ARENA_NEW(&e->arena, double, e->room);
    e->activations = NADI_ARENA_NEW(&e->arena, double, e->room);
    e->in_flight = NADI_ARENA_NEW(&e->arena, uint32_t, e->room);
    e->placed = nadi_arena_alloc(&e->arena, e->room, sizeof(*e->placed));
}

void nadi_estimator_rows(struct nadi_estimator *e)
{
    const struct nadi_model_plan *p = &e->plan;
    e->stages = p->pp * p->vp;
    make_room(e, e->stages);
    const uint32_t head = e->layer_count - 1;
    const bool copies = nadi_plan_copies_embedding(p, &e->study->model);
    e->layers[head] = copies ? e->kind_count - 1 : e->study->net.layers[head];
    for (uint32_t i = 0; i < e->stages; i++) {
        const struct nadi_pipeline_stage stage = nadi_stage_of(p, &e->study->net, i);
        uint32_t *kinds = &e->row_kinds[(size_t)i * e->kind_count];
        memset(kinds, 0, e->kind_count * sizeof(*kinds));
        for (uint32_t k = stage.first; k < stage.first + stage.count; k++)
            kinds[e->layers[k]]++;
        e->rows[i] = (struct nadi_stage_row){stage.first, stage.count, kinds};
    }
}

static void add_layers(struct nadi_stage_values *v, const struct nadi_kind_values *k,
                       enum nadi_recompute recompute, bool body, double count)
{
    const bool again = recompute == NADI_RECOMPUTE_SELECTIVE && body;
    const bool whole = recompute == NADI_RECOMPUTE_FULL && body;
    const struct nadi_pass_time *f = &k->time.forward;
    const struct nadi_pass_time *b = again ? &k->time.backward_again : &k->time.backward;
    const struct nadi_pass_time *twice = &k->time.again;
    v->forward += count * f->ns;
    v->backward += count * (b->ns + (whole ? twice->ns : 0));
    v->host += count * (f->host_ns + b->host_ns + (whole ? twice->host_ns : 0));
    v->compute += count * (f->compute_ns + b->compute_ns + (whole ? twice->compute_ns : 0));
    v->kept += count * k->kept[recompute];
    v->weights.dense += (uint64_t)(count * k->dense);
    v->weights.expert += (uint64_t)(count * k->expert_held);
    v->buffers = nadi_memory_most_buffers(&v->buffers, &k->buffers[recompute]);
}

static void put_in_turn(const struct nadi_estimator *e, const struct nadi_search_shape *shape,
                        const struct nadi_stage_row *row, struct nadi_layers_in_turn *most)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const struct nadi_kind_values *k = &shape->kinds[e->layers[row->first + i]];
        e->layer_weights[i] = (struct nadi_stage_weights){.dense = (uint64_t)k->dense,
                                                          .expert = (uint64_t)k->expert_held};
    }
    nadi_memory_in_turn(&e->plan, e->layer_weights, row->count, most);
}

void nadi_estimator_values(struct nadi_estimator *e)
{
    const struct nadi_search_shape *shape = nadi_estimator_now(e);
    for (uint32_t i = 0; i < e->stages; i++) {
        const struct nadi_stage_row *row = &e->rows[i];
        struct nadi_stage_values *v = &e->values[i];
        if (i > 0 && memcmp(row->kinds, row[-1].kinds, e->kind_count * sizeof(*row->kinds)) == 0) {
            *v = v[-1];
            continue;
        }
        *v = (struct nadi_stage_values){0};
        for (uint32_t k = 0; k < e->kind_count; k++)
            if (row->kinds[k])
                add_layers(v, &shape->kinds[k], e->plan.recompute, e->body[k], row->kinds[k]);
        put_in_turn(e, shape, row, &v->layers);
    }
}
