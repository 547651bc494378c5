/* cmd_validate_compute: `nadi validate compute`, and `nadi validate all` of a folder of folders. */
#include <nadi/measure.h>
#include <nadi/model.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *format;
    bool summary;
};

static const struct nadi_setting output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json", "markdown"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the result on standard output"},
    {.name = "summary",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, summary),
     .doc = "Summaries only, no rows"},
    {.name = NULL},
};

static const struct nadi_option_group validate_compute_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static bool read_words(const struct nadi_command *self, int count, char **arguments,
                       struct values *values, struct nadi_words *words)
{
    return nadi_options_parse(self->name, self->options, self->max_words, count, arguments, values,
                              words) &&
           nadi_words_wanted(self->name, words, 1, "a folder");
}

static int cmd_validate_compute(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!read_words(self, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    struct nadi_validate_options options;
    nadi_validate_options_init(&options);
    options.folder = words.items[0];
    options.form = values.format;
    options.summary = values.summary;
    char *text;
    const enum nadi_status status = nadi_validate_compute_folder(&options, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

/* The three, one after the other; JSON is one object of them. */
static int cmd_validate_all(const struct nadi_command *self, int count, char **arguments)
{
    static const char *const parts[] = {"collectives", "compute", "training"};
    struct values values = {0};
    struct nadi_words words;
    int worst = NADI_EXIT_DONE;
    if (!read_words(self, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    const bool json = nadi_str_equal(values.format, "json");
    for (int i = 0; i < 3; i++) {
        struct nadi_str folder = NADI_STR_INIT;
        struct nadi_validate_options options;
        struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
        char *text = NULL;
        nadi_str_printf(&folder, "%s/%s", words.items[0], parts[i]);
        nadi_validate_options_init(&options);
        options.folder = nadi_str_get(&folder);
        options.form = values.format;
        options.summary = values.summary;
        fputs(json ? (i ? ",\n" : "{\n") : (i ? "\n" : ""), stdout);
        printf(json ? "\"%s\": " : "## %s\n\n", parts[i]);
        const enum nadi_status status =
            i == 0   ? nadi_validate_collectives_folder(&options, &text, messages)
            : i == 1 ? nadi_validate_compute_folder(&options, &text, messages)
                     : nadi_validate_training_runs(options.folder, values.format, &text, messages);
        if (json && !text)
            fputs("null", stdout);
        const int code = nadi_terminal_end(status, text, messages, false);
        worst = code > worst ? code : worst;
        nadi_str_release(&folder);
    }
    if (json)
        fputs("}\n", stdout);
    return worst;
}

const struct nadi_command nadi_command_validate_compute = {
    .name = "validate compute",
    .group = "Measurements",
    .summary = "Compare predicted matrix products and attention with measured ones",
    .doing = "comparing predictions with measurements",
    .words = "FOLDER",
    .examples = "nadi validate compute measured/compute --summary\n",
    .options = validate_compute_groups,
    .max_words = 1,
    .run = cmd_validate_compute,
};

const struct nadi_command nadi_command_validate_all = {
    .name = "validate all",
    .group = "Measurements",
    .summary = "The same for the folders collectives, compute and training of a folder",
    .doing = "comparing predictions with measurements",
    .words = "FOLDER",
    .examples = "nadi validate all measured --summary\n",
    .options = validate_compute_groups,
    .max_words = 1,
    .run = cmd_validate_all,
};
