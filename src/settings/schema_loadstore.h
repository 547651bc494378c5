/* schema_loadstore: the keys of the loadstore model's file; beside schema_more. */
#ifndef NADI_SETTINGS_SCHEMA_LOADSTORE_H
#define NADI_SETTINGS_SCHEMA_LOADSTORE_H

#include "settings/schema.h"

extern const struct nadi_schema nadi_schema_loadstore;

#endif
