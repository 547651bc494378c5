/* Any bytes as a text workload: at least one error, or programs whose nodes wait for earlier ones
 * only. */
#include "base/diag.h"
#include "generate/v1/program.h"
#include "generate/v1/shape.h"
#include "generate/v1/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct nadi_v1_program *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct nadi_v1_node *n = &p->nodes[i];
        NADI_ASSERT(n->name && n->scope < NADI_V1_SCOPES);
        for (uint32_t k = 0; k < n->dep_count; k++)
            NADI_ASSERT(n->deps[k] < i);
    }
}

static void make_programs(const struct nadi_v1_workload *w)
{
    struct nadi_diags diags;
    struct nadi_v1_program p;
    struct nadi_v1_shape shapes[] = {{.dims = {4, 2, 3}, .dim_count = 3}, {.dim_count = 0}};
    nadi_diags_init(&diags);
    for (int i = 0; i < 2; i++)
        if (nadi_v1_shape_find(&shapes[i], w, false, &diags)) {
            nadi_v1_loop(&p, w, shapes[i].members, 2);
            check(&p);
            nadi_v1_program_release(&p);
        }
    if (nadi_v1_converter(&p, w, 2, &diags))
        check(&p);
    nadi_v1_program_release(&p);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_v1_workload w;
    nadi_diags_init(&diags);
    const struct nadi_v1_reading reading = {0};
    const bool ok = nadi_v1_parse(&w, "fuzz.txt", (const char *)data, size, &reading, &diags);
    NADI_ASSERT(ok == (diags.errors == 0));
    if (ok && w.layer_count < 300)
        make_programs(&w);
    nadi_v1_release(&w);
    nadi_diags_release(&diags);
    return 0;
}
