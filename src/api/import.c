#include "capture/import.h"
#include "api/inside.h"

#include "base/file.h"
#include "base/mem.h"

_Static_assert(NADI_UNKNOWN_RANK == NADI_NONE, "an unknown rank is no index");

static enum nadi_status hand_over(bool good, struct nadi_str *text, char **report)
{
    if (good)
        nadi_str_add(text, "");
    else
        nadi_str_release(text);
    *report = good ? text->text : NULL;
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

static int64_t resolution(uint64_t ns)
{
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

void nadi_trace_link_init(struct nadi_trace_link *options)
{
    *options = (struct nadi_trace_link){.size = sizeof(*options), .rank = NADI_UNKNOWN_RANK};
}

enum nadi_status nadi_do_trace_link(const struct nadi_trace_link *given, char **report,
                                    struct nadi_diags *messages)
{
    const struct nadi_trace_link o = *given;
    struct nadi_link_options options = {
        .host = o.host,
        .device = o.device,
        .output = o.output,
        .rank = o.rank,
        .compat = o.compat != 0,
        .force = o.force != 0,
    };
    struct nadi_str text = NADI_STR_INIT;
    return hand_over(nadi_import_link(&options, &text, messages), &text, report);
}

void nadi_trace_convert_init(struct nadi_trace_convert *options)
{
    *options =
        (struct nadi_trace_convert){.size = sizeof(*options), .resolution_ns = NADI_RESOLUTION_NS};
}

enum nadi_status nadi_do_trace_convert(const struct nadi_trace_convert *given, char **report,
                                       struct nadi_diags *messages)
{
    const struct nadi_trace_convert o = *given;
    struct nadi_convert_options options = {
        .input = o.input,
        .output = o.output,
        .groups = o.groups,
        .compat = o.compat != 0,
        .resolution_ns = resolution(o.resolution_ns),
    };
    struct nadi_str text = NADI_STR_INIT;
    return hand_over(nadi_import_convert(&options, &text, messages), &text, report);
}

void nadi_trace_import_init(struct nadi_trace_import *options)
{
    *options = (struct nadi_trace_import){.size = sizeof(*options),
                                          .suffix = "",
                                          .first_rank = NADI_UNKNOWN_RANK,
                                          .last_rank = NADI_UNKNOWN_RANK,
                                          .resolution_ns = NADI_RESOLUTION_NS};
}

enum nadi_status nadi_do_trace_import(const struct nadi_trace_import *given, char **report,
                                      struct nadi_diags *messages)
{
    const struct nadi_trace_import o = *given;
    struct nadi_import_options options = {
        .host = o.host,
        .device = o.device,
        .output = o.output,
        .suffix = o.suffix ? o.suffix : "",
        .groups = o.groups,
        .report_json = o.report_json,
        .first_rank = o.first_rank,
        .last_rank = o.last_rank,
        .threads = o.threads,
        .force = o.force != 0,
        .compat = o.compat != 0,
        .resolution_ns = resolution(o.resolution_ns),
    };
    struct nadi_str text = NADI_STR_INIT;
    return hand_over(nadi_file_make_parent(o.output, messages) &&
                         nadi_import_ranks(&options, &text, messages),
                     &text, report);
}
