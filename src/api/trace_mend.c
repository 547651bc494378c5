#include "api/inside.h"
#include "api/trace_edit.h"
#include "trace/edit/fuse.h"
#include "trace/edit/repair.h"
#include "trace/times.h"

void nadi_trace_merge_init(struct nadi_trace_merge *options)
{
    *options =
        (struct nadi_trace_merge){.size = sizeof(*options), .edit.output = "-", .most = UINT64_MAX};
}

void nadi_trace_repair_init(struct nadi_trace_repair *options)
{
    *options = (struct nadi_trace_repair){.size = sizeof(*options), .edit.output = "-"};
}

static bool merge_rank(void *context, const struct nadi_full *f, uint32_t rank,
                       struct nadi_out *sink, struct nadi_edit_report *report,
                       struct nadi_diags *diags)
{
    const struct nadi_trace_merge *o = context;
    struct nadi_links links;
    const bool ok = nadi_links_require(&links, f, diags);
    (void)rank;
    if (ok)
        nadi_fuse_write(f, &links, o->most, sink, report);
    nadi_links_release(&links);
    return ok;
}

enum nadi_status nadi_do_trace_merge(const struct nadi_trace_merge *given, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_trace_merge o = *given;
    if (o.most < 2) {
        nadi_error(messages, "usage/merge", NADI_NOWHERE, "2 or more",
                   "chains of one node are no chains");
        return NADI_STATUS_INPUT;
    }
    return nadi_edit_files(&o.edit, &(struct nadi_edit_tool){.change = merge_rank, .context = &o},
                           report, messages);
}

static struct nadi_full *read_damaged(void *context, const char *path, uint32_t rank,
                                      struct nadi_edit_report *report, struct nadi_diags *diags)
{
    (void)context;
    return nadi_repair_read(path, rank, report, diags);
}

static bool repair_rank(void *context, const struct nadi_full *f, uint32_t rank,
                        struct nadi_out *sink, struct nadi_edit_report *report,
                        struct nadi_diags *diags)
{
    (void)context;
    nadi_repair_write(f, rank, sink, report, diags);
    return true;
}

enum nadi_status nadi_do_trace_repair(const struct nadi_trace_repair *given, char **report,
                                      struct nadi_diags *messages)
{
    struct nadi_trace_repair o = *given;
    return nadi_edit_files(&o.edit,
                           &(struct nadi_edit_tool){.read = read_damaged, .change = repair_rank},
                           report, messages);
}
