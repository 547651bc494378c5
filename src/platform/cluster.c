#include "platform/cluster.h"

#include "base/algorithm.h"
#include "base/str.h"

#include "platform/catalogue.h"
#include "platform/generator.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"
#include "platform/graph_trim.h"
#include "platform/io_trees.h"
#include "platform/power.h"

/* A graph alone says what the dimensions are. */
static bool graph_is_all(const struct nadi_schema_values *v, struct nadi_diags *diags)
{
    static const char *const keys[] = {"npus_count", "bandwidth", "latency", "oversubscription"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *value = nadi_schema_get(v, keys[i]);
        if (value->node)
            return nadi_error(diags, "cluster/network", nadi_doc_place(v->doc, value->node),
                              "leave it out, or give 'topology' as well",
                              "'%s' belongs to 'topology', and here the graph says it", keys[i]);
    }
    return true;
}

/* A platform, a graph, or the keys of a network. */
static bool has_one_network(const struct nadi_schema_values *v, struct nadi_diags *diags)
{
    static const char *const keys[] = {
        "topology",         "npus_count",           "bandwidth",           "latency", "algorithm",
        "oversubscription", "all-reduce-algorithm", "all-to-all-algorithm"};
    const bool platform = nadi_schema_get(v, "platform")->count > 0;
    const struct nadi_schema_value *graph = nadi_schema_get(v, "graph");
    if (platform && graph->count)
        return nadi_error(diags, "cluster/network", nadi_doc_place(v->doc, graph->node),
                          "leave it out, or 'platform'",
                          "'graph' and 'platform' both say what the network is");
    if (graph->count && !nadi_schema_get(v, "topology")->node)
        return graph_is_all(v, diags);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *value = nadi_schema_get(v, keys[i]);
        if (platform && value->node)
            return nadi_error(diags, "cluster/network", nadi_doc_place(v->doc, value->node),
                              "leave it out, or 'platform'",
                              "'%s' and 'platform' both say what the network is", keys[i]);
        if (!platform && !value->node && i < 4)
            return nadi_error(diags, "cluster/network", NADI_IN_FILE(v->doc->path),
                              "a network has topology, npus_count, bandwidth and latency; or name "
                              "one: platform: h100-node",
                              "'%s' is missing", keys[i]);
    }
    return true;
}

static bool lengths_agree(const struct nadi_schema_values *v, struct nadi_diags *diags)
{
    static const char *const keys[] = {
        "npus_count",       "bandwidth",           "latency", "algorithm", "all-reduce-algorithm",
        "oversubscription", "all-to-all-algorithm"};
    const struct nadi_schema_value *shape = nadi_schema_get(v, "topology");
    if (shape->count == 0 || shape->count > NADI_MAX_DIMS)
        return nadi_error(diags, "cluster/length", nadi_doc_place(v->doc, shape->node), NULL,
                          "'topology' needs 1 to %d dimensions", NADI_MAX_DIMS);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *value = nadi_schema_get(v, keys[i]);
        if (value->node && value->count != shape->count)
            return nadi_error(diags, "cluster/length", nadi_doc_place(v->doc, value->node),
                              "write one entry a dimension in every list",
                              "'%s' has %u, but 'topology' has %u", keys[i], value->count,
                              shape->count);
    }
    const struct nadi_schema_value *over = nadi_schema_get(v, "oversubscription");
    for (uint32_t d = 0; d < over->count; d++) {
        struct nadi_dim dim;
        nadi_dim_set_kind(&dim, shape->items[d].word, shape->items[d].integer);
        if (over->items[d].number > 1 && dim.kind != NADI_DIM_SWITCH)
            return nadi_error(diags, "cluster/oversubscription",
                              nadi_doc_place(v->doc, over->items[d].node),
                              "lower the dimension's bandwidth, or write 1",
                              "only a Switch can be oversubscribed; dimension %u is a %s", d,
                              nadi_dim_kind_name(dim.kind));
    }
    const struct nadi_schema_value *npus = nadi_schema_get(v, "npus_count");
    for (uint32_t d = 0; d + 1 < npus->count; d++)
        if (npus->items[d].integer < 1)
            return nadi_error(diags, "cluster/open", nadi_doc_place(v->doc, npus->items[d].node),
                              NULL, "only the last dimension may be 0");
    return true;
}

/* Keys of a generated graph's words for cables of the first dimension, and of those behind. */
static const char *latency_key(const char *words, bool inside)
{
    if (inside)
        return "scale-up-latency";
    return nadi_generator_text_get(words, "scale-out") ? "scale-out.latency" : "latency";
}

/* The words of a generated graph with the latencies beside them, which are of a cable each: they
 * are said once. What the words say themselves stays. */
static const char *with_latencies(struct nadi_cluster *c, const char *words,
                                  const struct nadi_schema_value *latency)
{
    words = nadi_arena_strdup(&c->arena, words);
    for (uint32_t i = 0; latency->node && latency->count && i < 2; i++) {
        const bool inside = i == 0 && nadi_generator_has_servers(words);
        const char *key = latency_key(words, inside);
        char value[40];
        snprintf(value, sizeof(value), "%.17gns",
                 latency->items[i < latency->count ? i : latency->count - 1].number);
        if (!nadi_generator_text_get(words, key))
            words = nadi_generator_text_set(&c->arena, words, key, value);
    }
    return words;
}

static void fill(struct nadi_cluster *c, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *source = nadi_schema_get(v, "source");
    const struct nadi_schema_value *shape = nadi_schema_get(v, "topology");
    const struct nadi_schema_value *over = nadi_schema_get(v, "oversubscription");
    c->name = nadi_arena_strdup(&c->arena, nadi_schema_get(v, "name")->items[0].text);
    c->source = source->count ? nadi_arena_strdup(&c->arena, source->items[0].text) : NULL;
    c->host_speed = nadi_schema_number(v, "host-speed");
    c->chunks = (uint32_t)nadi_schema_integer(v, "chunks");
    c->names_chunks = nadi_schema_get(v, "chunks")->node != NULL;
    c->active_chunks = (uint32_t)nadi_schema_integer(v, "active-chunks");
    c->inter = nadi_arena_strdup(&c->arena,
                                 nadi_schema_get(v, "inter-dimension-scheduling")->items[0].text);
    c->intra = nadi_arena_strdup(&c->arena,
                                 nadi_schema_get(v, "intra-dimension-scheduling")->items[0].text);
    c->chunked_groups = nadi_schema_word(v, "group-collectives") == 1;
    if (nadi_schema_get(v, "packet")->count)
        c->packet =
            nadi_file_beside(c->path, nadi_schema_get(v, "packet")->items[0].text, &c->arena);
    if (nadi_schema_get(v, "graph")->count) {
        const char *graph = nadi_schema_get(v, "graph")->items[0].text;
        c->graph = nadi_generator_is_words(graph)
                       ? with_latencies(c, graph, nadi_schema_get(v, "latency"))
                       : nadi_file_beside(c->path, graph, &c->arena);
    }
    if (nadi_schema_get(v, "platform")->count)
        c->platform = nadi_catalogue_beside(c->path, nadi_schema_get(v, "platform")->items[0].text,
                                            &c->arena);
    c->topology.dim_count = shape->count;
    for (uint32_t d = 0; d < shape->count; d++) {
        struct nadi_dim *dim = &c->topology.dims[d];
        nadi_dim_set_kind(dim, shape->items[d].word, shape->items[d].integer);
        dim->npus = (uint32_t)nadi_schema_get(v, "npus_count")->items[d].integer;
        dim->bytes_per_ns = nadi_schema_get(v, "bandwidth")->items[d].number / 1e9;
        dim->latency_ns = nadi_schema_get(v, "latency")->items[d].number;
        dim->oversubscription = over->count ? over->items[d].number : 1;
    }
}

static void fill_algorithms(struct nadi_cluster *c, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *all = nadi_schema_get(v, "algorithm");
    const struct nadi_schema_value *reduce = nadi_schema_get(v, "all-reduce-algorithm");
    const struct nadi_schema_value *exchange = nadi_schema_get(v, "all-to-all-algorithm");
    for (uint32_t d = 0; d < c->topology.dim_count; d++) {
        const bool full = c->topology.dims[d].kind == NADI_DIM_FULLY_CONNECTED && !c->all_graph;
        c->algorithm[d] = all->count ? nadi_arena_strdup(&c->arena, all->items[d].text)
                          : full     ? NADI_ALGORITHM_FULLY_DEFAULT
                                     : NADI_ALGORITHM_DEFAULT;
        c->all_reduce[d] =
            reduce->count ? nadi_arena_strdup(&c->arena, reduce->items[d].text) : c->algorithm[d];
        c->all_to_all[d] =
            exchange->count ? nadi_arena_strdup(&c->arena, exchange->items[d].text) : NULL;
    }
}

uint32_t nadi_cluster_entries(const struct nadi_cluster *c, const char *const *words)
{
    return nadi_str_starts(words[0], "one") ? 1 : c->topology.dim_count;
}

/* The dimensions that the file gives beside a graph: at most as many NPUs as the graph has, which
 * says what an open last one is. */
static bool fill_graph(struct nadi_cluster *c, const struct nadi_graph *g, struct nadi_diags *diags)
{
    struct nadi_dim *last = &c->topology.dims[c->topology.dim_count - 1];
    const uint64_t npus = g->host_count;
    uint64_t inner = 1;
    for (const struct nadi_dim *d = c->topology.dims; d < last; d++)
        inner *= d->npus;
    if (!last->npus && npus % inner == 0)
        last->npus = (uint32_t)(npus / inner);
    if (last->npus && inner * last->npus <= npus)
        return true;
    return nadi_error(diags, "cluster/graph", NADI_IN_FILE(c->path),
                      "write 0 as the last dimension of 'npus_count': what the graph has",
                      "the graph has %" PRIu64 " NPUs, but 'npus_count' says %" PRIu64, npus,
                      inner * last->npus);
}

/* What the graph says: its I/O, and the dimensions that collectives see where the cluster's file
 * does not give them. */
static bool take_graph(struct nadi_cluster *c, const struct nadi_schema_values *v,
                       struct nadi_diags *diags)
{
    static const char *const keys[] = {"algorithm", "all-reduce-algorithm", "all-to-all-algorithm"};
    struct nadi_graph_file f;
    struct nadi_io_trees io;
    const bool ok = nadi_graph_file_read(&f, c->graph, diags) &&
                    (c->all_graph ? nadi_graph_file_topology(&f, &c->topology)
                                  : fill_graph(c, &f.graph, diags));
    c->graph_is_trimmed = ok && nadi_graph_may_be_trimmed(&f.graph);
    if (ok && nadi_io_trees_find(&f.graph, &io))
        c->io_bytes_per_ns = io.bytes_per_ns * io.factor;
    nadi_graph_file_release(&f);
    if (!ok || !c->all_graph)
        return ok;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *words = nadi_schema_get(v, keys[i]);
        if (words->count && words->count != c->topology.dim_count)
            return nadi_error(diags, "cluster/length", nadi_doc_place(v->doc, words->node),
                              "write one entry a dimension",
                              "'%s' has %u, but collectives see %u dimensions of the graph",
                              keys[i], words->count, c->topology.dim_count);
    }
    return true;
}

/* The limit lies between what the device draws idle and what its figures are stated for. */
static bool limit_power(struct nadi_cluster *c, const struct nadi_schema_values *v,
                        struct nadi_diags *diags)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, "power-limit");
    const double watts = nadi_schema_number(v, "power-limit");
    const struct nadi_device *d = &c->device;
    if (!(watts > 0))
        return true;
    if (!(d->power > 0))
        return nadi_error(diags, "cluster/power", nadi_doc_place(v->doc, value->node),
                          "give 'power' and 'idle-power' in the device's file",
                          "a power limit, but %s does not say what power its figures hold at",
                          d->name);
    if (d->measured)
        return nadi_error(diags, "cluster/power", nadi_doc_place(v->doc, value->node),
                          "leave 'measured' out of the device's file, or measure at this limit",
                          "a power limit does not slow the measured products of %s", d->name);
    if (watts > d->power || watts <= d->idle_power)
        return nadi_error(diags, "cluster/power", nadi_doc_place(v->doc, value->node), NULL,
                          "the limit is %g W, but %s draws between %g W idle and %g W", watts,
                          d->name, d->idle_power, d->power);
    nadi_power_limit(&c->device, watts);
    return true;
}

static const char of_graph[] = "graph.";

/* Parameters of the graph's generator, "graph.nodes": its words are one value of the file. */
static bool change_graph(struct nadi_doc *doc, const struct nadi_doc_changes *changes,
                         struct nadi_diags *diags)
{
    const struct nadi_doc_node *graph = nadi_doc_find(doc->root, "graph");
    for (size_t i = 0; i < changes->count; i++) {
        const struct nadi_doc_change *change = &changes->items[i];
        if (!graph || graph->kind != NADI_DOC_SCALAR || !nadi_generator_is_words(graph->text))
            return nadi_error(diags, "cluster/graph", NADI_IN_FILE(doc->path),
                              "change the graph's file, or name another one: cluster.graph=FILE",
                              "cluster.%s = %s, but the cluster has no generated graph",
                              change->path, change->text);
        const char *key = change->path + strlen(of_graph);
        const struct nadi_doc_change words = {
            change->of, "graph",
            nadi_generator_text_set(&doc->arena, graph->text, key, change->text)};
        if (!nadi_doc_change(doc, &(struct nadi_doc_changes){&words, 1}, change->of, diags))
            return false;
    }
    return true;
}

/* Which of a cluster's bandwidths, or latencies, are changed: those of its first dimension, within
 * a server, or those behind; a whole list is of either. */
struct changed {
    bool inside, beyond, whole;
};

static struct changed changes_of(const struct nadi_doc_changes *changes, const char *what,
                                 bool one_dimension)
{
    struct changed found = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const char *path = changes->items[i].path;
        const bool in_graph = nadi_str_starts(path, of_graph);
        if (!nadi_str_equal(changes->items[i].of, "cluster") ||
            (in_graph ? !strstr(path, what) : !nadi_str_starts(path, what)))
            continue;
        if (!in_graph && path[strlen(what)] != '[')
            found.whole = true;
        else if (!one_dimension && (in_graph ? nadi_str_starts(path + strlen(of_graph), "scale-up-")
                                             : nadi_str_equal(path + strlen(what), "[0]")))
            found.inside = true;
        else
            found.beyond = true;
    }
    return found;
}

static bool differ(struct changed here, struct changed there)
{
    const bool any = there.inside || there.beyond;
    return here.whole ? !any : here.inside != there.inside || here.beyond != there.beyond;
}

/* Is another graph given, or none? */
static bool has_new_graph(const struct nadi_doc_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (nadi_str_equal(changes->items[i].of, "cluster") &&
            nadi_str_starts(changes->items[i].path, "graph"))
            return true;
    return false;
}

/* Do the words of a generated graph leave a latency to the list beside them? */
static bool takes_latency(const struct nadi_doc *doc, bool inside)
{
    const struct nadi_doc_node *graph = nadi_doc_find(doc->root, "graph");
    return graph->kind == NADI_DOC_SCALAR && nadi_generator_is_words(graph->text) &&
           !nadi_generator_text_get(graph->text, latency_key(graph->text, inside));
}

/* Network models without a graph take rates and latencies beside it: a change of one alone would
 * make two clusters. */
static bool changes_both(const struct nadi_doc *doc, const struct nadi_doc_changes *plain,
                         const struct nadi_doc_changes *graph, struct nadi_diags *diags)
{
    static const char *const both[] = {"bandwidth", "latency"};
    if (!nadi_doc_find(doc->root, "graph") || has_new_graph(plain))
        return true;
    for (size_t i = 0; i < 2; i++) {
        const struct nadi_doc_node *value = nadi_doc_find(doc->root, both[i]);
        char help[160];
        if (!value)
            continue;
        const bool one = value->kind != NADI_DOC_LIST || value->count < 2;
        const struct changed here = changes_of(plain, both[i], one),
                             there = changes_of(graph, both[i], one);
        if (!differ(here, there))
            continue;
        const bool inside = here.inside != there.inside && !here.whole;
        const bool listed = here.whole || (inside ? here.inside : here.beyond);
        if (i == 1 && listed && takes_latency(doc, inside))
            continue;
        snprintf(help, sizeof(help),
                 "change it in both places, as in \"cluster.%s[%d]=... cluster.graph.%s%s=...\"",
                 both[i], !inside, inside ? "scale-up-" : "", both[i]);
        return nadi_error(diags, "cluster/graph", NADI_IN_FILE(doc->path), help,
                          "'%s' is changed %s, but not %s", both[i],
                          listed ? "for network models without a graph" : "in the graph",
                          listed ? "in the graph" : "for network models without a graph");
    }
    return true;
}

/* The file with its changes. */
static bool open_changed(struct nadi_doc *doc, const char *name,
                         const struct nadi_doc_changes *changes, struct nadi_arena *arena,
                         struct nadi_diags *diags)
{
    const size_t count = changes ? changes->count : 0;
    struct nadi_doc_changes plain = {0}, graph = {0};
    struct nadi_doc_change *items = NADI_ARENA_NEW(arena, struct nadi_doc_change, 2 * count);
    plain.items = items;
    graph.items = items + count;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_doc_change *change = &changes->items[i];
        const bool is_graph =
            nadi_str_equal(change->of, "cluster") && nadi_str_starts(change->path, of_graph);
        items[is_graph ? count + graph.count++ : plain.count++] = *change;
    }
    if (!nadi_catalogue_doc_changed(doc, "clusters", name, &plain, diags))
        return false;
    if (changes_both(doc, &plain, &graph, diags) && change_graph(doc, &graph, diags))
        return true;
    nadi_doc_release(doc);
    return false;
}

bool nadi_cluster_open(struct nadi_cluster *c, const char *name, struct nadi_diags *diags)
{
    return nadi_cluster_open_changed(c, name, NULL, diags);
}

bool nadi_cluster_open_changed(struct nadi_cluster *c, const char *name,
                               const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    struct nadi_schema_values v;
    *c = (struct nadi_cluster){0};
    nadi_arena_init(&c->arena);
    c->path = nadi_arena_strdup(&c->arena, name);
    if (!open_changed(&doc, name, changes, &c->arena, diags))
        return false;
    bool ok =
        nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_CLUSTER), &doc, true, &doc.arena, diags) &&
        has_one_network(&v, diags) &&
        (!nadi_schema_get(&v, "topology")->node || lengths_agree(&v, diags));
    if (ok)
        fill(c, &v);
    c->all_graph = ok && c->graph && !c->topology.dim_count;
    if (ok && c->graph)
        ok = take_graph(c, &v, diags);
    if (ok)
        fill_algorithms(c, &v);
    if (ok) {
        const char *device = nadi_schema_get(&v, "device")->items[0].text;
        c->device_name = nadi_arena_strdup(&c->arena, device);
        ok = nadi_device_open_changed(&c->device, nadi_catalogue_beside(c->path, device, &c->arena),
                                      changes, &c->arena, diags) &&
             limit_power(c, &v, diags);
    }
    nadi_doc_release(&doc);
    return ok;
}

void nadi_cluster_release(struct nadi_cluster *c)
{
    nadi_arena_release(&c->arena);
    *c = (struct nadi_cluster){0};
}

/* Every dimension whole but for the last one in use. */
static bool fit_whole(struct nadi_topology *t, uint32_t ranks)
{
    uint64_t inner = 1;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const bool last = d + 1 == t->dim_count;
        if (inner * t->dims[d].npus >= ranks || (last && t->dims[d].npus == 0)) {
            if (ranks % inner != 0)
                return false;
            t->dims[d].npus = (uint32_t)(ranks / inner); /* a part of it, or the open one */
            t->dim_count = d + 1;
            return true;
        }
        inner *= t->dims[d].npus;
    }
    return false;
}

/* As many nodes as hold the ranks, the last one perhaps in part. */
static void fit_nodes(struct nadi_topology *t, uint32_t ranks)
{
    uint64_t inner = 1;
    for (uint32_t d = 0; d < t->dim_count; inner *= t->dims[d++].npus)
        if (inner * t->dims[d].npus >= ranks) {
            t->dims[d].npus = (uint32_t)((ranks + inner - 1) / inner);
            t->dim_count = d + 1;
        }
}

/* The largest divisor of `ranks` up to `most`; of those that keep blocks of `unit` ranks together,
 * if there is one. */
static uint32_t part_of(uint32_t ranks, uint32_t most, uint32_t unit)
{
    uint32_t any = 1, whole = 0;
    for (uint32_t k = 1; k <= most && k <= ranks; k++) {
        if (ranks % k != 0)
            continue;
        any = k;
        if (k % unit == 0)
            whole = k;
    }
    return whole ? whole : any;
}

/* The same part of every node. */
static bool fit_parts(struct nadi_topology *t, uint32_t ranks, uint32_t unit)
{
    uint32_t left = ranks;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        const bool open = dim->npus == 0;
        dim->npus = open ? left : part_of(left, dim->npus, unit);
        left /= dim->npus;
        unit = unit > dim->npus ? unit / dim->npus : 1;
        if (left == 1) {
            t->dim_count = d + 1;
            return true;
        }
    }
    return false;
}

/* Where the graph's generator counts nodes, the help says how many are needed. */
static bool graph_is_small(const struct nadi_cluster *c, uint32_t ranks, uint64_t npus,
                           struct nadi_diags *diags)
{
    const char *text =
        nadi_generator_is_words(c->graph) ? nadi_generator_text_get(c->graph, "nodes") : NULL;
    char help[160] = "choose degrees whose product is at most that number, or another graph";
    uint64_t nodes;
    if (text && nadi_str_take_u64(text, &nodes) && nodes && npus % nodes == 0)
        snprintf(help, sizeof(help),
                 "--set \"cluster.graph.nodes=%" PRIu64 "\" gives it enough nodes of %" PRIu64,
                 (ranks + npus / nodes - 1) / (npus / nodes), npus / nodes);
    return nadi_error(diags, "cluster/size", NADI_IN_FILE(c->path), help,
                      "%u ranks, but the graph of the cluster '%s' has %" PRIu64 " NPUs", ranks,
                      c->name, npus);
}

uint64_t nadi_cluster_npus(const struct nadi_cluster *c)
{
    uint64_t all = 1;
    for (uint32_t d = 0; d < c->topology.dim_count; d++)
        all *= c->topology.dims[d].npus;
    return all;
}

bool nadi_cluster_fit(struct nadi_cluster *c, uint32_t ranks, uint32_t unit,
                      struct nadi_diags *diags)
{
    struct nadi_topology *t = &c->topology;
    const uint32_t node = t->dims[0].npus;
    const uint64_t all = nadi_cluster_npus(c);
    if (c->graph && all && all < ranks)
        return graph_is_small(c, ranks, all, diags);
    if (c->graph && all > ranks) {
        nadi_note(diags, "cluster/idle", NADI_IN_FILE(c->path),
                  "choose degrees whose product is that number to use all of them",
                  "the graph of the cluster '%s' has %" PRIu64 " NPUs, and the last %" PRIu64
                  " are idle",
                  c->name, all, all - ranks);
        if (c->graph_is_trimmed)
            fit_nodes(t, ranks);
        return nadi_topology_finish(t);
    }
    if (all && all < ranks)
        return nadi_error(
            diags, "cluster/size", NADI_IN_FILE(c->path),
            "give the last dimension of 'npus_count' more, or 0 for as many as needed",
            "%u ranks, but the cluster '%s' has %" PRIu64, ranks, c->name, all);
    if (fit_whole(t, ranks))
        return nadi_topology_finish(t);
    if (!fit_parts(t, ranks, unit))
        return nadi_error(diags, "cluster/size", NADI_IN_FILE(c->path),
                          "choose degrees whose product fills whole nodes",
                          "%u ranks cannot be laid out evenly on the cluster '%s'", ranks, c->name);
    nadi_note(diags, "cluster/part", NADI_IN_FILE(c->path),
              "choose degrees whose product fills whole nodes to use all of them",
              "%u ranks do not fill nodes of %u: %u of each are used", ranks, node,
              t->dims[0].npus);
    return nadi_topology_finish(t);
}
