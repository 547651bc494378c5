/* text: feeds a capture's JSON to the tokenizer.
 *
 * Plain, gzip or zstd by content; "-" is standard input. Two modes: whole, for files whose bytes
 * are needed again (views into them stay valid until release); or through a window that slides over
 * the text and grows to the largest element, so that memory does not grow with the file. In both
 * modes the document is one object of which one member is a long list; callbacks get members and
 * elements one at a time. A callback may be called twice for the same bytes (if the window ended
 * inside them, it saw a fault, which is cancelled), so it must keep results only when it has read
 * to its end. */
#ifndef NADI_FORMAT_JSON_FILE_H
#define NADI_FORMAT_JSON_FILE_H

#include "base/diag.h"
#include "base/hold.h"
#include "format/json_pull.h"

struct nadi_inflate;

struct nadi_text {
    const char *path;
    struct nadi_diags *diags;
    struct nadi_pull scan;
    char *buffer;
    size_t filled, capacity; /* capacity leaves room for the pad */
    size_t checked;          /* bytes of the buffer that are known to be UTF-8 */
    uint64_t base;           /* offset of buffer[0] in the text */
    int fd;                  /* a plain file is read without detours; -1: not */
    struct nadi_hold *hold;  /* of fd */
    struct nadi_inflate *source;
    bool whole, at_end;
};

/* False with an error. After that, release all the same. */
bool nadi_text_open(struct nadi_text *t, const char *path, bool whole,
                    struct nadi_diags *diags) NADI_MUST_USE;
/* Text in memory, for tests: whole, or through a window of at first `window` bytes; then the memory
 * must outlive the text. False with an error (compressed data may be damaged). */
bool nadi_text_memory(struct nadi_text *t, const char *path, const void *data, size_t bytes,
                      size_t window, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_text_release(struct nadi_text *t);

struct nadi_text_reader {
    const char *list; /* key of the long list */
    /* The value behind a key; must consume it. */
    bool (*member)(void *context, struct nadi_pull *s, struct nadi_view key);
    bool (*element)(void *context, struct nadi_pull *s);
    void *context;
};

/* Reads the whole document. False with an error: not UTF-8, no JSON, not an object, or a callback
 * that set scan.fault or returned false (it then has added an error of its own). *lists counts how
 * often the list was there. */
bool nadi_text_read(struct nadi_text *t, const struct nadi_text_reader *reader,
                    unsigned *lists) NADI_MUST_USE;

/* Offset in the text of a byte of the buffer. */
static inline uint64_t nadi_text_offset(const struct nadi_text *t, const char *at)
{
    return t->base + (uint64_t)(at - t->buffer);
}

/* File and byte offset; line and column too when the text is whole. */
struct nadi_place nadi_text_place(const struct nadi_text *t, const char *at);

#endif
