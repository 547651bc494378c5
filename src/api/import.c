#include "trace/import/import.h"
#include "base/str.h"

#include <nadi/import.h>

/* The caller's struct may be shorter (older header): what it lacks keeps its default. */
static void complete(void *mine, size_t bytes, const void *given, size_t given_bytes)
{
    memcpy(mine, given, given_bytes < bytes ? given_bytes : bytes);
}

void nadi_trace_link_init(struct nadi_trace_link *options)
{
    *options = (struct nadi_trace_link){.size = sizeof(*options)};
}

enum nadi_status nadi_trace_link(const struct nadi_trace_link *given, char **report,
                                 struct nadi_diags *messages)
{
    struct nadi_trace_link o;
    nadi_trace_link_init(&o);
    complete(&o, sizeof(o), given, given->size);
    *report = NULL;
    struct nadi_link_options options = {
        .host = o.host,
        .device = o.device,
        .output = o.output,
        .rank = o.rank,
        .compat = true,
    };
    struct nadi_link_report r;
    if (!nadi_import_link(&options, &r, messages))
        return NADI_STATUS_INPUT;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "%" PRIu64 " of %" PRIu64 " operators have times, %" PRIu64 " of %" PRIu64
                    " device events are linked; %" PRIu64 " nodes in %s\n",
                    r.timed_nodes, r.host_nodes, r.linked_devices, r.device_events, r.written_nodes,
                    o.output);
    *report = text.text;
    return NADI_STATUS_DONE;
}

void nadi_trace_convert_init(struct nadi_trace_convert *options)
{
    *options = (struct nadi_trace_convert){.size = sizeof(*options)};
}

enum nadi_status nadi_trace_convert(const struct nadi_trace_convert *given, char **report,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_convert o;
    nadi_trace_convert_init(&o);
    complete(&o, sizeof(o), given, given->size);
    *report = NULL;
    struct nadi_convert_options options = {.input = o.input, .output = o.output, .compat = true};
    struct nadi_convert_report r;
    if (!nadi_import_convert(&options, &r, messages))
        return NADI_STATUS_INPUT;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "%" PRIu64 " of %" PRIu64 " nodes in %s\n", r.written_nodes,
                    r.read_nodes, o.output);
    *report = text.text;
    return NADI_STATUS_DONE;
}
