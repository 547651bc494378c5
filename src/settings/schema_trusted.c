/* schema_trusted: the keys of `trusted` in a tier of a memory file. Read in
 * src/inputs/load_trusted.c. */
#include "settings/schema_more.h"

static const char *const levels[] = {"none", "shuffle", "path-oram", NULL};

#define COUNT(called, preset_, least, most, text)                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = preset_, .min = least, .max = most,   \
        .doc = text                                                                                \
    }
#define TIME(called, preset_, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = preset_, .max = 1e12, .doc = text                              \
    }
#define RATE(called, preset_, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .preset = preset_, .max = 1e9, .above_min = true,      \
        .doc = text                                                                                \
    }
#define SIZE(called, preset_, least, most, text)                                                   \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_BYTES, .unit = "B", \
        .unit_factor = 1, .preset = preset_, .min = least, .max = most, .doc = text                \
    }

static const struct nadi_setting keys[] = {
    SIZE("page", "4096", 64, 2 << 20, "Of a page: a power of 2. Transfers move whole pages."),
    {.name = "oblivious",
     .type = NADI_TYPE_WORD,
     .words = levels,
     .preset = "none",
     .doc = "What hides which pages are used."},
    COUNT("owner-entries", "4096", 1, 1 << 25, "Of the validation cache."),
    COUNT("owner-associativity", "8", 1, 1 << 16, "Of the validation cache."),
    COUNT("tree-arity", "64", 8, 64, "Of the counter tree: 8, or 64 with split counters."),
    COUNT("tree-cache", "1024", 1, 1 << 24, "Nodes of the counter tree on chip."),
    {.name = "dummies",
     .type = NADI_TYPE_NUMBER,
     .preset = "0",
     .max = 16,
     .doc = "shuffle: reads of other frames, for each access."},
    COUNT("bucket", "4", 1, 16, "path-oram: blocks of a bucket."),
    COUNT("top-levels", "0", 0, 16, "path-oram: levels of buckets on chip."),
    COUNT("labels", "0", 0, 1 << 19,
          "path-oram: labels of a block of the position map; 0: the map is on chip."),
    TIME("request-time", "50", "Requester's engine, each request."),
    TIME("link-latency", "1000", "Between the engines, one direction."),
    RATE("link-bandwidth", "12.5", "Between the engines, each direction."),
    TIME("hit-time", "50", "Validation of a request."),
    TIME("miss-time", "150", "Of each entry that is not in the validation cache."),
    TIME("cipher-latency", "200", "AES-GCM."),
    RATE("cipher-bandwidth", "12.8", "AES-GCM."),
    TIME("node-time", "100", "A node of the counter tree, from the requester's memory."),
    TIME("oram-time", "100", "The stash, each path."),
    TIME("rdma-time", "4000", "To compare with: of a page fetched by RDMA, besides its bytes."),
    SIZE("region", "1073741824", 1, 1e18,
         "To compare with: of memory that RDMA registers at a time."),
};

const struct nadi_schema nadi_tier_trusted_schema = {
    .name = "memory-tiers-trusted",
    .title = "'trusted' of a tier in a memory file",
    .option = "tiers",
    .syntax = NADI_DOC_YAML,
    .doc = "The engines of a tier of kind trusted-pool. No public text states such figures: all "
           "defaults are illustrative.",
    .example = "page: 4KiB\n"
               "oblivious: path-oram\n"
               "top-levels: 5\n"
               "link-bandwidth: 100Gbps\n",
    KEYS(keys),
};
