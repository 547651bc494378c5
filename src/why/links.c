#include "why/links.h"

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
