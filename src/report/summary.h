/* summary: what stands in summary.json beside the result. */
#ifndef NADI_REPORT_SUMMARY_H
#define NADI_REPORT_SUMMARY_H

#include "base/str.h"
#include "report/report.h"
#include "report/run_files.h"

enum { NADI_SUMMARY_RANKS = 1024 }; /* up to so many ranks and traces are listed one by one */

/* o: the options of the folder that the text goes to; NULL: no folder. written: the files beside
 * it, for the index; NULL: no index. */
void nadi_summary_json(const struct nadi_inputs *in, const struct nadi_result *r,
                       const struct nadi_report_options *o, const struct nadi_written *written,
                       struct nadi_str *out);

#endif
