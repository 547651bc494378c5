/* generator_words: a generator as words: `fat-tree k=8`, `torus shape=4x4x4 bandwidth=100GB/s`,
 * `hgx npus=8 scale-out=leaf-spine scale-out.leaves=4`, and the document that says the same. */
#ifndef NADI_PLATFORM_GENERATOR_WORDS_H
#define NADI_PLATFORM_GENERATOR_WORDS_H

#include "format/doc.h"

/* Is the first word the name of a generator, rather than of a file? */
bool nadi_generator_is_words(const char *text);
/* The generator that the first word may mean by a slip of the pen, or NULL. */
const char *nadi_generator_nearest(const char *text);

/* The document `generator: {...}` of the words. False with errors; nothing to release then. */
bool nadi_generator_words(struct nadi_doc *doc, const char *const *words, size_t count,
                          struct nadi_diags *diags) NADI_MUST_USE;
/* The same of one text with blanks between the words. */
bool nadi_generator_text(struct nadi_doc *doc, const char *text,
                         struct nadi_diags *diags) NADI_MUST_USE;
/* The words with this parameter set: in its place, or behind them. Allocated in the arena. */
const char *nadi_generator_text_set(struct nadi_arena *arena, const char *text, const char *key,
                                    const char *value);
/* The text behind `key=` in the words, up to the next blank or the end; NULL: it is not there. */
const char *nadi_generator_text_get(const char *text, const char *key);

#endif
