/* converter: the graph of the Chakra text converter 1.0.0, node by node in its order. */
#include "base/mem.h"
#include "generate/v1/program.h"

struct converter {
    struct nadi_v1_program *p;
    const struct nadi_v1_workload *w;
    struct nadi_diags *diags;
    uint32_t *weight; /* by layer, of the pass before: its weight gradient */
    uint32_t *synced; /* by layer, of the pass before: its collective; NADI_NONE if none */
    uint32_t pass;
};

/* Up to three dependencies; NADI_NONE are left out. */
static uint32_t add(struct converter *c, struct nadi_v1_node node, uint32_t a, uint32_t b,
                    uint32_t d)
{
    struct nadi_v1_program *p = c->p;
    const uint32_t given[] = {a, b, d};
    uint32_t *deps = NADI_ARENA_NEW(&p->arena, uint32_t, 3);
    for (size_t i = 0; i < 3; i++) {
        if (given[i] != NADI_NONE)
            deps[node.dep_count++] = given[i];
    }
    node.deps = deps;
    if (p->count == p->capacity)
        p->nodes = nadi_mem_grow(p->nodes, &p->capacity, p->count + 1, sizeof(*p->nodes));
    p->nodes[p->count++] = node;
    return (uint32_t)p->count - 1;
}

static uint32_t compute(struct converter *c, uint32_t layer, enum nadi_v1_phase phase, uint32_t a,
                        uint32_t b, uint32_t d)
{
    static const char *const names[] = {"FWD", "BWD_IG", "BWD_WG"};
    const struct nadi_v1_layer *y = &c->w->layers[layer];
    const struct nadi_v1_node node = {
        .name = nadi_arena_printf(&c->p->arena, "COMP_NODE_%s_%s", y->name, names[phase]),
        .time = y->time[phase],
    };
    return add(c, node, a, b, d);
}

/* NONE is an ALL_REDUCE of what the file says, 0 bytes. */
static uint32_t collective(struct converter *c, uint32_t layer, enum nadi_v1_phase phase,
                           const char *infix, uint32_t after)
{
    static const enum nadi_collective_kind kinds[NADI_V1_COMMS] = {
        [NADI_V1_COMM_NONE] = NADI_ALL_REDUCE,  [NADI_V1_ALL_REDUCE] = NADI_ALL_REDUCE,
        [NADI_V1_ALL_GATHER] = NADI_ALL_GATHER, [NADI_V1_REDUCE_SCATTER] = NADI_REDUCE_SCATTER,
        [NADI_V1_ALL_TO_ALL] = NADI_ALL_TO_ALL, [NADI_V1_ALL_REDUCE_ALL_TO_ALL] = NADI_ALL_REDUCE,
        [NADI_V1_BROADCAST] = NADI_BROADCAST,
    };
    const struct nadi_v1_layer *y = &c->w->layers[layer];
    const struct nadi_v1_node node = {
        .name = nadi_arena_printf(&c->p->arena, "COMM_COLL_NODE_%s_%s%s", y->name, infix,
                                  nadi_v1_comm_name(y->comm[phase])),
        .bytes = y->bytes[phase],
        .kind = kinds[y->comm[phase]],
        .scope = NADI_V1_SCOPE_ALL,
    };
    return add(c, node, after, NADI_NONE, NADI_NONE);
}

static uint32_t before(const struct converter *c, const uint32_t *of, uint32_t layer)
{
    return c->pass ? of[layer] : NADI_NONE;
}

static void micro_pass(struct converter *c)
{
    for (uint32_t i = 0; i < c->w->layer_count; i++)
        collective(c, i, NADI_V1_WEIGHT_GRADIENT, "", NADI_NONE);
}

static void data_pass(struct converter *c)
{
    uint32_t chain = NADI_NONE;
    for (uint32_t i = 0; i < c->w->layer_count; i++)
        chain = compute(c, i, NADI_V1_FORWARD, chain, before(c, c->synced, i), NADI_NONE);
    for (uint32_t i = c->w->layer_count; i-- > 0;) {
        chain = compute(c, i, NADI_V1_WEIGHT_GRADIENT, chain, NADI_NONE, NADI_NONE);
        c->synced[i] = collective(c, i, NADI_V1_WEIGHT_GRADIENT, "", chain);
        if (i > 0)
            chain = compute(c, i, NADI_V1_INPUT_GRADIENT, chain, NADI_NONE, NADI_NONE);
    }
}

/* MODEL and the two hybrids, which add the collectives of the weight gradients. */
static void model_pass(struct converter *c, bool hybrid, const char *infix)
{
    uint32_t chain = NADI_NONE, gathered = NADI_NONE;
    for (uint32_t i = 0; i < c->w->layer_count; i++) {
        const uint32_t wait = before(c, hybrid ? c->synced : c->weight, i);
        /* The converter names the two in this order. */
        chain = hybrid ? compute(c, i, NADI_V1_FORWARD, wait, chain, NADI_NONE)
                       : compute(c, i, NADI_V1_FORWARD, chain, wait, NADI_NONE);
        chain = collective(c, i, NADI_V1_FORWARD, "", chain);
    }
    for (uint32_t i = c->w->layer_count; i-- > 0;) {
        const uint32_t gradient = compute(c, i, NADI_V1_INPUT_GRADIENT, chain, gathered, NADI_NONE);
        if (i > 0)
            gathered = collective(c, i, NADI_V1_INPUT_GRADIENT, infix, gradient);
        chain = compute(c, i, NADI_V1_WEIGHT_GRADIENT, gradient, NADI_NONE, NADI_NONE);
        c->weight[i] = chain;
        if (hybrid)
            c->synced[i] = collective(c, i, NADI_V1_WEIGHT_GRADIENT, "", chain);
    }
}

static void dlrm_pass(struct converter *c)
{
    const uint32_t bottom = c->w->last_bottom;
    uint32_t chain = NADI_NONE, embedded = NADI_NONE, returned = NADI_NONE;
    for (uint32_t i = 0; i < c->w->layer_count; i++) {
        const struct nadi_v1_layer *y = &c->w->layers[i];
        const uint32_t wait =
            before(c, y->comm[NADI_V1_WEIGHT_GRADIENT] ? c->synced : c->weight, i);
        chain = compute(c, i, NADI_V1_FORWARD, wait, chain, i == bottom ? embedded : NADI_NONE);
        if (y->comm[NADI_V1_FORWARD] == NADI_V1_ALL_TO_ALL) {
            const uint32_t end = collective(c, i, NADI_V1_FORWARD, "", chain);
            embedded = i == 0 ? end : embedded;
        }
    }
    for (uint32_t i = c->w->layer_count; i-- > 0;) {
        const struct nadi_v1_layer *y = &c->w->layers[i];
        chain =
            compute(c, i, NADI_V1_WEIGHT_GRADIENT, chain, i == 0 ? returned : NADI_NONE, NADI_NONE);
        c->weight[i] = chain;
        if (y->comm[NADI_V1_WEIGHT_GRADIENT])
            c->synced[i] = collective(c, i, NADI_V1_WEIGHT_GRADIENT, "", chain);
        if (i > 0)
            chain = compute(c, i, NADI_V1_INPUT_GRADIENT, chain, NADI_NONE, NADI_NONE);
        if (i == bottom + 1)
            returned = collective(c, 0, NADI_V1_INPUT_GRADIENT, "", chain);
    }
}

static bool refused(const struct converter *c)
{
    struct nadi_place place = NADI_IN_FILE(c->w->path);
    place.line = 1;
    return nadi_error(c->diags, "text/compat", place, "leave out --compat",
                      "the text converter 1.0.0 does not know %s",
                      nadi_v1_policy_name(c->w->policy));
}

static bool simai_refused(const struct converter *c)
{
    struct nadi_place place = NADI_IN_FILE(c->w->path);
    place.line = 1;
    return nadi_error(c->diags, "text/compat", place, "leave out --compat, or say --dialect",
                      "this is a workload of SimAI, which the text converter 1.0.0 does not know");
}

static bool one_pass(struct converter *c)
{
    switch (c->w->policy) {
    case NADI_V1_MICRO:
        micro_pass(c);
        return true;
    case NADI_V1_DATA:
        data_pass(c);
        return true;
    case NADI_V1_MODEL:
        model_pass(c, false, "");
        return true;
    case NADI_V1_HYBRID_DATA_MODEL:
        model_pass(c, true, "IG_COMM__");
        return true;
    case NADI_V1_HYBRID_MODEL_DATA:
        model_pass(c, true, "");
        return true;
    case NADI_V1_HYBRID_DLRM:
    case NADI_V1_HYBRID_DLRM_ENHANCED:
        dlrm_pass(c);
        return true;
    case NADI_V1_DATA_REORDER:
    case NADI_V1_DISTRIBUTED_INFERENCE:
    case NADI_V1_HYBRID_TRANSFORMER:
    case NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD:
    case NADI_V1_HYBRID_CUSTOMIZED:
    case NADI_V1_NONE:
    case NADI_V1_POLICIES:
        break;
    }
    return refused(c);
}

bool nadi_v1_converter(struct nadi_v1_program *p, const struct nadi_v1_workload *w, uint32_t passes,
                       struct nadi_diags *diags)
{
    *p = (struct nadi_v1_program){0};
    nadi_arena_init(&p->arena);
    struct converter c = {.p = p, .w = w, .diags = diags};
    c.weight = NADI_ARENA_ZNEW(&p->arena, uint32_t, w->layer_count);
    c.synced = NADI_ARENA_ZNEW(&p->arena, uint32_t, w->layer_count);
    bool ok = !w->simai || simai_refused(&c);
    for (; ok && c.pass < passes; c.pass++)
        ok = one_pass(&c);
    return ok;
}
