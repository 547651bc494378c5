/* gen_cluster: files of a cluster that stand beside generated traces. */
#ifndef NADI_GENERATE_GEN_CLUSTER_H
#define NADI_GENERATE_GEN_CLUSTER_H

#include "base/diag.h"

bool nadi_gen_write(const char *folder, const char *name, const char *text,
                    struct nadi_diags *diags) NADI_MUST_USE;
/* system.json: rings, and exchanges without them; of an accelerator where something is computed. */
bool nadi_gen_write_system(const char *folder, bool computes,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* memory.json without remote memory. */
bool nadi_gen_write_no_memory(const char *folder, struct nadi_diags *diags) NADI_MUST_USE;

#endif
