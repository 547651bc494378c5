/* schema_flit: the keys of the flit model's file; beside schema_more. */
#ifndef NADI_SETTINGS_SCHEMA_FLIT_H
#define NADI_SETTINGS_SCHEMA_FLIT_H

#include "settings/schema.h"

extern const struct nadi_schema nadi_schema_flit;

#endif
