/* cmd_fabric: `nadi fabric route`, `check`, `count`. */
#include <nadi/fabric.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

/* ---- route ------------------------------------------------------------------------------------
 */

struct route_values {
    uint32_t ports, middle;
    const char *flows, *answer, *format;
};

#define AT_ROUTE(member) NADI_AT(struct route_values, member)

static const struct nadi_setting route_question[] = {
    {.name = "ports",
     .argument = "P",
     .type = NADI_TYPE_INTEGER,
     .min = 2,
     .max = 1024,
     .required = true,
     AT_ROUTE(ports),
     .doc = "Ports of the switch"},
    {.name = "middle",
     .argument = "M",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 16,
     .preset = "3",
     AT_ROUTE(middle),
     .doc = "Middle networks of each level"},
    {.name = "flows",
     .argument = "FLOWS",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT_ROUTE(flows),
     .doc = "Flows that go at once, inputs > outputs: \"0,1>0,1; 3-5>3-5\""},
    {.name = "on-conflict",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("serialise", "ring", "raise-m", "re-place"),
     .preset = "serialise",
     AT_ROUTE(answer),
     .doc = "Where they cannot all go at once: the fewest wait; the fewest become unicasts between "
            "NPUs; more middle networks; other ports"},
    {.name = NULL},
};

static const struct nadi_setting route_output[] = {
    NADI_FORM_OPTION_OF(struct route_values, format, NADI_WORDS_FORM_NO_CSV), {.name = NULL}};

static const struct nadi_option_group route_groups[] = {
    {"Question", route_question, 0},
    {"Output", route_output, 0},
    {.heading = NULL},
};

static int cmd_fabric_route(const struct nadi_command *self, int count, char **arguments)
{
    struct route_values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_fabric_route_options o;
    nadi_fabric_route_options_init(&o);
    o.ports = v.ports;
    o.middle = v.middle;
    o.flows = v.flows;
    o.on_conflict = v.answer;
    o.form = v.format;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_fabric_route_flows(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_fabric_route = {
    .name = "fabric route",
    .group = "Design",
    .summary = "Route flows that add up and copy through a Fred switch, all at once",
    .doing = "routing the flows",
    .about = "Prints the middle networks of each flow and the setting of each micro-switch, or the "
             "smallest\nset of flows that conflicts and what to do. docs/guide/fred.md explains.\n",
    .examples = "nadi fabric route --ports 8 --middle 2 --flows \"0,1>0,1; 3,4,5>3,4,5\"\n"
                "nadi fabric route --ports 8 --middle 2 --flows \"0,2>0,2; 1,4>1,4; 3,5>3,5\" \\\n"
                "          --on-conflict raise-m\n",
    .options = route_groups,
    .run = cmd_fabric_route,
};

/* ---- check ------------------------------------------------------------------------------------
 */

struct check_values {
    const char *npus, *middle, *placement, *format;
};

#define AT_CHECK(member) NADI_AT(struct check_values, member)

static const struct nadi_setting check_question[] = {
    {.name = "npus",
     .argument = "P,...",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT_CHECK(npus),
     .doc = "Ports of the switch, an NPU at each: 2 to 256"},
    {.name = "middle",
     .argument = "M,...",
     .type = NADI_TYPE_TEXT,
     .preset = "3",
     AT_CHECK(middle),
     .doc = "Middle networks of each level: 1 to 16"},
    {.name = "placement",
     .argument = "ORDER",
     .type = NADI_TYPE_TEXT,
     .preset = "mp,pp,dp",
     AT_CHECK(placement),
     .doc = "Which dimension is on neighbouring NPUs, and which next; all: each of the six orders"},
    {.name = NULL},
};

static const struct nadi_setting check_output[] = {NADI_FORM_OPTION(struct check_values, format),
                                                   {.name = NULL}};

static const struct nadi_option_group check_groups[] = {
    {"Question", check_question, 0},
    {"Output", check_output, 0},
    {.heading = NULL},
};

static int cmd_fabric_check(const struct nadi_command *self, int count, char **arguments)
{
    struct check_values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_fabric_check_options o;
    nadi_fabric_check_options_init(&o);
    o.ports = v.npus;
    o.middle = v.middle;
    o.placement = v.placement;
    o.form = v.format;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_fabric_check_strategies(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_fabric_check = {
    .name = "fabric check",
    .group = "Design",
    .summary = "Prove which parallel strategies a Fred switch carries without conflict",
    .doing = "proving the strategies",
    .about = "Every MP x PP x DP of 2 to P workers, and every phase of each: the all-reduces of "
             "all MP\ngroups at once, those of all DP groups, the multicasts between all stages.\n",
    .examples = "nadi fabric check --npus 20 --middle 3\n"
                "nadi fabric check --npus 8,12,16,20 --middle 2,3,4\n"
                "nadi fabric check --npus 20 --placement all\n",
    .options = check_groups,
    .run = cmd_fabric_check,
};

/* ---- count ------------------------------------------------------------------------------------
 */

struct count_values {
    const char *ports, *middle, *format;
};

#define AT_COUNT(member) NADI_AT(struct count_values, member)

static const struct nadi_setting count_question[] = {
    {.name = "ports",
     .argument = "P,...",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT_COUNT(ports),
     .doc = "Ports of the switch: 2 to 1048576"},
    {.name = "middle",
     .argument = "M,...",
     .type = NADI_TYPE_TEXT,
     .preset = "3",
     AT_COUNT(middle),
     .doc = "Middle networks of each level: 1 to 16"},
    {.name = NULL},
};

static const struct nadi_setting count_output[] = {NADI_FORM_OPTION(struct count_values, format),
                                                   {.name = NULL}};

static const struct nadi_option_group count_groups[] = {
    {"Question", count_question, 0},
    {"Output", count_output, 0},
    {.heading = NULL},
};

static int cmd_fabric_count(const struct nadi_command *self, int count, char **arguments)
{
    struct count_values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_fabric_count_options o;
    nadi_fabric_count_options_init(&o);
    o.ports = v.ports;
    o.middle = v.middle;
    o.form = v.format;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_fabric_count_switches(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_fabric_count = {
    .name = "fabric count",
    .group = "Design",
    .summary = "Count the micro-switches of a Fred switch by kind, its depth and its bits",
    .doing = "counting the switches",
    .examples = "nadi fabric count --ports 20\n"
                "nadi fabric count --ports 8,16,32,64 --middle 2,3\n",
    .options = count_groups,
    .run = cmd_fabric_count,
};
