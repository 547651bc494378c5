#include "trace/strings.h"

#include "base/map.h"
#include "base/mem.h"
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

/* Length of the valid UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_length(const uint8_t *p, size_t left)
{
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

static void clean_copy(char *to, const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        size_t length = utf8_length(p + i, bytes - i);
        bool control = length == 1 && (p[i] < 0x20 || p[i] == 0x7f) && p[i] != '\t' &&
                       p[i] != '\n' && p[i] != '\r';
        if (length == 0 || control) {
            to[i++] = '?';
            continue;
        }
        memcpy(to + i, p + i, length);
        i += length;
    }
}

bool nadi_trace_strings_add(struct nadi_trace_strings *s, const struct nadi_message *m,
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
    if (all_plain(text, bytes))
        memcpy(to, text, bytes);
    else
        clean_copy(to, text, bytes);
    to[bytes] = '\0';
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
    clean_copy(to + 2, text, kept);
    for (size_t i = 2; i < kept + 2; i++) {
        if (to[i] == '\n' || to[i] == '\r' || to[i] == '\t')
            to[i] = ' ';
    }
    snprintf(to + 2 + kept, room - 2 - kept, "%s\"", kept < bytes ? "..." : "");
}
