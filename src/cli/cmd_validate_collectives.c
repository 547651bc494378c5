/* cmd_validate_collectives: `nadi validate collectives`. */
#include <nadi/measure.h>

#include "cli/command.h"

static const struct nadi_setting input[] = {
    {.name = "fit",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("none", "half", "other-half", "third", "random", "small", "large",
                          "all-reduce"),
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct nadi_validate_options, fit),
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
     NADI_LIBRARY_DEFAULT,
     NADI_AT(struct nadi_validate_options, form),
     .doc = "Form of the result on standard output"},
    {.name = "page",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct nadi_validate_options, page),
     .doc = "Write an HTML page with the summaries and a plot of each table"},
    {.name = "summary",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct nadi_validate_options, summary),
     .doc = "Summaries only, no rows"},
    {.name = NULL},
};

static const struct nadi_option_group validate_collectives_groups[] = {
    {"Input", input, 0},
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
    return nadi_validate_collectives_folder(o, text, messages);
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
    .call = {.size = sizeof(struct nadi_validate_options),
             .init = init,
             .wanted = "a folder",
             .least = 1,
             .make = make},
};
