/* tensors: named arrays of numbers, from and to the files that frameworks write.
 *
 * .npz: a zip archive of .npy files, stored or deflated, little-endian, in C order. .safetensors: a
 * JSON head with shapes and places, then the numbers. .npy: one array, named "x". Numbers of 16, 32
 * and 64 bits, bfloat16, whole numbers and bools are read as floats; written are floats. A number
 * that a float cannot hold (a whole one beyond 2^24, or one out of range) is an error.
 *
 * Ownership: the set's arena holds everything. O(bytes). Files are at most NADI_TENSORS_MOST_BYTES
 * long, which also bounds what a deflated array may become. */
#ifndef NADI_NEURAL_TENSORS_H
#define NADI_NEURAL_TENSORS_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

#define NADI_TENSORS_MOST_BYTES (4ULL << 30)
enum { NADI_TENSOR_MOST_DIMS = 8 };

struct nadi_nn_tensor {
    const char *name;
    uint32_t rank; /* dimensions */
    uint64_t dims[NADI_TENSOR_MOST_DIMS];
    uint64_t count; /* of values */
    float *values;
    bool infinite; /* it may have infinite numbers, as masks do */
};

struct nadi_tensors {
    struct nadi_arena arena;
    struct nadi_nn_tensor *items;
    size_t count, capacity;
};

void nadi_tensors_init(struct nadi_tensors *set);
void nadi_tensors_release(struct nadi_tensors *set);

/* Reads a file of any of the forms, told by its first bytes. False with an error: the set may then
 * have some of it. */
bool nadi_tensors_read(struct nadi_tensors *set, const char *path,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory; path is for messages. */
bool nadi_tensors_parse(struct nadi_tensors *set, const char *path, const void *data, size_t bytes,
                        struct nadi_diags *diags) NADI_MUST_USE;
/* By the ending of the name: .safetensors, else npz. */
bool nadi_tensors_write(const struct nadi_tensors *set, const char *path,
                        struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_nn_tensor *nadi_tensors_find(const struct nadi_tensors *set, const char *name);
/* A new one, of zeros; NULL with an error where the name is there, or the shape too large. */
struct nadi_nn_tensor *nadi_tensors_add(struct nadi_tensors *set, const char *name, uint32_t rank,
                                        const uint64_t *dims, struct nadi_place place,
                                        struct nadi_diags *diags);
/* "[10, 784]" */
const char *nadi_tensor_shape(const struct nadi_nn_tensor *t, char buffer[128]);

#endif
