/* manifest: what the parts of the manifest's loader share. Private to inputs. */
#ifndef NADI_INPUTS_MANIFEST_H
#define NADI_INPUTS_MANIFEST_H

#include "inputs/load.h"

enum {
    NADI_MANIFEST_AXES = 16,
    NADI_MANIFEST_RANKS = 1 << 26,
};

struct nadi_manifest_axis {
    const char *name;
    uint32_t size, stride; /* stride: ranks between neighbours on the axis */
};

struct nadi_manifest { /* being read */
    struct nadi_load *l;
    const struct nadi_doc *doc;
    struct nadi_arena arena;
    struct nadi_manifest_axis axes[NADI_MANIFEST_AXES]; /* innermost first */
    uint32_t axis_count, axes_product;
};

struct nadi_manifest_axis *nadi_manifest_axis(struct nadi_manifest *m,
                                              const char *name); /* NULL: none */
/* Says that there is no such axis; returns false. */
bool nadi_manifest_no_axis(struct nadi_manifest *m, struct nadi_place place, const char *name);

/* manifest_groups.c: the families of groups. */
bool nadi_manifest_groups(struct nadi_manifest *m, const struct nadi_doc_node *map) NADI_MUST_USE;

#endif
