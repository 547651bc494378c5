/* files: the answer as files that every other command takes. */
#ifndef NADI_DESIGN_FILES_H
#define NADI_DESIGN_FILES_H

#include "base/str.h"
#include "design/design.h"

/* The cluster of a design, complete: it names descriptions of the program, and others by their
 * whole path; `device_file` is written where the design changes the device, else it stays empty. */
bool nadi_design_cluster_file(const struct nadi_design_problem *p, uint64_t point,
                              struct nadi_str *out, struct nadi_str *device_file,
                              struct nadi_diags *diags) NADI_MUST_USE;
/* Its network: nodes and links, or dimensions. */
bool nadi_design_network_file(const struct nadi_design_problem *p, uint64_t point,
                              struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;
/* The plan of a workload. */
bool nadi_design_plan_file(const struct nadi_design_problem *p, const struct nadi_design *d,
                           uint32_t workload, struct nadi_str *out,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
