/* utf8: validation and repair of UTF-8. */
#ifndef NADI_FORMAT_UTF8_H
#define NADI_FORMAT_UTF8_H

#include "base/base.h"

/* Length in bytes of the well-formed sequence that starts at s (1 to 4), or 0 when there is none.
 * s is terminated; '\0' counts as one byte. */
size_t nadi_utf8_length(const char *s);

/* The same of bytes that are not terminated; at least one is left. */
size_t nadi_utf8_length_within(const void *s, size_t left);

/* The code point of a well-formed sequence of that length. */
uint32_t nadi_utf8_code(const void *s, size_t length);

/* Terminal columns of the terminated text, one per code point. */
size_t nadi_utf8_columns(const char *s);

#define NADI_UTF8_REPLACEMENT "\xef\xbf\xbd"

#endif
