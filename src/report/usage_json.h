/* usage_json: link_usage.json, schema nadi-link-usage/1: what links and dimensions carried over
 * time, as the rows of a heat map; utilisation is 0 to 1. */
#ifndef NADI_REPORT_USAGE_JSON_H
#define NADI_REPORT_USAGE_JSON_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "sim/result.h"

void nadi_link_usage_json(const struct nadi_inputs *in, const struct nadi_result *r,
                          struct nadi_str *out);

#endif
