/* loadstore_config: the keys of a loadstore file as the model's configuration. */
#ifndef NADI_INPUTS_LOADSTORE_CONFIG_H
#define NADI_INPUTS_LOADSTORE_CONFIG_H

#include "network/loadstore/config.h"
#include "settings/schema.h"

struct nadi_diags;

/* False with a diagnostic where keys contradict each other. */
bool nadi_loadstore_config_fill(struct nadi_loadstore_config *c,
                                const struct nadi_schema_values *values,
                                struct nadi_diags *diags) NADI_MUST_USE;

#endif
