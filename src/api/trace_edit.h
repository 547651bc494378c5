/* trace_edit: the tools that change traces, for the public interface. Private to this room. */
#ifndef NADI_API_TRACE_EDIT_H
#define NADI_API_TRACE_EDIT_H

#include "fleet/edit.h"
#include "format/json_write.h"
#include "report/trace_edit.h"

#include <nadi/trace_edit.h>

static inline struct nadi_edit_job nadi_edit_job_of(const struct nadi_trace_edit *edit)
{
    return (struct nadi_edit_job){edit->inputs.names, edit->inputs.count, edit->output};
}

/* All ranks through a tool, and the report. */
enum nadi_status nadi_edit_files(const struct nadi_trace_edit *edit,
                                 const struct nadi_edit_tool *tool, char **report,
                                 struct nadi_diags *messages);
/* Reports what was done and releases it. */
enum nadi_status nadi_edit_report_files(struct nadi_edited *e, bool ok, bool json, char **report,
                                        struct nadi_diags *messages);

#endif
