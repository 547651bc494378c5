/* cmd_validate_compute: `nadi validate compute`, and `nadi validate all` of a folder of folders. */
#include <nadi/measure.h>
#include <nadi/model.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(NADI_AT(struct nadi_validate_options, form),
                        NADI_ONE_OF("text", "json", "markdown")),
    {.name = "summary",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct nadi_validate_options, summary),
     .doc = "Summaries only, no rows"},
    {.name = NULL},
};

static const struct nadi_option_group validate_compute_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_validate_options_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct nadi_validate_options *o = values;
    o->folder = words->items[0];
    return nadi_validate_compute_folder(o, text, messages);
}

/* The three, one after the other; JSON is one object of them. */
static int cmd_validate_all(const struct nadi_command *self, int count, char **arguments)
{
    static const char *const parts[] = {"collectives", "compute", "training"};
    struct nadi_validate_options options;
    struct nadi_words words;
    int worst = NADI_EXIT_DONE;
    nadi_validate_options_init(&options);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &options,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a folder"))
        return NADI_EXIT_USAGE;
    const bool json = nadi_str_equal(options.form, "json");
    for (int i = 0; i < 3; i++) {
        struct nadi_str folder = NADI_STR_INIT;
        struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
        char *text = NULL;
        nadi_str_printf(&folder, "%s/%s", words.items[0], parts[i]);
        options.folder = nadi_str_get(&folder);
        fputs(json ? (i ? ",\n" : "{\n") : (i ? "\n" : ""), stdout);
        printf(json ? "\"%s\": " : "## %s\n\n", parts[i]);
        const enum nadi_status status =
            i == 0   ? nadi_validate_collectives_folder(&options, &text, messages)
            : i == 1 ? nadi_validate_compute_folder(&options, &text, messages)
                     : nadi_validate_training_runs(options.folder, options.form, &text, messages);
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
    .call = {.size = sizeof(struct nadi_validate_options),
             .init = init,
             .wanted = "a folder",
             .least = 1,
             .make = make},
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
