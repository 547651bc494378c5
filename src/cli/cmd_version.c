#include "cli/command.h"

#include <nadi/nadi.h>

int nadi_cmd_version(int count, char **words)
{
    (void)count;
    (void)words;
    printf("nadi %s\n", nadi_version());
    return NADI_EXIT_DONE;
}
