/* cmd_validate_collectives: `nadi validate collectives`. */
#include <nadi/measure.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format, *fit, *page;
    bool summary;
};

static const struct nadi_setting input[] = {
    {.name = "fit",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("none", "half", "other-half", "third", "random", "small", "large",
                          "all-reduce"),
     .preset = "none",
     NADI_AT(struct values, fit),
     .doc = "Fit platforms first and compare the rest with them: without every second size of each "
            "table, the others, every third, one of each two at random, the smaller or the "
            "larger half; or to "
            "each machine's all-reduces of the most ranks"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json", "markdown"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the result on standard output"},
    {.name = "page",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct values, page),
     .doc = "Write an HTML page with the summaries and a plot of each table"},
    {.name = "summary",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, summary),
     .doc = "Summaries only, no rows"},
    {.name = NULL},
};

static const struct nadi_option_group validate_collectives_groups[] = {
    {"Input", input, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_validate_collectives(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a folder"))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    struct nadi_validate_options options;
    nadi_validate_options_init(&options);
    options.folder = words.items[0];
    options.form = values.format;
    options.fit = values.fit;
    options.page = values.page;
    options.summary = values.summary;
    char *text;
    const enum nadi_status status = nadi_validate_collectives_folder(&options, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_validate_collectives = {
    .name = "validate collectives",
    .group = "Measurements",
    .summary = "Compare predicted collectives with measured ones",
    .doing = "comparing predictions with measurements",
    .words = "FOLDER",
    .about = "FOLDER contains logs or CSV. Each table is predicted from the catalogue's platform "
             "of its\ndevice, or from that fitted to a part of the rows; docs/validation.md has "
             "the results.\n",
    .examples = "nadi validate collectives measured/collectives --summary\n",
    .options = validate_collectives_groups,
    .max_words = 1,
    .run = cmd_validate_collectives,
};
