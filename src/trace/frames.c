#include "trace/frames.h"

#include "base/mem.h"
#include "format/wire.h"

enum {
    FIRST_WINDOW_BYTES = 64 * 1024,
    LARGEST_WINDOW_STEP = 256 * 1024, /* below it that of a long file doubles without need */
    LONGEST_LENGTH_BYTES = 5,
};
#define LARGEST_MESSAGE_BYTES UINT64_C(0x7fffffff) /* protobuf's own limit */

void nadi_frame_write(struct nadi_out *out, const void *message, size_t bytes)
{
    char length[NADI_VARINT_MOST];
    nadi_out_bytes(out, length, nadi_varint_put(length, bytes));
    nadi_out_bytes(out, message, bytes);
}

void nadi_frames_init(struct nadi_frames *f, const char *path, struct nadi_inflate *source)
{
    *f = (struct nadi_frames){.path = path, .source = source, .capacity = FIRST_WINDOW_BYTES};
    f->window = NADI_NEW(uint8_t, f->capacity);
}

void nadi_frames_release(struct nadi_frames *f)
{
    nadi_inflate_close(f->source);
    nadi_mem_free(f->window);
    *f = (struct nadi_frames){0};
}

/* Room behind `end`: slides first, doubles only when the message fills the window, so that a
 * length that lies costs no more memory than there are bytes in the file. */
static void make_room(struct nadi_frames *f)
{
    if (f->begin) {
        memmove(f->window, f->window + f->begin, f->end - f->begin);
        f->base += f->begin;
        f->end -= f->begin;
        f->begin = 0;
    }
    if (f->end == f->capacity || (f->base >= f->capacity && f->capacity < LARGEST_WINDOW_STEP)) {
        f->capacity *= 2;
        f->window = nadi_mem_realloc(f->window, f->capacity, 1);
    }
}

/* Makes at least `want` bytes available, fewer only at the end of the file. */
static bool require(struct nadi_frames *f, size_t want, struct nadi_diags *diags)
{
    while (f->end - f->begin < want && !f->at_end) {
        size_t got;
        make_room(f);
        if (!nadi_inflate_read(f->source, f->window + f->end, f->capacity - f->end, &got, diags))
            return false;
        f->end += got;
        f->at_end = got == 0;
    }
    return true;
}

static bool bad_length(const struct nadi_frames *f, uint64_t bytes, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(f->path);
    place.offset = f->base + f->begin;
    return nadi_error(diags, "trace/bad-length", place,
                      "the file is damaged here or is not a Chakra execution trace",
                      "message %" PRIu64 " at byte %" PRIu64 " announces %s%" PRIu64
                      " bytes; a message holds at most %" PRIu64,
                      f->number, place.offset, bytes == UINT64_MAX ? "more than " : "",
                      bytes == UINT64_MAX ? UINT64_C(1) << 35 : bytes, LARGEST_MESSAGE_BYTES);
}

enum nadi_frame_result nadi_frames_next(struct nadi_frames *f, struct nadi_frame *message,
                                        struct nadi_diags *diags)
{
    if (!require(f, LONGEST_LENGTH_BYTES, diags))
        return NADI_FRAME_FAILED;
    size_t left = f->end - f->begin;
    if (left == 0)
        return NADI_FRAME_END;
    f->number++;
    struct nadi_wire_cursor w =
        nadi_wire_of(f->window + f->begin, (size_t)nadi_min_u64(left, LONGEST_LENGTH_BYTES));
    const uint8_t *start = w.at;
    uint64_t bytes = 0;
    bool complete = nadi_wire_varint(&w, &bytes);
    if (!complete && left >= LONGEST_LENGTH_BYTES) {
        bad_length(f, UINT64_MAX, diags);
        return NADI_FRAME_FAILED;
    }
    if (bytes > LARGEST_MESSAGE_BYTES) {
        bad_length(f, bytes, diags);
        return NADI_FRAME_FAILED;
    }
    size_t header = complete ? (size_t)(w.at - start) : left;
    if (complete && !require(f, header + (size_t)bytes, diags))
        return NADI_FRAME_FAILED;
    left = f->end - f->begin - header;
    bool cut = !complete || left < bytes;
    *message = (struct nadi_frame){
        .path = f->path,
        .number = f->number,
        .offset = f->base + f->begin,
        .data_offset = f->base + f->begin + header,
        .data = f->window + f->begin + header,
        .bytes = cut ? left : (size_t)bytes,
        .announced = bytes,
        .cut = cut,
        .diags = diags,
    };
    f->begin += header + message->bytes;
    return cut ? NADI_FRAME_CUT : NADI_FRAME_MESSAGE;
}

bool nadi_frames_more(struct nadi_frames *f, struct nadi_frame *message, bool *ok,
                      struct nadi_diags *diags)
{
    const enum nadi_frame_result result = nadi_frames_next(f, message, diags);
    *ok = result == NADI_FRAME_CUT ? nadi_frame_cut_error(message) : result != NADI_FRAME_FAILED;
    return result == NADI_FRAME_MESSAGE;
}

bool nadi_frame_cut_error(const struct nadi_frame *m)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = m->offset;
    const char *hint = "copy or write the file again; nothing of it was used";
    if (m->announced == 0)
        return nadi_error(m->diags, "trace/truncated", place, hint,
                          "not a complete Chakra ET: the file ends inside the length of message "
                          "%" PRIu64 " at byte %" PRIu64 " (file truncated?)",
                          m->number, m->offset);
    return nadi_error(m->diags, "trace/truncated", place, hint,
                      "not a complete Chakra ET: message %" PRIu64 " at byte %" PRIu64
                      " announces %" PRIu64 " bytes, %zu left (file truncated?)",
                      m->number, m->offset, m->announced, m->bytes);
}

bool nadi_frame_empty_error(const struct nadi_frame *m)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = m->offset;
    return nadi_error(m->diags, "trace/empty-message", place,
                      "some tools stop reading at such a message, others see a node of type "
                      "INVALID; write the trace again",
                      "message %" PRIu64 " at byte %" PRIu64 " has length 0", m->number, m->offset);
}
