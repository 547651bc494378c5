#include "partition/graph.h"

#include "base/mem.h"
#include "partition/assign.h"
#include "partition/graph_inside.h"

enum { HEAVIEST = 64 /* edges of a unit that count */, SWEEPS = 16 };

struct heavy { /* the heaviest inputs of a channel, by falling weight */
    double energy[HEAVIEST];
    uint32_t input[HEAVIEST], count;
};

struct list {
    struct nadi_unit_edge *items;
    size_t count, capacity;
};

/* ---- the graph ------------------------------------------------------------------------------- */

static void keep(struct heavy *h, double energy, uint32_t input)
{
    if (h->count == HEAVIEST && energy <= h->energy[HEAVIEST - 1])
        return;
    uint32_t at = h->count < HEAVIEST ? h->count++ : HEAVIEST - 1;
    for (; at > 0 && h->energy[at - 1] < energy; at--) {
        h->energy[at] = h->energy[at - 1];
        h->input[at] = h->input[at - 1];
    }
    h->energy[at] = energy;
    h->input[at] = input;
}

/* Squares of a channel's weights by input; returns their sum. */
static double find_heavy(const struct nadi_nn *nn, const struct nadi_nn_layer *l, uint32_t channel,
                         struct heavy *h)
{
    const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const uint32_t inputs = nn->layers[l->inputs[0]].channels / groups;
    const size_t fan = nadi_nn_fan_in(nn, l), kernel = fan / inputs;
    const float *w = l->weights + channel * fan;
    double all = 0;
    h->count = 0;
    for (uint32_t c = 0; c < inputs; c++) {
        double energy = 0;
        for (size_t i = 0; i < kernel; i++, w++)
            energy += (double)*w * (double)*w;
        if (energy > 0)
            keep(h, energy, channel / (l->channels / groups) * inputs + c);
        all += energy;
    }
    return all;
}

static void add_edges(const struct nadi_nn *nn, const struct nadi_placement *p, uint32_t layer,
                      struct list *edges)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const double positions = (double)nadi_nn_positions(&nn->layers[l->inputs[0]]);
    const size_t before = edges->count;
    double all = 0;
    struct heavy h;
    for (uint32_t j = 0; j < l->channels; j++) {
        const uint32_t to = nadi_placement_class(p, layer, j);
        all += find_heavy(nn, l, j, &h);
        for (uint32_t i = 0; i < h.count; i++) {
            const uint32_t from = nadi_placement_class(p, l->inputs[0], h.input[i]);
            if (from == to || p->everywhere[from])
                continue;
            NADI_PUSH(edges, ((struct nadi_unit_edge){from, to, h.energy[i] * positions}));
            NADI_PUSH(edges, ((struct nadi_unit_edge){to, from, h.energy[i] * positions}));
        }
    }
    for (size_t i = before; i < edges->count; i++)
        edges->items[i].weight /= all;
}

static int by_ends(const void *a, const void *b)
{
    const struct nadi_unit_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static void build(const struct nadi_nn *nn, const struct nadi_placement *p,
                  struct nadi_unit_graph *g)
{
    struct list list = {NULL, 0, 0};
    size_t count = 0;
    for (uint32_t i = 1; i < nn->count; i++)
        if (nadi_nn_mixes(nn->layers[i].kind))
            add_edges(nn, p, i, &list);
    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), by_ends);
    *g = (struct nadi_unit_graph){.first = NADI_ZNEW(uint32_t, (size_t)p->class_count + 1),
                                  .edges = list.items};
    for (size_t i = 0; i < list.count; i++) {
        struct nadi_unit_edge *last = count ? &list.items[count - 1] : NULL;
        g->all += list.items[i].weight;
        if (last && last->from == list.items[i].from && last->to == list.items[i].to)
            last->weight += list.items[i].weight;
        else
            list.items[count++] = list.items[i];
    }
    for (size_t i = 0; i < count; i++)
        g->first[list.items[i].from + 1]++;
    for (uint32_t i = 0; i < p->class_count; i++)
        g->first[i + 1] += g->first[i];
}

/* ---- placing --------------------------------------------------------------------------------- */

struct work {
    const struct nadi_unit_graph *g;
    struct nadi_placement *p;
    const double *shares;
    const uint8_t *fixed; /* classes */
    uint32_t *units;      /* of a space */
    double *cost;         /* units x workers */
    uint32_t *capacity, *worker;
};

static void add_affinity(const struct work *w, uint32_t class, double *to)
{
    for (uint32_t i = w->g->first[class]; i < w->g->first[class + 1]; i++) {
        const uint32_t k = w->p->worker[w->g->edges[i].to];
        if (k != NADI_NONE)
            to[k] -= w->g->edges[i].weight;
    }
}

/* Units of a space where they cost least; part (may be NULL): where they should stay if they can.
 */
static void place_space(struct work *w, uint32_t space, const uint32_t *part)
{
    struct nadi_placement *p = w->p;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->class_count; i++) {
        if (p->space_of[i] != space || w->fixed[i])
            continue;
        double *cost = w->cost + (size_t)count * p->workers;
        for (uint32_t k = 0; k < p->workers; k++)
            cost[k] = part && part[i] != k ? w->g->all + 1 : 0;
        add_affinity(w, i, cost);
        w->units[count++] = i;
    }
    if (!count)
        return;
    nadi_placement_capacities(p, count, w->shares, w->capacity);
    (void)nadi_assign_solve(
        &(struct nadi_assign){
            .cost = w->cost, .capacity = w->capacity, .rows = count, .workers = p->workers},
        w->worker, NULL);
    for (uint32_t i = 0; i < count; i++)
        p->worker[w->units[i]] = w->worker[i];
}

static double cut_of(const struct work *w)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->g->first[w->p->class_count]; i++) {
        const struct nadi_unit_edge *e = &w->g->edges[i];
        sum += w->p->worker[e->from] == w->p->worker[e->to] ? 0 : e->weight;
    }
    return sum;
}

static void place_in_turns(struct work *w)
{
    struct nadi_placement *p = w->p;
    const size_t classes = p->class_count;
    uint32_t *best = NADI_NEW(uint32_t, classes + 1);
    double least = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (uint32_t space = 0; space < p->layers; space++)
            place_space(w, space, NULL);
        const double cut = cut_of(w);
        if (sweep && !(cut < least * (1 - 1e-9)))
            break;
        least = cut;
        memcpy(best, p->worker, classes * sizeof(*best));
    }
    memcpy(p->worker, best, classes * sizeof(*best));
    nadi_mem_free(best);
}

/* Parts to workers by the inputs that they read; with shares they are what they are. */
static void name_parts(const struct work *w, uint32_t *part)
{
    const uint32_t workers = w->p->workers;
    double *cost = NADI_ZNEW(double, (size_t)workers *workers);
    uint32_t *one = NADI_NEW(uint32_t, workers), *name = NADI_NEW(uint32_t, workers);
    for (uint32_t k = 0; k < workers; k++)
        one[k] = 1;
    for (uint32_t i = 0; i < w->p->class_count; i++)
        if (!w->fixed[i])
            add_affinity(w, i, cost + (size_t)part[i] * workers);
    (void)nadi_assign_solve(
        &(struct nadi_assign){.cost = cost, .capacity = one, .rows = workers, .workers = workers},
        name, NULL);
    for (uint32_t i = 0; i < w->p->class_count; i++)
        if (!w->fixed[i] && !w->shares)
            part[i] = name[part[i]];
    nadi_mem_free(cost);
    nadi_mem_free(one);
    nadi_mem_free(name);
}

static void place_by_metis(struct work *w)
{
    uint32_t *part = NADI_ZNEW(uint32_t, (size_t)w->p->class_count + 1);
    nadi_graph_cut_metis(w->g, w->p, w->shares, part);
    name_parts(w, part);
    for (uint32_t space = 0; space < w->p->layers; space++)
        place_space(w, space, part);
    nadi_mem_free(part);
}

void nadi_graph_place(const struct nadi_nn *nn, enum nadi_graph_by by, const double *shares,
                      struct nadi_placement *p)
{
    struct nadi_unit_graph g;
    const size_t classes = p->class_count;
    uint8_t *fixed = NADI_NEW(uint8_t, classes + 1);
    build(nn, p, &g);
    for (uint32_t i = 0; i < classes; i++)
        fixed[i] = p->worker[i] != NADI_NONE || p->everywhere[i] || p->space_of[i] == NADI_NONE;
    struct work w = {.g = &g,
                     .p = p,
                     .shares = shares,
                     .fixed = fixed,
                     .units = NADI_NEW(uint32_t, classes + 1),
                     .cost = NADI_NEW(double, classes * p->workers + 1),
                     .capacity = NADI_NEW(uint32_t, p->workers),
                     .worker = NADI_NEW(uint32_t, classes + 1)};
    if (by == NADI_GRAPH_METIS)
        place_by_metis(&w);
    else
        place_in_turns(&w);
    nadi_mem_free(w.units);
    nadi_mem_free(w.cost);
    nadi_mem_free(w.capacity);
    nadi_mem_free(w.worker);
    nadi_mem_free(fixed);
    nadi_mem_free(g.first);
    nadi_mem_free(g.edges);
}
