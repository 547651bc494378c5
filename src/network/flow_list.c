#include "network/flow_list.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/signature.h"
#include "base/time.h"

#define MAX_START_NS 9e15 /* 104 days: inside the clock's range */
#define MAX_BYTES    (UINT64_C(1) << 50)

static bool read_flow(struct nadi_scan *s, struct nadi_flow_spec *f)
{
    double start_ns;
    if (!nadi_scan_u32(s, "source of a flow", INT32_MAX, &f->src) ||
        !nadi_scan_u32(s, "destination of a flow", INT32_MAX, &f->dst) ||
        !nadi_scan_u32(s, "priority of a flow", 7, &f->priority))
        return false;
    f->line = s->place.line;
    if (f->priority == 0)
        return nadi_scan_error(s, "RoCE traffic commonly uses 3",
                               "priority 0 is for control frames; a flow has 1 to 7");
    if (!nadi_scan_u32(s, "destination port of a flow", UINT16_MAX, &f->port) ||
        !nadi_scan_u64(s, "size of a flow in bytes", MAX_BYTES, &f->bytes) ||
        !nadi_scan_quantity(s, "start of a flow", NADI_DIMENSION_TIME, 1e9, 0, MAX_START_NS,
                            &start_ns))
        return false;
    f->start = nadi_time_of_ns(start_ns);
    while (nadi_scan_same_line(s))
        ;
    return true;
}

bool nadi_flow_list_parse(struct nadi_flow_list *list, const char *path, char *text, size_t bytes,
                          struct nadi_diags *diags)
{
    struct nadi_scan s;
    uint64_t count;
    nadi_scan_init(&s, path, "hpcc/flows", text, bytes, diags);
    if (!nadi_scan_u64(&s, "number of flows", UINT32_MAX - 1, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct nadi_flow_spec flow;
        if (!read_flow(&s, &flow))
            return false;
        NADI_PUSH(list, flow);
    }
    if (nadi_scan_next(&s) && s.word[0] >= '0' && s.word[0] <= '9')
        nadi_diags_add(diags, NADI_WARNING, "hpcc/flows", s.place,
                       "the first line is the number of flows",
                       "more follows after the %" PRIu64
                       " flow%s that the first line promises; it is not read",
                       count, count == 1 ? "" : "s");
    return true;
}

bool nadi_flow_list_read(struct nadi_flow_list *list, const char *path, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_file_read(path, "flow file", &text, &bytes, diags))
        return false;
    const bool good = nadi_signature_check(path, "flow file", text, bytes, diags) &&
                      nadi_flow_list_parse(list, path, text, bytes, diags);
    nadi_mem_free(text);
    return good;
}

void nadi_flow_list_release(struct nadi_flow_list *list)
{
    nadi_mem_free(list->items);
}

static bool check_end(uint32_t *node, size_t flow, const struct nadi_graph *g,
                      struct nadi_place place, struct nadi_diags *diags)
{
    if (*node >= g->node_count)
        return nadi_error(diags, "hpcc/flow-end", place, NULL,
                          "flow %zu names node %" PRIu32 ", but the topology has %" PRIu32
                          " nodes, from 0",
                          flow, *node, g->node_count);
    if (g->nodes[*node].kind != NADI_GRAPH_HOST)
        return nadi_error(diags, "hpcc/flow-end", place, "flows begin and end at hosts",
                          "flow %zu names node %" PRIu32 ", which is a switch", flow, *node);
    *node = g->nodes[*node].host;
    return true;
}

bool nadi_flow_list_check(struct nadi_flow_list *list, const struct nadi_graph *g, const char *path,
                          struct nadi_diags *diags)
{
    for (size_t i = 0; i < list->count; i++) {
        struct nadi_flow_spec *f = &list->items[i];
        struct nadi_place place = NADI_IN_FILE(path);
        place.line = f->line;
        if (!check_end(&f->src, i, g, place, diags) || !check_end(&f->dst, i, g, place, diags))
            return false;
        if (f->src == f->dst)
            return nadi_error(diags, "hpcc/flow-end", place,
                              "remove it: nothing would cross the network",
                              "flow %zu begins and ends at the same host", i);
    }
    return true;
}
