#include "trace/import/import.h"

#include "trace/import/compat_convert.h"
#include "trace/import/compat_read.h"

static bool convert_compat(const struct nadi_convert_options *o, struct nadi_convert_report *report,
                           struct nadi_diags *diags)
{
    struct nadi_text text;
    struct nadi_compat_trace trace = {0};
    bool good = nadi_text_open(&text, o->input, false, diags) &&
                nadi_compat_read(&trace, &text, diags) &&
                nadi_compat_convert(&trace, o->output, &report->written_nodes, diags);
    report->read_nodes = trace.nodes.count;
    if (trace.duplicates)
        nadi_warning(diags, "capture/duplicate-id", NADI_IN_FILE(o->input), NULL,
                     "%" PRIu32 " nodes have the id of a later one and were dropped",
                     trace.duplicates);
    nadi_compat_release(&trace);
    nadi_text_release(&text);
    return good;
}

bool nadi_import_convert(const struct nadi_convert_options *o, struct nadi_convert_report *report,
                         struct nadi_diags *diags)
{
    *report = (struct nadi_convert_report){0};
    return convert_compat(o, report, diags);
}
