#include "support/result_same.h"

static int by_rank_then_node(const void *a, const void *b)
{
    const struct nadi_span *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool differ(const char *who, const char *what, uint64_t where, uint64_t want, uint64_t got)
{
    fprintf(stderr, "%s: %s %" PRIu64 ": the first run has %" PRIu64 ", this one has %" PRIu64 "\n",
            who, what, where, want, got);
    return false;
}

#define SAME(what, where, field)                                                                   \
    do {                                                                                           \
        if ((want)->field != (got)->field)                                                         \
            return differ(who, (what), (where), (uint64_t)(want)->field, (uint64_t)(got)->field);  \
    } while (0)

static bool same_rank(const char *who, uint32_t rank, const struct nadi_rank_result *want,
                      const struct nadi_rank_result *got)
{
    SAME("finish of rank", rank, finish_ns);
    SAME("exposed communication of rank", rank, exposed_comm_ns);
    SAME("compute of rank", rank, compute_ns);
    SAME("communication of rank", rank, comm_ns);
    SAME("truly exposed communication of rank", rank, true_exposed_comm_ns);
    SAME("idle time of rank", rank, idle_ns);
    SAME("nodes done of rank", rank, nodes_done);
    SAME("time that computations lost to copies of rank", rank, compute_slowed_ns);
    return true;
}

static bool same_span(const char *who, const struct nadi_span *want, const struct nadi_span *got)
{
    SAME("rank of a node", want->node, rank);
    SAME("node of rank", want->rank, node);
    SAME("start of node", want->node, start_ns);
    SAME("end of node", want->node, end_ns);
    return true;
}

static bool same_link(const char *who, uint32_t link, const struct nadi_link_result *want,
                      const struct nadi_link_result *got)
{
    SAME("messages of link", link, messages);
    SAME("bytes of link", link, bytes);
    SAME("busy time of link", link, busy_ns);
    SAME("waiting at link", link, wait_ns);
    SAME("most that waited at link", link, most_waiting);
    return true;
}

static bool same_device(const char *who, uint32_t device, const struct nadi_device_result *want,
                        const struct nadi_device_result *got)
{
    SAME("lines of device", device, lines);
    SAME("data of device", device, data_bytes);
    SAME("bytes on links of device", device, wire_bytes);
    SAME("flags of device", device, flags);
    SAME("stalls of device", device, stalled_ns);
    SAME("messages (simple) of device", device, simple);
    SAME("messages (LL) of device", device, ll);
    SAME("messages (LL128) of device", device, ll128);
    return true;
}

static bool same_totals(const char *who, const struct nadi_result *want,
                        const struct nadi_result *got)
{
    SAME("outcome", 0, outcome);
    SAME("end", 0, end_ns);
    SAME("messages", 0, messages);
    SAME("bytes", 0, message_bytes);
    SAME("bytes asked for", 0, offered_bytes);
    SAME("dimensions", 0, dim_count);
    SAME("links", 0, link_count);
    SAME("devices", 0, device_count);
    SAME("spans", 0, span_count);
    SAME("flows", 0, flow_count);
    for (uint32_t d = 0; d < want->dim_count; d++) {
        SAME("messages of dimension", d, dims[d].messages);
        SAME("bytes of dimension", d, dims[d].bytes);
        SAME("busy time of dimension", d, dims[d].busy_ns);
    }
    for (uint32_t t = 0; t < NADI_NODE_TYPES; t++)
        SAME("nodes of type", t, nodes_by_type[t]);
    return true;
}

/* Finished ranks stand once each, in the order in which they finished. */
static bool in_order(const char *who, const struct nadi_result *r)
{
    uint64_t last = 0;
    uint32_t finished = 0;
    for (uint32_t rank = 0; rank < r->rank_count; rank++)
        finished += nadi_result_rank(r, rank)->finished;
    if (r->finished_count != finished)
        return differ(who, "finished ranks, of", r->rank_count, finished, r->finished_count);
    for (uint32_t i = 0; i < r->finished_count; i++) {
        const uint64_t at = nadi_result_rank(r, r->finish_order[i])->finish_ns;
        if (at < last)
            return differ(who, "finish in place", i, last, at);
        last = at;
    }
    return true;
}

bool result_same(const char *who, struct nadi_result *want, struct nadi_result *got)
{
    if (!same_totals(who, want, got) || !in_order("the first run", want) || !in_order(who, got))
        return false;
    for (uint32_t rank = 0; rank < want->rank_count; rank++)
        if (!same_rank(who, rank, nadi_result_rank(want, rank), nadi_result_rank(got, rank)))
            return false;
    for (uint32_t link = 0; link < want->link_count; link++)
        if (!same_link(who, link, &want->links[link], &got->links[link]))
            return false;
    for (uint32_t device = 0; device < want->device_count; device++)
        if (!same_device(who, device, &want->devices[device], &got->devices[device]))
            return false;
    if (want->span_count == 0)
        return true;
    qsort(want->spans, want->span_count, sizeof(*want->spans), by_rank_then_node);
    qsort(got->spans, got->span_count, sizeof(*got->spans), by_rank_then_node);
    for (size_t i = 0; i < want->span_count; i++)
        if (!same_span(who, &want->spans[i], &got->spans[i]))
            return false;
    return true;
}
