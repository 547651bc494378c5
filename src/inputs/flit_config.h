/* flit_config: the keys of a flit file as the model's configuration. */
#ifndef NADI_INPUTS_FLIT_CONFIG_H
#define NADI_INPUTS_FLIT_CONFIG_H

#include "network/flit/config.h"
#include "settings/schema.h"

struct nadi_diags;

/* False with a diagnostic where keys contradict each other. */
bool nadi_flit_config_fill(struct nadi_flit_config *c, const struct nadi_schema_values *values,
                           struct nadi_diags *diags) NADI_MUST_USE;

/* The flit file at `path`; NULL: all defaults. False with a diagnostic. */
bool nadi_flit_file_read(struct nadi_flit_config *c, const char *path,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif
