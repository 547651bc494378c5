#include "report/trace_timeline.h"
#include "api/inside.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"
#include "fleet/source.h"
#include "format/inflate.h"

void nadi_trace_timeline_init(struct nadi_trace_timeline *options)
{
    *options = (struct nadi_trace_timeline){
        .size = sizeof(*options), .output = "-", .cycles_per_us = 1000};
}

/* --- traces ------------------------------------------------------------------------------------
 */

/* When the first node of the trace started, in us; UINT64_MAX when no time was recorded. */
static uint64_t first_start(const struct nadi_full *f)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < f->node_count; i++) {
        if (nadi_full_has_start(f, &f->nodes[i]))
            first = nadi_min_u64(first, f->nodes[i].start_micros);
    }
    return first;
}

/* first_micros: of the earliest rank; clocks of ranks are taken to agree. */
static bool add_trace(struct nadi_trace_timeline_writer *w, const struct nadi_full *f,
                      uint32_t rank, uint64_t first_micros, struct nadi_diags *messages)
{
    struct nadi_links links;
    struct nadi_trace_times times;
    const uint64_t first = first_start(f);
    const bool ok = nadi_links_view(&links, f, messages);
    if (ok) {
        nadi_times_make(&times, f, &links);
        nadi_timeline_json_trace(w, f, &links, &times, rank == NADI_NONE ? 0 : rank,
                                 first == UINT64_MAX ? 0 : (first - first_micros) * 1000);
        nadi_times_release(&times);
    }
    nadi_links_release(&links);
    return ok;
}

static bool add_traces(struct nadi_trace_timeline_writer *w, const struct nadi_trace_source *source,
                       struct nadi_diags *messages)
{
    uint64_t first = UINT64_MAX;
    bool ok = true;
    for (uint32_t i = 0; ok && i < source->count; i++) {
        struct nadi_full *f = nadi_full_read(source->paths[i], messages);
        ok = f != NULL;
        first = ok ? nadi_min_u64(first, first_start(f)) : first;
        nadi_full_destroy(f);
    }
    for (uint32_t i = 0; ok && i < source->count; i++) {
        struct nadi_full *f = nadi_full_read(source->paths[i], messages);
        ok = f && add_trace(w, f, source->ranks[i], first, messages);
        nadi_full_destroy(f);
    }
    return ok;
}

/* --- one file, of either kind ------------------------------------------------------------------
 */

static bool add_log(struct nadi_trace_timeline_writer *w, const char *path,
                    const struct nadi_str *text, double cycles_per_us, struct nadi_diags *messages)
{
    struct nadi_issue_log log;
    const bool ok = nadi_issue_log_parse(&log, path, nadi_str_get(text), text->length, messages);
    if (ok)
        nadi_timeline_json_log(w, &log, cycles_per_us);
    nadi_issue_log_release(&log);
    return ok;
}

static bool add_file(struct nadi_trace_timeline_writer *w, const struct nadi_trace_source *source,
                     double cycles_per_us, struct nadi_diags *messages)
{
    const char *path = source->paths[0];
    struct nadi_str text = NADI_STR_INIT;
    char *data = NULL;
    size_t bytes = 0;
    bool ok =
        nadi_file_read(path, "trace or log", &data, &bytes, messages) &&
        nadi_inflate_all(path, data, bytes, &text, messages) &&
        nadi_signature_check(path, "trace or log", nadi_str_get(&text), text.length, messages);
    if (ok && nadi_issue_log_looks_so(nadi_str_get(&text), text.length)) {
        ok = add_log(w, path, &text, cycles_per_us, messages);
    } else if (ok) {
        struct nadi_full *f = nadi_full_parse(path, nadi_str_get(&text), text.length, messages);
        ok = f && add_trace(w, f, source->ranks[0], first_start(f), messages);
        nadi_full_destroy(f);
    }
    nadi_mem_free(data);
    nadi_str_release(&text);
    return ok;
}

enum nadi_status nadi_do_trace_timeline(const struct nadi_trace_timeline *given,
                                        struct nadi_diags *messages)
{
    struct nadi_trace_timeline options = *given;
    struct nadi_trace_source source;
    if (!(options.cycles_per_us > 0)) {
        nadi_error(messages, "usage/frequency", NADI_NOWHERE, "cycles a microsecond, above 0",
                   "no frequency");
        return NADI_STATUS_INPUT;
    }
    bool ok = nadi_trace_source_ranks(
        &source, options.inputs.names, options.inputs.count,
        "a timeline has a row for each rank; of a run `nadi run --out` writes one", messages);
    struct nadi_out *sink =
        ok ? nadi_out_open(options.output, nadi_coding_of(options.output), messages) : NULL;
    if (sink) {
        struct nadi_trace_timeline_writer *w = NADI_NEW(struct nadi_trace_timeline_writer, 1);
        nadi_timeline_json_begin(w, sink);
        ok = source.count > 1 ? add_traces(w, &source, messages)
                              : add_file(w, &source, options.cycles_per_us, messages);
        if (ok)
            nadi_timeline_json_end(w);
        nadi_mem_free(w);
    }
    if (sink && ok)
        ok = nadi_out_close(sink, messages);
    else
        nadi_out_discard(sink);
    nadi_trace_source_release(&source);
    return ok && sink ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
