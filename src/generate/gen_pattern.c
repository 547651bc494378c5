#include "generate/gen_pattern.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "generate/gen_cluster.h"
#include "generate/gen_pattern_steps.h"
#include "trace/gen_files.h"
#include "trace/mem.h"

enum { MOST_RANKS = 1 << 20, MOST_ALL_TO_ALL = 4096, MOST_ROUNDS = 1 << 20 };

static const struct {
    const char *name;
    void (*put)(struct nadi_gen_steps *);
    bool alike; /* a manifest with one trace is possible */
} families[NADI_GEN_FAMILIES] = {
    [NADI_GEN_COLLECTIVES] = {"collectives", nadi_gen_steps_collectives, true},
    [NADI_GEN_RING] = {"ring", nadi_gen_steps_ring, true},
    [NADI_GEN_PAIRS] = {"pairs", nadi_gen_steps_pairs, false},
    [NADI_GEN_INCAST] = {"incast", nadi_gen_steps_incast, false},
    [NADI_GEN_ALL_TO_ALL] = {"all-to-all", nadi_gen_steps_all_to_all, false},
    [NADI_GEN_OVERLAP] = {"overlap", nadi_gen_steps_overlap, true},
    [NADI_GEN_MEMORY] = {"memory", nadi_gen_steps_memory, true},
    [NADI_GEN_PIPELINE] = {"pipeline", nadi_gen_steps_pipeline, false},
};

const char *nadi_gen_family_name(enum nadi_gen_family family)
{
    return families[family].name;
}

void nadi_gen_pattern_init(struct nadi_gen_pattern *g, enum nadi_gen_family family)
{
    *g = (struct nadi_gen_pattern){
        .family = family,
        .ranks = 8,
        .rounds = 4,
        .bytes = 1 << 20,
        .compute_ns = 100000,
        .seed = 1,
        .stride = 1,
        .ahead = 1,
        .one_f_one_b = true,
        .overlap = NADI_GEN_OVERLAP_GRADIENTS,
        .kinds = {NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL},
        .kind_count = 4,
        .sizes = {1 << 20},
        .size_count = 1,
        .groups = {8},
        .group_count = 1,
    };
}

static bool check_collectives(const struct nadi_gen_pattern *g, struct nadi_diags *diags)
{
    for (uint32_t i = 0; i < g->size_count; i++) {
        if (g->sizes[i] == 0)
            return nadi_error(diags, "gen/bytes", NADI_NOWHERE, "give sizes of 1 byte or more",
                              "a collective of 0 bytes");
    }
    for (uint32_t i = 0; i < g->group_count; i++) {
        if (g->groups[i] < 2 || g->groups[i] > g->ranks || g->ranks % g->groups[i])
            return nadi_error(diags, "gen/groups", NADI_NOWHERE,
                              "give sizes from 2 on that divide the number of ranks",
                              "groups of %u do not part %u ranks", g->groups[i], g->ranks);
        if (g->manifest && g->groups[i] != g->ranks)
            return nadi_error(diags, "gen/manifest", NADI_NOWHERE,
                              "leave out --manifest, or the groups",
                              "the ranks of different groups have different traces");
    }
    return true;
}

static bool is_role(const char *word)
{
    for (uint32_t r = 0; r < NADI_MEM_ROLES; r++)
        if (strcmp(word, nadi_mem_role_words[r]) == 0)
            return true;
    return false;
}

static bool check(const struct nadi_gen_pattern *g, struct nadi_diags *diags)
{
    const uint32_t most = g->family == NADI_GEN_ALL_TO_ALL ? MOST_ALL_TO_ALL : MOST_RANKS;
    if (g->ranks < 2 || g->ranks > most)
        return nadi_error(diags, "gen/ranks", NADI_NOWHERE, NULL,
                          "--ranks is %u; 2 to %u are possible", g->ranks, most);
    if (g->rounds == 0 || g->rounds > MOST_ROUNDS)
        return nadi_error(diags, "gen/rounds", NADI_NOWHERE, NULL,
                          "%u rounds; 1 to %d are possible", g->rounds, MOST_ROUNDS);
    if (g->bytes == 0)
        return nadi_error(diags, "gen/bytes", NADI_NOWHERE, "give a size of 1 byte or more",
                          "nothing to send: 0 bytes");
    if (g->family == NADI_GEN_RING && g->stride % g->ranks == 0)
        return nadi_error(diags, "gen/stride", NADI_NOWHERE, "choose another stride",
                          "with a stride of %u of %u ranks each sends to itself", g->stride,
                          g->ranks);
    if (g->family == NADI_GEN_INCAST && g->root >= g->ranks)
        return nadi_error(diags, "gen/root", NADI_NOWHERE, NULL,
                          "there is no rank %u, they are 0 to %u", g->root, g->ranks - 1);
    if (g->family == NADI_GEN_ALL_TO_ALL && !(g->skew >= 0 && g->skew <= 10))
        return nadi_error(diags, "gen/skew", NADI_NOWHERE, "0 treats all ranks alike, 1 is Zipf's",
                          "a skew of %g; 0 to 10 are possible", g->skew);
    if (g->compute_ns > UINT64_MAX / 4)
        return nadi_error(diags, "gen/compute", NADI_NOWHERE, NULL, "the compute time is too long");
    if (g->manifest && !families[g->family].alike)
        return nadi_error(diags, "gen/manifest", NADI_NOWHERE, "leave out --manifest",
                          "the ranks of this family have different traces");
    if (g->role && !g->tier)
        return nadi_error(diags, "gen/role", NADI_NOWHERE, "name a tier too",
                          "a role without tier");
    if (g->role && !is_role(g->role))
        return nadi_error(diags, "gen/role", NADI_NOWHERE,
                          "a word of the Chakra memory extension, like WEIGHT_PREFETCH or "
                          "KV_CACHE_OFFLOAD: docs/models/memory.md",
                          "no role is called '%s'", g->role);
    return g->family != NADI_GEN_COLLECTIVES || check_collectives(g, diags);
}

/* --- files -------------------------------------------------------------------------------------
 */

static bool write_cluster(const struct nadi_gen_pattern *g, const char *folder,
                          struct nadi_diags *diags)
{
    static const char remote[] = "{\n"
                                 "  \"memory-type\": \"PER_NPU_MEMORY_EXPANSION\",\n"
                                 "  \"remote-mem-latency\": 1000,\n"
                                 "  \"remote-mem-bw\": \"50GB/s\"\n"
                                 "}\n";
    static const char tiers[] =
        "# A node of 8 H100 with host memory, CXL memory of the rack, SSDs and a pool: figures of\n"
        "# data sheets, to be replaced by your own.\n"
        "tiers:\n"
        "  - {name: hbm, class: G1, capacity: 80GiB}  # reads as local-mem-bw of system.json\n"
        "  - {name: host, class: G2, scope: node, capacity: 2TiB, read: 400GB/s, write: 400GB/s,\n"
        "     latency: 300ns, duplex: half}\n"
        "  - {name: cxl, class: G2, medium: CXL-DRAM, scope: rack, capacity: 16TiB, read: "
        "250GB/s,\n"
        "     write: 220GB/s, latency: 400ns, ports: 4}\n"
        "  - {name: nvme, class: G3, scope: node, capacity: 30TB, read: 28GB/s, write: 16GB/s,\n"
        "     latency: 80us, efficiency: [[100MB, 0.95], [1MB, 0.7], [0, 0.3]]}\n"
        "  - {name: pool, class: G4, scope: system, capacity: 1PB, read: 100GB/s, write: 100GB/s}\n"
        "links:\n"
        "  - {from: npu, to: host, bandwidth: 55GB/s, latency: 1us, shared-by: pcie, lanes: 4}\n"
        "  - {from: host, to: nvme, bandwidth: 110GB/s, latency: 500ns}\n"
        "  - {from: npu, to: pool, through: network}\n"
        "npus-per-node: 8\n"
        "nodes-per-rack: 4\n"
        "default: host\n";
    struct nadi_str network = NADI_STR_INIT;
    nadi_str_printf(&network,
                    "# %u ranks around a switch, cards of 400 Gb/s.\n"
                    "topology: [Switch]\n"
                    "npus_count: [%u]\n"
                    "bandwidth: [50GB/s]\n"
                    "latency: [500]  # ns a link\n",
                    g->ranks, g->ranks);
    const bool ok =
        nadi_gen_write_system(folder, false, diags) &&
        (g->family == NADI_GEN_MEMORY ? nadi_gen_write(folder, "memory.json", remote, diags)
                                      : nadi_gen_write_no_memory(folder, diags)) &&
        (!g->tier || nadi_gen_write(folder, "memory.yml", tiers, diags)) &&
        nadi_gen_write(folder, "network.yml", nadi_str_get(&network), diags);
    nadi_str_release(&network);
    return ok;
}

static bool write_groups(const struct nadi_gen_pattern *g, const char *folder,
                         struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "{");
    for (uint32_t i = 0; i < g->group_count && g->family == NADI_GEN_COLLECTIVES; i++) {
        const uint32_t size = g->groups[i];
        for (uint32_t first = 0; first < g->ranks && size < g->ranks; first += size) {
            nadi_str_printf(&text, "%s\n  \"of%u.%u\": [", text.length > 1 ? "," : "", size,
                            first / size);
            for (uint32_t k = 0; k < size; k++)
                nadi_str_printf(&text, "%s%u", k ? ", " : "", first + k);
            nadi_str_add(&text, "]");
        }
    }
    const bool any = text.length > 1;
    nadi_str_add(&text, "\n}\n");
    const bool ok = !any || nadi_gen_write(folder, "groups.json", nadi_str_get(&text), diags);
    nadi_str_release(&text);
    return ok;
}

static bool write_manifest(const struct nadi_gen_pattern *g, const char *folder,
                           struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "nadi-manifest: 1\nranks: %u\n%straces:\n  - {file: \"workload.0.et\"}\n",
                    g->ranks, g->family == NADI_GEN_RING ? "peers: relative\n" : "");
    const bool ok = nadi_gen_write(folder, "workload.yml", nadi_str_get(&text), diags);
    nadi_str_release(&text);
    return ok;
}

static bool write_traces(const struct nadi_gen_pattern *g, const char *folder,
                         struct nadi_diags *diags)
{
    const uint32_t files = g->manifest ? 1 : g->ranks;
    struct nadi_str prefix = NADI_STR_INIT;
    uint32_t *partner = g->family == NADI_GEN_PAIRS ? nadi_gen_draw_pairs(g) : NULL;
    bool ok = true;
    nadi_str_printf(&prefix, "%s/workload", folder);
    for (uint32_t rank = 0; ok && rank < files; rank++) {
        struct nadi_gen_steps s = {
            .g = g,
            .writer = nadi_gen_open(nadi_str_get(&prefix), rank, g->coding, diags),
            .rank = rank,
            .relative = g->manifest,
            .partner = partner,
            .next_id = 1,
        };
        ok = s.writer != NULL;
        if (ok) {
            families[g->family].put(&s);
            ok = nadi_trace_writer_close(s.writer, diags);
        }
    }
    nadi_mem_free(partner);
    nadi_str_release(&prefix);
    return ok;
}

bool nadi_gen_pattern_folder(const struct nadi_gen_pattern *g, const char *folder,
                             struct nadi_diags *diags)
{
    if (!check(g, diags))
        return false;
    struct nadi_trace_set *set = nadi_gen_begin_folder(folder, diags);
    return nadi_trace_set_end(set, set && write_cluster(g, folder, diags) &&
                                       write_groups(g, folder, diags) &&
                                       (!g->manifest || write_manifest(g, folder, diags)) &&
                                       write_traces(g, folder, diags));
}
