/* cmd_validate: `nadi validate training`. */
#include <nadi/model.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format;
};

static const struct nadi_option output[] = {
    {.name = "format",
     .type = NADI_OPTION_WORD,
     .words = "text|json|markdown",
     .initial = "text",
     .offset = offsetof(struct values, format),
     .help = "Form of the result on standard output"},
    {.name = NULL},
};

const struct nadi_option_group nadi_validate_training_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

int nadi_cmd_validate_training(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a folder"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_messages_create();
    char *text;
    const enum nadi_status status =
        nadi_validate_training_runs(words.items[0], values.format, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}
