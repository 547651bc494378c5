/* load_manifest: a workload manifest (schema "workload"): which ranks run which trace, and what
 * names of groups and peers mean on each rank.
 *
 * A rank has a place on every axis, rank = a0 + n0 * (a1 + n1 * (a2 + ...)) as in the network. An
 * entry selects a block of places, or ranks by first, count and stride. Cost: O(ranks) for the
 * traces and for each family of groups, whatever the number of entries; each file is read once. */
#include "inputs/manifest.h"
#include "platform/catalogue.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "inputs/trace_files.h"
#include "inputs/trace_folder.h"
#include "trace/set.h"

#include <math.h>

bool nadi_is_manifest(const char *workload)
{
    return nadi_str_ends(workload, ".yml") || nadi_str_ends(workload, ".yaml");
}

struct nadi_manifest_axis *nadi_manifest_axis(struct nadi_manifest *m, const char *name)
{
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (strcmp(m->axes[i].name, name) == 0)
            return &m->axes[i];
    return NULL;
}

bool nadi_manifest_no_axis(struct nadi_manifest *m, struct nadi_place place, const char *name)
{
    struct nadi_str known = NADI_STR_INIT;
    nadi_str_add(&known, m->axis_count ? "axes are" : "the manifest has no 'axes'");
    for (uint32_t i = 0; i < m->axis_count; i++)
        nadi_str_printf(&known, "%s %s", i ? "," : "", m->axes[i].name);
    nadi_error(m->l->diags, "manifest/axis", place, nadi_str_get(&known), "no axis is called '%s'",
               name);
    nadi_str_release(&known);
    return false;
}

/* ---- axes and the number of ranks ---------------------------------------------------------- */

static bool read_axes(struct nadi_manifest *m, const struct nadi_doc_node *map)
{
    uint64_t product = 1;
    char found[96];
    for (const struct nadi_doc_node *n = map->first; n; n = n->next) {
        double number = 0;
        struct nadi_place place = nadi_doc_place(m->doc, n);
        if (m->axis_count == NADI_MANIFEST_AXES)
            return nadi_error(m->l->diags, "manifest/axes", place, NULL,
                              "more than %d axes are not possible", NADI_MANIFEST_AXES);
        if (nadi_doc_classify(m->doc, n, &number) != NADI_DOC_INTEGER || number < 1 ||
            number > INT32_MAX)
            return nadi_error(m->l->diags, "manifest/axes", place, NULL,
                              "the size of axis '%s' must be a whole number of 1 or more, found %s",
                              nadi_doc_key(n), nadi_doc_describe(m->doc, n, found));
        m->axes[m->axis_count++] = (struct nadi_manifest_axis){
            .name = nadi_doc_key(n),
            .size = (uint32_t)number,
            .stride = (uint32_t)product,
        };
        product *= nadi_count_trunc(number);
        if (product > INT32_MAX)
            return nadi_error(m->l->diags, "manifest/axes", place, NULL,
                              "the product of the axes is more than %d ranks", INT32_MAX);
    }
    m->axes_product = (uint32_t)product;
    return true;
}

static void keep_axes(const struct nadi_manifest *m)
{
    struct nadi_inputs *in = m->l->in;
    for (uint32_t i = 0; i < m->axis_count; i++)
        in->axes[i] = (struct nadi_job_axis){.name = nadi_arena_strdup(&in->arena, m->axes[i].name),
                                             .size = m->axes[i].size,
                                             .stride = m->axes[i].stride};
    in->axis_count = m->axis_count;
}

static bool keep_labels(const struct nadi_manifest *m, const struct nadi_doc_node *map)
{
    struct nadi_inputs *in = m->l->in;
    char found[96];
    for (const struct nadi_doc_node *n = map->first; n; n = n->next) {
        struct nadi_place place = nadi_doc_place(m->doc, n);
        double number = (double)NAN;
        if (in->label_count == NADI_JOB_LABELS)
            return nadi_error(m->l->diags, "manifest/labels", place, NULL,
                              "more than %d labels are not possible", NADI_JOB_LABELS);
        if (n->kind != NADI_DOC_SCALAR)
            return nadi_error(m->l->diags, "manifest/labels", place, "labels: {batch: 64}",
                              "label '%s' must be a number or a text, found %s", nadi_doc_key(n),
                              nadi_doc_describe(m->doc, n, found));
        const enum nadi_doc_scalar class = nadi_doc_classify(m->doc, n, &number);
        in->labels[in->label_count++] = (struct nadi_job_label){
            .name = nadi_arena_strdup(&in->arena, nadi_doc_key(n)),
            .text = nadi_arena_strdup(&in->arena, n->text),
            .value = class == NADI_DOC_INTEGER || class == NADI_DOC_REAL ? number : (double)NAN,
        };
    }
    return true;
}

/* Without a network, the manifest alone says how many ranks there are. */
static bool set_count(struct nadi_manifest *m, const struct nadi_schema_value *says, uint64_t count)
{
    if (!says->count)
        return nadi_error(m->l->diags, "workload/rank-count", NADI_IN_FILE(m->doc->path),
                          "add 'ranks' or 'axes', or check it with its network: nadi check",
                          "the manifest does not say how many ranks there are");
    if (count < 1 || count > NADI_MANIFEST_RANKS)
        return nadi_error(m->l->diags, "workload/rank-count", nadi_doc_place(m->doc, says->node),
                          NULL, "%" PRIu64 " ranks; 1 to %d are possible", count,
                          NADI_MANIFEST_RANKS);
    nadi_load_bare_topology(m->l->in, (uint32_t)count);
    return true;
}

/* Axes, 'ranks' and the network must agree. */
static bool counts_agree(struct nadi_manifest *m, const struct nadi_schema_values *values)
{
    const struct nadi_schema_value *ranks = nadi_schema_get(values, "ranks");
    const struct nadi_schema_value *axes = nadi_schema_get(values, "axes");
    uint32_t npus = m->l->in->rank_count;
    if (npus > NADI_MANIFEST_RANKS)
        return nadi_error(m->l->diags, "workload/rank-count", NADI_IN_FILE(m->doc->path), NULL,
                          "the network has %u NPUs, at most %d ranks are possible", npus,
                          NADI_MANIFEST_RANKS);
    if (ranks->count && axes->count && (uint64_t)ranks->items[0].integer != m->axes_product)
        return nadi_error(m->l->diags, "manifest/ranks", nadi_doc_place(m->doc, ranks->node),
                          "leave 'ranks' out, or correct the axes",
                          "'ranks' is %" PRId64 ", the product of the axes is %u",
                          ranks->items[0].integer, m->axes_product);
    const struct nadi_schema_value *says = ranks->count ? ranks : axes;
    uint64_t count = ranks->count ? (uint64_t)ranks->items[0].integer : m->axes_product;
    if (npus == 0)
        return set_count(m, says, count);
    if (says->count && count != npus)
        return nadi_error(m->l->diags, "workload/rank-count", nadi_doc_place(m->doc, says->node),
                          "give a network with as many NPUs as the workload has ranks",
                          "the workload has %" PRIu64 " rank%s, the network has %u NPU%s", count,
                          count == 1 ? "" : "s", npus, npus == 1 ? "" : "s");
    return true;
}

/* ---- which ranks an entry selects ---------------------------------------------------------- */

struct entry {
    const struct nadi_doc_node *node;
    const char *path;
    uint32_t file; /* index of its path among the distinct ones */
};

struct cover { /* ranks to entries */
    struct nadi_manifest *m;
    struct entry *entries;
    uint32_t *entry_of; /* by rank; NADI_NONE: none yet */
    uint32_t entry;     /* being placed */
    uint32_t twice, first_twice;
};

static void cover_rank(struct cover *c, uint32_t rank)
{
    if (c->entry_of[rank] == NADI_NONE)
        c->entry_of[rank] = c->entry;
    else if (c->twice++ == 0)
        c->first_twice = rank;
}

static bool bad_place(struct nadi_manifest *m, const struct nadi_doc_node *node,
                      const struct nadi_manifest_axis *axis)
{
    char found[96];
    return nadi_error(m->l->diags, "manifest/where", nadi_doc_place(m->doc, node),
                      "for example: 3, or 1..14 with both ends included, or [0, 4..7]",
                      "places on axis '%s' are 0 to %u, found %s", axis->name, axis->size - 1,
                      nadi_doc_describe(m->doc, node, found));
}

/* "3" or "1..14" to bits; false with an error. */
static bool read_range(struct nadi_manifest *m, const struct nadi_doc_node *node,
                       const struct nadi_manifest_axis *axis, uint64_t *bits)
{
    uint64_t first, last;
    char copy[64];
    if (node->kind != NADI_DOC_SCALAR || strlen(node->text) >= sizeof(copy) ||
        nadi_doc_two_ways(m->doc, node))
        return bad_place(m, node, axis);
    const char *dots = strstr(node->text, "..");
    size_t length = dots ? (size_t)(dots - node->text) : strlen(node->text);
    memcpy(copy, node->text, length);
    copy[length] = '\0';
    if (!nadi_str_to_u64(copy, &first) || !nadi_str_to_u64(dots ? dots + 2 : copy, &last) ||
        first > last || last >= axis->size)
        return bad_place(m, node, axis);
    for (uint64_t i = first; i <= last; i++)
        bits[i / 64] |= UINT64_C(1) << i % 64;
    return true;
}

static bool read_places(struct nadi_manifest *m, const struct nadi_doc_node *node,
                        const struct nadi_manifest_axis *axis, uint64_t *bits)
{
    if (node->kind != NADI_DOC_LIST)
        return read_range(m, node, axis, bits);
    bool ok = node->count > 0 || bad_place(m, node, axis);
    for (const struct nadi_doc_node *n = node->first; n && ok; n = n->next)
        ok = read_range(m, n, axis, bits);
    return ok;
}

/* Ranks of the block, the outermost axis first. */
static void cover_block(struct cover *c, uint64_t *const *places, uint32_t axis, uint32_t base)
{
    const struct nadi_manifest_axis *a = &c->m->axes[axis];
    for (uint32_t i = 0; i < a->size; i++) {
        if (places[axis] && !(places[axis][i / 64] >> i % 64 & 1))
            continue;
        if (axis == 0)
            cover_rank(c, base + i);
        else
            cover_block(c, places, axis - 1, base + i * a->stride);
    }
}

static bool cover_where(struct cover *c, const struct nadi_doc_node *where)
{
    struct nadi_manifest *m = c->m;
    uint64_t *places[NADI_MANIFEST_AXES] = {0};
    bool ok = m->axis_count > 0 || nadi_manifest_no_axis(m, nadi_doc_place(m->doc, where), "where");
    for (const struct nadi_doc_node *n = where->first; n && ok; n = n->next) {
        struct nadi_manifest_axis *axis = nadi_manifest_axis(m, nadi_doc_key(n));
        if (!axis)
            return nadi_manifest_no_axis(m, nadi_doc_key_place(m->doc, n), nadi_doc_key(n));
        uint64_t **bits = &places[axis - m->axes];
        *bits = NADI_ARENA_ZNEW(&m->arena, uint64_t, (size_t)axis->size / 64 + 1);
        ok = read_places(m, n, axis, *bits);
    }
    if (ok)
        cover_block(c, places, m->axis_count - 1, 0);
    return ok;
}

static bool cover_range(struct cover *c, const struct nadi_schema_values *values)
{
    struct nadi_manifest *m = c->m;
    uint32_t ranks = m->l->in->rank_count;
    const struct nadi_schema_value *first = nadi_schema_get(values, "first");
    const struct nadi_schema_value *count = nadi_schema_get(values, "count");
    uint64_t at = first->count ? (uint64_t)first->items[0].integer : 0;
    uint64_t stride = (uint64_t)nadi_schema_integer(values, "stride");
    uint64_t all = at < ranks ? (ranks - at + stride - 1) / stride : 0;
    uint64_t wanted = count->count ? (uint64_t)count->items[0].integer : all;
    if (all == 0 || wanted > all)
        return nadi_error(m->l->diags, "manifest/range",
                          nadi_doc_place(m->doc, all == 0 ? first->node : count->node), NULL,
                          "the entry selects rank %" PRIu64 ", the workload has ranks 0-%u",
                          all == 0 ? at : at + (wanted - 1) * stride, ranks - 1);
    for (uint64_t i = 0; i < wanted; i++)
        cover_rank(c, (uint32_t)(at + i * stride));
    return true;
}

static bool cover_entry(struct cover *c, const struct nadi_schema_values *values)
{
    struct nadi_manifest *m = c->m;
    const struct nadi_schema_value *where = nadi_schema_get(values, "where");
    static const char *const by_rank[] = {"first", "count", "stride"};
    c->twice = 0;
    if (where->count) {
        for (size_t i = 0; i < sizeof(by_rank) / sizeof(*by_rank); i++)
            if (nadi_schema_is_set(values, by_rank[i]))
                return nadi_error(
                    m->l->diags, "manifest/range",
                    nadi_doc_key_place(m->doc, nadi_schema_get(values, by_rank[i])->node),
                    "use one of them", "an entry has either 'where' or '%s'", by_rank[i]);
    }
    bool ok = where->count ? cover_where(c, where->node) : cover_range(c, values);
    if (!ok || c->twice == 0)
        return ok;
    const struct entry *other = &c->entries[c->entry_of[c->first_twice]];
    return nadi_error(m->l->diags, "manifest/twice",
                      nadi_doc_place(m->doc, c->entries[c->entry].node),
                      "give every rank exactly one trace",
                      "%u rank%s of this entry ha%s a trace already: rank %u runs '%s' (line %u)",
                      c->twice, c->twice == 1 ? "" : "s", c->twice == 1 ? "s" : "ve",
                      c->first_twice, other->path, other->node->line);
}

static bool all_covered(const struct cover *c, const struct nadi_schema_value *traces)
{
    enum { LISTED = 1000 };
    uint32_t missing[LISTED], ranks = c->m->l->in->rank_count;
    size_t count = 0;
    for (uint32_t r = 0; r < ranks && count < LISTED; r++)
        if (c->entry_of[r] == NADI_NONE)
            missing[count++] = r;
    if (count == 0)
        return true;
    struct nadi_str text = NADI_STR_INIT;
    nadi_ranges_text(missing, count, &text);
    nadi_error(c->m->l->diags, "manifest/missing", nadi_doc_key_place(c->m->doc, traces->node),
               "add an entry for them", "no trace for rank%s %s", count == 1 ? "" : "s",
               nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool read_files(struct cover *c, uint32_t entry_count)
{
    struct nadi_inputs *in = c->m->l->in;
    struct nadi_strmap index;
    const char **paths = NADI_NEW(const char *, entry_count);
    struct nadi_trace **traces = NADI_NEW(struct nadi_trace *, entry_count);
    uint32_t count = 0;
    nadi_strmap_init(&index);
    for (uint32_t i = 0; i < entry_count; i++) {
        struct entry *e = &c->entries[i];
        e->file = nadi_strmap_put(&index, e->path, strlen(e->path), count, NULL);
        if (e->file == count)
            paths[count++] = e->path;
    }
    unsigned flags = in->system.track_local_mem ? NADI_TRACE_KEEP_IO : 0;
    bool ok = nadi_trace_keep_read(nadi_load_keep(c->m->l), paths, count, flags, traces, &in->owned,
                                   &in->owned_count, &in->lent, c->m->l->diags);
    if (ok) {
        in->traces = NADI_NEW(struct nadi_trace *, in->rank_count);
        for (uint32_t r = 0; r < in->rank_count; r++)
            in->traces[r] = traces[c->entries[c->entry_of[r]].file];
    }
    nadi_strmap_release(&index);
    nadi_mem_free(paths);
    nadi_mem_free(traces);
    return ok;
}

static bool read_traces(struct nadi_manifest *m, const struct nadi_schema_value *traces)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_MANIFEST_TRACE);
    struct cover c = {.m = m};
    bool ok = true;
    c.entries = NADI_NEW(struct entry, traces->count);
    c.entry_of = NADI_NEW(uint32_t, m->l->in->rank_count);
    memset(c.entry_of, 0xff, m->l->in->rank_count * sizeof(*c.entry_of));
    for (c.entry = 0; c.entry < traces->count; c.entry++) {
        struct nadi_schema_values values;
        struct entry *e = &c.entries[c.entry];
        *e = (struct entry){.node = traces->items[c.entry].node};
        if (!nadi_schema_check_map(&values, schema, m->doc, e->node, true, &m->arena,
                                   m->l->diags)) {
            ok = false;
            e->path = "";
            continue;
        }
        e->path = nadi_file_beside(m->doc->path, nadi_schema_get(&values, "file")->items[0].text,
                                   &m->l->in->arena);
        ok &= cover_entry(&c, &values);
    }
    ok = ok && all_covered(&c, traces) && read_files(&c, traces->count);
    nadi_mem_free(c.entries);
    nadi_mem_free(c.entry_of);
    return ok;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool read_manifest(struct nadi_manifest *m)
{
    struct nadi_load *l = m->l;
    struct nadi_schema_values values;
    if (!nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_MANIFEST), m->doc, true, &m->arena,
                           l->diags))
        return false;
    const struct nadi_schema_value *axes = nadi_schema_get(&values, "axes");
    const struct nadi_schema_value *groups = nadi_schema_get(&values, "groups");
    if ((axes->count && !read_axes(m, axes->node)) || !counts_agree(m, &values))
        return false;
    l->in->relative_peers = nadi_schema_word(&values, "peers") == 1;
    keep_axes(m);
    const struct nadi_schema_value *labels = nadi_schema_get(&values, "labels");
    if (labels->count && !keep_labels(m, labels->node))
        return false;
    bool ok = groups->count == 0 || nadi_manifest_groups(m, groups->node);
    nadi_settings_add_values(l->in, &values);
    return read_traces(m, nadi_schema_get(&values, "traces")) && ok;
}

uint32_t nadi_manifest_ranks(const char *workload)
{
    struct nadi_doc doc;
    struct nadi_diags ignored;
    double number, product = 0;
    nadi_diags_init(&ignored);
    if (nadi_doc_read(&doc, workload, "workload manifest", NADI_DOC_YAML, &ignored)) {
        const bool is_map = doc.root->kind == NADI_DOC_MAP;
        const struct nadi_doc_node *axes = is_map ? nadi_doc_find(doc.root, "axes") : NULL;
        const struct nadi_doc_node *ranks = is_map ? nadi_doc_find(doc.root, "ranks") : NULL;
        if (ranks && nadi_doc_classify(&doc, ranks, &number) == NADI_DOC_INTEGER)
            product = number;
        else if (axes && axes->kind == NADI_DOC_MAP) {
            product = 1;
            for (const struct nadi_doc_node *n = axes->first; n; n = n->next)
                product *= nadi_doc_classify(&doc, n, &number) == NADI_DOC_INTEGER ? number : 0;
        }
        nadi_doc_release(&doc);
    }
    nadi_diags_release(&ignored);
    return product >= 1 && product <= NADI_MANIFEST_RANKS ? (uint32_t)product : 0;
}

/* The mark of its set is that of its name without the ending. */
static bool is_whole(struct nadi_load *l)
{
    const char *path = l->in->options.workload;
    return nadi_trace_set_is_whole(
        nadi_arena_printf(&l->in->arena, "%.*s", (int)(strrchr(path, '.') - path), path), l->diags);
}

bool nadi_load_manifest(struct nadi_load *l)
{
    struct nadi_doc doc;
    if (!is_whole(l) || !nadi_load_document(l, NADI_SCHEMA_MANIFEST, l->in->options.workload, &doc))
        return false;
    struct nadi_manifest m = {.l = l, .doc = &doc};
    nadi_arena_init(&m.arena);
    bool ok = read_manifest(&m);
    nadi_arena_release(&m.arena);
    nadi_doc_release(&doc);
    return ok;
}
