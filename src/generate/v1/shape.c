#include "generate/v1/shape.h"

#include "generate/v1/loop_form.h"

#include "format/json_write.h"

static struct nadi_place first_line(const struct nadi_v1_workload *w)
{
    struct nadi_place place = NADI_IN_FILE(w->path);
    place.line = 1;
    return place;
}

static bool is_hybrid_by_dimension(enum nadi_v1_policy policy)
{
    return policy == NADI_V1_HYBRID_DATA_MODEL || policy == NADI_V1_HYBRID_MODEL_DATA ||
           policy == NADI_V1_HYBRID_CUSTOMIZED;
}

/* Number of the innermost dimensions whose product is the block. */
static uint32_t dims_of_block(const struct nadi_v1_shape *s)
{
    uint32_t product = 1;
    for (uint32_t d = 0; d <= s->dim_count; d++) {
        if (product == s->block)
            return d;
        if (d < s->dim_count)
            product *= s->dims[d];
    }
    return NADI_NONE;
}

/* SimAI's: as many ranks as the file says, in groups that divide each other. */
static bool find_experts(struct nadi_v1_shape *s, const struct nadi_v1_workload *w,
                         struct nadi_diags *diags)
{
    const struct nadi_v1_simai *job = &w->job;
    s->experts = job->experts;
    if (job->ranks != 0) {
        const uint32_t stage = job->ranks / job->stages;
        if (job->ranks % job->stages != 0)
            return nadi_error(diags, "text/stages", first_line(w), NULL,
                              "%u GPUs (all_gpus) are no multiple of %u stages (pp)", job->ranks,
                              job->stages);
        if (s->dim_count == 0)
            s->dims[s->dim_count++] = s->ranks = stage;
        if (s->ranks != stage)
            return nadi_error(diags, "text/ranks", first_line(w),
                              "leave out the topology, or give one of as many NPUs",
                              "the file is for %u GPUs%s, the topology has %u NPUs", stage,
                              job->stages > 1 ? " a stage (all_gpus / pp)" : " (all_gpus)",
                              s->ranks);
    }
    return true;
}

static bool check_experts(const struct nadi_v1_shape *s, const struct nadi_v1_workload *w,
                          struct nadi_diags *diags)
{
    const uint32_t blocks = s->ranks / s->block;
    return blocks % s->experts == 0 ||
           nadi_error(diags, "text/experts", first_line(w), NULL,
                      "the experts are shared by %u groups (ep), but there are %u groups of "
                      "model_parallel_NPU_group %u%s",
                      s->experts, blocks, s->block, w->job.stages > 1 ? " in a stage" : "");
}

/* A pipeline is said by its stage alone. */
static void warn_of_stages(const struct nadi_v1_workload *w, struct nadi_diags *diags)
{
    const struct nadi_v1_simai *job = &w->job;
    if (job->stages > 1)
        nadi_warning(
            diags, "text/stages", first_line(w), "`nadi model run` simulates whole pipelines",
            "the layers are those of one of %u pipeline stages, and so are the traces: the "
            "bubble ((pp - 1) / (ga vpp) = %u / %" PRIu64
            " of a step in SimAI) and the messages of %" PRIu64
            " B between stages (pp_comm) come on top",
            job->stages, job->stages - 1, (uint64_t)job->micro_batches * job->virtual_parts,
            job->stage_bytes);
}

static bool find_ranks(struct nadi_v1_shape *s, const struct nadi_v1_workload *w,
                       struct nadi_diags *diags)
{
    s->ranks = 1;
    for (uint32_t d = 0; d < s->dim_count; d++)
        s->ranks *= s->dims[d];
    if (w->simai && !find_experts(s, w, diags))
        return false;
    return s->dim_count > 0 || nadi_error(diags, "usage/topology", first_line(w),
                                          "--topology 16x16, --network FILE or --ranks 8",
                                          "the file does not say how many ranks there are");
}

bool nadi_v1_shape_find(struct nadi_v1_shape *s, const struct nadi_v1_workload *w, bool converter,
                        struct nadi_diags *diags)
{
    s->experts = 1;
    if (!find_ranks(s, w, diags))
        return false;
    s->block = s->ranks;
    if (converter)
        return true;
    if (w->loop && w->loop->block)
        s->block = w->loop->block;
    else if (is_hybrid_by_dimension(w->policy))
        s->block = s->dims[0];
    else if (w->model_group)
        s->block = w->model_group;
    if (s->block > s->ranks || s->ranks % s->block != 0)
        return nadi_error(
            diags, "text/model-group", first_line(w), "the ranks must be a multiple of the group",
            "%s is %u, there are %u ranks",
            w->loop && w->loop->block ? "the loop's block" : "model_parallel_NPU_group", s->block,
            s->ranks);
    s->inner_dims = dims_of_block(s);
    if (!check_experts(s, w, diags))
        return false;
    warn_of_stages(w, diags);
    s->members[NADI_V1_SCOPE_ALL] = s->ranks;
    for (int scope = NADI_V1_SCOPE_INNER; scope < NADI_V1_SCOPES; scope++)
        s->members[scope] = nadi_v1_group_of(s, (enum nadi_v1_scope)scope, 0).count;
    if (is_hybrid_by_dimension(w->policy) && s->dim_count == 1 && !w->loop)
        nadi_warning(diags, "text/one-dimension", first_line(w),
                     "give a topology of two dimensions or more, like --topology 8x4",
                     "%s parts the dimensions between model and data parallelism, but there is "
                     "one: the collectives of the others are left out",
                     nadi_v1_policy_name(w->policy));
    return true;
}

struct nadi_v1_ranks nadi_v1_group_of(const struct nadi_v1_shape *s, enum nadi_v1_scope scope,
                                      uint32_t rank)
{
    const uint32_t within = rank % s->block, block = rank / s->block;
    const uint32_t blocks = s->ranks / s->block, expert = block % s->experts;
    switch (scope) {
    case NADI_V1_SCOPE_INNER:
        return (struct nadi_v1_ranks){block * s->block, 1, s->block};
    case NADI_V1_SCOPE_OUTER:
        return (struct nadi_v1_ranks){within, s->block, blocks};
    case NADI_V1_SCOPE_EXPERT:
        return (struct nadi_v1_ranks){(block - expert) * s->block + within, s->block, s->experts};
    case NADI_V1_SCOPE_EXPERT_DATA:
        return (struct nadi_v1_ranks){expert * s->block + within, s->block * s->experts,
                                      blocks / s->experts};
    case NADI_V1_SCOPE_NONE:
    case NADI_V1_SCOPE_ALL:
    case NADI_V1_SCOPES:
        break;
    }
    return (struct nadi_v1_ranks){0, 1, s->ranks};
}

/* Groups are numbered by their first ranks. */
void nadi_v1_group_name(const struct nadi_v1_shape *s, enum nadi_v1_scope scope, uint32_t rank,
                        char name[32])
{
    static const char *const words[NADI_V1_SCOPES] = {
        "", "", "inner", "outer", "expert", "expert-data",
    };
    const uint32_t first = nadi_v1_group_of(s, scope, rank).first;
    uint32_t index = first;
    if (scope == NADI_V1_SCOPE_INNER)
        index = first / s->block;
    else if (scope == NADI_V1_SCOPE_EXPERT)
        index = first / (s->block * s->experts) * s->block + first % s->block;
    snprintf(name, 32, "%s.%u", words[scope], index);
}

void nadi_v1_groups_json(const struct nadi_v1_shape *s, const struct nadi_v1_program *program,
                         struct nadi_str *out)
{
    struct nadi_json j;
    char name[32];
    bool uses[NADI_V1_SCOPES] = {false};
    for (size_t i = 0; i < program->count; i++)
        uses[program->nodes[i].scope] = true;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    for (int k = NADI_V1_SCOPE_INNER; k < NADI_V1_SCOPES; k++)
        for (uint32_t rank = 0; uses[k] && rank < s->ranks; rank++) {
            const enum nadi_v1_scope scope = (enum nadi_v1_scope)k;
            const struct nadi_v1_ranks group = nadi_v1_group_of(s, scope, rank);
            if (group.first != rank)
                continue;
            nadi_v1_group_name(s, scope, rank, name);
            nadi_json_row_array(&j, name);
            for (uint32_t i = 0; i < group.count; i++)
                nadi_json_u64(&j, NULL, rank + (uint64_t)i * group.step);
            nadi_json_close(&j);
        }
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
