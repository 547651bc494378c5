#include "capture/capture.h"
#include "capture/compat_link.h"
#include "capture/coverage.h"
#include "capture/import.h"
#include "capture/link_write.h"

static bool read_captures(const struct nadi_link_options *o, struct nadi_host *host,
                          struct nadi_kineto *kineto, struct nadi_diags *diags)
{
    struct nadi_text text;
    bool good = nadi_text_open(&text, o->host, true, diags) && nadi_host_read(host, &text, diags);
    nadi_text_release(&text);
    if (!good || !nadi_host_check_ids(host, o->host, o->force, diags))
        return false;
    good = nadi_text_open(&text, o->device, false, diags) && nadi_kineto_read(kineto, &text, diags);
    nadi_text_release(&text);
    return good;
}

/* The published linker asks nothing of the rank and takes whatever it gets; here it is said. */
static void warn(const struct nadi_link_options *o, const struct nadi_kineto *kineto,
                 const struct nadi_link_count *count, struct nadi_diags *diags)
{
    uint32_t said = nadi_capture_rank(kineto);
    if (o->rank != NADI_NONE && said != NADI_NONE && said != o->rank)
        nadi_warning(diags, "capture/rank", NADI_IN_FILE(o->device), NULL,
                     "this profile is of rank %" PRIu32 ", used for rank %" PRIu32, said, o->rank);
    if (count->timed_nodes * 2 < count->host_nodes)
        nadi_warning(diags, "capture/mismatch", NADI_IN_FILE(o->device),
                     "are both of one run, and has the profile \"Record function id\"? Without "
                     "--compat 1.0.0 other ways of linking are tried",
                     "only %zu of %zu nodes of the execution trace have times", count->timed_nodes,
                     count->host_nodes);
}

/* The published linker compares no names; another program's profile has the same small numbers. A
 * few may differ: a thread is called so here and so there. */
static bool check_names(const struct nadi_link_options *o, const struct nadi_host *host,
                        const struct nadi_compat_link *link, struct nadi_diags *diags)
{
    enum { FEW = 20 };
    size_t same_id = 0, agreed = 0;
    for (size_t i = 0; i < host->nodes.count; i++) {
        const struct nadi_host_node *n = &host->nodes.items[i];
        const struct nadi_compat_op *op = nadi_compat_op_of(link, n);
        if (!op)
            continue;
        const struct nadi_kineto_event *e = &link->kineto->events.items[op->event];
        same_id++;
        agreed += nadi_str_equal(nadi_names_get(&host->names, n->name),
                                 nadi_names_get(&link->kineto->names, e->name));
    }
    if (o->force || same_id < FEW || agreed * 2 >= same_id)
        return true;
    return nadi_error(
        diags, "capture/mismatch", NADI_IN_FILE(o->device),
        "are both of one run and one rank? --force links them all the same",
        "the profile and the execution trace do not belong together: of %zu operators "
        "with one record-function id %zu have one name",
        same_id, agreed);
}

bool nadi_import_link_compat(const struct nadi_link_options *o, struct nadi_str *linked,
                             uint32_t *said, struct nadi_str *report, struct nadi_diags *diags)
{
    struct nadi_host host = {.text.fd = -1};
    struct nadi_kineto kineto = {0};
    struct nadi_compat_link link = {0};
    struct nadi_out *out = NULL;
    bool good = read_captures(o, &host, &kineto, diags) &&
                nadi_compat_link(&link, &kineto, o->device, diags) &&
                check_names(o, &host, &link, diags) &&
                (out = linked ? nadi_out_memory(linked, NADI_CODING_ZSTD)
                              : nadi_out_open(o->output, nadi_coding_of(o->output), diags)) != NULL;
    if (good) {
        struct nadi_link_count count = nadi_link_write(out, &host, &link);
        good = nadi_out_close(out, diags);
        warn(o, &kineto, &count, diags);
        *said = nadi_capture_rank(&kineto);
        nadi_str_printf(report,
                        "%zu of %zu operators have times, %zu of %zu device events are linked; "
                        "%zu nodes",
                        count.timed_nodes, count.host_nodes, link.device_linked, link.device_total,
                        count.host_nodes + count.device_nodes);
    }
    nadi_compat_link_release(&link);
    nadi_kineto_release(&kineto);
    nadi_host_release(&host);
    return good;
}

static bool link_compat(const struct nadi_link_options *o, struct nadi_str *report,
                        struct nadi_diags *diags)
{
    uint32_t said;
    if (!nadi_import_link_compat(o, NULL, &said, report, diags))
        return false;
    nadi_str_printf(report, " in %s\n", o->output);
    return true;
}

static bool link_all(const struct nadi_link_options *o, struct nadi_str *report,
                     struct nadi_diags *diags)
{
    struct nadi_capture capture;
    struct nadi_capture_options options = {
        .host = o->host,
        .device = o->device,
        .rank = o->rank,
        .force = o->force,
        .resolution_ns = NADI_RESOLUTION_NS,
    };
    struct nadi_out *out = NULL;
    bool good = nadi_capture_read(&capture, &options, diags) &&
                (out = nadi_out_open(o->output, nadi_coding_of(o->output), diags)) != NULL;
    if (good) {
        nadi_capture_link(&capture, out);
        good = nadi_out_close(out, diags);
    }
    if (good) {
        struct nadi_group_book *book = &capture.book;
        struct nadi_coverage coverage;
        nadi_groups_number(&book, 1, 0);
        nadi_capture_build(&capture, diags);
        nadi_coverage_of(&coverage, &capture);
        nadi_coverage_text(&coverage, 1, report);
    }
    nadi_capture_release(&capture);
    return good;
}

bool nadi_import_link(const struct nadi_link_options *o, struct nadi_str *report,
                      struct nadi_diags *diags)
{
    return (o->compat ? link_compat : link_all)(o, report, diags);
}
