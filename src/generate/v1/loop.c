/* loop: the training loops of ASTRA-sim 1.0, and those of files. */
#include "base/mem.h"
#include "generate/v1/loop_form.h"
#include "generate/v1/program.h"

struct when { /* a set of nodes to wait for; empty: at once */
    const uint32_t *nodes;
    uint32_t count;
};

struct loop {
    struct nadi_v1_program *p;
    const struct nadi_v1_workload *w;
    const uint32_t *members; /* by scope */
    uint32_t pass, passes;
    /* By phase and layer: the end of a collective that was not waited for. */
    struct when *pending[NADI_V1_PHASES];
};

/* The scope of a layer's collective in a phase, by its parallelism. */
static enum nadi_v1_scope v1_scope_of(enum nadi_v1_policy policy, enum nadi_v1_phase phase)
{
    const bool is_weight = phase == NADI_V1_WEIGHT_GRADIENT;
    switch (policy) {
    case NADI_V1_MICRO:
    case NADI_V1_DATA:
    case NADI_V1_DATA_REORDER:
        return is_weight ? NADI_V1_SCOPE_ALL : NADI_V1_SCOPE_NONE;
    case NADI_V1_MODEL:
    case NADI_V1_DISTRIBUTED_INFERENCE:
        return is_weight ? NADI_V1_SCOPE_NONE : NADI_V1_SCOPE_ALL;
    case NADI_V1_HYBRID_DATA_MODEL:
    case NADI_V1_HYBRID_TRANSFORMER:
    case NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD:
        return is_weight ? NADI_V1_SCOPE_OUTER : NADI_V1_SCOPE_INNER;
    case NADI_V1_HYBRID_MODEL_DATA:
        return is_weight ? NADI_V1_SCOPE_INNER : NADI_V1_SCOPE_OUTER;
    case NADI_V1_HYBRID_DLRM:
    case NADI_V1_HYBRID_DLRM_ENHANCED:
        return NADI_V1_SCOPE_ALL;
    case NADI_V1_HYBRID_CUSTOMIZED:
    case NADI_V1_NONE:
    case NADI_V1_POLICIES:
        break;
    }
    return NADI_V1_SCOPE_NONE;
}

static enum nadi_v1_scope scope_of(const struct loop *l, const struct nadi_v1_layer *y,
                                   enum nadi_v1_phase phase)
{
    const struct nadi_v1_loop_form *form = l->w->loop;
    switch (y->group[phase]) {
    case NADI_V1_GROUP_EXPERT:
        return NADI_V1_SCOPE_EXPERT;
    case NADI_V1_GROUP_EXPERT_DATA:
        return NADI_V1_SCOPE_EXPERT_DATA;
    case NADI_V1_GROUP_PLAIN:
    case NADI_V1_GROUPS:
        break;
    }
    return form && form->has_scope[phase] ? form->scope[phase] : v1_scope_of(y->policy, phase);
}

/* As a node of a trace has them. */
static uint64_t bytes_of(const struct loop *l, const struct nadi_v1_layer *y,
                         enum nadi_v1_phase phase, enum nadi_collective_kind kind)
{
    const uint32_t members = l->members[scope_of(l, y, phase)];
    if (!l->w->simai || kind != NADI_ALL_GATHER)
        return y->bytes[phase];
    return y->bytes[phase] / members + (y->bytes[phase] % members != 0);
}

static struct when both(struct loop *l, struct when a, struct when b)
{
    if (a.count == 0)
        return b;
    if (b.count == 0)
        return a;
    uint32_t *nodes = NADI_ARENA_NEW(&l->p->arena, uint32_t, (size_t)a.count + b.count);
    uint32_t count = a.count;
    memcpy(nodes, a.nodes, a.count * sizeof(*nodes));
    for (uint32_t i = 0; i < b.count; i++) {
        uint32_t k = 0;
        while (k < a.count && a.nodes[k] != b.nodes[i])
            k++;
        if (k == a.count)
            nodes[count++] = b.nodes[i];
    }
    return (struct when){nodes, count};
}

static struct when add(struct loop *l, struct nadi_v1_node node, struct when after)
{
    struct nadi_v1_program *p = l->p;
    uint32_t *self = NADI_ARENA_NEW(&p->arena, uint32_t, 1);
    *self = (uint32_t)p->count;
    node.deps = after.nodes;
    node.dep_count = after.count;
    if (p->count == p->capacity)
        p->nodes = nadi_mem_grow(p->nodes, &p->capacity, p->count + 1, sizeof(*p->nodes));
    p->nodes[p->count++] = node;
    return (struct when){self, 1};
}

static const char *name_of(struct loop *l, uint32_t layer, const char *what)
{
    const char *name = l->w->layers[layer].name;
    if (l->passes > 1)
        return nadi_arena_printf(&l->p->arena, "%s %s, pass %u", name, what, l->pass + 1);
    return nadi_arena_printf(&l->p->arena, "%s %s", name, what);
}

static struct when compute(struct loop *l, uint32_t layer, enum nadi_v1_phase phase,
                           const char *what, struct when after)
{
    const uint64_t time = l->w->layers[layer].time[phase];
    if (time == 0)
        return after;
    return add(l, (struct nadi_v1_node){.name = name_of(l, layer, what), .time = time}, after);
}

static struct when one_collective(struct loop *l, uint32_t layer, enum nadi_v1_phase phase,
                                  enum nadi_collective_kind kind, const char *what,
                                  struct when after)
{
    const struct nadi_v1_layer *y = &l->w->layers[layer];
    const struct nadi_v1_node node = {
        .name = nadi_arena_printf(&l->p->arena, "%s %s", name_of(l, layer, what),
                                  nadi_collective_name(kind)),
        .bytes = bytes_of(l, y, phase, kind),
        .kind = kind,
        .scope = scope_of(l, y, phase),
    };
    return add(l, node, after);
}

static struct when collective(struct loop *l, uint32_t layer, enum nadi_v1_phase phase,
                              const char *what, struct when after)
{
    const struct nadi_v1_layer *y = &l->w->layers[layer];
    const enum nadi_v1_scope scope = scope_of(l, y, phase);
    if (y->comm[phase] == NADI_V1_COMM_NONE || y->bytes[phase] == 0 ||
        scope == NADI_V1_SCOPE_NONE || l->members[scope] == 1)
        return after;
    static const enum nadi_collective_kind kinds[NADI_V1_COMMS] = {
        [NADI_V1_ALL_REDUCE] = NADI_ALL_REDUCE,
        [NADI_V1_ALL_GATHER] = NADI_ALL_GATHER,
        [NADI_V1_REDUCE_SCATTER] = NADI_REDUCE_SCATTER,
        [NADI_V1_ALL_TO_ALL] = NADI_ALL_TO_ALL,
        [NADI_V1_ALL_REDUCE_ALL_TO_ALL] = NADI_ALL_REDUCE,
        [NADI_V1_BROADCAST] = NADI_BROADCAST,
    };
    struct when end = one_collective(l, layer, phase, kinds[y->comm[phase]], what, after);
    if (y->comm[phase] == NADI_V1_ALL_REDUCE_ALL_TO_ALL)
        end = one_collective(l, layer, phase, NADI_ALL_TO_ALL, what, end);
    if (y->update == 0)
        return end;
    const struct nadi_v1_node update = {
        .name = nadi_arena_printf(&l->p->arena, "%s update", name_of(l, layer, what)),
        .time = y->update,
        .is_update = true,
    };
    return add(l, update, end);
}

/* Begins the weight-gradient collective; the next pass waits for it. */
static void synchronise(struct loop *l, uint32_t layer, struct when after)
{
    const struct when end = collective(l, layer, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
    l->pending[NADI_V1_WEIGHT_GRADIENT][layer] = end.nodes == after.nodes ? (struct when){0} : end;
}

static struct when forward(struct loop *l, uint32_t layer, struct when after)
{
    after = compute(l, layer, NADI_V1_FORWARD, "forward", after);
    return collective(l, layer, NADI_V1_FORWARD, "forward", after);
}

static struct when forward_pass(struct loop *l, struct when after)
{
    for (uint32_t i = 0; i < l->w->layer_count; i++)
        after = forward(l, i, both(l, after, l->pending[NADI_V1_WEIGHT_GRADIENT][i]));
    return after;
}

static struct when micro_pass(struct loop *l, struct when after)
{
    for (uint32_t i = 0; i < l->w->layer_count; i++)
        (void)collective(l, i, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
    return after;
}

static struct when data_pass(struct loop *l, struct when after)
{
    after = forward_pass(l, after);
    for (uint32_t i = l->w->layer_count; i-- > 0;) {
        after = compute(l, i, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
        synchronise(l, i, after);
        if (i > 0)
            after = compute(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
    }
    return after;
}

/* MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_CUSTOMIZED. */
static struct when hybrid_pass(struct loop *l, struct when after)
{
    after = forward_pass(l, after);
    for (uint32_t i = l->w->layer_count; i-- > 0;) {
        after = compute(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
        const struct when gathered =
            i == 0 ? after : collective(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
        const bool waits = gathered.nodes != after.nodes;
        after = compute(l, i, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
        synchronise(l, i, after);
        after = waits ? both(l, after, gathered) : after;
    }
    return after;
}

/* The nearest checkpoint before a layer, or the first layer. */
static uint32_t checkpoint_before(const struct loop *l, uint32_t layer)
{
    uint32_t first = layer;
    while (first > 0 && (first == layer || !l->w->checkpoint || !l->w->checkpoint[first]))
        first--;
    return first;
}

/* The forward pass again, from the nearest checkpoint before the layer up to it. */
static struct when recompute(struct loop *l, uint32_t layer, struct when after)
{
    for (uint32_t i = checkpoint_before(l, layer); i < layer; i++) {
        after = compute(l, i, NADI_V1_FORWARD, "forward again", after);
        after = collective(l, i, NADI_V1_FORWARD, "forward again", after);
    }
    return after;
}

static struct when transformer_pass(struct loop *l, struct when after)
{
    after = forward_pass(l, after);
    for (uint32_t i = l->w->layer_count; i-- > 0;) {
        if (l->w->initiate && l->w->initiate[i])
            after = recompute(l, i, after);
        after = compute(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
        after = collective(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
        after = compute(l, i, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
        synchronise(l, i, after);
    }
    return after;
}

static struct when dlrm_pass(struct loop *l, struct when after)
{
    const uint32_t bottom = l->w->last_bottom;
    struct when embedded = {0}, returned = {0};
    for (uint32_t i = 0; i < l->w->layer_count; i++) {
        after = both(l, after, l->pending[NADI_V1_WEIGHT_GRADIENT][i]);
        if (i == bottom)
            after = both(l, after, embedded);
        after = compute(l, i, NADI_V1_FORWARD, "forward", after);
        /* Only the embedding, layer 0, communicates in the forward pass. */
        if (i == 0 && l->w->layers[i].comm[NADI_V1_FORWARD] == NADI_V1_ALL_TO_ALL)
            embedded = collective(l, i, NADI_V1_FORWARD, "forward", after);
    }
    for (uint32_t i = l->w->layer_count; i-- > 0;) {
        if (i == 0)
            after = both(l, after, returned);
        after = compute(l, i, NADI_V1_WEIGHT_GRADIENT, "weight gradient", after);
        synchronise(l, i, after);
        if (i > 0)
            after = compute(l, i, NADI_V1_INPUT_GRADIENT, "input gradient", after);
        if (i == bottom + 1)
            returned = collective(l, 0, NADI_V1_INPUT_GRADIENT, "input gradient", after);
    }
    return after;
}

static struct when one_pass(struct loop *l, struct when after)
{
    switch (l->w->policy) {
    case NADI_V1_MICRO:
        return micro_pass(l, after);
    case NADI_V1_DATA:
    case NADI_V1_DATA_REORDER:
        return data_pass(l, after);
    case NADI_V1_DISTRIBUTED_INFERENCE:
        return forward_pass(l, after);
    case NADI_V1_MODEL:
    case NADI_V1_HYBRID_DATA_MODEL:
    case NADI_V1_HYBRID_MODEL_DATA:
    case NADI_V1_HYBRID_CUSTOMIZED:
        return hybrid_pass(l, after);
    case NADI_V1_HYBRID_TRANSFORMER:
    case NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD:
        return l->w->job.inference ? forward_pass(l, after) : transformer_pass(l, after);
    case NADI_V1_HYBRID_DLRM:
    case NADI_V1_HYBRID_DLRM_ENHANCED:
        return dlrm_pass(l, after);
    case NADI_V1_NONE:
    case NADI_V1_POLICIES:
        break;
    }
    NADI_BUG("a workload without a parallelism");
}

/* ---- loops of files ----------------------------------------------------------------------------
 */

/* What holds of a layer. */
static unsigned conditions(const struct loop *l, uint32_t layer)
{
    const struct nadi_v1_workload *w = l->w;
    const struct nadi_v1_layer *y = &w->layers[layer];
    return (layer == 0 ? NADI_V1_IF_FIRST : 0U) |
           (layer + 1 == w->layer_count ? NADI_V1_IF_LAST : 0U) |
           (w->initiate && w->initiate[layer] ? NADI_V1_IF_INITIATES : 0U) |
           (layer == w->last_bottom ? NADI_V1_IF_BOTTOM : 0U) |
           (layer == w->last_bottom + 1 ? NADI_V1_IF_ABOVE_BOTTOM : 0U) |
           (y->comm[NADI_V1_FORWARD] == NADI_V1_ALL_TO_ALL ? NADI_V1_IF_EXCHANGES : 0U);
}

static struct when steps(struct loop *l, const struct nadi_v1_step *list, uint32_t count,
                         uint32_t layer, struct when after);

static struct when over_layers(struct loop *l, const struct nadi_v1_step *s, struct when after)
{
    for (uint32_t i = 0; i < l->w->layer_count; i++)
        after = steps(l, s->steps, s->count, s->descending ? l->w->layer_count - 1 - i : i, after);
    return after;
}

static struct when again(struct loop *l, const struct nadi_v1_step *s, uint32_t layer,
                         struct when after)
{
    for (uint32_t i = checkpoint_before(l, layer); i < layer; i++)
        after = steps(l, s->steps, s->count, i, after);
    return after;
}

static struct when communicate(struct loop *l, const struct nadi_v1_step *s, uint32_t layer,
                               struct when after)
{
    const struct when end = collective(l, layer, s->phase, s->what, after);
    if (s->blocking)
        return end;
    l->pending[s->phase][layer] = end.nodes == after.nodes ? (struct when){0} : end;
    return after;
}

static struct when one_step(struct loop *l, const struct nadi_v1_step *s, uint32_t this_layer,
                            struct when after)
{
    const uint32_t layer = s->layer == NADI_V1_FIRST_LAYER  ? 0
                           : s->layer == NADI_V1_LAST_LAYER ? l->w->layer_count - 1
                                                            : this_layer;
    switch (s->kind) {
    case NADI_V1_STEP_LAYERS:
        return over_layers(l, s, after);
    case NADI_V1_STEP_RECOMPUTE:
        return again(l, s, layer, after);
    case NADI_V1_STEP_COMPUTE:
        return compute(l, layer, s->phase, s->what, after);
    case NADI_V1_STEP_COMMUNICATE:
        return communicate(l, s, layer, after);
    case NADI_V1_STEP_WAIT:
        return both(l, after, l->pending[s->phase][layer]);
    case NADI_V1_STEP_KINDS:
        break;
    }
    NADI_BUG("a step that does nothing");
}

static struct when steps(struct loop *l, const struct nadi_v1_step *list, uint32_t count,
                         uint32_t layer, struct when after)
{
    const unsigned hold = layer == NADI_NONE ? 0 : conditions(l, layer);
    for (uint32_t i = 0; i < count; i++)
        if ((list[i].all & ~hold) == 0 && (list[i].none & hold) == 0)
            after = one_step(l, &list[i], layer, after);
    return after;
}

void nadi_v1_loop(struct nadi_v1_program *p, const struct nadi_v1_workload *w,
                  const uint32_t members[NADI_V1_SCOPES], uint32_t passes)
{
    *p = (struct nadi_v1_program){0};
    nadi_arena_init(&p->arena);
    struct loop l = {.p = p, .w = w, .members = members, .passes = passes};
    for (int phase = 0; phase < NADI_V1_PHASES; phase++)
        l.pending[phase] = NADI_ARENA_ZNEW(&p->arena, struct when, w->layer_count);
    struct when after = {0};
    for (l.pass = 0; l.pass < passes; l.pass++)
        after = w->loop ? steps(&l, w->loop->steps, w->loop->count, NADI_NONE, after)
                        : one_pass(&l, after);
}

void nadi_v1_program_release(struct nadi_v1_program *p)
{
    nadi_mem_free(p->nodes);
    nadi_arena_release(&p->arena);
    *p = (struct nadi_v1_program){0};
}
