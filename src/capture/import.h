/* import: from what PyTorch's profiler wrote to Chakra traces.
 *
 *   execution trace + Kineto profile --link--> linked trace --convert--> Chakra trace
 *   the same for all ranks of a job  --import--> Chakra traces and their groups file
 *
 * With compat the result is that of the published tools (Chakra 1.0.0), node for node. All paths
 * may be "-" (standard input or output) and compressed; outputs are compressed when their name
 * ends in .gz or .zst. Reports are appended to a text. The options' strings stay the caller's. */
#ifndef NADI_CAPTURE_IMPORT_H
#define NADI_CAPTURE_IMPORT_H

#include "base/diag.h"
#include "base/str.h"

struct nadi_link_options {
    const char *host, *device, *output;
    uint32_t rank; /* NADI_NONE: as the profile says */
    bool compat;   /* as Chakra 1.0.0 */
    bool force;    /* link what does not seem to belong together */
};

bool nadi_import_link(const struct nadi_link_options *options, struct nadi_str *report,
                      struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_convert_options {
    const char *input, *output;
    const char *groups; /* file of groups to write; NULL: none */
    bool compat;
    int64_t resolution_ns; /* slices of the processor's time that are shorter get no node */
};

bool nadi_import_convert(const struct nadi_convert_options *options, struct nadi_str *report,
                         struct nadi_diags *diags) NADI_MUST_USE;

/* What both do with compat. The linked trace goes to `linked`, packed, or where that is NULL to the
 * options' output. *said: the rank that the profile says it is of, or NADI_NONE. `path` is for
 * messages. */
bool nadi_import_link_compat(const struct nadi_link_options *options, struct nadi_str *linked,
                             uint32_t *said, struct nadi_str *report,
                             struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_import_convert_packed(const struct nadi_str *linked, const char *path, const char *output,
                                struct nadi_str *report, struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_import_options {
    const char *host, *device;      /* "{rank}" stands for the rank; host may be NULL */
    const char *output;             /* rank r is written to <output>.<r>.et; of one rank it may be
                                     * "-" or the name of a file, that ends in .et, .et.gz, .et.zst */
    const char *suffix;             /* behind .et: "", ".gz", ".zst" */
    const char *groups;             /* NULL: <output>.groups.json; of one file: none */
    const char *report_json;        /* file for the coverage report; NULL: none */
    uint32_t first_rank, last_rank; /* NADI_NONE: those whose files are there, from 0 on */
    uint32_t threads;               /* 0: one a core */
    bool force;
    bool compat; /* as Chakra 1.0.0: no groups, no coverage */
    int64_t resolution_ns;
};

bool nadi_import_ranks(const struct nadi_import_options *options, struct nadi_str *report,
                       struct nadi_diags *diags) NADI_MUST_USE;

#define NADI_RESOLUTION_NS INT64_C(1000)

#endif
