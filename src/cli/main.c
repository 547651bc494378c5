#include "base/str.h"
#include "cli/command.h"

const struct nadi_command nadi_commands[] = {
    {"version", "Help", "Print the version and how the program was built", nadi_cmd_version},
    {"help", "Help", "Explain a command", nadi_cmd_help},
    {NULL, NULL, NULL, NULL},
};

const struct nadi_command *nadi_command_find(const char *name)
{
    for (const struct nadi_command *c = nadi_commands; c->name; c++) {
        if (nadi_str_equal(c->name, name))
            return c;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return nadi_cmd_help(0, argv + argc);
    const struct nadi_command *command = nadi_command_find(argv[1]);
    if (!command) {
        fprintf(stderr, "nadi: error: no command '%s'; `nadi help` lists them\n", argv[1]);
        return NADI_EXIT_USAGE;
    }
    return command->run(argc - 2, argv + 2);
}
