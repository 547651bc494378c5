/* json_line: one JSON value on a line, read into a small tree; for files of many lines.
 *
 *   struct nadi_json_line line = {0};
 *   if (nadi_json_line_parse(&line, text, bytes)) ... line.items[0] is the value ...
 *   nadi_json_line_release(&line);
 *
 * Strict JSON: texts are UTF-8 (escapes are resolved; \u0000 is allowed), numbers keep their text,
 * an object may repeat a key, which is left to the reader. The tree refers to the line, which is
 * changed in place and must outlive it. Memory is reused from line to line. O(bytes). */
#ifndef NADI_FORMAT_JSON_LINE_H
#define NADI_FORMAT_JSON_LINE_H

#include "base/base.h"

enum { NADI_JSON_LINE_DEPTH = 32 };

enum nadi_json_kind {
    NADI_JSON_NONE,
    NADI_JSON_NULL,
    NADI_JSON_FALSE,
    NADI_JSON_TRUE,
    NADI_JSON_NUMBER,
    NADI_JSON_STRING,
    NADI_JSON_ARRAY,
    NADI_JSON_OBJECT,
};

struct nadi_json_item {
    enum nadi_json_kind kind;
    uint32_t column;  /* of its first byte, from 1 */
    const char *text; /* NUMBER as written, STRING without quotes; not terminated */
    size_t bytes;
    const char *key; /* in an object; NULL elsewhere */
    size_t key_bytes;
    uint32_t count;       /* ARRAY, OBJECT: items */
    uint32_t first, next; /* indices into items; 0: none */
};

struct nadi_json_line {
    struct nadi_json_item *items; /* [0] is the value itself */
    size_t count, capacity;
    const char *fault; /* after a failure: what is wrong, and where */
    uint32_t fault_column;
};

/* False when the text is not one JSON value. */
bool nadi_json_line_parse(struct nadi_json_line *line, char *text, size_t bytes);
void nadi_json_line_release(struct nadi_json_line *line);

/* Is the item's key, or its text, this word? */
bool nadi_json_key_is(const struct nadi_json_item *item, const char *word);
bool nadi_json_text_is(const struct nadi_json_item *item, const char *word);

/* A number without fraction or exponent that fits; a sign is allowed in the second. */
bool nadi_json_item_u64(const struct nadi_json_item *item, uint64_t *value);
bool nadi_json_item_i64(const struct nadi_json_item *item, int64_t *value);
/* A number that a double holds: not 1e999. */
bool nadi_json_item_double(const struct nadi_json_item *item, double *value);

#endif
