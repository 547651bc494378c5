#include "base/str.h"
#include "cli/terminal.h"
#include "cli/trace_commands.h"

int nadi_trace_end(enum nadi_status status, char *report, struct nadi_diags *messages, bool quiet)
{
    int code = (int)status;
    nadi_terminal_messages(messages, 0, quiet);
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        if (nadi_str_starts(nadi_messages_get(messages, i).code, "usage/"))
            code = NADI_EXIT_USAGE;
    }
    if (report)
        fputs(report, stdout);
    nadi_free(report);
    nadi_messages_destroy(messages);
    return code;
}

int nadi_trace_end_beside(enum nadi_status status, char *report, struct nadi_diags *messages,
                          bool quiet, const char *output)
{
    if (report && (quiet || nadi_str_equal(output, "-"))) {
        if (!quiet)
            fputs(report, stderr);
        nadi_free(report);
        report = NULL;
    }
    return nadi_trace_end(status, report, messages, quiet);
}
