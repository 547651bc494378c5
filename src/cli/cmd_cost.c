/* cmd_cost: `nadi cost`. */
#include <nadi/cost.h>

#include "api/words.h"
#include "cli/command.h"

#define AT(member) NADI_AT(struct nadi_cost_options, member)

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
     .joined = ", ",
     AT(memory),
     .doc = "Memory of the catalogue beside each device's own: ddr5=256GiB. May stand several "
            "times"},
    {.name = NULL},
};

static const struct nadi_setting prices[] = {
    {.name = "catalogue",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     AT(catalogue),
     .doc = "Prices and powers, each with its source: docs/reference/input-catalogue.md"},
    NADI_ECONOMY_OPTIONS(AT(years), AT(electricity), AT(pue)),
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION(struct nadi_cost_options, form),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Input", input, 0},
    {"Prices", prices, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_cost_options_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    (void)words;
    return nadi_cost(values, text, messages);
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
    .call = {.size = sizeof(struct nadi_cost_options), .init = init, .make = make},
};
