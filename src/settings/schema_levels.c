/* schema_levels: the keys of a memory file of levels. Read in src/inputs/load_levels.c. */
#include "settings/schema_more.h"

static const char *const locations[] = {"LOCAL_MEMORY", "REMOTE_MEMORY", "CXL_MEMORY",
                                        "STORAGE_MEMORY", NULL};
static const char *const types[] = {"NO_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION",
                                    "PER_NPU_MEMORY_EXPANSION", "MEMORY_POOL", NULL};

static const struct nadi_setting levels_keys[] = {
    {.name = "<level>",
     .type = NADI_TYPE_MAP,
     .doc = "A level: `local_mem`, `remote_mem`, `cxl_mem`, `storage_mem`, or any name with a "
            "`memory-location`; a map: see [level](input-memory-levels-level.md)."},
};

const struct nadi_schema nadi_levels_schema = {
    .name = "memory-levels",
    .title = "memory file of levels",
    .option = "--memory",
    .syntax = NADI_DOC_JSON,
    .open = true,
    .doc = "The memory file of LLMServingSim and its family, read as tiers with `sharing: fifo`: "
           "an access of S bytes takes the level's latency and S over its bandwidth, one after "
           "the other on a device. Traces name a level LOCAL, REMOTE:<node>, CXL:<device> or "
           "STORAGE:<device>. A memory file without `tiers`, whose keys have maps, is one of "
           "these; one level may also stand alone in the file.",
    .example =
        "{\n"
        "  \"remote_mem\": {\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"mem-bw\": 256, "
        "\"mem-latency\": 0, \"num-devices\": 2},\n"
        "  \"cxl_mem\": {\"memory-type\": \"MEMORY_POOL\", \"mem-bw\": 60, "
        "\"mem-latency\": 250, \"num-devices\": 4}\n"
        "}\n",
    KEYS(levels_keys),
};

#define RATE(called, otherwise, text)                                                              \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .absent = otherwise, .max = 1e12, .above_min = true,   \
        .doc = text                                                                                \
    }
#define LATENCY(called, otherwise, text)                                                           \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .absent = otherwise, .max = 1e15, .doc = text                            \
    }

static const struct nadi_setting level_keys[] = {
    {.name = "memory-location",
     .type = NADI_TYPE_WORD,
     .words = locations,
     .absent = "by the level's name: local, remote, cxl or storage; of a level alone, "
               "REMOTE_MEMORY",
     .doc = "What traces call it: LOCAL (class G1), REMOTE (G2, DDR), CXL (G2, CXL-DRAM) or "
            "STORAGE (G3)."},
    {.name = "memory-type",
     .type = NADI_TYPE_WORD,
     .words = types,
     .required = true,
     .doc = "Whose it is: nobody's (the level is left out); a device for each node, NPUs spread "
            "evenly; one for each NPU, without a queue; devices for all."},
    RATE("mem-bw", "read-bw and write-bw", "Bandwidth of a device, GB/s of 10^9 bytes."),
    RATE("read-bw", "mem-bw", "Bandwidth of loads."),
    RATE("write-bw", "mem-bw", "Bandwidth of stores."),
    LATENCY("mem-latency", "0", "Latency of an access."),
    LATENCY("read-latency", "mem-latency", "Latency of a load."),
    LATENCY("write-latency", "mem-latency", "Latency of a store."),
    {.name = "mem-size",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "GiB",
     .unit_factor = 1073741824,
     .max = 1e9,
     .above_min = true,
     .absent = "no limit",
     .doc = "Capacity of a device, GiB, as the family's cluster files have it."},
    {.name = "num-devices",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = INT32_MAX,
     .doc = "PER_NODE_MEMORY_EXPANSION: nodes. MEMORY_POOL: devices, each with a queue of its own; "
            "all levels together have at most 32."},
    {.name = "pim-channels",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Channels that compute where the data lie. Loads and stores do not use them."},
};

const struct nadi_schema nadi_level_schema = {
    .name = "memory-levels-level",
    .title = "entry of a memory file of levels",
    .option = "--memory",
    .syntax = NADI_DOC_JSON,
    .doc = "A level of memory: its devices, their bandwidth and latency.",
    .example = "{\n"
               "  \"memory-location\": \"CXL_MEMORY\",\n"
               "  \"memory-type\": \"MEMORY_POOL\",\n"
               "  \"read-bw\": 60,\n"
               "  \"write-bw\": 45,\n"
               "  \"mem-latency\": 250,\n"
               "  \"num-devices\": 4\n"
               "}\n",
    KEYS(level_keys),
};
