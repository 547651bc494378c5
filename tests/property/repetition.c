/* Jobs that repeat themselves: bodies of a few nodes, some times over, in steps, some times over,
 * broken at random places. What is fast-forwarded (workload/fast_forward.h) must be what the
 * message executor, which fast-forwards nothing, simulates: every rank's times, each node's start
 * and end, the counts of every link.
 *
 *   repetition [CASES [FIRST_SEED]]     a failing seed is printed */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/model_presets.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/result_same.h"
#include "support/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 20 };
#else
enum { CASES = 150 };
#endif
enum { MOST_BODY = 6, MOST_BODIES = 16, MOST_STEPS = 8, MOST_KINDS = 3, MOST_TAIL = 4 };
enum { MOST_NODES = (MOST_BODY * MOST_BODIES + MOST_TAIL) * MOST_STEPS + 2 };

struct drawn { /* a job */
    struct nadi_rng rng;
    struct job *j;
    const char *family;
    struct job_node body[MOST_BODY], tail[MOST_TAIL];
    uint32_t body_count, tail_count, bodies, steps, kinds;
    uint32_t tag_step; /* from body to body */
    bool ordered;      /* each node waits for the one before */
    bool joined;       /* the last node waits for a node of each step or body */
    uint32_t broken;   /* number of the node that is another one, of one kind of ranks */
};

static const char *draw_family(struct drawn *d)
{
    const uint32_t n = d->j->in.rank_count, step = n % 2 ? 1 : 2;
    uint32_t group_of[64], members[64];
    if (n < 4 || step == 1 || chance(&d->rng, 3))
        return NULL;
    for (uint32_t first = 0; first < step; first++) {
        uint32_t count = 0;
        for (uint32_t r = first; r < n; r += step)
            members[count++] = r;
        const uint32_t group = nadi_groups_add_nameless(&d->j->in.groups, "family", members, count);
        for (uint32_t i = 0; i < count; i++)
            group_of[members[i]] = group;
    }
    nadi_groups_add_family(&d->j->in.groups, "family", group_of, n);
    return "family";
}

static struct job_node draw_node(struct drawn *d, uint32_t index)
{
    static const enum nadi_collective_kind kinds[] = {
        NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL, NADI_BROADCAST};
    const uint64_t type = pick(&d->rng, 0, 5);
    struct job_node n = {
        .type = type < 3    ? NADI_NODE_COMP
                : type == 3 ? NADI_NODE_SEND
                            : NADI_NODE_COLL,
        .duration_ns = chance(&d->rng, 6) ? 0 : pick_size(&d->rng, 14),
        .bytes = pick_size(&d->rng, 16),
        .cpu = type == 2 && chance(&d->rng, 5),
        .kind = kinds[pick(&d->rng, 0, 4)],
        .group = chance(&d->rng, 2) ? d->family : NULL,
        .dep_count = index > 0 && (d->ordered || !chance(&d->rng, 4)),
        .deps = {index > 0 && !d->ordered && chance(&d->rng, 4)
                     ? (uint32_t)pick(&d->rng, 0, index - 1)
                     : index - 1},
    };
    return n;
}

static uint32_t draw_nodes(struct drawn *d, struct job_node *nodes, uint32_t most)
{
    uint32_t count = 0;
    for (uint64_t left = pick(&d->rng, 1, most); left > 0 && count < most; left--) {
        nodes[count] = draw_node(d, count);
        const bool sends = nodes[count].type == NADI_NODE_SEND;
        if (sends && count + 1 == most)
            nodes[count].type = NADI_NODE_COMP;
        else if (sends) { /* to the next rank, and from the one before */
            nodes[count].peer = (uint32_t)pick(&d->rng, 1, d->j->in.rank_count - 1);
            nodes[count + 1] = nodes[count];
            nodes[count + 1].type = NADI_NODE_RECV;
            nodes[count + 1].peer = d->j->in.rank_count - nodes[count].peer;
            count++;
        }
        count++;
    }
    /* what nobody waits for would pile up */
    uint32_t last = count - 1;
    if (last > 1 && nodes[last].type != NADI_NODE_RECV && nodes[last].dep_count < 2) {
        nodes[last].dep_count = 2;
        nodes[last].deps[0] = last - 2;
        nodes[last].deps[1] = last - 1;
    }
    return count;
}

/* Appends nodes that all wait for those before; ranks of a kind compute as long. */
static uint32_t append(const struct drawn *d, struct job_node *to, uint32_t at,
                       const struct job_node *nodes, uint32_t count, uint32_t kind, uint32_t body)
{
    for (uint32_t i = 0; i < count; i++) {
        struct job_node n = nodes[i];
        for (uint32_t k = 0; k < n.dep_count; k++)
            n.deps[k] += at;
        if (n.dep_count == 0 && at > 0) {
            n.dep_count = 1;
            n.deps[0] = at - 1;
        }
        if (n.dep_count == 1 && to[n.deps[0]].type == NADI_NODE_RECV) { /* and for the send */
            n.dep_count = 2;
            n.deps[1] = n.deps[0]--;
        }
        if (n.type == NADI_NODE_COMP)
            n.duration_ns += kind * (n.duration_ns % 7 + 1);
        n.tag = (i + (n.type == NADI_NODE_SEND)) * 1000 + body * d->tag_step;
        if (at + i == d->broken && kind + 1 == d->kinds && n.type == NADI_NODE_COMP)
            n.duration_ns += 3;
        to[at + i] = n;
    }
    return at + count;
}

static struct nadi_trace *make_trace(struct drawn *d, uint32_t kind)
{
    struct job_node *nodes = NADI_ARENA_ZNEW(&d->j->in.arena, struct job_node, MOST_NODES);
    uint32_t *ends = NADI_ARENA_ZNEW(&d->j->in.arena, uint32_t, MOST_BODIES * MOST_STEPS);
    uint32_t at = 0, body = 0;
    for (uint32_t s = 0; s < d->steps; s++) {
        for (uint32_t b = 0; b < d->bodies; b++) {
            at = append(d, nodes, at, d->body, d->body_count, kind, body);
            ends[body++] = at - 1;
        }
        at = append(d, nodes, at, d->tail, d->tail_count, kind, body);
    }
    nodes[at++] = (struct job_node){
        .type = NADI_NODE_COMP,
        .duration_ns = 5,
        .more = ends,
        .more_count = d->joined ? body : 1,
    };
    return job_trace(d->j, nodes, at);
}

static void draw_network(struct drawn *d, const struct nadi_network_ops *model)
{
    static const char *const words[] = {
        "leaf-spine leaves=2 spines=2 hosts=4",
        "fat-tree k=4 levels=2",
        "rail nodes=4 npus=2 planes=2",
        "torus shape=3x3",
        "dragonfly a=2 p=2 h=1 g=3",
        "hgx npus=8 planes=2",
    };
    struct nadi_dim dims[2];
    if (model->has_loads) { /* no requests go through NPUs */
        dims[0] = (struct nadi_dim){
            .kind = chance(&d->rng, 2) ? NADI_DIM_SWITCH : NADI_DIM_FULLY_CONNECTED,
            .npus = (uint32_t)pick(&d->rng, 2, 6),
            .bytes_per_ns = (double)pick(&d->rng, 1, 400),
            .latency_ns = (double)pick(&d->rng, 0, 1000) / 2,
        };
        job_init(d->j, dims, 1);
        return;
    }
    if (model->has_links && chance(&d->rng, 2)) {
        static const enum nadi_route_scheme schemes[] = {NADI_ROUTE_SHORTEST, NADI_ROUTE_ECMP,
                                                         NADI_ROUTE_ADAPTIVE};
        job_graph(d->j, words[pick(&d->rng, 0, 5)]);
        d->j->in.routing.scheme = schemes[pick(&d->rng, 0, 2)];
        return;
    }
    const uint32_t count = (uint32_t)pick(&d->rng, 1, 2);
    for (uint32_t i = 0; i < count; i++)
        dims[i] = (struct nadi_dim){
            .kind = (enum nadi_dim_kind)pick(&d->rng, NADI_DIM_RING, NADI_DIM_SWITCH),
            .npus = (uint32_t)pick(&d->rng, 2, 5),
            .bytes_per_ns = chance(&d->rng, 2) ? 50 : (double)pick(&d->rng, 1, 400),
            .latency_ns = (double)pick(&d->rng, 0, 1000) / 2,
        };
    job_init(d->j, dims, count);
}

static void draw_device(struct nadi_loadstore_config *c, struct nadi_rng *rng)
{
    nadi_loadstore_config_init(c);
    c->sms = (uint32_t)pick(rng, 5, 40);
    c->copy_sms = (uint32_t)pick(rng, 1, 4);
    c->copy = chance(rng, 4) ? NADI_COPY_ENGINE : NADI_COPY_SM;
    c->direction = chance(rng, 4) ? NADI_GET : NADI_PUT;
    const bool plain = c->copy == NADI_COPY_ENGINE || c->direction == NADI_GET;
    c->protocol = plain ? NADI_PROTOCOL_SIMPLE : (enum nadi_protocol)pick(rng, 0, 3);
    c->outstanding = (uint32_t)pick(rng, 1, 40);
    c->exact_lines = (uint32_t)pick(rng, 1, 20);
    c->hop_credits = chance(rng, 3) ? (uint32_t)pick(rng, 1, 20) : 0;
}

static void draw_job(struct job *j, uint64_t seed, const struct nadi_network_ops *model)
{
    struct drawn d = {.j = j};
    nadi_rng_init(&d.rng, seed, "repetition");
    draw_network(&d, model);
    d.family = draw_family(&d);
    struct draw draw = draw_from_rng(&d.rng);
    draw_system(j, &draw);
    draw_algorithms(j, &draw);
    struct nadi_system_config *c = &j->in.system;
    j->in.memory = (struct nadi_memory_config){.kind = NADI_MEMORY_PER_NPU};
    c->shared_bus = c->roofline = false;
    c->exact = !model->truncates || j->in.has_graph;
    j->in.flow = (struct nadi_flow_config){
        .startup_ns = chance(&d.rng, 2) ? 0 : (double)pick(&d.rng, 0, 500),
        .overhead_ns = !chance(&d.rng, 4) ? 0 : (double)pick(&d.rng, 0, 50),
        .window_bytes = chance(&d.rng, 4) ? pick(&d.rng, 1000, 100000) : 0,
    };
    j->in.in_flight = draw_in_flight(&d.rng);
    if (model->has_loads)
        draw_device(&j->in.loadstore, &d.rng);
    if (model->has_packets) {
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        j->in.options.network_model = model;
        j->in.options.network = "job";
        if (!j->in.has_graph)
            NADI_ASSERT(nadi_inputs_take_topology(&j->in, NULL, NULL, &diags));
        j->in.has_graph = true;
        draw_packets(&j->in.packet, &d.rng);
        c->exact = !j->in.packet.exact;
        nadi_diags_release(&diags);
    }
    j->in.relative_peers = true;
    d.kinds = chance(&d.rng, 2) ? 1 : (uint32_t)pick(&d.rng, 1, MOST_KINDS);
    d.bodies = (uint32_t)pick(&d.rng, 1, MOST_BODIES);
    d.steps = (uint32_t)pick(&d.rng, 1, MOST_STEPS);
    d.tag_step = chance(&d.rng, 2) ? 0 : (uint32_t)pick(&d.rng, 1, 3);
    d.ordered = !chance(&d.rng, model->has_loads ? 2 : 5); /* copies slow what is computed beside */
    d.joined = chance(&d.rng, 2);
    d.body_count = draw_nodes(&d, d.body, MOST_BODY);
    d.tail_count = chance(&d.rng, 2) ? 0 : draw_nodes(&d, d.tail, MOST_TAIL);
    d.broken = chance(&d.rng, 3) ? (uint32_t)pick(&d.rng, 0, MOST_NODES / 8) : NADI_NONE;
    struct nadi_trace *kinds[MOST_KINDS];
    for (uint32_t k = 0; k < d.kinds; k++)
        j->in.owned[j->in.owned_count++] = kinds[k] = make_trace(&d, k);
    const bool mixed = chance(&d.rng, 2);
    for (uint32_t r = 0; r < j->in.rank_count; r++)
        j->in.traces[r] = kinds[mixed ? pick(&d.rng, 0, d.kinds - 1) : r % d.kinds];
}

struct count {
    uint64_t forwarded, failed, nodes, all;
};

static int by_what(const void *a, const void *b)
{
    const struct nadi_collective_result *x = a, *y = b;
#define ORDER(member)                                                                              \
    if (x->member != y->member)                                                                    \
    return x->member < y->member ? -1 : 1
    ORDER(start_ns);
    ORDER(end_ns);
    ORDER(node);
    ORDER(kind);
    ORDER(bytes);
    ORDER(ranks);
    ORDER(complete);
#undef ORDER
    return 0;
}

/* Equal collectives are listed once with the number of their copies: each apart, in order. */
static struct nadi_collective_result *each_collective(const struct nadi_result *r, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < r->collective_count; i++)
        *count += r->collectives[i].copies;
    struct nadi_collective_result *all = NADI_NEW(struct nadi_collective_result, *count);
    size_t at = 0;
    for (size_t i = 0; i < r->collective_count; i++)
        for (uint64_t k = 0; k < r->collectives[i].copies; k++)
            all[at++] = r->collectives[i];
    qsort(all, *count, sizeof(*all), by_what);
    return all;
}

static bool same_collectives(const char *who, const struct nadi_result *want,
                             const struct nadi_result *got)
{
    size_t want_count, got_count, at = 0;
    struct nadi_collective_result *a = each_collective(want, &want_count);
    struct nadi_collective_result *b = each_collective(got, &got_count);
    while (at < want_count && at < got_count && by_what(&a[at], &b[at]) == 0)
        at++;
    const bool same = want_count == got_count && at == want_count;
    if (!same)
        printf("%s: collective %zu of %zu is another than that of the message executor (%zu)\n",
               who, at, got_count, want_count);
    nadi_mem_free(a);
    nadi_mem_free(b);
    return same;
}

/* The run that is compared with, or one that may be fast-forwarded. */
static void simulate(uint64_t seed, const struct nadi_network_ops *model,
                     const struct nadi_executor *executor, bool record, bool stops,
                     struct nadi_result *result)
{
    struct job j;
    draw_job(&j, seed, model);
    j.in.options.network_model = model;
    j.in.options.executor = executor;
    j.in.options.record_ops = record;
    j.in.options.record_path = !record && seed % 2; /* changes nothing else */
    j.in.options.max_sim_ns = stops ? 1000 + seed % 977 * 100 : 0;
    nadi_simulate(&j.in, NULL, result);
    if (!record)
        result->span_count = result->flow_count = 0;
    job_release(&j);
}

static void try_seed(uint64_t seed, const struct nadi_network_ops *model, struct count *count)
{
    struct nadi_result want, got;
    /* where messages meet, times of nodes are known where each is simulated, or ranks are folded */
    const bool record = !model->has_contention || (model->can_fold && seed % 4 == 0);
    const struct nadi_executor *executor = record && model->has_contention ? &nadi_executor_fold
                                           : seed % 3 == 0                 ? &nadi_executor_phase
                                                                           : NULL;
    const bool stops = !executor && model->has_contention && seed % 5 == 0;
    simulate(seed, model, &nadi_executor_message, record, stops, &want);
    simulate(seed, model, executor, record, stops, &got);
    char who[64];
    snprintf(who, sizeof(who), "%s, seed %" PRIu64 ": fast-forwarded", model->name, seed);
    const bool same = result_same(who, &want, &got);
    count->failed += !same || !same_collectives(who, &want, &got) || want.forwarded.times > 0;
    count->forwarded += got.forwarded.times > 0;
    count->nodes += got.forwarded.nodes;
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        count->all += want.nodes_by_type[t];
    nadi_result_release(&want);
    nadi_result_release(&got);
}

int main(int argc, char **argv)
{
    const struct nadi_network_ops *const models[] = {&nadi_network_unaware, &nadi_network_flow,
                                                     &nadi_network_aware, &nadi_network_loadstore,
                                                     &nadi_network_packet};
    struct seeds s = {CASES, 1};
    uint64_t failed = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++) {
        struct count count = {0};
        const uint64_t end = s.first + (models[m]->has_packets ? (s.cases + 2) / 3 : s.cases);
        for (uint64_t seed = s.first; seed < end && count.failed < 10; seed++)
            try_seed(seed, models[m], &count);
        printf("%s: %" PRIu64 " of %" PRIu64 " fast-forwarded, %" PRIu64 " of %" PRIu64
               " nodes, %" PRIu64 " failed\n",
               models[m]->name, count.forwarded, end - s.first, count.nodes, count.all,
               count.failed);
        failed += count.failed;
        if (argc == 1 && count.forwarded * 10 < end - s.first) {
            printf("fewer than a tenth were fast-forwarded\n");
            return 1;
        }
    }
    return failed != 0;
}
