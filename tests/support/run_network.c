/* run_network: the network of a drawn run: dimensions, a generator, or nodes and links; and the
 * packet file. */
#include "support/run_drawn.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Links as they are built. Of the others most are too slow or too fast for a model of links: few
 * packets an hour, or more cycles on a cable than a flit model counts. False: not of these keys. */
static bool put_speed(struct run_drawn *r, const struct nadi_setting *key, struct nadi_str *out)
{
    static const double rates[] = {50, 400, 100, 25, 200, 12.5, 1, 900};
    static const double delays[] = {500, 100, 1000, 250, 20, 0, 3, 2000};
    const bool rate = key->dimension == NADI_DIMENSION_RATE;
    if (r->model == &nadi_network_unaware || rarely(&r->d, r->temper == DRAW_PLAIN ? 24 : 8))
        return false;
    if (!rate && key->dimension != NADI_DIMENSION_TIME)
        return false;
    nadi_str_printf(out, "%g", rate ? rates[draw_below(&r->d, 8)] : delays[draw_below(&r->d, 8)]);
    return true;
}

static void put_value(struct run_drawn *r, const struct nadi_setting *key, struct nadi_str *out)
{
    if (!put_speed(r, key, out))
        draw_value(&r->d, key, r->temper, out);
}

static void draw_dims(struct run_drawn *r)
{
    static const uint32_t sizes[] = {2, 4, 3, 8, 1, 5, 2, 16, 6, 4, 7, 2};
    const uint64_t count = pick(&r->d, 1, 3);
    r->rank_count = 1;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t npus = sizes[draw_below(&r->d, COUNT_OF(sizes))];
        if (r->rank_count * npus > RUN_MOST_RANKS)
            continue;
        r->rank_count *= npus;
        r->dims[r->dim_count++] =
            (struct nadi_dim){.kind = NADI_DIM_RING, .npus = npus, .bytes_per_ns = 1};
    }
}

/* A network whose ranks come from elsewhere, seen as one dimension or as two. */
static void take_ranks(struct run_drawn *r, uint64_t ranks)
{
    uint32_t inner = 1;
    r->rank_count = (uint32_t)nadi_min_u64(nadi_max_u64(ranks, 1), RUN_MOST_RANKS);
    if (rarely(&r->d, 3))
        inner = (uint32_t)pick(&r->d, 1, r->rank_count);
    if (r->rank_count % inner != 0)
        inner = 1;
    r->dim_count = inner > 1 ? 2 : 1;
    r->dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = r->rank_count, .bytes_per_ns = 1};
    r->dims[1] = r->dims[0];
    if (inner > 1) {
        r->dims[0].npus = inner;
        r->dims[1].npus = r->rank_count / inner;
    }
}

static void put_sizes(struct run_drawn *r, struct nadi_str *out)
{
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < r->dim_count; i++)
        nadi_str_printf(out, "%s%" PRIu32, i ? ", " : "", r->dims[i].npus);
    if (r->temper == DRAW_WILD && rarely(&r->d, 32))
        nadi_str_add(out, ", 3");
    nadi_str_add(out, "]");
}

/* ---- generators ---------------------------------------------------------------------------- */

static void put_own(struct run_drawn *r, const char *key, struct nadi_str *out)
{
    nadi_str_printf(out, ", %s: ", key);
    put_value(r, nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GENERATOR), key), out);
}

/* Keys of which each comes now and then. */
static void put_some(struct run_drawn *r, const char *const *keys, struct nadi_str *out)
{
    for (; *keys; keys++)
        if (rarely(&r->d, 5))
            put_own(r, *keys, out);
}

/* The network between `ends` ends, or any small one for 0; returns how many it has. */
static uint64_t put_fabric(struct run_drawn *r, uint64_t ends, struct nadi_str *out)
{
    static const char *const common[] = {"bandwidth", "latency", "uplink-bandwidth",
                                         "uplink-latency", NULL};
    static const char *const global[] = {"global-bandwidth", "global-latency", NULL};
    static const char *const grids[] = {"hyperx", "torus", "mesh"};
    struct draw *d = &r->d;
    uint64_t a = pick(d, 1, 4), b = pick(d, 1, 4), c = pick(d, 1, 3), made = a * b;
    switch (ends ? 0 : draw_below(d, 7)) {
    case 0:
        made = ends ? ends : made;
        nadi_str_printf(
            out, "type: leaf-spine, leaves: %" PRIu64 ", hosts: %" PRIu64 ", spines: %" PRIu64,
            ends ? 1 : a, ends ? ends : b, c);
        break;
    case 1:
        made = c == 1 ? 2 : c == 2 ? 8 : 4;
        nadi_str_printf(out, "type: fat-tree, k: %d, levels: %d", c == 1 ? 2 : 4, c == 3 ? 1 : 2);
        break;
    case 2:
        nadi_str_printf(
            out, "type: clos, down: [%" PRIu64 ", %" PRIu64 "], up: %" PRIu64 ", lanes: %" PRIu64,
            a, b, c, pick(d, 1, 3));
        break;
    case 3:
        a = nadi_min_u64(a, 3);
        c = a > 2 ? 1 : c;
        made = a * c * (a + 1);
        nadi_str_printf(out, "type: dragonfly, a: %" PRIu64 ", p: %" PRIu64 ", h: 1", a, c);
        put_some(r, global, out);
        break;
    case 4:
        a = a * b * (c + 1) > RUN_MOST_RANKS ? 1 : a;
        made = a * b * (c + 1);
        nadi_str_printf(out,
                        "type: dragonfly+, leaves: %" PRIu64 ", hosts: %" PRIu64
                        ", spines: %" PRIu64 ", h: 1",
                        a, b, c);
        put_some(r, global, out);
        break;
    case 5:
        nadi_str_printf(out,
                        "type: rail, nodes: %" PRIu64 ", npus: %" PRIu64 ", spines: %" PRIu64
                        ", planes: %" PRIu64,
                        a, b, c, pick(d, 1, 2));
        break;
    default:
        c = a * b * c > RUN_MOST_RANKS ? 1 : c;
        made = a * b * c;
        nadi_str_printf(out, "type: %s, shape: [%" PRIu64 ", %" PRIu64 "], hosts: %" PRIu64,
                        grids[draw_below(d, 3)], a, b, c);
        break;
    }
    put_some(r, common, out);
    return made;
}

static uint64_t put_generator(struct run_drawn *r, struct nadi_str *out)
{
    static const char *const inside[] = {"planes",         "scale-up-bandwidth", "scale-up-latency",
                                         "pcie-bandwidth", "pcie-latency",       NULL};
    static const char *const fred[] = {"bandwidth", "latency", "io", "io-bandwidth", NULL};
    uint64_t made;
    nadi_str_add(out, "{");
    if (r->model == &nadi_network_fabric && !rarely(&r->d, 32)) {
        const uint64_t leaf = pick(&r->d, 2, 8);
        made = run_odd(r, 8) ? pick(&r->d, 2, RUN_MOST_RANKS)
                             : leaf * pick(&r->d, 1, RUN_MOST_RANKS / leaf);
        nadi_str_printf(out, "type: fred, npus: %" PRIu64 ", per-leaf: %" PRIu64 ", m: %" PRIu64,
                        made, leaf, pick(&r->d, 2, 4));
        put_some(r, fred, out);
    } else if (rarely(&r->d, 4)) {
        const uint64_t servers = pick(&r->d, 1, 4), nics = pick(&r->d, 1, 2);
        made = servers * nics * pick(&r->d, 1, 2);
        nadi_str_printf(out, "type: hgx, npus: %" PRIu64 ", nics: %" PRIu64, made / servers, nics);
        put_some(r, inside, out);
        if (servers > 1) {
            nadi_str_add(out, ", scale-out: {");
            (void)put_fabric(r, servers * nics, out);
            nadi_str_add(out, "}");
        }
    } else {
        made = put_fabric(r, 0, out);
    }
    nadi_str_add(out, "}");
    return made;
}

/* ---- nodes and links ----------------------------------------------------------------------- */

struct cable {
    struct run_drawn *r;
    uint64_t from, to, npus; /* nodes: NPUs, then switches */
    bool one_way;            /* it may be */
};

static void put_end(uint64_t node, uint64_t npus, struct nadi_str *out)
{
    if (node < npus)
        nadi_str_printf(out, "\"g%" PRIu64 "\"", node);
    else
        nadi_str_printf(out, "\"s%" PRIu64 "\"", node - npus);
}

static enum draw_own own_cable(void *context, struct draw *d, const struct nadi_setting *key,
                               struct nadi_str *out)
{
    const struct cable *c = context;
    (void)d;
    if (put_speed(c->r, key, out))
        return DRAW_WRITTEN;
    if (strcmp(key->name, "loss") == 0 && c->r->model != &nadi_network_packet && !run_odd(c->r, 8))
        return DRAW_LEFT_OUT; /* only packets are lost */
    if (strcmp(key->name, "on-board") == 0 || (strcmp(key->name, "one-way") == 0 && !c->one_way))
        return DRAW_LEFT_OUT;
    if (strcmp(key->name, "from") != 0 && strcmp(key->name, "to") != 0)
        return DRAW_AS_TABLE;
    put_end(strcmp(key->name, "to") == 0 ? c->to : c->from, c->npus, out);
    return DRAW_WRITTEN;
}

static void put_cable(struct run_drawn *r, struct cable c, struct nadi_str *out)
{
    const struct draw_map m = {
        .kind = NADI_SCHEMA_GRAPH_LINK,
        .temper = r->temper,
        .list_length = 1,
        .one_in = 16,
        .own = own_cable,
        .context = &c,
    };
    draw_map(&r->d, &m, out);
}

/* Every NPU has a cable to a switch, switches form a chain, and some more cables anywhere; or no
 * switch and cables between all NPUs, which do not forward. */
static void put_cables(struct run_drawn *r, uint64_t npus, uint64_t switches, struct nadi_str *out)
{
    struct draw *d = &r->d;
    const bool one_way = rarely(d, 8);
    nadi_str_add(out, "[");
    for (uint64_t i = 0; switches && i < npus; i++) {
        nadi_str_add(out, i ? ", " : "");
        put_cable(r, (struct cable){r, i, npus + draw_below(d, switches), npus, one_way}, out);
    }
    for (uint64_t i = 1; !switches && i < npus; i++)
        for (uint64_t j = 0; j < i; j++) {
            nadi_str_add(out, i + j > 1 ? ", " : "");
            put_cable(r, (struct cable){r, i, j, npus, one_way}, out);
        }
    for (uint64_t s = 1; s < switches; s++) {
        nadi_str_add(out, ", ");
        put_cable(r, (struct cable){r, npus + s - 1, npus + s, npus, one_way}, out);
    }
    for (uint64_t more = draw_below(d, 4); more > 0; more--) {
        const uint64_t from = draw_below(d, npus + switches), to = draw_below(d, npus + switches);
        if (from == to && !run_odd(r, 8))
            continue;
        nadi_str_add(out, ", ");
        put_cable(r, (struct cable){r, from, to, npus, one_way}, out);
    }
    nadi_str_add(out, "]");
}

static void put_nodes(struct run_drawn *r, uint64_t npus, uint64_t switches, struct nadi_str *out)
{
    static const char *const kinds[] = {"switch", "switch", "router", "nic", "pcie"};
    nadi_str_printf(out, "[{name: \"g[0-%" PRIu64 "]\", kind: npu}", npus - 1);
    for (uint64_t s = 0; s < switches; s++) {
        nadi_str_printf(out, ", {name: s%" PRIu64 ", kind: %s", s, kinds[draw_below(&r->d, 5)]);
        if (rarely(&r->d, 6)) {
            nadi_str_add(out, ", bandwidth: ");
            put_value(r, nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GRAPH_NODE), "bandwidth"),
                      out);
        }
        nadi_str_add(out, "}");
    }
    nadi_str_add(out, "]");
}

/* ---- files --------------------------------------------------------------------------------- */

struct network {
    struct run_drawn *r;
    const char *graph;                       /* beside the dimensions */
    struct nadi_str generator, nodes, links; /* of a graph: the first, or the others */
};

/* Lists that belong together come together: the first of them says whether. */
static enum draw_own own_packet(void *context, struct draw *d, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    struct run_drawn *r = context;
    const bool first = strcmp(key->name, "ecn-rate") == 0 || strcmp(key->name, "fault-time") == 0;
    if (!key->list)
        return DRAW_AS_TABLE;
    if (first) /* most pairs of nodes have no link that could fail */
        r->listed = rarely(d, nadi_str_starts(key->name, "ecn") ? 4 : 12);
    if (!r->listed)
        return DRAW_LEFT_OUT;
    if (strcmp(key->name, "ecn-kmin") == 0)
        r->first_end = pick_size(d, 20);
    if (nadi_str_starts(key->name, "ecn-k") && !run_odd(r, 8)) {
        nadi_str_printf(out, "[%" PRIu64 "]", r->first_end);
        r->first_end += pick_size(d, 20);
        return DRAW_WRITTEN;
    }
    if (strcmp(key->name, "fault-from") != 0 && strcmp(key->name, "fault-to") != 0)
        return DRAW_AS_TABLE;
    const uint64_t least = strcmp(key->name, "fault-to") == 0 ? r->rank_count : 0;
    nadi_str_printf(out, "[%" PRIu64 "]", least + draw_below(d, 3));
    return DRAW_WRITTEN;
}

static const char *draw_packet_file(struct run_drawn *r)
{
    const struct draw_map m = {
        .kind = NADI_SCHEMA_PACKET,
        .temper = r->temper,
        .list_length = 1,
        .one_in = rarely(&r->d, 4) ? 4 : 16,
        .always = " congestion-control ecn-rate ecn-kmin ecn-kmax ecn-pmax fault-time fault-from"
                  " fault-to fault-state ",
        .own = own_packet,
        .context = r,
    };
    struct nadi_str text = NADI_STR_INIT;
    draw_map(&r->d, &m, &text);
    const char *path = run_write(r, "packet.yml", &text);
    nadi_str_release(&text);
    return path;
}

/* The file of another model that has one. */
static const char *draw_model_file(struct run_drawn *r, enum nadi_schema_kind kind,
                                   const char *name)
{
    const struct draw_map m = {
        .kind = kind,
        .temper = r->temper,
        .list_length = 1,
        .one_in = rarely(&r->d, 4) ? 3 : 12,
    };
    struct nadi_str text = NADI_STR_INIT;
    draw_map(&r->d, &m, &text);
    const char *path = run_write(r, name, &text);
    nadi_str_release(&text);
    return path;
}

static enum draw_own put_path(const char *path, struct nadi_str *out)
{
    if (!path)
        return DRAW_LEFT_OUT;
    nadi_str_printf(out, "\"%s\"", path);
    return DRAW_WRITTEN;
}

static enum draw_own put_text(const struct nadi_str *text, struct nadi_str *out)
{
    if (!text->length)
        return DRAW_LEFT_OUT;
    nadi_str_add(out, text->text);
    return DRAW_WRITTEN;
}

static enum draw_own put_shapes(struct run_drawn *r, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < r->dim_count; i++) {
        nadi_str_add(out, i ? ", " : "");
        const size_t before = out->length;
        draw_value(&r->d, key, r->temper, out);
        r->switches[i] = strcmp(out->text + before, "\"Switch\"") == 0;
    }
    nadi_str_add(out, "]");
    return DRAW_WRITTEN;
}

/* What only switches have: elsewhere 1, or 0. A graph's are one number. */
static enum draw_own put_switches(struct run_drawn *r, const struct nadi_setting *key,
                                  struct nadi_str *out)
{
    const bool odd = run_odd(r, 8);
    const bool rate = strcmp(key->name, "in-switch-bandwidth") == 0;
    if (strcmp(key->name, "in-switch-latency") == 0 && !r->reduce && !odd)
        return DRAW_LEFT_OUT;
    r->reduce |= rate;
    if (!key->list)
        return DRAW_AS_TABLE;
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < r->dim_count; i++) {
        nadi_str_add(out, i ? ", " : "");
        if (r->switches[i] || odd)
            draw_value(&r->d, key, r->temper, out);
        else
            nadi_str_add(out, strcmp(key->name, "oversubscription") == 0 ? "1" : "0");
    }
    nadi_str_add(out, "]");
    return DRAW_WRITTEN;
}

static enum draw_own put_speeds(struct run_drawn *r, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    if (!key->list || run_odd(r, 16))
        return put_speed(r, key, out) ? DRAW_WRITTEN : DRAW_AS_TABLE;
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < r->dim_count; i++) {
        nadi_str_add(out, i ? ", " : "");
        put_value(r, key, out);
    }
    nadi_str_add(out, "]");
    return DRAW_WRITTEN;
}

static enum draw_own own_network(void *context, struct draw *d, const struct nadi_setting *key,
                                 struct nadi_str *out)
{
    struct network *n = context;
    if (strcmp(key->name, "packet") == 0)
        return put_path(
            n->r->model == &nadi_network_packet && draw_below(d, 2) ? draw_packet_file(n->r) : NULL,
            out);
    if (strcmp(key->name, "flit") == 0)
        return put_path(n->r->model == &nadi_network_flit && draw_below(d, 2)
                            ? draw_model_file(n->r, NADI_SCHEMA_FLIT, "flit.yml")
                            : NULL,
                        out);
    if (strcmp(key->name, "loadstore") == 0)
        return put_path(n->r->model == &nadi_network_loadstore && draw_below(d, 2)
                            ? draw_model_file(n->r, NADI_SCHEMA_LOADSTORE, "loadstore.yml")
                            : NULL,
                        out);
    if (strcmp(key->name, "graph") == 0)
        return put_path(n->graph, out);
    if (strcmp(key->name, "generator") == 0)
        return put_text(&n->generator, out);
    if (strcmp(key->name, "nodes") == 0)
        return put_text(&n->nodes, out);
    if (strcmp(key->name, "links") == 0)
        return put_text(&n->links, out);
    if (strcmp(key->name, "topology") == 0)
        return put_shapes(n->r, key, out);
    if (strcmp(key->name, "oversubscription") == 0 || nadi_str_starts(key->name, "in-switch-"))
        return put_switches(n->r, key, out);
    if (strcmp(key->name, "bandwidth") == 0 || strcmp(key->name, "latency") == 0)
        return put_speeds(n->r, key, out);
    if (strcmp(key->name, "in-flight") == 0)
        n->r->in_flight = true;
    if (strcmp(key->name, "flow-in-flight") == 0 && n->r->in_flight && !run_odd(n->r, 8))
        return DRAW_LEFT_OUT; /* its former name */
    if (strcmp(key->name, "npus_count") != 0 && strcmp(key->name, "dimensions") != 0)
        return DRAW_AS_TABLE;
    put_sizes(n->r, out);
    return DRAW_WRITTEN;
}

static const char *write_network(struct network *n, enum nadi_schema_kind kind, const char *name)
{
    struct run_drawn *r = n->r;
    const struct draw_map m = {
        .kind = kind,
        .temper = r->temper,
        .list_length = r->dim_count,
        .one_in = 8,
        .always = " packet flit loadstore graph generator nodes links dimensions ",
        .own = own_network,
        .context = n,
    };
    struct nadi_str text = NADI_STR_INIT;
    draw_map(&r->d, &m, &text);
    const char *path = run_write(r, name, &text);
    nadi_str_release(&text);
    return path;
}

/* A graph of as many NPUs as there are ranks, or, where that is 0, says how many. */
static const char *draw_graph(struct run_drawn *r, const char *name)
{
    struct network n = {.r = r};
    const bool fabric = r->model == &nadi_network_fabric;
    if (r->rank_count == 0 && (fabric || !rarely(&r->d, 3))) {
        take_ranks(r, put_generator(r, &n.generator));
    } else {
        if (r->rank_count == 0)
            take_ranks(r, pick(&r->d, 2, 8));
        const uint64_t switches =
            r->rank_count < 7 ? (draw_below(&r->d, 4) + 1) % 4 : pick(&r->d, 1, 4);
        put_nodes(r, r->rank_count, switches, &n.nodes);
        put_cables(r, r->rank_count, switches, &n.links);
    }
    const char *path = write_network(&n, NADI_SCHEMA_GRAPH, name);
    nadi_str_release(&n.generator);
    nadi_str_release(&n.nodes);
    nadi_str_release(&n.links);
    return path;
}

void run_draw_network(struct run_drawn *r)
{
    const uint64_t way =
        r->model == &nadi_network_unaware && !rarely(&r->d, 16) ? 0 : draw_below(&r->d, 8);
    if ((way > 4 && way < 7) || r->model == &nadi_network_fabric) {
        r->setup.network = draw_graph(r, "network.yml");
        return;
    }
    struct network n = {.r = r};
    draw_dims(r);
    if (way == 7)
        n.graph = draw_graph(r, "graph.yml");
    r->setup.network = write_network(&n, NADI_SCHEMA_NETWORK, "network.yml");
}
