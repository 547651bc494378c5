/* tensors_inside: what the readers of files of tensors share. */
#ifndef NADI_NEURAL_TENSORS_INSIDE_H
#define NADI_NEURAL_TENSORS_INSIDE_H

#include "base/str.h"
#include "neural/tensors.h"

enum nadi_element { /* of a stored array */
                    NADI_ELEMENT_NONE,
                    NADI_ELEMENT_F16,
                    NADI_ELEMENT_BF16,
                    NADI_ELEMENT_F32,
                    NADI_ELEMENT_F64,
                    NADI_ELEMENT_I8,
                    NADI_ELEMENT_I16,
                    NADI_ELEMENT_I32,
                    NADI_ELEMENT_I64,
                    NADI_ELEMENT_U8,
                    NADI_ELEMENT_U16,
                    NADI_ELEMENT_U32,
                    NADI_ELEMENT_U64,
                    NADI_ELEMENTS
};

uint32_t nadi_element_bytes(enum nadi_element element);
/* Are these bytes enough for an array of the shape? */
bool nadi_tensor_fits(uint32_t rank, const uint64_t *dims, enum nadi_element element,
                      uint64_t bytes);
/* Little-endian numbers into a tensor's values, of which there are as many. False with an error. */
bool nadi_tensor_take(struct nadi_nn_tensor *t, enum nadi_element element, const uint8_t *data,
                      struct nadi_place place, struct nadi_diags *diags) NADI_MUST_USE;

/* One file each; data of any length. */
bool nadi_tensors_parse_npz(struct nadi_tensors *set, const char *path, const uint8_t *data,
                            size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_tensors_parse_npy(struct nadi_tensors *set, const char *name, const char *path,
                            const uint8_t *data, size_t bytes,
                            struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_tensors_parse_safetensors(struct nadi_tensors *set, const char *path, const uint8_t *data,
                                    size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_tensors_put_npz(const struct nadi_tensors *set, struct nadi_str *out);
void nadi_tensors_put_safetensors(const struct nadi_tensors *set, struct nadi_str *out);

#endif
