/* frames: the messages of a trace file, one after another.
 *
 * A frame is a varint length of at most 5 bytes and that many bytes of one message. Frames are
 * shown in place, in a window that slides over the (inflated) file and grows to the largest
 * message; a message stays valid until the next call. */
#ifndef NADI_TRACE_FRAMES_H
#define NADI_TRACE_FRAMES_H

#include "base/base.h"
#include "format/inflate.h"
#include "format/out.h"

struct nadi_frames {
    const char *path;
    struct nadi_inflate *source;
    uint8_t *window;
    size_t begin, end, capacity; /* window[begin..end) is not yet consumed */
    uint64_t base;               /* offset of window[0] in the inflated file */
    uint64_t number;             /* of the last message, from 1 */
    bool at_end;                 /* the source has nothing more */
};

struct nadi_frame {
    const char *path;
    uint64_t number;      /* in the file, from 1 */
    uint64_t offset;      /* of its frame (the length) in the inflated file */
    uint64_t data_offset; /* of its first byte */
    const uint8_t *data;
    size_t bytes;
    uint64_t announced;       /* by the frame's length; 0 when even the length is cut */
    bool cut;                 /* the file ends inside the frame */
    struct nadi_diags *diags; /* where its faults go */
};

enum nadi_frame_result {
    NADI_FRAME_END,
    NADI_FRAME_MESSAGE,
    NADI_FRAME_FAILED, /* an error was added */
    NADI_FRAME_CUT,    /* the file ends inside the frame: message holds what is there; no error
                        * was added yet, see nadi_frame_cut_error */
};

/* A message with its length in front. */
void nadi_frame_write(struct nadi_out *out, const void *message, size_t bytes);

/* Takes over `source`. */
void nadi_frames_init(struct nadi_frames *f, const char *path, struct nadi_inflate *source);
void nadi_frames_release(struct nadi_frames *f);

enum nadi_frame_result nadi_frames_next(struct nadi_frames *f, struct nadi_frame *message,
                                        struct nadi_diags *diags) NADI_MUST_USE;

/* The same for a reader that needs all of the file: true with a message; false at the end, or with
 * *ok false after an error, of a cut file too. */
bool nadi_frames_more(struct nadi_frames *f, struct nadi_frame *message, bool *ok,
                      struct nadi_diags *diags);

/* "message 2 at byte 8 announces 57 bytes, 21 left (file truncated?)"; returns false. */
bool nadi_frame_cut_error(const struct nadi_frame *message);
/* "message 2 at byte 8 has length 0"; returns false. */
bool nadi_frame_empty_error(const struct nadi_frame *message);

#endif
