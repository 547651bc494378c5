/* graph_metis: the graph of units cut by METIS, where nadi was built with it. */
#include "partition/graph_inside.h"

#ifdef NADI_HAS_METIS

#include <metis.h>

#include "base/mem.h"

#define WHOLE  1e9  /* all weights as whole numbers */
#define UNEVEN 1.05 /* of a space on a worker; what is above its capacity moves afterwards */

bool nadi_graph_has_metis(void)
{
    return true;
}

struct metis {
    idx_t vertices, constraints, workers, cut;
    idx_t *first, *to, *weights, *sizes, *part;
    real_t *targets, *uneven;
};

/* Numbers of classes and of spaces that are to be cut; returns how many spaces. */
static idx_t number(const struct nadi_placement *p, idx_t *vertex, idx_t *space, idx_t *vertices)
{
    idx_t spaces = 0;
    *vertices = 0;
    for (uint32_t i = 0; i < p->layers; i++)
        space[i] = -1;
    for (uint32_t i = 0; i < p->class_count; i++) {
        const bool is_free =
            p->worker[i] == NADI_NONE && !p->everywhere[i] && p->space_of[i] != NADI_NONE;
        vertex[i] = is_free ? (*vertices)++ : -1;
        if (is_free && space[p->space_of[i]] < 0)
            space[p->space_of[i]] = spaces++;
    }
    return spaces;
}

static void set_graph(struct metis *m, const struct nadi_unit_graph *g,
                      const struct nadi_placement *p, const idx_t *vertex, const idx_t *space)
{
    idx_t edges = 0;
    for (uint32_t i = 0; i < p->class_count; i++) {
        if (vertex[i] < 0)
            continue;
        m->first[vertex[i]] = edges;
        m->sizes[vertex[i] * m->constraints + space[p->space_of[i]]] = 1;
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
            if (vertex[g->edges[e].to] >= 0) {
                m->to[edges] = vertex[g->edges[e].to];
                m->weights[edges++] = 1 + (idx_t)(g->edges[e].weight / g->all * WHOLE);
            }
    }
    m->first[m->vertices] = edges;
}

static void set_targets(struct metis *m, const double *shares)
{
    double sum = 0;
    for (idx_t k = 0; k < m->workers; k++)
        sum += shares ? shares[k] : 1;
    for (idx_t k = 0; k < m->workers; k++)
        for (idx_t c = 0; c < m->constraints; c++)
            m->targets[k * m->constraints + c] = (real_t)((shares ? shares[k] : 1) / sum);
    for (idx_t c = 0; c < m->constraints; c++)
        m->uneven[c] = (real_t)UNEVEN;
}

void nadi_graph_cut_metis(const struct nadi_unit_graph *g, const struct nadi_placement *p,
                          const double *shares, uint32_t *part)
{
    struct metis m = {.workers = (idx_t)p->workers};
    idx_t *vertex = NADI_NEW(idx_t, (size_t)p->class_count + 1),
          *space = NADI_NEW(idx_t, p->layers);
    idx_t options[METIS_NOPTIONS];
    m.constraints = number(p, vertex, space, &m.vertices);
    const size_t vertices = (size_t)m.vertices, constraints = (size_t)m.constraints;
    m.first = NADI_ZNEW(idx_t, vertices + 1);
    m.to = NADI_NEW(idx_t, (size_t)g->first[p->class_count] + 1);
    m.weights = NADI_NEW(idx_t, (size_t)g->first[p->class_count] + 1);
    m.sizes = NADI_ZNEW(idx_t, vertices * constraints + 1);
    m.part = NADI_ZNEW(idx_t, vertices + 1);
    m.targets = NADI_NEW(real_t, p->workers * constraints + 1);
    m.uneven = NADI_NEW(real_t, constraints + 1);
    set_graph(&m, g, p, vertex, space);
    set_targets(&m, shares);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    /* of fewer vertices than parts, or without edges, any parts will do: capacities decide */
    if (m.vertices > m.workers && m.first[m.vertices] > 0)
        (void)METIS_PartGraphKway(&m.vertices, &m.constraints, m.first, m.to, m.sizes, NULL,
                                  m.weights, &m.workers, m.targets, m.uneven, options, &m.cut,
                                  m.part);
    for (uint32_t i = 0; i < p->class_count; i++)
        if (vertex[i] >= 0)
            part[i] = (uint32_t)m.part[vertex[i]];
    nadi_mem_free(vertex);
    nadi_mem_free(space);
    nadi_mem_free(m.first);
    nadi_mem_free(m.to);
    nadi_mem_free(m.weights);
    nadi_mem_free(m.sizes);
    nadi_mem_free(m.part);
    nadi_mem_free(m.targets);
    nadi_mem_free(m.uneven);
}

#else

bool nadi_graph_has_metis(void)
{
    return false;
}

void nadi_graph_cut_metis(const struct nadi_unit_graph *g, const struct nadi_placement *p,
                          const double *shares, uint32_t *part)
{
    (void)g;
    (void)p;
    (void)shares;
    (void)part;
    NADI_BUG("a graph for METIS, without METIS");
}

#endif
