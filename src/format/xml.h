/* xml: an XML text as a tree of its elements. Text between elements, comments and instructions are
 * left out. */
#ifndef NADI_FORMAT_XML_H
#define NADI_FORMAT_XML_H

#include "base/base.h"

struct nadi_xml { /* an element */
    const char *name;
    uint32_t line;                 /* of its start tag, from 1 */
    const char *const *attributes; /* name, value, ..., NULL */
    struct nadi_xml *parent;       /* NULL: it is the root */
    struct nadi_xml *first, *last; /* of its children; NULL: it has none */
    struct nadi_xml *next;         /* sibling */
    struct nadi_xml *after;        /* the element whose start tag comes next in the text */
};

struct nadi_xml_error {
    uint32_t line;
    char text[160];
};

/* The root, which nadi_xml_free frees; NULL, with an error, if the text is not well-formed. */
struct nadi_xml *nadi_xml_parse(const char *text, size_t bytes,
                                struct nadi_xml_error *error) NADI_MUST_USE;
void nadi_xml_free(struct nadi_xml *root);

/* An attribute's value; NULL: absent. */
const char *nadi_xml_attribute(const struct nadi_xml *element, const char *name);

#endif
