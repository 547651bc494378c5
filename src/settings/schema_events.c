/* schema_events: the keys of an events file: what happens to the cluster during a run. */
#include "settings/schema_models.h"
#include "settings/schema_more.h"

static const char *const distributions[] = {"uniform", "normal", "lognormal", "exponential", NULL};
static const char *const draws[] = {"work", "operation", "rank", NULL};
static const char *const arrivals[] = {"periodic", "poisson", NULL};

#define WHEN(called, default_value, otherwise, text)                                               \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = default_value, .absent = otherwise, .max = 9e15, .doc = text   \
    }
#define FACTOR(called, least, text)                                                                \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .preset = "1", .min = least, .max = 1e6,         \
        .above_min = true, .doc = text                                                             \
    }
#define AT    WHEN("at", "0", NULL, "When it begins.")
#define UNTIL WHEN("until", NULL, "it lasts to the end", "When it ends: everything is as before.")
#define RANKS                                                                                      \
    {                                                                                              \
        .name = "ranks", .type = NADI_TYPE_TEXT, .preset = "all",                                  \
        .doc = "Ranks: `all`, or numbers and ranges: `\"0-7,12\"`."                                \
    }
#define JITTER                                                                                     \
    {.name = "jitter",                                                                             \
     .type = NADI_TYPE_NUMBER,                                                                     \
     .preset = "0",                                                                                \
     .max = 100,                                                                                   \
     .doc = "Spread of a random factor with mean 1: standard deviation of `normal` (cut at 0) "    \
            "and `lognormal`, half width of `uniform` (at most 1); `exponential` is 1 plus a "     \
            "value of this mean."},                                                                \
    {                                                                                              \
        .name = "distribution", .type = NADI_TYPE_WORD, .words = distributions,                    \
        .preset = "normal", .doc = "Of the random factor."                                         \
    }

static const struct nadi_setting event_keys[] = {
    {.name = "seed",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .max = 9007199254740992.0,
     .doc = "Seed of everything random in this file: the same seed gives the same run."},
    {.name = "links",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "links stay as they are",
     .doc = "Links that change or fail, each a map: see [links](input-events-links.md)."},
    {.name = "compute",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "compute takes its time",
     .doc = "Ranks that compute slower, faster or unevenly: see "
            "[compute](input-events-compute.md)."},
    {.name = "start",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "all ranks begin at time 0",
     .doc = "Ranks that begin later: see [start](input-events-start.md)."},
    {.name = "traffic",
     .type = NADI_TYPE_MAP,
     .list = true,
     .absent = "no background traffic",
     .doc = "Background messages: see [traffic](input-events-traffic.md)."},
};

const struct nadi_schema nadi_events_schema = {
    .name = "events",
    .title = "events file",
    .option = "--events",
    .syntax = NADI_DOC_YAML,
    .doc = "What happens to the cluster during a run: links that slow down or fail, slow and late "
           "ranks, background traffic. Overlapping entries all apply: factors multiply, and of two "
           "absolute values the later in the file wins.",
    .example = "seed: 7\n"
               "links:\n"
               "  - {at: 2ms, until: 5ms, from: leaf 0, to: spine 1, down: 1}\n"
               "  - {from: npu 3, bandwidth-scale: 0.5}\n"
               "compute:\n"
               "  - {ranks: \"8-15\", scale: 1.1, jitter: 0.02}\n"
               "start:\n"
               "  - {ranks: 5, delay: 300us}\n"
               "traffic:\n"
               "  - {from: 0, to: 9, bytes: 1MB, rate: 10GB/s, until: 20ms}\n",
    KEYS(event_keys),
};

static const struct nadi_setting link_keys[] = {
    AT,
    UNTIL,
    {.name = "from",
     .type = NADI_TYPE_TEXT,
     .absent = "all links of `dimension`",
     .doc = "Node at one end: the name in the network file, role and number (`leaf 3`), or a rank "
            "(`npu 3`, `3`); several as in `leaf [0-3]`."},
    {.name = "to",
     .type = NADI_TYPE_TEXT,
     .absent = "all links of `from`",
     .doc = "Node at the other end; parallel cables are all meant."},
    {.name = "dimension",
     .type = NADI_TYPE_INTEGER,
     .max = 15,
     .absent = "any",
     .doc = "Only links of this dimension."},
    {.name = "one-way",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: only from `from` to `to`, not back."},
    {.name = "down",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: carries nothing; messages take other routes, or wait if there is none."},
    {.name = "bandwidth",
     NADI_A_RATE,
     .absent = "as in the network file",
     .above_min = true,
     .max = 1e6,
     .doc = "Of each link, in each direction."},
    FACTOR("bandwidth-scale", 0, "Multiplies the bandwidth."),
    WHEN("latency", NULL, "as in the network file", "Of each link."),
    {.name = "latency-scale",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .max = 1e6,
     .doc = "Multiplies the latency."},
};

const struct nadi_schema nadi_events_link_schema = {
    .name = "events-links",
    .title = "entry of 'links' in an events file",
    .option = "--events",
    .syntax = NADI_DOC_YAML,
    .doc = "Links that change. For the models that see links: aware and flow.",
    .example = "at: 2ms\n"
               "until: 5ms\n"
               "from: leaf 0\n"
               "to: spine [0-1]\n"
               "bandwidth-scale: 0.25\n",
    KEYS(link_keys),
};

static const struct nadi_setting compute_keys[] = {
    RANKS,
    AT,
    UNTIL,
    FACTOR("scale", 0, "Multiplies the time of compute that begins between `at` and `until`."),
    JITTER,
    {.name = "draw",
     .type = NADI_TYPE_WORD,
     .words = draws,
     .preset = "work",
     .doc = "What a random factor is drawn for. work: each `draw-length` of a rank's compute, one "
            "behind the other; an operation takes the mean of those that it is part of, so that "
            "it does not matter how many nodes a trace makes of the same work (`detail` of a "
            "plan). operation: each node. rank: each rank."},
    {.name = "draw-length",
     NADI_A_LATENCY,
     .preset = "100000",
     .above_min = true,
     .max = 1e15,
     .doc = "draw work: how much compute, in the time that it takes in the trace, has one random "
            "factor. Of n times as much the spread is `jitter` over the square root of n."},
};

const struct nadi_schema nadi_events_compute_schema = {
    .name = "events-compute",
    .title = "entry of 'compute' in an events file",
    .option = "--events",
    .syntax = NADI_DOC_YAML,
    .doc = "Ranks whose compute takes longer or shorter.",
    .example = "ranks: \"8-15\"\n"
               "scale: 1.1\n"
               "jitter: 0.02\n"
               "distribution: lognormal\n",
    KEYS(compute_keys),
};

static const struct nadi_setting start_keys[] = {
    RANKS,
    {.name = "delay",
     NADI_A_LATENCY,
     .required = true,
     .max = 9e15,
     .doc = "How much later a rank begins; of several entries the sum."},
    JITTER,
};

const struct nadi_schema nadi_events_start_schema = {
    .name = "events-start",
    .title = "entry of 'start' in an events file",
    .option = "--events",
    .syntax = NADI_DOC_YAML,
    .doc = "Ranks that begin later than at time 0.",
    .example = "ranks: \"0-3\"\n"
               "delay: 200us\n"
               "jitter: 0.5\n"
               "distribution: uniform\n",
    KEYS(start_keys),
};

static const struct nadi_setting traffic_keys[] = {
    {.name = "from",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Sending ranks, as `ranks` elsewhere."},
    {.name = "to",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Receiving ranks: as many as sending ones (the first receives from the first and so "
            "on), or one."},
    AT,
    {.name = "until",
     NADI_A_LATENCY,
     .required = true,
     .max = 9e15,
     .doc = "No message begins after it, nor after the end of the workload."},
    {.name = "bytes",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "1000000",
     .min = 1,
     .max = 1e15,
     .doc = "Of each message."},
    {.name = "rate",
     NADI_A_RATE,
     .absent = "each message follows when the last one has arrived",
     .above_min = true,
     .max = 1e6,
     .doc = "Of each sender: a message every `bytes` / `rate`, whether or not the last one has "
            "arrived."},
    {.name = "arrivals",
     .type = NADI_TYPE_WORD,
     .words = arrivals,
     .preset = "periodic",
     .doc = "With `rate`: evenly, or at random with that mean."},
    {.name = "weight",
     .type = NADI_TYPE_NUMBER,
     .preset = "1",
     .above_min = true,
     .max = 1e6,
     .doc = "In `flow`: a message of weight w gets the share of w messages of the workload."},
};

const struct nadi_schema nadi_events_traffic_schema = {
    .name = "events-traffic",
    .title = "entry of 'traffic' in an events file",
    .option = "--events",
    .syntax = NADI_DOC_YAML,
    .doc = "Background messages that contend with those of the workload. For the models that see "
           "links.",
    .example = "from: \"0-3\"\n"
               "to: \"12-15\"\n"
               "bytes: 1MB\n"
               "rate: 10GB/s\n"
               "until: 20ms\n",
    KEYS(traffic_keys),
};
