/* fold_shifts: the shifts of a network that map its workload onto itself. In a graph they must also
 * map the routes of messages on each other (fold_routes.h).
 *
 * A shift moves every rank by as many places in a dimension; Ring, FullyConnected and Switch
 * dimensions, their links and their routes look the same afterwards. If each rank's graph is then
 * what it was, its groups are groups of the same members moved, in the same order, and its peers
 * are its peers moved, all that happens is moved with them: ranks that shifts map to each other are
 * one class. In each dimension the least period is looked for; the classes are the ranks below the
 * periods, and all are as large. A group's members are all of one class, in places that look the
 * same from each, or each of another; else its dimensions are not folded.
 *
 * All orders of the NPUs of a Switch or FullyConnected dimension are alike, so it may be taken for
 * several dimensions: ranks of tensor, data and pipeline parallelism on one switch. It is cut where
 * groups and peers repeat, unless collectives of all ranks go round it as it is. */
#include "base/mem.h"
#include "network/uniform.h"
#include "sim/fold_routes.h"
#include "sim/folding.h"

struct shifts {
    const struct nadi_folding *f;
    struct nadi_topology shape;
    const struct nadi_topology *t; /* it */
    uint32_t period[NADI_MAX_DIMS];
    uint32_t *moved[NADI_MAX_DIMS];  /* by dimension, group -> the group moved by the period */
    uint32_t *next;                  /* the same while a shift is tried */
    struct nadi_fold_routes *routes; /* of a graph; NULL: not yet needed, or of dimensions */
    uint32_t *maps[NADI_MAX_DIMS];   /* by dimension, link -> link moved by the period; NULL */
    uint32_t *visited; /* by first rank of a class: the latest group that was looked at */
    uint32_t visits;
};

/* ---- dimensions cut into several ----------------------------------------------------------- */

enum { MOST_CUTS = 64 };

struct cuts { /* of a dimension: numbers of places after which something repeats */
    uint32_t items[MOST_CUTS];
    uint32_t count;
};

static void add_cut(struct cuts *c, uint32_t places, uint32_t n)
{
    uint32_t i = 0;
    if (places <= 1 || places >= n || n % places != 0 || c->count == MOST_CUTS)
        return;
    while (i < c->count && c->items[i] < places)
        i++;
    if (i < c->count && c->items[i] == places)
        return;
    memmove(c->items + i + 1, c->items + i, (c->count++ - i) * sizeof(*c->items));
    c->items[i] = places;
}

static uint32_t apart(const struct nadi_topology *t, uint32_t d, uint32_t a, uint32_t b)
{
    const uint32_t x = nadi_topology_coordinate(t, a, d), y = nadi_topology_coordinate(t, b, d);
    return x < y ? y - x : x - y;
}

static struct cuts find_cuts(const struct nadi_folding *f, uint32_t d)
{
    const struct nadi_topology *t = &f->in->topology;
    const uint32_t n = t->dims[d].npus;
    struct cuts c = {0};
    for (uint32_t g = 0; g < f->in->groups.count; g++) {
        const struct nadi_group *group = &f->in->groups.items[g];
        if (!f->groups[g].used || f->groups[g].world || group->size < 2)
            continue;
        const uint32_t step = apart(t, d, nadi_group_member(group, 0), nadi_group_member(group, 1));
        add_cut(&c, step, n);
        if (step <= n / group->size)
            add_cut(&c, step * group->size, n);
    }
    for (size_t p = f->peer_start[0]; p < f->peer_start[1]; p++)
        add_cut(&c, apart(t, d, 0, f->peers[p]), n);
    return c;
}

static void add_dim(struct nadi_topology *shape, const struct nadi_dim *like, uint32_t npus)
{
    shape->dims[shape->dim_count] = *like;
    shape->dims[shape->dim_count++].npus = npus;
}

/* Collectives of all ranks go round the dimensions as they are. */
static bool uses_world(const struct nadi_folding *f)
{
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        if (f->groups[g].used && f->groups[g].world)
            return true;
    return false;
}

/* The dimensions, each cut where the next cut is a multiple of the last. */
static struct nadi_topology cut_shape(const struct nadi_folding *f)
{
    const struct nadi_topology *t = &f->in->topology;
    const bool whole = uses_world(f);
    struct nadi_topology shape = {0};
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t left = t->dim_count - d; /* must have room */
        uint32_t done = 1;
        struct cuts cuts = {0};
        if (t->dims[d].kind != NADI_DIM_RING && !whole)
            cuts = find_cuts(f, d);
        for (uint32_t i = 0; i < cuts.count; i++)
            if (cuts.items[i] % done == 0 && shape.dim_count + left < NADI_MAX_DIMS) {
                add_dim(&shape, &t->dims[d], cuts.items[i] / done);
                done = cuts.items[i];
            }
        add_dim(&shape, &t->dims[d], t->dims[d].npus / done);
    }
    if (!nadi_topology_finish(&shape))
        NADI_BUG("dimensions of %u ranks are cut", t->npu_count);
    return shape;
}

/* ---- shifts -------------------------------------------------------------------------------- */

/* Is group h group g moved? Its members may begin elsewhere if the group is a ring of one class. */
static bool is_moved(const struct shifts *s, uint32_t g, uint32_t h, uint32_t d, uint32_t by)
{
    const struct nadi_group *from = &s->f->in->groups.items[g], *to = &s->f->in->groups.items[h];
    const struct nadi_fold_group *a = &s->f->groups[g], *b = &s->f->groups[h];
    if (from->size != to->size || a->slot != b->slot || a->own || b->own)
        return false;
    const uint32_t first = nadi_topology_move(s->t, nadi_group_member(from, 0), d, by);
    const uint32_t turn = nadi_group_position(to, first);
    if (turn == NADI_NONE || (turn > 0 && g != h))
        return false;
    for (uint32_t i = 0; i < from->size; i++)
        if (nadi_group_member(to, (i + turn) % to->size) !=
            nadi_topology_move(s->t, nadi_group_member(from, i), d, by))
            return false;
    return true;
}

static bool same_after(struct shifts *s, uint32_t rank, uint32_t other, uint32_t d, uint32_t by)
{
    const struct nadi_folding *f = s->f;
    const size_t a = f->place_start[rank], b = f->place_start[other];
    const size_t p = f->peer_start[rank], q = f->peer_start[other];
    if (f->family[f->trace_of[rank]] != f->family[f->trace_of[other]])
        return false;
    for (size_t i = 0; i < f->place_start[rank + 1] - a; i++) {
        const uint32_t g = f->places[a + i].group, h = f->places[b + i].group;
        if (s->next[g] == h)
            continue;
        if (s->next[g] != NADI_NONE || !is_moved(s, g, h, d, by))
            return false;
        s->next[g] = h;
    }
    for (size_t i = 0; i < f->peer_start[rank + 1] - p; i++)
        if (f->peers[q + i] != nadi_topology_move(s->t, f->peers[p + i], d, by) ||
            f->backs[p + i] != f->backs[q + i])
            return false;
    return true;
}

static bool maps_onto_itself(struct shifts *s, uint32_t d, uint32_t by)
{
    for (uint32_t g = 0; g < s->f->in->groups.count; g++)
        s->next[g] = s->f->groups[g].world ? g : NADI_NONE;
    for (uint32_t r = 0; r < s->f->rank_count; r++)
        if (!same_after(s, r, nadi_topology_move(s->t, r, d, by), d, by))
            return false;
    return true;
}

/* In a graph: are the routes of messages mapped on each other, too? */
static bool maps_routes(struct shifts *s, uint32_t d, uint32_t by)
{
    if (!s->f->in->graph.node_count)
        return true;
    if (!s->routes)
        s->routes = nadi_fold_routes_open(s->f);
    if (nadi_fold_routes_why_not(s->routes))
        return false;
    const uint32_t *map = nadi_fold_routes_map(s->routes, s->t, d, by);
    if (map)
        s->maps[d] = nadi_mem_copy(map, nadi_graph_channel_count(&s->f->in->graph), sizeof(*map));
    return map;
}

/* The least period of each dimension. */
static void find_periods(struct shifts *s)
{
    for (uint32_t d = 0; d < s->t->dim_count; d++) {
        const uint32_t n = s->t->dims[d].npus;
        uint32_t by = 1;
        while (by < n && (n % by != 0 || !maps_onto_itself(s, d, by) || !maps_routes(s, d, by)))
            by++;
        s->period[d] = by;
        s->moved[d] = s->next;
        s->next = NADI_NEW(uint32_t, s->f->in->groups.count);
    }
}

/* ---- groups -------------------------------------------------------------------------------- */

static uint32_t first_of(const struct shifts *s, uint32_t rank)
{
    uint32_t first = 0;
    for (uint32_t d = 0; d < s->t->dim_count; d++)
        first += nadi_topology_coordinate(s->t, rank, d) % s->period[d] * s->t->stride[d];
    return first;
}

/* Does the group lie the same around each of its members? */
static bool looks_alike(const struct shifts *s, const struct nadi_group *g)
{
    const uint32_t step =
        nadi_uniform_place(s->t, nadi_group_member(g, 0), nadi_group_member(g, g->size > 1));
    if (g->is_world || g->size == s->f->rank_count)
        return true;
    for (uint32_t i = 0; i < g->size; i++)
        if (nadi_uniform_place(s->t, nadi_group_member(g, i),
                               nadi_group_member(g, (i + 1) % g->size)) != step)
            return false;
    return true;
}

/* Are the members of one class and alike (*single), or each of another class? Then no shift maps
 * the group to itself. */
static bool is_clean(struct shifts *s, uint32_t group, bool *single)
{
    const struct nadi_group *g = &s->f->in->groups.items[group];
    const uint32_t visit = ++s->visits, class = first_of(s, nadi_group_member(g, 0));
    bool one = g->size > 1, each = true;
    for (uint32_t i = 0; i < g->size; i++) {
        const uint32_t first = first_of(s, nadi_group_member(g, i));
        one &= first == class;
        each &= s->visited[first] != visit;
        s->visited[first] = visit;
    }
    *single = one && looks_alike(s, g);
    return *single || each;
}

/* Dimensions that the group crosses are not folded. */
static bool unfold(struct shifts *s, const struct nadi_group *g)
{
    bool changed = false;
    for (uint32_t d = 0; d < s->t->dim_count; d++) {
        bool crosses = false;
        for (uint32_t i = 1; i < g->size && !crosses; i++)
            crosses = nadi_topology_coordinate(s->t, nadi_group_member(g, i), d) !=
                      nadi_topology_coordinate(s->t, nadi_group_member(g, 0), d);
        changed |= crosses && s->period[d] < s->t->dims[d].npus;
        s->period[d] = crosses ? s->t->dims[d].npus : s->period[d];
    }
    return changed;
}

/* The least group that shifts map to this one and to which they map it: they are generated by those
 * of the dimensions, which commute. */
static uint32_t first_moved(const struct shifts *s, uint32_t g, uint32_t d)
{
    uint32_t best = g;
    if (d == s->t->dim_count)
        return g;
    const uint32_t steps = s->t->dims[d].npus / s->period[d];
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t first = first_moved(s, g, d + 1);
        best = first < best ? first : best;
        g = steps > 1 ? s->moved[d][g] : g;
    }
    return best;
}

static bool give_groups(struct shifts *s, struct nadi_fold *fold)
{
    const size_t count = s->f->in->groups.count;
    fold->canonical = NADI_NEW(uint32_t, count);
    fold->copies = NADI_ZNEW(uint32_t, count);
    fold->single = NADI_ZNEW(bool, count);
    fold->deferred = NADI_ZNEW(bool, count);
    for (uint32_t g = 0; g < count; g++)
        fold->canonical[g] = NADI_NONE;
    for (uint32_t g = 0; g < count; g++) { /* the first of its orbit meets all others */
        bool single;
        if (!s->f->groups[g].used)
            continue;
        const uint32_t first = first_moved(s, g, 0);
        fold->canonical[g] = first;
        fold->copies[first]++;
        if (!is_clean(s, g, &single))
            return false;
        fold->single[first] = single;
    }
    return true;
}

/* ---- classes ------------------------------------------------------------------------------- */

static void give_classes(const struct shifts *s, struct nadi_fold *fold)
{
    const uint32_t ranks = s->f->rank_count;
    fold->rank_count = ranks;
    fold->actor_of = NADI_NEW(uint32_t, ranks);
    fold->rank_of = NADI_NEW(uint32_t, ranks);
    fold->weight = NADI_ZNEW(uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t first = first_of(s, r); /* <= r */
        fold->actor_of[r] = first == r ? fold->actor_count : fold->actor_of[first];
        if (first == r)
            fold->rank_of[fold->actor_count++] = r;
        fold->weight[fold->actor_of[r]]++;
    }
    memcpy(fold->period, s->period, sizeof(fold->period));
    fold->shape = s->shape;
}

/* In a graph the links that are one; why the network model cannot serve them so, or NULL. */
static const char *give_links(struct shifts *s, struct nadi_fold *fold)
{
    const struct nadi_inputs *in = s->f->in;
    if (!s->routes)
        return NULL;
    for (uint32_t d = 0; d < s->t->dim_count; d++)
        if (s->period[d] == s->t->dims[d].npus) {
            nadi_mem_free(s->maps[d]);
            s->maps[d] = NULL;
        }
    fold->links = nadi_fold_routes_links(s->routes, s->t, s->period, s->maps, fold->weight[0]);
    if (fold->links->shared && in->options.network_model->in_order)
        return "ranks that are alike share a link, which serves one after the other";
    if (fold->links->shared && in->flow.packet_bytes)
        return "ranks that are alike share a link, and packets are forwarded whole";
    return NULL;
}

static struct nadi_fold *fold_of(struct shifts *s)
{
    struct nadi_fold *fold = NADI_ZNEW(struct nadi_fold, 1);
    give_classes(s, fold);
    if (fold->actor_count < fold->rank_count && give_groups(s, fold)) {
        nadi_fold_make_peers(s->f, fold);
        return fold;
    }
    nadi_fold_destroy(fold);
    return NULL;
}

static void keep_clean(struct shifts *s)
{
    bool changed = true, single;
    while (changed) {
        changed = false;
        for (uint32_t g = 0; g < s->f->in->groups.count; g++) {
            if (s->f->groups[g].used && !is_clean(s, g, &single))
                changed |= unfold(s, &s->f->in->groups.items[g]);
        }
    }
}

static const char no_shift[] =
    "no shift of the network maps the ranks' graphs, groups and peers on each other";

static struct nadi_fold *find_fold(struct shifts *s, const char **why_not)
{
    find_periods(s);
    *why_not = s->routes ? nadi_fold_routes_why_not(s->routes) : NULL;
    if (*why_not)
        return NULL;
    keep_clean(s);
    struct nadi_fold *fold = fold_of(s);
    *why_not = fold ? give_links(s, fold) : no_shift;
    if (!*why_not)
        return fold;
    nadi_fold_destroy(fold);
    return NULL;
}

struct nadi_fold *nadi_fold_shifts(struct nadi_folding *f, const char **why_not)
{
    struct shifts s = {.f = f};
    *why_not = nadi_fold_no_shifts(f->in, uses_world(f));
    if (*why_not)
        return NULL;
    s.shape = cut_shape(f);
    s.t = &s.shape;
    s.next = NADI_NEW(uint32_t, f->in->groups.count);
    s.visited = NADI_ZNEW(uint32_t, f->rank_count);
    struct nadi_fold *fold = find_fold(&s, why_not);
    for (uint32_t d = 0; d < s.t->dim_count; d++) {
        nadi_mem_free(s.moved[d]);
        nadi_mem_free(s.maps[d]);
    }
    nadi_fold_routes_close(s.routes);
    nadi_mem_free(s.next);
    nadi_mem_free(s.visited);
    return fold;
}
