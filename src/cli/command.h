/* command: a sub-command is a row of data: its name, what it is for and the function that runs it.
 *
 * main.c holds the one table; help is generated from it. A function gets the words after the
 * command's name and returns the exit code. Only this room writes to the terminal. */
#ifndef NADI_CLI_COMMAND_H
#define NADI_CLI_COMMAND_H

#include "base/base.h"

enum nadi_exit {
    NADI_EXIT_DONE = 0,
    NADI_EXIT_USAGE = 2,
    NADI_EXIT_INPUT = 3,
    NADI_EXIT_DEADLOCK = 4,
    NADI_EXIT_LIMIT = 5,
    NADI_EXIT_INTERNAL = 70,
};

struct nadi_command {
    const char *name;
    const char *group;   /* heading in the list of commands */
    const char *summary; /* one line */
    int (*run)(int count, char **words);
};

/* Ends with a row without a name. */
extern const struct nadi_command nadi_commands[];

const struct nadi_command *nadi_command_find(const char *name); /* NULL if none */

int nadi_cmd_help(int count, char **words);
int nadi_cmd_version(int count, char **words);

#endif
