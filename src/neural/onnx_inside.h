/* onnx_inside: the messages of an ONNX file, as far as they are used. */
#ifndef NADI_NEURAL_ONNX_INSIDE_H
#define NADI_NEURAL_ONNX_INSIDE_H

#include "neural/tensors_inside.h"

enum { NADI_ONNX_MOST_PORTS = 16, NADI_ONNX_MOST_INTS = 8 };

struct nadi_onnx_attribute {
    const char *name;
    double real;
    int64_t whole;
    const char *text;
    int64_t ints[NADI_ONNX_MOST_INTS];
    uint32_t int_count;
    const uint8_t *tensor; /* its message */
    size_t tensor_bytes;
};

struct nadi_onnx_node {
    const char *op, *name;
    const char *inputs[NADI_ONNX_MOST_PORTS];
    const char *outputs[NADI_ONNX_MOST_PORTS];
    uint32_t input_count, output_count;
    struct nadi_onnx_attribute attributes[NADI_ONNX_MOST_PORTS];
    uint32_t attribute_count;
};

struct nadi_onnx_graph {
    struct nadi_arena arena;
    struct nadi_tensors constants;
    struct {
        struct nadi_onnx_node *items;
        size_t count, capacity;
    } nodes;
    const char *input, *output; /* the one that is no constant; the first output */
    uint64_t dims[NADI_ONNX_MOST_INTS];
    uint32_t rank;
    uint64_t opset; /* 0: not said */
};

/* False with an error; the graph is to be released then, too. */
bool nadi_onnx_read_graph(struct nadi_onnx_graph *g, const char *path, const void *data,
                          size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_onnx_release_graph(struct nadi_onnx_graph *g);

#endif
