#include "api/inside.h"
#include "api/trace_edit.h"
#include "base/file.h"
#include "frontend/frontend.h"

void nadi_trace_from_tool_init(struct nadi_trace_from_tool *options)
{
    *options = (struct nadi_trace_from_tool){.size = sizeof(*options)};
}

static void describe(const struct nadi_front_job *job, const char *form, const char *prefix,
                     struct nadi_str *out)
{
    uint64_t nodes = 0, kinds[4] = {0};
    for (uint32_t r = 0; r < job->rank_count; r++) {
        nodes += job->ranks[r].nodes.count;
        for (size_t i = 0; i < job->ranks[r].nodes.count; i++)
            kinds[job->ranks[r].nodes.items[i].kind]++;
    }
    nadi_str_printf(out, "%s.0.et", prefix);
    if (job->rank_count > 1)
        nadi_str_printf(out, " to %s.%u.et", prefix, job->rank_count - 1);
    nadi_str_printf(out, ": %" PRIu64 " nodes on %u rank%s, from %s\n", nodes, job->rank_count,
                    job->rank_count == 1 ? "" : "s", form);
    nadi_str_printf(out, "  %" PRIu64 " compute, %" PRIu64 " collectives, %" PRIu64 " messages\n",
                    kinds[NADI_FRONT_COMPUTE], kinds[NADI_FRONT_COLLECTIVE],
                    kinds[NADI_FRONT_SEND] + kinds[NADI_FRONT_RECV]);
    if (job->groups.count > 1)
        nadi_str_printf(out, "  %s.groups.json: %zu process groups, for --groups\n", prefix,
                        job->groups.count - 1);
    if (job->unsized)
        nadi_str_printf(out,
                        "  %" PRIu64 " communications without a size in the file: compute nodes of "
                        "their recorded time\n",
                        job->unsized);
    if (job->left_out)
        nadi_str_printf(out, "  %" PRIu64 " events or calls are no work and were left out\n",
                        job->left_out);
}

enum nadi_status nadi_do_trace_from_tool(const struct nadi_trace_from_tool *given, char **report,
                                         struct nadi_diags *messages)
{
    const struct nadi_front_source source = {given->inputs.names, given->inputs.count,
                                             given->ranks};
    struct nadi_front_job job;
    struct nadi_str text = NADI_STR_INIT;
    if (!nadi_edit_prefix(given->output, messages))
        return NADI_STATUS_INPUT;
    const struct nadi_front_form *form =
        nadi_front_form_find(given->form, given->inputs.names[0], messages);
    if (!form)
        return NADI_STATUS_INPUT;
    nadi_front_init(&job, 0);
    const bool ok = form->read(&job, &source, messages) &&
                    nadi_file_make_parent(given->output, messages) &&
                    nadi_front_save(&job, given->output, messages);
    if (ok)
        describe(&job, form->name, given->output, &text);
    *report = text.text;
    nadi_front_release(&job);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
