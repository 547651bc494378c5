/* command_find: from the words of a command line to a row of the table. */
#include "base/str.h"
#include "cli/command.h"

static bool is_named(const struct nadi_command *command, int count, const char *const *words,
                     int *used)
{
    const char *space = strchr(command->name, ' ');
    if (!space) {
        *used = 1;
        return count >= 1 && nadi_str_equal(command->name, words[0]);
    }
    const size_t first = (size_t)(space - command->name);
    *used = 2;
    return count >= 2 && strlen(words[0]) == first && memcmp(command->name, words[0], first) == 0 &&
           nadi_str_equal(space + 1, words[1]);
}

const struct nadi_command *nadi_command_find(int count, const char *const *words, int *used)
{
    for (size_t i = 0; nadi_commands[i]; i++) {
        if (is_named(nadi_commands[i], count, words, used))
            return nadi_commands[i];
    }
    return NULL;
}

void nadi_command_complain(int count, const char *const *words)
{
    enum { MAX_COMMANDS = 64 };
    const char *names[MAX_COMMANDS];
    size_t known = 0;
    bool is_family = false; /* the first of two words is right */
    for (; nadi_commands[known] && known < MAX_COMMANDS; known++) {
        const struct nadi_command *c = nadi_commands[known];
        names[known] = c->name;
        const char *space = strchr(c->name, ' ');
        is_family |= space && strlen(words[0]) == (size_t)(space - c->name) &&
                     nadi_str_starts(c->name, words[0]);
    }
    struct nadi_str written = NADI_STR_INIT;
    nadi_str_add(&written, words[0]);
    if (is_family && count > 1 && words[1][0] != '-')
        nadi_str_printf(&written, " %s", words[1]);
    const char *nearest = nadi_str_nearest(nadi_str_get(&written), names, known);
    fprintf(stderr, "nadi: error: no command '%s'", nadi_str_get(&written));
    if (nearest)
        fprintf(stderr, ", did you mean '%s'?", nearest);
    fputc('\n', stderr);
    if (is_family) {
        fprintf(stderr, "commands:");
        for (size_t i = 0; nadi_commands[i]; i++) {
            const char *name = nadi_commands[i]->name;
            if (strchr(name, ' ') && nadi_str_starts(name, words[0]))
                fprintf(stderr, " 'nadi %s'", name);
        }
        fputc('\n', stderr);
    }
    fprintf(stderr, "`nadi help` lists the commands\n");
    nadi_str_release(&written);
}
