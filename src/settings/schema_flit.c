#include "settings/schema_flit.h"

/* In the order of enum nadi_flit_routing, enum of presets, flow controls (inputs/load_flit.c). */
static const char *const routings[] = {"dimension-order", "adaptive", "west-first",
                                       "valiant",         "table",    NULL};
static const char *const presets[] = {"booksim", "garnet", NULL};
static const char *const controls[] = {"wormhole", "vct", NULL};

#define WHOLE(called, value, low, high, text)                                                      \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = value, .min = low, .max = high,       \
        .doc = text                                                                                \
    }
#define WORD(called, list, value, text)                                                            \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .words = list, .preset = value, .doc = text        \
    }

static const struct nadi_setting keys[] = {
    WORD("preset", presets, "booksim",
         "Where the defaults of the keys left out come from: `booksim`: a router of four stages of "
         "one cycle, 8 channels of 8 flits; `garnet`: one stage, 4 channels of 4 flits of 16 B."),
    {.name = "clock",
     .type = NADI_TYPE_NUMBER,
     .min = 1e-3,
     .max = 1e3,
     .unit = "GHz",
     .absent = "the fastest link's bandwidth / flit",
     .doc = "Clock of routers and links, GHz. A link that carries less than clock x flit sends a "
            "flit in fewer cycles."},
    {.name = "flit",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .min = 1,
     .max = 65536,
     .absent = "32, garnet 16",
     .doc = "Bytes of a flit."},
    WHOLE("packet", "16", 1, 65536, "Flits of a full packet."),
    {.name = "header",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .preset = "0",
     .max = 65536,
     .doc = "Bytes of a packet's head flit that are no payload."},
    {.name = "vcs",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 64,
     .absent = "8, garnet 4",
     .doc = "Virtual channels of a link."},
    {.name = "buffer",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 65535,
     .absent = "8, garnet 4, or what the round trip of the longest link needs",
     .doc = "Flits of buffer of a virtual channel. Few on a long link: it waits for credits."},
    {.name = "routing-delay",
     .type = NADI_TYPE_INTEGER,
     .max = 1000,
     .absent = "1, garnet 0",
     .doc = "Cycles in which a router finds a head's output; 0: the router before it did."},
    {.name = "vc-delay",
     .type = NADI_TYPE_INTEGER,
     .max = 1000,
     .absent = "1, garnet 0",
     .doc = "Cycles of allocating a virtual channel; 0: in those of the switch."},
    WHOLE("switch-delay", "1", 1, 1000, "Cycles of allocating the crossbar."),
    {.name = "traversal-delay",
     .type = NADI_TYPE_INTEGER,
     .max = 1000,
     .absent = "1, garnet 0",
     .doc = "Cycles of crossing the router."},
    {.name = "channel-delay",
     .type = NADI_TYPE_INTEGER,
     .max = 1e6,
     .absent = "the link's latency x clock, at least 1",
     .doc = "Cycles of a link between routers; links of hosts then take 1."},
    WHOLE("credit-delay", "0", 0, 1000, "Cycles that a credit takes beyond the link's."),
    WHOLE("speedup", "1", 1, 64, "Inputs of the crossbar for each link that comes in."),
    WORD("flow-control", controls, "wormhole",
         "`wormhole`: a head goes on where one flit has room; `vct`, virtual cut-through: where "
         "its whole packet has."),
    WORD("routing", routings, "dimension-order",
         "`dimension-order`, `adaptive` (minimal, with an escape channel), `west-first` (meshes of "
         "two dimensions), `valiant`; `table`: shortest paths, spread by flow. Networks that are "
         "no mesh, torus or HyperX go by the network's own routing, or valiant."),
    {.name = "dateline",
     .type = NADI_TYPE_SWITCH,
     .preset = "1",
     .doc = "Divide virtual channels into classes so that no deadlock is possible: in a ring, "
            "those before and after its wrap-around."},
    {.name = "wait-for-tail-credit",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "A virtual channel is free when its packet's tail has left the next buffer, not when "
            "it was sent."},
    {.name = "seed",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .max = 9007199254740992.0,
     .doc = "Of ties between two ways round a ring, of Valiant's routers, of paths spread by "
            "flow."},
};

const struct nadi_schema nadi_schema_flit = {
    .name = "flit",
    .title = "flit file",
    .option = "--flit",
    .syntax = NADI_DOC_YAML,
    .doc = "The flit model: routers with virtual channels and credits.",
    .example = "flit: 32\n"
               "packet: 16\n"
               "vcs: 8\n"
               "buffer: 8\n"
               "routing: dimension-order\n",
    .keys = keys,
    .count = sizeof(keys) / sizeof(keys[0]),
};
