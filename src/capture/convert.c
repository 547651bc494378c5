#include "base/file.h"
#include "capture/compat_convert.h"
#include "capture/compat_read.h"
#include "capture/coverage.h"
#include "capture/import.h"
#include "format/out.h"

/* The published converter takes the last node of each id and says nothing. */
static bool check_ids(const struct nadi_compat_trace *trace, const char *path,
                      struct nadi_diags *diags)
{
    if (!trace->duplicates)
        return true;
    return nadi_error(diags, "capture/duplicate-id", NADI_IN_FILE(path),
                      "link the capture again; two linked traces in one file are of no use",
                      "%" PRIu32 " nodes have an id that another node has too", trace->duplicates);
}

static bool convert_text(struct nadi_text *text, const char *output, struct nadi_str *report,
                         struct nadi_diags *diags)
{
    struct nadi_compat_trace trace = {0};
    uint64_t written = 0;
    bool good = nadi_compat_read(&trace, text, diags) && nadi_compat_order(&trace, diags) &&
                check_ids(&trace, text->path, diags);
    struct nadi_out *out = good ? nadi_out_open(output, nadi_coding_of(output), diags) : NULL;
    good = out && nadi_compat_write(&trace, out, &written, diags);
    if (good)
        good = nadi_out_close(out, diags);
    else
        nadi_out_discard(out);
    if (good)
        nadi_str_printf(report, "%" PRIu64 " of %zu nodes in %s\n", written, trace.nodes.count,
                        output);
    nadi_compat_release(&trace);
    return good;
}

static bool convert_compat(const struct nadi_convert_options *o, struct nadi_str *report,
                           struct nadi_diags *diags)
{
    struct nadi_text text;
    const bool good = nadi_text_open(&text, o->input, false, diags) &&
                      convert_text(&text, o->output, report, diags);
    nadi_text_release(&text);
    return good;
}

bool nadi_import_convert_packed(const struct nadi_str *linked, const char *path, const char *output,
                                struct nadi_str *report, struct nadi_diags *diags)
{
    enum { WINDOW = 256 * 1024 };
    struct nadi_text text;
    const bool good = nadi_text_memory(&text, path, linked->text, linked->length, WINDOW, diags) &&
                      convert_text(&text, output, report, diags);
    nadi_text_release(&text);
    return good;
}

static bool write_groups(const char *path, struct nadi_group_book *book, struct nadi_diags *diags)
{
    struct nadi_str json = NADI_STR_INIT;
    nadi_groups_json(&book, 1, &json);
    bool good = nadi_file_write(path, json.text, json.length, diags);
    nadi_str_release(&json);
    return good;
}

static bool write_trace(const char *path, const struct nadi_capture *capture,
                        struct nadi_diags *diags)
{
    struct nadi_out *out = nadi_out_open(path, nadi_coding_of(path), diags);
    if (!out)
        return false;
    nadi_capture_write(capture, out);
    return nadi_out_close(out, diags);
}

static bool convert_all(const struct nadi_convert_options *o, struct nadi_str *report,
                        struct nadi_diags *diags)
{
    struct nadi_capture capture;
    struct nadi_capture_options options = {
        .linked = o->input,
        .rank = NADI_NONE,
        .resolution_ns = o->resolution_ns,
    };
    bool good = nadi_capture_read(&capture, &options, diags);
    if (good) {
        struct nadi_group_book *book = &capture.book;
        nadi_groups_number(&book, 1, 0);
        nadi_capture_build(&capture, diags);
        good = write_trace(o->output, &capture, diags) &&
               (!o->groups || write_groups(o->groups, book, diags));
    }
    if (good) {
        struct nadi_coverage coverage;
        nadi_coverage_of(&coverage, &capture);
        nadi_coverage_text(&coverage, 1, report);
    }
    nadi_capture_release(&capture);
    return good;
}

bool nadi_import_convert(const struct nadi_convert_options *o, struct nadi_str *report,
                         struct nadi_diags *diags)
{
    return (o->compat ? convert_compat : convert_all)(o, report, diags);
}
