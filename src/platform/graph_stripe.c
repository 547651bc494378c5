#include "platform/graph_stripe.h"

#include "base/mem.h"
#include "platform/graph_planes.h"

struct cable { /* from a switch to a device: an NPU, or the router on its board */
    uint32_t at, device;
    bool from_device; /* the first end of its link */
    uint32_t link;
};

struct striping {
    const struct nadi_graph *g;
    uint32_t *number;   /* by node: of its planes; 0: it goes, another stands for it; 1: none */
    uint32_t *set;      /* by node: of planes of one set the same; else itself */
    uint64_t *together; /* by link: bit/s; 0: it goes */
};

#define COMPARE(a, b)                                                                              \
    do {                                                                                           \
        if ((a) < (b) || (a) > (b))                                                                \
            return (a) < (b) ? -1 : 1;                                                             \
    } while (0)

/* All but the rate: those that are the same are parallel. */
static int compare(const struct nadi_graph *g, const struct cable *x, const struct cable *y)
{
    const struct nadi_graph_link *a = &g->links[x->link], *b = &g->links[y->link];
    COMPARE(x->at, y->at);
    COMPARE(x->device, y->device);
    COMPARE(a->dim, b->dim);
    COMPARE(a->one_way, b->one_way);
    if (a->one_way)
        COMPARE(x->from_device, y->from_device);
    COMPARE(a->latency, b->latency);
    COMPARE(a->loss, b->loss);
    return 0;
}

static int by_ends(const void *a, const void *b, void *striping)
{
    const struct striping *s = striping;
    const struct cable *x = a, *y = b;
    const int ends = compare(s->g, x, y);
    if (ends)
        return ends;
    COMPARE(x->link, y->link);
    return 0;
}

static bool is_device(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_HOST || nadi_graph_owner(g, node) != node;
}

/* Parallel cables of a device become the first of them; those between switches stay. */
static bool join_parallel(struct striping *s)
{
    const struct nadi_graph *g = s->g;
    struct cable *cables = NADI_NEW(struct cable, g->link_count);
    uint32_t count = 0, first = 0;
    bool found = false;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        const bool a = is_device(g, l->a);
        if (a != is_device(g, l->b))
            cables[count++] = (struct cable){a ? l->b : l->a, a ? l->a : l->b, a, i};
    }
    qsort_r(cables, count, sizeof(*cables), by_ends, s);
    for (uint32_t i = 1; i < count; i++) {
        if (compare(g, &cables[first], &cables[i]) != 0) {
            first = i;
            continue;
        }
        s->together[cables[first].link] += s->together[cables[i].link];
        s->together[cables[i].link] = 0;
        found = true;
    }
    nadi_mem_free(cables);
    return found;
}

static void make(const struct striping *s, struct nadi_graph *out)
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
        node->planes *= planes;
        node->forward_bits_s *= planes;
        node->in_switch_bytes_per_ns *= planes;
    }
    for (uint32_t i = 0; i < g->link_count; i++) {
        struct nadi_graph_link link = g->links[i];
        if (!s->together[i] || !s->number[link.a] || !s->number[link.b])
            continue;
        const uint64_t a = s->number[link.a], b = s->number[link.b];
        const bool within = s->set[link.a] == s->set[link.b];
        link.bits_per_s = s->together[i] * (within ? a : a * b);
        link.a = place[link.a];
        link.b = place[link.b];
        nadi_graph_add_link(out, link);
    }
    out->alike = g->alike;
    nadi_graph_finish(out);
    nadi_mem_free(place);
}

/* With parallel cables as one, or planes; false: there are none. */
static bool join(const struct nadi_graph *g, bool planes, struct nadi_graph *out)
{
    struct striping s = {.g = g};
    s.number = NADI_NEW(uint32_t, g->node_count);
    s.set = NADI_NEW(uint32_t, g->node_count);
    s.together = NADI_NEW(uint64_t, g->link_count);
    for (uint32_t n = 0; n < g->node_count; n++) {
        s.number[n] = 1;
        s.set[n] = n;
    }
    for (uint32_t i = 0; i < g->link_count; i++)
        s.together[i] = g->links[i].bits_per_s;
    const bool found = planes ? nadi_graph_find_planes(g, s.number, s.set) : join_parallel(&s);
    if (found)
        make(&s, out);
    nadi_mem_free(s.number);
    nadi_mem_free(s.set);
    nadi_mem_free(s.together);
    return found;
}

bool nadi_graph_stripe(const struct nadi_graph *g, struct nadi_graph *out)
{
    struct nadi_graph joined;
    if (g->product) /* each router is on the board of its NPU */
        return false;
    if (!join(g, false, &joined))
        return join(g, true, out);
    if (!join(&joined, true, out))
        *out = joined;
    else
        nadi_graph_release(&joined);
    return true;
}
