/* load_levels: a memory file of LLMServingSim's family -> the memory graph.
 *
 * Its memories serve one request at a time a device and have no links: a request takes the device
 * that it names and nothing of the NPU's own memory. */
#include "base/str.h"
#include "inputs/load.h"
#include "memory/tiers.h"

enum location { LOCAL, REMOTE, CXL, STORAGE, LOCATIONS };   /* order of the schema's words */
enum type { TYPE_NONE, TYPE_NODE, TYPE_NPU, TYPE_DEVICES }; /* likewise */

struct reader {
    struct nadi_load *l;
    const struct nadi_doc *doc;
    struct nadi_tiers *t;
    bool seen[LOCATIONS];
    struct nadi_arena scratch;
};

static const char *const names[LOCATIONS] = {"LOCAL", "REMOTE", "CXL", "STORAGE"};

bool nadi_is_levels(const struct nadi_doc *doc)
{
    static const char *const keys[] = {"memory-location", "mem-bw",      "read-bw", "write-bw",
                                       "mem-latency",     "num-devices", NULL};
    if (doc->root->kind != NADI_DOC_MAP || nadi_doc_find(doc->root, "tiers"))
        return false;
    for (const char *const *key = keys; *key; key++)
        if (nadi_doc_find(doc->root, *key))
            return true;
    if (nadi_doc_find(doc->root, "memory-type"))
        return false;
    for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next)
        if (n->kind == NADI_DOC_MAP)
            return true;
    return false;
}

static struct nadi_place place_at(const struct reader *r, const struct nadi_doc_node *node)
{
    struct nadi_place place =
        node ? nadi_doc_place(r->doc, node) : NADI_IN_FILE(r->l->in->options.memory);
    place.file = r->l->in->options.memory;
    return place;
}

/* By the name's beginning, whatever the case. */
static bool location_of_name(const char *name, enum location *location)
{
    for (int i = 0; i < LOCATIONS; i++) {
        size_t k = 0;
        while (names[i][k] && (name[k] == names[i][k] || name[k] == names[i][k] + ('a' - 'A')))
            k++;
        if (names[i][k] == '\0') {
            *location = (enum location)i;
            return true;
        }
    }
    return false;
}

/* NULL name: the file is one level. */
static bool find_location(struct reader *r, const struct nadi_schema_values *v, const char *name,
                          const struct nadi_doc_node *map, enum location *location)
{
    *location = REMOTE;
    if (nadi_schema_is_set(v, "memory-location"))
        *location = (enum location)nadi_schema_word(v, "memory-location");
    else if (name && !location_of_name(name, location))
        return nadi_error(r->l->diags, "memory/levels", place_at(r, map),
                          "call it local_mem, remote_mem, cxl_mem or storage_mem, or give it a "
                          "'memory-location'",
                          "'%.60s' does not say which memory it is", name);
    if (r->seen[*location])
        return nadi_error(r->l->diags, "memory/levels", place_at(r, map), NULL,
                          "two levels are %s_MEMORY", names[*location]);
    r->seen[*location] = true;
    return true;
}

/* The rate or the latency of one direction; a rate has no value of its own. */
static double of_direction(const struct nadi_schema_values *v, const char *own, const char *both)
{
    if (nadi_schema_is_set(v, own))
        return nadi_schema_number(v, own);
    return nadi_schema_is_set(v, both) ? nadi_schema_number(v, both) : 0;
}

static bool add_devices(struct reader *r, const struct nadi_mem_tier *model, uint32_t devices,
                        const struct nadi_doc_node *map)
{
    struct nadi_tiers *t = r->t;
    if (devices > NADI_MOST_TIERS - t->tier_count)
        return nadi_error(r->l->diags, "memory/levels", place_at(r, map),
                          "let one of the file's devices stand for several: more bandwidth, fewer "
                          "devices",
                          "%" PRIu32 " devices of %s_MEMORY: all levels together have at most %d",
                          devices, model->name, NADI_MOST_TIERS);
    for (uint32_t i = 0; i < devices; i++) {
        t->tiers[t->tier_count] = *model;
        t->tiers[t->tier_count++].name =
            nadi_arena_printf(&r->l->in->arena, "%s:%" PRIu32, model->name, i);
    }
    return true;
}

static bool add_level(struct reader *r, const struct nadi_schema_values *v, enum location location,
                      const struct nadi_doc_node *map)
{
    static const enum nadi_tier_class classes[LOCATIONS] = {NADI_TIER_G1, NADI_TIER_G2,
                                                            NADI_TIER_G2, NADI_TIER_G3};
    static const enum nadi_tier_medium media[LOCATIONS] = {NADI_MEDIUM_HBM, NADI_MEDIUM_DDR,
                                                           NADI_MEDIUM_CXL, NADI_MEDIUM_NVME};
    static const enum nadi_tier_scope scopes[] = {[TYPE_NODE] = NADI_SCOPE_NODE,
                                                  [TYPE_NPU] = NADI_SCOPE_NPU,
                                                  [TYPE_DEVICES] = NADI_SCOPE_SYSTEM};
    const enum type type = (enum type)nadi_schema_word(v, "memory-type");
    const uint32_t devices = (uint32_t)nadi_schema_integer(v, "num-devices");
    struct nadi_mem_tier tier = {
        .name = names[location],
        .class = classes[location],
        .medium = media[location],
        .scope = scopes[type],
        .capacity_bytes = nadi_schema_is_set(v, "mem-size")
                              ? (uint64_t)nadi_schema_number(v, "mem-size")
                              : UINT64_MAX,
        .read_rate = of_direction(v, "read-bw", "mem-bw") * 1e-9,
        .write_rate = of_direction(v, "write-bw", "mem-bw") * 1e-9,
        .latency_ns = of_direction(v, "read-latency", "mem-latency"),
        .granule_bytes = 1,
        .ports = 1,
        .groups = 1,
        .half_duplex = true,
        .unshared = type == TYPE_NPU,
        .numbered = type == TYPE_NODE,
        .last_npu = UINT32_MAX - 1,
        .link = NADI_NONE,
    };
    tier.write_more_ns = of_direction(v, "write-latency", "mem-latency") - tier.latency_ns;
    if (!(tier.read_rate > 0 && tier.write_rate > 0))
        return nadi_error(r->l->diags, "memory/bandwidth", place_at(r, map),
                          "give 'mem-bw', or 'read-bw' and 'write-bw'",
                          "%s_MEMORY has no bandwidth", tier.name);
    if (type == TYPE_NODE && r->t->node_count && r->t->node_count != devices)
        return nadi_error(r->l->diags, "memory/levels", place_at(r, map),
                          "give them the same 'num-devices'",
                          "levels of a device for each node have %" PRIu32 " nodes and %" PRIu32,
                          r->t->node_count, devices);
    if (type == TYPE_NODE)
        r->t->node_count = devices;
    if (type == TYPE_DEVICES)
        return add_devices(r, &tier, devices, map);
    if (r->t->tier_count == NADI_MOST_TIERS)
        return add_devices(r, &tier, 1, map);
    r->t->tiers[r->t->tier_count++] = tier;
    return true;
}

static bool read_level(struct reader *r, const char *name, const struct nadi_doc_node *map)
{
    struct nadi_schema_values v;
    struct nadi_str origin = NADI_STR_INIT;
    enum location location;
    char found[96], rate[32];
    if (map->kind != NADI_DOC_MAP)
        return nadi_error(r->l->diags, "schema/map", place_at(r, map),
                          "for example: \"remote_mem\": {\"memory-type\": "
                          "\"PER_NODE_MEMORY_EXPANSION\", \"mem-bw\": 256}",
                          "level '%.60s' must be a map, found %s", name,
                          nadi_doc_describe(r->doc, map, found));
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_LEVEL), r->doc, map,
                               r->l->in->options.strict, &r->scratch, r->l->diags) ||
        !find_location(r, &v, name, map, &location))
        return false;
    nadi_schema_origin(&v, nadi_schema_get(&v, "memory-type"), &origin);
    nadi_settings_add(r->l->in, "memory-levels", names[location],
                      nadi_units_rate(rate, of_direction(&v, "read-bw", "mem-bw")),
                      nadi_str_get(&origin));
    nadi_str_release(&origin);
    return nadi_schema_word(&v, "memory-type") == TYPE_NONE || add_level(r, &v, location, map);
}

/* Of nodes that name no tier: remote memory, else the only level besides the NPUs' own. */
static uint32_t find_preset(const struct nadi_tiers *t)
{
    uint32_t found = NADI_NONE, others = 0;
    bool several;
    const uint32_t remote = nadi_tiers_find(t, names[REMOTE], &several);
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (t->tiers[i].class != NADI_TIER_G1) {
            others++;
            found = i;
        }
    return remote != NADI_NONE ? remote : others == 1 ? found : NADI_NONE;
}

bool nadi_load_levels(struct nadi_load *l, const struct nadi_doc *doc)
{
    struct nadi_tiers *t = NADI_ARENA_ZNEW(&l->in->arena, struct nadi_tiers, 1);
    struct reader r = {.l = l, .doc = doc, .t = t};
    const bool alone = nadi_doc_find(doc->root, "memory-type") != NULL;
    bool ok = true;
    *t = (struct nadi_tiers){
        .tiers = NADI_ARENA_ZNEW(&l->in->arena, struct nadi_mem_tier, NADI_MOST_TIERS),
        .npus_per_node = 1,
        .nodes_per_rack = 1,
        .sharing = NADI_SHARING_FIFO,
        .one_ended = true,
        .npu_count = 1, /* until nadi_fit_tiers */
    };
    nadi_arena_init(&r.scratch);
    if (alone || nadi_doc_find(doc->root, "mem-bw") || nadi_doc_find(doc->root, "memory-location"))
        ok = read_level(&r, NULL, doc->root);
    else
        for (const struct nadi_doc_node *n = doc->root->first; n; n = n->next)
            ok &= read_level(&r, nadi_doc_key(n), n);
    nadi_arena_release(&r.scratch);
    if (!ok)
        return false;
    t->preset = find_preset(t);
    l->in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_NONE};
    if (t->tier_count == 0)
        return true;
    l->in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_TIERS, .tiers = t};
    l->in->tiers = t;
    return true;
}
