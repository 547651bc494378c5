/* cmd_noc: `nadi noc sweep`. */
#include <nadi/noc.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    struct nadi_noc_options o;
    bool no_saturation;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting question[] = {
    {.name = "network",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(o.network),
     .doc = "A generator and its parameters, in quotes: \"mesh shape=8x8\", \"torus shape=8x8\", "
            "\"dragonfly a=4 p=2 h=2\"; or a network file"},
    {.name = "flit",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.flit),
     .doc = "Routers (default: four stages, 8 channels of 8 flits, links of one cycle, in rings "
            "two)"},
    {.name = "traffic",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_NOC_TRAFFIC,
     .preset = "uniform",
     AT(o.traffic),
     .doc = "Who sends to whom"},
    {.name = "hot",
     .argument = "NPU",
     .type = NADI_TYPE_INTEGER,
     .max = INT32_MAX,
     .preset = "0",
     AT(o.hot),
     .doc = "hotspot: where a share of all packets goes"},
    {.name = "hot-share",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .max = 1,
     .preset = "0.1",
     AT(o.hot_share),
     .doc = "hotspot: that share"},
    {.name = "packet",
     .argument = "FLITS",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 65536,
     AT(o.packet),
     .doc = "Flits of a packet (default: 1, or as the flit file says)"},
    {.name = "rates",
     .argument = "LIST",
     .type = NADI_TYPE_TEXT,
     AT(o.rates),
     .doc = "Loads in flits an NPU and cycle: 0.01..0.5:0.05, or 0.1,0.2 (default: tenths of the "
            "load at saturation)"},
    {.name = NULL},
};

static const struct nadi_setting measuring[] = {
    {.name = "warmup",
     .argument = "CYCLES",
     NADI_A_WHOLE,
     .max = 1e12,
     .preset = "5000",
     AT(o.warmup),
     .doc = "Before the cycles measured"},
    {.name = "measured",
     .argument = "CYCLES",
     .type = NADI_TYPE_INTEGER,
     .min = 100,
     .max = 1e12,
     .preset = "10000",
     AT(o.measured),
     .doc = "Cycles measured: what is made in them is followed to its end"},
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "1",
     AT(o.seed),
     .doc = "Of the "
            "packets"},
    {.name = "energy",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(o.energy),
     .doc = "Energies of routers and links, of a catalogue (`nadi model list`): also pJ a bit and "
            "power"},
    {.name = "no-saturation",
     .type = NADI_TYPE_FLAG,
     AT(no_saturation),
     .doc = "Do not look for the load at saturation"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_FORM_SVG,
     .preset = "text",
     AT(o.form),
     .doc = "Form of the result on standard output; svg: latency over load as a picture"},
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Question", question, 0},
    {"Measuring", measuring, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_noc_sweep(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.no_saturation = false};
    struct nadi_words words;
    nadi_noc_options_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    v.o.saturation = !v.no_saturation;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_noc_sweep(&v.o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_noc_sweep = {
    .name = "noc sweep",
    .group = "Networks",
    .doing = "running the loads",
    .summary = "Latency over load of a network of routers, flit by flit, and where it saturates",
    .about = "Every NPU makes packets at random. Latency counts cycles from a packet's making to "
             "its tail's\narrival; saturation is where it is three times that without load. "
             "docs/models/flit.md explains.\n",
    .examples =
        "nadi noc sweep --network \"mesh shape=8x8\"\n"
        "nadi noc sweep --network \"torus shape=8x8\" --traffic tornado --rates 0.05..0.3:0.05\n"
        "nadi noc sweep --network \"mesh shape=8x8\" --packet 4 --format svg > curve.svg\n",
    .options = groups,
    .run = cmd_noc_sweep,
};
