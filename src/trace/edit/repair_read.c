/* repair_read: a damaged file as far as it can be read. */
#include "base/mem.h"
#include "trace/edit/repair.h"
#include "trace/first.h"
#include "trace/frames.h"

struct reading {
    struct nadi_full *f;
    uint32_t rank;
    struct nadi_edit_report *report;
    struct nadi_diags *diags;
    struct nadi_diags faults; /* of the message at hand */
    uint64_t named;
};

enum { NAMED = 20 };

static void note(struct reading *r, const struct nadi_frame *m, const char *code, const char *what,
                 const char *why)
{
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    place.offset = m->offset;
    place.rank = r->rank;
    if (r->named++ < NAMED)
        nadi_note(r->diags, code, place, NULL, "%s: %s", what, why);
}

/* What the reader said about it, as the reason. */
static const char *reason(const struct reading *r)
{
    return r->faults.count ? r->faults.items[0].message : "it cannot be decoded";
}

static void forget_faults(struct reading *r)
{
    nadi_diags_release(&r->faults);
    nadi_diags_init(&r->faults);
}

static void add_node(struct reading *r, const struct nadi_frame *m)
{
    if (m->bytes == 0) {
        nadi_edit_report_add(r->report, "empty messages dropped", 1);
        note(r, m, "repair/empty", "message left out", "it is empty");
    } else if (!nadi_full_add(r->f, m)) {
        nadi_edit_report_add(r->report, "damaged messages dropped", 1);
        note(r, m, "repair/message", "message left out", reason(r));
        forget_faults(r);
    }
}

/* Metadata, or a node where they are missing. */
static bool read_first(struct reading *r, struct nadi_frames *frames)
{
    static const char made_up[] = "\x0a\x05"
                                  "0.0.4";
    struct nadi_frame m;
    struct nadi_raw_metadata metadata;
    const enum nadi_frame_result result = nadi_frames_next(frames, &m, &r->faults);
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    place.rank = r->rank;
    if (result == NADI_FRAME_MESSAGE && nadi_decode_first(&m, &metadata) == NADI_FIRST_METADATA) {
        if (!nadi_first_accept(&m, &metadata))
            return nadi_error(r->diags, "trace/old-schema", place, NADI_OLD_SCHEMA_HINT, "%s",
                              reason(r));
        nadi_full_set_metadata(r->f, &m);
        return true;
    }
    if (result == NADI_FRAME_MESSAGE && nadi_decode_first(&m, &metadata) == NADI_FIRST_NODE) {
        struct nadi_frame new = m;
        new.data = (const uint8_t *)made_up;
        new.bytes = sizeof(made_up) - 1;
        nadi_full_set_metadata(r->f, &new);
        nadi_edit_report_add(r->report, "metadata made up", 1);
        note(r, &m, "repair/metadata", "metadata of version 0.0.4 added", "there were none");
        add_node(r, &m);
        return true;
    }
    return nadi_error(r->diags, "repair/nothing", place, nadi_first_guess(frames),
                      "no execution trace, or its very first message is damaged%s%s",
                      r->faults.count ? ": " : "",
                      r->faults.count ? r->faults.items[0].message : "");
}

static void read_rest(struct reading *r, struct nadi_frames *frames)
{
    for (;;) {
        struct nadi_frame m = {.offset = NADI_NO_OFFSET};
        const enum nadi_frame_result next = nadi_frames_next(frames, &m, &r->faults);
        if (next == NADI_FRAME_CUT)
            (void)nadi_frame_cut_error(&m);
        switch (next) {
        case NADI_FRAME_END:
            return;
        case NADI_FRAME_CUT:
        case NADI_FRAME_FAILED:
            nadi_edit_report_add(r->report, "files cut short", 1);
            note(r, &m, "repair/cut", "the rest of the file is lost", reason(r));
            return;
        case NADI_FRAME_MESSAGE:
            add_node(r, &m);
            break;
        }
    }
}

/* Takes over `source`. */
static struct nadi_full *read_source(const char *path, struct nadi_inflate *source, uint32_t rank,
                                     struct nadi_edit_report *report, struct nadi_diags *diags)
{
    struct reading r = {
        .f = nadi_full_create(path), .rank = rank, .report = report, .diags = diags};
    struct nadi_frames frames;
    nadi_diags_init(&r.faults);
    nadi_frames_init(&frames, r.f->path, source);
    bool ok = read_first(&r, &frames);
    if (ok) {
        read_rest(&r, &frames);
        ok = r.f->node_count > 0 ||
             nadi_error(diags, "repair/nothing", NADI_IN_FILE(r.f->path),
                        "write the trace again; `nadi trace check` says what is wrong with it",
                        "not a single node could be saved");
    }
    nadi_frames_release(&frames);
    nadi_diags_release(&r.faults);
    if (ok)
        return r.f;
    nadi_full_destroy(r.f);
    return NULL;
}

struct nadi_full *nadi_repair_read(const char *path, uint32_t rank, struct nadi_edit_report *report,
                                   struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "trace", diags);
    return source ? read_source(path, source, rank, report, diags) : NULL;
}

struct nadi_full *nadi_repair_parse(const char *path, const void *data, size_t bytes,
                                    struct nadi_edit_report *report, struct nadi_diags *diags)
{
    return read_source(path, nadi_inflate_memory(path, data, bytes), NADI_NONE, report, diags);
}
