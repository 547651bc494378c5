#include "capture/sink.h"

#include "base/mem.h"
#include "base/str.h"

static enum nadi_coding coding_of_path(const char *path)
{
    if (nadi_str_ends(path, ".gz"))
        return NADI_CODING_GZIP;
    return nadi_str_ends(path, ".zst") ? NADI_CODING_ZSTD : NADI_CODING_PLAIN;
}

struct nadi_sink *nadi_sink_open(const char *path, struct nadi_diags *diags)
{
    struct nadi_deflate *file = nadi_deflate_open(path, coding_of_path(path), diags);
    if (!file)
        return NULL;
    struct nadi_sink *s = NADI_NEW(struct nadi_sink, 1);
    s->file = file;
    s->filled = 0;
    return s;
}

struct nadi_sink *nadi_sink_memory(struct nadi_str *out)
{
    struct nadi_sink *s = NADI_NEW(struct nadi_sink, 1);
    s->file = nadi_deflate_memory(out, NADI_CODING_PLAIN);
    s->filled = 0;
    return s;
}

struct nadi_sink *nadi_sink_packed(struct nadi_str *out)
{
    struct nadi_sink *s = NADI_NEW(struct nadi_sink, 1);
    s->file = nadi_deflate_memory(out, NADI_CODING_ZSTD);
    s->filled = 0;
    return s;
}

bool nadi_sink_close(struct nadi_sink *s, struct nadi_diags *diags)
{
    nadi_deflate_write(s->file, s->buffer, s->filled);
    bool good = nadi_deflate_close(s->file, diags);
    nadi_mem_free(s);
    return good;
}

void nadi_sink_discard(struct nadi_sink *s)
{
    if (!s)
        return;
    nadi_deflate_discard(s->file);
    nadi_mem_free(s);
}

void nadi_sink_bytes(struct nadi_sink *s, const void *data, size_t bytes)
{
    if (bytes > NADI_SINK_BYTES - s->filled) {
        nadi_deflate_write(s->file, s->buffer, s->filled);
        s->filled = 0;
        if (bytes >= NADI_SINK_BYTES / 2) {
            nadi_deflate_write(s->file, data, bytes);
            return;
        }
    }
    if (bytes) /* an empty text may have no address */
        memcpy(s->buffer + s->filled, data, bytes);
    s->filled += bytes;
}

void nadi_sink_text(struct nadi_sink *s, const char *text)
{
    nadi_sink_bytes(s, text, strlen(text));
}

/* Digits to the end of `to`; returns the first of them. */
static char *digits_before(char *end, uint64_t number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

void nadi_sink_u64(struct nadi_sink *s, uint64_t number)
{
    char text[20], *end = text + sizeof(text), *at = digits_before(end, number);
    nadi_sink_bytes(s, at, (size_t)(end - at));
}

void nadi_sink_i64(struct nadi_sink *s, int64_t number)
{
    if (number < 0)
        NADI_SINK_LITERAL(s, "-");
    nadi_sink_u64(s, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void nadi_sink_micros(struct nadi_sink *s, int64_t ns)
{
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned fraction = (unsigned)(magnitude % 1000);
    if (ns < 0)
        NADI_SINK_LITERAL(s, "-");
    nadi_sink_u64(s, magnitude / 1000);
    if (!fraction)
        return;
    char text[4] = {'.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10),
                    (char)('0' + fraction % 10)};
    nadi_sink_bytes(s, text, fraction % 10 ? 4 : fraction % 100 ? 3 : 2);
}

void nadi_sink_string(struct nadi_sink *s, const char *text, size_t bytes)
{
    NADI_SINK_LITERAL(s, "\"");
    const char *end = text + bytes, *from = text;
    for (const char *at = text; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        if (NADI_LIKELY(c >= ' ' && c != '"' && c != '\\'))
            continue;
        char escape[8] = {'\\', (char)c};
        size_t length = 2;
        if (c < ' ')
            length = (size_t)snprintf(escape, sizeof(escape), "\\u%04x", c);
        nadi_sink_bytes(s, from, (size_t)(at - from));
        nadi_sink_bytes(s, escape, length);
        from = at + 1;
    }
    nadi_sink_bytes(s, from, (size_t)(end - from));
    NADI_SINK_LITERAL(s, "\"");
}

/* Bytes of the word at `at` if it is one that JSON does not have, else 0. */
static size_t not_finite(const char *at, size_t left)
{
    static const char *const words[] = {"NaN",       "nan", "-nan", "Infinity",
                                        "-Infinity", "inf", "-inf"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (length <= left && memcmp(at, words[i], length) == 0 &&
            (length == left || strchr(",]}: \t\r\n", at[length])))
            return length;
    }
    return 0;
}

static bool may_hold_such(const char *text, size_t bytes)
{
    return memmem(text, bytes, "nan", 3) || memmem(text, bytes, "NaN", 3) ||
           memmem(text, bytes, "inf", 3) || memmem(text, bytes, "Inf", 3);
}

void nadi_sink_json(struct nadi_sink *s, const char *text, size_t bytes)
{
    const char *from = text, *end = text + bytes;
    if (!may_hold_such(text, bytes)) {
        nadi_sink_bytes(s, text, bytes);
        return;
    }
    for (const char *at = text; at < end; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                at += *at == '\\';
            continue;
        }
        const size_t word = strchr("-nNiI", *at) ? not_finite(at, (size_t)(end - at)) : 0;
        if (word == 0)
            continue;
        nadi_sink_bytes(s, from, (size_t)(at - from));
        NADI_SINK_LITERAL(s, "null");
        from = at + word;
        at = from - 1;
    }
    nadi_sink_bytes(s, from, (size_t)(end - from));
}
