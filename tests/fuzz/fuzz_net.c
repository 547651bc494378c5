/* Any bytes as a file of arrays (npz, npy, safetensors) and a description of layers, with a line
 * "---" between them. Errors, or a network that runs. */
#include "base/mem.h"
#include "format/doc.h"
#include "neural/nn_read.h"
#include "neural/tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 14, MOST_VALUES = 1 << 16 };

/* Once, where it is small enough. */
static void run(const struct nadi_nn *nn)
{
    struct nadi_nn_run once;
    uint64_t values = 0;
    for (uint32_t i = 0; i < nn->count; i++)
        values += (uint64_t)nn->layers[i].channels * nadi_nn_positions(&nn->layers[i]) *
                  (nn->layers[i].kernel[0] + 1ULL) * (nn->layers[i].kernel[1] + 1ULL);
    if (values > MOST_VALUES)
        return;
    float *x = NADI_ZNEW(float, nn->layers[0].channels *nadi_nn_positions(&nn->layers[0]));
    nadi_nn_forward(nn, x, 1, &once);
    nadi_nn_run_release(&once);
    nadi_mem_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_tensors set;
    struct nadi_doc doc;
    struct nadi_nn nn;
    if (size > MOST)
        return 0;
    const uint8_t *mark = memmem(data, size, "---\n", 4);
    const size_t first = mark ? (size_t)(mark - data) : size;
    nadi_diags_init(&diags);
    nadi_tensors_init(&set);
    if (!nadi_tensors_parse(&set, "arrays", data, first, &diags))
        NADI_ASSERT(diags.errors > 0);
    else if (mark &&
             nadi_doc_parse(&doc, "net.yml", mark + 4, size - first - 4, NADI_DOC_YAML, &diags)) {
        if (nadi_nn_describe(&nn, &doc, &set, &diags)) {
            run(&nn);
            nadi_nn_release(&nn);
        } else
            NADI_ASSERT(diags.errors > 0);
        nadi_doc_release(&doc);
    }
    nadi_tensors_release(&set);
    nadi_diags_release(&diags);
    return 0;
}
