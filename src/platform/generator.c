#include "platform/generator.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "platform/generator_make.h"
#include "settings/schema.h"

enum { MOST_LINKS = 1 << 24 };

struct maker {
    const char *name;
    const char *required, *optional; /* keys besides type, bandwidth and latency */
    struct nadi_made (*count)(const struct nadi_generator *gen);
    void (*make)(struct nadi_graph *g, const struct nadi_generator *gen);
};

#define UPLINK "uplink-bandwidth uplink-latency "
#define GLOBAL UPLINK "global-bandwidth global-latency "
#define WAFER  "io io-bandwidth "
#define INSIDE "npus planes scale-up-bandwidth scale-up-latency "

static const struct maker makers[] = {
    {"fat-tree", "k ", "levels pods oversubscription lanes " UPLINK, nadi_count_clos,
     nadi_make_clos},
    {"clos", "down ", "up lanes " UPLINK, nadi_count_clos, nadi_make_clos},
    {"leaf-spine", "leaves spines hosts ", "lanes " UPLINK, nadi_count_clos, nadi_make_clos},
    {"rail", "nodes ", "pod spines pxn lanes " INSIDE UPLINK, nadi_count_rail, nadi_make_rail},
    {"dragonfly", "a p h ", "g " GLOBAL, nadi_count_dragonfly, nadi_make_dragonfly},
    {"dragonfly+", "leaves spines hosts h ", "g " GLOBAL, nadi_count_dragonfly_plus,
     nadi_make_dragonfly_plus},
    {"hyperx", "shape ", "hosts lanes " UPLINK, nadi_count_grid, nadi_make_grid},
    {"torus", "shape ", "hosts lanes " UPLINK, nadi_count_grid, nadi_make_grid},
    {"mesh", "shape ", "hosts lanes " UPLINK, nadi_count_grid, nadi_make_grid},
    {"hgx", "", "nics scale-out pcie-bandwidth pcie-latency " INSIDE, NULL, NULL},
    {"fred", "", "m npus per-leaf variant " WAFER UPLINK, nadi_count_fred, nadi_make_fred},
    {"wafer-mesh", "", "shape " WAFER, nadi_count_wafer_mesh, nadi_make_wafer_mesh},
};

const char *nadi_generator_name(enum nadi_generator_type type)
{
    return makers[type].name;
}

/* Is `key` one of the words, each of which a blank follows? */
static bool has_word(const char *words, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = words; *at; at = strchr(at, ' ') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

bool nadi_generator_has_servers(const char *words)
{
    const size_t length = strcspn(words, " ");
    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
        if (strlen(makers[i].name) == length && memcmp(makers[i].name, words, length) == 0)
            return has_word(makers[i].optional, "scale-up-latency");
    return false;
}

static const char *listed(const struct maker *m, struct nadi_arena *arena)
{
    return nadi_arena_printf(arena, "%s takes %s%sbandwidth latency", m->name, m->required,
                             m->optional);
}

struct reading {
    struct nadi_generator *gen;
    const struct nadi_schema_values *values;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static bool wrong(const struct reading *r, const char *key, const char *hint, const char *format,
                  ...) NADI_PRINTF(4, 5);

static bool wrong(const struct reading *r, const char *key, const char *hint, const char *format,
                  ...)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_schema_value *v = key ? nadi_schema_get(r->values, key) : NULL;
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    nadi_error(r->diags, "generator/value",
               nadi_doc_place(r->gen->doc, v && v->node ? v->node : r->gen->map), hint, "%s",
               nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

static bool keys_fit(const struct reading *r)
{
    const struct maker *m = &makers[r->gen->type];
    const struct nadi_schema *schema = r->values->schema;
    bool ok = true;
    for (size_t i = 0; i < schema->count; i++) {
        const char *key = schema->keys[i].name;
        const bool given = nadi_schema_is_set(r->values, key);
        const bool common = strcmp(key, "type") == 0 || strcmp(key, "bandwidth") == 0 ||
                            strcmp(key, "latency") == 0;
        if (given && !common && !has_word(m->required, key) && !has_word(m->optional, key)) {
            const bool thinner =
                strcmp(key, "oversubscription") == 0 && has_word(m->optional, "uplink-bandwidth");
            ok = wrong(r, key,
                       thinner ? "uplink-bandwidth makes the cables between switches thinner"
                               : listed(m, r->arena),
                       "the generator %s has no '%s'", m->name, key);
        } else if (!given && has_word(m->required, key))
            ok = wrong(r, NULL, listed(m, r->arena), "the generator %s needs '%s'", m->name, key);
    }
    return ok;
}

static uint32_t number(const struct reading *r, const char *key, uint32_t otherwise)
{
    const struct nadi_schema_value *v = nadi_schema_get(r->values, key);
    return v->count ? (uint32_t)v->items[0].integer : otherwise;
}

static uint32_t numbers(const struct reading *r, const char *key, uint32_t *out)
{
    const struct nadi_schema_value *v = nadi_schema_get(r->values, key);
    for (uint32_t i = 0; i < v->count; i++)
        out[i] = (uint32_t)v->items[i].integer;
    return v->count;
}

static struct nadi_generator_cable cable(const struct reading *r, const char *rate,
                                         const char *latency, struct nadi_generator_cable otherwise)
{
    if (nadi_schema_get(r->values, rate)->count)
        otherwise.bytes_per_s = nadi_schema_number(r->values, rate);
    if (nadi_schema_get(r->values, latency)->count)
        otherwise.latency_ns = nadi_schema_number(r->values, latency);
    return otherwise;
}

/* One for all, or one each; how many there must be is checked when the shape is known. */
static void read_uplinks(const struct reading *r)
{
    const struct nadi_schema_value *rate = nadi_schema_get(r->values, "uplink-bandwidth");
    const struct nadi_schema_value *latency = nadi_schema_get(r->values, "uplink-latency");
    for (uint32_t i = 0; i < NADI_MAX_DIMS; i++) {
        struct nadi_generator_cable *c = &r->gen->uplink[i];
        *c = r->gen->host;
        if (rate->count)
            c->bytes_per_s = rate->items[i < rate->count ? i : rate->count - 1].number;
        if (latency->count)
            c->latency_ns = latency->items[i < latency->count ? i : latency->count - 1].number;
    }
}

static bool is_wafer(const struct nadi_generator *gen)
{
    return gen->type == NADI_GENERATE_FRED || gen->type == NADI_GENERATE_WAFER_MESH;
}

/* What is not said is as published: 20 NPUs, 3 TB/s each, 18 controllers. */
static void read_wafer(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    const bool fred = gen->type == NADI_GENERATE_FRED;
    const struct nadi_schema_value *variant = nadi_schema_get(r->values, "variant");
    const uint32_t letter = variant->count ? variant->items[0].word : 3;
    if (!nadi_schema_is_set(r->values, "bandwidth"))
        gen->host.bytes_per_s = fred ? 3000e9 : 750e9;
    if (!nadi_schema_is_set(r->values, "latency"))
        gen->host.latency_ns = 20;
    gen->npus = number(r, "npus", 20);
    gen->middle = number(r, "m", 3);
    gen->per_leaf = number(r, "per-leaf", 4);
    gen->reduces = letter % 2 == 1;
    gen->oversubscription = letter < 2 ? 8 : 1;
    gen->io = number(r, "io", fred ? 18 : NADI_NONE);
    gen->io_cable = (struct nadi_generator_cable){128e9, gen->host.latency_ns};
    if (nadi_schema_is_set(r->values, "io-bandwidth"))
        gen->io_cable.bytes_per_s = nadi_schema_number(r->values, "io-bandwidth");
    if (!gen->axes && !fred) {
        gen->axes = 2;
        gen->shape[0] = 5;
        gen->shape[1] = 4;
    }
}

static void read_plain(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    const struct nadi_schema_value *over = nadi_schema_get(r->values, "oversubscription");
    gen->oversubscription = over->count ? over->items[0].number : 1;
    gen->k = number(r, "k", 0);
    gen->levels = gen->type == NADI_GENERATE_FAT_TREE ? number(r, "levels", 3) : 0;
    gen->pods = number(r, "pods", gen->k);
    gen->leaves = number(r, "leaves", 0);
    gen->spines = number(r, "spines", 0);
    gen->hosts_given = nadi_schema_is_set(r->values, "hosts") || gen->type == NADI_GENERATE_HYPERX;
    gen->hosts = number(r, "hosts", 1);
    gen->nodes = number(r, "nodes", 0);
    gen->npus = number(r, "npus", 8);
    gen->pod = number(r, "pod", gen->nodes);
    gen->pxn = number(r, "pxn", 0) > 0;
    gen->a = number(r, "a", 0);
    gen->p = number(r, "p", 0);
    gen->h = number(r, "h", 0);
    gen->planes = number(r, "planes", 1);
    gen->nics = number(r, "nics", gen->npus);
    gen->axes = numbers(r, "shape", gen->shape);
    gen->host = cable(r, "bandwidth", "latency", (struct nadi_generator_cable){0});
    if (is_wafer(gen))
        read_wafer(r);
    read_uplinks(r);
    gen->global = cable(r, "global-bandwidth", "global-latency", gen->uplink[0]);
    gen->scale_up = cable(r, "scale-up-bandwidth", "scale-up-latency",
                          (struct nadi_generator_cable){450e9, 250});
    gen->pcie =
        cable(r, "pcie-bandwidth", "pcie-latency", (struct nadi_generator_cable){64e9, 150});
}

/* The oversubscription nearest to `want` that k ports allow. */
static double nearest_share(uint32_t k, double want)
{
    double best = 1;
    for (uint32_t up = 1; up <= k / 2; up++) {
        const double share = (double)(k - up) / up;
        const double off = share > want ? share - want : want - share;
        const double best_off = best > want ? best - want : want - best;
        best = off < best_off ? share : best;
    }
    return best;
}

/* k-port switches as numbers of children and parents. */
static bool shape_fat_tree(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    const double up = gen->k / (1 + gen->oversubscription);
    const uint32_t ups = (uint32_t)(up + 0.5);
    if (gen->k % 2 != 0 || gen->k < 2)
        return wrong(r, "k", "switches have as many ports up as down", "k is %" PRIu32 ", odd",
                     gen->k);
    if (gen->levels > 1 && (up - ups > 1e-9 || ups - up > 1e-9 || ups == 0))
        return wrong(r, "oversubscription",
                     nadi_arena_printf(r->arena,
                                       "of its k ports a leaf has k / (1 + o) up, a whole number: "
                                       "%g to 1 is nearest; `clos` takes any numbers",
                                       nearest_share(gen->k, gen->oversubscription)),
                     "%" PRIu32 " ports cannot be shared out %g to 1", gen->k,
                     gen->oversubscription);
    if (gen->pods > gen->k)
        return wrong(r, "pods", NULL,
                     "%" PRIu32 " pods, but the highest switches have %" PRIu32 " ports", gen->pods,
                     gen->k);
    for (uint32_t l = 0; l < gen->levels; l++) {
        gen->down[l] = gen->k / 2;
        gen->up[l] = gen->k / 2;
    }
    gen->down[0] = gen->levels == 1 ? gen->k : gen->k - ups;
    gen->up[0] = ups;
    if (gen->levels > 1)
        gen->down[gen->levels - 1] = gen->pods;
    return true;
}

static bool shape_clos(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    const uint32_t ups = numbers(r, "up", gen->up);
    gen->levels = numbers(r, "down", gen->down);
    if (gen->levels == 0 || ups + 1 != gen->levels)
        return wrong(r, "down", "write one number less in 'up' than in 'down'",
                     "'down' has %" PRIu32 " entries and 'up' %" PRIu32, gen->levels, ups);
    return true;
}

/* Lists over levels of switches or dimensions: one for all or as many as there are. */
static bool read_lists(const struct reading *r)
{
    static const char *const lists[] = {"lanes", "uplink-bandwidth", "uplink-latency"};
    struct nadi_generator *gen = r->gen;
    const uint32_t want = gen->axes ? gen->axes : gen->levels > 1 ? gen->levels - 1 : 1;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const uint32_t count = nadi_schema_get(r->values, lists[i])->count;
        if (count > 1 && count != want)
            return wrong(r, lists[i],
                         "one for all, or one for each dimension or row of cables "
                         "between switches",
                         "'%s' has %" PRIu32 " entries, 1%s%.0" PRIu32 " %s wanted", lists[i],
                         count, want > 1 ? " or " : "", want > 1 ? want : 0,
                         want > 1 ? "are" : "is");
    }
    const uint32_t count = numbers(r, "lanes", gen->parallel_cables);
    for (uint32_t d = count; d < NADI_MAX_DIMS; d++)
        gen->parallel_cables[d] = count == 1 ? gen->parallel_cables[0] : 1;
    return true;
}

static bool read_scale_out(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    const struct nadi_schema_value *v = nadi_schema_get(r->values, "scale-out");
    if (gen->npus % gen->nics != 0)
        return wrong(r, "nics", "NPUs share the NICs evenly",
                     "%" PRIu32 " NICs do not divide %" PRIu32 " NPUs", gen->nics, gen->npus);
    if (!v->count)
        return true;
    struct nadi_generator *inner = NADI_ARENA_ZNEW(r->arena, struct nadi_generator, 1);
    if (!nadi_generator_read(inner, gen->doc, v->items[0].node, r->arena, r->diags))
        return false;
    gen->scale_out = inner;
    if (inner->type == NADI_GENERATE_HGX)
        return wrong(r, "scale-out", "name the network between servers",
                     "servers of servers are not made");
    return true;
}

static bool shape_fred(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    if (gen->npus % gen->per_leaf != 0)
        return wrong(r, "per-leaf", "all switches of the first level have as many NPUs",
                     "%" PRIu32 " NPUs are no multiple of %" PRIu32, gen->npus, gen->per_leaf);
    if (!nadi_schema_is_set(r->values, "uplink-bandwidth"))
        gen->uplink[0].bytes_per_s = gen->host.bytes_per_s * gen->per_leaf / gen->oversubscription;
    return true;
}

static bool shape_wafer_mesh(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    if (gen->axes != 2)
        return wrong(r, "shape", "for example shape=5x4",
                     "a wafer has two dimensions, not %" PRIu32, gen->axes);
    gen->hosts = 1;
    gen->hosts_given = false;
    const uint64_t room = 2 * ((uint64_t)gen->shape[0] + gen->shape[1]);
    if (gen->io == NADI_NONE)
        gen->io = (uint32_t)nadi_min_u64(room, 65536);
    if (gen->io > room)
        return wrong(r, "io", "one at each end of each row and column at most",
                     "%" PRIu32 " I/O controllers, but the mesh has room for %" PRIu64, gen->io,
                     room);
    return true;
}

static bool read_shape(const struct reading *r)
{
    struct nadi_generator *gen = r->gen;
    switch (gen->type) {
    case NADI_GENERATE_FAT_TREE:
        return shape_fat_tree(r);
    case NADI_GENERATE_CLOS:
        return shape_clos(r);
    case NADI_GENERATE_LEAF_SPINE:
        gen->levels = 2;
        gen->down[0] = gen->hosts;
        gen->down[1] = gen->leaves;
        gen->up[0] = gen->spines;
        return true;
    case NADI_GENERATE_DRAGONFLY:
        gen->g = number(r, "g", (uint32_t)nadi_min_u64((uint64_t)gen->a * gen->h + 1, UINT32_MAX));
        break;
    case NADI_GENERATE_DRAGONFLY_PLUS:
        gen->g =
            number(r, "g", (uint32_t)nadi_min_u64((uint64_t)gen->spines * gen->h + 1, UINT32_MAX));
        break;
    case NADI_GENERATE_HGX:
        return read_scale_out(r);
    case NADI_GENERATE_RAIL:
        if (gen->spines == 0 && gen->pod < gen->nodes)
            return wrong(r, "pod", "give 'spines', or one pod",
                         "without spines nothing joins the pods of %" PRIu32 " servers", gen->pod);
        return true;
    case NADI_GENERATE_FRED:
        return shape_fred(r);
    case NADI_GENERATE_WAFER_MESH:
        return shape_wafer_mesh(r);
    case NADI_GENERATE_HYPERX:
    case NADI_GENERATE_TORUS:
    case NADI_GENERATE_MESH:
        return true;
    }
    const uint64_t ports =
        (uint64_t)(gen->type == NADI_GENERATE_DRAGONFLY ? gen->a : gen->spines) * gen->h;
    if (gen->g - 1 > ports)
        return wrong(r, "g", "at most one more than the global cables of a group",
                     "%" PRIu32 " groups, but a group has only %" PRIu64 " global cables", gen->g,
                     ports);
    return true;
}

bool nadi_generator_read(struct nadi_generator *gen, const struct nadi_doc *doc,
                         const struct nadi_doc_node *map, struct nadi_arena *arena,
                         struct nadi_diags *diags)
{
    struct nadi_schema_values values;
    *gen = (struct nadi_generator){.doc = doc, .map = map};
    if (!nadi_schema_check_map(&values, nadi_schema_of(NADI_SCHEMA_GENERATOR), doc, map, true,
                               arena, diags))
        return false;
    const struct reading r = {.gen = gen, .values = &values, .arena = arena, .diags = diags};
    gen->type = (enum nadi_generator_type)nadi_schema_word(&values, "type");
    if (!keys_fit(&r))
        return false;
    read_plain(&r);
    return read_shape(&r) && read_lists(&r);
}

static bool small_enough(const struct nadi_generator *gen, const struct nadi_made *made,
                         struct nadi_diags *diags)
{
    if (made->npus <= MOST_LINKS && made->switches <= MOST_LINKS && made->links <= MOST_LINKS)
        return true;
    return nadi_error(diags, "generator/size", nadi_doc_place(gen->doc, gen->map),
                      "choose smaller numbers",
                      "%" PRIu64 " NPUs, %" PRIu64 " switches and %" PRIu64
                      " cables; at most %d of each are possible",
                      made->npus, made->switches, made->links, MOST_LINKS);
}

static bool make_under(struct nadi_graph *g, const struct nadi_generator *gen,
                       struct nadi_diags *diags)
{
    struct nadi_graph between;
    if (!gen->scale_out) {
        nadi_make_servers(g, gen, NULL);
        return true;
    }
    nadi_graph_init(&between);
    bool ok = nadi_generator_make(&between, gen->scale_out, diags);
    if (ok && between.host_count % gen->nics != 0)
        ok = nadi_error(diags, "generator/value", nadi_doc_place(gen->doc, gen->map),
                        "choose a network whose ends are a multiple of 'nics'",
                        "%" PRIu32 " ends of the scale-out network are no multiple of %" PRIu32
                        " NICs",
                        between.host_count, gen->nics);
    if (ok) {
        const uint64_t npus = (uint64_t)between.host_count / gen->nics * gen->npus;
        const struct nadi_made made = {npus, between.node_count,
                                       npus * (gen->planes + 1) + between.link_count};
        ok = small_enough(gen, &made, diags);
    }
    if (ok)
        nadi_make_servers(g, gen, &between);
    nadi_graph_release(&between);
    return ok;
}

bool nadi_generator_make(struct nadi_graph *g, const struct nadi_generator *gen,
                         struct nadi_diags *diags)
{
    if (gen->type == NADI_GENERATE_HGX)
        return make_under(g, gen, diags);
    const struct nadi_made made = makers[gen->type].count(gen);
    if (!small_enough(gen, &made, diags))
        return false;
    makers[gen->type].make(g, gen);
    NADI_ASSERT(g->host_count == made.npus && g->link_count == made.links);
    return true;
}

uint32_t nadi_generator_dims(const struct nadi_generator *gen, const struct nadi_graph *g,
                             uint32_t dims[NADI_MAX_DIMS])
{
    const bool grid = gen->axes > 0, servers = gen->type == NADI_GENERATE_HGX;
    uint32_t count = 0;
    if (grid && gen->hosts == 1) {
        memcpy(dims, gen->shape, gen->axes * sizeof(*dims));
        return gen->axes;
    }
    if (gen->type == NADI_GENERATE_FRED && gen->per_leaf > 1 && gen->npus > gen->per_leaf) {
        dims[count++] = gen->per_leaf;
        dims[count++] = gen->npus / gen->per_leaf;
        return count;
    }
    if (servers || gen->type == NADI_GENERATE_RAIL) {
        dims[count++] = gen->npus;
        if (g->host_count > gen->npus)
            dims[count++] = g->host_count / gen->npus;
        return count;
    }
    dims[count++] = g->host_count;
    return count;
}

uint32_t nadi_make_switch(struct nadi_graph *g, const char *role, uint32_t number_of_role,
                          uint32_t level, uint32_t group)
{
    const uint32_t n = nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
    g->nodes[n].role = role;
    g->nodes[n].number = number_of_role;
    g->nodes[n].level = level;
    g->nodes[n].group = group;
    return n;
}

void nadi_make_cables(struct nadi_graph *g, uint32_t a, uint32_t b,
                      const struct nadi_generator_cable *cable_of, uint32_t count, uint32_t dim)
{
    for (uint32_t i = 0; i < count; i++) {
        const double bits = cable_of->bytes_per_s * 8 + 0.5;
        nadi_graph_add_link(g, (struct nadi_graph_link){
                                   .a = a,
                                   .b = b,
                                   .bits_per_s = bits >= 1 ? nadi_count_trunc(bits) : 1,
                                   .latency = nadi_time_of_ns(cable_of->latency_ns),
                                   .dim = dim,
                               });
    }
}

void nadi_make_hosts(struct nadi_graph *g, uint64_t count, uint64_t of_group)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t n = nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
        g->nodes[n].group = (uint32_t)(i / of_group);
    }
}
