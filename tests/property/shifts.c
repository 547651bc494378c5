/* Pipelines on dimensions and graphs whose shifts map them onto themselves: `flow` and `aware`
 * simulate one rank of each class. Some graphs have a link that is unlike its kind. That must give
 * what all messages of all ranks give: every rank's times, each node's start and end, the counts of
 * every link.
 *
 *   shifts [CASES [FIRST_SEED]]     a failing seed is printed */
#include "base/str.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "support/result_same.h"
#include "support/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 150 };
#else
enum { CASES = 1000 };
#endif
enum { MOST_RANKS = 64, MOST_STAGES = 8, MOST_NODES = 24 };

/* Dimension `d` has stages: coordinates that are alike modulo `stages` are of one. */
struct pipeline {
    struct job *j;
    struct nadi_rng *rng;
    const struct nadi_topology *shape; /* the dimensions, or one that is cut into several */
    uint32_t d, stages, micro_batches;
    const char *tensor, *data, *across; /* families of groups; NULL: none */
    bool world;                         /* collectives of all ranks */
};

/* Each group is named by its first rank, of which it has `count` members, `step` apart; ranks of
 * `first` groups begin one. */
static const char *add_family(struct pipeline *p, const char *name, uint32_t d, uint32_t step,
                              uint32_t count)
{
    const struct nadi_topology *t = p->shape;
    uint32_t group_of[MOST_RANKS], members[MOST_RANKS], given = 0;
    if (count < 2 || count == p->j->in.rank_count)
        return NULL;
    for (uint32_t r = 0; r < p->j->in.rank_count; r++) {
        const uint32_t at = nadi_topology_coordinate(t, r, d);
        if (at / step % count)
            continue;
        for (uint32_t i = 0; i < count; i++)
            members[i] = r + i * step * t->stride[d];
        const uint32_t group = nadi_groups_add_nameless(&p->j->in.groups, name, members, count);
        for (uint32_t i = 0; i < count; i++)
            group_of[members[i]] = group;
        given += count;
    }
    if (given != p->j->in.rank_count)
        return NULL;
    nadi_groups_add_family(&p->j->in.groups, name, group_of, p->j->in.rank_count);
    return name;
}

static void draw_families(struct pipeline *p)
{
    const struct nadi_topology *t = p->shape;
    const uint32_t n = t->dims[p->d].npus;
    const uint32_t other = (p->d + 1) % t->dim_count;
    if (other != p->d)
        p->tensor = add_family(p, "tensor", other, 1, t->dims[other].npus);
    p->data = add_family(p, "data", p->d, p->stages, n / p->stages);
    if (chance(p->rng, 3))
        p->across = add_family(p, "across", p->d, 1, p->stages);
}

static struct job_node collective(const struct pipeline *p, const char *group, uint64_t drawn,
                                  uint32_t after)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    return (struct job_node){
        .type = NADI_NODE_COLL,
        .kind = kinds[drawn % 4],
        .bytes = p->j->in.rank_count * p->j->in.system.splits * (drawn % 977 + 1),
        .group = group,
        .dep_count = after > 0,
        .deps = {after - 1},
    };
}

/* Receive, compute, reduce, send; at the end what the stages have in common. */
static struct nadi_trace *make_stage(struct pipeline *p, uint32_t stage, const uint64_t *drawn)
{
    struct job_node nodes[MOST_NODES];
    uint32_t count = 0;
    const uint32_t stride = p->shape->stride[p->d];
    for (uint32_t m = 0; m < p->micro_batches; m++) {
        const uint32_t begins = count;
        if (stage > 0)
            nodes[count++] = (struct job_node){.type = NADI_NODE_RECV,
                                               .peer = 0 - stride,
                                               .tag = m,
                                               .bytes = drawn[0] % 90000 + 1};
        nodes[count] = (struct job_node){.type = NADI_NODE_COMP,
                                         .duration_ns = drawn[1 + stage] % 20000,
                                         .dep_count = count > begins,
                                         .deps = {begins}};
        count++;
        if (p->tensor && drawn[10] % 3) {
            nodes[count] = collective(p, p->tensor, drawn[11], count);
            count++;
        }
        if (stage + 1 < p->stages) {
            nodes[count] = (struct job_node){.type = NADI_NODE_SEND,
                                             .peer = stride,
                                             .tag = m,
                                             .bytes = drawn[0] % 90000 + 1,
                                             .dep_count = 1,
                                             .deps = {count - 1}};
            count++;
        }
    }
    const char *const last[] = {p->data, p->across};
    for (uint32_t i = 0; i < 2; i++)
        if (last[i]) {
            nodes[count] = collective(p, last[i], drawn[12 + i], count);
            count++;
        }
    if (p->world) {
        nodes[count] = collective(p, NULL, drawn[14], count);
        count++;
    }
    return job_trace(p->j, nodes, count);
}

static struct nadi_topology shape_of(const struct nadi_dim *dims, uint32_t count)
{
    struct nadi_topology shape = {.dim_count = count};
    memcpy(shape.dims, dims, count * sizeof(*dims));
    if (!nadi_topology_finish(&shape))
        abort();
    return shape;
}

static struct nadi_topology draw_on_dims(struct job *j, struct nadi_rng *rng)
{
    struct nadi_dim dims[NADI_MAX_DIMS];
    uint32_t count;
    draw_dims_alike(rng, MOST_RANKS, dims, &count);
    const struct nadi_topology shape = shape_of(dims, count);
    if (count > 1 && chance(rng, 2)) { /* all on one switch, or one full mesh */
        dims[0].kind = chance(rng, 2) ? NADI_DIM_SWITCH : NADI_DIM_FULLY_CONNECTED;
        dims[0].npus = shape.npu_count;
        job_init(j, dims, 1);
    } else
        job_init(j, dims, count);
    return shape;
}

/* The ranks of a graph as dimensions of which collectives go round all, or only groups go. */
static struct nadi_topology draw_on_graph(struct job *j, struct nadi_rng *rng)
{
    static const struct {
        const char *words;
        uint32_t npus[NADI_MAX_DIMS];
    } graphs[] = {
        {"rail nodes=4 npus=4", {4, 4}},
        {"rail nodes=8 npus=2 pod=4 spines=2", {2, 4, 2}},
        {"rail nodes=8 npus=2 pod=4 spines=1 planes=2", {2, 4, 2}},
        {"leaf-spine leaves=4 spines=1 hosts=4", {4, 4}},
        {"leaf-spine leaves=1 spines=1 hosts=12", {4, 3}},
        {"leaf-spine leaves=16 spines=1 hosts=1 lanes=2", {4, 4}},
        {"fat-tree k=4", {2, 2, 4}},
        {"dragonfly a=2 p=2 h=1", {2, 2, 3}},
        {"dragonfly a=4 p=1 h=1", {4, 5}},
        {"hyperx shape=4x4", {4, 4}},
        {"hyperx shape=3x4 hosts=2", {2, 3, 4}},
        {"torus shape=4x3", {4, 3}},
        {"torus shape=4x4x2", {4, 4, 2}},
        {"mesh shape=4x2", {4, 2}},
        {"hgx npus=8", {4, 2}},
    };
    static const enum nadi_route_scheme schemes[] = {NADI_ROUTE_SHORTEST, NADI_ROUTE_ECMP};
    const uint64_t drawn = pick(rng, 0, sizeof(graphs) / sizeof(*graphs) - 1);
    struct nadi_dim dims[NADI_MAX_DIMS];
    uint32_t count = 0;
    for (; graphs[drawn].npus[count]; count++)
        dims[count] = (struct nadi_dim){.kind = NADI_DIM_SWITCH,
                                        .npus = graphs[drawn].npus[count],
                                        .bytes_per_ns = 50,
                                        .oversubscription = 1,
                                        .axes = 1};
    const struct nadi_topology shape = shape_of(dims, count);
    job_graph(j, graphs[drawn].words);
    j->in.routing.scheme = schemes[pick(rng, 0, 1)];
    if (chance(rng, 2)) {
        j->in.topology = shape;
        for (int k = 0; k < NADI_NATIVE_BROADCAST; k++)
            j->in.system.native[k].count = count;
    }
    if (chance(rng, 8)) {
        struct nadi_graph *g = &j->in.graph;
        g->links[pick(rng, 0, g->link_count - 1)].bits_per_s /= 3;
    }
    return shape;
}

static void draw_job(struct job *j, uint64_t seed, bool on_graph)
{
    struct nadi_rng rng;
    uint64_t drawn[16];
    nadi_rng_init(&rng, seed, on_graph ? "shifts of graphs" : "shifts");
    const struct nadi_topology shape = on_graph ? draw_on_graph(j, &rng) : draw_on_dims(j, &rng);
    draw_system_alike(j, &rng);
    j->in.relative_peers = true;
    struct pipeline p = {.j = j,
                         .rng = &rng,
                         .shape = &shape,
                         .d = (uint32_t)pick(&rng, 0, shape.dim_count - 1),
                         .world = on_graph && chance(&rng, 4)};
    const uint32_t n = shape.dims[p.d].npus;
    do
        p.stages = (uint32_t)pick(&rng, 1, n < MOST_STAGES ? n : MOST_STAGES);
    while (n % p.stages);
    p.micro_batches = (uint32_t)pick(&rng, 1, 4);
    draw_families(&p);
    for (size_t i = 0; i < sizeof(drawn) / sizeof(*drawn); i++)
        drawn[i] = pick(&rng, 0, 1000000);
    if (chance(&rng, 3)) /* all stages are as long */
        for (size_t i = 2; i < 10; i++)
            drawn[i] = drawn[1];
    struct nadi_trace *stages[MOST_STAGES];
    for (uint32_t i = 0; i < p.stages; i++)
        j->in.owned[j->in.owned_count++] = stages[i] = make_stage(&p, i, drawn);
    for (uint32_t r = 0; r < j->in.rank_count; r++)
        j->in.traces[r] = stages[nadi_topology_coordinate(&shape, r, p.d) % p.stages];
}

static bool try_seed(uint64_t seed, const struct nadi_network_ops *model, bool on_graph,
                     uint64_t *folded)
{
    struct job j;
    struct nadi_result want, got;
    draw_job(&j, seed, on_graph);
    j.in.options.record_ops = true;
    j.in.options.network_model = model;
    j.in.options.record_usage = true;
    j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&j.in, NULL, &want);
    j.in.options.executor = &nadi_executor_fold;
    nadi_simulate(&j.in, NULL, &got);
    char who[64];
    snprintf(who, sizeof(who), "%s%s, seed %" PRIu64 ": folded", model->name,
             on_graph ? ", graph" : "", seed);
    const bool ok = result_same(who, &want, &got);
    *folded += got.executor == &nadi_executor_fold;
    nadi_result_release(&want);
    nadi_result_release(&got);
    job_release(&j);
    return ok;
}

/* False: a seed failed, or too few were folded. */
static bool try_seeds(const struct nadi_network_ops *model, bool on_graph, uint64_t cases,
                      uint64_t first)
{
    uint64_t folded = 0, failed = 0;
    for (uint64_t seed = first; seed < first + cases && failed < 10; seed++)
        failed += !try_seed(seed, model, on_graph, &folded);
    printf("%s, %s: %" PRIu64 " of %" PRIu64 " folded, %" PRIu64 " failed\n", model->name,
           on_graph ? "graphs" : "dimensions", folded, cases, failed);
    if (first == 1 && folded * 5 < cases)
        printf("fewer than a fifth were folded\n");
    return failed == 0 && (first != 1 || folded * 5 >= cases);
}

int main(int argc, char **argv)
{
    const struct nadi_network_ops *const models[] = {&nadi_network_flow, &nadi_network_aware};
    struct seeds s = {CASES, 1};
    bool ok = true;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++) {
        ok &= try_seeds(models[m], false, s.cases, s.first);
        ok &= try_seeds(models[m], true, s.cases / 2, s.first);
    }
    return !ok;
}
