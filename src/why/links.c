#include "why/links.h"

#include "base/units.h"

static void ends_of(const struct nadi_graph *g, const struct nadi_graph_link *link, const char **a,
                    const char **b)
{
    *a = g->nodes[link->a].role;
    *b = g->nodes[link->b].role;
    if (strcmp(*a, *b) > 0) {
        const char *other = *a;
        *a = *b;
        *b = other;
    }
}

uint32_t nadi_link_classes_of(const struct nadi_link_classes *c, const struct nadi_graph *g,
                              const struct nadi_graph_link *link)
{
    const char *a, *b;
    ends_of(g, link, &a, &b);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct nadi_link_class *k = &c->items[i];
        if (c->detail == NADI_LINKS_ALL)
            return i;
        if (k->dim != link->dim || strcmp(k->a, a) != 0 || strcmp(k->b, b) != 0)
            continue;
        if (c->detail == NADI_LINKS_ROLES ||
            (k->bits_per_s == link->bits_per_s && k->latency == link->latency))
            return i;
    }
    return NADI_NONE;
}

static bool classify(const struct nadi_graph *g, struct nadi_link_classes *c)
{
    c->count = 0;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *link = &g->links[i];
        uint32_t at = nadi_link_classes_of(c, g, link);
        if (at == NADI_NONE && c->count == NADI_LINK_CLASSES)
            return false;
        if (at == NADI_NONE) {
            struct nadi_link_class *k = &c->items[at = c->count++];
            *k = (struct nadi_link_class){
                .dim = link->dim,
                .bits_per_s = link->bits_per_s,
                .latency = link->latency,
                .uniform = true,
            };
            ends_of(g, link, &k->a, &k->b);
            if (c->detail == NADI_LINKS_ALL)
                k->a = k->b = "";
        }
        c->items[at].count++;
        c->items[at].uniform &=
            c->items[at].bits_per_s == link->bits_per_s && c->items[at].latency == link->latency;
    }
    return true;
}

void nadi_link_classes_find(const struct nadi_graph *g, struct nadi_link_classes *c)
{
    for (c->detail = NADI_LINKS_EACH; !classify(g, c); c->detail++)
        ;
}

/* What tells a class of links from others with the same ends and rate: "", ", dimension 1" */
static const char *what_differs(const struct nadi_link_classes *c, uint32_t class,
                                struct nadi_arena *arena)
{
    const struct nadi_link_class *k = &c->items[class];
    char latency[32];
    for (uint32_t i = 0; i < c->count; i++) {
        const struct nadi_link_class *o = &c->items[i];
        if (i == class || strcmp(k->a, o->a) != 0 || strcmp(k->b, o->b) != 0 ||
            k->bits_per_s != o->bits_per_s)
            continue;
        return k->dim != o->dim
                   ? nadi_arena_printf(arena, ", dimension %" PRIu32, k->dim)
                   : nadi_arena_printf(arena, ", %s",
                                       nadi_units_time(latency, (double)k->latency / 1000));
    }
    return "";
}

const char *nadi_link_class_name(const struct nadi_link_classes *c, uint32_t class,
                                 const char *what, struct nadi_arena *arena)
{
    const struct nadi_link_class *k = &c->items[class];
    char rate[48] = "";
    if (k->uniform)
        snprintf(rate, sizeof(rate), " of %.4g GB/s", (double)k->bits_per_s / 8e9);
    return nadi_arena_printf(arena, "%s of %" PRIu32 " links %s%s%s%s%s", what, k->count, k->a,
                             k->a[0] ? "-" : "", k->b, rate, what_differs(c, class, arena));
}
