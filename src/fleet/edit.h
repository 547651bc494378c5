/* edit: all ranks of a job through a tool that changes traces: names of inputs and outputs, rank by
 * rank, and a report of each. */
#ifndef NADI_FLEET_EDIT_H
#define NADI_FLEET_EDIT_H

#include "base/str.h"
#include "fleet/source.h"
#include "format/out.h"
#include "trace/edit/report.h"
#include "trace/full.h"

struct nadi_edit_job {
    const char *const *names; /* of inputs, for source.h */
    size_t count;
    const char *output; /* a file, a prefix, or a name with "{rank}" in it */
};

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

struct nadi_edited {
    struct nadi_edit_job job;
    struct nadi_trace_source source;
    struct nadi_edit_report *reports; /* by file; NULL: none was begun */
    struct nadi_edit_report total;
    uint32_t done; /* files */
};

/* False with errors; the caller releases the result in both cases. */
bool nadi_edit_run(struct nadi_edited *e, const struct nadi_edit_job *job,
                   const struct nadi_edit_tool *tool, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_edited_release(struct nadi_edited *e);

/* The name of a rank's output; several: there is more than one or the input is a prefix. */
void nadi_edit_output(const char *pattern, bool several, uint32_t rank, struct nadi_str *path);

/* Can `output` be what the names of several files begin with? False with an error. */
bool nadi_edit_prefix(const char *output, struct nadi_diags *diags) NADI_MUST_USE;

#endif
