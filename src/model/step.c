#include "model/step.h"

#include "base/mem.h"
#include "base/time.h"
#include "compute/measured.h"
#include "compute/two_memories.h"
#include "model/step_emit.h"

/* ---- messages between stages --------------------------------------------------------------- */

enum direction { UP, DOWN }; /* activations, their gradients */

static uint32_t tag_of(const struct nadi_emit *e, uint32_t part, uint32_t parts, uint32_t stage,
                       enum direction direction)
{
    const struct nadi_schedule *s = &e->s->study->schedule;
    const uint64_t pass = ((uint64_t)e->step * s->micro_batches + e->micro) * parts + part;
    return (uint32_t)((pass * (s->stages + 1) + stage) * 2 + direction) & INT32_MAX;
}

static uint32_t distance_to(const struct nadi_emit *e, uint32_t rank)
{
    return (rank - e->rank) * e->s->study->grid.stride[NADI_DEGREE_PP];
}

struct place { /* where a pass stands: chunks of a prompt are parts */
    uint32_t stage, part, parts;
};

/* `stage` is the sender's, for the tag. */
static void receive(struct nadi_emit *e, const struct place *at, uint32_t from, uint32_t stage,
                    enum direction direction, uint64_t bytes)
{
    if (from == e->rank)
        return;
    nadi_emit_flush(e);
    char name[64];
    snprintf(name, sizeof(name), "receive %s %u", direction == UP ? "activations" : "gradients",
             e->micro);
    const uint64_t id = nadi_trace_build_message(
        &e->build, name, NADI_NODE_RECV, distance_to(e, from),
        tag_of(e, at->part, at->parts, stage, direction), bytes, e->front.ids, e->front.count);
    nadi_emit_join(e, id);
}

static void send(struct nadi_emit *e, const struct place *at, uint32_t to, enum direction direction,
                 uint64_t bytes)
{
    nadi_emit_flush(e);
    if (to == e->rank)
        return;
    char name[64];
    snprintf(name, sizeof(name), "send %s %u", direction == UP ? "activations" : "gradients",
             e->micro);
    nadi_trace_build_message(&e->build, name, NADI_NODE_SEND, distance_to(e, to),
                             tag_of(e, at->part, at->parts, at->stage, direction), bytes,
                             e->front.ids, e->front.count);
}

/* ---- passes -------------------------------------------------------------------------------- */

static uint64_t remote_activations(const struct nadi_emit *e,
                                   const struct nadi_pipeline_stage *stage, uint32_t layer)
{
    if (!(e->p->offload & NADI_OFFLOAD_ACTIVATIONS) || e->p->mode != NADI_MODE_TRAIN)
        return 0;
    return nadi_count_trunc(nadi_layer_kept(e->p, &e->variant->net,
                                            nadi_net_layer(&e->variant->net, layer),
                                            nadi_body_position(&e->variant->net, stage, layer)));
}

static const char *activations_name(const struct nadi_emit *e, uint32_t layer, char name[64])
{
    snprintf(name, 64, "step %u micro-batch %u layer %u", e->step, e->micro, layer);
    return name;
}

static void store_activations(struct nadi_emit *e, const struct nadi_pipeline_stage *stage,
                              uint32_t layer)
{
    const uint64_t bytes = remote_activations(e, stage, layer);
    char block[64];
    const struct nadi_emit_move move = {.op = NADI_MEM_STORES,
                                        .flag = NADI_OFFLOAD_ACTIVATIONS,
                                        .bytes = bytes,
                                        .block = activations_name(e, layer, block)};
    nadi_emit_flush(e);
    if (!bytes)
        return;
    e->stored[1] = e->stored[0];
    e->stored[0] = nadi_emit_memory(e, "store activations", &move, e->front.ids, e->front.count);
    *nadi_emit_kept_by(e, e->micro, layer) = e->stored[0];
}

/* last: the pass after which nobody reads them. Of a backward pass in two parts both do. */
static uint64_t load_activations(struct nadi_emit *e, const struct nadi_pipeline_stage *stage,
                                 uint32_t layer, bool last)
{
    const uint64_t bytes = remote_activations(e, stage, layer);
    if (bytes == 0)
        return 0;
    char block[64];
    struct nadi_emit_move move = {.op = NADI_MEM_LOADS,
                                  .flag = NADI_OFFLOAD_ACTIVATIONS,
                                  .bytes = bytes,
                                  .block = activations_name(e, layer, block)};
    const bool placed = nadi_emit_tier(e, NADI_OFFLOAD_ACTIVATIONS);
    uint64_t after[NADI_FRONT + 1];
    memcpy(after, e->front.ids, e->front.count * sizeof(*after));
    after[e->front.count] = *nadi_emit_kept_by(e, e->micro, layer);
    const uint64_t id = nadi_emit_memory(e, "load activations", &move, after, e->front.count + 1);
    move.op = NADI_MEM_FREE;
    if (placed && last)
        nadi_emit_memory(e, "free activations", &move, &id, 1);
    return id;
}

/* Where the host is not ahead, what the device has to do of one layer does not hide the launches of
 * another. */
static void end_layer(struct nadi_emit *e, uint32_t position)
{
    if (position != NADI_NONE && e->layer_begun && e->pending_name[0] && e->cuts == e->layer_cuts)
        e->pending_layers.whole++;
    e->layer_begun = false;
    if (!e->p->host_ahead && e->s->host_kernel_ns > 0)
        nadi_emit_flush(e);
    else if (e->p->detail == NADI_DETAIL_LAYER)
        nadi_emit_cut(e);
}

static void forward(struct nadi_emit *e, const struct place *at,
                    const struct nadi_pipeline_stage *stage)
{
    const struct nadi_schedule *s = &e->s->study->schedule;
    const struct nadi_net *net = &e->variant->net;
    e->pass = "forward";
    if (at->stage > 0)
        receive(e, at, nadi_schedule_rank(s, at->stage - 1, e->micro), at->stage - 1, UP,
                net->boundary_bytes);
    for (e->layer = stage->first; e->layer < stage->first + stage->count; e->layer++) {
        if (e->stored[1]) { /* two layers' activations lie with the device */
            nadi_emit_flush(e);
            nadi_emit_join(e, e->stored[1]);
        }
        nadi_emit_fetch(e);
        nadi_emit_cache_load(e, at->part);
        nadi_emit_look_up(e);
        nadi_emit_forward(e, net->layers[e->layer], false);
        end_layer(e, nadi_body_position(net, stage, e->layer));
        nadi_emit_cache_store(e, at->part);
        if (e->p->offload & NADI_OFFLOAD_ACTIVATIONS)
            store_activations(e, stage, e->layer);
    }
    nadi_emit_flush(e);
    if (at->stage + 1 < s->stages)
        send(e, at, nadi_schedule_rank(s, at->stage + 1, e->micro), UP, net->boundary_bytes);
}

static void backward(struct nadi_emit *e, const struct place *at,
                     const struct nadi_pipeline_stage *stage, enum nadi_pass pass)
{
    const struct nadi_schedule *s = &e->s->study->schedule;
    const struct nadi_net *net = &e->variant->net;
    const bool inputs = pass != NADI_PASS_WEIGHT, weights = pass != NADI_PASS_INPUT;
    e->pass = pass == NADI_PASS_BACKWARD ? "backward"
              : pass == NADI_PASS_INPUT  ? "backward inputs"
                                         : "backward weights";
    if (inputs && at->stage + 1 < s->stages)
        receive(e, at, nadi_schedule_rank(s, at->stage + 1, e->micro), at->stage + 1, DOWN,
                net->boundary_bytes);
    nadi_emit_flush(e);
    uint64_t loaded = load_activations(e, stage, stage->first + stage->count - 1, weights);
    for (uint32_t i = stage->count; i-- > 0;) {
        e->layer = stage->first + i;
        const uint32_t position = nadi_body_position(net, stage, e->layer);
        const uint32_t kind = net->layers[e->layer];
        if (weights)
            nadi_emit_recall(e);
        nadi_emit_fetch(e);
        if (e->p->offload & NADI_OFFLOAD_ACTIVATIONS) {
            nadi_emit_flush(e);
            const uint64_t mine = loaded;
            loaded = i > 0 ? load_activations(e, stage, e->layer - 1, weights) : 0;
            nadi_emit_join(e, mine);
        }
        if (inputs && nadi_layer_recomputed(e->p, position))
            nadi_emit_forward(e, kind, true);
        nadi_emit_backward(e, kind, inputs, weights,
                           e->p->recompute == NADI_RECOMPUTE_SELECTIVE && position != NADI_NONE);
        end_layer(e, position);
        if (weights)
            nadi_emit_put_rows(e);
        if (weights)
            nadi_emit_reduce(e, e->layer);
    }
    nadi_emit_flush(e);
    if (inputs && at->stage > 0)
        send(e, at, nadi_schedule_rank(s, at->stage - 1, e->micro), DOWN, net->boundary_bytes);
    if (weights)
        nadi_emit_end_gradients(e);
}

static void act(struct nadi_emit *e, const struct nadi_action *a)
{
    const struct nadi_study *study = e->s->study;
    const struct place at = {.stage = nadi_schedule_stage(&study->schedule, e->rank, a->chunk),
                             .parts = 1};
    const struct nadi_pipeline_stage stage = nadi_stage_of(e->p, &e->variant->net, at.stage);
    e->micro = a->micro;
    if (a->pass == NADI_PASS_FORWARD)
        forward(e, &at, &stage);
    else
        backward(e, &at, &stage, (enum nadi_pass)a->pass);
}

/* The host reads a step's loss and norm of gradients, or a token, before it launches the next. */
static void meet_host(struct nadi_emit *e)
{
    if (e->step == 0 || !e->host.count)
        return;
    nadi_emit_flush(e);
    e->host = e->front;
    e->launching_ns = 0; /* the host was done before the device */
}

/* ---- training ------------------------------------------------------------------------------ */

static bool is_last_of_chunk(const struct nadi_actions *list, uint32_t index)
{
    const struct nadi_action *a = &list->items[index];
    if (a->pass == NADI_PASS_FORWARD || a->pass == NADI_PASS_INPUT)
        return false;
    for (uint32_t i = index + 1; i < list->count; i++) {
        const struct nadi_action *b = &list->items[i];
        if (b->chunk == a->chunk && b->pass != NADI_PASS_FORWARD && b->pass != NADI_PASS_INPUT)
            return false;
    }
    return true;
}

/* Both begin where the rank stands; the rank goes on when both are done. */
static void act_paired(struct nadi_emit *e, const struct nadi_actions *list, uint32_t first)
{
    nadi_emit_flush(e);
    const struct nadi_front before = e->front;
    act(e, &list->items[first]);
    nadi_emit_flush(e);
    const struct nadi_front after = e->front;
    e->front = before;
    e->last_micro = is_last_of_chunk(list, first + 1);
    e->pair = 1;
    act(e, &list->items[first + 1]);
    nadi_emit_flush(e);
    e->pair = 0;
    for (uint32_t i = 0; i < after.count; i++)
        nadi_emit_join(e, after.ids[i]);
}

static void train(struct nadi_emit *e)
{
    const struct nadi_actions *list = &e->s->study->schedule.lists[e->rank];
    for (e->step = 0; e->step < e->p->steps; e->step++) {
        meet_host(e);
        nadi_emit_plan_fetches(e);
        for (uint32_t i = 0; i < list->count; i++) {
            e->last_micro = is_last_of_chunk(list, i);
            if (list->items[i].paired) {
                act_paired(e, list, i);
                i++;
            } else {
                act(e, &list->items[i]);
            }
        }
        nadi_emit_update(e);
    }
}

/* ---- inference ----------------------------------------------------------------------------- */

enum { BYTES_OF_A_TOKEN = 4 };

static void infer_pass(struct nadi_emit *e, const struct nadi_action *a, uint32_t parts)
{
    const struct nadi_study *study = e->s->study;
    const struct nadi_schedule *s = &study->schedule;
    struct place at = {.stage = nadi_schedule_stage(s, e->rank, a->chunk), .parts = parts};
    const bool decode = e->p->mode == NADI_MODE_DECODE;
    const uint64_t bytes = e->p->micro_batch * BYTES_OF_A_TOKEN;
    const uint32_t last = nadi_schedule_rank(s, s->stages - 1, a->micro);
    const uint32_t first = nadi_schedule_rank(s, 0, a->micro);
    e->micro = a->micro;
    if (decode && at.stage == 0 && e->step > 0) {
        e->step--;
        receive(e, &at, last, s->stages, DOWN, bytes);
        e->step++;
    }
    for (at.part = 0; at.part < parts; at.part++) {
        e->variant = &e->s->variants[decode ? e->step : at.part];
        const struct nadi_pipeline_stage stage = nadi_stage_of(e->p, &e->variant->net, at.stage);
        forward(e, &at, &stage);
    }
    at.part = 0;
    if (decode && at.stage + 1 == s->stages && e->step + 1 < e->p->steps) {
        at.stage = s->stages;
        send(e, &at, first, DOWN, bytes);
    }
}

static void infer(struct nadi_emit *e)
{
    const struct nadi_actions *list = &e->s->study->schedule.lists[e->rank];
    const bool decode = e->p->mode == NADI_MODE_DECODE;
    const uint32_t steps = decode ? e->p->steps : 1;
    nadi_emit_plan_cache(e);
    for (e->step = 0; e->step < steps; e->step++) {
        meet_host(e);
        nadi_emit_plan_fetches(e);
        nadi_emit_cache_room(e);
        for (uint32_t i = 0; i < list->count; i++)
            infer_pass(e, &list->items[i], decode ? 1 : e->s->variant_count);
    }
}

struct nadi_trace *nadi_step_trace(const struct nadi_model_step *s, uint32_t stage_rank)
{
    struct nadi_emit e = {
        .s = s, .p = &s->study->plan, .rank = stage_rank, .variant = &s->variants[0]};
    char path[32];
    snprintf(path, sizeof(path), "stage.%u", stage_rank);
    nadi_trace_build_init(&e.build, path);
    nadi_emit_lie_down(&e);
    if (e.p->mode == NADI_MODE_TRAIN)
        train(&e);
    else
        infer(&e);
    nadi_emit_flush(&e);
    nadi_mem_free(e.fetches.items);
    nadi_mem_free(e.kept.items);
    nadi_mem_free(e.cache.items);
    nadi_mem_free(e.rows.items);
    nadi_mem_free(e.reduced.items);
    nadi_mem_free(e.given.items);
    nadi_mem_free(e.written.items);
    return nadi_trace_build_finish(&e.build);
}

struct nadi_trace *nadi_step_idle_trace(void)
{
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, "idle");
    (void)nadi_trace_build_compute(&b, "idle", 0, 0, 0, NULL, 0);
    return nadi_trace_build_finish(&b);
}

/* ---- making -------------------------------------------------------------------------------- */

static uint32_t variants_of(const struct nadi_model_plan *p)
{
    if (p->mode == NADI_MODE_DECODE)
        return p->steps;
    if (p->mode == NADI_MODE_PREFILL && p->chunk)
        return (uint32_t)(p->tokens / p->chunk);
    return 1;
}

void nadi_step_compute_expand(struct nadi_step_compute *c, const struct nadi_study *study,
                              const struct nadi_expanded *expanded)
{
    const struct nadi_device *d = &study->cluster.device;
    c->devices[0].memory_rate = nadi_two_memories_rate(d, expanded->kernels);
    c->devices[1].memory_rate = nadi_two_memories_rate(d, expanded->optimizer);
}

/* Processors that carry transfers of experts are missing for computation meanwhile. */
static void share_processors(struct nadi_device *d, const struct nadi_model_plan *p)
{
    const double taken = (double)p->dispatch_processors / (double)d->processors;
    const double left = 1 - p->dispatch_overlap * taken;
    if (p->ep == 1 || p->dispatch_processors == 0)
        return;
    for (int i = 0; i < NADI_PRECISIONS; i++)
        d->peak[i] *= left;
    d->attention_rate[0] *= left;
    d->attention_rate[1] *= left;
}

static void expand(struct nadi_step_compute *c, const struct nadi_study *study)
{
    struct nadi_arena arena;
    struct nadi_memory memory;
    if (!(study->cluster.device.expanded_bytes > 0))
        return;
    nadi_arena_init(&arena);
    nadi_memory_estimate(&memory, &study->plan, &study->model, &study->net, &study->schedule,
                         &arena);
    const struct nadi_expanded expanded =
        nadi_memory_expanded(&memory.ranks[memory.worst], &study->cluster.device);
    nadi_step_compute_expand(c, study, &expanded);
    nadi_arena_release(&arena);
}

bool nadi_step_compute_init(struct nadi_step_compute *c, const struct nadi_study *study,
                            struct nadi_diags *diags)
{
    const struct nadi_model_plan *p = &study->plan;
    const struct nadi_device *d = &study->cluster.device;
    *c = (struct nadi_step_compute){.devices = {*d, *d}};
    c->kernels = c->optimizer =
        (struct nadi_compute){.device = &c->devices[0],
                              .model = p->kernels ? p->kernels : nadi_compute_model_find(d, NULL)};
    c->optimizer.device = &c->devices[1];
    share_processors(&c->devices[0], p);
    if (c->kernels.model->needs_array && !d->array_rows)
        return nadi_error(diags, "plan/kernels", NADI_IN_FILE("plan"),
                          "give the device 'array', 'dataflow' and 'clock', or drop 'kernels'",
                          "kernels is %s, but %s has no systolic array", c->kernels.model->name,
                          d->name);
    expand(c, study);
    if (!d->measured)
        return true;
    c->measured = nadi_measured_read(d->measured, diags);
    c->kernels.measured = c->optimizer.measured = c->measured;
    return c->measured != NULL;
}

void nadi_step_compute_release(struct nadi_step_compute *c)
{
    nadi_measured_destroy(c->measured);
}

/* All ranks issue the collectives of groups together only if they run one graph. */
static bool groups_can_be_chunked(const struct nadi_study *study, struct nadi_diags *diags)
{
    const struct nadi_cluster *c = &study->cluster;
    if (!c->chunked_groups)
        return true;
    if (study->library)
        return nadi_error(diags, "cluster/groups", NADI_IN_FILE(c->path), "leave it out",
                          "'group-collectives' is of dimensions, and 'platform' has none");
    if (study->plan.pp > 1)
        return nadi_error(diags, "cluster/groups", NADI_IN_FILE(c->path),
                          "choose pp=1, or group-collectives: levels",
                          "groups are cut into chunks where all ranks run one graph, and the %u "
                          "stages of the pipeline run one each",
                          study->plan.pp);
    if (nadi_cluster_entries(c, c->algorithm) < c->topology.dim_count ||
        nadi_cluster_entries(c, c->all_reduce) < c->topology.dim_count)
        return nadi_error(
            diags, "cluster/groups", NADI_IN_FILE(c->path),
            "name an algorithm a dimension, or group-collectives: levels",
            "groups are cut into chunks that visit dimensions, and '%s' runs over all "
            "members at once",
            c->algorithm[0]);
    if (c->topology.npu_count > study->plan.ranks)
        return nadi_error(diags, "cluster/groups", NADI_IN_FILE(c->path),
                          "use all NPUs, or group-collectives: levels",
                          "groups are cut into chunks on a whole network, and %u of %u NPUs are "
                          "idle",
                          c->topology.npu_count - study->plan.ranks, c->topology.npu_count);
    return true;
}

bool nadi_step_init(struct nadi_model_step *s, const struct nadi_study *study,
                    struct nadi_diags *diags)
{
    const struct nadi_model_plan *p = &study->plan;
    *s = (struct nadi_model_step){.study = study, .has_device = study->has_cluster};
    nadi_arena_init(&s->arena);
    if (s->has_device && !nadi_step_compute_init(&s->compute, study, diags))
        return false;
    if (s->has_device && !groups_can_be_chunked(study, diags))
        return false;
    if (s->has_device && study->library && p->once_a_node)
        return nadi_error(diags, "plan/dispatch", NADI_IN_FILE("plan"),
                          "name a cluster with a topology, or dispatch=all-to-all",
                          "'once-a-node' looks at the nodes of groups, and a communication library "
                          "takes groups whole");
    /* a library takes groups whole */
    const struct nadi_comm_rules rules = {
        .topology = s->has_device && !study->library ? &study->cluster.topology : NULL,
        .chunked = s->has_device && study->cluster.chunked_groups,
        .named_exchange = s->has_device && study->cluster.all_to_all[0],
        .paired = nadi_schedule_pairs(&study->schedule),
    };
    nadi_comm_groups_init(&s->comm_groups, &study->grid, &rules);
    const uint32_t count = variants_of(p);
    s->variants = NADI_ARENA_ZNEW(&s->arena, struct nadi_step_variant, count);
    for (; s->variant_count < count; s->variant_count++) {
        struct nadi_step_variant *v = &s->variants[s->variant_count];
        struct nadi_shape shape = nadi_plan_shape(p, &study->model);
        shape.cached +=
            p->mode == NADI_MODE_DECODE ? s->variant_count : (uint64_t)s->variant_count * p->chunk;
        nadi_net_build(&v->net, &study->model, &shape);
        v->costs =
            nadi_costs_make(&v->net, p, s->has_device ? &s->compute.kernels : NULL, &s->arena);
    }
    const double host_ns = s->has_device ? nadi_host_kernel_ns(p, study->cluster.host_speed) : 0;
    for (uint32_t i = 0; i < s->variant_count && host_ns > 0; i++)
        if (nadi_host_is_late(&s->variants[i].net, s->variants[i].costs, host_ns))
            s->host_kernel_ns = host_ns;
    return true;
}

void nadi_step_release(struct nadi_model_step *s)
{
    for (uint32_t i = 0; i < s->variant_count; i++)
        nadi_net_release(&s->variants[i].net);
    nadi_step_compute_release(&s->compute);
    nadi_arena_release(&s->arena);
    *s = (struct nadi_model_step){0};
}
