/* catalogue: opens a description by name (those inside the program) or by path. */
#ifndef NADI_PLATFORM_CATALOGUE_H
#define NADI_PLATFORM_CATALOGUE_H

#include "format/doc.h"
#include "format/schema.h"

/* folder: "models", "devices" or "clusters". A name with a '/' or one of the endings .yaml, .yml,
 * .json is a path. On false, nothing is to be released. */
bool nadi_catalogue_doc(struct nadi_doc *doc, const char *folder, const char *name_or_path,
                        struct nadi_diags *diags) NADI_MUST_USE;

#endif
