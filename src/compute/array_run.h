/* array_run: the layers of a network on a systolic array with its buffers, one after the other.
 *
 * Cycles and accesses of the buffers are those of compute/systolic.h. Off the chip, an operand that
 * fits its buffer is read once, any other as often as the array reads it; the result is written
 * once, and partial results too if they do not fit. */
#ifndef NADI_COMPUTE_ARRAY_RUN_H
#define NADI_COMPUTE_ARRAY_RUN_H

#include "compute/layer_shapes.h"
#include "compute/systolic.h"

struct nadi_array {
    uint64_t rows, columns;
    enum nadi_dataflow dataflow;
    double clock_hz;
    double buffers[3];      /* bytes: of inputs, weights, results; 0: anything fits */
    uint32_t element_bytes; /* of a value */
};

struct nadi_array_layer {
    const struct nadi_layer_shape *shape;
    struct nadi_systolic_run run; /* all of the layer's products together */
    double off_chip_bytes;
    double ns;
};

/* Reads [architecture_presets] of a SCALE-sim configuration into the array; other keys of it are
 * skipped. False with an error. */
bool nadi_array_read_config(struct nadi_array *a, const char *path,
                            struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_array_parse_config(struct nadi_array *a, const char *path, char *text,
                             struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_array_layer nadi_array_run(const struct nadi_array *a,
                                       const struct nadi_layer_shape *shape);

#endif
