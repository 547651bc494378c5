#include "api/inside.h"
#include "api/trace_edit.h"
#include "base/file.h"
#include "base/mem.h"
#include "frontend/param_write.h"
#include "sim/fleet.h"

void nadi_trace_to_param_init(struct nadi_trace_to_param *options)
{
    *options = (struct nadi_trace_to_param){.size = sizeof(*options)};
}

static bool write_ranks(const struct nadi_trace_to_param *o, const struct nadi_trace_source *source,
                        struct nadi_trace *const *traces, struct nadi_diags *diags)
{
    struct nadi_groups groups;
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    bool ok = nadi_fleet_groups(&groups, o->groups, traces, source->count, traces, source->count,
                                diags) &&
              nadi_file_make_parent(o->output, diags);
    for (uint32_t i = 0; i < 2 * source->count && ok;
         i++) { /* all are sound before one is written */
        const uint32_t r = i % source->count;
        nadi_str_clear(&text);
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s.%u.param.json", o->output, r);
        ok = nadi_param_write(traces[r], &groups, r, &text, diags) &&
             (i < source->count ||
              nadi_file_write(nadi_str_get(&path), text.text, text.length, diags));
    }
    nadi_groups_release(&groups);
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}

enum nadi_status nadi_do_trace_to_param(const struct nadi_trace_to_param *given, char **report,
                                        struct nadi_diags *messages)
{
    struct nadi_trace_source source = {0};
    struct nadi_str text = NADI_STR_INIT;
    if (!nadi_edit_prefix(given->output, messages) ||
        !nadi_trace_source_ranks(&source, given->inputs.names, given->inputs.count,
                                 "PARAM's replay reads a file for each rank", messages)) {
        nadi_trace_source_release(&source);
        return NADI_STATUS_INPUT;
    }
    struct nadi_trace **traces = NADI_ZNEW(struct nadi_trace *, source.count);
    bool ok = true;
    for (uint32_t r = 0; r < source.count && ok; r++) {
        traces[r] = nadi_trace_read(source.paths[r], 0, messages);
        ok = traces[r] != NULL;
    }
    ok = ok && write_ranks(given, &source, traces, messages);
    if (ok)
        nadi_str_printf(&text, "%s.0.param.json to %s.%u.param.json\n", given->output,
                        given->output, source.count - 1);
    *report = text.text;
    for (uint32_t r = 0; r < source.count; r++)
        nadi_trace_destroy(traces[r]);
    nadi_mem_free(traces);
    nadi_trace_source_release(&source);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
