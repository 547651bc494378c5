#include "generate/gen_transformer.h"

#include "base/file.h"
#include "base/str.h"
#include "generate/gen_cluster.h"
#include "trace/gen_files.h"

enum { MOST_RANKS = 1 << 26, MOST_FILES = 1 << 16, MOST = 1 << 20 };

void nadi_gen_transformer_init(struct nadi_gen_transformer *g)
{
    *g = (struct nadi_gen_transformer){
        .tensor = 4,
        .data = 4,
        .pipeline = 4,
        .layers = 16,
        .micro_batches = 8,
        .width = 4096,
        .sequence = 2048,
        .slow_rank = NADI_NONE,
        .slow_by = 10,
    };
}

static uint64_t rank_count(const struct nadi_gen_transformer *g)
{
    uint64_t planes = (uint64_t)g->tensor * g->data;
    return planes > MOST_RANKS ? planes : planes * g->pipeline;
}

static bool check(const struct nadi_gen_transformer *g, struct nadi_diags *diags)
{
    uint64_t ranks = rank_count(g);
    uint32_t most = g->files ? MOST_FILES : MOST_RANKS;
    if (ranks < 2 || ranks > most)
        return nadi_error(diags, "gen/ranks", NADI_NOWHERE,
                          "ranks are tensor x data x pipeline; many need a manifest",
                          "%" PRIu64 " ranks; 2 to %u are possible", ranks, most);
    if (g->layers == 0 || g->layers % g->pipeline != 0 || g->layers > MOST)
        return nadi_error(diags, "gen/layers", NADI_NOWHERE, "every stage gets as many layers",
                          "%u layers on %u stages", g->layers, g->pipeline);
    if (g->micro_batches == 0 || g->micro_batches > MOST)
        return nadi_error(diags, "gen/micro-batches", NADI_NOWHERE, NULL,
                          "%u micro-batches; 1 to %d are possible", g->micro_batches, MOST);
    if (g->width == 0 || g->width > MOST || g->width % g->tensor != 0)
        return nadi_error(diags, "gen/width", NADI_NOWHERE, "tensor ranks share it evenly",
                          "a width of %u on %u tensor ranks", g->width, g->tensor);
    if (g->sequence == 0 || g->sequence > MOST)
        return nadi_error(diags, "gen/sequence", NADI_NOWHERE, NULL,
                          "%u tokens; 1 to %d are possible", g->sequence, MOST);
    if (g->slow_rank != NADI_NONE && g->slow_rank >= ranks)
        return nadi_error(diags, "gen/slow-rank", NADI_NOWHERE, NULL,
                          "rank %u is to be slow, there are ranks 0-%" PRIu64, g->slow_rank,
                          ranks - 1);
    return true;
}

static bool write_trace(const struct nadi_gen_transformer *g, const char *folder, const char *stem,
                        uint32_t number, uint32_t stage, uint32_t rank, bool slow,
                        struct nadi_diags *diags)
{
    struct nadi_str prefix = NADI_STR_INIT;
    nadi_str_printf(&prefix, "%s/%s", folder, stem);
    struct nadi_trace_writer *w = nadi_gen_open(nadi_str_get(&prefix), number, g->coding, diags);
    nadi_str_release(&prefix);
    if (!w)
        return false;
    nadi_gen_transformer_step(g, w, stage, rank, slow);
    return nadi_trace_writer_close(w, diags);
}

static bool write_text(const char *folder, const char *name, struct nadi_str *text,
                       struct nadi_diags *diags)
{
    const bool ok = nadi_gen_write(folder, name, nadi_str_get(text), diags);
    nadi_str_release(text);
    return ok;
}

/* ---- one trace a stage and a manifest ------------------------------------------------------ */

/* All places of an axis but one, "[0..2, 4]". */
static void add_others(uint32_t size, uint32_t but, struct nadi_str *out)
{
    const uint32_t first[] = {0, but + 1}, end[] = {but, size};
    const char *comma = "";
    nadi_str_add_char(out, '[');
    for (size_t i = 0; i < 2; i++) {
        if (first[i] >= end[i])
            continue;
        nadi_str_printf(out, "%s%u", comma, first[i]);
        if (end[i] - first[i] > 1)
            nadi_str_printf(out, "..%u", end[i] - 1);
        comma = ", ";
    }
    nadi_str_add_char(out, ']');
}

static void add_slow_stage(const struct nadi_gen_transformer *g, uint32_t stage,
                           struct nadi_str *out)
{
    uint32_t t = g->slow_rank % g->tensor, d = g->slow_rank / g->tensor % g->data;
    nadi_str_printf(out, "  - {file: slow.%u.et, where: {tp: %u, dp: %u, pp: %u}}\n", stage, t, d,
                    stage);
    if (g->data > 1) {
        nadi_str_printf(out, "  - {file: stage.%u.et, where: {pp: %u, dp: ", stage, stage);
        add_others(g->data, d, out);
        nadi_str_add(out, "}}\n");
    }
    if (g->tensor > 1) {
        nadi_str_printf(out, "  - {file: stage.%u.et, where: {pp: %u, dp: %u, tp: ", stage, stage,
                        d);
        add_others(g->tensor, t, out);
        nadi_str_add(out, "}}\n");
    }
}

static bool write_manifest(const struct nadi_gen_transformer *g, const char *folder,
                           struct nadi_diags *diags)
{
    uint32_t plane = g->tensor * g->data;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "# One training step: %u tensor, %u data and %u pipeline ranks.\n"
                    "nadi-manifest: 1\n"
                    "axes: {tp: %u, dp: %u, pp: %u}\n"
                    "groups:\n  tp: [tp]\n  dp: [dp]\n"
                    "peers: relative\n"
                    "labels: {model: \"width %u\", layers: %u, batch: %" PRIu64
                    ", micro-batch: 1, micro-batches: %u, sequence: %u}\n"
                    "traces:\n",
                    g->tensor, g->data, g->pipeline, g->tensor, g->data, g->pipeline, g->width,
                    g->layers, (uint64_t)g->data * g->micro_batches, g->micro_batches, g->sequence);
    bool ok = true;
    for (uint32_t stage = 0; stage < g->pipeline && ok; stage++) {
        bool slow = g->slow_rank != NADI_NONE && g->slow_rank / plane == stage;
        if (slow)
            add_slow_stage(g, stage, &text);
        else
            nadi_str_printf(&text, "  - {file: stage.%u.et, where: {pp: %u}}\n", stage, stage);
        ok = (slow && plane == 1) ||
             write_trace(g, folder, "stage", stage, stage, NADI_NONE, false, diags);
        ok = ok && (!slow || write_trace(g, folder, "slow", stage, stage, NADI_NONE, true, diags));
    }
    if (ok)
        return write_text(folder, "workload.yml", &text, diags);
    nadi_str_release(&text);
    return false;
}

/* ---- one trace a rank ---------------------------------------------------------------------- */

static void add_groups(char axis, uint32_t count, uint32_t size, uint32_t stride, uint32_t inner,
                       struct nadi_str *out)
{
    for (uint32_t i = 0; i < count; i++) {
        nadi_str_printf(out, "%s  \"%cp%u\": [", out->length > 2 ? ",\n" : "", axis, i);
        for (uint32_t k = 0; k < size; k++)
            nadi_str_printf(out, "%s%u", k ? ", " : "",
                            i / inner * (inner * size) + i % inner + k * stride);
        nadi_str_add_char(out, ']');
    }
}

static bool write_files(const struct nadi_gen_transformer *g, const char *folder,
                        struct nadi_diags *diags)
{
    uint32_t ranks = (uint32_t)rank_count(g), plane = g->tensor * g->data;
    struct nadi_str groups = NADI_STR_INIT;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!write_trace(g, folder, "workload", rank, rank / plane, rank, rank == g->slow_rank,
                         diags))
            return false;
    nadi_str_add(&groups, "{\n");
    if (g->tensor > 1)
        add_groups('t', ranks / g->tensor, g->tensor, 1, 1, &groups);
    if (g->data > 1)
        add_groups('d', ranks / g->data, g->data, g->tensor, g->tensor, &groups);
    nadi_str_add(&groups, "\n}\n");
    return write_text(folder, "groups.json", &groups, diags);
}

/* ---- the cluster --------------------------------------------------------------------------- */

static bool write_system(const char *folder, struct nadi_diags *diags)
{
    static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "{\n"
                        "  \"scheduling-policy\": \"LIFO\",\n"
                        "  \"endpoint-delay\": 10,\n"
                        "  \"active-chunks-per-dimension\": 1,\n"
                        "  \"preferred-dataset-splits\": 4,\n"
                        "  \"collective-optimization\": \"localBWAware\",\n");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        nadi_str_printf(&text, "  \"%s-implementation\": [\"ring\"],\n", kinds[i]);
    nadi_str_add(&text, "  \"peak-perf\": 312,\n"
                        "  \"local-mem-bw\": 2039,\n"
                        "  \"roofline-enabled\": 0\n"
                        "}\n");
    return write_text(folder, "system.json", &text, diags);
}

/* One dimension a direction of parallelism that has several ranks. */
static bool write_network(const struct nadi_gen_transformer *g, const char *folder,
                          struct nadi_diags *diags)
{
    static const char *const rates[] = {"450GB/s", "50GB/s", "50GB/s"};
    static const char *const latencies[] = {"500", "2000", "2000"};
    const uint32_t sizes[] = {g->tensor, g->data, g->pipeline};
    struct nadi_str lists[4] = {NADI_STR_INIT, NADI_STR_INIT, NADI_STR_INIT, NADI_STR_INIT};
    struct nadi_str text = NADI_STR_INIT;
    for (size_t i = 0; i < 3; i++) {
        if (sizes[i] == 1)
            continue;
        const char *comma = lists[0].length ? ", " : "";
        nadi_str_printf(&lists[0], "%sSwitch", comma);
        nadi_str_printf(&lists[1], "%s%u", comma, sizes[i]);
        nadi_str_printf(&lists[2], "%s%s", comma, rates[i]);
        nadi_str_printf(&lists[3], "%s%s", comma, latencies[i]);
    }
    nadi_str_printf(&text,
                    "# Servers of %u accelerators, cards of 400 Gb/s between them.\n"
                    "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]  # ns a "
                    "link\n",
                    g->tensor, nadi_str_get(&lists[0]), nadi_str_get(&lists[1]),
                    nadi_str_get(&lists[2]), nadi_str_get(&lists[3]));
    for (size_t i = 0; i < 4; i++)
        nadi_str_release(&lists[i]);
    return write_text(folder, "network.yml", &text, diags);
}

bool nadi_gen_transformer_folder(const struct nadi_gen_transformer *g, const char *folder,
                                 struct nadi_diags *diags)
{
    if (!check(g, diags))
        return false;
    struct nadi_trace_set *set = nadi_gen_begin_folder(folder, diags);
    return nadi_trace_set_end(
        set, set && write_system(folder, diags) && write_network(g, folder, diags) &&
                 nadi_gen_write_no_memory(folder, diags) &&
                 (g->files ? write_files(g, folder, diags) : write_manifest(g, folder, diags)));
}
