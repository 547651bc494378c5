#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

#include <nadi/import.h>

struct values {
    const char *output, *groups, *compat;
    uint64_t resolution_ns;
    bool quiet;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Chakra trace to write"},
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Also write the process groups there, for `nadi run --groups`"},
    {.name = "compat",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("1.0.0"),
     AT(compat),
     .doc = "Make the graph of this version of the Chakra tools, including its defects"},
    {.name = "resolution",
     .argument = "TIME",
     NADI_A_TIME,
     .preset = "1us",
     AT(resolution_ns),
     .doc = "Shorter slices of processor time are added to the following operator"},
    NADI_ROW_QUIET(AT(quiet), ", no summary"),
    {.name = NULL},
};

static const struct nadi_option_group trace_convert_groups[] = {
    {"Conversion", options, 0},
    {.heading = NULL},
};

static int cmd_trace_convert(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words))
        return NADI_EXIT_USAGE;
    if (words.count != 1) {
        fprintf(stderr, "nadi %s: error: name the linked trace to convert\n", self->name);
        return NADI_EXIT_USAGE;
    }
    struct nadi_trace_convert convert;
    nadi_trace_convert_init(&convert);
    convert.input = words.items[0];
    convert.output = values.output;
    convert.groups = values.groups;
    convert.compat = values.compat != NULL;
    convert.resolution_ns = values.resolution_ns;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_convert(&convert, &report, messages);
    return nadi_trace_end_beside(status, report, messages, values.quiet, values.output);
}

const struct nadi_command nadi_command_trace_convert = {
    .name = "trace convert",
    .group = "Traces",
    .summary = "Convert a linked trace to a Chakra trace",
    .doing = "converting the trace",
    .words = "LINKED",
    .about = "Reads what `nadi trace link` or the Chakra tools have written: the second half "
             "of\n"
             "`nadi trace import`.\n",
    .examples = "nadi trace convert linked.0.json -o step.0.et\n",
    .options = trace_convert_groups,
    .max_words = 1,
    .run = cmd_trace_convert,
};
