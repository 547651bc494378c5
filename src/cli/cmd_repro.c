/* cmd_repro: `nadi repro`. */
#include <nadi/measure.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

enum { EXIT_NOT_AS_PUBLISHED = 1 };

struct values {
    const char *format, *inputs, *page;
};

static const struct nadi_setting input[] = {
    {.name = "inputs",
     .type = NADI_TYPE_TEXT,
     .argument = "FOLDER",
     NADI_AT(struct values, inputs),
     .doc = "Published files that a study runs; `nadi repro list` says which"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(NADI_AT(struct values, format), NADI_ONE_OF("text", "json")),
    {.name = "page",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct values, page),
     .doc = "Also one HTML page with the figures, and what the study draws"},
    {.name = NULL},
};

static const struct nadi_option_group repro_groups[] = {
    {"Input", input, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_repro(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a study, `all` or `list`"))
        return NADI_EXIT_USAGE;
    if (nadi_str_equal(words.items[0], "list")) {
        char *list = nadi_repro_list();
        nadi_terminal_print(list);
        return NADI_EXIT_DONE;
    }
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    int failed;
    const enum nadi_status status =
        nadi_repro_page(words.items[0], values.inputs, nadi_str_equal(values.format, "json"),
                        values.page, &text, &failed, messages);
    const int code = nadi_terminal_end(status, text, messages, true);
    return status == NADI_STATUS_DONE && failed ? EXIT_NOT_AS_PUBLISHED : code;
}

const struct nadi_command nadi_command_repro = {
    .name = "repro",
    .group = "Measurements",
    .summary = "Reproduce published results, each beside the published figure",
    .doing = "reproducing the results",
    .words = "NAME | all | list",
    .about = "The exit code is 1 when a figure is not as published.\n",
    .examples = "nadi repro list\nnadi repro all\n",
    .options = repro_groups,
    .max_words = 1,
    .run = cmd_repro,
};
