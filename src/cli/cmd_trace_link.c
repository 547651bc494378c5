#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

#include <nadi/import.h>

struct values {
    const char *host, *device, *output, *compat;
    struct nadi_range rank;
    bool force, quiet;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting files[] = {
    {.name = "host",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(host),
     .doc = "Execution trace of PyTorch's ExecutionTraceObserver"},
    {.name = "device",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(device),
     .doc = "Kineto profile of the same process"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Linked trace to write"},
    {.name = NULL},
};

static const struct nadi_setting how[] = {
    {.name = "rank",
     .argument = "N",
     NADI_RANKS,
     AT(rank),
     .doc = "Rank that the capture is of (default: as the profile says)"},
    {.name = "compat",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("1.0.0"),
     AT(compat),
     .doc = "Write the linked trace of this version of the Chakra tools"},
    {.name = "force",
     .type = NADI_TYPE_FLAG,
     AT(force),
     .doc = "Link files that do not seem to be of one run and one rank"},
    NADI_ROW_QUIET(AT(quiet), ", no summary"),
    {.name = NULL},
};

static const struct nadi_option_group trace_link_groups[] = {
    {"Files", files, 0},
    {"Linking", how, 0},
    {.heading = NULL},
};

static int cmd_trace_link(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    if (values.rank.first != values.rank.last || values.rank.first > UINT32_MAX - 1) {
        fprintf(stderr, "nadi %s: error: '--rank' wants one rank\n", self->name);
        return NADI_EXIT_USAGE;
    }
    struct nadi_trace_link options;
    nadi_trace_link_init(&options);
    options.host = values.host;
    options.device = values.device;
    options.output = values.output;
    if (values.rank.given)
        options.rank = (uint32_t)values.rank.first;
    options.compat = values.compat != NULL;
    options.force = values.force;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_link(&options, &report, messages);
    return nadi_trace_end_beside(status, report, messages, values.quiet, values.output);
}

const struct nadi_command nadi_command_trace_link = {
    .name = "trace link",
    .group = "Traces",
    .summary = "Join the execution trace and the Kineto profile of one rank",
    .doing = "joining the trace and its profile",
    .about = "Finds for every operator of the execution trace its time in the profile, and for "
             "every\n"
             "kernel the operator that launched it: the first half of `nadi trace import`.\n",
    .examples = "nadi trace link --host et.0.json.gz --device kineto.0.json.gz -o linked.0.json\n"
                "nadi trace link --host et.0.json --device kineto.0.json --compat 1.0.0 \\\n"
                "         -o linked.0.json\n",
    .options = trace_link_groups,
    .run = cmd_trace_link,
};
