#include "report/run_drawing.h"

/* "fat-tree", "dragonfly", "file", ...: what the loader said of the network. */
static const char *kind_of(const struct nadi_inputs *in)
{
    for (size_t i = 0; i < in->setting_count; i++)
        if (nadi_str_equal(in->settings[i].file, "network") &&
            nadi_str_equal(in->settings[i].key, "graph"))
            return in->settings[i].value;
    return "";
}

void nadi_run_drawing(const struct nadi_inputs *in, struct nadi_topo_drawing *d)
{
    *d = (struct nadi_topo_drawing){0};
    if (in->has_graph && !in->graph.of_topology)
        nadi_topo_layout(&in->graph, kind_of(in), d);
}

uint32_t nadi_run_drawing_box(const struct nadi_topo_drawing *d, uint32_t device)
{
    const struct nadi_graph *g = d->g;
    if (!g)
        return NADI_NONE;
    if (device < g->host_count)
        return d->box_of[g->hosts[device]];
    device -= g->host_count;
    return device < g->switch_count ? d->box_of[g->switches[device]] : NADI_NONE;
}
