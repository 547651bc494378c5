/* cmd_query: `nadi query`. */
#include <nadi/report.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format;
};

static const struct nadi_option output[] = {
    {.name = "format",
     .type = NADI_OPTION_WORD,
     .words = "table|csv|json|jsonl",
     .initial = "table",
     .offset = offsetof(struct values, format),
     .help = "Form of the rows on standard output"},
    {.name = NULL},
};

const struct nadi_option_group nadi_query_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

int nadi_cmd_query(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "a run and a select"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_messages_create();
    char *text = nadi_query(words.items[0], words.items[1], v.format, messages);
    return nadi_terminal_end(text ? NADI_STATUS_DONE : NADI_STATUS_INPUT, text, messages, false);
}
