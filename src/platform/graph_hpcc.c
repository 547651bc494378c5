#include "platform/graph_hpcc.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/signature.h"
#include "base/time.h"

enum { MAX_NODES = 1 << 24 }; /* and links: keeps a nonsense header from exhausting memory */

#define MAX_LATENCY_NS 1e12 /* 1000 s */
#define MAX_RATE       1e16 /* byte/s */

struct header {
    uint32_t nodes, switches, links;
    bool has_type; /* of GPU, behind the counts: SimAI's */
};

/* Behind the first number: do four words and one that is no number end the line, as in SimAI's
 * files? Programs made of it add the number of GPUs a node. */
static bool is_of_simai(const struct nadi_scan *s)
{
    uint32_t words = 0;
    bool letter = false, inside = false;
    for (const char *c = s->at; c < s->end && *c != '\n'; c++) {
        const bool blank = *c == ' ' || *c == '\t' || *c == '\r';
        if (!blank && !inside) {
            words++;
            if (words == 5)
                letter = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        }
        inside = !blank;
    }
    return (words == 5 || words == 6) && letter;
}

static bool read_counts(struct nadi_scan *s, struct header *h)
{
    uint32_t ignored = 0, in_servers = 0;
    if (!nadi_scan_u32(s, "number of nodes", MAX_NODES, &h->nodes))
        return false;
    const bool simai = is_of_simai(s);
    if (simai && (!nadi_scan_u32(s, "number of GPUs a server", MAX_NODES, &ignored) ||
                  !nadi_scan_u32(s, "number of NVSwitches", MAX_NODES, &in_servers)))
        return false;
    if (!nadi_scan_u32(s, "number of switches", MAX_NODES, &h->switches))
        return false;
    h->switches += in_servers;
    h->has_type = simai;
    return true;
}

static bool read_header(struct nadi_scan *s, struct header *h)
{
    if (!read_counts(s, h))
        return false;
    if (h->switches > h->nodes)
        return nadi_scan_error(s, "the first line is: nodes, switches among them, links",
                               "%" PRIu32 " switches among %" PRIu32 " nodes", h->switches,
                               h->nodes);
    if (!nadi_scan_u32(s, "number of links", MAX_NODES, &h->links))
        return false;
    while (h->has_type && nadi_scan_same_line(s))
        ;
    /* A number takes two bytes at least, a link ten: what is promised must be able to follow. */
    const size_t left = (size_t)(s->end - s->at);
    if (h->links < h->nodes / 2)
        return nadi_scan_error(s,
                               "every node needs a link; the first line is: nodes, switches "
                               "among them, links",
                               "%" PRIu32 " nodes, but only %" PRIu32 " links", h->nodes, h->links);
    if (h->switches > left / 2 + 1 || h->links > left / 9 + 1)
        return nadi_scan_error(s, "the first line is: nodes, switches among them, links",
                               "%" PRIu32 " switches and %" PRIu32
                               " links are more than the file can hold",
                               h->switches, h->links);
    return true;
}

static bool read_nodes(struct nadi_scan *s, const struct header *h, struct nadi_graph *g)
{
    bool *is_switch = NADI_ZNEW(bool, h->nodes);
    bool good = true;
    for (uint32_t i = 0; good && i < h->switches; i++) {
        uint32_t node = 0;
        good = nadi_scan_u32(s, "switch number", h->nodes - 1, &node);
        if (good && is_switch[node])
            good = nadi_scan_error(s, "list each switch once", "switch %" PRIu32 " is listed twice",
                                   node);
        if (good)
            is_switch[node] = true;
    }
    for (uint32_t i = 0; good && i < h->nodes; i++)
        nadi_graph_add_node(g, is_switch[i] ? NADI_GRAPH_SWITCH : NADI_GRAPH_HOST, NULL);
    nadi_mem_free(is_switch);
    return good;
}

static bool read_link(struct nadi_scan *s, struct nadi_graph *g)
{
    struct nadi_graph_link link = {0};
    double bytes_per_s, latency_ns;
    if (!nadi_scan_u32(s, "node at one end of a link", g->node_count - 1, &link.a) ||
        !nadi_scan_u32(s, "node at the other end of a link", g->node_count - 1, &link.b))
        return false;
    if (link.a == link.b)
        return nadi_scan_error(s, "remove the line", "a link from node %" PRIu32 " to itself",
                               link.a);
    if (!nadi_scan_quantity(s, "rate of a link", NADI_DIMENSION_RATE, 0.125, 0.125, MAX_RATE,
                            &bytes_per_s) ||
        !nadi_scan_quantity(s, "latency of a link", NADI_DIMENSION_TIME, 1e9, 0, MAX_LATENCY_NS,
                            &latency_ns) ||
        !nadi_scan_double(s, "loss of a link", 0, 0.999999, &link.loss))
        return false;
    link.bits_per_s = nadi_count_round(bytes_per_s * 8);
    link.latency = nadi_time_of_ns(latency_ns);
    while (nadi_scan_same_line(s))
        ;
    nadi_graph_add_link(g, link);
    return true;
}

bool nadi_graph_parse_hpcc(struct nadi_graph *g, const char *path, char *text, size_t bytes,
                           struct nadi_diags *diags)
{
    struct nadi_scan s;
    struct header h;
    nadi_scan_init(&s, path, "hpcc/topology", text, bytes, diags);
    if (!read_header(&s, &h))
        return false;
    if (h.nodes == h.switches)
        return nadi_scan_error(&s, "nodes that are not switches are hosts", "no hosts");
    if (!read_nodes(&s, &h, g))
        return false;
    for (uint32_t i = 0; i < h.links; i++)
        if (!read_link(&s, g))
            return false;
    if (nadi_scan_next(&s) && s.word[0] >= '0' && s.word[0] <= '9')
        nadi_diags_add(diags, NADI_WARNING, "hpcc/topology", NADI_IN_FILE(path),
                       "the first line is: nodes, switches among them, links",
                       "more follows after the %" PRIu32 " links that the first line promises; it "
                       "is not read",
                       h.links);
    nadi_graph_finish(g);
    return true;
}

bool nadi_graph_read_hpcc(struct nadi_graph *g, const char *path, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_file_read(path, "topology file", &text, &bytes, diags))
        return false;
    const bool good = nadi_signature_check(path, "topology file", text, bytes, diags) &&
                      nadi_graph_parse_hpcc(g, path, text, bytes, diags);
    nadi_mem_free(text);
    return good;
}
