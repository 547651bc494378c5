/* topo_plane: circles and grids. NPUs on board of a router are not drawn beside it; other NPUs are
 * left out and counted in a note. */
#include "base/mem.h"
#include "report/topo_draw.h"

#include <math.h>

enum { MOST_ROUTERS = 80, MOST_SIDE = 16, MOST_SLICES = 9, CELL = 58 };

#define TURN 6.283185307179586

static struct nadi_topo_box box_for(const struct nadi_graph *g, uint32_t node, double size)
{
    const uint32_t owner = nadi_graph_owner(g, node);
    return (struct nadi_topo_box){
        .w = size,
        .h = size * 0.72,
        .role = g->nodes[owner].role,
        .first = owner,
        .count = 1,
        .group = g->nodes[node].group,
        .level = g->nodes[node].level,
    };
}

/* Is the node drawn? Switches are; NPUs where nothing else is. */
static bool is_drawn(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH || g->host_count == g->node_count;
}

static void around(double radius, double centre, double place, double count, double *x, double *y)
{
    const double angle = TURN * (place / count - 0.25);
    *x = centre + radius * cos(angle);
    *y = centre + radius * sin(angle);
}

/* Every group one disc. */
static void circle_of_groups(struct nadi_topo_drawing *d, uint32_t groups, const uint32_t *sizes)
{
    const struct nadi_graph *g = d->g;
    const double radius = groups > 40 ? 420 : 300, centre = radius + 50;
    uint32_t *box = NADI_NEW(uint32_t, groups);
    for (uint32_t i = 0; i < groups; i++) {
        struct nadi_topo_box b = {.w = groups > 60 ? 16 : 58,
                                  .h = groups > 60 ? 16 : 24,
                                  .role = "group",
                                  .count = sizes[i],
                                  .group = i};
        around(radius, centre, i, groups, &b.x, &b.y);
        box[i] = nadi_topo_add_box(d, b);
    }
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].group != NADI_NONE) {
            d->box_of[n] = box[g->nodes[n].group];
            d->boxes.items[box[g->nodes[n].group]].first = n;
            d->boxes.items[box[g->nodes[n].group]].role =
                is_drawn(g, n) ? g->nodes[n].role : d->boxes.items[box[g->nodes[n].group]].role;
        }
    d->width = d->height = 2 * centre;
    d->of_first = groups > 24;
    d->note = d->of_first ? "Each disc is a group; only the links of group 0 are drawn."
                          : "Each disc is a group with its switches; the NPUs are not drawn.";
    nadi_mem_free(box);
}

/* The upper level of a group lies further in. */
static bool is_inner(const struct nadi_graph *g, uint32_t node, uint32_t groups)
{
    return groups > 1 && g->nodes[node].level > 1;
}

static void circle_of_nodes(struct nadi_topo_drawing *d, uint32_t groups)
{
    const struct nadi_graph *g = d->g;
    uint32_t *levels = NADI_ZNEW(uint32_t, (size_t)groups * 2), wide = 1;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (is_drawn(g, n)) {
            const uint32_t group = groups > 1 ? g->nodes[n].group : 0;
            const uint32_t count = ++levels[2 * group + is_inner(g, n, groups)];
            wide = count > wide ? count : wide;
        }
    /* Every group has as many places, and one more as a gap. */
    const double total = groups > 1 ? (wide + 0.9) * groups : wide;
    const double least = total * 30 / TURN, radius = least < 150 ? 150 : least,
                 centre = radius + 40;
    memset(levels, 0, (size_t)groups * 2 * sizeof(*levels));
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (!is_drawn(g, n))
            continue;
        const uint32_t group = groups > 1 ? g->nodes[n].group : 0;
        const bool inner = is_inner(g, n, groups);
        struct nadi_topo_box b = box_for(g, n, 27);
        around(radius - (inner ? 56 : 0), centre,
               levels[2 * group + inner]++ + (groups > 1 ? (wide + 0.9) * group : 0), total, &b.x,
               &b.y);
        d->box_of[n] = nadi_topo_add_box(d, b);
    }
    d->width = d->height = 2 * centre;
    if (!g->product && g->host_count < g->node_count)
        d->note = "Outside: the switches of each group; the NPUs on them are not drawn.";
    nadi_mem_free(levels);
}

void nadi_topo_circle(struct nadi_topo_drawing *d)
{
    const struct nadi_graph *g = d->g;
    uint32_t groups = 1, drawn = 0;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (is_drawn(g, n) && g->nodes[n].group != NADI_NONE && g->nodes[n].group + 1 > groups)
            groups = g->nodes[n].group + 1;
    uint32_t *sizes = NADI_ZNEW(uint32_t, groups);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (is_drawn(g, n)) {
            sizes[groups > 1 ? g->nodes[n].group : 0]++;
            drawn++;
        }
    d->round_boxes = true;
    if (groups > 1 && drawn > MOST_ROUTERS)
        circle_of_groups(d, groups, sizes);
    else
        circle_of_nodes(d, groups);
    nadi_mem_free(sizes);
}

/* I/O controllers outside the one slice, each beside its router at the edge. */
static void controllers_around(struct nadi_topo_drawing *d)
{
    const struct nadi_graph *g = d->g;
    const struct nadi_topology *t = &g->product->shape;
    const double margin = 0.6 * CELL;
    const size_t routers = d->boxes.count;
    for (uint32_t n = g->product->first_router + t->npu_count; n < g->node_count; n++) {
        if (strcmp(g->nodes[n].role, NADI_ROLE_IO) != 0 || nadi_graph_degree(g, n) != 1)
            continue;
        const struct nadi_graph_port *port = &g->ports[g->first_port[n]];
        const uint32_t axis = g->links[port->link].dim, router = port->peer;
        const bool low =
            axis < 2 && nadi_topology_coordinate(t, router - g->product->first_router, axis) == 0;
        struct nadi_topo_box b = box_for(g, n, 25);
        b.x = d->boxes.items[d->box_of[router]].x + (axis == 0 ? (low ? -0.8 : 0.8) * CELL : 0);
        b.y = d->boxes.items[d->box_of[router]].y + (axis == 0 ? 0 : (low ? -0.8 : 0.8) * CELL);
        d->box_of[n] = nadi_topo_add_box(d, b);
    }
    if (d->boxes.count == routers)
        return;
    for (size_t i = 0; i < d->boxes.count; i++) {
        d->boxes.items[i].x += margin;
        d->boxes.items[i].y += margin;
    }
    d->width += 2 * margin;
    d->height += 2 * margin;
}

/* Dimensions 0 and 1 are a slice; slices stand side by side, three in a row. */
void nadi_topo_grid(struct nadi_topo_drawing *d)
{
    const struct nadi_topology *t = &d->g->product->shape;
    const uint32_t first = d->g->product->first_router;
    const uint32_t slice_size = t->dims[0].npus * t->dims[1].npus;
    const uint32_t slices = t->npu_count / slice_size;
    const uint32_t wide = t->dims[0].npus < MOST_SIDE ? t->dims[0].npus : MOST_SIDE;
    const uint32_t high = t->dims[1].npus < MOST_SIDE ? t->dims[1].npus : MOST_SIDE;
    const uint32_t shown = slices < MOST_SLICES ? slices : MOST_SLICES;
    const uint32_t most = wide > 8 ? 2 : wide > 5 ? 3 : 4;
    const uint32_t across = shown < most ? shown : most;
    const double slice_w = (wide + 0.9) * CELL, slice_h = (high + 1.2) * CELL;
    for (uint32_t r = 0; r < t->npu_count; r++) {
        const uint32_t slice = r / slice_size;
        const uint32_t x = r % t->dims[0].npus, y = r % slice_size / t->dims[0].npus;
        if (slice >= shown || x >= wide || y >= high)
            continue;
        struct nadi_topo_box b = box_for(d->g, first + r, 34);
        b.group = slice;
        const uint32_t column = slice % across, row = slice / across;
        b.x = column * slice_w + (x + 0.95) * CELL;
        b.y = row * slice_h + (y + 0.95) * CELL;
        d->box_of[first + r] = nadi_topo_add_box(d, b);
    }
    for (uint32_t slice = 0; slices > 1 && slice < shown; slice++) {
        const uint32_t column = slice % across, row = slice / across;
        struct nadi_topo_frame frame = {.x = column * slice_w + 6,
                                        .y = row * slice_h + 4,
                                        .w = slice_w - 12,
                                        .h = slice_h - 10};
        snprintf(frame.label, sizeof(frame.label), "slice %" PRIu32, slice);
        NADI_PUSH(&d->frames, frame);
    }
    d->slices = slices > 1;
    d->width = across * slice_w;
    const uint32_t rows = (shown + across - 1) / across;
    d->height = rows * slice_h;
    if (wide < t->dims[0].npus || high < t->dims[1].npus || shown < slices)
        d->note = "Only a corner of the network is drawn.";
    else if (nadi_graph_owner(d->g, first) == first)
        d->note = "The NPUs beside the switches are not drawn.";
    else if (slices == 1)
        controllers_around(d);
    else
        d->note = "A slice shows dimensions 0 and 1; dimension 2 joins equal places of slices.";
}
