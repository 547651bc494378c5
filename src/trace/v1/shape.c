#include "trace/v1/shape.h"

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

bool nadi_v1_shape_find(struct nadi_v1_shape *s, const struct nadi_v1_workload *w, bool converter,
                        struct nadi_diags *diags)
{
    s->ranks = 1;
    for (uint32_t d = 0; d < s->dim_count; d++)
        s->ranks *= s->dims[d];
    s->block = s->ranks;
    if (converter)
        return true;
    if (is_hybrid_by_dimension(w->policy))
        s->block = s->dims[0];
    else if (w->model_group)
        s->block = w->model_group;
    if (s->block > s->ranks || s->ranks % s->block != 0)
        return nadi_error(diags, "text/model-group", first_line(w),
                          "the ranks must be a multiple of the group",
                          "model_parallel_NPU_group is %u, there are %u ranks", s->block, s->ranks);
    s->inner_dims = dims_of_block(s);
    s->alone[NADI_V1_SCOPE_ALL] = s->ranks == 1;
    s->alone[NADI_V1_SCOPE_INNER] = s->block == 1;
    s->alone[NADI_V1_SCOPE_OUTER] = s->block == s->ranks;
    if (is_hybrid_by_dimension(w->policy) && s->dim_count == 1)
        nadi_warning(diags, "text/one-dimension", first_line(w),
                     "give a topology of two dimensions or more, like --topology 8x4",
                     "%s parts the dimensions between model and data parallelism, but there is "
                     "one: the collectives of the others are left out",
                     nadi_v1_policy_name(w->policy));
    return true;
}

void nadi_v1_group_name(const struct nadi_v1_shape *s, enum nadi_v1_scope scope, uint32_t rank,
                        char name[32])
{
    if (scope == NADI_V1_SCOPE_INNER)
        snprintf(name, 32, "inner.%u", rank / s->block);
    else
        snprintf(name, 32, "outer.%u", rank % s->block);
}

static void add_ranks(struct nadi_json *j, uint32_t first, uint32_t step, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        nadi_json_u64(j, NULL, first + (uint64_t)i * step);
}

void nadi_v1_groups_json(const struct nadi_v1_shape *s, const struct nadi_v1_program *program,
                         struct nadi_str *out)
{
    struct nadi_json j;
    char name[32];
    bool uses[4] = {false};
    for (size_t i = 0; i < program->count; i++)
        uses[program->nodes[i].scope] = true;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    for (uint32_t k = 0; uses[NADI_V1_SCOPE_INNER] && k < s->ranks / s->block; k++) {
        nadi_v1_group_name(s, NADI_V1_SCOPE_INNER, k * s->block, name);
        nadi_json_row_array(&j, name);
        add_ranks(&j, k * s->block, 1, s->block);
        nadi_json_close(&j);
    }
    for (uint32_t k = 0; uses[NADI_V1_SCOPE_OUTER] && k < s->block; k++) {
        nadi_v1_group_name(s, NADI_V1_SCOPE_OUTER, k, name);
        nadi_json_row_array(&j, name);
        add_ranks(&j, k, s->block, s->ranks / s->block);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
