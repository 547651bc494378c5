/* trace_edit: what the tools that change traces share: names of inputs and outputs, rank by rank,
 * and the report. Private to this room. */
#ifndef NADI_API_TRACE_EDIT_H
#define NADI_API_TRACE_EDIT_H

#include "api/trace_source.h"
#include "base/str.h"
#include "format/json_write.h"
#include "format/out.h"
#include "trace/edit/report.h"
#include "trace/full.h"

#include <nadi/trace_edit.h>

struct nadi_edit_tool {
    /* Reads a rank; NULL: nadi_full_read. */
    struct nadi_full *(*read)(void *context, const char *path, uint32_t rank,
                              struct nadi_edit_report *report, struct nadi_diags *diags);
    /* Writes one rank's trace anew. False with an error. */
    bool (*change)(void *context, const struct nadi_full *f, uint32_t rank, struct nadi_out *sink,
                   struct nadi_edit_report *report, struct nadi_diags *diags);
    /* Before the first and after the last rank; may be NULL. False with an error. */
    bool (*begin)(void *context, const struct nadi_trace_source *source, struct nadi_diags *diags);
    bool (*finish)(void *context, const struct nadi_trace_source *source,
                   struct nadi_edit_report *total, struct nadi_diags *diags);
    void *context;
};

/* All ranks through a tool. */
enum nadi_status nadi_edit_files(const struct nadi_trace_edit *edit,
                                 const struct nadi_edit_tool *tool, char **report,
                                 struct nadi_diags *messages);

/* The name of a rank's output; several: there is more than one or the input is a prefix. */
void nadi_edit_output(const char *pattern, bool several, uint32_t rank, struct nadi_str *path);

/* Can `output` be what the names of several files begin with? False with an error. */
bool nadi_edit_prefix(const char *output, struct nadi_diags *diags) NADI_MUST_USE;

/* Figures as members, "nodes_read". */
void nadi_edit_json_figures(const struct nadi_edit_report *r, struct nadi_json *j);

/* The report: whole figures to text, or with the messages and what `more` adds to JSON. */
struct nadi_edit_summary {
    const struct nadi_edit_report *total;
    const char *outputs; /* "out.0.et to out.7.et" */
    uint32_t files;
};

#endif
