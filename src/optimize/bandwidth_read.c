/* bandwidth_read: the network and its prices. Keys are known with or without capitals, '-' and '_',
 * as the two published sets of inputs spell them differently. */
#include "base/str.h"
#include "base/units.h"
#include "cost/prices.h"
#include "format/doc.h"
#include "optimize/bandwidth.h"
#include "settings/schema.h"

#include <ctype.h>
#include <math.h>

struct reader {
    struct nadi_doc doc;
    struct nadi_bandwidth_network *n;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static bool is_key(const char *key, const char *plain)
{
    for (;; key++) {
        while (*key == '-' || *key == '_')
            key++;
        if (tolower((unsigned char)*key) != *plain)
            return false;
        if (!*plain++)
            return true;
    }
}

static bool number_of(struct reader *r, const struct nadi_doc_node *node, double least,
                      double *value)
{
    char found[96];
    const enum nadi_doc_scalar kind = nadi_doc_classify(&r->doc, node, value);
    if ((kind == NADI_DOC_INTEGER || kind == NADI_DOC_REAL) && *value >= least && *value < HUGE_VAL)
        return true;
    return nadi_error(r->diags, "optimize/value", nadi_doc_place(&r->doc, node), NULL,
                      "a number of at least %g is wanted, found %s", least,
                      nadi_doc_describe(&r->doc, node, found));
}

static bool count_is(struct reader *r, const struct nadi_doc_node *node)
{
    if (node->kind != NADI_DOC_LIST || !node->count || node->count > NADI_BANDWIDTH_DIMS)
        return nadi_error(r->diags, "optimize/list", nadi_doc_place(&r->doc, node), NULL,
                          "a list with one entry a dimension is wanted, 1 to %d of them",
                          NADI_BANDWIDTH_DIMS);
    if (r->n->count && r->n->count != node->count)
        return nadi_error(r->diags, "optimize/list", nadi_doc_place(&r->doc, node), NULL,
                          "this list has %u entries, another one has %u: one a dimension is wanted",
                          node->count, r->n->count);
    r->n->count = node->count;
    return true;
}

static bool block_of(struct reader *r, const struct nadi_doc_node *node, enum nadi_dim_block *block)
{
    static const char *const words[NADI_BLOCKS] = {"ring", "fullyconnected", "switch"};
    for (uint32_t k = 0; node->kind == NADI_DOC_SCALAR && k < NADI_BLOCKS; k++)
        if (is_key(node->text, words[k])) {
            *block = (enum nadi_dim_block)k;
            return true;
        }
    char found[96];
    return nadi_error(r->diags, "optimize/topology", nadi_doc_place(&r->doc, node), NULL,
                      "Ring, FullyConnected or Switch is wanted, found %s",
                      nadi_doc_describe(&r->doc, node, found));
}

/* "50GB/s", or a number of GB/s of 2^30 bytes, as network files have it. */
static bool rate_of(struct reader *r, const struct nadi_doc_node *node, double *gbps)
{
    double value;
    bool has_unit;
    if (node->kind == NADI_DOC_SCALAR && node->text &&
        nadi_units_parse(node->text, NADI_DIMENSION_RATE, &value, &has_unit) && value > 0) {
        *gbps = has_unit ? value / 1e9 : value * 1.073741824;
        return true;
    }
    return number_of(r, node, 1e-9, gbps);
}

static bool latency_of(struct reader *r, const struct nadi_doc_node *node, double *ns)
{
    bool has_unit;
    if (node->kind == NADI_DOC_SCALAR && node->text &&
        nadi_units_parse(node->text, NADI_DIMENSION_TIME, ns, &has_unit) && *ns >= 0)
        return true;
    return number_of(r, node, 0, ns);
}

/* what: the row's name, of which the first two letters tell. */
static bool read_list(struct reader *r, const struct nadi_doc_node *list, const char *what)
{
    struct nadi_bandwidth_dim *dim = r->n->dims;
    double value;
    if (!count_is(r, list))
        return false;
    for (const struct nadi_doc_node *e = list->first; e; e = e->next, dim++) {
        bool ok = true;
        if (strncmp(what, "to", 2) == 0)
            ok = block_of(r, e, &dim->block);
        else if (*what == 'n') {
            ok = number_of(r, e, 1, &value);
            ok = ok && (value <= 1e6 && floor(value) >= value);
            dim->npus = ok ? (uint32_t)value : 0;
            if (!ok && !r->diags->errors)
                (void)nadi_error(r->diags, "optimize/value", nadi_doc_place(&r->doc, e), NULL,
                                 "a whole number of NPUs, up to 1,000,000, is wanted");
        } else if (strncmp(what, "ti", 2) == 0)
            dim->tier = e->kind == NADI_DOC_SCALAR ? nadi_arena_strdup(r->arena, e->text) : NULL;
        else if (*what == 'b')
            ok = rate_of(r, e, &dim->given);
        else
            ok = latency_of(r, e, &dim->latency_ns);
        if (!ok)
            return false;
    }
    return true;
}

/* The row of the key, which may be spelt as LIBRA and ASTRA-sim do. */
static const struct nadi_setting *row_of(const char *key)
{
    static const char *const others[][2] = {{"costdimension", "tiers"}, {"networktype", "tiers"}};
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_DIVIDED);
    for (size_t i = 0; i < schema->count; i++) {
        char plain[32];
        size_t at = 0;
        for (const char *c = schema->keys[i].name; *c && at + 1 < sizeof(plain); c++)
            if (*c != '-')
                plain[at++] = *c;
        plain[at] = '\0';
        if (is_key(key, plain))
            return &schema->keys[i];
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (is_key(key, others[i][0]))
            return nadi_schema_find(schema, others[i][1]);
    return NULL;
}

static bool read_key(struct reader *r, const struct nadi_doc_node *node)
{
    const struct nadi_setting *row = row_of(nadi_doc_key(node));
    if (!row)
        return nadi_error(
            r->diags, "optimize/key", nadi_doc_key_place(&r->doc, node),
            "topology, npus_count, tiers, bandwidth, latency and total-bandwidth are known",
            "unknown key '%s' of a network whose bandwidth is divided", nadi_doc_key(node));
    return row->list ? read_list(r, node, row->name) : number_of(r, node, 1e-9, &r->n->budget);
}

static bool check(struct reader *r)
{
    struct nadi_bandwidth_network *n = r->n;
    double npus = 1, given = 0;
    for (uint32_t d = 0; d < n->count; d++) {
        npus *= n->dims[d].npus;
        given += n->dims[d].given;
    }
    if (!n->count || npus < 1 || npus > 1e9)
        return nadi_error(r->diags, "optimize/network", NADI_IN_FILE(r->doc.path), NULL,
                          "a network needs topology and npus_count, and has up to 10^9 NPUs");
    n->npus = (uint64_t)npus;
    if (!(n->budget > 0))
        n->budget = given;
    return true;
}

bool nadi_bandwidth_read_network(struct nadi_bandwidth_network *n, const char *path,
                                 struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct reader r = {.n = n, .arena = arena, .diags = diags};
    *n = (struct nadi_bandwidth_network){0};
    if (!nadi_doc_read(&r.doc, path, "network file", nadi_doc_syntax_of(path, NADI_DOC_YAML),
                       diags))
        return false;
    bool ok = r.doc.root->kind == NADI_DOC_MAP, has_topology = false;
    if (!ok)
        (void)nadi_error(diags, "optimize/network", NADI_IN_FILE(path), NULL,
                         "a map with topology and npus_count is wanted");
    for (const struct nadi_doc_node *e = ok ? r.doc.root->first : NULL; ok && e; e = e->next) {
        has_topology |= is_key(nadi_doc_key(e), "topology");
        ok = read_key(&r, e);
    }
    ok = ok && check(&r);
    if (ok && !has_topology)
        ok = nadi_error(diags, "optimize/network", NADI_IN_FILE(path), NULL,
                        "'topology' is missing: Ring, FullyConnected or Switch for each dimension");
    nadi_doc_release(&r.doc);
    return ok;
}

/* ---- prices -------------------------------------------------------------------------------- */

static bool price_dim(struct nadi_bandwidth_network *n, uint32_t d,
                      const struct nadi_prices *prices, bool half, struct nadi_diags *diags)
{
    struct nadi_bandwidth_dim *dim = &n->dims[d];
    if (!dim->tier)
        return nadi_error(diags, "optimize/prices", NADI_NOWHERE,
                          "a list 'tiers' in the network file says it",
                          "dimension %u has no tier, so it has no price", d);
    const struct nadi_tier *tier = nadi_tier_find(prices, dim->tier);
    if (!tier)
        return nadi_error(diags, "optimize/prices", NADI_IN_FILE(prices->path), NULL,
                          "there are no prices of the tier '%s' of dimension %u", dim->tier, d);
    dim->cost = nadi_tier_cost(tier, dim->block == NADI_BLOCK_SWITCH, half) * (double)n->npus;
    return true;
}

bool nadi_bandwidth_read_prices(struct nadi_bandwidth_network *n, const char *name, bool half,
                                struct nadi_diags *diags)
{
    struct nadi_prices prices;
    bool ok = nadi_prices_open(&prices, name, diags);
    for (uint32_t d = 0; ok && d < n->count; d++)
        ok = price_dim(n, d, &prices, half, diags);
    nadi_prices_release(&prices);
    return ok;
}
