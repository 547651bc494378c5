/* topo_draw: the picture of a network in the making. Private to topo.
 *
 * A layout puts nodes into boxes and gives boxes places; the rest is common: lines between boxes
 * whose nodes are joined, as thick as they are many, colours by role, a legend. Coordinates are
 * pixels from the upper left corner. */
#ifndef NADI_REPORT_TOPO_DRAW_H
#define NADI_REPORT_TOPO_DRAW_H

#include "report/topo.h"

struct nadi_topo_box {
    double x, y, w, h; /* centre and size */
    const char *role;
    uint32_t first, count; /* a node in it, and how many there are */
    uint32_t group, level;
    bool more;   /* what is left out between others */
    bool inside; /* label in the box: there is room */
};

struct nadi_topo_frame { /* behind boxes that belong together */
    double x, y, w, h;   /* left upper corner and size */
    char label[40];
};

struct nadi_topo_drawing {
    const struct nadi_graph *g;
    uint32_t *box_of; /* [node]; NADI_NONE: not drawn */
    struct {
        struct nadi_topo_box *items;
        size_t count, capacity;
    } boxes;
    struct {
        struct nadi_topo_frame *items;
        size_t count, capacity;
    } frames;
    double width, height; /* of the drawing proper */
    bool rows;            /* lines in a row are bent down */
    bool round_boxes;
    bool of_first;    /* only the lines of the first box: all would be a blot */
    bool slices;      /* boxes of different groups are not joined */
    const char *note; /* what the picture leaves out; NULL: nothing */
};

struct nadi_topo_line { /* between two boxes, standing for so many cables */
    uint32_t a, b, count;
    bool one_way;
};

struct nadi_topo_lines {
    struct nadi_topo_line *items;
    size_t count, capacity;
};

/* Chooses the layout and fills the drawing; kind: what made the network, as graph_file.h has it. */
void nadi_topo_layout(const struct nadi_graph *g, const char *kind, struct nadi_topo_drawing *d);
void nadi_topo_release(struct nadi_topo_drawing *d);
/* The caller frees lines->items with nadi_mem_free. */
void nadi_topo_lines_find(const struct nadi_topo_drawing *d, struct nadi_topo_lines *lines);
/* "3", "16 NPUs", "4 more" */
void nadi_topo_label(const struct nadi_topo_drawing *d, const struct nadi_topo_box *box,
                     char text[64]);

uint32_t nadi_topo_add_box(struct nadi_topo_drawing *d, struct nadi_topo_box box);

/* The layouts. */
void nadi_topo_rows(struct nadi_topo_drawing *d);   /* levels above each other */
void nadi_topo_circle(struct nadi_topo_drawing *d); /* groups, or all nodes, around a circle */
void nadi_topo_grid(struct nadi_topo_drawing *d);   /* a product of dimensions */

#endif
