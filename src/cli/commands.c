#include "cli/command.h"

#define ROW(name) &nadi_command_##name,

const struct nadi_command *const nadi_commands[] = {NADI_COMMANDS(ROW) NULL};
