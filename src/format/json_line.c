#include "format/json_line.h"

#include "base/mem.h"
#include "base/str.h"
#include "format/utf8.h"

struct parser {
    struct nadi_json_line *line;
    char *start, *at, *end;
    unsigned depth;
};

static bool fault(struct parser *p, const char *what)
{
    p->line->fault = what;
    p->line->fault_column = (uint32_t)(p->at - p->start) + 1;
    return false;
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n'))
        p->at++;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex4(struct parser *p, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = p->at < p->end ? hex_digit(*p->at) : -1;
        if (digit < 0)
            return fault(p, "four hexadecimal digits must follow \\u");
        *value = *value << 4 | (unsigned)digit;
        p->at++;
    }
    return true;
}

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* After "\u": the code point, of two halves where it takes them. */
static bool read_code_point(struct parser *p, unsigned *code)
{
    unsigned low;
    if (!read_hex4(p, code))
        return false;
    if (*code < 0xd800 || *code > 0xdfff)
        return true;
    if (*code > 0xdbff || p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
        return fault(p, "half of a surrogate pair");
    p->at += 2;
    if (!read_hex4(p, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return fault(p, "half of a surrogate pair");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* The escape at p->at, behind the backslash, to *to. */
static bool read_escape(struct parser *p, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    if (p->at == p->end)
        return fault(p, "the text has no end");
    const char c = *p->at;
    const char *found = c ? strchr(from, c) : NULL;
    if (found) {
        p->at++;
        *(*to)++ = into[found - from];
        return true;
    }
    unsigned code;
    if (c != 'u')
        return fault(p, "unknown escape after the backslash");
    p->at++;
    if (!read_code_point(p, &code))
        return false;
    *to += put_utf8(*to, code); /* never longer than what it was written as */
    return true;
}

/* A string whose quote was read; unescaped where it stands. */
static bool read_string(struct parser *p, const char **text, size_t *bytes)
{
    char *to = p->at;
    *text = to;
    while (p->at < p->end) {
        const unsigned char c = (unsigned char)*p->at;
        if (c == '"') {
            *bytes = (size_t)(to - *text);
            p->at++;
            return true;
        }
        if (c < 0x20)
            return fault(p, "a control character in a text must be escaped");
        if (c == '\\') {
            p->at++;
            if (!read_escape(p, &to))
                return false;
            continue;
        }
        const size_t length =
            c < 0x80 ? 1 : nadi_utf8_length_within(p->at, (size_t)(p->end - p->at));
        if (length == 0)
            return fault(p, "the text is not UTF-8");
        memmove(to, p->at, length);
        to += length;
        p->at += length;
    }
    return fault(p, "the text has no end");
}

static void skip_digits(struct parser *p)
{
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
}

static bool is_digit(const struct parser *p)
{
    return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static bool read_number(struct parser *p)
{
    if (*p->at == '-')
        p->at++;
    if (!is_digit(p))
        return fault(p, "a digit is wanted");
    if (*p->at == '0')
        p->at++;
    else
        skip_digits(p);
    if (is_digit(p))
        return fault(p, "a number must not begin with 0");
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (!is_digit(p))
            return fault(p, "a digit is wanted");
        skip_digits(p);
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            p->at++;
        if (!is_digit(p))
            return fault(p, "a digit is wanted");
        skip_digits(p);
    }
    return true;
}

static bool read_word(struct parser *p, const char *word)
{
    const size_t bytes = strlen(word);
    if ((size_t)(p->end - p->at) < bytes || memcmp(p->at, word, bytes) != 0)
        return fault(p, "a value is wanted: a text in quotes, a number, true, false, null, [ or {");
    p->at += bytes;
    return true;
}

static bool read_value(struct parser *p, uint32_t *index);

/* `"key":` of an object's item. */
static bool read_key(struct parser *p, const char **key, size_t *bytes)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != '"')
        return fault(p, "a key in quotes is wanted");
    p->at++;
    if (!read_string(p, key, bytes))
        return false;
    skip_blanks(p);
    if (p->at == p->end || *p->at != ':')
        return fault(p, "a colon is wanted after the key");
    p->at++;
    return true;
}

static bool read_items(struct parser *p, uint32_t parent, char closing)
{
    uint32_t last = 0;
    if (++p->depth > NADI_JSON_LINE_DEPTH)
        return fault(p, "nested too deeply");
    p->at++;
    skip_blanks(p);
    if (p->at < p->end && *p->at == closing) {
        p->at++;
        p->depth--;
        return true;
    }
    for (;;) {
        const char *key = NULL;
        size_t key_bytes = 0;
        uint32_t item;
        if ((closing == '}' && !read_key(p, &key, &key_bytes)) || !read_value(p, &item))
            return false;
        struct nadi_json_item *items = p->line->items;
        items[item].key = key;
        items[item].key_bytes = key_bytes;
        items[parent].count++;
        if (last)
            items[last].next = item;
        else
            items[parent].first = item;
        last = item;
        skip_blanks(p);
        if (p->at == p->end)
            return fault(p, closing == '}' ? "the object has no end" : "the list has no end");
        const char c = *p->at;
        if (c != ',' && c != closing)
            return fault(p, closing == '}' ? "a comma or } is wanted" : "a comma or ] is wanted");
        p->at++;
        if (c == closing) {
            p->depth--;
            return true;
        }
    }
}

static bool read_value(struct parser *p, uint32_t *index)
{
    struct nadi_json_item item = {0};
    skip_blanks(p);
    if (p->line->count >= UINT32_MAX - 1)
        return fault(p, "too many values on one line");
    *index = (uint32_t)p->line->count;
    item.column = (uint32_t)(p->at - p->start) + 1;
    item.text = p->at;
    NADI_PUSH(p->line, item);
    const char c = p->at < p->end ? *p->at : '\0';
    enum nadi_json_kind kind = NADI_JSON_NUMBER;
    bool ok;
    if (c == '{' || c == '[') {
        kind = c == '{' ? NADI_JSON_OBJECT : NADI_JSON_ARRAY;
        ok = read_items(p, *index, c == '{' ? '}' : ']');
    } else if (c == '"') {
        const char *text = NULL;
        size_t bytes = 0;
        kind = NADI_JSON_STRING;
        p->at++;
        ok = read_string(p, &text, &bytes);
        p->line->items[*index].text = text;
        p->line->items[*index].bytes = bytes;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        ok = read_number(p);
        p->line->items[*index].bytes = (size_t)(p->at - item.text);
    } else {
        kind = c == 't' ? NADI_JSON_TRUE : c == 'f' ? NADI_JSON_FALSE : NADI_JSON_NULL;
        ok = read_word(p, c == 't' ? "true" : c == 'f' ? "false" : "null");
    }
    p->line->items[*index].kind = kind;
    return ok;
}

bool nadi_json_line_parse(struct nadi_json_line *line, char *text, size_t bytes)
{
    struct parser p = {.line = line, .start = text, .at = text, .end = text + bytes};
    uint32_t index;
    line->count = 0;
    line->fault = NULL;
    if (!read_value(&p, &index))
        return false;
    skip_blanks(&p);
    return p.at == p.end || fault(&p, "something follows the value on the same line");
}

void nadi_json_line_release(struct nadi_json_line *line)
{
    nadi_mem_free(line->items);
    *line = (struct nadi_json_line){0};
}

static bool is_word(const char *text, size_t bytes, const char *word)
{
    return text && strlen(word) == bytes && memcmp(text, word, bytes) == 0;
}

bool nadi_json_key_is(const struct nadi_json_item *item, const char *word)
{
    return is_word(item->key, item->key_bytes, word);
}

bool nadi_json_text_is(const struct nadi_json_item *item, const char *word)
{
    return item->kind == NADI_JSON_STRING && is_word(item->text, item->bytes, word);
}

static bool read_digits(const char *p, size_t bytes, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (p[i] < '0' || p[i] > '9' || __builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, (uint64_t)(p[i] - '0'), value))
            return false;
    }
    return bytes > 0;
}

bool nadi_json_item_u64(const struct nadi_json_item *item, uint64_t *value)
{
    return item->kind == NADI_JSON_NUMBER && read_digits(item->text, item->bytes, value);
}

bool nadi_json_item_i64(const struct nadi_json_item *item, int64_t *value)
{
    uint64_t magnitude;
    const bool negative = item->bytes && item->text[0] == '-';
    if (item->kind != NADI_JSON_NUMBER ||
        !read_digits(item->text + negative, item->bytes - negative, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool nadi_json_item_double(const struct nadi_json_item *item, double *value)
{
    char text[64];
    if (item->kind != NADI_JSON_NUMBER)
        return false;
    char *copy = item->bytes < sizeof text ? text : NADI_NEW(char, item->bytes + 1);
    memcpy(copy, item->text, item->bytes);
    copy[item->bytes] = '\0';
    const bool fits = nadi_str_to_double(copy, value);
    if (copy != text)
        nadi_mem_free(copy);
    return fits;
}
