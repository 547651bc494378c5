/* load_network: network file -> topology. */
#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "inputs/load_v1.h"
#include "network/network.h"
#include "platform/graph_file.h"

static bool lengths_agree(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const char *const keys[] = {
        "npus_count",          "bandwidth",         "latency", "oversubscription",
        "in-switch-bandwidth", "in-switch-latency", "tiers"};
    const struct nadi_schema_value *topology = nadi_schema_get(values, "topology");
    bool ok = true;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *v = nadi_schema_get(values, keys[i]);
        if (v->node && v->count != topology->count)
            ok = nadi_error(l->diags, "network/length", nadi_doc_place(values->doc, v->node),
                            "write one entry a dimension in every list",
                            "'%s' has %u, but 'topology' has %u", keys[i], v->count,
                            topology->count);
    }
    if (topology->count == 0)
        ok = nadi_error(l->diags, "network/length", nadi_doc_place(values->doc, topology->node),
                        "for example: topology: [Ring]", "'topology' has no dimension");
    else if (topology->count > NADI_MAX_DIMS)
        ok = nadi_error(l->diags, "network/length", nadi_doc_place(values->doc, topology->node),
                        NULL, "'topology' has %u dimensions, at most %d are possible",
                        topology->count, NADI_MAX_DIMS);
    return ok;
}

static const char *text_of(struct nadi_load *l, const struct nadi_schema_values *values,
                           const char *key)
{
    const struct nadi_schema_value *v = nadi_schema_get(values, key);
    return v->count ? nadi_arena_strdup(&l->in->arena, v->items[0].text) : NULL;
}

/* Switches that take part in collectives. */
static bool fill_in_switch(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_topology *t = &l->in->topology;
    const struct nadi_schema_value *rate = nadi_schema_get(values, "in-switch-bandwidth");
    const struct nadi_schema_value *latency = nadi_schema_get(values, "in-switch-latency");
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        dim->in_switch_bytes_per_ns = rate->count ? rate->items[d].number / 1e9 : 0;
        dim->in_switch_latency_ns = latency->count ? latency->items[d].number : 0;
        const bool reduces = dim->in_switch_bytes_per_ns > 0;
        if (reduces && dim->kind != NADI_DIM_SWITCH)
            return nadi_error(l->diags, "network/in-switch",
                              nadi_doc_place(values->doc, rate->items[d].node), "write 0",
                              "only a Switch can reduce; dimension %u is a %s", d,
                              nadi_dim_kind_name(dim->kind));
        if (!reduces && dim->in_switch_latency_ns > 0)
            return nadi_error(l->diags, "network/in-switch",
                              nadi_doc_place(values->doc, latency->items[d].node),
                              "set in-switch-bandwidth of the dimension, or write 0",
                              "dimension %u has an in-switch-latency, but nothing that reduces", d);
    }
    return true;
}

/* What the shapes ask of each other and of the network model. */
static bool check_shapes(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_topology *t = &l->in->topology;
    struct nadi_topology whole;
    const struct nadi_schema_value *topology = nadi_schema_get(values, "topology");
    const struct nadi_schema_value *over = nadi_schema_get(values, "oversubscription");
    if (!nadi_topology_expand(t, &whole, NULL))
        return nadi_error(l->diags, "network/axes", nadi_doc_place(values->doc, topology->node),
                          NULL, "the dimensions have more than %d axes in all", NADI_MAX_DIMS);
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        if (dim->oversubscription > 1 && dim->kind != NADI_DIM_SWITCH)
            return nadi_error(l->diags, "network/oversubscription",
                              nadi_doc_place(values->doc, over->items[d].node),
                              "lower the dimension's bandwidth, or write 1",
                              "only a Switch can be oversubscribed; dimension %u is a %s", d,
                              nadi_dim_kind_name(dim->kind));
    }
    return true;
}

/* Under either name. */
static bool load_in_flight(struct nadi_load *l, const struct nadi_schema_values *values)
{
    const struct nadi_schema_value *v = nadi_schema_get(values, "in-flight"),
                                   *former = nadi_schema_get(values, "flow-in-flight");
    if (v->count && former->count)
        return nadi_error(l->diags, "network/in-flight", nadi_doc_place(values->doc, former->node),
                          "remove one of the two",
                          "'flow-in-flight' is the former name of 'in-flight', and both are here");
    v = v->count ? v : former;
    if (!v->count || l->in->in_flight)
        return true;
    l->in->in_flight = v->items->integer ? (uint32_t)v->items->integer : NADI_IN_FLIGHT_ANY;
    l->in_flight_place = nadi_doc_place(values->doc, v->node);
    if (l->in_flight_place.file) /* longer than the document */
        l->in_flight_place.file = nadi_arena_strdup(&l->in->arena, l->in_flight_place.file);
    return true;
}

/* Does this file set the key, and none did before? */
static bool sets_first(const struct nadi_schema_values *values, const char *key, bool *is_set)
{
    if (*is_set || !nadi_schema_is_set(values, key))
        return false;
    *is_set = true;
    return true;
}

bool nadi_load_model_keys(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_flow_config *flow = &l->in->flow;
    if (sets_first(values, "flow-startup", &l->has_startup))
        flow->startup_ns = nadi_schema_number(values, "flow-startup");
    if (sets_first(values, "flow-overhead", &l->has_overhead))
        flow->overhead_ns = nadi_schema_number(values, "flow-overhead");
    if (sets_first(values, "flow-window", &l->has_window))
        flow->window_bytes = nadi_count_trunc(nadi_schema_number(values, "flow-window"));
    if (sets_first(values, "flow-packet", &l->has_flow_packet))
        flow->packet_bytes = nadi_count_trunc(nadi_schema_number(values, "flow-packet"));
    if (!l->packet_path)
        l->packet_path = text_of(l, values, "packet");
    return load_in_flight(l, values);
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_topology *t = &l->in->topology;
    const struct nadi_schema_value *topology = nadi_schema_get(values, "topology");
    const struct nadi_schema_value *npus = nadi_schema_get(values, "npus_count");
    const struct nadi_schema_value *bandwidth = nadi_schema_get(values, "bandwidth");
    const struct nadi_schema_value *latency = nadi_schema_get(values, "latency");
    const struct nadi_schema_value *over = nadi_schema_get(values, "oversubscription");
    t->dim_count = topology->count;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        /* number is GB * 2^30 B/s: the reference multiplies first, then divides. */
        t->dims[d] = (struct nadi_dim){
            .npus = (uint32_t)npus->items[d].integer,
            .bytes_per_ns = bandwidth->items[d].number / 1000000000.0,
            .latency_ns = latency->items[d].number,
            .oversubscription = over->count ? over->items[d].number : 1,
        };
        nadi_dim_set_kind(&t->dims[d], topology->items[d].word, topology->items[d].integer);
        if (t->dims[d].bytes_per_ns < 1e-9) /* less has no room on the clock */
            return nadi_error(l->diags, "network/bandwidth",
                              nadi_doc_place(values->doc, bandwidth->items[d].node),
                              "is the unit right? 400Gbps, 50GB/s",
                              "the bandwidth of dimension %u is less than a byte a second", d);
        if (t->dims[d].npus == 1)
            nadi_note(l->diags, "network/one-npu", nadi_doc_place(values->doc, npus->items[d].node),
                      NULL, "dimension %u has one NPU: nothing ever passes through it", d);
    }
    if (!nadi_topology_finish(t))
        return nadi_error(l->diags, "network/size", nadi_doc_place(values->doc, npus->node), NULL,
                          "the product of 'npus_count' is more than %d ranks", INT32_MAX);
    if (!fill_in_switch(l, values) || !check_shapes(l, values))
        return false;
    l->in->rank_count = t->npu_count;
    l->graph_path = text_of(l, values, "graph");
    return nadi_load_model_keys(l, values);
}

/* A list of htsim or the HPCC simulator instead of YAML or JSON? */
static bool is_list(const char *path)
{
    struct nadi_diags ignored;
    char *text;
    size_t bytes;
    nadi_diags_init(&ignored);
    const bool read = nadi_file_read(path, "file", &text, &bytes, &ignored);
    nadi_diags_release(&ignored);
    if (!read)
        return false;
    const bool list = nadi_graph_form_of(text) != NADI_GRAPH_FORM_DOC;
    nadi_mem_free(text);
    return list;
}

/* Two files of ASTRA-sim's ns-3 frontend that together are what a network file is here. */
static bool is_of_ns3(struct nadi_load *l, const struct nadi_doc *doc)
{
    const struct nadi_doc_node *root = doc->root;
    const bool logical = root->kind == NADI_DOC_MAP && nadi_doc_find(root, "logical-dims");
    const bool knobs = root->kind == NADI_DOC_SCALAR &&
                       (strstr(root->text, "CC_MODE") || strstr(root->text, "TOPOLOGY_FILE"));
    if (logical || knobs)
        nadi_error(
            l->diags, "network/ns3", NADI_IN_FILE(doc->path),
            "write topology, npus_count, bandwidth, latency, and graph: PHYSICAL.txt, packet: "
            "CONFIG.txt (docs/guide/from-astra-sim.md)",
            "%s, not a network",
            logical ? "a logical topology of the ns-3 frontend"
                    : "a configuration of the HPCC simulator");
    return logical || knobs;
}

/* Instead of four missing keys: a graph needs no file of dimensions around it. */
static bool is_graph_alone(struct nadi_load *l, const struct nadi_doc *doc)
{
    const bool map = doc->root->kind == NADI_DOC_MAP;
    const struct nadi_doc_node *graph = map ? nadi_doc_find(doc->root, "graph") : NULL;
    if (!graph || graph->kind != NADI_DOC_SCALAR || nadi_doc_find(doc->root, "topology"))
        return false;
    struct nadi_str hint = NADI_STR_INIT;
    nadi_str_printf(&hint,
                    "--network \"%s\" takes the graph alone; in a file the dimensions of "
                    "collectives stand beside it: topology, npus_count, bandwidth, latency",
                    graph->text);
    nadi_error(l->diags, "network/graph", nadi_doc_place(doc, graph), nadi_str_get(&hint),
               "a graph without dimensions");
    nadi_str_release(&hint);
    return true;
}

bool nadi_load_network(struct nadi_load *l)
{
    struct nadi_doc doc;
    struct nadi_schema_values values;
    if (!nadi_network_is_known(l))
        return false;
    if (is_list(l->in->options.network))
        return nadi_load_graph_network(l, NULL);
    if (!nadi_load_document(l, NADI_SCHEMA_NETWORK, l->in->options.network, &doc))
        return false;
    if (is_of_ns3(l, &doc) || is_graph_alone(l, &doc)) {
        nadi_doc_release(&doc);
        return false;
    }
    if (nadi_v1_is_network(&doc)) {
        const bool read = nadi_v1_load_network(l, &doc);
        nadi_doc_release(&doc);
        return read;
    }
    if (nadi_is_platform(&doc)) {
        const bool read = nadi_load_platform(l, &doc);
        nadi_doc_release(&doc);
        return read;
    }
    if (nadi_graph_file_is(&doc)) {
        const bool read = nadi_load_graph_network(l, &doc);
        nadi_doc_release(&doc);
        return read;
    }
    bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_NETWORK), &doc,
                                l->in->options.strict, &doc.arena, l->diags) &&
              lengths_agree(l, &values) && fill(l, &values);
    if (ok)
        nadi_settings_add_values(l->in, &values);
    nadi_doc_release(&doc);
    return ok;
}
