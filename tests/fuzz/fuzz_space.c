/* Any bytes as a space of a sweep: errors, or points each of which has a value for every variable
 * and keeps every constraint. */
#include "api/run_settings.h"
#include "sweep/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COMBINATIONS = 10000 };

static bool is_small(const struct nadi_space *s)
{
    double all = s->sampling == NADI_SAMPLING_GRID ? 1 : (double)s->wanted;
    for (uint32_t i = 0; s->sampling == NADI_SAMPLING_GRID && i < s->variable_count; i++)
        if (s->variables[i].form == NADI_VARIABLE_LIST)
            all *= s->variables[i].count;
    return all <= MOST_COMBINATIONS;
}

static void check_points(const struct nadi_space *s)
{
    struct nadi_assignment a;
    nadi_assignment_init(&a, s);
    for (uint64_t p = 0; p < s->point_count; p++) {
        nadi_space_assign(s, p, &a);
        for (uint32_t i = 0; i < s->variable_count; i++)
            NADI_ASSERT(a.texts[i] != NULL);
        for (uint32_t i = 0; i < s->constraint_count; i++) {
            struct nadi_expression_fault fault;
            bool holds = false;
            NADI_ASSERT(nadi_expression_holds(&s->constraints[i], a.quantities, &holds, &fault) &&
                        holds);
        }
    }
    nadi_assignment_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_space s;
    const struct nadi_space_source source = {.path = "space.yml",
                                             .text = (const char *)data,
                                             .bytes = size,
                                             .run_setting = nadi_run_setting};
    nadi_diags_init(&diags);
    if (!nadi_space_read(&s, &source, &diags))
        NADI_ASSERT(diags.errors > 0);
    else if (is_small(&s) && nadi_space_enumerate(&s, &diags))
        check_points(&s);
    nadi_space_release(&s);
    nadi_diags_release(&diags);
    return 0;
}
