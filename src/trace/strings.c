#include "trace/strings.h"

#include "base/map.h"
#include "base/mem.h"
#include "format/utf8.h"
#include "trace/trace.h"

enum { FIRST_BYTES = 1024 };

void nadi_trace_strings_init(struct nadi_trace_strings *s, struct nadi_trace *trace)
{
    memset(s, 0, sizeof(*s));
    s->trace = trace;
    s->capacity = FIRST_BYTES;
    trace->strings = NADI_NEW(char, s->capacity);
    trace->strings[0] = '\0';
    trace->strings_bytes = 1;
}

static uint64_t load(const uint8_t *p, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes < 8 ? bytes : 8);
    return v;
}

/* Of the length and three words: names of a trace differ in one of them nearly always. */
static size_t slot_of(const uint8_t *text, size_t bytes)
{
    size_t last = bytes > 8 ? bytes - 8 : 0;
    uint64_t mix = load(text, bytes) + load(text + last / 2, bytes - last / 2) * 3 +
                   load(text + last, bytes - last) * 7 + bytes * 31;
    return (size_t)nadi_hash_u64(mix) % NADI_TRACE_STRING_SLOTS;
}

static bool all_plain(const uint8_t *p, size_t bytes)
{
    unsigned odd = 0;
    for (size_t i = 0; i < bytes; i++)
        odd |= (unsigned)(p[i] < 0x20) | (unsigned)(p[i] >= 0x7f);
    return odd == 0;
}

/* In place; a '\0' stands behind the last byte. */
static void clean(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        size_t length = nadi_utf8_length(text + i);
        unsigned char c = (unsigned char)text[i];
        bool control = (c < 0x20 || c == 0x7f) && c != '\t' && c != '\n' && c != '\r';
        if (length == 0 || control) {
            text[i] = '?';
            length = 1;
        }
        i += length;
    }
}

bool nadi_trace_strings_add(struct nadi_trace_strings *s, const struct nadi_frame *m,
                            const uint8_t *text, size_t bytes, uint32_t *offset)
{
    struct nadi_trace *t = s->trace;
    if (bytes == 0) {
        *offset = 0;
        return true;
    }
    uint32_t *cached = &s->cache[slot_of(text, bytes)];
    if (*cached && t->strings_bytes - *cached > bytes &&
        memcmp(t->strings + *cached, text, bytes) == 0 && t->strings[*cached + bytes] == '\0') {
        *offset = *cached;
        return true;
    }
    if (bytes >= UINT32_MAX - t->strings_bytes) {
        struct nadi_place place = NADI_IN_FILE(m->path);
        place.offset = m->offset;
        return nadi_error(m->diags, "trace/too-large", place,
                          "shorten the names or split the trace",
                          "the names of the file's nodes are longer than 4 GiB");
    }
    size_t want = (size_t)t->strings_bytes + bytes + 1;
    if (want > s->capacity)
        t->strings = nadi_mem_grow(t->strings, &s->capacity, want, 1);
    char *to = t->strings + t->strings_bytes;
    memcpy(to, text, bytes);
    to[bytes] = '\0';
    if (!all_plain(text, bytes))
        clean(to, bytes);
    *offset = *cached = t->strings_bytes;
    t->strings_bytes = (uint32_t)want;
    return true;
}

void nadi_trace_quote(char *to, size_t room, const uint8_t *text, size_t bytes)
{
    size_t fits = room - 7; /* space, quotes, three dots, terminator */
    size_t kept = bytes <= fits ? bytes : fits;
    while (kept < bytes && kept && (text[kept] & 0xc0) == 0x80)
        kept--; /* not in the middle of a character */
    to[0] = ' ';
    to[1] = '"';
    memcpy(to + 2, text, kept);
    to[2 + kept] = '\0';
    clean(to + 2, kept);
    for (size_t i = 2; i < kept + 2; i++) {
        if (to[i] == '\n' || to[i] == '\r' || to[i] == '\t')
            to[i] = ' ';
    }
    snprintf(to + 2 + kept, room - 2 - kept, "%s\"", kept < bytes ? "..." : "");
}
