#include "trace/pack.h"

#include "base/mem.h"
#include "format/inflate.h"
#include "format/wire.h"
#include "trace/pack_graph.h"
#include "trace/pack_message.h"

enum { PIECE_BYTES = 64 * 1024 };

struct lines { /* the lines of a source, one after another */
    struct nadi_inflate *source;
    char *window;
    size_t begin, end, capacity;
    bool at_end;
};

static bool read_more(struct lines *l, struct nadi_diags *diags)
{
    size_t got;
    if (l->begin) {
        memmove(l->window, l->window + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    if (l->capacity - l->end < PIECE_BYTES + NADI_PULL_PAD)
        l->window = nadi_mem_grow(l->window, &l->capacity, l->end + PIECE_BYTES + NADI_PULL_PAD, 1);
    if (!nadi_inflate_read(l->source, l->window + l->end, l->capacity - NADI_PULL_PAD - l->end,
                           &got, diags))
        return false;
    l->end += got;
    memset(l->window + l->end, 0, NADI_PULL_PAD);
    l->at_end = got == 0;
    return true;
}

/* The next line, with a zero in place of its end; *text NULL after the last one. */
static bool next_line(struct lines *l, char **text, size_t *bytes, struct nadi_diags *diags)
{
    size_t looked = 0;
    for (;;) {
        char *start = l->window + l->begin;
        const size_t there = l->end - l->begin;
        char *stop = there > looked ? memchr(start + looked, '\n', there - looked) : NULL;
        if (stop || (l->at_end && there)) {
            *text = start;
            *bytes = stop ? (size_t)(stop - start) : there;
            l->begin += *bytes + (stop != NULL);
            (*text)[*bytes] = '\0';
            return true;
        }
        if (l->at_end) {
            *text = NULL;
            return true;
        }
        looked = there;
        if (!read_more(l, diags))
            return false;
    }
}

static bool is_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    }
    return true;
}

/* The length, padded to length_bytes where that is more than it needs, and the message. */
static void write_frame(const struct nadi_packer *p, struct nadi_out *sink)
{
    char length[NADI_VARINT_MOST];
    size_t count = nadi_varint_put(length, p->message.length);
    while (count < p->length_bytes) {
        length[count - 1] = (char)(length[count - 1] | 0x80);
        length[count++] = 0;
    }
    nadi_out_bytes(sink, length, count);
    nadi_out_bytes(sink, nadi_str_get(&p->message), p->message.length);
}

static bool pack_line(struct nadi_packer *p, const char *text, size_t bytes, bool is_first,
                      struct nadi_out *sink)
{
    if (!nadi_pack_message(p, text, bytes))
        return false;
    if (p->is_metadata != is_first)
        return nadi_pack_fault(p, text, "begin with {\"metadata\":{\"version\":\"0.0.4\"}}",
                               is_first ? "the first line must be the metadata"
                                        : "only the first line may be metadata");
    write_frame(p, sink);
    return true;
}

static bool pack_lines(struct nadi_packer *p, struct lines *l, struct nadi_out *sink)
{
    char *text;
    size_t bytes;
    bool is_first = true;
    for (;;) {
        if (!next_line(l, &text, &bytes, p->diags))
            return false;
        if (!text)
            break;
        p->line_number++;
        if (is_blank(text, bytes))
            continue;
        if (!pack_line(p, text, bytes, is_first, sink))
            return false;
        is_first = false;
    }
    return !is_first || nadi_error(p->diags, "pack/empty", NADI_IN_FILE(p->path),
                                   "begin with {\"metadata\":{\"version\":\"0.0.4\"}}",
                                   "there is no line to pack");
}

/* The whole text, for it is one object. */
static bool pack_graph(const struct nadi_packer *p, struct lines *l, struct nadi_out *sink)
{
    struct nadi_str out = NADI_STR_INIT;
    while (!l->at_end)
        if (!read_more(l, p->diags))
            return false;
    const bool ok = nadi_pack_graph(p->path, l->window, l->end, &out, p->diags);
    if (ok)
        nadi_out_bytes(sink, nadi_str_get(&out), out.length);
    nadi_str_release(&out);
    return ok;
}

/* Takes over `source`. */
static bool pack_source(const char *path, struct nadi_inflate *source, struct nadi_out *sink,
                        struct nadi_diags *diags)
{
    struct lines l = {.source = source};
    struct nadi_packer p = {.path = path, .diags = diags};
    nadi_inflate_skip_digest(source);
    const bool ok =
        read_more(&l, diags) &&
        (nadi_pack_is_graph(l.window, l.end) ? pack_graph(&p, &l, sink) : pack_lines(&p, &l, sink));
    nadi_packer_release(&p);
    nadi_mem_free(l.window);
    nadi_inflate_close(source);
    return ok;
}

bool nadi_pack(const char *path, struct nadi_out *sink, struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "text of a trace", diags);
    return source && pack_source(path, source, sink, diags);
}

bool nadi_pack_memory(const char *path, const void *data, size_t bytes, struct nadi_out *sink,
                      struct nadi_diags *diags)
{
    return pack_source(path, nadi_inflate_memory(path, data, bytes), sink, diags);
}
