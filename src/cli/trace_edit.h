/* trace_edit: the options that all commands have which change traces. */
#ifndef NADI_CLI_TRACE_EDIT_H
#define NADI_CLI_TRACE_EDIT_H

#include "cli/trace_end.h"

#include <nadi/trace_edit.h>

struct nadi_cli_edit {
    const char *out, *format;
    bool quiet;
};

extern const struct nadi_setting nadi_cli_edit_options[]; /* offsets into struct nadi_cli_edit */

void nadi_cli_edit_apply(const struct nadi_cli_edit *values, const struct nadi_words *words,
                         struct nadi_trace_edit *edit);
/* As nadi_trace_end; the report goes to standard error where the trace goes to standard output, and
 * with --quiet nowhere unless it is JSON. `values` begins with a struct nadi_cli_edit. */
int nadi_cli_edit_end(const void *values, enum nadi_status status, char *report,
                      struct nadi_diags *messages);

/* init and make of a command whose values are a struct nadi_cli_edit and `o`, what the library's
 * function takes. */
#define NADI_EDIT_CALL(function)                                                                   \
    static void init(void *values)                                                                 \
    {                                                                                              \
        function##_init(&((struct values *)values)->o);                                            \
    }                                                                                              \
                                                                                                   \
    static enum nadi_status make(void *values, const struct nadi_words *words, char **text,        \
                                 struct nadi_diags *messages)                                      \
    {                                                                                              \
        struct values *v = values;                                                                 \
        nadi_cli_edit_apply(&v->edit, words, &v->o.edit);                                          \
        return function(&v->o, text, messages);                                                    \
    }

#endif
