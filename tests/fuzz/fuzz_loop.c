/* Any bytes as a training loop: at least one error, or a program whose nodes wait for earlier ones
 * only. */
#include "generate/v1/loop_form.h"
#include "generate/v1/shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
                           "checkpoints: 1 0 checkpoint_initiates: 1 3\n4\n"
                           "a -1 10 ALLTOALL 64 20 ALLREDUCE 64 30 ALLREDUCE 64 1\n"
                           "b -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 64 1\n"
                           "c -1 0 ALLGATHER 64 20 ALLREDUCE 64 0 NONE 0 0\n"
                           "d -1 10 ALLREDUCE 64 20 ALLREDUCE 64 30 ALLREDUCE 64 1\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_v1_workload w;
    struct nadi_v1_loop_form form;
    struct nadi_v1_program p;
    struct nadi_v1_shape shape = {.dims = {2, 2}, .dim_count = 2};
    const struct nadi_v1_reading reading = {.dialect = NADI_V1_DIALECT_AUTO};
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_v1_parse(&w, "w.txt", text, strlen(text), &reading, &diags));
    const bool read = nadi_v1_loop_parse(&form, "loop.yaml", (const char *)data, size, &w, &diags);
    NADI_ASSERT(read || diags.errors > 0);
    if (read && nadi_v1_shape_find(&shape, &w, false, &diags)) {
        nadi_v1_loop(&p, &w, shape.members, 2);
        for (size_t i = 0; i < p.count; i++)
            for (uint32_t k = 0; k < p.nodes[i].dep_count; k++)
                NADI_ASSERT(p.nodes[i].deps[k] < i);
        nadi_v1_program_release(&p);
    }
    nadi_v1_loop_form_release(&form);
    nadi_v1_release(&w);
    nadi_diags_release(&diags);
    return 0;
}
