/* doc_build: puts a document's tree together, value by value, in the order of the text.
 *
 * Private to doc: of its two readers. Limits (depth, number of values) and keys that come twice are
 * found here. Functions that can fail have said why. */
#ifndef NADI_FORMAT_DOC_BUILD_H
#define NADI_FORMAT_DOC_BUILD_H

#include "format/doc.h"
#include "format/doc_text.h"

struct nadi_doc_frame { /* a list or map that is still open */
    struct nadi_doc_node *node, *last;
    const char *key; /* a key was read, its value is awaited */
    uint32_t key_line, key_column;
};

struct nadi_doc_builder {
    struct nadi_doc *doc;
    struct nadi_diags *diags;
    const struct nadi_doc_text *text;
    struct nadi_doc_frame frames[NADI_DOC_MAX_DEPTH];
    size_t depth;
    uint64_t weight; /* values so far, aliases expanded */
};

/* Is a key due next? */
static inline bool nadi_doc_awaits_key(const struct nadi_doc_builder *b)
{
    return b->depth && b->frames[b->depth - 1].node->kind == NADI_DOC_MAP &&
           !b->frames[b->depth - 1].key;
}

/* `text` lives in the document's arena. */
void nadi_doc_build_key(struct nadi_doc_builder *b, const char *text, uint32_t line,
                        uint32_t column);
/* A value, at its place in the tree. NULL after an error. */
struct nadi_doc_node *nadi_doc_build_value(struct nadi_doc_builder *b, enum nadi_doc_kind kind,
                                           uint32_t line, uint32_t column) NADI_MUST_USE;
struct nadi_doc_node *nadi_doc_build_scalar(struct nadi_doc_builder *b, const char *text,
                                            bool quoted, uint32_t line,
                                            uint32_t column) NADI_MUST_USE;
/* A list or map, to be closed. */
struct nadi_doc_node *nadi_doc_build_open(struct nadi_doc_builder *b, enum nadi_doc_kind kind,
                                          uint32_t line, uint32_t column) NADI_MUST_USE;
/* Closes the innermost one. */
bool nadi_doc_build_close(struct nadi_doc_builder *b) NADI_MUST_USE;
/* Counts values that an alias repeats. */
bool nadi_doc_build_weight(struct nadi_doc_builder *b, uint64_t weight, uint32_t line,
                           uint32_t column) NADI_MUST_USE;

struct nadi_place nadi_doc_build_place(const struct nadi_doc_builder *b, uint32_t line,
                                       uint32_t column);
/* "JSON syntax: MESSAGE" with the line and a caret; returns false. */
bool nadi_doc_syntax_error(struct nadi_doc_builder *b, const char *message, uint32_t line,
                           uint32_t column);
/* A file with nothing in it; returns false. */
bool nadi_doc_empty_error(struct nadi_doc_builder *b);

/* A scalar or key with a NUL inside; returns false. */
bool nadi_doc_nul_error(struct nadi_doc_builder *b, uint32_t line, uint32_t column);

/* doc_json.c: reads the builder's text. */
bool nadi_doc_read_json(struct nadi_doc_builder *b) NADI_MUST_USE;

#endif
