/* summary: what stands in summary.json beside the result. */
#ifndef NADI_REPORT_SUMMARY_H
#define NADI_REPORT_SUMMARY_H

#include "base/str.h"
#include "report/report.h"

enum { NADI_SUMMARY_RANKS = 1024 }; /* up to so many ranks and traces are listed one by one */

enum nadi_report_file {
    NADI_FILE_SUMMARY,
    NADI_FILE_RANKS,
    NADI_FILE_COLLECTIVES,
    NADI_FILE_LINKS,
    NADI_FILE_LINK_USAGE,
    NADI_FILE_LINK_USAGE_JSON,
    NADI_FILE_OPS,
    NADI_FILE_TIMELINE,
    NADI_FILE_FIVE_COLUMN,
    NADI_FILE_CRITICAL_PATH,
    NADI_FILE_SENSITIVITIES,
    NADI_FILE_RUN_DB,
    NADI_FILES
};

struct nadi_report_file_info {
    const char *name, *what, *units;
};

const struct nadi_report_file_info *nadi_report_file_info(enum nadi_report_file file);
bool nadi_report_file_wanted(enum nadi_report_file file, const struct nadi_report_options *o);

/* written: the options of the folder that the text goes to, for the index of its files; NULL: no
 * folder, no index. */
void nadi_summary_json(const struct nadi_inputs *in, const struct nadi_result *r,
                       const struct nadi_report_options *written, struct nadi_str *out);

#endif
