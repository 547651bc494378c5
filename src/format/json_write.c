#include "format/json_write.h"

#include "base/guard.h"
#include "format/number.h"
#include "format/utf8.h"

#include <math.h>

void nadi_json_begin(struct nadi_json *j, struct nadi_str *out)
{
    *j = (struct nadi_json){.out = out};
}

void nadi_json_finish(struct nadi_json *j)
{
    NADI_ASSERT(j->depth == 0);
    nadi_str_add_char(j->out, '\n');
}

static void new_line(struct nadi_json *j)
{
    static const char blanks[] = "\n                                ";
    _Static_assert(sizeof(blanks) == 2 * NADI_JSON_DEPTH + 2, "two a level");
    nadi_str_add_bytes(j->out, blanks, 2 * j->depth + 1);
}

/* How many bytes stand for themselves. */
static size_t plain_bytes(const char *text, const char *end)
{
    const char *at = text;
    while (at < end && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    return (size_t)(at - text);
}

void nadi_json_add_text(struct nadi_str *out, const char *text, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    const char *end = text + bytes;
    nadi_str_add_char(out, '"');
    while (text < end) {
        const size_t plain = plain_bytes(text, end);
        if (plain) {
            nadi_str_add_bytes(out, text, plain);
            text += plain;
            continue;
        }
        unsigned char c = (unsigned char)*text;
        size_t length = nadi_utf8_length_within(text, (size_t)(end - text));
        if (length == 0)
            nadi_str_add(out, NADI_UTF8_REPLACEMENT);
        else if (c == '"' || c == '\\')
            nadi_str_add_bytes(out, (char[]){'\\', (char)c}, 2);
        else if (c == '\n')
            nadi_str_add(out, "\\n");
        else if (c == '\t')
            nadi_str_add(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            nadi_str_add_bytes(out, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]},
                               6);
        else
            nadi_str_add_bytes(out, text, length);
        text += length ? length : 1;
    }
    nadi_str_add_char(out, '"');
}

static void add_text(struct nadi_str *out, const char *text)
{
    nadi_json_add_text(out, text, strlen(text));
}

/* What stands before a value: comma, line break or space, key. */
static void lead(struct nadi_json *j, const char *key)
{
    if (j->depth == 0) {
        NADI_ASSERT(!key);
        return;
    }
    bool in_row = j->level[j->depth - 1].is_row;
    NADI_ASSERT(j->level[j->depth - 1].is_array == !key);
    if (j->level[j->depth - 1].has_items)
        nadi_str_add(j->out, in_row ? ", " : ",");
    j->level[j->depth - 1].has_items = true;
    if (!in_row)
        new_line(j);
    if (key) {
        add_text(j->out, key);
        nadi_str_add(j->out, ": ");
    }
}

static void open_level(struct nadi_json *j, const char *key, bool is_array, bool is_row)
{
    NADI_ASSERT(j->depth < NADI_JSON_DEPTH);
    (void)nadi_guard_look();
    lead(j, key);
    nadi_str_add_char(j->out, is_array ? '[' : '{');
    bool inherited = j->depth && j->level[j->depth - 1].is_row;
    j->level[j->depth].is_array = is_array;
    j->level[j->depth].is_row = is_row || inherited;
    j->level[j->depth].has_items = false;
    j->depth++;
}

void nadi_json_object(struct nadi_json *j, const char *key)
{
    open_level(j, key, false, false);
}

void nadi_json_array(struct nadi_json *j, const char *key)
{
    open_level(j, key, true, false);
}

void nadi_json_row(struct nadi_json *j, const char *key)
{
    open_level(j, key, false, true);
}

void nadi_json_row_array(struct nadi_json *j, const char *key)
{
    open_level(j, key, true, true);
}

void nadi_json_close(struct nadi_json *j)
{
    NADI_ASSERT(j->depth > 0);
    j->depth--;
    if (j->level[j->depth].has_items && !j->level[j->depth].is_row)
        new_line(j);
    nadi_str_add_char(j->out, j->level[j->depth].is_array ? ']' : '}');
}

void nadi_json_string(struct nadi_json *j, const char *key, const char *value)
{
    lead(j, key);
    if (value)
        add_text(j->out, value);
    else
        nadi_str_add(j->out, "null");
}

void nadi_json_u64(struct nadi_json *j, const char *key, uint64_t value)
{
    lead(j, key);
    nadi_number_add_u64(j->out, value);
}

void nadi_json_double(struct nadi_json *j, const char *key, double value)
{
    lead(j, key);
    if (isfinite(value))
        nadi_number_add_double(j->out, value);
    else
        nadi_str_add(j->out, "null");
}

void nadi_json_bool(struct nadi_json *j, const char *key, bool value)
{
    lead(j, key);
    nadi_str_add(j->out, value ? "true" : "false");
}

void nadi_json_null(struct nadi_json *j, const char *key)
{
    nadi_json_string(j, key, NULL);
}
