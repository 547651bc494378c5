/* signature: recognises the format of a file by its first bytes, its words or its name: one table
 * of formats of other tools and of nadi, for all readers. A reader asks before it parses, so that a
 * file of another kind is called by its name instead of by everything that it lacks.
 *
 * A reader is known by what it calls its file in messages ("system file", as for nadi_file_read).
 * Rows are strict: no file that a reader takes is called something else. */
#ifndef NADI_BASE_SIGNATURE_H
#define NADI_BASE_SIGNATURE_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_signature;

/* The format of the file; NULL: unknown. `data` may be only its beginning. O(64 KiB), of logs O(4
 * MiB). */
const struct nadi_signature *nadi_signature_find(const char *path, const void *data, size_t bytes);

/* Does the reader of `what` accept it? */
bool nadi_signature_is_for(const struct nadi_signature *s, const char *what);

/* "a SimGrid platform (XML)", and a hint; NULL: no hint. */
const char *nadi_signature_form(const struct nadi_signature *s);
const char *nadi_signature_hint(const struct nadi_signature *s);

/* True unless it is recognised as another format; then false with an error that names it. */
bool nadi_signature_check(const char *path, const char *what, const void *data, size_t bytes,
                          struct nadi_diags *diags) NADI_MUST_USE;

/* The same of a file that is not read: true, too, where there is none. */
bool nadi_signature_check_file(const char *path, const char *what,
                               struct nadi_diags *diags) NADI_MUST_USE;

#endif
