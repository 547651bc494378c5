/* json_write: writes JSON in order, with two-space indentation.
 *
 *   struct nadi_json j;
 *   nadi_json_begin(&j, out);
 *   nadi_json_object(&j, NULL);
 *   nadi_json_u64(&j, "ranks", 8);
 *   nadi_json_row(&j, "first");          an object that stays on one line
 *   nadi_json_close(&j);
 *   nadi_json_close(&j);
 *   nadi_json_finish(&j);
 *
 * `key` is NULL inside arrays and at the top. Invalid UTF-8 in strings becomes U+FFFD; a double
 * that is not finite becomes null. Misuse (a key in an array, one close too many) is a bug and
 * aborts. */
#ifndef NADI_FORMAT_JSON_WRITE_H
#define NADI_FORMAT_JSON_WRITE_H

#include "base/str.h"

enum { NADI_JSON_DEPTH = 16 };

struct nadi_json {
    struct nadi_str *out;
    unsigned depth;
    struct {
        bool is_array, is_row, has_items;
    } level[NADI_JSON_DEPTH];
};

void nadi_json_begin(struct nadi_json *j, struct nadi_str *out);
void nadi_json_finish(struct nadi_json *j); /* everything is closed; adds the last newline */

void nadi_json_object(struct nadi_json *j, const char *key);
void nadi_json_array(struct nadi_json *j, const char *key);
void nadi_json_row(struct nadi_json *j, const char *key);       /* object on one line */
void nadi_json_row_array(struct nadi_json *j, const char *key); /* array on one line */
void nadi_json_close(struct nadi_json *j);

void nadi_json_string(struct nadi_json *j, const char *key, const char *value); /* NULL: null */
void nadi_json_u64(struct nadi_json *j, const char *key, uint64_t value);
void nadi_json_double(struct nadi_json *j, const char *key, double value);
void nadi_json_bool(struct nadi_json *j, const char *key, bool value);
void nadi_json_null(struct nadi_json *j, const char *key);

/* A string alone, for JSON that is written another way. */
void nadi_json_add_text(struct nadi_str *out, const char *text, size_t bytes);

#endif
