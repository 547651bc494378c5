/* catalogue: opens a description by name (those inside the program) or by path. */
#ifndef NADI_PLATFORM_CATALOGUE_H
#define NADI_PLATFORM_CATALOGUE_H

#include "format/doc_change.h"
#include "settings/schema.h"

/* folder: "models", "devices", "clusters" or "catalogues". A name with a '/' or one of the endings
 * .yaml, .yml, .json is a path. On false, nothing is to be released. */
bool nadi_catalogue_doc(struct nadi_doc *doc, const char *folder, const char *name_or_path,
                        struct nadi_diags *diags) NADI_MUST_USE;
/* The same with changes of descriptions of this folder; may be NULL. */
bool nadi_catalogue_doc_changed(struct nadi_doc *doc, const char *folder, const char *name_or_path,
                                const struct nadi_doc_changes *changes,
                                struct nadi_diags *diags) NADI_MUST_USE;

/* A name, or a path that a description at `description` gives: relative ones start beside it. In
 * the arena. */
const char *nadi_catalogue_beside(const char *description, const char *name_or_path,
                                  struct nadi_arena *arena);
/* The same for a file that has no names. */
const char *nadi_file_beside(const char *description, const char *path, struct nadi_arena *arena);

#endif
