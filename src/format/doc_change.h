/* doc_change: values of a description that are replaced once it is read, before its schema checks
 * them: what a sweep varies.
 *
 * A path names a value below the root: "memory", "bandwidth[1]", "tiers.cxl.capacity", where a name
 * in a list of maps is that of its entry with this `name`; maps and keys that are missing are made,
 * entries of lists are not. A text that begins with '[' or '{' is a
 * list or map as YAML writes it, any other text is a scalar. */
#ifndef NADI_FORMAT_DOC_CHANGE_H
#define NADI_FORMAT_DOC_CHANGE_H

#include "format/doc.h"

struct nadi_doc_change {
    const char *of; /* which description: the name of its schema, "device" */
    const char *path, *text;
};

struct nadi_doc_changes {
    const struct nadi_doc_change *items;
    size_t count;
};

/* Makes the changes of descriptions `of`; changes may be NULL: none. False with an error, also when
 * a path leads through a scalar or beyond a list. */
bool nadi_doc_change(struct nadi_doc *doc, const struct nadi_doc_changes *changes, const char *of,
                     struct nadi_diags *diags) NADI_MUST_USE;

/* The value at a path, or NULL. */
const struct nadi_doc_node *nadi_doc_at(const struct nadi_doc *doc, const char *path);

/* Is there a change of descriptions `of`? */
bool nadi_doc_changes_any(const struct nadi_doc_changes *changes, const char *of);

#endif
