/* cmd_validate: `nadi validate training`. */
#include <nadi/model.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format;
};

static const struct nadi_setting output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json", "markdown"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the result on standard output"},
    {.name = NULL},
};

static const struct nadi_option_group validate_training_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_validate_training(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a folder"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status =
        nadi_validate_training_runs(words.items[0], values.format, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_validate_training = {
    .name = "validate training",
    .group = "Measurements",
    .summary = "Compare predicted step times with published training runs",
    .doing = "comparing predictions with measurements",
    .words = "FOLDER",
    .about =
        "FOLDER contains tables of runs; docs/models/training.md lists them and the\nassumptions "
        "where a source gives no value. The error is that of the model FLOP utilisation.\n",
    .examples = "nadi validate training measured/training\n",
    .options = validate_training_groups,
    .max_words = 1,
    .run = cmd_validate_training,
};
