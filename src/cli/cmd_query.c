/* cmd_query: `nadi query`. */
#include <nadi/report.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format;
};

static const struct nadi_setting output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("table", "csv", "json", "jsonl"),
     .preset = "table",
     NADI_AT(struct values, format),
     .doc = "Form of the rows on standard output"},
    {.name = NULL},
};

static const struct nadi_option_group query_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_query(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "a run and a select"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text = nadi_query(words.items[0], words.items[1], v.format, messages);
    return nadi_terminal_end(text ? NADI_STATUS_DONE : NADI_STATUS_INPUT, text, messages, false);
}

const struct nadi_command nadi_command_query = {
    .name = "query",
    .group = "Results",
    .summary = "Query the database of a run or the store of a sweep with SQL",
    .doing = "asking the database",
    .words = "RUN SELECT",
    .about = "RUN is the folder of `nadi run --out`, or the run.db in it, or the store of `nadi "
             "sweep`, or what\n`nadi trace fidelity --db` and `nadi trace privacy --db` "
             "wrote.\nTables and columns: docs/guide/database.md, docs/guide/sweep.md.\n",
    .examples = "nadi query result \"select cause, sum(duration_ns) from critical_path group by "
                "cause\"\n"
                "nadi query result \"select * from timeline where rank = 0\" --format jsonl\n",
    .options = query_groups,
    .max_words = 2,
    .run = cmd_query,
};
