/* onnx: networks from ONNX files: images (batch, channels, height, width), features (batch,
 * features) and sequences (batch, positions, features), in operators that nn.h has layers for; any
 * other is refused by its name. Weights lie in the file, raw or typed, or in a file beside it. An
 * addition of constants becomes a bias, a batch norm weights of the layer before it or of one of
 * its own, softmax(q k') v attention by heads (onnx_make.h). */
#ifndef NADI_NEURAL_ONNX_H
#define NADI_NEURAL_ONNX_H

#include "neural/nn.h"

/* False with an error; nothing is then to be released. path: also where other files are looked for.
 */
bool nadi_onnx_parse(struct nadi_nn *nn, const char *path, const void *data, size_t bytes,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
