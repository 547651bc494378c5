/* cmd_cost: `nadi cost`. */
#include <nadi/cost.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *cluster, *network, *catalogue, *memory, *format;
    uint32_t ranks;
    double years, electricity, pue;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting input[] = {
    {.name = "cluster",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(cluster),
     .doc = "Devices and their network (`nadi model list`)"},
    {.name = "network",
     .argument = "NETWORK",
     .type = NADI_TYPE_TEXT,
     AT(network),
     .doc = "A network instead of the cluster's, or alone: a file, a platform, or a generator in "
            "quotes: \"rail nodes=64 npus=8 spines=16\""},
    {.name = "ranks",
     .argument = "N",
     NADI_A_COUNT,
     AT(ranks),
     .doc = "Devices, where a cluster takes any number"},
    {.name = "memory",
     .argument = "NAME=SIZE",
     .type = NADI_TYPE_TEXT,
     AT(memory),
     .doc = "Memory of the catalogue beside each device's own: ddr5=256GiB"},
    {.name = NULL},
};

static const struct nadi_setting prices[] = {
    {.name = "catalogue",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     .preset = "public",
     AT(catalogue),
     .doc = "Prices and powers, each with its source: docs/reference/input-catalogue.md"},
    {.name = "years",
     .argument = "N",
     .type = NADI_TYPE_NUMBER,
     .preset = "4",
     .above_min = true,
     .max = 100,
     AT(years),
     .doc = "Years over which the parts are paid"},
    {.name = "electricity",
     .argument = "$",
     .type = NADI_TYPE_NUMBER,
     .preset = "0.10",
     .max = 1000,
     AT(electricity),
     .doc = "$ per kWh"},
    {.name = "pue",
     .argument = "X",
     .type = NADI_TYPE_NUMBER,
     .preset = "1.2",
     .min = 1,
     .max = 100,
     AT(pue),
     .doc = "Power of the facility by that of the parts (PUE)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION(struct values, format),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Input", input, 0},
    {"Prices", prices, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_cost(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_cost_options o;
    nadi_cost_options_init(&o);
    o.cluster = v.cluster;
    o.network = v.network;
    o.catalogue = v.catalogue;
    o.ranks = v.ranks;
    o.memory = v.memory;
    o.years = v.years;
    o.electricity = v.electricity;
    o.pue = v.pue;
    o.form = v.format;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_cost(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_cost = {
    .name = "cost",
    .group = "Design",
    .summary = "Bill of materials of a cluster: parts, price and power, with their sources",
    .doing = "adding up the bill",
    .about = "Switches, NICs and cables are counted by layer; of the catalogue's parts that fit, "
             "the cheapest\nis taken. What has no price or power is named, and the sum is then "
             "incomplete. `nadi model run\n--catalogue` adds energy and tokens per $. "
             "docs/guide/cost.md says what is counted how.\n",
    .examples = "nadi cost --cluster dgx-h100 --ranks 512\n"
                "nadi cost --cluster h100-rail --catalogue ours.yaml --years 5 --electricity 0.07\n"
                "nadi cost --network \"fat-tree k=16 bandwidth=400Gbps\" --format csv\n",
    .options = groups,
    .run = cmd_cost,
};
