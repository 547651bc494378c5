#include "model/ranks.h"

#include "base/mem.h"
#include "model/stage.h"

const char *nadi_axis_name(enum nadi_axis axis)
{
    static const char *const names[] = {"none", "tp",  "cp",   "dp", "ep",
                                        "etp",  "edp", "tied", "all"};
    return names[axis];
}

void nadi_grid_init(struct nadi_grid *g, const struct nadi_model_plan *p,
                    const struct nadi_model *m)
{
    *g = (struct nadi_grid){
        .ranks = p->ranks,
        .degree = {p->tp, p->cp, p->dp, p->pp},
        .etp = p->etp,
        .ep = p->ep,
        .edp = p->edp,
        .tied = nadi_plan_copies_embedding(p, m),
        .mirrored = nadi_plan_mirrors(p),
        .world = m->family == NADI_FAMILY_DLRM,
        .experts = m->experts > 0,
        .heads = p->context == NADI_CONTEXT_ULYSSES,
        .copies = m->experts && p->once_a_node ? m->top_k : 0,
        .limited =
            m->expert_groups && m->group_limit ? (double)m->group_limit / m->expert_groups : 1,
    };
    uint32_t stride = 1;
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        g->order[i] = p->order[i];
        g->stride[p->order[i]] = stride;
        stride *= g->degree[p->order[i]];
    }
}

uint32_t nadi_grid_stage_rank(const struct nadi_grid *g, uint32_t rank, uint32_t stage)
{
    const uint32_t here = nadi_grid_coordinate(g, rank, NADI_DEGREE_PP);
    return rank - here * g->stride[NADI_DEGREE_PP] + stage * g->stride[NADI_DEGREE_PP];
}

/* Place of a rank among those of its stage, and back. */
static uint32_t block_place(const struct nadi_grid *g, uint32_t rank)
{
    uint32_t place = 0, stride = 1;
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        if (g->order[i] == NADI_DEGREE_PP)
            continue;
        place += nadi_grid_coordinate(g, rank, g->order[i]) * stride;
        stride *= g->degree[g->order[i]];
    }
    return place;
}

static uint32_t block_rank(const struct nadi_grid *g, uint32_t place, uint32_t stage)
{
    uint32_t rank = stage * g->stride[NADI_DEGREE_PP];
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        if (g->order[i] == NADI_DEGREE_PP)
            continue;
        rank += place % g->degree[g->order[i]] * g->stride[g->order[i]];
        place /= g->degree[g->order[i]];
    }
    return rank;
}

/* Replicas of a stage's weights are also those of the stage that mirrors it. */
static bool is_mirrored(const struct nadi_grid *g, enum nadi_axis axis)
{
    return g->mirrored && (axis == NADI_AXIS_DP || axis == NADI_AXIS_EDP);
}

static uint32_t mirror_of(const struct nadi_grid *g, uint32_t stage)
{
    return g->degree[NADI_DEGREE_PP] - 1 - stage;
}

/* One number for all stages in which an axis's groups have members together. */
static uint32_t stage_number(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank)
{
    const uint32_t stage = nadi_grid_coordinate(g, rank, NADI_DEGREE_PP);
    const bool far = is_mirrored(g, axis) && mirror_of(g, stage) < stage;
    return far ? mirror_of(g, stage) : stage;
}

static bool is_expert_axis(enum nadi_axis axis)
{
    return axis == NADI_AXIS_EP || axis == NADI_AXIS_ETP || axis == NADI_AXIS_EDP;
}

/* Of an axis's groups in one stage. */
static uint32_t size_in_stage(const struct nadi_grid *g, enum nadi_axis axis)
{
    switch (axis) {
    case NADI_AXIS_TP:
        return g->degree[NADI_DEGREE_TP];
    case NADI_AXIS_CP:
        return g->degree[NADI_DEGREE_CP];
    case NADI_AXIS_DP:
        return g->degree[NADI_DEGREE_DP] * g->degree[NADI_DEGREE_CP];
    case NADI_AXIS_EP:
        return g->experts ? g->ep : 1;
    case NADI_AXIS_ETP:
        return g->experts ? g->etp : 1;
    case NADI_AXIS_EDP:
        return g->experts ? g->edp : 1;
    case NADI_AXIS_TIED:
        return g->tied ? 2 : 1;
    case NADI_AXIS_WORLD:
        return g->world ? g->ranks : 1;
    case NADI_AXIS_NONE:
    case NADI_AXES:
        break;
    }
    return 1;
}

uint32_t nadi_grid_size(const struct nadi_grid *g, enum nadi_axis axis)
{
    const bool copied = is_mirrored(g, axis) && (axis != NADI_AXIS_EDP || g->experts);
    return size_in_stage(g, axis) * (copied ? 2 : 1);
}

bool nadi_grid_exchanges(const struct nadi_grid *g, enum nadi_axis axis)
{
    return nadi_grid_size(g, axis) > 1 &&
           (axis == NADI_AXIS_EP || axis == NADI_AXIS_WORLD || (axis == NADI_AXIS_CP && g->heads));
}

static int by_rank(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* etp, then ep, then edp vary within the block. */
static void expert_members(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank,
                           uint32_t *members)
{
    const uint32_t place = block_place(g, rank);
    const uint32_t stage = nadi_grid_coordinate(g, rank, NADI_DEGREE_PP);
    const uint32_t stride = axis == NADI_AXIS_ETP  ? 1
                            : axis == NADI_AXIS_EP ? g->etp
                                                   : g->etp * g->ep;
    const uint32_t size = size_in_stage(g, axis);
    const uint32_t first = place - place / stride % size * stride;
    for (uint32_t i = 0; i < size; i++)
        members[i] = block_rank(g, first + i * stride, stage);
}

static void dense_members(const struct nadi_grid *g, const enum nadi_degree *varied, uint32_t count,
                          uint32_t rank, uint32_t *members)
{
    uint32_t first = rank, size = 1;
    for (uint32_t i = 0; i < count; i++)
        first -= nadi_grid_coordinate(g, rank, varied[i]) * g->stride[varied[i]];
    members[0] = first;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t before = size;
        for (uint32_t c = 1; c < g->degree[varied[i]]; c++)
            for (uint32_t k = 0; k < before; k++)
                members[size++] = members[k] + c * g->stride[varied[i]];
    }
}

static void add_mirrored(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank,
                         uint32_t *members)
{
    const uint32_t here = size_in_stage(g, axis);
    const uint32_t mirror = mirror_of(g, nadi_grid_coordinate(g, rank, NADI_DEGREE_PP));
    for (uint32_t i = here; i < nadi_grid_size(g, axis); i++)
        members[i] = nadi_grid_stage_rank(g, members[i - here], mirror);
}

void nadi_grid_members(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank,
                       uint32_t *members)
{
    static const enum nadi_degree tp[] = {NADI_DEGREE_TP}, cp[] = {NADI_DEGREE_CP},
                                  dp[] = {NADI_DEGREE_CP, NADI_DEGREE_DP};
    switch (axis) {
    case NADI_AXIS_TP:
        dense_members(g, tp, 1, rank, members);
        break;
    case NADI_AXIS_CP:
        dense_members(g, cp, 1, rank, members);
        break;
    case NADI_AXIS_DP:
        dense_members(g, dp, 2, rank, members);
        break;
    case NADI_AXIS_EP:
    case NADI_AXIS_ETP:
    case NADI_AXIS_EDP:
        expert_members(g, axis, rank, members);
        break;
    case NADI_AXIS_TIED:
        members[0] = nadi_grid_stage_rank(g, rank, 0);
        members[1] = nadi_grid_stage_rank(g, rank, g->degree[NADI_DEGREE_PP] - 1);
        break;
    case NADI_AXIS_WORLD:
        for (uint32_t i = 0; i < g->ranks; i++)
            members[i] = i;
        break;
    case NADI_AXIS_NONE:
    case NADI_AXES:
        members[0] = rank;
        break;
    }
    add_mirrored(g, axis, rank, members);
    qsort(members, nadi_grid_size(g, axis), sizeof(*members), by_rank);
}

/* Coordinates that are fixed within a group, mixed to a number in the order of the plan. */
static uint32_t dense_group(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank)
{
    uint32_t number = 0, stride = 1;
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        const enum nadi_degree d = g->order[i];
        const bool varied = (axis == NADI_AXIS_TP && d == NADI_DEGREE_TP) ||
                            (axis == NADI_AXIS_CP && d == NADI_DEGREE_CP) ||
                            (axis == NADI_AXIS_DP && (d == NADI_DEGREE_CP || d == NADI_DEGREE_DP));
        if (varied)
            continue;
        number +=
            (d == NADI_DEGREE_PP ? stage_number(g, axis, rank) : nadi_grid_coordinate(g, rank, d)) *
            stride;
        stride *= g->degree[d];
    }
    return number;
}

static uint32_t expert_group(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank)
{
    const uint32_t place = block_place(g, rank);
    const uint32_t etp = place % g->etp, ep = place / g->etp % g->ep;
    const uint32_t edp = place / g->etp / g->ep;
    const uint32_t count = g->etp * g->ep * g->edp / size_in_stage(g, axis);
    const uint32_t within = axis == NADI_AXIS_ETP  ? ep + edp * g->ep
                            : axis == NADI_AXIS_EP ? etp + edp * g->etp
                                                   : etp + ep * g->etp;
    return within + stage_number(g, axis, rank) * count;
}

uint32_t nadi_grid_group(const struct nadi_grid *g, enum nadi_axis axis, uint32_t rank)
{
    const uint32_t stages = g->degree[NADI_DEGREE_PP];
    if (is_expert_axis(axis))
        return expert_group(g, axis, rank);
    if (axis == NADI_AXIS_TIED) {
        const uint32_t stage = nadi_grid_coordinate(g, rank, NADI_DEGREE_PP);
        return stage == 0 || stage == stages - 1 ? block_place(g, rank) : NADI_NONE;
    }
    if (axis == NADI_AXIS_WORLD)
        return 0;
    return dense_group(g, axis, rank);
}
