#include "format/json_file.h"

#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/signature.h"
#include "base/str.h"
#include "format/inflate.h"
#include "format/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = 256 * 1024, LOW_BYTES = 16 * 1024 };

static const char hint_json[] =
    "the capture is cut or damaged: export it again, and let the profiler finish before the "
    "process ends";

static const char hint_form[] =
    "PyTorch does not write this: is it another kind of file, or was it edited?";

/* Is it a plain regular file? Leaves the offset at its start. */
static bool is_plain(int fd, struct stat *about)
{
    unsigned char magic[4];
    if (fstat(fd, about) != 0 || !S_ISREG(about->st_mode))
        return false;
    ssize_t got = pread(fd, magic, sizeof(magic), 0);
    bool gzip = got >= 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    bool zstd = got >= 4 && memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0;
    return !gzip && !zstd;
}

static void set_capacity(struct nadi_text *t, size_t capacity)
{
    t->buffer = nadi_mem_realloc(t->buffer, capacity + NADI_PULL_PAD, 1);
    t->capacity = capacity;
}

/* Up to `want` bytes; *got is 0 at the end. */
static bool read_some(struct nadi_text *t, char *to, size_t want, size_t *got)
{
    if (t->source)
        return nadi_inflate_read(t->source, to, want, got, t->diags);
    *got = 0;
    if (t->fd < 0)
        return true;
    for (;;) {
        ssize_t n = read(t->fd, to, want);
        if (n >= 0) {
            *got = (size_t)n;
            return true;
        }
        if (errno != EINTR)
            return nadi_error(t->diags, "file/unreadable", NADI_IN_FILE(t->path), NULL,
                              "cannot read after byte %" PRIu64 ": %s", t->base + t->filled,
                              strerror(errno));
    }
}

/* Of what is new in the buffer; a character that is cut by its end waits for the next piece. */
static bool check_utf8(struct nadi_text *t)
{
    static const char hint[] =
        "the capture is damaged; if only names are: iconv -c -f utf-8 -t utf-8 FILE";
    const char *end = t->buffer + t->filled, *at = nadi_pull_ascii_end(t->buffer + t->checked, end);
    while (at < end) {
        const size_t length = nadi_utf8_length(at);
        if (!length && !t->at_end && end - at < 4)
            break;
        if (!length)
            return nadi_error(t->diags, "capture/utf8", nadi_text_place(t, at), hint,
                              "not UTF-8: byte 0x%02x", (unsigned char)*at);
        at = nadi_pull_ascii_end(at + length, end);
    }
    t->checked = (size_t)(at - t->buffer);
    return true;
}

/* Fills the buffer to its capacity or to the end. The scan stays at the same byte. */
static bool fill(struct nadi_text *t, size_t at)
{
    bool good = true;
    while (good && !t->at_end && t->filled < t->capacity) {
        size_t got;
        good = read_some(t, t->buffer + t->filled, t->capacity - t->filled, &got);
        if (good && got == 0)
            t->at_end = true;
        t->filled += good ? got : 0;
    }
    memset(t->buffer + t->filled, 0, NADI_PULL_PAD);
    t->scan.at = t->buffer + at;
    t->scan.end = t->buffer + t->filled;
    return good && check_utf8(t);
}

/* Drops what lies before offset `keep` of the buffer and reads on. */
static bool slide(struct nadi_text *t, size_t keep)
{
    memmove(t->buffer, t->buffer + keep, t->filled - keep);
    t->base += keep;
    t->filled -= keep;
    t->checked -= keep;
    if (t->filled > t->capacity / 2)
        set_capacity(t, t->capacity * 2);
    return fill(t, 0);
}

static bool load_whole(struct nadi_text *t, size_t expected)
{
    set_capacity(t, expected + 1);
    while (fill(t, 0)) {
        if (t->at_end)
            return true;
        set_capacity(t, t->capacity * 2);
    }
    return false;
}

/* Of what was compressed, whose form only its text shows. */
static bool is_capture(const struct nadi_text *t)
{
    enum { HEAD = 4096 };
    return !t->filled || nadi_signature_check(t->path, "capture", t->buffer,
                                              t->filled < HEAD ? t->filled : HEAD, t->diags);
}

bool nadi_text_open(struct nadi_text *t, const char *path, bool whole, struct nadi_diags *diags)
{
    *t = (struct nadi_text){.path = path, .diags = diags, .fd = -1, .whole = whole};
    struct stat about = {0};
    size_t expected = 4 * WINDOW_BYTES;
    int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && is_plain(fd, &about)) {
        t->fd = fd;
        nadi_originals_read(&about);
        t->hold = nadi_hold_fd(fd);
        expected = (size_t)about.st_size;
        char head[4096];
        const ssize_t got = pread(fd, head, sizeof(head), 0);
        if (got > 0 && !nadi_signature_check(path, "capture", head, (size_t)got, diags))
            return false;
    } else {
        if (fd >= 0)
            close(fd);
        t->source = nadi_inflate_open(path, "capture", diags);
        if (!t->source)
            return false;
    }
    if (whole)
        return load_whole(t, expected) && (!t->source || is_capture(t));
    set_capacity(t, WINDOW_BYTES);
    return fill(t, 0) && (!t->source || is_capture(t));
}

bool nadi_text_memory(struct nadi_text *t, const char *path, const void *data, size_t bytes,
                      size_t window, struct nadi_diags *diags)
{
    *t = (struct nadi_text){.path = path, .diags = diags, .fd = -1, .whole = window == 0};
    t->source = nadi_inflate_memory(path, data, bytes);
    if (t->whole)
        return load_whole(t, bytes);
    set_capacity(t, window);
    return fill(t, 0);
}

void nadi_text_release(struct nadi_text *t)
{
    nadi_inflate_close(t->source);
    nadi_unhold(t->hold);
    if (t->fd >= 0)
        close(t->fd);
    nadi_mem_free(t->buffer);
    *t = (struct nadi_text){.fd = -1};
}

struct nadi_place nadi_text_place(const struct nadi_text *t, const char *at)
{
    struct nadi_place place = NADI_IN_FILE(t->path);
    place.offset = nadi_text_offset(t, at);
    if (!t->whole)
        return place;
    const char *line = t->buffer;
    place.line = 1;
    for (const char *p; (p = memchr(line, '\n', (size_t)(at - line))); line = p + 1)
        place.line++;
    place.column = (uint32_t)nadi_min_u64((uint64_t)(at - line) + 1, UINT32_MAX);
    return place;
}

/* A member or element was begun at `mark`: may it be tried again with more text? */
static bool again(struct nadi_text *t, size_t mark, bool first, bool *good)
{
    if (!t->scan.fault || !t->scan.ran_out || t->at_end)
        return false;
    t->scan.fault = NULL;
    t->scan.ran_out = false;
    t->scan.first = first;
    *good = slide(t, mark);
    return *good;
}

/* Where the next member or element begins, with a good piece of text behind it. */
static bool begin(struct nadi_text *t, size_t *mark)
{
    *mark = (size_t)(t->scan.at - t->buffer);
    if (t->at_end || t->filled - *mark >= LOW_BYTES)
        return true;
    bool good = slide(t, *mark);
    *mark = 0;
    return good;
}

static bool read_list(struct nadi_text *t, const struct nadi_text_reader *r)
{
    for (bool good = true;;) {
        size_t mark;
        bool first = t->scan.first;
        if (!begin(t, &mark))
            return false;
        if (nadi_pull_item(&t->scan) && (good = r->element(r->context, &t->scan)) && !t->scan.fault)
            continue;
        if (!t->scan.fault)
            return good; /* the end of the list, or the callback refused */
        if (!again(t, mark, first, &good))
            return false;
    }
}

/* One member of the document; *more is false behind the last. */
static bool read_member(struct nadi_text *t, const struct nadi_text_reader *r, unsigned *lists,
                        bool *more)
{
    struct nadi_view key;
    *more = nadi_pull_key(&t->scan, &key);
    if (!*more)
        return !t->scan.fault;
    if (!nadi_view_is(key, r->list, strlen(r->list)))
        return r->member(r->context, &t->scan, key) && !t->scan.fault;
    if (!nadi_pull_open(&t->scan, '['))
        return false;
    ++*lists;
    return read_list(t, r);
}

static bool read_document(struct nadi_text *t, const struct nadi_text_reader *r, unsigned *lists)
{
    if (!nadi_pull_open(&t->scan, '{'))
        return false;
    for (bool more = true; more;) {
        size_t mark;
        bool first = t->scan.first, good = false;
        unsigned before = *lists;
        if (!begin(t, &mark))
            return false;
        if (!read_member(t, r, lists, &more)) {
            if (*lists != before || !again(t, mark, first, &good))
                return false;
            more = true;
        }
    }
    if (nadi_pull_peek(&t->scan) != '\0' || t->scan.at < t->scan.end)
        return nadi_pull_fail(&t->scan, "something stands behind the end of the document");
    return true;
}

/* What begins here, when it is JSON; NULL when it is not. */
static const char *kind_at(const char *at)
{
    static const struct {
        const char *begin, *kind;
    } kinds[] = {{"{", "an object"}, {"[", "a list"},       {"\"", "a string"},
                 {"null", "null"},   {"true", "a boolean"}, {"false", "a boolean"},
                 {"NaN", "a number"}};
    if (*at == '-' || (*at >= '0' && *at <= '9'))
        return "a number";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(at, kinds[i].begin, strlen(kinds[i].begin)) == 0)
            return kinds[i].kind;
    }
    return NULL;
}

/* Does it say which kind of value should stand there? */
static bool wants_kind(const char *fault)
{
    return nadi_str_equal(fault, "an object is wanted") ||
           nadi_str_equal(fault, "a list is wanted") || nadi_str_equal(fault, "a string is wanted");
}

bool nadi_text_read(struct nadi_text *t, const struct nadi_text_reader *reader, unsigned *lists)
{
    *lists = 0;
    if (read_document(t, reader, lists))
        return true;
    const char *fault = t->scan.fault;
    if (!fault)
        return false;
    const struct nadi_place place = nadi_text_place(t, t->scan.at);
    const char *found = wants_kind(fault) ? kind_at(t->scan.at) : NULL;
    if (found)
        return nadi_error(t->diags, "capture/form", place, hint_form, "%s, but here is %s", fault,
                          found);
    return nadi_error(t->diags, "capture/json", place, hint_json, "no valid JSON: %s", fault);
}
