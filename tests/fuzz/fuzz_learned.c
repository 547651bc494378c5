/* Any bytes as the inside of a model of traces: refused, or a job can be drawn from it whose ranks
 * agree, or the drawing is refused. */
#include "base/base.h"
#include "learned/make.h"
#include "learned/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_learned_model m;
    struct nadi_made_job job = {.number = 0};
    struct nadi_diags diags;
    const struct nadi_learned_wish wish = {.family = NADI_NONE,
                                           .compute_scale = 1,
                                           .comm_scale = 1,
                                           .noise = -1,
                                           .seed = 1,
                                           .temperature = 1,
                                           .most_nodes = 2000};
    if (size > 1 << 18)
        return 0;
    nadi_diags_init(&diags);
    if (!nadi_learned_model_parse(&m, "fuzz", data, size, &diags))
        NADI_ASSERT(diags.errors == 1);
    else if (!nadi_learned_make(&job, &m, &wish, &diags))
        NADI_ASSERT(diags.errors >= 1);
    nadi_made_job_release(&job);
    nadi_learned_model_release(&m);
    nadi_diags_release(&diags);
    return 0;
}
