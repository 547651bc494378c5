#include "cli/trace_end.h"
#include "base/str.h"
#include "cli/terminal.h"

int nadi_trace_end_beside(enum nadi_status status, char *report, struct nadi_diags *messages,
                          bool quiet, const char *output)
{
    if (report && (quiet || nadi_str_equal(output, "-"))) {
        if (!quiet)
            fputs(report, stderr);
        nadi_free(report);
        report = NULL;
    }
    return nadi_terminal_end(status, report, messages, quiet);
}
