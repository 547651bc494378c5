/* text_out: text on its way out, through one buffer; made for tools that write hundreds of
 * megabytes. Numbers and JSON strings are put straight into the buffer. */
#ifndef NADI_TRACE_TEXT_OUT_H
#define NADI_TRACE_TEXT_OUT_H

#include "base/base.h"
#include "format/deflate.h"

enum { NADI_TEXT_ROOM = 64 * 1024 }; /* bytes of the buffer */

struct nadi_text_out {
    char *at, *end; /* free part of the buffer */
    struct nadi_deflate *sink;
    char buffer[NADI_TEXT_ROOM];
};

/* The sink stays the caller's, who flushes before closing it. */
void nadi_text_init(struct nadi_text_out *o, struct nadi_deflate *sink);
void nadi_text_flush(struct nadi_text_out *o);

/* At least `bytes` (much below NADI_TEXT_ROOM) are free at o->at afterwards. */
static inline void nadi_text_reserve(struct nadi_text_out *o, size_t bytes)
{
    if (NADI_UNLIKELY((size_t)(o->end - o->at) < bytes))
        nadi_text_flush(o);
}

static inline void nadi_text_char(struct nadi_text_out *o, char c)
{
    nadi_text_reserve(o, 1);
    *o->at++ = c;
}

void nadi_text_bytes(struct nadi_text_out *o, const void *data, size_t bytes);

/* Short texts of known length: nadi_text_literal(o, "{\"id\":"). */
#define nadi_text_literal(o, text) nadi_text_short((o), (text), sizeof(text) - 1)

static inline void nadi_text_short(struct nadi_text_out *o, const char *text, size_t bytes)
{
    nadi_text_reserve(o, bytes);
    memcpy(o->at, text, bytes);
    o->at += bytes;
}

static inline void nadi_text_string(struct nadi_text_out *o, const char *text)
{
    nadi_text_bytes(o, text, strlen(text));
}

void nadi_text_u64(struct nadi_text_out *o, uint64_t value);
void nadi_text_i64(struct nadi_text_out *o, int64_t value);
void nadi_text_base64(struct nadi_text_out *o, const void *data, size_t bytes);

enum nadi_json_style {
    NADI_JSON_UTF8,  /* only what must be escaped is */
    NADI_JSON_ASCII, /* everything beyond ASCII as \uXXXX */
};

/* A string in quotes. False when it held bytes that are no UTF-8; each became U+FFFD. */
bool nadi_text_json(struct nadi_text_out *o, const void *text, size_t bytes,
                    enum nadi_json_style style);

#endif
