#include "api/inside.h"
#include "trace/pack.h"
#include "trace/show.h"

void nadi_trace_show_init(struct nadi_trace_show *options)
{
    *options = (struct nadi_trace_show){.size = sizeof(*options), .input = "-", .output = "-"};
}

void nadi_trace_pack_init(struct nadi_trace_pack *options)
{
    *options = (struct nadi_trace_pack){.size = sizeof(*options), .input = "-", .output = "-"};
}

/* What was shown before the damage stays. */
enum nadi_status nadi_do_trace_show(const struct nadi_trace_show *given,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_show options = *given;
    struct nadi_out *sink = nadi_out_open(options.output, nadi_coding_of(options.output), messages);
    if (!sink)
        return NADI_STATUS_INPUT;
    bool ok = nadi_show(options.input, options.jsonizer ? NADI_SHOW_JSONIZER : NADI_SHOW_LINES,
                        sink, messages);
    ok &= nadi_out_close(sink, messages);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_trace_pack(const struct nadi_trace_pack *given,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_pack options = *given;
    struct nadi_out *sink = nadi_out_open(options.output, nadi_coding_of(options.output), messages);
    if (!sink)
        return NADI_STATUS_INPUT;
    if (!nadi_pack(options.input, sink, messages)) {
        nadi_out_discard(sink);
        return NADI_STATUS_INPUT;
    }
    return nadi_out_close(sink, messages) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
