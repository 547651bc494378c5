#include "base/str.h"
#include "cli/command.h"

int nadi_cmd_help(int count, char **words)
{
    if (count > 0) {
        const struct nadi_command *command = nadi_command_find(words[0]);
        if (!command) {
            fprintf(stderr, "nadi: error: no command '%s'; `nadi help` lists them\n", words[0]);
            return NADI_EXIT_USAGE;
        }
        printf("nadi %s: %s\n", command->name, command->summary);
        return NADI_EXIT_DONE;
    }
    printf("usage: nadi COMMAND [OPTIONS]\n");
    const char *group = NULL;
    for (const struct nadi_command *c = nadi_commands; c->name; c++) {
        if (!nadi_str_equal(group, c->group))
            printf("\n%s\n", c->group);
        group = c->group;
        printf("  %-10s %s\n", c->name, c->summary);
    }
    return NADI_EXIT_DONE;
}
