/* onnx_write: ONNX files, message by message. What they are put into is released by the caller. */
#ifndef NADI_SUPPORT_ONNX_WRITE_H
#define NADI_SUPPORT_ONNX_WRITE_H

#include "base/base.h"
#include "base/str.h"

enum onnx_storage { ONNX_RAW, ONNX_TYPED, ONNX_EXTERNAL };

/* A constant of floats; external: where they go instead, the file "weights.bin". */
void onnx_put_tensor(struct nadi_str *graph, const char *name, const int64_t *dims, uint32_t rank,
                     const float *values, enum onnx_storage storage, struct nadi_str *external);
/* A constant of whole numbers. */
void onnx_put_shape(struct nadi_str *graph, const char *name, const int64_t *values,
                    uint32_t count);

struct onnx_made { /* a node that is being written */
    struct nadi_str text;
};

/* inputs and outputs: names with spaces between. */
struct onnx_made onnx_begin(const char *op, const char *inputs, const char *outputs);
/* An attribute: a list, or with a count of 0 one whole number. */
void onnx_say(struct onnx_made *n, const char *name, const int64_t *ints, uint32_t count);
void onnx_end(struct nadi_str *graph, struct onnx_made *n);
void onnx_node(struct nadi_str *graph, const char *op, const char *inputs, const char *outputs);
/* field: 11 an input, 12 an output. Dimensions of 0 have a name. */
void onnx_put_port(struct nadi_str *graph, uint32_t field, const char *name, const int64_t *dims,
                   uint32_t rank);
void onnx_as_model(struct nadi_str *model, const struct nadi_str *graph);

#endif
