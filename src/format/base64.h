/* base64: bytes as text, and back (RFC 4648, with padding). */
#ifndef NADI_FORMAT_BASE64_H
#define NADI_FORMAT_BASE64_H

#include "base/str.h"

/* The first 1 to 3 bytes at `data`, of which `left` are there. */
void nadi_base64_group(char four[4], const uint8_t *data, size_t left);
void nadi_base64_add(struct nadi_str *out, const void *data, size_t bytes);
/* False when the text is not base64 of a whole number of bytes; part of it may be in `out` then. */
bool nadi_base64_decode(struct nadi_str *out, const char *text, size_t bytes) NADI_MUST_USE;

#endif
