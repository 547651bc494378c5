/* schema_net: the keys of a description of a neural network's layers. */
#include "settings/schema_more.h"

static const char *const kinds[] = {"dense", "conv",     "add",       "concat",
                                    "gate",  "max-pool", "mean-pool", "flatten",
                                    "norm",  "softmax",  "attention", NULL};
static const char *const activations[] = {"none", "relu", "gelu", "tanh", "sigmoid", NULL};

static const struct nadi_setting net_keys[] = {
    {.name = "input",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .or_one = true,
     .list_max = 3,
     .required = true,
     .min = 1,
     .max = 1 << 24,
     .doc = "Shape of a sample: [features], [channels, positions] or [channels, height, width]."},
    {.name = "weights",
     .type = NADI_TYPE_TEXT,
     .absent = "the file that the command names",
     .doc = "File of the weights, .npz or .safetensors, beside this one."},
    {.name = "layers",
     .type = NADI_TYPE_MAP,
     .list = true,
     .required = true,
     .doc = "Layers in the order of their computation, each a map: see "
            "[layers](input-net-layers.md). The last one is the output."},
};

const struct nadi_schema nadi_net_schema = {
    .name = "net",
    .title = "description of a network's layers",
    .option = "nadi partition",
    .syntax = NADI_DOC_YAML,
    .doc = "Layers of a neural network and the names of their weights, for `nadi partition`.",
    .example = "input: [784]\n"
               "weights: mlp.npz\n"
               "layers:\n"
               "  - {name: hidden, kind: dense, weights: fc1.weight, bias: fc1.bias,\n"
               "     activation: relu}\n"
               "  - {name: output, kind: dense, weights: fc2.weight, bias: fc2.bias}\n",
    KEYS(net_keys),
};

#define COUNT(called, otherwise, most, text)                                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .min = 1, .max = most, .preset = otherwise,     \
        .doc = text                                                                                \
    }

static const struct nadi_setting layer_keys[] = {
    {.name = "name", .type = NADI_TYPE_TEXT, .required = true, .doc = "Name of the layer."},
    {.name = "kind",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .required = true,
     .doc = "dense: also at each position of a sequence or image. gate: the channels of the first "
            "input times those of the second, of which each belongs to as many channels as there "
            "are of the first: experts. norm, softmax: over the channels of each position. "
            "attention: inputs are queries, keys and values."},
    {.name = "inputs",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .or_one = true,
     .list_max = 16,
     .absent = "the layer before",
     .doc = "Layers that it reads, by name; `input` is the network's."},
    {.name = "weights",
     .type = NADI_TYPE_TEXT,
     .absent = "none; dense and conv have some",
     .doc = "Name of its array: dense [outputs, inputs], conv [outputs, inputs / groups, height, "
            "width], norm [channels]."},
    {.name = "bias",
     .type = NADI_TYPE_TEXT,
     .absent = "none",
     .doc = "Name of the array that is added: [outputs]."},
    {.name = "activation",
     .type = NADI_TYPE_WORD,
     .words = activations,
     .preset = "none",
     .doc = "Applied to what the layer gives. gelu: with the error function."},
    {.name = "kernel",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .or_one = true,
     .list_max = 2,
     .max = 65536,
     .absent = "all positions",
     .doc = "max-pool, mean-pool: window, height and width; a conv's is that of its weights."},
    COUNT("stride", "1", 65536, "conv, pools: step of the window, in both directions."),
    {.name = "padding",
     .type = NADI_TYPE_INTEGER,
     .max = 65536,
     .preset = "0",
     .doc = "conv, pools: positions of nothing at each border."},
    COUNT("groups", "1", 1 << 24, "conv: groups of channels that see only their own inputs."),
    {.name = "heads",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 1 << 20,
     .absent = "required for attention",
     .doc = "attention: heads, the units that move."},
    {.name = "causal",
     .type = NADI_TYPE_FLAG,
     .preset = "0",
     .doc = "attention: a position sees itself and those before it."},
    {.name = "mask",
     .type = NADI_TYPE_TEXT,
     .absent = "none",
     .doc = "attention: array of the file of weights that is added to the scores, (positions, "
            "positions) or (heads, positions, positions); -10000 and less hides a position."},
    COUNT("unit", "1", 1 << 24,
          "dense, conv: so many outputs in a row move as one, like those of an expert."),
    {.name = "epsilon",
     .type = NADI_TYPE_NUMBER,
     .above_min = true,
     .max = 1,
     .preset = "1e-05",
     .doc = "norm: added to the variance."},
};

const struct nadi_schema nadi_net_layer_schema = {
    .name = "net-layers",
    .title = "entry of 'layers' in a description of a network",
    .option = "nadi partition",
    .syntax = NADI_DOC_YAML,
    .doc = "One layer.",
    .example = "name: c1\n"
               "kind: conv\n"
               "inputs: input\n"
               "weights: c1.weight\n"
               "bias: c1.bias\n"
               "padding: 2\n"
               "activation: relu\n",
    KEYS(layer_keys),
};
