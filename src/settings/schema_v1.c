/* schema_v1: the network file of ASTRA-sim 1.0. Its system file needs no table: its keys are those
 * of today, its lists are words joined by underscores (src/inputs/load_v1.h). */
#include "settings/schema_more.h"

#define GIB 1073741824.0

static const char *const shapes[] = {"Ring", "FullyConnected", "Switch", NULL};

#define IGNORED(called, text)                                                                      \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NONE, .effect = NADI_EFFECT_NONE, .doc = text            \
    }
#define EXTRA_LATENCY(called, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .list = true, .max = 1e15, .absent = "using 0", .doc = text              \
    }

static const struct nadi_setting keys[] = {
    {.name = "topologies-per-dim",
     .type = NADI_TYPE_WORD,
     .words = shapes,
     .list = true,
     .required = true,
     .doc = "Shape of each dimension, innermost first; today's 'topology'."},
    {.name = "units-count",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .required = true,
     .min = 1,
     .max = INT32_MAX,
     .doc = "NPUs in each dimension; today's 'npus_count'."},
    {.name = "links-count",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .required = true,
     .min = 1,
     .max = INT32_MAX,
     .doc = "Links of an NPU in each dimension. The bandwidth of a message is that of all links of "
            "the dimension on a Ring or a Switch; on FullyConnected it is that of the links to one "
            "other NPU, links-count * link-bandwidth / (units-count - 1)."},
    {.name = "link-bandwidth",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = GIB,
     .list = true,
     .required = true,
     .above_min = true,
     .max = 1e12,
     .doc = "Bandwidth of one link of each dimension."},
    {.name = "link-latency",
     NADI_A_LATENCY,
     .list = true,
     .required = true,
     .max = 1e15,
     .doc = "Time to traverse one link of each dimension; a Switch is two links."},
    {.name = "dimensions-count",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 16,
     .absent = "the length of the lists",
     .doc = "Number of dimensions; must be the length of the lists."},
    EXTRA_LATENCY("nic-latency", "Not modelled: a warning says so unless it is 0."),
    EXTRA_LATENCY("router-latency", "Not modelled: a warning says so unless it is 0."),
    IGNORED("topology-name", "Only Hierarchical was ever used."),
    IGNORED("dimension-type", "A label."),
    IGNORED("hbm-latency", "The memory of the NPU is in the system file today."),
    IGNORED("hbm-bandwidth", "The memory of the NPU is in the system file today."),
    IGNORED("hbm-scale", "The memory of the NPU is in the system file today."),
};

const struct nadi_schema nadi_network_v1_schema = {
    .name = "network-v1",
    .title = "network file of ASTRA-sim 1.0",
    .option = "--network",
    .syntax = NADI_DOC_JSON,
    .doc = "The network file of ASTRA-sim 1.0, known by its key 'topologies-per-dim'. It is "
           "converted to the same network as today's file.",
    .example = "{\n"
               "  \"dimensions-count\": 2,\n"
               "  \"topologies-per-dim\": [\"Switch\", \"Switch\"],\n"
               "  \"units-count\": [16, 16],\n"
               "  \"links-count\": [6, 1],\n"
               "  \"link-latency\": [500, 500],\n"
               "  \"link-bandwidth\": [25, 6.25]\n"
               "}\n",
    .keys = keys,
    .count = sizeof(keys) / sizeof(keys[0]),
};
