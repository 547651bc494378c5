/* cmd_validate: `nadi validate training`. */
#include <nadi/model.h>

#include "cli/command.h"
#include "cli/rows.h"

struct values {
    const char *format;
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(NADI_AT(struct values, format), NADI_ONE_OF("text", "json", "markdown")),
    {.name = NULL},
};

static const struct nadi_option_group validate_training_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    const struct values *v = values;
    return nadi_validate_training_runs(words->items[0], v->format, text, messages);
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
    .call = {.size = sizeof(struct values), .wanted = "a folder", .least = 1, .make = make},
};
