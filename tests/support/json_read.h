/* json_read: JSON text parsed back by a reader that is not ours (libfyaml, strict JSON). */
#ifndef NADI_TESTS_JSON_READ_H
#define NADI_TESTS_JSON_READ_H

#include "base/base.h"

#include <libfyaml.h>

/* NULL when the text is not JSON. The caller destroys the document. */
struct fy_document *json_read(const char *text);

/* The scalar at "/a/b/0", "" when there is none; valid as long as the document. */
const char *json_at(struct fy_document *doc, const char *path);
double json_number(struct fy_document *doc, const char *path); /* fails the test if none */
uint64_t json_u64(struct fy_document *doc, const char *path);
int json_length(struct fy_document *doc, const char *path); /* of an array; -1 if there is none */

#endif
