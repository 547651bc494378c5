/* bandwidth_rows: a table of layers as the terms of a split. */
#include "base/str.h"
#include "format/doc.h"
#include "generate/v1/workload.h"
#include "optimize/bandwidth.h"
#include "settings/schema.h"

struct rows {
    const struct nadi_bandwidth_network *n;
    struct nadi_split *s;
    struct nadi_diags *diags;
    uint32_t groups[NADI_V1_PHASES][NADI_BANDWIDTH_DIMS]; /* NPUs of a group; 1: not used */
};

/* ---- communicators ------------------------------------------------------------------------- */

static bool read_group(struct rows *r, const struct nadi_doc *doc, const char *key, uint32_t *group)
{
    const struct nadi_doc_node *list = nadi_doc_find(doc->root, key);
    uint32_t d = 0;
    if (!list || list->kind != NADI_DOC_LIST || list->count != r->n->count)
        return nadi_error(r->diags, "optimize/communicators",
                          list ? nadi_doc_place(doc, list) : NADI_IN_FILE(doc->path),
                          "-1 where a dimension is not used",
                          "'%s' has to be a list of %u sizes, one a dimension", key, r->n->count);
    for (const struct nadi_doc_node *e = list->first; e; e = e->next, d++) {
        int64_t size;
        if (!nadi_doc_integer(doc, e, &size) || size == 0 || size < -1 || size > r->n->dims[d].npus)
            return nadi_error(r->diags, "optimize/communicators", nadi_doc_place(doc, e), NULL,
                              "a size from 1 to %u, or -1 for none, is wanted", r->n->dims[d].npus);
        group[d] = size < 1 ? 1 : (uint32_t)size;
    }
    return true;
}

static bool read_groups(struct rows *r, const char *path)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_COMMUNICATORS);
    struct nadi_doc doc;
    if (!nadi_doc_read(&doc, path, "communicators", nadi_doc_syntax_of(path, NADI_DOC_YAML),
                       r->diags))
        return false;
    bool ok = doc.root->kind == NADI_DOC_MAP ||
              nadi_error(r->diags, "optimize/communicators", NADI_IN_FILE(path), NULL,
                         "a map of Forward, InputGrad and WeightGrad is wanted");
    for (const struct nadi_doc_node *e = ok ? doc.root->first : NULL; ok && e; e = e->next)
        if (!nadi_schema_find(schema, nadi_doc_key(e)))
            ok = nadi_error(r->diags, "optimize/communicators", nadi_doc_key_place(&doc, e),
                            "Forward, InputGrad and WeightGrad are known", "unknown key '%s'",
                            nadi_doc_key(e));
    for (uint32_t phase = 0; ok && phase < NADI_V1_PHASES; phase++) /* in the schema's order */
        ok = read_group(r, &doc, schema->keys[phase].name, r->groups[phase]);
    nadi_doc_release(&doc);
    return ok;
}

/* Does a pass communicate whose groups only a header could tell? */
static bool lacks_header(const struct nadi_v1_workload *w)
{
    for (uint32_t i = 0; w->headless && i < w->layer_count; i++)
        if (w->layers[i].comm[NADI_V1_FORWARD] != NADI_V1_COMM_NONE ||
            w->layers[i].comm[NADI_V1_INPUT_GRADIENT] != NADI_V1_COMM_NONE)
            return true;
    return false;
}

/* Model-parallel groups fill the dimensions from the inside, data-parallel ones have the rest. */
static bool groups_of_header(struct rows *r, const struct nadi_v1_workload *w)
{
    uint32_t left = w->model_group ? w->model_group : 1;
    if (lacks_header(w))
        return nadi_error(r->diags, "optimize/communicators", NADI_IN_FILE(w->path),
                          "--communicators FILE, or the two header lines of ASTRA-sim 1.0",
                          "the table has no header, so its groups are not known");
    if (w->policy == NADI_V1_MODEL || w->policy == NADI_V1_DISTRIBUTED_INFERENCE)
        left = (uint32_t)nadi_min_u64(r->n->npus, UINT32_MAX);
    for (uint32_t d = 0; d < r->n->count; d++) {
        const uint32_t npus = r->n->dims[d].npus;
        const uint32_t inside = left < npus ? left : npus;
        if (npus % inside != 0 || left % inside != 0)
            return nadi_error(r->diags, "optimize/communicators", NADI_IN_FILE(w->path),
                              "--communicators FILE gives each group's size in each dimension",
                              "model-parallel groups of %u NPUs do not divide dimension %u of %u",
                              w->model_group, d, npus);
        r->groups[NADI_V1_FORWARD][d] = r->groups[NADI_V1_INPUT_GRADIENT][d] = inside;
        r->groups[NADI_V1_WEIGHT_GRADIENT][d] = npus / inside;
        left /= inside;
    }
    if (left > 1)
        return nadi_error(r->diags, "optimize/communicators", NADI_IN_FILE(w->path), NULL,
                          "model-parallel groups of %u NPUs are larger than the network",
                          w->model_group);
    return true;
}

/* ---- layers -------------------------------------------------------------------------------- */

bool nadi_bandwidth_bytes(uint32_t count, enum nadi_v1_comm kind, double size,
                          const uint32_t *group, double *bytes)
{
    double s = size;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t d = kind == NADI_V1_ALL_GATHER ? count - 1 - k : k;
        const double p = group[d];
        if (kind == NADI_V1_ALL_GATHER) {
            bytes[d] = s * (p - 1);
            s *= p;
        } else if (kind == NADI_V1_ALL_TO_ALL) {
            bytes[d] = size * (p - 1) / p;
        } else if (kind == NADI_V1_ALL_REDUCE || kind == NADI_V1_REDUCE_SCATTER) {
            bytes[d] = (kind == NADI_V1_ALL_REDUCE ? 2 : 1) * s * (p - 1) / p;
            s /= p;
        } else
            return false;
    }
    return true;
}

/* Index of the phase's move, counted so often by itself; NADI_NONE: it moves nothing. */
static bool move_of(struct rows *r, const struct nadi_v1_workload *w,
                    const struct nadi_v1_layer *layer, enum nadi_v1_phase phase, double times,
                    uint32_t *move)
{
    double bytes[NADI_BANDWIDTH_DIMS] = {0}, sum = 0;
    *move = NADI_NONE;
    if (layer->comm[phase] == NADI_V1_COMM_NONE || !layer->bytes[phase])
        return true;
    if (!nadi_bandwidth_bytes(r->n->count, layer->comm[phase], (double)layer->bytes[phase],
                              r->groups[phase], bytes))
        return nadi_error(
            r->diags, "optimize/collective",
            (struct nadi_place){
                .file = w->path, .line = layer->line, .offset = NADI_NO_OFFSET, .rank = NADI_NONE},
            "all-reduce, all-gather, reduce-scatter and all-to-all are",
            "%s of layer '%s' is not in the model of bandwidths",
            nadi_v1_comm_name(layer->comm[phase]), layer->name);
    for (uint32_t d = 0; d < r->n->count; d++)
        sum += bytes[d];
    if (sum > 0)
        *move = nadi_split_add_move(r->s, bytes, times);
    return true;
}

static bool add_layer(struct rows *r, const struct nadi_v1_workload *w,
                      const struct nadi_v1_layer *layer, enum nadi_loop loop)
{
    const bool twice = loop == NADI_LOOP_RECOMPUTE || loop == NADI_LOOP_OVERLAP_RECOMPUTE;
    const bool overlaps = loop == NADI_LOOP_OVERLAP || loop == NADI_LOOP_OVERLAP_RECOMPUTE;
    const double input = (double)layer->time[NADI_V1_INPUT_GRADIENT],
                 weight = (double)layer->time[NADI_V1_WEIGHT_GRADIENT];
    uint32_t f, i, g;
    if (!move_of(r, w, layer, NADI_V1_FORWARD, twice ? 2 : 1, &f) ||
        !move_of(r, w, layer, NADI_V1_INPUT_GRADIENT, overlaps ? 0 : 1, &i) ||
        !move_of(r, w, layer, NADI_V1_WEIGHT_GRADIENT, overlaps ? 0 : 1, &g))
        return false;
    r->s->constant_ns += (double)layer->time[NADI_V1_FORWARD] + input;
    if (!overlaps)
        r->s->constant_ns += weight;
    else if (i == NADI_NONE && g == NADI_NONE)
        r->s->constant_ns += weight;
    else
        nadi_split_add_term(r->s, &(struct nadi_split_term){
                                      .constant_ns = {0, weight}, .move = {i, g}, .times = 1});
    return true;
}

bool nadi_bandwidth_read_workload(struct nadi_split *s, const struct nadi_bandwidth_network *n,
                                  const struct nadi_text_workload_files *files, enum nadi_loop loop,
                                  struct nadi_diags *diags)
{
    struct rows r = {.n = n, .s = s, .diags = diags};
    struct nadi_v1_workload w;
    const struct nadi_v1_reading reading = {
        .header = "HYBRID_TRANSFORMER model_parallel_NPU_group: 1",
        .may_have_one = true,
        .dialect = NADI_V1_DIALECT_ASTRA_SIM,
    };
    *s = (struct nadi_split){.dims = n->count};
    bool ok = nadi_v1_read(&w, files->table, &reading, diags);
    if (ok && w.simai)
        ok = nadi_error(diags, "optimize/workload", NADI_IN_FILE(files->table),
                        "nadi trace from-text makes traces of it",
                        "tables of SimAI have groups that this model does not know");
    if (ok)
        ok =
            files->communicators ? read_groups(&r, files->communicators) : groups_of_header(&r, &w);
    if (loop == NADI_LOOP_AUTO)
        loop = ok && w.policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD ? NADI_LOOP_RECOMPUTE
                                                                         : NADI_LOOP_NO_OVERLAP;
    for (uint32_t k = 0; ok && k < w.layer_count; k++)
        ok = add_layer(&r, &w, &w.layers[k], loop);
    nadi_v1_release(&w);
    return ok;
}
