#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    const char *format, *table;
    uint32_t rows;
    bool all;
};

static const struct nadi_setting options[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "csv", "json"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the report on standard output"},
    {.name = "table",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("types", "operators", "groups", "lanes", "path", "ranks", "time"),
     .preset = "operators",
     NADI_AT(struct values, table),
     .doc = "The table that --format csv prints"},
    {.name = "rows",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "15",
     NADI_AT(struct values, rows),
     .doc = "Rows of a table in the text"},
    {.name = "all",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, all),
     .doc = "All rows of all tables in the text"},
    {.name = NULL},
};

static const struct nadi_option_group trace_info_groups[] = {
    {"Output", options, 0},
    {.heading = NULL},
};

static int cmd_trace_info(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_info info;
    nadi_trace_info_init(&info);
    info.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    info.format = values.format;
    info.table = values.table;
    info.rows = values.all ? 0 : values.rows;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_info(&info, &report, messages);
    return nadi_terminal_end(status, report, messages, false);
}

const struct nadi_command nadi_command_trace_info = {
    .name = "trace info",
    .group = "Traces",
    .summary = "Summarise a trace, or all traces of a job",
    .doing = "summarising the traces",
    .words = "FILE... | PREFIX",
    .about = "Nodes, time and bytes by type, operator, process group and lane; where the time "
             "goes; the\ncritical path; parallelism over time. Times are those recorded in the "
             "trace or, where\nthere are none, replayed from durations and dependencies; "
             "nothing is simulated.\n",
    .examples = "nadi trace info traces/step.0.et\n"
                "nadi trace info traces/step --format csv --table operators\n",
    .options = trace_info_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_info,
};
