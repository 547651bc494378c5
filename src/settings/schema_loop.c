/* schema_loop: the keys of a training loop. Read in src/generate/v1/loop_form.c. */
#include "settings/schema_more.h"

static const char *const scopes[] = {"policy", "none", "all", "inner", "outer", NULL};
static const char *const phases[] = {"forward", "input-gradient", "weight-gradient", NULL};
static const char *const orders[] = {"ascending", "descending", NULL};
static const char *const which[] = {"this", "first", "last", NULL};
static const char *const conditions[] = {"first",        "last",      "initiates", "bottom",
                                         "above-bottom", "exchanges", NULL};

#define SCOPE(called, what)                                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = scopes, .preset = "policy",               \
        .doc = "Who takes part in the collective of " what                                         \
               ": all ranks; `inner`: blocks of neighbouring ranks; `outer`: one rank of each "    \
               "block; none; or as the workload's first line (or the layer's own policy) says."    \
    }
#define LAYERS(called, text)                                                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .list = true, .max = 1e6,                       \
        .absent = "those of the workload's first line", .doc = text                                \
    }
#define PHASE(called, text)                                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = phases, .absent = "another step",         \
        .doc = text                                                                                \
    }
#define STEPS(called, otherwise, text)                                                             \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_MAP, .list = true, .absent = otherwise, .doc = text      \
    }
#define CONDITIONS(called, otherwise, text)                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .list = true, .or_one = true, .words = conditions, \
        .absent = otherwise, .doc = text                                                           \
    }

static const struct nadi_setting loop_keys[] = {
    {.name = "name", .type = NADI_TYPE_TEXT, .preset = "loop", .doc = "Name in results."},
    SCOPE("forward", "forward passes"),
    SCOPE("input-gradient", "input gradients"),
    SCOPE("weight-gradient", "weight gradients"),
    {.name = "block",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .absent = "as the workload's first line says",
     .doc = "Ranks of a block of `inner`."},
    LAYERS("checkpoints", "Layers, from 0, whose inputs are kept: `recompute` begins at them."),
    LAYERS("initiates", "Layers, from 0, that are `initiates`."),
    {.name = "bottom",
     .type = NADI_TYPE_INTEGER,
     .max = 1e6,
     .absent = "that of the workload's first line",
     .doc = "The layer, from 0, that is `bottom`."},
    {.name = "pass",
     .type = NADI_TYPE_MAP,
     .list = true,
     .required = true,
     .doc = "Steps of a pass, one after the other: see [steps](input-loop-step.md)."},
};

const struct nadi_schema nadi_loop_schema = {
    .name = "loop",
    .title = "training loop",
    .option = "--loop",
    .syntax = NADI_DOC_YAML,
    .doc = "A training loop over the layers of a text workload, instead of the one that belongs to "
           "its first line: `nadi trace from-text --loop`. examples/loops has those of ASTRA-sim "
           "1.0.",
    .example = "name: data parallelism\n"
               "forward: none\n"
               "input-gradient: none\n"
               "weight-gradient: all\n"
               "pass:\n"
               "  - layers: ascending\n"
               "    do:\n"
               "      - wait: weight-gradient\n"
               "      - compute: forward\n"
               "  - layers: descending\n"
               "    do:\n"
               "      - compute: weight-gradient\n"
               "      - {communicate: weight-gradient, blocking: 0}\n"
               "      - {compute: input-gradient, unless: first}\n",
    .keys = loop_keys,
    .count = sizeof(loop_keys) / sizeof(loop_keys[0]),
};

static const struct nadi_setting step_keys[] = {
    {.name = "layers",
     .type = NADI_TYPE_WORD,
     .words = orders,
     .absent = "another step",
     .doc = "Does the steps of `do` for each layer in this order."},
    STEPS("recompute", "another step",
          "Does these steps for the layers from the nearest checkpoint before the layer up to the "
          "layer, without it."),
    PHASE("compute", "Computes this phase of the layer."),
    PHASE("communicate", "The collective of this phase of the layer; and its update after it."),
    PHASE("wait", "Waits for the collective of this phase of the layer, if one that was not "
                  "waited for is under way; also for one of the pass before."),
    STEPS("do", "nothing", "Steps of `layers`."),
    {.name = "blocking",
     .type = NADI_TYPE_SWITCH,
     .preset = "1",
     .doc = "communicate: what follows waits for it. 0: only `wait` does."},
    {.name = "layer",
     .type = NADI_TYPE_WORD,
     .words = which,
     .preset = "this",
     .doc = "Of which layer: that of the innermost loop, or the first or the last of all."},
    {.name = "as",
     .type = NADI_TYPE_TEXT,
     .absent = "the phase",
     .doc = "What the names of its nodes call it, like `forward again`."},
    CONDITIONS("if", "always",
               "Only where all of these hold of the innermost loop's layer: it is the first or the "
               "last of all; `initiates` or `bottom` names it; it is the one above `bottom`; its "
               "forward collective is an all-to-all (`exchanges`)."),
    CONDITIONS("unless", "never", "Not where one of these holds."),
};

const struct nadi_schema nadi_loop_step_schema = {
    .name = "loop-step",
    .title = "step of a training loop",
    .option = "--loop",
    .syntax = NADI_DOC_YAML,
    .doc = "One of layers, recompute, compute, communicate, wait, and when it is done.",
    .example = "communicate: input-gradient\n"
               "blocking: 0\n"
               "unless: first\n",
    .keys = step_keys,
    .count = sizeof(step_keys) / sizeof(step_keys[0]),
};
