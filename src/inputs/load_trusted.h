/* load_trusted: a tier of kind trusted-pool. */
#ifndef NADI_INPUTS_LOAD_TRUSTED_H
#define NADI_INPUTS_LOAD_TRUSTED_H

#include "memory/tiers.h"
#include "settings/schema.h"

/* The tier, as its keys have it, is the provider's memory; it becomes what its users see: pages
 * that are validated, encrypted and hidden (trusted/tier.h). v: the values of `trusted`, at `node`.
 */
bool nadi_load_trusted(struct nadi_mem_tier *tier, const struct nadi_schema_values *v,
                       const char *file, const struct nadi_doc_node *node,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
