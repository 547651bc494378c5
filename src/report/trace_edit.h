/* trace_edit: what a tool that changes traces did, as text and JSON. */
#ifndef NADI_REPORT_TRACE_EDIT_H
#define NADI_REPORT_TRACE_EDIT_H

#include "fleet/edit.h"
#include "format/json_write.h"

/* Nothing unless all ranks are done. */
void nadi_trace_edit_text(const struct nadi_edited *e, struct nadi_str *out);
/* One object, with the messages. */
void nadi_trace_edit_json(const struct nadi_edited *e, const struct nadi_diags *d,
                          struct nadi_str *out);

/* Figures as members, "nodes_read". */
void nadi_edit_json_figures(const struct nadi_edit_report *r, struct nadi_json *j);

#endif
