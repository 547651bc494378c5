/* Any bytes as an ONNX file: errors, or a network. */
#include "neural/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_nn nn;
    if (size > 1 << 14)
        return 0;
    nadi_diags_init(&diags);
    if (nadi_onnx_parse(&nn, "/nowhere/m.onnx", data, size, &diags))
        nadi_nn_release(&nn);
    else
        NADI_ASSERT(diags.errors > 0);
    nadi_diags_release(&diags);
    return 0;
}
