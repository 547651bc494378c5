/* onnx_make: from the nodes of an ONNX graph to layers.
 *
 * A value of the graph is a view of a layer: which of its channels it has, and how channels and
 * positions make up its axes. Reshape, Transpose, Split and Gather only change the view; a layer
 * that needs other channels, or another order of them, than its input has gets an input of its own,
 * with rows of the matrix taken out. So heads are found whatever way an exporter takes them apart.
 *
 * An axis is a list of atoms, the slowest first; atoms of one value have no place. */
#ifndef NADI_NEURAL_ONNX_MAKE_H
#define NADI_NEURAL_ONNX_MAKE_H

#include "neural/nn.h"
#include "neural/onnx_inside.h"

enum { NADI_ONNX_MOST_ATOMS = 12 };

enum nadi_onnx_atom_kind {
    NADI_ONNX_BATCH,
    NADI_ONNX_CHANNEL,
    NADI_ONNX_POSITION,
};

struct nadi_onnx_atom {
    enum nadi_onnx_atom_kind kind;
    uint32_t size, stride; /* of channels or positions */
};

struct nadi_onnx_axis {
    struct nadi_onnx_atom atoms[NADI_ONNX_MOST_ATOMS];
    uint32_t count;
};

struct nadi_onnx_view {
    uint32_t layer;
    uint32_t offset; /* of its channels */
    double scale;    /* its values are those of the layer times this */
    struct nadi_onnx_axis axes[NADI_ONNX_MOST_INTS];
    uint32_t rank;
};

enum nadi_onnx_form {
    NADI_ONNX_VIEW,
    NADI_ONNX_SCORES, /* queries times keys */
    NADI_ONNX_SHARES, /* the softmax of them */
    NADI_ONNX_ERF,    /* of values / sqrt 2, */
    NADI_ONNX_ERF_1,  /* and 1 */
    NADI_ONNX_TWICE_GELU,
};

struct nadi_onnx_value {
    const char *name;
    enum nadi_onnx_form form;
    struct nadi_onnx_view view; /* or the queries, or what a gelu is of */
    struct nadi_onnx_view keys;
    double scale; /* of scores */
    bool causal;
    float *mask; /* of scores, as nn.h has it; NULL: none */
    uint32_t mask_heads;
};

struct nadi_onnx_maker {
    struct nadi_nn *nn;
    const struct nadi_onnx_graph *g;
    const char *path;
    struct nadi_diags *diags;
    struct {
        struct nadi_onnx_value *items;
        size_t count, capacity;
    } values;
    bool *closed;  /* layers: something else reads what they give now */
    uint32_t made; /* layers that no node names */
};

/* ---- onnx.c ---------------------------------------------------------------------------------- */

struct nadi_place nadi_onnx_place(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n);
bool nadi_onnx_refuse(const struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      const char *what);
struct nadi_onnx_value *nadi_onnx_value_of(const struct nadi_onnx_maker *m, const char *name);
const struct nadi_nn_tensor *nadi_onnx_constant(const struct nadi_onnx_maker *m,
                                                const struct nadi_onnx_node *n, uint32_t input);
const struct nadi_onnx_attribute *nadi_onnx_attribute(const struct nadi_onnx_node *n,
                                                      const char *name);
int64_t nadi_onnx_whole(const struct nadi_onnx_node *n, const char *name, int64_t otherwise);
double nadi_onnx_real(const struct nadi_onnx_node *n, const char *name, double otherwise);
/* The node's `output`-th output is this. */
bool nadi_onnx_give(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n, uint32_t output,
                    const struct nadi_onnx_value *value);
bool nadi_onnx_give_view(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                         const struct nadi_onnx_view *view);
/* Appends a layer with the node's name; NULL with an error. */
struct nadi_nn_layer *nadi_onnx_add(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                                    struct nadi_nn_layer l, bool weighted);
/* May the layer be changed instead of having another one behind it? */
bool nadi_onnx_is_open(const struct nadi_onnx_maker *m, uint32_t layer);

/* ---- onnx_view.c ----------------------------------------------------------------------------- */

/* Values of an axis; the batch counts as one. */
uint64_t nadi_onnx_axis_size(const struct nadi_onnx_axis *axis);
/* Axes after the batch of a layer as it is: features, (positions, channels), or an image. */
struct nadi_onnx_view nadi_onnx_features(const struct nadi_nn *nn, uint32_t layer);
struct nadi_onnx_view nadi_onnx_image(const struct nadi_nn *nn, uint32_t layer);
/* Is the axis made of all channels of the layer, in their order? */
bool nadi_onnx_is_channels(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v,
                           uint32_t axis);
bool nadi_onnx_is_image(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v);
bool nadi_onnx_same_axes(const struct nadi_onnx_view *a, const struct nadi_onnx_view *b);
/* All channels once, whatever their order, and no scale? */
bool nadi_onnx_is_whole(const struct nadi_onnx_maker *m, const struct nadi_onnx_view *v);
/* A layer whose channels are those of the view, in its order: that of the view, or a new one of
 * rows of its matrix. False with an error. */
bool nadi_onnx_settle(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_view *v) NADI_MUST_USE;
/* The last axis becomes all channels of another layer. */
void nadi_onnx_set_last(const struct nadi_onnx_maker *m, struct nadi_onnx_view *v, uint32_t layer);

bool nadi_onnx_reshape(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_value *from);
bool nadi_onnx_transpose(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                         struct nadi_onnx_value *from);
bool nadi_onnx_split(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                     struct nadi_onnx_value *from);
bool nadi_onnx_gather(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                      struct nadi_onnx_value *from);

/* ---- onnx_attention.c ------------------------------------------------------------------------ */

/* Of two values that are no constants. */
bool nadi_onnx_multiply(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                        struct nadi_onnx_value *a, struct nadi_onnx_value *b);
bool nadi_onnx_mask(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                    struct nadi_onnx_value *scores, const struct nadi_nn_tensor *mask);
bool nadi_onnx_softmax(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                       struct nadi_onnx_value *from);

/* ---- onnx_layers.c --------------------------------------------------------------------------- */

typedef bool nadi_onnx_make_fn(struct nadi_onnx_maker *m, const struct nadi_onnx_node *n,
                               struct nadi_onnx_value *from);
nadi_onnx_make_fn nadi_onnx_matrix, nadi_onnx_conv, nadi_onnx_pool, nadi_onnx_batch_norm,
    nadi_onnx_layer_norm, nadi_onnx_plus, nadi_onnx_scale, nadi_onnx_relu, nadi_onnx_gelu,
    nadi_onnx_tanh, nadi_onnx_sigmoid, nadi_onnx_erf;

#endif
