#include "settings/schema_loadstore.h"

/* In the order of the presets of inputs/load_loadstore.c and the enums of
 * network/loadstore/config.h. */
static const char *const presets[] = {"h100", "a100", "v100", "b200", NULL};
static const char *const copies[] = {"sm", "engine", NULL};
static const char *const directions[] = {"put", "get", NULL};
static const char *const protocols[] = {"simple", "ll", "ll128", "auto", NULL};
static const char *const arbitrations[] = {"fair", "fifo", "control-first", NULL};

#define WHOLE(called, low, high, without, text)                                                    \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .min = low, .max = high, .absent = without,     \
        .doc = text                                                                                \
    }
#define BYTES(called, value, low, high, text)                                                      \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_BYTES, .unit = "B", \
        .preset = value, .min = low, .max = high, .doc = text                                      \
    }
#define RATE(called, without, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .min = 1e-3, .max = 1e6, .absent = without,            \
        .doc = text                                                                                \
    }
#define TIME(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .max = 1e9, .preset = value, .doc = text                                                   \
    }
#define WORD(called, list, value, text)                                                            \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = list, .preset = value, .doc = text        \
    }

static const struct nadi_setting keys[] = {
    WORD("preset", presets, "h100", "The device whose figures the keys left out have."),
    WORD("copy", copies, "sm",
         "Who moves a message: `sm`: a kernel on copy-sms SMs of the device, each with a part of "
         "it; `engine`: one of its copy engines, the whole message."),
    WORD("direction", directions, "put",
         "`put`: the source stores to the destination; `get`: the source says that its data are "
         "ready, and the destination loads them. A get is of protocol simple."),
    WORD("protocol", protocols, "simple",
         "How the receiver knows that data are there. `simple`: when all its stores are "
         "acknowledged, a unit stores a flag; `ll`: each 8 bytes are 4 of data and 4 of flag; "
         "`ll128`: each 128 bytes are 120 of data and 8 of flag; `auto`: of each message the one "
         "that is fastest alone. Copy engines know no flags in the data: simple, or auto, which "
         "then is simple."),
    WORD("arbitration", arbitrations, "fair",
         "At a link, between data and all else (loads' requests, acknowledgements, flags): `fair`: "
         "in turn, `fifo`: in one queue, `control-first`: data wait."),
    WHOLE("sms", 1, 1024, "132, a100 108, v100 80, b200 148", "SMs of a device."),
    WHOLE("copy-sms", 1, 1024, "24, b200 32",
          "SMs that copy, with copy sm, fewer than `sms`. While a rank communicates its "
          "computations have the others."),
    BYTES("request", "128", 8, 65536,
          "What a load or store carries: a multiple of 8, with protocol ll128 of 128. A multiple "
          "of the hardware's 128 simulates so many lines as one, as much faster."),
    BYTES("header", "16", 0, 65536, "On the links before each store, flag, and answer to a load."),
    BYTES("control", "16", 0, 65536, "On the links for a load's request and a store's answer."),
    {.name = "outstanding",
     .type = NADI_TYPE_INTEGER,
     .preset = "256",
     .min = 1,
     .max = 1e6,
     .doc = "Requests of an SM that are not answered, at most."},
    {.name = "hop-credits",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = 1e6,
     .doc = "Lines that a switch has room for, of each link that leads to it, of data and of all "
            "else: a line takes a credit when it sets out and gives it back when it has left the "
            "switch, a link's latency later. 0: as many as come."},
    {.name = "exact-lines",
     .type = NADI_TYPE_INTEGER,
     .preset = "8192",
     .min = 1,
     .max = 1e9,
     .doc = "A message of more lines is simulated in bundles of them, at most a quarter of "
            "`outstanding`, fewer where those run out: as much faster, and less than 1 % off."},
    RATE("sm-rate", "64 GB/s", "What an SM copies at most."),
    {.name = "engines",
     .type = NADI_TYPE_INTEGER,
     .preset = "8",
     .min = 1,
     .max = 1024,
     .doc = "Copy engines of a device; a message waits where all are busy."},
    RATE("engine-rate", "450 GB/s, a100 300, v100 150, b200 900", "What an engine copies at most."),
    {.name = "engine-outstanding",
     .type = NADI_TYPE_INTEGER,
     .preset = "4096",
     .min = 1,
     .max = 1e6,
     .doc = "Requests of a copy engine that are not answered, at most."},
    TIME("engine-setup", "2000", "Of an engine for a message, before its first line."),
    TIME("memory", "50",
         "Between a device's units or memory and its ports, one way: twice a store's way."),
    TIME("fence", "1700",
         "Protocol simple: between the last acknowledgement of a unit and its flag."),
    TIME("ll128-latency", "1300", "Protocol ll128: of packing and unpacking, once a message."),
    TIME("poll", "0", "Until a unit that waits for a flag sees it."),
};

const struct nadi_schema nadi_schema_loadstore = {
    .name = "loadstore",
    .title = "loadstore file",
    .option = "--loadstore",
    .syntax = NADI_DOC_YAML,
    .doc = "The loadstore model: a device's SMs and copy engines, and how they move messages.",
    .example = "preset: h100\n"
               "copy: sm\n"
               "copy-sms: 16\n"
               "protocol: ll128\n",
    .keys = keys,
    .count = sizeof(keys) / sizeof(keys[0]),
};
