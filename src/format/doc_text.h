/* doc_text: the bytes of a document before parsing: are they text, and how does a line look.
 *
 * Private to doc. */
#ifndef NADI_FORMAT_DOC_TEXT_H
#define NADI_FORMAT_DOC_TEXT_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_str;

struct nadi_doc_text {
    const char *text; /* behind a byte order mark, if there is one */
    size_t bytes;
};

/* Refuses what is not UTF-8 text of at most NADI_DOC_MAX_BYTES. */
bool nadi_doc_text_accept(struct nadi_doc_text *t, const char *path, const void *data, size_t bytes,
                          struct nadi_diags *diags) NADI_MUST_USE;
/* A parser that ran out of input may point behind the last line: moves to its end instead. */
void nadi_doc_text_clamp(const struct nadi_doc_text *t, uint32_t *line, uint32_t *column);
/* Adds "\n    the line\n      ^" with the caret under the column; long lines are cut around it.
 * Columns count bytes where the line is ASCII and characters elsewhere. */
void nadi_doc_text_excerpt(const struct nadi_doc_text *t, uint32_t line, uint32_t column,
                           struct nadi_str *out);

#endif
