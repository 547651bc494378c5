/* model_file: a learned model as a file: "nadi-traces", version, length and SHA-256 of what
 * follows, then numbers as varints and doubles. The same model is the same bytes. A file that is
 * cut, of another kind or inconsistent is refused; nothing in it is trusted. */
#ifndef NADI_LEARNED_MODEL_FILE_H
#define NADI_LEARNED_MODEL_FILE_H

#include "base/str.h"
#include "learned/model.h"

enum { NADI_LEARNED_VERSION = 4 };

bool nadi_learned_model_write(struct nadi_learned_model *m, const char *path,
                              struct nadi_diags *diags) NADI_MUST_USE;
/* The caller releases the model in both cases. */
bool nadi_learned_model_read(struct nadi_learned_model *m, const char *path,
                             struct nadi_diags *diags) NADI_MUST_USE;
/* What stands behind the head of the file. path: for messages. */
bool nadi_learned_model_parse(struct nadi_learned_model *m, const char *path, const void *data,
                              size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;

#endif
