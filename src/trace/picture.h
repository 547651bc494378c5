/* picture: a trace's graph made small enough to look at.
 *
 *   nodes   those selected: of a step, within a distance of one of them, or all;
 *   boxes   chains of nodes that run one after the other in one stream, folded into one box each,
 * when all of the trace is drawn; drawn   boxes whose operator matches, and of these at most so
 * many: half of them those that take longest, half those that move the most bytes, as far as there
 * are such.
 *
 * What is not drawn still orders what is: two drawn boxes are connected when a path leads from one
 * to the other, and edges that follow from others are left out. So the picture shows exactly which
 * drawn boxes wait for which. The critical path is that of times.h.
 *
 * O((nodes + dependencies) * drawn / 64), drawn <= NADI_PICTURE_MOST. */
#ifndef NADI_TRACE_PICTURE_H
#define NADI_TRACE_PICTURE_H

#include "base/base.h"
#include "base/diag.h"
#include "trace/full.h"
#include "trace/times.h"

enum { NADI_PICTURE_MOST = 10000 };

struct nadi_picture_choice {
    const char *pattern; /* of the operator's name, as a shell has it; NULL: all */
    const char *step;    /* a training step, as slice has it; NULL: all */
    const char *around;  /* id of a node; NULL: no such limit */
    uint32_t distance;   /* edges from it, in either direction */
    bool expand;         /* every node a box, every edge drawn */
    uint32_t most;       /* boxes; 1 to NADI_PICTURE_MOST */
};

struct nadi_picture_box {
    uint32_t first, last, count; /* nodes of the trace; their number */
    bool same_name, critical;
    struct nadi_trace_stream stream;
    uint64_t ns, bytes; /* of all its nodes together */
};

enum nadi_picture_edge_kind {
    NADI_EDGE_DATA,
    NADI_EDGE_CONTROL,
    NADI_EDGE_PATH, /* over boxes that are not drawn */
};

struct nadi_picture_edge { /* `to` waits for `from` */
    uint32_t from, to;
    enum nadi_picture_edge_kind kind;
    bool critical;
};

struct nadi_picture {
    struct {
        struct nadi_picture_box *items;
        size_t count, capacity;
    } boxes; /* drawn, in an order in which they could run */
    struct {
        struct nadi_picture_edge *items;
        size_t count, capacity;
    } edges;
    size_t selected;   /* nodes */
    size_t all_boxes;  /* that they fold into */
    size_t candidates; /* of these, boxes that the pattern allows */
    uint64_t critical_ns;
    uint32_t middle; /* the node that was named, or NADI_NONE */
};

/* Fills the picture, which the caller releases in both cases. False with an error when the graph
 * cannot be followed or nothing is selected. */
bool nadi_picture_make(struct nadi_picture *p, const struct nadi_full *f,
                       const struct nadi_picture_choice *choice,
                       struct nadi_diags *diags) NADI_MUST_USE;
void nadi_picture_release(struct nadi_picture *p);

#endif
