#include "trace/gen_collective.h"

#include "base/file.h"
#include "base/str.h"
#include "trace/gen_files.h"

enum { MOST_RANKS = 1 << 24 };

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

static void put_nodes(struct nadi_trace_writer *w, const struct nadi_gen_collective *g)
{
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("comm_type", g->kind),
        nadi_write_uint64("comm_size", g->bytes),
        nadi_write_string("pg_name", g->group ? g->group : ""),
    };
    uint64_t id = 1;
    for (uint32_t i = 0; i < g->repeat; i++) {
        char name[64];
        id = put_compute(w, id, "compute before", g->compute_before_us);
        snprintf(name, sizeof name, "%s %u", nadi_collective_name(g->kind), i);
        id = put(w, id,
                 (struct nadi_write_node){.name = name,
                                          .type = NADI_NODE_COLL,
                                          .attrs = attrs,
                                          .attr_count = g->group ? 4 : 3});
        id = put_compute(w, id, "compute after", g->compute_after_us);
    }
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

bool nadi_gen_collective_write(const struct nadi_gen_collective *g, const char *prefix,
                               struct nadi_diags *diags)
{
    if (!check(g, diags))
        return false;
    uint32_t files = g->manifest ? 1 : g->ranks;
    for (uint32_t rank = 0; rank < files; rank++) {
        struct nadi_trace_writer *w = nadi_gen_open(prefix, rank, g->coding, diags);
        if (!w)
            return false;
        put_nodes(w, g);
        if (!nadi_trace_writer_close(w, diags))
            return false;
    }
    return !g->manifest || write_manifest(g, prefix, diags);
}
