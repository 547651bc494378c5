/* Any bytes as a .topo file of htsim: a graph, or one error. */
#include "base/mem.h"
#include "platform/graph_htsim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_graph g;
    char *text = NADI_NEW(char, size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    nadi_diags_init(&diags);
    nadi_graph_init(&g);
    const bool good = nadi_graph_parse_htsim(&g, "fuzz.topo", text, size, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    if (good)
        NADI_ASSERT(g.host_count > 0 && g.first_port[g.node_count] == 2 * g.link_count);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
