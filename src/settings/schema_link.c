/* schema_link: the keys of a link between the workers of a partition. Read in src/partition/link.c.
 */
#include "settings/schema_more.h"

#define RATE(called, otherwise, text)                                                              \
    .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE, .unit = "GB/s",    \
    .unit_factor = 1e9, .max = 1e6, .above_min = true, .absent = otherwise, .doc = text

static const struct nadi_setting link_keys[] = {
    {.name = "medium",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "What the links of all workers meet at, in one word: the air, a switch."},
    {RATE("bandwidth", NULL, "Of a worker's link, in each direction."), .required = true},
    {.name = "latency",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .preset = "0",
     .max = 1e12,
     .doc = "Of a worker's link; a message takes two."},
    {RATE("shared", "as much as comes",
          "What the medium forwards altogether: where devices wait for each other, its links'.")},
};

const struct nadi_schema nadi_link_schema = {
    .name = "link",
    .title = "link between workers",
    .option = "nadi partition --network",
    .syntax = NADI_DOC_YAML,
    .doc = "Links of one kind between the workers of `nadi partition`, each worker with one to a "
           "medium. `wifi`, `ethernet`, `pcie` and `wafer` come with the program "
           "(examples/links); the network that is simulated is written beside the traces.",
    .example = "medium: air\n"
               "bandwidth: 40MB/s\n"
               "latency: 1ms\n"
               "shared: 40MB/s\n",
    KEYS(link_keys),
};
