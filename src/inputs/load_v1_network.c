/* load_v1_network: a network file of ASTRA-sim 1.0 -> topology. */
#include "base/str.h"
#include "inputs/load_v1.h"

bool nadi_v1_is_network(const struct nadi_doc *doc)
{
    return doc->root->kind == NADI_DOC_MAP && nadi_doc_find(doc->root, "topologies-per-dim") &&
           !nadi_doc_find(doc->root, "topology");
}

static bool lengths_agree(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const char *const keys[] = {"units-count", "links-count", "link-bandwidth",
                                       "link-latency"};
    const struct nadi_schema_value *shapes = nadi_schema_get(values, "topologies-per-dim");
    bool ok = true;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *v = nadi_schema_get(values, keys[i]);
        if (v->count != shapes->count)
            ok = nadi_error(l->diags, "network/length", nadi_doc_place(values->doc, v->node),
                            "write one entry a dimension in every list",
                            "'%s' has %u, but 'topologies-per-dim' has %u", keys[i], v->count,
                            shapes->count);
    }
    if (nadi_schema_is_set(values, "dimensions-count") &&
        nadi_schema_integer(values, "dimensions-count") != shapes->count)
        ok = nadi_error(
            l->diags, "network/length",
            nadi_doc_place(values->doc, nadi_schema_get(values, "dimensions-count")->node), NULL,
            "'dimensions-count' is %" PRId64 ", but 'topologies-per-dim' has %u",
            nadi_schema_integer(values, "dimensions-count"), shapes->count);
    if (shapes->count == 0 || shapes->count > NADI_MAX_DIMS)
        ok = nadi_error(l->diags, "network/length", nadi_doc_place(values->doc, shapes->node), NULL,
                        "%u dimensions where 1 to %d are possible", shapes->count, NADI_MAX_DIMS);
    return ok;
}

static void warn_of_extra_latency(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const char *const keys[] = {"nic-latency", "router-latency"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_schema_value *v = nadi_schema_get(values, keys[i]);
        double most = 0;
        for (uint32_t d = 0; d < v->count; d++)
            most = v->items[d].number > most ? v->items[d].number : most;
        if (most > 0)
            nadi_warning(l->diags, "network/v1-latency", nadi_doc_place(values->doc, v->node),
                         "add it to 'link-latency' where it matters", "'%s' is not modelled",
                         keys[i]);
    }
}

/* Bytes per ns of one message: all links of the dimension, or on FullyConnected the share of them
 * that leads to one other NPU. */
static double message_rate(enum nadi_dim_kind kind, int64_t links, double link_rate, uint32_t npus)
{
    const double all = (double)links * link_rate / 1000000000.0;
    return kind == NADI_DIM_FULLY_CONNECTED && npus > 1 ? all / (npus - 1) : all;
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const enum nadi_dim_kind kinds[] = {NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED,
                                               NADI_DIM_SWITCH};
    struct nadi_topology *t = &l->in->topology;
    const struct nadi_schema_value *shapes = nadi_schema_get(values, "topologies-per-dim");
    const struct nadi_schema_value *npus = nadi_schema_get(values, "units-count");
    const struct nadi_schema_value *links = nadi_schema_get(values, "links-count");
    const struct nadi_schema_value *rate = nadi_schema_get(values, "link-bandwidth");
    const struct nadi_schema_value *latency = nadi_schema_get(values, "link-latency");
    t->dim_count = shapes->count;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        struct nadi_dim *dim = &t->dims[d];
        dim->kind = kinds[shapes->items[d].word];
        dim->npus = (uint32_t)npus->items[d].integer;
        dim->bytes_per_ns =
            message_rate(dim->kind, links->items[d].integer, rate->items[d].number, dim->npus);
        dim->latency_ns = latency->items[d].number;
    }
    if (!nadi_topology_finish(t))
        return nadi_error(l->diags, "network/size", nadi_doc_place(values->doc, npus->node), NULL,
                          "the product of 'units-count' is more than %d ranks", INT32_MAX);
    l->in->rank_count = t->npu_count;
    return true;
}

bool nadi_v1_load_network(struct nadi_load *l, struct nadi_doc *doc)
{
    struct nadi_schema_values values;
    if (!nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_NETWORK_V1), doc,
                           l->in->options.strict, &doc->arena, l->diags) ||
        !lengths_agree(l, &values) || !fill(l, &values))
        return false;
    warn_of_extra_latency(l, &values);
    nadi_note(l->diags, "network/v1", NADI_IN_FILE(doc->path), NULL,
              "read as a network file of ASTRA-sim 1.0");
    nadi_settings_add_values(l->in, &values);
    return true;
}
