/* event_links: which links an entry of the events file means, by the names of their ends. */
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "platform/graph_names.h"

struct finder {
    struct nadi_load *l;
    const struct nadi_graph *g;
    struct nadi_strmap by_name;
    struct nadi_arena arena;
    bool *from, *to; /* by node: is it at that end? */
};

/* Nodes by their names, and by role and number where they have names of their own. */
static void index_names(struct finder *f)
{
    char buffer[48];
    nadi_strmap_init(&f->by_name);
    for (uint32_t n = 0; n < f->g->node_count; n++) {
        const char *name = nadi_graph_node_name(f->g, n, buffer);
        nadi_strmap_put(&f->by_name, nadi_arena_strdup(&f->arena, name), strlen(name), n, NULL);
    }
}

static bool number_after(const char *text, const char *word, uint32_t *number)
{
    return nadi_str_starts(text, word) &&
           nadi_str_to_u32(text + strlen(word), UINT32_MAX - 1, number);
}

/* "switch 3" as links.csv has it: the fourth node that is no NPU. */
static uint32_t nth_switch(const struct nadi_graph *g, uint32_t number)
{
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].kind == NADI_GRAPH_SWITCH && number-- == 0)
            return n;
    return NADI_NONE;
}

static uint32_t find_node(const struct finder *f, const char *name)
{
    uint32_t number;
    const uint32_t node = nadi_strmap_find(&f->by_name, name, strlen(name));
    if (node != NADI_NONE)
        return node;
    if (number_after(name, "", &number) || number_after(name, "npu ", &number) ||
        number_after(name, "NPU ", &number) || number_after(name, "rank ", &number))
        return number < f->g->host_count ? f->g->hosts[number] : NADI_NONE;
    if (number_after(name, "switch ", &number))
        return nth_switch(f->g, number);
    return NADI_NONE;
}

static bool refuse(struct finder *f, const struct nadi_link_entry *e, const char *name)
{
    enum { MOST = 200 };
    const char *names[MOST];
    char buffer[48];
    size_t count = 0;
    for (uint32_t n = 0; n < f->g->node_count && count < MOST; n++)
        names[count++] = nadi_arena_strdup(&f->arena, nadi_graph_node_name(f->g, n, buffer));
    const char *near = nadi_str_nearest(name, names, count);
    return nadi_error(f->l->diags, "events/unknown-node", e->place,
                      nadi_graph_planes(f->g) > 1
                          ? "equal switches are one here, by the name of the first; with "
                            "`stripe: none` in the network file each stands for itself"
                      : near ? nadi_arena_printf(&f->arena, "did you mean '%s'?", near)
                             : "`nadi topo` shows the roles; a rank is written `npu 3`",
                      "the network has no node '%s'", name);
}

/* An NPU of several dimensions stands for its own router, where its cables are. */
static void mark(const struct finder *f, uint32_t node, bool *at_end)
{
    const struct nadi_graph *g = f->g;
    at_end[node] = true;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
        if (g->nodes[node].kind == NADI_GRAPH_HOST && g->links[g->ports[p].link].dim == NADI_NONE)
            at_end[g->ports[p].peer] = true;
}

static bool mark_end(struct finder *f, const struct nadi_link_entry *e, const char *text,
                     bool *at_end)
{
    struct nadi_graph_names names;
    memset(at_end, text ? 0 : 1, f->g->node_count * sizeof(*at_end));
    if (!text)
        return true;
    if (!nadi_graph_names_expand(&names, text, &f->arena, e->place, f->l->diags))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const uint32_t node = find_node(f, names.items[i]);
        if (node == NADI_NONE)
            return refuse(f, e, names.items[i]);
        mark(f, node, at_end);
    }
    return true;
}

struct channels {
    uint32_t *items;
    size_t count, capacity;
};

static void take(const struct finder *f, const struct nadi_link_entry *e, uint32_t link,
                 struct channels *found)
{
    const struct nadi_graph_link *k = &f->g->links[link];
    const bool there = f->from[k->a] && f->to[k->b], back = f->from[k->b] && f->to[k->a];
    const uint32_t forth = 2 * link, home = 2 * link + 1;
    if (there || (back && !e->one_way))
        NADI_PUSH(found, forth);
    if (!k->one_way && (back || (there && !e->one_way)))
        NADI_PUSH(found, home);
}

static bool find(struct finder *f, struct nadi_link_entry *e)
{
    struct channels found = {0};
    if (!mark_end(f, e, e->from, f->from) || !mark_end(f, e, e->to, f->to))
        return false;
    for (uint32_t i = 0; i < f->g->link_count; i++) {
        const uint32_t dim = f->g->links[i].dim;
        if (dim != NADI_NONE && (e->dimension == NADI_NONE || dim == e->dimension))
            take(f, e, i, &found);
    }
    e->channel_count = found.count;
    e->channels = NADI_ARENA_NEW(&f->l->in->arena, uint32_t, found.count);
    if (found.count)
        memcpy(e->channels, found.items, found.count * sizeof(*found.items));
    nadi_mem_free(found.items);
    if (e->channel_count)
        return true;
    if (!e->from)
        return nadi_error(f->l->diags, "events/no-link", e->place, NULL,
                          "no link is of dimension %" PRIu32, e->dimension);
    return nadi_error(f->l->diags, "events/no-link", e->place,
                      "`nadi topo --out FILE` writes all links", "no link joins '%s' and %s%s%s",
                      e->from, e->to ? "'" : "", e->to ? e->to : "anything", e->to ? "'" : "");
}

bool nadi_find_event_links(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    struct nadi_events *ev = in->events;
    bool ok = true;
    if (ev->link_count == 0 || !in->options.network_model->has_links)
        return true;
    if (in->graph.node_count == 0) {
        if (!nadi_load_graph_from_dims(l))
            return false;
        in->has_graph = true;
    }
    struct finder f = {.l = l, .g = &in->graph};
    nadi_arena_init(&f.arena);
    index_names(&f);
    f.from = NADI_NEW(bool, f.g->node_count);
    f.to = NADI_NEW(bool, f.g->node_count);
    for (size_t i = 0; i < ev->link_count; i++)
        ok &= find(&f, &ev->links[i]);
    nadi_mem_free(f.from);
    nadi_mem_free(f.to);
    nadi_strmap_release(&f.by_name);
    nadi_arena_release(&f.arena);
    return ok;
}
