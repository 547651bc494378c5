/* graph_text: a network file of nodes and links, or with a generator, from its text. */
#ifndef NADI_TESTS_GRAPH_TEXT_H
#define NADI_TESTS_GRAPH_TEXT_H

#include "base/diag.h"
#include "format/doc.h"
#include "platform/graph_file.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static inline void read_text(struct nadi_graph_file *f, const char *text)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(&doc, "net.yml", text, strlen(text), NADI_DOC_YAML, &diags))
        fail_msg("%s", diags.items[0].message);
    if (!nadi_graph_file_from_doc(f, &doc, &diags))
        fail_msg("%s", diags.items[0].message);
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
}

#endif
