/* cmd_systolic: `nadi systolic`. */
#include <nadi/systolic.h>

#include "api/words.h"
#include "cli/command.h"

#define AT(member) NADI_AT(struct nadi_systolic_options, member)

static const struct nadi_setting array[] = {
    {.name = "array",
     .argument = "RxC",
     .type = NADI_TYPE_TEXT,
     AT(array),
     .doc = "Rows and columns: 128x128"},
    {.name = "device",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(device),
     .doc = "The array, dataflow, clock and buffer of a device: tpu-v4"},
    {.name = "config",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(config),
     .doc = "SCALE-sim's configuration: array, dataflow and sizes of the buffers"},
    {.name = "dataflow",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_DATAFLOW,
     NADI_LIBRARY_DEFAULT,
     AT(dataflow),
     .doc = "Which operand stays in place (auto: as the device or the configuration says, else "
            "weight)"},
    {.name = "clock",
     .argument = "MHZ",
     .type = NADI_TYPE_NUMBER,
     .max = 1e6,
     .preset = "0",
     AT(clock_mhz),
     .doc = "Clock in MHz (0: the device's, else 1000)"},
    {.name = "element-bytes",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 16,
     NADI_LIBRARY_DEFAULT,
     AT(element_bytes),
     .doc = "Bytes of a value"},
    {.name = NULL},
};

static const struct nadi_setting workload[] = {
    {.name = "workload",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(workload),
     .doc = "Also write a text workload of ASTRA-sim 1.0 there, for `nadi trace from-text`: times "
            "of the array in ns, and the bytes of the collectives"},
    {.name = "parallelism",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_PARALLELISM,
     NADI_LIBRARY_DEFAULT,
     AT(parallelism),
     .doc = "Of the workload; hybrid: model parallelism within groups of --split ranks, data "
            "parallelism between them"},
    {.name = "split",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 1 << 24,
     NADI_LIBRARY_DEFAULT,
     AT(split),
     .doc = "model, hybrid: ranks that share the columns of a layer's weights"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION(struct nadi_systolic_options, form),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Array", array, 0},
    {"Workload", workload, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_systolic_options_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct nadi_systolic_options *o = values;
    o->topology = words->items[0];
    return nadi_systolic_layers(o, text, messages);
}

const struct nadi_command nadi_command_systolic = {
    .name = "systolic",
    .group = "Models",
    .summary = "Layer shapes of SCALE-sim on a systolic array, and as a workload",
    .doing = "timing the layers",
    .words = "FILE",
    .about = "FILE has a row a layer: convolutions (Layer name, IFMAP Height, ...), or products "
             "(Layer, M, N, K).\nCycles are those of SCALE-sim's analytical model; "
             "docs/models/kernels.md explains.\n",
    .examples = "nadi systolic alexnet.csv --array 32x32 --dataflow output\n"
                "nadi systolic layers.csv --device tpu-v4 --workload layers.txt\n",
    .options = groups,
    .max_words = 1,
    .call = {.size = sizeof(struct nadi_systolic_options),
             .init = init,
             .wanted = "a file of layer shapes",
             .least = 1,
             .make = make},
};
