#include "platform/graph_stripe.h"

#include "base/mem.h"
#include "platform/graph_planes.h"

struct cable { /* from a switch to a device: an NPU, or the router on its board; or further */
    uint32_t at, device;
    bool further; /* `device` is a switch */
    uint32_t dim;
    uint32_t one_way; /* 0: both ways; 1: to the device; 2: from it */
    nadi_time latency;
    double loss;
    uint64_t bits_per_s; /* of all that are put together */
    uint32_t link;       /* the first of them */
};

struct plane { /* a switch with devices: a run of the list */
    uint32_t node, first, count;
};

struct striping {
    const struct nadi_graph *g;
    struct {
        struct cable *items; /* by switch and device; parallel ones are one */
        size_t count, capacity;
    } cables;
    struct {
        struct plane *items;
        size_t count, capacity;
    } planes;
    uint32_t *number;   /* by node: of its planes; 0: it goes, another stands for it; 1: none */
    uint64_t *together; /* by link: bit/s; 0: it goes */
    bool found;
};

#define COMPARE(a, b)                                                                              \
    do {                                                                                           \
        if ((a) < (b) || (a) > (b))                                                                \
            return (a) < (b) ? -1 : 1;                                                             \
    } while (0)

/* All but the rate and the switch. */
static int compare_ends(const struct cable *x, const struct cable *y)
{
    COMPARE(x->further, y->further);
    COMPARE(x->device, y->device);
    COMPARE(x->dim, y->dim);
    COMPARE(x->one_way, y->one_way);
    COMPARE(x->latency, y->latency);
    COMPARE(x->loss, y->loss);
    return 0;
}

static int by_switch(const void *a, const void *b)
{
    const struct cable *x = a, *y = b;
    COMPARE(x->at, y->at);
    const int ends = compare_ends(x, y);
    if (ends)
        return ends;
    COMPARE(x->link, y->link);
    return 0;
}

static bool is_device(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_HOST || nadi_graph_owner(g, node) != node;
}

/* The cable as its end at the switch sees it. */
static void list_end(struct striping *s, uint32_t link, bool at_a, bool further)
{
    const struct nadi_graph_link *l = &s->g->links[link];
    const struct cable c = {
        .at = at_a ? l->a : l->b,
        .device = at_a ? l->b : l->a,
        .further = further,
        .dim = l->dim,
        .one_way = !l->one_way ? 0
                   : at_a      ? 1
                               : 2,
        .latency = l->latency,
        .loss = l->loss,
        .bits_per_s = l->bits_per_s,
        .link = link,
    };
    NADI_PUSH(&s->cables, c);
}

static void list_cables(struct striping *s)
{
    const struct nadi_graph *g = s->g;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const bool a = is_device(g, g->links[i].a), b = is_device(g, g->links[i].b);
        s->together[i] = g->links[i].bits_per_s;
        if (!a)
            list_end(s, i, true, !b);
        if (!b)
            list_end(s, i, false, !a);
    }
    if (s->cables.count)
        qsort(s->cables.items, s->cables.count, sizeof(*s->cables.items), by_switch);
}

/* Parallel cables of a device become the first of them. */
static void join_parallel(struct striping *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->cables.count; i++) {
        const struct cable c = s->cables.items[i];
        struct cable *last = kept ? &s->cables.items[kept - 1] : NULL;
        if (last && !c.further && last->at == c.at && compare_ends(last, &c) == 0) {
            last->bits_per_s += c.bits_per_s;
            s->together[last->link] = last->bits_per_s;
            s->together[c.link] = 0;
            s->found = true;
        } else
            s->cables.items[kept++] = c;
    }
    s->cables.count = kept;
}

static int by_cables(const struct striping *s, const struct plane *x, const struct plane *y)
{
    const struct nadi_graph_node *a = &s->g->nodes[x->node], *b = &s->g->nodes[y->node];
    COMPARE(x->count, y->count);
    COMPARE(a->forward_bits_s, b->forward_bits_s);
    COMPARE(a->in_switch_bytes_per_ns, b->in_switch_bytes_per_ns);
    COMPARE(a->in_switch_latency_ns, b->in_switch_latency_ns);
    COMPARE(a->middle, b->middle);
    for (uint32_t i = 0; i < x->count; i++) {
        const struct cable *p = &s->cables.items[x->first + i], *q = &s->cables.items[y->first + i];
        const int ends = compare_ends(p, q);
        if (ends)
            return ends;
        COMPARE(p->bits_per_s, q->bits_per_s);
    }
    return strcmp(a->role, b->role);
}

static int by_cables_and_node(const void *a, const void *b, void *striping)
{
    const struct plane *x = a, *y = b;
    const int cables = by_cables(striping, x, y);
    if (cables)
        return cables;
    COMPARE(x->node, y->node);
    return 0;
}

/* Equal switches become the first of them. */
static void join_planes(struct striping *s)
{
    for (uint32_t i = 0; i < s->cables.count;) {
        struct plane p = {.node = s->cables.items[i].at, .first = i};
        while (i < s->cables.count && s->cables.items[i].at == p.node) {
            i++;
            p.count++;
        }
        if (!s->cables.items[p.first].further && nadi_graph_degree(s->g, p.node) > 1)
            NADI_PUSH(&s->planes, p);
    }
    if (s->planes.count)
        qsort_r(s->planes.items, s->planes.count, sizeof(*s->planes.items), by_cables_and_node, s);
    for (size_t i = 0; i < s->planes.count;) {
        const struct plane *first = &s->planes.items[i];
        size_t end = i + 1;
        for (; end < s->planes.count && by_cables(s, first, &s->planes.items[end]) == 0; end++) {
            s->number[s->planes.items[end].node] = 0;
            s->number[first->node]++;
            s->found = true;
        }
        i = end;
    }
}

/* `whole`: planes are put together with all that is between their switches. */
static void make(const struct striping *s, bool whole, struct nadi_graph *out)
{
    const struct nadi_graph *g = s->g;
    uint32_t *place = NADI_NEW(uint32_t, g->node_count);
    nadi_graph_init(out);
    for (uint32_t n = 0; n < g->node_count; n++) {
        const uint32_t planes = s->number[n];
        if (!planes)
            continue;
        place[n] = nadi_graph_add_node(out, g->nodes[n].kind, g->nodes[n].name);
        struct nadi_graph_node *node = &out->nodes[place[n]];
        const char *name = node->name;
        *node = g->nodes[n];
        node->name = name;
        node->role = nadi_arena_strdup(&out->arena, g->nodes[n].role);
        node->planes = (g->nodes[n].planes ? g->nodes[n].planes : 1) * planes;
        node->forward_bits_s *= planes;
        node->in_switch_bytes_per_ns *= planes;
    }
    for (uint32_t i = 0; i < g->link_count; i++) {
        struct nadi_graph_link link = g->links[i];
        if (!s->together[i] || !s->number[link.a] || !s->number[link.b])
            continue;
        const uint64_t a = s->number[link.a], b = s->number[link.b];
        link.bits_per_s = s->together[i] * (whole ? nadi_max_u64(a, b) : a * b);
        link.a = place[link.a];
        link.b = place[link.b];
        nadi_graph_add_link(out, link);
    }
    out->alike = g->alike;
    nadi_graph_finish(out);
    nadi_mem_free(place);
}

static void release(struct striping *s)
{
    nadi_mem_free(s->cables.items);
    nadi_mem_free(s->planes.items);
    nadi_mem_free(s->number);
    nadi_mem_free(s->together);
}

static struct striping begin(const struct nadi_graph *g)
{
    struct striping s = {.g = g};
    s.number = NADI_NEW(uint32_t, g->node_count);
    s.together = NADI_NEW(uint64_t, g->link_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        s.number[n] = 1;
    return s;
}

/* Single switches and parallel cables. */
static bool join_switches(const struct nadi_graph *g, struct nadi_graph *out)
{
    struct striping s = begin(g);
    list_cables(&s);
    join_parallel(&s);
    join_planes(&s);
    if (s.found)
        make(&s, false, out);
    release(&s);
    return s.found;
}

/* Planes of several switches. */
static bool join_whole(const struct nadi_graph *g, struct nadi_graph *out)
{
    struct striping s = begin(g);
    for (uint32_t i = 0; i < g->link_count; i++)
        s.together[i] = g->links[i].bits_per_s;
    s.found = nadi_graph_find_planes(g, s.number);
    if (s.found)
        make(&s, true, out);
    release(&s);
    return s.found;
}

bool nadi_graph_stripe(const struct nadi_graph *g, struct nadi_graph *out)
{
    struct nadi_graph joined;
    if (g->product) /* each router is on the board of its NPU */
        return false;
    if (!join_switches(g, &joined))
        return join_whole(g, out);
    if (!join_whole(&joined, out))
        *out = joined;
    else
        nadi_graph_release(&joined);
    return true;
}
