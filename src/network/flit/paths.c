#include "network/flit/paths.h"

#include "base/diag.h"
#include "base/mem.h"
#include "network/flit/paths_state.h"

uint64_t nadi_flit_hash(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t nadi_flit_own_channel(const struct nadi_flit_paths *p, uint32_t cable, uint32_t router,
                               uint32_t network)
{
    const struct nadi_graph *g = p->w->graph;
    const uint32_t channels = p->w->channel_counts[cable], first = p->w->graph_port[cable];
    if (channels == 1 || network == NADI_NONE)
        return first;
    uint32_t place = 0;
    for (uint32_t i = g->first_port[router]; i < network; i++)
        place += g->links[g->ports[i].link].dim != NADI_NONE;
    return first + place % channels;
}

/* In too few VCs two classes would share one, and the circle could close. */
static bool check_classes(const struct nadi_flit_paths *p, struct nadi_diags *diags)
{
    const uint32_t least = p->classes, vcs = p->config->vcs;
    if (least <= vcs)
        return true;
    return nadi_error(diags, "flit/vcs", NADI_NOWHERE, "raise vcs, or choose another routing",
                      "network model flit: this routing needs %u classes of virtual channels "
                      "against deadlock, and a channel has %u",
                      least, vcs);
}

static bool check_forwarding(const struct nadi_graph *g, struct nadi_diags *diags)
{
    char name[48];
    if (!g->limited_count)
        return true;
    return nadi_error(diags, "flit/forwarding", NADI_NOWHERE,
                      "give it slower cables, or use the network model flow",
                      "network model flit: %s forwards less than its cables carry; routers of "
                      "this model have a full crossbar",
                      nadi_graph_node_name(g, g->limited[0], name));
}

struct nadi_flit_paths *nadi_flit_paths_create(const struct nadi_flit_wiring *w,
                                               const struct nadi_flit_config *config,
                                               const struct nadi_routing_config *routing,
                                               struct nadi_diags *diags)
{
    struct nadi_flit_paths *p = NADI_ZNEW(struct nadi_flit_paths, 1);
    p->w = w;
    p->config = config;
    const bool by_table = config->routing == NADI_FLIT_TABLE || !w->graph->product;
    bool ok = check_forwarding(w->graph, diags);
    if (ok && by_table)
        ok = nadi_flit_table_init(p, routing, diags);
    else if (ok)
        ok = nadi_flit_product_init(p, diags);
    if (ok && check_classes(p, diags))
        return p;
    nadi_flit_paths_destroy(p);
    return NULL;
}

void nadi_flit_paths_destroy(struct nadi_flit_paths *p)
{
    if (!p)
        return;
    nadi_routing_destroy(p->routing);
    nadi_mem_free(p->route.items);
    nadi_mem_free(p->port_of);
    nadi_mem_free(p->rank);
    nadi_mem_free(p->next);
    nadi_mem_free(p);
}

uint32_t nadi_flit_paths_classes(const struct nadi_flit_paths *p)
{
    return p->classes;
}

uint32_t nadi_flit_paths_longest(const struct nadi_flit_paths *p)
{
    return p->longest;
}

bool nadi_flit_paths_adaptive(const struct nadi_flit_paths *p)
{
    return p->adaptive;
}

uint32_t nadi_flit_paths_find(struct nadi_flit_paths *p, uint32_t src, uint32_t dst, uint64_t flow,
                              uint32_t *steps)
{
    return p->product ? nadi_flit_product_find(p, src, dst, flow, steps)
                      : nadi_flit_table_find(p, src, dst, flow, steps);
}

/* `count` VCs from `first` on. */
static uint64_t range(uint32_t first, uint32_t count)
{
    return (count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

uint64_t nadi_flit_paths_mask(const struct nadi_flit_paths *p, uint32_t class)
{
    const uint32_t vcs = p->config->vcs;
    if (class == NADI_FLIT_ANY_CLASS || p->classes == 1)
        return range(0, vcs);
    if (p->adaptive) /* one VC for each class of the escape, the others adaptive */
        return class + 1 < p->classes ? range(class, 1)
                                      : range(p->classes - 1, vcs - (p->classes - 1));
    const uint32_t first = class * vcs / p->classes;
    return range(first, (class + 1) * vcs / p->classes - first);
}
