/* topo_layout: which layout a network gets, the lines between its boxes, and what boxes are called.
 */
#include "base/map.h"
#include "base/mem.h"
#include "report/topo_draw.h"

static bool is_grid(const struct nadi_graph *g)
{
    if (!g->product || g->product->shape.dim_count < 2)
        return false;
    for (uint32_t d = 0; d < g->product->shape.dim_count; d++)
        if (g->product->shape.dims[d].kind == NADI_DIM_SWITCH)
            return false;
    return true;
}

static bool is_circle(const struct nadi_graph *g, const char *kind)
{
    if (strncmp(kind, "dragonfly", 9) == 0 || g->host_count == g->node_count)
        return true;
    return g->product && g->product->shape.dim_count == 1 &&
           g->product->shape.dims[0].kind != NADI_DIM_SWITCH;
}

void nadi_topo_layout(const struct nadi_graph *g, const char *kind, struct nadi_topo_drawing *d)
{
    *d = (struct nadi_topo_drawing){.g = g};
    d->box_of = NADI_NEW(uint32_t, g->node_count);
    memset(d->box_of, 0xff, g->node_count * sizeof(*d->box_of));
    if (is_grid(g))
        nadi_topo_grid(d);
    else if (is_circle(g, kind))
        nadi_topo_circle(d);
    else
        nadi_topo_rows(d);
}

void nadi_topo_release(struct nadi_topo_drawing *d)
{
    nadi_mem_free(d->box_of);
    nadi_mem_free(d->boxes.items);
    nadi_mem_free(d->frames.items);
}

uint32_t nadi_topo_add_box(struct nadi_topo_drawing *d, struct nadi_topo_box box)
{
    NADI_PUSH(&d->boxes, box);
    return (uint32_t)d->boxes.count - 1;
}

void nadi_topo_lines_find(const struct nadi_topo_drawing *d, struct nadi_topo_lines *lines)
{
    const struct nadi_graph *g = d->g;
    struct nadi_map64 index;
    nadi_map64_init(&index, 1024);
    for (uint32_t l = 0; l < g->link_count; l++) {
        uint32_t a = d->box_of[g->links[l].a], b = d->box_of[g->links[l].b];
        bool added;
        if (a == b || a == NADI_NONE || b == NADI_NONE || (d->of_first && a != 0 && b != 0) ||
            (d->slices && d->boxes.items[a].group != d->boxes.items[b].group))
            continue;
        if (a > b && !g->links[l].one_way) {
            const uint32_t swap = a;
            a = b;
            b = swap;
        }
        const uint32_t at =
            *nadi_map64_put(&index, (uint64_t)a << 32 | b, (uint32_t)lines->count, &added);
        const struct nadi_topo_line line = {a, b, 0, g->links[l].one_way};
        if (added)
            NADI_PUSH(lines, line);
        lines->items[at].count++;
    }
    nadi_map64_release(&index);
}

/* "leaves", "switches", "spines". */
static const char *plural(const char *role, char buffer[64])
{
    if (strcmp(role, "npu") == 0)
        return "NPUs";
    if (strcmp(role, "leaf") == 0)
        return "leaves";
    snprintf(buffer, 64, "%.40s%s", role, nadi_str_ends(role, "ch") ? "es" : "s");
    return buffer;
}

void nadi_topo_label(const struct nadi_topo_drawing *d, const struct nadi_topo_box *box,
                     char text[64])
{
    const struct nadi_graph_node *n = &d->g->nodes[box->first];
    char words[64];
    if (box->more)
        snprintf(text, 64, "%" PRIu32 " more", box->count);
    else if (box->count > 1)
        snprintf(text, 64, "%" PRIu32 " %.50s", box->count, plural(box->role, words));
    else if (n->name)
        snprintf(text, 64, "%.60s", n->name);
    else
        snprintf(text, 64, "%" PRIu32, n->number);
}
