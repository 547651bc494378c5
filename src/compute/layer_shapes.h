/* layer_shapes: the layers of a network as matrix products, from SCALE-sim's topology files.
 *
 *   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
 * Strides, Conv1, 224, 224, 11, 11, 3, 96, 4,                     a stride a direction may follow:
 * 9 columns
 *
 *   Layer, M, N, K,                                        a product (m x k)(k x n)
 *   fc, 128, 4096, 1024,
 *
 * A convolution is the product of its windows with its filters: m output pixels, each
 * ceil((input - filter + stride) / stride) in a direction, n filters, k = height x width x channels
 * of a filter. A layer with DP in its name is depth-wise: one such product with a single channel
 * for each channel. A row with a name alone is a heading; a remark may end a row. */
#ifndef NADI_COMPUTE_LAYER_SHAPES_H
#define NADI_COMPUTE_LAYER_SHAPES_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_layer_shape {
    const char *name;
    uint64_t m, n, k;
    uint64_t count;        /* equal products, one after the other */
    uint64_t input_values; /* of the whole layer, before windows overlap */
};

struct nadi_layer_shapes {
    struct nadi_arena arena;
    struct nadi_layer_shape *items;
    size_t count, capacity;
    bool gemm; /* rows are products */
};

/* False with an error; release in both cases. */
bool nadi_layer_shapes_read(struct nadi_layer_shapes *s, const char *path,
                            struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_layer_shapes_parse(struct nadi_layer_shapes *s, const char *path, const char *text,
                             size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_layer_shapes_release(struct nadi_layer_shapes *s);

#endif
