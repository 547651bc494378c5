/* strings: the names of a trace, terminated, in one block; 32-bit offsets, 0 is "".
 *
 * Texts of a file are bytes of unknown worth: what is stored is UTF-8 without control characters
 * other than tab and line ends; anything else became '?'. A small cache of recent strings lets most
 * repeated names and groups share their bytes. */
#ifndef NADI_TRACE_STRINGS_H
#define NADI_TRACE_STRINGS_H

#include "base/base.h"
#include "trace/frames.h"

enum { NADI_TRACE_STRING_SLOTS = 1024 };

struct nadi_trace;
struct nadi_trace_strings {
    struct nadi_trace *trace; /* owns the block */
    size_t capacity;
    uint32_t cache[NADI_TRACE_STRING_SLOTS]; /* offsets, 0 is free */
};

void nadi_trace_strings_init(struct nadi_trace_strings *s, struct nadi_trace *trace);

/* False with an error at the message when the block is full (4 GiB). */
bool nadi_trace_strings_add(struct nadi_trace_strings *s, const struct nadi_frame *m,
                            const uint8_t *text, size_t bytes, uint32_t *offset) NADI_MUST_USE;

/* ` "text"` for messages: one line, shortened to the room, always terminated. room >= 8. */
void nadi_trace_quote(char *to, size_t room, const uint8_t *text, size_t bytes);

#endif
