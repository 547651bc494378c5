/* graph_file: a network as a graph, with what its file says besides: how collectives see the ranks,
 * how messages are routed, what things cost.
 *
 * Read from a YAML or JSON file of nodes and links or with a generator (settings/schema_graph.c),
 * the link list of the HPCC simulator, or a .topo file of htsim; which of them is told by the
 * file's content. Written as nodes and links. */
#ifndef NADI_PLATFORM_GRAPH_FILE_H
#define NADI_PLATFORM_GRAPH_FILE_H

#include "base/diag.h"
#include "base/str.h"
#include "format/doc.h"
#include "platform/graph.h"
#include "platform/routing.h"

struct nadi_graph_price {
    const char *role; /* "cable" for links */
    double price;
};

struct nadi_graph_file {
    struct nadi_graph graph; /* owns the texts below */
    const char *kind;        /* "fat-tree", ..., "file", "hpcc", "htsim" */
    uint32_t dims[NADI_MAX_DIMS], dim_count;
    enum nadi_route_scheme routing;
    uint64_t routing_seed;
    bool stripe; /* messages over planes and parallel cables: platform/graph_stripe.h */
    struct nadi_graph_price *prices;
    uint32_t price_count;
};

/* Price of a node of the role, or of a "cable"; negative where none is given. */
double nadi_graph_price_of(const struct nadi_graph_file *f, const char *role);

/* Can the role have a price: has a node it that is no router on board, or is it "cable"? O(nodes).
 */
bool nadi_graph_has_price(const struct nadi_graph *g, const char *role);

/* Is the document such a network (keys nodes, links or generator and no topology)? */
bool nadi_graph_file_is(const struct nadi_doc *doc);

/* Each initialises *f; the caller releases it in both cases. False with errors in diags. */
bool nadi_graph_file_read(struct nadi_graph_file *f, const char *path,
                          struct nadi_diags *diags) NADI_MUST_USE;
/* The file as a document, to be released, where it is one and no list of another simulator; false
 * with errors in diags. */
bool nadi_graph_file_doc(struct nadi_doc *doc, bool *is_doc, const char *path,
                         struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_graph_file_from_doc(struct nadi_graph_file *f, const struct nadi_doc *doc,
                              struct nadi_diags *diags) NADI_MUST_USE;
void nadi_graph_file_release(struct nadi_graph_file *f);

/* The dimensions that collectives see: a switch each, with the rate and latency that routes between
 * neighbours in it have; how long others are, only the graph says. O(links log links). False: there
 * are more NPUs than a topology has. */
bool nadi_graph_file_topology(const struct nadi_graph_file *f,
                              struct nadi_topology *t) NADI_MUST_USE;

/* Does a file's text look like one of the two lists (htsim, HPCC) rather than YAML or JSON? */
enum nadi_graph_form { NADI_GRAPH_FORM_DOC, NADI_GRAPH_FORM_HPCC, NADI_GRAPH_FORM_HTSIM };
enum nadi_graph_form nadi_graph_form_of(const char *text);

/* As a file of nodes and links that reads back to the same graph. O(nodes + links). */
void nadi_graph_file_write(const struct nadi_graph_file *f, struct nadi_str *out);

#endif
