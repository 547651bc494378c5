/* schema_cost: the keys of a catalogue of prices and powers (src/cost/prices.c), and of what `nadi
 * optimize bandwidth` reads (src/optimize/bandwidth_read.c, bandwidth_rows.c). */
#include "settings/schema_more.h"

static const char *const kinds[] = {"device", "server", "nic",  "switch", "cable",
                                    "memory", "router", "link", NULL};
static const char *const figures[] = {"price",      "watts",       "idle-watts",
                                      "pj-per-bit", "pj-per-flit", NULL};

#define TEXT(called, otherwise, text)                                                              \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_TEXT, .absent = otherwise, .doc = text                   \
    }
#define COUNT(called, otherwise, text)                                                             \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .min = 1, .max = 1 << 20, .absent = otherwise,  \
        .doc = text                                                                                \
    }
#define RATE(called, text)                                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .above_min = true, .max = 1e9, .absent = "not said",   \
        .doc = text                                                                                \
    }
#define AMOUNT(called, otherwise, text)                                                            \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .max = 1e12, .absent = otherwise, .doc = text    \
    }

static const struct nadi_setting catalogue_keys[] = {
    {.name = "name", .type = NADI_TYPE_TEXT, .preset = "catalogue", .doc = "Name in results."},
    TEXT("source", "each entry says its own", "Where the figures come from, of the whole file."),
    {.name = "parts",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "there are only tiers",
     .doc = "What can be bought, each a map: see [parts](input-catalogue-parts.md)."},
    {.name = "lengths",
     .type = NADI_TYPE_NUMBER,
     .list = true,
     .or_one = true,
     .list_max = 16,
     .above_min = true,
     .max = 1e6,
     .absent = "3, 30 and 50 m",
     .doc = "Metres of a cable in each layer of a network: from an NPU to its first switch, from "
            "there up, and so on; the last one is that of all further layers."},
    {.name = "tiers",
     .type = NADI_TYPE_MAP,
     .absent = "there are only parts",
     .doc = "Prices of bandwidth instead of parts: for each tier of a network a map of `link`, "
            "`switch` and `nic` in $ per GB/s, as `nadi optimize bandwidth --prices` takes them."},
};

const struct nadi_schema nadi_catalogue_schema = {
    .name = "catalogue",
    .title = "catalogue",
    .option = "--catalogue",
    .syntax = NADI_DOC_YAML,
    .doc = "Prices and powers of the parts of a cluster, for `nadi cost` and `nadi model run`; "
           "energies "
           "of routers and links, for `--energy`. "
           "`nadi model list` names those that come with the program.",
    .example = "name: our quotations\n"
               "parts:\n"
               "  - {part: device, device: h100-sxm, price: 27000, watts: 700,\n"
               "     source: \"quotation 1234\", date: 2026-01-15}\n"
               "lengths: [2, 30]\n",
    KEYS(catalogue_keys),
};

static const struct nadi_setting part_keys[] = {
    {.name = "part",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .required = true,
     .doc = "What it is. A server holds devices, with what joins them and with its NICs; memory is "
            "added to a device. A router and a link are what traffic passes hop by hop, for "
            "`--energy`."},
    TEXT("name", "what it is and its figures", "Name in results."),
    TEXT("device", "required for a device and a server",
         "device, server: name of the device, as in a cluster's file."),
    COUNT("devices", "1", "server: devices in it. What joins only these is in its price."),
    COUNT("nics", "none", "server: NICs in it."),
    RATE("bandwidth", "nic, switch, cable: of a port, one direction; server: of each of its NICs."),
    COUNT("ports", "required for a switch", "switch: number of its ports."),
    TEXT(
        "role", "any",
        "switch, router: only for nodes of this role, like `nvswitch`; a router on the board of an "
        "NPU is `npu`. link: only between these two, like `npu - L1`."),
    TEXT("medium", "not said", "cable, link: `copper`, `optical`, ...: a word for the bill."),
    {.name = "reach",
     .type = NADI_TYPE_NUMBER,
     .above_min = true,
     .max = 1e6,
     .absent = "any length",
     .doc = "cable: longest length in m."},
    AMOUNT("price", "not known: named as missing",
           "$ of one, with all that belongs to it (a cable with its two transceivers); memory: of "
           "a GB of 10^9 bytes."),
    AMOUNT("watts", "not known: named as missing", "Highest power of one; memory: of a GB."),
    AMOUNT("idle-watts", "as watts",
           "device, server: power while no device computes. router, link: power of one without "
           "traffic, all the time: leakage, clocks; a link's both directions."),
    AMOUNT("pj-per-bit", "`watts` says it",
           "nic, switch, cable: energy of a bit; at the full rate of all ports, both directions, "
           "it is the power if `watts` is absent. Links draw it whether they carry data or not. "
           "router, link: pJ of each bit that passes it, of headers too."),
    AMOUNT("pj-per-flit", "0",
           "router: pJ of each flit that passes it, whatever it carries: buffers, allocation."),
    {.name = "flit",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .min = 1,
     .max = 65536,
     .absent = "that of the network model",
     .doc = "router: bytes of a flit that `pj-per-flit` holds for. Network models without flits "
            "count so many bytes as one; with others the model's own flits are counted."},
    TEXT("source", "the figures count as illustrative", "Where the figures were published."),
    TEXT("date", "not said", "When, like 2024-08."),
    {.name = "illustrative",
     .type = NADI_TYPE_WORD,
     .words = figures,
     .list = true,
     .or_one = true,
     .list_max = 5,
     .absent = "none, if there is a source",
     .doc = "Figures that the source does not give: marked with ~ in results."},
};

const struct nadi_schema nadi_catalogue_part_schema = {
    .name = "catalogue-parts",
    .title = "entry of 'parts' in a catalogue",
    .option = "--catalogue",
    .syntax = NADI_DOC_YAML,
    .doc = "One part that can be bought. Of several that fit, the cheapest is taken. A link with "
           "more bandwidth than a part has takes several of it.",
    .example = "part: switch\n"
               "name: 64 ports of 400 Gb/s\n"
               "ports: 64\n"
               "bandwidth: 400Gbps\n"
               "price: 36000\n"
               "watts: 1000\n"
               "source: list price\n"
               "date: 2024-08\n",
    KEYS(part_keys),
};

static const char *const blocks[] = {"Ring", "FullyConnected", "Switch", NULL};

/* Names are read without regard to case, '-' and '_', as LIBRA and ASTRA-sim write them. */
static const struct nadi_setting divided_keys[] = {
    {.name = "topology",
     .type = NADI_TYPE_WORD,
     .words = blocks,
     .list = true,
     .required = true,
     .doc = "Shape of each dimension, innermost first. LIBRA's `Topology`."},
    {.name = "npus-count",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .required = true,
     .min = 1,
     .max = 1e6,
     .doc = "NPUs in each dimension. `npus_count`, LIBRA's `NpusCount`."},
    {.name = "tiers",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "its bandwidth has no price",
     .doc = "Name of each dimension's prices. LIBRA's `CostDimension`, its artifact's "
            "`network-type`."},
    {.name = "bandwidth",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = 1073741824.0,
     .list = true,
     .absent = "total-bandwidth says it",
     .doc = "Of each dimension, in a network that has some; their sum is the budget."},
    {.name = "latency",
     NADI_A_LATENCY,
     .list = true,
     .absent = "0",
     .doc = "Of each dimension; for the network file that is written."},
    {.name = "total-bandwidth",
     .type = NADI_TYPE_NUMBER,
     .above_min = true,
     .max = 1e9,
     .absent = "--budget, or the sum of `bandwidth`",
     .doc = "GB/s of 10^9 bytes of an NPU that are divided."},
};

const struct nadi_schema nadi_divided_schema = {
    .name = "divided-network",
    .title = "network whose bandwidth is divided",
    .option = "nadi optimize bandwidth --network",
    .syntax = NADI_DOC_YAML,
    .doc = "Dimensions of a network and the bandwidth of an NPU that they share. LIBRA's files are "
           "read as they are.",
    .example = "topology: [Ring, FullyConnected, Switch]\n"
               "npus-count: [4, 8, 16]\n"
               "tiers: [package, board, rack]\n"
               "total-bandwidth: 300\n",
    KEYS(divided_keys),
};

#define GROUP(called, pass)                                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .list = true, .required = true, .min = -1,      \
        .max = 1e6,                                                                                \
        .doc = "NPUs of each dimension in a group of the collectives of " pass                     \
               "; -1 or 1: the dimension is not used."                                             \
    }

static const struct nadi_setting communicator_keys[] = {
    GROUP("Forward", "the forward pass"),
    GROUP("InputGrad", "the gradients of inputs"),
    GROUP("WeightGrad", "the gradients of weights"),
};

const struct nadi_schema nadi_communicators_schema = {
    .name = "communicators",
    .title = "communicators of a table of layers",
    .option = "--communicators",
    .syntax = NADI_DOC_YAML,
    .doc = "Which NPUs the collectives of a table of layers join, by dimension.",
    .example = "Forward: [4, 2, -1]\nInputGrad: [4, 2, -1]\nWeightGrad: [-1, 4, 16]\n",
    KEYS(communicator_keys),
};
