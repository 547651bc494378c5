/* cluster_bill: the bill of a cluster as its file describes it. */
#include "cost/bill.h"
#include "platform/graph_file.h"

bool nadi_bill_of_cluster(struct nadi_bill *b, const struct nadi_cluster *c, uint64_t npus,
                          const struct nadi_prices *prices, const struct nadi_economy *economy,
                          struct nadi_diags *diags)
{
    struct nadi_graph_file network;
    struct nadi_bill_subject subject = {.device = c->device_name,
                                        .device_text = c->device.name,
                                        .npus = npus,
                                        .topology = &c->topology};
    *b = (struct nadi_bill){0};
    if (prices->tier_count && !prices->part_count)
        return nadi_error(diags, "cost/tiers", NADI_IN_FILE(prices->path),
                          "name a catalogue with parts",
                          "the catalogue has prices of tiers only, and a cluster has none");
    if (!c->graph)
        return nadi_bill_make(b, &subject, prices, economy, diags);
    bool ok = nadi_graph_file_read(&network, c->graph, diags);
    subject.topology = NULL;
    subject.graph = &network.graph;
    subject.npus = network.graph.host_count; /* idle ones are bought as well */
    ok = ok && nadi_bill_make(b, &subject, prices, economy, diags);
    nadi_graph_file_release(&network);
    return ok;
}
