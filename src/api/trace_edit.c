#include "api/trace_edit.h"

enum nadi_status nadi_edit_report_files(struct nadi_edited *e, bool ok, bool json, char **report,
                                        struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    if (e->reports && json)
        nadi_trace_edit_json(e, messages, &text);
    else if (e->reports)
        nadi_trace_edit_text(e, &text);
    *report = text.text;
    nadi_edited_release(e);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_edit_files(const struct nadi_trace_edit *edit,
                                 const struct nadi_edit_tool *tool, char **report,
                                 struct nadi_diags *messages)
{
    struct nadi_edited e;
    const struct nadi_edit_job job = nadi_edit_job_of(edit);
    const bool ok = nadi_edit_run(&e, &job, tool, messages);
    return nadi_edit_report_files(&e, ok, edit->json, report, messages);
}
