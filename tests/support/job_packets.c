/* job_packets: jobs on the packet network of which much repeats itself: messages of many packets,
 * computation between them, several of a rank one after the other and at once. */
#include "base/mem.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"
#include "support/job.h"
#include "support/job_draw.h"

enum { MOST_ROUNDS = 4, MOST_NODES = 5 * MOST_ROUNDS, MOST_RANKS = 16, MOST_ENTRIES = 3 };

/* ---- network ------------------------------------------------------------------------------- */

static void draw_dims(struct job *j, struct nadi_rng *rng)
{
    static const enum nadi_dim_kind kinds[] = {
        NADI_DIM_SWITCH, NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED,
        NADI_DIM_MESH,   NADI_DIM_RING, NADI_DIM_RING_ONE_WAY,
    };
    static const double bytes_per_ns[] = {1, 3.125, 12.5, 12.5, 50, 11.64 * 1.073741824};
    struct nadi_dim dims[2];
    const uint32_t count = chance(rng, 3) ? 2 : 1;
    for (uint32_t d = 0; d < count; d++)
        dims[d] = (struct nadi_dim){
            .kind = kinds[pick(rng, 0, 5)],
            .npus = (uint32_t)pick(rng, 2,
                                   count == 2 || chance(rng, 2) ? 4
                                   : chance(rng, 4)             ? MOST_RANKS
                                                                : 8),
            .bytes_per_ns = bytes_per_ns[pick(rng, 0, 5)],
            .latency_ns = chance(rng, 4) ? (double)pick(rng, 0, 3000) : (double)(300 * d + 10),
            .oversubscription = 1,
            .axes = 1,
        };
    job_init(j, dims, count);
}

/* Instead of the graph of the dimensions: one of a generator; the dimension is a switch. */
void job_graph(struct job *j, const char *words)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    struct nadi_graph_file file;
    nadi_diags_init(&diags);
    NADI_ASSERT(nadi_generator_text(&doc, words, &diags) &&
                nadi_graph_file_from_doc(&file, &doc, &diags));
    const struct nadi_dim dim = {
        .kind = NADI_DIM_SWITCH,
        .npus = file.graph.host_count,
        .bytes_per_ns = 50,
        .oversubscription = 1,
        .axes = 1,
    };
    job_init(j, &dim, 1);
    j->in.graph = file.graph;
    j->in.routing.scheme = NADI_ROUTE_SHORTEST;
    j->in.has_graph = true;
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
}

static void draw_words(struct job *j, struct nadi_rng *rng)
{
    static const char *const words[] = {
        "leaf-spine leaves=2 spines=2 hosts=4",
        "leaf-spine leaves=4 spines=1 hosts=2",
        "fat-tree k=4 levels=2",
        "fat-tree k=4 levels=3",
        "rail nodes=4 npus=2 planes=2",
        "torus shape=3x3",
        "dragonfly a=2 p=2 h=1 g=3",
        "hgx npus=8 planes=2",
        "leaf-spine leaves=2 spines=1 hosts=3 lanes=2",
    };
    job_graph(j, words[nadi_rng_below(rng, 9)]);
    if (chance(rng, 2))
        j->in.routing.scheme = NADI_ROUTE_ECMP;
}

/* Mostly schemes that have steady states, sometimes one that has none. */
static const struct nadi_cc_ops *draw_scheme(struct nadi_rng *rng, bool exact)
{
    static const char *const steady[] = {"none", "window", "dcqcn"};
    const struct nadi_cc_ops *cc = nadi_cc_find(steady[nadi_rng_below(rng, 3)]);
    size_t count = 0;
    while (nadi_cc_all[count])
        count++;
    if (chance(rng, 10))
        cc = nadi_cc_all[nadi_rng_below(rng, count)];
    return exact && !cc->hpcc_mode ? nadi_cc_find(chance(rng, 2) ? "none" : "dcqcn") : cc;
}

void draw_dcqcn(struct nadi_packet_config *c, struct nadi_rng *rng)
{
    const nadi_time unit = 1000 * NADI_PS_PER_NS * (nadi_time)pick_size(rng, 8);
    c->dcqcn.alpha_interval = unit * (nadi_time)pick(rng, 1, 4);
    c->dcqcn.decrease_interval = unit * (nadi_time)pick(rng, 1, 2);
    c->dcqcn.increase_interval = unit * (nadi_time)pick_size(rng, 6);
    c->dcqcn.increase_bytes = chance(rng, 4) ? 0 : c->payload_bytes * (30 + pick_size(rng, 9));
    const uint64_t earlier = chance(rng, 2) ? 40 : 1; /* marks */
    for (uint32_t i = 0; i < c->ecn_rows; i++) {
        c->ecn_map[i].kmin_bytes /= earlier;
        c->ecn_map[i].kmax_bytes /= earlier;
    }
}

void draw_packets(struct nadi_packet_config *c, struct nadi_rng *rng)
{
    static const uint32_t payloads[] = {256, 1000, 1024, 4096};
    static const uint64_t waits[] = {0, 4, 16, 64, 512};
    const bool exact = chance(rng, 5);
    if (exact)
        nadi_packet_config_init_hpcc(c);
    else
        nadi_packet_config_init(c);
    c->exact = exact;
    c->cc = draw_scheme(rng, exact);
    c->fast_forward_wait = waits[pick(rng, 0, 4)];
    c->payload_bytes = payloads[pick(rng, 0, 3)];
    c->window = pick(rng, 0, 15) > 0;
    c->window_variable = chance(rng, 2);
    c->window_bytes = chance(rng, 4) ? c->payload_bytes * pick(rng, 1, 64) : 0;
    c->rate_bound = pick(rng, 0, 3) > 0;
    c->ack_first = chance(rng, 2);
    c->ack_interval_bytes = !exact && chance(rng, 5) ? (uint32_t)pick(rng, 1, 20000) : 1;
    c->ecn = pick(rng, 0, 2) > 0;
    if (chance(rng, 4))
        c->buffer_bytes = 2600 << 10;
    if (!exact)
        c->buffer_grows = true;
    if (!exact && chance(rng, 3))
        c->rto = 1000 * NADI_PS_PER_NS * (nadi_time)pick(rng, 50, 1000);
    if (chance(rng, 2))
        draw_dcqcn(c, rng);
}

/* ---- what happens meanwhile ---------------------------------------------------------------- */

static nadi_time draw_time(struct nadi_rng *rng)
{
    return NADI_PS_PER_NS * (nadi_time)pick_size(rng, 20);
}

static struct nadi_link_entry draw_link(struct job *j, struct nadi_rng *rng)
{
    struct nadi_link_entry e = {
        .at = draw_time(rng),
        .until = NADI_TIME_MAX,
        .dimension = NADI_NONE,
        .latency_ns = -1,
        .rate_scale = (double)pick(rng, 1, 12) / 8,
        .latency_scale = chance(rng, 3) ? (double)pick(rng, 0, 4) : 1,
        .down = chance(rng, 5),
        .channels = NADI_ARENA_NEW(&j->in.arena, uint32_t, 2),
        .channel_count = 2,
    };
    e.channels[0] = 2 * (uint32_t)nadi_rng_below(rng, j->in.graph.link_count);
    e.channels[1] = e.channels[0] + 1;
    if (e.down || chance(rng, 2))
        e.until = e.at + draw_time(rng);
    return e;
}

static struct nadi_traffic_entry draw_traffic(struct job *j, struct nadi_rng *rng)
{
    const uint32_t n = j->in.rank_count;
    struct nadi_traffic_pair *pair = NADI_ARENA_NEW(&j->in.arena, struct nadi_traffic_pair, 1);
    pair->src = (uint32_t)nadi_rng_below(rng, n);
    pair->dst = (pair->src + (uint32_t)pick(rng, 1, n - 1)) % n;
    const nadi_time at = draw_time(rng);
    return (struct nadi_traffic_entry){
        .at = at,
        .until = at + 100000 * NADI_PS_PER_NS,
        .pairs = pair,
        .pair_count = 1,
        .bytes = pick(rng, 1000, 300000),
        .every_ps = chance(rng, 2) ? 0 : (double)pick(rng, 20, 80) * 1e6,
        .weight = 1,
        .poisson = chance(rng, 2),
    };
}

static void draw_events(struct job *j, struct nadi_rng *rng)
{
    struct nadi_arena *arena = &j->in.arena;
    struct nadi_events *ev = NADI_ARENA_ZNEW(arena, struct nadi_events, 1);
    ev->links = NADI_ARENA_ZNEW(arena, struct nadi_link_entry, MOST_ENTRIES);
    ev->traffic = NADI_ARENA_ZNEW(arena, struct nadi_traffic_entry, 1);
    for (uint64_t i = pick(rng, 0, MOST_ENTRIES); i > 0; i--)
        ev->links[ev->link_count++] = draw_link(j, rng);
    if (chance(rng, 3))
        ev->traffic[ev->traffic_count++] = draw_traffic(j, rng);
    j->in.events = ev;
}

/* ---- workload ------------------------------------------------------------------------------ */

struct drawer {
    struct job *j;
    struct nadi_rng *rng;
    uint32_t group_size, count;
    bool loose; /* nodes wait for one of the last few */
    struct job_node nodes[MOST_NODES];
};

static struct job_node *add(struct drawer *d, enum nadi_node_type type, uint64_t packets)
{
    const uint32_t index = d->count++;
    const uint64_t back = d->loose ? pick(d->rng, 1, 4) : 1;
    struct job_node *n = &d->nodes[index];
    *n = (struct job_node){.type = type, .tag = index};
    n->bytes = packets * d->j->in.packet.payload_bytes + (chance(d->rng, 2) ? packets % 97 : 0);
    if (index >= back) {
        n->deps[0] = index - (uint32_t)back;
        n->dep_count = 1;
    }
    return n;
}

/* Of a collective: messages of 4 to some hundred packets. */
static uint64_t pick_packets(struct drawer *d)
{
    const uint64_t most = d->j->in.rank_count > 4 ? 4 : 7;
    return d->j->in.rank_count * ((UINT64_C(4) << pick(d->rng, 0, most)) + pick(d->rng, 0, 5));
}

static void add_collective(struct drawer *d)
{
    static const enum nadi_collective_kind kinds[] = {
        NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL, NADI_ALL_REDUCE};
    struct job_node *n = add(d, NADI_NODE_COLL, pick_packets(d));
    n->kind = kinds[pick(d->rng, 0, 4)];
    n->group = d->group_size && chance(d->rng, 2) ? "*" : NULL;
}

/* To a neighbour and from one, some at once. `left_out` says how far. */
static void add_messages(struct drawer *d)
{
    const uint32_t n = d->j->in.rank_count, count = (uint32_t)pick(d->rng, 1, 2);
    const uint32_t before = d->count;
    for (uint32_t i = 0; i < 2 * count; i++) {
        struct job_node *node = add(d, i < count ? NADI_NODE_SEND : NADI_NODE_RECV, 0);
        const struct job_node *sent = i < count ? NULL : &d->nodes[d->count - 1 - count];
        node->bytes =
            sent ? sent->bytes : (pick_size(d->rng, 7) + 16) * d->j->in.packet.payload_bytes;
        node->tag = sent ? sent->tag : node->tag;
        node->peer = sent ? sent->peer : (uint32_t)pick(d->rng, 1, n - 1);
        node->dep_count = before > 0;
        node->deps[0] = before - 1;
    }
}

static void draw_nodes(struct drawer *d)
{
    d->loose = chance(d->rng, 3);
    for (uint64_t rounds = pick(d->rng, 1, MOST_ROUNDS); rounds > 0; rounds--) {
        if (pick(d->rng, 0, 3) > 0)
            add(d, NADI_NODE_COMP, 0)->duration_ns = pick_size(d->rng, 16) - 1;
        if (chance(d->rng, 3))
            add_messages(d);
        else
            add_collective(d);
    }
}

static void give_rank(struct drawer *d, uint32_t rank, bool skewed)
{
    struct job_node own[MOST_NODES];
    char name[16];
    const uint32_t n = d->j->in.rank_count;
    snprintf(name, sizeof(name), "g%u", d->group_size ? rank / d->group_size : 0);
    for (uint32_t i = 0; i < d->count; i++) {
        own[i] = d->nodes[i];
        if (own[i].group)
            own[i].group = name;
        if (own[i].type == NADI_NODE_SEND)
            own[i].peer = (rank + own[i].peer) % n;
        if (own[i].type == NADI_NODE_RECV)
            own[i].peer = (rank + n - own[i].peer) % n;
        if (skewed && own[i].type == NADI_NODE_COMP)
            own[i].duration_ns += pick_size(d->rng, 15);
    }
    job_give(d->j, job_trace(d->j, own, d->count), rank, rank);
}

static uint32_t draw_groups(struct job *j, struct nadi_rng *rng)
{
    const uint32_t n = j->in.rank_count, size = (uint32_t)pick(rng, 2, n);
    uint32_t members[MOST_RANKS];
    bool existed;
    char name[16];
    if (n % size != 0 || size == n)
        return 0;
    for (uint32_t first = 0; first < n; first += size) {
        for (uint32_t i = 0; i < size; i++)
            members[i] = first + i;
        snprintf(name, sizeof(name), "g%u", first / size);
        nadi_groups_add(&j->in.groups, name, members, size, &existed);
    }
    return size;
}

static void draw_job_system(struct job *j, struct nadi_rng *rng)
{
    struct nadi_system_config *c = &j->in.system;
    struct draw source = draw_from_rng(rng);
    draw_algorithms(j, &source);
    c->splits = chance(rng, 2) ? 1 : (uint32_t)pick(rng, 2, 4);
    c->active_chunks = (uint32_t)pick(rng, 1, 3);
    c->comm_streams = chance(rng, 2) ? 1 : (uint32_t)pick(rng, 2, 3);
    c->active_of_each = c->comm_streams == 3;
    c->policy = chance(rng, 2) ? NADI_SCHEDULING_LIFO : NADI_SCHEDULING_FIFO;
    c->endpoint_delay_ns = pick(rng, 0, 20);
    c->local_mem_bw = chance(rng, 2) ? 0 : 2e12;
    c->rendezvous = chance(rng, 6);
}

void job_packets(struct job *j, struct nadi_rng *rng)
{
    struct drawer d = {.j = j, .rng = rng};
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool words = chance(rng, 5);
    if (words)
        draw_words(j, rng);
    else
        draw_dims(j, rng);
    j->in.options.network_model = &nadi_network_packet;
    j->in.options.network = "job";
    if (!words)
        NADI_ASSERT(nadi_inputs_take_topology(&j->in, NULL, NULL, &diags));
    j->in.has_graph = true;
    draw_packets(&j->in.packet, rng);
    j->in.system.exact = !j->in.packet.exact;
    d.group_size = draw_groups(j, rng);
    draw_job_system(j, rng);
    draw_nodes(&d);
    const bool skewed = chance(rng, 3);
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++)
        give_rank(&d, rank, skewed);
    if (!j->in.packet.exact && chance(rng, 3))
        draw_events(j, rng);
    j->in.in_flight = draw_in_flight(rng);
    j->in.options.record_ops = chance(rng, 2);
    j->in.options.record_usage = chance(rng, 2);
    j->in.options.max_sim_ns = chance(rng, 6) ? pick_size(rng, 21) : 0;
    nadi_diags_release(&diags);
}
