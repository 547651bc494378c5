/* schema_scalar: checks one scalar against its key's type, unit, range and words. Private to
 * schema. */
#ifndef NADI_SETTINGS_SCHEMA_SCALAR_H
#define NADI_SETTINGS_SCHEMA_SCALAR_H

#include "settings/schema.h"

struct nadi_schema_place { /* which scalar, for messages */
    const struct nadi_doc *doc;
    const struct nadi_setting *key;
    const struct nadi_doc_node *node;
    int64_t index; /* in its list; -1: not in a list */
};

bool nadi_schema_check_scalar(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                              struct nadi_diags *diags) NADI_MUST_USE;
/* The key's default, which is right by construction. */
void nadi_schema_preset(const struct nadi_setting *key, struct nadi_schema_scalar *out);

#endif
