#include "generate/gen_collective.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "trace/gen_files.h"

enum { MOST_RANKS = 1 << 24, MOST_SIZES = 1 << 16 };

void nadi_gen_collective_init(struct nadi_gen_collective *g)
{
    *g = (struct nadi_gen_collective){
        .kind = NADI_ALL_REDUCE, .ranks = 8, .bytes = 1 << 20, .repeat = 1};
}

bool nadi_gen_collective_kind(const char *word, enum nadi_collective_kind *kind,
                              struct nadi_place place, struct nadi_diags *diags)
{
    const char *names[NADI_COLLECTIVE_KINDS];
    if (nadi_collective_find(word, kind))
        return true;
    for (int k = 0; k < NADI_COLLECTIVE_KINDS; k++)
        names[k] = nadi_collective_name((enum nadi_collective_kind)k);
    const char *nearest = nadi_str_nearest(word, names, NADI_COLLECTIVE_KINDS);
    struct nadi_str hint = NADI_STR_INIT;
    if (nearest)
        nadi_str_printf(&hint, "did you mean %s? ", nearest);
    nadi_str_add(&hint, "kinds:");
    for (int k = 0; k < NADI_COLLECTIVE_KINDS; k++)
        nadi_str_printf(&hint, "%s %s", k ? "," : "", names[k]);
    nadi_error(diags, "gen/collective-kind", place, nadi_str_get(&hint),
               "no collective is called '%s'", word);
    nadi_str_release(&hint);
    return false;
}

static bool check(const struct nadi_gen_collective *g, struct nadi_diags *diags)
{
    if (g->ranks == 0 || g->ranks > MOST_RANKS)
        return nadi_error(diags, "gen/ranks", NADI_NOWHERE, "one file is written for every rank",
                          "%u ranks; 1 to %d are possible", g->ranks, MOST_RANKS);
    if (g->repeat == 0)
        return nadi_error(diags, "gen/repeat", NADI_NOWHERE, "1 runs the collective once",
                          "the collective is to run 0 times");
    if (g->bytes == 0 && g->kind != NADI_BARRIER)
        return nadi_error(diags, "gen/bytes", NADI_NOWHERE, "give a size of 1 byte or more",
                          "a collective of 0 bytes");
    if (!nadi_uneven_is(&g->uneven))
        return true;
    if (g->kind != NADI_ALL_TO_ALL)
        return nadi_error(diags, "gen/skew", NADI_NOWHERE, "--kind all-to-all",
                          "only an all-to-all can be skewed, not %s",
                          nadi_collective_name(g->kind));
    if (g->manifest)
        return nadi_error(diags, "gen/skew", NADI_NOWHERE, "leave --manifest out",
                          "the ranks of a skewed all-to-all have traces of their own");
    if (g->ranks > MOST_SIZES)
        return nadi_error(diags, "gen/skew", NADI_NOWHERE, NULL,
                          "%u ranks; a skewed all-to-all has at most %d", g->ranks, MOST_SIZES);
    if (!nadi_skew_takes(g->uneven.skew, g->uneven.by))
        return nadi_error(diags, "gen/skew", NADI_NOWHERE,
                          "zipf: an exponent from 0 to 100; dirichlet: a concentration from 0.001 "
                          "to 1e9; hot: a share from 0 to 1",
                          "a skew by %g", g->uneven.by);
    return true;
}

/* Writes node `id`, which waits for the one before it; returns the next id. */
static uint64_t put(struct nadi_trace_writer *w, uint64_t id, struct nadi_write_node node)
{
    const uint64_t before = id - 1;
    node.id = id;
    node.data_deps = &before;
    node.data_dep_count = id > 1 ? 1 : 0;
    nadi_trace_writer_node(w, &node);
    return id + 1;
}

static uint64_t put_compute(struct nadi_trace_writer *w, uint64_t id, const char *name,
                            uint64_t micros)
{
    const struct nadi_write_attr attr = nadi_write_bool("is_cpu_op", false);
    if (micros == 0)
        return id;
    return put(w, id,
               (struct nadi_write_node){.name = name,
                                        .type = NADI_NODE_COMP,
                                        .duration_micros = micros,
                                        .attrs = &attr,
                                        .attr_count = 1});
}

/* comm_sizes of a rank; `values` are to be freed. */
static struct nadi_write_attr sizes_of(const struct nadi_gen_collective *g, uint32_t rank,
                                       struct nadi_write_value **values)
{
    double *weights = NADI_NEW(double, g->ranks);
    uint64_t *sizes = NADI_NEW(uint64_t, g->ranks);
    nadi_uneven_weights(&g->uneven, g->ranks, rank, weights);
    nadi_uneven_share(weights, g->ranks, g->bytes, sizes);
    *values = NADI_ZNEW(struct nadi_write_value, g->ranks);
    for (uint32_t i = 0; i < g->ranks; i++)
        (*values)[i].bits = sizes[i];
    nadi_mem_free(weights);
    nadi_mem_free(sizes);
    return (struct nadi_write_attr){
        .name = "comm_sizes", .member = NADI_MEMBER_INT64 + 1, .list = *values, .count = g->ranks};
}

static void put_nodes(struct nadi_trace_writer *w, const struct nadi_gen_collective *g,
                      uint32_t rank)
{
    struct nadi_write_value *values = NULL;
    struct nadi_write_attr attrs[5] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("comm_type", g->kind),
        nadi_write_uint64("comm_size", g->bytes),
    };
    size_t count = 3;
    if (g->group)
        attrs[count++] = nadi_write_string("pg_name", g->group);
    if (nadi_uneven_is(&g->uneven))
        attrs[count++] = sizes_of(g, rank, &values);
    uint64_t id = 1;
    for (uint32_t i = 0; i < g->repeat; i++) {
        char name[64];
        id = put_compute(w, id, "compute before", g->compute_before_us);
        snprintf(name, sizeof name, "%s %u", nadi_collective_name(g->kind), i);
        id = put(w, id,
                 (struct nadi_write_node){
                     .name = name, .type = NADI_NODE_COLL, .attrs = attrs, .attr_count = count});
        id = put_compute(w, id, "compute after", g->compute_after_us);
    }
    nadi_mem_free(values);
}

/* The trace's name in it is the prefix's last part: it lies in the same folder. */
static bool write_manifest(const struct nadi_gen_collective *g, const char *prefix,
                           struct nadi_diags *diags)
{
    const char *slash = strrchr(prefix, '/');
    struct nadi_str path = NADI_STR_INIT, text = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.yml", prefix);
    nadi_str_printf(&text, "nadi-manifest: 1\nranks: %u\ntraces:\n  - {file: \"%s.0.et\"}\n",
                    g->ranks, slash ? slash + 1 : prefix);
    bool ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(&text), text.length, diags);
    nadi_str_release(&path);
    nadi_str_release(&text);
    return ok;
}

static bool write_traces(const struct nadi_gen_collective *g, const char *prefix,
                         struct nadi_diags *diags)
{
    uint32_t files = g->manifest ? 1 : g->ranks;
    for (uint32_t rank = 0; rank < files; rank++) {
        struct nadi_trace_writer *w = nadi_gen_open(prefix, rank, g->coding, diags);
        if (!w)
            return false;
        put_nodes(w, g, rank);
        if (!nadi_trace_writer_close(w, diags))
            return false;
    }
    return true;
}

bool nadi_gen_collective_write(const struct nadi_gen_collective *g, const char *prefix,
                               struct nadi_diags *diags)
{
    if (!check(g, diags))
        return false;
    struct nadi_trace_set *set = nadi_trace_set_begin(prefix, diags);
    return nadi_trace_set_end(set, set && nadi_trace_set_clear(set, NULL, NULL, 0, diags) &&
                                       write_traces(g, prefix, diags) &&
                                       (!g->manifest || write_manifest(g, prefix, diags)));
}
