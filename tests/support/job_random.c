#include "support/job.h"

#include "base/mem.h"
#include "collective/plan.h"
#include "support/job_draw.h"

enum { MOST_NODES = 14, MOST_RANKS = 16 };

static uint32_t pick_dims(struct draw *rng, struct nadi_dim *dims)
{
    uint32_t count = (uint32_t)pick(rng, 1, 3), ranks = 1, made = 0;
    for (uint32_t d = 0; d < count; d++) {
        uint32_t npus = (uint32_t)pick(rng, 2, count == 1 ? 8 : 4);
        if (ranks * npus > MOST_RANKS)
            break;
        ranks *= npus;
        dims[made++] = (struct nadi_dim){
            .kind = (enum nadi_dim_kind)pick(rng, NADI_DIM_RING, NADI_DIM_SWITCH),
            .npus = npus,
            .bytes_per_ns = (double)pick(rng, 1, 400) * 1073741824.0 / 1e9,
            .latency_ns = (double)pick(rng, 0, 2000) / 2,
        };
    }
    return made;
}

void draw_algorithms(struct job *j, struct draw *rng)
{
    static const enum nadi_phase_op ops[NADI_NATIVE_BROADCAST] = {
        [NADI_NATIVE_ALL_REDUCE] = NADI_PHASE_ALL_REDUCE,
        [NADI_NATIVE_ALL_GATHER] = NADI_PHASE_ALL_GATHER,
        [NADI_NATIVE_REDUCE_SCATTER] = NADI_PHASE_REDUCE_SCATTER,
        [NADI_NATIVE_ALL_TO_ALL] = NADI_PHASE_ALL_TO_ALL,
    };
    for (int k = 0; k < NADI_NATIVE_BROADCAST; k++)
        for (uint32_t d = 0; d < j->in.topology.dim_count; d++) {
            struct nadi_algorithm_choice *choice = &j->in.system.native[k].dims[d];
            enum nadi_algorithm a = (enum nadi_algorithm)pick(rng, NADI_ALGORITHM_RING,
                                                              NADI_ALGORITHM_DOUBLE_BINARY_TREE);
            uint32_t n = j->in.topology.dims[d].npus;
            bool tree = a == NADI_ALGORITHM_DOUBLE_BINARY_TREE;
            /* the tree is drawn for one dimension only: groups could not run it */
            if (!nadi_algorithm_can_run(a, ops[k], n) || (tree && j->in.groups.count > 1))
                a = NADI_ALGORITHM_RING;
            choice->algorithm = a;
            if (a == NADI_ALGORITHM_DIRECT && chance(rng, 2))
                choice->window = (uint32_t)pick(rng, 1, 4);
            choice->flat = (a == NADI_ALGORITHM_RING || a == NADI_ALGORITHM_DIRECT) && d == 0 &&
                           chance(rng, 5);
        }
}

void draw_system(struct job *j, struct draw *rng)
{
    struct nadi_system_config *c = &j->in.system;
    c->splits = (uint32_t)pick(rng, 1, 6);
    c->active_chunks = (uint32_t)pick(rng, 1, 4);
    c->comm_streams = pick(rng, 0, 7) ? 1 : (uint32_t)pick(rng, 2, 5);
    c->active_of_each = c->comm_streams > 3;
    c->policy =
        (enum nadi_scheduling_policy)pick(rng, NADI_SCHEDULING_LIFO, NADI_SCHEDULING_EXPLICIT);
    c->queues_per_dim = chance(rng, 2) ? 1 : (uint32_t)pick(rng, 2, 4);
    c->endpoint_delay_ns = pick(rng, 0, 60);
    c->local_bw_aware = chance(rng, 2);
    c->local_mem_bw = chance(rng, 3) ? 0 : (double)pick(rng, 1, 2000) * 1e9;
    c->peak_perf = 1e14;
    c->roofline = c->local_mem_bw > 0 && chance(rng, 4);
    c->rendezvous = chance(rng, 6);
    c->replay_only = chance(rng, 12);
    c->shared_bus = chance(rng, 8);
    c->bus_L = pick(rng, 0, 20);
    c->bus_o = pick(rng, 0, 5);
    c->bus_g = pick(rng, 0, 5);
    c->bus_G = (double)pick(rng, 0, 10) / 1000;
    struct nadi_memory_config *m = &j->in.memory;
    m->kind = (enum nadi_memory_kind)pick(rng, NADI_MEMORY_PER_NODE, NADI_MEMORY_HIERARCHY);
    m->npus_per_node = (uint32_t)pick(rng, 1, j->in.rank_count);
    m->node_count = (j->in.rank_count + m->npus_per_node - 1) / m->npus_per_node;
    m->pool = (struct nadi_pool){.nodes = m->node_count,
                                 .npus = m->npus_per_node,
                                 .switches = (uint32_t)pick(rng, 1, 3),
                                 .gbps = {1, 2, 3},
                                 .latency_ns = {(double)pick(rng, 0, 50)},
                                 .chunk_bytes = pick(rng, 1, 1000)};
    m->pool.groups = m->pool.switches * (uint32_t)pick(rng, 1, 3);
}

/* Blocks of equal size, named by their lowest rank; members in a random order. */
static uint32_t pick_groups(struct job *j, struct draw *rng)
{
    uint32_t n = j->in.rank_count, size = 2, members[MOST_RANKS];
    char name[16];
    bool existed;
    if (!chance(rng, 3))
        return 0;
    while (size <= n && (n % size != 0 || size == n))
        size++;
    if (size > n)
        return 0;
    for (uint32_t first = 0; first < n; first += size) {
        for (uint32_t i = 0; i < size; i++)
            members[i] = first + i;
        for (uint32_t i = size - 1; i > 0; i--) {
            uint32_t other = (uint32_t)draw_below(rng, i + 1), kept = members[i];
            members[i] = members[other];
            members[other] = kept;
        }
        snprintf(name, sizeof(name), "g%u", first);
        nadi_groups_add(&j->in.groups, name, members, size, &existed);
    }
    return size;
}

static void pick_node(const struct job *j, struct draw *rng, struct job_node *n, uint32_t index,
                      bool by_groups)
{
    static const enum nadi_collective_kind kinds[] = {
        NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL, NADI_BROADCAST};
    uint64_t draw = pick(rng, 0, 9);
    *n = (struct job_node){.type = NADI_NODE_COMP,
                           .cpu = draw == 9,
                           .duration_ns = pick_size(rng, 14) - 1,
                           .ops = pick_size(rng, 30),
                           .bytes = pick_size(rng, 20)};
    if (draw < 4) {
        n->type = NADI_NODE_COLL;
        n->kind = kinds[chance(rng, 10) ? 4 : pick(rng, 0, 3)];
        n->group = by_groups && chance(rng, 2) ? "*" : NULL;
        n->left_out = chance(rng, 4) ? 1U << pick(rng, 0, j->in.topology.dim_count - 1) : 0;
    } else if (draw == 4)
        n->type = chance(rng, 2) ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE;
    else if (draw == 5) {
        n->type = chance(rng, 2) ? NADI_NODE_SEND : NADI_NODE_RECV;
        n->tag = index;
    }
    uint64_t most = index < JOB_DEPS ? index : JOB_DEPS;
    for (uint64_t d = chance(rng, 5) ? 0 : pick(rng, most ? 1 : 0, most); d > 0; d--) {
        uint32_t dep = index - (uint32_t)d;
        if (n->dep_count == 0 || dep > n->deps[n->dep_count - 1])
            n->deps[n->dep_count++] = dep;
    }
}

/* Every send to the next rank gets a receive from the previous one, and the other way round. */
static uint32_t pair_up(struct job_node *nodes, uint32_t count)
{
    uint32_t made = count;
    for (uint32_t i = 0; i < count; i++) {
        bool send = nodes[i].type == NADI_NODE_SEND;
        if (!send && nodes[i].type != NADI_NODE_RECV)
            continue;
        nodes[made] = nodes[i];
        nodes[made++].type = send ? NADI_NODE_RECV : NADI_NODE_SEND;
    }
    return made;
}

static struct nadi_trace *for_rank(struct job *j, struct draw *rng, const struct job_node *nodes,
                                   uint32_t count, uint32_t rank, uint32_t group_size, bool skewed)
{
    struct job_node own[2 * MOST_NODES];
    char name[16];
    uint32_t n = j->in.rank_count;
    snprintf(name, sizeof(name), "g%u", group_size ? rank / group_size * group_size : 0);
    for (uint32_t i = 0; i < count; i++) {
        own[i] = nodes[i];
        if (own[i].group)
            own[i].group = name;
        own[i].peer = own[i].type == NADI_NODE_SEND ? (rank + 1) % n : (rank + n - 1) % n;
        if (skewed)
            own[i].duration_ns += pick_size(rng, 18);
    }
    return job_trace(j, own, count);
}

void job_random_on(struct job *j, struct draw *rng, const struct nadi_dim *dims, uint32_t dim_count)
{
    struct job_node nodes[2 * MOST_NODES];
    job_init(j, dims, dim_count);
    if (chance(rng, 2))
        j->in.options.network_model = &nadi_network_aware;
    j->in.options.compute_scale = chance(rng, 5) ? 0.7 : 1;
    j->in.options.comm_scale = chance(rng, 5) ? 1.3 : 1;
    uint32_t group_size = pick_groups(j, rng), count = (uint32_t)pick(rng, 1, MOST_NODES);
    draw_system(j, rng);
    draw_algorithms(j, rng);
    bool point_to_point = false, skewed = chance(rng, 3);
    for (uint32_t i = 0; i < count; i++) {
        pick_node(j, rng, &nodes[i], i, group_size > 0);
        point_to_point |= nodes[i].type == NADI_NODE_SEND || nodes[i].type == NADI_NODE_RECV;
    }
    count = pair_up(nodes, count);
    if (!point_to_point && !skewed && group_size == 0) {
        job_give(j, for_rank(j, rng, nodes, count, 0, 0, false), 0, j->in.rank_count - 1);
        return;
    }
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++)
        job_give(j, for_rank(j, rng, nodes, count, rank, group_size, skewed), rank, rank);
}

void job_random(struct job *j, struct nadi_rng *seeded)
{
    struct draw rng = draw_from_rng(seeded);
    struct nadi_dim dims[NADI_MAX_DIMS];
    const uint32_t count = pick_dims(&rng, dims);
    job_random_on(j, &rng, dims, count);
}
