#include "api/inside.h"
#include "api/trace_edit.h"
#include "base/mem.h"
#include "trace/edit/cut.h"
#include "trace/times.h"

void nadi_trace_slice_init(struct nadi_trace_slice *options)
{
    *options = (struct nadi_trace_slice){
        .size = sizeof(*options),
        .edit.output = "-",
        .last_id = UINT64_MAX,
        .to_ns = UINT64_MAX,
    };
}

void nadi_trace_filter_init(struct nadi_trace_filter *options)
{
    *options = (struct nadi_trace_filter){.size = sizeof(*options), .edit.output = "-"};
}

static bool slice_rank(void *context, const struct nadi_full *f, uint32_t rank,
                       struct nadi_out *sink, struct nadi_edit_report *report,
                       struct nadi_diags *diags)
{
    struct nadi_links links;
    bool *keep = NADI_NEW(bool, f->node_count);
    const bool ok = nadi_links_require(&links, f, diags) &&
                    nadi_slice_select(context, f, &links, rank, keep, diags);
    if (ok)
        nadi_cut_write(f, &links, keep, sink, report);
    nadi_mem_free(keep);
    nadi_links_release(&links);
    return ok;
}

enum nadi_status nadi_do_trace_slice(const struct nadi_trace_slice *given, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_trace_slice o = *given;
    struct nadi_slice slice = {
        .step = o.step,
        .first_id = o.first_id,
        .last_id = o.last_id,
        .from_ns = o.from_ns,
        .to_ns = o.to_ns,
    };
    if (!o.step && o.first_id == 0 && o.last_id == UINT64_MAX && o.from_ns == 0 &&
        o.to_ns == UINT64_MAX) {
        nadi_error(messages, "usage/slice", NADI_NOWHERE, "--step, --nodes or --time",
                   "nothing says what the slice is");
        return NADI_STATUS_INPUT;
    }
    return nadi_edit_files(&o.edit,
                           &(struct nadi_edit_tool){.change = slice_rank, .context = &slice},
                           report, messages);
}

struct filter {
    struct nadi_filter what;
    struct nadi_filter_names *names;
};

static bool filter_rank(void *context, const struct nadi_full *f, uint32_t rank,
                        struct nadi_out *sink, struct nadi_edit_report *report,
                        struct nadi_diags *diags)
{
    struct filter *filter = context;
    struct nadi_links links;
    bool *keep = NADI_NEW(bool, f->node_count);
    const bool ok = nadi_links_require(&links, f, diags);
    (void)rank;
    if (ok) {
        nadi_filter_select(&filter->what, filter->names, f, keep);
        nadi_cut_write(f, &links, keep, sink, report);
    }
    nadi_mem_free(keep);
    nadi_links_release(&links);
    return ok;
}

/* "host,memory" */
static bool read_kinds(const char *text, unsigned *kinds, struct nadi_diags *messages)
{
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, ",");
        unsigned kind = 0;
        while (kind < NADI_FILTER_KINDS && (strlen(nadi_filter_kind_name(kind)) != length ||
                                            memcmp(nadi_filter_kind_name(kind), at, length) != 0))
            kind++;
        if (kind == NADI_FILTER_KINDS)
            return nadi_error(messages, "usage/word", NADI_NOWHERE,
                              "host, device, memory, send, recv, collective, metadata, other",
                              "no kind of node is called '%.*s'", (int)length, at);
        *kinds |= 1u << kind;
        at += length + (at[length] == ',');
    }
    return true;
}

enum nadi_status nadi_do_trace_filter(const struct nadi_trace_filter *given, char **report,
                                      struct nadi_diags *messages)
{
    struct nadi_trace_filter o = *given;
    struct filter filter = {0};
    filter.what.drop_names = o.drop_name;
    filter.what.keep_names = o.keep_name;
    if (!read_kinds(o.drop, &filter.what.drop_kinds, messages))
        return NADI_STATUS_INPUT;
    if (!filter.what.drop_kinds && !o.drop_name && !o.keep_name) {
        nadi_error(messages, "usage/filter", NADI_NOWHERE, "--drop, --drop-name or --keep-name",
                   "nothing says what to drop");
        return NADI_STATUS_INPUT;
    }
    filter.names = nadi_filter_names_create(&filter.what, messages);
    if (!filter.names)
        return NADI_STATUS_INPUT;
    const enum nadi_status status = nadi_edit_files(
        &o.edit, &(struct nadi_edit_tool){.change = filter_rank, .context = &filter}, report,
        messages);
    nadi_filter_names_destroy(filter.names);
    return status;
}
