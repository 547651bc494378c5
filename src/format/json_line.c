#include "format/json_line.h"

#include "base/mem.h"
#include "base/str.h"
#include "format/json_scan.h"

struct parser {
    struct nadi_json_line *line;
    struct nadi_json_scan s;
    const char *start;
    unsigned depth;
};

static bool fault(struct parser *p, const char *what)
{
    p->line->fault = what;
    p->line->fault_column = (uint32_t)(p->s.at - p->start) + 1;
    return false;
}

static bool read_word(struct parser *p, const char *word)
{
    const size_t bytes = strlen(word);
    if ((size_t)(p->s.end - p->s.at) < bytes || memcmp(p->s.at, word, bytes) != 0)
        return fault(p, "a value is wanted: a text in quotes, a number, true, false, null, [ or {");
    p->s.at += bytes;
    return true;
}

static bool read_value(struct parser *p, uint32_t *index);

/* `"key":` of an object's item. */
static bool read_key(struct parser *p, const char **key, size_t *bytes)
{
    nadi_json_scan_blanks(&p->s);
    if (p->s.at == p->s.end || *p->s.at != '"')
        return fault(p, "a key in quotes is wanted");
    p->s.at++;
    if (!nadi_json_scan_string(&p->s, key, bytes))
        return fault(p, p->s.fault);
    nadi_json_scan_blanks(&p->s);
    if (p->s.at == p->s.end || *p->s.at != ':')
        return fault(p, "a colon is wanted after the key");
    p->s.at++;
    return true;
}

static bool read_items(struct parser *p, uint32_t parent, char closing)
{
    uint32_t last = 0;
    if (++p->depth > NADI_JSON_LINE_DEPTH)
        return fault(p, "nested too deeply");
    p->s.at++;
    nadi_json_scan_blanks(&p->s);
    if (p->s.at < p->s.end && *p->s.at == closing) {
        p->s.at++;
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
        nadi_json_scan_blanks(&p->s);
        if (p->s.at == p->s.end)
            return fault(p, closing == '}' ? "the object has no end" : "the list has no end");
        const char c = *p->s.at;
        if (c != ',' && c != closing)
            return fault(p, closing == '}' ? "a comma or } is wanted" : "a comma or ] is wanted");
        p->s.at++;
        if (c == closing) {
            p->depth--;
            return true;
        }
    }
}

static bool read_value(struct parser *p, uint32_t *index)
{
    struct nadi_json_item item = {0};
    nadi_json_scan_blanks(&p->s);
    if (p->line->count >= UINT32_MAX - 1)
        return fault(p, "too many values on one line");
    *index = (uint32_t)p->line->count;
    item.column = (uint32_t)(p->s.at - p->start) + 1;
    item.text = p->s.at;
    NADI_PUSH(p->line, item);
    const char c = p->s.at < p->s.end ? *p->s.at : '\0';
    enum nadi_json_kind kind = NADI_JSON_NUMBER;
    bool ok;
    if (c == '{' || c == '[') {
        kind = c == '{' ? NADI_JSON_OBJECT : NADI_JSON_ARRAY;
        ok = read_items(p, *index, c == '{' ? '}' : ']');
    } else if (c == '"') {
        const char *text = NULL;
        size_t bytes = 0;
        kind = NADI_JSON_STRING;
        p->s.at++;
        ok = nadi_json_scan_string(&p->s, &text, &bytes) || fault(p, p->s.fault);
        p->line->items[*index].text = text;
        p->line->items[*index].bytes = bytes;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        ok = nadi_json_scan_number(&p->s) || fault(p, p->s.fault);
        p->line->items[*index].bytes = (size_t)(p->s.at - item.text);
    } else {
        kind = c == 't' ? NADI_JSON_TRUE : c == 'f' ? NADI_JSON_FALSE : NADI_JSON_NULL;
        ok = read_word(p, c == 't' ? "true" : c == 'f' ? "false" : "null");
    }
    p->line->items[*index].kind = kind;
    return ok;
}

bool nadi_json_line_parse(struct nadi_json_line *line, char *text, size_t bytes)
{
    struct parser p = {.line = line, .start = text, .s = {.at = text, .end = text + bytes}};
    uint32_t index;
    line->count = 0;
    line->fault = NULL;
    if (!read_value(&p, &index))
        return false;
    nadi_json_scan_blanks(&p.s);
    return p.s.at == p.s.end || fault(&p, "something follows the value on the same line");
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
