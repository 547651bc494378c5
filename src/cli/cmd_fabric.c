/* cmd_fabric: `nadi fabric route`, `check`, `count`. */
#include <nadi/fabric.h>

#include "api/words.h"
#include "cli/command.h"

/* ---- route ------------------------------------------------------------------------------------
 */

#define AT_ROUTE(member) NADI_AT(struct nadi_fabric_route_options, member)

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
     NADI_LIBRARY_DEFAULT,
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
     NADI_LIBRARY_DEFAULT,
     AT_ROUTE(on_conflict),
     .doc = "Where they cannot all go at once: the fewest wait; the fewest become unicasts between "
            "NPUs; more middle networks; other ports"},
    {.name = NULL},
};

static const struct nadi_setting route_output[] = {
    NADI_FORM_OPTION_OF(struct nadi_fabric_route_options, form, NADI_WORDS_FORM_NO_CSV),
    {.name = NULL}};

static const struct nadi_option_group route_groups[] = {
    {"Question", route_question, 0},
    {"Output", route_output, 0},
    {.heading = NULL},
};

static void init_route(void *values)
{
    nadi_fabric_route_options_init(values);
}

static enum nadi_status make_route(void *values, const struct nadi_words *words, char **text,
                                   struct nadi_diags *messages)
{
    (void)words;
    return nadi_fabric_route_flows(values, text, messages);
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
    .call = {.size = sizeof(struct nadi_fabric_route_options),
             .init = init_route,
             .make = make_route},
};

/* ---- check ------------------------------------------------------------------------------------
 */

#define AT_CHECK(member) NADI_AT(struct nadi_fabric_check_options, member)

static const struct nadi_setting check_question[] = {
    {.name = "npus",
     .argument = "P,...",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT_CHECK(ports),
     .doc = "Ports of the switch, an NPU at each: 2 to 256"},
    {.name = "middle",
     .argument = "M,...",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     AT_CHECK(middle),
     .doc = "Middle networks of each level: 1 to 16"},
    {.name = "placement",
     .argument = "ORDER",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     AT_CHECK(placement),
     .doc = "Which dimension is on neighbouring NPUs, and which next; all: each of the six orders"},
    {.name = NULL},
};

static const struct nadi_setting check_output[] = {
    NADI_FORM_OPTION(struct nadi_fabric_check_options, form), {.name = NULL}};

static const struct nadi_option_group check_groups[] = {
    {"Question", check_question, 0},
    {"Output", check_output, 0},
    {.heading = NULL},
};

static void init_check(void *values)
{
    nadi_fabric_check_options_init(values);
}

static enum nadi_status make_check(void *values, const struct nadi_words *words, char **text,
                                   struct nadi_diags *messages)
{
    (void)words;
    return nadi_fabric_check_strategies(values, text, messages);
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
    .call = {.size = sizeof(struct nadi_fabric_check_options),
             .init = init_check,
             .make = make_check},
};

/* ---- count ------------------------------------------------------------------------------------
 */

#define AT_COUNT(member) NADI_AT(struct nadi_fabric_count_options, member)

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
     NADI_LIBRARY_DEFAULT,
     AT_COUNT(middle),
     .doc = "Middle networks of each level: 1 to 16"},
    {.name = NULL},
};

static const struct nadi_setting count_output[] = {
    NADI_FORM_OPTION(struct nadi_fabric_count_options, form), {.name = NULL}};

static const struct nadi_option_group count_groups[] = {
    {"Question", count_question, 0},
    {"Output", count_output, 0},
    {.heading = NULL},
};

static void init_count(void *values)
{
    nadi_fabric_count_options_init(values);
}

static enum nadi_status make_count(void *values, const struct nadi_words *words, char **text,
                                   struct nadi_diags *messages)
{
    (void)words;
    return nadi_fabric_count_switches(values, text, messages);
}

const struct nadi_command nadi_command_fabric_count = {
    .name = "fabric count",
    .group = "Design",
    .summary = "Count the micro-switches of a Fred switch by kind, its depth and its bits",
    .doing = "counting the switches",
    .examples = "nadi fabric count --ports 20\n"
                "nadi fabric count --ports 8,16,32,64 --middle 2,3\n",
    .options = count_groups,
    .call = {.size = sizeof(struct nadi_fabric_count_options),
             .init = init_count,
             .make = make_count},
};
