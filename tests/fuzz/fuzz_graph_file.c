/* Any bytes as a network of nodes and links or with a generator: a graph whose ports agree with its
 * links and that is the same when written and read again, measured and drawn, or at least one
 * error.
 */
#include "base/mem.h"
#include "platform/graph_file.h"
#include "report/topo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct nadi_graph *g)
{
    NADI_ASSERT(g->host_count > 0 && g->first_port[g->node_count] == 2 * g->link_count);
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        NADI_ASSERT(l->a != l->b && l->a < g->node_count && l->b < g->node_count);
        NADI_ASSERT(l->bits_per_s > 0 && l->latency >= 0);
    }
    for (uint32_t n = 0; n < g->node_count; n++)
        NADI_ASSERT(g->nodes[n].role && g->nodes[n].level <= 15 + 1);
}

static void look(const struct nadi_graph_file *f)
{
    struct nadi_graph_measures m;
    struct nadi_str text = NADI_STR_INIT;
    nadi_graph_measure(&m, &f->graph, f->dims, f->dim_count);
    NADI_ASSERT(m.diameter <= f->graph.node_count && m.bisection_bits_per_s >= 0);
    nadi_topo_write_text(f, &m, &text);
    nadi_topo_write_json(f, &m, &text);
    nadi_topo_write_svg(f, &text);
    nadi_graph_measures_release(&m);
    nadi_str_release(&text);
}

static bool open_bytes(struct nadi_graph_file *f, const void *data, size_t size,
                       struct nadi_diags *diags)
{
    struct nadi_doc doc;
    nadi_graph_init(&f->graph);
    if (!nadi_doc_parse(&doc, "fuzz.yml", data, size, NADI_DOC_YAML, diags))
        return false;
    nadi_graph_release(&f->graph);
    const bool good = nadi_graph_file_from_doc(f, &doc, diags);
    NADI_ASSERT(!good || doc.root->kind == NADI_DOC_MAP);
    nadi_doc_release(&doc);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_graph_file f, again;
    nadi_diags_init(&diags);
    const bool good = open_bytes(&f, data, size, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    if (good && f.graph.link_count < 10000) {
        struct nadi_str text = NADI_STR_INIT;
        check_graph(&f.graph);
        if (f.graph.link_count < 100)
            look(&f);
        nadi_graph_file_write(&f, &text);
        NADI_ASSERT(open_bytes(&again, text.text, text.length, &diags));
        NADI_ASSERT(again.graph.link_count == f.graph.link_count);
        NADI_ASSERT(again.graph.host_count == f.graph.host_count);
        nadi_graph_file_release(&again);
        nadi_str_release(&text);
    }
    nadi_graph_file_release(&f);
    nadi_diags_release(&diags);
    return 0;
}
