#include "search/transfers.h"

#include <math.h>

#include "base/mem.h"
#include "collective/program.h"
#include "explore/model_inputs.h"
#include "inputs/load.h"
#include "model/files.h"
#include "nccl/nccl.h"
#include "search/link_load.h"
#include "sim/run.h"
#include "trace/build.h"

enum { KINDS = NADI_TRANSFER_RING + 1, CUTS = 21 /* halves of the most chunks */ };

struct line {        /* ns = start + rate x bytes */
    uint32_t chunks; /* 0: not known */
    double start, rate;
};

struct level {
    uint32_t dim; /* the one in which members differ; NADI_NONE: several */
    uint32_t apart;
    uint32_t *members;
    struct line lines[KINDS][CUTS];
};

struct place { /* groups of `size` ranks that lie `stride` apart */
    uint32_t size, stride, nodes;
    bool all_to_all;
    struct nadi_comm_group group;
    struct level levels[NADI_COMM_GROUP_LEVELS];
};

struct nadi_transfers {
    struct nadi_arena arena;
    const struct nadi_study *study;
    bool chooses;
    struct nadi_inputs all;      /* what says into how many chunks their collectives are cut */
    struct nadi_link_load *load; /* NULL: messages of different groups do not meet */
    struct {
        struct place **items;
        size_t count, capacity;
    } places;
};

struct nadi_transfers *nadi_transfers_create(const struct nadi_study *study, bool chooses)
{
    struct nadi_transfers *t = NADI_ZNEW(struct nadi_transfers, 1);
    t->study = study;
    t->chooses = chooses;
    nadi_arena_init(&t->arena);
    nadi_model_bare_inputs(&t->all, study, study->cluster.chunks);
    nadi_groups_init(&t->all.groups, t->all.rank_count);
    t->load = chooses && !study->library ? nadi_link_load_create(study) : NULL;
    return t;
}

void nadi_transfers_destroy(struct nadi_transfers *t)
{
    if (!t)
        return;
    nadi_link_load_destroy(t->load);
    nadi_inputs_release(&t->all);
    nadi_mem_free(t->places.items);
    nadi_arena_release(&t->arena);
    nadi_mem_free(t);
}

bool nadi_transfers_meet(const struct nadi_transfers *t)
{
    return t->load != NULL;
}

/* ---- places -------------------------------------------------------------------------------- */

static void fill_level(struct nadi_transfers *t, struct place *p, uint32_t level)
{
    const struct nadi_topology *topology = &t->study->cluster.topology;
    struct level *l = &p->levels[level];
    const uint32_t count = p->group.level_size[level];
    uint32_t apart = p->stride; /* the members ascend: the first level varies fastest */
    for (uint32_t i = 0; i < level; i++)
        apart *= p->group.level_size[i];
    l->apart = apart;
    l->members = NADI_ARENA_NEW(&t->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        l->members[i] = i * apart;
    l->dim = nadi_topology_only_difference(topology, l->members, count);
}

static struct place *place_of(struct nadi_transfers *t, const struct nadi_transfers_group *asked,
                              bool all_to_all)
{
    const uint32_t size = asked->size, stride = asked->stride, ranks = t->study->plan.ranks;
    for (size_t i = 0; i < t->places.count; i++) {
        struct place *p = t->places.items[i];
        if (p->size == size && p->stride == stride && p->all_to_all == all_to_all)
            return p;
    }
    const struct nadi_cluster *cluster = &t->study->cluster;
    const struct nadi_comm_rules rules = {
        .topology = t->study->library ? NULL : &cluster->topology,
        .named_exchange = cluster->all_to_all[0],
    };
    const struct nadi_grid grid = {
        .ranks = ranks,
        .degree = {stride, 1, size, ranks / size / stride},
        .stride = {1, stride, stride, stride * size},
        .order = {NADI_DEGREE_TP, NADI_DEGREE_CP, NADI_DEGREE_DP, NADI_DEGREE_PP},
        .etp = stride,
        .ep = size,
        .edp = 1,
        .experts = true,
    };
    struct nadi_comm_groups groups;
    struct place *p = NADI_ARENA_ZNEW(&t->arena, struct place, 1);
    *p = (struct place){
        .size = size,
        .stride = stride,
        .all_to_all = all_to_all,
    };
    nadi_comm_groups_init(&groups, &grid, &rules);
    p->group = groups.axes[all_to_all ? NADI_AXIS_EP : NADI_AXIS_DP];
    if (t->study->library) {
        const uint32_t per_node = t->study->library->gpus_per_node;
        const uint32_t each = stride < per_node ? per_node / stride : 1;
        p->nodes = (size + each - 1) / each;
    } else {
        for (uint32_t i = 0; i < p->group.levels; i++)
            fill_level(t, p, i);
    }
    NADI_PUSH(&t->places, p);
    return p;
}

/* ---- one collective alone ------------------------------------------------------------------ */

static void add_trace(struct nadi_inputs *in, uint32_t index, enum nadi_collective_kind kind,
                      uint64_t bytes)
{
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, index ? "idle" : "member");
    if (index)
        (void)nadi_trace_build_compute(&b, "idle", 0, 0, 1, NULL, 0);
    else
        (void)nadi_trace_build_collective(&b, "transfer", kind, bytes,
                                          in->groups.count > 1 ? "group" : "", NULL, 0);
    in->owned[index] = nadi_trace_build_finish(&b);
}

/* The dimension of the members twice, so that they are not all ranks where they were not. */
static void take_topology(struct nadi_inputs *in, const struct nadi_study *study,
                          const struct level *l, bool all)
{
    const struct nadi_topology *whole = &study->cluster.topology;
    in->topology = *whole;
    if (l->dim == NADI_NONE || all || whole->dim_count == 1)
        return;
    in->topology.dim_count = 2;
    in->topology.dims[0] = in->topology.dims[1] = whole->dims[l->dim];
    in->topology.dims[1].npus = 2;
    const bool fits = nadi_topology_finish(&in->topology);
    NADI_ASSERT(fits); /* at most twice a dimension of a finished one */
}

static void fill_traces(struct nadi_inputs *in, const struct nadi_study *study,
                        const struct level *l, uint32_t count, enum nadi_collective_kind kind,
                        uint64_t bytes)
{
    const struct nadi_topology *whole = &study->cluster.topology;
    const bool same = in->topology.npu_count == whole->npu_count;
    uint32_t *members = NADI_NEW(uint32_t, count);
    bool existed;
    for (uint32_t i = 0; i < count; i++)
        members[i] = same ? l->members[i] : nadi_topology_coordinate(whole, l->members[i], l->dim);
    nadi_groups_init(&in->groups, in->rank_count);
    if (count < in->rank_count)
        nadi_groups_add(&in->groups, "group", members, count, &existed);
    in->owned_count = count < in->rank_count ? 2 : 1;
    in->owned = NADI_NEW(struct nadi_trace *, in->owned_count);
    for (uint32_t i = 0; i < in->owned_count; i++)
        add_trace(in, i, kind, bytes);
    in->traces = NADI_NEW(struct nadi_trace *, in->rank_count);
    for (uint32_t i = 0; i < in->rank_count; i++)
        in->traces[i] = in->owned[in->owned_count - 1];
    for (uint32_t i = 0; i < count; i++)
        in->traces[members[i]] = in->owned[0];
    nadi_mem_free(members);
}

/* The graph in whose switches members reduce: its dimensions have no such switches. Or NULL. */
static const char *graph_of_switches(const struct nadi_inputs *in, const struct nadi_study *study,
                                     enum nadi_collective_kind kind)
{
    const struct nadi_algorithm_choice *choice = &in->system.native[NADI_NATIVE_ALL_REDUCE].dims[0];
    const bool in_switches = choice->flat && choice->program && choice->program->in_switches;
    return kind == NADI_ALL_REDUCE && in_switches ? study->cluster.graph : NULL;
}

enum { MOST_TO_CROSS = 512 }; /* each sends to all: with contention that is n x n messages */

static double simulated_ns(const struct nadi_transfers *t, const struct place *p, uint32_t level,
                           enum nadi_collective_kind kind, uint32_t chunks, uint64_t bytes)
{
    const struct level *l = &p->levels[level];
    const uint32_t count = p->group.level_size[level];
    const struct nadi_study *study = t->study;
    struct nadi_inputs in;
    struct nadi_result result;
    struct nadi_diags diags;
    const bool all = count == study->cluster.topology.npu_count;
    nadi_diags_init(&diags);
    nadi_model_bare_inputs(&in, study, chunks);
    in.system.soonest_splits = false;
    take_topology(&in, study, l, all);
    in.rank_count = in.topology.npu_count;
    const char *graph = graph_of_switches(&in, study, kind);
    if (graph) {
        in.options.network_model = nadi_network_sharing;
        in.topology = study->cluster.topology;
        in.rank_count = in.topology.npu_count;
    }
    const bool ok = nadi_inputs_take_topology(&in, graph, NULL, &diags);
    NADI_ASSERT(ok); /* dimensions of a cluster */
    fill_traces(&in, study, l, count, kind, bytes);
    if (t->chooses && !graph && count <= MOST_TO_CROSS &&
        (l->dim == NADI_NONE || kind == NADI_ALL_TO_ALL)) {
        in.options.choose_model = true;
        nadi_inputs_choose_model(&in, &diags);
    }
    nadi_simulate(&in, NULL, &result);
    const double ns = result.outcome == NADI_OUTCOME_DONE ? (double)result.end_ns : HUGE_VAL;
    nadi_result_release(&result);
    nadi_inputs_release(&in);
    nadi_diags_release(&diags);
    return ns;
}

static const struct nadi_algorithm_choice *entry(const struct nadi_implementation *i, uint32_t dim)
{
    return &i->dims[dim < i->count ? dim : 0];
}

/* ns a byte of a collective over groups of n ranks, if all groups are at it at once. A ring passes
 * n - 1 parts on, others are taken to send one to each member. */
static double shared_in_group(const struct nadi_transfers *t, enum nadi_collective_kind kind,
                              const struct nadi_algorithm_choice *choice, uint32_t n,
                              uint32_t apart)
{
    const bool ring = choice->algorithm == NADI_ALGORITHM_RING;
    const double part = kind == NADI_ALL_GATHER ? 1 : kind == NADI_ALL_REDUCE ? 2.0 / n : 1.0 / n;
    if (n < 2 || (choice->program && choice->program->in_switches))
        return 0;
    return part * (ring ? n - 1 : 1) * nadi_link_load_ns(t->load, n, apart, !ring);
}

/* Does every group of the level lie along its dimension, as the first one does? */
static bool all_alike(const struct nadi_topology *t, const struct level *l, uint32_t n)
{
    uint32_t before = 1;
    for (uint32_t d = 0; d < l->dim; d++)
        before *= t->dims[d].npus;
    return l->apart % before == 0 && (before * t->dims[l->dim].npus) % (l->apart * n) == 0;
}

/* The same of a level. All NPUs together go by dimension, each with what those before leave, in
 * chunks, so that the dimension that takes longest decides. 0: not known, or nothing meets. */
static double shared_rate(const struct nadi_transfers *t, const struct place *p, uint32_t level,
                          enum nadi_collective_kind kind)
{
    const struct nadi_topology *topology = &t->study->cluster.topology;
    const struct level *l = &p->levels[level];
    const uint32_t n = p->group.level_size[level];
    uint32_t apart = 1;
    double most = 0;
    if (!t->load || (l->dim != NADI_NONE && !all_alike(topology, l, n)))
        return 0;
    const struct nadi_implementation *how = nadi_link_load_algorithms(t->load, kind);
    if (l->dim != NADI_NONE || how->dims[0].flat)
        return shared_in_group(t, kind, entry(how, l->dim), n, l->apart);
    for (uint32_t d = 0; d < topology->dim_count && n == topology->npu_count; d++) {
        const uint32_t inside = topology->dims[d].npus;
        const double share = kind == NADI_ALL_GATHER ? (double)n / inside / apart : 1.0 / apart;
        most = fmax(most, share * shared_in_group(t, kind, entry(how, d), inside, apart));
        apart *= inside;
    }
    return most;
}

enum { SMALL_BYTES = 1 << 16 };
static const double large_bytes = 1 << 26;

/* Chunks that a collective of the level is cut into. */
static uint32_t chunks_of(const struct nadi_transfers *t, uint32_t count,
                          enum nadi_collective_kind kind, uint64_t bytes)
{
    const struct nadi_cluster *c = &t->study->cluster;
    if (count != c->topology.npu_count || nadi_model_axis_chunks(c, count) == 1)
        return 1;
    const struct nadi_plan_request q =
        nadi_system_plan_request(&t->all.system, &t->all.topology, &t->all.groups, 0,
                                 nadi_native_of(kind), bytes, UINT32_MAX);
    return nadi_plan_splits(&q);
}

/* The part of an all-to-all's latencies that it waits for where its messages share links: `auto`
 * takes that model where it matters, and simulated_ns leaves it out for many members. */
static double waits_of(const struct nadi_transfers *t, const struct level *l,
                       enum nadi_collective_kind kind, uint32_t count)
{
    const struct nadi_topology *topology = &t->study->cluster.topology;
    const uint32_t window = t->all.system.shared_window, peers = count - 1;
    const bool own = l->dim != NADI_NONE && topology->dims[l->dim].kind == NADI_DIM_FULLY_CONNECTED;
    if (!t->chooses || kind != NADI_ALL_TO_ALL || count <= MOST_TO_CROSS || !window || own)
        return 1;
    return (double)((peers + window - 1) / window) / peers;
}

static const struct line *line_of(struct nadi_transfers *t, struct place *p,
                                  const struct nadi_comm_step *step)
{
    const enum nadi_collective_kind kind = nadi_transfer_collective(step->kind);
    const uint32_t n = p->group.level_size[step->level];
    const uint32_t chunks = chunks_of(t, n, kind, step->bytes);
    struct line *line = p->levels[step->level].lines[step->kind];
    for (uint32_t i = 1; line->chunks && line->chunks != chunks; i++, line++)
        NADI_ASSERT(i < CUTS);
    if (line->chunks)
        return line;
    /* shares of a member are whole bytes; an all-gather's bytes are a share */
    const bool share = kind == NADI_ALL_GATHER;
    const double few = share ? SMALL_BYTES : (double)SMALL_BYTES * n;
    const double many = share ? large_bytes : large_bytes * n;
    const double a = simulated_ns(t, p, step->level, kind, chunks, (uint64_t)few);
    const double b = simulated_ns(t, p, step->level, kind, chunks, (uint64_t)many);
    line->rate = (b - a) / (many - few);
    line->start = fmax(0, a - line->rate * few) * waits_of(t, &p->levels[step->level], kind, n);
    line->rate = fmax(line->rate, shared_rate(t, p, step->level, kind));
    line->chunks = chunks;
    return line;
}

/* All ranks of a node are in such groups, and share its NICs. */
static double shared_nics(const struct nadi_comm_platform *library, const struct place *p)
{
    const uint32_t per_node = (p->size + p->nodes - 1) / p->nodes;
    if (library->nics >= library->gpus_per_node)
        return 0;
    return library->nics * fmin((double)per_node / library->gpus_per_node, 1);
}

static double library_ns(const struct nadi_transfers *t, const struct place *p,
                         const struct nadi_comm_step *step)
{
    const enum nadi_comm_kind kind =
        nadi_comm_kind_of_collective(nadi_transfer_collective(step->kind));
    const double bytes = (double)step->bytes;
    const struct nadi_comm_case call = {
        .kind = kind,
        .ranks = p->size,
        .nodes = p->nodes,
        .nics = shared_nics(t->study->library, p),
        .bytes = kind == NADI_COMM_ALL_GATHER ? bytes * p->size : bytes,
        .in_place = true,
    };
    return nadi_comm_predict(t->study->library, &call).ns;
}

double nadi_transfers_ns(struct nadi_transfers *t, const struct nadi_transfers_group *group,
                         const struct nadi_transfer *transfer)
{
    const bool all_to_all = transfer->kind == NADI_TRANSFER_ALL_TO_ALL;
    if (group->size < 2 || transfer->kind == NADI_TRANSFER_NONE || transfer->bytes == 0)
        return 0;
    struct place *p = place_of(t, group, all_to_all);
    struct nadi_comm_step steps[NADI_COMM_STEPS];
    const uint32_t count = nadi_comm_group_steps(&p->group, transfer, steps);
    double ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (t->study->library) {
            ns += library_ns(t, p, &steps[i]);
        } else {
            const struct line *line = line_of(t, p, &steps[i]);
            const double step_ns = line->start + line->rate * (double)steps[i].bytes;
            ns = all_to_all && p->group.exchange ? fmax(ns, step_ns) : ns + step_ns;
        }
    }
    return ns;
}

double nadi_transfers_message_ns(struct nadi_transfers *t, uint32_t from, uint32_t to,
                                 uint64_t bytes)
{
    const struct nadi_topology *topology = &t->study->cluster.topology;
    double latency_ns = 0, rate = HUGE_VAL;
    for (uint32_t d = nadi_topology_lowest_difference(topology, from, to); d < topology->dim_count;
         d++) {
        const struct nadi_dim *dim = &topology->dims[d];
        const uint32_t a = nadi_topology_coordinate(topology, from, d);
        const uint32_t b = nadi_topology_coordinate(topology, to, d);
        if (a == b)
            continue;
        latency_ns += nadi_dim_hops(dim, a, b) * dim->latency_ns;
        rate = fmin(rate, dim->bytes_per_ns);
        if (!t->chooses)
            break; /* the lowest alone, as `unaware` has it */
    }
    if (t->load && from != to) {
        const uint32_t ranks = t->study->plan.ranks;
        rate = fmin(rate, 1 / nadi_link_load_shift_ns(t->load, (to + ranks - from) % ranks));
    }
    return trunc(latency_ns + (double)bytes / rate);
}
