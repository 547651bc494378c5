#include "format/doc_text.h"

#include "base/str.h"
#include "format/doc.h"
#include "format/utf8.h"

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
}

static bool refuse_byte(const char *path, const unsigned char *start, const unsigned char *p,
                        struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(path);
    place.offset = (uint64_t)(p - start);
    return nadi_error(diags, "doc/not-text", place,
                      "the file must be UTF-8 text; was another file named by mistake?",
                      "not a text file: byte 0x%02x", *p);
}

bool nadi_doc_text_accept(struct nadi_doc_text *t, const char *path, const void *data, size_t bytes,
                          struct nadi_diags *diags)
{
    if (bytes > NADI_DOC_MAX_BYTES)
        return nadi_error(
            diags, "doc/too-large", NADI_IN_FILE(path), "was another file named by mistake?",
            "%zu bytes; a file of this kind has at most %d", bytes, NADI_DOC_MAX_BYTES);
    const unsigned char *start = data, *p = start, *end = start + bytes;
    if (bytes >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        return nadi_error(diags, "doc/not-text", NADI_IN_FILE(path), "unpack it with gunzip",
                          "a gzip file, not text");
    if (bytes >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return nadi_error(diags, "doc/not-text", NADI_IN_FILE(path), "save it as UTF-8",
                          "UTF-16 text");
    if (bytes >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf)
        p += 3;
    t->text = (const char *)p;
    t->bytes = (size_t)(end - p);
    while (p < end) {
        size_t n = nadi_utf8_length_within(p, (size_t)(end - p));
        if (n == 0 || is_control(*p))
            return refuse_byte(path, start, p, diags);
        p += n;
    }
    return true;
}

static const char *line_start(const struct nadi_doc_text *t, uint32_t line, uint32_t *found)
{
    const char *p = t->text, *end = t->text + t->bytes;
    *found = 1;
    while (*found < line) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline || newline + 1 == end)
            break;
        p = newline + 1;
        ++*found;
    }
    return p;
}

static size_t line_length(const struct nadi_doc_text *t, const char *start)
{
    const char *end = t->text + t->bytes;
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    size_t n = (size_t)((newline ? newline : end) - start);
    return n && start[n - 1] == '\r' ? n - 1 : n;
}

void nadi_doc_text_clamp(const struct nadi_doc_text *t, uint32_t *line, uint32_t *column)
{
    uint32_t found;
    const char *start = line_start(t, *line, &found);
    size_t length = line_length(t, start);
    if (found < *line || *column > length + 1) {
        *line = found;
        *column = (uint32_t)nadi_min_u64(length + 1, UINT32_MAX);
    }
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void nadi_doc_text_excerpt(const struct nadi_doc_text *t, uint32_t line, uint32_t column,
                           struct nadi_str *out)
{
    enum { BEFORE = 60, SHOWN = 100 };
    uint32_t found;
    const char *start = line_start(t, line, &found);
    size_t length = line_length(t, start), at = 0;
    for (uint32_t c = 1; c < column && at < length; c++)
        for (at++; at < length && continues_character(start[at]); at++)
            ;
    size_t from = at > BEFORE ? at - BEFORE : 0;
    while (from > 0 && continues_character(start[from]))
        from--;
    size_t to = (size_t)nadi_min_u64(length, from + SHOWN);
    while (to < length && continues_character(start[to]))
        to++;
    nadi_str_printf(out, "\n    %s", from ? "..." : "");
    nadi_str_add_bytes(out, start + from, to - from);
    nadi_str_printf(out, "%s\n    %s", to < length ? "..." : "", from ? "   " : "");
    for (size_t i = from; i < at; i++)
        if (!continues_character(start[i]))
            nadi_str_add_char(out, start[i] == '\t' ? '\t' : ' ');
    nadi_str_add_char(out, '^');
}
