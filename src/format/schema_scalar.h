/* schema_scalar: one scalar against its key's type, unit, range and words. Private to schema. */
#ifndef NADI_FORMAT_SCHEMA_SCALAR_H
#define NADI_FORMAT_SCHEMA_SCALAR_H

#include "format/schema.h"

struct nadi_schema_place { /* which scalar, for messages */
    const struct nadi_doc *doc;
    const struct nadi_schema_key *key;
    const struct nadi_doc_node *node;
    int64_t index; /* in its list; -1: not in a list */
};

bool nadi_schema_check_scalar(const struct nadi_schema_place *p, struct nadi_schema_scalar *out,
                              struct nadi_diags *diags) NADI_MUST_USE;
/* The key's default, which is right by construction. */
void nadi_schema_preset(const struct nadi_schema_key *key, struct nadi_schema_scalar *out);
/* "ring, direct[N], ..." */
void nadi_schema_words_text(const struct nadi_schema_key *key, struct nadi_str *out);

#endif
