/* job_library: a communication library's collectives in the place of the reference's. */
#include "nccl/platform.h"
#include "support/job.h"

void job_library(struct job *j, uint64_t seed)
{
    static const char *const names[] = {"h100-node", "mi300x-node", "v100-p3dn"};
    struct nadi_comm_platform *p = NADI_ARENA_NEW(&j->in.arena, struct nadi_comm_platform, 1);
    struct nadi_diags diags;
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "library");
    nadi_diags_init(&diags);
    const bool ok =
        nadi_comm_platform_open(p, names[nadi_rng_below(&rng, 3)], &j->in.arena, &diags);
    NADI_ASSERT(ok);
    nadi_diags_release(&diags);
    p->gpus_per_node = j->in.topology.dims[0].npus;
    p->nodes = j->in.topology.npu_count / p->gpus_per_node;
    j->in.system.library = p;
    const bool all = nadi_rng_below(&rng, 2) == 0;
    for (int kind = 0; kind < NADI_NATIVE_KINDS; kind++)
        if (all || nadi_rng_below(&rng, 2) == 0)
            j->in.system.native[kind] = (struct nadi_implementation){
                .count = 1, .dims = {{.algorithm = NADI_ALGORITHM_LIBRARY, .flat = true}}};
}
