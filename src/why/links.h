/* links: the links of a network of nodes and links, by class: between nodes of the same two roles,
 * of one dimension, one bandwidth and one latency. Private to why/.
 *
 * Where that makes more than MOST classes bandwidth and latency do not tell them apart, and if
 * there are still too many nothing does. */
#ifndef NADI_WHY_LINKS_H
#define NADI_WHY_LINKS_H

#include "base/arena.h"
#include "platform/graph.h"

struct nadi_link_class {
    const char *a, *b; /* roles of the ends, in the order of strcmp; of one class of all: "" */
    uint32_t dim;
    uint64_t bits_per_s; /* of the first of them */
    nadi_time latency;
    uint32_t count;
    bool uniform; /* all have these two */
};

enum { NADI_LINK_CLASSES = 24 };

struct nadi_link_classes {
    struct nadi_link_class items[NADI_LINK_CLASSES];
    uint32_t count;
    enum nadi_link_detail { NADI_LINKS_EACH, NADI_LINKS_ROLES, NADI_LINKS_ALL } detail;
};

/* O(links x classes). */
void nadi_link_classes_find(const struct nadi_graph *g, struct nadi_link_classes *c);
/* The class of a link of the graph that they were found of. */
uint32_t nadi_link_classes_of(const struct nadi_link_classes *c, const struct nadi_graph *g,
                              const struct nadi_graph_link *link);

/* "bandwidth of 16 links leaf-npu of 50 GB/s": `what` of a class, in the arena. */
const char *nadi_link_class_name(const struct nadi_link_classes *c, uint32_t class,
                                 const char *what, struct nadi_arena *arena);

#endif
