/* trace_diff: how two traces of one rank differ, as text and JSON. */
#ifndef NADI_REPORT_TRACE_DIFF_H
#define NADI_REPORT_TRACE_DIFF_H

#include "base/str.h"
#include "format/json_write.h"
#include "trace/edit/compare.h"

/* rows: places and operators to show; 0: all. */
void nadi_trace_diff_text(const struct nadi_compare *c, uint32_t rows, struct nadi_str *out);
/* As an object into the array that is open. */
void nadi_trace_diff_json(const struct nadi_compare *c, uint32_t rows, struct nadi_json *j);

#endif
