/* nn_read: neural networks from and to files: a description of the layers and the weights.
 *
 * `path` is an ONNX file (onnx.h); or a description in YAML, which names its file of weights; or
 * the weights, beside which a description of the same name with .yml or .yaml lies; or
 * `description` says it. */
#ifndef NADI_NEURAL_NN_READ_H
#define NADI_NEURAL_NN_READ_H

#include "neural/nn.h"

/* False with an error; nothing is then to be released. */
bool nadi_nn_read(struct nadi_nn *nn, const char *path, const char *description,
                  struct nadi_diags *diags) NADI_MUST_USE;
/* The layers of a description, and the weights of a set. */
struct nadi_doc;
bool nadi_nn_describe(struct nadi_nn *nn, const struct nadi_doc *doc,
                      const struct nadi_tensors *weights, struct nadi_diags *diags) NADI_MUST_USE;

/* FOLDER/NAME.npz or .safetensors, and FOLDER/NAME.yml. */
bool nadi_nn_write(const struct nadi_nn *nn, const char *folder, const char *name, bool safetensors,
                   struct nadi_diags *diags) NADI_MUST_USE;

#endif
