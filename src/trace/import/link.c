#include "trace/import/import.h"

#include "trace/import/compat_link.h"
#include "trace/import/link_write.h"

static bool read_captures(const struct nadi_link_options *o, struct nadi_host *host,
                          struct nadi_kineto *kineto, struct nadi_diags *diags)
{
    struct nadi_text text;
    bool good = nadi_text_open(&text, o->host, true, diags) && nadi_host_read(host, &text, diags);
    nadi_text_release(&text);
    if (!good)
        return false;
    good = nadi_text_open(&text, o->device, false, diags) && nadi_kineto_read(kineto, &text, diags);
    nadi_text_release(&text);
    return good;
}

bool nadi_import_link(const struct nadi_link_options *o, struct nadi_link_report *report,
                      struct nadi_diags *diags)
{
    struct nadi_host host = {.text.fd = -1};
    struct nadi_kineto kineto = {0};
    struct nadi_compat_link link = {0};
    struct nadi_link_count count = {0};
    bool good = read_captures(o, &host, &kineto, diags) &&
                nadi_compat_link(&link, &kineto, o->device, diags) &&
                nadi_link_write(o->output, &host, &link, &count, diags);
    *report = (struct nadi_link_report){
        .host_nodes = count.host_nodes,
        .timed_nodes = count.timed_nodes,
        .device_events = link.device_total,
        .linked_devices = link.device_linked,
        .written_nodes = count.host_nodes + count.device_nodes,
    };
    nadi_compat_link_release(&link);
    nadi_kineto_release(&kineto);
    nadi_host_release(&host);
    return good;
}
