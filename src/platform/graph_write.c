/* graph_write: a graph as nodes and links in YAML; alike neighbours in one entry. */
#include "base/mem.h"
#include "base/time.h"
#include "format/number.h"
#include "platform/graph_file.h"
#include "platform/graph_measure.h"

#include <math.h>

/* A name in quotes, as YAML and JSON have them. */
static void put_name(struct nadi_str *out, const char *name)
{
    nadi_str_add_char(out, '"');
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 0x20)
            nadi_str_printf(out, "\\x%02x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            nadi_str_printf(out, "\\%c", *c);
        else
            nadi_str_add_char(out, *c);
    }
    nadi_str_add_char(out, '"');
}

/* What the file calls a node: its own name or, without blanks, role and number. */
static void put_node(const struct nadi_graph *g, uint32_t node, struct nadi_str *out)
{
    const struct nadi_graph_node *n = &g->nodes[node];
    struct nadi_str text = NADI_STR_INIT;
    if (n->name)
        nadi_str_add(&text, n->name);
    else
        for (const char *c = n->role; *c; c++)
            nadi_str_add_char(&text, *c == ' ' ? '-' : *c);
    if (!n->name)
        nadi_str_printf(&text, "-%" PRIu32, n->number);
    put_name(out, nadi_str_get(&text));
    nadi_str_release(&text);
}

static bool alike(const struct nadi_graph_node *a, const struct nadi_graph_node *b)
{
    return !a->name && !b->name && strcmp(a->role, b->role) == 0 && a->number + 1 == b->number &&
           a->level == b->level && a->group == b->group && a->forward_bits_s == b->forward_bits_s &&
           a->middle == b->middle &&
           memcmp(&a->in_switch_bytes_per_ns, &b->in_switch_bytes_per_ns, sizeof(double)) == 0 &&
           memcmp(&a->in_switch_latency_ns, &b->in_switch_latency_ns, sizeof(double)) == 0;
}

static void put_in_switch(const struct nadi_graph_node *n, struct nadi_str *out)
{
    if (n->in_switch_bytes_per_ns <= 0)
        return;
    nadi_str_add(out, ", in-switch-bandwidth: ");
    if (isinf(n->in_switch_bytes_per_ns))
        nadi_str_add(out, ".inf");
    else
        nadi_number_add_double(out, n->in_switch_bytes_per_ns);
    nadi_str_add(out, ", in-switch-latency: ");
    nadi_number_add_double(out, n->in_switch_latency_ns);
}

static const char *kind_word(const struct nadi_graph_node *n)
{
    if (n->kind == NADI_GRAPH_HOST)
        return "npu";
    return strcmp(n->role, "nic") == 0 || strcmp(n->role, "pcie") == 0 ||
                   strcmp(n->role, "router") == 0
               ? n->role
               : "switch";
}

static void put_rate(struct nadi_str *out, uint64_t bits_per_s)
{
    nadi_str_add(out, ", bandwidth: ");
    nadi_number_add_double(out, (double)bits_per_s / 8e9);
}

static uint32_t put_nodes(const struct nadi_graph *g, uint32_t first, struct nadi_str *out)
{
    const struct nadi_graph_node *n = &g->nodes[first];
    uint32_t last = first;
    while (last + 1 < g->node_count && alike(&g->nodes[last], &g->nodes[last + 1]))
        last++;
    nadi_str_add(out, "  - {name: ");
    if (last == first)
        put_node(g, first, out);
    else {
        struct nadi_str text = NADI_STR_INIT;
        for (const char *c = n->role; *c; c++)
            nadi_str_add_char(&text, *c == ' ' ? '-' : *c);
        nadi_str_printf(&text, "-[%" PRIu32 "-%" PRIu32 "]", n->number, g->nodes[last].number);
        put_name(out, nadi_str_get(&text));
        nadi_str_release(&text);
    }
    nadi_str_printf(out, ", kind: %s, role: ", kind_word(n));
    put_name(out, n->role);
    if (n->forward_bits_s)
        put_rate(out, n->forward_bits_s);
    put_in_switch(n, out);
    if (n->middle)
        nadi_str_printf(out, ", middle: %" PRIu32, n->middle);
    nadi_str_printf(out, ", level: %" PRIu32, n->level);
    if (n->group != NADI_NONE)
        nadi_str_printf(out, ", group: %" PRIu32, n->group);
    nadi_str_add(out, "}\n");
    return last + 1;
}

static bool same_cable(const struct nadi_graph_link *a, const struct nadi_graph_link *b)
{
    return a->a == b->a && a->b == b->b && a->bits_per_s == b->bits_per_s &&
           a->latency == b->latency && a->dim == b->dim && a->one_way == b->one_way &&
           memcmp(&a->loss, &b->loss, sizeof(a->loss)) == 0;
}

static uint32_t put_link(const struct nadi_graph *g, uint32_t first, struct nadi_str *out)
{
    const struct nadi_graph_link *l = &g->links[first];
    uint32_t last = first;
    while (last + 1 < g->link_count && last - first < 4095 && same_cable(&g->links[last + 1], l))
        last++;
    nadi_str_add(out, "  - {from: ");
    put_node(g, l->a, out);
    nadi_str_add(out, ", to: ");
    put_node(g, l->b, out);
    put_rate(out, l->bits_per_s);
    nadi_str_add(out, ", latency: ");
    nadi_number_add_double(out, nadi_time_in_ns(l->latency));
    if (l->loss > 0) {
        nadi_str_add(out, ", loss: ");
        nadi_number_add_double(out, l->loss);
    }
    if (last > first)
        nadi_str_printf(out, ", count: %" PRIu32, last - first + 1);
    if (l->one_way)
        nadi_str_add(out, ", one-way: 1");
    if (l->dim == NADI_NONE)
        nadi_str_add(out, ", on-board: 1");
    else if (l->dim)
        nadi_str_printf(out, ", dimension: %" PRIu32, l->dim);
    nadi_str_add(out, "}\n");
    return last + 1;
}

void nadi_graph_file_write(const struct nadi_graph_file *f, struct nadi_str *out)
{
    const struct nadi_graph *g = &f->graph;
    struct nadi_graph_measures m;
    nadi_graph_measure_parts(&m, g);
    nadi_str_printf(out,
                    "# %s: %" PRIu32 " NPUs, %" PRIu32 " switches, %" PRIu32
                    " links. Bandwidth in GB/s of 10^9 bytes, latency in ns.\nnodes:\n",
                    f->kind, m.npus, m.switches, m.links);
    nadi_graph_measures_release(&m);
    for (uint32_t n = 0; n < g->node_count;)
        n = put_nodes(g, n, out);
    nadi_str_add(out, "links:\n");
    for (uint32_t l = 0; l < g->link_count;)
        l = put_link(g, l, out);
    nadi_str_add(out, "dimensions: [");
    for (uint32_t d = 0; d < f->dim_count; d++)
        nadi_str_printf(out, "%s%" PRIu32, d ? ", " : "", f->dims[d]);
    nadi_str_printf(out, "]\nrouting: %s\nrouting-seed: %" PRIu64 "\n",
                    nadi_route_scheme_name(f->routing), f->routing_seed);
    if (!f->stripe)
        nadi_str_add(out, "stripe: none\n");
    for (uint32_t p = 0; p < f->price_count; p++) {
        nadi_str_add(out, p ? ", " : "prices: {");
        put_name(out, f->prices[p].role);
        nadi_str_add(out, ": ");
        nadi_number_add_double(out, f->prices[p].price);
        nadi_str_add(out, p + 1 == f->price_count ? "}\n" : "");
    }
}
