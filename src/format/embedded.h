/* embedded: the descriptions of models, devices and clusters in examples/, inside the program. */
#ifndef NADI_FORMAT_EMBEDDED_H
#define NADI_FORMAT_EMBEDDED_H

#include "base/base.h"

struct nadi_str;

struct nadi_embedded {
    const char *folder; /* "models", "devices", "clusters", "platforms", "links", "catalogues",
                           "pool", "frameworks", "recipes", "evidence" */
    const char *name;   /* of the file, without .yaml or .csv */
    const unsigned char *text;
    size_t bytes;
};

extern const struct nadi_embedded nadi_embedded_files[]; /* by folder, name; ends with NULLs */

/* NULL when there is none. */
const struct nadi_embedded *nadi_embedded_find(const char *folder, const char *name);
/* The one with the nearest name, if it may be a typing error; else NULL. */
const char *nadi_embedded_nearest(const char *folder, const char *name);
/* Appends those whose name holds `part`: "'dgx-h100', 'h100-rail'"; nothing when there is none. */
void nadi_embedded_with(const char *folder, const char *part, struct nadi_str *out);

#endif
