#include "trace/show.h"

#include "base/mem.h"
#include "trace/decode.h"
#include "trace/first.h"
#include "trace/show_form.h"

struct showing {
    enum nadi_show_form form;
    struct nadi_show_lines lines;
    struct nadi_show_jsonizer jsonizer;
};

/* The decoder knows what is wrong with a message that could not be shown; what it does not look at
 * is inside attributes that no simulation reads. */
static bool report_damage(const struct nadi_frame *m)
{
    struct nadi_raw_node raw = {0};
    struct nadi_place place = NADI_IN_FILE(m->path);
    const size_t errors = m->diags->errors;
    place.offset = m->offset;
    if (nadi_decode_node(m, &raw) || m->diags->errors == errors)
        nadi_error(m->diags, "trace/bad-message", place, "the file is damaged here",
                   "message %" PRIu64 " at byte %" PRIu64 " holds a damaged attribute or text",
                   m->number, m->offset);
    nadi_raw_node_release(&raw);
    return false;
}

static bool show_message(struct showing *s, const struct nadi_frame *m, bool is_metadata)
{
    const bool ok = s->form == NADI_SHOW_LINES ? nadi_show_line(&s->lines, m, is_metadata)
                                               : nadi_show_object(&s->jsonizer, m, is_metadata);
    return ok || report_damage(m);
}

static bool show_messages(struct showing *s, struct nadi_frames *frames, struct nadi_diags *diags)
{
    struct nadi_frame m;
    struct nadi_raw_metadata metadata;
    if (!nadi_first_read(frames, &m, &metadata, diags) || !show_message(s, &m, true))
        return false;
    bool ok;
    while (nadi_frames_more(frames, &m, &ok, diags))
        if (!show_message(s, &m, false))
            return false;
    return ok;
}

/* Takes over `source`. */
static bool show_source(const char *path, struct nadi_inflate *source, enum nadi_show_form form,
                        struct nadi_out *sink, struct nadi_diags *diags)
{
    struct nadi_frames frames;
    struct showing *s = NADI_ZNEW(struct showing, 1);
    s->form = form;
    s->lines.out = s->jsonizer.out = sink;
    nadi_inflate_skip_digest(source);
    nadi_frames_init(&frames, path, source);
    const bool ok = show_messages(s, &frames, diags);
    nadi_frames_release(&frames);
    nadi_show_lines_release(&s->lines);
    nadi_show_jsonizer_release(&s->jsonizer);
    nadi_mem_free(s);
    return ok;
}

bool nadi_show(const char *path, enum nadi_show_form form, struct nadi_out *sink,
               struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "trace", diags);
    return source && show_source(path, source, form, sink, diags);
}

bool nadi_show_memory(const char *path, const void *data, size_t bytes, enum nadi_show_form form,
                      struct nadi_out *sink, struct nadi_diags *diags)
{
    return show_source(path, nadi_inflate_memory(path, data, bytes), form, sink, diags);
}
