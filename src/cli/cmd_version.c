#include "cli/command.h"

#include <nadi/nadi.h>

static const struct nadi_option_group version_groups[] = {{.heading = NULL}};

static int cmd_version(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_words words;
    char none = 0;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &none, &words))
        return NADI_EXIT_USAGE;
    printf("nadi %s (interface %d)\n", nadi_version(), NADI_API_VERSION);
    return NADI_EXIT_DONE;
}

const struct nadi_command nadi_command_version = {
    .name = "version",
    .group = "Help",
    .doing = "writing the version",
    .summary = "Print the version",
    .options = version_groups,
    .run = cmd_version,
};
