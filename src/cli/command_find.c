/* command_find: from the words of a command line to a row of the table. */
#include "base/str.h"
#include "cli/command.h"

static bool is_named(const struct nadi_command *command, int count, const char *const *words,
                     int *used)
{
    const char *at = command->name;
    for (*used = 0; *used < count; ++*used) {
        const size_t length = strcspn(at, " ");
        if (strlen(words[*used]) != length || memcmp(at, words[*used], length) != 0)
            return false;
        if (!at[length]) {
            ++*used;
            return true;
        }
        at += length + 1;
    }
    return false;
}

const struct nadi_command *nadi_command_find(int count, const char *const *words, int *used)
{
    for (size_t i = 0; nadi_commands[i]; i++) {
        if (is_named(nadi_commands[i], count, words, used))
            return nadi_commands[i];
    }
    return NULL;
}

enum { MAX_NAMES = 128, MAX_NAME = 48 };

struct names { /* what a first word, or two, may be */
    char items[MAX_NAMES][MAX_NAME];
    const char *list[MAX_NAMES];
    size_t count;
};

static void add_name(struct names *n, const char *name, size_t length)
{
    if (n->count == MAX_NAMES || length >= MAX_NAME)
        return;
    memcpy(n->items[n->count], name, length);
    n->items[n->count][length] = '\0';
    for (size_t i = 0; i < n->count; i++)
        if (nadi_str_equal(n->items[i], n->items[n->count]))
            return;
    n->list[n->count] = n->items[n->count];
    n->count++;
}

/* Whole names of commands, and the first words of those of two. */
static void find_names(struct names *n)
{
    n->count = 0;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const char *name = nadi_commands[i]->name, *space = strchr(name, ' ');
        add_name(n, name, strlen(name));
        if (space)
            add_name(n, name, (size_t)(space - name));
    }
}

static bool is_of_family(const char *name, const char *word)
{
    const size_t length = strlen(word);
    return length > 0 && nadi_str_starts(name, word) && name[length] == ' ';
}

static bool is_any_family(const char *words)
{
    for (size_t i = 0; nadi_commands[i]; i++)
        if (is_of_family(nadi_commands[i]->name, words))
            return true;
    return false;
}

/* "commands: 'nadi model list' ..." of the commands whose first of two words it is. */
static void list_family(const char *word)
{
    enum { WIDTH = 80 };
    size_t column = 0;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const char *name = nadi_commands[i]->name;
        const size_t length = strlen(" 'nadi '") + strlen(name);
        if (!is_of_family(name, word))
            continue;
        if (column == 0 || column + length > WIDTH)
            column = (size_t)fprintf(stderr, column ? "\n         " : "commands:");
        column += length;
        fprintf(stderr, " 'nadi %s'", name);
    }
    if (column)
        fputc('\n', stderr);
}

void nadi_command_complain(int count, const char *const *words)
{
    struct names names;
    struct nadi_str written = NADI_STR_INIT;
    const bool two = count > 1 && words[1][0] != '-';
    const char *nearest = NULL;
    const bool is_family = is_any_family(words[0]);
    bool wants_more = is_family && !two;
    find_names(&names);
    nadi_str_add(&written, words[0]);
    if (two) {
        nadi_str_printf(&written, " %s", words[1]);
        wants_more = is_any_family(nadi_str_get(&written)); /* of three words */
        if (wants_more && count > 2 && words[2][0] != '-') {
            nadi_str_printf(&written, " %s", words[2]);
            wants_more = false;
        }
        nearest = nadi_str_nearest(nadi_str_get(&written), names.list, names.count);
    }
    if (wants_more)
        fprintf(stderr, "nadi: error: '%s' wants a %s word", nadi_str_get(&written),
                two ? "third" : "second");
    else {
        if (!is_family && !(nearest && strchr(nearest, ' '))) {
            nadi_str_clear(&written);
            nadi_str_add(&written, words[0]);
            nearest = nadi_str_nearest(words[0], names.list, names.count);
        }
        fprintf(stderr, "nadi: error: no command '%s'", nadi_str_get(&written));
        if (nearest)
            fprintf(stderr, ", did you mean '%s'?", nearest);
    }
    fputc('\n', stderr);
    list_family(is_family ? words[0] : nearest ? nearest : "");
    fprintf(stderr, "`nadi help` lists the commands\n");
    nadi_str_release(&written);
}
