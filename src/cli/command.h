/* command: a sub-command is a row of data: its name, what it is for, its options and the function
 * that runs it.
 *
 * A row stands at the end of its command's file; commands.h lists them, and help and
 * docs/reference/commands.md are generated from that. A name may be two or three words ("gen
 * demo"). A function gets the words after the command's name and returns the exit code. Only this
 * room writes to the terminal: results to standard output, everything else to standard error. */
#ifndef NADI_CLI_COMMAND_H
#define NADI_CLI_COMMAND_H

#include "base/base.h"
#include "cli/commands.h"
#include "cli/options.h"

#include <nadi/nadi.h>

enum nadi_exit { /* the rest are the values of enum nadi_status */
                 NADI_EXIT_DONE = 0,
                 NADI_EXIT_USAGE = 2,
                 NADI_EXIT_INPUT = 3,
                 NADI_EXIT_LIMIT = 5,
                 NADI_EXIT_INTERNAL = 70,
};

struct nadi_diags;

/* Most commands call one function of the library and show its text: the options fill the struct
 * that the function takes. */
struct nadi_command_call {
    size_t size;                /* of the struct */
    void (*init)(void *values); /* its defaults; NULL: zeros */
    const char *wanted;         /* what the first words are: an error without; NULL: none must be */
    int least;                  /* how many */
    enum nadi_status (*make)(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages);
    /* NULL: nadi_terminal_end */
    int (*end)(const void *values, enum nadi_status status, char *text,
               struct nadi_diags *messages);
};

/* init and make of a command whose words are the traces that the library's function reads. */
#define NADI_CALL_ON_TRACES(function)                                                              \
    static void init(void *values)                                                                 \
    {                                                                                              \
        function##_init(values);                                                                   \
    }                                                                                              \
                                                                                                   \
    static enum nadi_status make(void *values, const struct nadi_words *words, char **text,        \
                                 struct nadi_diags *messages)                                      \
    {                                                                                              \
        struct function *o = values;                                                               \
        o->inputs = (struct nadi_trace_inputs){words->items, (size_t)words->count};                \
        return function(o, text, messages);                                                        \
    }

struct nadi_command {
    const char *name;
    const char *group;    /* heading in the list of commands */
    const char *summary;  /* one line */
    const char *doing;    /* "checking the traces": said of one that is stopped */
    const char *words;    /* "[KEY]", or NULL */
    const char *about;    /* paragraphs of the command's own help, each line ends with '\n' */
    const char *examples; /* command lines, each ends with '\n' */
    const struct nadi_option_group *options; /* ends with one without a heading */
    int max_words;
    struct nadi_command_call call; /* or: */
    int (*run)(const struct nadi_command *self, int count, char **arguments);
};

/* In the order of `nadi help`; ends with NULL. */
extern const struct nadi_command *const nadi_commands[];

/* The command that `words` begin with, *used words of them (1 to 3); NULL if none. */
const struct nadi_command *nadi_command_find(int count, const char *const *words, int *used);
/* Runs it with the words after its name; the exit code. */
int nadi_command_execute(const struct nadi_command *command, int count, char **arguments);
/* "nadi: error: no command 'rum', did you mean 'run'?" on standard error. */
void nadi_command_complain(int count, const char *const *words);

/* Whole help of one command on standard output. */
void nadi_help_command(const struct nadi_command *command);
/* The commands whose first of two words this is, likewise; false when there are none. */
bool nadi_help_family(const char *word);

/* The end of a generator: prints and destroys the messages and returns the exit code. What is wrong
 * was an option unless a file could not be written. */
int nadi_gen_end(enum nadi_status status, struct nadi_diags *messages);

#define NADI_COMMAND_IS_THERE(name) extern const struct nadi_command nadi_command_##name;
NADI_COMMANDS(NADI_COMMAND_IS_THERE)

#endif
