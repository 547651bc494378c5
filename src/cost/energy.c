#include "cost/energy.h"

#include "base/str.h"
#include "platform/graph_dims.h"

/* Whose router, or what switch. */
static const char *role_of(const struct nadi_energy *e, uint32_t device)
{
    const struct nadi_graph *g = e->graph;
    if (device < e->topology->npu_count)
        return g ? g->nodes[g->hosts[device]].role : "npu";
    return g ? g->nodes[nadi_graph_owner(g, g->switches[device - e->topology->npu_count])].role
             : "switch";
}

static const struct nadi_priced_part *router_of(const struct nadi_energy *e, const char *role)
{
    const struct nadi_priced_part *any = NULL;
    for (uint32_t i = 0; i < e->prices.part_count; i++) {
        const struct nadi_priced_part *p = &e->prices.parts[i];
        if (p->kind != NADI_PART_ROUTER)
            continue;
        if (p->role && nadi_str_equal(p->role, role))
            return p;
        if (!p->role && !any)
            any = p;
    }
    return any;
}

/* "npu - L1" and "L1 - npu" are one. */
static bool joins(const char *link, const char *a, const char *b)
{
    const size_t n = strlen(a);
    return strncmp(link, a, n) == 0 && strncmp(link + n, " - ", 3) == 0 &&
           strcmp(link + n + 3, b) == 0;
}

static const struct nadi_priced_part *link_of(const struct nadi_energy *e, const char *a,
                                              const char *b)
{
    const struct nadi_priced_part *any = NULL;
    for (uint32_t i = 0; i < e->prices.part_count; i++) {
        const struct nadi_priced_part *p = &e->prices.parts[i];
        if (p->kind != NADI_PART_LINK)
            continue;
        if (p->role && (joins(p->role, a, b) || joins(p->role, b, a)))
            return p;
        if (!p->role && !any)
            any = p;
    }
    return any;
}

/* ---- what a network needs ------------------------------------------------------------------ */

static bool has_router(const struct nadi_energy *e, const char *role, struct nadi_diags *diags)
{
    const struct nadi_priced_part *p = router_of(e, role);
    if (!p)
        return nadi_error(diags, "energy/router", NADI_IN_FILE(e->prices.path),
                          "add {part: router, pj-per-bit: ...}; `nadi model list` names catalogues "
                          "that have one",
                          "the catalogue has no energy of a router %s: no joules without it", role);
    if (p->pj_flit > 0 && !e->flit_bytes && !p->flit_bytes)
        return nadi_error(diags, "energy/flit", NADI_IN_FILE(e->prices.path),
                          "add 'flit', the bytes of a flit, or take the network model flit",
                          "%s has an energy of a flit, and this network model counts bytes",
                          p->name);
    return true;
}

static bool has_link(const struct nadi_energy *e, const char *a, const char *b,
                     struct nadi_diags *diags)
{
    return link_of(e, a, b) ||
           nadi_error(diags, "energy/link", NADI_IN_FILE(e->prices.path),
                      "add {part: link, pj-per-bit: ...}; `nadi model list` names catalogues that "
                      "have one",
                      "the catalogue has no energy of a link %s - %s: no joules without it", a, b);
}

static const char *role_at(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[nadi_graph_owner(g, node)].role;
}

static bool fits_graph(struct nadi_energy *e, const struct nadi_graph *g, struct nadi_diags *diags)
{
    uint32_t boards = 0;
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        boards += link->dim == NADI_NONE;
        if (link->dim != NADI_NONE && !has_link(e, role_at(g, link->a), role_at(g, link->b), diags))
            return false;
    }
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].kind == NADI_GRAPH_SWITCH && !has_router(e, role_at(g, n), diags))
            return false;
    e->has_boards = boards == g->host_count;
    return boards == 0 || e->has_boards ||
           nadi_error(diags, "energy/boards", NADI_NOWHERE, NULL,
                      "some NPUs of this network are their own routers and some are not: what "
                      "passes them is not counted apart");
}

static bool fits_dims(struct nadi_energy *e, const struct nadi_topology *t,
                      struct nadi_diags *diags)
{
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const bool is_switch = t->dims[d].kind == NADI_DIM_SWITCH;
        e->has_boards |=
            t->dim_count > 1 || (!is_switch && t->dims[d].kind != NADI_DIM_FULLY_CONNECTED);
        if ((is_switch && !has_router(e, "switch", diags)) ||
            !has_link(e, "npu", is_switch ? "switch" : "npu", diags))
            return false;
    }
    return !e->has_boards || has_router(e, "npu", diags);
}

/* ---- without traffic ----------------------------------------------------------------------- */

static void add_idle(struct nadi_energy *e, const struct nadi_priced_part *p)
{
    if (!p || p->idle <= 0)
        return;
    e->idle_watts += p->idle;
    e->idle_made_up |= p->made_up[NADI_FIGURE_IDLE];
}

static bool any_idle(const struct nadi_energy *e)
{
    for (uint32_t i = 0; i < e->prices.part_count; i++)
        if (e->prices.parts[i].kind >= NADI_PART_ROUTER && e->prices.parts[i].idle > 0)
            return true;
    return false;
}

/* Of a graph that dimensions stand for: as role_of. */
static const char *role_in(const struct nadi_energy *e, const struct nadi_graph *g, uint32_t node)
{
    const uint32_t owner = nadi_graph_owner(g, node);
    if (e->graph)
        return g->nodes[owner].role;
    return g->nodes[owner].kind == NADI_GRAPH_HOST ? "npu" : "switch";
}

static void find_idle(struct nadi_energy *e, const struct nadi_graph *g)
{
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].kind == NADI_GRAPH_SWITCH)
            add_idle(e, router_of(e, role_in(e, g, n)));
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        if (link->dim != NADI_NONE)
            add_idle(e, link_of(e, role_in(e, g, link->a), role_in(e, g, link->b)));
    }
}

static void find_all_idle(struct nadi_energy *e)
{
    struct nadi_graph made;
    if (!any_idle(e))
        return;
    if (e->graph) {
        find_idle(e, e->graph);
        return;
    }
    nadi_graph_init(&made);
    nadi_graph_from_dims(&made, e->topology);
    find_idle(e, &made);
    nadi_graph_release(&made);
}

bool nadi_energy_open(struct nadi_energy *e, const char *catalogue, const struct nadi_graph *g,
                      const struct nadi_topology *t, uint32_t flit_bytes, struct nadi_diags *diags)
{
    *e = (struct nadi_energy){.graph = g, .topology = t, .flit_bytes = flit_bytes};
    if (!nadi_prices_open(&e->prices, catalogue, diags) ||
        !(g ? fits_graph(e, g, diags) : fits_dims(e, t, diags)))
        return false;
    find_all_idle(e);
    return true;
}

void nadi_energy_release(struct nadi_energy *e)
{
    nadi_prices_release(&e->prices);
    *e = (struct nadi_energy){0};
}

/* ---- what traffic draws -------------------------------------------------------------------- */

static double bits_of(const struct nadi_energy *e, uint64_t bytes, uint64_t flits)
{
    return 8 * (e->flit_bytes ? (double)flits * e->flit_bytes : (double)bytes);
}

static void add_router(const struct nadi_energy *e, const char *role, uint64_t bytes,
                       uint64_t flits, struct nadi_energy_use *use)
{
    const struct nadi_priced_part *p = router_of(e, role);
    if (!e->flit_bytes && p->flit_bytes)
        flits = (bytes + p->flit_bytes - 1) / p->flit_bytes;
    use->routers += (double)flits * p->pj_flit + bits_of(e, bytes, flits) * p->pj_bit;
    use->made_up |= p->made_up[NADI_FIGURE_BIT] || (p->pj_flit > 0 && p->made_up[NADI_FIGURE_FLIT]);
}

static void add_hop(const struct nadi_energy *e, const char *a, const char *b, uint64_t bytes,
                    uint64_t flits, struct nadi_energy_use *use)
{
    const struct nadi_priced_part *p = link_of(e, a, b);
    use->links += bits_of(e, bytes, flits) * p->pj_bit;
    use->made_up |= p->made_up[NADI_FIGURE_BIT];
}

void nadi_energy_add_link(const struct nadi_energy *e, uint32_t from, uint32_t to, uint64_t bytes,
                          uint64_t flits, struct nadi_energy_use *use)
{
    const char *a = role_of(e, from), *b = role_of(e, to);
    if (!bytes && !flits)
        return;
    add_hop(e, a, b, bytes, flits, use);
    if (e->has_boards || from >= e->topology->npu_count)
        add_router(e, a, bytes, flits, use);
}

void nadi_energy_add_arrived(const struct nadi_energy *e, uint64_t bytes, uint64_t flits,
                             struct nadi_energy_use *use)
{
    if (e->has_boards && (bytes || flits))
        add_router(e, role_of(e, 0), bytes, flits, use);
}

void nadi_energy_add_flits(const struct nadi_energy *e, const struct nadi_graph_link *cable,
                           uint32_t from, uint64_t flits, struct nadi_energy_use *use)
{
    const struct nadi_graph *g = e->graph;
    if (flits && cable->dim != NADI_NONE)
        add_hop(e, role_at(g, cable->a), role_at(g, cable->b), 0, flits, use);
    if (flits && g->nodes[from].kind == NADI_GRAPH_SWITCH)
        add_router(e, role_at(g, from), 0, flits, use);
}
