#include "platform/graph_file.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/time.h"
#include "platform/generator.h"
#include "platform/generator_words.h"
#include "platform/graph_hpcc.h"
#include "platform/graph_htsim.h"
#include "platform/graph_names.h"
#include "settings/schema.h"

enum { MOST_LINKS = 1 << 24 };

struct reader {
    struct nadi_graph_file *f;
    const struct nadi_doc *doc;
    struct nadi_diags *diags;
    struct nadi_arena arena; /* while reading */
    struct nadi_strmap nodes;
};

bool nadi_graph_file_is(const struct nadi_doc *doc)
{
    return doc->root->kind == NADI_DOC_MAP && !nadi_doc_find(doc->root, "topology") &&
           (nadi_doc_find(doc->root, "generator") || nadi_doc_find(doc->root, "nodes") ||
            nadi_doc_find(doc->root, "links"));
}

static struct nadi_place place_of(const struct reader *r, const struct nadi_doc_node *node)
{
    return nadi_doc_place(r->doc, node);
}

/* The document's texts go when it is released: those that stay are copied. */
static const char *keep(struct reader *r, const char *text)
{
    return nadi_arena_strdup(&r->f->graph.arena, text);
}

static uint64_t bits_of(double bytes_per_s)
{
    const double bits = bytes_per_s * 8 + 0.5;
    return bits >= 1 ? nadi_count_trunc(bits) : 1;
}

struct node_kind { /* what the nodes of one entry share */
    enum nadi_graph_kind kind;
    const char *role;
    uint32_t level, group; /* NADI_NONE: not given */
    uint64_t forward_bits_s;
    double in_switch_bytes_per_ns, in_switch_latency_ns; /* negative: not given */
    uint32_t middle;
};

static uint32_t optional(const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? (uint32_t)value->items[0].integer : NADI_NONE;
}

static double number_or(const struct nadi_schema_values *v, const char *key, double otherwise)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? value->items[0].number : otherwise;
}

static struct node_kind kind_of(struct reader *r, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *role = nadi_schema_get(v, "role");
    const struct nadi_schema_value *kind = nadi_schema_get(v, "kind");
    const struct nadi_schema_value *rate = nadi_schema_get(v, "bandwidth");
    return (struct node_kind){
        .kind = kind->items[0].word == 0 ? NADI_GRAPH_HOST : NADI_GRAPH_SWITCH,
        .role = keep(r, role->count ? role->items[0].text : kind->items[0].text),
        .level = optional(v, "level"),
        .group = optional(v, "group"),
        .forward_bits_s = rate->count ? bits_of(rate->items[0].number) : 0,
        .in_switch_bytes_per_ns = number_or(v, "in-switch-bandwidth", -1e9) / 1e9,
        .in_switch_latency_ns = number_or(v, "in-switch-latency", -1),
        .middle = nadi_schema_get(v, "middle")->count ? optional(v, "middle") : 0,
    };
}

/* Number among the nodes of the same role. */
static uint32_t next_number(struct reader *r, const char *role)
{
    uint32_t count = 0;
    const struct nadi_graph *g = &r->f->graph;
    for (uint32_t n = g->node_count; n-- > 0;)
        if (strcmp(g->nodes[n].role, role) == 0) {
            count = g->nodes[n].number + 1;
            break;
        }
    return count;
}

static bool read_node(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_schema_values v;
    struct nadi_graph_names names;
    struct nadi_graph *g = &r->f->graph;
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_GRAPH_NODE), r->doc, map, true,
                               &r->arena, r->diags))
        return false;
    const struct node_kind kind = kind_of(r, &v);
    const struct nadi_place place = place_of(r, nadi_schema_get(&v, "name")->node);
    if (kind.kind == NADI_GRAPH_HOST && kind.forward_bits_s)
        return nadi_error(r->diags, "graph/npu-bandwidth", place,
                          "give its links a bandwidth, or put a nic before it",
                          "an npu forwards nothing: 'bandwidth' is for nodes between the links");
    if (kind.kind == NADI_GRAPH_HOST &&
        (kind.in_switch_bytes_per_ns >= 0 || kind.in_switch_latency_ns >= 0 || kind.middle))
        return nadi_error(r->diags, "graph/npu-in-switch", place, "give the keys to switches",
                          "an npu is no switch: 'in-switch-bandwidth', 'in-switch-latency' and "
                          "'middle' are for nodes between the links");
    if (!nadi_graph_names_expand(&names, nadi_schema_get(&v, "name")->items[0].text, &r->arena,
                                 place, r->diags))
        return false;
    if (names.count + g->node_count > NADI_MOST_NAMES)
        return nadi_error(r->diags, "graph/size", place, NULL, "more than %d nodes",
                          NADI_MOST_NAMES);
    uint32_t number = next_number(r, kind.role);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        if (nadi_strmap_put(&r->nodes, name, strlen(name), g->node_count, NULL) != g->node_count)
            return nadi_error(r->diags, "graph/name", place, "give every node a name of its own",
                              "two nodes are named '%s'", name);
        const uint32_t n = nadi_graph_add_node(g, kind.kind, name);
        g->nodes[n].role = kind.role;
        g->nodes[n].number = number++;
        g->nodes[n].level = kind.level;
        g->nodes[n].group = kind.group;
        g->nodes[n].forward_bits_s = kind.forward_bits_s;
        g->nodes[n].in_switch_bytes_per_ns = kind.in_switch_bytes_per_ns;
        g->nodes[n].in_switch_latency_ns = kind.in_switch_latency_ns;
        g->nodes[n].middle = kind.middle;
    }
    return true;
}

static bool refuse_name(struct reader *r, const struct nadi_doc_node *at, const char *name)
{
    const struct nadi_graph *g = &r->f->graph;
    const size_t most = 200;
    const char **names = NADI_ARENA_NEW(&r->arena, const char *, most);
    size_t count = 0;
    for (uint32_t n = 0; n < g->node_count && count < most; n++)
        names[count++] = g->nodes[n].name;
    const char *near = nadi_str_nearest(name, names, count);
    const char *hint = near ? nadi_arena_printf(&r->arena, "did you mean '%s'?", near)
                            : "nodes are named under 'nodes'";
    return nadi_error(r->diags, "graph/unknown-node", place_of(r, at), hint,
                      "no node is named '%s'", name);
}

/* The nodes at one end of an entry of links. */
static bool read_end(struct reader *r, const struct nadi_schema_values *v, const char *key,
                     uint32_t **nodes, size_t *count)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    struct nadi_graph_names names;
    if (!nadi_graph_names_expand(&names, value->items[0].text, &r->arena, place_of(r, value->node),
                                 r->diags))
        return false;
    *nodes = NADI_ARENA_NEW(&r->arena, uint32_t, names.count);
    *count = names.count;
    for (size_t i = 0; i < names.count; i++) {
        (*nodes)[i] = nadi_strmap_find(&r->nodes, names.items[i], strlen(names.items[i]));
        if ((*nodes)[i] == NADI_NONE)
            return refuse_name(r, value->node, names.items[i]);
    }
    return true;
}

struct cable { /* one entry of links */
    struct reader *r;
    const struct nadi_doc_node *at;
    struct nadi_graph_link link;
    uint32_t parallel_cables;
};

static bool join(const struct cable *c, uint32_t a, uint32_t b)
{
    struct nadi_graph *g = &c->r->f->graph;
    struct nadi_graph_link link = c->link;
    link.a = a;
    link.b = b;
    if (a == b)
        return nadi_error(c->r->diags, "graph/loop", place_of(c->r, c->at), NULL,
                          "a link from '%s' to itself", g->nodes[a].name);
    if (g->link_count + c->parallel_cables > MOST_LINKS)
        return nadi_error(c->r->diags, "graph/size", place_of(c->r, c->at), NULL,
                          "more than %d links", MOST_LINKS);
    for (uint32_t i = 0; i < c->parallel_cables; i++)
        nadi_graph_add_link(g, link);
    return true;
}

static bool join_all(const struct cable *c, const uint32_t *a, size_t as, const uint32_t *b,
                     size_t bs)
{
    const bool same = as == bs && memcmp(a, b, as * sizeof(*a)) == 0;
    for (size_t i = 0; i < as; i++)
        for (size_t k = same ? i + 1 : 0; k < bs; k++)
            if (!join(c, a[i], b[k]))
                return false;
    return true;
}

static bool join_pairs(const struct cable *c, const uint32_t *a, size_t as, const uint32_t *b,
                       size_t bs)
{
    if (as != bs && as != 1 && bs != 1)
        return nadi_error(c->r->diags, "graph/pairs", place_of(c->r, c->at),
                          "`join: all` joins each to each",
                          "%zu nodes on one side and %zu on the other make no pairs", as, bs);
    for (size_t i = 0; i < (as > bs ? as : bs); i++)
        if (!join(c, a[as == 1 ? 0 : i], b[bs == 1 ? 0 : i]))
            return false;
    return true;
}

static bool read_link(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_schema_values v;
    uint32_t *a, *b;
    size_t as, bs;
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_GRAPH_LINK), r->doc, map, true,
                               &r->arena, r->diags) ||
        !read_end(r, &v, "from", &a, &as) || !read_end(r, &v, "to", &b, &bs))
        return false;
    const struct cable c = {
        .r = r,
        .at = nadi_schema_get(&v, "from")->node,
        .link =
            {
                .bits_per_s = bits_of(nadi_schema_number(&v, "bandwidth")),
                .latency = nadi_time_of_ns(nadi_schema_number(&v, "latency")),
                .loss = nadi_schema_number(&v, "loss"),
                .dim = nadi_schema_integer(&v, "on-board")
                           ? NADI_NONE
                           : (uint32_t)nadi_schema_integer(&v, "dimension"),
                .one_way = nadi_schema_integer(&v, "one-way") != 0,
            },
        .parallel_cables = (uint32_t)nadi_schema_integer(&v, "count"),
    };
    return nadi_schema_word(&v, "join") ? join_all(&c, a, as, b, bs) : join_pairs(&c, a, as, b, bs);
}

static bool read_lists(struct reader *r, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *nodes = nadi_schema_get(v, "nodes");
    const struct nadi_schema_value *links = nadi_schema_get(v, "links");
    r->f->kind = "file";
    bool enough = nodes->count > 0 && links->node;
    for (uint32_t i = 0; enough && i < nodes->count; i++)
        if (!read_node(r, nodes->items[i].node))
            return false;
    enough &= links->count > 0 || r->f->graph.node_count == 1; /* one NPU alone */
    if (!enough)
        return nadi_error(r->diags, "graph/empty", nadi_doc_place(r->doc, r->doc->root),
                          "write both, or a generator", "a network needs 'nodes' and 'links'");
    if (!r->f->graph.host_count)
        return nadi_error(r->diags, "graph/no-npu", place_of(r, nodes->node),
                          "give the end points `kind: npu`", "no node is an npu");
    for (uint32_t i = 0; i < links->count; i++)
        if (!read_link(r, links->items[i].node))
            return false;
    nadi_graph_finish(&r->f->graph);
    return true;
}

/* Levels that were not given: the distance to the nearest NPU. */
static void fill_levels(struct nadi_graph *g)
{
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count), *away = NADI_NEW(uint32_t, g->node_count);
    uint32_t found = 0;
    memset(away, 0xff, g->node_count * sizeof(*away));
    for (uint32_t h = 0; h < g->host_count; h++) {
        away[g->hosts[h]] = 0;
        queue[found++] = g->hosts[h];
    }
    for (uint32_t i = 0; i < found; i++)
        for (uint32_t p = g->first_port[queue[i]]; p < g->first_port[queue[i] + 1]; p++)
            if (away[g->ports[p].peer] == NADI_NONE) {
                away[g->ports[p].peer] = away[queue[i]] + 1;
                queue[found++] = g->ports[p].peer;
            }
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].level == NADI_NONE)
            g->nodes[n].level = away[n] == NADI_NONE || away[n] > 15 ? 15 : away[n];
    nadi_mem_free(queue);
    nadi_mem_free(away);
}

/* Nodes that do not say whether they reduce do as the network's keys say. */
static void fill_in_switch(struct nadi_graph *g, const struct nadi_schema_values *v, bool made)
{
    const double rate = number_or(v, "in-switch-bandwidth", 0) / 1e9;
    const double latency = nadi_schema_number(v, "in-switch-latency");
    for (uint32_t n = 0; n < g->node_count; n++) {
        struct nadi_graph_node *node = &g->nodes[n];
        const bool reduces = node->kind == NADI_GRAPH_SWITCH && nadi_graph_owner(g, n) == n &&
                             strcmp(node->role, "nic") != 0 && strcmp(node->role, "pcie") != 0 &&
                             strcmp(node->role, NADI_ROLE_IO) != 0;
        const bool own = made && node->in_switch_bytes_per_ns > 0; /* the generator said it */
        if (own)
            continue;
        if (made || node->in_switch_bytes_per_ns < 0)
            node->in_switch_bytes_per_ns = reduces ? rate : 0;
        if (made || node->in_switch_latency_ns < 0)
            node->in_switch_latency_ns = node->in_switch_bytes_per_ns > 0 ? latency : 0;
    }
}

static bool read_generator(struct reader *r, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *map = nadi_schema_get(v, "generator");
    struct nadi_generator gen;
    static const char *const others[] = {"nodes", "links"};
    for (size_t i = 0; i < 2; i++)
        if (nadi_schema_is_set(v, others[i]))
            return nadi_error(r->diags, "graph/both",
                              place_of(r, nadi_schema_get(v, others[i])->node),
                              "`nadi topo FILE --out other.yml` writes what a generator makes as "
                              "nodes and links",
                              "a network has a generator or nodes and links, not both");
    if (!nadi_generator_read(&gen, r->doc, map->items[0].node, &r->arena, r->diags) ||
        !nadi_generator_make(&r->f->graph, &gen, r->diags))
        return false;
    r->f->kind = nadi_generator_name(gen.type);
    r->f->dim_count = nadi_generator_dims(&gen, &r->f->graph, r->f->dims);
    return true;
}

bool nadi_graph_has_price(const struct nadi_graph *g, const char *role)
{
    for (uint32_t n = 0; n < g->node_count; n++)
        if (strcmp(g->nodes[n].role, role) == 0 && nadi_graph_owner(g, n) == n)
            return true;
    return strcmp(role, "cable") == 0;
}

static bool read_prices(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_graph_file *f = r->f;
    f->prices = NADI_ARENA_NEW(&f->graph.arena, struct nadi_graph_price, map->count);
    for (const struct nadi_doc_node *n = map->first; n; n = n->next) {
        double price;
        const enum nadi_doc_scalar kind = nadi_doc_classify(r->doc, n, &price);
        if ((kind != NADI_DOC_INTEGER && kind != NADI_DOC_REAL) || !(price >= 0 && price < 1e15))
            return nadi_error(r->diags, "graph/price", place_of(r, n), NULL,
                              "the price of '%s' must be a number, at least 0", nadi_doc_key(n));
        if (!nadi_graph_has_price(&f->graph, nadi_doc_key(n)))
            return nadi_error(r->diags, "graph/price", nadi_doc_key_place(r->doc, n),
                              "prices are given by role; `nadi topo` lists the roles, and links "
                              "are 'cable'",
                              "no node has the role '%s'", nadi_doc_key(n));
        f->prices[f->price_count++] = (struct nadi_graph_price){keep(r, nadi_doc_key(n)), price};
    }
    return true;
}

double nadi_graph_price_of(const struct nadi_graph_file *f, const char *role)
{
    for (uint32_t i = 0; i < f->price_count; i++)
        if (strcmp(f->prices[i].role, role) == 0)
            return f->prices[i].price;
    return -1;
}

static bool read_dims(struct reader *r, const struct nadi_schema_values *v)
{
    struct nadi_graph_file *f = r->f;
    const struct nadi_schema_value *dims = nadi_schema_get(v, "dimensions");
    uint64_t product = 1;
    if (!dims->count) {
        if (!f->dim_count)
            f->dims[f->dim_count++] = f->graph.host_count;
        return true;
    }
    f->dim_count = dims->count;
    for (uint32_t d = 0; d < dims->count; d++) {
        f->dims[d] = (uint32_t)dims->items[d].integer;
        product = product > UINT32_MAX ? product : product * f->dims[d];
    }
    if (product == f->graph.host_count)
        return true;
    return nadi_error(r->diags, "graph/dimensions", place_of(r, dims->node),
                      "their product is the number of NPUs",
                      "'dimensions' stand for %" PRIu64 " ranks, but the network has %" PRIu32
                      " NPUs",
                      product, f->graph.host_count);
}

static void begin(struct nadi_graph_file *f)
{
    *f = (struct nadi_graph_file){.routing = NADI_ROUTE_ECMP, .routing_seed = 1};
    nadi_graph_init(&f->graph);
}

static bool read_all(struct reader *r)
{
    struct nadi_graph_file *f = r->f;
    struct nadi_schema_values v;
    if (!nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_GRAPH), r->doc, true, &r->arena,
                           r->diags))
        return false;
    const bool made = nadi_schema_is_set(&v, "generator");
    if (made ? !read_generator(r, &v) : !read_lists(r, &v))
        return false;
    fill_levels(&f->graph);
    fill_in_switch(&f->graph, &v, made);
    f->routing = nadi_route_scheme_find(nadi_schema_get(&v, "routing")->items[0].text);
    f->routing_seed = (uint64_t)nadi_schema_integer(&v, "routing-seed");
    f->stripe = nadi_schema_word(&v, "stripe") == 0;
    const struct nadi_schema_value *prices = nadi_schema_get(&v, "prices");
    return read_dims(r, &v) && (!prices->count || read_prices(r, prices->items[0].node));
}

bool nadi_graph_file_from_doc(struct nadi_graph_file *f, const struct nadi_doc *doc,
                              struct nadi_diags *diags)
{
    struct reader r = {.f = f, .doc = doc, .diags = diags};
    begin(f);
    nadi_arena_init(&r.arena);
    nadi_strmap_init(&r.nodes);
    const bool ok = read_all(&r);
    nadi_strmap_release(&r.nodes);
    nadi_arena_release(&r.arena);
    return ok;
}

enum nadi_graph_form nadi_graph_form_of(const char *text)
{
    const struct nadi_signature *known = nadi_signature_find(NULL, text, strlen(text));
    const char *at = text;
    if (known && !nadi_signature_is_for(known, "network file"))
        return NADI_GRAPH_FORM_DOC; /* whose reader says what it is */
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != '#')
            break;
        at += strcspn(at, "\n");
    }
    if (strncasecmp(at, "Nodes", 5) == 0 && (at[5] == ' ' || at[5] == '\t'))
        return NADI_GRAPH_FORM_HTSIM;
    return *at >= '0' && *at <= '9' ? NADI_GRAPH_FORM_HPCC : NADI_GRAPH_FORM_DOC;
}

static bool read_text(struct nadi_graph_file *f, enum nadi_graph_form form, const char *path,
                      char *text, size_t bytes, struct nadi_diags *diags)
{
    const bool htsim = form == NADI_GRAPH_FORM_HTSIM;
    f->kind = htsim ? "htsim" : "hpcc";
    if (htsim ? !nadi_graph_parse_htsim(&f->graph, path, text, bytes, diags)
              : !nadi_graph_parse_hpcc(&f->graph, path, text, bytes, diags))
        return false;
    for (uint32_t n = 0; !htsim && n < f->graph.node_count; n++)
        f->graph.nodes[n].level = f->graph.nodes[n].kind == NADI_GRAPH_HOST ? 0 : NADI_NONE;
    fill_levels(&f->graph);
    f->dims[f->dim_count++] = f->graph.host_count;
    return true;
}

bool nadi_graph_file_doc(struct nadi_doc *doc, bool *is_doc, const char *path,
                         struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    *is_doc = true;
    if (nadi_generator_is_words(path))
        return nadi_generator_text(doc, path, diags);
    if (!nadi_file_read(path, "network file", &text, &bytes, diags))
        return false;
    *is_doc = nadi_graph_form_of(text) == NADI_GRAPH_FORM_DOC;
    nadi_mem_free(text);
    return !*is_doc ||
           nadi_doc_read(doc, path, "network file", nadi_doc_syntax_of(path, NADI_DOC_YAML), diags);
}

bool nadi_graph_file_read(struct nadi_graph_file *f, const char *path, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    struct nadi_doc doc;
    bool is_doc, ok;
    begin(f);
    if (!nadi_graph_file_doc(&doc, &is_doc, path, diags))
        return false;
    if (is_doc) {
        nadi_graph_release(&f->graph);
        ok = nadi_graph_file_from_doc(f, &doc, diags);
        nadi_doc_release(&doc);
        return ok;
    }
    if (!nadi_file_read(path, "network file", &text, &bytes, diags))
        return false;
    ok = read_text(f, nadi_graph_form_of(text), path, text, bytes, diags);
    nadi_mem_free(text);
    return ok;
}

void nadi_graph_file_release(struct nadi_graph_file *f)
{
    nadi_graph_release(&f->graph);
}
